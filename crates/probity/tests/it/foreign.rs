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
        "inspect/log_formats.real.json",
        "deepeval/test_run_single_turn.json",
        "deepeval/test_run_multi_turn.json",
        "deepeval/test_run_sample.real.json",
        "deepeval/goldens.real.json",
        "deepeval/goldens_multi_turn.real.json",
        "openai-evals/output_items.page1.json",
        "openai-evals/output_items.page2.json",
        "openai-evals/dashboard-items.jsonl",
        "langfuse/trace-openai-agents.real.json",
        "langfuse/trace-pydantic-ai.real.json",
        "chat-transcripts/openai-chat.jsonl",
        "chat-transcripts/anthropic-request-response.jsonl",
        "chat-transcripts/anthropic-conversations.json",
        "chat-transcripts/tau-airline.real.json",
    ] {
        let probity = scored(&folder, &[name]);
        let out = export(&probity, "cases --original").code(0).stdout;
        let original = std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(values(&out), values(&original), "{name}");
    }
}

/// Scores that were written for traces, read again beside them, are what the results say: so a judge that says them
/// agrees in all.
#[test]
fn scores_written_for_traces_are_read_again_as_they_were() {
    let Some(folder) = bridges() else { return };
    for (name, format) in [
        ("otel-genai/otlp.json", "otlp"),
        ("otel-genai/otlp.jsonl", "otlp"),
        ("otel-genai/sdk-console.json", "otlp"),
        ("openinference/otlp.json", "otlp"),
        ("openinference/phoenix-spans.json", "otlp"),
        ("langfuse/observations-v2.json", "langfuse"),
        ("langfuse/trace-openai-agents.real.json", "langfuse"),
    ] {
        let probity = scored(&folder, &[name]);
        let written = export(&probity, &format!("results --format {format}")).code(0).stdout;
        let results = probity.json("out.json");
        let rows: Vec<&Value> = results["results"].as_array().unwrap().iter().collect();
        let labels: Vec<String> = rows.iter().filter_map(|row| {
            let label = row["accuracy"]["score"].as_i64()?.to_string();
            let (item, variant) = (&row["id"], &row["variant"]);
            let row = json!({ "item": item, "variant": variant, "criterion": "probity.accuracy", "annotator": "a", "label": label });
            Some(row.to_string())
        }).collect();
        let probity = probity.file("scores.jsonl", &written).file("labels.jsonl", labels.join("\n"));
        let file = folder.join(name).display().to_string();
        let words =
            ["calibrate", &file, "scores.jsonl", "--labels", "labels.jsonl", "--json", "--resamples", "50"];
        let json = probity.args(words).run().code(0).json();
        let judges = json["judges"].as_object().unwrap().iter();
        let (_, accuracy) =
            judges.into_iter().find(|(judge, _)| judge.ends_with(":probity.accuracy")).unwrap();
        assert_eq!(accuracy["n"], labels.len(), "{name}: {json}");
        assert_eq!(accuracy["agreement"]["value"], 1.0, "{name}: {json}");
        assert!(!labels.is_empty(), "{name}");
    }
}

/// Results are cases again, whatever they are written as.
#[test]
fn results_are_read_again_as_the_same_replies() {
    let Some(folder) = bridges() else { return };
    let names = [
        "promptfoo/rated.json",
        "parquet/support-replies.snappy.parquet",
        "helpdesk-csv/excel-de-semicolon.csv",
        "chat-transcripts/openai-chat.jsonl",
    ];
    for name in names {
        let probity = scored(&folder, &[name]);
        let replies = |probity: &Probity| -> Vec<Vec<Value>> {
            let results = probity.json("out.json");
            let row = |row: &Value| {
                ["id", "slice", "variant", "ticket", "reply"].map(|name| row[name].clone()).to_vec()
            };
            results["results"].as_array().unwrap().iter().map(row).collect()
        };
        let before = replies(&probity);
        for form in ["csv", "jsonl", "parquet", "promptfoo"] {
            let format = if form == "promptfoo" { " --format promptfoo" } else { "" };
            export(&probity, &format!("results 1{format} --output again.{form}")).code(0);
            probity
                .args(["run", &format!("again.{form}"), "--judge", "baseline", "--rubric", "support-gold"])
                .words(["--min-coverage", "0", "--output", "out.json"].into_iter())
                .run()
                .code(0);
            assert_eq!(replies(&probity), before, "{name} as {form}");
        }
        export(&probity, "cases 1 --output cases.jsonl").code(0);
        let again = probity
            .args(["check", "cases.jsonl", "--judge", "baseline", "--rubric", "support-gold", "--json"]);
        assert_eq!(again.run().code(0).json()["calls"], 0, "{name}: the packets are the same");
    }
}

/// A results file of promptfoo with a row for each case of `lines`, scored by the length of the reply.
fn scored_by_length(lines: &str) -> String {
    let row = |(at, line): (usize, &str)| {
        let case: Value = serde_json::from_str(line).unwrap();
        let n = case["reply"].as_str().unwrap().len();
        let component =
            json!({ "pass": n > 60, "score": n, "assertion": { "type": "llm-rubric", "metric": "length" } });
        json!({
            "testIdx": at, "promptIdx": 0, "provider": { "id": "bot" }, "failureReason": 0,
            "vars": { "ticket": case["ticket"] }, "response": { "output": case["reply"] },
            "gradingResult": { "componentResults": [component] },
        })
    };
    let rows: Vec<Value> = lines.lines().enumerate().map(row).collect();
    json!({ "results": { "version": 3, "results": rows } }).to_string()
}

#[test]
fn records_of_another_judge_show_the_probes_that_are_in_them() {
    let probity = Probity::new();
    let write = [
        "probe", "--write", "replies.jsonl", "--select", "length", "--select", "apology", "--select", "empty",
    ];
    let written = probity.args(write).words(["--select", "repeat"].into_iter()).run().code(0).stdout;
    assert!(written.contains("replies to 30 cases"), "{written}");
    probity.args(["probe", "replies.jsonl", "--write", "replies.jsonl"]).run().code(2).says(["--write"]);
    probity.write("results.json", scored_by_length(&probity.text("replies.jsonl")));
    let ran = probity.args(["probe", "results.json", "--json"]).run().code(0);
    let judge = &ran.json()["judges"]["promptfoo:length"];
    let probes = judge["probes"].as_array().unwrap();
    let result = |name: &str| {
        let probe = probes.iter().find(|probe| probe["name"] == name).unwrap();
        (probe["result"].as_str().unwrap().to_owned(), probe["bases"].as_u64().unwrap())
    };
    assert_eq!(result("same_information_padding"), ("fail".to_owned(), 30), "{judge}");
    assert_eq!(result("apology"), ("pass".to_owned(), 30), "its control is as long");
    assert_eq!(result("same_packet_again"), ("pass".to_owned(), 30));
    assert_eq!(result("lone_colon"), ("pass".to_owned(), 30), "what is that short does not pass");
    assert_eq!(result("plain_plea"), ("not_applicable".to_owned(), 0));
    assert_eq!(result("position_swap"), ("not_applicable".to_owned(), 0));
    let text = probity.args(["probe", "results.json", "--enforce"]).run().code(1).stdout;
    assert!(text.contains("no reply stands in the records with and without this change"), "{text}");
    assert!(!probity.path(".probity").exists(), "nobody was asked");
    let pairwise = ["probe", "results.json", "--rubric", "pairwise-support"];
    probity.args(pairwise).run().code(2).says(["compares two replies"]);
}

#[test]
fn pairs_on_record_show_whether_the_slot_decides() {
    let row = |at: usize, ba: &str| json!({ "item": at.to_string(), "judge": "j", "verdict_ab": "a", "verdict_ba": ba });
    let rows: Vec<String> = (0..40).map(|at| row(at, if at < 30 { "b" } else { "a" }).to_string()).collect();
    let probity = Probity::new().file("verdicts.jsonl", rows.join("\n"));
    let json = probity.args(["probe", "--verdicts", "verdicts.jsonl", "--json"]).run().code(0).json();
    let probe = &json["judges"]["j"]["probes"][0];
    assert_eq!([&probe["name"], &probe["result"]], ["swapped_pairs", "fail"], "{probe}");
    assert_eq!([&probe["bases"], &probe["violations"]], [40, 30]);
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
    let compared = probity.args(["compare", &file, "--json", "--resamples", "50"]).run().code(0).json();
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
    probity.args(["calibrate", &unlabelled]).run().code(2).says(["no human labels", "probity review"]);
    let phoenix = ["phoenix-spans.json", "phoenix-span-annotations.json"]
        .map(|name| folder.join("openinference").join(name).display().to_string());
    let phoenix = probity.args(["calibrate", &phoenix[0], &phoenix[1]]).run().code(2);
    phoenix.says(["no judge can be compared with the labels", "--pass-at"]);
    let langfuse = ["observations-v2.json", "scores-v3.json"]
        .map(|name| folder.join("langfuse").join(name).display().to_string());
    let compared = probity.args(["compare", &langfuse[0], &langfuse[1], "--resamples", "50"]).run().code(0);
    assert!(compared.stdout.contains("of which the order is not known"), "{}", compared.stdout);
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
