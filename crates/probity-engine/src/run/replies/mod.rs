//! The replies that cases come without: asked for before anything is judged, stored like verdicts, and read back like
//! them.
//!
//! A target's calls are a run of their own in the store, so that what it said does not depend on who judges it. What
//! always holds: a case without a reply on record is never screened and never judged; it is unscored because there
//! is no reply, with what happened as the detail.

mod asking;
mod record;
mod same_model;

pub(super) use asking::target_run;
pub use asking::{ReplyPlan, dry_reply_plan};
pub use record::NoReply;
pub use same_model::same_model;
pub(super) use same_model::same_models;

pub(super) use record::{Replies, not_asked};

use std::sync::Arc;

use super::calling::Allowance;
use super::confirm::{PlannedTarget, confirm, confirm_target};
use super::job::Job;
use super::work::Work;
use super::{Network, Ran, RunError, Session, budget, budget_key, run_within};
use crate::ledger::RunId;
use crate::schedule::Driven;
use crate::schedule::budget::Budget;
use crate::schedule::lane::Stop;

/// What asking a target came to.
#[derive(Debug, Clone, Default)]
pub struct RepliesRan {
    /// What was to be asked.
    pub plan: ReplyPlan,
    /// The target's run in the store; `None` when nothing was written.
    pub run: Option<RunId>,
    /// How the calls ended; `None` when none was needed or allowed.
    pub driven: Option<Driven>,
    /// Whole answers that came in this process.
    pub n_answered: u64,
}

impl RepliesRan {
    /// Why the calls stopped before the end, if they did.
    pub fn stop(&self) -> Option<&Stop> {
        self.driven.as_ref().and_then(|driven| driven.stop.as_ref())
    }
}

/// Asks the target of each job for replies, within one budget for all, and lets the jobs see them. Where the calls to
/// one stop early the next is not called.
pub async fn fetch(
    jobs: &[Arc<Job>],
    session: &Session<'_>,
) -> Result<(Vec<RepliesRan>, Option<Arc<Budget>>), RunError> {
    let Some(first) = jobs.first() else { return Ok((Vec::new(), None)) };
    let key = budget_key(jobs.iter().map(|job| -> &dyn Work { job.as_ref() }));
    let of_job =
        |job: &Job| budget(key.clone(), &job.asking, job.target().as_deref().map(|target| &target.settings));
    jobs.iter().try_for_each(|job| of_job(job).map(drop))?;
    let budget = Arc::new(of_job(first)?);
    let mut all: Vec<RepliesRan> = Vec::new();
    for job in jobs {
        with_target(job, session, |target| confirm_target(job, target, session, &budget))?;
    }
    for job in jobs {
        let is_cut = all.iter().any(|replies| replies.stop().is_some());
        if !is_cut {
            all.extend(asking::ask(job, session, &budget).await?);
        }
        job.take_replies(session.store)?;
    }
    Ok((all, Some(budget)))
}

/// Gives what the target of `job` is to be asked to `take`, where there is one and it may be asked.
fn with_target(
    job: &Job,
    session: &Session<'_>,
    take: impl FnOnce(&PlannedTarget<'_>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    job.know_target(session.store)?;
    let Some(target) = job.target().filter(|_| session.mode.network == Network::Online) else {
        return Ok(());
    };
    let plan = dry_reply_plan(job, Some(session.store), &mut |_| {})?;
    let calls_per_reply = job.calls_per_reply() as u64;
    take(&PlannedTarget { id: &target.id, chat: target.settings.chat(), plan, calls_per_reply })
}

/// Asks the job's target for replies, if it has one, and then its judge about them, one repeat after another. Where the
/// target's calls stop early the judge is not called: what is missing comes with the next run.
pub async fn run_job(job: &Arc<Job>, session: &Session<'_>) -> Result<Ran, RunError> {
    let key = budget_key([job.as_ref() as &dyn Work]);
    let target = job.target();
    let budget = Arc::new(budget(key, &job.asking, target.as_deref().map(|target| &target.settings))?);
    let works: Vec<Arc<dyn Work>> = job.repeats().collect();
    if job.target().is_some() {
        with_target(job, session, |target| confirm(&works, Some(target), session, &budget))?;
    } else {
        confirm(&works, None, session, &budget)?;
    }
    let replies = asking::ask(job, session, &budget).await?;
    if replies.is_some() {
        job.take_replies(session.store)?;
    }
    let is_cut = replies.as_ref().is_some_and(|replies| replies.stop().is_some());
    let mode = super::Mode {
        network: if is_cut { Network::Offline } else { session.mode.network },
        ..session.mode.clone()
    };
    let allowance = Allowance::new(budget);
    let mut all: Option<Ran> = None;
    for work in job.repeats() {
        let ran = run_within(&work, &Session { mode: &mode, ..*session }, &allowance).await?;
        let stop = ran.driven.as_ref().and_then(|driven| driven.stop.as_ref());
        // What waits in a batch does not keep the rest from being sent.
        let is_stopped = stop.is_some_and(|stop| !matches!(stop, Stop::InBatch(_)));
        all = Some(match all {
            None => ran,
            Some(earlier) => earlier.again(ran),
        });
        if is_stopped {
            break;
        }
    }
    Ok(Ran { replies, ..all.expect("there is at least one repeat") })
}
