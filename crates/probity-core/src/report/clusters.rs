//! Which replies belong to one case, for figures whose intervals have to know it.
//!
//! Replies to one case are alike: four replies to each of fifty cases know little more than fifty replies do. What a
//! reply adds to the figures is one of a few kinds, so a reply is kept as its case and its kind, in 16 bytes, and the
//! rows of a case need not follow each other. Where every case has one reply nothing of this is used.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::row::{Outcome, ReplyResult};
use crate::score::CriterionOutcome;
use crate::stats::{ClusterSums, Estimate};

/// What a reply adds to the figures. Many replies are of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    slice: String,
    /// Whether it passes, where that is known.
    pub(super) passes: Option<bool>,
    /// Whether it fails whatever its total: blocked, or failed automatically.
    pub(super) fails_outright: bool,
    /// One for each criterion, in the rubric's order; empty when blocked.
    pub(super) levels: Vec<Option<i64>>,
}

impl Kind {
    fn set(&mut self, result: &ReplyResult, slice: &str) {
        self.slice.clear();
        self.slice.push_str(slice);
        self.passes = match &result.outcome {
            Outcome::Pass => Some(true),
            Outcome::Blocked | Outcome::Fail(_) => Some(false),
            Outcome::Scored | Outcome::Unscored => None,
        };
        self.fails_outright = result.outcome == Outcome::Blocked || result.is_automatic_fail();
        self.levels.clear();
        self.levels.extend(result.criteria.iter().map(|(_, outcome)| match outcome {
            CriterionOutcome::Scored(scored) => Some(scored.level),
            CriterionOutcome::Unscored(_) => None,
        }));
    }
}

/// What stands for the name of a case where many are kept.
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
    kinds: HashMap<Kind, u32>,
    replies: Vec<CaseReply>,
    /// By case.
    confidences: Vec<(u64, f64)>,
    /// The kind of the last reply, whose memory is used again.
    last: Kind,
}

impl CaseReplies {
    /// Adds a reply that is counted in `slice`.
    pub(super) fn add(&mut self, result: &ReplyResult, slice: &str) {
        let case = case_hash(&result.id);
        self.last.set(result, slice);
        let kind = self.kinds.get(&self.last).copied().unwrap_or_else(|| {
            let next = u32::try_from(self.kinds.len()).expect("fewer than 2³² replies fit into memory");
            self.kinds.insert(self.last.clone(), next);
            next
        });
        self.replies.push(CaseReply { case, kind });
        self.confidences.extend(result.confidence.map(|confidence| (case, confidence.value())));
    }

    /// The replies by case; `None` where every case has one.
    pub(super) fn clusters(mut self) -> Option<Clusters> {
        self.replies.sort_unstable();
        if self.replies.windows(2).all(|pair| pair[0].case != pair[1].case) {
            return None;
        }
        let mut kinds: Vec<(u32, Kind)> =
            self.kinds.into_iter().map(|(kind, number)| (number, kind)).collect();
        kinds.sort_unstable_by_key(|(number, _)| *number);
        self.confidences.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        Some(Clusters {
            kinds: kinds.into_iter().map(|(_, kind)| kind).collect(),
            replies: self.replies,
            confidences: self.confidences,
        })
    }
}

/// The replies of a run in which some case has several.
#[derive(Debug)]
pub(super) struct Clusters {
    /// By number.
    kinds: Vec<Kind>,
    /// In the order of cases.
    replies: Vec<CaseReply>,
    /// By case, in the order of cases.
    confidences: Vec<(u64, f64)>,
}

/// The clusters of replies that belong together.
#[derive(Debug)]
pub(super) struct PartClusters {
    /// Cases.
    pub(super) n_cases: u64,
    /// Passes among what is rated.
    pub(super) passes: ClusterSums,
    /// The levels of each criterion.
    pub(super) levels: Vec<ClusterSums>,
}

impl Clusters {
    /// All replies, of which each has at most `n_criteria` levels.
    pub(super) fn all(&self, n_criteria: usize) -> PartClusters {
        self.part(&self.replies, n_criteria)
    }

    /// The replies of each slice in which some case has several.
    pub(super) fn by_slice(&self, n_criteria: usize) -> BTreeMap<&str, PartClusters> {
        let mut slices: BTreeMap<&str, Vec<CaseReply>> = BTreeMap::new();
        for reply in &self.replies {
            slices.entry(&self.kind(*reply).slice).or_default().push(*reply);
        }
        let parts = slices
            .into_iter()
            .map(|(slice, replies)| (slice, replies.len(), self.part(&replies, n_criteria)));
        parts.filter(|(_, n, part)| part.n_cases < *n as u64).map(|(slice, _, part)| (slice, part)).collect()
    }

    /// The share of what is rated of which `is_hit` holds.
    pub(super) fn share(&self, is_hit: impl Fn(&Kind) -> bool) -> Option<Estimate> {
        let hit = |kind: &Kind| kind.passes.map(|_| f64::from(u8::from(is_hit(kind))));
        // Looked up for each kind once: it may take exact arithmetic.
        let hits: Vec<Option<f64>> = self.kinds.iter().map(hit).collect();
        Self::sums(&self.replies, |reply| hits[reply.kind as usize]).mean(&(0.0..=1.0))
    }

    /// The mean of the bots' own confidence.
    pub(super) fn confidence(&self) -> Option<Estimate> {
        let mut sums = ClusterSums::default();
        for case in self.confidences.chunk_by(|one, other| one.0 == other.0) {
            sums.add(case.iter().map(|(_, value)| value).sum(), case.len() as u64);
        }
        sums.mean(&(0.0..=1.0))
    }

    fn part(&self, replies: &[CaseReply], n_criteria: usize) -> PartClusters {
        let level = |at: usize| {
            Self::sums(replies, |reply| {
                self.kind(reply).levels.get(at).copied().flatten().map(|level| level as f64)
            })
        };
        let passes = |reply| self.kind(reply).passes.map(|passes| f64::from(u8::from(passes)));
        PartClusters {
            n_cases: replies.chunk_by(|one, other| one.case == other.case).count() as u64,
            passes: Self::sums(replies, passes),
            levels: (0..n_criteria).map(level).collect(),
        }
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

    fn kind(&self, reply: CaseReply) -> &Kind {
        &self.kinds[reply.kind as usize]
    }
}
