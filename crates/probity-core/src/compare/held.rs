//! How far verdicts agree: with labels, and one order with the other.

use super::pair::{NOTHING, Pair, Read, Verdicts, both, one, read};
use super::pass::{Candidate, Choice, Order};
use super::policy::{Conflict, Policies, Unparsed};
use crate::stats::{Crossing, N_CATEGORIES, RatioPart};

/// Two ratings of the same pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RatingPair {
    said: Read,
    against: Read,
    /// The order whose slots name the categories; candidates do where there is none.
    order: Option<Order>,
}

impl RatingPair {
    fn part(self) -> RatioPart {
        one(self.said == self.against && self.said != Read::Wrong)
    }

    fn cell(self) -> (usize, usize) {
        (category(self.said, self.order), category(self.against, self.order))
    }
}

/// What can be said: for the first, a tie, for the second, nothing that can be read.
fn category(read: Read, order: Option<Order>) -> usize {
    let first = order.map_or(Candidate::A, Order::first);
    match read {
        Read::Choice(Choice::Wins(winner)) if winner == first => 0,
        Read::Choice(Choice::Wins(_)) => 2,
        Read::Choice(Choice::Tie | Choice::NeedsHumanReview) => 1,
        Read::Left | Read::Wrong => 3,
    }
}

impl Pair {
    /// Whether the verdict is the people's, under both policies.
    pub(super) fn agrees(&self, policies: Policies) -> RatioPart {
        let [first, second] = self.held(policies);
        both(first.map_or(NOTHING, RatingPair::part), second.map_or(NOTHING, RatingPair::part))
    }

    /// Whether the verdict of one order is the people's.
    pub(super) fn agrees_in(&self, order: Order, unparsed: Unparsed) -> RatioPart {
        self.held_in(order, unparsed).map_or(NOTHING, RatingPair::part)
    }

    /// Whether the verdicts of both orders are the people's.
    pub(super) fn agrees_in_both(&self, unparsed: Unparsed) -> RatioPart {
        let parts = [Order::Ab, Order::Ba].map(|order| self.agrees_in(order, unparsed));
        if parts.iter().any(|part| part.denominator < 1.0) {
            return NOTHING;
        }
        one(parts.iter().all(|part| part.numerator > 0.0))
    }

    /// Judge against people, under both policies. Pooled passes are named by slot, as they were shown.
    pub(super) fn crossing(&self, policies: Policies) -> Crossing {
        crossing(self.held(policies))
    }

    /// Judge against people in one order.
    pub(super) fn crossing_in(&self, order: Order, unparsed: Unparsed) -> Crossing {
        crossing([self.held_in(order, unparsed), None])
    }

    /// One order against the other.
    pub(super) fn crossing_of_orders(&self, unparsed: Unparsed) -> Crossing {
        let held = self.reads(unparsed).and_then(|reads| match reads {
            [Read::Left, _] | [_, Read::Left] => None,
            [ab, ba] => Some(RatingPair { said: ab, against: ba, order: None }),
        });
        crossing([held, None])
    }

    /// The label beside the verdict, or with pooled orders beside each of them.
    fn held(&self, policies: Policies) -> [Option<RatingPair>; 2] {
        let Some(label) = self.label.map(Choice::from) else { return [None, None] };
        let held = |said, order| RatingPair { said, against: Read::Choice(label), order };
        // Pooled passes are named by the slots they were shown in.
        let is_pooled = policies.conflict == Conflict::Pool && !matches!(self.verdicts, Verdicts::Graded(_));
        let orders = if is_pooled { [Some(Order::Ab), Some(Order::Ba)] } else { [None, None] };
        let [first, second] = self.observed(policies);
        [first.map(|said| held(said, orders[0])), second.map(|said| held(said, orders[1]))]
    }

    fn held_in(&self, order: Order, unparsed: Unparsed) -> Option<RatingPair> {
        let Verdicts::BothOrders { ab, ba } = &self.verdicts else { return None };
        let said = read(if order == Order::Ab { ab } else { ba }, unparsed);
        let against = Read::Choice(self.label?.into());
        let counts = !matches!(said, Read::Left | Read::Choice(Choice::NeedsHumanReview));
        counts.then_some(RatingPair { said, against, order: None })
    }
}

fn crossing(held: [Option<RatingPair>; 2]) -> Crossing {
    let mut crossing = [0.0; N_CATEGORIES * N_CATEGORIES];
    for held in held.into_iter().flatten() {
        let (said, against) = held.cell();
        crossing[said * N_CATEGORIES + against] += 1.0;
    }
    crossing
}
