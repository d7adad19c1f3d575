//! A pair with its verdicts, and what it adds to each figure under the policies.

use std::cmp::Ordering;
use std::sync::Arc;

use super::outcome::{PairOutcome, Status};
use super::pass::{Candidate, Choice, Order, Pass};
use super::policy::{Conflict, Policies, Unparsed};
use crate::label::PairLabel;
use crate::stats::RatioPart;

/// How far a judge prefers candidate B, from 0 (A for certain) over one half (neither) to 1 (B for certain).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Grade(f64);

impl Grade {
    /// A grade, if `value` lies between 0 and 1.
    pub fn new(value: f64) -> Option<Grade> {
        (0.0..=1.0).contains(&value).then_some(Grade(value))
    }

    /// Between 0 and 1.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The candidate it is for, or a tie.
    pub fn choice(self) -> Choice {
        match self.0 {
            value if value > 0.5 => Choice::Wins(Candidate::B),
            value if value < 0.5 => Choice::Wins(Candidate::A),
            _ => Choice::Tie,
        }
    }
}

impl From<PairLabel> for Grade {
    fn from(label: PairLabel) -> Grade {
        match label {
            PairLabel::A => Grade(0.0),
            PairLabel::Tie => Grade(0.5),
            PairLabel::B => Grade(1.0),
        }
    }
}

/// What was said about a pair.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdicts {
    /// A pass in each order.
    BothOrders {
        /// With candidate A in the first slot.
        ab: Pass,
        /// With candidate B in the first slot.
        ba: Pass,
    },
    /// One grade, the order unknown.
    Graded(Grade),
}

/// Two replies to one case, with what was said about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The name of the pair.
    pub item: Arc<str>,
    /// The case. Pairs of one case are alike and are drawn together when intervals are made.
    pub case: Arc<str>,
    /// The slice of the case.
    pub slice: Option<Arc<str>>,
    /// The variants that wrote candidate A and candidate B.
    pub variants: [Arc<str>; 2],
    /// What was said.
    pub verdicts: Verdicts,
    /// The lengths of candidate A and candidate B in characters.
    pub lengths: Option<[u64; 2]>,
    /// How hard the case is, where that was measured: what the length-controlled fit may lean on.
    pub difficulty: Option<f64>,
    /// What people decided.
    pub label: Option<PairLabel>,
}

/// A pass under the policy for passes without a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    Choice(Choice),
    /// Left out.
    Left,
    /// A verdict of its own that is never right.
    Wrong,
}

pub(super) const NOTHING: RatioPart = RatioPart { numerator: 0.0, denominator: 0.0 };

pub(super) fn one(hit: bool) -> RatioPart {
    RatioPart { numerator: f64::from(u8::from(hit)), denominator: 1.0 }
}

pub(super) fn both(first: RatioPart, second: RatioPart) -> RatioPart {
    RatioPart {
        numerator: first.numerator + second.numerator,
        denominator: first.denominator + second.denominator,
    }
}

impl Pair {
    /// How it ended.
    pub fn status(&self) -> Status {
        match &self.verdicts {
            Verdicts::BothOrders { ab, ba } => PairOutcome::of(ab, ba).status(),
            Verdicts::Graded(_) => Status::Graded,
        }
    }

    /// What it comes to by candidate, where it counts under the policies: the candidate with more than half of
    /// it wins, and one half each is a tie. An escalation is no result.
    pub fn result(&self, policies: Policies) -> Option<Choice> {
        let won = self.win(Candidate::B, policies);
        (won.denominator > 0.0).then(|| match won.numerator.total_cmp(&(won.denominator / 2.0)) {
            Ordering::Greater => Choice::Wins(Candidate::B),
            Ordering::Less => Choice::Wins(Candidate::A),
            Ordering::Equal => Choice::Tie,
        })
    }

    /// Passes without a verdict.
    pub(super) fn n_unparsed(&self) -> u64 {
        match &self.verdicts {
            Verdicts::BothOrders { ab, ba } => {
                [ab, ba].iter().filter(|pass| pass.choice().is_none()).count() as u64
            }
            Verdicts::Graded(_) => 0,
        }
    }

    /// The candidate that `variant` wrote.
    pub(super) fn candidate(&self, variant: &str) -> Option<Candidate> {
        let [a, b] = &self.variants;
        if **a == *variant {
            Some(Candidate::A)
        } else if **b == *variant {
            Some(Candidate::B)
        } else {
            None
        }
    }

    /// How far `candidate` is preferred, 0 to 1, where the pair counts under the policies: a grade as it was given.
    pub(super) fn preference(&self, candidate: Candidate, policies: Policies) -> Option<f64> {
        let won = self.win(candidate, policies);
        (won.denominator > 0.0).then(|| won.numerator / won.denominator)
    }

    /// The length of a candidate.
    pub(super) fn length(&self, candidate: Candidate) -> Option<u64> {
        self.lengths.map(|[a, b]| if candidate == Candidate::A { a } else { b })
    }

    /// Both passes, in both orders, where both have a verdict under the policy.
    fn choices(&self, unparsed: Unparsed) -> Option<[(Order, Choice); 2]> {
        let Verdicts::BothOrders { ab, ba } = &self.verdicts else { return None };
        match [read(ab, unparsed), read(ba, unparsed)] {
            [Read::Choice(ab), Read::Choice(ba)] => Some([(Order::Ab, ab), (Order::Ba, ba)]),
            _ => None,
        }
    }

    /// The passes under the policy, where no order asks for a person.
    pub(super) fn reads(&self, unparsed: Unparsed) -> Option<[Read; 2]> {
        let Verdicts::BothOrders { ab, ba } = &self.verdicts else { return None };
        let reads = [read(ab, unparsed), read(ba, unparsed)];
        (!reads.contains(&Read::Choice(Choice::NeedsHumanReview))).then_some(reads)
    }

    /// What `candidate` wins of it, and of how many observations.
    pub(super) fn win(&self, candidate: Candidate, policies: Policies) -> RatioPart {
        if let Verdicts::Graded(grade) = self.verdicts {
            let numerator = if candidate == Candidate::B { grade.value() } else { 1.0 - grade.value() };
            return RatioPart { numerator, denominator: 1.0 };
        }
        let win = |choice| match choice {
            Choice::Wins(winner) => one(winner == candidate),
            Choice::Tie => RatioPart { numerator: 0.5, denominator: 1.0 },
            Choice::NeedsHumanReview => NOTHING,
        };
        let pass = |read| if let Some(Read::Choice(choice)) = read { win(choice) } else { NOTHING };
        let [first, second] = self.observed(policies);
        both(pass(first), pass(second))
    }

    /// What it says under the policies: one reading, or with pooled orders that of each. Nothing where an order asks for
    /// a person or is left out.
    pub(super) fn observed(&self, policies: Policies) -> [Option<Read>; 2] {
        if let Verdicts::Graded(grade) = self.verdicts {
            return [Some(Read::Choice(grade.choice())), None];
        }
        let Some(reads) = self.reads(policies.unparsed) else { return [None, None] };
        let together = match (reads, policies.conflict) {
            (reads, Conflict::Pool) => {
                return reads.map(|read| Some(read).filter(|read| *read != Read::Left));
            }
            ([Read::Left, _] | [_, Read::Left], _) => None,
            ([Read::Wrong, _] | [_, Read::Wrong], _) => Some(Read::Wrong),
            ([ab, ba], _) if ab == ba => Some(ab),
            (_, Conflict::Tie) => Some(Read::Choice(Choice::Tie)),
            ([Read::Choice(ab), Read::Choice(ba)], Conflict::Sum) => Some(Read::Choice(ab.sum(ba))),
            (_, Conflict::Drop) => None,
        };
        [together, None]
    }

    /// Whether `candidate` wins where there is a winner.
    pub(super) fn decisive_win(&self, candidate: Candidate, policies: Policies) -> RatioPart {
        match self.result(policies) {
            Some(Choice::Wins(winner)) => one(winner == candidate),
            _ => NOTHING,
        }
    }

    /// A win is one, a tie one half, whatever the grade.
    pub(super) fn discrete_win(&self, candidate: Candidate, policies: Policies) -> RatioPart {
        match self.result(policies) {
            Some(Choice::Wins(winner)) => one(winner == candidate),
            Some(_) => RatioPart { numerator: 0.5, denominator: 1.0 },
            None => NOTHING,
        }
    }

    /// Whether it ended as `status`, among pairs with a verdict.
    pub(super) fn ended(&self, status: Status) -> RatioPart {
        match self.status() {
            Status::Unscored => NOTHING,
            Status::Graded => one(status == Status::Tie && self.is_even()),
            ended => one(ended == status),
        }
    }

    fn is_even(&self) -> bool {
        matches!(self.verdicts, Verdicts::Graded(grade) if grade.choice() == Choice::Tie)
    }

    /// Whether both orders say the same. A missing verdict that counts as wrong is like another one.
    pub(super) fn consistent(&self, unparsed: Unparsed) -> RatioPart {
        let Verdicts::BothOrders { ab, ba } = &self.verdicts else { return NOTHING };
        match (read(ab, unparsed), read(ba, unparsed)) {
            (Read::Left, _) | (_, Read::Left) => NOTHING,
            (ab, ba) => one(ab == ba),
        }
    }

    /// Winning passes for the first slot, among winning passes of pairs with both verdicts: each candidate
    /// stood in each slot once.
    pub(super) fn first_slot_lean(&self, unparsed: Unparsed) -> RatioPart {
        self.slots(unparsed, |order, choice| match choice {
            Choice::Wins(winner) => one(winner == order.first()),
            _ => NOTHING,
        })
    }

    /// Passes for the first or the second slot, among all passes of pairs with both verdicts.
    pub(super) fn slot_rate(&self, slot: Order, unparsed: Unparsed) -> RatioPart {
        self.slots(unparsed, |order, choice| {
            let stood = if slot == Order::Ab { order.first() } else { order.first().other() };
            one(choice == Choice::Wins(stood))
        })
    }

    fn slots(&self, unparsed: Unparsed, part: impl Fn(Order, Choice) -> RatioPart) -> RatioPart {
        let Some([ab, ba]) = self.choices(unparsed) else { return NOTHING };
        both(part(ab.0, ab.1), part(ba.0, ba.1))
    }

    /// Winning passes for the longer reply, among winning passes of pairs with both verdicts.
    pub(super) fn longer_by_pass(&self, unparsed: Unparsed) -> RatioPart {
        match (self.choices(unparsed), self.longer()) {
            (Some([ab, ba]), Some(longer)) => both(for_longer(ab.1, longer), for_longer(ba.1, longer)),
            _ => NOTHING,
        }
    }

    /// Whether the longer reply wins, where the same one wins in both orders, whatever the policies.
    pub(super) fn longer_by_result(&self) -> RatioPart {
        match (self.result(Policies::default()), self.longer()) {
            (Some(choice), Some(longer)) => for_longer(choice, longer),
            _ => NOTHING,
        }
    }

    fn longer(&self) -> Option<Candidate> {
        let [a, b] = self.lengths?;
        match a.cmp(&b) {
            Ordering::Greater => Some(Candidate::A),
            Ordering::Less => Some(Candidate::B),
            Ordering::Equal => None,
        }
    }

    /// Where both orders have a winner and not the same: the order whose slot got it both times.
    pub(super) fn slot_both_times(&self) -> Option<Order> {
        let [(_, Choice::Wins(ab)), (_, Choice::Wins(ba))] = self.choices(Unparsed::Drop)? else {
            return None;
        };
        match (ab, ba) {
            (Candidate::A, Candidate::B) => Some(Order::Ab),
            (Candidate::B, Candidate::A) => Some(Order::Ba),
            _ => None,
        }
    }
}

pub(super) fn read(pass: &Pass, unparsed: Unparsed) -> Read {
    match (pass.choice(), unparsed) {
        (Some(choice), _) => Read::Choice(choice),
        (None, Unparsed::Tie) => Read::Choice(Choice::Tie),
        (None, Unparsed::Drop) => Read::Left,
        (None, Unparsed::Wrong) => Read::Wrong,
    }
}

fn for_longer(choice: Choice, longer: Candidate) -> RatioPart {
    match choice {
        Choice::Wins(winner) => one(winner == longer),
        _ => NOTHING,
    }
}
