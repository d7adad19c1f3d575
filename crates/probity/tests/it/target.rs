//! `probity run --target`: replies from a system under test, of every kind, well and badly, and what becomes of them.
//!
//! The mock judge plays judge and target at once; its ledger says what was asked. Programs are written for the shell.

mod faults;
mod record;

use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};
use crate::mock::process::{MockJudge, ledger};

/// Waits that no test has to sit through.
const QUICK: &str = "[schedule]\nbackoff_ms_first = 1\nbackoff_ms_max = 4\npilot_ms_max = 0\n";

/// A program that answers each line with a reply and a confidence, in the order it reads them.
const PROGRAM: &str = r#"#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  printf '{"id":"%s","reply":"We have looked into it for you, %s.","confidence":0.75}\n' "$id" "$id"
done
"#;

/// A folder with cases, settings, a mock judge and its ledger.
struct Scene {
    folder: Probity,
    mock: MockJudge,
}

impl Deref for Scene {
    type Target = Probity;

    fn deref(&self) -> &Probity {
        &self.folder
    }
}

impl Scene {
    /// A folder with `n` cases, of which the first has a reply of its own.
    fn new(n: usize, settings: &str) -> Scene {
        Scene::with_mock(n, settings, &[])
    }

    /// The same with further arguments for the mock judge.
    fn with_mock(n: usize, settings: &str, arguments: &[&str]) -> Scene {
        let folder = Probity::new().variable("OPENAI_API_KEY", "sk-mock");
        let path = folder.path("ledger.jsonl");
        let mock = MockJudge::start(&[&["--ledger", path.to_str().unwrap()], arguments].concat());
        let settings = settings.replace("MOCK", &mock.url());
        let scene = Scene { folder, mock };
        let case = |i: usize| {
            let mut case =
                json!({ "id": format!("c{i}"), "ticket": format!("Order {i} is late."), "slice": "late" });
            if i == 0 {
                case["reply"] = json!("Your order left today.");
            }
            case.to_string() + "\n"
        };
        scene.write("cases.jsonl", (0..n).map(case).collect::<String>());
        scene.write("bot.sh", PROGRAM);
        scene.write("probity.toml", format!("{QUICK}{settings}"));
        scene
    }

    /// `probity run` over the cases with the mock as the judge, writing every kind of output.
    fn command(&self, more: &[&str]) -> Command {
        let mut command = self.binary(&["run", "cases.jsonl", "--judge", "openai", "--trust-settings"]);
        command.args(["--base-url", &self.mock.url(), "--output", "results.json", "--report", "report.md"]);
        command.args(["--report", "report.html", "--report", "report.xml"]).args(more);
        command.env("PROBITY_MODEL", "m-judge");
        command
    }

    fn run(&self, more: &[&str]) -> Ran {
        Ran::of(self.command(more))
    }

    fn results(&self) -> Value {
        self.json("results.json")
    }

    fn summary(&self) -> Value {
        self.results()["summary"].clone()
    }

    /// Calls to the mock so far, by the model that was asked for.
    fn calls(&self, model: &str) -> usize {
        let path = self.path("ledger.jsonl");
        let lines = if path.exists() { ledger(&path) } else { Vec::new() };
        lines.iter().filter(|line| line["model"] == model).count()
    }
}

/// The settings of a target that is the mock behind its chat endpoint.
const CHAT: &str =
    "[targets.bot]\nkind = 'openai'\nmodel = 'm-bot'\nbase_url = 'MOCK'\nsystem = 'You help.'\n";

/// The same endpoint, as one that is only known to take and give JSON.
const HTTP: &str = r#"[targets.bot]
kind = 'http'
url = 'MOCK/chat/completions'
request = '{"model": "m-bot", "messages": [{"role": "user", "content": {{ ticket | tojson }}}]}'
reply = '/choices/0/message/content'
confidence = '/created'
"#;

/// A program.
const COMMAND: &str = "[targets.bot]\nkind = 'command'\ncommand = ['sh', 'bot.sh']\n";

/// Replies come, are judged, and are called after the target.
#[track_caller]
fn check(settings: &str, calls: usize, kind: &str) -> Scene {
    let scene = Scene::new(4, settings);
    let ran = scene.run(&["--target", "bot"]).code(0);
    assert!(ran.stdout.contains(&format!("target bot ({kind}")), "{}", ran.stdout);
    assert_eq!(scene.calls("m-bot"), calls, "one call for each case without a reply");
    assert_eq!(scene.calls("m-judge"), 8, "two criteria of four replies");
    let results = scene.results();
    let variants: Vec<&Value> =
        results["results"].as_array().unwrap().iter().map(|row| &row["variant"]).collect();
    assert_eq!(json!(variants), json!([null, "bot", "bot", "bot"]));
    let summary = &results["summary"];
    assert_eq!(json!([summary["scored"], summary["unscored"], summary["no_reply"]]), json!([4, 0, 0]));
    assert_eq!(summary["target"]["calls"], 3);
    assert_eq!(summary["target"]["kind"], kind);
    assert_eq!(summary["definition"]["target"], summary["target"]["id"]);
    scene
}

#[test]
fn a_model_with_a_system_prompt() {
    let scene = check(CHAT, 3, "openai");
    let target = &scene.summary()["target"];
    assert_eq!(
        json!([target["name"], target["model"], target["answered_as"]]),
        json!(["bot", "m-bot", {"m-bot": 3}])
    );
    assert!(target["tokens"]["input"].as_u64().unwrap() > 0);
}

#[test]
fn an_endpoint_that_takes_and_gives_json() {
    check(HTTP, 3, "http");
}

#[test]
fn a_program_that_writes_replies() {
    check(COMMAND, 0, "command");
}

#[test]
fn no_settings_are_needed() {
    let scene = Scene::new(3, "");
    scene.write("system.txt", "You help.");
    let flags = ["--target", "openai", "--target-model", "m-bot", "--target-system", "system.txt"];
    let url = scene.mock.url();
    scene.run(&[&flags[..], &["--target-base-url", &url]].concat()).code(0);
    assert_eq!(scene.calls("m-bot"), 2);
    // Where nothing is said about its place, it is where the judge of this kind is.
    scene.write("system.txt", "You help others.");
    let mut command = scene.command(&flags);
    command.env("OPENAI_BASE_URL", &url);
    Ran::of(command).code(0);
    assert_eq!(scene.calls("m-bot"), 4, "another system prompt is another target");
}

#[test]
fn without_a_target_a_case_without_a_reply_is_skipped() {
    let scene = Scene::new(3, CHAT);
    scene.run(&[]).code(0);
    let results = scene.results();
    assert_eq!(results["skipped"][0]["reason"], "Missing 'reply' field");
    assert_eq!(json!([results["summary"]["skipped"], scene.calls("m-bot")]), json!([2, 0]));
    scene.run(&["--strict"]).code(2).says(["Missing 'reply' field"]);
    scene.run(&["--strict", "--target", "bot"]).code(0);
}

#[test]
fn conversations_null_replies_and_bad_records() {
    let scene = Scene::new(1, CHAT);
    let turns = |last: &str| json!([{ "role": "customer", "text": "Hi" }, { "role": last, "text": "So?" }]);
    let lines = [
        json!({ "id": "a", "turns": turns("customer") }),
        json!({ "id": "b", "turns": turns("agent") }),
        json!({ "id": "c", "ticket": "Help", "reply": null }),
        json!({ "id": "d", "ticket": "Help", "slice": 7 }),
        json!({ "id": "e", "ticket": "Help", "reply": 7 }),
        json!({ "id": "f", "ticket": "Help", "variant": "ignored", "confidence": "ignored" }),
    ];
    scene.write("cases.jsonl", lines.map(|line| line.to_string()).join("\n"));
    scene.run(&["--target", "bot"]).code(0);
    let results = scene.results();
    let row = |row: &Value| format!("{} {}", row["id"].as_str().unwrap(), row["variant"]);
    let rows: Vec<String> = results["results"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(rows, ["a \"bot\"", "b null", "c \"bot\"", "d \"bot\"", "f \"bot\""]);
    let reason = |row: &Value| row["reason"].as_str().unwrap().to_owned();
    let reasons: Vec<String> = results["skipped"].as_array().unwrap().iter().map(reason).collect();
    assert_eq!(reasons, ["'reply' must be a string, found a number"]);
    // Two tickets are the same text, and a model is sent nothing else of them.
    assert_eq!(scene.calls("m-bot"), 2);
}

#[test]
fn check_says_what_would_be_asked() {
    let scene = Scene::new(4, CHAT);
    let check = |more: &[&str]| {
        let mut command = scene.binary(&["check", "cases.jsonl", "--judge", "openai", "--trust-settings"]);
        command.args(more);
        Ran::of(command).code(0).stdout
    };
    let said = check(&["--target", "bot", "--show"]);
    assert!(said.contains("# case c1, target bot, packet "), "{said}");
    assert!(said.contains("\"content\": \"You help.\""), "{said}");
    let lines = "3 cases without a reply: 3 calls to target bot (openai), cost unknown, 0 on record or repeated\n\
        then at most 6 calls to the judge, not counted below\n\
        4 records: 1 admitted, 0 blocked, 0 skipped, 3 without a reply\n2 calls to judge openai";
    assert!(said.contains(lines), "{said}");
    assert_eq!(scene.calls("m-bot"), 0, "nothing was sent");
    scene.run(&["--target", "bot"]).code(0);
    let said: Value = serde_json::from_str(&check(&["--target", "bot", "--json"])).unwrap();
    let replies = json!({
        "target": "bot", "cases": 3, "calls": 0, "cost_usd_max": null, "judge_calls_max": 0
    });
    assert_eq!(json!([said["replies"]["calls"], said["admitted"], said["no_reply"]]), json!([0, 4, 0]));
    assert_eq!(said["replies"]["judge_calls_max"], replies["judge_calls_max"]);
}

/// The places where people read about a run.
fn outputs(scene: &Scene, ran: &Ran) -> [(&'static str, String); 6] {
    [
        ("standard error", ran.stderr.clone()),
        ("the summary", ran.stdout.clone()),
        ("JSON", scene.summary()["warnings"].to_string()),
        ("Markdown", scene.text("report.md")),
        ("HTML", scene.text("report.html")),
        ("JUnit", scene.text("report.xml")),
    ]
}

#[track_caller]
fn check_same(settings: &str, more: &[&str], arguments: &[&str], same: Option<&str>) {
    let scene = Scene::with_mock(2, settings, arguments);
    let ran = scene.run(&[&["--target", "bot"], more].concat()).code(0);
    for (place, text) in outputs(&scene, &ran) {
        let warning = "judge and target bot are the same model";
        assert_eq!(text.contains(warning), same.is_some(), "{place}: {text}");
        assert!(same.is_none_or(|name| text.contains(name)), "{place}: {text}");
    }
}

#[test]
fn judge_and_target_being_one_model_is_said_everywhere() {
    check_same(CHAT, &[], &[], None);
    check_same(CHAT, &["--model", "m-bot"], &[], Some("m-bot"));
    let alias = format!("{CHAT}aliases = ['m-judge']\n");
    check_same(&alias, &[], &[], Some("m-judge"));
    check_same(&format!("{COMMAND}model = 'M-Judge'\n"), &[], &[], Some("M-Judge"));
    // Two names, and the same model answers under both.
    check_same(CHAT, &[], &["--model-echo", "m-real"], Some("m-real"));
}

/// Every file of the folder with its bytes.
fn folder_bytes(folder: &Probity) -> Vec<(PathBuf, Vec<u8>)> {
    folder.files().into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}
