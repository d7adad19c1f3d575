//! What counts as what, where verdicts leave it open. Figures differ by several points between these, so the
//! policy stands beside every figure.

use serde::Serialize;

crate::named! {
    /// What a pair is worth whose two orders say different things (a winner beside a tie is different too).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Conflict {
        /// A tie.
        #[default]
        Tie = "tie",
        /// Nothing: it is left out.
        Drop = "drop",
        /// Each order is an observation of its own, in every pair.
        Pool = "pool",
        /// Their sum: a winner beside a tie wins, two different winners are a tie.
        Sum = "sum",
    }
}

crate::named! {
    /// What a pass is worth that has no verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Unparsed {
        /// A verdict of a tie.
        Tie = "tie",
        /// Nothing: it is left out.
        #[default]
        Drop = "drop",
        /// Wrong against a label, whatever the label is; left out of win rates, where the answer is not known.
        Wrong = "wrong",
    }
}

/// Both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Policies {
    /// For orders that disagree.
    pub conflict: Conflict,
    /// For passes without a verdict.
    pub unparsed: Unparsed,
}
