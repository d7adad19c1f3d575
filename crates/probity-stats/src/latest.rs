//! Whether the latest of several looks differs from the earlier ones, beyond what chance explains.
//!
//! Shares are compared with each other by Fisher's exact test (1922), means by Welch's t test (1947). The same
//! things looked at again and again are compared with themselves: had nothing changed, each look at a thing could
//! as well have been the latest one, which makes an exact permutation test. Each p-value stands for itself;
//! a caller that makes several adjusts them.

use super::exact_test::ln_factorial;
use super::one_sided::student_below;
use super::{Estimate, Z_95, whole};

/// Two tables are as likely as each other up to this factor of rounding.
const AS_LIKELY: f64 = 1.0 + 1e-7;

/// Values summed up: how many, their mean, and their sample variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Values.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample variance; 0 for fewer than two.
    pub variance: f64,
}

impl Sample {
    /// Several samples as one, with the spread between them. `None` without a value.
    pub fn pooled(samples: &[Sample]) -> Option<Sample> {
        let n: u64 = samples.iter().map(|sample| sample.n).sum();
        if n == 0 {
            return None;
        }
        let mean = samples.iter().map(|sample| sample.n as f64 * sample.mean).sum::<f64>() / n as f64;
        let squares = |sample: &Sample| {
            let within = sample.n.saturating_sub(1) as f64 * sample.variance;
            within + sample.n as f64 * (sample.mean - mean).powi(2)
        };
        let variance = if n < 2 { 0.0 } else { samples.iter().map(squares).sum::<f64>() / (n - 1) as f64 };
        Some(Sample { n, mean, variance })
    }
}

/// The two-sided p-value of Fisher's exact test on two counts of yes out of n: all splits of the yes that are no
/// more likely than the one seen. `None` where a side has nothing.
pub fn fisher_p_value((yes, n): (u64, u64), (other_yes, other_n): (u64, u64)) -> Option<f64> {
    if n == 0 || other_n == 0 || yes > n || other_yes > other_n {
        return None;
    }
    let all_yes = yes + other_yes;
    let ln_choose = |n: u64, k: u64| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let ln_all = ln_choose(n + other_n, all_yes);
    let chance = |yes: u64| (ln_choose(n, yes) + ln_choose(other_n, all_yes - yes) - ln_all).exp();
    let seen = chance(yes) * AS_LIKELY;
    let possible = all_yes.saturating_sub(other_n)..=all_yes.min(n);
    Some(possible.map(chance).filter(|chance| *chance <= seen).sum::<f64>().min(1.0))
}

/// The two-sided p-value of Welch's t test, its degrees of freedom rounded down. `None` for fewer than two values
/// on a side.
pub fn welch_p_value(one: Sample, other: Sample) -> Option<f64> {
    if one.n < 2 || other.n < 2 {
        return None;
    }
    let [a, b] = [one, other].map(|sample| sample.variance / sample.n as f64);
    let difference = (one.mean - other.mean).abs();
    if a + b <= 0.0 {
        // Without any spread there is nothing to doubt.
        return Some(if difference > 0.0 { 0.0 } else { 1.0 });
    }
    let freedom = (a + b).powi(2) / (a * a / (one.n - 1) as f64 + b * b / (other.n - 1) as f64);
    let p = 2.0 * student_below(-difference / (a + b).sqrt(), whole(freedom).max(1));
    Some(p.min(1.0))
}

/// What the latest look at the same things says against the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeated {
    /// The mean of the latest values less the mean of the earlier ones, with the interval that values have which
    /// only chance put last; `n` counts things.
    pub change: Estimate,
    /// The two-sided exact p-value.
    pub p: f64,
}

/// Holds the latest value of each thing against its earlier ones. Each thing has one value per look, the latest
/// last. `None` where there is no thing, fewer than two looks, or not as many for each.
pub fn latest_differs(things: &[Vec<i64>]) -> Option<Repeated> {
    let n_looks = things.first()?.len();
    if n_looks < 2 || things.iter().any(|values| values.len() != n_looks) {
        return None;
    }
    let lowest: i64 = things.iter().filter_map(|values| values.iter().min()).sum();
    let latest: i64 = things.iter().filter_map(|values| values.last()).sum();
    let chances = sums_of_one_each(things);
    let place = |at: usize| at as f64 + lowest as f64;
    let expected: f64 = chances.iter().enumerate().map(|(at, chance)| place(at) * chance).sum();
    let variance: f64 =
        chances.iter().enumerate().map(|(at, chance)| (place(at) - expected).powi(2) * chance).sum();
    let off = (latest as f64 - expected).abs();
    let as_far = |(at, _): &(usize, &f64)| (place(*at) - expected).abs() >= off - 1e-9 * off.max(1.0);
    let p: f64 = chances.iter().enumerate().filter(as_far).map(|(_, chance)| chance).sum();
    // The expectation counts the latest look as well, which takes a part of the change away.
    let scale = n_looks as f64 / (n_looks - 1) as f64 / things.len() as f64;
    let value = (latest as f64 - expected) * scale;
    let half = Z_95 * variance.sqrt() * scale;
    let change = Estimate { value, low: value - half, high: value + half, n: things.len() as u64 };
    Some(Repeated { change, p: p.min(1.0) })
}

/// The chance of each sum of one value per thing, each value as likely as the others of its thing; the first is
/// that of the lowest sum.
fn sums_of_one_each(things: &[Vec<i64>]) -> Vec<f64> {
    let mut chances = vec![1.0];
    for values in things {
        let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) else { continue };
        let offset = |value: i64| usize::try_from(value - min).expect("no value is below the lowest");
        let mut next = vec![0.0; chances.len() + offset(*max)];
        for value in values {
            for (at, chance) in chances.iter().enumerate() {
                next[at + offset(*value)] += chance / values.len() as f64;
            }
        }
        chances = next;
    }
    chances
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn near(got: Option<f64>, want: f64) {
        let got = got.expect("a p-value");
        assert!((got - want).abs() < 1e-6, "got {got}, wanted {want}");
    }

    #[test]
    fn fishers_test_by_hand() {
        // Fisher's tea: three of four, and one of four. 2 · (16 + 1) / 70.
        near(fisher_p_value((3, 4), (1, 4)), 34.0 / 70.0);
        near(fisher_p_value((4, 4), (0, 4)), 2.0 / 70.0);
        near(fisher_p_value((0, 5), (0, 9)), 1.0);
        // 1 of 10 and 11 of 14: splits no likelier than C(10,1) · C(14,11) / C(24,12).
        near(fisher_p_value((1, 10), (11, 14)), 0.002_759_456);
        assert_eq!(fisher_p_value((0, 0), (1, 2)), None);
    }

    #[test]
    fn welchs_test_by_hand() {
        let sample = |n, mean, variance| Sample { n, mean, variance };
        // t = 1 / √(1/10 + 1/10) = 2.236 with 18 degrees of freedom.
        near(welch_p_value(sample(10, 1.0, 1.0), sample(10, 0.0, 1.0)), 0.038_250);
        near(welch_p_value(sample(10, 1.0, 0.0), sample(10, 1.0, 0.0)), 1.0);
        assert_eq!(welch_p_value(sample(1, 1.0, 0.0), sample(10, 1.0, 1.0)), None);
        let pooled = Sample::pooled(&[sample(2, 1.0, 2.0), sample(2, 3.0, 2.0)]).expect("values");
        // 0, 2, 2, 4: mean 2, squares 4 + 0 + 0 + 4 over 3.
        assert_eq!((pooled.n, pooled.mean), (4, 2.0));
        assert!((pooled.variance - 8.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn things_are_compared_with_themselves() {
        // Two things that were 1 three times and are 0 now: both last by chance is 1/16.
        let got = latest_differs(&[vec![1, 1, 1, 0], vec![1, 1, 1, 0]]).expect("four looks");
        near(Some(got.p), 1.0 / 16.0);
        assert!((got.change.value + 1.0).abs() < 1e-12, "{got:?}");
        // A difference between things is none between looks.
        near(latest_differs(&[vec![4; 5], vec![0; 5]]).map(|got| got.p), 1.0);
        assert_eq!(latest_differs(&[vec![1], vec![0]]), None);
        assert_eq!(latest_differs(&[vec![1, 0], vec![0]]), None);
    }

    proptest! {
        /// Sides have no names, and a p-value is a probability.
        #[test]
        fn sides_can_be_exchanged(n in 1_u64..60, m in 1_u64..60, a in 0_u64..60, b in 0_u64..60) {
            let (a, b) = (a.min(n), b.min(m));
            let (one, other) = (fisher_p_value((a, n), (b, m)), fisher_p_value((b, m), (a, n)));
            let (one, other) = (one.expect("counts"), other.expect("counts"));
            prop_assert!((one - other).abs() < 1e-9 && 0.0 < one && one <= 1.0);
        }

        /// Over all ways in which chance picks the latest looks, a p-value is at or below a level no more often
        /// than the level says.
        #[test]
        fn p_values_keep_their_level(a in prop::collection::vec(0_i64..5, 3), b in prop::collection::vec(0_i64..5, 3)) {
            let turned = |values: &[i64], last: usize| {
                let mut values = values.to_vec();
                values.swap(last, 2);
                values
            };
            let draws = (0..9).map(|draw| [turned(&a, draw / 3), turned(&b, draw % 3)]);
            let p_values: Vec<f64> = draws.map(|things| latest_differs(&things).expect("three looks").p).collect();
            for level in &p_values {
                let share = p_values.iter().filter(|p| **p <= level + 1e-9).count() as f64 / 9.0;
                prop_assert!(share <= level + 1e-9, "{} of the draws at {}", share, level);
            }
        }
    }
}
