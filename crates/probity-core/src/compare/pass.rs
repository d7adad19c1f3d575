//! One look at a pair: which slot a judge preferred, and which candidate stood there.

use crate::label::PairLabel;
use crate::score::Unscored;
use crate::verdict::Preference;

/// One of the two replies of a pair, by identity: wherever it is shown, it stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Candidate {
    /// The reply of the first variant.
    A,
    /// The reply of the second variant.
    B,
}

impl Candidate {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Candidate {
        match self {
            Candidate::A => Candidate::B,
            Candidate::B => Candidate::A,
        }
    }
}

/// Who stands in which slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Candidate A in the first slot.
    Ab,
    /// Candidate B in the first slot.
    Ba,
}

impl Order {
    /// The candidate in the first slot.
    pub fn first(self) -> Candidate {
        match self {
            Order::Ab => Candidate::A,
            Order::Ba => Candidate::B,
        }
    }
}

impl Preference {
    /// The same by candidate, for replies shown in `order`.
    pub fn choice(self, order: Order) -> Choice {
        match self {
            Preference::First => Choice::Wins(order.first()),
            Preference::Second => Choice::Wins(order.first().other()),
            Preference::Tie => Choice::Tie,
            Preference::NeedsHumanReview => Choice::NeedsHumanReview,
        }
    }
}

/// What a pass came to, by candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Choice {
    /// This candidate answers better.
    Wins(Candidate),
    /// Neither does.
    Tie,
    /// A person should decide.
    NeedsHumanReview,
}

impl From<PairLabel> for Choice {
    /// The verdict that agrees with a label.
    fn from(label: PairLabel) -> Choice {
        match label {
            PairLabel::A => Choice::Wins(Candidate::A),
            PairLabel::B => Choice::Wins(Candidate::B),
            PairLabel::Tie => Choice::Tie,
        }
    }
}

impl Choice {
    /// What two orders say together: a winner beside a tie wins, two different winners are a tie. Where either asks
    /// for a person, so do both.
    pub(super) fn sum(self, other: Choice) -> Choice {
        match (self, other) {
            (Choice::NeedsHumanReview, _) | (_, Choice::NeedsHumanReview) => Choice::NeedsHumanReview,
            (Choice::Tie, one) | (one, Choice::Tie) => one,
            (Choice::Wins(one), Choice::Wins(other)) if one == other => Choice::Wins(one),
            (Choice::Wins(_), Choice::Wins(_)) => Choice::Tie,
        }
    }
}

/// One pass over a pair, or why it gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pass {
    /// A verdict.
    Decided(Choice),
    /// No verdict, and why.
    Unscored(Unscored),
}

impl Pass {
    /// What was chosen, if anything was.
    pub fn choice(&self) -> Option<Choice> {
        match self {
            Pass::Decided(choice) => Some(*choice),
            Pass::Unscored(_) => None,
        }
    }
}
