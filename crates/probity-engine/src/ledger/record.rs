//! What goes into the store and what comes out of it, in no database's terms.
//!
//! Wall time is a note that callers bring along. Order is by sequence: the ids given here grow, whatever
//! the clock does.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use probity_core::packet::PacketHash;

use super::budget::{BudgetTerms, NoRoom};
use super::runs::Invocation;
use crate::config::Money;
use crate::judge::JudgeId;

/// A run in one store. Later runs have larger ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub(crate) i64);

impl RunId {
    /// The number by which people know it.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An attempt in one store. Attempts that began later have larger ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(pub(crate) i64);

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A batch of calls in one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchId(pub(crate) i64);

/// What defines a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// What makes two runs comparable: the command, the case file's name, the rubric's name.
    pub name: String,
    /// The parts that decide the result, each with its hash or value: cases, rubric, template, judge.
    pub parts: Vec<(String, String)>,
    /// Everything else worth keeping, as JSON.
    pub body: String,
}

/// What came of beginning a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// A run that the store did not have.
    New {
        /// The run.
        run: RunId,
        /// The parts in which it differs from the latest run of its name, sorted; empty if there was none.
        changed: Vec<String>,
    },
    /// A run of this name had the same parts and goes on.
    Resumed {
        /// The run.
        run: RunId,
    },
}

impl Begun {
    /// The run, new or not.
    pub fn run(&self) -> RunId {
        match self {
            Begun::New { run, .. } | Begun::Resumed { run } => *run,
        }
    }
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Begun, and not ended by the process that began it.
    Running,
    /// Every packet was settled.
    Complete,
    /// It ended early and can be resumed.
    Incomplete,
}

impl RunState {
    /// The name in the store.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Complete => "complete",
            RunState::Incomplete => "incomplete",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<RunState> {
        [RunState::Running, RunState::Complete, RunState::Incomplete]
            .into_iter()
            .find(|state| state.name() == name)
    }
}

/// A run that is about to begin.
#[derive(Debug, Clone, Copy)]
pub struct RunOpening<'a> {
    /// The judge that is asked.
    pub judge: &'a JudgeId,
    /// What makes it answer as it does, as canonical JSON.
    pub identity: &'a str,
    /// What defines the run.
    pub manifest: &'a Manifest,
    /// How it was called, where that should be remembered.
    pub invocation: Option<&'a Invocation>,
    /// What it is made of but its cases, as JSON.
    pub spec: Option<&'a str>,
    /// What its calls may cost.
    pub budget: Option<&'a BudgetTerms>,
    /// What its calls share the limits of an endpoint by, with the calls of other workers.
    pub lane: Option<&'a str>,
}

/// A run as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// The run.
    pub run: RunId,
    /// What defines it.
    pub manifest: Manifest,
    /// How far it has come.
    pub state: RunState,
}

/// A call that is about to be made.
#[derive(Debug, Clone)]
pub struct AttemptStart {
    /// The packet asked about.
    pub packet: PacketHash,
    /// The packet's canonical text.
    pub packet_body: Arc<str>,
    /// The judge asked.
    pub judge: JudgeId,
    /// The run that asks.
    pub run: RunId,
    /// Which independent answer of the same judge this is for, from 0.
    pub repeat: u32,
    /// Which attempt at that answer this is, from 1.
    pub n: u32,
    /// Why the call is made: `first`, `retry:429`, `reask:no_json`.
    pub cause: String,
    /// Tokens that its prompt is estimated at.
    pub tokens_planned: u64,
    /// Decisions that an answer to it has.
    pub decisions: u32,
    /// When, by the caller's wall clock. Never used to order anything.
    pub started_unix_ms: i64,
    /// The most it can cost, which is reserved until it has ended.
    pub most: Money,
    /// The batch that it is part of; `None` for a call of this process.
    pub batch: Option<BatchId>,
    /// Whether the packet may be asked about if it is settled by now.
    pub again: AskAgain,
}

/// Whether a packet is asked about that another process may have settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskAgain {
    /// Not if anything is settled.
    Never,
    /// Only if there is no verdict.
    Unscored,
    /// In any case.
    Always,
}

impl AskAgain {
    pub(super) fn code(self) -> i64 {
        match self {
            AskAgain::Never => 0,
            AskAgain::Unscored => 1,
            AskAgain::Always => 2,
        }
    }
}

/// What holds a packet that is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A worker, of this process or another. It ends soon, or is lost.
    Worker,
    /// A batch, which may take a day.
    Batch,
}

/// What came of recording that a call is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intended {
    /// It is on the disk, and the call may be sent.
    Recorded(AttemptId),
    /// Another call about the packet is in flight.
    InFlight(Holder),
    /// Another process has settled the packet in the meantime.
    Settled(KnownKind),
    /// The budget of the run has no room for it.
    NoRoom(NoRoom),
}

impl Intended {
    /// The call, where it is recorded.
    pub fn recorded(self) -> Option<AttemptId> {
        if let Intended::Recorded(attempt) = self { Some(attempt) } else { None }
    }
}

/// What a call came to. Everything the answer did not say is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttemptEnd {
    /// The outcome's name.
    pub outcome: String,
    /// The outcome in a sentence.
    pub detail: String,
    /// The bytes of the answer, whole or partial, exactly as they came.
    pub raw: Vec<u8>,
    /// The HTTP status.
    pub http_status: Option<u16>,
    /// Tokens read by the judge.
    pub tokens_in: Option<u32>,
    /// Tokens written by the judge.
    pub tokens_out: Option<u32>,
    /// Of those read, tokens that came from the host's cache.
    pub tokens_cached: Option<u32>,
    /// The service tier that the answer names.
    pub tier: Option<String>,
    /// What the call cost, in picodollars.
    pub cost_picodollars: Option<i64>,
    /// What it would have cost in the standard tier and without a cache, in picodollars.
    pub list_picodollars: Option<i64>,
    /// The model that says it answered.
    pub model: Option<String>,
    /// The fingerprint of the system that answered.
    pub fingerprint: Option<String>,
    /// The id the provider gave to the answer.
    pub response_id: Option<String>,
    /// Time from sending to the end, in milliseconds.
    pub elapsed_ms: u32,
}

/// What one call came to, with what was read from it.
#[derive(Debug)]
pub(super) struct Conclusion {
    pub(super) attempt: AttemptId,
    pub(super) end: AttemptEnd,
    pub(super) settlement: Option<Settlement>,
}

/// Where an attempt stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// It is about to be made, or on its way.
    InFlight,
    /// The process died while it was in flight: possibly billed, not recorded.
    Lost,
    /// It ended, with the name that the caller gave to its outcome.
    Ended(String),
}

impl AttemptOutcome {
    /// The name of the outcome; the store's own names are `in_flight` and `lost`.
    pub fn name(&self) -> &str {
        match self {
            AttemptOutcome::InFlight => "in_flight",
            AttemptOutcome::Lost => "lost",
            AttemptOutcome::Ended(name) => name,
        }
    }
}

/// An attempt in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptSummary {
    /// Which attempt it was, from 1.
    pub n: u32,
    /// Where it stands.
    pub outcome: AttemptOutcome,
    /// The outcome in a sentence; empty unless it ended.
    pub detail: String,
}

/// An attempt as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The attempt.
    pub attempt: AttemptId,
    /// The run that asked.
    pub run: RunId,
    /// Which attempt it was, from 1.
    pub n: u32,
    /// Why the call was made.
    pub cause: String,
    /// When it began, by the caller's wall clock.
    pub started_unix_ms: i64,
    /// Where it stands.
    pub outcome: AttemptOutcome,
    /// Whether a settlement made from it had to give way to another.
    pub is_superseded: bool,
    /// The outcome in a sentence; empty unless it ended.
    pub detail: String,
    /// The HTTP status.
    pub http_status: Option<u16>,
    /// The bytes of the answer, exactly as they came; empty where none did.
    pub raw: Vec<u8>,
    /// What the endpoint said about the answer, and how long it took.
    pub told: AttemptTold,
}

/// What is known about the answer to an attempt beside the answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttemptTold {
    /// The model that answered.
    pub model: Option<String>,
    /// The fingerprint of the system that it runs on.
    pub fingerprint: Option<String>,
    /// Tokens of the prompt.
    pub tokens_in: Option<u64>,
    /// Tokens of the answer.
    pub tokens_out: Option<u64>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: Option<u64>,
}

/// What is decided about a packet by an attempt, once and for all unless a verdict follows an unscored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// How many attempts it took.
    pub attempts: u32,
    /// What is decided.
    pub decision: Settled,
}

/// What a settlement says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// The judge's validated verdict.
    Verdict {
        /// The verdict as JSON.
        body: String,
    },
    /// There is no verdict.
    Unscored {
        /// The reason's name.
        reason: String,
        /// The reason in a sentence.
        detail: String,
    },
}

/// What became of a settlement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is the first for its packet, judge and repeat, and it stands.
    First,
    /// It stands in place of an unscored.
    Replaced,
    /// Another stands already. Its attempt is kept and marked.
    Superseded,
}

/// What the store has about a packet, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownKind {
    /// There is a verdict.
    Verdict,
    /// There is none, with a reason.
    Unscored,
    /// It was asked about, and nothing is settled.
    Attempted,
    /// It waits in a batch. What another worker asks about is [`KnownKind::Attempted`]: that worker may be lost.
    InFlight,
}

/// What the store has about a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// What is settled.
    Settled(Settlement),
    /// The last attempt, where nothing is settled.
    Attempted(AttemptSummary),
}

/// What a run has spent on a judge, and what the judge said about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// Calls made, lost ones and those in flight among them.
    pub calls: u64,
    /// Calls in flight when a process died: possibly billed, not recorded.
    pub lost: u64,
    /// Tokens read, over the calls that tell.
    pub tokens_in: u64,
    /// Tokens written, over the calls that tell.
    pub tokens_out: u64,
    /// Of those read, tokens that came from the host's cache.
    pub tokens_cached: u64,
    /// The calls by the service tier that their answers name.
    pub tiers: BTreeMap<String, u64>,
    /// Known cost in picodollars.
    pub cost_picodollars: i64,
    /// What the calls of known cost would have cost beyond that in the standard tier and without a cache, in
    /// picodollars; less than nothing where a cache was written to and hardly read.
    pub saved_picodollars: i64,
    /// Calls whose cost is not known. They are not free.
    pub unknown_cost_calls: u64,
    /// Answers that came without token counts.
    pub unknown_usage_answers: u64,
    /// The models that answered with their calls.
    pub models: BTreeMap<String, u64>,
    /// The system fingerprints that answered with their calls.
    pub fingerprints: BTreeMap<String, u64>,
    /// Answers that came for more than one packet, sorted by id.
    pub repeated_responses: Vec<RepeatedResponse>,
}

/// One response id that came as the answer to several packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedResponse {
    /// The provider's id of the answer.
    pub response_id: String,
    /// The packets it came for, sorted.
    pub packets: Vec<PacketHash>,
}
