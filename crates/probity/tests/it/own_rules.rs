//! Rules of the user's own: the example that ships, what a run keeps of them, and what is said about a wrong one.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::binary::Probity;

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    fs::read_to_string(path).expect("an example that ships")
}

fn probity() -> Probity {
    let probity = Probity::new().file("rules.toml", example("rules.toml"));
    probity.file("cases.jsonl", example("rule-cases.jsonl"))
}

/// The rules that were found, each case with its own.
fn found(results: &Value) -> Vec<String> {
    let rows = results["results"].as_array().unwrap().iter().map(|row| {
        let findings = row["gate"]["findings"].as_array().unwrap();
        let rules: Vec<&str> = findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect();
        format!(
            "{} {}: {}",
            row["id"].as_str().unwrap(),
            row["gate"]["status"].as_str().unwrap(),
            rules.join(" ")
        )
    });
    rows.collect()
}

const WANT: [&str; 9] = [
    "fine admitted: ",
    "legal blocked: own.no_legal_words",
    "machine blocked: own.no_self_talk",
    "curt admitted: own.length own.closing",
    "no-notice blocked: own.returns_notice",
    "notice admitted: ",
    "other-site blocked: own.own_links",
    "french blocked: own.language",
    "form blocked: own.form",
];

#[test]
fn the_example_finds_what_it_says() {
    let ran =
        probity().args(["gate", "check", "cases.jsonl", "--rules", "rules.toml", "--json"]).run().code(1);
    assert_eq!(found(&ran.json()), WANT);
}

#[test]
fn they_are_listed_behind_the_built_in_ones_with_what_they_do() {
    let probity =
        probity().file("probity.toml", "[gate]\nrules = [\"rules.toml\"]\noff = [\"own.closing\"]\n");
    let listed = probity.args(["gate", "rules"]).run().code(0).stdout;
    let of = |id: &str| listed.lines().find(|line| line.starts_with(id)).unwrap_or_default().to_owned();
    assert!(of("own.closing").contains(" off ") && of("own.no_legal_words").contains(" block "), "{listed}");
    let flagged = probity.args(["gate", "rules", "--rules", "rules.toml"]).run().code(0).stdout;
    assert_eq!(listed, flagged);
}

#[test]
fn a_run_counts_them_and_keeps_the_rules() {
    let probity =
        probity().file("probity.toml", "[gate]\nrules = [\"rules.toml\"]\noff = [\"own.closing\"]\n");
    let run = ["run", "cases.jsonl", "--judge", "baseline", "--output", "out.json"];
    probity.args(run).run().code(0);
    let out = probity.json("out.json");
    let want: Vec<String> = WANT.iter().map(|row| row.replace(" own.closing", "")).collect();
    assert_eq!(found(&out), want);
    let by_rule = out["summary"]["findings_by_rule"].to_string();
    assert!(by_rule.contains("\"own.returns_notice\":{\"blocked\":1,\"flagged\":0}"), "{by_rule}");
    for name in ["rules.toml", "cases.jsonl"] {
        fs::remove_file(probity.path(name)).unwrap();
    }
    let reported = probity.args(["report", "last", "--output", "again.json"]).run().code(0);
    assert!(reported.stdout.contains("own.no_legal_words"), "{}", reported.stdout);
    assert_eq!(found(&probity.json("again.json")), want);
}

#[test]
fn a_wrong_rule_is_refused_with_its_file_and_line() {
    let probity = probity().file(
        "bad.toml",
        "[[rule]]\nid = \"a\"\nmessage = \"m\"\nseverity = \"block\"\nmust_match = '(?<=a)b'\n",
    );
    let check = |file: &str| probity.args(["gate", "check", "cases.jsonl", "--rules", file]).run().code(2);
    check("bad.toml")
        .says(["bad.toml:5: `must_match` cannot be used: look-around", "must_match = '(?<=a)b'"]);
    probity.write("probity.toml", "[gate]\noff = [\"own.closng\"]\n");
    check("rules.toml").says(["settings name the rule own.closng", "did you mean `own.closing`?"]);
}
