//! One turn of a run: what one judge is needed for, and asking it until the packets end or the lane stops.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use probity_core::packet::{Packet, PacketHash, PacketSet};
use tokio::task::JoinHandle;

use super::asking::SizedPacket;
use super::calling::{Outbox, Taken, driven, lane_settings, midway, pursuit_settings};
use super::early::Early;
use super::plan::{Known, Plan, plan};
use super::work::{Unit, UnitLabel, Work};
use super::{Mode, Network, Observer, Ran, RunError, only_judge};
use crate::config::Backend;
use crate::judge::params::Shape;
use crate::judge::{Judge, JudgeError, Question};
use crate::load::LoadError;
use crate::schedule::budget::Budget;
use crate::schedule::desk::{Desk, Earlier, Progress, Task};
use crate::schedule::lane::{Lane, Stop};
use crate::schedule::{Driven, pursue_first};
use crate::store::{Begun, JudgeId, Manifest, RunId, RunOpening, RunState, Store, StoreError};

/// Units that are looked at for the first call. Those behind them can wait until everything is planned.
const UNITS_BEFORE_FIRST: usize = 16;

/// A run whose first call is under way.
struct First {
    desk: Arc<Desk>,
    /// In what the run differs from the last one.
    changed: Vec<String>,
    /// What the call comes to.
    pursuit: JoinHandle<Driven>,
    /// What it is about.
    packet: PacketHash,
}

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
        let first = self.first_call((shape, &judge_id, &identity), &known)?;
        let plan = match self.planned(known.clone(), &judge_id) {
            Ok(plan) => plan,
            Err(error) => {
                let Some(First { desk, pursuit, .. }) = first else { return Err(error) };
                desk.lane.stop(Stop::Interrupted);
                pursuit.await.expect("a pursuit does not panic");
                store.end_run(desk.run, RunState::Incomplete)?;
                return Err(midway(error));
            }
        };
        observer.planned(&plan);
        let mut ran = Ran::planned(plan, judge_id);
        if let Some(First { desk, changed, pursuit, packet }) = first {
            self.announce(&changed);
            let mut known = known;
            known.needs(packet);
            return self.ask((desk, Some(pursuit)), known, ran).await;
        }
        if !asking.may_ask(mode.network) {
            ran.run = self.on_record(&work.manifest(&ran.judge_id))?;
            return Ok(ran);
        }
        // The judge is built first: what is wrong with it is found before the store hears of a run.
        let judge = if ran.plan.n_calls > 0 { Some(self.judge(shape)?) } else { None };
        let (run, changed) = self.begin(&ran.judge_id, &identity)?;
        self.announce(&changed);
        let Some(judge) = judge else {
            ran.run = Some(run);
            store.end_run(run, RunState::Complete)?;
            return Ok(ran);
        };
        let desk = self.desk(judge, ran.judge_id.clone(), run);
        self.ask((Arc::new(desk), None), known, ran).await
    }

    /// What is to be done. Work of which nothing can be used is refused.
    fn planned(&self, known: Known, judge: &JudgeId) -> Result<Plan, RunError> {
        let plan = plan(self.work.as_ref(), known)?;
        if plan.n_admitted + plan.n_blocked + plan.n_no_reply == 0 {
            return Err(nothing_usable(self.work.as_ref(), plan, judge)?);
        }
        Ok(plan)
    }

    /// Begins the run with its very first call, which the others wait for anyway, so that it is under way while
    /// the rest is planned. `None` where planning may find a fault, where something is on record, where there is
    /// nothing to ask, and where the judge cannot be built, which is told when its turn comes.
    fn first_call(
        &self,
        (shape, judge_id, identity): (Option<Shape>, &JudgeId, &str),
        known: &Known,
    ) -> Result<Option<First>, RunError> {
        let Turn { work, store, mode, .. } = self;
        let asking = work.asking();
        let is_called = asking.judge.chat().is_some() && asking.may_ask(mode.network);
        if !is_called || *mode.interrupted.borrow() || !work.is_checked() || !known.is_empty() {
            return Ok(None);
        }
        if !store.reader()?.attempted_unsettled(judge_id, work.repeat())?.is_empty() {
            return Ok(None);
        }
        let Some((label, sized)) = first_packet(work.as_ref())? else { return Ok(None) };
        let (Ok(prompt), Ok(judge)) = (asking.template.render(&sized.packet), self.judge(shape)) else {
            return Ok(None);
        };
        let (run, changed) = self.begin(judge_id, identity)?;
        let desk = Arc::new(self.desk(judge, judge_id.clone(), run));
        let (packet, most) = (sized.packet.hash(), asking.most(&prompt).unwrap_or_default());
        let question = label.question(sized.packet, prompt);
        let task = Task { question, most, earlier: Earlier::Nothing };
        let pursuit = pursue_first(Arc::clone(&desk), task);
        Ok(Some(First { desk, changed, pursuit, packet }))
    }

    /// Asks for everything that is not known, beside the call that is under way already.
    async fn ask(
        &self,
        (desk, first): (Arc<Desk>, Option<JoinHandle<Driven>>),
        known: Known,
        mut ran: Ran,
    ) -> Result<Ran, RunError> {
        let Turn { work, store, mode, observer, .. } = self;
        ran.run = Some(desk.run);
        desk.progress.total.store(ran.plan.n_calls, Ordering::Relaxed);
        observer.calling(&desk.progress, &desk.lane);
        // Where no content comes twice, nobody has to remember what was met.
        let met = if ran.plan.n_repeated == 0 { Met::Once } else { Met::Again };
        let driven = call(work, (&desk, first), (known, met), mode).await;
        observer.called();
        (ran.n_calls, ran.n_answered) = (desk.budget.spent().calls, desk.lane.answered());
        let complete = driven.as_ref().is_ok_and(|(driven, _)| driven.stop.is_none() && driven.gave_up == 0);
        if !matches!(desk.lane.stop_reason(), Some(Stop::Store(_))) {
            store.end_run(desk.run, if complete { RunState::Complete } else { RunState::Incomplete })?;
        }
        let (driven, early) = driven?;
        (ran.driven, ran.early) = (Some(driven), early);
        Ok(ran)
    }

    fn judge(&self, shape: Option<Shape>) -> Result<Judge, JudgeError> {
        let asking = self.work.asking();
        Judge::build(&asking.judge, shape, asking.config.schedule.limits, self.key)
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

    /// Begins or resumes the run. Returns the parts in which it differs from the last one.
    fn begin(&self, judge: &JudgeId, identity: &str) -> Result<(RunId, Vec<String>), StoreError> {
        let (manifest, invocation) = (&self.work.manifest(judge), self.mode.invocation.as_ref());
        let begun = self.store.begin_judged_run(RunOpening { judge, identity, manifest, invocation })?;
        let run = begun.run();
        // After a refused schema the judge asked is another one, which says nothing about the work.
        let is_news = self.budget.spent().calls == self.calls_before;
        Ok(match begun {
            Begun::New { changed, .. } if is_news => (run, changed),
            Begun::New { .. } | Begun::Resumed { .. } => (run, Vec::new()),
        })
    }

    /// Says what makes a new run another one than the last.
    fn announce(&self, changed: &[String]) {
        if !changed.is_empty() {
            let changed = changed.join(", ");
            self.observer.notice(&format!(
                "new run: changed since the last one: {changed}; verdicts are reused only where packet and judge are the same"
            ));
        }
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
            lane: Arc::new(Lane::new(lane_settings(config, *observer))),
            budget: Arc::clone(budget),
            price,
            settings: pursuit_settings(config, chat),
            progress: Arc::new(Progress { price, ..Progress::default() }),
        }
    }
}

/// The first packet that a judge can be asked about, if it is among the first units.
fn first_packet(work: &dyn Work) -> Result<Option<(UnitLabel, SizedPacket)>, LoadError> {
    for unit in work.first_units()?.take(UNITS_BEFORE_FIRST) {
        if let Unit::Asked { label, packets } = unit?
            && let Some(sized) = packets.into_iter().find(|sized| !work.asking().is_oversize(sized))
        {
            return Ok(Some((label, sized)));
        }
    }
    Ok(None)
}

fn nothing_usable(work: &dyn Work, plan: Plan, judge: &JudgeId) -> Result<RunError, LoadError> {
    let (mut first, mut reason) = (work.name().to_owned(), String::new());
    for unit in work.units()? {
        if let Unit::Skipped(skipped) = unit? {
            (first, reason) = (format!("{}:{}", skipped.file, skipped.line), skipped.reason);
            break;
        }
    }
    let n_skipped = plan.n_skipped;
    let ran = Box::new(Ran::planned(plan, judge.clone()));
    Ok(RunError::NothingUsable { first, n_skipped, reason, ran })
}

/// Feeds the missing packets to the desk until they end or the lane stops.
async fn call(
    work: &Arc<dyn Work>,
    (desk, first): (&Arc<Desk>, Option<JoinHandle<Driven>>),
    known: (Known, Met),
    mode: &Mode,
) -> Result<(Driven, Option<Early>), RunError> {
    let attempted = desk.store.reader()?.attempted_unsettled(&desk.judge_id, desk.repeat)?;
    let (source, beside) = (Arc::clone(work), Arc::clone(work));
    let feed = move |desk: &Desk, tasks: &mut _| feed(source.as_ref(), desk, known, &attempted, tasks);
    let meanwhile = move |desk: &Desk, over: &_| beside.meanwhile(&desk.store, &desk.judge_id, over);
    driven(desk, mode, first, feed, meanwhile).await
}

/// How often a pass meets the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Once,
    Again,
}

fn feed(
    work: &dyn Work,
    desk: &Desk,
    (mut known, met): (Known, Met),
    attempted: &PacketSet,
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
            if met == Met::Again {
                known.needs(hash);
            }
            if tasks.put(Task { question, most, earlier }) == Taken::No {
                return Ok(());
            }
        }
    }
    Ok(())
}
