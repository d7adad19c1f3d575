//! Intervals by drawing the sample again: the bootstrap of Efron (1979), whole clusters at a time.
//!
//! Observations of one case are alike, so the case is what is drawn, with all it adds to every figure.
//! Clusters that add the same are one group, and only how often a group is drawn is drawn
//! ([`super::multinomial`]): a resample costs as much as there are groups, not clusters. Where nearly every
//! cluster is its own group, clusters are drawn one by one, which is cheaper then.
//!
//! The interval is the percentile interval, its ends moved out for few clusters as Hesterberg (2015) does: to
//! the level that a t interval has. Where all clusters say the same there is nothing to
//! draw from, and the interval is Wilson's for as many observations as there are clusters. What always holds:
//! the order of the clusters changes nothing, and a seed fixes every digit.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::multinomial::Multinomial;
use super::{Estimate, Random, Z_95, whole, wilson};

/// How the sample is drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Resampling {
    /// How many times.
    #[serde(rename = "resamples")]
    pub n_resamples: u32,
    /// What the drawn numbers come from.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Resampling { n_resamples: 10_000, seed: 0 }
    }
}

/// What one cluster adds to a ratio. Neither part is negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RatioPart {
    /// Added above the line.
    pub numerator: f64,
    /// Added below it: how many observations there are.
    pub denominator: f64,
}

/// One estimate per ratio: the sum above over the sum below, over all clusters. Each cluster lists what it
/// adds to each ratio, in the same order. A cluster that adds nothing to a ratio is as good as absent from it.
/// A ratio over nothing is `None`.
///
/// Panics where clusters list different numbers of parts.
pub fn ratios(clusters: &[Vec<RatioPart>], resampling: Resampling) -> Vec<Option<Estimate>> {
    let n_ratios = clusters.first().map_or(0, Vec::len);
    let same = clusters.iter().all(|parts| parts.len() == n_ratios);
    assert!(same, "each cluster has a part in each ratio");
    // Each interval stands for itself, so each ratio has groups of its own: fewer than all have together.
    let of = |at: usize| ratio(clusters.iter().map(|parts| parts[at]), resampling);
    (0..n_ratios).map(of).collect()
}

/// The estimate of one ratio, from what each cluster adds to it. `None` for a ratio over nothing.
pub fn ratio(clusters: impl Iterator<Item = RatioPart>, resampling: Resampling) -> Option<Estimate> {
    let parts = clusters.filter(|part| part.denominator > 0.0).map(|part| [part.numerator, part.denominator]);
    Groups::of(parts).estimate(resampling)
}

/// What a cluster adds to some sums. Its order is the order in which groups are drawn.
pub(super) trait Adds: Ord {
    /// The sums.
    type Sums: Clone;

    /// Adds it so many times.
    fn add(&self, times: f64, sums: &mut Self::Sums);
}

/// Something for each of `W` sums, as the bits of numbers that are not negative: they are in the order of the
/// numbers.
impl<const W: usize> Adds for [u64; W] {
    type Sums = [f64; W];

    fn add(&self, times: f64, sums: &mut [f64; W]) {
        sums.iter_mut().zip(self).for_each(|(sum, bits)| *sum += times * f64::from_bits(*bits));
    }
}

/// Something for a few of many sums: which, in order, and how much as the bits of a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sparse(Vec<(usize, u64)>);

impl Adds for Sparse {
    type Sums = Vec<f64>;

    fn add(&self, times: f64, sums: &mut Vec<f64>) {
        for (place, bits) in &self.0 {
            sums[*place] += times * f64::from_bits(*bits);
        }
    }
}

/// Clusters by what they add, in the order of what they add.
pub(super) struct Groups<R: Adds> {
    rows: Vec<R>,
    sizes: Vec<u64>,
    zero: R::Sums,
}

impl<const W: usize> Groups<[u64; W]> {
    /// Puts clusters that add the same together. What they add is not negative.
    pub(super) fn of(clusters: impl Iterator<Item = [f64; W]>) -> Self {
        let mut sizes: HashMap<[u64; W], u64> = HashMap::new();
        for cluster in clusters {
            *sizes.entry(cluster.map(f64::to_bits)).or_default() += 1;
        }
        Groups::sorted(sizes.into_iter().collect(), [0.0; W])
    }
}

impl Groups<Sparse> {
    /// Puts clusters that add the same to `n_sums` sums together. A cluster lists sums and what it adds to them,
    /// and adds several parts to one sum in their order. One that lists nothing is as good as absent.
    pub(super) fn sparse<C>(clusters: impl Iterator<Item = C>, n_sums: usize) -> Self
    where
        C: IntoIterator<Item = (usize, f64)>,
    {
        let mut sizes: HashMap<Vec<(usize, u64)>, u64> = HashMap::new();
        // Most clusters are like one before, so what they add is written where the last one's was.
        let (mut parts, mut added) = (Vec::new(), Vec::new());
        for cluster in clusters {
            parts.clear();
            parts.extend(cluster);
            parts.sort_by_key(|(place, _)| *place);
            added.clear();
            added.extend(parts.chunk_by(|one, other| one.0 == other.0).map(|same| {
                let sum = same.iter().fold(0.0, |sum, (_, part)| sum + part);
                (same[0].0, f64::to_bits(sum))
            }));
            match sizes.get_mut(&added) {
                _ if added.is_empty() => {}
                Some(size) => *size += 1,
                None => _ = sizes.insert(added.clone(), 1),
            }
        }
        let groups = sizes.into_iter().map(|(added, size)| (Sparse(added), size));
        Groups::sorted(groups.collect(), vec![0.0; n_sums])
    }
}

impl<R: Adds> Groups<R> {
    /// Puts groups in the order in which they are drawn.
    fn sorted(mut groups: Vec<(R, u64)>, zero: R::Sums) -> Self {
        groups.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let (rows, sizes) = groups.into_iter().unzip();
        Groups { rows, sizes, zero }
    }

    /// How many clusters there are.
    pub(super) fn size(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// The sums over all clusters.
    pub(super) fn totals(&self) -> R::Sums {
        let mut sums = self.zero.clone();
        self.add(&self.sizes, &mut sums);
        sums
    }

    /// Adds each group as often as `counts` says.
    fn add(&self, counts: &[u64], sums: &mut R::Sums) {
        for (row, count) in self.rows.iter().zip(counts).filter(|(_, count)| **count > 0) {
            row.add(*count as f64, sums);
        }
    }

    /// Gives the sums of each resample to `each`.
    pub(super) fn draw(&self, resampling: Resampling, mut each: impl FnMut(&R::Sums)) {
        let mut random = Random::new(resampling.seed);
        let mut sums = self.zero.clone();
        // A count costs about as much as this many single draws.
        if self.size() >= 8 * self.sizes.len() as u64 {
            let (mut groups, mut counts) = (Multinomial::new(&self.sizes), vec![0; self.sizes.len()]);
            for _ in 0..resampling.n_resamples {
                groups.redraw(&mut random, &mut counts);
                sums.clone_from(&self.zero);
                self.add(&counts, &mut sums);
                each(&sums);
            }
            return;
        }
        let rows = self.rows.iter().zip(&self.sizes);
        let clusters: Vec<&R> = rows.flat_map(|(row, size)| (0..*size).map(move |_| row)).collect();
        for _ in 0..resampling.n_resamples {
            sums.clone_from(&self.zero);
            for _ in 0..clusters.len() {
                clusters[random.below(clusters.len())].add(1.0, &mut sums);
            }
            each(&sums);
        }
    }
}

impl Groups<[u64; 2]> {
    /// The first sum over the second.
    fn estimate(&self, resampling: Resampling) -> Option<Estimate> {
        let [numerator, denominator] = self.totals();
        if denominator <= 0.0 {
            return None;
        }
        let value = numerator / denominator;
        // Observations are counted, so their sum is a whole number.
        let n = whole(denominator.round());
        let mut shares = self.rows.iter().map(|row| f64::from_bits(row[0]) / f64::from_bits(row[1]));
        let first = shares.next();
        let (low, high) = if shares.all(|share| Some(share) == first) {
            wilson(value, self.size() as f64)
        } else {
            let mut drawn = Vec::new();
            self.draw(resampling, |[numerator, denominator]| drawn.push(numerator / denominator));
            interval(&mut drawn, self.size())
        };
        Some(Estimate { value, low: low.min(value), high: high.max(value), n })
    }
}

/// `value` with the interval of the values that were drawn from so many clusters, and with the one that
/// `without_spread` gives where all of them are the same.
pub(super) fn estimate(
    value: f64,
    n: f64,
    drawn: &mut [f64],
    n_clusters: u64,
    without_spread: impl FnOnce() -> (f64, f64),
) -> Estimate {
    let same = drawn.iter().all(|drawn| (drawn - value).abs() < 1e-12);
    let (low, high) = if same { without_spread() } else { interval(drawn, n_clusters) };
    // Observations are counted, so their sum is a whole number.
    Estimate { value, low: low.min(value), high: high.max(value), n: whole(n.round()) }
}

/// The 95 % interval of values that were drawn from so many clusters. There is at least one value.
pub(super) fn interval(drawn: &mut [f64], n_clusters: u64) -> (f64, f64) {
    let outside = whole((drawn.len() + 1) as f64 * tail_level(n_clusters));
    let middle = (drawn.len() - 1) / 2;
    let low_place = usize::try_from(outside.saturating_sub(1)).unwrap_or(middle).min(middle);
    let high_place = drawn.len() - 1 - low_place;
    let low = *drawn.select_nth_unstable_by(low_place, f64::total_cmp).1;
    let high = *drawn.select_nth_unstable_by(high_place, f64::total_cmp).1;
    (low, high)
}

/// The level of one tail of a 95 % interval from so many clusters: that of a t interval, and for the spread of
/// a sample being a little too small on average.
fn tail_level(n_clusters: u64) -> f64 {
    let freedom = n_clusters.saturating_sub(1).max(1) as f64;
    let z = Z_95;
    // Cornish and Fisher's expansion of the t quantile (Abramowitz and Stegun 26.7.5).
    let t = z
        + (z.powi(3) + z) / (4.0 * freedom)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom.powi(2));
    normal_tail(t * ((freedom + 1.0) / freedom).sqrt())
}

/// The probability above `z` of a normal distribution, for `z` of zero or more, to seven decimals (Abramowitz
/// and Stegun 26.2.17).
fn normal_tail(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let polynomial = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * polynomial
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const QUICK: Resampling = Resampling { n_resamples: 1_000, seed: 4 };

    fn clusters(parts: &[(f64, f64)]) -> Vec<Vec<RatioPart>> {
        parts
            .iter()
            .map(|(numerator, denominator)| {
                vec![RatioPart { numerator: *numerator, denominator: *denominator }]
            })
            .collect()
    }

    fn coins(successes: usize, n: usize) -> Vec<Vec<RatioPart>> {
        clusters(&(0..n).map(|i| (if i < successes { 1.0 } else { 0.0 }, 1.0)).collect::<Vec<_>>())
    }

    fn estimate(clusters: &[Vec<RatioPart>], resampling: Resampling) -> Estimate {
        ratios(clusters, resampling)[0].expect("observations")
    }

    #[test]
    fn a_share_has_the_interval_of_the_normal_approximation() {
        // 400 of 1,000: 0.4 ± 1.96 · √(0.24 / 1000) = 0.4 ± 0.03037.
        let got = estimate(&coins(400, 1_000), Resampling { n_resamples: 10_000, seed: 1 });
        assert!((got.low - 0.369_6).abs() < 0.002 && (got.high - 0.430_4).abs() < 0.002, "{got:?}");
        assert_eq!((got.value.to_bits(), got.n), (0.4_f64.to_bits(), 1_000));
    }

    #[test]
    fn a_mean_of_many_values_has_the_interval_of_the_normal_approximation() {
        // Values 0.000 to 0.999: mean 0.4995, standard deviation 0.2887, 1.96 · 0.2887 / √1000 = 0.01789.
        let values: Vec<(f64, f64)> = (0..1_000).map(|i| (f64::from(i) / 1e3, 1.0)).collect();
        let got = estimate(&clusters(&values), Resampling::default());
        assert!((got.high - got.low - 2.0 * 0.017_89).abs() < 0.001, "{got:?}");
    }

    #[test]
    fn clusters_count_as_one_observation_each() {
        // 100 clusters of ten equal observations know as much as 100 observations.
        let tens: Vec<(f64, f64)> = (0..100).map(|i| (if i < 40 { 10.0 } else { 0.0 }, 10.0)).collect();
        let (single, tens) = (estimate(&coins(40, 100), QUICK), estimate(&clusters(&tens), QUICK));
        assert_eq!(tens.n, 1_000);
        assert_eq!((single.low.to_bits(), single.high.to_bits()), (tens.low.to_bits(), tens.high.to_bits()));
    }

    #[test]
    fn without_spread_the_interval_is_wilsons() {
        let all = estimate(&coins(20, 20), QUICK);
        assert_eq!(Some(all), crate::proportion(20, 20));
        let halves = estimate(&clusters(&[(0.5, 1.0); 8]), QUICK);
        assert_eq!(Some(halves), crate::proportion(4, 8));
    }

    #[test]
    fn a_ratio_over_nothing_is_none() {
        assert_eq!(ratios(&clusters(&[(0.0, 0.0), (0.0, 0.0)]), QUICK), [None]);
        assert_eq!(ratios(&[], QUICK), []);
    }

    #[test]
    fn tails_are_those_of_the_t_distribution() {
        assert!((normal_tail(1.959_964) - 0.025).abs() < 1e-6);
        assert!((tail_level(1_000_000) - 0.025).abs() < 1e-4);
        // Ten clusters: t of 9 degrees is 2.262, times √(10/9) is 2.385, whose tail is 0.00854.
        assert!((tail_level(10) - 0.008_54).abs() < 2e-4, "{}", tail_level(10));
    }

    /// The share of 400 simulated samples whose interval holds the truth.
    fn coverage(n: usize, truth: f64) -> f64 {
        let mut random = Random::new(17);
        let covered = (0..400).filter(|seed| {
            let successes = (0..n).filter(|_| random.unit() < truth).count();
            let got = estimate(&coins(successes, n), Resampling { n_resamples: 400, seed: *seed });
            got.low <= truth && truth <= got.high
        });
        covered.count() as f64 / 400.0
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        // Around 0.95; 400 repetitions know that to two standard errors of 0.011.
        for (n, truth) in [(200, 0.5), (60, 0.6), (20, 0.5)] {
            let share = coverage(n, truth);
            assert!((0.92..=0.985).contains(&share), "n {n}, truth {truth}: {share}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Neither the order of clusters nor anything but the seed decides about the numbers.
        #[test]
        fn order_does_not_matter(parts in prop::collection::vec((0_u8..4, 0_u8..4), 1..60), seed in 0_u64..9) {
            let parts: Vec<(f64, f64)> =
                parts.into_iter().map(|(numerator, more)| (f64::from(numerator), f64::from(numerator + more))).collect();
            let resampling = Resampling { n_resamples: 50, seed };
            let mut turned = parts.clone();
            turned.reverse();
            prop_assert_eq!(ratios(&clusters(&parts), resampling), ratios(&clusters(&turned), resampling));
        }

        /// The interval holds the value and stays between the smallest and the largest share.
        #[test]
        fn the_interval_holds_the_value(parts in prop::collection::vec((0_u8..4, 0_u8..4), 1..60)) {
            let parts: Vec<(f64, f64)> =
                parts.into_iter().map(|(numerator, more)| (f64::from(numerator), f64::from(numerator + more))).collect();
            if let Some(got) = ratios(&clusters(&parts), QUICK)[0] {
                prop_assert!(0.0 <= got.low && got.low <= got.value && got.value <= got.high && got.high <= 1.0);
            }
        }
    }
}
