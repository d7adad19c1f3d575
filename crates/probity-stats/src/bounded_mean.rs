//! The mean of values on a scale, each by itself or several to a cluster.
//!
//! Replies to one case are alike, so the case is what was drawn, and the variance is that of a ratio of sums over
//! cases (Cochran 1977, 6.3; for evaluations Miller 2024). Before the interval is made, a case at each end of the
//! scale is added to those that were seen, as Agresti and Caffo (2000) add a success and a failure. So values that
//! are all the same have an interval too: what was not seen may still be there.
//!
//! What always holds: the interval lies on the scale, holds the mean, and has a width; with one value to a cluster
//! the clusters change nothing; the order of the clusters changes nothing but rounding.

use std::ops::RangeInclusive;

use super::{Estimate, Z_95};

/// Clusters of values, summed up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClusterSums {
    n_clusters: u64,
    n: u64,
    sum: f64,
    /// The squares of clusters' sums.
    squares: f64,
    /// Clusters' sums times their numbers of values.
    crossed: f64,
    /// The squares of clusters' numbers of values.
    sizes: f64,
}

impl ClusterSums {
    /// So many values, each a cluster of its own, with this sum and this sum of squares.
    pub(crate) fn of_single_values(n: u64, sum: f64, squares: f64) -> ClusterSums {
        ClusterSums { n_clusters: n, n, sum, squares, crossed: sum, sizes: n as f64 }
    }

    /// Adds a cluster of `n` values that add up to `sum`. One without values is as good as absent.
    pub fn add(&mut self, sum: f64, n: u64) {
        if n == 0 {
            return;
        }
        let size = n as f64;
        self.n_clusters += 1;
        self.n += n;
        self.sum += sum;
        self.squares += sum * sum;
        self.crossed += sum * size;
        self.sizes += size * size;
    }

    /// The mean of all values, which lie on `scale`, with its interval. `None` without values.
    pub fn mean(&self, scale: &RangeInclusive<f64>) -> Option<Estimate> {
        if self.n == 0 {
            return None;
        }
        let (lowest, highest) = (*scale.start(), *scale.end());
        let (n_clusters, n) = (self.n_clusters as f64, self.n as f64);
        let value = (self.sum / n).clamp(lowest, highest);
        // How far clusters are from the mean, each as if it had the mean number of values.
        let apart = self.squares - 2.0 * value * self.crossed + value * value * self.sizes;
        let apart = apart.max(0.0) * (n_clusters / n).powi(2);
        let n_all = n_clusters + 2.0;
        let centre = (value * n_clusters + lowest + highest) / n_all;
        let squares = apart
            + n_clusters * (value - centre).powi(2)
            + (lowest - centre).powi(2)
            + (highest - centre).powi(2);
        let half = Z_95 * squares.sqrt() / n_all;
        let [low, high] = [centre - half, centre + half].map(|end| end.clamp(lowest, highest));
        Some(Estimate { value, low: low.min(value), high: high.max(value), n: self.n })
    }
}

/// The mean of values of which each was seen so often. The scale ends with the lowest and the highest value that is
/// listed. A mean of nothing is `None`.
pub fn mean(counts: &[(f64, u64)]) -> Option<Estimate> {
    let total = |of: fn(f64) -> f64| counts.iter().map(|(value, n)| of(*value) * *n as f64).sum::<f64>();
    let values = || counts.iter().map(|(value, _)| *value);
    let scale = values().fold(f64::INFINITY, f64::min)..=values().fold(f64::NEG_INFINITY, f64::max);
    let n = counts.iter().map(|(_, n)| n).sum();
    ClusterSums::of_single_values(n, total(|value| value), total(|value| value * value)).mean(&scale)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(counts: &[(f64, u64)], value: f64, low: f64, high: f64) {
        let got = mean(counts).expect("values");
        let near = |got: f64, want: f64| (got - want).abs() < 5e-4;
        assert!(near(got.value, value) && near(got.low, low) && near(got.high, high), "{got:?}");
    }

    #[test]
    fn intervals_of_means_by_hand() {
        // 2, 4, 4, 6 and a 2 and a 9: centre 27 / 6 = 4.5; squares 8 + 4 · 0.25 + 6.25 + 20.25; half
        // 1.96 · √35.5 / 6 = 1.9463.
        check(&[(2.0, 1), (4.0, 2), (6.0, 1), (9.0, 0)], 4.0, 2.5537, 6.4463);
        // Agresti and Caffo: 76 of 102, 0.7451 ± 1.96 · √(0.7451 · 0.2549 / 102).
        check(&[(0.0, 25), (1.0, 75)], 0.75, 0.6605, 0.8297);
    }

    #[test]
    fn n08_equal_levels_have_an_interval_with_a_width() {
        // A 1 and a 5 beside thirty 4s: centre 126 / 32; squares 0.1172 + 8.6289 + 1.1289; half
        // 1.96 · √9.875 / 32 = 0.1925.
        check(&[(1.0, 0), (2.0, 0), (3.0, 0), (4.0, 30), (5.0, 0)], 4.0, 3.7450, 4.1300);
        check(&[(1.0, 0), (5.0, 30)], 5.0, 4.6339, 5.0);
        let few = mean(&[(1.0, 0), (4.0, 5), (5.0, 0)]).expect("values");
        let many = mean(&[(1.0, 0), (4.0, 5_000), (5.0, 0)]).expect("values");
        assert!(few.high - few.low > 0.5 && many.high - many.low < 0.01, "{few:?} {many:?}");
        assert!(many.low < 4.0 && many.high > 4.0, "{many:?}");
        assert_eq!(mean(&[(1.0, 0)]), None);
    }

    #[test]
    fn n07_clusters_of_equal_values_know_as_much_as_one_value_each() {
        let (mut singles, mut fours) = (ClusterSums::default(), ClusterSums::default());
        for case in 0..50 {
            let value = if case < 20 { 1.0 } else { 0.0 };
            singles.add(value, 1);
            fours.add(4.0 * value, 4);
        }
        let [singles, fours] = [singles, fours].map(|sums| sums.mean(&(0.0..=1.0)).expect("values"));
        assert!((singles.low - fours.low).abs() < 1e-12 && (singles.high - fours.high).abs() < 1e-12);
        assert_eq!((singles.n, fours.n), (50, 200));
    }

    proptest! {
        /// The interval lies on the scale, holds the mean and has a width.
        #[test]
        fn the_interval_holds_the_mean(levels in prop::collection::vec((0_u8..5, 1_u64..4), 1..60)) {
            let mut sums = ClusterSums::default();
            for (level, n) in &levels {
                sums.add(f64::from(*level) * *n as f64, *n);
            }
            let got = sums.mean(&(0.0..=4.0)).expect("values");
            prop_assert!(0.0 <= got.low && got.low <= got.value && got.value <= got.high && got.high <= 4.0, "{:?}", got);
            prop_assert!(got.low < got.high, "{:?}", got);
        }

        /// One value to a cluster is no cluster.
        #[test]
        fn single_values_are_their_own_clusters(levels in prop::collection::vec(1_u16..6, 1..60)) {
            let mut sums = ClusterSums::default();
            for level in &levels {
                sums.add(f64::from(*level), 1);
            }
            let counts: Vec<(f64, u64)> = (1..6_u16)
                .map(|level| (f64::from(level), levels.iter().filter(|one| **one == level).count() as u64))
                .collect();
            prop_assert_eq!(sums.mean(&(1.0..=5.0)), mean(&counts));
        }
    }
}
