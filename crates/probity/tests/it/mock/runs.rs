//! `probity run` against the mock judge: what the run reports is what the ledger says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::rehearsal::Rehearsal;
use crate::binary::Ran;

/// Short waits, and a breaker that stays closed: in a storm, failures in a row are chance.
const SETTINGS: &str = "
[schedule]
backoff_ms_first = 1
backoff_ms_max = 5
connect_ms = 1000
first_byte_ms = 1000
idle_ms = 500
total_ms = 2000
breaker_consecutive = 100000
breaker_share = 1.0
";

/// Faults that a run gets through, with the waits they ask for kept rare.
const STORM: &[(&str, &str)] = &[
    (
        "0.02",
        "F04 F05 F07 F12 F16 F17 F18 F20 F30 F31 F39 F40 F42 F44 F45 F47 F49 F52 F53 F60 F61 F62 F63 F68 F69",
    ),
    (
        "0.005",
        "F01 F19 F22 F26 F38 F41 F46 F48 F50 F51 F54 F55 F56 F64 F65 F66 F70 F71 F72 F73 F74 F75 F78 F79 F80 F81 F82 F83",
    ),
    ("0.002", "F03 F15 F35 F36 F37"),
];

/// A mock judge with these arguments, and `n_cases` cases.
fn rehearsal(n_cases: usize, judge: &[&str]) -> Rehearsal {
    let case = |n: usize| json!({ "id": format!("case-{n}"), "ticket": format!("Order {n} is late."), "reply": format!("Order {n} left today.") });
    let cases = Value::Array((0..n_cases).map(case).collect()).to_string();
    Rehearsal::new(&[("cases.json", cases), ("probity.toml", SETTINGS.to_owned())], judge)
}

/// Runs over all cases; gives what the run came to, and its results.
fn run(scene: &Rehearsal, arguments: &[&str]) -> (Ran, Value) {
    let call = scene.args(["run", "cases.json", "--output", "results.json", "--base-url", &scene.mock.url()]);
    let ran = call.words(arguments.iter().copied()).run();
    (ran, scene.json("results.json"))
}

/// Every score with its reasoning, whichever case and criterion it belongs to.
fn scores(results: &Value) -> Vec<(i64, String)> {
    let rows = results["results"].as_array().expect("results are a list").iter();
    rows.flat_map(|row| ["relevance", "tone"].map(|criterion| &row[criterion]))
        .filter_map(|cell| Some((cell["score"].as_i64()?, cell["reasoning"].as_str()?.to_owned())))
        .collect()
}

#[track_caller]
fn check_clean(arguments: &[&str], calls: usize, criteria: &[&str]) {
    let scene = rehearsal(6, &[]);
    let (ran, results) = run(&scene, arguments);
    ran.code(0);
    assert_eq!(scores(&results).len(), 12);
    let lines = scene.calls();
    assert_eq!(lines.len(), calls);
    for line in &lines {
        let verdict: Vec<&String> = line["verdict"].as_object().expect("there is a verdict").keys().collect();
        assert_eq!(verdict, criteria);
    }
}

#[test]
fn both_dialects_and_both_call_plans() {
    check_clean(&["--judge", "openai"], 12, &["score"]);
    check_clean(&["--judge", "openai", "--one-call"], 6, &["relevance", "tone"]);
    check_clean(&["--judge", "anthropic"], 12, &["score"]);
    check_clean(&["--judge", "anthropic", "--one-call"], 6, &["relevance", "tone"]);
}

#[test]
fn every_way_to_ask_for_the_form() {
    for how in ["schema", "json_object", "plain"] {
        check_clean(&["--judge", "openai", "--structured", how, "--one-call"], 6, &["relevance", "tone"]);
        check_clean(&["--judge", "openai", "--structured", how], 12, &["score"]);
    }
    check_clean(&["--judge", "anthropic", "--structured", "plain", "--one-call"], 6, &["relevance", "tone"]);
}

/// What a ledger says, apart from the order of arrival.
fn in_order(scene: &Rehearsal) -> BTreeSet<String> {
    let kept = ["packet", "attempt", "fault", "status", "verdict", "mark", "latency_us"];
    scene.calls().iter().map(|line| json!(kept.map(|key| line[key].clone())).to_string()).collect()
}

#[test]
fn concurrency_changes_neither_faults_nor_results() {
    let faults = "F16=0.1 F17=0.1 F30=0.05 F42=0.1 F45=0.1 F60=0.1 F69=0.1";
    let once = |concurrency: &str| {
        let mut arguments = vec!["--latency", "uniform:0ms..3ms", "--seed", "11"];
        for fault in faults.split(' ') {
            arguments.extend(["--fault", fault]);
        }
        let scene = rehearsal(25, &arguments);
        let (_ran, results) = run(&scene, &["--concurrency", concurrency]);
        (in_order(&scene), results["results"].clone(), results["failed"].clone())
    };
    let (alone, many) = (once("1"), once("24"));
    assert!(alone.0.len() > 60, "50 packets and their retries, not {}", alone.0.len());
    assert!(alone.0 == many.0, "the calls differ");
    assert_eq!((alone.1, alone.2), (many.1, many.2));
}

#[test]
fn a_storm_ends_with_what_the_ledger_says() {
    let shares = STORM
        .iter()
        .flat_map(|(share, faults)| faults.split(' ').map(move |fault| format!("{fault}={share}")));
    let shares: Vec<String> = shares.collect();
    let mut arguments = vec!["--retry-after", "0", "--drip", "100ms"];
    for share in &shares {
        arguments.extend(["--fault", share]);
    }
    let scene = rehearsal(150, &arguments);
    let (ran, results) = run(&scene, &["--concurrency", "32", "--min-coverage", "0.5"]);
    ran.code(0);
    let (stats, lines) = (scene.mock.stats(), scene.calls());
    counts_agree(&stats, &lines);
    assert_eq!(results["summary"]["calls"], lines.len(), "calls on record");

    let mut last: BTreeMap<&str, &Value> = BTreeMap::new();
    for line in &lines {
        let best = last.entry(line["packet"].as_str().unwrap()).or_insert(line);
        if line["attempt"].as_u64() > best["attempt"].as_u64() {
            *best = line;
        }
    }
    assert_eq!(last.len(), 300);
    let (scored, unscored): (Vec<&Value>, Vec<&Value>) =
        last.values().partition(|line| line["verdict"].is_object());
    let mut given = scores(&results);
    assert_eq!(given.len(), scored.len(), "verdicts");
    for line in scored {
        let mark = line["mark"].as_str().unwrap();
        let at = given
            .iter()
            .position(|(level, reasoning)| line["verdict"]["score"] == *level && reasoning.contains(mark));
        given.swap_remove(at.unwrap_or_else(|| panic!("no score for {line}")));
    }
    let failed = results["failed"].as_array().unwrap();
    assert_eq!(failed.len(), unscored.len(), "packets without a verdict");
    let attempts = |key: &str, all: &mut dyn Iterator<Item = &Value>| {
        all.map(|one| one[key].as_u64().unwrap()).sum::<u64>()
    };
    let (told, written) =
        (attempts("attempts", &mut failed.iter()), attempts("attempt", &mut unscored.into_iter()));
    assert_eq!(told, written, "calls about packets without a verdict");
}

/// The counts of the mock judge are those of its ledger.
#[track_caller]
fn counts_agree(stats: &Value, lines: &[Value]) {
    let count = |key: &str| {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for line in lines {
            let name = match &line[key] {
                Value::String(name) => name.clone(),
                Value::Null => "none".to_owned(),
                other => other.to_string(),
            };
            *counts.entry(name).or_default() += 1;
        }
        counts
    };
    let mut faults = count("fault");
    faults.remove("none");
    assert!(faults.len() > 40, "a storm of {} kinds", faults.len());
    assert_eq!(stats["calls"], lines.len());
    assert_eq!(stats["faults"], json!(faults));
    assert_eq!(stats["statuses"], json!(count("status")));
    assert_eq!(stats["calls_per_packet"], json!(count("packet")));
    let peak = lines.iter().filter_map(|line| line["in_flight"].as_u64()).max();
    assert_eq!(stats["in_flight_peak"].as_u64(), peak);
}
