//! What adapters put on the wire, and that a key stays out of everything that comes back.

#[path = "support/mod.rs"]
mod support;

use std::time::Duration;

use expect_test::{Expect, expect};
use probity_engine::config::{CallLimits, Config, Layer};
use probity_engine::judge::service::Service;
use probity_engine::judge::{CallOutcome, Reception};
use probity_engine::schedule::classify::{CallTerms, WAIT_MAX_DEFAULT, classify};
use serde_json::json;
use support::{Act, Request, ScriptedServer, http_ok};

const CANARY: &str = "sk-CANARY0123456789abcdef";

/// The service at `path` of the server, as the judge of this kind calls it.
fn service(judge: &str, server: &ScriptedServer, path: &str, key: Option<&str>) -> Service {
    let settings = format!("[judges.{judge}]\nbase_url = '{}'\n", server.url(path));
    let layer = Layer::read("probity.toml", &settings).expect("settings");
    let config = Config::resolve([layer]).expect("a config");
    let chat = config.named_judge(judge).and_then(|judge| judge.chat()).expect("a chat judge");
    let clock = Duration::from_secs(10);
    let limits =
        CallLimits { connect: clock, first_byte: clock, idle: clock, total: clock, body_bytes_max: 4096 };
    Service::of_chat(chat, limits, &|_| key.map(str::to_owned)).expect("a service")
}

fn open_ai(server: &ScriptedServer, key: Option<&str>) -> Service {
    service("openai", server, "/v1/", key)
}

fn anthropic(server: &ScriptedServer) -> Service {
    service("anthropic", server, "", Some(CANARY))
}

#[track_caller]
fn check_request(request: &Request, names: &[&str], want: &Expect) {
    let headers: Vec<String> =
        names.iter().map(|name| format!("{name}: {}", request.header(name).unwrap_or("none"))).collect();
    let body = String::from_utf8_lossy(&request.body);
    want.assert_eq(&format!("{} {}\n{}\n{body}\n", request.method, request.path, headers.join("\n")));
}

fn body_of(reception: &Reception) -> String {
    match &reception.outcome {
        CallOutcome::Response(response) => String::from_utf8_lossy(&response.body).into_owned(),
        CallOutcome::Broken { fault, .. } => format!("broken: {fault}"),
    }
}

#[tokio::test]
async fn chat_completions_on_the_wire() {
    let server = ScriptedServer::always(http_ok("{\"choices\":[]}"));
    let reception = open_ai(&server, Some(CANARY))
        .post(json!({ "model": "m-1", "messages": [] }).to_string().into_bytes(), 0)
        .await;
    assert_eq!(body_of(&reception), "{\"choices\":[]}");
    check_request(
        &server.requests()[0],
        &["content-type", "accept", "accept-encoding", "authorization"],
        &expect![[r#"
            POST /v1/chat/completions
            content-type: application/json
            accept: application/json
            accept-encoding: gzip
            authorization: Bearer sk-CANARY0123456789abcdef
            {"model":"m-1","messages":[]}
        "#]],
    );
}

#[tokio::test]
async fn a_server_of_ones_own_needs_no_key() {
    let server = ScriptedServer::always(http_ok("{}"));
    open_ai(&server, None).post(json!({}).to_string().into_bytes(), 0).await;
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn messages_on_the_wire() {
    let server = ScriptedServer::always(http_ok("{}"));
    anthropic(&server).post(json!({ "model": "c-1" }).to_string().into_bytes(), 0).await;
    check_request(
        &server.requests()[0],
        &["content-type", "anthropic-version", "x-api-key"],
        &expect![[r#"
            POST /v1/messages
            content-type: application/json
            anthropic-version: 2023-06-01
            x-api-key: sk-CANARY0123456789abcdef
            {"model":"c-1"}
        "#]],
    );
}

#[tokio::test]
async fn f24_an_echoed_key_comes_back_from_nowhere() {
    let echo = format!("{{\"error\":{{\"message\":\"bad key {CANARY}\"}}}}");
    let acts = vec![
        Act::respond(401, &[("x-echo", CANARY)], &echo),
        Act::PartialThenReset { promised: 900, sent: echo.clone().into_bytes() },
    ];
    let server = ScriptedServer::sequence(acts);
    let judge = open_ai(&server, Some(CANARY));
    let terms = CallTerms { model: "m-1", wait_max: WAIT_MAX_DEFAULT, received_unix_ms: None };
    for _ in 0..2 {
        let reception = judge.post(json!({}).to_string().into_bytes(), 0).await;
        let disposition = classify(&reception.outcome, &terms);
        let bytes = match &reception.outcome {
            CallOutcome::Response(response) => &response.body,
            CallOutcome::Broken { partial, .. } => partial,
        };
        assert_eq!(String::from_utf8_lossy(bytes), "{\"error\":{\"message\":\"bad key [key]\"}}");
        let shown = format!("{reception:?} {disposition:?} {judge:?} {}", anthropic_debug(&server));
        assert!(!shown.contains("CANARY"), "{shown}");
    }
}

fn anthropic_debug(server: &ScriptedServer) -> String {
    format!("{:?}", anthropic(server))
}

#[tokio::test]
async fn calls_in_flight_are_counted() {
    let slow = Act::After(Duration::from_millis(200), Box::new(http_ok("{}")));
    let server = ScriptedServer::always(slow);
    let judge = open_ai(&server, None);
    let body = json!({});
    let call = || judge.post(body.to_string().into_bytes(), 0);
    tokio::join!(call(), call(), call());
    assert_eq!((server.n_requests(), server.n_open_calls_peak(), server.n_connections()), (3, 3, 3));
}
