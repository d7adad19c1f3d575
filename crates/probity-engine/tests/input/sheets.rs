//! Excel and Parquet files, tables of messages, mappings, and parts of a data set.

use std::io::Write as _;

use expect_test::expect;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use probity_engine::input::{Dataset, DatasetPart, LoadOptions};

#[expect(unreachable_pub, reason = "the same file makes the seeds of the fuzz targets")]
#[path = "../../../../fuzz/src/targets/samples.rs"]
mod samples;

use super::{A, B, Folder, check, check_with, entries, gzip};

const HEADER: [&str; 3] = ["id", "ticket", "reply"];

fn mapped(map: &str) -> LoadOptions {
    LoadOptions { map: map.parse().expect("a mapping"), ..LoadOptions::default() }
}

#[test]
fn a_sheet_is_read_like_a_table() {
    let rows = [
        HEADER.to_vec(),
        vec!["1043", "two\nlines, \"quoted\"", "r"],
        vec![],
        vec!["b", "t", "0.5"],
        vec!["c"],
    ];
    let sheet = samples::workbook(&rows);
    for content in [sheet.clone(), gzip(&sheet)] {
        check(
            "c.xlsx",
            content,
            &expect![[r#"
                0 line 2: 1043 "two\nlines, \"quoted\"" -> "r"
                1 line 4: b "t" -> "0.5"
                2 line 5: c skipped: Empty 'ticket' field
            "#]],
        );
    }
    let small = LoadOptions { decoded_bytes_max: 500, ..LoadOptions::default() };
    check_with(
        "c.xlsx",
        &sheet,
        small,
        &expect![[r#"
        error: c.xlsx: the Excel file unpacks to more than 500 bytes
    "#]],
    );
    check(
        "c.xlsx",
        &sheet[..sheet.len() / 2],
        &expect![[r#"
        error: c.xlsx: found a zip archive, expected JSON or CSV in UTF-8
        hint: unpack it first and name the file in it; save a spreadsheet as CSV
    "#]],
    );
}

#[test]
fn parquet_is_read_group_by_group() {
    let rows = |id: &'static str| vec![[id, "t \u{e4}", "r \"q\"\n"]];
    let content = samples::parquet(&[rows("a"), rows("b")]);
    let json = r#"{"id":"a","ticket":"t ä","reply":"r \"q\"\n"}"#;
    assert_eq!(
        entries("c.parquet", &content),
        entries("c.json", format!("{json}\n{}", json.replace("\"a\"", "\"b\"")))
    );
    assert_eq!(entries("c.parquet", gzip(&content)), entries("c.parquet", &content));
    check(
        "c.parquet",
        &content[..content.len() - 9],
        &expect![[r#"
        error: c.parquet: the Parquet file cannot be read: Parquet error: Invalid Parquet file. Corrupt footer
        hint: export it as CSV or JSON lines if this stays so
    "#]],
    );
}

/// A file whose only page of its first column says that it unpacks to `n_unpacked` bytes and has `n_values` values; as a
/// dictionary where `is_dictionary` is set.
fn lying(n_unpacked: i64, n_values: i64, is_dictionary: bool) -> Vec<u8> {
    let mut content = samples::parquet(&[vec![["an id that is long enough for a header", "t", "r"]]]);
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&content).expect("written");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let (start, n_bytes) = reader.metadata().row_group(0).column(0).byte_range();
    let number = |value: i64| {
        let mut left = u64::try_from(value).expect("positive") << 1;
        let mut written = vec![0x15];
        while left > 0x7f {
            written.push(u8::try_from(left & 0x7f).expect("seven bits") | 0x80);
            left >>= 7;
        }
        written.push(u8::try_from(left).expect("seven bits"));
        written
    };
    let (kind, inner) = if is_dictionary { (2, 0x4c) } else { (0, 0x2c) };
    let page = |n_packed: i64| {
        [number(kind), number(n_unpacked), number(n_packed), vec![inner], number(n_values), vec![0, 0]]
            .concat()
    };
    let n_packed = i64::try_from(n_bytes).expect("short") - i64::try_from(page(100).len()).expect("short");
    let header = page(n_packed);
    let start = usize::try_from(start).expect("short");
    content[start..start + header.len()].copy_from_slice(&header);
    content
}

/// The most memory that this process has had, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("on Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn n17_no_page_of_parquet_gets_the_memory_that_it_declares() {
    let before = peak_kib();
    check(
        "c.parquet",
        lying(2_000_000_000, 1, false),
        &expect![[r#"
            error: c.parquet: the Parquet file cannot be read: a page of 'id' unpacks to 2000000000 bytes, which is more than is read
            hint: export it as CSV or JSON lines if this stays so
        "#]],
    );
    check(
        "c.parquet",
        lying(100_000_000, 1, false),
        &expect![[r#"
            error: c.parquet: the Parquet file unpacks to more than 16777216 bytes
        "#]],
    );
    check(
        "c.parquet",
        lying(60, 2_000_000_000, true),
        &expect![[r#"
            error: c.parquet: the Parquet file cannot be read: the dictionary of 'id' declares 2000000000 values, which is more than is read
            hint: export it as CSV or JSON lines if this stays so
        "#]],
    );
    assert!(peak_kib() < before + (64 << 10), "{before} KiB became {} KiB", peak_kib());
}

#[test]
fn a_mapping_says_where_fields_come_from() {
    let csv = "Nr,Subject,Body,\"Bot, answer\",Data\n7,s,b,a,\"{\"\"score\"\":[0.1,0.9]}\"\n";
    check(
        "c.csv",
        csv,
        &expect![[r#"
            notice: c.csv: read id from 'Nr', ticket from 'Body', reply from 'Bot, answer'; not read: Subject, Data
            0 line 2: 7 "b" -> "a"
        "#]],
    );
    let map = "ticket=subject+BODY,reply=\"Bot, answer\",confidence=Data.score[-1],slice='vip',id='x-'+Nr";
    check_with(
        "c.csv",
        csv,
        mapped(map),
        &expect![[r#"
            0 line 2: x-7 "s\n\nb" -> "a"
        "#]],
    );
    check_with(
        "c.csv",
        csv,
        mapped("reply=Anser"),
        &expect![[r#"
        error: c.csv:1: --map reply: there is no column 'Anser', found Nr, Subject, Body, Bot, answer, Data
    "#]],
    );
    let json = r#"{"vars":{"question":"q"},"messages":[{"content":"x"},{"content":"y"}],"input":"i"}"#;
    check_with(
        "c.jsonl",
        json,
        mapped("id=#,ticket=vars.question,reply=messages[-1].content"),
        &expect![[r#"
        0 line 1: 1 "q" -> "y"
    "#]],
    );
}

#[test]
fn a_record_that_is_not_understood_shows_what_it_has() {
    let json = r#"{"conversation":"c-1","customer_said":"Where is my order 1043, please?","bot_said":"It is on its way to you."}"#;
    check(
        "c.jsonl",
        format!("{json}\n{}", json.replace("c-1", "c-2")),
        &expect![[r#"
        notice: c.jsonl: found no columns with an id, the customer's text, the reply; these are its columns, each with its first value:
          conversation   "c-1"
          customer_said  "Where is my order 1043, please?"
          bot_said       "It is on its way to you."
        add to the command: --map id=conversation,ticket=customer_said,reply=bot_said
        0 line 1: ? skipped: Missing 'id' field
        1 line 2: ? skipped: Missing 'id' field
    "#]],
    );
}

#[test]
fn a_message_is_private_where_any_column_says_so() {
    let table = |columns: &str, cells: &str| {
        let public = "no,no,yes";
        format!(
            "conversation_id,author_type,body,{columns}\n7,customer,Hello?,{public}\n7,agent,margin is 12 EUR,{cells}\n\
             7,agent,Yes?,{public}\n"
        )
    };
    for (columns, cells) in [
        ("is_private,internal,public", "yes,no,yes"),
        ("is_private,internal,public", "no,yes,yes"),
        ("is_private,internal,public", "no,no,no"),
        ("private,is_internal_note,visibility", "no,1,yes"),
        ("private,confidential,visibility", "no,no,internal"),
    ] {
        let entries = entries("c.csv", table(columns, cells));
        assert!(
            entries.len() == 1 && !format!("{entries:?}").contains("margin"),
            "{columns}: {cells}: {entries:?}"
        );
    }
}

#[test]
fn messages_of_a_conversation_come_together() {
    let csv = "conversation_id,author_type,created_at,is_private,body\n\
        c1,agent,2026-03-02T09:00:00Z,false,Soon.\n\
        c2,customer,2026-03-02T09:05:00Z,false,Hello?\n\
        c1,customer,2026-03-02T08:00:00Z,false,When?\n\
        c1,agent,2026-03-02T08:30:00Z,WAHR,Ask the warehouse.\n\
        c1,customer,2026-03-02T10:00:00Z,FALSCH,Thanks!\n\
        c3,robot,2026-03-02T10:00:00Z,false,x\n";
    check(
        "c.csv",
        csv,
        &expect![[r#"
        notice: c.csv: read id from 'conversation_id', time from 'created_at', ticket from 'body'
        notice: c.csv: read a conversation from the messages of each id; private messages left out: 1
        0 line 2: c1 [customer: "When?"] -> "Soon."
        1 line 3: c2 skipped: Missing 'reply' field, and the last of 'turns' is not an agent's
        2 line 7: c3 skipped: the author 'robot' is neither a customer nor an agent
    "#]],
    );
}

#[test]
fn what_was_retrieved_is_evidence_whatever_it_is_called() {
    let json = r#"{"id":"a","ticket":"t","reply":"r","documents":[{"page_content":"p","title":"T"},"s"],"sources":"u",
        "retrieval_context":["v"]}"#;
    let entry = entries("c.json", format!("[{json}]")).remove(0);
    let texts: Vec<&str> = entry.case.evidence.context.iter().map(|each| each.text.as_str()).collect();
    assert_eq!(texts, ["p", "s", "u", "v"]);
    assert_eq!(entry.case.evidence.context[0].source.as_deref(), Some("T"));
    let long = format!(r#"{{"id":"a","ticket":"t","reply":"r","context":"{}"}}"#, "x".repeat(70_000));
    check(
        "c.jsonl",
        long,
        &expect![[r#"
        notice: evidence longer than 64 KiB is cut where it is shown: in 1 record
        0 line 1: a "t" -> "r"
    "#]],
    );
}

fn of_slice(slice: &str) -> LoadOptions {
    let part = DatasetPart { slices: vec![slice.to_owned()], ..DatasetPart::default() };
    LoadOptions { part, ..LoadOptions::default() }
}

#[test]
fn a_slice_without_records_is_named_with_those_that_there_are() {
    let records = format!("{A}\n{B}\n{}\n", r#"{"id":"c","slice":"s","ticket":"t","reply":"r"}"#);
    // A slip of the fingers, another name, and no slices at all: a bad record hides none of it.
    check_with(
        "c.jsonl",
        format!("{records}{{}}\n"),
        of_slice("S"),
        &expect![[r#"
        error: c.jsonl: no record matches --slice or --only, and 1 record cannot be used
        hint: did you mean --slice s?
    "#]],
    );
    check_with(
        "c.jsonl",
        &records,
        of_slice("returns"),
        &expect![[r#"
        error: c.jsonl: no record matches --slice or --only
        hint: slices in the file: s
    "#]],
    );
    check_with(
        "c.jsonl",
        format!("{A}\n"),
        of_slice("s"),
        &expect![[r#"
        error: c.jsonl: no record matches --slice or --only
        hint: no record has a slice; --map slice=COLUMN names where it stands
    "#]],
    );
    let mut both = of_slice("s");
    both.part.only = vec!["b".to_owned()];
    check_with(
        "c.jsonl",
        &records,
        both,
        &expect![[r#"
        error: c.jsonl: no record matches --slice or --only
    "#]],
    );
}

#[test]
fn a_part_of_the_records_is_used() {
    let records = format!("{A}\n{B}\n{}\n", r#"{"id":"c","slice":"s","ticket":"t","reply":"r"}"#);
    let part = |part| LoadOptions { part, ..LoadOptions::default() };
    let only = |id: &str| part(DatasetPart { only: vec![id.to_owned()], ..DatasetPart::default() });
    check_with(
        "c.jsonl",
        &records,
        part(DatasetPart { limit: Some(2), ..DatasetPart::default() }),
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 2: b "u" -> "s"
    "#]],
    );
    check_with(
        "c.jsonl",
        &records,
        only("b"),
        &expect![[r#"
        notice: records left out by --slice or --only: 2
        1 line 2: b "u" -> "s"
    "#]],
    );
    check_with(
        "c.jsonl",
        &records,
        only("x"),
        &expect![[r#"
        error: c.jsonl: no record matches --slice or --only
    "#]],
    );
    let slices = of_slice("s");
    check_with(
        "c.jsonl",
        &records,
        slices.clone(),
        &expect![[r#"
        notice: records left out by --slice or --only: 2
        2 line 3: c "t" -> "r"
    "#]],
    );
    let folder = Folder::new();
    let path = folder.write("c.jsonl", &records);
    let digest =
        |options| Dataset::open(std::slice::from_ref(&path), options).expect("loads").digest().hex.clone();
    assert_ne!(digest(slices), digest(LoadOptions::default()), "other cases have another digest");
}
