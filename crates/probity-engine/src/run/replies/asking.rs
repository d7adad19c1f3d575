//! Asking a target for every reply that the store does not have.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use probity_core::json::Json;
use probity_core::packet::PacketSet;

use super::RepliesRan;
use crate::load::LoadError;
use crate::run::calling::{Outbox, Taken, driven, lane_settings, pursuit_settings};
use crate::run::job::Job;
use crate::run::plan::Known;
use crate::run::work::Work as _;
use crate::run::{Network, RunError, Session};
use crate::schedule::budget::{Budget, Money};
use crate::schedule::desk::{Desk, Earlier, Progress, Task};
use crate::schedule::lane::{Lane, Stop};
use crate::store::{Manifest, RunId, RunState};
use crate::target::{Request, Target, TargetDefinition};

/// What asking for replies would take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyPlan {
    /// Cases without a reply of their own.
    pub n_cases: u64,
    /// Calls that would be made: requests that are neither on record nor equal to another.
    pub n_calls: u64,
    /// The most those calls can cost; `None` without a price.
    pub most: Option<Money>,
}

/// Counts what asking the job's target would take beyond what is known. Makes every request, so that every fault of
/// a template is found before anything is spent.
pub fn reply_plan(
    job: &Job,
    target: &TargetDefinition,
    mut known: Known,
    each: &mut dyn FnMut(&Request),
) -> Result<ReplyPlan, RunError> {
    let mut plan = ReplyPlan::default();
    let mut most: i64 = 0;
    let mut is_priced = target.settings().chat().is_some();
    for request in requests(job, target)? {
        let request = request?;
        plan.n_cases += 1;
        if known.needs(request.hash()) {
            plan.n_calls += 1;
            match target.most(&request, &job.asking.config) {
                Some(money) => most = most.saturating_add(money.picos()),
                None => is_priced = false,
            }
            each(&request);
        }
    }
    plan.most = is_priced.then(|| Money::from_picos(most));
    Ok(plan)
}

/// Asks for every reply that the store does not have, as far as calls may be made.
pub(super) async fn ask(
    job: &Arc<Job>,
    target: &Arc<TargetDefinition>,
    session: &Session<'_>,
    budget: &Arc<Budget>,
) -> Result<RepliesRan, RunError> {
    let Session { store, mode, key, observer } = *session;
    let known = Known::new(store.settled(target.id(), job.repeat())?, mode.unscored);
    let plan = reply_plan(job, target, known.clone(), &mut |_| {})?;
    let n_calls = plan.n_calls;
    let mut ran = RepliesRan { plan, ..RepliesRan::default() };
    if mode.network != Network::Online || ran.plan.n_cases == 0 {
        ran.run = store.reader()?.find_run(&manifest(job, target))?;
        return Ok(ran);
    }
    // The target is built first: what is wrong with it is found before the store hears of a run.
    let limits = job.asking.config.schedule.limits;
    let built = if n_calls > 0 { Some(target.build(limits, key)?) } else { None };
    store.register_judge(target.id(), target.identity())?;
    let run = store.begin_run(&manifest(job, target))?.run();
    ran.run = Some(run);
    let Some(built) = built else {
        store.end_run(run, RunState::Complete)?;
        return Ok(ran);
    };
    let desk = Arc::new(desk(job, target, built, (session, run, budget)));
    desk.progress.total.store(n_calls, Ordering::Relaxed);
    observer.calling(&desk.progress, &desk.lane);
    let driven = call(job, target, &desk, (known, session)).await;
    observer.called();
    ran.n_answered = desk.lane.answered();
    let complete = driven.as_ref().is_ok_and(|driven| driven.stop.is_none() && driven.gave_up == 0);
    if !matches!(desk.lane.stop_reason(), Some(Stop::Store(_))) {
        store.end_run(run, if complete { RunState::Complete } else { RunState::Incomplete })?;
    }
    ran.driven = Some(driven?);
    Ok(ran)
}

/// What defines the target's own run.
fn manifest(job: &Job, target: &TargetDefinition) -> Manifest {
    let parts = vec![
        ("cases".to_owned(), job.dataset.digest().hex.clone()),
        ("target".to_owned(), target.id().to_string()),
        ("repeat".to_owned(), job.repeat().to_string()),
    ];
    let members = parts.iter().map(|(name, value)| (name.clone(), Json::text(value)));
    let body = Json::object(members.chain([("files".to_owned(), Json::text(&job.dataset_name))]));
    let name = format!("replies {} {}", job.dataset_name, target.settings().name);
    Manifest { name, parts, body: body.canonical() }
}

fn desk(
    job: &Job,
    target: &TargetDefinition,
    built: Target,
    (session, run, budget): (&Session<'_>, RunId, &Arc<Budget>),
) -> Desk<Target> {
    let config = &job.asking.config;
    let chat = target.settings().chat();
    let price = chat.and_then(|chat| config.price(&chat.model));
    Desk {
        respondent: built,
        judge_id: target.id().clone(),
        store: session.store.clone(),
        run,
        repeat: job.repeat(),
        lane: Arc::new(Lane::new(lane_settings(config, session.observer))),
        budget: Arc::clone(budget),
        price,
        settings: pursuit_settings(config, chat),
        progress: Arc::new(Progress { price, ..Progress::default() }),
    }
}

async fn call(
    job: &Arc<Job>,
    target: &Arc<TargetDefinition>,
    desk: &Arc<Desk<Target>>,
    (known, session): (Known, &Session<'_>),
) -> Result<crate::schedule::Driven, RunError> {
    let attempted = desk.store.reader()?.attempted_unsettled(&desk.judge_id, desk.repeat)?;
    let (job, target) = (Arc::clone(job), Arc::clone(target));
    let feed = move |_: &Desk<Target>, tasks: &mut _| feed(&job, &target, (known, &attempted), tasks);
    let (driven, ()) = driven(desk, session.mode, None, feed, |_, _| ()).await?;
    Ok(driven)
}

fn feed(
    job: &Job,
    target: &TargetDefinition,
    (mut known, attempted): (Known, &PacketSet),
    tasks: &mut Outbox<Request>,
) -> Result<(), RunError> {
    for request in requests(job, target)? {
        let question = request?;
        if !known.needs(question.hash()) {
            continue;
        }
        let most = target.most(&question, &job.asking.config).unwrap_or_default();
        let earlier = if attempted.contains(&question.hash()) { Earlier::Attempts } else { Earlier::Nothing };
        if tasks.put(Task { question, most, earlier }) == Taken::No {
            return Ok(());
        }
    }
    Ok(())
}

/// One pass over the requests for cases that have no reply and could be judged if they had one.
fn requests<'a>(
    job: &'a Job,
    target: &'a TargetDefinition,
) -> Result<impl Iterator<Item = Result<Request, RunError>> + 'a, LoadError> {
    let cases = job.unanswered()?;
    Ok(cases.map(|case| Ok(target.request(&case?)?)))
}
