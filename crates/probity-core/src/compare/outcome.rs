//! From two passes to one result of a pair.

use super::pass::{Candidate, Choice, Pass};
use crate::score::Unscored;

/// What a pair came to when it was shown in both orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairOutcome {
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
        /// See [`PairOutcome::Stable`].
        Stable = "stable",
        /// See [`PairOutcome::Tie`].
        Tie = "tie",
        /// See [`PairOutcome::UnstableAfterSwap`].
        UnstableAfterSwap = "unstable_after_swap",
        /// See [`PairOutcome::NeedsHumanReview`].
        NeedsHumanReview = "needs_human_review",
        /// See [`PairOutcome::Unscored`].
        Unscored = "unscored",
        /// One grade and no swap, so nothing is known about stability.
        Graded = "graded",
    }
}

impl PairOutcome {
    /// The outcome of a pass in each order. An escalation outranks a tie, and a tie outranks a winner; which
    /// order said what does not matter.
    pub fn of(ab: &Pass, ba: &Pass) -> PairOutcome {
        let (first, second) = match (ab, ba) {
            (Pass::Unscored(reason), _) | (_, Pass::Unscored(reason)) => {
                return PairOutcome::Unscored(reason.clone());
            }
            (Pass::Decided(first), Pass::Decided(second)) => (*first, *second),
        };
        match (first, second) {
            (Choice::NeedsHumanReview, _) | (_, Choice::NeedsHumanReview) => PairOutcome::NeedsHumanReview,
            (Choice::Tie, _) | (_, Choice::Tie) => PairOutcome::Tie,
            (Choice::Wins(first), Choice::Wins(second)) if first == second => PairOutcome::Stable(first),
            (Choice::Wins(_), Choice::Wins(_)) => PairOutcome::UnstableAfterSwap,
        }
    }

    /// Its name.
    pub fn status(&self) -> Status {
        match self {
            PairOutcome::Stable(_) => Status::Stable,
            PairOutcome::Tie => Status::Tie,
            PairOutcome::UnstableAfterSwap => Status::UnstableAfterSwap,
            PairOutcome::NeedsHumanReview => Status::NeedsHumanReview,
            PairOutcome::Unscored(_) => Status::Unscored,
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
    fn check(swapped: Preference, want: &PairOutcome) {
        let ab = Pass::Decided(FIRST.choice(Order::Ab));
        let ba = Pass::Decided(swapped.choice(Order::Ba));
        assert_eq!(PairOutcome::of(&ab, &ba), *want);
        assert_eq!(PairOutcome::of(&ba, &ab), *want, "the order of the passes does not matter");
    }

    #[test]
    fn the_same_candidate_in_both_orders_is_stable() {
        check(Preference::First, &PairOutcome::Stable(Candidate::B));
    }

    #[test]
    fn the_same_slot_in_both_orders_is_unstable_and_has_no_winner() {
        check(Preference::Second, &PairOutcome::UnstableAfterSwap);
    }

    #[test]
    fn a_tie_in_one_order_is_a_tie() {
        check(Preference::Tie, &PairOutcome::Tie);
    }

    #[test]
    fn an_escalation_in_one_order_is_an_escalation() {
        check(Preference::NeedsHumanReview, &PairOutcome::NeedsHumanReview);
        let (tie, review) = (Pass::Decided(Choice::Tie), Pass::Decided(Choice::NeedsHumanReview));
        assert_eq!(PairOutcome::of(&tie, &review), PairOutcome::NeedsHumanReview, "also beside a tie");
    }

    #[test]
    fn a_pass_without_a_verdict_leaves_the_pair_unscored() {
        let reason = Unscored { cause: "no_json".into(), detail: "prose".into(), attempts: 2 };
        let missing = Pass::Unscored(reason.clone());
        for choice in [Choice::Wins(Candidate::A), Choice::Tie, Choice::NeedsHumanReview] {
            assert_eq!(
                PairOutcome::of(&Pass::Decided(choice), &missing),
                PairOutcome::Unscored(reason.clone())
            );
        }
    }

    #[test]
    fn names_are_those_of_reports() {
        let names = Status::ALL.map(Status::name);
        assert_eq!(names[..5], ["stable", "tie", "unstable_after_swap", "needs_human_review", "unscored"]);
    }
}
