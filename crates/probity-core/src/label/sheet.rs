//! Labels and verdicts side by side: one unit per item and criterion.
//!
//! Names are numbers here. What always holds: the units of one cluster stand together, what a judge said is in
//! the order of the units, and annotators are in the order of their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::scale::{Scale, ScaleKind};
use crate::verdict::Confidence;

/// What became of the labels. They add up to the rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct LabelCounts {
    /// Rows in the file.
    #[serde(rename = "rows")]
    pub n_rows: u64,
    /// Votes that count.
    #[serde(rename = "votes")]
    pub n_votes: u64,
    /// Labels that settle what others said.
    #[serde(rename = "adjudicated")]
    pub n_adjudicated: u64,
    /// People who could not tell.
    #[serde(rename = "abstained")]
    pub n_abstained: u64,
    /// Labels by people who had seen a verdict, left out.
    #[serde(rename = "not_blind")]
    pub n_not_blind: u64,
    /// Labels that the same person gave again in a later round.
    #[serde(rename = "superseded")]
    pub n_superseded: u64,
    /// Rows that repeat an earlier one word for word.
    #[serde(rename = "repeated")]
    pub n_repeated: u64,
    /// Labels of items without a verdict.
    #[serde(rename = "without_verdict")]
    pub n_strays: u64,
    /// The items of the strays.
    #[serde(rename = "items_without_verdict")]
    pub strays: Vec<String>,
}

/// One thing that people were asked about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// What was asked about the item, where several things were: its place among the criteria.
    pub(crate) criterion: Option<usize>,
    /// The item that it is about, by number: one for all criteria of an item and its variants.
    pub(crate) row: usize,
    /// The place of its slice among the slices.
    pub(crate) slice: usize,
    /// What is drawn together when intervals are made: units of one cluster have one number.
    pub(crate) cluster: usize,
    /// What people said for themselves: the annotator and the category.
    pub(crate) votes: Vec<(usize, usize)>,
    /// What a judge is compared with.
    pub(crate) gold: Vec<usize>,
    /// The lengths of candidate A and candidate B.
    pub(crate) lengths: Option<[u64; 2]>,
    /// How many items it stands for.
    pub(crate) weight: f64,
}

/// What a judge said about a unit in one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OneLook {
    /// A category, and how sure the judge is of it, where that was asked.
    At(usize, Option<Confidence>),
    /// The two orders were already compared, and differ.
    Inconsistent,
    /// A person should decide.
    Escalated,
    /// Nothing that is on the scale.
    Unparsed,
}

/// What a judge said about a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Once, or what both orders came to.
    Once(OneLook),
    /// In each order.
    BothOrders([OneLook; 2]),
}

/// By judge: units with what it said about them.
pub(crate) type ByJudge = BTreeMap<Arc<str>, Vec<(usize, Verdict)>>;

/// Labels and verdicts, joined.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub(crate) scale: Scale,
    pub(crate) annotators: Vec<Arc<str>>,
    /// The items, each at the number of its row.
    pub(crate) items: Vec<Arc<str>>,
    pub(crate) slices: Vec<Arc<str>>,
    pub(crate) criteria: Vec<Arc<str>>,
    pub(crate) units: Vec<Unit>,
    pub(crate) judges: ByJudge,
    /// What the judge said that is a floor for others.
    pub(crate) floor: Option<Vec<(usize, Verdict)>>,
    pub(crate) counts: LabelCounts,
    pub(crate) notices: Vec<String>,
}

impl Sheet {
    /// What is worth a line to the user.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// What most people said about each item as a whole, by its name on the scale. Items without a vote that
    /// counts, and what was said about a criterion, are left out.
    pub fn decided(&self) -> impl Iterator<Item = (&str, &str)> {
        let whole = self.units.iter().filter(|unit| unit.criterion.is_none());
        whole.filter_map(|unit| {
            Some((&*self.items[unit.row], self.scale.names()[self.majority(&unit.gold)?].as_str()))
        })
    }

    /// How many different things can be said.
    pub fn n_answers(&self) -> usize {
        self.scale.names().len()
    }

    /// Each case by its number, with the name of an item of it.
    pub fn cases(&self) -> impl Iterator<Item = (usize, &str)> {
        self.units.iter().map(|unit| (unit.cluster, &*self.items[unit.row]))
    }

    /// The most frequent of these votes. Without a single most frequent one, a tie for pairs, the lowest of them for
    /// levels, and none for names.
    pub(crate) fn majority(&self, votes: &[usize]) -> Option<usize> {
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
    pub(crate) fn count(&self, said: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut counts = vec![0; self.scale.names().len()];
        said.for_each(|category| counts[category] += 1);
        counts
    }
}
