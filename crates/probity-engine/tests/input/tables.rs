//! CSV: quotes, ragged rows, headers, delimiters.

use expect_test::expect;
use probity_engine::input::LoadOptions;

use super::{check, check_with, entries};

#[test]
fn d32_a_quote_that_is_never_closed() {
    check(
        "c.csv",
        "id,ticket,reply\na,t,r\nb,\"x\ny\",\"s\nc,t,r\n",
        &expect![[r#"
        error: c.csv:4: a quoted cell that starts here is not closed: the file ends inside it
        hint: a quote inside a quoted cell is written twice
    "#]],
    );
    let swallowed = format!("id,ticket,reply\na,t,\"r\n{}b,t,\"s\"\n", "x,t,r\n".repeat(1_200));
    check(
        "c.csv",
        swallowed,
        &expect![[r#"
        error: c.csv:2: a quoted cell that starts here is not closed: the cell has more than 1000 lines
        hint: a quote inside a quoted cell is written twice
    "#]],
    );
}

#[test]
fn d32_long_cells_are_read() {
    let cell = "x\r\n".repeat(1_000);
    let got = entries("c.csv", format!("id,ticket,reply\na,\"{cell}\",\"{cell}\"\n"));
    assert_eq!(&*got[0].reply.text, cell);
}

#[test]
fn d33_rows_of_another_length() {
    check(
        "c.csv",
        "id,ticket,reply\na,t\n\nb,t,r,x\nc,t,r\n",
        &expect![[r#"
        0 line 2: ? skipped: the row has 2 cells, the header has 3
        1 line 4: ? skipped: the row has 4 cells, the header has 3
        2 line 5: c "t" -> "r"
    "#]],
    );
}

#[test]
fn d34_a_name_twice_in_the_header() {
    check(
        "c.csv",
        "id,ticket,reply,reply\na,t,r,s\n",
        &expect![[r#"
        error: c.csv:1: columns 3 and 4 are both called 'reply'
    "#]],
    );
    check(
        "c.csv",
        "id,ticket,note,reply,note\na,t,r,s,\n",
        &expect![[r#"
        error: c.csv:1: columns 3 and 5 are both called 'note'
    "#]],
    );
    check(
        "c.csv",
        "id,ticket,output,response\na,t,r,s\n",
        &expect![[r#"
            error: c.csv:1: 'output' and 'response' both give the 'reply' field
            hint: these are its columns, each with its first value:
              id        "a"
              ticket    "t"
              output    "r"
              response  "s"
            add to the command: --map reply=response
        "#]],
    );
    check(
        "c.csv",
        ",id,ticket,reply,\n0,a,t,r,\n",
        &expect![[r#"
        0 line 2: a "t" -> "r"
    "#]],
    );
}

#[test]
fn d35_json_in_a_cell_without_quotes() {
    let csv = |cell: &str| format!("id,ticket,reply,metadata\na,t,r,{cell}\n");
    assert_eq!(entries("c.csv", csv(r#"{"a":"b"}"#))[0].case.metadata.as_deref(), Some(r#"{"a":"b"}"#));
    check(
        "c.csv",
        csv(r#"{"a":"b","c":1}"#),
        &expect![[r#"
            0 line 2: ? skipped: text after the closing quote of cell 5; a cell that holds JSON must be quoted, its own quotes doubled
        "#]],
    );
    let quoted = csv(r#""{""a"":""b"",""c"":1}""#);
    assert_eq!(entries("c.csv", quoted)[0].case.metadata.as_deref(), Some(r#"{"a":"b","c":1}"#));
    check(
        "c.csv",
        csv("{plain text"),
        &expect![[r#"
        0 line 2: ? skipped: malformed JSON: unexpected character 'p' at byte 1 of the 'metadata' cell
    "#]],
    );
    assert_eq!(entries("c.csv", csv("plain text"))[0].case.metadata.as_deref(), Some("\"plain text\""));
    let tools = "id,ticket,reply,tools\na,t,r,crm\n";
    check(
        "c.csv",
        tools,
        &expect![[r#"
            notice: c.csv: line 2: the 'tools' cell is no JSON list of calls; it is left out
            0 line 2: a "t" -> "r"
        "#]],
    );
    check(
        "c.csv",
        csv("\"x\"y"),
        &expect![[r#"
        0 line 2: ? skipped: text after the closing quote of cell 4
    "#]],
    );
}

#[test]
fn d36_the_delimiter_is_told_by_the_header() {
    let semicolons = "id;ticket;reply;confidence\na;t, u;r;0.5\nb;t;r;0,5\n";
    check(
        "c.csv",
        semicolons,
        &expect![[r#"
            notice: c.csv: cells are separated by semicolons
            0 line 2: a "t, u" -> "r"
            1 line 3: b "t" -> "r"
        "#]],
    );
    check(
        "c.tsv",
        semicolons.replace(';', "\t"),
        &expect![[r#"
            notice: c.tsv: cells are separated by tabs
            0 line 2: a "t, u" -> "r"
            1 line 3: b "t" -> "r"
        "#]],
    );
    check(
        "c.csv",
        "\"abc\"\n",
        &expect![[r#"
            error: c.csv:1: found no columns with an id, the customer's text, the reply
            hint: these are its columns, each with its first value:
              abc  
            none of them looks like the customer's text or the reply: exports of tickets often leave messages out (those of Zendesk, Freshdesk, HubSpot and Gorgias do), and their API has them; where a column has it after all, say which: --map reply=COLUMN
        "#]],
    );
    let with = |delimiter| LoadOptions { delimiter: Some(delimiter), ..LoadOptions::default() };
    check_with(
        "c.csv",
        semicolons,
        with(b';'),
        &expect![[r#"
            0 line 2: a "t, u" -> "r"
            1 line 3: b "t" -> "r"
        "#]],
    );
    check_with(
        "c.tsv",
        semicolons.replace(';', "\t"),
        with(b'\t'),
        &expect![[r#"
            0 line 2: a "t, u" -> "r"
            1 line 3: b "t" -> "r"
        "#]],
    );
    check_with(
        "c.csv",
        semicolons,
        with(b'"'),
        &expect![[r#"
        error: data set: the delimiter must be one ASCII character other than a quote or a line end
    "#]],
    );
}

#[test]
fn d37_cells_that_look_like_formulas_are_kept() {
    for text in ["=1+1", "+49 30", "-x", "@SUM(A1)", "\t=1"] {
        assert_eq!(&*entries("c.csv", format!("id,ticket,reply\na,t,{text}\n"))[0].reply.text, text);
    }
}

#[test]
fn a_row_gives_what_the_same_object_gives() {
    let csv = concat!(
        "id, intent ,ticket,turns,answer,variant,ideal,confidence,evidence,known_pii,metadata,note\n",
        "1,s,t,,r,v,e,0.50,\"[{\"\"source\"\":\"\"p\"\"}]\",\"[\"\"xy\"\"]\",[ 1 ],n\n",
        "2,,,\"[{\"\"role\"\":\"\"user\"\",\"\"text\"\":\"\"q\"\"}]\",r,,,,,,,\n",
    );
    let json = r#"[
        {"id":1,"slice":"s","ticket":"t","reply":"r","variant":"v","reference":"e","confidence":0.50,
         "evidence":[{"source":"p"}],"known_pii":["xy"],"metadata":[ 1 ]},
        {"id":2,"turns":[{"role":"customer","text":"q"}],"reply":"r"}
    ]"#;
    assert_eq!(entries("c.csv", csv), entries("c.json", json));
}

#[test]
fn an_empty_cell_of_a_required_column() {
    check(
        "c.csv",
        "id,ticket,reply\n,t,r\na,,r\n",
        &expect![[r#"
        0 line 2: ? skipped: Empty 'id' field
        1 line 3: a skipped: Empty 'ticket' field
    "#]],
    );
    check(
        "c.csv",
        "id,turns,ticket,reply\na,,,r\n",
        &expect![[r#"
        0 line 2: a skipped: Missing 'ticket' field
    "#]],
    );
}
