//! The mean of the bots' own confidence.
//!
//! Floats add up to something else in another order, and a run's figures must not depend on it. So shares are
//! added as whole 2⁻⁶⁴ths, which keeps every digit that a confidence is written with.

use crate::case::Confidence;
use crate::exact::Exact;
use crate::stats::{ClusterSums, Estimate};

/// How many parts a confidence of 1 has.
const PARTS: f64 = 18_446_744_073_709_551_616.0;

/// Decimals of the mean, as a power of ten.
const MILLIONTHS: u128 = 1_000_000;

/// Confidences added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ConfidenceSum {
    parts: u128,
    /// Of shares in whole 2⁻³²ths, which is fine enough for an interval.
    squares: u128,
    n: u64,
}

impl ConfidenceSum {
    /// Adds one.
    pub(super) fn add(&mut self, confidence: Confidence) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a confidence is 0 to 1, so its parts are 0 to 2⁶⁴"
        )]
        let parts = (confidence.value() * PARTS) as u128;
        self.parts += parts;
        self.squares += (parts >> 32).pow(2);
        self.n += 1;
    }

    /// The mean in whole millionths, half rounded up. `None` when there was no confidence.
    pub(super) fn mean(self) -> Option<Exact> {
        let whole = u128::from(self.n) << 64;
        let rounded = (2 * MILLIONTHS * self.parts + whole).checked_div(2 * whole)?;
        Exact::ratio(i128::try_from(rounded).ok()?, MILLIONTHS.cast_signed())
    }

    /// The mean with its interval. `None` when there was no confidence.
    pub(super) fn estimate(self) -> Option<Estimate> {
        let (sum, squares) = (self.parts as f64 / PARTS, self.squares as f64 / PARTS);
        ClusterSums::of_single_values(self.n, sum, squares).mean(&(0.0..=1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shares: &[f64], want: &str) {
        let mut sum = ConfidenceSum::default();
        for share in shares {
            sum.add(Confidence::new(*share).expect("a share"));
        }
        let got = sum.mean().map_or_else(|| "none".to_owned(), |mean| mean.to_string());
        assert_eq!(got, want, "{shares:?}");
    }

    #[test]
    fn the_mean_is_of_what_was_given() {
        check(&[], "none");
        check(&[0.0, 1.0], "0.5");
        check(&[0.7; 1000], "0.7");
        check(&[1.0; 3], "1");
        check(&[0.0; 3], "0");
        check(&[1e-300, 0.000_001_5], "0.000001");
        check(&[0.0, 0.0, 1.0], "0.333333");
        check(&[0.0, 1.0, 1.0], "0.666667");
    }

    #[test]
    fn g07_the_mean_is_the_same_in_any_order() {
        // Added as floats, these come to 0.200000 or 0.200001.
        for shares in [[0.1, 0.2, 0.300_001_5], [0.2, 0.300_001_5, 0.1], [0.300_001_5, 0.1, 0.2]] {
            check(&shares, "0.2");
        }
    }
}
