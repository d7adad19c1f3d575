//! The JSON Schemas of all documents: current, and true of what the golden cases wrote.
//!
//! Documents that are one type have their schema from it. Those that commands still put together have the members
//! that others rely on in a table. `UPDATE_EXPECT=1` writes the files in `docs/schemas`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use expect_test::expect_file;
use probity_core::diff::DifferenceDocument;
use probity_core::report::Timeline;
use probity_core::results::{JudgeRecord, RubricName, RunResults, Skipped, Tokens};
use probity_core::stats::Estimate;
use probity_core::succeed::Succession;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::batch::{BatchList, ImportReport, RequestsWritten};
use super::doctor::Checkup;
use super::models::ModelList;
use super::policy::PolicyCheck;
use super::rubric_diff::RubricDiffDocument;
use crate::args::Cli;
use crate::runs::list::RunList;

/// A member and what it is: a type of JSON or one of [`shape`]'s names; `?` behind it where it may be null, `*` where it
/// may be missing.
type Member = (&'static str, &'static str);

/// What every document of a command that asks says about the judge and the calls.
const ASKED: &[Member] = &[
    ("judge", "judge*"),
    ("rubric", "rubric*"),
    ("calls", "integer*"),
    ("calls_lost", "integer*"),
    ("tokens", "tokens*"),
    ("cost_usd", "number?*"),
    ("warnings", "array*"),
    ("skipped", "skipped"),
];

const COMPARE: &[Member] = &[
    ("pairs", "integer"),
    ("judged", "integer"),
    ("status", "counts"),
    ("policy", "object"),
    ("win_rate", "estimates?"),
    ("length_difficulty_win_rate", "estimates?"),
    ("length_slice_win_rate", "estimates?"),
    ("length_only_win_rate", "estimates?"),
    ("first_slot_lean", "estimate?"),
    ("by_slice", "object?"),
    ("judges", "object"),
    ("people", "object?"),
    ("judge_tests", "array"),
    ("review", "array"),
    ("decision", "object?"),
    ("seed", "integer"),
    ("resamples", "integer"),
    ("comparisons", "array*"),
    ("gate", "object*"),
];

const CALIBRATE: &[Member] = &[
    ("judges", "object"),
    ("human_human", "object"),
    ("baselines", "object?"),
    ("scale", "object"),
    ("labels", "object"),
    ("policy", "object"),
    ("seed", "integer"),
    ("resamples", "integer"),
    ("notices", "array"),
    ("n", "integer*"),
    ("agreement", "figure*"),
    ("cohen_kappa", "figure*"),
    ("krippendorff_alpha", "figure*"),
    ("by_slice", "object*"),
    ("weak_slices", "array*"),
    ("coverage", "object*"),
    ("gate", "object*"),
];

const PROBE: &[Member] = &[
    ("form", "string*"),
    ("battery", "string*"),
    ("seed", "integer*"),
    ("tolerance", "number*"),
    ("confidence", "number*"),
    ("bases", "counts*"),
    ("only", "array*"),
    ("probes", "array*"),
    ("failed", "array*"),
    ("inconclusive", "array*"),
    ("gate", "string*"),
    ("call_plan", "string*"),
    ("judges", "object*"),
];

const PROMOTE: &[Member] = &[
    ("unmet", "array"),
    ("checked", "array"),
    ("standing", "string"),
    ("standing_reason", "string"),
    ("met", "boolean"),
    ("recorded", "boolean"),
    ("contract", "object"),
    ("judge", "object"),
    ("as_of", "string"),
    ("valid_until", "string?"),
    ("bound", "object"),
    ("report", "object"),
];

const CHECK: &[Member] = &[
    ("records", "integer"),
    ("skipped", "integer"),
    ("blocked", "integer"),
    ("admitted", "integer"),
    ("no_reply", "integer"),
    ("packets", "integer"),
    ("calls", "integer"),
    ("oversize", "integer"),
    ("oversize_cases", "array"),
    ("tokens", "counts"),
    ("cost_usd_expected", "number?"),
    ("cost_usd_longest", "number?*"),
    ("cost_usd_max", "number?"),
    ("expected_from", "object*"),
    ("savings", "array*"),
    ("stages", "array*"),
    ("shows", "object?"),
    ("targets", "array"),
    ("requests", "array*"),
    ("replies", "object*"),
];

const GATE: &[Member] = &[("results", "array"), ("skipped", "array"), ("summary", "counts")];

const SAMPLE: &[Member] = &[
    ("name", "string"),
    ("seed", "integer"),
    ("size", "integer"),
    ("by", "string"),
    ("minimum", "integer?"),
    ("duplicates", "string"),
    ("replies", "integer"),
    ("drawn_earlier", "integer"),
    ("near_duplicates", "integer"),
    ("population", "integer"),
    ("drawn", "integer"),
    ("slices", "integer"),
    ("strata", "array"),
    ("warnings", "array"),
    ("skipped", "skipped"),
    ("sample", "array*"),
];

const ESTIMATE: &[Member] = &[
    ("uncorrected", "estimate?"),
    ("people", "estimate?"),
    ("sensitivity", "figure"),
    ("specificity", "figure"),
    ("rogan_gladen", "figure"),
    ("prediction_powered", "figure"),
    ("by_slice", "object"),
    ("plan", "object"),
    ("population", "integer"),
    ("drawn", "integer"),
    ("judged", "integer"),
    ("labelled", "integer"),
    ("labelled_without_verdict", "integer"),
    ("strata_without_verdict", "array"),
    ("judge", "judge"),
    ("half_width", "number"),
    ("blocked", "integer"),
    ("warnings", "array"),
];

const EXPORT_CASES: &[Member] = &[("run", "string"), ("files", "array"), ("left_out", "object")];

const IMPORT_LABELS: &[Member] = &[
    ("added", "integer"),
    ("already_there", "integer"),
    ("repeated", "integer"),
    ("labels", "integer"),
    ("digest", "string"),
    ("store", "string"),
];

const STORE_COPY: &[Member] = &[("added", "counts"), ("contradictions", "array")];

const STORE_CHECK: &[Member] = &[("store", "string"), ("whole", "boolean"), ("faults", "array")];

const STORE_STATS: &[Member] = &[
    ("store", "string"),
    ("bytes", "integer"),
    ("verdicts", "integer"),
    ("in_flight", "integer"),
    ("lost", "integer"),
    ("workers", "integer?"),
    ("rows", "counts"),
];

const STORE_FORGET: &[Member] = &[
    ("case", "string"),
    ("records", "integer"),
    ("packets", "integer"),
    ("answers", "integer"),
    ("quotes", "integer"),
];

const REVIEW: &[Member] = &[
    ("queue", "string"),
    ("id", "integer"),
    ("items", "integer"),
    ("judged", "integer"),
    ("blocked", "integer"),
    ("identical", "integer"),
    ("skipped", "integer"),
    ("left_out", "integer"),
    ("overlap", "integer"),
    ("store", "string"),
];

/// Every document by the command that writes it, and `history` for what `report --history` writes.
fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("run", of::<RunResults>()),
        ("score", of::<RunResults>()),
        ("diff", of::<DifferenceDocument<'_>>()),
        ("history", of::<Timeline>()),
        ("report", of::<RunList>()),
        ("check", table("check", CHECK)),
        ("gate-check", table("gate-check", GATE)),
        ("sample", table("sample", SAMPLE)),
        ("sample-estimate", table("sample-estimate", ESTIMATE)),
        ("compare", table("compare", &[COMPARE, ASKED].concat())),
        ("calibrate", table("calibrate", &[CALIBRATE, ASKED].concat())),
        ("probe", table("probe", &[PROBE, ASKED].concat())),
        ("promote", table("promote", PROMOTE)),
        ("succeed", of::<Succession>()),
        ("batch-list", of::<BatchList>()),
        ("export-requests", of::<RequestsWritten>()),
        ("import-answers", of::<ImportReport>()),
        ("doctor", of::<Checkup>()),
        ("models", of::<ModelList>()),
        ("policy-check", of::<PolicyCheck>()),
        ("rubric-diff", of::<RubricDiffDocument>()),
        ("export-cases", table("export-cases", EXPORT_CASES)),
        ("import-labels", table("import-labels", IMPORT_LABELS)),
        ("review", table("review", REVIEW)),
        ("store-copy", table("store-copy", STORE_COPY)),
        ("store-merge", table("store-merge", STORE_COPY)),
        ("store-check", table("store-check", STORE_CHECK)),
        ("store-stats", table("store-stats", STORE_STATS)),
        ("store-vacuum", table("store-vacuum", &[("vacuumed", "boolean")])),
        ("store-forget", table("store-forget", STORE_FORGET)),
    ]
}

fn of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    json!(generator.into_root_schema_for::<T>())
}

/// The schema of a type that stands inside a table.
fn inside<T: JsonSchema>() -> Value {
    let mut schema = json!(
        SchemaSettings::draft2020_12()
            .for_serialize()
            .with(|settings| settings.inline_subschemas = true)
            .into_generator()
            .into_root_schema_for::<T>()
    );
    schema.as_object_mut().expect("an object").shift_remove("$schema");
    schema
}

fn shape(name: &str) -> Value {
    let members = |of: Value| json!({ "type": "object", "additionalProperties": of });
    match name {
        "estimate" => inside::<Estimate>(),
        "estimates" => members(inside::<Option<Estimate>>()),
        "figure" => json!({
            "type": "object",
            "properties": { "value": { "type": ["number", "null"] }, "reason": { "type": "string" } },
            "required": ["value"],
        }),
        "counts" => members(json!({ "type": "integer" })),
        "judge" => inside::<JudgeRecord>(),
        "rubric" => inside::<RubricName>(),
        "tokens" => inside::<Tokens>(),
        "skipped" => json!({ "type": "array", "items": inside::<Skipped>() }),
        name => json!({ "type": name }),
    }
}

fn table(title: &str, members: &[Member]) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, is) in members {
        let bare = is.trim_end_matches(['?', '*']);
        let one = shape(bare);
        let one = if is.contains('?') { json!({ "anyOf": [one, { "type": "null" }] }) } else { one };
        properties.insert((*name).to_owned(), one);
        required.extend((!is.contains('*')).then_some(*name));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": properties,
        "required": required,
    })
}

/// Where `value` is not as `schema` has it: the part of JSON Schema that the files use.
fn faults(schema: &Value, root: &Value, value: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).expect("a definition");
        found.extend(faults(target, root, value, place));
    }
    for all in schema["allOf"].as_array().into_iter().flatten() {
        found.extend(faults(all, root, value, place));
    }
    for group in ["anyOf", "oneOf"] {
        if let Some(any) = schema[group].as_array()
            && !any.iter().any(|one| faults(one, root, value, place).is_empty())
        {
            found.push(format!("{place}: {value} is none of what is allowed"));
        }
    }
    if let Some(known) = schema["enum"].as_array()
        && !known.contains(value)
    {
        found.push(format!("{place}: {value} is not one of {known:?}"));
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        found.push(format!("{place}: {value} is not {only}"));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_a(value, name)) {
        found.push(format!("{place}: {value} is no {}", types.join(" or ")));
    }
    for item in value.as_array().into_iter().flatten().filter(|_| schema["items"].is_object()) {
        found.extend(faults(&schema["items"], root, item, &format!("{place}[]")));
    }
    found.extend(member_faults(schema, root, value, place));
    found
}

fn member_faults(schema: &Value, root: &Value, value: &Value, place: &str) -> Vec<String> {
    let Some(object) = value.as_object() else { return Vec::new() };
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = required.filter(|name| !object.contains_key(*name));
    let mut found: Vec<String> = missing.map(|name| format!("{place}.{name}: missing")).collect();
    for (name, member) in object {
        let known = schema["properties"].get(name);
        if let Some(schema) = known.or(schema.get("additionalProperties")).filter(|schema| schema.is_object())
        {
            found.extend(faults(schema, root, member, &format!("{place}.{name}")));
        }
    }
    found
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type of JSON"),
    }
}

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

#[test]
fn the_files_are_current() {
    let mut names: Vec<String> = Vec::new();
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        expect_file![root(&format!("docs/schemas/{name}.json"))].assert_eq(&text);
        names.push(format!("{name}.json"));
    }
    for entry in fs::read_dir(root("docs/schemas")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&name), "{name} is of no document");
    }
}

/// The commands below `command` that take `--json`, each by its words.
fn with_json(command: &clap::Command, words: &str) -> Vec<String> {
    let own = command.get_arguments().any(|arg| arg.get_id() == "json").then(|| words.to_owned());
    let below = command.get_subcommands().flat_map(|each| {
        let name = each.get_name();
        with_json(each, &if words.is_empty() { name.to_owned() } else { format!("{words}-{name}") })
    });
    own.into_iter().chain(below).collect()
}

#[test]
fn every_command_that_writes_json_has_a_schema() {
    let known: Vec<&str> = schemas().into_iter().map(|(name, _)| name).collect();
    let commands = with_json(&Cli::command(), "");
    assert!(commands.len() >= 15, "{commands:?}");
    for command in &commands {
        assert!(known.contains(&command.as_str()), "`{command}` has --json and no schema");
    }
    for name in known.iter().filter(|name| **name != "history") {
        assert!(commands.iter().any(|command| command == name), "no command called {name} has --json");
    }
}

#[test]
fn what_the_golden_cases_wrote_is_as_its_schema_has_it() {
    let schemas = schemas();
    let mut n_checked = 0;
    for entry in fs::read_dir(root("cases")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(args) = fs::read_to_string(folder.join("args")) else { continue };
        let words: Vec<&str> = args.lines().take(2).collect();
        let is_meant = |name: &str| name == words.join("-") || Some(&name) == words.first();
        let Some((command, schema)) = schemas.iter().find(|(name, _)| is_meant(name)) else { continue };
        for file in ["out.json", "stdout"] {
            let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
            let Ok(document) = serde_json::from_str::<Value>(&text) else { continue };
            let found = faults(schema, schema, &document, command);
            assert!(found.is_empty(), "{}: {}", folder.display(), found.join("\n"));
            // What is required is looked for: without any of its members a document is refused.
            assert!(!faults(schema, schema, &json!({}), command).is_empty(), "{command}");
            n_checked += 1;
        }
    }
    assert!(n_checked >= 5, "{n_checked} documents");
}

#[test]
fn a_document_that_is_not_as_its_schema_has_it_is_told() {
    let (_, schema) = &schemas()[0];
    let text = fs::read_to_string(root("cases/support-gold/out.json")).unwrap();
    let check = |change: fn(&mut Value), want: &str| {
        let mut document: Value = serde_json::from_str(&text).unwrap();
        change(&mut document);
        let found = faults(schema, schema, &document, "run").join("\n");
        assert!(found.contains(want), "{want} in {found}");
    };
    check(|d| d["results"][0]["outcome"] = json!("great"), "run.results[].outcome");
    check(|d| d["results"][0]["accuracy"]["score"] = json!("4"), "run.results[].accuracy");
    check(|d| d["summary"]["pass_rate"] = json!(0.5), "run.summary.pass_rate");
    check(
        |d| drop(d["summary"].as_object_mut().unwrap().shift_remove("calls")),
        "run.summary.calls: missing",
    );
}
