//! Columns of support teams: what customers said, labels, messages and calls of tools, and titles above a header.

use expect_test::{Expect, expect};
use probity_engine::input::{Annotated, Dataset, LoadOptions, Record};

use super::{Folder, check};

/// Cases with their outcomes, labels and tools, a line each.
#[track_caller]
fn check_columns(name: &str, content: &str, map: &str, want: &Expect) {
    let folder = Folder::new();
    let path = folder.write(name, content);
    let options = LoadOptions { map: map.parse().expect("a mapping"), ..LoadOptions::default() };
    let dataset = Dataset::open(&[path], options).expect("loads");
    let mut out = String::new();
    for annotated in dataset.annotated().expect("a pass") {
        let Annotated { record, beside } = annotated.expect("a record");
        match record {
            Record::Entry { entry, .. } => {
                let said = entry.case.situation.texts().join(" | ");
                out += &format!("{}: {said} -> {}", entry.case.id, entry.reply.text);
                out += &entry
                    .case
                    .outcomes
                    .iter()
                    .map(|(kind, value)| format!(" {kind}={value}"))
                    .collect::<String>();
                out += &entry.case.evidence.tools.iter().map(|tool| format!(" {tool:?}")).collect::<String>();
            }
            Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => out += &skipped.reason,
        }
        for label in beside.iter().flat_map(|beside| &beside.labels) {
            let criterion = label.criterion.as_deref().unwrap_or("reply");
            let by = label.annotator.as_deref().unwrap_or("?");
            out += &format!(" [{criterion} {} by {by}]", label.label.canonical());
        }
        out.push('\n');
    }
    want.assert_eq(&out);
}

#[test]
fn what_customers_said_is_an_outcome_and_never_a_label() {
    let csv = "id,ticket,reply,CSAT (1-5),Customer rating,label,outcome\na,t,r,5,good,x,y\nb,t,r,,,,\n";
    check_columns(
        "c.csv",
        csv,
        "",
        &expect![[r#"
        a: t -> r csat=5 rating=good
        b: t -> r
    "#]],
    );
    check_columns(
        "c.csv",
        csv,
        "outcome=outcome,csat=label",
        &expect![[r#"
        a: t -> r csat=x outcome=y rating=good
        b: t -> r
    "#]],
    );
    check_columns(
        "c.jsonl",
        r#"{"id":"a","ticket":"t","reply":"r","csat":4,"rating":true}"#,
        "",
        &expect![[r#"
        a: t -> r csat=4 rating=true
    "#]],
    );
}

#[test]
fn labels_are_read_where_they_are_mapped() {
    let csv = "id,ticket,reply,Tone (0-4),Overall,QA\na,t,r,3,pass,dana\nb,t,r,,fail,\n";
    let map = "label=Overall,label.tone=\"Tone (0-4)\",annotator=QA";
    check_columns(
        "c.csv",
        csv,
        map,
        &expect![[r#"
        a: t -> r [reply "pass" by dana] [tone "3" by dana]
        b: t -> r [reply "fail" by ?]
    "#]],
    );
    let talk = r#"{"id":"T","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"qa":0.5,"csat":5}"#;
    check_columns(
        "c.jsonl",
        talk,
        "label.tone=qa,annotator='dana'",
        &expect![[r#"
        T: a -> b csat=5 [tone 0.5 by dana]
    "#]],
    );
}

#[test]
fn a_cell_may_hold_a_transcript() {
    let messages = r#"[{"role":"system","content":"s"},{"role":"user","content":"When?"},{"role":"assistant","content":null,"tool_calls":"[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]"},{"role":"tool","tool_call_id":"c","content":"sent"},{"role":"assistant","content":"Soon."},{"role":"user","content":"Thanks"}]"#;
    let csv = format!("chat id,messages\na,\"{}\"\n", messages.replace('"', "\"\""));
    let want = expect![[r#"
        a: When? -> Soon. ToolCall { name: "f", arguments: Some("{}"), result: Some("sent") }
    "#]];
    check_columns("c.csv", &csv, "", &want);
    check_columns("c.jsonl", &format!(r#"{{"id":"a","turns":{messages}}}"#), "", &want);
    let text = "Chat ID,Transcript\n\
        a,\"Chat began\n[10:22] Customer: When?\n[10:23] Agent (Dana): Soon,\ntoday.\nCustomer: Thanks\"\n\
        b,When?\n";
    check_columns(
        "c.csv",
        text,
        "",
        &expect![[r#"
        a: When? -> Soon,
        today.
        no message by an agent
    "#]],
    );
    let other = r#"[{"id":"a","chat_messages":[{"sender":"human","text":"q"},{"sender":"assistant","text":"r"}]},{"id":"b","history":[{"by":"x"}]}]"#;
    check_columns(
        "c.json",
        other,
        "",
        &expect![[r#"
            a: q -> r
            'history' has no message with a text and a role, such as user or assistant
        "#]],
    );
    // A text that is called a ticket, or that has its reply, counts before a transcript.
    let both = "id,question,answer,transcript\na,q,r,Customer: x\n";
    check_columns(
        "c.csv",
        both,
        "",
        &expect![[r#"
        a: q -> r
    "#]],
    );
    check_columns(
        "c.csv",
        both,
        "turns=transcript",
        &expect![[r#"
        a: x -> r
    "#]],
    );
}

#[test]
fn a_column_of_calls_is_evidence() {
    let csv = "id,ticket,reply,tool_calls\na,t,r,\"[{\"\"id\"\":\"\"c\"\",\"\"function\"\":{\"\"name\"\":\"\"f\"\",\"\"arguments\"\":\"\"{}\"\"},\"\"result\"\":1}]\"\n";
    check_columns(
        "c.csv",
        csv,
        "",
        &expect![[r#"
        a: t -> r ToolCall { name: "f", arguments: Some("{}"), result: Some("1") }
    "#]],
    );
}

#[test]
fn titles_above_a_header_are_passed_over() {
    check(
        "c.csv",
        "Replies of week 38,,\n\nid,Customer question,Our reply\na,t,r\n",
        &expect![[r#"
            notice: c.csv: passed over 2 lines before the header row
            notice: c.csv: read ticket from 'Customer question', reply from 'Our reply'
            0 line 4: a "t" -> "r"
        "#]],
    );
    check(
        "c.csv",
        "x,y\nid,ticket\nreply,z\n",
        &expect![[r#"
            error: c.csv:2: found no column with the reply
            hint: these are its columns, each with its first value:
              id      "reply"
              ticket  "z"
            none of them looks like the reply: exports of tickets often leave messages out (those of Zendesk, Freshdesk, HubSpot and Gorgias do), and their API has them; where a column has it after all, say which: --map reply=COLUMN
        "#]],
    );
}

#[test]
fn a_table_of_messages_is_told_with_a_mapped_id() {
    let csv = "Conversation,Sender,Message,Internal note?\nc1,Customer,When is my order coming?,No\nc1,Bot,It comes tomorrow.,No\nc1,Dana,check stock,Yes\n";
    check(
        "c.csv",
        csv,
        &expect![[r#"
            error: c.csv:1: found no column with an id
            hint: these are its columns, each with its first value:
              Conversation    "c1"
              Sender          "Customer"
              Message         "When is my order coming?"
              Internal note?  "No"
            add to the command: --map id=Conversation
        "#]],
    );
    check_columns(
        "c.csv",
        csv,
        "id=Conversation",
        &expect![[r#"
            c1: When is my order coming? -> It comes tomorrow.
        "#]],
    );
}

#[test]
fn a_suggestion_tells_both_sides_apart() {
    let csv = "Case Number,Subject,What came by mail,Agent response sent\n1,x,Where is my order 1043?,It has left our warehouse yesterday evening.\n";
    check(
        "c.csv",
        csv,
        &expect![[r#"
            error: c.csv:1: found no columns with the customer's text, the reply
            hint: these are its columns, each with its first value:
              Case Number          "1"
              Subject              "x"
              What came by mail    "Where is my order 1043?"
              Agent response sent  "It has left our warehouse yesterday evening."
            add to the command: --map 'ticket=What came by mail,reply=Agent response sent'
        "#]],
    );
}

#[test]
fn a_suggestion_looks_into_objects() {
    let json = r#"{"request":{"user_query":"Where is my order 1043, please?"},"response":{"text":"It is on its way to you."}}"#;
    check(
        "c.jsonl",
        json,
        &expect![[r#"
            notice: c.jsonl: read ticket from 'request'
            notice: c.jsonl: found no columns with an id, the customer's text, the reply; these are its columns, each with its first value:
              request.user_query  "Where is my order 1043, please?"
              response.text       "It is on its way to you."
            add to the command: --map 'id=#,ticket=request.user_query,reply=response.text' (# numbers the records)
            0 line 1: ? skipped: Missing 'id' field
        "#]],
    );
}
