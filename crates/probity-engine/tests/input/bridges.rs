//! Sample files of help desks and of Parquet: the cases and counts that were found by a reader that shares no code with
//! this one. They are read from the folder that `PROBITY_BRIDGES` names and are no part of this repository.

#[path = "../support/skipped.rs"]
mod skipped;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use probity_core::case::{Case, Situation, Slice, Variant};
use probity_engine::input::{Annotated, Beside, Dataset, LoadOptions, Record, Unanswered};
use serde_json::{Value, json};

const BRIDGES: &str = "PROBITY_BRIDGES";

fn folder(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(BRIDGES);
    if folder.is_none() {
        skipped::skipped(&format!("samples of {name}"), &format!("{BRIDGES} is not set"));
    }
    folder.map(|folder| Path::new(&folder).join(name))
}

fn read(path: &Path, map: &str) -> Vec<Annotated> {
    let map = map.parse().expect("a mapping");
    let options = LoadOptions { map, unanswered: Unanswered::Take, ..LoadOptions::default() };
    let dataset = Dataset::open(&[path.to_owned()], options)
        .unwrap_or_else(|error| panic!("{error}: {:?}", error.hint));
    dataset.annotated().expect("a pass").map(|record| record.expect("a record")).collect()
}

/// What people said, as `expected.cases.jsonl` has it.
fn labels(beside: Option<&Beside>) -> Vec<Value> {
    let labels = beside.into_iter().flat_map(|beside| &beside.labels);
    labels.map(|label| json!({ "annotator": label.annotator, "label": label.label.as_str() })).collect()
}

fn turns(case: &Case) -> Vec<Value> {
    match &case.situation {
        Situation::Ticket(text) => vec![json!({ "role": "customer", "text": &**text })],
        Situation::Conversation(turns) => {
            turns.iter().map(|turn| json!({ "role": turn.role.name(), "text": &*turn.text })).collect()
        }
    }
}

/// The counts of `expected.json` that records of cases decide.
fn counts(records: &[Annotated]) -> Value {
    let (mut cases, mut slices, mut variants) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut n_replies, mut n_turns, mut n_references, mut n_evidence) = (0, 0, 0, 0);
    let (mut n_outcomes, mut n_labels, mut n_tools) = (0, 0, 0);
    let (mut no_reply, mut skipped) = (Vec::new(), Vec::new());
    for Annotated { record, beside } in records {
        n_labels += labels(beside.as_deref()).len();
        let case = match record {
            Record::Skipped(record) => {
                skipped.extend(record.id.clone());
                continue;
            }
            Record::Unanswered { case, .. } => {
                no_reply.push(case.id.to_string());
                case
            }
            Record::Entry { entry, .. } => {
                n_replies += 1;
                n_turns += turns(&entry.case).len();
                variants.extend(entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned()));
                &entry.case
            }
        };
        n_outcomes += case.outcomes.len();
        n_tools += case.evidence.tools.len();
        n_references += usize::from(case.reference.is_some());
        n_evidence += case.evidence.sources.len() + case.evidence.context.len();
        cases.insert(case.id.to_string());
        slices.extend(case.slice.as_ref().map(|slice| slice.as_str().to_owned()));
    }
    json!({
        "cases": cases.len(), "replies": n_replies, "variants": variants, "slices": slices, "turns": n_turns,
        "references": n_references, "evidence": n_evidence, "no_reply": no_reply, "skipped": skipped.len(),
        "outcomes": n_outcomes, "labels": n_labels, "tool_calls": n_tools,
    })
}

/// The same counts as `expected.json` has them.
fn wanted(expected: &Value) -> Value {
    let ids = |name: &str| -> Vec<&Value> {
        expected[name].as_array().expect("a list").iter().map(|item| &item["id"]).collect()
    };
    let mut wanted = json!({ "no_reply": ids("no_reply"), "skipped": ids("skipped").len() });
    for name in [
        "cases", "replies", "variants", "slices", "turns", "references", "evidence", "outcomes", "labels",
        "tool_calls",
    ] {
        wanted[name] = expected[name].clone();
    }
    wanted
}

/// What a case holds, as `expected.cases.jsonl` has it.
fn held(records: &[Annotated]) -> Vec<Value> {
    let entries = records.iter().filter_map(|annotated| match &annotated.record {
        Record::Entry { entry, .. } => Some((entry, annotated.beside.as_deref())),
        _ => None,
    });
    let mut held: Vec<Value> = entries
        .map(|(entry, beside)| {
            let outcomes: Vec<Value> =
                entry.case.outcomes.iter().map(|(kind, value)| json!({ kind.as_str(): value })).collect();
            let slice = entry.case.slice.as_ref().map(Slice::as_str);
            let variant = entry.reply.variant.as_ref().map(Variant::as_str);
            json!({
                "id": entry.case.id.as_str(), "reference": entry.case.reference, "reply": &*entry.reply.text,
                "slice": slice, "turns": turns(&entry.case), "variant": variant, "outcomes": outcomes,
                "labels": labels(beside),
            })
        })
        .collect();
    held.sort_by_key(ToString::to_string);
    held
}

fn wanted_cases(folder: &Path, file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("expected.cases.jsonl")).expect("expected cases");
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a case"));
    let mut wanted: Vec<Value> = cases
        .filter(|case| case["file"] == file && !case["reply"].is_null())
        .map(|case| {
            let names = ["id", "reference", "reply", "slice", "turns", "variant", "outcomes", "labels"];
            names
                .iter()
                .map(|name| ((*name).to_owned(), case[*name].clone()))
                .collect::<serde_json::Map<_, _>>()
                .into()
        })
        .collect();
    wanted.sort_by_key(ToString::to_string);
    wanted
}

#[track_caller]
fn check(name: &str, file: &str, map: &str) {
    let Some(folder) = folder(name) else { return };
    let expected = std::fs::read_to_string(folder.join("expected.json")).expect("expected counts");
    let expected: Value = serde_json::from_str(&expected).expect("JSON");
    let records = read(&folder.join(file), map);
    assert_eq!(counts(&records), wanted(&expected["files"][file]), "{file}");
    let (held, wanted) = (held(&records), wanted_cases(&folder, file));
    for (held, wanted) in held.iter().zip(&wanted) {
        assert_eq!(held, wanted, "{file}");
    }
    assert_eq!(held.len(), wanted.len(), "{file}");
}

#[test]
fn help_desk_tables_are_read_by_themselves() {
    check("helpdesk-csv", "excel-de-semicolon.csv", "");
    check("helpdesk-csv", "excel-de-windows-1252.csv", "");
    check("helpdesk-csv", "hubspot-tickets.csv", "");
    check("helpdesk-csv", "messages-long.csv", "");
}

#[test]
fn an_export_without_messages_says_so() {
    let Some(folder) = folder("helpdesk-csv") else { return };
    let open = |file: &str| {
        Dataset::open(&[folder.join(file)], LoadOptions::default()).expect_err("no reply").to_string()
    };
    assert!(open("zendesk-tickets.csv").ends_with("found no columns with the customer's text, the reply"));
    assert!(open("hubspot-tickets.csv").ends_with("found no column with the reply"));
}

#[test]
fn parquet_is_read_like_the_same_records_as_json() {
    check("parquet", "support-replies.snappy.parquet", "");
    check("parquet", "other-types.gzip.parquet", "");
    check("parquet", "hf-viewer-rows.json", "label=label");
    check("parquet", "hf-conversations.parquet", HF_CONVERSATIONS);
}

const HF_CONVERSATIONS: &str = "variant='trial-'+trial,label=human_rating,outcome=outcome";
