//! The examples for policies give the findings that their page describes, and the page's own example is good.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

use expect_test::expect;
use probity_gate::case::{
    Case, CaseId, Circumstances, Entry, Evidence, EvidenceSource, Reply, Role, Situation, Turn,
};
use probity_gate::gate::claim::{Language, Languages, Lexicon, extract};
use probity_gate::gate::policy::{Ledger, PolicyFile, Reading, read};
use probity_gate::gate::support::{self, Allowed, Support};
use probity_gate::gate::{evidence, rules};
use probity_gate::json::{Json, parse};

const POLICIES: &str = include_str!("../../../examples/policies.toml");
const CASES: &str = include_str!("../../../examples/policy-cases.jsonl");
const PAGE: &str = include_str!("../../../docs/policies.md");

/// The ledger of a text that must be good, without anything to look at.
#[track_caller]
fn ledger(text: &str) -> Ledger {
    let reading = read(&[PolicyFile { name: "policies.toml", text }], Languages::built_in());
    let Reading { ledger, warnings } = reading.expect("a good ledger");
    assert_eq!(warnings, []);
    ledger
}

fn text(json: &Json, key: &str) -> Option<String> {
    json.get(key).and_then(Json::as_str).map(str::to_owned)
}

fn entry(line: &str) -> Entry {
    let json = parse(line).expect("a line of JSON");
    let items = |key: &str| json.get(key).and_then(Json::as_array).unwrap_or_default();
    let turn = |turn: &Json| Turn {
        role: text(turn, "role").and_then(|role| Role::parse(&role)).expect("a role"),
        text: text(turn, "text").expect("a text").into(),
    };
    let situation = match text(&json, "ticket") {
        Some(ticket) => Situation::Ticket(ticket.into()),
        None => Situation::Conversation(items("turns").iter().map(turn).collect()),
    };
    let id = CaseId::new(text(&json, "id").expect("an id")).expect("a good id");
    let reference = |item: &Json| EvidenceSource {
        id: text(item, "source").expect("a source"),
        version: text(item, "version"),
        ..EvidenceSource::default()
    };
    let sources = items("evidence").iter().map(reference).collect();
    let case = Case {
        circumstances: Circumstances {
            time: text(&json, "time").map(|time| time.parse().expect("a moment")),
            audience: text(&json, "audience"),
            region: text(&json, "region"),
            language: None,
        },
        evidence: Evidence { sources, ..Evidence::default() }.into(),
        ..Case::new(id, situation)
    };
    Entry { case, reply: Reply::new(text(&json, "reply").expect("a reply")) }
}

/// The case and its findings, each with the words that it points at.
fn shown(entry: &Entry, ledger: &Ledger) -> String {
    let (lexicon, allowed) = (Lexicon::built_in(), Allowed::nothing());
    let selected = evidence::check(entry, ledger, None);
    let language = Language { languages: Languages::built_in(), lexicon };
    let support = Support::new(&selected.sources, &entry.case, &allowed, language);
    let reply = &*entry.reply.text;
    let claims = support::check(reply, &extract(reply, lexicon), &support);
    let mut lines = vec![entry.case.id.to_string()];
    for sighting in selected.sightings.iter().chain(&claims) {
        let place = &reply[sighting.start..sighting.end];
        let place = if place == reply { String::new() } else { format!(" {place:?}") };
        lines.push(format!("  {}{place}: {}", sighting.rule, sighting.message));
    }
    lines.join("\n")
}

#[test]
fn the_example_cases_show_every_finding() {
    let ledger = ledger(POLICIES);
    let all: Vec<String> = CASES.lines().map(|line| shown(&entry(line), &ledger)).collect();
    let all = all.join("\n");
    expect![[r#"
        refurb-clear
        refurb-refund
          claim.unsupported_promise "refund": the reply promises a remedy that the source forbids: refund
          claim.omitted_remedy: the reply leaves out a remedy that the source requires: replacement
        refurb-denied
          claim.contradicted "replace": the reply denies a remedy that the source requires: replacement
        refurb-stale
          evidence.stale_version: version `eu-electronics/2025-01-01` of `eu-refurb-v2-rule` is not in force at 2026-05-14
          claim.unsupported_promise "repair": the reply promises a remedy that no source permits: repair
        returns-wrong-region
          evidence.wrong_audience: version `2026-eu` of `returns` may not be used for audience `customer` in region `US`
          claim.unsupported_promise "return": the reply promises a remedy that no source permits: return
          claim.unsupported_promise "refund": the reply promises a remedy that no source permits: refund
          claim.unsupported_figure "30 days": the reply gives a figure that nothing supports
        returns-unknown-source
          evidence.unknown_source: source `retruns` is not in the ledger
        returns-no-evidence
          evidence.none_selected: the case names no source that the reply could rest on
        delivery-internal-guide
          evidence.wrong_audience: version `2` of `goodwill-guide` may not be used for audience `customer` in region `EU`
          claim.unsupported_promise "voucher over 20 EUR": the reply promises a remedy that no source permits: voucher
        returns-wrong-window
          claim.contradicted "60 days": the reply gives another value for `return_window` than the source
        returns-invented
          claim.unsupported_figure "12 EUR": the reply gives a figure that nothing supports
          claim.unsupported_reference "lumen.example/refund-status": the reply gives a link that nothing names
        delivery-conversation
          claim.unsupported_deed "cancelled": the reply says that something is done (cancellation), and nothing shows it
        returns-wrong-sum
          claim.wrong_arithmetic "82.50 EUR": the reply calculates 86.40 EUR - 4.90 EUR = 82.50 EUR and the result is wrong"#]].assert_eq(&all);
    let families = |id: &str| id.starts_with("evidence.") || id.starts_with("claim.");
    for rule in rules().filter(|rule| families(rule.id)) {
        assert!(all.contains(rule.id), "no example shows {}", rule.id);
        assert!(PAGE.contains(rule.id), "the page does not mention {}", rule.id);
    }
}

#[test]
fn the_documented_example_is_good() {
    let example = PAGE.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(ledger(example.expect("an example in the page")).sources().len(), 2);
}
