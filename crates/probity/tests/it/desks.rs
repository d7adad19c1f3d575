//! Help desks, in and out: what comes back is what went in but for what is private, which is in no file at all.
//!
//! Samples are read from the folder that `PROBITY_BRIDGES` names; the small ones are made up here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::binary::Probity;
use crate::foreign::{bridges, export, values};

const FLAGS: &[&str] =
    &["--judge", "baseline", "--rubric", "support-gold", "--min-coverage", "0", "--output", "out.json"];

/// The files of each sample, of which a folder stands for all files in it.
const SAMPLES: &[&[&str]] = &[
    &["zendesk/tickets.json", "zendesk/comments", "zendesk/users.json", "zendesk/satisfaction_ratings.json"],
    &["zendesk/export.ndjson"],
    // The real ones have no reply by an agent, and no run without one.
    &["zendesk/export.ndjson", "zendesk/tickets.real.json", "zendesk/ticket_comments.real.json"],
    &["intercom/conversations.json"],
    &["intercom/conversations.json", "intercom/conversation.real.json"],
    &["freshdesk/tickets-with-conversations.json", "freshdesk/satisfaction_ratings.json"],
    &["freshdesk/ticket_1.real.json", "freshdesk/conversations.real.json"],
];

fn listed(root: &Path, names: &[&str]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for path in names.iter().map(|name| root.join(name)) {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            paths.extend(entries.collect::<BTreeSet<_>>());
        } else {
            paths.push(path);
        }
    }
    paths
}

fn run(probity: &Probity, paths: &[PathBuf]) -> Option<i32> {
    let paths = paths.iter().map(|path| path.to_str().unwrap());
    probity.args(["run"]).words(paths.chain(FLAGS.iter().copied())).run().code
}

/// Notes, and the mail addresses of agents.
fn private(json: &Value, found: &mut Vec<String>) {
    for item in json.as_array().into_iter().flatten() {
        private(item, found);
    }
    let Some(members) = json.as_object() else { return };
    let kind = ["role", "type"].map(|name| json[name].as_str().unwrap_or_default());
    if kind.iter().any(|kind| matches!(*kind, "agent" | "admin" | "bot" | "team")) {
        found.extend(json["email"].as_str().map(str::to_owned));
    }
    if is_note(json) {
        found.extend(
            ["body", "html_body", "body_text"]
                .iter()
                .filter_map(|name| Some(json[name].as_str()?.to_owned())),
        );
    }
    members.values().for_each(|value| private(value, found));
}

fn is_note(json: &Value) -> bool {
    let is_noted = json["part_type"].as_str().is_some_and(|kind| kind.starts_with("note"));
    json["public"] == json!(false) || json["private"] == json!(true) || is_noted
}

/// A document without notes, and with a mask for the addresses of agents.
fn public(json: &Value, private: &[String]) -> Value {
    match json {
        Value::Array(items) => {
            items.iter().filter(|item| !is_note(item)).map(|item| public(item, private)).collect()
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), public(value, private))).collect()
        }
        Value::String(text) => {
            let addresses = private.iter().filter(|text| text.contains('@') && !text.contains(' '));
            let masked =
                addresses.fold(text.clone(), |text, one| text.replace(one.as_str(), "[an agent's address]"));
            masked.replace("Agent <agent@example.com>", "Agent <[an agent's address]>").into()
        }
        other => other.clone(),
    }
}

#[test]
fn what_a_help_desk_gave_goes_back_without_what_is_private() {
    let Some(root) = bridges() else { return };
    for names in SAMPLES {
        let paths = listed(&root, names);
        let probity = Probity::new();
        assert_eq!(run(&probity, &paths), Some(0), "{names:?}");
        let texts = paths.iter().map(|path| values(&std::fs::read_to_string(path).unwrap()));
        let originals: Vec<Value> = texts.collect();
        let mut secret = Vec::new();
        for original in &originals {
            private(original, &mut secret);
        }
        let output = if paths.len() == 1 { "back.json" } else { "back" };
        let said = export(&probity, &format!("cases --original --json --output {output}")).code(0).json();
        let back: Vec<PathBuf> = said["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| probity.path(file.as_str().unwrap()))
            .collect();
        assert_eq!(back.len(), paths.len(), "{said}");
        for (path, original) in paths.iter().zip(&originals) {
            let name = path.file_name().unwrap();
            let out = if back.len() == 1 {
                &back[0]
            } else {
                back.iter().find(|back| back.ends_with(name)).unwrap()
            };
            let (mut got, mut want) =
                (values(&std::fs::read_to_string(out).unwrap()), public(original, &secret));
            // The text of a first comment that is not there may be that of a private one.
            for (got, want) in tickets(&mut got).zip(tickets(&mut want)) {
                if got.get("description").is_none() && ["35092", "2", "3"].contains(&&*want["id"].to_string())
                {
                    want.remove("description");
                }
            }
            assert_eq!(got, want, "{}", path.display());
        }
        let n_notes: usize = originals.iter().map(n_notes).sum();
        assert_eq!(said["left_out"]["private_notes"], n_notes, "{names:?}: {said}");
        same_cases_again(&probity, &back);
        nothing_of(&secret, &probity);
    }
}

fn tickets(json: &mut Value) -> impl Iterator<Item = &mut serde_json::Map<String, Value>> {
    let json = if json["tickets"].is_array() { &mut json["tickets"] } else { json };
    json.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut)
}

fn n_notes(json: &Value) -> usize {
    let inside = |value: &Value| match value {
        Value::Array(items) => items.iter().map(n_notes).sum(),
        Value::Object(members) => members.values().map(n_notes).sum(),
        _ => 0,
    };
    usize::from(is_note(json)) + inside(json)
}

/// What was written back is read as the same cases.
fn same_cases_again(probity: &Probity, back: &[PathBuf]) {
    let cases = export(probity, "cases").code(0);
    let again = Probity::new();
    assert_eq!(run(&again, back), Some(0));
    assert_eq!(export(&again, "cases").code(0).stdout, cases.stdout);
}

/// No file of the folder and no export has any of these texts.
fn nothing_of(secret: &[String], probity: &Probity) {
    let is_in = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    for what in ["cases", "replies", "packets", "answers", "results"] {
        probity.write(&format!("exported.{what}"), export(probity, what).code(0).stdout);
    }
    for form in ["csv", "otlp", "promptfoo", "langfuse", "parquet"] {
        let output = format!("results --format {form} --output exported.{form}");
        export(probity, &output).code(0);
    }
    for file in probity.files() {
        let bytes = std::fs::read(&file).unwrap();
        for text in secret {
            assert!(!is_in(&bytes, text), "{}: {text:?}", file.display());
            let escaped = json!(text).to_string();
            assert!(!is_in(&bytes, escaped.trim_matches('"')), "{}: {text:?}", file.display());
        }
    }
}

/// The incremental export of Zendesk, with audits and users around the tickets.
const INCREMENTAL: &str = r#"{"tickets":[{"id":7,"requester_id":1,"submitter_id":9,"assignee_id":9,"description":"margin is 12 EUR","brand_id":1.50,"comments":[
{"id":1,"author_id":9,"public":false,"created_at":"1","body":"margin is 12 EUR"},
{"id":2,"author_id":1,"public":true,"created_at":"2","body":"Where is it?"},
{"id":3,"author_id":9,"public":true,"created_at":"3","body":"It is late. Yours, Sam, sam@desk.example"},
{"id":4,"author_id":5,"public":true,"created_at":"4","body":"I will ask the courier."}]}],
"users":[{"id":1,"role":"end-user","verified":true,"time_zone":"x","email":"ann@example.com"},{"id":9,"role":"agent","verified":true,"time_zone":"x","email":"sam@desk.example"}],
"last_audits":[{"id":3,"events":[{"public":false,"body":"margin is 12 EUR"}]}],"after_cursor":"MTU3","end_of_stream":true}"#;

#[test]
fn the_frame_of_an_export_comes_back_and_counts_are_said() {
    let probity = Probity::new().file("export.json", INCREMENTAL);
    let ran = probity.args(["run", "export.json"]).words(FLAGS.iter().copied()).run();
    assert!(ran.stderr.contains("read as an agent's: 1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("private notes left out: 1"), "{}", ran.stderr);
    let out = export(&probity, "cases --original").code(0);
    let said = "1 private note was left out; agents' mail addresses were replaced in 2 texts; not known to be public and \
                left out: description 1, last_audits 1";
    assert!(out.stderr.contains(said), "{}", out.stderr);
    let back: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!([&back["after_cursor"], &back["end_of_stream"]], [&json!("MTU3"), &json!(true)], "{back}");
    assert_eq!(back["users"].as_array().unwrap().len(), 2, "{back}");
    assert_eq!(back["users"][0]["email"], "ann@example.com", "a customer's address is the customer's");
    assert!(out.stdout.contains("\"brand_id\":1.50"), "numbers keep their digits: {}", out.stdout);
    let said = export(&probity, "cases --json --output native.jsonl").code(0).json();
    assert_eq!(said["left_out"]["private_notes"], 1, "{said}");
    export(&probity, "cases --json").code(2).says(["--output"]);
    std::fs::remove_file(probity.path("export.json")).unwrap();
    nothing_of(&["margin is 12".to_owned(), "sam@desk.example".to_owned()], &probity);
}

#[test]
fn digests_reach_what_is_kept_of_a_help_desk() {
    let settings = "[store]\ntexts = \"digest\"\n";
    let probity = Probity::new().file("export.json", INCREMENTAL).file("probity.toml", settings);
    assert_eq!(run(&probity, &[probity.path("export.json")]), Some(0));
    let out = export(&probity, "cases --original").code(0).stdout;
    assert!(out.contains("blake3:"), "{out}");
    let texts = ["Where is it?", "It is late", "ann@example.com", "MTU3"].map(str::to_owned);
    let store = probity.files().into_iter().filter(|file| file.starts_with(probity.path(".probity")));
    for file in store {
        let bytes = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let packets = ["Where is it?", "It is late"];
        for text in texts.iter().filter(|text| !packets.contains(&text.as_str())) {
            assert!(!bytes.contains(text.as_str()), "{}: {text}", file.display());
        }
    }
    assert!(texts.iter().all(|text| !out.contains(text.as_str())), "{out}");
}
