//! Exit code 2: usage or input is wrong, the message says what and where, and nothing was spent.

use crate::answers::{kind_judge, tickets};
use crate::binary::Probity;

/// Runs with these files and arguments; expects exit code 2, all of `parts` on standard error, and silence
/// at the judge.
#[track_caller]
fn check<const N: usize, const M: usize>(files: &[(&str, &str)], args: [&str; N], parts: [&str; M]) {
    let server = kind_judge();
    let mut probity = Probity::new().file("tickets.json", tickets(2)).server(&server);
    for (name, content) in files {
        probity = probity.file(name, content);
    }
    let ran = probity.args(args).run().code(2).says(parts);
    assert_eq!(ran.stdout, "", "nothing but the error is said");
    assert_eq!((server.n_requests(), server.n_connections()), (0, 0));
    assert!(!probity.path("out.json").exists(), "no results without a run");
}

#[test]
fn d40_a_file_that_is_not_there() {
    check(&[], ["run", "none.json", "-o", "out.json"], ["error: none.json: "]);
}

#[test]
fn d07_a_file_without_records() {
    check(&[("none.json", "")], ["run", "none.json"], ["none.json", "no records"]);
    check(&[("none.json", "[]")], ["run", "none.json"], ["none.json", "no records"]);
}

#[test]
fn d09_a_file_that_is_cut() {
    check(
        &[("cut.json", r#"[{"id": "a", "ticket": "T", "reply": "R"#)],
        ["run", "cut.json"],
        ["cut.json", "may be cut"],
    );
}

#[test]
fn d03_another_encoding() {
    let probity = Probity::new().file("utf32.json", b"\xff\xfe\0\0[\0\0\0]\0\0\0");
    probity.args(["run", "utf32.json"]).run().code(2).says(["utf32.json", "UTF-32"]);
}

#[test]
fn d25_an_id_twice() {
    let twice = r#"[{"id":"a","ticket":"T","reply":"R"},{"id":"a","ticket":"T","reply":"S"}]"#;
    check(&[("twice.json", twice)], ["run", "twice.json"], ["twice.json", "'a'"]);
}

#[test]
fn records_that_are_all_unusable() {
    let none = r#"[{"id":"a","reply":"R"},{"id":"b","reply":"S"}]"#;
    check(
        &[("bad.json", none)],
        ["run", "bad.json", "--model", "m"],
        ["bad.json:1: none of the 2 records can be used", "Missing 'ticket' field"],
    );
}

#[test]
fn d17_the_first_bad_record_under_strict() {
    let bad = r#"[{"id":"a","ticket":"T","reply":"R"},{"id":"b","reply":"S"}]"#;
    check(
        &[("bad.json", bad)],
        ["run", "bad.json", "--strict", "-o", "out.json"],
        ["bad.json", "Missing 'ticket' field"],
    );
}

#[test]
fn a_rubric_nobody_knows() {
    check(
        &[],
        ["run", "tickets.json", "--rubric", "relevance"],
        ["rubric relevance", "built in: relevance-tone, support-gold"],
    );
}

#[test]
fn a_rubric_file_with_problems() {
    let bad = "name = \"r\"\nversion = \"1\"\ntitle = \"R\"\n\n[[criterion]]\nid = \"a\"\ntitel = \"A\"\n";
    check(
        &[("bad.toml", bad)],
        ["run", "tickets.json", "--rubric", "bad.toml"],
        ["bad.toml:7: ", "titel = \"A\"", "hint: did you mean"],
    );
    let probity = Probity::new().file("bad.toml", bad);
    probity.args(["rubric", "check", "bad.toml"]).run().code(2).says(["bad.toml:7: ", "hint: "]);
}

#[test]
fn a_setting_nobody_knows() {
    check(
        &[("probity.toml", "[run]\nrubrik = \"support-gold\"\n")],
        ["run", "tickets.json"],
        ["probity.toml:2: ", "rubrik", "hint: "],
    );
    check(&[("other.toml", "[run\n")], ["run", "tickets.json", "--config", "other.toml"], ["other.toml:1"]);
    check(&[], ["run", "tickets.json", "--config", "none.toml"], ["none.toml: there is no such file"]);
}

#[test]
fn flags_that_are_none() {
    check(&[], ["run", "tickets.json", "--rubrik", "x"], ["unexpected argument '--rubrik'"]);
    check(&[], ["run"], ["<FILE>"]);
    check(&[], ["run", "tickets.json", "--min-coverage", "much"], ["--min-coverage"]);
    check(&[], ["run", "tickets.json", "--min-coverage", "1.5"], ["min_coverage"]);
    check(&[], ["run", "tickets.json", "--concurrency", "0"], ["concurrency"]);
    check(&[], ["run", "tickets.json", "--budget-usd=-1"], ["usd_max"]);
    check(&[], ["run", "tickets.json", "--judge", "oracle"], ["oracle"]);
    check(&[], ["run", "tickets.json", "--base-url", "http://u:p@127.0.0.1/v1"], ["base_url"]);
}

#[test]
fn r15_a_key_that_is_missing_or_none() {
    let probity = Probity::new().file("tickets.json", tickets(1));
    let judge = ["run", "tickets.json", "--judge", "openai"];
    probity.args(judge).run().code(2).says(["OPENAI_API_KEY is not set"]);
    let ran = probity.args(judge).variable("OPENAI_API_KEY", "\"sk-CANARY-quoted-0123\"").run().code(2);
    assert!(ran.stderr.contains("OPENAI_API_KEY") && !ran.stderr.contains("CANARY"), "{}", ran.stderr);
    let ran = probity.args(["run", "tickets.json", "--judge", "anthropic"]).run().code(2);
    ran.says(["ANTHROPIC_API_KEY is not set"]);
    probity
        .args(["run", "tickets.json", "--model", "gpt-4o"])
        .run()
        .code(2)
        .says(["OPENAI_API_KEY is not set"]);
}

#[test]
fn a_budget_without_a_price() {
    check(
        &[],
        ["run", "tickets.json", "--model", "unpriced-1", "--budget-usd", "1"],
        ["none is known for model \"unpriced-1\"", "hint: set input_usd_per_mtok"],
    );
}

#[test]
fn a_template_that_cannot_be_used() {
    check(
        &[],
        ["run", "tickets.json", "--template", "none.jinja"],
        ["template none.jinja: there is no such file"],
    );
    check(
        &[("bad.jinja", "System\n=== user ===\n{% if %}")],
        ["run", "tickets.json", "--template", "bad.jinja"],
        ["template bad.jinja: "],
    );
}

#[test]
fn nothing_on_record_to_report() {
    check(&[], ["run", "tickets.json", "--offline", "-o", "out.json"], ["there is no store", "hint: "]);
}
