//! Whether a figure follows from supported ones: a sum, a difference, a product with a count or a rate, a share, a part.
//!
//! The search is bounded: pairs of at most a few dozen amounts. At least one of them is the case's own or the reply's: what
//! only fees of a policy add up to is no figure of a case. Results are compared to the cent, because people round.

use super::super::claim::Value;
use super::shown::Operands;
use crate::exact::Exact;

/// The most amounts of which sums of three are tried.
const TRIPLES_MAX: usize = 8;

/// Whether `value` can be calculated from `operands`, to within `slack`.
pub(super) fn follows(value: &Value, operands: &Operands, slack: Exact) -> bool {
    match value {
        Value::Money { amount, currency } => {
            let agrees = |named: &Option<String>| named.is_none() || currency.is_none() || named == currency;
            let amounts = |entries: &[(Exact, Option<String>)]| {
                let alike = entries.iter().filter(|(amount, named)| agrees(named) && *amount > Exact::ZERO);
                let mut amounts: Vec<Exact> = alike.map(|(amount, _)| *amount).collect();
                amounts.sort_unstable();
                amounts.dedup();
                amounts
            };
            let search = Search {
                own: amounts(&operands.amounts[..operands.n_of_case]),
                all: amounts(&operands.amounts),
                operands,
                slack,
            };
            search.is_sum(*amount) || search.is_multiple(*amount) || search.is_share(*amount)
        }
        Value::Percent(share) => is_ratio(*share, operands),
        _ => false,
    }
}

/// The slack of a result that is given to the cent.
pub(super) fn cent() -> Exact {
    Exact::ratio(1, 200).unwrap_or(Exact::ZERO)
}

/// Whether two amounts are as good as equal.
pub(super) fn near(one: Exact, other: Exact, slack: Exact) -> bool {
    let gap = if one > other { one.checked_sub(other) } else { other.checked_sub(one) };
    gap.is_some_and(|gap| gap <= slack)
}

struct Search<'o> {
    /// The amounts of the case and the reply, sorted.
    own: Vec<Exact>,
    /// Those and the policies', sorted.
    all: Vec<Exact>,
    operands: &'o Operands,
    slack: Exact,
}

impl Search<'_> {
    /// Whether `wanted` is among all amounts.
    fn has(&self, wanted: Option<Exact>) -> bool {
        let Some((least, most)) = wanted
            .and_then(|wanted| Some((wanted.checked_sub(self.slack)?, wanted.checked_add(self.slack)?)))
        else {
            return false;
        };
        let from = self.all.partition_point(|amount| *amount < least);
        self.all.get(from).is_some_and(|amount| *amount <= most && *amount > Exact::ZERO)
    }

    /// A sum or a difference of two, or a sum of three.
    fn is_sum(&self, target: Exact) -> bool {
        let is_pair = |target: Exact| {
            self.own.iter().any(|one| {
                let rest = target.checked_sub(*one).filter(|rest| *rest > self.slack);
                let less = one.checked_sub(target).filter(|less| *less > self.slack);
                self.has(rest) || self.has(less) || self.has(target.checked_add(*one))
            })
        };
        let is_rest = |one: &Exact| {
            target.checked_sub(*one).is_some_and(|rest| {
                rest > self.slack
                    && self.own.iter().any(|other| {
                        let last = rest.checked_sub(*other).filter(|last| *last > self.slack);
                        other != one && self.has(last)
                    })
            })
        };
        is_pair(target) || (self.all.len() <= TRIPLES_MAX && self.own.iter().any(is_rest))
    }

    /// So many times an amount, an amount in so many parts, or an amount in another currency.
    fn is_multiple(&self, target: Exact) -> bool {
        let is_product = |factor: &Exact| {
            let product = |amount: &Exact| amount.checked_mul(*factor);
            self.all.iter().any(|amount| product(amount).is_some_and(|all| near(all, target, self.slack)))
        };
        let is_part = |count: &Exact| {
            self.all.iter().any(|amount| {
                let parts = target.checked_mul(*count).zip(self.slack.checked_mul(*count));
                parts.is_some_and(|(whole, slack)| near(*amount, whole, slack))
            })
        };
        let amounts = &self.operands.amounts;
        let is_exchanged = |rate: &Exact| {
            let exchanged =
                |amount: Exact| amount.checked_mul(*rate).is_some_and(|all| near(all, target, self.slack));
            amounts.iter().any(|(amount, _)| exchanged(*amount))
        };
        let counts = &self.operands.counts;
        counts.iter().any(|count| is_product(count) || is_part(count))
            || self.operands.rates.iter().any(is_exchanged)
    }

    /// A share of an amount, or what is left without it.
    fn is_share(&self, target: Exact) -> bool {
        self.operands.shares.iter().filter_map(|share| share.over(100)).any(|share| {
            self.own.iter().any(|amount| {
                let Some(part) = amount.checked_mul(share) else { return false };
                let less = amount.checked_sub(part);
                near(part, target, self.slack) || less.is_some_and(|less| near(less, target, self.slack))
            })
        })
    }
}

/// Whether a percentage is what one amount is of another, or is less or more than it. The reply says one of the two.
fn is_ratio(share: Exact, operands: &Operands) -> bool {
    let one = Exact::from(1);
    let factors =
        share.over(100).and_then(|part| Some([part, one.checked_sub(part)?, one.checked_add(part)?]));
    let Some(factors) = factors else { return false };
    // Whole percentages are rounded to the whole, others to the tenth.
    let parts = if Exact::ratio(share.floor(), 1) == Some(share) { 200 } else { 2000 };
    let is_it = |whole: Exact, part: Exact| {
        let slack = whole.over(parts).unwrap_or(Exact::ZERO);
        let mut products = factors.iter().filter_map(|factor| whole.checked_mul(*factor));
        products.any(|product| near(product, part, slack))
    };
    let (stated, all) = (&operands.amounts[..operands.n_stated], &operands.amounts);
    stated.iter().any(|(one, _)| {
        all.iter().any(|(other, _)| {
            one != other && *other > Exact::ZERO && (is_it(*one, *other) || is_it(*other, *one))
        })
    })
}
