//! The fault table, row by row.

use std::time::Duration;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{Billing, CallTerms, Disposition, WAIT_MAX_DEFAULT, billing, classify, preemptive_wait, rounded};
use crate::dialect::Parameter;
use crate::judge::{CallOutcome, Response, TransportFault};
use crate::schedule::lane::Stop;

const TERMS: CallTerms<'_> =
    CallTerms { model: "m-1", wait_max: WAIT_MAX_DEFAULT, received_unix_ms: Some(1_772_366_400_000) };

fn response(status: u16, headers: &[(&str, &str)], body: &[u8]) -> CallOutcome {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    CallOutcome::Response(Response { status, headers, body: body.to_vec() })
}

fn broken(fault: TransportFault) -> CallOutcome {
    CallOutcome::Broken { fault, partial: b"{\"score\": 5".to_vec() }
}

fn summary(outcome: &CallOutcome) -> String {
    let Err(disposition) = classify(outcome, &TERMS) else { return "answer".to_owned() };
    match disposition {
        Disposition::Retry { reason, floor: None, signal } => format!("retry {reason} {signal:?}"),
        Disposition::Retry { reason, floor: Some(floor), signal } => {
            format!("retry {reason} {signal:?} after {floor:?}")
        }
        Disposition::Wait { reason, pause, ramp } => format!("wait {reason} {pause:?} {ramp:?}"),
        Disposition::Damaged { .. } => "damaged".to_owned(),
        Disposition::GiveUp { reason, detail } => format!("give up {reason}: {detail}"),
        Disposition::Invalid { reason, detail } => format!("invalid {reason}: {detail}"),
        Disposition::Stop { reason, stop } => format!("stop {reason}: {}", stop.message()),
    }
}

#[track_caller]
fn check(status: u16, headers: &[(&str, &str)], body: &str, want: &Expect) {
    want.assert_eq(&summary(&response(status, headers, body.as_bytes())));
}

#[track_caller]
fn check_error(status: u16, error: &str, want: &Expect) {
    check(status, &[], &format!("{{\"error\":{error}}}"), want);
}

#[track_caller]
fn check_fault(fault: TransportFault, billed: Billing, want: &Expect) {
    let outcome = broken(fault);
    assert_eq!(billing(&outcome), billed);
    want.assert_eq(&summary(&outcome));
}

const HTML: &str = "<!DOCTYPE html><h1>502</h1> score: 5, retry in 9s";

#[test]
fn f01_retry_after_pauses_the_lane() {
    check(429, &[("retry-after", "7")], "", &expect!["wait rate_limited 7s Normal"]);
}

#[test]
fn f02_http_date() {
    let date = ("date", "Sun, 01 Mar 2026 12:00:00 GMT");
    let until = |text| [date, ("retry-after", text)];
    check(429, &until("Sun, 01 Mar 2026 12:00:09 GMT"), "", &expect!["wait rate_limited 9s Normal"]);
    check(429, &until("Sun, 01 Mar 2026 11:59:00 GMT"), "", &expect!["wait rate_limited 50ms Normal"]);
    check(429, &until("Mon, 01 Mar 2100 12:00:00 GMT"), "", &expect!["retry rate_limited Limited(Normal)"]);
}

#[test]
fn f03_milliseconds_win() {
    let both = [("retry-after", "1"), ("retry-after-ms", "350")];
    check(429, &both, "", &expect!["wait rate_limited 350ms Normal"]);
}

#[test]
fn f04_zero_is_still_a_limit() {
    check(429, &[("retry-after", "0")], "", &expect!["wait rate_limited 50ms Normal"]);
}

#[test]
fn f05_nonsense_means_own_backoff() {
    for text in ["-5", "abc", "NaN", "1e309", ""] {
        check(429, &[("retry-after", text)], "", &expect!["retry rate_limited Limited(Normal)"]);
    }
}

#[test]
fn f06_a_day_stops_the_lane() {
    let want = expect!["stop wait_too_long: the limit of m-1 resets in 24 h"];
    check(429, &[("retry-after", "86400")], "", &want);
    check(429, &[("retry-after", "120")], "", &expect!["wait rate_limited 120s Normal"]);
}

#[test]
fn f07_no_header() {
    check(429, &[], "", &expect!["retry rate_limited Limited(Normal)"]);
}

#[test]
fn f08_reset_headers() {
    check(429, &[("x-ratelimit-reset-requests", "1m30s")], "", &expect!["wait rate_limited 90s Normal"]);
    check(
        429,
        &[("x-ratelimit-reset-requests", "6m0s")],
        "",
        &expect!["stop wait_too_long: the limit of m-1 resets in 6 min"],
    );
}

#[test]
fn f09_delay_in_the_body() {
    check_error(429, r#"{"details":[{"retryDelay":"52s"}]}"#, &expect!["wait rate_limited 52s Normal"]);
    check_error(
        429,
        r#"{"message":"Please retry in 52.4s"}"#,
        &expect!["retry rate_limited Limited(Normal) after 52.4s"],
    );
    check_error(
        429,
        r#"{"message":"Please retry in 3h"}"#,
        &expect!["retry rate_limited Limited(Normal) after 120s"],
    );
}

#[test]
fn f10_insufficient_quota() {
    let error = r#"{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}"#;
    let want = expect![
        "stop quota: the account has no quota or credit left (HTTP 429): You exceeded your current quota"
    ];
    check_error(429, error, &want);
}

#[test]
fn f11_other_names_for_no_money() {
    for code in [
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    ] {
        let want = expect!["stop quota: the account has no quota or credit left (HTTP 429)"];
        check_error(429, &format!("{{\"code\":\"{code}\"}}"), &want);
    }
    check_error(
        400,
        r#"{"type":"invalid_request_error","message":"Your credit balance is too low"}"#,
        &expect![
            "stop quota: the account has no quota or credit left (HTTP 400): Your credit balance is too low"
        ],
    );
    check(402, &[], "", &expect!["stop quota: the account has no quota or credit left (HTTP 402)"]);
}

#[test]
fn f12_a_sentence_about_quota_is_no_quota() {
    let error = r#"{"message":"INSUFFICIENT QUOTA for this second: insufficient_quota","code":"rate_limit_exceeded"}"#;
    check_error(429, error, &expect!["retry rate_limited Limited(Normal)"]);
}

#[test]
fn f13_slow_down() {
    for status in [429, 503] {
        check_error(status, r#"{"code":"slow_down"}"#, &expect!["wait slow_down 15s Slow"]);
    }
    let told = [("retry-after", "3")];
    check(503, &told, r#"{"error":{"type":"slow_down"}}"#, &expect!["wait slow_down 3s Slow"]);
}

#[test]
fn f14_request_larger_than_the_whole_limit() {
    check_error(
        429,
        r#"{"code":"rate_limit_exceeded","message":"Request too large for m on tokens per min (TPM): Limit 10,000, Requested 12000."}"#,
        &expect![
            "invalid too_large_for_limit: Request too large for m on tokens per min (TPM): Limit 10,000, Requested 12000."
        ],
    );
    check_error(
        429,
        r#"{"code":"rate_limit_exceeded","message":"Rate limit reached for m: Limit 10000, Used 9000, Requested 2000. Please try again in 6s."}"#,
        &expect!["retry rate_limited Limited(Normal) after 6s"],
    );
}

#[test]
fn f15_success_that_used_up_the_limit() {
    let headers = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "4s")];
    let CallOutcome::Response(success) = response(200, &headers, b"{}") else { unreachable!() };
    assert_eq!(preemptive_wait(&success), Some(Duration::from_secs(4)));
    assert_eq!(preemptive_wait(&Response { status: 429, ..success }), None);
    check(200, &headers, "{}", &expect!["answer"]);
}

#[test]
fn f16_server_error() {
    check(500, &[], "", &expect!["retry server_error Failure"]);
}

#[test]
fn f17_html_from_a_proxy() {
    for status in [502, 503, 504] {
        check(status, &[("content-type", "text/html")], HTML, &expect!["retry server_error Failure"]);
    }
    check(429, &[], HTML, &expect!["retry rate_limited Limited(Normal)"]);
    check(200, &[("content-type", "text/html")], HTML, &expect!["damaged"]);
}

#[test]
fn f18_overloaded() {
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    check(529, &[], body, &expect!["retry overloaded Unlucky"]);
}

#[test]
fn f19_unavailable_with_a_time() {
    check(503, &[("retry-after", "9")], HTML, &expect!["wait rate_limited 9s Normal"]);
}

#[test]
fn f20_try_again() {
    for status in [408, 409, 425] {
        check(status, &[], "", &expect!["retry try_again Failure"]);
    }
}

#[test]
fn f21_should_retry_is_obeyed() {
    let no = [("x-should-retry", "false")];
    check(500, &no, "", &expect!["give up retry_forbidden: server_error"]);
    let yes = [("x-should-retry", "true")];
    check(400, &yes, "", &expect!["retry retry_requested Failure"]);
    check(401, &yes, "", &expect!["stop credentials: the server does not accept the key (HTTP 401)"]);
}

#[test]
fn f22_context_length_with_counts() {
    check_error(
        400,
        r#"{"code":"context_length_exceeded","message":"maximum context length is 8192 tokens, however you requested 9001 tokens"}"#,
        &expect![
            "invalid context_length: maximum context length is 8192 tokens, however you requested 9001 tokens"
        ],
    );
    check_error(
        400,
        r#"{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size","n_prompt_tokens":9001,"n_ctx":8192}"#,
        &expect![
            "invalid context_length: the request exceeds the available context size (n_prompt_tokens 9001, n_ctx 8192)"
        ],
    );
    check_error(
        400,
        r#"{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}"#,
        &expect!["invalid context_length: prompt is too long: 210000 tokens > 200000 maximum"],
    );
}

#[test]
fn f23_unsupported_parameter() {
    check_error(
        400,
        r#"{"code":"unsupported_parameter","param":"max_tokens","message":"Use 'max_completion_tokens' instead."}"#,
        &expect![
            "stop parameter: the server does not take a parameter of the request (HTTP 400): max_tokens: Use 'max_completion_tokens' instead."
        ],
    );
    for message in [
        "Unrecognized request argument supplied: reasoning_effort",
        "'temperature' does not support 0.0 with this model",
        "logprobs: Extra inputs are not permitted",
    ] {
        let outcome = response(400, &[], format!("{{\"message\":\"{message}\"}}").as_bytes());
        let disposition = classify(&outcome, &TERMS);
        let is_refused =
            matches!(&disposition, Err(Disposition::Stop { stop: Stop::ParameterRefused { .. }, .. }));
        assert!(is_refused, "{message}: {disposition:?}");
    }
    check_error(
        400,
        r#"{"message":"messages: malformed"}"#,
        &expect!["give up bad_request: messages: malformed"],
    );
}

#[test]
fn f23_structured_output_refused() {
    for error in [
        r#"{"param":"response_format","message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."}"#,
        r#"{"message":"This response_format type is unavailable now"}"#,
        r#"{"code":"unsupported_value","param":"response_format.type","message":""}"#,
        r#"{"message":"Unknown name json_schema"}"#,
    ] {
        let outcome = response(400, &[], format!("{{\"error\":{error}}}").as_bytes());
        let disposition = classify(&outcome, &TERMS);
        let Err(Disposition::Stop { stop: Stop::ParameterRefused { parameter, .. }, .. }) = disposition
        else {
            panic!("{error}")
        };
        assert_eq!(parameter, Parameter::Structured);
    }
}

#[test]
fn f24_credentials() {
    check_error(
        401,
        r#"{"code":"invalid_api_key","message":"Incorrect API key provided: sk-CANARY0123456789."}"#,
        &expect![
            "stop credentials: the server does not accept the key (HTTP 401): Incorrect API key provided: [key]."
        ],
    );
    check_error(
        403,
        r#"{"message":"Country, region, or territory not supported"}"#,
        &expect![
            "stop credentials: the server does not accept the key (HTTP 403): Country, region, or territory not supported"
        ],
    );
}

#[test]
fn f25_model_not_found() {
    check_error(
        404,
        r#"{"code":"model_not_found","message":"no such model"}"#,
        &expect![[r#"stop model: the server has no model "m-1" at this address (HTTP 404): no such model"#]],
    );
    check(
        410,
        &[],
        "",
        &expect![[r#"stop model: the server has no model "m-1" at this address (HTTP 410)"#]],
    );
}

#[test]
fn f26_request_too_large() {
    for status in [413, 414, 431] {
        check(status, &[], "", &expect!["invalid request_too_large: "]);
    }
}

#[test]
fn f27_schema_rejected() {
    check(
        422,
        &[],
        r#"{"detail":[{"loc":["body","response_format"],"msg":"bad"}]}"#,
        &expect![
            "stop parameter: the server does not accept the request's schema (HTTP 422): response_format: bad"
        ],
    );
}

#[test]
fn f28_redirect() {
    check(
        307,
        &[("location", "https://user:pw@evil.example/v1?key=sk-1")],
        "",
        &expect![
            "stop redirect: the server redirects to evil.example; the key is not sent there, correct the base URL"
        ],
    );
    check(
        302,
        &[],
        "",
        &expect!["stop redirect: the server redirects; the key is not sent elsewhere, correct the base URL"],
    );
}

#[test]
fn f29_no_connection() {
    let refused = TransportFault::Connect("connection refused".into());
    check_fault(refused, Billing::No, &expect!["retry connect Failure"]);
}

#[test]
fn f30_f31_lost_connections_may_be_billed() {
    let lost = TransportFault::Lost("reset".into());
    check_fault(lost, Billing::Maybe, &expect!["retry connection_lost Failure"]);
}

#[test]
fn f32_a_refused_stream_costs_the_item_nothing() {
    let refused = TransportFault::Refused("GOAWAY".into());
    check_fault(refused, Billing::No, &expect!["retry stream_refused Declined"]);
}

#[test]
fn f33_certificate() {
    check_fault(
        TransportFault::Tls("expired".into()),
        Billing::No,
        &expect!["stop certificate: the server's certificate was not accepted: expired"],
    );
}

#[test]
fn f34_to_f37_clocks() {
    let t = Duration::from_secs(1);
    let clock = |fault, billed, want| check_fault(fault, billed, want);
    clock(TransportFault::ConnectTimeout(t), Billing::No, &expect!["retry connect_timeout Failure"]);
    clock(TransportFault::FirstByteTimeout(t), Billing::Maybe, &expect!["retry first_byte_timeout Failure"]);
    clock(TransportFault::IdleTimeout(t), Billing::Maybe, &expect!["retry idle_timeout Failure"]);
    clock(TransportFault::TotalTimeout(t), Billing::Maybe, &expect!["retry total_timeout Failure"]);
}

const EVENTS: &[(&str, &str)] = &[("content-type", "text/event-stream; charset=utf-8")];

#[test]
fn f38_a_finished_stream_is_an_answer() {
    check(200, EVENTS, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", &expect!["answer"]);
    check(200, EVENTS, "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n", &expect!["answer"]);
    check(200, EVENTS, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", &expect!["answer"]);
}

#[test]
fn f39_a_stream_that_just_ends() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"5\"},\"finish_reason\":null}]}\n\n";
    check(200, EVENTS, body, &expect!["retry truncated_stream Failure"]);
}

#[test]
fn f40_errors_inside_a_success() {
    check_error(200, r#"{"code":429,"message":"slow"}"#, &expect!["retry rate_limited Limited(Normal)"]);
    check_error(200, r#"{"type":"overloaded_error"}"#, &expect!["retry overloaded Unlucky"]);
    check_error(
        200,
        r#"{"code":"insufficient_quota"}"#,
        &expect!["stop quota: the account has no quota or credit left (HTTP 200)"],
    );
    check_error(200, r#""upstream failed""#, &expect!["retry server_error Failure"]);
    check_error(200, "null", &expect!["answer"]);
    let stream = "data: {\"error\":{\"type\":\"rate_limit_error\"}}\n\ndata: [DONE]\n\n";
    check(200, EVENTS, stream, &expect!["retry rate_limited Limited(Normal)"]);
}

#[test]
fn f40_a_verdict_about_an_error_is_no_error() {
    check(200, &[], r#"{"score":4,"reasoning":"ok","error":"none"}"#, &expect!["answer"]);
    check(200, &[], "not json at all", &expect!["answer"]);
}

#[test]
fn f41_too_large() {
    check_fault(
        TransportFault::TooLarge(9),
        Billing::Maybe,
        &expect!["invalid too_large: the response is larger than 9 bytes"],
    );
}

#[test]
fn f42_damaged_bodies() {
    let damaged = TransportFault::BadBody("chunk".into());
    check_fault(damaged, Billing::Maybe, &expect!["damaged"]);
    let invalid_utf8 = response(200, &[], b"{\"score\": \"\xff\"}");
    assert_eq!(summary(&invalid_utf8), "damaged");
    check(200, &[("content-type", "application/json")], "{\"cut", &expect!["damaged"]);
}

#[test]
fn g13_only_a_success_is_billed() {
    for (status, billed) in [(200, Billing::Yes), (299, Billing::Yes), (199, Billing::No), (300, Billing::No)]
    {
        assert_eq!(billing(&response(status, &[], b"")), billed, "{status}");
    }
}

#[test]
fn f06_waits_are_told_in_the_unit_that_fits() {
    let seconds = [(0, "0 s"), (119, "119 s"), (120, "2 min"), (121, "3 min"), (7199, "120 min")];
    let longer = [(7200, "2 h"), (7201, "3 h"), (259_199, "72 h"), (259_200, "3 days"), (259_201, "4 days")];
    for (wait, told) in seconds.into_iter().chain(longer) {
        assert_eq!(rounded(Duration::from_secs(wait)), told);
    }
    assert_eq!(rounded(Duration::from_millis(1)), "1 s");
    assert_eq!(rounded(Duration::from_millis(119_001)), "2 min");
}

#[test]
fn f14_only_more_than_the_limit_is_larger() {
    let want = expect!["retry rate_limited Limited(Normal)"];
    check_error(429, r#"{"message":"Limit 2000, Requested 2000"}"#, &want);
    check_error(429, r#"{"message":"Request too large for now: Limit 10000, Requested 2000"}"#, &want);
    check_error(
        429,
        r#"{"message":"Rate limit reached: Limit 10,000, Requested 10,500."}"#,
        &expect!["invalid too_large_for_limit: Rate limit reached: Limit 10,000, Requested 10,500."],
    );
}

#[test]
fn f17_a_page_is_told_by_its_type_or_its_first_characters() {
    check(200, &[], HTML, &expect!["damaged"]);
    check(200, &[("content-type", "text/html")], "Welcome", &expect!["damaged"]);
}

#[test]
fn f18_overloaded_by_status_or_by_name() {
    let want = expect!["retry overloaded Unlucky"];
    check(529, &[], "", &want);
    check_error(500, r#"{"type":"overloaded_error"}"#, &want);
    // The flex tier has no room.
    check_error(429, r#"{"message":"Resource Unavailable","type":"resource_unavailable"}"#, &want);
    check_error(498, r#"{"message":"over capacity","code":"capacity_exceeded"}"#, &want);
}

#[test]
fn f23_neither_a_parameter_nor_a_complaint_alone_is_a_refused_parameter() {
    check_error(400, r#"{"message":"unknown role"}"#, &expect!["give up bad_request: unknown role"]);
    check_error(400, r#"{"message":"tools: malformed"}"#, &expect!["give up bad_request: tools: malformed"]);
}

#[test]
fn f40_an_error_that_is_a_string_is_its_message() {
    check_error(400, r#""no such thing""#, &expect!["give up bad_request: no such thing"]);
    check_error(200, r#""""#, &expect!["answer"]);
}

#[test]
fn f40_a_refusal_may_be_a_stream() {
    check(
        429,
        EVENTS,
        "data: {\"error\":{\"code\":\"insufficient_quota\"}}\n\n",
        &expect!["stop quota: the account has no quota or credit left (HTTP 429)"],
    );
}

#[test]
fn f42_only_cut_json_that_says_it_is_json_is_damaged() {
    check(200, &[], "{\"cut", &expect!["answer"]);
    check(200, &[("content-type", "application/json")], "no JSON", &expect!["answer"]);
}

proptest! {
    /// No failure becomes an answer, and no server text makes classification panic or shows a key.
    #[test]
    fn f05_any_refusal_is_classified(
        status in 300u16..700,
        body in prop_oneof![any::<Vec<u8>>(), "\\{\"error\":\\{\"(code|type|message)\":\"[ -!#-\\[\\]-~]{0,40} sk-CANARY0123456789abc\"\\}\\}".prop_map(String::into_bytes)],
        wait in prop::option::of(any::<String>()),
    ) {
        let header = wait.as_deref().map(|text| ("retry-after", text));
        let headers: Vec<(&str, &str)> = header.into_iter().collect();
        let outcome = response(status, &headers, &body);
        let disposition = classify(&outcome, &TERMS);
        prop_assert!(disposition.is_err());
        let shown = format!("{disposition:?}");
        prop_assert!(!shown.contains("CANARY"), "{}", shown);
        if let Err(Disposition::Wait { pause, .. }) = disposition {
            prop_assert!(pause <= TERMS.wait_max);
        }
    }
}
