//! Asking by batches: what is missing goes to the host together, and what comes back is taken in by whichever process
//! looks next.
//!
//! A pass looks after the batches on record, settles what was answered, and sends what is missing. It never waits for a
//! host to finish: when all parts of a command have made their pass, [`BatchWatch::wait`] does, and the command makes
//! another one. So a process that is gone for a day goes on where it was, and so does one that waited.

mod by_hand;
mod collect;
mod find;
mod read;
mod send;
mod watch;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc;

pub use by_hand::{Cancelled, ImportedAnswers, NotCancelled, Release, cancel, import_answers};
pub use send::RequestsFile;
pub use watch::{BatchWatch, Waited};

use super::asking::Asking;
use super::calling::Outbox;
use super::{RunError, Session};
use crate::config::{BatchSettings, ChatSettings, LeftOut, ServiceTier};
use crate::judge::batch::BatchClient;
use crate::judge::{Judge, Question};
use crate::ledger::{BatchRecord, JudgeId, Reader, StoreError};
use crate::schedule::Driven;
use crate::schedule::batched::settle_recorded;
use crate::schedule::desk::Desk;
use crate::schedule::lane::{Parameters, Stop};
use collect::BatchCollector;
use send::BatchSender;

/// How the calls to a judge are made.
#[derive(Debug, Clone)]
pub enum Dispatch {
    /// One by one.
    Online,
    /// Together, by the host's interface for batches.
    Batch(Arc<BatchWatch>),
    /// Not at all: requests are written to a file, and answers come back in one.
    File(Arc<RequestsFile>),
}

/// What asking by batches takes.
pub(super) struct Batching {
    pub(super) host: Host,
    pub(super) settings: BatchSettings,
    /// The batches on record that have not ended.
    pub(super) open: Vec<BatchRecord>,
    /// Why nothing more is sent, since an earlier pass.
    pub(super) halt: Option<Stop>,
    /// What the store is known by at hosts.
    pub(super) store_name: String,
    /// The judge, without what it refused.
    pub(super) chat: (ChatSettings, LeftOut),
    /// Requests of a batch at most, where the host has refused more.
    pub(super) requests_max: Option<usize>,
}

/// Where requests go.
pub(super) enum Host {
    Service(Arc<BatchClient>, Arc<BatchWatch>),
    File(Arc<RequestsFile>),
}

/// Whether a pass is followed by another one at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NextPass {
    /// What is on record has changed: the next pass reads it. Nothing more is sent then where there is a reason.
    Again(Option<Stop>),
    Done,
}

/// What a pass came to.
pub(super) struct Passed {
    pub(super) driven: Driven,
    pub(super) next: NextPass,
    /// Whole answers that were taken in.
    pub(super) n_answered: u64,
    /// Requests that were sent.
    pub(super) n_sent: u64,
}

impl Batching {
    /// What asking the judge of `asking` by batches takes; `None` where it is asked call by call.
    pub(super) fn of(
        asking: &Asking,
        (left, judge): (&LeftOut, &JudgeId),
        halt: Option<Stop>,
        session: &Session<'_>,
    ) -> Result<Option<Batching>, RunError> {
        let dispatch = &session.mode.dispatch;
        if matches!(dispatch, Dispatch::Online) {
            return Ok(None);
        }
        let none = |why| RunError::NoBatch { judge: asking.judge.name.clone(), why };
        let chat = asking.judge.chat().ok_or_else(|| none("it is no model behind an endpoint"))?;
        let host = match dispatch {
            Dispatch::Online => return Ok(None),
            Dispatch::File(file) => Host::File(Arc::clone(file)),
            Dispatch::Batch(watch) => {
                let limits = asking.config.schedule.limits;
                let client = BatchClient::build(chat, left, limits, session.key)?;
                let client = client.ok_or_else(|| none("no interface for batches is known of its host"))?;
                Host::Service(Arc::new(client), Arc::clone(watch))
            }
        };
        let store_name = session.store.random_name()?;
        let open = session.store.reader()?.open_batches(judge)?;
        // A batch is a tier of its own.
        let chat = (ChatSettings { service_tier: ServiceTier::Standard, ..chat.clone() }, left.clone());
        let settings = asking.config.batch;
        let mut batching = Batching { host, settings, open, halt, store_name, chat, requests_max: None };
        let narrow = session.store.noted(&batching.narrow_note())?;
        batching.requests_max = narrow.and_then(|n| n.parse().ok());
        Ok(Some(batching))
    }

    /// Whether one call by itself is to tell first that the parameters are taken: a host looks at those of a batch when it
    /// runs the batch, and then all of its lines fail.
    pub(super) fn needs_pilot(&self, parameters: Parameters) -> bool {
        let is_first = self.open.is_empty() && self.halt.is_none() && parameters != Parameters::Proven;
        is_first && matches!(self.host, Host::Service(..))
    }

    /// One pass: looks after what is on record, and if nothing came of that, settles what was answered and sends the rest.
    pub(super) async fn pass(
        &self,
        desk: &Arc<Desk<Judge>>,
        session: &Session<'_>,
        feed: impl FnOnce(&Desk<Judge>, &mut Outbox<Question>) -> Result<(), RunError> + Send + 'static,
    ) -> Result<Passed, RunError> {
        if let (Host::Service(client, watch), None) = (&self.host, &self.halt) {
            let collector = BatchCollector { desk, client, watch, session, batching: self };
            let collected = collector.collect().await?;
            if collected.has_changed {
                let next = NextPass::Again(collected.stop);
                return Ok(Passed {
                    driven: Driven::default(),
                    next,
                    n_answered: collected.n_answered,
                    n_sent: 0,
                });
            }
            if let Some(stop) = collected.stop {
                let driven = Driven { stop: Some(stop), ..Driven::default() };
                return Ok(Passed { driven, next: NextPass::Done, n_answered: 0, n_sent: 0 });
            }
        }
        let (tasks, receiver) = mpsc::channel(256);
        let feeder = tokio::task::spawn_blocking({
            let desk = Arc::clone(desk);
            let mut outbox = Outbox::new(tasks);
            move || {
                let ended = feed(&desk, &mut outbox);
                outbox.send();
                ended
            }
        });
        let watcher = tokio::spawn({
            let desk = Arc::clone(desk);
            let mut interrupted = session.mode.interrupted.clone();
            async move {
                if interrupted.wait_for(|interrupted| *interrupted).await.is_ok() {
                    desk.lane.stop(Stop::Interrupted);
                }
            }
        });
        let (wanted, mut asked) = mpsc::channel(64);
        let mut sender = BatchSender::new(desk, session, self);
        let (mut driven, sent) = tokio::join!(settle_recorded(desk, receiver, wanted), async {
            while let Some(wanted) = asked.recv().await {
                sender.add(wanted).await?;
            }
            sender.finish().await
        });
        watcher.abort();
        match feeder.await.expect("the feeder does not panic") {
            Ok(()) => {}
            Err(RunError::Load(error)) => return Err(RunError::Midway(error)),
            Err(other) => return Err(other),
        }
        let sent = sent?;
        driven.gave_up += sent.n_left;
        driven.stop = desk.lane.stop_reason().or_else(|| self.halt.clone()).or(sent.stop);
        let is_done = driven.stop.is_some() || !sent.is_refused;
        let next = if is_done { NextPass::Done } else { NextPass::Again(None) };
        Ok(Passed { driven, next, n_answered: 0, n_sent: sent.n_sent })
    }
}

/// Why a run ends while calls of `judge` wait in batches; `None` where none does.
pub(super) fn waiting(reader: &Reader, judge: &JudgeId) -> Result<Option<Stop>, StoreError> {
    let open: Vec<BatchRecord> =
        reader.open_batches(judge)?.into_iter().filter(|batch| batch.n_in_flight > 0).collect();
    let Some(first) = open.first() else { return Ok(None) };
    let n: u64 = open.iter().map(|batch| batch.n_in_flight).sum();
    let others = if open.len() > 1 { format!(" and {} others", open.len() - 1) } else { String::new() };
    let calls = if n == 1 { "1 call waits".to_owned() } else { format!("{n} calls wait") };
    Ok(Some(Stop::InBatch(format!("{calls} in batch {}{others}", first.name()))))
}

/// Wall time in milliseconds: for records, and for how long a batch has been searched for.
fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
