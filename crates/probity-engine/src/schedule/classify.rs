//! What a call's outcome means for the call and for everyone who shares its lane.
//!
//! One pure function from outcome to [`Disposition`]. It does not wait, count attempts or draw jitter, and it
//! never reads a verdict: an answer is a body that deserves to be parsed, no more. What an error means stands in the
//! rules of [`crate::dialect`]; they are carried out here. Every text in a disposition is fit to be shown: keys are
//! masked.

mod error_body;

use std::time::Duration;

use probity_core::json::Json;

use self::error_body::{BodyText, ErrorBody, body_text, hidden_error, refusal};
use super::lane::{Ramp, Signal, Stop};
use super::retry_after::{WaitHint, exhausted_wait, retry_after, wait_hint};
use crate::dialect::{self, ErrorAct, Parameter, ToldError};
use crate::judge::mask::masked;
use crate::judge::{CallOutcome, Response, TransportFault};

/// The longest wait a server may ask for within a run.
pub const WAIT_MAX_DEFAULT: Duration = Duration::from_mins(2);

/// The outcome of an attempt whose body cannot be read.
pub(super) const BAD_BODY: &str = "bad_body";

/// The outcome of an attempt whose stream ended before the answer did.
pub(super) const TRUNCATED_STREAM: &str = "truncated_stream";

/// The pause when a server asks to slow down and does not say for how long.
const SLOW_DOWN_PAUSE: Duration = Duration::from_secs(15);

/// What classification must know besides the outcome.
#[derive(Debug, Clone, Copy)]
pub struct CallTerms<'a> {
    /// The model asked for, to name it in messages.
    pub model: &'a str,
    /// A server that asks for a longer wait than this stops the lane.
    pub wait_max: Duration,
    /// When the response came, in Unix milliseconds; used for dates where it has no `Date` of its own.
    pub received_unix_ms: Option<i64>,
}

/// What to do about a call that brought no answer to be read. Every reason is a stable name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disposition {
    /// Ask again later, within the caps on attempts and time.
    Retry {
        /// Why.
        reason: &'static str,
        /// The shortest wait, where the server gave one for this call.
        floor: Option<Duration>,
        /// What the failure means for the lane.
        signal: Signal,
    },
    /// Pause the whole lane, then ask again. Always a sign of overload.
    Wait {
        /// Why.
        reason: &'static str,
        /// How long no call may be made on the lane.
        pause: Duration,
        /// How fast the lane may grow again.
        ramp: Ramp,
    },
    /// The body cannot be read, or holds what the server itself calls broken. Ask once more; if it happens again the
    /// item is invalid.
    Damaged {
        /// Why.
        reason: &'static str,
    },
    /// The item has no verdict and asking again will not change that.
    Invalid {
        /// Why.
        reason: &'static str,
        /// What the server said.
        detail: String,
    },
    /// The call failed and asking again at once will not help, but nothing says that it is the item's fault:
    /// the item stays open for a later run, and a row of these stops the lane.
    GiveUp {
        /// Why.
        reason: &'static str,
        /// What the server said.
        detail: String,
    },
    /// No call on this lane will get an answer. What is left is not attempted; the run can be resumed.
    Stop {
        /// Why.
        reason: &'static str,
        /// The same with a sentence for people.
        stop: Stop,
    },
}

impl Disposition {
    /// The name under which the outcome of the call is stored and reported.
    pub fn reason(&self) -> &'static str {
        match self {
            Disposition::Retry { reason, .. }
            | Disposition::Wait { reason, .. }
            | Disposition::Damaged { reason }
            | Disposition::Invalid { reason, .. }
            | Disposition::GiveUp { reason, .. }
            | Disposition::Stop { reason, .. } => reason,
        }
    }
}

/// What the outcome of a call means: an answer to be read, or what else to do.
pub fn classify<'a>(outcome: &'a CallOutcome, terms: &CallTerms<'_>) -> Result<&'a Response, Disposition> {
    match outcome {
        CallOutcome::Broken { fault, .. } => Err(broken(fault)),
        CallOutcome::Response(response) => ResponseReading::of(response, terms).answer().map(|()| response),
    }
}

/// How long the lane should hold back after this success, so that no refusal is provoked. It is not
/// capped: a wait beyond the lane's cap means that the lane is used up.
pub fn preemptive_wait(response: &Response) -> Option<Duration> {
    (200..300).contains(&response.status).then(|| exhausted_wait(response)).flatten()
}

/// Whether the service may have charged for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Billing {
    /// It did no work.
    No,
    /// It may have, and nothing came back that says so.
    Maybe,
    /// It answered.
    Yes,
}

/// Whether the service may have charged for a call that came to this.
pub fn billing(outcome: &CallOutcome) -> Billing {
    match outcome {
        CallOutcome::Response(response) if (200..300).contains(&response.status) => Billing::Yes,
        CallOutcome::Response(_) => Billing::No,
        CallOutcome::Broken { fault, .. } => match fault {
            TransportFault::Connect(_)
            | TransportFault::Tls(_)
            | TransportFault::ConnectTimeout(_)
            | TransportFault::Refused(_)
            | TransportFault::NotRecorded
            | TransportFault::ProgramGone(_) => Billing::No,
            TransportFault::FirstByteTimeout(_)
            | TransportFault::IdleTimeout(_)
            | TransportFault::TotalTimeout(_)
            | TransportFault::Lost(_)
            | TransportFault::BadBody(_)
            | TransportFault::TooLarge(_) => Billing::Maybe,
        },
    }
}

fn broken(fault: &TransportFault) -> Disposition {
    match fault {
        TransportFault::Connect(_) => transient("connect"),
        TransportFault::ConnectTimeout(_) => transient("connect_timeout"),
        TransportFault::FirstByteTimeout(_) => transient("first_byte_timeout"),
        TransportFault::IdleTimeout(_) => transient("idle_timeout"),
        TransportFault::TotalTimeout(_) => transient("total_timeout"),
        TransportFault::Lost(_) => transient("connection_lost"),
        TransportFault::ProgramGone(_) => transient("program_gone"),
        TransportFault::Refused(_) => {
            Disposition::Retry { reason: "stream_refused", floor: None, signal: Signal::Declined }
        }
        TransportFault::BadBody(_) => Disposition::Damaged { reason: BAD_BODY },
        TransportFault::TooLarge(_) => {
            Disposition::Invalid { reason: "too_large", detail: masked(&fault.to_string()) }
        }
        TransportFault::NotRecorded => {
            Disposition::Invalid { reason: "not_recorded", detail: fault.to_string() }
        }
        TransportFault::Tls(_) => {
            Disposition::Stop { reason: "certificate", stop: Stop::Unusable(masked(&fault.to_string())) }
        }
    }
}

/// A failure of this call alone, as far as anything says.
pub(super) fn transient(reason: &'static str) -> Disposition {
    Disposition::Retry { reason, floor: None, signal: Signal::Failure }
}

/// A response while it is being classified.
struct ResponseReading<'a> {
    response: &'a Response,
    terms: &'a CallTerms<'a>,
    body: BodyText,
}

impl<'a> ResponseReading<'a> {
    fn of(response: &'a Response, terms: &'a CallTerms<'a>) -> Self {
        ResponseReading { response, terms, body: body_text(response) }
    }

    fn answer(&self) -> Result<(), Disposition> {
        let status = self.response.status;
        if !(200..300).contains(&status) {
            return Err(self.obeying(self.refused(status, &refusal(&self.body))));
        }
        if let Some(error) = hidden_error(&self.body) {
            return Err(self.obeying(self.refused(error.status.unwrap_or(status), &error)));
        }
        match &self.body {
            BodyText::Events { ended: false, .. } => Err(transient(TRUNCATED_STREAM)),
            BodyText::Cut | BodyText::NotText | BodyText::Html => {
                Err(Disposition::Damaged { reason: BAD_BODY })
            }
            BodyText::Events { .. } | BodyText::Json(_) | BodyText::Other => Ok(()),
        }
    }

    /// `x-should-retry` beats our own reading, except where a retry cannot help anyone.
    fn obeying(&self, own: Disposition) -> Disposition {
        match (self.response.header("x-should-retry").map(str::trim), own) {
            (Some("false"), Disposition::Retry { reason, .. } | Disposition::Wait { reason, .. }) => {
                Disposition::GiveUp { reason: "retry_forbidden", detail: reason.to_owned() }
            }
            (
                Some("true"),
                Disposition::Invalid { .. }
                | Disposition::GiveUp { .. }
                | Disposition::Stop { stop: Stop::Unusable(_) | Stop::ParameterRefused { .. }, .. },
            ) => self.retry("retry_requested"),
            (_, own) => own,
        }
    }

    fn refused(&self, status: u16, error: &ErrorBody) -> Disposition {
        let names = error.names.iter().chain(self.amazon_name()).cloned().collect::<Vec<_>>();
        let told = ToldError {
            status,
            names: &names,
            params: &error.params,
            message: &error.message,
            waits: self.floor().is_some(),
        };
        let rule = dialect::rule(&told);
        let parameter = || rule.parameter.or_else(|| dialect::mentioned(&told)).unwrap_or(Parameter::Other);
        match rule.act {
            ErrorAct::Quota => {
                self.stop("quota", Stop::Quota, "the account has no quota or credit left", error)
            }
            ErrorAct::SlowDown => self.wait("slow_down", self.hint().unwrap_or(SLOW_DOWN_PAUSE), Ramp::Slow),
            ErrorAct::RateLimited => self.rate_limited(error),
            ErrorAct::Overloaded => self.overloaded(),
            ErrorAct::ServerError => self.retry("server_error"),
            ErrorAct::TryAgain => self.retry("try_again"),
            ErrorAct::ContextLength => invalid("context_length", error),
            ErrorAct::RequestTooLarge => invalid("request_too_large", error),
            ErrorAct::ContentFilter => invalid("content_filter", error),
            ErrorAct::Credentials => {
                self.stop("credentials", Stop::Refused, "the server does not accept the key", error)
            }
            ErrorAct::Model => {
                let sentence = format!("the server has no model {:?} at this address", self.terms.model);
                self.stop("model", Stop::Unusable, &sentence, error)
            }
            ErrorAct::Parameter => self.parameter_refused(
                "the server does not take a parameter of the request",
                error,
                parameter(),
            ),
            ErrorAct::Schema => {
                self.parameter_refused("the server does not accept the request's schema", error, parameter())
            }
            ErrorAct::Unusable => self.stop("unusable", Stop::Unusable, "the server cannot do this", error),
            ErrorAct::Redirect => self.redirected(),
            ErrorAct::AskAgain => Disposition::Damaged { reason: "broken_output" },
            ErrorAct::BadRequest => Disposition::GiveUp { reason: "bad_request", detail: detail(error) },
        }
    }

    /// The name of an error that Bedrock puts into a header alone.
    fn amazon_name(&self) -> Option<&'a String> {
        self.response.headers.iter().find(|(name, _)| name == "x-amzn-errortype").map(|(_, value)| value)
    }

    fn rate_limited(&self, error: &ErrorBody) -> Disposition {
        if larger_than_limit(error) {
            return invalid("too_large_for_limit", error);
        }
        match self.wait_hint() {
            WaitHint::Stated(pause) => self.wait("rate_limited", pause, Ramp::Normal),
            WaitHint::Mentioned(floor) => overloaded(Some(floor.min(self.terms.wait_max))),
            WaitHint::Absent => overloaded(None),
        }
    }

    fn wait(&self, reason: &'static str, pause: Duration, ramp: Ramp) -> Disposition {
        if pause <= self.terms.wait_max {
            return Disposition::Wait { reason, pause, ramp };
        }
        Disposition::Stop { reason: "wait_too_long", stop: Stop::Quota(too_long(self.terms.model, pause)) }
    }

    fn retry(&self, reason: &'static str) -> Disposition {
        Disposition::Retry { reason, floor: self.floor(), signal: Signal::Failure }
    }

    /// One call's bad luck: it backs off, and neither the limit nor the breaker hears of it.
    fn overloaded(&self) -> Disposition {
        Disposition::Retry { reason: "overloaded", floor: self.floor(), signal: Signal::Unlucky }
    }

    fn redirected(&self) -> Disposition {
        let location = self.response.header("location").unwrap_or_default();
        let host = reqwest::Url::parse(location).ok().and_then(|url| url.host_str().map(str::to_owned));
        let message = match host {
            Some(host) => {
                format!("the server redirects to {host}; the key is not sent there, correct the base URL")
            }
            None => "the server redirects; the key is not sent elsewhere, correct the base URL".to_owned(),
        };
        Disposition::Stop { reason: "redirect", stop: Stop::Refused(masked(&message)) }
    }

    fn parameter_refused(&self, sentence: &str, error: &ErrorBody, parameter: Parameter) -> Disposition {
        let why = self.sentence(sentence, error);
        let stop = match parameter {
            Parameter::Other => Stop::Unusable(why),
            _ => Stop::ParameterRefused { parameter, why },
        };
        Disposition::Stop { reason: "parameter", stop }
    }

    fn stop(
        &self,
        reason: &'static str,
        kind: fn(String) -> Stop,
        sentence: &str,
        error: &ErrorBody,
    ) -> Disposition {
        Disposition::Stop { reason, stop: kind(self.sentence(sentence, error)) }
    }

    fn sentence(&self, sentence: &str, error: &ErrorBody) -> String {
        let status = self.response.status;
        match detail(error) {
            said if said.is_empty() => format!("{sentence} (HTTP {status})"),
            said => format!("{sentence} (HTTP {status}): {said}"),
        }
    }

    /// The wait that the server asks for explicitly, at most the cap.
    fn floor(&self) -> Option<Duration> {
        let wait = retry_after(self.response, self.terms.received_unix_ms)?;
        Some(wait.min(self.terms.wait_max))
    }

    fn hint(&self) -> Option<Duration> {
        match self.wait_hint() {
            WaitHint::Stated(wait) => Some(wait),
            WaitHint::Mentioned(_) | WaitHint::Absent => None,
        }
    }

    fn wait_hint(&self) -> WaitHint {
        let error: Option<&Json> = match &self.body {
            BodyText::Json(value) => Some(value),
            _ => None,
        };
        wait_hint(self.response, error, self.terms.received_unix_ms)
    }
}

/// Whether a request asks for more than the limit allows in its whole period. "Used" in the message means
/// that it was only too much for now.
fn larger_than_limit(error: &ErrorBody) -> bool {
    let message = error.message.to_ascii_lowercase();
    let leading_number = |text: &str| {
        let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        digits.replace(',', "").parse::<u64>().ok()
    };
    let number_after = |word: &str| {
        message
            .match_indices(word)
            .find_map(|(at, _)| leading_number(message[at + word.len()..].trim_start()))
    };
    match (number_after("limit"), number_after("requested")) {
        (Some(limit), Some(requested)) => requested > limit,
        _ => message.contains("request too large"),
    }
}

fn overloaded(floor: Option<Duration>) -> Disposition {
    Disposition::Retry { reason: "rate_limited", floor, signal: Signal::Limited(Ramp::Normal) }
}

fn invalid(reason: &'static str, error: &ErrorBody) -> Disposition {
    Disposition::Invalid { reason, detail: detail(error) }
}

/// The server's message and the counts beside it, fit to be shown.
fn detail(error: &ErrorBody) -> String {
    let counts: Vec<String> = error.counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    // Of a list of refused fields the message is that of one, without its name.
    let unnamed: Vec<&str> =
        error.params.iter().map(String::as_str).filter(|param| !error.message.contains(param)).collect();
    let lead = if unnamed.is_empty() { String::new() } else { format!("{}: ", unnamed.join(", ")) };
    let said = lead + &error.message;
    let text = match (said.is_empty(), counts.is_empty()) {
        (_, true) => said,
        (true, false) => counts.join(", "),
        (false, false) => format!("{said} ({})", counts.join(", ")),
    };
    masked(&text)
}

/// A sentence about a limit that resets too late to wait for.
pub(super) fn too_long(model: &str, pause: Duration) -> String {
    format!("the limit of {model} resets in {}", rounded(pause))
}

/// A wait in the largest unit that fits, rounded up.
fn rounded(wait: Duration) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds.div_ceil(60)),
        7200..=259_199 => format!("{} h", seconds.div_ceil(3600)),
        _ => format!("{} days", seconds.div_ceil(86_400)),
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
