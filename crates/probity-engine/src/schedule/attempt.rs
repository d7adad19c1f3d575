//! One call, once it has ended: what it means, what it cost, and what is kept of it.
//!
//! Nothing is decided here about the packet, and nothing is waited for.

use std::fmt;
use std::time::{Duration, SystemTime};

use probity_core::verdict::{Completion, EnvelopeFault, Invalid, InvalidReason};
use serde_json::json;

use super::budget::Money;
use super::classify::{
    BAD_BODY, Billing, CallTerms, Disposition, TRUNCATED_STREAM, billing, classify, preemptive_wait,
    transient,
};
use super::desk::Desk;
use super::lane::Signal;
use crate::config::{Price, Tier};
use crate::dialect::context_told;
use crate::judge::respondent::Respondent;
use crate::judge::{CallOutcome, Reception, Response};
use crate::ledger::AttemptEnd;

/// The outcome of an attempt that brought a whole answer.
pub(super) const ANSWERED: &str = "answered";
/// A whole answer: what it says, or that there is no choice in it.
pub(super) type Answer = Result<Completion, Invalid>;

/// What a call came to.
#[derive(Debug)]
pub(super) struct CallResult {
    /// The answer, or what is to be done without one.
    pub(super) answer: Result<Answer, Disposition>,
    /// The pause that every call on the lane has to make.
    pub(super) pause: Option<Duration>,
    /// The outcome in a sentence.
    pub(super) detail: String,
    billing: Billing,
}

/// What answers are read and priced by.
pub struct Hearing<'a> {
    /// Reads a whole body.
    pub read: &'a dyn Fn(&[u8]) -> Result<Completion, EnvelopeFault>,
    /// The model asked for, to name it in messages.
    pub model: &'a str,
    /// The longest wait a server may ask for.
    pub wait_max: Duration,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
    /// The tier that was asked for.
    pub tier: Tier,
}

impl CallResult {
    /// What `reception` came to at `desk`.
    pub(super) fn of<R: Respondent>(reception: &Reception, desk: &Desk<R>) -> CallResult {
        let read = |body: &[u8]| desk.respondent.completion(body);
        CallResult::by(reception, &desk.hearing(&read))
    }

    /// What `reception` came to, as `hearing` reads it.
    pub(super) fn by(reception: &Reception, hearing: &Hearing<'_>) -> CallResult {
        let terms =
            CallTerms { model: hearing.model, wait_max: hearing.wait_max, received_unix_ms: Some(unix_ms()) };
        let response = match classify(&reception.outcome, &terms) {
            Ok(response) => response,
            Err(disposition) => return CallResult::unanswered(disposition, &reception.outcome),
        };
        match (hearing.read)(&response.body) {
            Err(EnvelopeFault::Error { status, code, kind, message }) => {
                let error = json!({ "error": { "code": code, "type": kind, "message": message } });
                let (headers, body) = (response.headers.clone(), error.to_string().into_bytes());
                let status = status.filter(|status| *status >= 300).unwrap_or(500);
                let named = CallOutcome::Response(Response { status, headers, body });
                let disposition = classify(&named, &terms).expect_err("no answer has such a status");
                CallResult::unanswered(disposition, &named)
            }
            completion => CallResult::opened(completion, response),
        }
    }

    fn unanswered(disposition: Disposition, outcome: &CallOutcome) -> CallResult {
        let pause = match &disposition {
            Disposition::Wait { pause, .. } => Some(*pause),
            _ => None,
        };
        let detail = detail(&disposition, outcome);
        CallResult { answer: Err(disposition), pause, detail, billing: billing(outcome) }
    }

    /// An answer whose envelope has been opened. Not every whole body is a whole answer.
    fn opened(completion: Result<Completion, EnvelopeFault>, response: &Response) -> CallResult {
        let no_verdict = |reason| (Ok(Err(Invalid { reason, detail: String::new() })), String::new());
        let (answer, detail) = match completion {
            Ok(completion) => (Ok(Ok(completion)), String::new()),
            Err(EnvelopeFault::NoChoice) => no_verdict(InvalidReason::NoChoice),
            Err(EnvelopeFault::UnclearChoice) => no_verdict(InvalidReason::Ambiguous),
            Err(fault @ EnvelopeFault::CutStream) => (Err(transient(TRUNCATED_STREAM)), fault.to_string()),
            Err(fault @ (EnvelopeFault::NotJson { .. } | EnvelopeFault::Error { .. })) => {
                (Err(Disposition::Damaged { reason: BAD_BODY }), fault.to_string())
            }
        };
        CallResult { answer, pause: preemptive_wait(response), detail, billing: Billing::Yes }
    }

    /// The outcome's name, as it is stored.
    fn outcome(&self) -> &'static str {
        self.answer.as_ref().map_or_else(Disposition::reason, |_| ANSWERED)
    }

    /// What the call means for its lane.
    pub(super) fn signal(&self) -> Signal {
        match &self.answer {
            Ok(_) => Signal::Clean,
            Err(Disposition::Damaged { .. } | Disposition::GiveUp { .. }) => Signal::Failure,
            Err(Disposition::Wait { ramp, .. }) => Signal::Limited(*ramp),
            Err(Disposition::Retry { signal, .. }) => *signal,
            Err(Disposition::Invalid { .. } | Disposition::Stop { .. }) => Signal::Unfit,
        }
    }

    /// How many tokens the server reads, where its error says so.
    pub(super) fn context(&self) -> Option<u32> {
        match &self.answer {
            Err(Disposition::Invalid { detail, .. }) => context_told(detail),
            _ => None,
        }
    }

    /// What the call cost; `None` where that is unknown.
    pub(super) fn cost(&self, price: Option<&Price>, tier: Tier) -> Option<Money> {
        if self.billing == Billing::No {
            return Some(Money::default());
        }
        let completion = self.completion()?;
        let tier = tier.billed(completion.tier.as_deref())?;
        completion.usage.zip(price).map(|(usage, price)| price.cost(tier, usage))
    }

    /// Tokens that the call used, where that is known.
    pub(super) fn tokens(&self) -> Option<u64> {
        let usage = self.completion()?.usage?;
        Some(usage.input + usage.output)
    }

    /// What is kept of the call. Takes the raw bytes over.
    pub(super) fn end(&self, reception: Reception, cost: Option<Money>, price: Option<&Price>) -> AttemptEnd {
        let (http_status, raw) = match reception.outcome {
            CallOutcome::Response(response) => (Some(response.status), response.body),
            CallOutcome::Broken { partial, .. } => (None, partial),
        };
        let billed = if self.billing == Billing::Maybe { "; it may have been billed" } else { "" };
        let completion = self.completion();
        let usage = completion.and_then(|completion| completion.usage);
        let tokens = |count: Option<u64>| count.and_then(|count| u32::try_from(count).ok());
        AttemptEnd {
            outcome: self.outcome().to_owned(),
            detail: format!("{}{billed}", self.detail),
            raw,
            http_status,
            tokens_in: tokens(usage.map(|usage| usage.input)),
            tokens_out: tokens(usage.map(|usage| usage.output)),
            tokens_cached: tokens(usage.map(|usage| usage.cached)),
            tier: completion.and_then(|completion| completion.tier.clone()),
            cost_picodollars: cost.map(Money::picos),
            list_picodollars: usage.zip(price).map(|(usage, price)| price.list_cost(usage).picos()),
            model: completion.and_then(|completion| completion.model.clone()),
            fingerprint: completion.and_then(|completion| completion.fingerprint.clone()),
            response_id: completion.and_then(|completion| completion.response_id.clone()),
            elapsed_ms: u32::try_from(reception.elapsed.as_millis()).unwrap_or(u32::MAX),
        }
    }

    fn completion(&self) -> Option<&Completion> {
        self.answer.as_ref().ok()?.as_ref().ok()
    }
}

/// What happened, for people.
impl fmt::Display for CallResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.outcome())?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.detail) }
    }
}

/// What an answer on record says; `None` where it is not one.
pub(super) fn recorded_answer<R: Respondent>(desk: &Desk<R>, raw: &[u8]) -> Option<Answer> {
    match desk.respondent.completion(raw) {
        Ok(completion) => Some(Ok(completion)),
        Err(fault) => fault.reason().map(|reason| Err(Invalid { reason, detail: String::new() })),
    }
}

/// The details under which an attempt without an answer is kept.
fn detail(disposition: &Disposition, outcome: &CallOutcome) -> String {
    match (disposition, outcome) {
        (Disposition::Invalid { detail, .. } | Disposition::GiveUp { detail, .. }, _) => detail.clone(),
        (Disposition::Stop { stop, .. }, _) => stop.message(),
        (_, CallOutcome::Broken { fault, .. }) => fault.to_string(),
        (Disposition::Damaged { reason: BAD_BODY }, _) => {
            "expected a JSON body, whole and in UTF-8".to_owned()
        }
        (_, CallOutcome::Response(response)) => format!("HTTP {}", response.status),
    }
}

/// Wall time, for records only: nothing waits by it or is ordered by it.
pub(super) fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
