//! The observations of a probe, counted, and what they come to.
//!
//! What always holds: every base is counted once, as answered, unscored, blocked, unchanged or lowest already.

use std::collections::BTreeMap;

use super::expectation::Expectation;
use super::observation::{Effect, Observation};
use super::probing::Tolerance;
use super::record::ProbeOutcome;
use crate::stats::{Beyond, Estimate, NetRate, PairedCounts, mean_within, more_until, net_rate};

/// The most bases that a report asks for.
const NEEDS_MAX: u64 = 10_000;

/// The observations of one probe, counted.
#[derive(Debug, Clone, Default)]
pub struct ProbeTally {
    /// Answered bases by whether the expectation was violated under the change, and without it.
    counts: PairedCounts,
    /// Of those, bases that were also asked about without a change.
    n_noise: u64,
    /// Whether noise counts against the judge instead of excusing it.
    noise_counts: bool,
    shifts: Vec<f64>,
    n_blocked: u64,
    n_unchanged: u64,
    n_lowest: u64,
    causes: BTreeMap<String, u64>,
}

/// What a probe came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeFigures {
    /// Bases with an answer.
    pub n_bases: u64,
    /// Of those, bases that violated the expectation.
    pub n_violations: u64,
    /// Their share; `None` without bases.
    pub rate: Option<f64>,
    /// The share that would have been violations without a change; `None` where that is not asked.
    pub noise: Option<f64>,
    /// The rate beyond the noise, with its bounds.
    pub net: Option<NetRate>,
    /// How far the verdict moved on average, −1 to 1.
    pub shift: Option<Estimate>,
    /// Bases without an answer.
    pub n_unscored: u64,
    /// The causes of those, with their counts.
    pub causes: BTreeMap<String, u64>,
    /// Bases whose changed reply the gate blocks.
    pub n_blocked: u64,
    /// Bases that the change leaves as they are.
    pub n_unchanged: u64,
    /// Bases whose control has the lowest level, so that nothing can fall.
    pub n_lowest: u64,
    /// What that says about the judge.
    pub outcome: ProbeOutcome,
    /// How many more bases would decide at the rates seen, where nothing is decided.
    pub needs: Option<u64>,
}

impl ProbeTally {
    /// No observation yet of a probe with this expectation. A fall that comes without a fault is no sign that the
    /// fault was seen, so under `must_fall` noise counts like a fault that was missed.
    pub fn of(expects: Expectation) -> ProbeTally {
        ProbeTally { noise_counts: expects == Expectation::MustFall, ..ProbeTally::default() }
    }

    /// Counts what one base said.
    pub fn add(&mut self, observation: Observation) {
        match observation {
            Observation::Blocked => self.n_blocked += 1,
            Observation::Unchanged => self.n_unchanged += 1,
            Observation::Lowest => self.n_lowest += 1,
            Observation::Unscored(cause) => *self.causes.entry(cause).or_default() += 1,
            Observation::Answered { effect, noise, shift } => {
                self.n_noise += u64::from(noise.is_some());
                let cell = match (effect, noise) {
                    (Effect::Violation, Some(Effect::Violation)) => &mut self.counts.both,
                    (Effect::Violation, Some(Effect::AsExpected) | None) => &mut self.counts.first_only,
                    (Effect::AsExpected, Some(Effect::Violation)) => &mut self.counts.second_only,
                    (Effect::AsExpected, Some(Effect::AsExpected) | None) => &mut self.counts.neither,
                };
                *cell += 1;
                self.shifts.extend(shift);
            }
        }
    }

    /// What the observations come to, under `tolerance`.
    pub fn figures(&self, tolerance: Tolerance) -> ProbeFigures {
        let figures = self.counted();
        let Some(net) = figures.net else {
            // A fault that the gate blocks in every base never reaches the judge.
            let is_blocked = self.noise_counts && self.n_blocked > 0;
            let never_asked = figures.n_unscored + figures.n_unchanged + figures.n_lowest == 0;
            let outcome =
                if is_blocked && never_asked { ProbeOutcome::NotApplicable } else { figures.outcome };
            return ProbeFigures { outcome, ..figures };
        };
        let more =
            |decides: &dyn Fn(NetRate) -> bool| more_until(self.counts, self.beyond(), NEEDS_MAX, decides);
        let limit = tolerance.share();
        let is_decided = |net: NetRate| net.high <= limit || net.low > limit;
        let (outcome, needs) = match () {
            // Answers that came are no sample of those that did not.
            () if 2 * figures.n_bases < figures.n_bases + figures.n_unscored => {
                (ProbeOutcome::Inconclusive, None)
            }
            () if net.high <= limit => (ProbeOutcome::Pass, None),
            () if net.low > limit => (ProbeOutcome::Fail, None),
            () => (ProbeOutcome::Inconclusive, more(&is_decided)),
        };
        ProbeFigures { outcome, needs, ..figures }
    }

    /// What a person's own probe comes to, which is one observation.
    pub fn figures_of_one(&self) -> ProbeFigures {
        let figures = self.counted();
        let outcome = match (figures.n_bases, figures.n_violations) {
            (0, _) => ProbeOutcome::Inconclusive,
            (_, 0) => ProbeOutcome::Pass,
            _ => ProbeOutcome::Fail,
        };
        ProbeFigures { outcome, net: None, shift: None, ..figures }
    }

    fn beyond(&self) -> Beyond {
        match (self.n_noise, self.noise_counts) {
            (0, _) => Beyond::Nothing,
            (_, true) => Beyond::Either,
            (_, false) => Beyond::Second,
        }
    }

    fn counted(&self) -> ProbeFigures {
        let n = self.counts.n();
        let share = |part: u64| (n > 0).then(|| part as f64 / n as f64);
        ProbeFigures {
            n_bases: n,
            n_violations: self.counts.n_first(),
            rate: share(self.counts.n_first()),
            noise: share(self.counts.n_second()).filter(|_| self.beyond() != Beyond::Nothing),
            net: net_rate(self.counts, self.beyond()),
            shift: mean_within(&self.shifts),
            n_unscored: self.causes.values().sum(),
            causes: self.causes.clone(),
            n_blocked: self.n_blocked,
            n_unchanged: self.n_unchanged,
            n_lowest: self.n_lowest,
            outcome: ProbeOutcome::Inconclusive,
            needs: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answered(effect: Effect, noise: Option<Effect>) -> Observation {
        Observation::Answered { effect, noise, shift: None }
    }

    fn tally(observations: impl IntoIterator<Item = Observation>) -> ProbeFigures {
        let mut tally = ProbeTally::default();
        observations.into_iter().for_each(|observation| tally.add(observation));
        tally.figures(Tolerance::default())
    }

    /// Checks what so many violations among so many bases come to, without noise.
    #[track_caller]
    fn check(n_violations: usize, n: usize, outcome: ProbeOutcome, needs: Option<u64>) {
        let effect = |at| if at < n_violations { Effect::Violation } else { Effect::AsExpected };
        let figures = tally((0..n).map(|at| answered(effect(at), None)));
        assert_eq!((figures.outcome, figures.needs), (outcome, needs), "{figures:?}");
    }

    #[test]
    fn the_interval_decides() {
        check(0, 30, ProbeOutcome::Pass, None);
        check(0, 25, ProbeOutcome::Pass, None);
        check(0, 20, ProbeOutcome::Inconclusive, Some(5));
        check(30, 30, ProbeOutcome::Fail, None);
        check(6, 30, ProbeOutcome::Fail, None);
        check(3, 30, ProbeOutcome::Inconclusive, None);
        check(0, 0, ProbeOutcome::Inconclusive, None);
    }

    #[test]
    fn what_noise_explains_is_no_failure() {
        let noisy = (0..30).map(|at| {
            let effect = if at % 3 == 0 { Effect::Violation } else { Effect::AsExpected };
            answered(effect, Some(if at % 3 == 1 { Effect::Violation } else { Effect::AsExpected }))
        });
        let figures = tally(noisy);
        assert_eq!((figures.rate, figures.noise), (Some(1.0 / 3.0), Some(1.0 / 3.0)));
        assert_eq!(figures.outcome, ProbeOutcome::Inconclusive);
    }

    #[test]
    fn half_of_the_answers_are_not_enough_to_pass() {
        let lost = |n| (0..n).map(|_| Observation::Unscored("timeout".to_owned()));
        let kept = || (0..30).map(|_| answered(Effect::AsExpected, None));
        assert_eq!(tally(kept().chain(lost(30))).outcome, ProbeOutcome::Pass);
        assert_eq!(tally(kept().chain(lost(31))).outcome, ProbeOutcome::Inconclusive);
    }

    #[test]
    fn n25_a_fault_that_the_gate_blocks_says_nothing_about_a_judge() {
        let outcome = |last: Observation| {
            let mut tally = ProbeTally::of(Expectation::MustFall);
            (0..29).for_each(|_| tally.add(Observation::Blocked));
            tally.add(last);
            tally.figures(Tolerance::default()).outcome
        };
        assert_eq!(outcome(Observation::Blocked), ProbeOutcome::NotApplicable);
        assert_eq!(outcome(Observation::Lowest), ProbeOutcome::Inconclusive);
        assert_eq!(outcome(Observation::Unscored("timeout".to_owned())), ProbeOutcome::Inconclusive);
    }

    #[test]
    fn n25_a_fall_that_comes_without_a_fault_is_none() {
        let mut tally = ProbeTally::of(Expectation::MustFall);
        for at in 0..30 {
            tally.add(answered(
                Effect::AsExpected,
                Some(if at < 12 { Effect::Violation } else { Effect::AsExpected }),
            ));
        }
        let figures = tally.figures(Tolerance::default());
        assert_eq!((figures.rate, figures.noise), (Some(0.0), Some(0.4)));
        assert_eq!(figures.net.map(|net| net.value), Some(0.4));
        assert_eq!(figures.outcome, ProbeOutcome::Fail, "a judge that answers by chance sees no fault");
    }

    fn observation() -> impl Strategy<Value = Observation> {
        let effect = prop_oneof![Just(Effect::AsExpected), Just(Effect::Violation)];
        prop_oneof![
            Just(Observation::Blocked),
            Just(Observation::Unchanged),
            Just(Observation::Lowest),
            Just(Observation::Unscored("timeout".to_owned())),
            (effect.clone(), effect).prop_map(|(effect, noise)| answered(effect, Some(noise))),
        ]
    }

    proptest! {
        /// Every base is counted once, and no probe passes on nothing.
        #[test]
        fn nothing_is_lost(observations in prop::collection::vec(observation(), 0..80)) {
            let n = observations.len() as u64;
            let figures = tally(observations);
            prop_assert_eq!(n, figures.n_bases + figures.n_unscored + figures.n_blocked + figures.n_unchanged + figures.n_lowest);
            prop_assert!(figures.n_bases > 0 || figures.outcome == ProbeOutcome::Inconclusive);
        }

        /// A violation in place of a kept expectation never turns a judge's failure into a pass.
        #[test]
        fn more_violations_are_never_better(n_violations in 0_usize..60, n in 1_usize..60) {
            let n_violations = n_violations.min(n);
            let of = |n_violations: usize| tally((0..n).map(|at| answered(if at < n_violations { Effect::Violation } else { Effect::AsExpected }, None))).outcome;
            if n_violations < n && of(n_violations) == ProbeOutcome::Fail {
                prop_assert_eq!(of(n_violations + 1), ProbeOutcome::Fail);
            }
            if n_violations > 0 && of(n_violations) == ProbeOutcome::Pass {
                prop_assert_eq!(of(n_violations - 1), ProbeOutcome::Pass);
            }
        }
    }
}
