//! A judge that keeps a ledger which outlives every client: what was asked, how often, and what was answered.
//!
//! Its answers follow from the question alone, so that two runs over the same cases get the same verdicts
//! however often they were interrupted. It lives in the test's process; clients come and are killed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

pub(crate) use crate::answers::Asked;
use crate::answers::says;
use crate::support::{Act, Request, ScriptedServer};

impl Asked {
    /// A number that follows from the question and `salt`.
    pub(crate) fn number(&self, salt: u64) -> u64 {
        number((&self.reply, self.criterion(), salt))
    }

    /// The verdict that this judge gives.
    pub(crate) fn verdict(&self) -> Value {
        let words = ["clear", "plain", "brief", "warm", "stiff", "vague", "exact", "late"];
        let word = |salt| words[usize::try_from(self.number(salt) % 8).expect("below eight")];
        let reasoning = format!("{} and {} on {}: {}", word(1), word(2), self.criterion(), self.reply);
        json!({ "score": 1 + self.number(0) % 5, "reasoning": reasoning })
    }

    /// That verdict as a whole response.
    pub(crate) fn answer(&self) -> Act {
        says(&self.verdict().to_string())
    }
}

/// A number that follows from `value`, the same in every run.
pub(crate) fn number(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Holds answers back until so many questions are open at once.
pub(crate) struct Gate {
    n_wanted: usize,
    n_arrived: AtomicUsize,
    open: watch::Sender<bool>,
}

impl Gate {
    /// A gate that opens when `n_wanted` questions have arrived.
    pub(crate) fn new(n_wanted: usize) -> Gate {
        Gate { n_wanted, n_arrived: AtomicUsize::new(0), open: watch::Sender::new(false) }
    }

    /// `act`, as soon as the gate is open.
    pub(crate) fn hold(&self, act: Act) -> Act {
        if self.n_arrived.fetch_add(1, Ordering::SeqCst) + 1 >= self.n_wanted {
            self.open.send_replace(true);
        }
        Act::WhenOpen(self.open.subscribe(), Box::new(act))
    }
}

/// The judge with its ledger.
pub(crate) struct Judge {
    server: ScriptedServer,
}

impl Judge {
    /// A judge that answers every question after 1 to `ms_max` milliseconds, by `seed`.
    pub(crate) fn sound(ms_max: u64, seed: u64) -> Judge {
        Judge::with(move |asked, request| {
            let ms = 1 + number((asked, request.number, seed)) % ms_max;
            Act::After(Duration::from_millis(ms), Box::new(asked.answer()))
        })
    }

    /// A judge that asks `script` about each question.
    pub(crate) fn with(script: impl Fn(&Asked, &Request) -> Act + Send + Sync + 'static) -> Judge {
        Judge { server: ScriptedServer::with(move |request| script(&Asked::of(request), request)) }
    }

    /// Where it is.
    pub(crate) fn base_url(&self) -> String {
        self.server.url("/v1")
    }

    /// Requests so far.
    pub(crate) fn n_requests(&self) -> usize {
        self.server.n_requests()
    }

    /// Connections so far.
    pub(crate) fn n_connections(&self) -> usize {
        self.server.n_connections()
    }

    /// The most requests that were being answered at one time.
    pub(crate) fn n_open_calls_peak(&self) -> usize {
        self.server.n_open_calls_peak()
    }

    /// How often each question was asked.
    pub(crate) fn counts(&self) -> BTreeMap<Asked, usize> {
        let mut counts = BTreeMap::new();
        for request in self.server.requests() {
            *counts.entry(Asked::of(&request)).or_insert(0) += 1;
        }
        counts
    }
}
