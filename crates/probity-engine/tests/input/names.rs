//! Ids, variants and slices: what must be unique, and what only looks the same.

use expect_test::{Expect, expect};
use probity_engine::input::{Dataset, Dedup, LoadOptions};

use super::{Folder, check, check_with, entries, summary};

fn record(id: &str, reply: &str) -> String {
    format!("{{\"id\":{id},\"ticket\":\"t\",\"reply\":\"{reply}\"}}\n")
}

fn identical() -> LoadOptions {
    LoadOptions { dedup: Dedup::Identical, ..LoadOptions::default() }
}

#[track_caller]
fn check_two(first: &str, second: &str, options: LoadOptions, want: &Expect) {
    let folder = Folder::new();
    let paths = [folder.write("one.jsonl", first), folder.write("two.jsonl", second)];
    want.assert_eq(&summary(&folder, &paths, options));
}

#[test]
fn d23_ids_that_differ_only_in_composition() {
    check(
        "c.jsonl",
        record("\"caf\u{e9}\"", "r") + &record("\"cafe\u{301}\"", "r"),
        &expect![[r#"
        notice: c.jsonl: line 2: the id of record 1 looks like that of record 0 but is composed of other characters: possibly a duplicate
        0 line 1: café "t" -> "r"
        1 line 2: café "t" -> "r"
    "#]],
    );
}

#[test]
fn d24_duplicates_with_the_same_content() {
    let content = record("\"a\"", "r") + &record("\"b\"", "r") + &record("\"a\"", "r");
    check(
        "c.jsonl",
        &content,
        &expect![[r#"
        error: c.jsonl:3: record 2 has the id 'a' that record 0 at c.jsonl:1 has, with the same content
        hint: remove one, or ask for identical records to be skipped with --dedup=identical
    "#]],
    );
    check_with(
        "c.jsonl",
        &content,
        identical(),
        &expect![[r#"
            notice: skipped because they repeat an earlier record in every field: 1
            0 line 1: a "t" -> "r"
            1 line 2: b "t" -> "r"
            2 line 3: a skipped: Identical to record 0
        "#]],
    );
}

#[test]
fn d25_duplicates_with_different_content() {
    let content = record("\"a\"", "r") + &record("\"b\"", "r") + &record("\"a\"", "s");
    check(
        "c.jsonl",
        &content,
        &expect![[r#"
        error: c.jsonl:3: record 2 has the id 'a' that record 0 at c.jsonl:1 has, with different content
        hint: an id names one reply per variant, over all files; --map variant=COLUMN says what tells replies apart
    "#]],
    );
    check_with(
        "c.jsonl",
        &content,
        identical(),
        &expect![[r#"
        error: c.jsonl:3: record 2 has the id 'a' that record 0 at c.jsonl:1 has, with different content
        hint: an id names one reply per variant, over all files; --map variant=COLUMN says what tells replies apart
    "#]],
    );
}

#[test]
fn d25_variants_may_share_an_id() {
    let csv = "id,ticket,reply,variant\na,t,r,v1\na,t,s,v2\na,t,s,\n";
    check(
        "c.csv",
        csv,
        &expect![[r#"
        0 line 2: a "t" -> "r"
        1 line 3: a "t" -> "s"
        2 line 4: a "t" -> "s"
    "#]],
    );
    check(
        "c.csv",
        format!("{csv}a,t,q,v2\n"),
        &expect![[r#"
        error: c.csv:5: record 3 has the id 'a' of variant 'v2' that record 1 at c.csv:3 has, with different content
        hint: an id names one reply per variant, over all files; --map variant=COLUMN says what tells replies apart
    "#]],
    );
}

#[test]
fn d26_the_same_content_under_two_ids() {
    assert_eq!(entries("c.jsonl", record("\"a\"", "r") + &record("\"b\"", "r")).len(), 2);
}

#[test]
fn d27_numbers_as_ids() {
    let got = entries(
        "c.jsonl",
        record("1", "r") + &record("1.0", "r") + &record("\"01\"", "r") + &record("1e0", "r"),
    );
    let ids: Vec<&str> = got.iter().map(|entry| entry.case.id.as_str()).collect();
    assert_eq!(ids, ["1", "1.0", "01", "1e0"]);
    check(
        "c.jsonl",
        record("1", "r") + &record("\"1\"", "r"),
        &expect![[r#"
        error: c.jsonl:2: record 1 has the id '1' that record 0 at c.jsonl:1 has, with the same content
        hint: remove one, or ask for identical records to be skipped with --dedup=identical
    "#]],
    );
    check(
        "c.jsonl",
        record("01", "r") + &record("2", "r"),
        &expect![[r#"
        0 line 1: ? skipped: malformed JSON: a malformed number at byte 8 of the record
        1 line 2: 2 "t" -> "r"
    "#]],
    );
}

#[test]
fn d28_long_numbers_keep_their_digits() {
    let got = entries("c.jsonl", record("9007199254740993", "r") + &record("18446744073709551616000", "r"));
    assert_eq!(got[0].case.id.as_str(), "9007199254740993");
    assert_eq!(got[1].case.id.as_str(), "18446744073709551616000");
}

#[test]
fn d29_what_an_id_may_be() {
    let long = format!("\"{}\"", "x".repeat(10_240));
    let ids = ["\"../a/b\"", "\"\u{1f600}\"", "\"a\\nb\"", &long, "\"\""];
    check(
        "c.jsonl",
        ids.map(|id| record(id, "r")).concat(),
        &expect![[r#"
        0 line 1: ../a/b "t" -> "r"
        1 line 2: 😀 "t" -> "r"
        2 line 3: ? skipped: 'id' contains a control character
        3 line 4: ? skipped: 'id' has 10240 bytes, at most 512 are allowed
        4 line 5: ? skipped: Empty 'id' field
    "#]],
    );
}

#[test]
fn d46_two_files_with_the_same_id() {
    let (one, two) = (record("\"a\"", "r"), record("\"b\"", "r") + &record("\"a\"", "r"));
    check_two(
        &one,
        &two,
        LoadOptions::default(),
        &expect![[r#"
        error: two.jsonl:2: record 2 has the id 'a' that record 0 at one.jsonl:1 has, with the same content
        hint: remove one, or ask for identical records to be skipped with --dedup=identical
    "#]],
    );
    check_two(
        &one,
        &two,
        identical(),
        &expect![[r#"
            notice: skipped because they repeat an earlier record in every field: 1
            0 line 1: a "t" -> "r"
            1 line 1: b "t" -> "r"
            2 line 2: a skipped: Identical to record 0
        "#]],
    );
    check_two(
        &one,
        &two.replace("\"r\"", "\"s\""),
        identical(),
        &expect![[r#"
        error: two.jsonl:2: record 2 has the id 'a' that record 0 at one.jsonl:1 has, with different content
        hint: an id names one reply per variant, over all files; --map variant=COLUMN says what tells replies apart
    "#]],
    );
}

#[test]
fn d46_records_are_numbered_over_all_files() {
    check_two(
        &record("\"a\"", "r"),
        &(record("7", "r") + "{}\n"),
        LoadOptions::default(),
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 1: 7 "t" -> "r"
        2 line 2: ? skipped: Missing 'id' field
    "#]],
    );
}

#[test]
fn d47_many_slices_and_none() {
    let notices = |n: usize| {
        let folder = Folder::new();
        let rows: String = (0..n).map(|i| format!("{i},t,r,s{i}\n")).collect();
        let path = folder.write("c.csv", format!("id,ticket,reply,slice\n{rows}none,t,r,\n"));
        let dataset = Dataset::open(&[path], LoadOptions::default()).expect("loads");
        dataset.notices().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(notices(1_000).is_empty());
    assert_eq!(notices(1_001), ["more than 1000 distinct slices: figures per slice will say little"]);
    assert_eq!(entries("c.csv", "id,ticket,reply,slice\na,t,r,\n")[0].case.slice, None);
}
