//! What asking a target for replies would take, beside what the judge is asked.

use crate::render::figure::counted;
use std::sync::Arc;

use probity_engine::config::TargetSettings;
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
    target: Arc<TargetDefinition>,
    plan: ReplyPlan,
    /// The requests, where they are to be shown.
    pub(crate) requests: Vec<Value>,
}

impl<'a> PlannedReplies<'a> {
    /// Counts what is missing from the store, and lets the job see the replies that are there. Requests are kept
    /// where they are to be shown.
    pub(crate) fn of(
        job: &'a Job,
        store: Option<&Store>,
        show: bool,
    ) -> Result<Option<PlannedReplies<'a>>, Failure> {
        let Some(TargetSettings { name, .. }) = job.target().map(|target| target.settings.clone()) else {
            return Ok(None);
        };
        let mut requests = Vec::new();
        let shown = |request: &Request| {
            let body: Value = serde_json::from_str(&request.body).expect("a request is JSON");
            let (case, packet) = (&request.case_id, request.hash.to_string());
            json!({ "case": case, "packet": packet, "target": name, "request": body })
        };
        let plan = dry_reply_plan(job, store, &mut |request| {
            requests.extend(show.then(|| shown(&request)));
        })?;
        Ok(job.target().map(|target| PlannedReplies { job, target, plan, requests }))
    }

    /// As a member of the plan's object.
    pub(crate) fn json(&self, plan: &Plan) -> Value {
        json!({
            "target": self.target.settings.name,
            "cases": self.plan.n_cases,
            "calls": self.plan.n_calls,
            "cost_usd_expected": self.plan.expected.map(Money::usd),
            "cost_usd_max": self.plan.most.map(Money::usd),
            "judge_calls_max": self.judge_calls_max(plan),
        })
    }

    /// As lines.
    pub(crate) fn text(&self, plan: &Plan) -> String {
        let ReplyPlan { n_cases, n_calls, expected, most } = &self.plan;
        let settings = &self.target.settings;
        let cost = expected.zip(*most).map_or("cost unknown".to_owned(), |(expected, most)| {
            format!("expected {}, at most {}", expected.shown(), most.shown())
        });
        let kept = n_cases - n_calls;
        let mut text = format!(
            "{} without a reply: {} to target {} ({}), {cost}, {kept} on record or repeated\n",
            counted(*n_cases, "case"),
            counted(*n_calls, "call"),
            plain(&settings.name),
            settings.kind().name(),
        );
        if plan.n_no_reply > 0 {
            let calls = self.judge_calls_max(plan);
            text += &format!("then at most {} to the judge, not counted below\n", counted(calls, "call"));
        }
        text
    }

    fn judge_calls_max(&self, plan: &Plan) -> u64 {
        plan.n_no_reply * self.job.calls_per_reply() as u64
    }
}
