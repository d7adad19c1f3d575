//! Which replies belong to one case, for figures whose intervals have to know it.
//!
//! Replies to one case are alike: four replies to each of fifty cases carry little more information than fifty
//! replies. What a reply adds to the figures is one of a few kinds, so a reply is kept as its case and its kind, in 16
//! bytes, and the rows of a case need not follow each other. Where every case has one reply, shares have Wilson's
//! interval.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::results::{ResultRow, RowOutcome};
use crate::stats::{ClusterSums, Estimate, proportion};

/// What a reply adds to the figures. Many replies are of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct ReplyKind {
    slice: String,
    /// Whether it passes, where that is known.
    pub(super) passes: Option<bool>,
    /// Whether it fails whatever its total: blocked, or failed automatically.
    pub(super) fails_outright: bool,
    /// One for each criterion, in the rubric's order; empty when blocked.
    pub(super) levels: Vec<Option<i64>>,
}

impl ReplyKind {
    fn set(&mut self, row: &ResultRow, slice: &str) {
        self.slice.clear();
        self.slice.push_str(slice);
        self.passes = row.outcome.passes();
        self.fails_outright = row.outcome == RowOutcome::Blocked || row.is_automatic_fail;
        self.levels.clear();
        self.levels.extend(row.asked().map(|(_, result)| result.score));
    }
}

/// A compact key for the name of a case.
pub(super) fn case_hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// A reply: its case by hash, and its kind by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CaseReply {
    case: u64,
    kind: u32,
}

/// The replies of a run, as they come.
#[derive(Debug, Clone, Default)]
pub(super) struct CaseReplies {
    kinds: HashMap<ReplyKind, u32>,
    replies: Vec<CaseReply>,
    /// By case.
    confidences: Vec<(u64, f64)>,
    /// The kind of the last reply, whose memory is used again.
    last: ReplyKind,
}

impl CaseReplies {
    /// Adds a reply that is counted in `slice`.
    pub(super) fn add(&mut self, row: &ResultRow, slice: &str) {
        let case = case_hash(&row.id);
        self.last.set(row, slice);
        let kind = self.kinds.get(&self.last).copied().unwrap_or_else(|| {
            let next = u32::try_from(self.kinds.len()).expect("fewer than 2³² replies fit into memory");
            self.kinds.insert(self.last.clone(), next);
            next
        });
        self.replies.push(CaseReply { case, kind });
        self.confidences.extend(row.confidence.map(|confidence| (case, confidence.value())));
    }

    /// The replies by case.
    pub(super) fn clusters(mut self) -> Clusters {
        self.replies.sort_unstable();
        let mut kinds: Vec<(u32, ReplyKind)> =
            self.kinds.into_iter().map(|(kind, number)| (number, kind)).collect();
        kinds.sort_unstable_by_key(|(number, _)| *number);
        self.confidences.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        Clusters {
            kinds: kinds.into_iter().map(|(_, kind)| kind).collect(),
            replies: self.replies,
            confidences: self.confidences,
        }
    }
}

/// The replies of a run.
#[derive(Debug)]
pub(super) struct Clusters {
    /// By number.
    kinds: Vec<ReplyKind>,
    /// In the order of cases.
    replies: Vec<CaseReply>,
    /// By case, in the order of cases.
    confidences: Vec<(u64, f64)>,
}

/// Figures of replies that belong together.
#[derive(Debug)]
pub(super) struct PartFigures {
    /// Cases, where some case has several replies: each is then one draw.
    pub(super) n_clusters: Option<u64>,
    /// The share that passes among what is rated.
    pub(super) pass_rate: Option<Estimate>,
    /// The levels of each criterion.
    pub(super) levels: Vec<ClusterSums>,
}

impl Clusters {
    /// How many cases there are.
    pub(super) fn n_cases(&self) -> u64 {
        n_clusters(&self.replies).unwrap_or(self.replies.len() as u64)
    }

    /// The figures of all replies, of which each has at most `n_criteria` levels.
    pub(super) fn all(&self, n_criteria: usize) -> PartFigures {
        self.part(&self.replies, n_criteria)
    }

    /// The figures of each slice.
    pub(super) fn by_slice(&self, n_criteria: usize) -> BTreeMap<&str, PartFigures> {
        let mut slices: BTreeMap<&str, Vec<CaseReply>> = BTreeMap::new();
        for reply in &self.replies {
            slices.entry(&self.kind(*reply).slice).or_default().push(*reply);
        }
        slices.into_iter().map(|(slice, replies)| (slice, self.part(&replies, n_criteria))).collect()
    }

    /// The share of what is rated of which `is_hit` holds.
    pub(super) fn share(&self, is_hit: impl Fn(&ReplyKind) -> bool) -> Option<Estimate> {
        // Looked up for each kind once: it may take exact arithmetic.
        let hits: Vec<Option<bool>> =
            self.kinds.iter().map(|kind| kind.passes.map(|_| is_hit(kind))).collect();
        share(&self.replies, |reply| hits[reply.kind as usize])
    }

    /// The mean of the bots' own confidence, each case as one draw. It does not depend on the order of the replies.
    pub(super) fn confidence(&self) -> Option<Estimate> {
        let mut sums = ClusterSums::default();
        for case in self.confidences.chunk_by(|one, other| one.0 == other.0) {
            sums.add(case.iter().map(|(_, value)| value).sum(), case.len() as u64);
        }
        sums.mean(&(0.0..=1.0))
    }

    fn part(&self, replies: &[CaseReply], n_criteria: usize) -> PartFigures {
        let level = |at: usize| {
            sums(replies, |reply| {
                self.kind(reply).levels.get(at).copied().flatten().map(|level| level as f64)
            })
        };
        PartFigures {
            n_clusters: n_clusters(replies),
            pass_rate: share(replies, |reply| self.kind(reply).passes),
            levels: (0..n_criteria).map(level).collect(),
        }
    }

    fn kind(&self, reply: CaseReply) -> &ReplyKind {
        &self.kinds[reply.kind as usize]
    }
}

/// How many cases `replies` answer, which are in the order of cases; `None` where each has one.
fn n_clusters(replies: &[CaseReply]) -> Option<u64> {
    let n_cases = replies.chunk_by(|one, other| one.case == other.case).count();
    (n_cases < replies.len()).then_some(n_cases as u64)
}

/// The share of hits among the replies that are rated: a proportion, or with several replies to a case a mean of which
/// each case is one draw.
fn share(replies: &[CaseReply], is_hit: impl Fn(CaseReply) -> Option<bool>) -> Option<Estimate> {
    if n_clusters(replies).is_some() {
        return sums(replies, |reply| is_hit(reply).map(|hit| f64::from(u8::from(hit)))).mean(&(0.0..=1.0));
    }
    let count = |hit: &[bool]| {
        replies.iter().filter_map(|reply| is_hit(*reply)).filter(|each| hit.contains(each)).count() as u64
    };
    proportion(count(&[true]), count(&[true, false]))
}

/// What each case of `replies`, which are in the order of cases, adds up to.
fn sums(replies: &[CaseReply], value: impl Fn(CaseReply) -> Option<f64>) -> ClusterSums {
    let mut sums = ClusterSums::default();
    for case in replies.chunk_by(|one, other| one.case == other.case) {
        let values = case.iter().filter_map(|reply| value(*reply));
        let (sum, n) = values.fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
        sums.add(sum, n);
    }
    sums
}

#[cfg(test)]
impl Clusters {
    /// Replies to different cases with these levels, of which none fails outright.
    pub(super) fn of_levels(levels: &[[i64; 5]]) -> Clusters {
        let kind = |levels: &[i64; 5]| ReplyKind {
            passes: Some(true),
            levels: levels.iter().copied().map(Some).collect(),
            ..ReplyKind::default()
        };
        let replies = (0..).take(levels.len()).map(|kind: u32| CaseReply { case: kind.into(), kind });
        let kinds = levels.iter().map(kind).collect();
        Clusters { kinds, replies: replies.collect(), confidences: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(confidences: &[(u64, f64)]) -> Option<Estimate> {
        let confidences = confidences.to_vec();
        CaseReplies { confidences, ..CaseReplies::default() }.clusters().confidence()
    }

    #[test]
    fn g07_the_mean_confidence_is_the_same_in_any_order() {
        assert_eq!(mean(&[]), None);
        // Added in another order, these floats come to another sum.
        let [a, b, c] = [(0, 0.1), (1, 0.2), (2, 0.300_001_5)];
        let means = [[a, b, c], [b, c, a], [c, a, b]].map(|order| mean(&order));
        assert!(means[0].is_some() && means[0] == means[1] && means[1] == means[2], "{means:?}");
    }
}
