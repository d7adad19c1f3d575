//! Items looked at twice, and Newcombe's interval for the difference of the two shares.
//!
//! The interval is method 10 for paired data (Newcombe 1998, "Improved confidence intervals for the difference
//! between binomial proportions based on paired data"): it combines Wilson's intervals of both shares and their
//! correlation, and holds for few pairs and for pairs that never differ. Exchanging the two looks negates value and
//! interval, to the last digit.

use super::{Estimate, proportion, wilson_at};

/// How many items had each of two things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairedCounts {
    /// Both.
    pub both: u64,
    /// The first alone.
    pub first_only: u64,
    /// The second alone.
    pub second_only: u64,
    /// Neither.
    pub neither: u64,
}

impl PairedCounts {
    /// All items.
    pub fn n(&self) -> u64 {
        self.both + self.first_only + self.second_only + self.neither
    }

    /// Items with the first thing.
    pub fn n_first(&self) -> u64 {
        self.both + self.first_only
    }

    /// Items with the second thing.
    pub fn n_second(&self) -> u64 {
        self.both + self.second_only
    }

    /// Counts one item by whether it had the first thing, and the second.
    pub fn add(&mut self, pair: (bool, bool)) {
        *match pair {
            (true, true) => &mut self.both,
            (true, false) => &mut self.first_only,
            (false, true) => &mut self.second_only,
            (false, false) => &mut self.neither,
        } += 1;
    }

    /// The share that would have the second thing among items of which so many have the first thing, so many do not,
    /// and `neither` are known to have none: each kind is taken to be as it is among the items counted here.
    ///
    /// The interval is that of a weighted sum of two shares from Wilson's intervals of both (Zou and Donner 2008). The
    /// items are taken as all there are, so only the shares are uncertain. `None` where nothing was counted of a
    /// kind that is needed, or there are no items.
    pub fn carried(&self, first: u64, not_first: u64, neither: u64) -> Option<Estimate> {
        let n = first + not_first + neither;
        let kinds =
            [(first, self.both, self.n_first()), (not_first, self.second_only, self.n() - self.n_first())];
        let (mut value, mut below, mut above) = (0.0, 0.0_f64, 0.0_f64);
        for (items, seconds, counted) in kinds.into_iter().filter(|(items, ..)| *items > 0) {
            let (weight, share) = (items as f64 / n as f64, proportion(seconds, counted)?);
            value += weight * share.value;
            below = below.hypot(weight * (share.value - share.low));
            above = above.hypot(weight * (share.high - share.value));
        }
        (n > 0).then_some(Estimate { value, low: value - below, high: value + above, n })
    }

    /// The same as if there were so many times as many items.
    pub(super) fn times(self, factor: f64) -> PairedTable {
        let [both, first_only, second_only, neither] =
            [self.both, self.first_only, self.second_only, self.neither].map(|count| count as f64 * factor);
        PairedTable { both, first_only, second_only, neither }
    }
}

impl FromIterator<(bool, bool)> for PairedCounts {
    /// Counts items by whether they had the first thing, and the second.
    fn from_iter<I: IntoIterator<Item = (bool, bool)>>(pairs: I) -> Self {
        let mut counts = PairedCounts::default();
        pairs.into_iter().for_each(|pair| counts.add(pair));
        counts
    }
}

/// The four counts, as they would be for any number of items.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairedTable {
    both: f64,
    first_only: f64,
    second_only: f64,
    pub(super) neither: f64,
}

impl PairedTable {
    pub(super) fn n(self) -> f64 {
        self.both + self.first_only + self.second_only + self.neither
    }

    /// The share with the first thing.
    pub(super) fn first(self) -> f64 {
        (self.both + self.first_only) / self.n()
    }

    /// The first share less the second, with the ends of Newcombe's interval at `z` standard deviations.
    pub(super) fn difference(self, z: f64) -> (f64, f64, f64) {
        let n = self.n();
        let (first, second) = (self.first(), (self.both + self.second_only) / n);
        let (first_low, first_high) = wilson_at(first, n, z);
        let (second_low, second_high) = wilson_at(second, n, z);
        let value = (self.first_only - self.second_only) / n;
        let correlation = self.correlation();
        let reach = |one: f64, other: f64| {
            (one * one - 2.0 * correlation * one * other + other * other).max(0.0).sqrt()
        };
        let low = value - reach(first - first_low, second_high - second);
        (value, low, value + reach(first_high - first, second - second_low))
    }

    /// The correlation of the two things, moved towards zero as method 10 has it.
    fn correlation(self) -> f64 {
        let PairedTable { both, first_only, second_only, neither } = self;
        let [first, second] =
            [(both + first_only) * (second_only + neither), (both + second_only) * (first_only + neither)];
        if first * second <= 0.0 {
            return 0.0;
        }
        let numerator = both * neither - first_only * second_only;
        let moved = if numerator > 0.0 { (numerator - self.n() / 2.0).max(0.0) } else { numerator };
        moved / (first * second).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_carried_to_other_items() {
        // Of 40 that had the first thing 36 had the second, of 10 that did not 2.
        let seen = PairedCounts { both: 36, first_only: 4, second_only: 2, neither: 8 };
        let same = seen.carried(40, 10, 0).expect("items");
        assert!((same.value - 38.0 / 50.0).abs() < 1e-12, "{same:?}");
        // By hand: 0.8 · (0.9 − 0.7695) and 0.2 · (0.2 − 0.0567), their squares added.
        assert!((same.value - same.low - 0.108_27).abs() < 5e-4, "{same:?}");
        let half = seen.carried(50, 50, 100).expect("items");
        assert!((half.value - 0.25 * 0.9 - 0.25 * 0.2).abs() < 1e-12 && half.n == 200, "{half:?}");
        assert!(half.low < half.value && half.value < half.high, "{half:?}");
        assert_eq!(PairedCounts { both: 9, ..PairedCounts::default() }.carried(5, 1, 0), None);
        assert_eq!(seen.carried(0, 0, 0), None);
    }

    #[test]
    fn a_judge_that_never_differs_carries_the_share_as_it_is() {
        let seen = PairedCounts { both: 30, neither: 20, ..PairedCounts::default() };
        let got = seen.carried(7, 3, 0).expect("items");
        assert!((got.value - 0.7).abs() < 1e-12 && got.low < 0.7 && got.high > 0.7, "{got:?}");
    }
}
