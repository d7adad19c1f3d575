//! One call, once it has ended: what it means, what it cost, and what is kept of it.
//!
//! Nothing is decided here about the packet, and nothing is waited for.

use std::fmt;
use std::time::{Duration, SystemTime};

use probity_core::verdict::{Completion, EnvelopeFault, Invalid, InvalidReason};
use serde_json::json;

use super::budget::Money;
use super::classify::{self, Billing, CallTerms, Disposition, JsonBody, Ramp, RefusedParameter, StopReason};
use super::desk::Desk;
use super::lane::{Signal, Stop};
use super::respondent::Respondent;
use crate::judge::{CallOutcome, Reception, Response};
use crate::store::AttemptEnd;

/// The outcome of an attempt that brought a whole answer.
pub(super) const ANSWERED: &str = "answered";
/// The outcome of an attempt whose body cannot be read.
pub(super) const BAD_BODY: &str = "bad_body";
/// The outcome of an attempt whose stream ended before the answer did.
const TRUNCATED_STREAM: &str = "truncated_stream";

/// A whole answer: what it says, or that there is no choice in it.
pub(super) type Answer = Result<Completion, Invalid>;

/// What a call came to.
#[derive(Debug)]
pub(super) struct Heard {
    /// What is to be done about it.
    pub(super) meaning: Meaning,
    /// The pause that everybody on the lane has to make.
    pub(super) pause: Option<Duration>,
    /// The outcome's name, as it is stored.
    outcome: &'static str,
    /// The outcome in a sentence.
    detail: String,
    billing: Billing,
}

/// What a call's outcome means for its packet.
#[derive(Debug)]
pub(super) enum Meaning {
    /// A whole answer, to be read.
    Answer(Box<Answer>),
    /// Ask again after backing off for at least `floor`.
    Retry { reason: &'static str, floor: Duration, signal: classify::Signal },
    /// Ask again when the lane's pause is over.
    Wait { reason: &'static str, ramp: Ramp },
    /// The body cannot be read; it gets one further chance.
    Damaged { reason: &'static str, detail: String },
    /// There will be no verdict for this packet.
    Invalid { reason: &'static str, detail: String },
    /// No verdict now; a later run asks again.
    GiveUp,
    /// Nobody on the lane will get an answer.
    Stop(Stop),
}

impl Heard {
    /// What `reception` came to at `desk`.
    pub(super) fn of<R: Respondent>(reception: &Reception, desk: &Desk<R>) -> Heard {
        let terms = CallTerms {
            model: desk.settings.models.first().map_or("", String::as_str),
            wait_max: desk.settings.retry_after_max,
            received_unix_ms: Some(unix_ms()),
        };
        let (heard, json) = Heard::classified(&reception.outcome, &terms);
        let (CallOutcome::Response(response), Meaning::Answer(_)) = (&reception.outcome, &heard.meaning)
        else {
            return heard;
        };
        let completion = match &json {
            Some((value, repairs)) => desk.respondent.completion_of_json(&response.body, value, repairs),
            None => desk.respondent.completion(&response.body),
        };
        match completion {
            Err(EnvelopeFault::Error { status, code, kind, message }) => {
                let error = json!({ "error": { "code": code, "type": kind, "message": message } });
                let (headers, body) = (response.headers.clone(), error.to_string().into_bytes());
                let named = Response { status: status.filter(|s| *s >= 300).unwrap_or(500), headers, body };
                Heard::classified(&CallOutcome::Response(named), &terms).0
            }
            completion => Heard { pause: classify::preemptive_wait(response), ..heard.opened(completion) },
        }
    }

    fn classified(outcome: &CallOutcome, terms: &CallTerms<'_>) -> (Heard, Option<JsonBody>) {
        let (disposition, json) = classify::classify_reading(outcome, terms);
        let (name, detail) = self::outcome(&disposition, outcome);
        let pause = match &disposition {
            Disposition::Wait { pause, .. } => Some(*pause),
            _ => None,
        };
        let billing = classify::billing(outcome);
        (Heard { meaning: meaning(disposition, &detail), pause, outcome: name, detail, billing }, json)
    }

    /// An answer whose envelope has been opened. Not every whole body is a whole answer.
    fn opened(self, completion: Result<Completion, EnvelopeFault>) -> Heard {
        let (meaning, outcome, detail) = match completion {
            Ok(completion) => (Meaning::Answer(Box::new(Ok(completion))), ANSWERED, String::new()),
            Err(EnvelopeFault::NoChoice) => (no_choice(), ANSWERED, String::new()),
            Err(EnvelopeFault::UnclearChoice) => {
                let invalid = Invalid { reason: InvalidReason::Ambiguous, detail: String::new() };
                (Meaning::Answer(Box::new(Err(invalid))), ANSWERED, String::new())
            }
            Err(EnvelopeFault::CutStream) => {
                let signal = classify::Signal::Transient;
                let retry = Meaning::Retry { reason: TRUNCATED_STREAM, floor: Duration::ZERO, signal };
                (retry, TRUNCATED_STREAM, EnvelopeFault::CutStream.to_string())
            }
            Err(fault @ (EnvelopeFault::NotJson { .. } | EnvelopeFault::Error { .. })) => {
                let detail = fault.to_string();
                (Meaning::Damaged { reason: BAD_BODY, detail: detail.clone() }, BAD_BODY, detail)
            }
        };
        Heard { meaning, outcome, detail, ..self }
    }

    /// What the call means for its lane.
    pub(super) fn signal(&self) -> Signal {
        match &self.meaning {
            Meaning::Answer(_) => Signal::Clean,
            Meaning::Damaged { .. } | Meaning::GiveUp => Signal::Failure,
            Meaning::Wait { ramp, .. } => Signal::Limited(*ramp),
            Meaning::Retry { signal, .. } => match signal {
                classify::Signal::Transient => Signal::Failure,
                classify::Signal::Overloaded => Signal::Limited(Ramp::Normal),
                classify::Signal::Unlucky | classify::Signal::Refused => Signal::Declined,
            },
            Meaning::Invalid { .. } | Meaning::Stop(_) => Signal::Unfit,
        }
    }

    /// What the call cost; `None` where nobody knows.
    pub(super) fn cost<R>(&self, desk: &Desk<R>) -> Option<Money> {
        if self.billing == Billing::No {
            return Some(Money::default());
        }
        let usage = self.completion().and_then(|completion| completion.usage);
        usage.zip(desk.price).map(|(usage, price)| Money::of(price, usage))
    }

    /// What is kept of the call. Takes the raw bytes over.
    pub(super) fn end(&self, reception: Reception, cost: Option<Money>) -> AttemptEnd {
        let (http_status, raw) = match reception.outcome {
            CallOutcome::Response(response) => (Some(response.status), response.body),
            CallOutcome::Broken { partial, .. } => (None, partial),
        };
        let billed = if self.billing == Billing::Maybe { "; it may have been billed" } else { "" };
        let completion = self.completion();
        let usage = completion.and_then(|completion| completion.usage);
        let tokens = |count: Option<u64>| count.and_then(|count| u32::try_from(count).ok());
        AttemptEnd {
            outcome: self.outcome.to_owned(),
            detail: format!("{}{billed}", self.detail),
            raw,
            http_status,
            tokens_in: tokens(usage.map(|usage| usage.input)),
            tokens_out: tokens(usage.map(|usage| usage.output)),
            cost_picodollars: cost.map(Money::picos),
            model: completion.and_then(|completion| completion.model.clone()),
            fingerprint: completion.and_then(|completion| completion.fingerprint.clone()),
            response_id: completion.and_then(|completion| completion.response_id.clone()),
            elapsed_ms: u32::try_from(reception.elapsed.as_millis()).unwrap_or(u32::MAX),
        }
    }

    fn completion(&self) -> Option<&Completion> {
        match &self.meaning {
            Meaning::Answer(answer) => answer.as_ref().as_ref().ok(),
            _ => None,
        }
    }
}

/// What happened, for people.
impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.outcome)?;
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

fn no_choice() -> Meaning {
    let invalid = Invalid { reason: InvalidReason::NoChoice, detail: String::new() };
    Meaning::Answer(Box::new(Err(invalid)))
}

fn meaning(disposition: Disposition, broken: &str) -> Meaning {
    match disposition {
        // A placeholder until the envelope is opened.
        Disposition::Answer => no_choice(),
        Disposition::Retry { reason, floor, signal } => {
            Meaning::Retry { reason, floor: floor.unwrap_or_default(), signal }
        }
        Disposition::Wait { reason, ramp, .. } => Meaning::Wait { reason, ramp },
        Disposition::RetryOnce { reason } => Meaning::Damaged { reason, detail: broken.to_owned() },
        Disposition::Invalid { reason, detail } => Meaning::Invalid { reason, detail },
        Disposition::GiveUp { .. } => Meaning::GiveUp,
        Disposition::Stop { reason, message } | Disposition::Abort { reason, message } => {
            Meaning::Stop(match reason {
                StopReason::Quota | StopReason::WaitTooLong => Stop::Quota(message),
                StopReason::Credentials | StopReason::Redirect => Stop::Refused(message),
                StopReason::Parameter(RefusedParameter::StructuredOutput) => Stop::SchemaRefused(message),
                StopReason::Model | StopReason::Parameter(_) | StopReason::Certificate => {
                    Stop::Unusable(message)
                }
            })
        }
    }
}

/// The name and the details under which an attempt is kept.
fn outcome(disposition: &Disposition, outcome: &CallOutcome) -> (&'static str, String) {
    let broken = match outcome {
        CallOutcome::Broken { fault, .. } => fault.to_string(),
        CallOutcome::Response(response) => format!("HTTP {}", response.status),
    };
    match disposition {
        Disposition::Answer => (ANSWERED, String::new()),
        Disposition::Retry { reason, .. } | Disposition::Wait { reason, .. } => (reason, broken),
        Disposition::RetryOnce { reason } => match outcome {
            CallOutcome::Broken { .. } => (reason, broken),
            CallOutcome::Response(_) => (reason, "expected a JSON body, whole and in UTF-8".to_owned()),
        },
        Disposition::Invalid { reason, detail } | Disposition::GiveUp { reason, detail } => {
            (reason, detail.clone())
        }
        Disposition::Stop { reason, message } | Disposition::Abort { reason, message } => {
            (reason.name(), message.clone())
        }
    }
}

/// Wall time, for records only: nothing waits by it or is ordered by it.
pub(super) fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
