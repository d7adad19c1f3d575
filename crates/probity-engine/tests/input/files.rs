//! Whole files: encodings, line ends, cuts, limits and formats.

use expect_test::expect;
use probity_engine::input::{Dataset, LoadOptions, Record};

use super::{A, B, Folder, check, check_with, digest, gzip, summary};

#[test]
fn d01_bom_in_jsonl() {
    check(
        "c.jsonl",
        format!("\u{feff}{A}\n"),
        &expect![[r#"
        0 line 1: a "t" -> "r"
    "#]],
    );
    assert_eq!(digest(format!("\u{feff}{A}\n")), digest(format!("{A}\n")));
}

#[test]
fn d01_only_the_first_mark_is_stripped() {
    check(
        "c.jsonl",
        format!("{A}\n\u{feff}{B}\n"),
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 2: ? skipped: malformed JSON: unexpected character '\u{feff}' at byte 0 of the record
    "#]],
    );
}

#[test]
fn d02_bom_in_csv_before_a_quoted_header() {
    check(
        "c.csv",
        "\u{feff}\"id\",ticket,reply\na,t,r\n",
        &expect![[r#"
        0 line 2: a "t" -> "r"
    "#]],
    );
}

#[test]
fn d03_utf_16_is_read() {
    let little: Vec<u8> = A.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = A.encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(
        "c.jsonl",
        [&[0xff, 0xfe], &little[..]].concat(),
        &expect![[r#"
            notice: c.jsonl: read as utf-16le
            0 line 1: a "t" -> "r"
        "#]],
    );
    check(
        "c.jsonl",
        [&[0xfe, 0xff], &big[..]].concat(),
        &expect![[r#"
            notice: c.jsonl: read as utf-16be
            0 line 1: a "t" -> "r"
        "#]],
    );
    check(
        "c.jsonl",
        gzip(&little),
        &expect![[r#"
            notice: c.jsonl: unpacked with gzip; its name does not say so
            notice: c.jsonl: read as utf-16le
            0 line 1: a "t" -> "r"
        "#]],
    );
}

#[test]
fn d04_line_ends_of_all_kinds() {
    let mixed = format!("{A}\r\n{B}\r{}\n{}", A.replace('a', "c"), B.replace('b', "d"));
    check(
        "c.jsonl",
        mixed,
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 2: b "u" -> "s"
        2 line 3: c "t" -> "r"
        3 line 4: d "u" -> "s"
    "#]],
    );
    assert_eq!(digest(format!("{A}\r\n\r\n{B}")), digest(format!("{A}\n{B}\n")));
}

#[test]
fn d04_no_cr_in_the_last_cell_and_line_ends_kept_in_quotes() {
    check(
        "c.csv",
        "id,ticket,reply\r\na,t,r\r\nb,\"x\r\ny\",s\rc,t,\"p\rq\"",
        &expect![[r#"
        0 line 2: a "t" -> "r"
        1 line 3: b "x\r\ny" -> "s"
        2 line 5: c "t" -> "p\rq"
    "#]],
    );
}

#[test]
fn d05_invalid_utf_8_has_an_offset() {
    check(
        "c.jsonl",
        [A.as_bytes(), b"\n{\"id\":\"\xff\"}\n"].concat(),
        &expect![[r#"
            error: c.jsonl:2: byte 43 (0xff) is not valid UTF-8
            hint: save the file as UTF-8, or say what it is, as --encoding windows-1252; if this is its last byte, it may be cut
        "#]],
    );
    check(
        "c.json",
        b"\xef\xbb\xbf[\n {\"id\":\"\xc3\"}]",
        &expect![[r#"
            error: c.json:2: byte 13 (0xc3) is not valid UTF-8
            hint: save the file as UTF-8, or say what it is, as --encoding windows-1252; if this is its last byte, it may be cut
        "#]],
    );
    check(
        "c.csv",
        b"id,ticket,reply\na,\xe9t\xe9,r\n",
        &expect![[r#"
            notice: c.csv: read as windows-1252: byte 18 is no UTF-8 (--encoding says what it is)
            0 line 2: a "été" -> "r"
        "#]],
    );
}

#[test]
fn d07_no_records() {
    for (name, content) in [
        ("c.json", ""),
        ("c.json", "[]"),
        ("c.jsonl", " \n\r\n"),
        ("c.csv", "id,ticket,reply\n\n"),
        ("c", "\u{feff}"),
    ] {
        let folder = Folder::new();
        let path = folder.write(name, content);
        let got = summary(&folder, &[path], LoadOptions::default());
        assert!(got.starts_with(&format!("error: {name}: no records\n")), "{content:?}: {got}");
    }
}

#[test]
fn d07_one_empty_file_of_two() {
    let folder = Folder::new();
    let paths = [folder.write("a.jsonl", A), folder.write("b.jsonl", "\n")];
    let got = summary(&folder, &paths, LoadOptions::default());
    assert!(got.starts_with("error: b.jsonl: no records\n"), "{got}");
}

#[test]
fn d08_blank_lines_are_counted_and_are_no_records() {
    let folder = Folder::new();
    let path = folder.write("c.jsonl", format!("\n{A}\n\n \t\n{B}\n"));
    let dataset = Dataset::open(std::slice::from_ref(&path), LoadOptions::default()).expect("loads");
    assert_eq!((dataset.digest().n_records, dataset.digest().n_blank_lines), (2, 3));
    expect![[r#"
        0 line 2: a "t" -> "r"
        1 line 5: b "u" -> "s"
    "#]]
    .assert_eq(&summary(&folder, &[path], LoadOptions::default()));
}

#[test]
fn d09_missing_final_newline_and_half_a_line() {
    check(
        "c.jsonl",
        format!("{A}\n{B}"),
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 2: b "u" -> "s"
    "#]],
    );
    check(
        "c.jsonl",
        format!("{A}\n{}", &B[..20]),
        &expect![[r#"
        error: c.jsonl:2: the last record is not complete, the file may be cut: malformed JSON: the text ends before the value does at byte 20 of the record
    "#]],
    );
    check(
        "c.jsonl",
        format!("{}\n{B}\n", &A[..20]),
        &expect![[r#"
        0 line 1: ? skipped: malformed JSON: the text ends before the value does at byte 20 of the record
        1 line 2: b "u" -> "s"
    "#]],
    );
    check(
        "c.csv",
        "id,ticket,reply\na,t,r\nb,u",
        &expect![[r#"
        error: c.csv:3: the last row is not complete, the file may be cut: the row has 2 cells, the header has 3
    "#]],
    );
}

#[test]
fn d09_an_array_must_be_closed_and_stand_alone() {
    check(
        "c.json",
        format!("[{A},\n{B}\n"),
        &expect![[r#"
        error: c.json:3: the array is not closed with ']': the file may be cut
    "#]],
    );
    check(
        "c.json",
        format!("[{A},\n{}", &B[..20]),
        &expect![[r#"
        error: c.json:2: the array is not closed with ']': the file may be cut
    "#]],
    );
    check(
        "c.json",
        format!("[{A}]\n[{B}]"),
        &expect![[r#"
        error: c.json:2: text after the ']' that closes the array
        hint: in a file of JSON lines each line is an object, not an array
    "#]],
    );
    check(
        "c.json",
        format!("[{A},\n]"),
        &expect![[r#"
            error: c.json:2: unexpected ']' in the array, expected a record
            hint: JSON has no comma after the last record
        "#]],
    );
    check(
        "c.json",
        format!("[{A}\n}}]"),
        &expect![[r#"
            error: c.json:2: unexpected '}' in the array, expected a record
            hint: JSON has no comma after the last record
        "#]],
    );
}

#[test]
fn d09_one_object_over_several_lines() {
    check(
        "c.json",
        "{\n  \"id\": \"a\"\n}\n",
        &expect![[r#"
        error: c.json:1: found one JSON object over several lines, expected one object per line or an array
        hint: put the records into an array: [ … , … ]
    "#]],
    );
}

#[test]
fn d10_a_record_over_the_limit() {
    let small = || LoadOptions { record_bytes_max: 100, ..LoadOptions::default() };
    let long = format!("{A}\n{{\"id\":\"{}", "x".repeat(1 << 20));
    check_with(
        "c.jsonl",
        &long,
        small(),
        &expect![[r#"
        error: c.jsonl:2: the record that starts here is longer than 100 bytes
    "#]],
    );
    check_with(
        "c.json",
        format!("[\n{A},{{\"{}", "[".repeat(1 << 20)),
        small(),
        &expect![[r#"
        error: c.json:2: the record that starts here is longer than 100 bytes
    "#]],
    );
    check_with(
        "c.csv",
        format!("id,ticket,reply\n{}", "x".repeat(101)),
        small(),
        &expect![[r#"
        error: c.csv:2: the record that starts here is longer than 100 bytes
    "#]],
    );
    check_with(
        "c.csv",
        "x".repeat(101),
        small(),
        &expect![[r#"
        error: c.csv:1: the record that starts here is longer than 100 bytes
    "#]],
    );
}

#[test]
fn d10_the_default_limit_is_8_mib() {
    let record = |n: usize| format!(r#"{{"id":"a","ticket":"t","reply":"{}"}}"#, "x".repeat(n));
    assert!(!digest(record((8 << 20) - 100)).is_empty());
    check(
        "c.jsonl",
        record(8 << 20),
        &expect![[r#"
        error: c.jsonl:1: the record that starts here is longer than 8388608 bytes
    "#]],
    );
}

#[test]
fn d11_many_records_and_two_passes() {
    let folder = Folder::new();
    let line = |i: usize| format!("{{\"id\":{i},\"ticket\":\"t\",\"reply\":\"r\"}}\n");
    let path = folder.write("c.jsonl", (0..20_000).map(line).collect::<String>());
    let dataset = Dataset::open(&[path], LoadOptions::default()).expect("loads");
    assert_eq!(dataset.digest().n_records, 20_000);
    for _ in 0..2 {
        let last = dataset.records().expect("a pass").last().expect("records").expect("the same");
        assert!(matches!(last, Record::Entry { place, .. } if (place.index, place.line) == (19_999, 20_000)));
    }
}

#[test]
fn d12_the_content_says_what_a_file_is() {
    check(
        "c.jsonl",
        format!("\n [{A}]"),
        &expect![[r#"
        notice: c.jsonl: read as a JSON array, which is what it contains; its name says JSON lines
        0 line 2: a "t" -> "r"
    "#]],
    );
    check(
        "c.json",
        format!("{A}\n{B}"),
        &expect![[r#"
        notice: c.json: read as JSON lines, which is what it contains; its name says a JSON array
        0 line 1: a "t" -> "r"
        1 line 2: b "u" -> "s"
    "#]],
    );
    check(
        "c.JSON",
        "id,ticket,reply\na,t,r",
        &expect![[r#"
        notice: c.JSON: read as CSV, which is what it contains; its name says a JSON array
        0 line 2: a "t" -> "r"
    "#]],
    );
    check(
        "c.txt",
        A,
        &expect![[r#"
        0 line 1: a "t" -> "r"
    "#]],
    );
}
