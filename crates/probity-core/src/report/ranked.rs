//! The best and the worst replies of a run, a handful of each.

use crate::exact::Exact;
use crate::results::{RankedRecord, ResultRow, RowOutcome};

/// How many of each are listed.
pub(super) const LISTED_MAX: usize = 5;

/// How many of the worst are kept: pages show them in full to readers without scripts.
const WORST_MAX: usize = 20;

/// A reply with how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedReply {
    /// How good it is at the most, 0 to 1. Where no level is missing, how good it is.
    pub quality_max: Exact,
    /// Its row.
    pub row: ResultRow,
}

impl RankedReply {
    /// How good the reply is, 0 to 1; `None` where a level is missing.
    pub fn quality(&self) -> Option<Exact> {
        self.row.asked().all(|(_, result)| result.score.is_some()).then_some(self.quality_max)
    }

    /// The reply as the results file lists it.
    pub(super) fn record(&self) -> RankedRecord {
        RankedRecord {
            id: self.row.id.clone(),
            variant: self.row.variant.clone(),
            quality: self.quality(),
            total: self.row.total,
            outcome: self.row.outcome,
        }
    }
}

/// The best and the worst so far; of equals, those that came first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ranked {
    pub(super) best: Vec<RankedReply>,
    pub(super) worst: Vec<RankedReply>,
}

impl Ranked {
    /// Keeps a reply if it belongs to them. The worst are replies that a level fails by itself, before those with
    /// little quality; a perfect reply is none of them. A reply that fails is none of the best.
    pub(super) fn add(&mut self, quality_max: Exact, row: &ResultRow) {
        if row.outcome != RowOutcome::Fail {
            let place = self.best.partition_point(|kept| kept.quality_max >= quality_max);
            keep(&mut self.best, LISTED_MAX, (place, quality_max), row);
        }
        let is_automatic = row.is_automatic_fail;
        if is_automatic || quality_max < Exact::from(1) {
            let rank = |is_automatic: bool, quality_max: Exact| (!is_automatic, quality_max);
            let place = self.worst.partition_point(|kept| {
                rank(kept.row.is_automatic_fail, kept.quality_max) <= rank(is_automatic, quality_max)
            });
            keep(&mut self.worst, WORST_MAX, (place, quality_max), row);
        }
    }
}

fn keep(list: &mut Vec<RankedReply>, most: usize, (place, quality_max): (usize, Exact), row: &ResultRow) {
    if place < most {
        list.insert(place, RankedReply { quality_max, row: row.clone() });
        list.truncate(most);
    }
}
