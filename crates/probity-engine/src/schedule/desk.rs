//! What all pursuits of a run share, and what a display may read of it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use probity_core::verdict::{Completion, EnvelopeFault};

use super::attempt::Hearing;
use super::budget::{Budget, Money};
use super::lane::Lane;
use crate::config::{ModelMismatch, Price, Reask, ScheduleSettings, StoredTexts, Tier};
use crate::judge::{Judge, JudgeId, Question};
use crate::ledger::{AskAgain, RunId, Store};

/// A packet to be asked about.
#[derive(Debug, Clone)]
pub struct Task<Q = Question> {
    /// What is asked.
    pub question: Q,
    /// The most one call can cost.
    pub most: Money,
    /// Tokens of the prompt, estimated.
    pub tokens_input: u64,
    /// What the store already holds about it.
    pub earlier: Earlier,
}

/// What the store holds about a packet that has no settlement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// Attempts, and perhaps answers that were never read.
    Attempts,
    /// Nothing.
    Nothing,
}

/// How a pursuit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pursued {
    /// A verdict is on record.
    Verdict,
    /// The judge's answers were no verdict, and that is on record.
    Unscored,
    /// Every attempt failed on the way. Nothing is settled; the next run asks again.
    GaveUp,
    /// Another worker asks about it at this moment. It is looked at again later.
    Elsewhere,
}

/// Counters that a progress display reads while calls are under way.
#[derive(Debug, Default)]
pub struct Progress {
    /// Packets to do.
    pub total: AtomicU64,
    /// Packets settled or given up.
    pub done: AtomicU64,
    /// Of those, packets without a verdict.
    pub unscored: AtomicU64,
    /// Calls sent.
    pub calls: AtomicU64,
    /// Picodollars spent.
    pub picos: AtomicU64,
    /// What tokens cost, where that is known: without it nothing can be said about money.
    pub price: Option<Price>,
}

/// Everything that pursuits share.
pub struct Desk<R = Judge> {
    /// What is asked: a judge, or a target.
    pub respondent: R,
    /// Its identity.
    pub judge_id: JudgeId,
    /// Where everything is kept.
    pub store: Store,
    /// What it keeps of packets.
    pub texts: StoredTexts,
    /// Whether packets are asked about whose answers were no verdict.
    pub again: AskAgain,
    /// The run that calls are recorded under.
    pub run: RunId,
    /// The number under which packets are asked about and settled: 0, or more where the same is asked again.
    pub repeat: u32,
    /// The lane to the respondent.
    pub lane: Arc<Lane>,
    /// The limits on calls and money.
    pub budget: Arc<Budget>,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
    /// The tier that calls ask for.
    pub tier: Tier,
    /// How packets are pursued.
    pub schedule: ScheduleSettings,
    /// Whether unusable answers are asked for again.
    pub reask: Reask,
    /// What another model's answer is worth.
    pub mismatch: ModelMismatch,
    /// The model asked for and other names of it; empty where the judge has no model.
    pub models: Vec<String>,
    /// What a display may read.
    pub progress: Arc<Progress>,
}

impl<R> Desk<R> {
    /// What answers are read and priced by here; `read` reads a whole body.
    pub(crate) fn hearing<'a>(
        &'a self,
        read: &'a dyn Fn(&[u8]) -> Result<Completion, EnvelopeFault>,
    ) -> Hearing<'a> {
        let (price, tier) = (self.price, self.tier);
        Hearing { read, model: self.model(), wait_max: self.schedule.retry_after_max, price, tier }
    }

    /// The model asked for, to name it in messages.
    pub(super) fn model(&self) -> &str {
        self.models.first().map_or("", String::as_str)
    }
}
