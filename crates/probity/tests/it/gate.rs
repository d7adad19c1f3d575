//! The gate in a run: a blocked reply costs no call whatever the judge would say, and the results say why.

use serde_json::{Value, json};

use crate::binary::{Probity, QUICK};
use crate::mock::process::{MockJudge, ledger};

const POLICIES: &str = r#"
[[source]]
id = "eu-refurb-v2-rule"
version = "eu-electronics/2025-01-01"
region = "eu"
until = "2026-03-31"
text = "Refurbished devices that fail within 14 days are refunded under RPL-14."
[source.facts]
remedies = ["refund", "replacement"]

[[source]]
id = "eu-refurb-v2-rule"
version = "eu-electronics/2026-04-01"
region = "eu"
from = "2026-04-01"
text = "Refurbished devices that fail within 14 days are replaced under RPL-14. They are not refunded."
[source.facts]
required_remedies = ["replacement"]
windows = { report = "14 days" }
codes = ["RPL-14"]

[[source]]
id = "warehouse-manual"
version = "7"
audience = "internal"
text = "Stock counts by shelf."
"#;

const CURRENT: &str = "eu-electronics/2026-04-01";

/// A case of the laptop that failed, with the reply to it.
fn case(id: &str, reply: &str) -> Value {
    json!({
        "id": id, "slice": "replacement", "region": "eu", "time": "2026-05-02",
        "ticket": "My refurbished laptop failed after delivery. What can I get?",
        "evidence": [{ "source": "eu-refurb-v2-rule", "version": CURRENT }],
        "reply": reply,
    })
}

/// A case whose evidence is what `evidence` says.
fn resting_on(id: &str, evidence: &Value) -> Value {
    let mut case = case(id, SAFE);
    case["evidence"] = evidence.clone();
    case
}

const SAFE: &str = "Your refurbished laptop qualifies for a replacement under RPL-14.";

fn cases() -> Vec<(Value, &'static [&'static str])> {
    let turns = json!([
        { "role": "customer", "text": "My refurbished laptop failed after delivery." },
        { "role": "agent", "text": "I found the policy for refurbished devices in the EU." },
        { "role": "customer", "text": "What remedy can I receive?" },
    ]);
    let mut conversation = resting_on(
        "stale-conversation",
        &json!([{ "source": "eu-refurb-v2-rule", "version": "eu-electronics/2025-01-01" }]),
    );
    conversation.as_object_mut().unwrap().remove("ticket");
    conversation["turns"] = turns;
    let next = format!("{SAFE} Reply to confirm that you would like to proceed with the replacement.");
    let mut leak = case("leak", &format!("{SAFE} We have your card 4111 1111 1111 1111 on file."));
    leak["slice"] = json!("billing");
    vec![
        (case("brief", SAFE), &[]),
        (case("actionable", &next), &[]),
        (
            case("unsafe-refund", "Your refurbished laptop qualifies for an immediate refund."),
            &["claim.unsupported_promise", "claim.omitted_remedy"],
        ),
        (conversation, &["evidence.stale_version"]),
        (resting_on("unknown", &json!(["eu-refurb-rule"])), &["evidence.unknown_source"]),
        (resting_on("internal", &json!(["warehouse-manual"])), &["evidence.wrong_audience"]),
        (resting_on("nothing", &json!([])), &["evidence.none_selected"]),
        (leak, &["pii.card"]),
        (case("competitor", &format!("{SAFE} Acme Parcel brings it.")), &["safety.competitor"]),
    ]
}

fn rules(row: &Value, severity: &str) -> Vec<String> {
    let findings = row["gate"]["findings"].as_array().unwrap();
    let of_severity = findings.iter().filter(|finding| finding["severity"] == severity);
    of_severity.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

fn folder(judge: &MockJudge) -> Probity {
    let cases: Vec<String> = cases().iter().map(|(case, _)| case.to_string()).collect();
    let cases = cases.join("\n");
    let settings =
        format!("{QUICK}[gate]\npolicies = [\"policies.toml\"]\ncompetitors = [\"Acme Parcel\"]\n");
    Probity::new()
        .file("cases.jsonl", cases)
        .file("policies.toml", POLICIES)
        .file("probity.toml", settings)
        .variable("OPENAI_BASE_URL", &judge.url())
}

#[test]
fn a_blocked_reply_costs_no_call_whatever_the_judge_would_say() {
    let ledger_folder = tempfile::tempdir().unwrap();
    let path = ledger_folder.path().join("ledger.jsonl");
    let judge = MockJudge::start(&["--levels", "fixed:5", "--ledger", path.to_str().unwrap()]);
    let probity = folder(&judge);
    probity.args(["run", "cases.jsonl", "--output", "out.json"]).run().code(0);
    let out = probity.json("out.json");
    let rows = out["results"].as_array().unwrap();
    let mut admitted = 0;
    for ((case, want), row) in cases().iter().zip(rows) {
        let blocking = rules(row, "block");
        for rule in *want {
            assert!(blocking.iter().any(|seen| seen == rule), "{}: {rule} in {blocking:?}", case["id"]);
        }
        let want_outcome = if want.is_empty() { "scored" } else { "blocked" };
        assert_eq!(row["outcome"], want_outcome, "{row}");
        assert_eq!(row["total"], Value::Null);
        // n23: a blocked row has every criterion's key, with nothing.
        assert_eq!(row.get("relevance").is_some_and(Value::is_null), !want.is_empty(), "{row}");
        assert!(row.get("tone").is_some(), "{row}");
        admitted += usize::from(want.is_empty());
    }
    assert_eq!(admitted, 2);
    assert_eq!(out["summary"]["blocked"], cases().len() - admitted);
    assert_eq!(out["summary"]["calls"], admitted * 2);
    let asked = ledger(&path);
    let calls = asked.iter().filter(|line| line["event"] == "call").count();
    assert_eq!(
        judge.stats()["calls"],
        admitted * 2,
        "two criteria of each admitted reply: {calls} {asked:?}"
    );
}

#[test]
fn findings_name_the_source_and_what_was_expected() {
    let judge = MockJudge::start(&[]);
    let probity = folder(&judge);
    let ran = probity.args(["gate", "check", "cases.jsonl", "--json"]).run().code(1);
    let rows = ran.json()["results"].as_array().unwrap().clone();
    let row = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap().clone();
    let refund = row("unsafe-refund");
    // The order of the failures is that of the rules.
    assert_eq!(rules(&refund, "block"), ["claim.unsupported_promise", "claim.omitted_remedy"]);
    let finding = &refund["gate"]["findings"][0];
    assert_eq!((&finding["source"], &finding["version"]), (&json!("eu-refurb-v2-rule"), &json!(CURRENT)));
    assert!(finding["expected"].as_str().unwrap().contains("replacement"), "{finding}");
    let stale = &row("stale-conversation")["gate"]["findings"][0];
    assert_eq!(stale["rule"], "evidence.stale_version");
    assert_eq!(stale["version"], "eu-electronics/2025-01-01");
    assert!(stale["expected"].as_str().unwrap().contains(CURRENT), "{stale}");
    assert_eq!(judge.stats()["calls"], 0);
    assert!(!ran.stdout.contains("4111"), "{}", ran.stdout);
}

#[test]
fn rules_are_block_or_flag_by_configuration() {
    let judge = MockJudge::start(&["--levels", "fixed:5"]);
    let probity = folder(&judge);
    let settings = format!(
        "{QUICK}[gate]\npolicies = [\"policies.toml\"]\ncompetitors = [\"Acme Parcel\"]\nflag = [\"claim.*\", \"safety.*\", \
         \"evidence.*\"]\noff = [\"pii.card\"]\n"
    );
    probity.write("probity.toml", settings);
    probity.args(["run", "cases.jsonl", "--output", "out.json"]).run().code(0);
    let out = probity.json("out.json");
    assert_eq!(out["summary"]["blocked"], 0, "{}", out["summary"]["findings_by_rule"]);
    let rows = out["results"].as_array().unwrap();
    assert_eq!(rules(&rows[2], "flag"), ["claim.unsupported_promise", "claim.omitted_remedy"]);
    assert_eq!(rows[2]["outcome"], "scored");
    assert_eq!(rows[2]["relevance"]["score"], 5);
}

#[test]
fn without_policies_evidence_and_claims_are_not_checked() {
    let judge = MockJudge::start(&[]);
    let probity = folder(&judge);
    probity.write("probity.toml", QUICK);
    let ran = probity.args(["gate", "check", "cases.jsonl", "--json"]).run().code(1);
    let blocked: Vec<Value> = ran.json()["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["gate"]["status"] == "blocked")
        .map(|row| row["id"].clone())
        .collect();
    assert_eq!(blocked, ["leak"]);
    probity.write("probity.toml", format!("{QUICK}[gate]\nas_of = \"2026-05-02\"\n"));
    probity.args(["gate", "check", "cases.jsonl"]).run().code(2).says(["gate.as_of has no effect without"]);
}

#[test]
fn the_moment_that_counts_is_the_case_s_then_the_run_s_and_never_the_clock() {
    let judge = MockJudge::start(&[]);
    let probity = folder(&judge);
    let mut undated = case("undated", SAFE);
    undated.as_object_mut().unwrap().remove("time");
    probity.write("cases.jsonl", format!("{undated}\n{}\n", case("dated", SAFE)));
    let statuses = |as_of: &[&str]| -> Vec<Value> {
        let call = probity.args(["gate", "check", "cases.jsonl", "--json"]).words(as_of.iter().copied());
        let rows = call.run().json()["results"].as_array().unwrap().clone();
        rows.iter().map(|row| row["gate"]["status"].clone()).collect()
    };
    assert_eq!(statuses(&[]), ["admitted", "admitted"]);
    assert_eq!(statuses(&["--as-of", "2026-05-02"]), ["admitted", "admitted"]);
    assert_eq!(statuses(&["--as-of", "2026-03-31"]), ["blocked", "admitted"]);
}

#[test]
fn a_policy_file_with_faults_is_refused_with_their_lines() {
    let judge = MockJudge::start(&[]);
    let probity = folder(&judge);
    probity.write("policies.toml", "[[source]]\nid = \"a\"\nversoin = \"1\"\ntext = \"x\"\n");
    let ran = probity.args(["run", "cases.jsonl"]).run().code(2);
    ran.says(["policies.toml:3: ", "did you mean"]);
}

#[test]
fn n22_what_a_gate_upstream_refused_is_never_judged() {
    let judge = MockJudge::start(&["--levels", "fixed:5"]);
    let mut refused = case("refused", SAFE);
    refused["admissible"] = json!(false);
    refused["reason"] = json!("the policy was replaced on 1 May");
    refused["variant"] = json!("bot-8");
    let probity = folder(&judge);
    probity.write("cases.jsonl", format!("{refused}\n{}\n", case("fine", SAFE)));
    let out = probity.args(["run", "cases.jsonl", "--json"]).run().code(0).json();
    let row = &out["results"][0];
    assert_eq!(
        (&row["outcome"], rules(row, "block")),
        (&json!("blocked"), vec!["record.inadmissible".to_owned()])
    );
    let message = row["gate"]["findings"][0]["message"].as_str().unwrap();
    assert!(message.ends_with("the policy was replaced on 1 May"), "{message}");
    assert_eq!(judge.stats()["calls"], 2, "the other reply's criteria");
    // The variant stands beside the id, where two replies to one case are checked.
    let checked = probity.args(["gate", "check", "cases.jsonl"]).run().code(1).stdout;
    assert!(checked.contains("refused (bot-8)  block record.inadmissible"), "{checked}");
}

#[test]
fn n22_the_judge_is_shown_the_evidence_the_facts_and_the_checks() {
    let judge = MockJudge::start(&["--levels", "fixed:5"]);
    let probity = folder(&judge);
    probity.write("cases.jsonl", case("brief", SAFE).to_string());
    let shown = probity.args(["check", "cases.jsonl", "--show"]).run().code(0).stdout.replace("\\\"", "\"");
    for part in [
        "Evidence: {",
        "\"checks_passed\":[\"claim\",\"evidence\"]",
        CURRENT,
        "The permitted remedy is replacement.",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    probity.write("cases.jsonl", json!({ "id": "bare", "ticket": "Help", "reply": "Sure." }).to_string());
    probity.write("probity.toml", QUICK);
    let bare = probity.args(["check", "cases.jsonl", "--show"]).run().code(0).stdout;
    assert!(!bare.contains("Evidence") && !bare.contains("checks_passed"), "{bare}");
}
