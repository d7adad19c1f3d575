//! What asking a target for replies would take, beside what the judge is asked.

use probity_engine::ledger::Store;
use probity_engine::run::job::Job;
use probity_engine::run::plan::Plan;
use probity_engine::run::replies::{ReplyPlan, dry_reply_plan};
use probity_engine::schedule::budget::Money;
use probity_engine::target::{Request, TargetDefinition};
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::plain::plain;

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
        })?;
        Ok(Some(PlannedReplies { job, target, plan, requests }))
    }

    /// As a member of the plan's object.
    pub(crate) fn json(&self, plan: &Plan) -> Value {
        json!({
            "target": self.target.settings.name,
            "cases": self.plan.n_cases,
            "calls": self.plan.n_calls,
            "cost_usd_max": self.plan.most.map(Money::usd),
            "judge_calls_max": self.judge_calls_max(plan),
        })
    }

    /// The requests that would be sent, as they are listed beside the judge's.
    pub(crate) fn requests(&self) -> impl Iterator<Item = Value> {
        let name = &self.target.settings.name;
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
        let name = plain(&self.target.settings.name);
        let one = |request: &Request| {
            let (case, packet) = (plain(request.case_id()), request.hash());
            format!("# case {case}, target {name}, packet {packet}\n{:#}\n\n", body(request))
        };
        self.requests.iter().map(one).collect()
    }

    /// As lines.
    pub(crate) fn text(&self, plan: &Plan) -> String {
        let ReplyPlan { n_cases, n_calls, most } = &self.plan;
        let settings = &self.target.settings;
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
