//! What commands that judge say and do about the target that writes replies: the store it needs, how its calls
//! ended, and what they would take.

use probity_core::report::Summary;
use probity_engine::run::job::Job;
use probity_engine::run::plan::Plan;
use probity_engine::run::replies::{RepliesRan, ReplyPlan, dry_reply_plan, same_model};
use probity_engine::run::{Network, Observer as _, Ran};
use probity_engine::schedule::budget::Money;
use probity_engine::schedule::lane::Stop;
use probity_engine::store::Store;
use probity_engine::target::{Request, TargetDefinition};
use serde_json::{Value, json};

use super::session::{self, Watcher, failure};
use crate::exit::{Exit, Failure};
use crate::render::plain::plain;
use crate::{settings, terminal};

/// Opens the store of a job; for reading only where neither judge nor target will be asked.
pub(crate) fn open_store(job: &Job, network: Network, watcher: &Watcher) -> Result<Store, Failure> {
    if job.target().is_none() || network != Network::Online {
        return session::open_store(&job.asking, network, watcher);
    }
    session::open_for_writing(&settings::store_path(&job.asking)?, &|line| watcher.notice(line))
}

/// The exit code and the words for a target whose calls stopped before the end.
fn stopped(ran: &Ran) -> Option<(Exit, String)> {
    let replies = ran.replies.as_ref()?;
    let resume = "; run the same command again to resume";
    Some(match replies.stop()? {
        Stop::Unreachable(why) => (Exit::Incomplete, format!("the target cannot be reached: {why}{resume}")),
        Stop::Quota(why) | Stop::Budget(why) => (Exit::Incomplete, format!("the target: {why}{resume}")),
        Stop::Unusable(why) | Stop::SchemaRefused(why) if replies.n_answered == 0 => {
            (Exit::Usage, format!("the target: {why}"))
        }
        Stop::Refused(why) | Stop::Unusable(why) | Stop::SchemaRefused(why) => {
            let way_on = "correct that, then run the same command again to resume";
            (Exit::Incomplete, format!("the target: {why}; {way_on}"))
        }
        Stop::Interrupted => (Exit::Incomplete, format!("as asked{resume}")),
        Stop::Store(error) => (Exit::Store, error.to_string()),
    })
}

/// Says what is worth a line about the target after a run: that nobody needed it, or that only its answers showed it
/// to be the judge's own model.
pub(crate) fn notices(job: &Job, ran: &Ran, summary: &Summary, watcher: &Watcher) {
    let (Some(target), Some(RepliesRan { plan, .. })) = (job.target(), &ran.replies) else { return };
    let settings = target.settings();
    if plan.n_cases == 0 {
        watcher.notice(&format!("every case has a reply: target {} was not asked", settings.name));
    }
    let (judge, facts) = (&job.asking.judge, summary.facts());
    let answered = facts.target.as_ref().map(|target| target.answered_as.as_slice()).unwrap_or_default();
    if same_model((judge, &[]), (settings, &[])).is_none()
        && let Some(warning) = same_model((judge, &facts.judge.answered_as), (settings, answered))
    {
        watcher.notice(&format!("warning: {warning}"));
    }
}

/// What asking the target would take, and what would be sent.
pub(crate) struct PlannedReplies<'a> {
    job: &'a Job,
    target: &'a TargetDefinition,
    plan: ReplyPlan,
    requests: Vec<Request>,
}

impl<'a> PlannedReplies<'a> {
    /// Counts what is missing from the store, and lets the job see the replies that are there. Requests are kept
    /// where they are to be shown.
    pub(crate) fn of(
        job: &'a Job,
        store: Option<&Store>,
        show: bool,
    ) -> Result<Option<PlannedReplies<'a>>, Failure> {
        let Some(target) = job.target() else { return Ok(None) };
        let mut requests = Vec::new();
        let plan = dry_reply_plan(job, target, store, &mut |request| {
            if show {
                requests.push(request);
            }
        });
        Ok(Some(PlannedReplies { job, target, plan: plan.map_err(failure)?, requests }))
    }

    /// As a member of the plan's object.
    pub(crate) fn json(&self, plan: &Plan) -> Value {
        json!({
            "target": self.target.settings().name,
            "cases": self.plan.n_cases,
            "calls": self.plan.n_calls,
            "cost_usd_max": self.plan.most.map(Money::usd),
            "judge_calls_max": self.judge_calls_max(plan),
        })
    }

    /// The requests that would be sent, as they are listed beside the judge's.
    pub(crate) fn requests(&self) -> impl Iterator<Item = Value> {
        let name = &self.target.settings().name;
        self.requests.iter().map(move |request| {
            json!({
                "case": request.case_id(),
                "packet": request.hash().to_string(),
                "target": name,
                "request": body(request),
            })
        })
    }

    /// The requests as text.
    pub(crate) fn shown(&self) -> String {
        let name = plain(&self.target.settings().name);
        let one = |request: &Request| {
            let body = serde_json::to_string_pretty(&body(request)).expect("JSON values can be written");
            format!(
                "# case {}, target {name}, packet {}\n{body}\n\n",
                plain(request.case_id()),
                request.hash()
            )
        };
        self.requests.iter().map(one).collect()
    }

    /// As lines.
    pub(crate) fn text(&self, plan: &Plan) -> String {
        let ReplyPlan { n_cases, n_calls, most } = &self.plan;
        let settings = self.target.settings();
        let cost = match most {
            Some(most) => format!(", at most ${}", most.usd()),
            None => ", cost unknown".to_owned(),
        };
        let kept = n_cases - n_calls;
        let mut text = format!(
            "{n_cases} cases without a reply: {n_calls} calls to target {} ({}){cost}, {kept} on record or repeated\n",
            plain(&settings.name),
            settings.kind().name(),
        );
        if plan.n_no_reply > 0 {
            let calls = self.judge_calls_max(plan);
            text += &format!(
                "once they are there: at most {calls} calls to the judge, which are not counted below\n"
            );
        }
        text
    }

    fn judge_calls_max(&self, plan: &Plan) -> u64 {
        plan.n_no_reply * self.job.calls_per_reply() as u64
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_str(request.body()).expect("a request is JSON")
}

/// Ends a run whose target stopped, with the words for it.
pub(crate) fn ended(ran: &Ran) -> Option<Exit> {
    let (exit, message) = stopped(ran)?;
    terminal::note(&format!("stopped: {message}"));
    Some(exit)
}
