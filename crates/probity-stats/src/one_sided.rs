//! One-sided tests of means, and several of them at once.

use super::Estimate;
use super::exact_test::ln_factorial;

/// The p-value of the t test that the mean of so many values with this mean and sample variance is really
/// below zero. Without any spread there is nothing to doubt. `None` for fewer than two values.
pub fn t_test_p_value(mean: f64, variance: f64, n: u64) -> Option<f64> {
    if n < 2 {
        return None;
    }
    if variance <= 0.0 {
        return Some(if mean < 0.0 { 0.0 } else { 1.0 });
    }
    Some(student_below(mean / (variance / n as f64).sqrt(), n - 1))
}

/// The mean of `values` with a bound on each side, each one-sided at 95 % by Student's t. Without any spread, and
/// for a single value, the bounds are the mean. `None` without values.
pub fn mean_within(values: &[f64]) -> Option<Estimate> {
    let n = values.len() as u64;
    if n == 0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let reach = match n {
        1 => 0.0,
        _ => student_point(0.95, n - 1) * (squares / (n - 1) as f64 / n as f64).sqrt(),
    };
    Some(Estimate { value: mean, low: mean - reach, high: mean + reach, n })
}

/// The probability that Student's t with so many degrees of freedom is below `t`.
pub(super) fn student_below(t: f64, freedom: u64) -> f64 {
    let v = freedom as f64;
    let tail = 0.5 * incomplete_beta(v / (v + t * t), freedom, 1);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The point that Student's t with so many degrees of freedom is below with probability `share`, which is at
/// least one half and at most 0.975; by bisection.
pub(super) fn student_point(share: f64, freedom: u64) -> f64 {
    let (mut low, mut high) = (0.0, 13.0);
    for _ in 0..48 {
        let middle = f64::midpoint(low, high);
        if student_below(middle, freedom) < share { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The regularised incomplete beta function at `x` for parameters of `twice_a`/2 and `twice_b`/2, by its
/// continued fraction (Abramowitz and Stegun 26.5.8).
fn incomplete_beta(x: f64, twice_a: u64, twice_b: u64) -> f64 {
    let (a, b) = (twice_a as f64 / 2.0, twice_b as f64 / 2.0);
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, twice_b, twice_a);
    }
    let ln_front =
        ln_gamma(twice_a + twice_b) - ln_gamma(twice_a) - ln_gamma(twice_b) + a * x.ln() + b * (-x).ln_1p();
    // Evaluated from the end; the terms of this range of x are spent long before.
    let mut fraction = 1.0;
    for m in (1..=200_u32).rev() {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        fraction = 1.0 + even / (1.0 + odd / fraction);
    }
    let first = -(a + b) * x / (a + 1.0);
    ln_front.exp() / a / (1.0 + first / fraction)
}

/// The logarithm of the gamma function of `twice`/2, which is more than zero.
fn ln_gamma(twice: u64) -> f64 {
    let n = twice / 2;
    if twice.is_multiple_of(2) {
        return ln_factorial(n - 1);
    }
    // Γ(n + ½) = (2n)! √π / (4ⁿ n!)
    ln_factorial(2 * n) - ln_factorial(n) + 0.5 * std::f64::consts::PI.ln()
        - 2.0 * n as f64 * std::f64::consts::LN_2
}

/// Which hypotheses are rejected so that at most the share `rate` of them is rejected falsely, whatever the
/// tests have to do with each other (Benjamini and Yekutieli 2001). In the order of `p_values`.
pub fn falsely_rejected_at_most(rate: f64, p_values: &[f64]) -> Vec<bool> {
    let n = p_values.len();
    let harmonic: f64 = (1..=n).map(|i| 1.0 / i as f64).sum();
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let bound = |rank: usize| rank as f64 * rate / (n as f64 * harmonic);
    let last = (1..=n).rev().find(|rank| sorted[rank - 1] <= bound(*rank));
    let limit = last.map(|rank| sorted[rank - 1]);
    p_values.iter().map(|p| limit.is_some_and(|limit| *p <= limit)).collect()
}

/// Each p-value as it stands among the others: at or below `rate` exactly where
/// [`falsely_rejected_at_most`] that rate rejects. In the order of `p_values`.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let harmonic: f64 = (1..=n).map(|i| 1.0 / i as f64).sum();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut adjusted = vec![1.0; n];
    let mut least: f64 = 1.0;
    for (place, at) in order.into_iter().enumerate().rev() {
        least = least.min(p_values[at] * n as f64 * harmonic / (place + 1) as f64);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_match_the_tables() {
        for (freedom, want) in [(1, 12.706), (2, 4.303), (10, 2.228), (30, 2.042), (120, 1.980)] {
            let got = student_point(0.975, freedom);
            assert!((got - want).abs() < 5e-4, "{freedom}: {got}");
        }
    }

    #[track_caller]
    fn check(t: f64, freedom: u64, want: f64) {
        let got = student_below(t, freedom);
        assert!((got - want).abs() < 1e-6, "t {t}, {freedom}: {got} instead of {want}");
    }

    #[test]
    fn tails_of_students_t() {
        // One degree of freedom is Cauchy's distribution: 1/2 + arctan(t)/π.
        check(1.0, 1, 0.75);
        check(-1.0, 1, 0.25);
        // Two degrees: 1/2 + t / (2 √(2 + t²)).
        check(2.0, 2, 0.5 + 1.0 / 6.0_f64.sqrt());
        // Quantiles of tables: 97.5 % and 95 %.
        check(2.228_138_85, 10, 0.975);
        check(-1.697_260_89, 30, 0.05);
        check(1.984_216_95, 99, 0.975);
        check(0.0, 7, 0.5);
    }

    #[test]
    fn means_below_zero() {
        assert_eq!(t_test_p_value(-1.0, 0.0, 5), Some(0.0));
        assert_eq!(t_test_p_value(0.0, 0.0, 5), Some(1.0));
        assert_eq!(t_test_p_value(-1.0, 1.0, 1), None);
        // t = −0.5 / √(2.5 / 10) = −1.
        let p = t_test_p_value(-0.5, 2.5, 10).expect("a p-value");
        assert!((p - 0.171_718).abs() < 1e-5, "{p}");
    }

    #[test]
    fn means_within_bounds() {
        assert_eq!(mean_within(&[]), None);
        assert_eq!(mean_within(&[0.5]), Some(Estimate { value: 0.5, low: 0.5, high: 0.5, n: 1 }));
        // Mean 2, variance 1, t with two degrees of freedom 2.919986: 2 ± 2.919986 / √3.
        let within = mean_within(&[1.0, 2.0, 3.0]).expect("three values");
        assert!(
            (within.low - 0.314_145).abs() < 1e-5 && (within.high - 3.685_855).abs() < 1e-5,
            "{within:?}"
        );
        // Quantiles of tables: 1 and 30 degrees of freedom.
        assert!(
            (student_point(0.95, 1) - 6.313_752).abs() < 1e-5
                && (student_point(0.95, 30) - 1.697_261).abs() < 1e-5
        );
    }

    #[test]
    fn rejections_are_bounded_together() {
        // Three hypotheses: bounds 0.05/3/(11/6) · rank = 0.00909, 0.01818, 0.02727.
        let rejected = |p: [f64; 3]| falsely_rejected_at_most(0.05, &p);
        assert_eq!(rejected([0.02, 0.001, 0.5]), [false, true, false]);
        assert_eq!(rejected([0.018, 0.001, 0.5]), [true, true, false]);
        assert_eq!(rejected([0.027, 0.026, 0.025]), [true, true, true], "the largest carries the others");
        assert_eq!(rejected([0.03, 0.03, 0.03]), [false, false, false]);
        assert_eq!(falsely_rejected_at_most(0.05, &[]), Vec::<bool>::new());
    }

    #[test]
    fn adjusted_p_values_by_hand() {
        // Three hypotheses: 3 · (1 + 1/2 + 1/3) = 5.5, over the rank.
        let got = adjusted(&[0.02, 0.001, 0.5]);
        for (got, want) in got.iter().zip([0.055, 0.0055, 11.0 / 12.0]) {
            assert!((got - want).abs() < 1e-12, "{got} instead of {want}");
        }
        assert_eq!(adjusted(&[0.3]), [0.3], "one alone is not adjusted");
        assert_eq!(adjusted(&[]), Vec::<f64>::new());
    }

    proptest! {
        /// The two ways to say it agree.
        #[test]
        fn rejecting_is_being_small_after_adjustment(
            p_values in prop::collection::vec(0.0_f64..=1.0, 0..12),
            rate in 0.01_f64..0.5,
        ) {
            let adjusted = adjusted(&p_values);
            let rejected = falsely_rejected_at_most(rate, &p_values);
            for ((p, adjusted), rejected) in p_values.iter().zip(&adjusted).zip(rejected) {
                prop_assert!(p <= adjusted && *adjusted <= 1.0);
                prop_assert!(rejected == (*adjusted <= rate) || (adjusted - rate).abs() < 1e-12);
            }
        }
    }
}
