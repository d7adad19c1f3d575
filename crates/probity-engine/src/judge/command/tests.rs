//! Programs that judge, well and badly, written for the shell.

use std::time::Duration;

use super::*;

fn limits() -> CallLimits {
    let clock = Duration::from_secs(20);
    CallLimits { connect: clock, first_byte: clock, idle: clock, total: clock, body_bytes_max: 1000 }
}

fn command(argv: &[&str]) -> CommandSettings {
    CommandSettings { argv: argv.iter().map(|word| (*word).to_owned()).collect(), pass_env: Vec::new() }
}

fn start(script: &str, limits: CallLimits) -> LineProgram {
    let command = command(&["sh", "-c", script]);
    LineProgram::start(&command, limits, NamedBy::Packet).expect("sh is there on every unix")
}

/// A question about a packet with a short name, as the shell can read it.
async fn ask(judge: &LineProgram, packet: &str) -> String {
    let reception = judge.exchange(packet.to_owned(), format!("{packet}\n")).await;
    match reception.outcome {
        CallOutcome::Response(response) => {
            format!("{} {}", response.status, String::from_utf8_lossy(&response.body))
        }
        CallOutcome::Broken { fault, .. } => format!("broken: {fault}"),
    }
}

#[track_caller]
fn check(got: &str, want: &str) {
    assert_eq!(got, want);
}

const ECHO: &str = r#"while read -r id; do printf '{"packet":"%s","score":4,"reasoning":"r"}\n' "$id"; done"#;

#[tokio::test]
async fn one_answer_per_question() {
    let judge = start(ECHO, limits());
    check(&ask(&judge, "a1").await, r#"200 {"packet":"a1","score":4,"reasoning":"r"}"#);
    check(&ask(&judge, "a2").await, r#"200 {"packet":"a2","score":4,"reasoning":"r"}"#);
}

#[tokio::test]
async fn answers_may_come_in_any_order() {
    let script = r#"read -r a; read -r b; read -r c
        for id in "$c" "$a" "$b"; do printf '{"packet":"%s"}\n' "$id"; done; read -r end"#;
    let judge = start(script, limits());
    let (a, b, c) = tokio::join!(ask(&judge, "a1"), ask(&judge, "b2"), ask(&judge, "c3"));
    check(&a, r#"200 {"packet":"a1"}"#);
    check(&b, r#"200 {"packet":"b2"}"#);
    check(&c, r#"200 {"packet":"c3"}"#);
}

#[tokio::test]
async fn equal_packets_share_a_name_and_get_an_answer_each() {
    let judge = start(ECHO, limits());
    let (first, second) = tokio::join!(ask(&judge, "a1"), ask(&judge, "a1"));
    assert!(first.starts_with("200") && second.starts_with("200"), "{first} {second}");
}

#[tokio::test]
async fn f89_an_answer_for_another_packet_is_dropped() {
    let script = r#"read -r id; printf '{"packet":"other"}\n{"packet":"%s"}\n' "$id"; read -r end"#;
    let judge = start(script, limits());
    check(&ask(&judge, "a1").await, r#"200 {"packet":"a1"}"#);
}

#[tokio::test]
async fn a_reply_to_a_case_that_does_not_wait_fails_all_that_do() {
    let script = r#"read -r a; read -r b; echo '{"id":"other","reply":"x"}'; read -r c
        printf '{"id":"%s"}\n' "$c"; read -r end"#;
    let command = command(&["sh", "-c", script]);
    let target = LineProgram::start(&command, limits(), NamedBy::CaseId).expect("sh is there");
    let (a, b) = tokio::join!(ask(&target, "a1"), ask(&target, "b2"));
    check(&a, "broken: the response body is damaged: expected the id of a case that waits, found \"other\"");
    check(&b, &a);
    check(&ask(&target, "c3").await, r#"200 {"id":"c3"}"#);
}

#[tokio::test]
async fn the_end_of_the_program_fails_all_that_wait() {
    let judge = start("read -r a; read -r b; echo 'no model' >&2; exit 3", limits());
    let (a, b) = tokio::join!(ask(&judge, "a1"), ask(&judge, "b2"));
    check(&a, "broken: the program ended: it ended with exit status: 3; it wrote: no model");
    check(&b, &a);
    check(&ask(&judge, "c3").await, &a);
}

#[tokio::test]
async fn only_the_last_lines_of_the_error_stream_are_kept() {
    let judge = start("i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line$i >&2; done; exit 1", limits());
    let gone = ask(&judge, "a1").await;
    assert!(gone.contains("line30") && gone.contains("line21") && !gone.contains("line20"), "{gone}");
}

#[tokio::test]
async fn a_line_that_names_no_packet_fails_what_waits() {
    let judge = start("read -r id; echo 'Loading model...'; read -r end", limits());
    check(
        &ask(&judge, "a1").await,
        "broken: the response body is damaged: expected a JSON line with the packet it answers, \
         found \"Loading model...\"",
    );
}

#[tokio::test]
async fn a_line_that_is_not_json_but_names_its_packet_is_its_answer() {
    let judge = start(r#"read -r id; echo "$id: four"; read -r end"#, limits());
    check(&ask(&judge, "a1").await, "200 a1: four");
}

#[tokio::test]
async fn blank_lines_mean_nothing() {
    let script = r#"read -r id; echo; echo ' '; printf '{"packet":"%s"}\n' "$id"; read -r end"#;
    check(&ask(&start(script, limits()), "a1").await, r#"200 {"packet":"a1"}"#);
}

#[tokio::test]
async fn a_line_over_the_cap_fails_its_question_alone() {
    let script =
        r#"read -r a; read -r b; printf '{"packet":"a1","x":"%02000d"}\n{"packet":"b2"}\n' 0; read -r end"#;
    let judge = start(script, limits());
    let (a, b) = tokio::join!(ask(&judge, "a1"), ask(&judge, "b2"));
    check(&a, "broken: the response is larger than 1000 bytes");
    check(&b, r#"200 {"packet":"b2"}"#);
}

#[tokio::test]
async fn the_total_clock_ends_a_question() {
    let limits = CallLimits { total: Duration::from_millis(30), ..limits() };
    let judge = start("while read -r id; do :; done", limits);
    check(&ask(&judge, "a1").await, "broken: the call took longer than 30ms");
    assert!(judge.waiting.state().pending.is_empty(), "nobody waits any more");
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let error = LineProgram::start(&command(&["/no/such/program"]), limits(), NamedBy::Packet)
        .expect_err("not there");
    check(&error.to_string(), "could not start the program \"/no/such/program\"");
    let error = LineProgram::start(&command(&[]), limits(), NamedBy::Packet).expect_err("no program");
    check(&error.to_string(), "expected a program to start, found an empty command");
}

#[test]
fn n16_the_program_sees_what_is_listed_and_nothing_else() {
    let passed = ["HF_TOKEN".to_owned()];
    let is_seen = |name| program::is_seen(name, &passed);
    assert!(is_seen("HF_TOKEN") && is_seen("PATH") && is_seen("HOME") && is_seen("LC_ALL"));
    for name in
        ["OPENAI_API_KEY", "github_token", "DATABASE_URL", "PGPASS", "HTTPS_PROXY", "LD_PRELOAD", "PATHS"]
    {
        assert!(!is_seen(name), "{name}");
    }
}
