//! What two raters say about the same things, as one table, and every figure that follows from it.
//!
//! The table is all that a figure needs, so a resample is a table and costs as much as the table has cells,
//! however many things were rated. What a rater said that is no category of the scale stands in a row of its
//! own: it is a category for figures that know no order, and no part of those that need one.
//!
//! What always holds: a figure that does not exist is [`Undefined`] with its reason, never a number.

use super::alpha::{Metric, alpha};
use super::chance::{Undefined, beyond};

/// How often the first rater said one category while the second said another.
#[derive(Debug, Clone)]
pub struct CrossTable {
    /// Row by row: one for each category of the first rater and one for what is none, a column for each
    /// category of the second.
    cells: Vec<f64>,
    /// Where each category stands on the scale.
    positions: Vec<f64>,
}

/// A figure of such a table.
pub type CrossFigure = fn(&CrossTable) -> Result<f64, Undefined>;

impl CrossTable {
    /// A table of nothing, for categories at `positions`.
    pub fn new(positions: &[f64]) -> Self {
        CrossTable {
            cells: vec![0.0; (positions.len() + 1) * positions.len()],
            positions: positions.to_vec(),
        }
    }

    /// The same scale with other cells. Panics where there are not as many as categories ask for.
    pub fn fill(&mut self, cells: &[f64]) {
        self.cells.copy_from_slice(cells);
    }

    /// Row by row: one for each category of the first rater and one for what is none, a column for each
    /// category of the second.
    pub fn cells(&self) -> &[f64] {
        &self.cells
    }

    /// How many categories the scale has.
    fn k(&self) -> usize {
        self.positions.len()
    }

    fn cell(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.k() + column]
    }

    fn row(&self, row: usize) -> f64 {
        self.cells[row * self.k()..(row + 1) * self.k()].iter().sum()
    }

    fn column(&self, column: usize) -> f64 {
        (0..=self.k()).map(|row| self.cell(row, column)).sum()
    }

    /// All observations.
    pub fn n(&self) -> f64 {
        self.cells.iter().sum()
    }

    /// The distance between the ends of the scale.
    pub(super) fn span(&self) -> f64 {
        match &self.positions[..] {
            [first, .., last] => (last - first).abs(),
            _ => 0.0,
        }
    }

    /// Observations of categories.
    pub fn n_placed(&self) -> f64 {
        self.cells[..self.k() * self.k()].iter().sum()
    }

    /// The share on the diagonal.
    pub fn agreement(&self) -> Result<f64, Undefined> {
        let n = self.n();
        let same: f64 = (0..self.k()).map(|c| self.cell(c, c)).sum();
        if n > 0.0 { Ok(same / n) } else { Err(Undefined::Nothing) }
    }

    /// Errs where fewer than two categories are in use.
    fn two_classes(&self) -> Result<(), Undefined> {
        if self.n() <= 0.0 {
            return Err(Undefined::Nothing);
        }
        let said = |c: usize| self.row(c) + if c < self.k() { self.column(c) } else { 0.0 };
        if (0..=self.k()).filter(|c| said(*c) > 0.0).count() < 2 { Err(Undefined::OneClass) } else { Ok(()) }
    }

    /// The agreement that Cohen (1960) expects of chance.
    pub fn expected(&self) -> f64 {
        let n = self.n();
        (0..self.k()).map(|c| self.row(c) * self.column(c)).sum::<f64>() / (n * n)
    }

    /// Cohen's kappa.
    pub fn cohen(&self) -> Result<f64, Undefined> {
        self.two_classes()?;
        beyond(self.agreement()?, self.expected())
    }

    /// Cohen's kappa with every observation counted from both ends of the scale: the one that does not depend
    /// on which of two candidates is called the first.
    pub fn cohen_mirrored(&self) -> Result<f64, Undefined> {
        let (k, mut both) = (self.k(), self.clone());
        for i in 0..k {
            for j in 0..k {
                both.cells[i * k + j] += self.cell(k - 1 - i, k - 1 - j);
            }
        }
        let unplaced: Vec<f64> = (0..k).map(|j| self.cell(k, j) + self.cell(k, k - 1 - j)).collect();
        both.cells[k * k..].copy_from_slice(&unplaced);
        both.cohen()
    }

    /// The large-sample standard error of Cohen's kappa (Fleiss, Cohen and Everitt 1969), which takes
    /// observations as independent.
    pub fn cohen_standard_error(&self) -> Result<f64, Undefined> {
        let (kappa, expected, n) = (self.cohen()?, self.expected(), self.n());
        let column = |c: usize| if c < self.k() { self.column(c) / n } else { 0.0 };
        let (mut same, mut different) = (0.0, 0.0);
        for i in 0..=self.k() {
            for j in 0..self.k() {
                let share = self.cell(i, j) / n;
                if i == j {
                    let both = self.row(i) / n + column(i);
                    same += share * (1.0 - both * (1.0 - kappa)).powi(2);
                } else {
                    different += share * (column(i) + self.row(j) / n).powi(2);
                }
            }
        }
        let squares = same + (1.0 - kappa).powi(2) * different - (kappa - expected * (1.0 - kappa)).powi(2);
        Ok((squares.max(0.0) / n).sqrt() / (1.0 - expected))
    }

    /// Scott's pi, which is the kappa of Fleiss (1971) for two raters.
    pub fn scott(&self) -> Result<f64, Undefined> {
        self.two_classes()?;
        let n = self.n();
        let share = |c: usize| (self.row(c) + if c < self.k() { self.column(c) } else { 0.0 }) / (2.0 * n);
        beyond(self.agreement()?, (0..=self.k()).map(|c| share(c).powi(2)).sum())
    }

    /// Gwet's AC1 (2008), whose chance is that of raters who guess only where they do not know.
    pub fn gwet(&self) -> Result<f64, Undefined> {
        self.two_classes()?;
        let n = self.n();
        let unplaced = self.row(self.k()) > 0.0;
        let n_categories = self.k() + usize::from(unplaced);
        let share = |c: usize| (self.row(c) + if c < self.k() { self.column(c) } else { 0.0 }) / (2.0 * n);
        let spread: f64 = (0..=self.k()).map(|c| share(c) * (1.0 - share(c))).sum();
        beyond(self.agreement()?, spread / (n_categories as f64 - 1.0))
    }

    /// Cohen's kappa (1968) with disagreement weighed by distance.
    pub fn cohen_linear(&self) -> Result<f64, Undefined> {
        self.weighted(f64::abs)
    }

    /// Cohen's kappa (1968) with disagreement weighed by the square of the distance.
    pub fn cohen_quadratic(&self) -> Result<f64, Undefined> {
        self.weighted(|distance| distance * distance)
    }

    fn weighted(&self, weight: impl Fn(f64) -> f64) -> Result<f64, Undefined> {
        let placed = self.placed()?;
        let n = self.n_placed();
        let (mut observed, mut expected) = (0.0, 0.0);
        for (i, said) in self.positions.iter().enumerate() {
            for (j, against) in self.positions.iter().enumerate() {
                let weight = weight(said - against);
                observed += weight * self.cell(i, j);
                expected += weight * placed.rows[i] * placed.columns[j] / n;
            }
        }
        if expected > 0.0 { Ok(1.0 - observed / expected) } else { Err(Undefined::OneClass) }
    }

    /// Krippendorff's alpha of the two raters, categories without order.
    pub fn alpha_nominal(&self) -> Result<f64, Undefined> {
        self.alpha(Metric::Nominal)
    }

    /// Krippendorff's alpha of the two raters, categories in order.
    pub fn alpha_ordinal(&self) -> Result<f64, Undefined> {
        self.alpha(Metric::Ordinal)
    }

    /// Krippendorff's alpha of the two raters, categories as numbers.
    pub fn alpha_interval(&self) -> Result<f64, Undefined> {
        self.alpha(Metric::Interval)
    }

    fn alpha(&self, metric: Metric) -> Result<f64, Undefined> {
        let k = self.k();
        let mut coincidences = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..k {
                coincidences[i * k + j] = self.cell(i, j) + self.cell(j, i);
            }
        }
        alpha(&coincidences, &self.positions, metric)
    }

    /// The share of the last category of the scale that the first rater says as well: for pass and fail, the
    /// passes that are found.
    pub fn sensitivity(&self) -> Result<f64, Undefined> {
        self.share_of(self.k() - 1)
    }

    /// The share of the first category of the scale that the first rater says as well: for pass and fail, the
    /// fails that are found.
    pub fn specificity(&self) -> Result<f64, Undefined> {
        self.share_of(0)
    }

    /// All observations, from both ends of the scale.
    pub fn n_mirrored(&self) -> f64 {
        2.0 * self.n()
    }

    /// Observations of the last category of the scale, by the second rater.
    pub fn n_last(&self) -> f64 {
        self.column(self.k() - 1)
    }

    /// Observations of the first category of the scale, by the second rater.
    pub fn n_first(&self) -> f64 {
        self.column(0)
    }

    fn share_of(&self, category: usize) -> Result<f64, Undefined> {
        let all = self.column(category);
        if all > 0.0 { Ok(self.cell(category, category) / all) } else { Err(Undefined::NoSuchClass) }
    }

    /// The mean over categories of the share of what the first rater says that the second says too.
    pub fn macro_precision(&self) -> Result<f64, Undefined> {
        self.macro_mean(|said, _, both| ratio(both, said))
    }

    /// The mean over categories of the share of what the second rater says that the first says too.
    pub fn macro_recall(&self) -> Result<f64, Undefined> {
        self.macro_mean(|_, against, both| ratio(both, against))
    }

    /// The mean over categories of the harmonic mean of precision and recall.
    pub fn macro_f1(&self) -> Result<f64, Undefined> {
        self.macro_mean(|said, against, both| ratio(2.0 * both, said + against))
    }

    fn macro_mean(&self, of: impl Fn(f64, f64, f64) -> f64) -> Result<f64, Undefined> {
        self.two_classes()?;
        let used: Vec<usize> = (0..self.k()).filter(|c| self.row(*c) + self.column(*c) > 0.0).collect();
        let sum: f64 = used.iter().map(|c| of(self.row(*c), self.column(*c), self.cell(*c, *c))).sum();
        Ok(sum / used.len() as f64)
    }

    /// How much higher the first rater's scores are than the second's, on average.
    pub fn mean_error(&self) -> Result<f64, Undefined> {
        let n = self.n_placed();
        if n <= 0.0 {
            return Err(Undefined::Nothing);
        }
        let mut sum = 0.0;
        for (i, said) in self.positions.iter().enumerate() {
            for (j, against) in self.positions.iter().enumerate() {
                sum += (said - against) * self.cell(i, j);
            }
        }
        Ok(sum / n)
    }

    /// The rows and columns of categories alone, where both raters use at least two.
    fn placed(&self) -> Result<Placed, Undefined> {
        if self.n_placed() <= 0.0 {
            return Err(Undefined::Nothing);
        }
        let rows = (0..self.k()).map(|c| self.row(c)).collect();
        let columns = (0..self.k()).map(|j| (0..self.k()).map(|i| self.cell(i, j)).sum()).collect();
        Ok(Placed { rows, columns })
    }

    /// Spearman's rank correlation: Pearson's of ranks, equal scores sharing the middle of theirs.
    pub fn spearman(&self) -> Result<f64, Undefined> {
        let Placed { rows, columns } = self.placed()?;
        let (said, against) = (centred_ranks(&rows), centred_ranks(&columns));
        let mut product = 0.0;
        for (i, said) in said.iter().enumerate() {
            for (j, against) in against.iter().enumerate() {
                product += said * against * self.cell(i, j);
            }
        }
        let spread =
            |ranks: &[f64], n: &[f64]| ranks.iter().zip(n).map(|(rank, n)| rank * rank * n).sum::<f64>();
        let spreads = spread(&said, &rows) * spread(&against, &columns);
        if spreads > 0.0 { Ok(product / spreads.sqrt()) } else { Err(Undefined::OneClass) }
    }

    /// Kendall's tau-b (1945), which takes ties out of what could agree.
    pub fn kendall(&self) -> Result<f64, Undefined> {
        let Placed { rows, columns } = self.placed()?;
        let (mut balance, mut below) = (0.0, vec![0.0; self.k()]);
        for i in (0..self.k()).rev() {
            // `below` holds, for each column, what stands in later rows.
            let all: f64 = below.iter().sum();
            let mut before = 0.0;
            for (j, column) in below.iter().enumerate() {
                balance += self.cell(i, j) * ((all - before - column) - before);
                before += column;
            }
            below.iter_mut().enumerate().for_each(|(j, sum)| *sum += self.cell(i, j));
        }
        let n = self.n_placed();
        let pairs = |n: f64| n * (n - 1.0) / 2.0;
        let untied = |sums: &[f64]| pairs(n) - sums.iter().map(|n| pairs(*n)).sum::<f64>();
        let spread = untied(&rows) * untied(&columns);
        if spread > 0.0 { Ok(balance / spread.sqrt()) } else { Err(Undefined::OneClass) }
    }
}

struct Placed {
    rows: Vec<f64>,
    columns: Vec<f64>,
}

fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { numerator / denominator } else { 0.0 }
}

/// The rank of each category, measured from the mean rank.
fn centred_ranks(sums: &[f64]) -> Vec<f64> {
    let n: f64 = sums.iter().sum();
    let mut before = 0.0;
    let rank = |sum: &f64| {
        let rank = before + f64::midpoint(*sum, 1.0);
        before += sum;
        rank - f64::midpoint(n, 1.0)
    };
    sums.iter().map(rank).collect()
}

#[cfg(test)]
mod tests;
