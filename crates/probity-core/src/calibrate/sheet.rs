//! Labels and verdicts side by side: one unit per item and criterion.
//!
//! Names are numbers here. What always holds: the units of one cluster stand together, what a judge said is in
//! the order of the units, and annotators are in the order of their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counting::{Counting, Ties, Votes};
use super::scale::{Scale, ScaleKind};
use crate::compare::{Conflict, Unparsed};

/// What became of the labels. They add up to the rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelCounts {
    /// Rows in the file.
    pub n_rows: u64,
    /// Votes that count.
    pub n_votes: u64,
    /// People who could not tell.
    pub n_abstained: u64,
    /// Labels by people who had seen a verdict, left out.
    pub n_not_blind: u64,
    /// Labels that the same person gave again in a later round.
    pub n_superseded: u64,
    /// Rows that repeat an earlier one word for word.
    pub n_repeated: u64,
    /// Labels of items without a verdict.
    pub n_strays: u64,
    /// Labels that settle what others said.
    pub n_adjudicated: u64,
    /// The items of the strays.
    pub strays: Vec<String>,
}

/// One thing that people were asked about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    /// What was asked about the item, where several things were: its place among the criteria.
    pub(super) criterion: Option<usize>,
    /// The item that it is about, by number: one for all criteria of an item and its variants.
    pub(super) row: usize,
    /// The place of its slice among the slices.
    pub(super) slice: usize,
    /// What is drawn together when intervals are made: units of one cluster have one number.
    pub(super) cluster: usize,
    /// What people said for themselves: the annotator and the category.
    pub(super) votes: Vec<(usize, usize)>,
    /// What a judge is held against.
    pub(super) gold: Vec<usize>,
    /// The lengths of candidate A and candidate B.
    pub(super) lengths: Option<[u64; 2]>,
}

/// What a judge said about a unit in one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A category.
    At(usize),
    /// The two orders were already compared, and differ.
    Inconsistent,
    /// A person should decide.
    Escalated,
    /// Nothing that is on the scale.
    Unparsed,
}

/// What a judge said about a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Once(Look),
    BothOrders([Look; 2]),
}

/// By judge: units with what it said about them.
pub(super) type ByJudge = BTreeMap<Arc<str>, Vec<(usize, Verdict)>>;

/// Labels and verdicts, joined.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub(super) scale: Scale,
    pub(super) annotators: Vec<Arc<str>>,
    /// The items, each at the number of its row.
    pub(super) items: Vec<Arc<str>>,
    pub(super) slices: Vec<Arc<str>>,
    pub(super) criteria: Vec<Arc<str>>,
    pub(super) units: Vec<Unit>,
    pub(super) judges: ByJudge,
    /// What the judge said that is a floor for others.
    pub(super) floor: Option<Vec<(usize, Verdict)>>,
    pub(super) counts: LabelCounts,
    pub(super) notices: Vec<String>,
}

impl Sheet {
    /// What can be said.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// What became of the labels.
    pub fn counts(&self) -> &LabelCounts {
        &self.counts
    }

    /// What is worth a line to the user.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// How many items and criteria have a label.
    pub fn n_units(&self) -> usize {
        self.units.len()
    }

    /// What most people said about each item as a whole, by its name on the scale. Items without a vote that
    /// counts, and what was said about a criterion, are left out.
    pub fn decided(&self) -> impl Iterator<Item = (&str, &str)> {
        let whole = self.units.iter().filter(|unit| unit.criterion.is_none());
        whole.filter_map(|unit| {
            Some((&*self.items[unit.row], self.scale.names()[self.majority(&unit.gold)?].as_str()))
        })
    }

    /// What a judge said about units that have a label.
    pub(super) fn labelled(&self, said: &[(usize, Verdict)]) -> Vec<(&Unit, Verdict)> {
        let said = said.iter().map(|(place, verdict)| (&self.units[*place], *verdict));
        said.filter(|(unit, _)| !unit.gold.is_empty()).collect()
    }

    /// The labels that a judge is held against: one, or every vote.
    pub(super) fn labels(&self, unit: &Unit, votes: Votes) -> impl Iterator<Item = usize> {
        let (pooled, majority) = match votes {
            Votes::Pooled => (&unit.gold[..], None),
            Votes::Majority => (&[][..], self.majority(&unit.gold)),
        };
        pooled.iter().copied().chain(majority)
    }

    fn majority(&self, votes: &[usize]) -> Option<usize> {
        let (first, others) = votes.split_first()?;
        if others.iter().all(|other| other == first) {
            return Some(*first);
        }
        let counts = self.count(votes.iter().copied());
        let most = counts.iter().max().copied()?;
        let mut first = counts.iter().enumerate().filter(|(_, count)| **count == most).map(|(c, _)| c);
        match (first.next()?, first.next(), self.scale.kind()) {
            (only, None, _) => Some(only),
            (_, Some(_), ScaleKind::Pairwise) => self.scale.tie(),
            (_, Some(_), ScaleKind::Named) => None,
            (lowest, Some(_), ScaleKind::PassFail | ScaleKind::Levels) => Some(lowest),
        }
    }

    /// How often each category was said.
    pub(super) fn count(&self, said: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut counts = vec![0; self.scale.names().len()];
        said.for_each(|category| counts[category] += 1);
        counts
    }

    /// The row of the table that a look belongs to. One past the last category is for what is wrong whatever
    /// people say; `None` is left out.
    fn row(&self, look: Look, counting: &Counting) -> Option<usize> {
        match look {
            Look::At(category) => Some(category),
            Look::Escalated => None,
            Look::Inconsistent if counting.policies.conflict == Conflict::Drop => None,
            Look::Inconsistent => self.scale.tie(),
            Look::Unparsed => match counting.policies.unparsed {
                Unparsed::Drop => None,
                Unparsed::Tie => self.scale.tie(),
                Unparsed::Wrong => Some(self.scale.names().len()),
            },
        }
    }

    /// What a judge said, as one row of the table.
    pub(super) fn said(&self, verdict: Verdict, counting: &Counting) -> Option<usize> {
        match verdict {
            Verdict::Once(look) => self.row(look, counting),
            Verdict::BothOrders([ab, ba]) => {
                if [ab, ba].contains(&Look::Escalated) {
                    return None;
                }
                let (ab, ba) = (self.row(ab, counting)?, self.row(ba, counting)?);
                let wrong = self.scale.names().len();
                match counting.policies.conflict {
                    _ if ab == wrong || ba == wrong => Some(wrong),
                    _ if ab == ba => Some(ab),
                    Conflict::Drop => None,
                    Conflict::Sum if self.scale.tie() == Some(ab) => Some(ba),
                    Conflict::Sum if self.scale.tie() == Some(ba) => Some(ab),
                    Conflict::Tie | Conflict::Pool | Conflict::Sum => self.scale.tie(),
                }
            }
        }
    }

    /// What a verdict and the labels of its unit add to the table: rows and columns. Pooled orders are named by
    /// the slot they chose, as they were shown.
    pub(super) fn observations(
        &self,
        unit: &Unit,
        verdict: Verdict,
        counting: &Counting,
    ) -> impl Iterator<Item = (usize, usize)> {
        let [shown, turned] = match (verdict, counting.policies.conflict) {
            (Verdict::BothOrders(looks), Conflict::Pool) if looks.contains(&Look::Escalated) => [None; 2],
            (Verdict::BothOrders(looks), Conflict::Pool) => looks.map(|look| self.row(look, counting)),
            _ => [self.said(verdict, counting), None],
        };
        let votes = counting.votes;
        let against = move |row: usize| self.labels(unit, votes).map(move |column: usize| (row, column));
        let mirrored = |(row, column)| (self.scale.mirrored(row), self.scale.mirrored(column));
        let left_out = self.scale.tie().filter(|_| counting.ties == Ties::Drop);
        let shown = shown.into_iter().flat_map(against);
        let all = shown.chain(turned.into_iter().flat_map(against).map(mirrored));
        all.filter(move |(row, column)| left_out.is_none_or(|tie| *row != tie && *column != tie))
    }
}
