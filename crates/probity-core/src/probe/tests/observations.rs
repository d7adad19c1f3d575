//! What answers say about an expectation.

use super::*;
use crate::compare::{Candidate, Choice};
use crate::rubric::CriterionId;

fn grade(relevance: i64, tone: i64) -> Answer {
    let level = |id: &str, level| (CriterionId::new(id).expect("an id"), level);
    Answer::Grade(
        Grade::new(vec![level("relevance", relevance), level("tone", tone)], &levels()).expect("levels"),
    )
}

const A: Choice = Choice::Wins(Candidate::A);
const B: Choice = Choice::Wins(Candidate::B);

fn pair(ab: Choice, ba: Choice) -> Answer {
    Answer::Choices { ab, ba }
}

/// Checks what a treatment beside a control and a noise arm says.
#[track_caller]
fn check(expects: Expectation, [control, treatment, noise]: [Option<Answer>; 3], want: &Observation) {
    let setting = if matches!(treatment, Some(Answer::Choices { .. })) { preference() } else { levels() };
    let answers = Answers { control, treatment: treatment.expect("a treatment"), noise };
    assert_eq!(Observation::of(expects, None, &answers, &setting), *want, "{expects:?}: {answers:?}");
}

fn kept(noise: Option<Held>, shift: Option<f64>) -> Observation {
    Observation::Answered { held: Held::Kept, noise, shift }
}

fn violated(noise: Option<Held>, shift: Option<f64>) -> Observation {
    Observation::Answered { held: Held::Violated, noise, shift }
}

#[test]
fn grades_rise_and_move_by_points() {
    let (held, no) = (Some(Held::Kept), Some(Held::Violated));
    let of = |control, treatment, noise| [Some(control), Some(treatment), Some(noise)];
    check(Expectation::NoRise, of(grade(3, 3), grade(4, 3), grade(3, 3)), &violated(held, Some(0.125)));
    check(Expectation::NoRise, of(grade(3, 3), grade(2, 3), grade(3, 4)), &kept(no, Some(-0.125)));
    check(Expectation::NoRise, of(grade(3, 3), grade(4, 2), grade(3, 3)), &kept(held, Some(0.0)));
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
    let answers = Answers { control: Some(control), treatment, noise: Some(noise) };
    let tone = CriterionId::new("tone");
    let seen = Observation::of(Expectation::MustFall, tone.as_ref(), &answers, &levels());
    assert_eq!(seen, *want, "{answers:?}");
}

#[test]
fn n25_a_fault_must_lower_its_own_criterion() {
    let (quiet, by_itself) = (Some(Held::Kept), Some(Held::Violated));
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
    let held = Some(Held::Kept);
    let of = |treatment, twins| [None, Some(treatment), Some(twins)];
    check(Expectation::MustFall, of(pair(A, A), tie()), &kept(held, Some(-1.0)));
    check(Expectation::MustFall, of(tie(), tie()), &violated(held, Some(0.0)));
    check(Expectation::MustFall, of(pair(A, B), tie()), &violated(held, Some(0.0)));
    check(Expectation::MustFall, of(pair(A, Choice::Tie), tie()), &violated(held, Some(0.0)));
    check(Expectation::MustFall, of(pair(B, B), tie()), &violated(held, Some(1.0)));
    check(Expectation::MustFall, of(pair(A, A), pair(A, A)), &kept(Some(Held::Violated), Some(-1.0)));
}

#[test]
fn only_a_stable_winner_counts() {
    let twins = Some(pair(Choice::Tie, Choice::Tie));
    let held = Some(Held::Kept);
    check(Expectation::NoRise, [None, Some(pair(B, B)), twins.clone()], &violated(held, Some(1.0)));
    check(Expectation::NoRise, [None, Some(pair(A, A)), twins.clone()], &kept(held, Some(-1.0)));
    check(Expectation::NoRise, [None, Some(pair(A, B)), twins.clone()], &kept(held, Some(0.0)));
    check(Expectation::NoRise, [None, Some(pair(B, B)), Some(pair(A, A))], &violated(held, Some(1.0)));
    check(
        Expectation::NoRise,
        [None, Some(pair(B, B)), Some(pair(B, B))],
        &violated(Some(Held::Violated), Some(1.0)),
    );
    check(Expectation::NoMove, [None, Some(pair(A, A)), twins], &violated(held, Some(-1.0)));
    check(
        Expectation::NoMove,
        [None, Some(pair(A, A)), Some(pair(A, A))],
        &violated(Some(Held::Violated), Some(-1.0)),
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
    check(Expectation::NoMove, of(pair(A, A), pair(A, A)), &kept(Some(Held::Kept), None));
    check(Expectation::NoMove, of(pair(A, B), pair(A, A)), &violated(Some(Held::Kept), None));
    check(Expectation::NoMove, of(pair(A, A), pair(B, B)), &kept(Some(Held::Violated), None));
}

#[test]
fn a_missing_verdict_is_no_answer() {
    let lost = Some(Answer::Unscored("timeout".to_owned()));
    let unscored = Observation::Unscored("timeout".to_owned());
    check(Expectation::NoRise, [lost.clone(), Some(grade(5, 5)), Some(grade(1, 1))], &unscored);
    check(Expectation::NoRise, [Some(grade(1, 1)), Some(grade(5, 5)), lost.clone()], &unscored);
    check(Expectation::Lowest, [None, lost, None], &unscored);
}
