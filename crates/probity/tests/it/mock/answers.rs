//! Clean answers in both dialects, the pages beside them, and what the mock judge refuses.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process::{End, MockJudge, chat, ledger, level_schema, probity};

#[test]
fn chat_completions_are_answered_in_the_form_asked_for() {
    let mock = MockJudge::start(&["--fingerprints", "fp_a"]);
    let answer = mock.ask("A packet.").json();
    let choice = &answer["choices"][0];
    let verdict: Value = serde_json::from_str(choice["message"]["content"].as_str().unwrap()).unwrap();
    assert!((1..=5).contains(&verdict["score"].as_i64().unwrap()), "{verdict}");
    assert_eq!(verdict.as_object().unwrap().keys().collect::<Vec<_>>(), ["reasoning", "score"]);
    assert_eq!(choice["finish_reason"], "stop");
    assert_eq!(answer["model"], "m-1");
    assert_eq!(answer["system_fingerprint"], "fp_a");
    assert!(answer["usage"]["prompt_tokens"].as_u64().unwrap() > 0);
    let short = mock.send("POST", "/chat/completions", &chat("A packet.").to_string()).json();
    assert_eq!(
        short["choices"][0]["message"]["content"].as_str().unwrap().len(),
        choice["message"]["content"].as_str().unwrap().len()
    );
}

#[test]
fn messages_are_answered_through_the_tool() {
    let mock = MockJudge::start(&["--usage", "off", "--model-echo", "c-9"]);
    let members = json!({ "tone": level_schema(), "clarity": level_schema() });
    let body = json!({
        "model": "c-1", "max_tokens": 100, "messages": [{ "role": "user", "content": "A packet." }],
        "tools": [{ "name": "verdict", "input_schema": { "type": "object", "properties": members } }],
    });
    let answer = mock.send("POST", "/v1/messages", &body.to_string()).json();
    let block = &answer["content"][0];
    assert_eq!((&block["type"], &block["name"]), (&json!("tool_use"), &json!("verdict")));
    for criterion in ["tone", "clarity"] {
        assert!((1..=5).contains(&block["input"][criterion]["score"].as_i64().unwrap()), "{block}");
    }
    assert_eq!((&answer["stop_reason"], &answer["model"]), (&json!("tool_use"), &json!("c-9")));
    assert_eq!(answer.get("usage"), None);
}

#[test]
fn levels_are_chosen_as_told() {
    let levels = |how: &str| {
        let mock = MockJudge::start(&["--levels", how]);
        let level = |user: &str| {
            let content = mock.ask(user).content().unwrap();
            serde_json::from_str::<Value>(&content).unwrap()["score"].as_i64().unwrap()
        };
        (0..12).map(|n| (level(&n.to_string()), level(&n.to_string()))).collect::<Vec<_>>()
    };
    let hashed = levels("hash");
    assert!(hashed.iter().all(|(first, second)| first == second), "{hashed:?}");
    assert!(hashed.iter().any(|pair| *pair != hashed[0]), "{hashed:?}");
    let uniform = levels("uniform");
    assert!(uniform.iter().any(|(first, second)| first != second), "{uniform:?}");
    assert!(levels("fixed:2").iter().all(|pair| *pair == (2, 2)));
    assert!(levels("fixed:99").iter().all(|pair| *pair == (5, 5)));
}

#[test]
fn pages_tell_what_was_counted_and_reset_forgets_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    let mock = MockJudge::start(&["--ledger", path.to_str().unwrap()]);
    mock.ask("one");
    mock.ask("one");
    mock.ask("two");
    assert_eq!(mock.send("POST", "/v1/chat/completions", "{}").status(), 400);
    assert_eq!(mock.get("/nowhere").status(), 404);
    let stats = mock.stats();
    assert_eq!((&stats["calls"], &stats["ended"], &stats["rejected"]), (&json!(3), &json!(3), &json!(2)));
    assert_eq!(stats["calls_per_packet"][blake3::hash(b"one").to_hex().as_str()], 2);
    assert_eq!(stats["statuses"], json!({ "200": 3 }));
    assert_eq!(String::from_utf8_lossy(mock.get("/mock/ledger").body()).lines().count(), 3);
    assert_eq!(mock.get("/v1/models").json()["data"][0]["id"], "mock-judge");
    assert_eq!(mock.send("POST", "/mock/reset", "").status(), 200);
    assert_eq!(mock.stats()["calls"], 0);
    assert_eq!(mock.get("/mock/ledger").body(), b"");
    mock.ask("one");
    let printed = mock.end();
    assert_eq!((&printed["calls"], &printed["packets_by_calls"]), (&json!(1), &json!({ "1": 1 })));
    let attempts: Vec<Value> = ledger(&path).iter().map(|line| line["attempt"].clone()).collect();
    assert_eq!(attempts, [1, 2, 1, 1]);
}

#[test]
fn a_call_is_in_the_ledger_before_it_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    let mut mock = MockJudge::start(&["--ledger", path.to_str().unwrap(), "--latency", "10m"]);
    assert_eq!(mock.ask_briefly("one").end, End::Quiet);
    mock.kill();
    let lines = ledger(&path);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["packet"], blake3::hash(b"one").to_hex().as_str());
    assert_eq!((&lines[0]["status"], &lines[0]["in_flight"]), (&json!(200), &json!(1)));
}

#[test]
fn many_calls_wait_side_by_side() {
    let mock = MockJudge::start(&["--latency", "200ms"]);
    let started = Instant::now();
    let mut sockets: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(&mock.address).unwrap()).collect();
    for (n, socket) in sockets.iter_mut().enumerate() {
        let body = chat(&n.to_string()).to_string();
        let head = format!("POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
        socket.write_all((head + &body).as_bytes()).unwrap();
    }
    for socket in &mut sockets {
        let mut start = [0; 15];
        socket.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200 OK");
    }
    // One after another they would take a minute.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert!(mock.stats()["in_flight_peak"].as_u64().unwrap() > 50);
}

#[track_caller]
fn check_refused(arguments: &[&str], want: &str) {
    let output = probity().arg("mock").args(arguments).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(want), "{said}");
}

#[test]
fn what_the_mock_judge_refuses() {
    check_refused(&["--host", "0.0.0.0"], "expected an address of the loopback interface, found 0.0.0.0");
    check_refused(&["--host", "192.0.2.1"], "expected an address of the loopback interface");
    check_refused(&["--fault", "F99=0.1"], "--list-faults");
    check_refused(&["--fault", "F16=0.7", "--fault", "F17=0.7"], "expected at most 1");
    check_refused(&["--latency", "fast"], "expected a time such as 50ms");
    check_refused(&["--levels", "best"], "expected hash, uniform or fixed:N");
    check_refused(&["--faults", "no-such-file.toml"], "cannot be read");
}
