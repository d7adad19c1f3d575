//! What counts as what when a judge is compared with people. Figures differ by several points between these,
//! so they stand beside every figure.

use crate::compare::Policies;
use crate::stats::Sampling;

crate::named! {
    /// How several votes on one item count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Votes {
        /// One label: the most frequent vote. Without a single most frequent one, a tie for pairs, the lowest of
        /// them for levels, and no label for names.
        #[default]
        Majority = "majority",
        /// Each vote is a label of its own.
        Pooled = "pooled",
    }
}

crate::named! {
    /// What ties are worth in labels and verdicts about pairs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Ties {
        /// A verdict like others.
        #[default]
        Keep = "keep",
        /// Nothing: where either side says tie, both are left out.
        Drop = "drop",
    }
}

/// What counts as what, and from how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counting {
    /// For orders that disagree and verdicts that are none.
    pub policies: Policies,
    /// For several votes on one item.
    pub votes: Votes,
    /// For ties.
    pub ties: Ties,
    /// How intervals are made, and how many items a figure beyond a share needs.
    pub sampling: Sampling,
    /// Slices that agree less often than this are reported as weak.
    pub weak_below: f64,
    /// What a person may cost more than a judge before a judge as good as a person is the better choice
    /// (Calderon, Reichart and Dror 2025).
    pub epsilon: f64,
}
