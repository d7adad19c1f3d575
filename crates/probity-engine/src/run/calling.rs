//! Asking a judge or a target for what the store lacks: the run is opened, tasks are driven until they end or the lane
//! stops, and the run is ended.

use probity_core::spelling::counted;
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::plan::UnscoredPolicy;
use super::{Mode, RunError, Session, open_files};
use crate::config::{ChatSettings, Config, ModelMismatch, ScheduleSettings, Tier};
use crate::judge::respondent::Respondent;
use crate::ledger::{AskAgain, JudgeId, LaneNews, RunId, RunState, StoreError};
use crate::schedule::budget::Budget;
use crate::schedule::desk::{Desk, Progress, Task};
use crate::schedule::lane::{Lane, Parameters, Stop};
use crate::schedule::{Driven, drive};

/// The most tasks that are sent at once.
const GROUP_MAX: usize = 32;

/// What the calls of a command to one judge or target share, whatever part of the command makes them: what may be
/// spent, and the lane with its limits and rates.
#[derive(Debug)]
pub(super) struct Allowance {
    pub(super) budget: Arc<Budget>,
    lane: Mutex<Option<Arc<Lane>>>,
}

impl Allowance {
    /// What `budget` allows, through a lane that the first call opens.
    pub(super) fn new(budget: Arc<Budget>) -> Allowance {
        Allowance { budget, lane: Mutex::new(None) }
    }

    /// The lane, opened anew where there is none or it has stopped.
    fn lane(&self, open: impl FnOnce() -> Lane) -> Arc<Lane> {
        let mut shared = self.lane.lock().expect("no thread panics while it holds the lane");
        let going = shared.take().filter(|lane| lane.stop_reason().is_none());
        Arc::clone(shared.insert(going.unwrap_or_else(|| Arc::new(open()))))
    }
}

/// What calls to a judge or a target are made with.
pub(super) struct Calling<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) config: &'a Config,
    /// The endpoint's settings, where it has a model.
    pub(super) chat: Option<&'a ChatSettings>,
    pub(super) allowance: &'a Allowance,
    /// The judge or the target.
    pub(super) id: &'a JudgeId,
    pub(super) repeat: u32,
    /// Calls that are to be made.
    pub(super) n_calls: u64,
    /// The tier that they ask for.
    pub(super) tier: Tier,
    /// Packets that wait in a batch, and are not asked about.
    pub(super) n_waiting: u64,
    /// Whether it is looked after batches, whatever calls are to be made.
    pub(super) in_batches: bool,
    /// Whether the parameters of the calls are known to be taken.
    pub(super) parameters: Parameters,
}

/// What calls came to.
pub(super) struct Called {
    pub(super) run: RunId,
    /// How they ended; `None` where none was needed.
    pub(super) driven: Option<Driven>,
    /// Whole answers.
    pub(super) n_answered: u64,
}

/// How calls went.
pub(super) struct Drove {
    pub(super) driven: Driven,
    /// Whether nothing more is to be done about them in this command.
    pub(super) is_over: bool,
}

impl Calling<'_> {
    /// Opens the run, has `drive` ask, and ends the run. The respondent is built before the store hears of a run, so that
    /// what is wrong with it leaves no trace.
    pub(super) async fn call<R: Respondent>(
        &self,
        build: impl FnOnce() -> Result<R, RunError>,
        open_run: impl FnOnce() -> Result<RunId, StoreError>,
        drive: impl AsyncFnOnce(&Arc<Desk<R>>) -> Result<Drove, RunError>,
    ) -> Result<Called, RunError> {
        let Session { store, observer, .. } = *self.session;
        let respondent = if self.n_calls > 0 || self.in_batches { Some(build()?) } else { None };
        let run = open_run()?;
        let Some(respondent) = respondent else {
            let is_over = self.n_waiting == 0 && self.session.mode.shard.is_none();
            store.end_run(run, if is_over { RunState::Complete } else { RunState::Incomplete })?;
            return Ok(Called { run, driven: None, n_answered: 0 });
        };
        let desk = Arc::new(self.desk(respondent, run));
        let (answered_before, gone_before) = (desk.lane.answered(), desk.lane.gone());
        if self.tier != Tier::Batch {
            observer.calling(&desk.progress, &desk.lane);
        }
        let outcome = drive(&desk).await;
        observer.called();
        let n_lost = store.take_lost();
        if n_lost > 0 {
            let calls = counted(n_lost, "call");
            observer.notice(&format!("{calls} of lost workers: possibly billed, and not recorded"));
        }
        self.say_gone(desk.lane.gone().into_iter().filter(|gone| !gone_before.contains(gone)));
        let is_whole = self.session.mode.shard.is_none();
        let complete = outcome.as_ref().is_ok_and(|Drove { driven, is_over }| {
            is_whole && *is_over && self.n_waiting == 0 && driven.stop.is_none() && driven.gave_up == 0
        });
        if !matches!(desk.lane.stop_reason(), Some(Stop::Store(_))) {
            store.end_run(run, if complete { RunState::Complete } else { RunState::Incomplete })?;
        }
        Ok(Called { run, driven: Some(outcome?.driven), n_answered: desk.lane.answered() - answered_before })
    }

    /// Says which of several servers were left, and why.
    fn say_gone(&self, gone: impl Iterator<Item = (usize, String)>) {
        let Some(chat) = self.chat.filter(|chat| !chat.base_urls.is_empty()) else { return };
        let urls: Vec<_> = [&chat.base_url].into_iter().chain(&chat.base_urls).collect();
        for (place, why) in gone {
            self.session.observer.notice(&format!("{} was left out: {why}", urls[place]));
        }
    }

    fn desk<R>(&self, respondent: R, run: RunId) -> Desk<R> {
        let price = self.chat.and_then(|chat| self.config.price(chat));
        let models = self.chat.iter().flat_map(|chat| [&chat.model].into_iter().chain(&chat.aliases));
        Desk {
            respondent,
            judge_id: self.id.clone(),
            store: self.session.store.clone(),
            texts: self.config.store.texts,
            again: match self.session.mode.unscored {
                UnscoredPolicy::Keep => AskAgain::Never,
                UnscoredPolicy::AskAgain => AskAgain::Unscored,
            },
            run,
            repeat: self.repeat,
            lane: self.allowance.lane(|| self.open_lane()),
            budget: Arc::clone(&self.allowance.budget),
            price,
            tier: self.tier,
            schedule: self.config.schedule.clone(),
            reask: self.config.run.reask,
            mismatch: self.chat.map_or(ModelMismatch::Note, |chat| chat.model_mismatch),
            models: models.cloned().collect(),
            progress: Arc::new(Progress { total: self.n_calls.into(), price, ..Progress::default() }),
        }
    }

    fn open_lane(&self) -> Lane {
        let settings = &self.config.schedule;
        let n_servers = 1 + self.chat.map_or(0, |chat| chat.base_urls.len());
        let schedule = ScheduleSettings {
            concurrency: open_files::fit(settings.concurrency, n_servers, self.session.observer),
            ..settings.clone()
        };
        Lane::new(schedule, n_servers, self.parameters)
    }
}

/// What calls to an endpoint share its limits by: the address, the model, and where the key comes from.
pub(super) fn lane_key(chat: &ChatSettings) -> String {
    let key = chat.api_key_env.as_deref().unwrap_or_default();
    format!("{} {} {key}", chat.base_url, chat.model)
}

/// Drives what `feed` puts into the outbox until that ends or the lane stops.
pub(super) async fn driven<R: Respondent>(
    desk: &Arc<Desk<R>>,
    mode: &Mode,
    feed: impl FnOnce(&Desk<R>, &mut Outbox<R::Question>) -> Result<(), RunError> + Send + 'static,
) -> Result<Driven, RunError> {
    let (sender, receiver) = mpsc::channel(desk.lane.limit().min(256));
    let feeder = tokio::task::spawn_blocking({
        let desk = Arc::clone(desk);
        let mut tasks = Outbox::new(sender);
        move || {
            let ended = feed(&desk, &mut tasks);
            tasks.send();
            ended
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
    let mut news = desk.store.lane_news();
    let hear =
        |desk: &Desk<R>, news: &LaneNews| news.get(&desk.run).is_some_and(|state| desk.lane.hear(state));
    hear(desk, &news.borrow_and_update());
    let listener = tokio::spawn({
        let desk = Arc::clone(desk);
        async move {
            loop {
                tokio::select! {
                    changed = news.changed() => match changed {
                        Ok(()) if !hear(&desk, &news.borrow_and_update()) => {}
                        // Others know what they have told.
                        _ => return,
                    },
                    () = desk.lane.stopped() => break,
                }
            }
            let refusal = desk.lane.stop_reason().and_then(|stop| stop.refusal());
            if let Some(refusal) = refusal.filter(|_| desk.store.is_shared()) {
                desk.store.refuse_lane(desk.run, refusal);
            }
        }
    });
    let driven = drive(Arc::clone(desk), receiver).await;
    watcher.abort();
    if driven.stop.is_some() {
        listener.await.expect("the listener does not panic");
    } else {
        listener.abort();
    }
    match feeder.await.expect("the feeder does not panic") {
        Ok(()) => Ok(driven),
        Err(RunError::Load(error)) => Err(RunError::Midway(error)),
        Err(other) => Err(other),
    }
}

/// Whether tasks are still taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Yes,
    /// The lane has stopped.
    No,
}

/// Tasks that are about to be sent. They go in groups, because each wait for room in a full channel costs a
/// change of threads; the first goes alone, because a run should not wait for its second task.
pub(super) struct Outbox<Q> {
    runtime: Handle,
    channel: mpsc::Sender<Task<Q>>,
    waiting: Vec<Task<Q>>,
    group: usize,
}

impl<Q> Outbox<Q> {
    pub(super) fn new(channel: mpsc::Sender<Task<Q>>) -> Outbox<Q> {
        Outbox { runtime: Handle::current(), channel, waiting: Vec::new(), group: 1 }
    }

    /// Adds a task, and sends those that wait once they are a group.
    pub(super) fn put(&mut self, task: Task<Q>) -> Taken {
        self.waiting.push(task);
        if self.waiting.len() < self.group { Taken::Yes } else { self.send() }
    }

    /// Sends what is waiting, and blocks until there is room for it.
    pub(super) fn send(&mut self) -> Taken {
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
