//! When a server says to come back: the many ways in which one is told to wait.
//!
//! Reads headers and error bodies, and nothing else: it keeps no clock, does not sleep and does not decide
//! whether waiting is worth it. A point in time is turned into a duration at once, against the response's
//! own `Date`, so a wrong or jumping local clock cannot lengthen a wait. Whatever stands in a header,
//! reading it neither panics nor overflows, and nothing longer than a year is believed.

use std::time::Duration;

use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};
use probity_core::json::Json;

use crate::judge::Response;

/// The shortest wait a server can ask for, so that "retry at once" is never a hot loop.
pub const WAIT_MIN: Duration = Duration::from_millis(50);

/// Waits beyond this are mistakes, not instructions.
const WAIT_BELIEVED_MAX: Duration = Duration::from_hours(366 * 24);

/// Digits before the point of a number that is believed.
const DIGITS_MAX: usize = 18;

/// The wait when a limit is used up and the server does not say until when.
const EXHAUSTED_PAUSE: Duration = Duration::from_secs(1);

/// What a response says about waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitHint {
    /// Nothing that can be read.
    Absent,
    /// A header or a field says how long; it binds everyone who shares the limit.
    Stated(Duration),
    /// A sentence in a message says how long; good for this call, not for the whole lane.
    Mentioned(Duration),
}

/// A limit that servers report: what is left of it, and when it is whole again.
struct Limit {
    remaining: &'static str,
    reset: &'static str,
}

/// The limits that headers are known to report.
const LIMITS: &[Limit] = &[
    Limit { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
    Limit { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
    Limit { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" },
    Limit {
        remaining: "anthropic-ratelimit-requests-remaining",
        reset: "anthropic-ratelimit-requests-reset",
    },
    Limit { remaining: "anthropic-ratelimit-tokens-remaining", reset: "anthropic-ratelimit-tokens-reset" },
    Limit {
        remaining: "anthropic-ratelimit-input-tokens-remaining",
        reset: "anthropic-ratelimit-input-tokens-reset",
    },
    Limit {
        remaining: "anthropic-ratelimit-output-tokens-remaining",
        reset: "anthropic-ratelimit-output-tokens-reset",
    },
];

/// What a refusal says about waiting: explicit headers first, then limits that are used up, then the error
/// body (`error`, already parsed), then its wording. `received_unix_ms` stands in for a missing `Date`.
pub fn wait_hint(response: &Response, error: Option<&Json>, received_unix_ms: Option<i64>) -> WaitHint {
    let now = now(response, received_unix_ms);
    let stated = explicit(response, now)
        .or_else(|| longest_reset(response, now, Remaining::ZeroOrUnstated))
        .or_else(|| error.and_then(retry_delay));
    match stated {
        Some(wait) => WaitHint::Stated(wait.max(WAIT_MIN)),
        None => match error.and_then(message).and_then(mentioned) {
            Some(wait) => WaitHint::Mentioned(wait.max(WAIT_MIN)),
            None => WaitHint::Absent,
        },
    }
}

/// The wait that `retry-after-ms` or `retry-after` asks for, and no other header.
pub fn retry_after(response: &Response, received_unix_ms: Option<i64>) -> Option<Duration> {
    explicit(response, now(response, received_unix_ms)).map(|wait| wait.max(WAIT_MIN))
}

/// How long to hold back after a success that used up a limit, so that no refusal is provoked.
pub(crate) fn exhausted_wait(response: &Response) -> Option<Duration> {
    let used_up = |limit: &Limit| is_zero(response.header(limit.remaining));
    if !LIMITS.iter().any(used_up) {
        return None;
    }
    let reset = longest_reset(response, now(response, None), Remaining::Zero);
    Some(reset.unwrap_or(EXHAUSTED_PAUSE).max(WAIT_MIN))
}

/// What must be known of a limit for its reset to count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remaining {
    /// The server says that nothing is left.
    Zero,
    /// The server says so, or does not say what is left.
    ZeroOrUnstated,
}

fn now(response: &Response, received_unix_ms: Option<i64>) -> Option<i64> {
    response.header("date").and_then(date_ms).or(received_unix_ms)
}

fn explicit(response: &Response, now: Option<i64>) -> Option<Duration> {
    let millis = response.header("retry-after-ms").and_then(|text| decimal(text.trim(), "ms"));
    millis.and_then(believed).or_else(|| {
        let text = response.header("retry-after")?.trim();
        decimal(text, "s").or_else(|| until(date_ms(text)?, now?)).and_then(believed)
    })
}

fn longest_reset(response: &Response, now: Option<i64>, needed: Remaining) -> Option<Duration> {
    let counts = |limit: &&Limit| match response.header(limit.remaining) {
        Some(left) => is_zero(Some(left)),
        None => needed == Remaining::ZeroOrUnstated,
    };
    let resets = LIMITS.iter().filter(counts).filter_map(|limit| reset(response.header(limit.reset)?, now));
    resets.max()
}

fn is_zero(remaining: Option<&str>) -> bool {
    remaining.is_some_and(|text| decimal(text.trim(), "s") == Some(Duration::ZERO))
}

/// A reset as a duration (`1m30s`, `12ms`), a number or a date. A number is seconds to go, or Unix seconds,
/// or Unix milliseconds: the three do not overlap for any wait that is believed.
fn reset(text: &str, now: Option<i64>) -> Option<Duration> {
    let text = text.trim();
    if let Some(number) = decimal(text, "s") {
        let seconds = i64::try_from(number.as_secs()).ok()?;
        return believed(match seconds {
            1_000_000_000_000.. => until(seconds, now?)?,
            1_000_000_000.. => until(seconds.checked_mul(1000)?, now?)?,
            _ => number,
        });
    }
    let wait = compound(text).or_else(|| until(date_ms(text)?, now?));
    wait.and_then(believed)
}

fn believed(wait: Duration) -> Option<Duration> {
    (wait <= WAIT_BELIEVED_MAX).then_some(wait)
}

/// From `now` to `then`, both in Unix milliseconds; the past is no wait.
fn until(then: i64, now: i64) -> Option<Duration> {
    let wait_ms = then.checked_sub(now)?.max(0);
    Some(Duration::from_millis(u64::try_from(wait_ms).ok()?))
}

/// A date as HTTP (RFC 9110) or RFC 3339 writes it, in Unix milliseconds.
fn date_ms(text: &str) -> Option<i64> {
    let text = text.trim();
    let http = || rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok();
    let timestamp = text.parse::<Timestamp>().ok().or_else(http)?;
    Some(timestamp.as_millisecond())
}

/// A plain decimal such as `7` or `0.35`, of this unit. No sign, exponent or name of a number is one.
fn decimal(text: &str, unit: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_plain = is_digits(whole) && is_digits(fraction) && whole.len() <= DIGITS_MAX;
    is_plain.then(|| compound(&format!("{whole}.{fraction:.9}{unit}"))).flatten()
}

/// A sequence such as `1h2m3s` or `12ms`, and nothing after it.
fn compound(text: &str) -> Option<Duration> {
    Duration::try_from(text.parse::<SignedDuration>().ok()?).ok()
}

/// A `retryDelay` field, wherever an error body has it.
fn retry_delay(error: &Json) -> Option<Duration> {
    match error {
        Json::Object(object) => object.iter().find_map(|(key, value)| match value {
            Json::String(text) if key == "retryDelay" => compound(text.trim()).and_then(believed),
            other => retry_delay(other),
        }),
        Json::Array(items) => items.iter().find_map(retry_delay),
        _ => None,
    }
}

fn message(error: &Json) -> Option<&str> {
    match error {
        Json::Array(items) => items.first().and_then(message),
        Json::String(text) => Some(text),
        _ => match error.get("error") {
            Some(inner) => message(inner),
            None => error.get("message").and_then(Json::as_str),
        },
    }
}

/// A wait that a sentence mentions, such as "Please retry in 52.4s" or "Retry after 7 seconds".
fn mentioned(message: &str) -> Option<Duration> {
    let lower = message.to_ascii_lowercase();
    let leads = ["retry in ", "try again in ", "retry after "];
    let after = leads.iter().find_map(|lead| lower.split_once(lead).map(|(_, after)| after))?;
    let word = |word: &str| word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut words = after.split_whitespace().map(word);
    let first = words.next()?;
    let wait = compound(&first).or_else(|| compound(&format!("{first} {}", words.next()?)))?;
    believed(wait)
}

#[cfg(test)]
mod tests;
