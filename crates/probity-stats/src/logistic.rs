//! Logistic regression with soft targets and a ridge.
//!
//! The log-likelihood of targets y between 0 and 1 at log-odds η is Σ y·η − ln(1 + e^η); each term has a ridge of
//! its own, ½·ρ·β². With a positive ridge on every term the fit exists and is the only one, also where a term
//! separates the outcomes completely.
//!
//! This module knows no interval: what counts as one observation is known to the caller.

use super::newton::{self, Local, NoPeak, Peak, Symmetric};
use super::{Estimate, Z_95};

/// Rows, targets and ridges of one fit.
///
/// Rows are sparse. Terms that most rows lack (one per group) are best numbered before those all rows have.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    ridges: Vec<f64>,
    /// Which terms a row has, with what features, and its target.
    rows: Vec<(Vec<(usize, f64)>, f64)>,
}

impl Design {
    /// No rows yet; as many terms as `ridges`, each held to zero with that precision.
    pub fn new(ridges: Vec<f64>) -> Self {
        Design { ridges, rows: Vec::new() }
    }

    /// Adds a row with these features by term, observed as `target` (0 to 1).
    pub fn push(&mut self, features: Vec<(usize, f64)>, target: f64) {
        assert!(features.iter().all(|(term, _)| *term < self.ridges.len()), "a feature without a term");
        self.rows.push((features, target));
    }

    /// The terms that fit best.
    pub fn fit(&self) -> Result<Peak, NoPeak> {
        newton::peak(self.ridges.len(), |at| self.local(at))
    }

    /// The penalised log-likelihood around `at`.
    fn local(&self, at: &[f64]) -> Local {
        let (mut value, mut gradient) = (0.0, vec![0.0; at.len()]);
        let mut curvature = Symmetric::zeros(at.len());
        for (features, target) in &self.rows {
            let odds = log_odds(features, at);
            // A row predicted almost with certainty keeps its digits: 1 − p is computed, not subtracted.
            value -= target * softplus(-odds) + (1.0 - target) * softplus(odds);
            let residual = target * logistic(-odds) - (1.0 - target) * logistic(odds);
            let bend = logistic(odds) * logistic(-odds);
            for &(term, feature) in features {
                gradient[term] += residual * feature;
                for &(other, by) in features {
                    curvature.add(term, other, bend * feature * by);
                }
            }
        }
        for (term, ridge) in self.ridges.iter().enumerate() {
            value -= ridge * at[term] * at[term] / 2.0;
            gradient[term] -= ridge * at[term];
            curvature.add(term, term, *ridge);
        }
        Local { value, gradient, curvature }
    }
}

/// The log-odds of a row under the terms `at`.
pub fn log_odds(features: &[(usize, f64)], at: &[f64]) -> f64 {
    features.iter().map(|&(term, feature)| at[term] * feature).sum()
}

/// The chance that has these log-odds.
pub fn logistic(log_odds: f64) -> f64 {
    if log_odds >= 0.0 {
        1.0 / (1.0 + (-log_odds).exp())
    } else {
        let odds = log_odds.exp();
        odds / (1.0 + odds)
    }
}

/// ln(1 + e^x) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// A rate strictly between 0 and 1 with its 95 % interval, taken on the log-odds so that it stays between 0
/// and 1.
///
/// `standard_error` is the rate's own; on the log-odds it is that divided by rate · (1 − rate).
pub fn rate_estimate(rate: f64, standard_error: f64, n: u64) -> Estimate {
    assert!(0.0 < rate && rate < 1.0, "a rate of {rate} has no log-odds");
    let centre = (rate / (1.0 - rate)).ln();
    let half = Z_95 * standard_error / (rate * (1.0 - rate));
    Estimate { value: rate, low: logistic(centre - half), high: logistic(centre + half), n }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fits an intercept and one feature to `rows` of (feature, target).
    fn fit(ridge: f64, rows: &[(f64, f64)]) -> Result<Vec<f64>, NoPeak> {
        let mut design = Design::new(vec![ridge, ridge]);
        for &(feature, target) in rows {
            design.push(vec![(0, feature), (1, 1.0)], target);
        }
        design.fit().map(|peak| peak.at)
    }

    #[track_caller]
    fn check(got: &[f64], want: &[f64]) {
        let near = got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-7);
        assert!(near && got.len() == want.len(), "{got:?} is not {want:?}");
    }

    /// Two groups: the intercept is the log-odds of one and the slope is the log odds ratio.
    #[test]
    fn two_groups_have_a_closed_form() {
        let rows = [(0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 0.0)];
        check(&fit(0.0, &rows).expect("it has a peak"), &[6_f64.ln(), -(3_f64.ln())]);
    }

    #[test]
    fn a_soft_target_is_a_share_of_rows() {
        let soft = fit(0.0, &[(0.0, 0.25), (1.0, 2.0 / 3.0)]).expect("it has a peak");
        check(&soft, &[6_f64.ln(), -(3_f64.ln())]);
    }

    #[test]
    fn separated_outcomes_need_a_ridge() {
        let rows = [(-2.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (2.0, 1.0)];
        assert!(fit(0.0, &rows).is_err());
        for ridge in [1e-9, 1e-3, 1.0] {
            let at = fit(ridge, &rows).expect("a ridge gives a peak");
            assert!(at[0] > 0.0 && at[1].abs() < 1e-6, "{at:?}");
        }
    }

    #[test]
    fn a_constant_feature_has_no_single_answer() {
        assert_eq!(fit(0.0, &[(1.0, 0.0), (1.0, 1.0)]), Err(NoPeak::Flat));
    }

    #[test]
    fn an_interval_stays_between_zero_and_one() {
        let got = rate_estimate(0.98, 0.05, 20);
        assert!(0.0 < got.low && got.low < 0.98 && 0.98 < got.high && got.high < 1.0, "{got:?}");
    }
}
