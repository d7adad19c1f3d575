//! `probity calibrate`: labels and verdicts in, figures out, and what is wrong with the labels.

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

/// Runs on these files with a few resamples.
fn run<const N: usize>(files: &[(&str, &str)], args: [&str; N]) -> Ran {
    let mut probity = Probity::new();
    for (name, content) in files {
        probity = probity.file(name, content);
    }
    probity.args(["calibrate", "--resamples", "50"]).words(args.into_iter()).run()
}

/// Expects exit code 2 for these labels, all of `parts` on standard error and nothing else.
#[track_caller]
fn check_refused<const N: usize>(name: &str, labels: &str, parts: [&str; N]) {
    assert_eq!(run(&[(name, labels)], ["--labels", name]).code(2).says(parts).stdout, "");
}

/// Eight items in two slices: people, and a judge that is right about six.
fn eight() -> (String, String) {
    let rows = [
        ("r1", "replacement", "a", "a"),
        ("r2", "replacement", "b", "b"),
        ("r3", "replacement", "tie", "tie"),
        ("r4", "replacement", "a", "a"),
        ("r5", "address_change", "b", "b"),
        ("r6", "address_change", "tie", "a"),
        ("r7", "address_change", "a", "b"),
        ("r8", "address_change", "b", "b"),
    ];
    let label = |(item, slice, label, _): &(&str, &str, &str, &str)| {
        json!({ "item": item, "slice": slice, "annotator": "ann", "label": label }).to_string() + "\n"
    };
    let verdict = |(item, _, _, verdict): &(&str, &str, &str, &str)| {
        json!({ "item": item, "judge": "j", "verdict": verdict }).to_string() + "\n"
    };
    (rows.iter().map(label).collect(), rows.iter().map(verdict).collect())
}

#[test]
fn the_shape_that_others_rely_on() {
    let (labels, verdicts) = eight();
    let files = [("l.jsonl", &*labels), ("v.jsonl", &*verdicts)];
    let out = run(&files, ["--labels", "l.jsonl", "--verdicts", "v.jsonl", "--json"]).code(0).json();
    let judge = &out["judges"]["j"];
    assert_eq!(judge["n"], 8);
    assert_eq!(judge["agreement"]["value"], 0.75);
    assert_eq!(format!("{:.3}", judge["cohen_kappa"]["value"].as_f64().unwrap()), "0.610");
    assert_eq!(judge["by_slice"]["replacement"]["agreement"]["value"], 1.0);
    assert_eq!(judge["by_slice"]["address_change"]["agreement"]["value"], 0.5);
    assert_eq!(judge["weak_slices"], json!(["address_change"]));
    for figure in ["agreement", "cohen_kappa", "krippendorff_alpha"] {
        let keys: Vec<&String> = judge[figure].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["value", "low", "high", "n"], "{figure}");
    }
    assert_eq!(out["human_human"]["agreement"]["value"], Value::Null, "one person has nobody to agree with");
    assert_eq!(out["baselines"]["constant"]["agreement"]["value"], 0.375);
    assert_eq!(out["agreement"], judge["agreement"], "one judge stands at the top as well");
    let text = run(&files, ["--labels", "l.jsonl", "--verdicts", "v.jsonl"]).code(0).stdout;
    assert!(text.lines().any(|line| line.starts_with("address_change") && line.ends_with("weak")), "{text}");
    assert!(text.contains("n too small: 4"), "{text}");
}

#[test]
fn l01_an_unknown_label_is_an_error_with_its_row() {
    let labels = "item,label\n1,a\n2,better\n3,B\n";
    check_refused(
        "l.csv",
        labels,
        ["l.csv:3: record 1 'label' is 'better', expected a, tie, b", "l.csv:4: record 2 'label' is 'B'"],
    );
}

#[test]
fn l02_the_same_person_twice_shows_both_places() {
    let labels = "item,annotator,label\n1,ann,a\n1,bo,a\n1,ann,b\n";
    check_refused(
        "l.csv",
        labels,
        ["l.csv:4: record 2 is about item '1' by 'ann' in round 1 again, like record 0 at line 2"],
    );
}

#[test]
fn n10_identical_rows_count_once_and_words_of_ones_own_are_declared() {
    let labels = "item,annotator,label\n1,ann,a\n1,bo,a\n1,ann,a\n";
    let out = run(&[("l.csv", labels)], ["--labels", "l.csv", "--json"]).code(0).json();
    assert_eq!((&out["labels"]["votes"], &out["labels"]["repeated"]), (&json!(2), &json!(1)));
    assert_eq!(out["notices"], json!(["1 label repeating an earlier row word for word: counted once"]));
    let yes_no = "{\"item\":\"1\",\"annotator\":\"p\",\"label\":\"yes\"}\n{\"item\":\"1\",\"annotator\":\"q\",\"label\":\"no\"}\n";
    check_refused("l.jsonl", yes_no, ["l.jsonl:1: record 0 'label' is 'yes'", "such as --values no,yes"]);
    let declared = ["--labels", "l.jsonl", "--values", "no,yes", "--json"];
    assert_eq!(run(&[("l.jsonl", yes_no)], declared).code(0).json()["labels"]["votes"], 2);
}

#[test]
fn l13_a_file_that_went_through_a_spreadsheet() {
    check_refused(
        "l.csv",
        "item,label\n1.23E+15,a\n1.24E+15,b\n7,a\n",
        [":2: record 0", ":3: record 1", "1.24E+15"],
    );
    let semicolons = run(&[("l.csv", "item;label\n1;a\n")], ["--labels", "l.csv"]);
    semicolons.code(0).says(["cells are separated by semicolons"]);
    let bom = "\u{feff}item;label\n1;pass\n2;fail\n";
    let fine = run(&[("l.csv", bom)], ["--labels", "l.csv", "--delimiter", ";", "--json"]);
    assert_eq!(fine.code(0).json()["labels"]["votes"], 2);
}

#[test]
fn values_can_be_declared() {
    let files = [
        ("l.jsonl", "{\"item\":\"1\",\"label\":\"good\"}\n"),
        ("v.jsonl", "{\"item\":\"1\",\"verdict\":\"good\"}\n"),
    ];
    let args = ["--labels", "l.jsonl", "--verdicts", "v.jsonl", "--values", "poor,fair,good", "--json"];
    let out = run(&files, args).code(0).json();
    assert_eq!(out["agreement"]["value"], 1.0);
    assert_eq!(out["scale"], json!({ "kind": "named", "values": ["poor", "fair", "good"] }));
    run(&files, ["--labels", "l.jsonl", "--values", "good"]).code(2).says(["--values", "at least two"]);
}
