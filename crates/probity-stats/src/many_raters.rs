//! Figures of agreement with their intervals: clusters are drawn, tables are added up, figures follow.

use super::alpha::{Metric, alpha, fleiss};
use super::bootstrap::{Groups, estimate};
use super::chance::{Undefined, beyond_of};
use super::cross_table::{CrossFigure, CrossTable};
use super::{Estimate, Resampling, wilson};

/// How figures are drawn, and from how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// How often and from which seed.
    pub resampling: Resampling,
    /// So many clusters there must be for a figure that is more than a share.
    pub n_min: u64,
}

/// What kind of number a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureKind {
    /// A share of observations, which says something from the first one on.
    Share,
    /// Agreement beyond chance, or a correlation: one at best.
    Coefficient,
    /// A difference on the scale.
    Difference,
}

/// A figure of a table of two raters.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Its name in files and reports.
    pub name: &'static str,
    /// What it is.
    pub kind: MeasureKind,
    /// How it is made.
    pub figure: CrossFigure,
    /// What it is a figure of.
    pub n: fn(&CrossTable) -> f64,
}

/// The figures of two raters.
#[derive(Debug, Clone)]
pub struct Crossed {
    /// One for each measure that was asked for, in that order.
    pub figures: Vec<Result<Estimate, Undefined>>,
    /// The table itself.
    pub table: CrossTable,
}

/// The figures of what clusters add to a table: cells, row by row, and how much. Categories stand at
/// `positions`.
pub fn crossed<C>(
    clusters: impl Iterator<Item = C>,
    positions: &[f64],
    measures: &[Measure],
    sampling: Sampling,
) -> Crossed
where
    C: IntoIterator<Item = (usize, f64)>,
{
    let k = positions.len();
    let groups = Groups::sparse(clusters, (k + 1) * k);
    let (cells, n_clusters) = (groups.totals(), groups.size());
    let mut table = CrossTable::new(positions);
    table.fill(&cells);
    let enough = |measure: &Measure| match measure.kind {
        _ if n_clusters == 0 => Err(Undefined::Nothing),
        MeasureKind::Coefficient | MeasureKind::Difference if n_clusters < sampling.n_min => {
            Err(Undefined::TooFew { n: n_clusters, n_min: sampling.n_min })
        }
        _ => (measure.figure)(&table),
    };
    let values: Vec<Result<f64, Undefined>> = measures.iter().map(enough).collect();
    let mut drawn: Vec<Vec<f64>> = vec![Vec::new(); measures.len()];
    if values.iter().any(Result::is_ok) {
        let mut table = table.clone();
        groups.draw(sampling.resampling, |cells| {
            table.fill(cells);
            for ((measure, value), drawn) in measures.iter().zip(&values).zip(&mut drawn) {
                if value.is_ok() {
                    drawn.extend((measure.figure)(&table));
                }
            }
        });
    }
    let each = measures.iter().zip(values).zip(drawn);
    let figures = each.map(|((measure, value), mut drawn)| {
        let (value, n) = (value?, (measure.n)(&table));
        // Observations of one cluster say the same thing again.
        let n_apart = n.min(n_clusters as f64);
        let ends = || without_spread(measure.kind, value, n_apart, &table);
        Ok(estimate(value, n, &mut drawn, n_clusters, ends))
    });
    Crossed { figures: figures.collect(), table: table.clone() }
}

/// The interval of a figure that every resample has: what Wilson's interval of the agreement makes of it.
fn without_spread(kind: MeasureKind, value: f64, n: f64, table: &CrossTable) -> (f64, f64) {
    let agreement = table.agreement().unwrap_or(0.0);
    let ends = wilson(agreement, n);
    match kind {
        MeasureKind::Share => wilson(value, n),
        MeasureKind::Coefficient if agreement >= 1.0 => {
            let (low, high) = beyond_of(ends, table.expected());
            (low.max(-1.0), high.min(1.0))
        }
        // A full correlation without full agreement: from one to minus one, what goes from all to none.
        MeasureKind::Coefficient if value.abs() >= 1.0 - 1e-12 => {
            let inner = value * (2.0 * wilson(1.0, n).0 - 1.0);
            (inner.min(value), inner.max(value))
        }
        // A rater that always says the same has this figure whatever others say.
        MeasureKind::Coefficient => (value, value),
        // What may be wrong is wrong by the whole scale at most.
        MeasureKind::Difference => {
            let reach = (1.0 - ends.0) * table.span();
            (value - reach, value + reach)
        }
    }
}

/// The figures of any number of raters.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    /// Krippendorff's alpha, categories without order.
    pub nominal: Result<Estimate, Undefined>,
    /// Krippendorff's alpha, categories in order.
    pub ordinal: Result<Estimate, Undefined>,
    /// Krippendorff's alpha, categories as numbers.
    pub interval: Result<Estimate, Undefined>,
    /// The kappa of Fleiss; it means something only where all units have equally many ratings.
    pub fleiss: Result<Estimate, Undefined>,
}

/// A figure of a matrix of coincidences.
type MatrixFigure<'a> = &'a dyn Fn(&[f64]) -> Result<f64, Undefined>;

/// The figures of what clusters add to a matrix of coincidences ([`super::coincidences`]), and how many units
/// each has that add something.
pub fn rated<C>(clusters: impl Iterator<Item = (u64, C)>, positions: &[f64], sampling: Sampling) -> Rated
where
    C: IntoIterator<Item = (usize, f64)>,
{
    let k = positions.len();
    let mut n_units = 0;
    let clusters = clusters.map(|(units, cells)| {
        n_units += units;
        cells
    });
    let groups = Groups::sparse(clusters, k * k);
    let n_clusters = groups.size();
    let figures: [MatrixFigure; 4] = [
        &|matrix| alpha(matrix, positions, Metric::Nominal),
        &|matrix| alpha(matrix, positions, Metric::Ordinal),
        &|matrix| alpha(matrix, positions, Metric::Interval),
        &|matrix| fleiss(matrix, k),
    ];
    let totals = groups.totals();
    let values = figures.map(|figure| match n_clusters {
        0 => Err(Undefined::Nothing),
        n if n < sampling.n_min => Err(Undefined::TooFew { n, n_min: sampling.n_min }),
        _ => figure(&totals),
    });
    let mut drawn: [Vec<f64>; 4] = Default::default();
    if values.iter().any(Result::is_ok) {
        groups.draw(sampling.resampling, |matrix| {
            for (figure, drawn) in figures.iter().zip(&mut drawn) {
                drawn.extend(figure(matrix));
            }
        });
    }
    let n: f64 = totals.iter().sum();
    let same: f64 = (0..k).map(|c| totals[c * k + c]).sum::<f64>() / n;
    let share = |c: usize| totals[c * k..(c + 1) * k].iter().sum::<f64>() / n;
    let expected: f64 = (0..k).map(|c| share(c).powi(2)).sum();
    let mut drawn = drawn.into_iter();
    let [nominal, ordinal, interval, fleiss] = values.map(|value| {
        let (value, mut drawn) = (value?, drawn.next().unwrap_or_default());
        let ends = || beyond_of(wilson(same.min(1.0), n_clusters as f64), expected);
        Ok(estimate(value, n_units as f64, &mut drawn, n_clusters, ends))
    });
    Rated { nominal, ordinal, interval, fleiss }
}

#[cfg(test)]
mod tests;
