//! OpenTelemetry spans as records: every form that exporters write, and what each span gives.

use expect_test::{Expect, expect};
use probity_core::case::{Slice, Variant};
use probity_engine::input::{Dataset, Record};

use super::{A, Folder, LoadOptions, check, gzip};

/// A turn of today's conventions.
const ASKED: &str =
    r#"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Where is my parcel?\"}]}]"#;
const SAID: &str = r#"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"On its way.\"}],\"finish_reason\":\"stop\"}]"#;

fn string(key: &str, value: &str) -> String {
    format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#)
}

/// A span as OTLP has it.
fn span(id: &str, attributes: &[String], more: &str) -> String {
    let attributes = attributes.join(",");
    format!(
        r#"{{"traceId":"5b8efff7","spanId":"{id}","name":"chat","endTimeUnixNano":"1775035800000000000","attributes":[{attributes}]{more}}}"#
    )
}

/// A line of OTLP with these spans.
fn line(spans: &[String]) -> String {
    let resource = string("service.version", "bot-7");
    let spans = spans.join(",");
    format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{resource}]}},"scopeSpans":[{{"scope":{{"name":"x"}},"spans":[{spans}]}}]}}]}}"#
    ) + "\n"
}

fn messages() -> [String; 2] {
    [string("gen_ai.input.messages", ASKED), string("gen_ai.output.messages", SAID)]
}

/// What the only record of `content` is, field by field.
#[track_caller]
fn check_span(content: &str, want: &Expect) {
    let folder = Folder::new();
    let path = folder.write("spans.jsonl", content);
    let dataset = Dataset::open(&[path], LoadOptions::default()).expect("spans are read");
    let records: Vec<Record> =
        dataset.records().expect("a pass").map(|record| record.expect("a record")).collect();
    let [record] = &records[..] else { panic!("{records:?}") };
    want.assert_eq(&match record {
        Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => {
            format!("{} skipped: {}", skipped.id.as_deref().unwrap_or("-"), skipped.reason)
        }
        Record::Entry { entry, .. } => {
            let case = &entry.case;
            let variant = entry.reply.variant.as_ref().map(Variant::as_str);
            let slice = case.slice.as_ref().map(Slice::as_str);
            let time = case.circumstances.time.map(|time| time.to_string());
            format!(
                "{} {slice:?} {variant:?} {time:?}\n{:?}\n{:?}\n{}",
                case.id,
                case.situation.texts(),
                entry.reply.text,
                case.metadata.as_deref().unwrap_or("-")
            )
        }
    });
}

#[test]
fn a_span_of_todays_conventions() {
    let mut attributes = messages().to_vec();
    attributes.push(string("gen_ai.response.model", "gpt-x-mini"));
    attributes.push(string("gen_ai.provider.name", "openai"));
    attributes.push(string("support.intent", "delivery"));
    attributes.push(string(
        "gen_ai.system_instructions",
        "[{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"Be brief\\\"}]",
    ));
    check_span(
        &line(&[span("eee19b7e", &attributes, "")]),
        &expect![[r#"
            5b8efff7:eee19b7e Some("delivery") Some("gpt-x-mini") Some("2026-04-01T09:30:00Z")
            ["Where is my parcel?"]
            "On its way."
            {"model":"gpt-x-mini","provider":"openai","service_version":"bot-7"}"#]],
    );
}

#[test]
fn a_conversation_without_instructions_and_tools() {
    let asked = r#"[{\"role\":\"system\",\"content\":\"Be brief\"},{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"Hello!\"},{\"role\":\"user\",\"content\":\"Refund?\"},{\"role\":\"tool\",\"content\":\"{}\"}]"#;
    let attributes = [string("gen_ai.input.messages", asked), string("gen_ai.output.messages", SAID)];
    check_span(
        &line(&[span("01", &attributes, "")]),
        &expect![[r#"
            5b8efff7:01 None Some("bot-7") Some("2026-04-01T09:30:00Z")
            ["Hi", "Hello!", "Refund?"]
            "On its way."
            {"service_version":"bot-7"}"#]],
    );
}

#[test]
fn events_for_each_message() {
    let event = |name: &str, attributes: &[String]| {
        format!(r#"{{"name":"{name}","timeUnixNano":"1","attributes":[{}]}}"#, attributes.join(","))
    };
    let events = [
        event("gen_ai.system.message", &[string("content", "Be brief")]),
        event(
            "gen_ai.user.message",
            &[string("gen_ai.event.content", r#"{\"role\":\"user\",\"content\":\"Refund?\"}"#)],
        ),
        event("gen_ai.choice", &[string("message", r#"{\"role\":\"assistant\",\"content\":\"Done.\"}"#)]),
    ];
    let more = format!(r#","events":[{}]"#, events.join(","));
    let want = &expect![[r#"
        5b8efff7:01 None Some("bot-7") Some("2026-04-01T09:30:00Z")
        ["Refund?"]
        "Done."
        {"provider":"openai","service_version":"bot-7"}"#]];
    check_span(&line(&[span("01", &[string("gen_ai.system", "openai")], &more)]), want);
}

#[test]
fn one_event_for_each_side() {
    let event = |name: &str, attribute: String| format!(r#"{{"name":"{name}","attributes":[{attribute}]}}"#);
    let events = [
        event(
            "gen_ai.content.prompt",
            string("gen_ai.prompt", r#"[{\"role\":\"user\",\"content\":\"Refund?\"}]"#),
        ),
        event(
            "gen_ai.content.completion",
            string("gen_ai.completion", r#"[{\"role\":\"assistant\",\"content\":\"Done.\"}]"#),
        ),
    ];
    let more = format!(r#","events":[{}]"#, events.join(","));
    let want = &expect![[r#"
        5b8efff7:01 None Some("bot-7") Some("2026-04-01T09:30:00Z")
        ["Refund?"]
        "Done."
        {"service_version":"bot-7"}"#]];
    check_span(&line(&[span("01", &[], &more)]), want);
}

#[test]
fn an_attribute_for_each_role_and_text() {
    let attributes = [
        string("gen_ai.prompt.0.role", "system"),
        string("gen_ai.prompt.0.content", "Be brief"),
        string("gen_ai.prompt.1.role", "user"),
        string("gen_ai.prompt.1.content", "Refund?"),
        string("gen_ai.completion.0.content", "Done."),
    ];
    let want = &expect![[r#"
        5b8efff7:01 None Some("bot-7") Some("2026-04-01T09:30:00Z")
        ["Refund?"]
        "Done."
        {"service_version":"bot-7"}"#]];
    check_span(&line(&[span("01", &attributes, "")]), want);
}

#[test]
fn one_span_on_a_line() {
    let python = r#"{"name":"chat","context":{"trace_id":"0xab","span_id":"0x01"},"end_time":"2026-04-01T09:30:00.123Z","attributes":{"gen_ai.input.messages":"[{\"role\":\"user\",\"content\":\"Hi\"}]","gen_ai.output.messages":"[{\"role\":\"assistant\",\"content\":\"Yes\"}]","category":"greeting"},"resource":{"attributes":{"service.version":"2"}}}"#;
    check_span(
        python,
        &expect![[r#"
            ab:01 Some("greeting") Some("2") Some("2026-04-01T09:30:00Z")
            ["Hi"]
            "Yes"
            {"service_version":"2"}"#]],
    );
    let go = r#"{"Name":"chat","SpanContext":{"TraceID":"ab","SpanID":"01"},"EndTime":"2026-04-01T11:30:00+02:00","Attributes":[{"Key":"gen_ai.prompt.0.content","Value":{"Type":"STRING","Value":"Hi"}},{"Key":"gen_ai.completion.0.content","Value":{"Type":"STRING","Value":"Yes"}}],"Resource":[{"Key":"service.version","Value":{"Type":"STRING","Value":"2"}}]}"#;
    check_span(
        go,
        &expect![[r#"
            ab:01 None Some("2") Some("2026-04-01T09:30:00Z")
            ["Hi"]
            "Yes"
            {"service_version":"2"}"#]],
    );
    let flat = r#"{"trace_id":"ab","span_id":"01","gen_ai.input.messages":[{"role":"user","content":"Hi"}],"gen_ai.output.messages":[{"role":"assistant","content":"Yes"}],"end_time":1775035800123}"#;
    check_span(
        flat,
        &expect![[r#"
            ab:01 None None Some("2026-04-01T09:30:00Z")
            ["Hi"]
            "Yes"
            {}"#]],
    );
}

#[test]
fn a_span_without_a_reply_is_skipped_with_its_reason() {
    let [input, _] = messages();
    check_span(
        &line(&[span("01", std::slice::from_ref(&input), "")]),
        &expect![
            "5b8efff7:01 skipped: the span has no output message with a text; is the capture of content switched on?"
        ],
    );
    let call = r#"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"name\":\"refund\"}]}]"#;
    check_span(
        &line(&[span("01", &[input, string("gen_ai.output.messages", call)], "")]),
        &expect!["5b8efff7:01 skipped: the output is a tool call, not a reply"],
    );
    check_span(
        &line(&[span("01", &[string("gen_ai.output.messages", SAID)], "")]),
        &expect!["5b8efff7:01 skipped: the span has no input message with a text"],
    );
    let prefilled = r#"[{\"role\":\"assistant\",\"content\":\"Hello\"}]"#;
    let attributes = [string("gen_ai.input.messages", prefilled), string("gen_ai.output.messages", SAID)];
    check_span(
        &line(&[span("01", &attributes, "")]),
        &expect!["5b8efff7:01 skipped: no customer turn before the reply"],
    );
}

#[test]
fn other_spans_are_passed_over_and_counted() {
    let other = span("0f", &[string("http.request.method", "GET")], "");
    let content = line(&[span("01", &messages(), ""), other.clone()])
        + &line(&[other.clone(), span("02", &messages(), "")]);
    check(
        "spans.jsonl",
        &content,
        &expect![[r#"
        notice: spans.jsonl: passed over 2 spans that are not about GenAI
        0 line 1: 5b8efff7:01 [customer: "Where is my parcel?"] -> "On its way."
        1 line 2: 5b8efff7:02 [customer: "Where is my parcel?"] -> "On its way."
    "#]],
    );
    check(
        "spans.jsonl.gz",
        gzip(content.as_bytes()),
        &expect![[r#"
        notice: spans.jsonl.gz: passed over 2 spans that are not about GenAI
        0 line 1: 5b8efff7:01 [customer: "Where is my parcel?"] -> "On its way."
        1 line 2: 5b8efff7:02 [customer: "Where is my parcel?"] -> "On its way."
    "#]],
    );
    check(
        "spans.jsonl",
        line(&[other]),
        &expect![[r#"
        error: spans.jsonl: none of 1 spans is about GenAI: no attribute begins with gen_ai.
    "#]],
    );
}

#[test]
fn the_slice_is_the_attribute_that_was_asked_for() {
    let mut attributes = messages().to_vec();
    attributes.extend([string("intent", "delivery"), string("tier", "gold")]);
    let options = LoadOptions { slice_attribute: Some("tier".into()), ..LoadOptions::default() };
    let folder = Folder::new();
    let path = folder.write("spans.jsonl", line(&[span("01", &attributes, "")]));
    let dataset = Dataset::open(&[path], options).expect("spans");
    let record = dataset.records().expect("a pass").next().expect("a record").expect("a record");
    let Record::Entry { entry, .. } = record else { panic!("skipped") };
    assert_eq!(entry.case.slice.expect("a slice").as_str(), "gold");
}

#[test]
fn spans_and_cases_in_one_data_set() {
    let content = format!("{A}\n{}", line(&[span("01", &messages(), "")]));
    check(
        "mixed.jsonl",
        content,
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 2: 5b8efff7:01 [customer: "Where is my parcel?"] -> "On its way."
    "#]],
    );
    let array = format!("[{A},\n{}]", span("01", &messages(), ""));
    check(
        "mixed.json",
        array,
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 2: 5b8efff7:01 [customer: "Where is my parcel?"] -> "On its way."
    "#]],
    );
}

#[test]
fn a_span_twice_is_a_record_twice() {
    let one = span("01", &messages(), "");
    check(
        "spans.jsonl",
        line(&[one.clone(), one]),
        &expect![[r#"
        error: spans.jsonl:1: record 1 has the id '5b8efff7:01' of variant 'bot-7' that record 0 at spans.jsonl:1 has, with the same content
        hint: remove one, or ask for identical records to be skipped with --dedup=identical
    "#]],
    );
}

#[test]
fn a_batch_may_be_longer_than_a_case() {
    let spans: Vec<String> = (10..60).map(|id| span(&id.to_string(), &messages(), "")).collect();
    let content = line(&spans);
    let small = LoadOptions { record_bytes_max: content.len() / 10, ..LoadOptions::default() };
    let folder = Folder::new();
    let path = folder.write("spans.jsonl", &content);
    assert_eq!(Dataset::open(&[path], small).expect("spans").digest().n_records, 50);
}

#[test]
fn a_batch_over_several_lines_is_read() {
    let content = line(&[span("01", &messages(), "")]).replace("\"scopeSpans\"", "\n\"scopeSpans\"");
    check(
        "spans.json",
        content,
        &expect![[r#"
        0 line 1: 5b8efff7:01 [customer: "Where is my parcel?"] -> "On its way."
    "#]],
    );
}
