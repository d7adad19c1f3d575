//! Figures with what they are worth: a number never travels without its denominator.
//!
//! Statistics here know nothing of replies or judges.

use serde::Serialize;

/// The 97.5 % point of the normal distribution, for 95 % intervals.
const Z_95: f64 = 1.959_963_984_540_054;

/// A number with its 95 % interval and the number of observations behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
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
    let trials = n as f64;
    let share = successes as f64 / trials;
    let z2 = Z_95 * Z_95;
    let centre = (share + z2 / (2.0 * trials)) / (1.0 + z2 / trials);
    let half =
        Z_95 / (1.0 + z2 / trials) * (share * (1.0 - share) / trials + z2 / (4.0 * trials * trials)).sqrt();
    // At the ends the interval touches the bound exactly; the float arithmetic may miss it by a hair.
    let low = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if successes == n { 1.0 } else { (centre + half).min(1.0) };
    Some(Estimate { value: share, low, high, n })
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

    proptest! {
        #[test]
        fn the_interval_holds_the_value(n in 1_u64..10_000, part in 0.0..=1.0_f64) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of n fits")]
            let successes = (n as f64 * part) as u64;
            let got = proportion(successes, n).expect("n is not zero");
            prop_assert!(0.0 <= got.low && got.low <= got.value && got.value <= got.high && got.high <= 1.0);
        }
    }
}
