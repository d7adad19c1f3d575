//! Other tools' files, in and out: their judges, their people, and what is written back.
//!
//! Samples are read from the folder that `PROBITY_BRIDGES` names.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

/// The folder of samples, or a line that says that there is none.
pub(crate) fn bridges() -> Option<PathBuf> {
    let folder = std::env::var_os("PROBITY_BRIDGES").map(PathBuf::from);
    if folder.is_none() {
        crate::skipped("other tools' files", "PROBITY_BRIDGES does not name the folder of samples");
    }
    folder
}

/// A run over samples by the embedded judge.
fn scored(folder: &std::path::Path, names: &[&str]) -> Probity {
    let probity = Probity::new();
    let paths: Vec<String> = names.iter().map(|name| folder.join(name).display().to_string()).collect();
    let flags =
        ["--judge", "baseline", "--rubric", "support-gold", "--min-coverage", "0", "--output", "out.json"];
    probity.args(["run"]).words(paths.iter().map(String::as_str).chain(flags)).run().code(0);
    probity
}

pub(crate) fn export(probity: &Probity, words: &str) -> Ran {
    probity.args(["export"]).words(words.split(' ')).run()
}

/// The values of a JSON document, or of JSON lines.
pub(crate) fn values(text: &str) -> Value {
    serde_json::from_str(text)
        .unwrap_or_else(|_| text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect())
}

#[test]
fn what_came_in_goes_out_value_for_value() {
    let Some(folder) = bridges() else { return };
    for name in [
        "promptfoo/results.json",
        "promptfoo/rated.json",
        "promptfoo/results.jsonl",
        "promptfoo/sample-export.real.json",
        "inspect/support-v2.json",
        "deepeval/test_run_single_turn.json",
        "openai-evals/output_items.page1.json",
        "openai-evals/dashboard-items.jsonl",
        "chat-transcripts/openai-chat.jsonl",
        "chat-transcripts/anthropic-request-response.jsonl",
    ] {
        let probity = scored(&folder, &[name]);
        let out = export(&probity, "cases --original").code(0).stdout;
        let original = std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(values(&out), values(&original), "{name}");
    }
}

#[test]
fn promptfoo_gets_its_rows_back_with_the_verdicts_added() {
    let Some(folder) = bridges() else { return };
    let probity = scored(&folder, &["promptfoo/rated.json"]);
    let out = values(&export(&probity, "results --format promptfoo").code(0).stdout);
    let mut original = values(&std::fs::read_to_string(folder.join("promptfoo/rated.json")).unwrap());
    let rows = original["results"]["results"].as_array_mut().unwrap();
    assert_eq!(out["results"]["results"].as_array().unwrap().len(), rows.len(), "rows without a reply too");
    for (row, out) in rows.iter_mut().zip(out["results"]["results"].as_array().unwrap()) {
        let components =
            |row: &Value| row["gradingResult"]["componentResults"].as_array().cloned().unwrap_or_default();
        let (had, has) = (components(row), components(out));
        assert_eq!(had, has[..had.len()], "what was there stays");
        let added = has[had.len()..].iter().map(|one| one["assertion"]["metric"].as_str().unwrap());
        assert!(added.into_iter().all(|name| name.starts_with("probity:")), "{has:?}");
    }
    assert_eq!(out["config"], original["config"]);
    assert_eq!(out["results"]["stats"], original["results"]["stats"]);
}

#[test]
fn langfuse_gets_scores_of_the_traces_that_replies_came_from() {
    let Some(folder) = bridges() else { return };
    let probity = scored(&folder, &["langfuse/observations-v2.json", "langfuse/scores-v3.json"]);
    let text = export(&probity, "results --format langfuse").code(0).stdout;
    let bodies: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(bodies.len() > 9, "{text}");
    for body in &bodies {
        assert_eq!(body["traceId"].as_str().unwrap().len(), 32, "{body}");
        assert!(body["name"].as_str().unwrap().starts_with("probity."), "{body}");
        assert_eq!(body["metadata"]["standing"], "advisory");
        let is_number = body["dataType"] == "NUMERIC" && body["value"].is_number();
        assert!(is_number || body["dataType"] == "CATEGORICAL" && body["value"].is_string(), "{body}");
    }
    let ids: std::collections::BTreeSet<&str> =
        bodies.iter().map(|body| body["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), bodies.len(), "each score has an id of its own");
    assert_eq!(export(&probity, "results --format langfuse").stdout, text, "sent again, it replaces itself");
    export(&probity, "cases --original").code(2).says(["--format langfuse"]);
}

#[test]
fn evaluation_events_hang_on_the_spans_they_are_about() {
    let Some(folder) = bridges() else { return };
    let probity = scored(&folder, &["otel-genai/otlp.json"]);
    let out = values(&export(&probity, "results --format otlp").code(0).stdout);
    let original = std::fs::read_to_string(folder.join("otel-genai/otlp.json")).unwrap();
    let records = out["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap();
    let of_replies: Vec<&Value> = records.iter().filter(|record| !record["spanId"].is_null()).collect();
    assert!(of_replies.len() >= 8, "{out}");
    for record in of_replies {
        assert!(original.contains(record["spanId"].as_str().unwrap()), "{record}");
        assert!(original.contains(record["traceId"].as_str().unwrap()), "{record}");
    }
}

#[test]
fn is_the_judge_you_have_any_good() {
    let Some(folder) = bridges() else { return };
    let file = folder.join("promptfoo/rated.json").display().to_string();
    let probity = Probity::new();
    let json = probity.args(["calibrate", &file, "--json", "--resamples", "50"]).run().code(0).json();
    let helpful = &json["judges"]["promptfoo:helpful"];
    assert_eq!([&helpful["n"], &helpful["agreement"]["n"]], [&json!(3), &json!(3)], "{json}");
    assert!((helpful["agreement"]["value"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{helpful}");
    assert!(!probity.path(".probity").exists(), "nobody was asked");
    let compared =
        probity.args(["compare", "--verdicts", &file, "--json", "--resamples", "50"]).run().code(0).json();
    let text = compared.to_string();
    assert!(text.contains("promptfoo:helpful") && text.contains("bot-v2"), "{text}");
    probity.args(["import", "labels", &file]).run().code(0);
    let labels = export(&probity, "labels").code(0).stdout;
    assert_eq!(labels.lines().count(), 4, "people's ratings and no score: {labels}");
    let own = [
        "calibrate", &file, "--judge", "baseline", "--rubric", "support-gold", "--json", "--resamples", "50",
    ];
    assert_eq!(
        probity.args(own).run().json()["judge"]["kind"],
        "baseline",
        "a judge of ours by the same labels"
    );
    let unlabelled = folder.join("deepeval/test_run_single_turn.json").display().to_string();
    probity.args(["calibrate", &unlabelled]).run().code(2).says(["no label of a person"]);
    let draft = probity.args(["rubric", "draft", &file]).run().code(0).stdout;
    assert!(draft.contains("Answers the question with facts from the policy and is polite"), "{draft}");
    probity.write("draft.toml", &draft);
    probity.args(["rubric", "check", "draft.toml"]).run().code(0);
}

#[test]
fn every_file_with_graders_drafts_a_rubric() {
    let Some(folder) = bridges() else { return };
    let polite = "Answers the question with facts from the policy and is polite";
    for (name, asked) in [
        ("promptfoo/promptfooconfig.yaml", polite),
        ("promptfoo/results.json", polite),
        ("openai-evals/output_items.page1.json", "Grade the reply from 0 to 1."),
        ("openai-evals/dashboard-items.jsonl", "in respect of Helpfulness?"),
        ("deepeval/test_run_single_turn.json", "in respect of Grounded?"),
        ("inspect/support-v2.json", "in respect of grounded?"),
        ("chat-transcripts/tau-airline.real.json", "in respect of reward?"),
    ] {
        let probity = Probity::new();
        let file = folder.join(name).display().to_string();
        let draft = probity.args(["rubric", "draft", &file]).run().code(0).stdout;
        assert!(draft.contains(asked), "{name}: {draft}");
        probity.write("draft.toml", &draft);
        probity.args(["rubric", "check", "draft.toml"]).run().code(0);
    }
    let none = folder.join("chat-transcripts/openai-chat.jsonl").display().to_string();
    Probity::new().args(["rubric", "draft", &none]).run().code(2).says(["expected results of another tool"]);
}

#[test]
fn passes_are_held_against_what_customers_said() {
    let Some(folder) = bridges() else { return };
    let probity = scored(&folder, &["zendesk/export.ndjson"]);
    let results = probity.json("out.json");
    let csat = &results["summary"]["customer_outcomes"]["csat"];
    assert_eq!(csat["n"], 2, "{results}");
    assert_eq!(csat["phi"], json!(null), "two replies are too few");
    assert!(
        csat["good_when_passed"]["n"].is_number() || csat["good_when_not_passed"]["n"].is_number(),
        "{csat}"
    );
    assert!(!export(&probity, "packets").stdout.contains("satisfaction"), "no outcome is in a packet");
}

#[test]
fn digests_reach_what_is_kept() {
    let Some(folder) = bridges() else { return };
    let probity = Probity::new().file("probity.toml", "[store]\ntexts = \"digest\"\n");
    let file = folder.join("promptfoo/results.json").display().to_string();
    let flags = ["--judge", "baseline", "--min-coverage", "0"];
    probity.args(["run", &file]).words(flags.into_iter()).run().code(0);
    let out = export(&probity, "cases --original").code(0).stdout;
    assert!(out.contains("blake3:") && !out.contains("desk lamp"), "{out}");
}
