//! The runs of a store: listed, reported again without a call, and compared with each other.

use probity_engine::ledger::Store;
use serde_json::{Map, Value, json};

use crate::answers::{kind_judge, tickets};
use crate::binary::{Probity, QUICK};

/// A folder with five tickets and one run of them, by a judge that is gone.
fn one_run() -> Probity {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(5)).server(&server);
    probity.run_tickets(["--report", "out.md"]).code(0);
    probity
}

/// The only store in the folder.
fn store(probity: &Probity) -> Vec<u8> {
    probity.bytes(".probity/store.db")
}

#[test]
fn a_run_is_reported_again_in_the_same_bytes_and_nothing_is_written() {
    let probity = one_run();
    let (results, markdown, record) = (probity.bytes("out.json"), probity.bytes("out.md"), store(&probity));
    probity.args(["report", "last", "--output", "again.json", "--report", "again.md"]).run().code(0);
    assert_eq!((probity.bytes("again.json"), probity.bytes("again.md")), (results, markdown));
    assert_eq!(store(&probity), record);
    let out = probity.args(["report", "1", "--json"]).run().code(0).json();
    assert_eq!(out, probity.json("out.json"));
}

#[test]
fn a_run_is_found_from_any_folder() {
    let (probity, elsewhere) = (one_run(), Probity::new());
    let path = probity.path(".probity/store.db").display().to_string();
    elsewhere.args(["report", "1", "--store", &path, "-o", "here.json"]).run().code(0);
    assert_eq!(elsewhere.bytes("here.json"), probity.bytes("out.json"));
    let diff = elsewhere.args(["diff", "1", "last", "--store", &path, "--json"]).run().code(0).json();
    assert_eq!(diff["changed"], json!([]));
}

#[test]
fn the_list_says_what_each_run_was() {
    let probity = one_run();
    probity.args(["run", "tickets.json", "--judge", "baseline", "--rubric", "support-gold"]).run().code(0);
    let runs = probity.args(["report", "--json"]).run().code(0).json()["runs"].clone();
    let line = |run: &Value| {
        let at = run["at"].as_str().unwrap();
        assert!(at.len() == 20 && at.ends_with('Z'), "{at}");
        json!([
            run["run"], run["command"], run["files"], run["rubric"], run["judge"], run["round"], run["state"]
        ])
    };
    let seen: Vec<Value> = runs.as_array().unwrap().iter().map(line).collect();
    assert_eq!(
        seen,
        [
            json!([1, "run", "tickets.json", "relevance-tone", "openai gpt-4o-mini", 1, "complete"]),
            json!([2, "run", "tickets.json", "support-gold", "baseline", 1, "complete"]),
        ]
    );
    assert_eq!((&runs[0]["pass_rate"], &runs[1]["pass_rate"]["n"]), (&Value::Null, &json!(5)));
    let text = probity.args(["report"]).run().code(0).stdout;
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("support-gold") && text.contains(" %"), "{text}");
}

#[test]
fn a_run_owns_what_it_was_made_of() {
    let probity = Probity::new().file("tickets.json", tickets(3)).file("mine.toml", RUBRIC);
    let words = ["run", "tickets.json", "--judge", "baseline", "--rubric", "mine.toml", "-o", "first.json"];
    probity.args(words).run().code(0);
    let same = || {
        probity.args(["report", "1", "-o", "again.json"]).run().code(0);
        assert_eq!(probity.bytes("again.json"), probity.bytes("first.json"));
    };
    same();
    probity.write("tickets.json", tickets(4));
    probity.write("mine.toml", RUBRIC.replace("Does it help?", "Does it help at all?"));
    same();
    for file in ["tickets.json", "mine.toml"] {
        std::fs::remove_file(probity.path(file)).unwrap();
    }
    same();
}

#[test]
fn with_digests_the_store_has_no_text() {
    let settings = "[store]\ntexts = 'digest'\n";
    let probity = Probity::new().file("tickets.json", tickets(3)).file("probity.toml", settings);
    probity.args(["run", "tickets.json", "--judge", "baseline"]).run().code(0);
    let record = String::from_utf8_lossy(&store(&probity)).into_owned();
    for text in ["Reply 1.", "The export number"] {
        assert!(!record.contains(text), "{text:?} is in the store");
    }
    let again = probity.args(["report", "1", "--json"]).run().code(0).json();
    assert_eq!(again["summary"]["entered"], 3);
    let warnings = again["summary"]["warnings"].to_string();
    assert!(warnings.contains("the store keeps digests"), "{warnings}");
}

#[test]
fn what_is_no_run_is_refused() {
    let probity = Probity::new().file("tickets.json", tickets(2));
    probity.args(["report"]).run().code(2).says(["there is no store at .probity/store.db"]);
    probity.args(["run", "-", "--judge", "baseline"]).stdin(tickets(2)).run().code(0);
    probity.args(["report", "1"]).run().code(0);
    probity.args(["report", "7"]).run().code(2).says(["has no run 7, expected a number or `last`"]);
    probity.args(["report", "--report", "a.html"]).run().code(2).says(["need a run: its number, or `last`"]);
}

#[test]
fn every_command_that_asks_a_judge_is_reported_again() {
    let label =
        |i| json!({ "item": format!("ticket-00{i}"), "criterion": "tone", "label": 4, "annotator": "ann" });
    let labels: Vec<String> = (1..=3).map(|i| label(i).to_string()).collect();
    let probity = Probity::new()
        .file("probity.toml", QUICK)
        .file("old.json", tickets(3))
        .file("new.json", tickets(3).replace("Reply", "Answer"))
        .file("labels.jsonl", labels.join("\n"));
    let calls: [&[&str]; 3] = [
        &["compare", "old.json", "new.json", "--resamples", "50"],
        &["calibrate", "old.json", "--labels", "labels.jsonl", "--resamples", "50"],
        &["probe", "--bases", "2", "--select", "repeat"],
    ];
    for (n, call) in calls.iter().enumerate() {
        let out = ["--judge", "baseline", "--output", "first.json"];
        probity.args([]).words(call.iter().copied().chain(out)).run().code(0);
        let record = store(&probity);
        let number = (n + 1).to_string();
        probity.args(["report", &number, "--output", "again.json"]).run().code(0);
        assert_eq!(probity.json("again.json"), probity.json("first.json"), "{call:?}");
        assert_eq!(store(&probity), record, "{call:?}");
    }
    let listed = probity.args(["report", "--json"]).run().code(0).json();
    let commands: Vec<&Value> =
        listed["runs"].as_array().unwrap().iter().map(|run| &run["command"]).collect();
    assert_eq!(commands, ["compare", "calibrate", "probe"]);
    probity.args(["diff", "1", "3"]).run().code(2).says(["did not score single replies"]);
    probity.args(["diff", "last", "last"]).run().code(2).says(["has no run last"]);
}

/// Puts a standing of the judge in `document` into the store, bound to all that makes it.
fn grant(probity: &Probity, document: &Value) {
    let store = Store::open(&probity.path(".probity/store.db")).expect("a store").store;
    let (judge, rubric) = (&document["judge"], &document["rubric"]);
    let judges = store.reader().and_then(|reader| reader.judges()).expect("judges");
    let (_, identity) = judges.iter().find(|(id, _)| judge["id"] == id.as_str()).expect("the judge");
    let identity: Value = serde_json::from_str(identity).expect("JSON");
    let part = |(name, value): (&String, &Value)| {
        (format!("judge.{name}"), json!(value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    };
    let mut parts: Map<String, Value> = identity.as_object().expect("members").iter().map(part).collect();
    parts.insert("rubric".to_owned(), rubric["hash"].clone());
    parts.insert("run.call_plan".to_owned(), json!("per_criterion"));
    let standing = json!({
        "v": 1, "judge": judge["id"], "kind": judge["kind"], "rubric": rubric["name"],
        "contract": ["desk", "1", "quality"], "granted": "2020-01-01", "until": null,
        "parts": parts, "sources": {}, "withdrawn": null,
    });
    store.note("standings", &json!([standing]).to_string()).expect("a note");
    store.close().expect("closed");
}

#[test]
fn a_past_run_says_what_its_judge_has_earned_by_now() {
    let probity = Probity::new()
        .file("probity.toml", QUICK)
        .file("old.json", tickets(3))
        .file("new.json", tickets(3).replace("Reply", "Answer"))
        .file("labels.jsonl", json!({ "item": "ticket-001", "criterion": "tone", "label": 4 }).to_string());
    let calls: [(&[&str], &str); 3] = [
        (&["compare", "old.json", "new.json", "--resamples", "50"], "pairwise-support"),
        (&["calibrate", "old.json", "--labels", "labels.jsonl", "--resamples", "50"], "relevance-tone"),
        (&["probe", "--bases", "2", "--select", "repeat"], "relevance-tone"),
    ];
    for (n, (call, rubric)) in calls.iter().enumerate() {
        let asked =
            || probity.args([]).words(call.iter().copied().chain(["--judge", "baseline"])).run().code(0);
        let json = probity.args([]).words(call.iter().copied().chain(["--judge", "baseline", "--json"]));
        grant(&probity, &json.run().code(0).json());
        let ran = asked();
        assert!(ran.stdout.contains("judge baseline (promoted)"), "{}", ran.stdout);
        let number = (n + 1).to_string();
        let reported = |want: &str, other: &str| {
            let kinds = ["html", "md", "xml", "json"].map(|kind| format!("again.{kind}"));
            let files = kinds.iter().flat_map(|file| ["--report", file]);
            let text = probity.args(["report", &number]).words(files).run().code(0).stdout;
            let files = kinds.map(|file| String::from_utf8(probity.bytes(&file)).unwrap());
            for text in files.iter().chain([&text]) {
                assert!(text.contains(want) && !text.contains(other), "{want} in {call:?}: {text}");
            }
        };
        reported("promoted on 2020-01-01 under contract desk 1", "it drifted");
        let revoke = ["promote", "--revoke", "it drifted", "--judge", "baseline", "--rubric", rubric];
        probity.args(revoke).run().code(0);
        reported("it drifted", "promoted on 2020");
    }
}

#[test]
fn runs_of_the_store_are_held_against_each_other() {
    let probity = Probity::new().file("old.json", tickets(4));
    probity.write("new.json", tickets(4).replace("Reply 2.", "The export number 2 is empty: reload it."));
    for name in ["old", "new"] {
        let (cases, out) = (format!("{name}.json"), format!("{name}-out.json"));
        probity.args(["run", &cases, "--judge", "baseline", "-o", &out]).run().code(0);
    }
    let stored = probity.args(["diff", "1", "last", "--json"]).run().code(0).json();
    let mut files = probity.args(["diff", "old-out.json", "new-out.json", "--json"]).run().code(0).json();
    files["before"]["file"] = json!("run 1");
    files["after"]["file"] = json!("run 2");
    assert_eq!(stored, files);
    assert_eq!(stored["changed"][0]["before"]["id"], "ticket-002");
    let mixed = probity.args(["diff", "old-out.json", "2"]).run().code(0).stdout;
    assert!(mixed.starts_with("old-out.json → run 2 · relevance-tone"), "{mixed}");
}

#[test]
fn every_round_is_asked_anew_and_kept_by_itself() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(3)).server(&server);
    probity.run_tickets([]).code(0);
    let check = probity.args(["check", "tickets.json", "--round", "2", "--json"]).run().code(0).json();
    assert_eq!((server.n_requests(), &check["calls"]), (6, &json!(6)));
    for _ in 0..2 {
        let ran = probity.run_tickets(["--round", "2"]).code(0);
        assert_eq!(server.n_requests(), 12, "{}", ran.stderr);
    }
    assert_eq!(probity.json("out.json")["summary"]["definition"]["round"], "2");
    assert_eq!(probity.args(["report", "--json"]).run().code(0).json()["runs"][1]["round"], 2);
    let first = probity.args(["report", "1", "--json"]).run().code(0).json();
    assert_eq!(
        (&first["summary"]["definition"]["round"], &first["summary"]["calls"]),
        (&Value::Null, &json!(6))
    );
    probity.run_tickets(["--round", "3", "--offline"]).code(3).says(["0.0 % of the admitted replies"]);
    probity.args(["run", "tickets.json", "--round", "0"]).run().code(2);
    assert_eq!(server.n_requests(), 12);
}

#[test]
fn an_anchor_alone_is_followed() {
    let probity = Probity::new().file("anchor.json", tickets(4));
    for round in ["1", "2"] {
        probity.args(["run", "anchor.json", "--judge", "baseline", "--round", round]).run().code(0);
    }
    let text = probity.args(["report", "--history"]).run().code(0).stdout;
    assert!(text.contains("run anchor.json · relevance-tone"), "{text}");
    assert!(text.contains("what moves here is the judge") && text.contains("2 runs"), "{text}");
}

#[test]
fn a_history_says_what_it_cannot_follow() {
    let probity = Probity::new().file("week-1.json", tickets(3)).file("anchor.json", tickets(4));
    probity.args(["run", "week-1.json", "--judge", "baseline"]).run().code(0);
    for round in ["1", "2"] {
        probity.args(["run", "anchor.json", "--judge", "baseline", "--round", round]).run().code(0);
    }
    let history = |words: &[&str]| probity.args(["report", "--history"]).words(words.iter().copied()).run();
    let text = history(&[]).code(0).stdout;
    assert!(text.contains("run week-#.json · relevance-tone"), "{text}");
    assert!(text.contains("anchor: anchor.json, 4 replies, 2 looks") && text.contains("too few"), "{text}");
    history(&["--rubric", "support-gold"]).code(2).says(["no run in the store uses the rubric support-gold"]);
    history(&["--anchor", "none.json"])
        .code(2)
        .says(["--anchor none.json: no run in the store used this file"]);
    history(&["--report", "a.xml"]).code(2).says(["a history cannot be written as test results"]);
    probity.args(["report", "1", "--history"]).run().code(2);
    probity.args(["report", "--anchor", "anchor.json"]).run().code(2);
    // What was looked at is on record, whatever becomes of the file.
    probity.write("anchor.json", tickets(5));
    assert_eq!(history(&[]).code(0).stdout, text);
}

const RUBRIC: &str = r#"
name = "mine"
version = "1"
title = "Mine"
[scale]
min = 1
max = 5
[[criterion]]
id = "help"
title = "Help"
question = "Does it help?"
[criterion.anchors]
1 = "useless"
2 = "little use"
3 = "some use"
4 = "good"
5 = "excellent"
"#;
