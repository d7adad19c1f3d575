//! The best and the worst replies of a run, a handful of each.

use super::row::ReplyResult;
use crate::exact::Exact;
use crate::results::{RankedRecord, RowOutcome};

/// How many of each are kept.
const KEPT_MAX: usize = 5;

/// A reply with how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedReply {
    /// How good it is at the most, 0 to 1. Where no level is missing, how good it is.
    pub quality_max: Exact,
    /// Its result.
    pub result: ReplyResult,
}

impl RankedReply {
    /// How good the reply is, 0 to 1; `None` where a level is missing.
    pub fn quality(&self) -> Option<Exact> {
        let is_whole = self.result.score.as_ref().is_some_and(|score| score.missing.is_empty());
        is_whole.then_some(self.quality_max)
    }

    /// The reply as the results file lists it.
    pub(super) fn record(&self) -> RankedRecord {
        RankedRecord {
            id: self.result.id.clone(),
            variant: self.result.variant.clone(),
            quality: self.quality(),
            total: self.result.total(),
            outcome: self.result.outcome,
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
    pub(super) fn add(&mut self, quality_max: Exact, result: &ReplyResult) {
        if result.outcome != RowOutcome::Fail {
            let place = self.best.partition_point(|kept| kept.quality_max >= quality_max);
            keep(&mut self.best, place, quality_max, result);
        }
        let is_automatic = result.is_automatic_fail();
        if is_automatic || quality_max < Exact::from(1) {
            let rank = |is_automatic: bool, quality_max: Exact| (!is_automatic, quality_max);
            let place = self.worst.partition_point(|kept| {
                rank(kept.result.is_automatic_fail(), kept.quality_max) <= rank(is_automatic, quality_max)
            });
            keep(&mut self.worst, place, quality_max, result);
        }
    }
}

fn keep(list: &mut Vec<RankedReply>, place: usize, quality_max: Exact, result: &ReplyResult) {
    if place < KEPT_MAX {
        list.insert(place, RankedReply { quality_max, result: result.clone() });
        list.truncate(KEPT_MAX);
    }
}
