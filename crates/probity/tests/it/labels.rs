//! `probity import labels` and `probity export labels`: what people said, into the store and out of it.

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

const LABELS: &str = "\
item,criterion,annotator,label,round,blind,seconds,at
t1,tone,ann,4,1,true,12.5,2026-04-01T09:30:00Z
t1,tone,=bo,5,1,true,3,2026-04-01T09:31:00Z
t2,tone,ann,abstain,1,true,,
t2,tone,=bo,2,1,true,,
";

fn run(folder: &Probity, words: &[&str]) -> Ran {
    folder.args([]).words(words.iter().copied()).run()
}

/// A folder with a store that holds the four labels.
fn imported() -> Probity {
    let folder = Probity::new().file("labels.csv", LABELS);
    let ran = run(&folder, &["import", "labels", "labels.csv", "--store", "s.db"]).code(0);
    assert_eq!(ran.stdout, "4 labels added, 0 already there; s.db now has 4\n");
    folder
}

/// Exports to `name`, whose text is returned.
fn exported(folder: &Probity, name: &str) -> String {
    run(folder, &["export", "labels", "--store", "s.db", "--output", name]).code(0);
    std::fs::read_to_string(folder.path(name)).expect("an export")
}

/// Importing `text` is refused with all of `parts`, and the store is as it was.
#[track_caller]
fn check_refused<const N: usize>(name: &str, text: &str, parts: [&str; N]) {
    let folder = imported();
    let before = exported(&folder, "before.jsonl");
    folder.write(name, text);
    run(&folder, &["import", "labels", name, "--store", "s.db"]).code(2).says(parts);
    assert_eq!(exported(&folder, "after.jsonl"), before);
}

#[test]
fn what_is_exported_is_imported_again_as_the_same() {
    let folder = imported();
    for name in ["out.csv", "out.jsonl"] {
        exported(&folder, name);
        let words = ["import", "labels", name, "--store", "other.db", "--json"];
        let report = run(&folder, &words).code(0).json();
        let again = run(&folder, &["import", "labels", "labels.csv", "--store", "other.db", "--json"]);
        let again = again.code(0).json();
        assert_eq!((&again["added"], &again["already_there"]), (&json!(0), &json!(4)), "{name}");
        assert_eq!(again["digest"], report["digest"], "{name}");
    }
    let table = std::fs::read_to_string(folder.path("out.csv")).expect("a table");
    assert!(table.contains(",'=bo,"), "a formula has a quote before it: {table}");
}

#[test]
fn formulas_in_disguise_are_quoted_and_come_back() {
    let names = ["＝bo", "＠cy", "\u{200b}=di", "-ed"];
    let rows = names.map(|name| format!("t1,tone,{name},4")).join("\n");
    let folder = Probity::new().file("labels.csv", format!("item,criterion,annotator,label\n{rows}\n"));
    let import = |file: &str, store: &str| {
        run(&folder, &["import", "labels", file, "--store", store, "--json"]).code(0).json()["digest"].clone()
    };
    let digest = import("labels.csv", "s.db");
    let table = exported(&folder, "out.csv");
    assert!(names.iter().all(|name| table.contains(&format!(",'{name},"))), "{table}");
    let raw = run(&folder, &["export", "labels", "--store", "s.db", "--raw-csv"]).code(0).stdout;
    assert!(names.iter().all(|name| raw.contains(&format!(",{name},"))) && !raw.contains('\''), "{raw}");
    folder.write("raw.csv", raw);
    assert_eq!([import("out.csv", "a.db"), import("raw.csv", "b.db")], [digest.clone(), digest]);
}

#[test]
fn remarks_beside_exported_labels_change_nothing_that_they_say() {
    let folder = imported();
    let table = exported(&folder, "out.csv");
    let (head, rows) = table.split_once('\n').expect("a line of names");
    let rows = rows.replace('\n', ",\"'=curt, \"\"no\"\"\nsecond line\",too_high\n");
    folder.write("remarked.csv", format!("{head},note,root_cause\n{rows}"));
    let lines = exported(&folder, "out.jsonl").replace("\"round\"", "\"note\":\"=curt\\nno\",\"round\"");
    folder.write("remarked.jsonl", lines.replace("}\n", ",\"root_cause\":\"too_low\"}\n"));
    for name in ["remarked.csv", "remarked.jsonl"] {
        let again = run(&folder, &["import", "labels", name, "--store", "s.db", "--json"]).code(0).json();
        assert_eq!((&again["added"], &again["already_there"]), (&json!(0), &json!(4)), "{name}");
    }
}

#[test]
fn l13_an_export_that_went_through_a_spreadsheet_is_detected_row_by_row() {
    let folder = imported();
    let table = exported(&folder, "out.csv");
    let spoilt = table.replace(",4,1,", ",3,1,").replace("2026-04-01T09:31:00Z", "01.04.2026 09:31");
    check_refused(
        "spoilt.csv",
        &spoilt,
        [
            "spoilt.csv:2: record 0: 'checksum' does not fit the row",
            "spoilt.csv:3: record 1: 'at': \"01.04.2026 09:31\"",
        ],
    );
    // Other delimiters and a byte order mark change nothing that a row says.
    let resaved = format!("\u{feff}{}", table.replace(',', ";").replace('\n', "\r\n"));
    folder.write("resaved.csv", &resaved);
    let ran =
        run(&folder, &["import", "labels", "resaved.csv", "--store", "s.db", "--delimiter", ";"]).code(0);
    assert_eq!(ran.stdout, "0 labels added, 4 already there; s.db now has 4\n");
}

#[test]
fn l02_another_label_of_the_same_round_is_refused() {
    let row = "item,criterion,annotator,label\nt9,tone,ann,1\nt1,tone,ann,3\n";
    check_refused(
        "l.csv",
        row,
        ["l.csv:3: record 1 is about item 't1' by 'ann' in round 1", "nothing was imported"],
    );
    let twice = "item,annotator,label\n1,ann,a\n1,ann,b\n";
    check_refused("l.csv", twice, ["l.csv:3: record 1 is about item '1' by 'ann' in round 1 again"]);
    let folder = imported();
    folder.write("round.csv", "item,criterion,annotator,label,round\nt1,tone,ann,3,2\n");
    run(&folder, &["import", "labels", "round.csv", "--store", "s.db"]).code(0);
}

#[test]
fn n10_a_row_that_is_there_twice_is_one_label() {
    let folder = Probity::new().file("l.csv", "item,annotator,label\n1,ann,a\n1,ann,a\n1,bo,b\n");
    let ran = run(&folder, &["import", "labels", "l.csv", "--store", "s.db"]).code(0);
    assert_eq!(ran.stdout, "2 labels added, 0 already there, 1 row repeated; s.db now has 2\n");
    ran.says(["1 label repeating an earlier row word for word: counted once"]);
    let again = run(&folder, &["import", "labels", "l.csv", "--store", "s.db", "--json"]).code(0).json();
    assert_eq!(
        (&again["added"], &again["already_there"], &again["repeated"]),
        (&json!(0), &json!(2), &json!(1))
    );
}

#[test]
fn l01_what_cannot_be_said_is_refused_with_its_row() {
    check_refused("l.csv", "item,label\n1,better\n", ["l.csv:2: record 0 'label' is 'better'"]);
    check_refused(
        "l.csv",
        "item,criterion,label\n1,tone,4\n2,tone,pass\n",
        ["l.csv:3: record 1 'label' is 'pass'"],
    );
    check_refused("l.csv", "item,annotator\n1,ann\n", ["Missing 'label' field"]);
    let folder = Probity::new().file("l.csv", "item,label\n1,poor\n2,good\n");
    run(&folder, &["import", "labels", "l.csv", "--values", "poor,fair,good"]).code(0);
}

#[test]
fn l03_names_that_differ_in_case_are_worth_a_notice() {
    let folder = imported();
    folder.write("more.csv", "item,criterion,annotator,label\nt3,tone,ANN,4\n");
    let ran = run(&folder, &["import", "labels", "more.csv", "--store", "s.db"]).code(0);
    ran.says(["annotators 'ANN' and 'ann' differ in case only and count as two"]);
}

#[test]
fn the_labels_of_the_store_are_what_a_judge_is_held_against() {
    let case =
        |id: &str| json!({ "id": id, "ticket": "Where is it?", "reply": "It left today." }).to_string();
    let folder = imported();
    folder.write("cases.jsonl", format!("{}\n{}\n", case("t1"), case("t2")));
    let words =
        ["calibrate", "cases.jsonl", "--store", "s.db", "--judge", "baseline", "--json", "--resamples", "50"];
    let report: Value = run(&folder, &words).code(0).json();
    assert_eq!(report["labels"]["source"], "store");
    assert_eq!((&report["n"], &report["labels"]["abstained"]), (&json!(2), &json!(1)));
    let same = run(&folder, &["import", "labels", "labels.csv", "--store", "s.db", "--json"]).code(0).json();
    assert_eq!(report["labels"]["digest"], same["digest"]);
    folder.write("gold.csv", "item,criterion,rubric,annotator,label\nt1,tone,support-gold,ann,0\n");
    run(&folder, &["import", "labels", "gold.csv", "--store", "s.db"]).code(0);
    let other = run(&folder, &words).code(0).json();
    assert_eq!(other["agreement"], report["agreement"]);
    assert_eq!(other["labels"]["rejected"].as_array().map(Vec::len), Some(1));
    let gold = [&words[..], &["--rubric", "support-gold"]].concat();
    run(&folder, &gold)
        .code(2)
        .says(["the label of item 't1' by '=bo' in the store: 'label' is '5'", "its `rubric`"]);
    let words = ["calibrate", "cases.jsonl", "--store", "none.db", "--judge", "baseline"];
    run(&folder, &words).code(2).says(["there is no store at none.db", "probity import labels"]);
}

#[test]
fn an_export_needs_a_store_and_a_form() {
    let folder = imported();
    run(&folder, &["export", "labels", "--store", "none.db"]).code(2).says(["there is no store at none.db"]);
    let words = ["export", "labels", "--store", "s.db", "--output", "labels.txt"];
    run(&folder, &words).code(2).says(["labels.txt: expected a name in .csv or .jsonl"]);
    let text = run(&folder, &["export", "labels", "--store", "s.db", "--format", "csv"]).code(0).stdout;
    assert_eq!(text, exported(&folder, "out.csv"));
}

#[test]
fn labels_come_from_the_columns_that_are_mapped() {
    let cases = "Ticket ID,Question,Answer,CSAT,Tone,Overall,Reviewer\n1,Where?,There.,5,3,pass,dana\n2,When?,Now.,1,,fail,kim\n";
    let folder = Probity::new().file("qa.csv", cases);
    let map = ["--map", "label=Overall,label.tone=Tone,annotator=Reviewer"];
    let import = ["import", "labels", "qa.csv", "--store", "s.db"];
    let ran = run(&folder, &[&import[..], &map].concat()).code(0);
    assert_eq!(ran.stdout, "3 labels added, 0 already there; s.db now has 3\n");
    let labels = exported(&folder, "out.jsonl");
    assert_eq!(labels.matches("\"annotator\":\"dana\"").count(), 2, "{labels}");
    assert!(!labels.contains("csat"), "an outcome is no label: {labels}");
    run(&folder, &[&import[..], &["--map", "label=Verdict"]].concat())
        .code(2)
        .says(["there is no column 'Verdict'"]);
}
