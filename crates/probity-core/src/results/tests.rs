//! What is read back, and what is refused.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;

/// A small results file of two replies.
fn document() -> Value {
    let row = json!({
        "id": "a", "tone": { "score": 4, "reasoning": "kind", "points": 100 }, "outcome": "pass", "total": 100,
        "issues": [], "slice": null, "variant": "v1", "ticket": "Where is it?", "reply": "Here.",
        "gate": { "status": "admitted", "findings": [] },
    });
    let mut summary = json!(SummaryRecord::default());
    let levels = json!({ "0": 0, "1": 0, "2": 0, "3": 0, "4": 2 });
    let figures = CriterionFigures { n: 2, ..CriterionFigures::default() };
    summary["entered"] = json!(2);
    summary["criteria"] = json!({ "tone": figures });
    summary["criteria"]["tone"]["levels"] = levels;
    json!({ "results": [row, row], "skipped": [], "failed": [], "summary": summary })
}

#[track_caller]
fn check_refused(document: &str, want: &Expect) {
    want.assert_eq(&RunResults::read(document).expect_err("not a results file").to_string());
}

#[test]
fn a_file_is_written_again_as_it_was_read() {
    let text = document().to_string();
    let read = RunResults::read(&text).expect("a results file");
    assert_eq!(json!(read).to_string(), text);
    assert_eq!(read.results[1].level(0), Some(4));
}

#[test]
fn other_files_are_told_from_results() {
    check_refused(
        "[{\"id\": 1}]",
        &expect!["not a results file: invalid type: map, expected a sequence at line 1 column 1"],
    );
    check_refused(
        "{\"id\": 1}\n{\"id\": 2}",
        &expect!["not a results file: missing field `results` at line 1 column 9"],
    );
    check_refused(
        "{\"pairs\": 1, \"judged\": 2}",
        &expect!["not a results file: missing field `results` at line 1 column 25"],
    );
    check_refused("", &expect!["not a results file: EOF while parsing a value at line 1 column 0"]);
}

#[test]
fn rows_that_no_run_writes_are_refused() {
    let with = |change: fn(&mut Value)| {
        let mut document = document();
        change(&mut document);
        document.to_string()
    };
    check_refused(
        &with(|d| d["results"][1]["outcome"] = json!("great")),
        &expect![
            "not a results file: unknown variant `great`, expected one of `pass`, `fail`, `scored`, `blocked`, `unscored` at line 1 column 304"
        ],
    );
    check_refused(
        &with(|d| d["results"][1]["tone"]["score"] = json!(7)),
        &expect!["`results[1]`: `tone` is at 7, which is not on its scale"],
    );
    check_refused(
        &with(|d| d["results"][1]["tone"]["score"] = json!(3.5)),
        &expect!["not a results file: invalid type: floating point `3.5`, expected i64 at line 1 column 441"],
    );
    check_refused(
        &with(|d| d["results"][0]["tone"]["score"] = Value::Null),
        &expect!["`results[0]`: `tone` has neither a `score` nor a cause in `unscored`"],
    );
    check_refused(
        &with(|d| d["results"][0]["tone"] = Value::Null),
        &expect!["`results[0]`: `tone` is null, and the reply is not blocked"],
    );
    check_refused(
        &with(|d| d["results"][0]["wit"] = Value::Null),
        &expect!["`results[0]`: expected the criteria tone"],
    );
    check_refused(
        &with(|d| d["results"][0]["id"] = json!(7)),
        &expect!["not a results file: invalid type: integer `7`, expected a string at line 1 column 19"],
    );
    check_refused(
        &with(|d| d["summary"]["entered"] = json!(3)),
        &expect!["`results` has 2 rows, and `summary` says 3 entered"],
    );
    check_refused(
        &with(|d| d["summary"]["rubric"]["hash"] = Value::Null),
        &expect!["not a results file: invalid type: null, expected a string at line 1 column 850"],
    );
}

#[test]
fn n08_a_total_beyond_a_hundred_is_refused() {
    let with = |total: &str| document().to_string().replace("\"total\":100", &format!("\"total\":{total}"));
    check_refused(
        &with("1e308"),
        &expect!["not a results file: 1e308 has too many digits at line 1 column 103"],
    );
    check_refused(&with("1e999"), &expect!["not a results file: number out of range at line 1 column 103"]);
    check_refused(&with("-1"), &expect!["`results[0]`: `total` is -1, expected 0 to 100"]);
    check_refused(&with("100.5"), &expect!["`results[0]`: `total` is 100.5, expected 0 to 100"]);
    let read = RunResults::read(&with("99.5")).expect("a results file");
    assert_eq!(read.results[0].total.map(|total| total.to_string()), Some("99.5".to_owned()));
}
