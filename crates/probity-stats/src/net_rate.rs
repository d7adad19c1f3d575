//! A rate beyond another rate that was seen on the same items, and how many more items would settle it.
//!
//! Each bound is one-sided at 95 %, so the two together hold 90 %. Without a second rate this is Wilson's score
//! interval (Wilson 1927), of the first thing or of either; taken off the first, it is Newcombe's.

use super::paired::{PairedCounts, PairedTable};
use super::wilson_at;

/// The 95 % point of the normal distribution, for one-sided bounds.
const Z_ONE_SIDED: f64 = 1.644_853_626_951_472_2;

/// A difference of rates with a bound on each side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetRate {
    /// The difference.
    pub value: f64,
    /// It is at least this, with 95 % confidence.
    pub low: f64,
    /// It is at most this, with 95 % confidence.
    pub high: f64,
}

/// Whether a second rate is taken off the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// Nothing is.
    Nothing,
    /// The second rate is.
    Second,
    /// The second thing counts like the first: an item with either has it.
    Either,
}

/// The rate of the first thing beyond what `beyond` says. `None` without items.
pub fn net_rate(counts: PairedCounts, beyond: Beyond) -> Option<NetRate> {
    (counts.n() > 0).then(|| net_rate_at(counts.times(1.0), beyond, Z_ONE_SIDED))
}

/// How many more items, at the rates seen, `decides` a net rate. `None` where more than `more_max` would be needed, or
/// where nothing was seen.
pub fn more_until(
    counts: PairedCounts,
    beyond: Beyond,
    more_max: u64,
    decides: impl Fn(NetRate) -> bool,
) -> Option<u64> {
    if counts.n() == 0 {
        return None;
    }
    let n = counts.n() as f64;
    (1..=more_max)
        .find(|more| decides(net_rate_at(counts.times((n + *more as f64) / n), beyond, Z_ONE_SIDED)))
}

fn net_rate_at(table: PairedTable, beyond: Beyond, z: f64) -> NetRate {
    let n = table.n();
    let value = match beyond {
        Beyond::Nothing => table.first(),
        Beyond::Either => (n - table.neither) / n,
        Beyond::Second => {
            let (value, low, high) = table.difference(z);
            return NetRate { value, low: low.max(-1.0), high: high.min(1.0) };
        }
    };
    let (low, high) = wilson_at(value, n, z);
    NetRate { value, low, high }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts([both, first_only, second_only, neither]: [u64; 4]) -> PairedCounts {
        PairedCounts { both, first_only, second_only, neither }
    }

    /// Checks a net rate at `z` to the digits given.
    #[track_caller]
    fn check_at(z: f64, table: [u64; 4], want: [f64; 3]) {
        let NetRate { value, low, high } = net_rate_at(counts(table).times(1.0), Beyond::Second, z);
        let near = |got: f64, want: f64| (got - want).abs() < 5e-5;
        assert!(near(value, want[0]) && near(low, want[1]) && near(high, want[2]), "{value} {low} {high}");
    }

    #[test]
    fn method_10_gives_the_published_interval() {
        // Newcombe 1998 (paired), table II: 36, 12, 2, 0 at 95 %.
        check_at(crate::Z_95, [36, 12, 2, 0], [0.2, 0.0569, 0.3404]);
    }

    #[test]
    fn method_10_by_its_formulae() {
        check_at(Z_ONE_SIDED, [2, 5, 1, 22], [0.1333, -0.010_58, 0.278_64]);
        check_at(Z_ONE_SIDED, [12, 9, 2, 21], [0.1591, 0.034_52, 0.275_33]);
        check_at(Z_ONE_SIDED, [0, 3, 4, 23], [-0.0333, -0.185_61, 0.119_32]);
        check_at(Z_ONE_SIDED, [1, 7, 1, 12], [0.2857, 0.068_87, 0.474_80]);
    }

    #[test]
    fn nothing_in_thirty_is_below_a_twelfth() {
        for beyond in [Beyond::Nothing, Beyond::Second, Beyond::Either] {
            let net = net_rate(counts([0, 0, 0, 30]), beyond).expect("there are items");
            // z² / (n + z²) = 2.70554 / 32.70554
            assert!((net.high - 0.082_72).abs() < 5e-6, "{net:?}");
        }
        assert_eq!(net_rate(PairedCounts::default(), Beyond::Nothing), None);
    }

    #[test]
    fn more_items_decide_at_the_rates_seen() {
        let pass = |net: NetRate| net.high <= 0.10;
        // z² / (n + z²) ≤ 0.1 from n = 24.35 on.
        assert_eq!(more_until(counts([0, 0, 0, 20]), Beyond::Nothing, 100, pass), Some(5));
        assert_eq!(
            more_until(counts([0, 3, 0, 27]), Beyond::Nothing, 1000, pass),
            None,
            "a rate of the bound"
        );
        assert_eq!(more_until(PairedCounts::default(), Beyond::Nothing, 1000, pass), None);
    }

    /// The shares of draws whose bounds lie on the wrong side of the truth: low above it, high below it.
    fn missed(chances: [f64; 3], n: usize) -> [f64; 2] {
        const DRAWS: u32 = 4000;
        let [both, first, second] = chances;
        let mut random = crate::Random::new(11);
        let mut missed = [0_u32; 2];
        for _ in 0..DRAWS {
            let mut drawn = PairedCounts::default();
            for _ in 0..n {
                *match random.unit() {
                    unit if unit < both => &mut drawn.both,
                    unit if unit < both + first => &mut drawn.first_only,
                    unit if unit < both + first + second => &mut drawn.second_only,
                    _ => &mut drawn.neither,
                } += 1;
            }
            let net = net_rate(drawn, Beyond::Second).expect("there are items");
            missed[0] += u32::from(net.low > first - second);
            missed[1] += u32::from(net.high < first - second);
        }
        missed.map(|count| f64::from(count) / f64::from(DRAWS))
    }

    #[test]
    fn bounds_hold_the_truth_of_simulated_judges() {
        for (chances, n) in
            [([0.05, 0.2, 0.05], 30), ([0.3, 0.2, 0.1], 30), ([0.0, 0.1, 0.1], 60), ([0.02, 0.12, 0.02], 200)]
        {
            let [low, high] = missed(chances, n);
            assert!(low < 0.065 && high < 0.065, "{chances:?}, {n}: {low} {high}");
        }
    }

    fn tables() -> impl Strategy<Value = [u64; 4]> {
        prop::array::uniform4(0_u64..200).prop_filter("some items", |table| table.iter().sum::<u64>() > 0)
    }

    proptest! {
        /// The interval holds the value, and both lie between −1 and 1.
        #[test]
        fn the_interval_holds_the_value(table in tables()) {
            for beyond in [Beyond::Nothing, Beyond::Second, Beyond::Either] {
                let net = net_rate(counts(table), beyond).expect("there are items");
                prop_assert!(-1.0 <= net.low && net.low <= net.value && net.value <= net.high && net.high <= 1.0, "{:?}", net);
            }
        }

        /// Which rate is taken off which only changes the sign.
        #[test]
        fn exchanging_the_rates_turns_the_interval([both, first, second, neither] in tables()) {
            let net = net_rate(counts([both, first, second, neither]), Beyond::Second).expect("items");
            let turned = net_rate(counts([both, second, first, neither]), Beyond::Second).expect("items");
            prop_assert!((net.low + turned.high).abs() < 1e-9 && (net.high + turned.low).abs() < 1e-9);
        }
    }
}
