//! What every kind of asking shares, whoever answers: the settings of lane and pursuit, tasks on their way to
//! the desk, and the drive until they end or the lane stops.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{self as sync_mpsc, RecvTimeoutError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{Mode, Observer, RunError, open_files};
use crate::config::{ChatSettings, Config, ModelMismatch};
use crate::schedule::desk::{Desk, PursuitSettings, Task};
use crate::schedule::lane::{LaneSettings, Stop};
use crate::schedule::respondent::Respondent;
use crate::schedule::{Driven, drive};

/// The most tasks that are sent at once.
const GROUP_MAX: usize = 32;

/// How the lane behaves.
pub(crate) fn lane_settings(config: &Config, observer: &dyn Observer) -> LaneSettings {
    LaneSettings {
        concurrency: open_files::fit(config.schedule.concurrency, observer),
        breaker_consecutive: config.schedule.breaker_consecutive as usize,
        breaker_window: config.schedule.breaker_window as usize,
        breaker_share: config.schedule.breaker_share.to_f64(),
        pilot: config.schedule.pilot_max,
        drought: config.schedule.packet_max,
    }
}

/// How packets are pursued at an endpoint, or without one.
pub(crate) fn pursuit_settings(config: &Config, chat: Option<&ChatSettings>) -> PursuitSettings {
    let mut models: Vec<String> = chat.map(|chat| chat.model.clone()).into_iter().collect();
    models.extend(chat.iter().flat_map(|chat| chat.aliases.iter().cloned()));
    PursuitSettings {
        attempts_max: config.schedule.attempts_max,
        packet_time_max: config.schedule.packet_max,
        backoff_first: config.schedule.backoff_first,
        backoff_max: config.schedule.backoff_max,
        retry_after_max: config.schedule.retry_after_max,
        reask: config.run.reask,
        mismatch: chat.map_or(ModelMismatch::Note, |chat| chat.model_mismatch),
        models,
    }
}

/// Drives what `feed` puts into the outbox, beside the pursuit that was begun before, until both end or the lane
/// stops. Whoever fed does `meanwhile` until then, and what comes of it is returned too.
pub(crate) async fn driven<R: Respondent, T: Send + 'static>(
    desk: &Arc<Desk<R>>,
    mode: &Mode,
    first: Option<JoinHandle<Driven>>,
    feed: impl FnOnce(&Desk<R>, &mut Outbox<R::Question>) -> Result<(), RunError> + Send + 'static,
    meanwhile: impl FnOnce(&Desk<R>, &Over) -> T + Send + 'static,
) -> Result<(Driven, T), RunError> {
    let (sender, receiver) = mpsc::channel(desk.lane.limit().min(256));
    let (until, over) = sync_mpsc::channel();
    let feeder = tokio::task::spawn_blocking({
        let desk = Arc::clone(desk);
        let mut tasks = Outbox::new(sender);
        move || {
            let ended = feed(&desk, &mut tasks);
            tasks.send();
            drop(tasks);
            ended.map(|()| meanwhile(&desk, &Over(over)))
        }
    });
    let watcher = tokio::spawn({
        let desk = Arc::clone(desk);
        let mut interrupted = mode.interrupted.clone();
        async move {
            if interrupted.wait_for(|interrupted| *interrupted).await.is_ok() {
                desk.lane.stop(Stop::Interrupted);
            }
        }
    });
    let driven = drive(Arc::clone(desk), receiver, first).await;
    drop(until);
    watcher.abort();
    let ended: Result<T, RunError> = feeder.await.expect("the feeder does not panic");
    Ok((driven, ended.map_err(midway)?))
}

/// The end of a drive, for whoever does something beside it.
pub struct Over(sync_mpsc::Receiver<Infallible>);

impl Over {
    /// Waits for it, but not longer than `wait`. Returns whether it came.
    pub(crate) fn comes_within(&self, wait: Duration) -> bool {
        self.0.recv_timeout(wait) == Err(RecvTimeoutError::Disconnected)
    }
}

/// The error as it is told once a call has been made.
pub(crate) fn midway(error: RunError) -> RunError {
    match error {
        RunError::Load(error) => RunError::Midway(error),
        other => other,
    }
}

/// Whether anybody takes tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Yes,
    /// The lane has stopped and nobody takes tasks any more.
    No,
}

/// Tasks that are about to be sent. They go in groups, because each wait for room in a full channel costs a
/// change of threads; the first goes alone, because a run should not wait for its second task.
pub(crate) struct Outbox<Q> {
    runtime: Handle,
    channel: mpsc::Sender<Task<Q>>,
    waiting: Vec<Task<Q>>,
    group: usize,
}

impl<Q> Outbox<Q> {
    fn new(channel: mpsc::Sender<Task<Q>>) -> Outbox<Q> {
        Outbox { runtime: Handle::current(), channel, waiting: Vec::new(), group: 1 }
    }

    /// Adds a task, and sends those that wait once they are a group.
    pub(crate) fn put(&mut self, task: Task<Q>) -> Taken {
        self.waiting.push(task);
        if self.waiting.len() < self.group { Taken::Yes } else { self.send() }
    }

    /// Sends what is waiting, and blocks until there is room for it.
    fn send(&mut self) -> Taken {
        self.group = (2 * self.group).min(GROUP_MAX).min(self.channel.max_capacity());
        match self.runtime.block_on(self.channel.reserve_many(self.waiting.len())) {
            Ok(places) => {
                places.zip(self.waiting.drain(..)).for_each(|(place, task)| place.send(task));
                Taken::Yes
            }
            Err(_) => Taken::No,
        }
    }
}
