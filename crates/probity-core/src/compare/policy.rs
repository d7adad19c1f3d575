//! What counts as what, where verdicts leave it open. Figures differ by several points between these, so the
//! policy stands beside every figure.

/// What a pair is worth whose two orders say different things (a winner beside a tie is different too).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflict {
    /// A tie.
    #[default]
    Tie,
    /// Nothing: it is left out.
    Drop,
    /// Each order is an observation of its own, in every pair.
    Pool,
    /// Their sum: a winner beside a tie wins, two different winners are a tie.
    Sum,
}

impl Conflict {
    /// The name used in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Conflict::Tie => "tie",
            Conflict::Drop => "drop",
            Conflict::Pool => "pool",
            Conflict::Sum => "sum",
        }
    }
}

/// What a pass is worth that has no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unparsed {
    /// A verdict of a tie.
    Tie,
    /// Nothing: it is left out.
    #[default]
    Drop,
    /// Wrong against a label, whatever the label is; left out of win rates, where nobody knows the answer.
    Wrong,
}

impl Unparsed {
    /// The name used in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Unparsed::Tie => "tie",
            Unparsed::Drop => "drop",
            Unparsed::Wrong => "wrong",
        }
    }
}

/// Both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policies {
    /// For orders that disagree.
    pub conflict: Conflict,
    /// For passes without a verdict.
    pub unparsed: Unparsed,
}
