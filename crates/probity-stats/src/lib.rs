//! Figures with what they are worth: a number never travels without its denominator.
//!
#![doc = include_str!("../README.md")]

mod alpha;
mod bootstrap;
mod bounded_mean;
mod chance;
mod change;
pub mod corrected;
mod cross_table;
mod exact_test;
mod latest;
pub mod logistic;
mod many_raters;
mod multinomial;
mod net_rate;
pub mod newton;
mod one_sided;
mod paired;
mod random;
mod threshold;
mod two_raters;

pub use alpha::{Metric, alpha, coincidences, fleiss};
pub use bootstrap::{RatioPart, Resampling, ratio, ratios};
pub use bounded_mean::{ClusterSums, mean};
pub use chance::Undefined;
pub use change::{Moved, mean_change, share_change};
pub use cross_table::{CrossFigure, CrossTable};
pub use exact_test::{McNemar, fewer_wins_p_value, mcnemar, sign_test_detects, sign_test_p_value};
pub use latest::{Repeated, Sample, fisher_p_value, latest_differs, welch_p_value};
pub use many_raters::{Crossed, Measure, MeasureKind, Rated, Sampling, crossed, rated};
pub use net_rate::{Beyond, NetRate, more_until, net_rate};
pub use one_sided::{adjusted, falsely_rejected_at_most, mean_within, t_test_p_value};
pub use paired::PairedCounts;
pub use random::Random;
pub use threshold::{Above, Graded, TestedThreshold, above, fewest_to_show, lowest_threshold};
pub use two_raters::{Crossing, Kappas, N_CATEGORIES, kappas};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The 97.5 % point of the normal distribution, for 95 % intervals.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// A number with its interval, of 95 % where nothing else is said, and the number of observations behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Observations.
    pub n: u64,
}

/// A proportion with Wilson's score interval (Wilson 1927, without continuity correction).
/// A rate of nothing is `None`.
pub fn proportion(successes: u64, n: u64) -> Option<Estimate> {
    assert!(successes <= n, "more successes ({successes}) than trials ({n})");
    if n == 0 {
        return None;
    }
    let share = successes as f64 / n as f64;
    let (low, high) = wilson(share, n as f64);
    Some(Estimate { value: share, low, high, n })
}

/// The whole number below `number`, which is not negative and far below 2⁵³.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the caller knows the range")]
fn whole(number: f64) -> u64 {
    number as u64
}

/// Wilson's score interval of a share that was seen in `trials` trials, of which there is at least one.
fn wilson(share: f64, trials: f64) -> (f64, f64) {
    wilson_at(share, trials, Z_95)
}

/// The same for bounds at the point `z` of the normal distribution.
fn wilson_at(share: f64, trials: f64, z: f64) -> (f64, f64) {
    let z2 = z * z;
    let centre = (share + z2 / (2.0 * trials)) / (1.0 + z2 / trials);
    let half =
        z / (1.0 + z2 / trials) * (share * (1.0 - share) / trials + z2 / (4.0 * trials * trials)).sqrt();
    // At the ends the interval touches the bound exactly; the float arithmetic may miss it by a hair.
    let low = if share <= 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { (centre + half).min(1.0) };
    (low, high)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(successes: u64, n: u64, low: f64, high: f64) {
        let got = proportion(successes, n).expect("n is not zero");
        assert!((got.low - low).abs() < 5e-5 && (got.high - high).abs() < 5e-5, "{got:?}");
    }

    #[test]
    fn wilson_matches_published_values() {
        // Newcombe 1998, table I: method 3 for 81/263, 15/148, 0/20 and 1/29.
        check(81, 263, 0.2553, 0.3662);
        check(15, 148, 0.0624, 0.1605);
        check(0, 20, 0.0, 0.1611);
        check(1, 29, 0.0061, 0.1718);
    }

    #[test]
    fn a_rate_of_nothing_is_none() {
        assert_eq!(proportion(0, 0), None);
    }

    /// Successes among trials.
    fn counts() -> impl Strategy<Value = (u64, u64)> {
        prop_oneof![1_u64..50, 1_u64..10_000, 1_u64..1 << 50].prop_flat_map(|n| (0..=n, Just(n)))
    }

    proptest! {
        /// The interval holds the value, and both lie between 0 and 1.
        #[test]
        fn the_interval_holds_the_value((successes, n) in counts()) {
            let got = proportion(successes, n).expect("n is not zero");
            prop_assert!(0.0 <= got.low && got.low <= got.value && got.value <= got.high && got.high <= 1.0, "{:?}", got);
            prop_assert!(got.low < got.high || n > 1 << 40, "{:?}", got);
            prop_assert_eq!(got.n, n);
        }

        /// One more success moves value and interval up, and never down.
        #[test]
        fn more_successes_are_never_worse((successes, n) in counts()) {
            let got = proportion(successes, n).expect("n is not zero");
            if successes < n {
                let more = proportion(successes + 1, n).expect("n is not zero");
                prop_assert!(got.value < more.value && got.low <= more.low && got.high <= more.high, "{:?} {:?}", got, more);
            }
        }

        /// The same share seen more often is known more closely.
        #[test]
        fn more_trials_narrow_the_interval((successes, n) in counts(), times in 2_u64..1000) {
            let (few, many) = (proportion(successes, n), proportion(successes * times, n * times));
            let (few, many) = (few.expect("n is not zero"), many.expect("n is not zero"));
            prop_assert!(many.high - many.low <= few.high - few.low, "{:?} {:?}", few, many);
        }

        /// Failures are seen as successes are: the interval of one is the mirror of the other's.
        #[test]
        fn failures_mirror_successes((successes, n) in counts()) {
            let got = proportion(successes, n).expect("n is not zero");
            let mirror = proportion(n - successes, n).expect("n is not zero");
            prop_assert!((got.low - (1.0 - mirror.high)).abs() < 1e-9 && (got.high - (1.0 - mirror.low)).abs() < 1e-9);
        }
    }
}
