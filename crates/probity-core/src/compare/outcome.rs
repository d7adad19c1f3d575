//! From two passes to one result of a pair.

use super::pass::{Candidate, Choice, Pass};
use crate::score::Unscored;

/// What a pair came to when it was shown in both orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The same candidate won in both orders.
    Stable(Candidate),
    /// At least one order was a tie, and neither asked for a person.
    Tie,
    /// Each order had a winner, and not the same one. Counts for neither.
    UnstableAfterSwap,
    /// At least one order asked for a person.
    NeedsHumanReview,
    /// At least one order has no verdict: the first reason. Never a tie.
    Unscored(Unscored),
}

crate::named! {
    /// The names of the outcomes, and of pairs that were seen once.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Status {
        /// See [`Outcome::Stable`].
        Stable = "stable",
        /// See [`Outcome::Tie`].
        Tie = "tie",
        /// See [`Outcome::UnstableAfterSwap`].
        UnstableAfterSwap = "unstable_after_swap",
        /// See [`Outcome::NeedsHumanReview`].
        NeedsHumanReview = "needs_human_review",
        /// See [`Outcome::Unscored`].
        Unscored = "unscored",
        /// One grade and no swap, so nothing is known about stability.
        Graded = "graded",
    }
}

impl Outcome {
    /// The outcome of a pass in each order. An escalation outranks a tie, and a tie outranks a winner; which
    /// order said what does not matter.
    pub fn of(ab: &Pass, ba: &Pass) -> Outcome {
        let (first, second) = match (ab, ba) {
            (Pass::Unscored(reason), _) | (_, Pass::Unscored(reason)) => {
                return Outcome::Unscored(reason.clone());
            }
            (Pass::Decided(first), Pass::Decided(second)) => (*first, *second),
        };
        match (first, second) {
            (Choice::NeedsHumanReview, _) | (_, Choice::NeedsHumanReview) => Outcome::NeedsHumanReview,
            (Choice::Tie, _) | (_, Choice::Tie) => Outcome::Tie,
            (Choice::Wins(first), Choice::Wins(second)) if first == second => Outcome::Stable(first),
            (Choice::Wins(_), Choice::Wins(_)) => Outcome::UnstableAfterSwap,
        }
    }

    /// Its name.
    pub fn status(&self) -> Status {
        match self {
            Outcome::Stable(_) => Status::Stable,
            Outcome::Tie => Status::Tie,
            Outcome::UnstableAfterSwap => Status::UnstableAfterSwap,
            Outcome::NeedsHumanReview => Status::NeedsHumanReview,
            Outcome::Unscored(_) => Status::Unscored,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::Order;
    use crate::verdict::Preference;

    use super::*;

    /// The case of two variants shown as (brief, actionable) first: the first pass prefers the second slot.
    const FIRST: Preference = Preference::Second;

    /// Aggregates [`FIRST`] with what the swapped pass prefers; variant A is brief, B is actionable.
    #[track_caller]
    fn check(swapped: Preference, want: &Outcome) {
        let ab = Pass::Decided(FIRST.choice(Order::Ab));
        let ba = Pass::Decided(swapped.choice(Order::Ba));
        assert_eq!(Outcome::of(&ab, &ba), *want);
        assert_eq!(Outcome::of(&ba, &ab), *want, "the order of the passes does not matter");
    }

    #[test]
    fn the_same_candidate_in_both_orders_is_stable() {
        check(Preference::First, &Outcome::Stable(Candidate::B));
    }

    #[test]
    fn the_same_slot_in_both_orders_is_unstable_and_has_no_winner() {
        check(Preference::Second, &Outcome::UnstableAfterSwap);
    }

    #[test]
    fn a_tie_in_one_order_is_a_tie() {
        check(Preference::Tie, &Outcome::Tie);
    }

    #[test]
    fn an_escalation_in_one_order_is_an_escalation() {
        check(Preference::NeedsHumanReview, &Outcome::NeedsHumanReview);
        let (tie, review) = (Pass::Decided(Choice::Tie), Pass::Decided(Choice::NeedsHumanReview));
        assert_eq!(Outcome::of(&tie, &review), Outcome::NeedsHumanReview, "also beside a tie");
    }

    #[test]
    fn a_pass_without_a_verdict_leaves_the_pair_unscored() {
        let reason = Unscored { cause: "no_json".into(), detail: "prose".into(), attempts: 2 };
        let missing = Pass::Unscored(reason.clone());
        for choice in [Choice::Wins(Candidate::A), Choice::Tie, Choice::NeedsHumanReview] {
            assert_eq!(Outcome::of(&Pass::Decided(choice), &missing), Outcome::Unscored(reason.clone()));
        }
    }

    #[test]
    fn names_are_those_of_reports() {
        let names = Status::ALL.map(Status::name);
        assert_eq!(names[..5], ["stable", "tie", "unstable_after_swap", "needs_human_review", "unscored"]);
    }
}
