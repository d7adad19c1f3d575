//! How far two raters agree beyond chance.
//!
//! Both figures are (observed − expected) ÷ (1 − expected). They differ in what agreement is expected of raters
//! who do not look: Cohen (1960) gives each rater the shares it uses itself, Scott (1955) gives both the mean of
//! the two, which for two raters is the kappa of Fleiss (1971). Where chance alone agrees always, because only
//! one category is in use, there is nothing beyond it and no figure.

use super::bootstrap::{Groups, estimate};
use super::chance::{beyond, beyond_of};
use super::{Estimate, Resampling, wilson};

/// How many categories raters may use.
pub const N_CATEGORIES: usize = 4;

/// How often the first rater said one category while the second said another: row by row, a row for each
/// category of the first.
pub type Crossing = [f64; N_CATEGORIES * N_CATEGORIES];

/// Agreement beyond chance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Kappas {
    /// Cohen's kappa.
    pub cohen: Option<Estimate>,
    /// Scott's pi, which is the kappa of Fleiss for two raters.
    pub scott: Option<Estimate>,
}

/// Kappas of what clusters add, with intervals from drawing clusters as for other figures. Where every resample
/// says the same, the interval is that of the observed agreement by Wilson, with the expected one as it is.
pub fn kappas(clusters: &[Crossing], resampling: Resampling) -> Kappas {
    let added = clusters.iter().filter(|cluster| cluster.iter().any(|count| *count > 0.0));
    let groups = Groups::of(added.map(margins));
    if groups.size() == 0 {
        return Kappas::default();
    }
    let (mut cohen, mut scott) = (Vec::new(), Vec::new());
    groups.draw(resampling, |sums| {
        let shares = Shares::of(sums);
        cohen.extend(shares.beyond(shares.expected_cohen));
        scott.extend(shares.beyond(shares.expected_scott));
    });
    let all = Shares::of(&groups.totals());
    Kappas {
        cohen: all.estimate(all.expected_cohen, cohen, groups.size()),
        scott: all.estimate(all.expected_scott, scott, groups.size()),
    }
}

/// What the figures need of a table: how often both said the same, how often the first rater said each
/// category, and how often the second did. Shorter than the table, and more clusters have the same.
type Margins = [f64; 1 + 2 * N_CATEGORIES];

fn margins(crossing: &Crossing) -> Margins {
    let mut margins = Margins::default();
    for (cell, count) in crossing.iter().enumerate() {
        let (first, second) = (cell / N_CATEGORIES, cell % N_CATEGORIES);
        margins[0] += if first == second { *count } else { 0.0 };
        margins[1 + first] += count;
        margins[1 + N_CATEGORIES + second] += count;
    }
    margins
}

/// What the margins say.
struct Shares {
    n: f64,
    observed: f64,
    expected_cohen: f64,
    expected_scott: f64,
}

impl Shares {
    fn of(margins: &Margins) -> Self {
        let (first, second) = margins[1..].split_at(N_CATEGORIES);
        let n: f64 = first.iter().sum();
        let mut shares = Shares { n, observed: margins[0] / n, expected_cohen: 0.0, expected_scott: 0.0 };
        for (first, second) in first.iter().zip(second) {
            let (first, second) = (first / n, second / n);
            shares.expected_cohen += first * second;
            shares.expected_scott += f64::midpoint(first, second).powi(2);
        }
        shares
    }

    fn beyond(&self, expected: f64) -> Option<f64> {
        beyond(self.observed, expected).ok()
    }

    fn estimate(&self, expected: f64, mut drawn: Vec<f64>, n_clusters: u64) -> Option<Estimate> {
        let value = self.beyond(expected)?;
        Some(estimate(value, self.n, &mut drawn, n_clusters, || {
            beyond_of(wilson(self.observed, n_clusters as f64), expected)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Resampling = Resampling { n_resamples: 500, seed: 2 };

    /// One cluster for each observation of a table.
    fn table<const K: usize>(counts: [[u32; K]; K]) -> Vec<Crossing> {
        let mut clusters = Vec::new();
        for (first, row) in counts.iter().enumerate() {
            for (second, count) in row.iter().enumerate() {
                let mut one = [0.0; N_CATEGORIES * N_CATEGORIES];
                one[first * N_CATEGORIES + second] = 1.0;
                clusters.extend((0..*count).map(|_| one));
            }
        }
        clusters
    }

    #[track_caller]
    fn check(got: Option<Estimate>, want: f64) {
        let got = got.expect("a kappa");
        assert!((got.value - want).abs() < 1e-9, "{got:?} instead of {want}");
        assert!(got.low <= got.value && got.value <= got.high && got.high <= 1.0, "{got:?}");
    }

    #[test]
    fn kappas_worked_by_hand() {
        // Observed 0.75; expected by Cohen 3/8·4/8 + 3/8·2/8 + 2/8·2/8 = 22/64.
        let kappas_of = kappas(&table([[3, 0, 0], [0, 2, 1], [1, 0, 1]]), QUICK);
        check(kappas_of.cohen, (0.75 - 22.0 / 64.0) / (1.0 - 22.0 / 64.0));
        // Means of the shares 7/16, 5/16, 4/16: expected 90/256.
        check(kappas_of.scott, (0.75 - 90.0 / 256.0) / (1.0 - 90.0 / 256.0));
        // A textbook table: 20, 5, 10, 15 of 50.
        check(kappas(&table([[20, 5], [10, 15]]), QUICK).cohen, 0.4);
    }

    #[test]
    fn perfect_agreement_is_not_certainty() {
        let kappas = kappas(&table([[10, 0], [0, 10]]), QUICK);
        check(kappas.cohen, 1.0);
        let low = kappas.cohen.expect("a kappa").low;
        assert!((0.6..0.8).contains(&low), "{low}");
    }

    #[test]
    fn l06_one_category_says_nothing() {
        assert_eq!(kappas(&table([[9, 0], [0, 0]]), QUICK), Kappas::default());
        assert_eq!(kappas(&[], QUICK), Kappas::default());
    }
}
