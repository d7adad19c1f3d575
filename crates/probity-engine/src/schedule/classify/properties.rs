//! Sentences about the classifier that hold for whatever a server sends.

use std::time::Duration;

use probity_core::json::Json;
use proptest::prelude::*;

use super::{CallTerms, Disposition, classify, preemptive_wait};
use crate::judge::{CallOutcome, Response};
use crate::schedule::retry_after::WAIT_MIN;

/// Headers that the classifier reads, and one that it does not.
const NAMES: &[&str] = &[
    "retry-after",
    "retry-after-ms",
    "date",
    "x-should-retry",
    "x-ratelimit-reset-requests",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-reset",
    "anthropic-ratelimit-tokens-reset",
    "anthropic-ratelimit-tokens-remaining",
    "location",
    "server",
];

fn header_value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::sample::select(vec!["0", "1", "7", "true", "false", "86400", "99999999", "1m30s", "-1", "1e9"])
            .prop_map(str::to_owned),
        "[0-9]{1,20}(\\.[0-9]{1,12})?",
        "([0-9]{1,12}(ms|s|m|h)){1,4}",
        "(Sun|Mon), [0-9]{2} (Mar|Feb) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT",
        "https?://[a-z]{1,9}\\.example/[a-z]{0,4}",
    ]
}

fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop::sample::select(NAMES).prop_map(str::to_owned);
    prop::collection::vec((name, header_value()), 0..6)
}

/// Any bytes, or an error as services write them with names and sentences that mean something here.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let word = || {
        prop::sample::select(vec![
            "insufficient_quota",
            "rate_limit_exceeded",
            "slow_down",
            "overloaded_error",
            "context_length_exceeded",
            "model_not_found",
            "invalid_api_key",
            "content_filter",
            "unsupported_parameter",
            "response_format is not supported",
            "Please retry in 52.4s",
            "Request too large: Limit 10, Requested 200",
            "credit balance is too low",
            "5m",
        ])
    };
    let member = ("(code|type|message|status|param|retryDelay|detail)", word());
    let object = prop::collection::btree_map(member.0, member.1, 0..4);
    let error = object.prop_map(|members| {
        let members = members.into_iter().map(|(key, value)| (key, Json::text(value)));
        Json::object([("error", Json::object(members))]).canonical().into_bytes()
    });
    let events = error.clone().prop_map(|body| [b"data: ", &body[..], b"\n\n"].concat());
    prop_oneof![
        any::<Vec<u8>>(),
        error,
        events,
        Just(b"<!doctype html>".to_vec()),
        Just(b"{\"id\":".to_vec())
    ]
}

fn completion_of(content: &str, finish: Option<&str>) -> Vec<u8> {
    let finish = finish.map_or(Json::Null, Json::text);
    let message = Json::object([("role", Json::text("assistant")), ("content", Json::text(content))]);
    let choice = Json::object([("index", Json::int(0)), ("message", message), ("finish_reason", finish)]);
    Json::object([("id", Json::text("c1")), ("choices", Json::Array(vec![choice]))]).canonical().into_bytes()
}

/// A body that carries an answer, in either dialect.
fn answer() -> impl Strategy<Value = Vec<u8>> {
    let finish = prop::sample::select(vec![None, Some("stop"), Some("length"), Some("content_filter")]);
    let chat = (any::<String>(), finish).prop_map(|(content, finish)| completion_of(&content, finish));
    let messages = any::<String>().prop_map(|text| {
        let block = Json::object([("type", Json::text("text")), ("text", Json::text(text))]);
        let members = [("content", Json::Array(vec![block])), ("stop_reason", Json::text("end_turn"))];
        Json::object(members).canonical().into_bytes()
    });
    prop_oneof![chat, messages]
}

fn classified(response: Response, wait_max: Duration, clock: Option<i64>) -> Option<Disposition> {
    let terms = CallTerms { model: "m-1", wait_max, received_unix_ms: clock };
    classify(&CallOutcome::Response(response), &terms).err()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Any response has a disposition; only a success can be an answer, and no wait is above the cap.
    #[test]
    fn f05_any_response_has_a_disposition(
        status in any::<u16>(),
        headers in headers(),
        body in body(),
        wait_ms_max in 1_000_u64..10_000_000,
        clock in prop::option::of(any::<i64>()),
    ) {
        let wait_max = Duration::from_millis(wait_ms_max);
        match classified(Response { status, headers, body }, wait_max, clock) {
            None => prop_assert!((200..300).contains(&status)),
            Some(Disposition::Wait { pause, .. }) => prop_assert!(WAIT_MIN <= pause && pause <= wait_max),
            Some(Disposition::Retry { floor, .. }) => {
                prop_assert!(floor.is_none_or(|floor| WAIT_MIN <= floor && floor <= wait_max));
            }
            Some(Disposition::Stop { stop, .. }) => prop_assert!(!stop.message().is_empty()),
            Some(Disposition::Damaged { .. } | Disposition::Invalid { .. } | Disposition::GiveUp { .. }) => {}
        }
    }

    /// A success with a body that can be read is handed on, whatever its headers say about limits.
    #[test]
    fn f15_a_success_with_an_answer_is_an_answer(
        status in 200_u16..300,
        headers in headers(),
        body in answer(),
        clock in prop::option::of(any::<i64>()),
    ) {
        let response = Response { status, headers, body };
        let held_back = preemptive_wait(&response);
        prop_assert!(held_back.is_none_or(|wait| wait >= WAIT_MIN));
        prop_assert_eq!(classified(response, super::WAIT_MAX_DEFAULT, clock), None);
    }

    /// A server that wants no second call gets none: neither a wait nor a retry is left.
    #[test]
    fn f21_a_server_that_forbids_retries_is_obeyed(status in 300_u16..600, mut headers in headers(), body in body()) {
        headers.retain(|(name, _)| name != "x-should-retry");
        headers.push(("x-should-retry".to_owned(), "false".to_owned()));
        let got = classified(Response { status, headers, body }, super::WAIT_MAX_DEFAULT, None);
        prop_assert!(!matches!(got, Some(Disposition::Retry { .. } | Disposition::Wait { .. })), "{:?}", got);
    }
}
