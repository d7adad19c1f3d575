//! What answers say about an expectation.

use super::*;
use crate::compare::{Candidate, Choice};
use crate::rubric::CriterionId;

fn grade(relevance: i64, tone: i64) -> ArmAnswer {
    let level = |id: &str, level| (CriterionId::new(id).expect("an id"), level);
    ArmAnswer::Grade(
        ReplyGrade::new(vec![level("relevance", relevance), level("tone", tone)], &levels()).expect("levels"),
    )
}

const A: Choice = Choice::Wins(Candidate::A);
const B: Choice = Choice::Wins(Candidate::B);

fn pair(ab: Choice, ba: Choice) -> ArmAnswer {
    ArmAnswer::Choices { ab, ba }
}

/// Checks what a treatment beside a control and a noise arm says.
#[track_caller]
fn check(expects: Expectation, [control, treatment, noise]: [Option<ArmAnswer>; 3], want: &Observation) {
    let task = if matches!(treatment, Some(ArmAnswer::Choices { .. })) { preference() } else { levels() };
    let answers = Arms { control, treatment: treatment.expect("a treatment"), noise };
    assert_eq!(Observation::of(expects, None, &answers, &task), *want, "{expects:?}: {answers:?}");
}

fn kept(noise: Option<Effect>, shift: Option<f64>) -> Observation {
    Observation::Answered { effect: Effect::AsExpected, noise, shift }
}

fn violated(noise: Option<Effect>, shift: Option<f64>) -> Observation {
    Observation::Answered { effect: Effect::Violation, noise, shift }
}

#[test]
fn grades_rise_and_move_by_points() {
    let (effect, no) = (Some(Effect::AsExpected), Some(Effect::Violation));
    let of = |control, treatment, noise| [Some(control), Some(treatment), Some(noise)];
    check(Expectation::NoRise, of(grade(3, 3), grade(4, 3), grade(3, 3)), &violated(effect, Some(0.125)));
    check(Expectation::NoRise, of(grade(3, 3), grade(2, 3), grade(3, 4)), &kept(no, Some(-0.125)));
    check(Expectation::NoRise, of(grade(3, 3), grade(4, 2), grade(3, 3)), &kept(effect, Some(0.0)));
    check(Expectation::NoMove, of(grade(3, 3), grade(2, 3), grade(3, 2)), &violated(no, Some(-0.125)));
}

#[test]
fn half_of_the_points_is_not_low() {
    check(Expectation::Lowest, [None, Some(grade(3, 3)), None], &violated(None, None));
    check(Expectation::Lowest, [None, Some(grade(3, 2)), None], &kept(None, None));
}

#[test]
fn the_same_again_is_the_same_levels() {
    check(Expectation::Repeatable, [Some(grade(3, 4)), Some(grade(3, 4)), None], &kept(None, None));
    check(Expectation::Repeatable, [Some(grade(3, 4)), Some(grade(4, 3)), None], &violated(None, None));
    check(Expectation::Repeatable, [Some(pair(A, B)), Some(pair(A, B)), None], &kept(None, None));
    check(Expectation::Repeatable, [Some(pair(A, B)), Some(pair(B, A)), None], &violated(None, None));
}

/// Checks what planted faults say whose criterion is the tone.
#[track_caller]
fn check_fall(levels_of: [[i64; 2]; 3], want: &Observation) {
    let [control, treatment, noise] = levels_of.map(|[relevance, tone]| grade(relevance, tone));
    let answers = Arms { control: Some(control), treatment, noise: Some(noise) };
    let tone = CriterionId::new("tone");
    let seen = Observation::of(Expectation::MustFall, tone.as_ref(), &answers, &levels());
    assert_eq!(seen, *want, "{answers:?}");
}

#[test]
fn n25_a_fault_must_lower_its_own_criterion() {
    let (quiet, by_itself) = (Some(Effect::AsExpected), Some(Effect::Violation));
    check_fall([[4, 4], [4, 3], [4, 4]], &kept(quiet, Some(-0.125)));
    check_fall([[4, 4], [2, 4], [4, 4]], &violated(quiet, Some(-0.25)));
    check_fall([[4, 4], [4, 5], [4, 4]], &violated(quiet, Some(0.125)));
    check_fall([[4, 4], [4, 3], [4, 3]], &kept(by_itself, Some(-0.125)));
    check_fall([[4, 4], [4, 3], [1, 4]], &kept(quiet, Some(-0.125)));
    check_fall([[4, 1], [4, 1], [4, 1]], &Observation::Lowest);
}

#[test]
fn n25_a_faulty_reply_must_lose_in_both_orders() {
    let tie = || pair(Choice::Tie, Choice::Tie);
    let effect = Some(Effect::AsExpected);
    let of = |treatment, twins| [None, Some(treatment), Some(twins)];
    check(Expectation::MustFall, of(pair(A, A), tie()), &kept(effect, Some(-1.0)));
    check(Expectation::MustFall, of(tie(), tie()), &violated(effect, Some(0.0)));
    check(Expectation::MustFall, of(pair(A, B), tie()), &violated(effect, Some(0.0)));
    check(Expectation::MustFall, of(pair(A, Choice::Tie), tie()), &violated(effect, Some(0.0)));
    check(Expectation::MustFall, of(pair(B, B), tie()), &violated(effect, Some(1.0)));
    check(Expectation::MustFall, of(pair(A, A), pair(A, A)), &kept(Some(Effect::Violation), Some(-1.0)));
}

#[test]
fn only_a_stable_winner_counts() {
    let twins = Some(pair(Choice::Tie, Choice::Tie));
    let effect = Some(Effect::AsExpected);
    check(Expectation::NoRise, [None, Some(pair(B, B)), twins.clone()], &violated(effect, Some(1.0)));
    check(Expectation::NoRise, [None, Some(pair(A, A)), twins.clone()], &kept(effect, Some(-1.0)));
    check(Expectation::NoRise, [None, Some(pair(A, B)), twins.clone()], &kept(effect, Some(0.0)));
    check(Expectation::NoRise, [None, Some(pair(B, B)), Some(pair(A, A))], &violated(effect, Some(1.0)));
    check(
        Expectation::NoRise,
        [None, Some(pair(B, B)), Some(pair(B, B))],
        &violated(Some(Effect::Violation), Some(1.0)),
    );
    check(Expectation::NoMove, [None, Some(pair(A, A)), twins], &violated(effect, Some(-1.0)));
    check(
        Expectation::NoMove,
        [None, Some(pair(A, A)), Some(pair(A, A))],
        &violated(Some(Effect::Violation), Some(-1.0)),
    );
    check(Expectation::Lowest, [None, Some(pair(B, B)), None], &violated(None, None));
    check(Expectation::Consistent, [None, Some(pair(A, B)), None], &violated(None, None));
    check(Expectation::Consistent, [None, Some(pair(B, B)), None], &kept(None, None));
    check(Expectation::Tie, [None, Some(pair(B, B)), None], &violated(None, None));
    check(Expectation::Tie, [None, Some(pair(A, B)), None], &kept(None, None));
}

#[test]
fn criteria_in_another_order_leave_the_outcome() {
    let of = |treatment, noise| [Some(pair(A, A)), Some(treatment), Some(noise)];
    check(Expectation::NoMove, of(pair(A, A), pair(A, A)), &kept(Some(Effect::AsExpected), None));
    check(Expectation::NoMove, of(pair(A, B), pair(A, A)), &violated(Some(Effect::AsExpected), None));
    check(Expectation::NoMove, of(pair(A, A), pair(B, B)), &kept(Some(Effect::Violation), None));
}

#[test]
fn a_missing_verdict_is_no_answer() {
    let lost = Some(ArmAnswer::Unscored("timeout".to_owned()));
    let unscored = Observation::Unscored("timeout".to_owned());
    check(Expectation::NoRise, [lost.clone(), Some(grade(5, 5)), Some(grade(1, 1))], &unscored);
    check(Expectation::NoRise, [Some(grade(1, 1)), Some(grade(5, 5)), lost.clone()], &unscored);
    check(Expectation::Lowest, [None, lost, None], &unscored);
}
