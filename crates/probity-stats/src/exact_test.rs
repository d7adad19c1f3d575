//! Exact tests on counts: how surprising a split is when both sides are equally likely.
//!
//! Both tests look at a binomial with probability one half and add its tail up term by term; nothing is
//! approximated by a normal distribution. Observations are taken as independent of each other, so the caller
//! counts several pairs of one case as one observation.

use schemars::JsonSchema;
use serde::Serialize;

/// `McNemar`'s test on paired yes-or-no observations (Psychometrika 12, 1947). Only the pairs that differ count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct McNemar {
    /// Pairs that differ in the first direction.
    pub first_only: u64,
    /// Pairs that differ in the other direction.
    pub second_only: u64,
    /// Two-sided p-value of the exact conditional test. Conservative.
    pub exact: f64,
    /// Two-sided mid-p-value (Fagerland, Lydersen and Laake 2013): nearer to its level, not guaranteed.
    pub mid_p: f64,
}

/// The two-sided p-value of the sign test: how often a fair coin splits at least as unevenly. `None` where
/// there is nothing to split.
pub fn sign_test_p_value(wins: u64, losses: u64) -> Option<f64> {
    let tail = lower_tail(wins.min(losses), wins.checked_add(losses)?)?;
    Some((2.0 * tail.up_to).min(1.0))
}

/// The one-sided p-value of the sign test: how often a fair coin gives at most so many wins. `None` where there
/// is nothing to split.
pub fn fewer_wins_p_value(wins: u64, losses: u64) -> Option<f64> {
    let n = wins.checked_add(losses)?;
    if wins <= losses {
        return lower_tail(wins, n).map(|tail| tail.up_to.min(1.0));
    }
    // The other tail is the short one; the two together are everything.
    let above = if losses == 0 { 0.0 } else { lower_tail(losses - 1, n)?.up_to };
    Some(1.0 - above)
}

/// The smallest share of wins above one half that the two-sided sign test of `n` wins and losses shows at `level`
/// with probability `power`. `None` where not even `n` wins are shown.
pub fn sign_test_detects(n: u64, level: f64, power: f64) -> Option<f64> {
    let is_shown = |losses: u64| sign_test_p_value(n - losses, losses).is_some_and(|p| p <= level);
    if !is_shown(0) {
        return None;
    }
    // The most losses beside which the wins are still shown.
    let (mut shown, mut not_shown) = (0, n / 2 + 1);
    while not_shown - shown > 1 {
        let middle = u64::midpoint(shown, not_shown);
        if is_shown(middle) { shown = middle } else { not_shown = middle }
    }
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..60 {
        let losing = f64::midpoint(low, high);
        if at_most(shown, n, losing) >= power { low = losing } else { high = losing }
    }
    Some(1.0 - low)
}

/// `McNemar`'s test on the two counts of pairs that differ. `None` where none does.
pub fn mcnemar(first_only: u64, second_only: u64) -> Option<McNemar> {
    let tail = lower_tail(first_only.min(second_only), first_only.checked_add(second_only)?)?;
    let exact = (2.0 * tail.up_to).min(1.0);
    // At an even split both tails hold the middle, which counts half once.
    let mid_p = if first_only == second_only { 1.0 - 0.5 * tail.at } else { 2.0 * tail.up_to - tail.at };
    Some(McNemar { first_only, second_only, exact, mid_p })
}

/// The natural logarithm of n!, right to about twelve digits.
pub(super) fn ln_factorial(n: u64) -> f64 {
    if n < 16 {
        return (2..=n).map(|k| k as f64).product::<f64>().ln();
    }
    // Stirling's series (Abramowitz and Stegun 6.1.41); from 16 on the next term is below 10⁻¹¹.
    let x = n as f64;
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0));
    (x + 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

/// The probability of at most `k` in a binomial of `n` trials, `k` below `n`: from the tail that is the shorter one.
pub(super) fn at_most(k: u64, n: u64, probability: f64) -> f64 {
    if k as f64 <= n as f64 * probability {
        binomial_tail(k, n, probability).up_to
    } else {
        1.0 - binomial_tail(n - k - 1, n, 1.0 - probability).up_to
    }
}

/// The lower tail of a binomial.
struct Tail {
    /// The probability of at most `k`.
    up_to: f64,
    /// The probability of exactly `k`.
    at: f64,
}

/// The tail for a probability of one half; `None` where there is no trial.
fn lower_tail(k: u64, n: u64) -> Option<Tail> {
    (n > 0).then(|| binomial_tail(k, n, 0.5))
}

/// The tail up to `k`, which is at most the mean.
fn binomial_tail(k: u64, n: u64, probability: f64) -> Tail {
    let ln_ways = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let ln_at = ln_ways + k as f64 * probability.ln() + (n - k) as f64 * (-probability).ln_1p();
    let odds = probability / (1.0 - probability);
    let at = ln_at.exp();
    // Below the mean each term is smaller than the one above it.
    let (mut sum, mut term) = (at, at);
    for i in (1..=k).rev() {
        term *= i as f64 / ((n - i + 1) as f64 * odds);
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    Tail { up_to: sum, at }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn near(got: f64, want: f64) {
        assert!((got - want).abs() <= 1e-9 * want.abs().max(1e-3), "got {got}, wanted {want}");
    }

    #[test]
    fn small_splits_are_the_fractions_they_are() {
        near(sign_test_p_value(5, 0).unwrap(), 2.0 / 32.0);
        near(sign_test_p_value(1, 9).unwrap(), 22.0 / 1024.0);
        near(sign_test_p_value(4, 4).unwrap(), 1.0);
        near(sign_test_p_value(3, 2).unwrap(), 1.0);
        // 2 · (C(20,0) + … + C(20,5)) / 2²⁰
        near(sign_test_p_value(15, 5).unwrap(), 2.0 * 21_700.0 / 1_048_576.0);
        assert_eq!(sign_test_p_value(0, 0), None);
    }

    #[test]
    fn one_side_of_small_splits() {
        near(fewer_wins_p_value(0, 5).unwrap(), 1.0 / 32.0);
        near(fewer_wins_p_value(1, 9).unwrap(), 11.0 / 1024.0);
        near(fewer_wins_p_value(9, 1).unwrap(), 1023.0 / 1024.0);
        near(fewer_wins_p_value(5, 0).unwrap(), 1.0);
        near(fewer_wins_p_value(2, 2).unwrap(), 11.0 / 16.0);
        near(fewer_wins_p_value(2_000, 0).unwrap(), 1.0);
        assert_eq!(fewer_wins_p_value(0, 0), None);
    }

    #[test]
    fn mcnemar_has_an_exact_and_a_mid_p_value() {
        // (1, 7): 2 · 9/256, and that less the 8/256 of the observed split.
        let test = mcnemar(1, 7).unwrap();
        near(test.exact, 18.0 / 256.0);
        near(test.mid_p, 10.0 / 256.0);
        let even = mcnemar(2, 2).unwrap();
        near(even.exact, 1.0);
        near(even.mid_p, 1.0 - 0.5 * 6.0 / 16.0);
        assert_eq!(mcnemar(0, 0), None);
    }

    #[test]
    fn large_counts_follow_the_normal_distribution() {
        // z = 3.0 with continuity correction 2.998: 2 · Φ(−2.998) = 0.002717…
        let p = sign_test_p_value(501_500, 498_500).unwrap();
        assert!((p - 0.002_717).abs() < 5e-5, "{p}");
        assert_eq!(sign_test_p_value(1_000_000, 0), Some(0.0), "too small for a float, and not below zero");
    }

    #[test]
    fn n02_a_detectable_share_is_shown_with_its_power() {
        let share = |n| sign_test_detects(n, 0.05, 0.8);
        assert_eq!([share(0), share(5), sign_test_detects(6, 0.05 / 3.0, 0.8)], [None; 3]);
        // All six of six must be won: s⁶ = 0.8.
        near(share(6).unwrap(), 0.8_f64.powf(1.0 / 6.0));
        near(share(9).unwrap(), 0.907_373_222_222);
        near(share(100).unwrap(), 0.645_131_364_401);
        // (1.960 + 0.842) · √(1/4n), the normal approximation.
        assert!((share(1_000_000).unwrap() - 0.501_401).abs() < 2e-6);
    }

    #[test]
    fn factorials_join_where_the_formula_changes() {
        near(ln_factorial(0), 0.0);
        near(ln_factorial(20), 2_432_902_008_176_640_000_f64.ln());
        near(ln_factorial(16) - ln_factorial(15), 16_f64.ln());
    }

    proptest! {
        /// The sides have no names, and a p-value is a probability.
        #[test]
        fn sides_can_be_swapped(wins in 0_u64..5_000, losses in 0_u64..5_000) {
            prop_assert_eq!(sign_test_p_value(wins, losses), sign_test_p_value(losses, wins));
            if let Some(test) = mcnemar(wins, losses) {
                prop_assert!(0.0 <= test.mid_p && test.mid_p <= test.exact && test.exact <= 1.0, "{:?}", test);
            }
        }

        /// A wider split of as many is never less surprising.
        #[test]
        fn wider_splits_surprise_more(losses in 0_u64..500, more in 1_u64..500) {
            let even = sign_test_p_value(losses + more, losses + more).unwrap();
            let uneven = sign_test_p_value(losses + 2 * more, losses).unwrap();
            prop_assert!(uneven <= even + 1e-12);
        }
    }
}
