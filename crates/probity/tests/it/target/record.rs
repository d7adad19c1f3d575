//! Replies are kept like verdicts: a killed run goes on where it was, and a finished one is told again without a call.

use std::collections::HashMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{CHAT, COMMAND, HTTP, Ran, Scene, ledger};
use crate::guarantees::shim::library;

/// How often each question was asked.
fn counts(scene: &Scene) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in ledger(&scene.path("ledger.jsonl")) {
        *counts.entry(line["packet"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

/// Kills a run once the mock has been called `n` times, and gives what it had been asked by then.
fn killed_at(scene: &Scene, n: usize) {
    let mut command = scene.command(&["--target", "bot", "--concurrency", "4"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_mins(1);
    while scene.calls("m-bot") + scene.calls("m-judge") < n {
        assert!(Instant::now() < patience && child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_killed_run_asks_for_no_recorded_reply_again() {
    let n_cases = 30;
    let scene = Scene::with_mock(n_cases, CHAT, &["--latency", "5ms"]);
    // While replies are asked for, and while they are judged.
    killed_at(&scene, 10);
    assert!((1..n_cases).contains(&scene.calls("m-bot")), "killed in the middle of the replies");
    assert_eq!(scene.calls("m-judge"), 0, "nobody is judged before all replies are there");
    killed_at(&scene, n_cases + 15);
    scene.run(&["--target", "bot"]).code(0);
    let summary = scene.summary();
    assert_eq!(summary["scored"], n_cases);
    let lost = summary["target"]["calls_lost"].as_u64().unwrap() + summary["calls_lost"].as_u64().unwrap();
    let counts = counts(&scene);
    assert_eq!(counts.len(), (n_cases - 1) + 2 * n_cases, "every reply and every criterion was asked about");
    let again: usize = counts.values().map(|n| n - 1).sum();
    assert!(again as u64 <= lost, "{again} calls were made again, {lost} were in flight");
    // Nothing is left to ask.
    let n_calls = scene.calls("m-bot") + scene.calls("m-judge");
    scene.run(&["--target", "bot"]).code(0);
    assert_eq!(scene.calls("m-bot") + scene.calls("m-judge"), n_calls);
}

#[test]
fn what_a_target_wrote_is_listed_as_that() {
    let scene = Scene::new(4, CHAT);
    scene.run(&["--target", "bot"]).code(0);
    let report = |words: &[&str]| scene.args(["report"]).words(words.iter().copied()).run();
    let list: Value = serde_json::from_str(&report(&["--json"]).code(0).stdout).unwrap();
    let line = |run: usize| ["command", "rubric", "judge"].map(|name| list["runs"][run][name].clone());
    assert_eq!(line(0), ["replies", "", "target bot"]);
    assert_eq!(line(1)[0], "run");
    let refused = report(&["1"]).code(2).stderr;
    assert!(refused.contains("run 1 (replies cases.jsonl bot) is what a target wrote"), "{refused}");
    let text = report(&[]).code(0).stdout;
    let rate = list["runs"][1]["pass_rate"]["n"].as_u64().map(|n| format!(" % of {n}"));
    assert!(rate.is_none_or(|rate| text.contains(&rate)), "{text}");
}

#[track_caller]
fn check_offline(settings: &str) {
    let Some(library) = library() else { return };
    let mut scene = Scene::new(4, settings);
    scene.run(&["--target", "bot"]).code(0);
    let written = |scene: &Scene| ["results.json", "report.md", "report.xml"].map(|name| scene.text(name));
    let before = written(&scene);
    scene.mock.kill();
    let offline = |more: &[&str]| {
        let mut command = scene.command(&[&["--target", "bot", "--offline"], more].concat());
        command.env("LD_PRELOAD", library).env("PROBITY_SHIM_NETWORK", "none");
        Ran::of(command)
    };
    offline(&[]).code(0);
    assert_eq!(written(&scene), before);
    // What is not on record has no reply, and nobody is asked.
    scene.write("cases.jsonl", scene.text("cases.jsonl") + "{\"id\":\"new\",\"ticket\":\"New\"}\n");
    offline(&["--min-coverage", "0.8"]).code(0);
    let results = scene.results();
    assert_eq!(results["summary"]["no_reply"], 1);
    let failed: Vec<&Value> = results["failed"].as_array().unwrap().iter().collect();
    assert!(failed.iter().all(|row| row["id"] == "new" && row["reason"] == "no_reply"));
    assert_eq!(failed[0]["detail"], "not_attempted");
    offline(&[]).code(3);
}

#[test]
fn a_run_is_told_again_without_a_connection() {
    for settings in [CHAT, HTTP, COMMAND] {
        check_offline(settings);
    }
}

#[test]
fn results_do_not_depend_on_how_many_calls_are_in_flight() {
    let rows = |concurrency: &str| {
        let scene = Scene::new(12, HTTP);
        scene.run(&["--target", "bot", "--concurrency", concurrency]).code(0);
        scene.results()["results"].clone()
    };
    assert_eq!(rows("1"), rows("8"));
}

#[test]
fn a_limit_on_calls_holds_for_judge_and_target_together() {
    let scene = Scene::new(4, CHAT);
    scene
        .run(&["--target", "bot", "--max-calls", "2", "--concurrency", "1"])
        .code(3)
        .says(["the limit of 2 calls"]);
    assert_eq!([scene.calls("m-bot"), scene.calls("m-judge")], [2, 0]);
    scene
        .run(&["--target", "bot", "--max-calls", "6", "--concurrency", "1"])
        .code(3)
        .says(["the limit of 6 calls"]);
    assert_eq!([scene.calls("m-bot"), scene.calls("m-judge")], [3, 3]);
    scene.run(&["--target", "bot", "--max-calls", "99"]).code(0);
    assert_eq!([scene.calls("m-bot"), scene.calls("m-judge")], [3, 8]);
}

#[test]
fn a_limit_on_money_needs_a_price_for_the_target_too() {
    let prices = "[prices.m-judge]\ninput_usd_per_mtok = 1\noutput_usd_per_mtok = 1\n";
    let scene = Scene::new(4, &format!("{CHAT}{prices}"));
    scene
        .run(&["--target", "bot", "--budget-usd", "1"])
        .code(2)
        .says(["a budget needs a price, and none is known for model \"m-bot\""]);
    assert_eq!(scene.calls("m-bot"), 0);
}

#[test]
fn another_judge_gets_the_same_replies() {
    let scene = Scene::new(4, CHAT);
    scene.run(&["--target", "bot"]).code(0);
    scene.run(&["--target", "bot", "--model", "m-other"]).code(0);
    assert_eq!([scene.calls("m-bot"), scene.calls("m-other")], [3, 8]);
    // The judge that is nothing but the store's record is not the target.
    let alone = Scene::new(4, CHAT);
    alone.run(&["--target", "bot"]).code(0);
    let results = alone.text("results.json");
    let again = ["run", "cases.jsonl", "--target", "bot", "--judge", "recorded", "--trust-settings"];
    alone.args(again).words(["--output", "again.json"].into_iter()).run().code(0);
    let rows = |text: &str| serde_json::from_str::<Value>(text).unwrap()["results"].clone();
    assert_eq!(rows(&alone.text("again.json")), rows(&results));
}
