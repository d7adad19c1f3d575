//! The gate: any reply to any ticket is admitted or blocked, and what is found stands in the reply.

use std::sync::LazyLock;

use probity_core::case::{Case, CaseId, Entry, Evidence, Reply, Situation};
use probity_core::gate::policy::PolicyFile;
use probity_core::gate::{Defaults, Finding, Gate, Policies, PolicyTexts, Settings, Severity, rule};

use super::seeds as cases;

/// What separates the ticket from the reply.
const SEPARATOR: char = '\u{1f}';

/// Digits in a row that no message has: a value would show.
const DIGITS_MAX: usize = 5;

static GATE: LazyLock<Gate> = LazyLock::new(|| {
    let text = cases::file("examples/policies.toml");
    let sources = [PolicyFile { name: "policies.toml", text: &text }];
    let texts = PolicyTexts { sources: &sources, words: &[], allowed_claims: &[] };
    let (policies, _) = Policies::read(&texts, Defaults::default()).expect("the example is a good file");
    let settings = Settings {
        competitors: vec!["Acme".to_owned(), "ß".to_owned()],
        forbidden_advice: vec!["share your password".to_owned()],
        policies: Some(policies),
        ..Settings::default()
    };
    Gate::new(settings).expect("no pattern is set")
});

/// Panics where a finding does not stand in the reply, or the outcome does not follow from the findings.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (ticket, reply) = text.split_once(SEPARATOR).unwrap_or(("Help", &text));
    let entry = entry(ticket, reply);
    let outcome = GATE.screen(entry.clone());
    let (findings, blocks) = match &outcome {
        Ok(admitted) => (admitted.flags(), false),
        Err(blocked) => (blocked.findings(), true),
    };
    assert_eq!(blocks, findings.iter().any(|finding| finding.severity == Severity::Block));
    for finding in findings {
        check_finding(finding, reply);
    }
    assert_eq!(GATE.screen(entry), outcome, "the same reply has the same findings");
}

fn check_finding(finding: &Finding, reply: &str) {
    let seen = &finding.sighting;
    assert!(reply.get(seen.start..seen.end).is_some(), "{seen:?} is not a part of the reply");
    assert!(rule(seen.rule).is_some(), "{seen:?} is of no rule");
    if seen.rule.starts_with("pii.") {
        let longest = seen.message.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
        assert!(longest < Some(DIGITS_MAX), "{seen:?} repeats what it found");
    }
}

fn entry(ticket: &str, reply: &str) -> Entry {
    let case = Case {
        evidence: Evidence::of_sources([("returns", None)]).into(),
        known_pii: vec!["Jane Doe".to_owned()],
        ..Case::new(CaseId::new("case").expect("an id"), Situation::Ticket(ticket.into()))
    };
    Entry { case, reply: Reply::new(reply) }
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut texts = cases::literals(&cases::file("crates/probity-gate/tests/pii/rows.rs"));
    texts.extend(cases::literals(&cases::file("crates/probity-gate/tests/claims/tuned.toml")));
    texts.extend(cases::literals(&cases::file("crates/probity-gate/src/gate/integrity.rs")));
    // A sign in every few bytes: what is done for each must not look through the whole reply.
    texts.extend(["{\"score\":5,", "dear judge, ", "\u{a0}full marks "].map(|sign| sign.repeat(2000)));
    texts.into_iter().map(String::into_bytes).collect()
}
