//! Cases with several replies: how often k of them all pass, and which cases pass only sometimes.
//!
//! pass^k (Yao and others 2024, τ-bench) is the chance that k replies to a case, drawn from its n without
//! replacement, all pass: C(c, k) ÷ C(n, k) where c of them do, averaged over cases. A blocked reply does not pass;
//! an unscored one is none of the n. Cases with one reply say nothing about this and are left out.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::row::{Outcome, ReplyResult};
use crate::stats::{Estimate, mean};

/// What several replies to the same case came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeats {
    /// Cases with at least two replies that pass or fail.
    pub n_cases: u64,
    /// pass^1, pass^2 and so on, up to the number of replies that every one of these cases has.
    pub pass_hat: Vec<Estimate>,
    /// Cases of which some replies pass and some do not, in the order of their names.
    pub flaky: Vec<String>,
}

impl Repeats {
    /// The `repeats` object of a summary.
    pub fn to_json(&self) -> Value {
        let pass_hat = self.pass_hat.iter().zip(1..).map(|(rate, k)| {
            let Estimate { value, low, high, n } = rate;
            json!({ "k": k, "value": value, "low": low, "high": high, "n": n })
        });
        json!({
            "cases": self.n_cases,
            "pass_hat_k": pass_hat.collect::<Vec<_>>(),
            "flaky": self.flaky.len(),
            "flaky_cases": self.flaky,
        })
    }
}

/// Takes results one at a time. Only replies of a named variant can share their case with another one.
#[derive(Debug, Clone, Default)]
pub(super) struct RepeatTally {
    cases: BTreeMap<String, Trials>,
}

/// Replies to one case.
#[derive(Debug, Clone, Copy, Default)]
struct Trials {
    n: u64,
    n_passed: u64,
}

impl RepeatTally {
    pub(super) fn add(&mut self, result: &ReplyResult) {
        let is_rated = matches!(result.outcome, Outcome::Pass | Outcome::Fail(_) | Outcome::Blocked);
        if result.variant.is_none() || !is_rated {
            return;
        }
        let trials = match self.cases.get_mut(&result.id) {
            Some(trials) => trials,
            None => self.cases.entry(result.id.clone()).or_default(),
        };
        trials.n += 1;
        trials.n_passed += u64::from(result.outcome == Outcome::Pass);
    }

    /// `None` where no case has two replies.
    pub(super) fn repeats(&self) -> Option<Repeats> {
        let several = || self.cases.iter().filter(|(_, trials)| trials.n >= 2);
        let k_max = several().map(|(_, trials)| trials.n).min()?;
        // The interval of a mean takes the ends of the scale from the values listed, so 0 and 1 are among them.
        let rate = |k: u64| {
            let cases = several().map(|(_, trials)| (trials.pass_hat(k), 1));
            mean(&cases.chain([(0.0, 0), (1.0, 0)]).collect::<Vec<_>>())
        };
        let is_flaky = |trials: &Trials| (1..trials.n).contains(&trials.n_passed);
        Some(Repeats {
            n_cases: several().count() as u64,
            pass_hat: (1..=k_max).filter_map(rate).collect(),
            flaky: several().filter(|(_, trials)| is_flaky(trials)).map(|(id, _)| id.clone()).collect(),
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
        let cases =
            cases.iter().map(|(id, n_passed, n)| ((*id).to_owned(), Trials { n: *n, n_passed: *n_passed }));
        let repeats = RepeatTally { cases: cases.collect() }.repeats().expect("cases with several replies");
        let values: Vec<f64> = repeats.pass_hat.iter().map(|rate| rate.value).collect();
        assert_eq!(values.len(), want.len(), "{values:?}");
        assert!(values.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-12), "{values:?}");
        assert!(repeats.pass_hat.iter().all(|rate| 0.0 <= rate.low && rate.high <= 1.0));
        assert_eq!(repeats.flaky, flaky);
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
