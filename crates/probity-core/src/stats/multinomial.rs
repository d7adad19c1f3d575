//! How often each of several groups is drawn when a sample is drawn again with replacement.
//!
//! Drawing one by one costs a number per draw. Members of a group cannot be told apart, so only their counts
//! matter, and those are drawn at once: each count is binomial given the ones before it.

use super::exact_test::ln_factorial;
use super::{Random, whole};

/// Below this mean a binomial is drawn by adding up probabilities, above it by rejection.
const MEAN_OF_INVERSION_MAX: f64 = 10.0;

/// Draws as many members as `sizes` holds and gives the count per group in `counts`.
///
/// Panics where the two have different lengths.
pub(super) fn redraw(random: &mut Random, sizes: &[u64], counts: &mut [u64]) {
    assert_eq!(sizes.len(), counts.len(), "one count per group");
    let total: u64 = sizes.iter().sum();
    let (mut left, mut rest) = (total, total);
    for (size, count) in sizes.iter().zip(counts) {
        *count = if *size == rest { left } else { binomial(random, left, *size as f64 / rest as f64) };
        left -= *count;
        rest -= *size;
    }
}

/// The number of successes in `n` trials of probability `p`.
fn binomial(random: &mut Random, n: u64, p: f64) -> u64 {
    if p > 0.5 {
        return n - binomial(random, n, 1.0 - p);
    }
    if n == 0 || p <= 0.0 {
        return 0;
    }
    if n as f64 * p < MEAN_OF_INVERSION_MAX { inversion(random, n, p) } else { rejection(random, n, p) }
}

/// Goes up from zero until the drawn share of the distribution is used up.
fn inversion(random: &mut Random, n: u64, p: f64) -> u64 {
    let odds = p / (1.0 - p);
    let mut mass = (n as f64 * (-p).ln_1p()).exp();
    let mut share = random.unit();
    for k in 0..n {
        if share < mass {
            return k;
        }
        share -= mass;
        mass *= odds * (n - k) as f64 / (k + 1) as f64;
    }
    n
}

/// Transformed rejection with squeeze (Hörmann 1993, algorithm BTRS), for n·p of at least ten and p of at
/// most one half. The constants are the paper's.
fn rejection(random: &mut Random, n: u64, p: f64) -> u64 {
    let trials = n as f64;
    let spread = (trials * p * (1.0 - p)).sqrt();
    let slope = 1.15 + 2.53 * spread;
    let bend = -0.0873 + 0.0248 * slope + 0.01 * p;
    let centre = trials * p + 0.5;
    let squeeze = 0.92 - 4.2 / slope;
    let height = (2.83 + 5.1 / slope) * spread;
    // Most draws are taken at the squeeze and need no logarithm.
    let ln_ratio = |drawn: f64| {
        let ln_odds = (p / (1.0 - p)).ln();
        let mode = ((trials + 1.0) * p).floor();
        ln_ways(n, whole(drawn)) - ln_ways(n, whole(mode)) + (drawn - mode) * ln_odds
    };
    loop {
        let across = random.unit() - 0.5;
        let up = random.unit();
        let edge = 0.5 - across.abs();
        let drawn = ((2.0 * bend / edge + slope) * across + centre).floor();
        // A drawn edge of zero gives an infinite number, which is out of range as well.
        if !(0.0..=trials).contains(&drawn) {
            continue;
        }
        if edge >= 0.07 && up <= squeeze {
            return whole(drawn);
        }
        if (up * height / (bend / (edge * edge) + slope)).ln() <= ln_ratio(drawn) {
            return whole(drawn);
        }
    }
}

/// The logarithm of the number of ways to choose `k` of `n`.
fn ln_ways(n: u64, k: u64) -> f64 {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws often, and compares the share of each count with its probability by a chi-square statistic over
    /// the counts that are expected at least five times.
    #[track_caller]
    fn check(n: u64, p: f64) {
        const DRAWS: u32 = 40_000;
        let mut random = Random::new(11);
        let mut seen = vec![0_u32; usize::try_from(n).unwrap() + 1];
        for _ in 0..DRAWS {
            seen[usize::try_from(binomial(&mut random, n, p)).unwrap()] += 1;
        }
        let (mut chi_square, mut cells) = (0.0, 0.0);
        for (k, seen) in (0..).zip(seen) {
            let expected = f64::from(DRAWS)
                * (ln_ways(n, k) + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln()).exp();
            if expected >= 5.0 {
                chi_square += (f64::from(seen) - expected).powi(2) / expected;
                cells += 1.0;
            }
        }
        // Five standard deviations of a chi-square with this many cells.
        assert!(chi_square < cells + 5.0 * (2.0_f64 * cells).sqrt(), "n {n}, p {p}: {chi_square} in {cells}");
    }

    #[test]
    fn binomial_counts_have_their_probabilities() {
        check(1, 0.3);
        check(40, 0.1);
        check(200, 0.49);
        check(500, 0.03);
        check(1_000, 0.9);
        check(10_000, 0.2);
    }

    #[test]
    fn a_redraw_draws_as_many_as_there_were() {
        let sizes = [0, 5, 1, 900, 94];
        let mut random = Random::new(5);
        let mut sums = [0_u64; 5];
        for _ in 0..2_000 {
            let mut counts = [0; 5];
            redraw(&mut random, &sizes, &mut counts);
            assert_eq!(counts.iter().sum::<u64>(), 1_000);
            assert_eq!(counts[0], 0, "nothing comes from an empty group");
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        // The mean of each count is its size; 2,000 draws know it to about a tenth at this spread.
        for (sum, size) in sums.iter().zip(sizes) {
            assert!((*sum as f64 / 2_000.0 - size as f64).abs() < 1.0, "{sums:?}");
        }
    }
}
