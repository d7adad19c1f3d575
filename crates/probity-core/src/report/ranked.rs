//! The best and the worst replies of a run, a handful of each.

use super::row::ReplyResult;
use crate::exact::Exact;

/// How many of each are kept.
const KEPT_MAX: usize = 5;

/// A reply with how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedReply {
    /// How good it is, 0 to 1.
    pub quality: Exact,
    /// Its result.
    pub result: ReplyResult,
}

/// The best and the worst so far; of equals, those that came first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ranked {
    pub(super) best: Vec<RankedReply>,
    pub(super) worst: Vec<RankedReply>,
}

impl Ranked {
    /// Keeps a reply if it belongs to them. A perfect reply is none of the worst.
    pub(super) fn add(&mut self, quality: Exact, result: &ReplyResult) {
        let place = self.best.partition_point(|kept| kept.quality >= quality);
        keep(&mut self.best, place, quality, result);
        if quality < Exact::from(1) {
            let place = self.worst.partition_point(|kept| kept.quality <= quality);
            keep(&mut self.worst, place, quality, result);
        }
    }
}

fn keep(list: &mut Vec<RankedReply>, place: usize, quality: Exact, result: &ReplyResult) {
    if place < KEPT_MAX {
        list.insert(place, RankedReply { quality, result: result.clone() });
        list.truncate(KEPT_MAX);
    }
}
