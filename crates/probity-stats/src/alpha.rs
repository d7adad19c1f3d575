//! Agreement of any number of raters, some of whom may not have rated everything.
//!
//! Krippendorff's alpha (2011, "Computing Krippendorff's alpha-reliability") counts each pair of ratings of one
//! unit in a matrix of coincidences, weighed so that a unit counts as often as it was rated. The kappa of
//! Fleiss (1971) follows from the same matrix where all units have equally many ratings.

use super::chance::{Undefined, beyond};

/// What makes two categories differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// They are not the same.
    Nominal,
    /// Ratings lie between them.
    Ordinal,
    /// Their distance on the scale.
    Interval,
}

/// What the ratings of one unit add to the coincidences: cells of a square matrix, row by row, and how much.
/// A unit with one rating adds nothing.
pub fn coincidences(counts: &[u32]) -> Vec<(usize, f64)> {
    let n_ratings: u32 = counts.iter().sum();
    if n_ratings < 2 {
        return Vec::new();
    }
    let mut cells = Vec::new();
    for (c, n_c) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
        for (k, n_k) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let pairs = if c == k { n_c * (n_c - 1) } else { n_c * n_k };
            if pairs > 0 {
                cells.push((c * counts.len() + k, f64::from(pairs) / f64::from(n_ratings - 1)));
            }
        }
    }
    cells
}

/// Krippendorff's alpha of a matrix of coincidences, for categories at `positions`.
pub fn alpha(matrix: &[f64], positions: &[f64], metric: Metric) -> Result<f64, Undefined> {
    let k = positions.len();
    let sums: Vec<f64> = matrix.chunks_exact(k.max(1)).map(|row| row.iter().sum()).collect();
    let n: f64 = sums.iter().sum();
    if n <= 0.0 {
        return Err(Undefined::Nothing);
    }
    let mut up_to = vec![0.0; k + 1];
    for (c, sum) in sums.iter().enumerate() {
        up_to[c + 1] = up_to[c] + sum;
    }
    let (mut observed, mut expected) = (0.0, 0.0);
    for c in 0..k {
        for other in c + 1..k {
            let distance = match metric {
                Metric::Nominal => 1.0,
                Metric::Ordinal => up_to[other + 1] - up_to[c] - f64::midpoint(sums[c], sums[other]),
                Metric::Interval => positions[c] - positions[other],
            };
            let squared = distance * distance;
            observed += squared * matrix[c * k + other];
            expected += squared * sums[c] * sums[other];
        }
    }
    if expected > 0.0 { Ok(1.0 - (n - 1.0) * observed / expected) } else { Err(Undefined::OneClass) }
}

/// The kappa of Fleiss, from the coincidences of units that all have equally many ratings.
pub fn fleiss(matrix: &[f64], n_categories: usize) -> Result<f64, Undefined> {
    let rows = || matrix.chunks_exact(n_categories.max(1));
    let n: f64 = matrix.iter().sum();
    if n <= 0.0 {
        return Err(Undefined::Nothing);
    }
    let same: f64 = rows().enumerate().map(|(c, row)| row[c]).sum();
    let expected = rows().map(|row| (row.iter().sum::<f64>() / n).powi(2)).sum();
    beyond(same / n, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix of units, each with its ratings from zero up.
    fn matrix(units: &[&[usize]], k: usize) -> Vec<f64> {
        let mut matrix = vec![0.0; k * k];
        for unit in units {
            let mut counts = vec![0; k];
            unit.iter().for_each(|rating| counts[*rating] += 1);
            for (cell, part) in coincidences(&counts) {
                matrix[cell] += part;
            }
        }
        matrix
    }

    #[track_caller]
    fn check(got: Result<f64, Undefined>, want: f64) {
        let got = got.expect("a figure");
        assert!((got - want).abs() < 5e-4, "{got} instead of {want}");
    }

    /// Four observers, twelve units, five categories, seven ratings missing: the example of Krippendorff 2011.
    const TWELVE: &[&[usize]] = &[
        &[0, 0, 0],
        &[1, 1, 2, 1],
        &[2, 2, 2, 2],
        &[2, 2, 2, 2],
        &[1, 1, 1, 1],
        &[0, 1, 2, 3],
        &[3, 3, 3, 3],
        &[0, 0, 1, 0],
        &[1, 1, 1, 1],
        &[4, 4, 4],
        &[0, 0],
        &[2],
    ];

    #[test]
    fn alpha_is_that_of_the_paper() {
        let (matrix, places) = (matrix(TWELVE, 5), [1.0, 2.0, 3.0, 4.0, 5.0]);
        check(alpha(&matrix, &places, Metric::Nominal), 0.743);
        check(alpha(&matrix, &places, Metric::Ordinal), 0.815);
        check(alpha(&matrix, &places, Metric::Interval), 0.849);
    }

    #[test]
    fn fleiss_worked_by_hand() {
        // Three raters: all agree on a, all on b, two against one. Observed (1 + 1 + 1/3) / 3; shares 5/9, 4/9.
        let matrix = matrix(&[&[0, 0, 0], &[1, 1, 1], &[0, 0, 1]], 2);
        let expected = (25.0 + 16.0) / 81.0;
        check(fleiss(&matrix, 2), (7.0 / 9.0 - expected) / (1.0 - expected));
    }

    #[test]
    fn l08_units_with_one_rating_say_nothing() {
        assert_eq!(alpha(&matrix(&[&[0], &[1]], 2), &[0.0, 1.0], Metric::Nominal), Err(Undefined::Nothing));
        assert_eq!(fleiss(&matrix(&[&[0], &[1]], 2), 2), Err(Undefined::Nothing));
    }

    #[test]
    fn l06_one_class_says_nothing() {
        let one = matrix(&[&[0, 0], &[0, 0, 0]], 2);
        assert_eq!(alpha(&one, &[0.0, 1.0], Metric::Nominal), Err(Undefined::OneClass));
        assert_eq!(fleiss(&one, 2), Err(Undefined::OneClass));
    }
}
