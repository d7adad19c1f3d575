//! Whether an amount follows from known ones.
//!
//! A calculation that comes out at a figure by chance proves nothing. The more digits a figure has, the fewer calculations
//! can hit it by chance: any figure is taken for a sum or a multiple where the reply says that it calculates, and one of
//! four digits for the result of two steps. Where the reply does not say so, and of days, a calculation counts if it does
//! not lead to the figures beside one as well.

use std::collections::BTreeSet;

use crate::exact::Exact;

/// The most amounts that are calculated with in two steps.
const TWO_STEPS_MAX: usize = 16;

/// The most other numbers that a calculation of two steps takes into account.
const FACTORS_MAX: usize = 12;

/// The smallest number of four digits: one step hardly hits a figure of so many by chance.
const MANY_DIGITS: i128 = 1000;

/// The months and quarters of a year.
const PERIODS: [i64; 2] = [12, 4];

/// What can be reached from amounts in one step, sorted.
#[derive(Default)]
pub(super) struct Reach {
    amounts: Vec<Exact>,
    factors: Vec<Exact>,
    /// What is left or due with each share, of one.
    shares: Vec<Exact>,
    steps: Vec<Exact>,
}

impl Reach {
    /// What these amounts, numbers of things and shares of a hundred lead to. Nothing where they are many.
    pub(super) fn of(amounts: &[Exact], factors: &BTreeSet<Exact>, shares: &BTreeSet<Exact>) -> Reach {
        if amounts.len() > TWO_STEPS_MAX {
            return Reach::default();
        }
        let one = Exact::from(1);
        let parts = shares.iter().take(FACTORS_MAX).filter_map(|share| share.over(100));
        let shares: Vec<Exact> = parts
            .flat_map(|part| [Some(part), one.checked_sub(part), one.checked_add(part)])
            .flatten()
            .filter(|share| *share > Exact::ZERO)
            .collect();
        let factors: Vec<Exact> =
            factors.iter().copied().take(FACTORS_MAX).chain(PERIODS.map(Exact::from)).collect();
        let mut steps = Vec::new();
        for amount in amounts {
            steps.extend(factors.iter().filter_map(|factor| amount.checked_mul(*factor)));
            steps.extend(shares.iter().filter_map(|share| amount.checked_mul(*share)));
            for other in amounts.iter().filter(|other| *other != amount) {
                steps.extend([amount.checked_add(*other), amount.checked_sub(*other)].into_iter().flatten());
            }
        }
        steps.retain(|step| *step > Exact::ZERO);
        steps.sort_unstable();
        Reach { amounts: amounts.to_vec(), factors, shares, steps }
    }

    /// Whether two steps lead to an amount, or one that takes two amounts times each other.
    pub(super) fn leads_to(&self, target: Exact, is_about: bool) -> bool {
        // What is rounded is rounded to the last digit that it has.
        let slack = if is_about && is_whole(target) { Exact::ratio(1, 2) } else { Exact::ratio(1, 100) };
        let slack = slack.unwrap_or(Exact::ZERO);
        let hits =
            |sorted: &[Exact], wanted: Option<Exact>| wanted.is_some_and(|wanted| has(sorted, wanted, slack));
        let is_sum = || {
            self.amounts.iter().any(|amount| {
                let rests =
                    [target.checked_sub(*amount), target.checked_add(*amount), amount.checked_sub(target)];
                rests.into_iter().any(|rest| hits(&self.steps, rest))
            })
        };
        let is_part = || {
            let mut factors = self.factors.iter().chain(&self.shares);
            factors.any(|factor| hits(&self.steps, target.checked_div(*factor)))
                || self.factors.iter().any(|factor| hits(&self.steps, target.checked_mul(*factor)))
                || self.amounts.iter().any(|amount| hits(&self.amounts, target.checked_div(*amount)))
        };
        is_sum() || is_part()
    }
}

/// The digits of an amount that count, to the cent and without zeros at its end: 12 of 120.
fn digits(amount: Exact) -> i128 {
    cents(amount) / last_digit(amount)
}

fn cents(amount: Exact) -> i128 {
    amount.checked_mul(Exact::from(100)).map_or(0, Exact::floor)
}

/// How many cents the last digit of an amount counts that is not zero: 1000 in 120.
pub(super) fn last_digit(amount: Exact) -> i128 {
    let (cents, mut last) = (cents(amount), 1);
    while cents > 0 && cents % (last * 10) == 0 {
        last *= 10;
    }
    last
}

/// Of how many of its neighbours a figure may be found as well: what leads anywhere proves nothing.
pub(super) const NEIGHBOURS_MAX: usize = 2;

/// Whether a calculation leads to an amount, and to few of those that differ from it in its last digits.
pub(super) fn is_hit(amount: Exact, leads_to: impl Fn(Exact) -> bool) -> bool {
    leads_to(amount) && neighbours(amount).filter(|beside| leads_to(*beside)).count() <= NEIGHBOURS_MAX
}

fn neighbours(amount: Exact) -> impl Iterator<Item = Exact> {
    let (cents, last) = (cents(amount), last_digit(amount));
    let steps = [-30, -20, -10, -3, -2, -1, 1, 2, 3, 10, 20, 30].into_iter();
    steps.filter_map(move |n| Exact::ratio(cents + n * last, 100)).filter(|beside| *beside > Exact::ZERO)
}

/// Whether an amount says by its digits that it is not hit by chance.
pub(super) fn is_specific(amount: Exact) -> bool {
    digits(amount) >= MANY_DIGITS
}

/// Whether an amount has so few digits that any calculation hits it.
pub(super) fn is_round(amount: Exact) -> bool {
    digits(amount) < 10
}

/// Whether `wanted` is among sorted amounts.
fn has(sorted: &[Exact], wanted: Exact, slack: Exact) -> bool {
    if wanted <= slack {
        return false;
    }
    let from = sorted.partition_point(|amount| *amount < wanted && !near(*amount, wanted, slack));
    sorted.get(from).is_some_and(|amount| near(*amount, wanted, slack))
}

/// The amounts among which a target is looked for, sorted.
pub(super) struct Search {
    pub(super) target: Exact,
    pub(super) amounts: Vec<Exact>,
    pub(super) slack: Exact,
}

impl Search {
    /// Whether `wanted` is among the amounts.
    fn has(&self, wanted: Option<Exact>, slack: Exact) -> bool {
        wanted.is_some_and(|wanted| has(&self.amounts, wanted, slack))
    }

    pub(super) fn is_target(&self, amount: Exact) -> bool {
        near(amount, self.target, self.slack)
    }

    /// A sum or a difference.
    pub(super) fn is_sum(&self) -> bool {
        let differs = |one: &Exact| {
            let rests = [self.target.checked_add(*one), one.checked_sub(self.target)];
            rests.into_iter().any(|rest| self.has(rest, self.slack))
        };
        let adds_up = |one: &Exact| self.has(self.target.checked_sub(*one), self.slack);
        self.amounts.iter().any(|one| adds_up(one) || differs(one))
    }

    /// So many times an amount, or an amount in so many parts.
    pub(super) fn is_multiple(&self, factors: &BTreeSet<Exact>) -> bool {
        let periods = PERIODS.map(Exact::from);
        factors.iter().filter(|factor| is_whole(**factor)).chain(&periods).any(|factor| {
            let times = i64::try_from(factor.floor()).unwrap_or(1);
            let slack = self.slack.checked_mul(*factor).unwrap_or(self.slack);
            self.has(self.target.over(times), self.slack.over(times).unwrap_or(self.slack))
                || self.has(self.target.checked_mul(*factor), slack)
        })
    }

    /// A share of an amount, what is left without it, or what it comes to with it.
    pub(super) fn is_share(&self, amounts: &[Exact], shares: &BTreeSet<Exact>) -> bool {
        shares.iter().filter_map(|share| share.over(100)).any(|share| {
            amounts.iter().any(|amount| {
                let Some(part) = amount.checked_mul(share) else { return false };
                let sums = [Some(part), amount.checked_sub(part), amount.checked_add(part)];
                sums.into_iter().flatten().any(|sum| self.is_target(sum))
            })
        })
    }
}

/// How far from what is known an amount may be: to the cent, or to two in a hundred where it is rounded.
pub(super) fn slack(amount: Exact, is_about: bool) -> Exact {
    let half = |parts| Exact::ratio(1, parts).unwrap_or(Exact::ZERO);
    if is_about { amount.over(50).unwrap_or(Exact::ZERO).max(half(2)) } else { half(200) }
}

/// Whether two amounts are the same to the cent.
pub(super) fn is_same_amount(one: Exact, other: Exact) -> bool {
    near(one, other, slack(one, false))
}

pub(super) fn near(one: Exact, other: Exact, slack: Exact) -> bool {
    let gap = if one > other { one.checked_sub(other) } else { other.checked_sub(one) };
    gap.is_some_and(|gap| gap <= slack)
}

pub(super) fn is_whole(number: Exact) -> bool {
    Exact::ratio(number.floor(), 1) == Some(number)
}
