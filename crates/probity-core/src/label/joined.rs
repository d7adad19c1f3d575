//! The last step from rows to a sheet: names get their final numbers, units their final places.

use crate::spelling::counted;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::entry::LabelEntry;
use super::frame::LabelFrame;
use super::join::SaidBy;
use super::numbered::{Key, Numbered};
use super::rows::ItemFacts;
use super::scale::Scale;
use super::sheet::{ByJudge, LabelCounts, Sheet, Unit};
use crate::sample::NO_SLICE;

/// A reply is not read in less time than this.
const SECONDS_MIN: f64 = 1.0;

/// A unit of which not every row was read.
#[derive(Debug)]
pub(super) struct UnitDraft<'a> {
    /// What names it.
    pub(super) key: Key<'a>,
    /// What rows say about it.
    pub(super) known: ItemFacts,
    /// Votes: annotators and categories.
    pub(super) votes: Vec<(usize, usize)>,
    /// What a judge is compared with.
    pub(super) gold: Vec<usize>,
}

/// Rows that are joined.
#[derive(Debug)]
pub(super) struct Joined<'a> {
    /// What can be said.
    pub(super) scale: Scale,
    /// Who voted.
    pub(super) annotators: Numbered<&'a str>,
    /// In the order in which rows named them first.
    pub(super) units: Vec<UnitDraft<'a>>,
    /// What judges said.
    pub(super) judges: SaidBy<'a>,
    /// What became of the labels.
    pub(super) counts: LabelCounts,
}

impl Joined<'_> {
    /// The sheet of these rows, of which the judge of the name `floor` is no judge and which were drawn from `frame`.
    pub(super) fn sheet(
        mut self,
        labels: &[LabelEntry],
        floor: Option<&str>,
        frame: Option<&LabelFrame>,
    ) -> Sheet {
        let mut notices = self.notices(labels);
        let annotators = self.ranked_annotators();
        let [mut slices, mut criteria, mut clusters] = std::array::from_fn(|_| Numbered::new());
        let mut rows = Numbered::new();
        let units = self.units.iter().map(|UnitDraft { key, known, votes, gold }| Unit {
            criterion: key.criterion.map(|name| criteria.number(name)),
            row: rows.number(Key { criterion: None, ..*key }),
            slice: slices.number(known.slice.as_deref().unwrap_or(NO_SLICE)),
            cluster: clusters.number(known.case.as_deref().unwrap_or(key.item)),
            votes: votes.clone(),
            gold: gold.clone(),
            lengths: known.lengths,
            weight: 1.0,
        });
        let mut units: Vec<Unit> = units.collect();
        notices.extend(frame.and_then(|frame| weigh(frame, &self.units, &mut units)));
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_by_key(|place| units[*place].cluster);
        let places = inverse(&order);
        units.sort_by_key(|unit| unit.cluster);
        let moved = |(name, mut said): (&str, Vec<(usize, _)>)| {
            for (place, _) in &mut said {
                *place = places[*place];
            }
            said.sort_by_key(|(place, _)| *place);
            (name.into(), said)
        };
        let mut judges: ByJudge = self.judges.into_iter().map(moved).collect();
        Sheet {
            scale: self.scale,
            annotators,
            items: rows.names().iter().map(|key| Arc::from(key.item)).collect(),
            slices: slices.shared(),
            criteria: criteria.shared(),
            units,
            floor: floor.and_then(|floor| judges.remove(floor)),
            judges,
            counts: self.counts,
            notices,
        }
    }

    /// Who voted, in the order of their names, with the votes numbered accordingly.
    fn ranked_annotators(&mut self) -> Vec<Arc<str>> {
        let names = self.annotators.shared();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|number| &names[*number]);
        let ranks = inverse(&order);
        for (annotator, _) in self.units.iter_mut().flat_map(|unit| &mut unit.votes) {
            *annotator = ranks[*annotator];
        }
        order.into_iter().map(|number| Arc::clone(&names[number])).collect()
    }

    /// What is worth a line to the user.
    fn notices(&self, labels: &[LabelEntry]) -> Vec<String> {
        let mut notices = Vec::new();
        let mut seen: HashMap<String, &str> = HashMap::new();
        for name in self.annotators.names() {
            let other = *seen.entry(name.to_lowercase()).or_insert(name);
            if other != *name {
                notices
                    .push(format!("annotators '{other}' and '{name}' differ in case only and count as two"));
            }
        }
        let fast = labels.iter().filter(|entry| entry.seconds.is_some_and(|seconds| seconds < SECONDS_MIN));
        let n_fast = fast.count();
        if n_fast > 0 {
            notices.push(format!(
                "{} took less than {SECONDS_MIN} s each: counted all the same",
                counted(n_fast, "label")
            ));
        }
        let LabelCounts { n_strays, strays, n_not_blind, n_repeated, .. } = &self.counts;
        if *n_repeated > 0 {
            notices.push(repeated(*n_repeated));
        }
        if let Some(first) = strays.first() {
            let (labels, items) = (counted(*n_strays, "label"), counted(strays.len(), "item"));
            notices.push(format!("{labels} for {items} without a verdict, such as '{first}': not counted"));
        }
        if *n_not_blind > 0 {
            let labels = counted(*n_not_blind, "label");
            notices.push(format!("{labels} given with the verdict in sight: not counted"));
        }
        notices
    }
}

/// Gives labelled units the weights of the frame that they were drawn from. Returns what it leaves open.
fn weigh(frame: &LabelFrame, drafts: &[UnitDraft<'_>], units: &mut [Unit]) -> Option<String> {
    let stratum =
        |draft: &UnitDraft<'_>| frame.members.get(&LabelFrame::key(draft.key.item, &draft.known)).copied();
    let labelled = drafts.iter().zip(&*units).filter(|(draft, _)| !draft.gold.is_empty());
    let rows: BTreeMap<usize, Option<usize>> =
        labelled.map(|(draft, unit)| (unit.row, stratum(draft))).collect();
    let weights = frame.weights(&rows);
    for unit in units {
        unit.weight = weights.get(&unit.row).copied().unwrap_or(1.0);
    }
    let unseen = frame.unseen(&rows.values().flatten().copied().collect());
    (!unseen.is_empty())
        .then(|| format!("no figure over all speaks for slices without a label: {}", unseen.join(", ")))
}

/// What is said of rows that repeat an earlier one.
pub fn repeated(n: u64) -> String {
    format!("{} repeating an earlier row word for word: counted once", counted(n, "label"))
}

/// Where each place of an order went.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| places[*old] = new);
    places
}
