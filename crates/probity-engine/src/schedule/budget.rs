//! Hard limits on calls and money.
//!
//! A call is reserved before it is sent, at the most it can cost, and settled at what it did cost. The sum
//! of spent and reserved never exceeds the limit, so the limit holds with any number of calls in flight.

use std::sync::{Mutex, MutexGuard};

use probity_core::exact::Exact;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

pub use crate::config::Money;

/// What may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Calls at most.
    pub calls_max: Option<u64>,
    /// Money at most.
    pub money_max: Option<Money>,
}

/// Counts what is spent and what is reserved.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    state: Mutex<Spent>,
    freed: Notify,
}

/// What has been spent so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls made.
    pub calls: u64,
    /// Money spent.
    pub money: Money,
    reserved: Money,
}

/// Room for one call, at the most it can cost.
///
/// Dropped before the call is sent, it gives everything back. Dropped afterwards, it is unknown what the
/// call did cost, so the most counts.
#[derive(Debug)]
#[must_use = "a reservation that is dropped gives its room back"]
pub struct Reservation<'a> {
    budget: &'a Budget,
    most: Money,
    state: Reserved,
}

/// How far the call of a reservation has come.
#[derive(Debug, Clone, Copy)]
enum Reserved {
    Unsent,
    Sent,
    Settled(Money),
}

/// Why there is no room for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRoom {
    /// Calls in flight hold the rest of the money. Some of it comes back when they end.
    Held,
    /// There will be none.
    Never(Exhausted),
}

/// A limit does not allow another call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// The call limit.
    #[error("the limit of {max} calls is reached")]
    Calls {
        /// The limit.
        max: u64,
    },
    /// The money limit.
    #[error("the budget of ${max} does not cover another call (${spent} spent, a call may cost ${most})")]
    Money {
        /// The limit.
        max: Exact,
        /// Spent so far.
        spent: Exact,
        /// The most the next call can cost.
        most: Exact,
    },
}

impl Budget {
    /// A budget with nothing spent.
    pub fn new(limits: Limits) -> Self {
        Budget { limits, state: Mutex::new(Spent::default()), freed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, Spent> {
        self.state.lock().expect("no thread panics while it holds the budget")
    }

    /// Reserves one call that costs at most `most`.
    pub fn reserve(&self, most: Money) -> Result<Reservation<'_>, NoRoom> {
        let mut spent = self.state();
        if let Some(max) = self.limits.calls_max.filter(|max| spent.calls >= *max) {
            return Err(NoRoom::Never(Exhausted::Calls { max }));
        }
        let without_others = spent.money.plus(most);
        if let Some(max) = self.limits.money_max.filter(|max| without_others.plus(spent.reserved) > *max) {
            let (spent, most) = (spent.money.usd(), most.usd());
            return Err(if without_others > max {
                NoRoom::Never(Exhausted::Money { max: max.usd(), spent, most })
            } else {
                NoRoom::Held
            });
        }
        spent.calls += 1;
        spent.reserved = spent.reserved.plus(most);
        Ok(Reservation { budget: self, most, state: Reserved::Unsent })
    }

    /// Completes when a reservation has ended. Enable it before the look that it waits for.
    pub fn freed(&self) -> Notified<'_> {
        self.freed.notified()
    }

    /// What has been spent so far.
    pub fn spent(&self) -> Spent {
        *self.state()
    }
}

impl Reservation<'_> {
    /// The call is on its way and may be billed from now on.
    pub fn sent(&mut self) {
        self.state = Reserved::Sent;
    }

    /// Replaces the reservation by what the call did cost. Where that is unknown, the most counts.
    pub fn settle(mut self, cost: Option<Money>) {
        self.state = Reserved::Settled(cost.unwrap_or(self.most));
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut spent = self.budget.state();
        spent.reserved = Money::from_picos(spent.reserved.picos() - self.most.picos());
        match self.state {
            Reserved::Unsent => spent.calls -= 1,
            Reserved::Sent => spent.money = spent.money.plus(self.most),
            Reserved::Settled(cost) => spent.money = spent.money.plus(cost),
        }
        drop(spent);
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Exact {
        text.parse().expect("a decimal")
    }

    fn money(text: &str) -> Money {
        Money::from_usd(usd(text)).expect("an amount")
    }

    fn dollars(max: &str) -> Budget {
        Budget::new(Limits { calls_max: None, money_max: Some(money(max)) })
    }

    #[test]
    fn the_call_limit_is_hard() {
        let budget = Budget::new(Limits { calls_max: Some(2), money_max: None });
        for _ in 0..2 {
            budget.reserve(Money::default()).expect("within the limit").settle(None);
        }
        let beyond = budget.reserve(Money::default()).expect_err("beyond");
        assert_eq!(beyond, NoRoom::Never(Exhausted::Calls { max: 2 }));
        assert_eq!(budget.spent().calls, 2);
    }

    #[test]
    fn g13_reservations_count_until_they_are_settled() {
        let budget = dollars("1");
        let first = budget.reserve(money("0.6")).expect("within");
        assert_eq!(budget.reserve(money("0.6")).expect_err("0.6 is still reserved"), NoRoom::Held);
        first.settle(Some(money("0.1")));
        budget.reserve(money("0.6")).expect("only 0.1 was spent").settle(None);
        assert_eq!(budget.spent().money, money("0.7"));
        let never = budget.reserve(money("0.6")).expect_err("0.7 is gone for good");
        assert!(matches!(never, NoRoom::Never(Exhausted::Money { .. })), "{never:?}");
    }

    #[test]
    fn g13_a_call_that_was_never_sent_costs_nothing() {
        let budget = dollars("1");
        drop(budget.reserve(money("0.6")).expect("within"));
        assert_eq!(budget.spent(), Spent::default());
    }

    #[test]
    fn g13_a_call_that_was_cut_off_counts_at_its_most() {
        let budget = dollars("1");
        let mut cut_off = budget.reserve(money("0.6")).expect("within");
        cut_off.sent();
        drop(cut_off);
        assert_eq!(budget.spent(), Spent { calls: 1, money: money("0.6"), reserved: Money::default() });
    }
}
