//! `probity compare` without a server: the embedded judge, a program, a record, and what is refused.

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

const OLD: &str = r#"{"id": "48291", "ticket": "My refurbished laptop failed after delivery.", "reply": "Your refurbished laptop qualifies for a replacement under RPL-14."}"#;
const NEW: &str = r#"{"id": "48291", "ticket": "My refurbished laptop failed after delivery.", "reply": "Your refurbished laptop qualifies for a replacement under RPL-14. Reply to confirm that you want it."}"#;

fn scene() -> Probity {
    Probity::new().file("old.jsonl", OLD).file("new.jsonl", NEW)
}

fn compare<const N: usize>(folder: &Probity, more: [&str; N]) -> Ran {
    folder
        .args(["compare", "old.jsonl", "new.jsonl", "--json", "--trust-settings"])
        .words(more.into_iter())
        .run()
}

/// A program that answers every packet with `answer`.
fn with_program(folder: Probity, answer: &str) -> Probity {
    let script = format!(
        "while read -r line; do id=${{line##*\\\"packet\\\":\\\"}}; id=${{id%%\\\"*}}; printf '{{\"packet\":\"%s\",{answer}}}\\n' \"$id\"; done\n"
    );
    folder
        .file("judge.sh", script)
        .file("probity.toml", "[judges.own]\nkind = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\n")
}

#[test]
fn the_embedded_judge_compares_without_a_key() {
    let report = compare(&scene(), []).code(0).json();
    assert_eq!((&report["pairs"], &report["judge"]["kind"]), (&json!(1), &json!("baseline")));
    assert_eq!(report["rubric"]["name"], "pairwise-support");
    let row = &report["comparisons"][0];
    assert_eq!((&row["status"], &row["winner"]), (&json!("stable"), &json!("new")));
    assert!(row["orders"][0]["evidence"][0].as_str().expect("a text").starts_with("Lexical baseline"));
}

#[test]
fn a_program_is_asked_in_both_orders() {
    let folder = with_program(scene(), "\"verdict\":\"A\",\"evidence\":[\"A is first.\"]");
    let report = compare(&folder, ["--judge", "own"]).code(0).json();
    assert_eq!(report["status"]["unstable_after_swap"], 1, "{report}");
    let orders = &report["comparisons"][0]["orders"];
    assert_eq!((&orders[0]["winner"], &orders[1]["winner"]), (&json!("old"), &json!("new")));
    // n22: which slot held which reply, and which slot was preferred.
    assert_eq!(orders[0]["slots"], json!({ "A": "old", "B": "new" }));
    assert_eq!(orders[1]["slots"], json!({ "A": "new", "B": "old" }));
    assert_eq!((&orders[0]["preferred_slot"], &orders[1]["preferred_slot"]), (&json!("A"), &json!("A")));
    assert_eq!(report["comparisons"][0]["winner"], "tie", "as document 002 has it");
}

#[test]
fn n22_a_tie_is_a_winner_of_its_own_and_causes_of_unscored_pairs_are_listed() {
    let tied = with_program(scene(), "\"verdict\":\"tie\",\"evidence\":[]");
    let report = compare(&tied, ["--judge", "own"]).code(0).json();
    assert_eq!(report["comparisons"][0]["winner"], "tie");
    let broken = with_program(scene(), "\"verdict\":\"first\",\"evidence\":[]");
    let ran = broken
        .args(["compare", "old.jsonl", "new.jsonl", "--judge", "own", "--trust-settings"])
        .run()
        .code(3);
    assert!(ran.stdout.contains("orders without a verdict, by cause\n  2 "), "{}", ran.stdout);
    ran.says(["the report lists the causes"]);
    let report = compare(&broken, ["--judge", "own"]).code(3).json();
    assert_eq!(report["comparisons"][0]["winner"], Value::Null);
}

#[test]
fn a_record_by_packet_is_a_judge() {
    let folder = with_program(scene(), "\"verdict\":\"tie\",\"evidence\":[]");
    let shown = compare(&folder, ["--judge", "own"]).code(0);
    assert_eq!(shown.json()["status"]["tie"], 1);
    // The same verdicts from the store alone, by whoever gave them.
    let again = compare(&folder, ["--judge", "recorded"]).code(0).json();
    assert_eq!(again["comparisons"], shown.json()["comparisons"]);
}

#[test]
fn a_rubric_with_levels_compares_by_its_ties() {
    let report = compare(&scene(), ["--rubric", "support-gold"]).code(0).json();
    assert_eq!(report["rubric"]["name"], "support-gold");
    assert_eq!(report["judged"], 1);
}

#[test]
fn one_file_may_hold_several_variants() {
    let line = |variant: &str, text: &str| text.replacen('{', &format!("{{\"variant\": \"{variant}\", "), 1);
    let folder = Probity::new().file("all.jsonl", format!("{}\n{}", line("v1", OLD), line("v2", NEW)));
    let report = folder.args(["compare", "all.jsonl", "--json"]).run().code(0).json();
    assert_eq!(report["comparisons"][0]["variants"], json!(["v1", "v2"]));
}

#[test]
fn different_tickets_under_one_id_are_no_pair() {
    let other = NEW.replace("failed after delivery", "is fine");
    let more = |line: &str, id: &str| line.replace("48291", id);
    let folder = Probity::new()
        .file("old.jsonl", format!("{OLD}\n{}", more(OLD, "2")))
        .file("new.jsonl", format!("{other}\n{}", more(NEW, "2")));
    let report = compare(&folder, []).code(0).json();
    assert_eq!((&report["pairs"], &report["mismatched"][0]["id"]), (&json!(1), &json!("48291")));
    let reason = report["mismatched"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("the same ticket"), "{reason}");
}

#[test]
fn bad_records_are_listed_and_leave_their_case_unpaired() {
    let folder = Probity::new().file("old.jsonl", format!("{OLD}\n{{\"id\": \"x\"}}")).file("new.jsonl", NEW);
    let report = compare(&folder, []).code(0).json();
    assert_eq!(report["skipped"][0]["file"], "old.jsonl");
    assert_eq!(report["pairs"], 1);
    compare(&folder, ["--strict"]).code(2);
}

#[track_caller]
fn check_refused(folder: &Probity, arguments: &[&str], want: &str) {
    let ran = folder.args(["compare"]).words(arguments.iter().copied()).run().code(2);
    assert!(ran.stderr.contains(want), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn what_cannot_be_compared() {
    let folder = scene()
        .file("elsewhere.jsonl", NEW.replace("48291", "1"))
        .file("named.jsonl", NEW.replacen('{', "{\"variant\": \"old\", ", 1));
    check_refused(&folder, &["old.jsonl"], "expected replies of two variants, found only 'old'");
    check_refused(&folder, &["old.jsonl", "elsewhere.jsonl"], "no case has replies of two variants");
    check_refused(
        &folder,
        &["old.jsonl", "named.jsonl"],
        "variant 'old' has a reply to case '48291' here and at",
    );
    check_refused(&folder, &["old.jsonl", "gone.jsonl"], "gone.jsonl");
    check_refused(&folder, &[], "required");
    check_refused(&folder, &["old.jsonl", "new.jsonl", "--verdicts", "v.jsonl"], "cannot be used with");
    check_refused(&folder, &["--verdicts", "v.jsonl", "--judge", "baseline"], "cannot be used with");
    check_refused(&folder, &["old.jsonl", "new.jsonl", "--margin", "0.1"], "--until-decided");
    folder.write("bare.toml", BARE);
    check_refused(
        &folder,
        &["old.jsonl", "new.jsonl", "--rubric", "bare.toml"],
        "criterion tone: expected `tie`",
    );
}

const BARE: &str = r#"
name = "bare"
version = "1"
title = "Bare"
description = "Levels and no ties."
[scale]
min = 0
max = 1
[[criterion]]
id = "tone"
title = "Tone"
question = "How is the tone?"
[criterion.anchors]
0 = "Bad."
1 = "Good."
"#;

#[test]
fn the_output_file_is_what_standard_output_would_be() {
    let folder = scene();
    let printed = compare(&folder, ["--output", "out.json"]).code(0).stdout;
    assert_eq!(folder.bytes("out.json"), printed.as_bytes());
    let report: Value = serde_json::from_str(&printed).expect("JSON");
    for key in [
        "pairs", "judged", "status", "win_rate", "decision", "length_difficulty_win_rate",
        "length_slice_win_rate", "length_only_win_rate", "unparsed", "first_slot_lean", "by_slice", "review",
        "gate", "missing", "judge", "calls", "cost_usd",
    ] {
        assert!(report.get(key).is_some(), "{key}");
    }
}
