//! The mock judge: a server on this machine that answers like a judge, well or badly, and keeps count.
//!
//! It is for rehearsing a run and for tests; nothing it says is a judgement. Levels, words, waits and
//! faults follow from a seed, the packet and the number of the call for that packet, never from the order
//! in which calls arrive. It listens on the loopback interface only.

pub(crate) mod answer;
mod asked;
mod counts;
mod draw;
mod faults;
mod flaws;
mod form;
mod http;
pub(crate) mod latency;
mod ledger;
pub(crate) mod pairs;
pub(crate) mod script;
mod serve;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) use counts::Counts;
pub(crate) use faults::{FAULTS, FaultPlan, share, shares};
pub(crate) use ledger::Ledger;
pub(crate) use serve::serve;

use answer::{Levels, Usage};
use latency::Latency;
use pairs::Pairs;
use script::Script;

/// How the mock judge behaves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// What every draw follows from, besides the packet and the call's number.
    pub(crate) seed: u64,
    /// How levels are chosen.
    pub(crate) levels: Levels,
    /// How the better of two replies is chosen.
    pub(crate) pairs: Pairs,
    /// What a judge that reads goes by, in place of both.
    pub(crate) script: Option<Script>,
    /// Whether answers say how many tokens they took.
    pub(crate) usage: Usage,
    /// The model that answers say they come from, in place of the one asked for.
    pub(crate) model_echo: Option<String>,
    /// Fingerprints that answers carry, drawn per call; empty for one fixed fingerprint.
    pub(crate) fingerprints: Vec<String>,
    /// How long answers take.
    pub(crate) latency: Latency,
    /// Which calls get which fault.
    pub(crate) faults: FaultPlan,
    /// The pause of faults that send little by little.
    pub(crate) drip: Duration,
    /// Seconds that F01 and F19 ask to wait.
    pub(crate) retry_after_s: u32,
}

/// The mock judge.
#[derive(Debug)]
pub(crate) struct Mock {
    /// How it behaves.
    pub(crate) settings: Settings,
    /// What it has counted.
    pub(crate) counts: Counts,
    /// Where it writes down its calls.
    pub(crate) ledger: Option<Ledger>,
    /// Ledger lines that could not be written.
    pub(crate) ledger_failures: AtomicU64,
}

impl Mock {
    /// A mock judge that has seen nothing yet.
    pub(crate) fn new(settings: Settings, ledger: Option<Ledger>) -> Self {
        Mock { settings, counts: Counts::new(), ledger, ledger_failures: AtomicU64::new(0) }
    }

    fn ledger_failed(&self) {
        self.ledger_failures.fetch_add(1, Ordering::Relaxed);
    }
}
