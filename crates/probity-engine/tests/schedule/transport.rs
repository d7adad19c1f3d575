//! Connections that fail, stall or end too early. What had arrived is kept and is never a verdict.

use std::time::{Duration, Instant};

use expect_test::expect;

use crate::scene::{Scene, Terms, check, check_on, good, verdict_text};
use crate::support::{Act, ScriptedServer, sse_head};

const SHORT: Duration = Duration::from_millis(60);

#[tokio::test]
async fn f29_nobody_there() {
    let server = ScriptedServer::always(good());
    let scene = Scene::new(&server, 100, Terms::quick(4));
    drop(server);
    let driven = scene.drive().await;
    expect![[
        r#"Some(Unreachable("20 calls failed in a row: connect (could not connect: Connection refused (os error 111))"))"#
    ]]
    .assert_eq(&format!("{:?}", driven.stop));
    assert_eq!((driven.verdicts, driven.unscored), (0, 0));
    let n_attempts: usize = scene.questions.iter().map(|question| scene.attempts(question).len()).sum();
    assert!((20..24).contains(&n_attempts), "{n_attempts}");
    assert!(scene.questions.iter().all(|question| scene.settlement(question).is_none()));
}

#[tokio::test]
async fn f30_reset_before_any_byte() {
    let server = ScriptedServer::sequence(vec![Act::ResetBeforeByte, good()]);
    let scene = Scene::new(&server, 1, Terms::quick(1));
    let driven = scene.drive().await;
    expect![[r#"
        1 first: - connection_lost ""
        2 retry:connection_lost: 200 answered 231 bytes
        => verdict
    "#]]
    .assert_eq(&scene.audit(&server, &driven));
    let detail = &scene.attempts(&scene.questions[0])[0].detail;
    assert!(detail.ends_with("; it may have been billed"), "{detail}");
}

#[tokio::test]
async fn f31_a_part_of_an_answer_is_kept_and_not_read() {
    let act = Act::PartialThenReset { promised: 900, sent: verdict_text().into_bytes() };
    let driven = check(
        vec![act],
        &expect![[r"
            1 first: - connection_lost 55 bytes
            2 retry:connection_lost: - connection_lost 55 bytes
            3 retry:connection_lost: - connection_lost 55 bytes
            4 retry:connection_lost: - connection_lost 55 bytes
            5 retry:connection_lost: - connection_lost 55 bytes
            => nothing
        "]],
    )
    .await;
    assert_eq!(driven.gave_up, 1);
}

/// One packet whose first call stalls: it ends by its clock and the next call brings the verdict.
async fn check_clock(terms: Terms, act: Act, want: &str) {
    let started = Instant::now();
    let server = ScriptedServer::sequence(vec![act, good()]);
    let scene = Scene::new(&server, 1, terms);
    let driven = scene.drive().await;
    let story = scene.audit(&server, &driven);
    assert!(story.starts_with(&format!("1 first: - {want} ")), "{story}");
    assert!(story.contains(&format!("2 retry:{want}: 200 answered")), "{story}");
    assert_eq!(driven.verdicts, 1);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn f35_headers_never_come() {
    let mut terms = Terms::quick(1);
    terms.call.first_byte = SHORT;
    check_clock(terms, Act::NeverAnswer, "first_byte_timeout").await;
}

#[tokio::test]
async fn f36_a_stall_behind_comments() {
    let mut terms = Terms::quick(1);
    terms.call.idle = SHORT;
    let act = Act::SseComments { events: b"data: {}\n\n".to_vec(), pause: Duration::from_millis(5) };
    check_clock(terms, act, "idle_timeout").await;
}

#[tokio::test]
async fn f37_one_byte_at_a_time() {
    let mut terms = Terms::quick(1);
    terms.call.total = SHORT;
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n".to_vec();
    let act = Act::Drip { head, piece: b"{".to_vec(), pause: Duration::from_millis(5) };
    check_clock(terms, act, "total_timeout").await;
}

fn event(data: &str) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

#[tokio::test]
async fn f39_a_stream_without_its_end() {
    let delta = serde_json::json!({"choices": [{"index": 0, "delta": {"content": verdict_text()}}]});
    let cut = Act::Raw([sse_head(), event(&delta.to_string())].concat());
    check(
        vec![cut, good()],
        &expect![[r"
            1 first: 200 truncated_stream 117 bytes
            2 retry:truncated_stream: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
}

#[tokio::test]
async fn f40_an_error_within_a_stream() {
    let error = event(r#"{"error":{"message":"busy","type":"overloaded_error"}}"#);
    check(
        vec![Act::Raw([sse_head(), error].concat()), good()],
        &expect![[r"
            1 first: 200 overloaded 62 bytes
            2 retry:overloaded: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
}

#[tokio::test]
async fn f41_a_flood_is_cut_off() {
    for act in [Act::Endless, Act::GzipBomb { decoded_bytes: 10 << 20 }] {
        let mut terms = Terms::quick(1);
        terms.call.body_bytes_max = 1000;
        check_on(
            terms,
            vec![act, good()],
            &expect![[r"
                1 first: - too_large 1000 bytes
                => unscored too_large: the response is larger than 1000 bytes
            "]],
        )
        .await;
    }
}
