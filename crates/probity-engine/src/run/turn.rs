//! One turn of a run: what one judge is needed for, and asking it until the packets end or the lane stops.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use probity_core::packet::{Packet, PacketHash};

use super::calling::{Outbox, Taken, driven, lane_settings, pursuit_settings};
use super::plan::{Known, Plan, plan};
use super::work::{Unit, Work};
use super::{Mode, Network, Observer, Ran, RunError, only_judge};
use crate::config::Backend;
use crate::judge::params::Shape;
use crate::judge::{Judge, Question};
use crate::load::LoadError;
use crate::schedule::Driven;
use crate::schedule::budget::Budget;
use crate::schedule::desk::{Desk, Earlier, Progress, Task};
use crate::schedule::lane::{Lane, Stop};
use crate::store::{Begun, JudgeId, Manifest, RunId, RunState, Store, StoreError};

/// One turn of a run: what one judge is needed for, and asking it.
pub(super) struct Turn<'a> {
    pub(super) work: &'a Arc<dyn Work>,
    pub(super) store: &'a Store,
    pub(super) mode: &'a Mode,
    pub(super) key: &'a (dyn Fn(&str) -> Option<String> + Sync),
    pub(super) observer: &'a dyn Observer,
    pub(super) budget: Arc<Budget>,
    /// Calls that the budget had counted before this run: those for its replies.
    pub(super) calls_before: u64,
}

impl Turn<'_> {
    pub(super) async fn take(&self, shape: Option<Shape>) -> Result<Ran, RunError> {
        let Turn { work, store, mode, observer, .. } = self;
        let asking = work.asking();
        let identity = asking.identity(shape);
        let judge_id = match &asking.judge.backend {
            Backend::Recorded { verdicts: None } => only_judge(store)?,
            _ => JudgeId::of_identity(&identity),
        };
        let known = Known::new(store.settled(&judge_id, work.repeat())?, mode.unscored);
        let limits = asking.config.schedule.limits;
        let build = || Judge::build(&asking.judge, shape, limits, self.key);
        // Where nothing is known there is somebody to ask. Making the connection ready takes a while, in which
        // others screen the cases; what is wrong with it is said in its turn.
        let is_ready_early =
            known.is_empty() && asking.judge.chat().is_some() && asking.may_ask(mode.network);
        let early = is_ready_early.then(build);
        let plan = plan(work.as_ref(), known.clone())?;
        if plan.n_admitted + plan.n_blocked + plan.n_no_reply == 0 {
            return Err(nothing_usable(work.as_ref(), &plan)?);
        }
        observer.planned(&plan);
        let n_calls = plan.n_calls;
        let mut ran =
            Ran { plan, judge_id, run: None, driven: None, n_calls: 0, n_answered: 0, replies: None };
        if !asking.may_ask(mode.network) {
            ran.run = self.on_record(&work.manifest(&ran.judge_id))?;
            return Ok(ran);
        }
        // The judge is built first: what is wrong with it is found before the store hears of a run.
        let judge = if n_calls > 0 { Some(early.unwrap_or_else(build)?) } else { None };
        let run = self.begin(&ran.judge_id, &identity)?;
        ran.run = Some(run);
        let Some(judge) = judge else {
            store.end_run(run, RunState::Complete)?;
            return Ok(ran);
        };
        let desk = Arc::new(self.desk(judge, ran.judge_id.clone(), run));
        desk.progress.total.store(n_calls, Ordering::Relaxed);
        observer.calling(&desk.progress);
        let driven = call(work, &desk, known, mode).await;
        observer.called();
        (ran.n_calls, ran.n_answered) = (desk.budget.spent().calls, desk.lane.answered());
        let complete = driven.as_ref().is_ok_and(|driven| driven.stop.is_none() && driven.gave_up == 0);
        if !matches!(desk.lane.stop_reason(), Some(Stop::Store(_))) {
            store.end_run(run, if complete { RunState::Complete } else { RunState::Incomplete })?;
        }
        ran.driven = Some(driven?);
        Ok(ran)
    }

    /// The run that this work is on record as; where a certain one is to be read back, that one or an error.
    fn on_record(&self, manifest: &Manifest) -> Result<Option<RunId>, RunError> {
        let reader = self.store.reader()?;
        let Network::Recorded(wanted) = self.mode.network else { return Ok(reader.find_run(manifest)?) };
        let runs = reader.runs()?;
        let record = runs.iter().find(|record| record.run == wanted);
        let changes = record.ok_or(StoreError::UnknownRun { run: wanted })?.changes(manifest);
        if changes.is_empty() { Ok(Some(wanted)) } else { Err(RunError::NotThatRun { run: wanted, changes }) }
    }

    /// Begins or resumes the run, and tells what changed since the last one.
    fn begin(&self, judge: &JudgeId, identity: &str) -> Result<RunId, StoreError> {
        self.store.register_judge(judge, identity)?;
        let begun = self.store.begin_run(&self.work.manifest(judge))?;
        if let Some(invocation) = &self.mode.invocation {
            self.store.note_invocation(begun.run(), invocation)?;
        }
        // After a refused schema the judge asked is another one, which says nothing about the work.
        if self.budget.spent().calls == self.calls_before {
            announce(&begun, self.observer);
        }
        Ok(begun.run())
    }

    fn desk(&self, judge: Judge, judge_id: JudgeId, run: RunId) -> Desk {
        let Turn { work, store, observer, budget, .. } = self;
        let config = &work.asking().config;
        let chat = work.asking().judge.chat();
        let price = chat.and_then(|chat| config.price(&chat.model));
        Desk {
            respondent: judge,
            judge_id,
            store: (*store).clone(),
            run,
            repeat: work.repeat(),
            lane: Lane::new(lane_settings(config, *observer)),
            budget: Arc::clone(budget),
            price,
            settings: pursuit_settings(config, chat),
            progress: Arc::new(Progress { price, ..Progress::default() }),
        }
    }
}

/// Says what makes a new run another one than the last.
fn announce(begun: &Begun, observer: &dyn Observer) {
    if let Begun::New { changed, .. } = begun
        && !changed.is_empty()
    {
        let changed = changed.join(", ");
        observer.notice(&format!(
            "new run: changed since the last one: {changed}; verdicts are reused only where packet and judge are the same"
        ));
    }
}

fn nothing_usable(work: &dyn Work, plan: &Plan) -> Result<RunError, LoadError> {
    let (mut first, mut reason) = (work.name().to_owned(), String::new());
    for unit in work.units()? {
        if let Unit::Skipped(skipped) = unit? {
            (first, reason) = (format!("{}:{}", skipped.file, skipped.line), skipped.reason);
            break;
        }
    }
    Ok(RunError::NothingUsable { first, n_skipped: plan.n_skipped, reason })
}

/// Feeds the missing packets to the desk until they end or the lane stops.
async fn call(work: &Arc<dyn Work>, desk: &Arc<Desk>, known: Known, mode: &Mode) -> Result<Driven, RunError> {
    let attempted = desk.store.reader()?.attempted_unsettled(&desk.judge_id, desk.repeat)?;
    let work = Arc::clone(work);
    driven(desk, mode, move |desk, tasks| feed(work.as_ref(), desk, known, &attempted, tasks)).await
}

fn feed(
    work: &dyn Work,
    desk: &Desk,
    mut known: Known,
    attempted: &HashSet<PacketHash>,
    tasks: &mut Outbox<Question>,
) -> Result<(), RunError> {
    let asking = work.asking();
    for unit in work.units()? {
        let Unit::Asked { label, packets } = unit? else { continue };
        for sized in packets {
            let hash = sized.packet.hash();
            if asking.is_oversize(&sized) || !known.lacks(hash) {
                continue;
            }
            let prompt = match asking.template.render(&sized.packet) {
                Ok(prompt) => prompt,
                Err(error) => {
                    desk.lane.stop(Stop::Unusable(error.to_string()));
                    return Err(error.into());
                }
            };
            let most = asking.most(&prompt).unwrap_or_default();
            let earlier = if attempted.contains(&hash) { Earlier::Attempts } else { Earlier::Nothing };
            // What is written for a call goes with it: a packet that is kept stays without its canonical text.
            let packet = Arc::new(Packet::clone(&sized.packet));
            let question = label.question(packet, prompt);
            // Of two cases with equal content, the one that something is recorded for is asked about.
            if !desk.respondent.has_answer(&question) {
                continue;
            }
            known.needs(hash);
            if tasks.put(Task { question, most, earlier }) == Taken::No {
                return Ok(());
            }
        }
    }
    Ok(())
}
