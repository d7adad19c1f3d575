//! What servers refuse: per packet, for a while, or for good.

use expect_test::expect;
use probity_engine::schedule::lane::Stop;

use crate::scene::{CANARY, Scene, Terms, check, check_on, check_stop, error, good};
use crate::support::{Act, ScriptedServer, http_ok};

#[tokio::test]
async fn f16_a_server_error_is_asked_again() {
    let server = ScriptedServer::with(|request| match request.number {
        1..=3 => Act::respond(500, &[], "oops"),
        _ => good(),
    });
    let scene = Scene::new(&server, 10, Terms::quick(4));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, server.n_requests()), (10, 13));
    assert_eq!(scene.desk.lane.limit(), 4, "a server error does not shrink concurrency");
}

#[tokio::test]
async fn f16_f17_a_server_error_for_ever_is_given_up_and_not_settled() {
    let driven = check(
        vec![Act::respond(502, &[("content-type", "text/html")], "<h1>5 of 5</h1>")],
        &expect![[r#"
            1 first: 502 server_error "<h1>5 of 5</h1>"
            2 retry:server_error: 502 server_error "<h1>5 of 5</h1>"
            3 retry:server_error: 502 server_error "<h1>5 of 5</h1>"
            4 retry:server_error: 502 server_error "<h1>5 of 5</h1>"
            5 retry:server_error: 502 server_error "<h1>5 of 5</h1>"
            => nothing
        "#]],
    )
    .await;
    assert_eq!(driven.gave_up, 1);
}

#[tokio::test]
async fn f18_overloaded_is_one_calls_bad_luck() {
    let server = ScriptedServer::with(|request| match request.number {
        1 => Act::respond(529, &[], r#"{"type":"error","error":{"type":"overloaded_error"}}"#),
        _ => good(),
    });
    let scene = Scene::new(&server, 4, Terms::quick(4));
    let driven = scene.drive().await;
    let stories = scene.audit(&server, &driven);
    assert!(stories.contains("529 overloaded") && stories.contains("retry:overloaded: 200"), "{stories}");
    assert_eq!((driven.verdicts, scene.desk.lane.limit()), (4, 4));
}

#[tokio::test]
async fn f20_try_again() {
    check(
        vec![Act::respond(408, &[], ""), Act::respond(409, &[], ""), Act::respond(425, &[], ""), good()],
        &expect![[r#"
            1 first: 408 try_again ""
            2 retry:try_again: 409 try_again ""
            3 retry:try_again: 425 try_again ""
            4 retry:try_again: 200 answered 231 bytes
            => verdict
        "#]],
    )
    .await;
}

#[tokio::test]
async fn f21_the_server_says_whether_to_retry() {
    check(
        vec![Act::respond(500, &[("x-should-retry", "false")], ""), good()],
        &expect![[r#"
            1 first: 500 retry_forbidden ""
            => nothing
        "#]],
    )
    .await;
    check(
        vec![error(400, &[("x-should-retry", "true")], "odd", "odd"), good()],
        &expect![[r"
            1 first: 400 retry_requested 65 bytes
            2 retry:retry_requested: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
}

#[tokio::test]
async fn f22_too_long_for_the_model() {
    let message = "maximum context length is 8192 tokens, however you requested 9000 tokens";
    check(
        vec![error(400, &[], "context_length_exceeded", message), good()],
        &expect![[r"
            1 first: 400 context_length 154 bytes
            => unscored context_length: maximum context length is 8192 tokens, however you requested 9000 tokens
        "]],
    )
    .await;
}

#[tokio::test]
async fn f22_a_packet_that_is_unfit_does_not_stop_the_others() {
    let server = ScriptedServer::with(|request| match request.number % 2 {
        0 => error(400, &[], "context_length_exceeded", "too long"),
        _ => good(),
    });
    let scene = Scene::new(&server, 60, Terms::quick(4));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, driven.unscored, driven.stop), (30, 30, None));
}

/// Five packets, one at a time: the third call is refused with `act`, which ends the run and keeps two verdicts.
async fn check_mid_run(act: Act) -> Stop {
    let server = ScriptedServer::with(move |request| if request.number == 2 { act.clone() } else { good() });
    let scene = Scene::new(&server, 5, Terms::quick(1));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, driven.unscored, server.n_requests()), (2, 0, 3));
    driven.stop.expect("stopped")
}

#[tokio::test]
async fn f23_a_parameter_refused_in_the_middle() {
    let body = r#"{"error":{"message":"Unsupported parameter: 'temperature'","param":"temperature","code":"unsupported_parameter"}}"#;
    let stop = check_mid_run(Act::respond(400, &[], body)).await;
    assert!(matches!(&stop, Stop::ParameterRefused { why, .. } if why.contains("temperature")), "{stop:?}");
}

#[tokio::test]
async fn f24_a_key_that_is_not_accepted() {
    let body = format!("Incorrect API key provided: {CANARY}");
    let stop = check_stop(
        error(401, &[], "invalid_api_key", &body),
        &expect![[
            r#"Refused("the server does not accept the key (HTTP 401): Incorrect API key provided: [key]")"#
        ]],
    )
    .await;
    assert!(!format!("{stop:?}").contains("CANARY"));
    check_stop(
        Act::respond(403, &[], "region not allowed"),
        &expect![[r#"Refused("the server does not accept the key (HTTP 403)")"#]],
    )
    .await;
}

#[tokio::test]
async fn f25_a_model_that_is_gone() {
    check_stop(
        error(404, &[], "model_not_found", "The model does not exist"),
        &expect![[
            r#"Unusable("the server has no model \"m-1\" at this address (HTTP 404): The model does not exist")"#
        ]],
    )
    .await;
    let stop = check_mid_run(Act::respond(410, &[], "")).await;
    assert!(matches!(&stop, Stop::Unusable(message) if message.contains("m-1")), "{stop:?}");
}

/// More than any cap of these tests.
fn large() -> String {
    "x".repeat(1_200_000)
}

#[tokio::test]
async fn n13_an_error_stops_the_run_whatever_its_body() {
    let want = expect![[r#"Refused("the server does not accept the key (HTTP 401)")"#]];
    check_stop(error(401, &[], "invalid_api_key", &large()), &want).await;
    let cut = b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 5000\r\n\r\n{}".to_vec();
    check_stop(Act::Raw(cut), &want).await;
}

#[tokio::test]
async fn n13_an_error_waits_and_settles_nothing_whatever_its_body() {
    check(
        vec![Act::respond(429, &[("retry-after", "0")], &large()), good()],
        &expect![[r"
            1 first: 429 rate_limited 65536 bytes
            2 wait:rate_limited: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
    let mut terms = Terms::quick(1);
    terms.pursuit.attempts_max = 2;
    check_on(
        terms,
        vec![Act::respond(429, &[], &large())],
        &expect![[r"
            1 first: 429 rate_limited 65536 bytes
            2 retry:rate_limited: 429 rate_limited 65536 bytes
            3 retry:rate_limited: 429 rate_limited 65536 bytes
            4 retry:rate_limited: 429 rate_limited 65536 bytes
            5 retry:rate_limited: 429 rate_limited 65536 bytes
            6 retry:rate_limited: 429 rate_limited 65536 bytes
            7 retry:rate_limited: 429 rate_limited 65536 bytes
            8 retry:rate_limited: 429 rate_limited 65536 bytes
            => nothing
        "]],
    )
    .await;
}

#[tokio::test]
async fn f26_a_request_that_is_too_large() {
    check(
        vec![Act::respond(413, &[], ""), good()],
        &expect![[r#"
            1 first: 413 request_too_large ""
            => unscored request_too_large
        "#]],
    )
    .await;
}

#[tokio::test]
async fn f28_a_redirect_is_not_followed() {
    let elsewhere = ScriptedServer::always(good());
    let to = elsewhere.url("/v1/chat/completions");
    check_stop(
        Act::respond(307, &[("location", &to)], ""),
        &expect![[
            r#"Refused("the server redirects to 127.0.0.1; the key is not sent there, correct the base URL")"#
        ]],
    )
    .await;
    assert_eq!(elsewhere.n_requests(), 0);
}

#[tokio::test]
async fn f40_an_error_in_a_success_is_the_error_it_names() {
    check_stop(
        http_ok(r#"{"error":{"message":"no money","code":"insufficient_quota"}}"#),
        &expect![[r#"Quota("the account has no quota or credit left (HTTP 200): no money")"#]],
    )
    .await;
    check(
        vec![http_ok(r#"{"error":{"message":"busy","type":"overloaded_error"}}"#), good()],
        &expect![[r"
            1 first: 200 overloaded 54 bytes
            2 retry:overloaded: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
}
