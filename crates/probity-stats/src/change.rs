//! How far a share or a mean moved between two looks at the same things, with an interval.
//!
//! A change of shares has Newcombe's interval for paired proportions; a change of means has the bootstrap's, whole
//! cases at a time. What always holds: exchanging the two looks negates value and interval, to the last digit.

use std::cmp::Ordering;

use super::bootstrap::{Groups, estimate};
use super::paired::PairedCounts;
use super::{Estimate, Resampling, Z_95, wilson};

/// The share of the second thing less the share of the first, with Newcombe's interval. `None` without a pair.
pub fn share_change(pairs: PairedCounts) -> Option<Estimate> {
    let exchanged =
        PairedCounts { first_only: pairs.second_only, second_only: pairs.first_only, ..pairs }.times(1.0);
    let (value, low, high) = exchanged.difference(Z_95);
    (pairs.n() > 0).then_some(Estimate { value, low, high, n: pairs.n() })
}

/// What one case adds to a change of means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// How far its pairs moved in all.
    pub by: f64,
    /// Its pairs, at least one.
    pub n: u64,
}

/// The mean move of a pair, whole cases drawn again. No pair can move farther than `span` either way, which
/// bounds what was not seen where every case moved alike. `None` without a pair.
pub fn mean_change(cases: &[Moved], span: f64, resampling: Resampling) -> Option<Estimate> {
    let turn = MoveDirection::of(cases);
    let sign = if turn == MoveDirection::Exchanged { -1.0 } else { 1.0 };
    // Sums that are not negative, which the groups of the bootstrap are made of.
    let rows = cases.iter().filter(|case| case.n > 0).map(|case| {
        let n = case.n as f64;
        [sign * case.by + span * n, n]
    });
    let groups = Groups::of(rows);
    let [numerator, denominator] = groups.totals();
    if denominator <= 0.0 {
        return None;
    }
    let n_cases = groups.size();
    let total: f64 = cases.iter().map(|case| case.by).sum::<f64>() * sign;
    let value = total / denominator;
    let centred = |numerator: f64, denominator: f64| numerator / denominator - span;
    let mut drawn = Vec::new();
    groups.draw(resampling, |[numerator, denominator]| drawn.push(centred(*numerator, *denominator)));
    // Cases that moved alike: so large a share may do otherwise, and go as far as they can.
    let (_, unseen) = wilson(0.0, n_cases as f64);
    let alike = || (value - unseen * (span + value), value + unseen * (span - value));
    let shifted = estimate(centred(numerator, denominator), denominator, &mut drawn, n_cases, alike);
    let [low, high] = [shifted.low.min(value), shifted.high.max(value)];
    let (low, high) = match turn {
        MoveDirection::Kept => (low, high),
        MoveDirection::Exchanged => (-high, -low),
        MoveDirection::Either => (-(high - low) / 2.0, (high - low) / 2.0),
    };
    let value = if total == 0.0 { 0.0 } else { sign * value };
    Some(Estimate { value, low, high, n: shifted.n })
}

/// In which direction the moves are read before anything is drawn, so that the same numbers are drawn either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoveDirection {
    /// From the first look to the second.
    Kept,
    /// From the second look to the first.
    Exchanged,
    /// The moves are the same in both directions, and so must the interval be.
    Either,
}

impl MoveDirection {
    fn of(cases: &[Moved]) -> MoveDirection {
        let mut moves: Vec<(f64, u64)> = cases.iter().map(|case| (case.by + 0.0, case.n)).collect();
        let mut others: Vec<(f64, u64)> = cases.iter().map(|case| (0.0 - case.by, case.n)).collect();
        let order =
            |one: &(f64, u64), other: &(f64, u64)| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1));
        moves.sort_by(order);
        others.sort_by(order);
        let sum = |moves: &[(f64, u64)]| moves.iter().map(|(by, _)| by).sum::<f64>();
        let each =
            || moves.iter().zip(&others).map(|(one, other)| order(one, other)).find(|order| order.is_ne());
        let sums = sum(&moves).total_cmp(&sum(&others));
        match if sums.is_eq() { each().unwrap_or(sums) } else { sums } {
            Ordering::Less => MoveDirection::Exchanged,
            Ordering::Equal => MoveDirection::Either,
            Ordering::Greater => MoveDirection::Kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Random;

    const QUICK: Resampling = Resampling { n_resamples: 1_000, seed: 4 };

    #[track_caller]
    fn check(pairs: [u64; 4], value: f64, low: f64, high: f64) {
        let [both, first_only, second_only, neither] = pairs;
        let got = share_change(PairedCounts { both, first_only, second_only, neither }).expect("pairs");
        let near = |got: f64, want: f64| (got - want).abs() < 5e-5;
        assert!(near(got.value, value) && near(got.low, low) && near(got.high, high), "{got:?}");
    }

    #[test]
    fn intervals_of_paired_shares_by_hand() {
        // The formula of method 10, worked out apart from this code.
        check([36, 12, 2, 0], -0.2, -0.3404, -0.0569);
        check([20, 12, 2, 16], -0.2, -0.3292, -0.0562);
        check([0, 12, 2, 36], -0.2, -0.3404, -0.0569);
        check([1, 1, 7, 12], 0.285_714, 0.025_559, 0.506_920);
        check([0, 0, 0, 20], 0.0, -0.1611, 0.1611);
        assert_eq!(share_change(PairedCounts::default()), None);
    }

    fn one_each(moves: &[f64]) -> Vec<Moved> {
        moves.iter().map(|by| Moved { by: *by, n: 1 }).collect()
    }

    #[test]
    fn a_mean_move_has_the_interval_of_the_normal_approximation() {
        // 300 up by one, 100 down, 600 not at all: mean 0.2, variance 0.36, 1.96 · √(0.36 / 1000) = 0.0372.
        let moves: Vec<f64> = [(1.0, 300), (-1.0, 100), (0.0, 600)]
            .into_iter()
            .flat_map(|(by, n)| std::iter::repeat_n(by, n))
            .collect();
        let got = mean_change(&one_each(&moves), 4.0, Resampling::default()).expect("pairs");
        assert!((got.value - 0.2).abs() < 1e-12, "{got:?}");
        assert!((got.low - 0.1628).abs() < 0.003 && (got.high - 0.2372).abs() < 0.003, "{got:?}");
        assert_eq!(got.n, 1_000);
    }

    #[test]
    fn what_never_moved_may_still_move_a_little() {
        // Wilson: at most z²/(100 + z²) = 0.03699 of the cases, by 4 at most.
        let got = mean_change(&one_each(&[0.0; 100]), 4.0, QUICK).expect("pairs");
        assert_eq!(got.value.to_bits(), 0.0_f64.to_bits());
        assert!((got.high - 4.0 * 0.036_994).abs() < 1e-5 && (got.low + got.high).abs() < 1e-12, "{got:?}");
        let up = mean_change(&one_each(&[1.0; 100]), 4.0, QUICK).expect("pairs");
        assert!((up.high - (1.0 + 3.0 * 0.036_994)).abs() < 1e-5, "{up:?}");
        assert_eq!(mean_change(&[], 4.0, QUICK), None);
    }

    /// The share of simulated samples of `n` cases whose interval holds the true mean move.
    fn coverage(n: usize, shares: [f64; 2]) -> f64 {
        let mut random = Random::new(23);
        let truth = shares[0] - shares[1];
        let covered = (0..400).filter(|seed| {
            let mut moves = Vec::new();
            for _ in 0..n {
                let drawn = random.unit();
                let down = drawn >= shares[0] && drawn < shares[0] + shares[1];
                moves.push(if drawn < shares[0] {
                    1.0
                } else if down {
                    -1.0
                } else {
                    0.0
                });
            }
            let resampling = Resampling { n_resamples: 400, seed: *seed };
            let got = mean_change(&one_each(&moves), 4.0, resampling).expect("pairs");
            got.low <= truth && truth <= got.high
        });
        covered.count() as f64 / 400.0
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        for (n, shares) in [(200, [0.3, 0.1]), (40, [0.25, 0.25]), (25, [0.4, 0.2])] {
            let share = coverage(n, shares);
            assert!((0.92..=0.985).contains(&share), "n {n}, {shares:?}: {share}");
        }
    }

    #[test]
    fn moves_that_are_their_own_mirror_have_an_interval_that_is_its_own() {
        let moves = [(2, 2), (-3, 1), (3, 1), (-2, 2), (-4, 1), (4, 1)];
        let cases: Vec<Moved> = moves.map(|(by, n)| Moved { by: f64::from(by), n }).to_vec();
        let got = mean_change(&cases, 4.0, Resampling { n_resamples: 50, seed: 3 }).expect("pairs");
        assert_eq!((got.value, -got.low), (0.0, got.high), "{got:?}");
        assert!(got.high > 1.0, "{got:?}");
    }

    proptest! {
        /// Exchanging the looks negates a change of shares.
        #[test]
        fn shares_turn_round(both in 0_u64..50, first in 0_u64..50, second in 0_u64..50, neither in 0_u64..50) {
            let pairs = PairedCounts { both, first_only: first, second_only: second, neither };
            let turned = PairedCounts { first_only: second, second_only: first, ..pairs };
            match (share_change(pairs), share_change(turned)) {
                (Some(one), Some(other)) => {
                    prop_assert!((one.value + other.value).abs() < 1e-12);
                    prop_assert!((one.low + other.high).abs() < 1e-12 && (one.high + other.low).abs() < 1e-12);
                    prop_assert!(one.low <= one.value && one.value <= one.high);
                    prop_assert!(-1.0 - 1e-12 <= one.low && one.high <= 1.0 + 1e-12, "{:?}", one);
                }
                (one, other) => prop_assert_eq!((one, other), (None, None)),
            }
        }

        /// Exchanging the looks negates a change of means, in every digit, and the order of cases is nothing.
        #[test]
        fn means_turn_round(moves in prop::collection::vec((-4_i8..=4, 1_u64..3), 1..40)) {
            let cases: Vec<Moved> = moves.iter().map(|(by, n)| Moved { by: f64::from(*by), n: *n }).collect();
            let mut turned: Vec<Moved> = cases.iter().map(|case| Moved { by: -case.by, ..*case }).collect();
            turned.reverse();
            let resampling = Resampling { n_resamples: 50, seed: 3 };
            let one = mean_change(&cases, 4.0, resampling).expect("pairs");
            let other = mean_change(&turned, 4.0, resampling).expect("pairs");
            prop_assert_eq!((one.value, one.low, one.high), (-other.value, -other.high, -other.low));
            prop_assert!(one.low <= one.value && one.value <= one.high, "{:?}", one);
        }
    }
}
