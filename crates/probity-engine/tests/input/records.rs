//! Single records: their JSON, their fields, their conversations.

use expect_test::expect;
use probity_core::case::{Circumstances, Moment};
use probity_engine::input::{LoadOptions, Strictness};

use super::{check, check_with, entries};

/// Lines with a good record at the end, because a bad one must not take others with it.
fn lines(bad: &[&str]) -> String {
    let good = r#"{"id":"good","ticket":"t","reply":"r"}"#;
    bad.iter().chain([&good]).map(|line| format!("{line}\n")).collect()
}

fn strict() -> LoadOptions {
    LoadOptions { strict: Strictness::Strict, ..LoadOptions::default() }
}

#[test]
fn d06_nul_in_any_text() {
    let bad = [
        r#"{"id":"a","ticket":"t\u0000","reply":"r"}"#,
        r#"{"id":"b","ticket":"t","reply":"\u0000"}"#,
        r#"{"id":"c","turns":[{"role":"user","text":"\u0000"}],"reply":"r"}"#,
        r#"{"id":"d","ticket":"t","reply":"r","reference":"\u0000"}"#,
        r#"{"id":"e","ticket":"t","reply":"r","evidence":["\u0000"]}"#,
        r#"{"id":"f","ticket":"t","reply":"r","known_pii":["\u0000"]}"#,
        r#"{"id":"g","ticket":"t","reply":"r","metadata":{"k":["\u0000"]}}"#,
        r#"{"id":"\u0000","ticket":"t","reply":"r"}"#,
        "{\"id\":\"h\",\"ticket\":\"\0\",\"reply\":\"r\"}",
    ];
    check(
        "c.jsonl",
        lines(&bad),
        &expect![[r#"
        0 line 1: a skipped: 'ticket' contains a NUL character
        1 line 2: b skipped: 'reply' contains a NUL character
        2 line 3: c skipped: 'turns[0].text' contains a NUL character
        3 line 4: d skipped: 'reference' contains a NUL character
        4 line 5: e skipped: 'evidence[0]' contains a NUL character
        5 line 6: f skipped: 'known_pii[0]' contains a NUL character
        6 line 7: g skipped: 'metadata' contains a NUL character
        7 line 8: ? skipped: 'id' contains a NUL character
        8 line 9: ? skipped: malformed JSON: an unescaped control character in a string at byte 20 of the record
        9 line 10: good "t" -> "r"
    "#]],
    );
}

#[test]
fn d13_lines_that_are_no_objects() {
    check(
        "c.jsonl",
        lines(&["{\"id\":\"a\",\"ticket\":\"t\",\"reply\":\"r\"}", "[1]", "\"x\"", "7", "null"]),
        &expect![[r#"
            0 line 1: a "t" -> "r"
            1 line 2: ? skipped: expected an object, found an array
            2 line 3: ? skipped: expected an object, found a string
            3 line 4: ? skipped: expected an object, found a number
            4 line 5: ? skipped: expected an object, found null
            5 line 6: good "t" -> "r"
        "#]],
    );
    check(
        "c.json",
        r#"[1,{"id":"a","ticket":"t","reply":"r"},[],"]"]"#,
        &expect![[r#"
        0 line 1: ? skipped: expected an object, found a number
        1 line 1: a "t" -> "r"
        2 line 1: ? skipped: expected an object, found an array
        3 line 1: ? skipped: expected an object, found a string
    "#]],
    );
}

#[test]
fn d14_two_objects_on_a_line() {
    let bad = r#"{"id":"a","ticket":"t","reply":"r"} {"id":"b","ticket":"t","reply":"r"}"#;
    check(
        "c.jsonl",
        lines(&[bad]),
        &expect![[r#"
        0 line 1: ? skipped: more than one JSON value in the record, the second at byte 36
        1 line 2: good "t" -> "r"
    "#]],
    );
    check(
        "c.json",
        format!("[{bad}]"),
        &expect![[r#"
        0 line 1: ? skipped: more than one JSON value in the record, the second at byte 36
    "#]],
    );
}

#[test]
fn d15_nesting_depth_200() {
    let deep = format!(
        r#"{{"id":"a","ticket":"t","reply":"r","metadata":{}1{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    check(
        "c.jsonl",
        lines(&[&deep]),
        &expect![[r#"
        error: c.jsonl:1: malformed JSON: nested deeper than 128 levels at byte 173 of the record
    "#]],
    );
    check(
        "c.json",
        format!("[{}1{}]", "[".repeat(1_000_000), "]".repeat(1_000_000)),
        &expect![[r#"
            error: c.json:1: malformed JSON: nested deeper than 128 levels at byte 128 of the record
        "#]],
    );
    check(
        "c.csv",
        format!("id,ticket,reply,metadata\na,t,r,{}1{}\n", "[".repeat(200), "]".repeat(200)),
        &expect![[r#"
            error: c.csv:2: malformed JSON: nested deeper than 128 levels at byte 128 of the 'metadata' cell
        "#]],
    );
}

#[test]
fn d16_duplicate_keys() {
    let bad = [
        r#"{"id":"a","ticket":"t","reply":"r","reply":"s"}"#,
        r#"{"id":"a","ticket":"t","reply":"r","metadata":{"k":1,"k":1}}"#,
    ];
    check(
        "c.jsonl",
        lines(&bad),
        &expect![[r#"
        0 line 1: ? skipped: malformed JSON: duplicate key "reply" at byte 35 of the record
        1 line 2: ? skipped: malformed JSON: duplicate key "k" at byte 53 of the record
        2 line 3: good "t" -> "r"
    "#]],
    );
}

#[test]
fn d17_missing_fields() {
    let content = r#"[
        {"id":"a","ticket":"t","reply":"r"},
        {"id":"b","ticket":"t","reply":"r"},
        {"id":"c","reply":"r"},
        {"id":"d","ticket":"t"},
        {"ticket":"t","reply":"r"},
        {"id":"e","ticket":" \n","reply":"r"},
        {"id":"f","question":"","reply":"r"},
        {}
    ]"#;
    check(
        "c.json",
        content,
        &expect![[r#"
        0 line 2: a "t" -> "r"
        1 line 3: b "t" -> "r"
        2 line 4: c skipped: Missing 'ticket' field
        3 line 5: d skipped: Missing 'reply' field
        4 line 6: ? skipped: Missing 'id' field
        5 line 7: e skipped: Empty 'ticket' field
        6 line 8: f skipped: Empty 'question' field
        7 line 9: ? skipped: Missing 'id' field
    "#]],
    );
    check_with(
        "c.json",
        content,
        strict(),
        &expect![[r#"
        error: c.json:4: record 2: Missing 'ticket' field
    "#]],
    );
}

#[test]
fn d18_a_field_name_that_looks_mistyped() {
    let typo = r#"{"id":"a","ticket":"t","reply":"r","replly":"s","model":"m"}"#;
    check(
        "c.jsonl",
        lines(&[typo, r#"{"id":"b","ticket":"t","replly":"s"}"#]),
        &expect![[r#"
            notice: c.jsonl: line 1: unknown field 'replly': did you mean 'reply'? (in 2 records)
            0 line 1: a "t" -> "r"
            1 line 2: b skipped: Missing 'reply' field; unknown field 'replly': did you mean 'reply'?
            2 line 3: good "t" -> "r"
        "#]],
    );
    check_with(
        "c.jsonl",
        lines(&[typo]),
        strict(),
        &expect![[r#"
        error: c.jsonl:1: record 0: unknown field 'replly': did you mean 'reply'?
    "#]],
    );
    check(
        "c.csv",
        "id,ticket,reply,slcie\na,t,r,x\n",
        &expect![[r#"
        notice: c.csv: unknown field 'slcie': did you mean 'slice'?
        0 line 2: a "t" -> "r"
    "#]],
    );
    check_with(
        "c.csv",
        "id,ticket,reply,slcie\na,t,r,x\n",
        strict(),
        &expect![[r#"
        error: c.csv: unknown field 'slcie': did you mean 'slice'?
    "#]],
    );
}

#[test]
fn d19_wrong_types_are_not_converted() {
    let bad = [
        r#"{"id":"a","ticket":"t","reply":3}"#,
        r#"{"id":"b","ticket":"t","response":["r"]}"#,
        r#"{"id":"c","ticket":"t","reply":null}"#,
        r#"{"id":"d","ticket":{"text":"t"},"reply":"r"}"#,
        r#"{"id":true,"ticket":"t","reply":"r"}"#,
        r#"{"id":"e","ticket":"t","reply":"r","slice":1}"#,
        r#"{"id":"f","ticket":"t","reply":"r","confidence":"0.5"}"#,
        r#"{"id":"g","ticket":"t","reply":"r","confidence":1.5}"#,
        r#"{"id":"g2","ticket":"t","reply":"r","time":"yesterday"}"#,
        r#"{"id":"g3","ticket":"t","reply":"r","time":1775001600000}"#,
        r#"{"id":"g4","ticket":"t","reply":"r","time":[1]}"#,
        r#"{"id":"h","ticket":"t","reply":"r","evidence":"p"}"#,
        r#"{"id":"i","ticket":"t","reply":"r","evidence":[{"version":"1"}]}"#,
        r#"{"id":"j","ticket":"t","reply":"r","known_pii":["",1]}"#,
        r#"{"id":"k","ticket":"t","reply":"r","variant":"a\tb"}"#,
        r#"{"id":"n19","ticket":"t","reply":"r","known_pii":["Jane Doe","- J"]}"#,
        r#"{"id":"n19b","ticket":"t","reply":"r","known_pii":["Li","李"]}"#,
    ];
    check(
        "c.jsonl",
        lines(&bad),
        &expect![[r#"
            notice: c.jsonl: line 8: 'confidence' must be a number from 0 to 1; it is left out
            notice: c.jsonl: line 9: 'time' is no date in a usual form, such as 2026-04-01 or 2026-04-01T09:30:00Z; it is left out
            notice: c.jsonl: line 11: 'time' must be a string, found an array; it is left out
            0 line 1: a skipped: 'reply' must be a string, found a number
            1 line 2: b skipped: 'response' must be a string, found an array
            2 line 3: c skipped: 'reply' must be a string, found null
            3 line 4: d skipped: 'ticket' must be a string, found an object
            4 line 5: ? skipped: 'id' must be a string, found a boolean
            5 line 6: e "t" -> "r"
            6 line 7: f "t" -> "r"
            7 line 8: g "t" -> "r"
            8 line 9: g2 "t" -> "r"
            9 line 10: g3 "t" -> "r"
            10 line 11: g4 "t" -> "r"
            11 line 12: h skipped: 'evidence' must be an array, found a string
            12 line 13: i skipped: Missing 'evidence[0].source' field
            13 line 14: j skipped: Empty 'known_pii[0]' field
            14 line 15: k skipped: 'variant' contains a control character
            15 line 16: n19 skipped: 'known_pii[1]' is too short to be looked for, expected at least two letters or digits
            16 line 17: n19b "t" -> "r"
            17 line 18: good "t" -> "r"
        "#]],
    );
}

#[test]
fn d22_hidden_characters_are_kept() {
    let reply = "pay\u{200b}ment \u{202e}abc\u{202c} \u{e0041}";
    for (name, content) in [
        ("c.jsonl", format!("{{\"id\":\"a\",\"ticket\":\"t\",\"reply\":\"{reply}\"}}")),
        ("c.csv", format!("id,ticket,reply\na,t,{reply}\n")),
    ] {
        assert_eq!(&*entries(name, content)[0].reply.text, reply);
    }
}

#[test]
fn d30_numbers_in_metadata() {
    let nan = r#"{"id":"a","ticket":"t","reply":"r","metadata":{"x":NaN}}"#;
    check(
        "c.jsonl",
        lines(&[nan, &nan.replace("NaN", "-Infinity")]),
        &expect![[r#"
        0 line 1: ? skipped: malformed JSON: a number that is not finite at byte 51 of the record
        1 line 2: ? skipped: malformed JSON: a number that is not finite at byte 52 of the record
        2 line 3: good "t" -> "r"
    "#]],
    );
    let got = entries("c.jsonl", nan.replace("NaN", " -0 , \"y\": 1.50"));
    assert_eq!(got[0].case.metadata.as_deref(), Some(r#"{"x": -0 , "y": 1.50}"#));
}

#[test]
fn d31_dates_stay_text() {
    let dates = r#"{"at":"02/03/24","epoch":1709400000,"local":"2024-03-02T10:00:00"}"#;
    let got =
        entries("c.jsonl", format!(r#"{{"id":"02/03/24","ticket":"t","reply":"r","metadata":{dates}}}"#));
    assert_eq!(got[0].case.id.as_str(), "02/03/24");
    assert_eq!(got[0].case.metadata.as_deref(), Some(dates));
}

#[test]
fn d34_two_names_of_one_field() {
    let bad = r#"{"id":"a","ticket":"t","answer":"r","reply":"s"}"#;
    check(
        "c.jsonl",
        lines(&[bad]),
        &expect![[r#"
        0 line 1: ? skipped: 'answer' and 'reply' both give the 'reply' field
        1 line 2: good "t" -> "r"
    "#]],
    );
}

#[test]
fn d42_which_turn_is_the_reply() {
    let turns = |turns: &str, rest: &str| format!(r#"{{"id":"x","turns":[{turns}]{rest},"variant":"V"}}"#);
    let (user, bot) = (r#"{"role":"user","content":"q"}"#, r#"{"role":"assistant","text":"a"}"#);
    let system = r#"{"role":"system","text":"s"}"#;
    let reply = r#","reply":"r""#;
    let cases = [
        turns(&[system, user, bot].join(","), ""),
        turns(&[user, bot, bot].join(","), ""),
        turns(&[bot, user].join(","), reply),
        turns(&[user, bot].join(","), reply),
        turns(&[user, bot, user].join(","), ""),
        turns(bot, ""),
        turns(&[system, bot].join(","), reply),
        turns("", reply),
        turns(r#"{"role":"moderator","text":"m"}"#, reply),
        turns(r#"{"text":"m"}"#, reply),
        turns(r#"{"role":"user","text":"m","content":"n"}"#, reply),
        turns(r#"{"role":"user"}"#, reply),
        turns(r#"{"role":"user","content":7}"#, reply),
        turns(r#""hello""#, reply),
        turns(user, r#","reply":"r","ticket":"t""#),
        turns(user, r#","reply":"r","ticket":null"#),
    ];
    let numbered = cases.iter().enumerate().map(|(i, line)| line.replace("\"V\"", &format!("\"{i}\"")));
    let numbered: Vec<String> = numbered.collect();
    check(
        "c.jsonl",
        lines(&numbered.iter().map(String::as_str).collect::<Vec<_>>()),
        &expect![[r#"
        0 line 1: x [system: "s", customer: "q"] -> "a"
        1 line 2: x [customer: "q", agent: "a"] -> "a"
        2 line 3: x [agent: "a", customer: "q"] -> "r"
        3 line 4: x [customer: "q", agent: "a"] -> "r"
        4 line 5: x skipped: Missing 'reply' field, and the last of 'turns' is not an agent's
        5 line 6: x skipped: 'turns' has no customer turn before the reply
        6 line 7: x skipped: 'turns' has no customer turn before the reply
        7 line 8: x skipped: Empty 'turns' field
        8 line 9: x skipped: 'turns[0].role' is 'moderator', expected customer, agent or system
        9 line 10: x skipped: Missing 'turns[0].role' field
        10 line 11: x skipped: 'text' and 'content' both give the 'turns[0].text' field
        11 line 12: x skipped: Missing 'turns[0].text' field
        12 line 13: x skipped: 'turns[0].content' must be a string, found a number
        13 line 14: x skipped: 'turns[0]' must be an object, found a string
        14 line 15: x skipped: 'ticket' and 'turns' are both given, expected one of them
        15 line 16: x [customer: "q"] -> "r"
        16 line 17: good "t" -> "r"
    "#]],
    );
}

#[test]
fn d45_template_syntax_stays_data() {
    let got = entries("c.jsonl", r#"{"id":"a","ticket":"{{ 7*7 }}","reply":"{% raw %}"}"#);
    assert_eq!(got[0].case.situation.texts(), ["{{ 7*7 }}"]);
    assert_eq!(&*got[0].reply.text, "{% raw %}");
}

#[test]
fn d48_no_locale_has_a_say() {
    let got = entries(
        "c.jsonl",
        "{\"id\":\"\u{130}\u{131}I\",\"ticket\":\"\u{661}\u{662}\",\"reply\":\"\u{5d0}\"}",
    );
    assert_eq!(got[0].case.id.as_str(), "\u{130}\u{131}I");
    check(
        "c.jsonl",
        "{\"\u{130}D\":\"a\",\"ticket\":\"t\",\"reply\":\"r\",\"confidence\":\u{661}}\n",
        &expect![[r#"
            0 line 1: ? skipped: malformed JSON: unexpected character '١' at byte 49 of the record
        "#]],
    );
}

#[test]
fn a_case_says_when_where_and_for_whom_it_is() {
    let circumstances = |fields: &str| {
        let record = format!(r#"{{"id":"a","ticket":"t","reply":"r"{fields}}}"#);
        entries("c.jsonl", record).remove(0).case.circumstances
    };
    let all = circumstances(r#","time":"2026-04-01T09:30:00+02:00","audience":"agent","region":"eu""#);
    assert_eq!(all.time.map(Moment::seconds), Some(1_775_028_600));
    assert_eq!((all.audience.as_deref(), all.region.as_deref()), (Some("agent"), Some("eu")));
    assert_eq!(circumstances(r#","time":1775028600"#).time, all.time);
    assert_eq!(circumstances(r#","time":null,"audience":"","region":null"#), Circumstances::default());
}

/// A record with every field that other names stand for, and most of the others.
const NATIVE: &str = r#"{"id":"a","slice":"s","ticket":"t","reply":"r","variant":"v","reference":"e",
    "confidence":0.5,"evidence":[{"source":"p","version":2},"q"],"known_pii":["xy"],"metadata":[1]}"#;

#[test]
fn all_fields_as_they_are_read() {
    let want = entries("c.json", format!("[{NATIVE}]"));
    expect![[r#"
        Entry {
            case: Case {
                id: CaseId(
                    "a",
                ),
                slice: Some(
                    Slice(
                        "s",
                    ),
                ),
                situation: Ticket(
                    "t",
                ),
                circumstances: Circumstances {
                    time: None,
                    audience: None,
                    region: None,
                    language: None,
                },
                evidence: Evidence {
                    sources: [
                        EvidenceSource {
                            id: "p",
                            version: Some(
                                "2",
                            ),
                            text: None,
                            facts: [],
                        },
                        EvidenceSource {
                            id: "q",
                            version: None,
                            text: None,
                            facts: [],
                        },
                    ],
                    context: [],
                    tools: [],
                    n_omitted: 0,
                },
                inadmissible: None,
                reference: Some(
                    "e",
                ),
                known_pii: [
                    "xy",
                ],
                outcomes: {},
                metadata: Some(
                    "[1]",
                ),
            },
            reply: Reply {
                text: "r",
                variant: Some(
                    Variant(
                        "v",
                    ),
                ),
                confidence: Some(
                    Confidence(
                        0.5,
                    ),
                ),
            },
        }
    "#]]
    .assert_debug_eq(&want[0]);
}

#[test]
fn fields_by_their_other_names() {
    let want = entries("c.json", format!("[{NATIVE}]"));
    for (field, others) in [
        ("slice", &["intent", "category"][..]),
        ("ticket", &["input", "question"]),
        ("reply", &["response", "answer", "output"]),
        ("reference", &["expected_output", "ideal"]),
    ] {
        for other in others {
            let content = NATIVE.replace(&format!("\"{field}\""), &format!("\"{other}\""));
            assert_eq!(entries("c.json", format!("[{content}]")), want, "{other}");
        }
    }
}

#[test]
fn null_and_empty_say_that_an_optional_field_is_absent() {
    let plain = entries("c.jsonl", r#"{"id":"a","ticket":"t","reply":"r"}"#);
    for value in ["null", "\"\""] {
        let content = format!(
            r#"{{"id":"a","ticket":"t","reply":"r","slice":{value},"variant":{value},"reference":{value},
            "confidence":null,"evidence":null,"known_pii":null,"metadata":null,"turns":null}}"#
        );
        assert_eq!(entries("c.json", format!("[{content}]")), plain);
    }
}
