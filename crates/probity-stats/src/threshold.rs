//! The lowest threshold of a signal above which decisions are right often enough, by exact tests in a fixed order.
//!
//! Thresholds are tested from the highest to the lowest, each at its own share of the level and that of those before it
//! that were kept without a gap: the chance that any of those kept is really below the promise is at most the level (the
//! fallback procedure of Wiens 2003; with the whole level on the first threshold it is fixed sequence testing, as in
//! Angelopoulos et al. 2021, "Learn then Test"). Nothing is approximated: the p-value is the binomial tail, the bound
//! Clopper and Pearson's (1934).

use std::collections::HashSet;

use super::exact_test::at_most;

/// A decision that was checked: how sure it was, and whether it was right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Graded {
    /// What it is alike with: observations of one cluster count as one.
    pub cluster: usize,
    /// How sure it was.
    pub signal: f64,
    /// Whether it was right.
    pub right: bool,
}

/// A threshold with the share of the level that it is tested at by itself. Shares of all add up to 1 at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestedThreshold {
    /// The threshold.
    pub threshold: f64,
    /// Its share.
    pub share: f64,
}

/// What lies at or above a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Above {
    /// The threshold.
    pub threshold: f64,
    /// Clusters with an observation there.
    pub n: u64,
    /// Those whose observation is right.
    pub n_right: u64,
    /// How often decisions are right there, at least, at the level of the test.
    pub low: f64,
}

/// The p-value of the exact test that so many of `n` or more are right where at most the share `promise` is.
pub(crate) fn at_least_p_value(n_right: u64, n: u64, promise: f64) -> f64 {
    assert!(n_right <= n, "more right ({n_right}) than observed ({n})");
    if n_right == 0 || promise <= 0.0 {
        return if promise <= 0.0 && n_right > 0 { 0.0 } else { 1.0 };
    }
    if promise >= 1.0 {
        return 1.0;
    }
    at_most(n - n_right, n, 1.0 - promise)
}

/// The one-sided lower bound of a share at `level` (Clopper and Pearson 1934). Of nothing it is zero.
pub(crate) fn share_at_least(n_right: u64, n: u64, level: f64) -> f64 {
    if n_right == 0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_least_p_value(n_right, n, middle) <= level { low = middle } else { high = middle }
    }
    low
}

/// The fewest observations, all of them right, that show the share `promise` at `level`.
pub fn fewest_to_show(promise: f64, level: f64) -> Option<u64> {
    let is_inner = |share: f64| share > 0.0 && share < 1.0;
    if !(is_inner(promise) && is_inner(level)) {
        return None;
    }
    let n = (level.ln() / promise.ln()).ceil().max(1.0);
    (n < 1e9).then(|| super::whole(n))
}

/// What lies at or above `threshold`: of each cluster its first observation there.
pub fn above(rows: &[Graded], threshold: f64, level: f64) -> Above {
    bounded((threshold, counted(rows, threshold)), level)
}

/// The lowest of `tests`, which are in falling order, that decisions above it are shown to be right at least as often as
/// `promise`; or the one that comes nearest to it, which does not keep it. `None` without a threshold.
///
/// `rows` of one cluster are in an order drawn at random, so that the first above a threshold is one of them at random.
pub fn lowest_threshold(
    rows: &[Graded],
    tests: &[TestedThreshold],
    promise: f64,
    level: f64,
) -> Option<Result<Above, Above>> {
    let is_falling = |one: &TestedThreshold, next: &TestedThreshold| one.threshold > next.threshold;
    assert!(tests.is_sorted_by(is_falling), "thresholds are tested from the highest on");
    let (mut kept, mut missed, mut carried) = (None, None, 0.0);
    for TestedThreshold { threshold, share } in tests {
        let own = carried + share * level;
        carried = 0.0;
        if own <= 0.0 {
            continue;
        }
        let counted = counted(rows, *threshold);
        let above = bounded((*threshold, counted), own);
        if at_least_p_value(counted.1, counted.0, promise) <= own {
            (kept, carried) = (Some(above), own);
        } else if missed.is_none_or(|nearest: Above| above.low > nearest.low) {
            missed = Some(above);
        }
    }
    kept.map(Ok).or(missed.map(Err))
}

fn bounded((threshold, (n, n_right)): (f64, (u64, u64)), level: f64) -> Above {
    Above { threshold, n, n_right, low: share_at_least(n_right, n, level) }
}

/// Clusters with an observation at or above `threshold`, and those whose first one there is right.
fn counted(rows: &[Graded], threshold: f64) -> (u64, u64) {
    let mut seen = HashSet::new();
    let (mut n, mut n_right) = (0, 0);
    for row in rows.iter().filter(|row| row.signal >= threshold) {
        if seen.insert(row.cluster) {
            n += 1;
            n_right += u64::from(row.right);
        }
    }
    (n, n_right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Random;

    #[test]
    fn bounds_match_the_tables() {
        // One-sided 95 % (Clopper and Pearson): n of n is level^(1/n); 8 of 10 is 0.4931, 81 of 263 is 0.2609.
        for (n_right, n, want) in [(10, 10, 0.05_f64.powf(0.1)), (8, 10, 0.493_1), (0, 5, 0.0)] {
            let got = share_at_least(n_right, n, 0.05);
            assert!((got - want).abs() < 5e-5, "{n_right} of {n}: {got} instead of {want}");
        }
    }

    #[test]
    fn tails_by_hand() {
        // Three of three where one half is right: 1/8; two or three: 1/2.
        assert!((at_least_p_value(3, 3, 0.5) - 0.125).abs() < 1e-12);
        assert!((at_least_p_value(2, 3, 0.5) - 0.5).abs() < 1e-12);
        assert!((at_least_p_value(0, 3, 0.5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn so_many_are_needed() {
        assert_eq!(fewest_to_show(0.85, 0.1), Some(15), "0.85^15 is 0.087");
        assert_eq!(fewest_to_show(0.5, 0.05), Some(5));
        assert_eq!(fewest_to_show(1.0, 0.05), None);
    }

    fn rows(right: &[(f64, u64, u64)]) -> Vec<Graded> {
        let mut rows = Vec::new();
        for (signal, n_right, n) in right {
            for i in 0..*n {
                rows.push(Graded { cluster: rows.len(), signal: *signal, right: i < *n_right });
            }
        }
        rows
    }

    /// The whole level on the first.
    fn in_order(thresholds: &[f64]) -> Vec<TestedThreshold> {
        let test = |(place, threshold): (usize, &f64)| TestedThreshold {
            threshold: *threshold,
            share: if place == 0 { 1.0 } else { 0.0 },
        };
        thresholds.iter().enumerate().map(test).collect()
    }

    /// An equal share on each.
    fn each(thresholds: &[f64]) -> Vec<TestedThreshold> {
        let share = 1.0 / thresholds.len() as f64;
        thresholds.iter().map(|threshold| TestedThreshold { threshold: *threshold, share }).collect()
    }

    #[test]
    fn tests_end_at_the_first_that_fails() {
        let sure = rows(&[(1.0, 60, 60), (0.8, 20, 40), (0.6, 400, 400)]);
        let kept = lowest_threshold(&sure, &in_order(&[1.0, 0.8, 0.6]), 0.85, 0.1).expect("thresholds");
        assert_eq!(
            kept.map(|above| (above.threshold, above.n)),
            Ok((1.0, 60)),
            "what comes later is not looked at"
        );
        let weak = rows(&[(1.0, 6, 10)]);
        let refused = lowest_threshold(&weak, &in_order(&[1.0]), 0.85, 0.1)
            .expect("a threshold")
            .expect_err("too weak");
        assert_eq!((refused.n, refused.n_right), (10, 6));
        assert_eq!(lowest_threshold(&weak, &[], 0.85, 0.1), None);
    }

    #[test]
    fn a_cluster_counts_once() {
        let mut many = rows(&[(1.0, 20, 20)]);
        for row in &mut many {
            row.cluster = 0;
        }
        assert_eq!(above(&many, 0.5, 0.1).n, 1);
    }

    /// A share that is just too low is shown to be high enough in at most `level` of the draws.
    #[test]
    fn the_level_is_kept() {
        let (promise, level) = (0.85, 0.1);
        let mut random = Random::new(11);
        let mut draw = |n: usize| {
            let row = |cluster| {
                let signal = if random.unit() < 0.6 { 1.0 } else { 0.75 };
                // Right at the promise above the first threshold, and far below it above the second.
                let share = if signal >= 1.0 { promise } else { 0.6 };
                Graded { cluster, signal, right: random.unit() < share }
            };
            let rows: Vec<Graded> = (0..n).map(row).collect();
            [in_order(&[1.0, 0.75]), each(&[1.0, 0.75])]
                .map(|tests| lowest_threshold(&rows, &tests, promise, level).expect("thresholds").is_ok())
        };
        let n_draws = 2_000;
        let wrong = (0..n_draws)
            .map(|_| draw(150))
            .fold([0, 0], |sums, wrong| [sums[0] + u32::from(wrong[0]), sums[1] + u32::from(wrong[1])]);
        // Three standard errors above the level.
        let most = level + 3.0 * (level * (1.0 - level) / 2_000.0).sqrt();
        assert!(wrong.iter().all(|wrong| f64::from(*wrong) / f64::from(n_draws) <= most), "{wrong:?}");
    }

    #[test]
    fn thresholds_with_shares_of_their_own_are_tested_although_a_higher_one_has_too_few_rows() {
        let rows = rows(&[(0.99, 5, 5), (0.9, 95, 100), (0.6, 10, 100)]);
        let kept = lowest_threshold(&rows, &each(&[0.99, 0.9, 0.6]), 0.85, 0.1).expect("thresholds");
        assert_eq!(kept.map(|above| (above.threshold, above.n)), Ok((0.9, 105)));
        let refused = lowest_threshold(&rows, &in_order(&[0.99, 0.9, 0.6]), 0.85, 0.1).expect("thresholds");
        assert_eq!(refused.map_err(|above| above.n), Err(5));
    }

    proptest! {
        /// The bound is where the test turns.
        #[test]
        fn bound_and_test_agree(n in 1_u64..400, share in 0.0_f64..=1.0, promise in 0.05_f64..0.99, level in 0.01_f64..0.4) {
            let n_right = crate::whole(share * n as f64);
            let shown = at_least_p_value(n_right, n, promise) <= level;
            let bound = share_at_least(n_right, n, level);
            prop_assert!(shown == (bound >= promise) || (bound - promise).abs() < 1e-9, "{} {}", bound, promise);
        }
    }
}
