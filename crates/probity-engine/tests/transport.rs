//! Calls against servers that misbehave: each ends within its clocks, with the fault named.

#[path = "support/mod.rs"]
mod support;
#[path = "support/tls.rs"]
mod tls;

use std::num::NonZeroUsize;
use std::time::Duration;

use expect_test::{Expect, expect};
use probity_engine::judge::http::{HttpClient, Pool, Transit};
use probity_engine::judge::{CallLimits, CallOutcome, Reception, TransportFault};
use reqwest::Url;
use reqwest::header::HeaderMap;
use support::{Act, Refusal, ScriptedServer, http_ok, sse_head};
use tls::self_signed_once;

/// Clocks that no test waits for; each test shortens the one it is about.
const PATIENT: CallLimits = CallLimits {
    connect: Duration::from_secs(10),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
    total: Duration::from_secs(20),
    body_bytes_max: 64 * 1024,
};

const SHORT: Duration = Duration::from_millis(100);

async fn post(url: &str, limits: CallLimits, pool: Pool) -> Reception {
    let client = HttpClient::new(limits, pool, Transit::Encrypted).expect("a client");
    client.post(&Url::parse(url).expect("a URL"), HeaderMap::new(), b"{}".to_vec()).await
}

/// What came of a call, in one line: the body in words, the fault with its partial bytes.
fn summary(reception: &Reception) -> String {
    let text = |bytes: &[u8]| match bytes {
        long if long.len() > 200 => format!("{} bytes", long.len()),
        short => format!("{:?}", String::from_utf8_lossy(short)),
    };
    match &reception.outcome {
        CallOutcome::Response(response) => format!("{} {}", response.status, text(&response.body)),
        CallOutcome::Broken { fault, partial } => format!("{fault} | {}", text(partial)),
    }
}

async fn check_limits(act: Act, limits: CallLimits, want: &Expect) -> Reception {
    let server = ScriptedServer::always(act);
    let reception = post(&server.url("/v1/x"), limits, Pool::Http1).await;
    want.assert_eq(&summary(&reception));
    assert_eq!(server.n_requests(), 1, "an adapter asks once");
    assert!(reception.elapsed < Duration::from_secs(5), "{:?}", reception.elapsed);
    reception
}

async fn check(act: Act, want: &Expect) -> Reception {
    check_limits(act, PATIENT, want).await
}

#[tokio::test]
async fn f16_a_status_is_a_response() {
    let reception = check(
        Act::respond(500, &[("X-Request-Id", "r1"), ("X-Two", "a"), ("X-Two", "b")], "oops"),
        &expect![[r#"500 "oops""#]],
    )
    .await;
    let CallOutcome::Response(response) = reception.outcome else { panic!("a response") };
    assert_eq!(response.header("x-request-id"), Some("r1"));
    assert_eq!(response.headers.iter().filter(|(name, _)| name == "x-two").count(), 2);
}

#[tokio::test]
async fn f28_a_redirect_is_not_followed() {
    let elsewhere = ScriptedServer::always(http_ok("{}"));
    let to = elsewhere.url("/stolen");
    check(Act::respond(307, &[("location", &to)], ""), &expect![[r#"307 """#]]).await;
    assert_eq!(elsewhere.n_requests(), 0);
}

#[tokio::test]
async fn f29_connection_refused() {
    let address = ScriptedServer::always(Act::NeverAnswer).address();
    let reception = post(&format!("http://{address}/"), PATIENT, Pool::Http1).await;
    expect![[r#"could not connect: Connection refused (os error 111) | """#]].assert_eq(&summary(&reception));
}

#[tokio::test]
async fn f29_name_that_does_not_resolve() {
    let reception = post("http://no-such-host.invalid/", PATIENT, Pool::Http1).await;
    let shown = summary(&reception);
    assert!(shown.starts_with("could not connect: "), "{shown}");
}

#[tokio::test]
async fn f30_reset_before_any_byte() {
    check(
        Act::ResetBeforeByte,
        &expect![[r#"the connection was lost: Connection reset by peer (os error 104) | """#]],
    )
    .await;
    check(
        Act::CloseBeforeByte,
        &expect![[r#"the connection was lost: connection closed before message completed | """#]],
    )
    .await;
}

#[tokio::test]
async fn f31_reset_after_partial_body() {
    let act = Act::PartialThenReset { promised: 90, sent: b"{\"score\": 5".to_vec() };
    check(
        act,
        &expect![[r#"the connection was lost: Connection reset by peer (os error 104) | "{\"score\": 5""#]],
    )
    .await;
}

#[tokio::test]
async fn f32_http2_refusals() {
    for refusal in [Refusal::RefusedStream, Refusal::GoAway, Refusal::EnhanceYourCalm] {
        let server = ScriptedServer::always(Act::Http2(refusal));
        let pool = Pool::Http2 { shards: NonZeroUsize::MIN };
        let reception = post(&server.url("/"), PATIENT, pool).await;
        let shown = summary(&reception);
        assert!(shown.starts_with("the server refused the stream: "), "{refusal:?}: {shown}");
        assert_eq!(server.n_requests(), 1, "an adapter asks once");
    }
}

#[tokio::test]
async fn f32_shards_are_used_in_turn() {
    let server = ScriptedServer::always(Act::Http2(Refusal::RefusedStream));
    let pool = Pool::Http2 { shards: NonZeroUsize::new(3).unwrap() };
    let client = HttpClient::new(PATIENT, pool, Transit::Encrypted).unwrap();
    let url = Url::parse(&server.url("/")).unwrap();
    for _ in 0..3 {
        client.post(&url, HeaderMap::new(), Vec::new()).await;
    }
    assert_eq!(server.n_connections(), 3);
}

#[tokio::test]
async fn f33_self_signed_certificate() {
    let url = format!("https://{}/", self_signed_once());
    let shown = summary(&post(&url, PATIENT, Pool::Http1).await);
    assert!(
        shown.starts_with("the server's certificate was not accepted: invalid peer certificate"),
        "{shown}"
    );
}

#[tokio::test]
async fn f33_server_that_does_not_speak_tls() {
    let plain = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = plain.local_addr().unwrap();
    let speaker = std::thread::spawn(move || {
        let (mut socket, _) = plain.accept().unwrap();
        std::io::Write::write_all(&mut socket, b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        socket
    });
    let shown = summary(&post(&format!("https://{address}/"), PATIENT, Pool::Http1).await);
    assert!(shown.starts_with("the server's certificate was not accepted"), "{shown}");
    speaker.join().unwrap();
}

#[tokio::test]
async fn f34_connect_hangs() {
    let server = ScriptedServer::always(Act::NeverAnswer);
    let url = server.url("/").replace("http://", "https://");
    let reception = post(&url, CallLimits { connect: SHORT, ..PATIENT }, Pool::Http1).await;
    expect![[r#"no connection within 100ms | """#]].assert_eq(&summary(&reception));
}

#[tokio::test]
async fn f35_headers_never_come() {
    let limits = CallLimits { first_byte: SHORT, ..PATIENT };
    check_limits(Act::NeverAnswer, limits, &expect![[r#"no response within 100ms | """#]]).await;
}

#[tokio::test]
async fn f36_body_stalls() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"a\"".to_vec();
    let limits = CallLimits { idle: SHORT, ..PATIENT };
    let want = expect![[r#"the response stalled for 100ms | "{\"a\"""#]];
    check_limits(Act::StallAfter(head), limits, &want).await;
}

#[tokio::test]
async fn f36_comments_do_not_keep_a_stream_alive() {
    let act = Act::SseComments { events: b"data: {}\n\n".to_vec(), pause: Duration::from_millis(10) };
    let server = ScriptedServer::always(act);
    let limits = CallLimits { idle: SHORT, ..PATIENT };
    let reception = post(&server.url("/"), limits, Pool::Http1).await;
    let CallOutcome::Broken { fault, partial } = reception.outcome else { panic!("the stream never ends") };
    assert_eq!(fault, TransportFault::IdleTimeout(SHORT));
    assert!(partial.starts_with(b"data: {}\n\n: keep-alive\n\n"));
}

#[tokio::test]
async fn f37_slow_loris_meets_the_total_clock() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n".to_vec();
    let act = Act::Drip { head, piece: b"x".to_vec(), pause: Duration::from_millis(10) };
    let server = ScriptedServer::always(act);
    let limits = CallLimits { total: SHORT, ..PATIENT };
    let reception = post(&server.url("/"), limits, Pool::Http1).await;
    let CallOutcome::Broken { fault, partial } = reception.outcome else { panic!("it never ends") };
    assert_eq!(fault, TransportFault::TotalTimeout(SHORT));
    // How much dripped in before the clock ran out depends on how busy the machine is.
    assert!(partial.len() < 5000 && partial.iter().all(|byte| *byte == b'x'));
}

#[tokio::test]
async fn f37_total_clock_before_any_byte() {
    let limits = CallLimits { total: SHORT, ..PATIENT };
    check_limits(Act::NeverAnswer, limits, &expect![[r#"the call took longer than 100ms | """#]]).await;
}

#[tokio::test]
async fn f38_done_ends_a_stream_that_stays_open() {
    check(
        Act::KeepOpenAfterDone { events: b"data: {\"a\":1}\n\n".to_vec() },
        &expect![[r#"200 "data: {\"a\":1}\n\ndata: [DONE]""#]],
    )
    .await;
}

#[tokio::test]
async fn f39_a_stream_without_end_is_kept_as_it_came() {
    let act = Act::Raw([sse_head(), b"data: {\"a\":1}\n\n".to_vec()].concat());
    check(act, &expect![[r#"200 "data: {\"a\":1}\n\n""#]]).await;
}

#[tokio::test]
async fn f41_bombs_and_endless_bodies_are_cut_at_the_cap() {
    let cut = expect!["the response is larger than 65536 bytes | 65536 bytes"];
    let bomb = check(Act::GzipBomb { decoded_bytes: 8 * 1024 * 1024 }, &cut).await;
    let endless = check(Act::Endless, &cut).await;
    for reception in [bomb, endless] {
        let CallOutcome::Broken { partial, .. } = reception.outcome else { panic!("it is too large") };
        assert!(partial.capacity() <= 2 * PATIENT.body_bytes_max, "{} bytes held", partial.capacity());
    }
}

#[tokio::test]
async fn f41_a_body_of_exactly_the_cap_is_whole() {
    let body = "x".repeat(PATIENT.body_bytes_max);
    check(Act::respond(200, &[], &body), &expect!["200 65536 bytes"]).await;
}

#[tokio::test]
async fn f42_wrong_length() {
    let long = Act::WrongLength { promised: 90, body: b"{\"a\":1}".to_vec() };
    check(
        long,
        &expect![[r#"the connection was lost: end of file before message length reached | "{\"a\":1}""#]],
    )
    .await;
    let short = Act::WrongLength { promised: 3, body: b"{\"a\":1}".to_vec() };
    check(short, &expect![[r#"200 "{\"a""#]]).await;
    let nonsense = Act::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n{}".to_vec());
    check(nonsense, &expect![[r#"the response body is damaged: invalid content-length parsed | """#]]).await;
}

#[tokio::test]
async fn f42_bad_chunking_and_bad_compression() {
    check(
        Act::BadChunk,
        &expect![[r#"the response body is damaged: Invalid chunk size line: missing size digit | "{\"a\"""#]],
    )
    .await;
    check(Act::BadGzip, &expect![[r#"the response body is damaged: Invalid gzip header | """#]]).await;
}

#[tokio::test]
async fn connections_are_reused() {
    let server = ScriptedServer::always(http_ok("{}"));
    let client = HttpClient::new(PATIENT, Pool::Http1, Transit::Encrypted).unwrap();
    let url = Url::parse(&server.url("/")).unwrap();
    for _ in 0..5 {
        client.post(&url, HeaderMap::new(), Vec::new()).await;
    }
    assert_eq!((server.n_requests(), server.n_connections()), (5, 1));
}
