//! The figures of one judge, or of a floor in its place.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counting::Counting;
use super::measures::measures;
use super::replace::Replacement;
use crate::label::{Sheet, Unit, Verdict};
use crate::stats::{CrossTable, Estimate, Undefined, crossed};

/// How far a rater says what people say.
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
    /// What the figures are made of, unit by unit.
    pub held: Vec<HeldUnit>,
}

/// What was said about one item, compared with what people say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldUnit {
    /// The item.
    pub item: Arc<str>,
    /// What was asked about it, where several things were.
    pub criterion: Option<Arc<str>>,
    /// Its slice.
    pub slice: Arc<str>,
    /// The cells of the table that it is counted in: the row of what was said and the column of what people say.
    pub cells: Vec<(usize, usize)>,
    /// What people said for themselves: the person and the place on the scale.
    pub votes: Vec<(Arc<str>, usize)>,
}

impl Figures {
    /// The figure of this name.
    pub fn get(&self, name: &str) -> Option<Result<Estimate, Undefined>> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure)
    }
}

/// What a rater said about a unit.
pub(super) type RatedUnit<'a> = (&'a Unit, Verdict);

/// The figures of what was said about units, in their order, drawn again by what belongs together.
pub(super) fn figures<'a>(sheet: &'a Sheet, said: &[RatedUnit<'a>], counting: &'a Counting) -> Figures {
    let k = sheet.scale.names().len();
    let observations = |(unit, verdict): &RatedUnit<'a>| sheet.observations(unit, *verdict, counting);
    let clusters = said.chunk_by(|(one, _), (other, _)| one.cluster == other.cluster);
    let scale = weight_scale(said.iter().map(|each| (observations(each).count() as f64, each.0.weight)));
    let weighed = |each: &RatedUnit<'a>| {
        let weight = scale.map_or(1.0, |scale| scale * each.0.weight);
        observations(each).map(move |(row, column)| (row * k + column, weight))
    };
    let cells = clusters.map(|cluster| cluster.iter().flat_map(weighed));
    let measures = measures(&sheet.scale);
    let all = crossed(cells, sheet.scale.positions(), &measures, counting.sampling);
    let counted = said.iter().filter(|each| observations(each).next().is_some());
    let mut rows: Vec<usize> = counted.map(|(unit, _)| unit.row).collect();
    let n_units = rows.len() as u64;
    rows.sort_unstable();
    rows.dedup();
    Figures {
        n_units,
        n_rows: rows.len() as u64,
        figures: measures.iter().map(|measure| measure.name).zip(all.figures).collect(),
        table: all.table,
    }
}

/// What weights are multiplied by so that all observations together count as many as there are: from how many a unit has
/// and what it stands for. `None` where all stand for equally many, and each counts one.
fn weight_scale(units: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut n, mut sum, mut ends) = (0.0, 0.0, (f64::INFINITY, 0.0_f64));
    for (n_here, weight) in units.filter(|(n_here, _)| *n_here > 0.0) {
        n += n_here;
        sum += n_here * weight;
        ends = (ends.0.min(weight), ends.1.max(weight));
    }
    (ends.0 < ends.1).then_some(n / sum)
}

/// What the figures of what was said are made of, in the order of the units.
pub(super) fn held(sheet: &Sheet, said: &[RatedUnit<'_>], counting: &Counting) -> Vec<HeldUnit> {
    let unit = |(unit, verdict): &RatedUnit<'_>| {
        let votes = unit.votes.iter().map(|(person, place)| (Arc::clone(&sheet.annotators[*person]), *place));
        HeldUnit {
            item: Arc::clone(&sheet.items[unit.row]),
            criterion: unit.criterion.map(|place| Arc::clone(&sheet.criteria[place])),
            slice: Arc::clone(&sheet.slices[unit.slice]),
            cells: sheet.observations(unit, *verdict, counting).collect(),
            votes: votes.collect(),
        }
    };
    said.iter().map(unit).filter(|held| !held.cells.is_empty()).collect()
}

/// The same for each of the parts with these names: a unit belongs to the one at the place that `of` gives.
pub(super) fn parts<'a>(
    sheet: &'a Sheet,
    said: &[RatedUnit<'a>],
    counting: &'a Counting,
    names: &[Arc<str>],
    of: impl Fn(&Unit) -> Option<usize>,
) -> BTreeMap<Arc<str>, Figures> {
    let mut parts: Vec<Vec<RatedUnit<'a>>> = vec![Vec::new(); names.len()];
    for each in said {
        if let Some(place) = of(each.0) {
            parts[place].push(*each);
        }
    }
    let parts = names.iter().zip(parts).filter(|(_, part)| !part.is_empty());
    parts.map(|(name, part)| (Arc::clone(name), figures(sheet, &part, counting))).collect()
}
