//! What a record needs to be judged, by the names that its file has; what its reply rests on; and records in an object.

use expect_test::expect;
use probity_core::case::{ContextText, Evidence, EvidenceSource, ToolCall};
use probity_engine::input::{Dataset, LoadOptions};

use super::{A, B, Folder, check, entries};

#[test]
fn n23_d20_an_empty_or_blank_reply_is_skipped_under_the_name_of_the_file() {
    let records = r#"[{"id":"a","ticket":"t","response":"r"},{"id":"b","ticket":"t","response":""},
        {"id":"c","ticket":"t","response":" \n"},{"id":"d","ticket":"t"},{"id":"e","response":"r"},
        {"id":"f","turns":[{"role":"customer","text":"q"},{"role":"agent","text":" "}]}]"#;
    check(
        "c.json",
        records,
        &expect![[r#"
            0 line 1: a "t" -> "r"
            1 line 1: b skipped: Empty 'response' field
            2 line 2: c skipped: Empty 'response' field
            3 line 2: d skipped: Missing 'response' field
            4 line 2: e skipped: Missing 'ticket' field
            5 line 3: f skipped: Empty 'turns[1].text' field
        "#]],
    );
    check(
        "c.csv",
        "id,question,answer\na,t,\n",
        &expect![[r#"
            0 line 2: a skipped: Empty 'answer' field
        "#]],
    );
}

#[test]
fn n23_a_missing_field_is_named_as_other_records_of_the_file_name_it() {
    let records = r#"{"id":"a","question":"t","note":"\"answer\": none"}
{"id":"b","question":"t","output":"r"}
{"id":"c","output":"r"}
"#;
    check(
        "c.jsonl",
        records,
        &expect![[r#"
            0 line 1: a skipped: Missing 'output' field
            1 line 2: b "t" -> "r"
            2 line 3: c skipped: Missing 'question' field
        "#]],
    );
}

#[test]
fn d21_a_reply_of_invisible_characters_is_skipped() {
    check(
        "c.jsonl",
        "{\"id\":\"a\",\"ticket\":\"t\",\"reply\":\"\u{200b}\u{2060}\"}",
        &expect![[r#"
            0 line 1: a skipped: 'reply' has no visible character
        "#]],
    );
}

#[test]
fn n23_skipped_records_are_worth_a_notice_each_up_to_a_bound() {
    let folder = Folder::new();
    let path = folder.write("c.jsonl", format!("{A}\n{}", "{\"id\":\"x\",\"ticket\":\"t\"}\n".repeat(25)));
    let dataset = Dataset::open(&[path], LoadOptions::default()).expect("loads");
    let said: Vec<String> = dataset.notices().iter().map(|notice| folder.hide(notice)).collect();
    assert_eq!(said.len(), 21, "{said:?}");
    assert_eq!(said[0], "c.jsonl: line 2: record 1 is skipped: Missing 'reply' field");
    assert_eq!(said[20], "5 more records are skipped");
}

#[test]
fn n23_an_object_around_one_array_is_opened() {
    let rows = "0 line 1: a \"t\" -> \"r\"\n1 line 1: b \"u\" -> \"s\"\n";
    let opened = |content: &str| {
        let folder = Folder::new();
        let path = folder.write("c.json", content);
        super::summary(&folder, &[path], LoadOptions::default())
    };
    let data = format!("notice: c.json: read the records in its 'data'\n{rows}");
    assert_eq!(opened(&format!(r#"{{"data":[{A},{B}]}}"#)), data);
    assert_eq!(
        opened(&format!(r#" {{"meta":{{"n":[1],"of":[{{}}]}},"none":[],"data" : [{A},{B}],"x":"]}}"}} "#)),
        data
    );
    check(
        "c.json",
        format!(
            "{{\n  \"source\": \"desk {{[\",\n  \"tickets\": [\n    {A},\n    {B}\n  ],\n  \"next\": null\n}}\n"
        ),
        &expect![[r#"
            notice: c.json: read the records in its 'tickets'
            0 line 4: a "t" -> "r"
            1 line 5: b "u" -> "s"
        "#]],
    );
    let bare = super::digest(format!("[{A},{B}]"));
    assert_eq!(super::digest(format!(r#"{{"data":[{A},{B}]}}"#)), bare);
}

#[test]
fn n23_an_object_in_doubt_is_not_opened() {
    for content in [
        format!("{{\n\"data\":[{A}],\n\"more\":[{B}]}}"),
        format!("{{\n\"id\":\"x\",\n\"data\":[{A}]}}"),
        format!("{{\n\"data\":[1,{A}]}}"),
    ] {
        let folder = Folder::new();
        let path = folder.write("c.json", &content);
        let got = super::summary(&folder, &[path], LoadOptions::default());
        assert!(got.contains("one JSON object over several lines"), "{content}: {got}");
    }
    let one = r#"{"id":"a","turns":[{"role":"customer","text":"q"}],"reply":"r","tools":[{"name":"n"}]}"#;
    assert_eq!(entries("c.jsonl", one).len(), 1, "one record is no wrapper");
}

#[test]
fn n22_what_a_reply_rests_on() {
    let record = r#"{"id":"a","ticket":"t","reply":"r",
        "evidence":[{"source":"p","version":2,"text":"30 days"},"q"],
        "context":["one",{"text":"two","source":"faq"}," "],"retrieval_context":"three",
        "tools":[{"name":"orders","arguments":{"b":1,"a":[]},"result":"sent"},{"name":"refund","result":null}]}"#;
    let source = |id: &str, version: Option<&str>, text: Option<&str>| EvidenceSource {
        id: id.to_owned(),
        version: version.map(str::to_owned),
        text: text.map(str::to_owned),
        facts: Vec::new(),
    };
    let text = |text: &str, source: Option<&str>| ContextText {
        text: text.to_owned(),
        source: source.map(str::to_owned),
    };
    let call = |name: &str, arguments: Option<&str>, result: Option<&str>| ToolCall {
        name: name.to_owned(),
        arguments: arguments.map(str::to_owned),
        result: result.map(str::to_owned),
    };
    let want = Evidence {
        sources: vec![source("p", Some("2"), Some("30 days")), source("q", None, None)],
        context: vec![text("one", None), text("two", Some("faq")), text("three", None)],
        tools: vec![call("orders", Some(r#"{"a":[],"b":1}"#), Some("sent")), call("refund", None, None)],
        n_omitted: 0,
    };
    assert_eq!(*entries("c.json", format!("[{record}]"))[0].case.evidence, want);
    let row = "id,ticket,reply,context\na,t,r,plain text\nb,t,r,\"[\"\"x\"\"]\"\n";
    let texts: Vec<String> = entries("c.csv", row)
        .iter()
        .flat_map(|entry| entry.case.evidence.context.iter().map(|each| each.text.clone()))
        .collect();
    assert_eq!(texts, ["plain text", "x"]);
}

#[test]
fn n22_evidence_and_upstream_gates_in_wrong_forms() {
    let record = |fields: &str| format!("{{\"id\":\"a\",\"ticket\":\"t\",\"reply\":\"r\",{fields}}}\n");
    let records = [
        r#""context":[1]"#,
        r#""context":[{"source":"faq"}]"#,
        r#""tools":["orders"]"#,
        r#""tools":[{"arguments":{}}]"#,
        r#""evidence":[{"source":"p","text":1}]"#,
        r#""admissible":"no""#,
    ];
    check(
        "c.jsonl",
        records.map(record).concat(),
        &expect![[r#"
            0 line 1: a skipped: 'context[0]' must be an object or a string, found a number
            1 line 2: a "t" -> "r"
            2 line 3: a skipped: 'tools[0]' must be an object, found a string
            3 line 4: a skipped: Missing 'tools[0].name' field
            4 line 5: a skipped: 'evidence[0].text' must be a string, found a number
            5 line 6: a skipped: 'admissible' must be true or false, found a string
        "#]],
    );
    let reason = |fields: &str| entries("c.jsonl", record(fields)).remove(0).case.inadmissible;
    assert_eq!(reason(r#""admissible":true,"reason":"none""#), None);
    assert_eq!(reason(r#""admissible":false"#).as_deref(), Some(""));
    assert_eq!(reason(r#""admissible":false,"reason":"stale""#).as_deref(), Some("stale"));
    assert_eq!(
        reason(r#""admissible":false,"admissible_reason":["stale","late"]"#).as_deref(),
        Some("stale; late")
    );
}
