//! Items looked at twice, and Newcombe's interval for the difference of the two shares.
//!
//! The interval is method 10 for paired data (Newcombe 1998, "Improved confidence intervals for the difference
//! between binomial proportions based on paired data"): it combines Wilson's intervals of both shares and their
//! correlation, and holds for few pairs and for pairs that never differ. Exchanging the two looks negates value and
//! interval, to the last digit.

use super::wilson_at;

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
        for pair in pairs {
            *match pair {
                (true, true) => &mut counts.both,
                (true, false) => &mut counts.first_only,
                (false, true) => &mut counts.second_only,
                (false, false) => &mut counts.neither,
            } += 1;
        }
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
