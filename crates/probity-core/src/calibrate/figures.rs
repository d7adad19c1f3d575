//! The figures of one judge, or of whoever stands in for one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::counting::Counting;
use super::measures::measures;
use super::replace::Replacement;
use super::sheet::{Sheet, Unit};
use crate::stats::{CrossTable, Estimate, Undefined, crossed};

/// How far somebody says what people say.
#[derive(Debug, Clone)]
pub struct Figures {
    /// Items and criteria with a label and a verdict that counts.
    pub n_units: u64,
    /// The items behind them: one that was asked about several criteria counts once.
    pub n_rows: u64,
    /// Figures by name, in the order of reports.
    pub figures: Vec<(&'static str, Result<Estimate, Undefined>)>,
    /// What was said, row by row, against what people say.
    pub table: CrossTable,
}

/// The figures of one judge.
#[derive(Debug, Clone)]
pub struct JudgeFigures {
    /// Over all units.
    pub overall: Figures,
    /// By slice.
    pub by_slice: BTreeMap<Arc<str>, Figures>,
    /// By criterion, where several were asked about.
    pub by_criterion: BTreeMap<Arc<str>, Figures>,
    /// Slices that agree less often than is asked for.
    pub weak_slices: Vec<Arc<str>>,
    /// Labelled units without a verdict that counts.
    pub n_without_verdict: u64,
    /// Whether it could take a person's place.
    pub replacement: Replacement,
}

impl Figures {
    /// The figure of this name.
    pub fn get(&self, name: &str) -> Option<Result<Estimate, Undefined>> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure)
    }
}

/// What a rater said about a unit: rows and columns of the table.
pub(super) type Observed<'a> = (&'a Unit, Vec<(usize, usize)>);

/// The figures of observations, drawn again by what belongs together.
pub(super) fn figures(sheet: &Sheet, observed: &[Observed], counting: &Counting) -> Figures {
    let k = sheet.scale.names().len();
    let mut clusters: BTreeMap<&str, Vec<(usize, f64)>> = BTreeMap::new();
    for (unit, observations) in observed {
        let cells = observations.iter().map(|(row, column)| (row * k + column, 1.0));
        clusters.entry(&unit.cluster).or_default().extend(cells);
    }
    let measures = measures(&sheet.scale);
    let all = crossed(clusters.into_values(), sheet.scale.positions(), &measures, counting.sampling);
    let counted = observed.iter().filter(|(_, observations)| !observations.is_empty());
    let rows: BTreeSet<usize> = counted.clone().map(|(unit, _)| unit.row).collect();
    Figures {
        n_units: counted.count() as u64,
        n_rows: rows.len() as u64,
        figures: measures.iter().map(|measure| measure.name).zip(all.figures).collect(),
        table: all.table,
    }
}

/// The same for each part of the units that `name` names.
pub(super) fn parts<'a>(
    sheet: &Sheet,
    observed: &[Observed<'a>],
    counting: &Counting,
    name: impl Fn(&Unit) -> Option<Arc<str>>,
) -> BTreeMap<Arc<str>, Figures> {
    let mut parts: BTreeMap<Arc<str>, Vec<Observed<'a>>> = BTreeMap::new();
    for (unit, observations) in observed {
        if let Some(name) = name(unit) {
            parts.entry(name).or_default().push((unit, observations.clone()));
        }
    }
    parts.into_iter().map(|(name, part)| (name, figures(sheet, &part, counting))).collect()
}
