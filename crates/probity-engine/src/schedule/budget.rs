//! What this process has spent of the budget of its runs, and when to look for room again.
//!
//! Limits are the ledger's: room for a call is taken together with its intent, for all workers of a run at once. Here is
//! only what a display shows and what wakes those who wait for room.

use std::sync::{Mutex, MutexGuard};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

pub use crate::config::Money;
pub use crate::ledger::{BudgetTerms, Exhausted, Limits, NoRoom};

/// The budget of a command's runs, as its process sees it.
#[derive(Debug)]
pub struct Budget {
    terms: BudgetTerms,
    state: Mutex<Spent>,
    freed: Notify,
}

/// What this process has spent so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls made.
    pub calls: u64,
    /// Money spent.
    pub money: Money,
}

impl Budget {
    /// A budget of which this process has spent nothing.
    pub fn new(terms: BudgetTerms) -> Self {
        Budget { terms, state: Mutex::new(Spent::default()), freed: Notify::new() }
    }

    /// Its name and limits, for opening runs within it.
    pub fn terms(&self) -> &BudgetTerms {
        &self.terms
    }

    fn state(&self) -> MutexGuard<'_, Spent> {
        self.state.lock().expect("no thread panics while it holds the budget")
    }

    /// A call is sent.
    pub(super) fn call_sent(&self) {
        self.state().calls += 1;
    }

    /// A call has cost so much. What has been spent with it.
    pub(super) fn spend(&self, cost: Money) -> Money {
        let mut spent = self.state();
        spent.money = spent.money.plus(cost);
        spent.money
    }

    /// A call is no longer in flight: one that waits for room may look again.
    pub(super) fn release(&self) {
        self.freed.notify_one();
    }

    /// Completes when there may be room. Enable it before the look that it waits for.
    pub(super) fn freed(&self) -> Notified<'_> {
        self.freed.notified()
    }

    /// What this process has spent so far.
    pub fn spent(&self) -> Spent {
        *self.state()
    }
}
