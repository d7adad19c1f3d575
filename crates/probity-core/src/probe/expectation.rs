//! What a change may not do to a verdict, or must.

use serde::Deserialize;

crate::named! {
    /// What is expected of a judge under a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Expectation {
        /// The treatment is not better than the control.
        NoRise = "no_rise",
        /// The treatment is neither better nor worse than the control.
        NoMove = "no_move",
        /// The treatment gets less than half of the points, or does not beat the base.
        Lowest = "lowest",
        /// The winner does not depend on the slot.
        Consistent = "consistent",
        /// Neither of two equally good replies wins.
        Tie = "tie",
        /// The same packet gets the same answer again.
        Repeatable = "repeatable",
        /// The criterion that a planted fault is about falls by a level at least, or the faulty reply loses.
        MustFall = "must_fall",
        /// The gate blocks the reply, and no judge is asked.
        Blocked = "blocked",
    }
}

impl Expectation {
    /// What a violation is, in words before a count of bases, and noise, in words after a share.
    pub(super) fn words(self) -> [&'static str; 2] {
        let violated = match self {
            Expectation::NoRise => "the changed reply came out better",
            Expectation::NoMove => "the change moved the verdict",
            Expectation::Lowest => "a reply without any help did well",
            Expectation::Consistent => "the winner depended on the slot",
            Expectation::Tie => "one of two equal replies won in both orders",
            Expectation::Repeatable => "the same packet got another answer",
            Expectation::MustFall => "the planted fault was missed",
            Expectation::Blocked => "the gate admitted the reply",
        };
        let noise = match self {
            Expectation::MustFall => "fell without a fault",
            _ => "without any change",
        };
        [violated, noise]
    }
}
