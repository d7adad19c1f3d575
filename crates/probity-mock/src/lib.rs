//! The mock judge: a server on this machine that answers like a judge, well or badly, and keeps count.
//!
//! It is for rehearsing a run and for tests; nothing it says is a judgement. Levels, words, waits and
//! faults follow from a seed, the packet and the number of the call for that packet, never from the order
//! in which calls arrive. It listens on the loopback interface only.

mod answer;
mod asked;
mod batch;
mod confidence;
mod counts;
mod decide;
mod dialect;
mod draw;
mod envelope;
mod faults;
mod flaws;
mod form;
mod host;
mod http;
mod latency;
mod ledger;
mod pairs;
mod script;
mod serve;

use std::sync::atomic::AtomicU64;
use std::time::Duration;

pub use answer::Levels;
pub use batch::{BatchFault, BatchFaults, MockBatches, batch_fault, batch_faults};
pub use counts::CallCounts;
pub use envelope::UsageReport;
pub use faults::{FaultPlan, MockFault, faults, share, shares};
pub use host::MockHost;
pub use latency::{Latency, duration};
pub use ledger::CallLedger;
pub use pairs::Pairs;
pub use script::JudgeScript;
pub use serve::serve;

/// How the mock judge behaves.
#[derive(Debug, Clone)]
pub struct MockSettings {
    /// What every draw follows from, besides the packet and the call's number.
    pub seed: u64,
    /// How levels are chosen.
    pub levels: Levels,
    /// How the better of two replies is chosen.
    pub pairs: Pairs,
    /// A text that makes the judge unsure of what it says about a request that has it.
    pub unsure: Option<String>,
    /// What a judge that reads goes by, in place of both.
    pub script: Option<JudgeScript>,
    /// The host that is played, with its refusals.
    pub host: Option<MockHost>,
    /// Whether answers say how many tokens they took.
    pub usage: UsageReport,
    /// The share of each prompt that answers say came from a cache.
    pub cached: f64,
    /// The model that answers say they come from, in place of the one asked for.
    pub model_echo: Option<String>,
    /// Fingerprints that answers carry, drawn per call; empty for one fixed fingerprint.
    pub fingerprints: Vec<String>,
    /// How long answers take.
    pub latency: Latency,
    /// Which calls get which fault.
    pub faults: FaultPlan,
    /// The pause of faults that send little by little.
    pub drip: Duration,
    /// Seconds that F01 and F19 ask to wait.
    pub retry_after_s: u32,
    /// How batches go.
    pub batch: MockBatches,
}

impl Default for MockSettings {
    /// A judge that answers at once, with levels by packet and without a fault.
    fn default() -> Self {
        MockSettings {
            seed: 7,
            levels: Levels::Hash,
            pairs: Pairs::Hash,
            unsure: None,
            script: None,
            host: None,
            usage: UsageReport::On,
            cached: 0.0,
            model_echo: None,
            fingerprints: Vec::new(),
            latency: Latency::Fixed(Duration::ZERO),
            faults: FaultPlan::default(),
            drip: Duration::from_secs(20),
            retry_after_s: 7,
            batch: MockBatches::default(),
        }
    }
}

/// The mock judge.
#[derive(Debug)]
pub struct Mock {
    /// How it behaves.
    pub settings: MockSettings,
    /// What it has counted.
    pub counts: CallCounts,
    /// Where it writes down its calls.
    pub ledger: Option<CallLedger>,
    /// Ledger lines that could not be written.
    pub ledger_failures: AtomicU64,
    /// Files and batches, as a host keeps them.
    batches: batch::BatchHost,
}

impl Mock {
    /// A mock judge that has seen nothing yet.
    pub fn new(settings: MockSettings, ledger: Option<CallLedger>) -> Self {
        Mock {
            settings,
            counts: CallCounts::default(),
            ledger,
            ledger_failures: AtomicU64::new(0),
            batches: batch::BatchHost::default(),
        }
    }
}
