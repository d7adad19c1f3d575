//! Everything that a sheet says.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counting::Counting;
use super::figures::{JudgeFigures, Observed, figures, parts};
use super::floor::{Floors, floors};
use super::people::{People, people};
use super::replace::replacement;
use super::scale::Scale;
use super::sheet::{LabelCounts, Sheet, Unit, Verdict};

/// The slice of units that name none.
const NO_SLICE: &str = "(none)";

/// Everything that labels and verdicts say about judges and people.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// What counts as what.
    pub counting: Counting,
    /// What can be said.
    pub scale: Scale,
    /// What became of the labels.
    pub labels: LabelCounts,
    /// By judge.
    pub judges: BTreeMap<Arc<str>, JudgeFigures>,
    /// People against people, on units that have a label and, where there are verdicts, one of those.
    pub people: People,
    /// The same by slice.
    pub people_by_slice: BTreeMap<Arc<str>, People>,
    /// Judges that do not look, on the same units. `None` where there is no label.
    pub floors: Option<Floors>,
}

/// The figures of a sheet.
pub fn calibration(sheet: &Sheet, counting: Counting) -> Calibration {
    let judge = |(name, said): (&Arc<str>, &Vec<(usize, Verdict)>)| {
        (Arc::clone(name), judge_figures(sheet, said, &counting))
    };
    let labelled: Vec<&Unit> =
        sheet.units.iter().filter(|unit| !unit.gold.is_empty() || !unit.votes.is_empty()).collect();
    let mut slices: BTreeMap<Arc<str>, Vec<&Unit>> = BTreeMap::new();
    for unit in &labelled {
        slices.entry(slice(unit)).or_default().push(unit);
    }
    let by_slice = slices.iter().map(|(name, units)| (Arc::clone(name), people(sheet, units, &counting)));
    Calibration {
        counting,
        scale: sheet.scale.clone(),
        labels: sheet.counts.clone(),
        judges: sheet.judges.iter().map(judge).collect(),
        people: people(sheet, &labelled, &counting),
        people_by_slice: by_slice.collect(),
        floors: floors(sheet, &labelled, &counting),
    }
}

fn slice(unit: &Unit) -> Arc<str> {
    unit.slice.clone().unwrap_or_else(|| Arc::from(NO_SLICE))
}

fn judge_figures(sheet: &Sheet, said: &[(usize, Verdict)], counting: &Counting) -> JudgeFigures {
    let labelled = said.iter().map(|(place, verdict)| (&sheet.units[*place], *verdict));
    let labelled: Vec<(&Unit, Verdict)> = labelled.filter(|(unit, _)| !unit.gold.is_empty()).collect();
    let observe = |(unit, verdict): &(&'_ Unit, Verdict)| sheet.observations(unit, *verdict, counting);
    let observed: Vec<Observed> = labelled.iter().map(|each| (each.0, observe(each))).collect();
    let by_slice = parts(sheet, &observed, counting, |unit| Some(slice(unit)));
    let weak = by_slice.iter().filter(|(_, figures)| {
        let agreement = figures.get("agreement").and_then(Result::ok);
        agreement.is_some_and(|agreement| agreement.value < counting.weak_below)
    });
    let weak_slices = weak.map(|(name, _)| Arc::clone(name)).collect();
    let alone: Vec<(&Unit, usize)> = labelled
        .iter()
        .filter_map(|(unit, verdict)| Some((*unit, sheet.said(*verdict, counting)?)))
        .collect();
    let n_labelled = sheet.units.iter().filter(|unit| !unit.gold.is_empty()).count() as u64;
    let overall = figures(sheet, &observed, counting);
    JudgeFigures {
        n_without_verdict: n_labelled - overall.n_units,
        overall,
        by_slice,
        by_criterion: parts(sheet, &observed, counting, |unit| unit.criterion.clone()),
        weak_slices,
        replacement: replacement(sheet, &alone, counting),
    }
}
