//! G14: the key is in no byte that the program writes, however the judge tries to make it say it.

use serde_json::json;

use super::ledger::Judge;
use super::scene::{Ended, Scene, cases};
use crate::support::{Act, http_ok};

/// A key as services make them, with an unusual character that is escaped in some forms.
const CANARY: &str = "sk-CANARY-7f3a91c2d8e64b05+/=AbCdEf";

/// Pieces of it that would give it away: as it is, as the header, without its start.
const PIECES: [&str; 3] = [CANARY, "CANARY-7f3a91c2d8e64b05", "7f3a91c2d8e64b05+/=AbCdEf"];

/// What a judge that wants the key told does with it, one way per case.
fn echoing(reply: &str) -> Act {
    let error = |status: u16, text: &str| {
        let body = json!({ "error": { "message": text, "code": "server_error" } }).to_string();
        Act::respond(status, &[("content-type", "application/json"), ("x-echo", CANARY)], &body)
    };
    let completion = |text: &str| {
        let message = json!({ "role": "assistant", "content": text });
        let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
        http_ok(&json!({ "id": CANARY, "model": CANARY, "choices": [choice] }).to_string())
    };
    match reply {
        "case-0000" => error(500, &format!("Incorrect API key provided: {CANARY}")),
        "case-0001" => error(400, &format!("bad request with Authorization: Bearer {CANARY}")),
        "case-0002" => {
            completion(&json!({ "score": 4, "reasoning": format!("Your key is {CANARY}.") }).to_string())
        }
        "case-0003" => completion(&format!("the key {CANARY} is no verdict")),
        "case-0004" => {
            Act::PartialThenReset { promised: 900, sent: format!("{{\"key\": \"{CANARY}\"").into() }
        }
        "case-0005" => Act::respond(502, &[], &format!("<html>{CANARY}</html>")),
        _ => error(401, &format!("Incorrect API key provided: {CANARY}")),
    }
}

#[track_caller]
fn without_key(what: &str, bytes: &[u8]) {
    for piece in PIECES {
        let found = bytes.windows(piece.len()).any(|window| window == piece.as_bytes());
        assert!(!found, "{what} contains {piece}");
    }
}

#[track_caller]
fn check(scene: &Scene, ended: &Ended) {
    without_key("standard output", ended.stdout.as_bytes());
    without_key("standard error", ended.stderr.as_bytes());
    let files = scene.files();
    assert!(files.iter().any(|path| path.ends_with("store.db")), "the store is among {files:?}");
    for path in files {
        without_key(&path.display().to_string(), &std::fs::read(&path).expect("a file"));
    }
}

fn scene(judge: &Judge, n: usize) -> Scene {
    Scene::new(cases(n), &judge.base_url())
        .variable("OPENAI_API_KEY", CANARY)
        .variable("RUST_LOG", "trace")
        .variable("RUST_BACKTRACE", "full")
}

#[test]
fn g14_the_key_is_in_nothing_that_is_written() {
    let judge = Judge::with(|asked, request| {
        assert_eq!(request.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
        echoing(&asked.reply)
    });
    let scene = scene(&judge, 6);
    let ended = scene.run(&["--concurrency", "1"]).code(3);
    assert!(judge.n_requests() > 12, "the key was sent");
    check(&scene, &ended);
    // A judge that refuses the key ends the run; what it says about it is shown without it.
    scene.write("cases.json", cases(8));
    let ended = scene.run(&["--concurrency", "1"]).code(3).says(["does not accept the key"]);
    check(&scene, &ended);
    check(&scene, &scene.run(&["--offline", "--json"]).code(3));
    let shown = Ended::of(scene.binary(&["check", "cases.json", "--show", "--base-url", &judge.base_url()]));
    without_key("what check shows", (shown.stdout + &shown.stderr).as_bytes());
}

/// A killed process leaves its journal, its index and half-written files.
#[test]
fn g14_the_key_is_not_in_what_a_crash_leaves() {
    let judge = Judge::with(|asked, _| echoing(&asked.reply));
    let scene = scene(&judge, 6);
    let mut child = scene.command(&["--concurrency", "2"]).spawn().expect("the binary starts");
    while judge.n_requests() < 6 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().expect("a child can be killed");
    check(&scene, &Ended::after(child));
}

/// A value that is no key, and a key where none belongs, are refused without being shown.
#[test]
fn g14_a_key_that_cannot_be_used_is_not_shown() {
    let judge = Judge::sound(1, 0);
    let broken = format!("{CANARY}\u{7}");
    let scene = Scene::new(cases(2), &judge.base_url()).variable("OPENAI_API_KEY", &broken);
    let ended = scene.run(&[]).code(2);
    without_key("standard error", ended.stderr.as_bytes());
    let scene = Scene::new(cases(2), &format!("http://{}@127.0.0.1:9/v1", PIECES[1]));
    let ended = scene.run(&[]).code(2);
    without_key("standard error", ended.stderr.as_bytes());
    assert_eq!(judge.n_requests(), 0);
}
