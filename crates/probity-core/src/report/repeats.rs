//! Cases with several replies: how often k of them all pass, and which cases pass only sometimes.
//!
//! Replies to one case are of different variants, so all of this is over the variants of a case. It tells how steady
//! one system is where the variants are its trials.
//!
//! pass^k (Yao and others 2024, τ-bench) is the chance that k replies to a case, drawn from its n without
//! replacement, all pass: C(c, k) ÷ C(n, k) where c of them do, averaged over cases. A blocked reply does not pass;
//! an unscored one is none of the n. Cases with one reply say nothing about this and are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::clusters::case_hash;
use crate::results::{PassHat, Repeats, ResultRow};
use crate::stats::mean;

/// Takes results one at a time. Only replies of a named variant can share their case with another one.
#[derive(Debug, Clone, Default)]
pub(super) struct RepeatTally {
    /// By the hash of the case's name.
    cases: BTreeMap<u64, Trials>,
    flaky: BTreeSet<String>,
}

/// Replies to one case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Trials {
    n: u64,
    n_passed: u64,
}

impl RepeatTally {
    pub(super) fn add(&mut self, row: &ResultRow) {
        if let (Some(_), Some(passes)) = (&row.variant, row.outcome.passes()) {
            self.count(&row.id, passes);
        }
    }

    fn count(&mut self, id: &str, passes: bool) {
        let trials = self.cases.entry(case_hash(id)).or_default();
        trials.n += 1;
        trials.n_passed += u64::from(passes);
        if (1..trials.n).contains(&trials.n_passed) && !self.flaky.contains(id) {
            self.flaky.insert(id.to_owned());
        }
    }

    /// `None` where no case has two replies.
    pub(super) fn repeats(self) -> Option<Repeats> {
        let mut several: BTreeMap<Trials, u64> = BTreeMap::new();
        for trials in self.cases.into_values().filter(|trials| trials.n >= 2) {
            *several.entry(trials).or_default() += 1;
        }
        let (fewest, _) = several.first_key_value()?;
        // The interval of a mean takes the ends of the scale from the values listed, so 0 and 1 are among them.
        let rate = |k: u64| {
            let cases = several.iter().map(|(trials, n_cases)| (trials.pass_hat(k), *n_cases));
            let rate = mean(&cases.chain([(0.0, 0), (1.0, 0)]).collect::<Vec<_>>())?;
            Some(PassHat { k, rate })
        };
        Some(Repeats {
            n_cases: several.values().sum(),
            pass_hat: (1..=fewest.n).filter_map(rate).collect(),
            n_flaky: self.flaky.len(),
            flaky: self.flaky,
        })
    }
}

impl Trials {
    /// The chance that `k` of these replies all pass; `k` is at most `n`.
    fn pass_hat(self, k: u64) -> f64 {
        let left = |i: u64| self.n_passed.saturating_sub(i) as f64 / (self.n - i) as f64;
        (0..k).map(left).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cases: &[(&str, u64, u64)], want: &[f64], flaky: &[&str]) {
        let mut tally = RepeatTally::default();
        for (id, n_passed, n) in cases {
            (0..*n).for_each(|at| tally.count(id, at < *n_passed));
        }
        let repeats = tally.repeats().expect("cases with several replies");
        let values: Vec<f64> = repeats.pass_hat.iter().map(|each| each.rate.value).collect();
        assert_eq!(values.len(), want.len(), "{values:?}");
        assert!(values.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-12), "{values:?}");
        assert!(repeats.pass_hat.iter().all(|each| 0.0 <= each.rate.low && each.rate.high <= 1.0));
        assert_eq!(repeats.flaky.iter().collect::<Vec<_>>(), flaky);
    }

    #[test]
    fn n09_all_of_k_replies_pass() {
        // Of four replies three pass: one of them in 3/4, two in 3·2/(4·3), three in 3·2·1/(4·3·2).
        check(&[("a", 3, 4)], &[0.75, 0.5, 0.25, 0.0], &["a"]);
        check(&[("a", 2, 2), ("b", 0, 2)], &[0.5, 0.5], &[]);
        check(&[("a", 2, 2), ("b", 1, 2)], &[0.75, 0.5], &["b"]);
        // A case with one reply says nothing, and one with two bounds k.
        check(&[("a", 3, 3), ("b", 1, 2), ("c", 1, 1)], &[0.75, 0.5], &["b"]);
        assert_eq!(RepeatTally::default().repeats(), None);
    }
}
