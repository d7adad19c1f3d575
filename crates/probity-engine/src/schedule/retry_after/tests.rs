//! Waits as servers write them, one line per spelling.

use expect_test::{Expect, expect};
use probity_core::json;
use proptest::prelude::*;

use super::{exhausted_wait, wait_hint};
use crate::judge::Response;

/// 2026-03-01T12:00:00Z in milliseconds: what the local clock says in these tests.
const RECEIVED: i64 = 1_772_366_400_000;
const DATE: (&str, &str) = ("date", "Sun, 01 Mar 2026 12:00:00 GMT");

fn response(headers: &[(&str, &str)], body: &str) -> Response {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Response { status: 429, headers, body: body.as_bytes().to_vec() }
}

#[track_caller]
fn check(headers: &[(&str, &str)], want: &Expect) {
    want.assert_eq(&format!("{:?}", wait_hint(&response(headers, ""), None, Some(RECEIVED))));
}

#[track_caller]
fn check_body(body: &str, want: &Expect) {
    let error = json::parse(body).unwrap();
    want.assert_eq(&format!("{:?}", wait_hint(&response(&[], body), Some(&error), Some(RECEIVED))));
}

#[track_caller]
fn check_success(headers: &[(&str, &str)], want: &Expect) {
    want.assert_eq(&format!("{:?}", exhausted_wait(&response(headers, ""))));
}

#[test]
fn f01_seconds() {
    check(&[("retry-after", "7")], &expect!["Stated(7s)"]);
    check(&[("retry-after", " 0.35 ")], &expect!["Stated(350ms)"]);
}

#[test]
fn f02_http_date_against_the_response_date() {
    check(&[DATE, ("retry-after", "Sun, 01 Mar 2026 12:00:09 GMT")], &expect!["Stated(9s)"]);
    check(&[("retry-after", "Sun, 01 Mar 2026 12:00:09 GMT")], &expect!["Stated(9s)"]);
}

#[test]
fn f02_date_in_the_past_is_no_wait() {
    check(&[DATE, ("retry-after", "Sun, 01 Mar 2026 11:00:00 GMT")], &expect!["Stated(50ms)"]);
}

#[test]
fn f02_server_clock_a_day_ahead() {
    let ahead = ("date", "Mon, 02 Mar 2026 12:00:00 GMT");
    check(&[ahead, ("retry-after", "Mon, 02 Mar 2026 12:00:30 GMT")], &expect!["Stated(30s)"]);
}

#[test]
fn f02_more_than_a_year_is_ignored() {
    check(&[DATE, ("retry-after", "Wed, 03 Mar 2027 12:00:00 GMT")], &expect!["Absent"]);
    check(&[("retry-after", "99999999")], &expect!["Absent"]);
}

#[test]
fn f03_milliseconds_win() {
    check(&[("retry-after", "1"), ("retry-after-ms", "350")], &expect!["Stated(350ms)"]);
    check(&[("retry-after", "1"), ("retry-after-ms", "soon")], &expect!["Stated(1s)"]);
}

#[test]
fn f04_zero_is_fifty_milliseconds() {
    check(&[("retry-after", "0")], &expect!["Stated(50ms)"]);
    check(&[("retry-after-ms", "0")], &expect!["Stated(50ms)"]);
}

#[test]
fn f05_what_is_not_a_wait_is_ignored() {
    for text in ["-5", "abc", "NaN", "1e309", "", "inf", "5.", ".5", "5 s later", "99999999999999999999"] {
        check(&[("retry-after", text)], &expect!["Absent"]);
        check(&[("retry-after-ms", text)], &expect!["Absent"]);
    }
}

#[test]
fn f06_a_day_is_read_as_a_day() {
    check(&[("retry-after", "86400")], &expect!["Stated(86400s)"]);
}

#[test]
fn f07_no_header() {
    check(&[("content-type", "application/json")], &expect!["Absent"]);
}

#[test]
fn f08_durations() {
    check(&[("x-ratelimit-reset-requests", "1m30s")], &expect!["Stated(90s)"]);
    check(&[("x-ratelimit-reset-requests", "6m0s")], &expect!["Stated(360s)"]);
    check(&[("x-ratelimit-reset-requests", "120ms")], &expect!["Stated(120ms)"]);
    check(&[("x-ratelimit-reset-requests", "12ms")], &expect!["Stated(50ms)"]);
    check(&[("x-ratelimit-reset-tokens", "1h0m0.5s")], &expect!["Stated(3600.5s)"]);
}

#[test]
fn f08_numbers_and_dates() {
    check(&[("x-ratelimit-reset-requests", "20")], &expect!["Stated(20s)"]);
    check(&[DATE, ("x-ratelimit-reset-requests", "1772366420")], &expect!["Stated(20s)"]);
    check(&[DATE, ("x-ratelimit-reset-requests", "1772366420500")], &expect!["Stated(20.5s)"]);
    check(&[DATE, ("x-ratelimit-reset-requests", "Sun, 01 Mar 2026 12:01:00 GMT")], &expect!["Stated(60s)"]);
    check(&[DATE, ("x-ratelimit-reset-requests", "2026-03-01T12:01:00Z")], &expect!["Stated(60s)"]);
    check(
        &[DATE, ("anthropic-ratelimit-tokens-reset", "2026-03-01T12:00:45+00:00")],
        &expect!["Stated(45s)"],
    );
}

#[test]
fn f08_longest_of_the_exhausted() {
    let both = [("x-ratelimit-reset-requests", "2s"), ("x-ratelimit-reset-tokens", "9s")];
    check(&both, &expect!["Stated(9s)"]);
    let requests_gone =
        [both[0], both[1], ("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-remaining-tokens", "17")];
    check(&requests_gone, &expect!["Stated(2s)"]);
    let nothing_gone = [both[0], ("x-ratelimit-remaining-requests", "5")];
    check(&nothing_gone, &expect!["Absent"]);
}

#[test]
fn f09_structured_delay_in_the_body() {
    check_body(r#"{"error":{"details":[{"retryDelay":"52s"}]}}"#, &expect!["Stated(52s)"]);
    check_body(r#"[{"error":{"details":[{"retryDelay":"52.438s"}]}}]"#, &expect!["Stated(52.438s)"]);
    check_body(r#"{"error":{"details":[{"retryDelay":52}]}}"#, &expect!["Absent"]);
}

#[test]
fn f09_wording_is_a_hint_only() {
    check_body(r#"{"error":{"message":"Please retry in 52.4s."}}"#, &expect!["Mentioned(52.4s)"]);
    check_body(r#"{"error":{"message":"Please try again in 6m0s"}}"#, &expect!["Mentioned(360s)"]);
    check_body(r#"{"error":"Retry after 7 seconds."}"#, &expect!["Mentioned(7s)"]);
    check_body(r#"{"error":"Please try again in 1m2.5s. Visit us."}"#, &expect!["Mentioned(62.5s)"]);
    check_body(r#"{"error":"Retry in 20s, or later"}"#, &expect!["Mentioned(20s)"]);
    check_body(r#"{"error":{"message":"Try again later, 52 people wait"}}"#, &expect!["Absent"]);
}

#[test]
fn f02_a_year_is_believed_and_a_second_more_is_not() {
    check(&[("retry-after", "31622400")], &expect!["Stated(31622400s)"]);
    check(&[("retry-after", "31622401")], &expect!["Absent"]);
}

#[test]
fn f05_zeros_count_nothing_and_a_number_too_large_is_none() {
    check(&[("retry-after", "000000000000000007")], &expect!["Stated(7s)"]);
    check(&[("retry-after", &"9".repeat(39))], &expect!["Absent"]);
}

#[test]
fn f09_only_the_field_made_for_it_states_a_delay() {
    check_body(r#"{"error":{"details":[{"uptime":"52s"}]}}"#, &expect!["Absent"]);
    check_body(r#"[{"error":{"message":"Please retry in 52.4s."}}]"#, &expect!["Mentioned(52.4s)"]);
}

#[test]
fn f15_success_with_nothing_left() {
    let left = |text| ("x-ratelimit-remaining-tokens", text);
    check_success(&[left("0"), ("x-ratelimit-reset-tokens", "4s")], &expect!["Some(4s)"]);
    check_success(&[left("0")], &expect!["Some(1s)"]);
    check_success(&[left("1"), ("x-ratelimit-reset-tokens", "4s")], &expect!["None"]);
    check_success(&[("x-ratelimit-reset-tokens", "4s")], &expect!["None"]);
}

#[test]
fn f43_local_clock_jump_does_not_change_the_wait() {
    let told = response(&[DATE, ("retry-after", "Sun, 01 Mar 2026 12:00:09 GMT")], "");
    let hints: Vec<_> =
        [i64::MIN, 0, RECEIVED, i64::MAX].map(|clock| wait_hint(&told, None, Some(clock))).into();
    assert!(hints.iter().all(|hint| *hint == hints[0]), "{hints:?}");
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[-+0-9.eE]{0,40}",
        "([0-9]{1,25}(ms|s|m|h| ?seconds?)){0,5}",
        "(Sun|Mon), [0-9]{1,2} (Mar|Feb) [0-9]{1,6} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT",
        "[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
    ]
}

proptest! {
    /// Whatever a server writes, reading it ends, and no wait is longer than what is believed.
    #[test]
    fn f05_any_header_is_read_without_panic(
        names in prop::collection::vec(0usize..9, 0..6),
        values in prop::collection::vec(value(), 6),
        clock in prop::option::of(any::<i64>()),
    ) {
        let known = [
            "retry-after", "retry-after-ms", "date", "x-ratelimit-reset-requests", "x-ratelimit-reset-tokens",
            "x-ratelimit-remaining-tokens", "x-ratelimit-reset", "anthropic-ratelimit-tokens-reset",
            "anthropic-ratelimit-tokens-remaining",
        ];
        let headers: Vec<(&str, &str)> =
            names.iter().zip(&values).map(|(name, value)| (known[*name], value.as_str())).collect();
        let told = response(&headers, "");
        let error = json::Json::object([("message", json::Json::text(format!("retry in {}", values[0]))),
            ("retryDelay", json::Json::text(&values[1]))]);
        let hint = wait_hint(&told, Some(&error), clock);
        if let super::WaitHint::Stated(wait) | super::WaitHint::Mentioned(wait) = hint {
            prop_assert!(wait <= super::WAIT_BELIEVED_MAX);
        }
        exhausted_wait(&told);
    }
}
