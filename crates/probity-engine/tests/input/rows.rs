//! Rows that are no cases: the same bad inputs, the same answers.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use probity_core::compare::{VerdictRow, Verdicts};
use probity_core::label::{LabelEntry, PairLabelRow};
use probity_engine::input::{FileRows, LoadError, LoadOptions, Strictness, read_rows};

use super::{Folder, gzip, show_error};

const GOOD: &str = r#"{"item":"x","judge":"j","verdict_ab":"a","verdict_ba":"tie"}"#;

fn shown(folder: &Folder, read: Result<FileRows<VerdictRow>, LoadError>) -> String {
    let mut out = String::new();
    match read {
        Err(error) => show_error(&mut out, &error),
        Ok(FileRows { rows, skipped, notices }) => {
            for notice in notices {
                writeln!(out, "notice: {notice}").expect("to a string");
            }
            for (place, row) in rows {
                let verdicts = match row.verdicts {
                    Verdicts::BothOrders { ab, ba } => format!("{:?} {:?}", ab.choice(), ba.choice()),
                    Verdicts::Graded(grade) => grade.value().to_string(),
                };
                let (line, item) = (place.line, row.item);
                writeln!(out, "{line}: {item} {verdicts} {:?}", row.facts.lengths).expect("to a string");
            }
            for skipped in skipped {
                let (line, id) = (skipped.line, skipped.id);
                writeln!(out, "{line}: skipped {id:?}: {}", skipped.reason).expect("to a string");
            }
        }
    }
    folder.hide(&out)
}

#[track_caller]
fn check_with(options: &LoadOptions, name: &str, content: impl AsRef<[u8]>, want: &Expect) {
    let folder = Folder::new();
    let path = folder.write(name, content);
    want.assert_eq(&shown(&folder, read_rows(&path, VerdictRow::FIELDS, options, VerdictRow::read)));
}

#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, want: &Expect) {
    check_with(&LoadOptions::default(), name, content, want);
}

#[test]
fn lines_arrays_and_tables_hold_the_same() {
    let want = expect!["1: x Some(Wins(A)) Some(Tie) None\n"];
    check("v.jsonl", format!("{GOOD}\n"), &want);
    check("v.json", format!("[{GOOD}]"), &want);
    check("v.jsonl.gz", gzip(GOOD.as_bytes()), &want);
    check(
        "v.csv",
        "item,judge,verdict_ab,verdict_ba,len_a,len_b\nx,j,a,tie,3,4\ny,j,,b,,\nz,j,a,b,many,4\n",
        &expect![[r#"
            2: x Some(Wins(A)) Some(Tie) Some([3, 4])
            3: y None Some(Wins(B)) None
            4: skipped Some("z"): 'len_a' must be a whole number that is not negative, found a string
        "#]],
    );
    check("g.csv", "model,index,preference\nm,7,1.5\n", &expect!["2: 7 0.5 None\n"]);
}

#[test]
fn d01_d04_marks_and_line_ends() {
    check(
        "v.jsonl",
        format!("\u{feff}{GOOD}\r\n\r\n{GOOD}\r"),
        &expect![[r#"
            1: x Some(Wins(A)) Some(Tie) None
            3: x Some(Wins(A)) Some(Tie) None
        "#]],
    );
}

#[test]
fn d03_d05_d07_d09_files_that_cannot_be_trusted() {
    check(
        "v.jsonl",
        b"\xff\xfe{\0",
        &expect![[r#"
            error: v.jsonl:1: the last record is not complete, the file may be cut: malformed JSON: the text ends before the value does at byte 1 of the record
        "#]],
    );
    check(
        "v.jsonl",
        b"{\"item\":\"\xff\"}",
        &expect![[r#"
            error: v.jsonl:1: byte 9 (0xff) is not valid UTF-8
            hint: save the file as UTF-8, or say what it is, as --encoding windows-1252; if this is its last byte, it may be cut
        "#]],
    );
    check(
        "v.jsonl",
        "\n\n",
        &expect![[r#"
        error: v.jsonl: no records
        hint: expected a JSON array, JSON lines or CSV with a header row
    "#]],
    );
    check(
        "v.jsonl",
        format!("{GOOD}\n{{\"item\":\"y\""),
        &expect![[r#"
            error: v.jsonl:2: the last record is not complete, the file may be cut: malformed JSON: the text ends before the value does at byte 11 of the record
        "#]],
    );
}

#[test]
fn d13_d14_d16_rows_that_are_no_objects() {
    check(
        "v.jsonl",
        format!("{GOOD}\n[1]\n{GOOD}{GOOD}\n{{\"item\":1,\"item\":2}}\n\"x\"\n"),
        &expect![[r#"
        1: x Some(Wins(A)) Some(Tie) None
        2: skipped None: expected an object, found an array
        3: skipped None: more than one JSON value in the record, the second at byte 60
        4: skipped None: malformed JSON: duplicate key "item" at byte 10 of the record
        5: skipped None: expected an object, found a string
    "#]],
    );
}

#[test]
fn d18_a_name_that_is_almost_right() {
    let typo = GOOD.replace("verdict_ba", "verdict_bb");
    check(
        "v.jsonl",
        format!("{GOOD}\n{typo}\n"),
        &expect![[r#"
        notice: v.jsonl: line 2: unknown field 'verdict_bb': did you mean 'verdict_ab'?
        1: x Some(Wins(A)) Some(Tie) None
        2: skipped Some("x"): Missing 'verdict_ba' field; unknown field 'verdict_bb': did you mean 'verdict_ab'?
    "#]],
    );
    check(
        "v.csv",
        "item,verdictab,verdict_ba\nx,a,b\n",
        &expect![[r#"
        notice: v.csv: unknown field 'verdictab': did you mean 'verdict_ab'?
        2: skipped Some("x"): Missing 'verdict_ab' field; unknown field 'verdictab': did you mean 'verdict_ab'?
    "#]],
    );
    let strict = LoadOptions { strict: Strictness::Strict, ..LoadOptions::default() };
    check_with(
        &strict,
        "v.jsonl",
        format!("{GOOD}\n{typo}\n"),
        &expect![[r#"
        error: v.jsonl:2: record 1: Missing 'verdict_ba' field; unknown field 'verdict_bb': did you mean 'verdict_ab'?
    "#]],
    );
}

#[test]
fn d32_d33_d34_d36_tables() {
    check(
        "v.csv",
        "item,verdict_ab,verdict_ba\nx,a\ny,a,b\n",
        &expect![[r#"
        3: y Some(Wins(A)) Some(Wins(B)) None
        2: skipped None: the row has 2 cells, the header has 3
    "#]],
    );
    check(
        "v.csv",
        "item,item,verdict_ba\nx,a,b\n",
        &expect![[r#"
        error: v.csv:1: columns 1 and 2 are both called 'item'
    "#]],
    );
    check(
        "v.csv",
        "item;verdict_ab;verdict_ba\nx;a;b\n",
        &expect![[r#"
            notice: v.csv: cells are separated by semicolons
            2: x Some(Wins(A)) Some(Wins(B)) None
        "#]],
    );
    check(
        "v.csv",
        "x,y\n1,2\n",
        &expect![[r#"
            error: v.csv:1: found neither JSON nor a header row with known names such as item, verdict_ab, verdict_ba
        "#]],
    );
}

#[test]
fn strict_stops_at_the_first_bad_row() {
    let strict = LoadOptions { strict: Strictness::Strict, ..LoadOptions::default() };
    check_with(
        &strict,
        "v.jsonl",
        format!("{GOOD}\n{{\"item\":\"y\"}}\n"),
        &expect![[r#"
        error: v.jsonl:2: record 1: Missing 'verdict_ab' field
    "#]],
    );
}

#[test]
fn labels_are_rows_too() {
    let folder = Folder::new();
    let path = folder.write("l.csv", "item,annotator,label\nx,ann,b\nx,bob,\n");
    let options = LoadOptions::default();
    let rows = read_rows(&path, LabelEntry::FIELDS, &options, PairLabelRow::read).expect("rows").rows;
    let labels: Vec<String> =
        rows.iter().map(|(_, row)| format!("{:?} {:?}", row.annotator, row.label)).collect();
    assert_eq!(labels, [r#"Some("ann") Some(B)"#, r#"Some("bob") None"#]);
}

/// A row of a table of labels, as canonical text or why it is none.
#[track_caller]
fn check_label(header: &str, row: &str, want: &Expect) {
    let folder = Folder::new();
    let path = folder.write("l.csv", format!("{header}\n{row}\n"));
    let read = read_rows(&path, LabelEntry::FIELDS, &LoadOptions::default(), LabelEntry::read);
    let FileRows { rows, skipped, .. } = read.expect("a table");
    let shown = rows.iter().map(|(_, label)| label.canonical());
    let shown = shown.chain(skipped.into_iter().map(|skipped| skipped.reason));
    want.assert_eq(&shown.collect::<Vec<_>>().join("\n"));
}

#[test]
fn l11_labels_say_when_by_which_rubric_and_on_what() {
    check_label(
        "item,criterion,rubric,variant,annotator,label,at,packet",
        "007,tone,support-gold,new, ann ,4,2026-04-01T09:30:00Z,ab12",
        &expect![[
            r#"{"annotator":"ann","at":"2026-04-01T09:30:00Z","criterion":"tone","item":"007","label":"4","packet":"ab12","round":1,"rubric":"support-gold","variant":"new"}"#
        ]],
    );
    check_label(
        "item,label,at",
        "1,a,yesterday",
        &expect![[
            r#"'at': "yesterday" is no moment, expected a date such as 2026-04-01 or 2026-04-01T09:30:00Z"#
        ]],
    );
}

#[test]
fn l13_a_row_that_does_not_fit_its_checksum_is_refused() {
    check_label(
        "item,label,checksum",
        "1,a,0000000000000000",
        &expect![
            "'checksum' does not fit the row, which was changed after it was exported; expected the row as it was, or no 'checksum'"
        ],
    );
}
