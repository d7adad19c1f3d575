//! Stopping as soon as it is decided is wrong no more often than it says: simulations over seeded orders.
//!
//! Each scenario is a fixed set of pairs whose mean is known; chance is in the order of drawing alone, as in
//! use. A run draws until something is claimed. `PROBITY_LONG_TESTS=1` adds sets of thousands of pairs,
//! which take minutes in a debug build; `--nocapture` shows the tables.

#[path = "../../probity-engine/tests/support/skipped.rs"]
mod skipped;

use probity_core::compare::sequence::{Bounds, Sequence, SequenceDecision, order};
use proptest::prelude::*;

const REPETITIONS: u64 = 2000;

fn is_long() -> bool {
    std::env::var_os("PROBITY_LONG_TESTS").is_some()
}

/// A set of pairs with a known mean, and what is asked of it.
#[derive(Debug, Clone, Copy)]
struct Scenario {
    wins: usize,
    ties: usize,
    losses: usize,
    margin: f64,
    alpha: f64,
}

const fn of(wins: usize, ties: usize, losses: usize, margin: f64) -> Scenario {
    Scenario { wins, ties, losses, margin, alpha: 0.05 }
}

/// What became of many runs.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    n: u64,
    n_wrong: u64,
    n_undecided: u64,
    n_drawn: u64,
}

impl Scenario {
    fn outcomes(&self) -> Vec<f64> {
        let counts = [(1.0, self.wins), (0.5, self.ties), (0.0, self.losses)];
        counts.iter().flat_map(|&(outcome, n)| std::iter::repeat_n(outcome, n)).collect()
    }

    fn n_pairs(&self) -> usize {
        self.wins + self.ties + self.losses
    }

    /// Wins less losses, a whole number: twice the number of pairs times what the mean has over one half.
    fn lead(&self) -> f64 {
        self.wins as f64 - self.losses as f64
    }

    fn mean(&self) -> f64 {
        0.5 + self.lead() / 2.0 / self.n_pairs() as f64
    }

    /// What is true.
    fn truth(&self) -> SequenceDecision {
        let edge = 2.0 * self.margin * self.n_pairs() as f64;
        if self.lead() > edge + 1e-6 {
            SequenceDecision::BetterA
        } else if self.lead() < -edge - 1e-6 {
            SequenceDecision::BetterB
        } else {
            SequenceDecision::WithinMargin
        }
    }

    /// Draws in the order of `seed` until something is claimed: the claim, and after how many draws.
    fn run(&self, outcomes: &[f64], seed: u64) -> (SequenceDecision, usize) {
        let mut sequence =
            Sequence::new(self.alpha, self.margin, outcomes.len()).expect("the settings are right");
        for at in order(outcomes.len(), seed) {
            sequence.push(outcomes[at]);
            if sequence.decision() != SequenceDecision::Undecided {
                break;
            }
        }
        (sequence.decision(), sequence.n_drawn())
    }

    fn tally(&self, repetitions: u64) -> Tally {
        let outcomes = self.outcomes();
        let mut tally = Tally::default();
        for seed in 0..repetitions {
            let (decision, n_drawn) = self.run(&outcomes, seed);
            tally.n += 1;
            tally.n_drawn += n_drawn as u64;
            tally.n_undecided += u64::from(decision == SequenceDecision::Undecided);
            tally.n_wrong += u64::from(decision != SequenceDecision::Undecided && decision != self.truth());
        }
        tally
    }
}

/// The most of `n` runs that may be wrong if each is with chance `rate`: the expectation and three standard
/// deviations, which chance alone exceeds about once in a thousand times.
fn allowed(n: u64, rate: f64) -> f64 {
    let n = n as f64;
    n * rate + 3.0 * (n * rate * (1.0 - rate)).sqrt()
}

/// Runs stay within the error rate, and each ends with a claim, because a set drawn to the end is known.
#[track_caller]
#[expect(
    clippy::print_stdout,
    reason = "the table of error rates is what a reader of the simulation wants to see"
)]
fn check(scenario: Scenario) {
    let tally = scenario.tally(REPETITIONS);
    println!(
        "n {:5}  mean {:.4}  margin {:.3}  alpha {:.2}  wrong {:.4}  mean draws {:6.1}  truth {:?}",
        scenario.n_pairs(),
        scenario.mean(),
        scenario.margin,
        scenario.alpha,
        tally.n_wrong as f64 / tally.n as f64,
        tally.n_drawn as f64 / tally.n as f64,
        scenario.truth(),
    );
    assert_eq!(tally.n_undecided, 0, "{tally:?}");
    // A mean on the edge or outside can be misjudged by one gambler only, who has half of the error rate.
    // Inside, both can.
    let rate = if scenario.lead().abs() + 1e-6 < 2.0 * scenario.margin * scenario.n_pairs() as f64
        || scenario.margin == 0.0
    {
        scenario.alpha
    } else {
        scenario.alpha / 2.0
    };
    assert!(tally.n_wrong as f64 <= allowed(tally.n, rate), "{tally:?}");
}

#[test]
fn equal_variants() {
    check(of(50, 0, 50, 0.05));
}

#[test]
fn equal_variants_and_no_margin() {
    check(of(50, 0, 50, 0.0));
}

#[test]
fn equal_variants_with_many_ties() {
    check(of(20, 60, 20, 0.05));
}

#[test]
fn upper_edge_of_the_margin() {
    check(of(66, 0, 54, 0.05));
}

#[test]
fn lower_edge_of_the_margin() {
    check(of(54, 0, 66, 0.05));
}

#[test]
fn edge_of_the_margin_with_ties() {
    check(of(36, 60, 24, 0.05));
}

#[test]
fn edge_of_a_wide_margin() {
    check(of(84, 0, 36, 0.2));
}

#[test]
fn just_outside_a_wide_margin() {
    check(of(85, 0, 35, 0.2));
}

#[test]
fn just_outside_the_margin_with_ties() {
    check(of(20, 82, 18, 0.005));
}

#[test]
fn edge_with_a_loose_error_rate() {
    check(Scenario { alpha: 0.4, ..of(66, 0, 54, 0.05) });
}

#[test]
fn slightly_better() {
    check(of(60, 0, 40, 0.05));
}

#[test]
fn much_better() {
    check(of(80, 0, 20, 0.05));
}

#[test]
fn much_worse_with_ties() {
    check(of(10, 20, 70, 0.05));
}

#[test]
fn small_sets() {
    check(of(1, 0, 0, 0.05));
    check(of(5, 0, 5, 0.0));
    check(of(6, 0, 4, 0.1));
    check(of(7, 0, 3, 0.1));
    check(of(11, 0, 9, 0.05));
    check(of(10, 10, 5, 0.1));
    check(of(24, 0, 16, 0.1));
}

#[test]
fn large_sets() {
    if !is_long() {
        return skipped::skipped("large sets", "PROBITY_LONG_TESTS is not set");
    }
    check(of(1100, 0, 900, 0.05));
    check(of(500, 1000, 500, 0.0));
    check(of(2750, 0, 2250, 0.05));
}

/// The usual interval, looked at after every draw, is wrong far more often: the simulation would see it.
#[test]
fn an_ordinary_interval_would_be_caught() {
    let scenario = of(75, 0, 75, 0.0);
    let outcomes = scenario.outcomes();
    let n_wrong = (0..REPETITIONS).filter(|seed| {
        let mut sum = 0.0;
        let drawn = order(outcomes.len(), *seed);
        drawn.iter().enumerate().any(|(before, at)| {
            sum += outcomes[*at];
            let (n, all) = (before as f64 + 1.0, outcomes.len() as f64);
            let half = 1.96 * (0.25 / n * (all - n) / (all - 1.0)).sqrt();
            n >= 10.0 && n < all && (sum / n - 0.5).abs() > half
        })
    });
    let n_wrong = n_wrong.count();
    println!("ordinary interval: wrong in {n_wrong} of {REPETITIONS}");
    assert!(n_wrong as f64 > 3.0 * allowed(REPETITIONS, 0.05), "{n_wrong}");
}

/// At a true rate of 0.7, most pairs of a set of some size need not be judged.
#[test]
fn most_calls_are_saved_where_the_answer_is_clear() {
    let repetitions = if is_long() { REPETITIONS } else { 60 };
    for (n_pairs, saved_min) in [(100, 0.2), (200, 0.4), (500, 0.7), (1000, 0.8), (2000, 0.9)] {
        let wins = n_pairs * 7 / 10;
        let scenario = of(wins, 0, n_pairs - wins, 0.05);
        let tally = scenario.tally(repetitions);
        let drawn = tally.n_drawn as f64 / tally.n as f64;
        let saved = 1.0 - drawn / n_pairs as f64;
        println!(
            "rate 0.7, margin 0.05, {n_pairs:5} pairs: {drawn:6.1} drawn on average, {:.1} % saved",
            100.0 * saved
        );
        assert!(saved >= saved_min && tally.n_wrong as f64 <= allowed(tally.n, 0.025), "{saved} {tally:?}");
    }
}

/// A judge that fails on some pairs delays decisions; it makes none, and no wrong ones.
#[test]
fn pairs_without_verdict_count_against_either_claim() {
    let scenario = of(66, 0, 54, 0.05);
    let outcomes = scenario.outcomes();
    let mut n_wrong = 0;
    for seed in 0..REPETITIONS {
        let mut sequence = Sequence::new(0.05, 0.05, outcomes.len()).expect("the settings are right");
        for at in order(outcomes.len(), seed) {
            // Only losses get lost: the worst that can happen to a claim that A is better.
            let lost = outcomes[at] == 0.0 && at % 3 == 0;
            if lost { sequence.push_unscored() } else { sequence.push(outcomes[at]) }
        }
        n_wrong += u64::from(!matches!(
            sequence.decision(),
            SequenceDecision::Undecided | SequenceDecision::WithinMargin
        ));
    }
    assert!(n_wrong as f64 <= allowed(REPETITIONS, 0.05), "{n_wrong}");

    let mut none = Sequence::new(0.05, 0.05, 50).expect("the settings are right");
    while none.n_left() > 0 {
        none.push_unscored();
    }
    assert_eq!(
        (none.decision(), none.interval()),
        (SequenceDecision::Undecided, Bounds { low: 0.0, high: 1.0 })
    );
}

/// An order that no shuffle gives: after forty wins A is better, and every loss that follows speaks against
/// it.
#[test]
fn bets_that_contradict_each_other_decide_nothing() {
    let mut sequence = Sequence::new(0.1, 0.05, 200).expect("the settings are right");
    let mut decisions = vec![sequence.decision()];
    let mut contradicted = 0;
    for at in 0..200 {
        sequence.push(f64::from(u8::from(at < 40)));
        decisions.push(sequence.decision());
        contradicted += u32::from(at > 40 && sequence.decision() == SequenceDecision::Undecided);
    }
    decisions.dedup();
    assert_eq!(
        decisions,
        [
            SequenceDecision::Undecided,
            SequenceDecision::BetterA,
            SequenceDecision::Undecided,
            SequenceDecision::BetterB
        ]
    );
    assert!(contradicted > 5, "{contradicted}");
    assert_eq!(sequence.interval(), Bounds { low: 0.2, high: 0.2 });
}

#[test]
fn settings_are_checked() {
    let refused = |alpha, margin, n| Sequence::new(alpha, margin, n).expect_err("it is refused").to_string();
    assert_eq!(refused(0.0, 0.1, 5), "the error rate is 0, expected a number above 0 and below 1");
    assert_eq!(refused(f64::NAN, 0.1, 5), "the error rate is NaN, expected a number above 0 and below 1");
    assert_eq!(refused(0.1, 0.5, 5), "the margin is 0.5, expected a number from 0 to below 0.5");
    assert_eq!(refused(0.1, -0.1, 5), "the margin is -0.1, expected a number from 0 to below 0.5");
    assert_eq!(refused(0.1, 0.1, 0), "there are no pairs to draw from, expected at least 1");
}

#[test]
#[should_panic(expected = "the outcome is 1.5, expected a number from 0 to 1")]
fn an_outcome_is_a_share() {
    Sequence::new(0.1, 0.1, 1).expect("the settings are right").push(1.5);
}

#[test]
#[should_panic(expected = "all 1 pairs were drawn already")]
fn a_pair_is_drawn_once() {
    let mut sequence = Sequence::new(0.1, 0.1, 1).expect("the settings are right");
    sequence.push(1.0);
    assert_eq!((sequence.n_drawn(), sequence.decision()), (1, SequenceDecision::BetterA));
    sequence.push(1.0);
}

/// Outcomes in the order they are drawn, some without verdict, and how many pairs there are in all.
fn draws() -> impl Strategy<Value = (Vec<Option<f64>>, usize)> {
    let outcome = prop_oneof![
        6 => Just(Some(1.0)), 3 => Just(Some(0.0)), 2 => Just(Some(0.5)), 1 => (0.0..=1.0).prop_map(Some), 1 => Just(None)
    ];
    (prop::collection::vec(outcome, 1..80), 0_usize..60).prop_map(|(draws, left)| {
        let n_pairs = draws.len() + left;
        (draws, n_pairs)
    })
}

fn pushed(draws: &[Option<f64>], n_pairs: usize, margin: f64) -> Sequence {
    let mut sequence = Sequence::new(0.1, margin, n_pairs).expect("the settings are right");
    for outcome in draws {
        match outcome {
            Some(outcome) => sequence.push(*outcome),
            None => sequence.push_unscored(),
        }
    }
    sequence
}

proptest! {
    // There is no file to keep failures in beside an integration test; the seed is printed.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The interval says what the decision says, and never lets go of what it excluded.
    #[test]
    fn interval_and_decision_agree((draws, n_pairs) in draws(), margin in 0.0..0.3) {
        let sequence = pushed(&draws, n_pairs, margin);
        let Bounds { low, high } = sequence.interval();
        prop_assert!(0.0 <= low && low <= high && high <= 1.0, "{low} {high}");
        let sum = |of: &dyn Fn(f64) -> f64| draws.iter().flatten().copied().map(of).sum::<f64>() / n_pairs as f64;
        let is_certain = low <= sum(&|outcome| outcome) + 1e-9 && high >= 1.0 - sum(&|outcome| 1.0 - outcome) - 1e-9;
        // Bets that contradict each other leave only what is certain, and that may be wider than before.
        prop_assume!(!is_certain);
        let near = 3e-6;
        match sequence.decision() {
            SequenceDecision::BetterA => prop_assert!(low > 0.5 + margin - near, "{low}"),
            SequenceDecision::BetterB => prop_assert!(high < 0.5 - margin + near, "{high}"),
            SequenceDecision::WithinMargin => {
                prop_assert!(low > 0.5 - margin - near && high < 0.5 + margin + near, "{low} {high}");
            }
            SequenceDecision::Undecided => {
                prop_assert!(low < 0.5 + margin + near && high > 0.5 - margin - near, "{low} {high}");
                prop_assert!(low < 0.5 - margin + near || high > 0.5 + margin - near, "{low} {high}");
            }
        }
        let before = pushed(&draws[..draws.len() - 1], n_pairs, margin).interval();
        prop_assert!(before.low <= low + 1e-12 && high <= before.high + 1e-12, "{before:?} {low} {high}");
    }

    /// Exchanging the variants exchanges the answer.
    #[test]
    fn exchanging_the_variants_mirrors_the_interval((draws, n_pairs) in draws()) {
        let exchanged: Vec<Option<f64>> = draws.iter().map(|draw| draw.map(|outcome| 1.0 - outcome)).collect();
        let (one, other) = (pushed(&draws, n_pairs, 0.1), pushed(&exchanged, n_pairs, 0.1));
        prop_assert!((one.interval().low + other.interval().high - 1.0).abs() < 1e-9);
        let mirrored = match other.decision() {
            SequenceDecision::BetterA => SequenceDecision::BetterB,
            SequenceDecision::BetterB => SequenceDecision::BetterA,
            same => same,
        };
        prop_assert_eq!(one.decision(), mirrored);
    }

    /// When every pair has an outcome, the mean is known, and the decision is about the mean itself.
    #[test]
    fn a_set_drawn_to_the_end_is_known(wins in 0_usize..40, ties in 0_usize..40, losses in 1_usize..40, seed in any::<u64>()) {
        let scenario = of(wins, ties, losses, 0.1);
        let outcomes = scenario.outcomes();
        let drawn: Vec<Option<f64>> = order(outcomes.len(), seed).iter().map(|at| Some(outcomes[*at])).collect();
        let sequence = pushed(&drawn, drawn.len(), 0.1);
        let Bounds { low, high } = sequence.interval();
        prop_assert!((low - scenario.mean()).abs() < 1e-9 && (high - scenario.mean()).abs() < 1e-9, "{low} {high}");
        prop_assert_eq!(sequence.decision(), scenario.truth());
    }
}
