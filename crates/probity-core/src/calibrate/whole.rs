//! Everything that a sheet says.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counting::Counting;
use super::figures::{JudgeFigures, figures, held, parts};
use super::floor::{Floors, floors};
use super::people::{People, people};
use super::replace::replacement;
use crate::label::{LabelCounts, Scale, Sheet, Unit, Verdict};

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
    /// The same by criterion, where several were asked about.
    pub people_by_criterion: BTreeMap<Arc<str>, People>,
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
    let people_by = |names: &[Arc<str>], of: &dyn Fn(&Unit) -> Option<usize>| -> BTreeMap<Arc<str>, People> {
        let mut parts: Vec<Vec<&Unit>> = vec![Vec::new(); names.len()];
        for unit in &labelled {
            if let Some(place) = of(unit) {
                parts[place].push(unit);
            }
        }
        let parts = names.iter().zip(parts).filter(|(_, units)| !units.is_empty());
        parts.map(|(name, units)| (Arc::clone(name), people(sheet, &units, &counting))).collect()
    };
    Calibration {
        counting,
        scale: sheet.scale.clone(),
        labels: sheet.counts.clone(),
        judges: sheet.judges.iter().map(judge).collect(),
        people: people(sheet, &labelled, &counting),
        people_by_slice: people_by(&sheet.slices, &|unit| Some(unit.slice)),
        people_by_criterion: people_by(&sheet.criteria, &|unit| unit.criterion),
        floors: floors(sheet, &labelled, &counting),
    }
}

fn judge_figures(sheet: &Sheet, said: &[(usize, Verdict)], counting: &Counting) -> JudgeFigures {
    let labelled = sheet.labelled(said);
    let by_slice = parts(sheet, &labelled, counting, &sheet.slices, |unit| Some(unit.slice));
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
    let overall = figures(sheet, &labelled, counting);
    JudgeFigures {
        n_without_verdict: n_labelled - overall.n_units,
        overall,
        by_slice,
        by_criterion: parts(sheet, &labelled, counting, &sheet.criteria, |unit| unit.criterion),
        weak_slices,
        replacement: replacement(sheet, &alone, counting),
        held: held(sheet, &labelled, counting),
    }
}
