//! Figures of a handful of pairs, each one checked by hand.
//!
//! A pair is written as its verdict in each order: `a`, `b`, `t` for a tie, `r` for a person, `?` for none; then,
//! if people labelled it, what they said.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::label::PairLabel;
use crate::score::Unscored;
use crate::stats::{Estimate, Resampling};

const QUICK: Resampling = Resampling { n_resamples: 200, seed: 0 };

fn pass(letter: char) -> Pass {
    Pass::Decided(match letter {
        'a' => Choice::Wins(Candidate::A),
        'b' => Choice::Wins(Candidate::B),
        't' => Choice::Tie,
        'r' => Choice::NeedsHumanReview,
        _ => {
            return Pass::Unscored(Unscored { cause: "unparsed".into(), detail: String::new(), attempts: 0 });
        }
    })
}

fn pair(index: usize, text: &str) -> Pair {
    let letters: Vec<char> = text.chars().collect();
    let label = letters.get(2).map(|label| match pass(*label) {
        Pass::Decided(Choice::Wins(Candidate::A)) => PairLabel::A,
        Pass::Decided(Choice::Wins(Candidate::B)) => PairLabel::B,
        _ => PairLabel::Tie,
    });
    Pair {
        item: Arc::from(format!("i{index}")),
        case: Arc::from(format!("c{index}")),
        slice: None,
        variants: [Arc::from("old"), Arc::from("new")],
        verdicts: Verdicts::BothOrders { ab: pass(letters[0]), ba: pass(letters[1]) },
        lengths: Some([10, 20]),
        difficulty: None,
        label,
    }
}

/// One pair for each word, on a case of its own, between `old` and `new`.
pub(super) fn pairs(text: &str) -> Vec<Pair> {
    text.split(' ').enumerate().map(|(index, text)| pair(index, text)).collect()
}

fn of(text: &str, conflict: Conflict, unparsed: Unparsed) -> Figures {
    let pairs = pairs(text);
    figures(&pairs.iter().collect::<Vec<_>>(), Policies { conflict, unparsed }, QUICK)
}

/// `value/n` to four digits, or `-`.
fn short(estimate: Option<Estimate>) -> String {
    estimate.map_or("-".to_owned(), |estimate| format!("{:.4}/{}", estimate.value, estimate.n))
}

/// The win rate of `old` and the agreement with people.
#[track_caller]
fn check_policy(text: &str, (conflict, unparsed): (Conflict, Unparsed), want: &str) {
    let figures = of(text, conflict, unparsed);
    let agreement = figures.agreement.and_then(|agreement| agreement.agreement);
    let got = format!("{} {}", short(figures.variants["old"].win_rate), short(agreement));
    assert_eq!(got, want, "{text} {conflict:?} {unparsed:?}");
}

#[test]
fn policies_decide_what_disagreement_is_worth() {
    // Stable a; flipped; a beside a tie; stable b; all labelled a.
    let text = "aaa aba ata bba";
    check_policy(text, (Conflict::Tie, Unparsed::Drop), "0.5000/4 0.2500/4");
    check_policy(text, (Conflict::Drop, Unparsed::Drop), "0.5000/2 0.5000/2");
    check_policy(text, (Conflict::Pool, Unparsed::Drop), "0.5625/8 0.5000/8");
}

#[test]
fn policies_decide_what_silence_is_worth() {
    let text = "aaa a?a ??a";
    check_policy(text, (Conflict::Tie, Unparsed::Drop), "1.0000/1 1.0000/1");
    check_policy(text, (Conflict::Tie, Unparsed::Tie), "0.6667/3 0.3333/3");
    check_policy(text, (Conflict::Tie, Unparsed::Wrong), "1.0000/1 0.3333/3");
    check_policy(text, (Conflict::Pool, Unparsed::Wrong), "1.0000/3 0.5000/6");
    check_policy(text, (Conflict::Pool, Unparsed::Drop), "1.0000/3 1.0000/3");
}

#[test]
fn an_escalation_counts_for_nobody() {
    for conflict in [Conflict::Tie, Conflict::Drop, Conflict::Pool] {
        check_policy(
            "aaa ara rra",
            (conflict, Unparsed::Tie),
            match conflict {
                Conflict::Pool => "1.0000/2 1.0000/2",
                _ => "1.0000/1 1.0000/1",
            },
        );
    }
}

#[track_caller]
fn check(text: &str, want: &Expect) {
    let figures = of(text, Conflict::Tie, Unparsed::Drop);
    let Figures { counts, rates, variants, order_test, .. } = &figures;
    let status: Vec<String> = Status::ALL.iter().map(|status| counts.of(*status).to_string()).collect();
    let new = &variants["new"];
    want.assert_eq(&format!(
        "status {}, new wins {} {} (p {:.4}), tie {}, unstable {}, same {}, first slot {}, longer {}, orders {:?}\n",
        status.join("+"),
        short(new.win_rate),
        short(new.decisive_win_rate),
        new.sign_test.unwrap_or(f64::NAN),
        short(rates.tie_rate),
        short(rates.instability_rate),
        short(rates.consistency),
        short(rates.first_slot_lean),
        short(rates.longer_by_pass),
        order_test.map(|test| (test.first_only, test.second_only)),
    ));
}

#[test]
fn a_fair_judge() {
    check(
        "bb bb bb bb bb aa tt bt",
        &expect![[r"
            status 6+2+0+0+0+0, new wins 0.7500/8 0.8333/6 (p 0.2188), tie 0.2500/8, unstable 0.0000/8, same 0.8750/8, first slot 0.4615/13, longer 0.8462/13, orders None
        "]],
    );
}

#[test]
fn a_lover_of_the_first_slot_decides_nothing() {
    check(
        "ab ab ab ab ab",
        &expect![[r"
            status 0+0+5+0+0+0, new wins 0.5000/5 - (p NaN), tie 0.0000/5, unstable 1.0000/5, same 0.0000/5, first slot 1.0000/10, longer 0.5000/10, orders Some((5, 0))
        "]],
    );
}

#[test]
fn n09_a_winner_beside_a_tie_wins_under_the_sum() {
    let sum = |text: &str| {
        let figures = of(text, Conflict::Sum, Unparsed::Drop);
        let agreement = figures.agreement.and_then(|each| each.agreement);
        [short(figures.variants["old"].win_rate), short(agreement)]
    };
    assert_eq!(sum("at ta aa"), ["1.0000/3", "-"]);
    assert_eq!(sum("bt tb bb"), ["0.0000/3", "-"]);
    assert_eq!(sum("ab ba tt"), ["0.5000/3", "-"], "different winners are a tie");
    assert_eq!(sum("ar at? a?"), ["1.0000/1", "0.0000/1"], "a person, nothing, and one that counts");
    assert_eq!(sum("ata abt btb atb"), ["0.6250/4", "0.7500/4"]);
    assert_eq!(short(of("at ta aa", Conflict::Tie, Unparsed::Drop).variants["old"].win_rate), "0.6667/3");
}

#[test]
fn n09_every_count_of_a_variant_follows_the_policy() {
    let counts = |text: &str, conflict| {
        let figures = of(text, conflict, Unparsed::Drop);
        let old = &figures.variants["old"];
        let rates = [old.case_win_rate, old.decisive_win_rate, old.discrete_win_rate].map(short);
        (rates.join(" "), [old.n_wins, old.n_losses, old.n_ties], old.sign_test.is_some())
    };
    let ten = "at ".repeat(10);
    let check = |conflict, rates: &str, ended: [u64; 3]| {
        let tested = ended[0] > 0;
        assert_eq!(counts(ten.trim_end(), conflict), (rates.to_owned(), ended, tested), "{conflict:?}");
    };
    check(Conflict::Sum, "1.0000/10 1.0000/10 1.0000/10", [10, 0, 0]);
    check(Conflict::Pool, "1.0000/10 1.0000/10 1.0000/10", [10, 0, 0]);
    check(Conflict::Tie, "0.5000/10 - 0.5000/10", [0, 0, 10]);
    check(Conflict::Drop, "- - -", [0, 0, 0]);
    let figures = of(ten.trim_end(), Conflict::Pool, Unparsed::Drop);
    assert_eq!(short(figures.variants["old"].win_rate), "0.7500/20", "passes are counted, cases are tested");
    assert_eq!(figures.counts.of(Status::Tie), 10);
    let mixed = counts("at bt ab aa tt", Conflict::Sum);
    assert_eq!(mixed.1, [2, 1, 2]);
}

#[test]
fn n09_calls_without_a_verdict_are_counted_beside_pairs() {
    let counts = of("aa a? ?? r? tb", Conflict::Tie, Unparsed::Drop).counts;
    assert_eq!((counts.of(Status::Unscored), counts.n_unparsed_calls), (3, 4));
}

#[test]
fn escalations_and_silence_stand_apart() {
    check(
        "aa ar b? ?? rr ba",
        &expect![[r"
            status 1+0+1+2+2+0, new wins 0.2500/2 0.0000/1 (p 1.0000), tie 0.0000/4, unstable 0.2500/4, same 0.5000/4, first slot 0.4000/5, longer 0.2000/5, orders Some((0, 1))
        "]],
    );
}

#[test]
fn the_smallest_difference_is_what_the_sample_could_show() {
    // Of 100 decisive cases 61 wins are shown, which a share of 0.645131 reaches with 80 % power.
    let all = vec!["aa"; 60].into_iter().chain(vec!["bb"; 40]).collect::<Vec<_>>().join(" ");
    let old = of(&all, Conflict::Tie, Unparsed::Drop).variants["old"].clone();
    let difference = old.smallest_difference.expect("decisive pairs");
    assert!((difference - 0.145_131).abs() < 1e-6, "{difference}");
    // √(0.24 · 100/99) / √100
    let error = old.standard_error.expect("many cases");
    assert!((error - 0.049_237).abs() < 1e-6, "{error}");
    assert_eq!(of("tt tt", Conflict::Tie, Unparsed::Drop).variants["old"].smallest_difference, None);
}

#[test]
fn pairs_of_one_case_are_one_observation() {
    let spread = pairs(&vec!["aa"; 6].into_iter().chain(vec!["bb"; 4]).collect::<Vec<_>>().join(" "));
    let of = |pairs: &[Pair]| figures(&pairs.iter().collect::<Vec<_>>(), Policies::default(), QUICK);
    let together: Vec<Pair> = spread
        .iter()
        .flat_map(|pair| {
            (0..5).map(move |i| Pair { item: Arc::from(format!("{}-{i}", pair.item)), ..pair.clone() })
        })
        .collect();
    let (few, many) = (of(&spread), of(&together));
    let (few, many) = (&few.variants["old"], &many.variants["old"]);
    let (few_rate, many_rate) = (few.win_rate.expect("a rate"), many.win_rate.expect("a rate"));
    assert_eq!(Estimate { n: 10, ..many_rate }, few_rate, "five times the pairs, the same cases");
    assert_eq!(few.standard_error, many.standard_error);
}

#[test]
fn three_variants_each_have_a_win_rate_over_their_own_pairs() {
    let mut pairs = pairs("aa aa bb");
    pairs[2].variants = [Arc::from("new"), Arc::from("newest")];
    let figures = figures(&pairs.iter().collect::<Vec<_>>(), Policies::default(), QUICK);
    let rates: Vec<String> =
        figures.variants.iter().map(|(name, each)| format!("{name} {}", short(each.win_rate))).collect();
    assert_eq!(rates, ["new 0.0000/3", "newest 1.0000/1", "old 1.0000/2"]);
}

#[test]
fn two_judges_are_compared_on_the_items_both_decided() {
    let judge = |text| pairs(text);
    let all = std::collections::BTreeMap::from([
        (Arc::from("first"), judge("aaa aaa aaa bba ??a")),
        (Arc::from("second"), judge("aaa bba aba bba aaa")),
    ]);
    let tests = comparison(&all, Policies::default(), QUICK).judge_tests;
    let [test] = &tests[..] else { panic!("{tests:?}") };
    let mcnemar = test.test.expect("items that differ");
    assert_eq!((test.n_items, mcnemar.first_only, mcnemar.second_only), (4, 2, 0));
    assert!((mcnemar.exact - 0.5).abs() < 1e-12 && (mcnemar.mid_p - 0.25).abs() < 1e-12);
}

#[test]
fn n08_silence_as_a_tie_reaches_the_slots() {
    let slots = |unparsed| {
        let rates = of("aa bb b? ??", Conflict::Tie, unparsed).rates;
        [rates.first_slot_rate, rates.second_slot_rate, rates.first_slot_lean].map(short)
    };
    assert_eq!(slots(Unparsed::Drop), ["0.5000/4", "0.5000/4", "0.5000/4"]);
    assert_eq!(slots(Unparsed::Tie), ["0.2500/8", "0.3750/8", "0.4000/5"]);
}
