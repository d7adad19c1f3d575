//! Asking a target for every reply that the store does not have.

use std::sync::Arc;

use probity_core::verdict::Usage;

use super::RepliesRan;
use crate::config::Tier;
use crate::input::LoadError;
use crate::ledger::{Manifest, Reader, RunId, RunOpening, RunRecord, Store, StoreError};
use crate::run::about::TargetSpec;
use crate::run::asking::CHARS_PER_TOKEN;
use crate::run::basis;
use crate::run::calling::{Allowance, Called, Calling, Drove, Outbox, Taken, driven, lane_key};
use crate::run::job::Job;
use crate::run::plan::{Lacking, Missing, OnRecord, UnscoredPolicy};
use crate::run::refused::Tuned;
use crate::run::work::Work as _;
use crate::run::{Network, RunError, Session};
use crate::schedule::budget::{Budget, Money};
use crate::schedule::desk::{Desk, Task};
use crate::schedule::lane::Parameters;
use crate::target::{Request, Target, TargetDefinition};

/// Tokens of a typical reply.
const TYPICAL_REPLY_TOKENS: u64 = 150;

/// What asking for replies would take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyPlan {
    /// Cases without a reply of their own.
    pub n_cases: u64,
    /// Calls that would be made: requests that are neither on record nor equal to another.
    pub n_calls: u64,
    /// What those calls are expected to cost, with replies of a typical length; `None` without a price.
    pub expected: Option<Money>,
    /// The most those calls can cost; `None` without a price.
    pub most: Option<Money>,
}

/// Counts what asking the job's target would take beyond what `store` has, and gives each request that would be sent
/// to `each`. The job sees the replies that are there.
pub fn dry_reply_plan(
    job: &Job,
    store: Option<&Store>,
    each: &mut dyn FnMut(Request),
) -> Result<ReplyPlan, RunError> {
    if let Some(store) = store {
        job.take_replies(store)?;
    }
    let Some(target) = &job.target() else { return Ok(ReplyPlan::default()) };
    let Some(store) = store else { return Ok(planned(job, target, None, each)?.0) };
    let (reader, id, repeat) = (&store.reader()?, &target.id, job.repeat());
    let on_record = OnRecord { reader, id, repeat, unscored: UnscoredPolicy::Keep, shard: None };
    Ok(planned(job, target, Some(on_record), each)?.0)
}

/// Makes every request, so that every fault of a template is found before anything is spent.
fn planned(
    job: &Job,
    target: &TargetDefinition,
    on_record: Option<OnRecord<'_>>,
    each: &mut dyn FnMut(Request),
) -> Result<(ReplyPlan, Missing), RunError> {
    let (mut n_cases, mut n_calls) = (0, 0);
    let mut most = target.settings.chat().map(|_| 0_i64);
    let mut bytes = 0;
    let mut call = |request: Request| {
        n_calls += 1;
        let more = target.most(&request, &job.asking.config);
        most = most.zip(more).map(|(sum, more)| sum.saturating_add(more.picos()));
        bytes += request.body.len() as u64;
        each(request);
    };
    let mut lacking = Lacking::new(on_record);
    for request in requests(job, target)? {
        let request = request?;
        n_cases += 1;
        lacking.meet(request.hash, request, &mut call)?;
    }
    let missing = lacking.finish(&mut call)?;
    let usage = Usage::new(bytes / CHARS_PER_TOKEN, n_calls * TYPICAL_REPLY_TOKENS);
    let price = target.settings.chat().and_then(|chat| job.asking.config.price(chat));
    let expected = price.map(|price| price.cost(Tier::Standard, usage));
    Ok((ReplyPlan { n_cases, n_calls, expected, most: most.map(Money::from_picos) }, missing))
}

/// Asks for every reply that the store does not have, as far as calls may be made, and starts over after each parameter
/// that the target refuses before it has answered. `None` without a target.
pub(super) async fn ask(
    job: &Arc<Job>,
    session: &Session<'_>,
    budget: &Arc<Budget>,
) -> Result<Option<RepliesRan>, RunError> {
    job.know_target(session.store)?;
    let allowance = Allowance::new(Arc::clone(budget));
    while let Some(target) = job.target() {
        if session.mode.shard.is_some() {
            return Err(RunError::ShardedTarget);
        }
        let ran = turn(job, &target, session, &allowance).await?;
        let ended = (ran.driven.as_ref(), ran.n_answered);
        match Tuned::target(&target).started_over(&target.left, ended, session)? {
            Some(left) => job.set_target(target.without(left)),
            None => return Ok(Some(ran)),
        }
    }
    Ok(None)
}

async fn turn(
    job: &Arc<Job>,
    target: &Arc<TargetDefinition>,
    session: &Session<'_>,
    allowance: &Allowance,
) -> Result<RepliesRan, RunError> {
    let Session { store, mode, key, .. } = *session;
    let (plan, missing) = {
        let reader = &store.reader()?;
        let on_record =
            OnRecord { reader, id: &target.id, repeat: job.repeat(), unscored: mode.unscored, shard: None };
        planned(job, target, Some(on_record), &mut |_| {})?
    };
    let repeat = job.repeat().to_string();
    let parts = [&job.dataset.digest().hex, target.id.as_str(), &repeat];
    let manifest = manifest(&job.name, &target.settings.name, parts);
    if mode.network != Network::Online || plan.n_cases == 0 {
        let run = store.reader()?.find_run(&manifest)?;
        return Ok(RepliesRan { plan, run, ..RepliesRan::default() });
    }
    let config = &job.asking.config;
    let calling = Calling {
        session,
        config,
        chat: target.settings.chat(),
        allowance,
        id: &target.id,
        repeat: job.repeat(),
        n_calls: plan.n_calls,
        tier: Tier::Standard,
        n_waiting: 0,
        in_batches: false,
        parameters: Tuned::target(target).parameters(&target.left, store)?,
    };
    let build = || Ok(Target::build(&target.settings, config.schedule.limits, key)?);
    let lane = target.settings.chat().map(lane_key);
    let open_run = || {
        let (judge, identity) = (&target.id, target.identity.as_str());
        let budget = Some(allowance.budget.terms());
        let (invocation, spec, lane) = (None, None, lane.as_deref());
        let opening = RunOpening { judge, identity, manifest: &manifest, invocation, spec, budget, lane };
        store.begin_judged_run(opening).map(|begun| begun.run())
    };
    let feed = {
        let (job, target) = (Arc::clone(job), Arc::clone(target));
        move |_: &Desk<Target>, tasks: &mut _| feed(&job, &target, missing, tasks)
    };
    let drive =
        async |desk: &Arc<Desk<Target>>| Ok(Drove { driven: driven(desk, mode, feed).await?, is_over: true });
    let Called { run, driven, n_answered } = calling.call(build, open_run, drive).await?;
    if n_answered > 0 && calling.parameters != Parameters::Proven {
        Tuned::target(target).remember_taken(&target.left, store)?;
    }
    Ok(RepliesRan { plan, run: Some(run), driven, n_answered })
}

/// The target's own run for the cases of `run`, under this repeat.
pub(in crate::run) fn target_run(
    reader: &Reader,
    run: &RunRecord,
    (files, repeat): (&str, u32),
    target: &TargetSpec,
) -> Result<Option<RunId>, StoreError> {
    let cases = run.part("cases").unwrap_or_default();
    reader.find_run(&manifest(files, &target.name, [cases, &target.id, &repeat.to_string()]))
}

/// What defines a target's own run: its cases, the target, and the repeat.
fn manifest(files: &str, target: &str, parts: [&str; 3]) -> Manifest {
    let named = ["cases", "target", "repeat"].into_iter().zip(parts);
    let parts = named.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    basis::manifest(format!("replies {files} {target}"), parts, files)
}

/// Puts a task for each missing reply into the outbox.
fn feed(
    job: &Job,
    target: &TargetDefinition,
    mut missing: Missing,
    tasks: &mut Outbox<Request>,
) -> Result<(), RunError> {
    for request in requests(job, target)? {
        let question = request?;
        let Some(earlier) = missing.take(question.hash) else { continue };
        let most = target.most(&question, &job.asking.config).unwrap_or_default();
        let tokens_input = (question.body.len() as u64).div_ceil(CHARS_PER_TOKEN);
        if tasks.put(Task { question, most, tokens_input, earlier }) == Taken::No {
            break;
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
