//! What two judges said about the same things: against people, and against each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::calibrate::Counting;
use crate::diff::{
    Difference, Pair, PartChange, PassChange, adjust_levels, adjust_passes, levels_moved, share_moved,
};
use crate::label::{Sheet, Unit, Verdict};
use crate::results::{Members, RowOutcome};
use crate::sample::NO_SLICE;
use crate::stats::{Estimate, PairedCounts, proportion};

/// What the shift of verdicts about pairs of replies is called among criteria.
const PREFERENCE: &str = "preference";

/// How often two judges say what most people say, on units that both decided. `gained` are those that the new judge
/// alone has right.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgreementChange {
    /// Over all.
    #[serde(flatten)]
    pub overall: PassChange,
    /// By slice, p-values adjusted over the slices.
    pub by_slice: BTreeMap<String, PassChange>,
    /// By criterion, where several were asked about, p-values adjusted over them.
    pub by_criterion: BTreeMap<String, PassChange>,
}

/// How verdicts moved from the old judge to the new one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Shift {
    /// Over all. Of pairs of replies the shift is `preference`: 0 is the first reply, 1 a tie, 2 the second.
    #[serde(flatten)]
    pub overall: PartChange,
    /// By slice.
    pub by_slice: BTreeMap<String, PartChange>,
    /// How often both say the same, of what both decided; null where that is nothing.
    pub same: Option<Estimate>,
    /// Replies or pairs of which the old judge has no verdict.
    pub without_old: u64,
    /// Replies or pairs of which the new judge has none.
    pub without_new: u64,
}

impl Shift {
    /// Replies or pairs that both judges decided, on the figure that has most of them.
    pub fn n_decided(&self) -> u64 {
        let PartChange { pass, criteria, .. } = &self.overall;
        let levels = criteria.iter().filter_map(|(_, level)| Some(level.as_ref()?.change.n));
        levels.chain(pass.map(|pass| pass.change.n)).max().unwrap_or(0)
    }
}

/// What a sheet with two judges says.
#[derive(Debug, Clone)]
pub struct SheetFigures {
    /// Against people; `None` where nothing that both decided has a label.
    pub agreement: Option<AgreementChange>,
    /// Against each other.
    pub shift: Shift,
    /// Items on which they differ and that have no label.
    pub to_label: Vec<String>,
}

/// A unit that both judges decided, with the categories they chose.
struct Both<'a> {
    unit: &'a Unit,
    said: [usize; 2],
}

/// What the judges called `[old, new]` in `sheet` say.
pub fn sheet_figures(sheet: &Sheet, judges: [&str; 2], counting: &Counting) -> SheetFigures {
    let [old, new] = judges.map(|judge| decided(sheet, judge, counting));
    let both = |(place, first): (&usize, &usize)| {
        Some(Both { unit: &sheet.units[*place], said: [*first, *new.get(place)?] })
    };
    let mut all: Vec<Both<'_>> = old.iter().filter_map(both).collect();
    all.sort_by_key(|both| (both.unit.cluster, both.unit.row, both.unit.criterion));
    let n_same = all.iter().filter(|both| both.said[0] == both.said[1]).count();
    let differ = all.iter().filter(|both| both.said[0] != both.said[1] && both.unit.gold.is_empty());
    let to_label: BTreeSet<&str> = differ.map(|both| &*sheet.items[both.unit.row]).collect();
    SheetFigures {
        agreement: agreement(sheet, &all, counting),
        shift: Shift {
            overall: shift(sheet, &all, counting),
            by_slice: parts(&all, &sheet.slices, |unit| Some(unit.slice))
                .map(|(name, part)| (name, shift(sheet, &part, counting)))
                .collect(),
            same: proportion(n_same as u64, all.len() as u64),
            without_old: (sheet.units.len() - old.len()) as u64,
            without_new: (sheet.units.len() - new.len()) as u64,
        },
        to_label: to_label.into_iter().map(str::to_owned).collect(),
    }
}

/// What a judge decided, by the place of the unit.
fn decided(sheet: &Sheet, judge: &str, counting: &Counting) -> HashMap<usize, usize> {
    let said = sheet.judges.get(judge).into_iter().flatten();
    let on_scale = |verdict: Verdict| {
        sheet.said(verdict, counting).filter(|category| *category < sheet.scale.names().len())
    };
    said.filter_map(|(place, verdict)| Some((*place, on_scale(*verdict)?))).collect()
}

/// Units by the part that they belong to: the one at the place that `of` gives.
fn parts<'a>(
    all: &[Both<'a>],
    names: &[Arc<str>],
    of: impl Fn(&Unit) -> Option<usize>,
) -> impl Iterator<Item = (String, Vec<Both<'a>>)> {
    let mut parts: Vec<Vec<Both<'a>>> = names.iter().map(|_| Vec::new()).collect();
    for Both { unit, said } in all {
        if let Some(place) = of(unit) {
            parts[place].push(Both { unit, said: *said });
        }
    }
    names.iter().map(ToString::to_string).zip(parts).filter(|(_, part)| !part.is_empty())
}

fn agreement(sheet: &Sheet, all: &[Both<'_>], counting: &Counting) -> Option<AgreementChange> {
    let resampling = counting.sampling.resampling;
    let right = |both: &Both<'_>| {
        let label = sheet.majority(&both.unit.gold)?;
        let [before, after] = both.said.map(|said| said == label);
        Some((both.unit.cluster, before, after))
    };
    let change = |part: &[Both<'_>]| share_moved(part.iter().filter_map(right), resampling);
    let split = |names: &[Arc<str>], of: &dyn Fn(&Unit) -> Option<usize>| {
        let parts = parts(all, names, of).filter_map(|(name, part)| Some((name, change(&part)?)));
        let mut parts: BTreeMap<String, PassChange> = parts.collect();
        adjust_passes(parts.values_mut());
        parts
    };
    Some(AgreementChange {
        overall: change(all)?,
        by_slice: split(&sheet.slices, &|unit| Some(unit.slice)),
        by_criterion: split(&sheet.criteria, &|unit| unit.criterion),
    })
}

fn shift(sheet: &Sheet, all: &[Both<'_>], counting: &Counting) -> PartChange {
    let positions = sheet.scale.positions();
    let span = positions.iter().copied().fold(0.0, f64::max) - positions.first().copied().unwrap_or(0.0);
    let look = |both: &Both<'_>| {
        let [before, after] = both.said.map(|category| positions[category]);
        (both.unit.cluster, before, after)
    };
    let moved = levels_moved(all.iter().map(look), span, counting.sampling.resampling);
    let criteria: Members<_> = [(PREFERENCE, moved)].into_iter().collect();
    let mut part = PartChange { n_pairs: all.len() as u64, pass: None, total: None, criteria };
    adjust_levels(std::iter::once(&mut part));
    part
}

/// The shift between results of the same cases, and the cases on which the judges differ.
pub fn reply_figures(changed: &Difference<'_>) -> (Shift, Vec<String>) {
    let unscored = |outcomes: &mut dyn Iterator<Item = RowOutcome>| {
        outcomes.filter(|outcome| *outcome == RowOutcome::Unscored).count() as u64
    };
    let is_judged = |outcome: RowOutcome| !matches!(outcome, RowOutcome::Unscored | RowOutcome::Blocked);
    let judged = changed.pairs.iter();
    let judged = judged.filter(|pair| is_judged(pair.before.outcome) && is_judged(pair.after.outcome));
    let differ: Vec<&Pair<'_>> = judged.clone().filter(|pair| pair.differs()).collect();
    let n_judged = judged.count();
    let shift = Shift {
        overall: changed.overall.clone(),
        by_slice: changed.by_slice.clone(),
        same: proportion((n_judged - differ.len()) as u64, n_judged as u64),
        without_old: unscored(&mut changed.before.results.iter().map(|row| row.outcome)),
        without_new: unscored(&mut changed.after.results.iter().map(|row| row.outcome)),
    };
    let differ: BTreeSet<&str> = differ.iter().map(|pair| pair.before.id.as_str()).collect();
    (shift, differ.into_iter().map(str::to_owned).collect())
}

/// Of what was admitted, how many replies pass before and after; only those of `slice`, where there is one.
pub(super) fn admitted_passes(changed: &Difference<'_>, slice: Option<&str>) -> PairedCounts {
    let passes = |outcome: RowOutcome| outcome.passes().filter(|_| outcome != RowOutcome::Blocked);
    let is_of = |pair: &&Pair<'_>| {
        slice.is_none_or(|slice| pair.slice().is_some_and(|own| own.unwrap_or(NO_SLICE) == slice))
    };
    let pairs = changed.pairs.iter().filter(is_of);
    pairs.filter_map(|pair| passes(pair.before.outcome).zip(passes(pair.after.outcome))).collect()
}
