//! How often each of several groups is drawn when a sample is drawn again with replacement.
//!
//! Drawing one by one costs a number per draw. Members of a group cannot be told apart, so only their counts
//! matter, and those are drawn at once: each count is binomial given the ones before it.

use super::exact_test::ln_factorial;
use super::{Random, whole};

/// Below this mean a binomial is drawn by adding up probabilities, above it by rejection.
const MEAN_OF_INVERSION_MAX: f64 = 10.0;

/// Groups to draw from, again and again. What does not change from one resample to the next is worked out once.
pub(super) struct Multinomial {
    total: u64,
    /// For each group the chance of it, given that it is none of those before.
    chances: Vec<Chance>,
    factorials: Factorials,
}

impl Multinomial {
    /// Groups of these sizes.
    pub(super) fn new(sizes: &[u64]) -> Self {
        let total: u64 = sizes.iter().sum();
        let mut rest = total;
        let chance = |size: &u64| {
            let chance = if *size == rest { Chance::Rest } else { Chance::of(*size as f64 / rest as f64) };
            rest -= size;
            chance
        };
        let chances = sizes.iter().map(chance).collect();
        Multinomial { total, chances, factorials: Factorials::default() }
    }

    /// Draws as many members as there are and gives the count per group in `counts`.
    ///
    /// Panics where there are not as many counts as groups.
    pub(super) fn redraw(&mut self, random: &mut Random, counts: &mut [u64]) {
        assert_eq!(self.chances.len(), counts.len(), "one count per group");
        let mut left = self.total;
        for (chance, count) in self.chances.iter().zip(counts) {
            *count = chance.successes(random, left, &mut self.factorials);
            left -= *count;
        }
    }
}

/// How likely something is.
enum Chance {
    /// All that is left is this.
    Rest,
    /// At most one half.
    Rare(Binomial),
    /// More than that, by how likely it is not.
    Frequent(Binomial),
}

impl Chance {
    fn of(p: f64) -> Self {
        if p > 0.5 { Chance::Frequent(Binomial::new(1.0 - p)) } else { Chance::Rare(Binomial::new(p)) }
    }

    /// The number of successes in `n` trials.
    fn successes(&self, random: &mut Random, n: u64, factorials: &mut Factorials) -> u64 {
        match self {
            Chance::Rest => n,
            Chance::Rare(trial) => trial.successes(random, n, factorials),
            Chance::Frequent(failure) => n - failure.successes(random, n, factorials),
        }
    }
}

/// Something that succeeds with probability `p`, of at most one half.
struct Binomial {
    p: f64,
    ln_odds: f64,
    ln_failure: f64,
}

impl Binomial {
    fn new(p: f64) -> Self {
        Binomial { p, ln_odds: (p / (1.0 - p)).ln(), ln_failure: (-p).ln_1p() }
    }

    /// The number of successes in `n` trials.
    fn successes(&self, random: &mut Random, n: u64, factorials: &mut Factorials) -> u64 {
        if n == 0 || self.p <= 0.0 {
            0
        } else if n as f64 * self.p < MEAN_OF_INVERSION_MAX {
            self.inversion(random, n)
        } else {
            self.rejection(random, n, factorials)
        }
    }

    /// Goes up from zero until the drawn share of the distribution is used up.
    fn inversion(&self, random: &mut Random, n: u64) -> u64 {
        let odds = self.p / (1.0 - self.p);
        let mut mass = (n as f64 * self.ln_failure).exp();
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
    fn rejection(&self, random: &mut Random, n: u64, factorials: &mut Factorials) -> u64 {
        let (trials, p) = (n as f64, self.p);
        let spread = (trials * p * (1.0 - p)).sqrt();
        let slope = 1.15 + 2.53 * spread;
        let bend = -0.0873 + 0.0248 * slope + 0.01 * p;
        let centre = trials * p + 0.5;
        let squeeze = 0.92 - 4.2 / slope;
        let height = (2.83 + 5.1 / slope) * spread;
        loop {
            let across = random.unit() - 0.5;
            let up = random.unit();
            let edge = 0.5 - across.abs();
            let drawn = ((2.0 * bend / edge + slope) * across + centre).floor();
            // A drawn edge of zero gives an infinite number, which is out of range as well.
            if !(0.0..=trials).contains(&drawn) {
                continue;
            }
            // Most draws end here and need no logarithm.
            if edge >= 0.07 && up <= squeeze {
                return whole(drawn);
            }
            let mode = ((trials + 1.0) * p).floor();
            let ln_ratio = factorials.ln_ways(n, whole(drawn)) - factorials.ln_ways(n, whole(mode))
                + (drawn - mode) * self.ln_odds;
            if (up * height / (bend / (edge * edge) + slope)).ln() <= ln_ratio {
                return whole(drawn);
            }
        }
    }
}

/// Logarithms of factorials that were needed before: resamples need the same few again.
#[derive(Default)]
struct Factorials {
    ln: Vec<Option<f64>>,
}

impl Factorials {
    /// The logarithm of the number of ways to choose `k` of `n`.
    fn ln_ways(&mut self, n: u64, k: u64) -> f64 {
        self.ln(n) - self.ln(k) - self.ln(n - k)
    }

    fn ln(&mut self, n: u64) -> f64 {
        let place = usize::try_from(n).expect("there are as many members in memory");
        if self.ln.len() <= place {
            self.ln.resize(place + 1, None);
        }
        *self.ln[place].get_or_insert_with(|| ln_factorial(n))
    }
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
        let (chance, mut factorials) = (Chance::of(p), Factorials::default());
        for _ in 0..DRAWS {
            let drawn = chance.successes(&mut random, n, &mut factorials);
            seen[usize::try_from(drawn).unwrap()] += 1;
        }
        let (mut chi_square, mut cells) = (0.0, 0.0);
        for (k, seen) in (0..).zip(seen) {
            let expected = f64::from(DRAWS)
                * (factorials.ln_ways(n, k) + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln()).exp();
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
        let (mut random, mut groups) = (Random::new(5), Multinomial::new(&sizes));
        let mut sums = [0_u64; 5];
        for _ in 0..2_000 {
            let mut counts = [0; 5];
            groups.redraw(&mut random, &mut counts);
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
