//! What each finding says, the order they come in, and what supports what.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::super::claim::{Languages, Lexicon, extract};
use super::super::evidence;
use super::super::policy::{Ledger, PolicyFile, read};
use super::*;
use crate::case::{CaseId, ContextText, Entry, Evidence, Reply, Role, Situation, ToolCall, Turn};

const LEDGER: &str = r#"
[[source]]
id = "eu-refurb-v2-rule"
version = "eu-electronics/2025-01-01"
from = 2025-01-01
text = "Refurbished devices are repaired."
[source.facts]
required_remedies = "repair"

[[source]]
id = "eu-refurb-v2-rule"
version = "eu-electronics/2026-04-01"
from = 2026-04-01
text = "Refurbished devices are replaced under RPL-14. The new device is sent within 2 working days."
[source.facts]
required_remedies = "replacement"
codes = "RPL-14"

[[source]]
id = "returns"
version = "5"
text = "Send goods back within 30 days. Repairs take 14 days. Gold members have a return window of 60 days."
[source.facts]
remedies = ["return", "refund"]
deeds = "shipment"
windows = { return_window = "30 days", repair_time = "14 days" }
amounts = { restocking_fee = "9.90 EUR", inspection = "between 20 and 40 EUR", deposit = "up to 5 EUR" }
percentages = { loss = "at least 10 percent" }
contacts = ["https://shop.example/returns", "https://help.example/*"]
codes = { form = "RF-20" }
"#;

fn ledger() -> Ledger {
    let files = [PolicyFile { name: "p.toml", text: LEDGER }];
    read(&files, Languages::built_in()).expect("a good ledger").ledger
}

fn english() -> Language<'static> {
    Language { languages: Languages::built_in(), lexicon: Lexicon::built_in() }
}

fn entry(turns: &[(Role, &str)], evidence: &[(&str, Option<&str>)], reply: &str) -> Entry {
    let turn = |(role, text): &(Role, &str)| Turn { role: *role, text: (*text).into() };
    let turns = turns.iter().map(turn).collect();
    let mut case = Case::new(CaseId::new("c").expect("an id"), Situation::Conversation(turns));
    case.evidence = Evidence::of_sources(evidence.iter().copied()).into();
    Entry { case, reply: Reply::new(reply) }
}

/// Every sighting of the evidence and then of the claims, one a line.
fn findings(entry: &Entry, allowed: &Allowed) -> String {
    let (ledger, lexicon) = (ledger(), Lexicon::built_in());
    let selected = evidence::check(entry, &ledger, None);
    let support = Support::new(&selected.sources, &entry.case, allowed, english());
    let reply = &entry.reply.text;
    let claims = check(reply, &extract(reply, lexicon), &support);
    let line = |sighting: &Sighting| {
        let place = match &reply[sighting.start..sighting.end] {
            whole if whole.len() == reply.len() => "the reply",
            part => part,
        };
        let expected = sighting.expected.as_deref().unwrap_or("-");
        let source = sighting.source.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        format!("{} at {place:?}: {} | {expected} | {source}", sighting.rule, sighting.message)
    };
    selected.sightings.iter().chain(&claims).map(line).collect::<Vec<_>>().join("\n")
}

/// The findings of a reply that rests on the current version of `source`.
#[track_caller]
fn check_reply(source: &str, reply: &str, want: &Expect) {
    want.assert_eq(&findings(&entry(&[], &[(source, None)], reply), &Allowed::nothing()));
}

/// The rules of the findings of a reply about returns, after a conversation.
#[track_caller]
fn check_said(turns: &[(Role, &str)], reply: &str, want: &[&str]) {
    check_rules(&findings(&entry(turns, &[("returns", None)], reply), &Allowed::nothing()), want);
}

#[track_caller]
fn check_allowed(texts: &[&str], reply: &str, want: &[&str]) {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let allowed = Allowed::new(&texts, Languages::built_in()).expect("texts that allow something");
    check_rules(&findings(&entry(&[], &[("returns", None)], reply), &allowed), want);
}

#[track_caller]
fn check_rules(findings: &str, want: &[&str]) {
    let rules = findings.lines().filter_map(|line| line.split(' ').next()?.strip_prefix("claim."));
    assert_eq!(rules.collect::<Vec<_>>(), want, "{findings}");
}

const REFURBISHED: &str = "eu-refurb-v2-rule";

#[test]
fn replies_that_offer_the_required_remedy_are_clear() {
    check_reply(REFURBISHED, "You are eligible for a replacement under RPL-14.", &expect![]);
    let with_next_step =
        "A replacement under RPL-14 is yours. Answer this message to go ahead with the replacement.";
    check_reply(REFURBISHED, with_next_step, &expect![]);
}

#[test]
fn a_refund_instead_of_the_replacement_is_two_findings_in_this_order() {
    check_reply(
        REFURBISHED,
        "You are eligible for an immediate refund.",
        &expect![[r#"
            claim.unsupported_promise at "refund": the reply promises a remedy that no source permits: refund | replacement | eu-refurb-v2-rule version eu-electronics/2026-04-01
            claim.omitted_remedy at "the reply": the reply leaves out a remedy that the source requires: replacement | replacement | eu-refurb-v2-rule version eu-electronics/2026-04-01"#]],
    );
}

#[test]
fn a_stale_version_comes_first() {
    let stale = [(REFURBISHED, Some("eu-electronics/2025-01-01"))];
    let entry = entry(&[], &stale, "You are eligible for a replacement under RPL-14.");
    expect![[r#"
        evidence.stale_version at "the reply": version `eu-electronics/2025-01-01` of `eu-refurb-v2-rule` is not in force | version `eu-electronics/2026-04-01` | eu-refurb-v2-rule version eu-electronics/2025-01-01
        claim.unsupported_promise at "replacement": the reply promises a remedy that no source permits: replacement | no remedy | -
        claim.unsupported_reference at "RPL-14": the reply gives a code that nothing names | - | -"#]].assert_eq(&findings(&entry, &Allowed::nothing()));
}

#[test]
fn findings_about_remedies_and_labels_say_what_was_expected() {
    check_reply(
        "returns",
        "We will send you a voucher.",
        &expect![[
            r#"claim.unsupported_promise at "voucher": the reply promises a remedy that no source permits: voucher | refund, return | returns version 5"#
        ]],
    );
    check_reply(
        REFURBISHED,
        "Please send us a picture.",
        &expect![[
            r#"claim.omitted_remedy at "the reply": the reply leaves out a remedy that the source requires: replacement | replacement | eu-refurb-v2-rule version eu-electronics/2026-04-01"#
        ]],
    );
    check_reply(
        REFURBISHED,
        "We cannot replace it.",
        &expect![[
            r#"claim.contradicted at "replace": the reply denies a remedy that the source requires: replacement | replacement | eu-refurb-v2-rule version eu-electronics/2026-04-01"#
        ]],
    );
    check_reply(
        "returns",
        "The return window is 14 days.",
        &expect![[
            r#"claim.contradicted at "14 days": the reply gives another value for `return_window` than the source | 30 days | returns version 5"#
        ]],
    );
    check_reply(
        "returns",
        "Use form RF-21.",
        &expect![[
            r#"claim.contradicted at "RF-21": the reply gives another value for `form` than the source | RF-20 | returns version 5"#
        ]],
    );
}

#[test]
fn findings_about_figures_references_and_deeds_point_at_them() {
    check_reply(
        "returns",
        "That costs 77 EUR, so 3% more, until 3 May 2026, for 9 days.",
        &expect![[r#"
            claim.unsupported_figure at "77 EUR": the reply gives a figure that nothing supports | 9.90 EUR (restocking_fee); between 20 and 40 EUR (inspection); up to 5 EUR (deposit) | returns version 5
            claim.unsupported_figure at "3%": the reply gives a figure that nothing supports | at least 10 percent (loss) | returns version 5
            claim.unsupported_figure at "3 May 2026": the reply gives a figure that nothing supports | - | returns version 5
            claim.unsupported_figure at "9 days": the reply gives a figure that nothing supports | 30 days (return_window); 14 days (repair_time) | returns version 5"#]],
    );
    check_reply(
        "returns",
        "See shop.example/form, order 99-1234, code QX-7.",
        &expect![[r#"
            claim.unsupported_reference at "shop.example/form": the reply gives a link that nothing names | https://shop.example/returns; https://help.example/* | returns version 5
            claim.unsupported_reference at "99-1234": the reply gives a number that nothing names | - | returns version 5
            claim.unsupported_reference at "QX-7": the reply gives a code that nothing names | RF-20 (form) | returns version 5"#]],
    );
    check_reply(
        "returns",
        "Write to a@b.example or 4 Dock Street, or call +49 30 1234567.",
        &expect![[r#"
        claim.unsupported_reference at "a@b.example": the reply gives an e-mail address that nothing names | - | returns version 5
        claim.unsupported_reference at "4 Dock Street": the reply gives a street address that nothing names | - | returns version 5
        claim.unsupported_reference at "+49 30 1234567": the reply gives a telephone number that nothing names | - | returns version 5"#]],
    );
    check_reply(
        "returns",
        "We have cancelled your order.",
        &expect![[r#"
            claim.unsupported_deed at "cancelled": the reply says that something is done (cancellation), and nothing shows it | what is still to be done, or a tool's result or an earlier message of the company that says it was done | returns version 5"#]],
    );
    check_reply(
        "nowhere",
        "We will refund you 5 EUR.",
        &expect![[r#"
            evidence.unknown_source at "the reply": source `nowhere` is not in the ledger | a source of the ledger | nowhere
            claim.unsupported_promise at "refund you 5 EUR": the reply promises a remedy that no source permits: refund | no remedy | -"#]],
    );
}

#[test]
fn figures_count_by_what_they_mean() {
    check_said(&[], "You can send it back within 720 hours.", &[]);
    check_said(&[], "You can send it back within 31 days.", &["contradicted"]);
    check_said(&[], "It takes 20 to 30 days.", &["unsupported_figure"]);
    check_said(&[], "The fee is 9,90 €, the inspection 35 EUR, the deposit 4.50 EUR, the loss 12%.", &[]);
    check_said(&[], "The inspection is 19 EUR and the deposit 6 EUR, the loss 9%.", &["contradicted"; 3]);
    check_said(&[], "Go to help.example/any/page or shop.example.", &[]);
}

#[test]
fn a_label_keeps_its_value() {
    check_said(&[], "The return window is 14 days.", &["contradicted"]);
    check_said(&[], "The return window is 30 days, and the repair takes 14 days.", &[]);
    check_said(&[], "Gold members have a return window of 60 days.", &[]);
    check_said(&[(Role::Customer, "It says 90 days.")], "The return window is 90 days.", &["contradicted"]);
    check_said(&[(Role::Customer, "It has been 90 days.")], "90 days is past the return window.", &[]);
}

#[test]
fn the_conversation_supports_figures_and_never_a_promise() {
    let asked = [(Role::Customer, "I paid 120 EUR for order 55-12345. Send me a voucher!")];
    check_said(&asked, "We will refund the 120 EUR for order 55-12345.", &[]);
    check_said(&asked, "We will send you a voucher.", &["unsupported_promise"]);
    check_said(
        &[(Role::Agent, "You will get a voucher.")],
        "You will get a voucher.",
        &["unsupported_promise"],
    );
}

#[test]
fn n22_what_was_retrieved_supports_figures_and_never_a_promise() {
    let context = ContextText { text: "The desk costs 340 EUR.".to_owned(), source: None };
    let result =
        r#"{"refunded":"yes","status":"We have refunded 51.20 EUR and send a voucher. Order 77-41234."}"#;
    let tool = ToolCall { name: "orders".to_owned(), arguments: None, result: Some(result.to_owned()) };
    let rules = |reply: &str, tools: Vec<ToolCall>| {
        let mut entry = entry(&[(Role::Customer, "Hello")], &[("returns", None)], reply);
        let sources = entry.case.evidence.sources.clone();
        entry.case.evidence =
            Evidence { sources, context: vec![context.clone()], tools, ..Evidence::default() }.into();
        findings(&entry, &Allowed::nothing())
    };
    let reply = "Your order 77-41234 was 51.20 EUR, the desk is 340 EUR.";
    let unsupported = rules(reply, Vec::new());
    assert!(unsupported.contains("claim.unsupported_figure"), "{unsupported}");
    assert!(!unsupported.contains("340"), "{unsupported}");
    assert_eq!(rules(reply, vec![tool.clone()]), "");
    assert!(rules("You will get a voucher.", vec![tool.clone()]).contains("claim.unsupported_promise"));
    assert_eq!(rules("We have refunded you.", vec![tool]), "", "the tool says that it was done");
    assert!(rules("We have refunded you.", Vec::new()).contains("claim.unsupported_deed"));
}

#[test]
fn deeds_are_shown_by_policy_or_by_the_company() {
    check_said(&[], "Your parcel has been shipped.", &[]);
    check_said(&[], "We have refunded you.", &["unsupported_deed"]);
    check_said(&[(Role::Agent, "We have refunded you.")], "We have refunded you.", &[]);
    check_said(&[(Role::System, "The payment was refunded.")], "We have refunded you.", &[]);
    check_said(&[(Role::Customer, "You have refunded me.")], "We have refunded you.", &["unsupported_deed"]);
}

#[test]
fn the_tenant_allows_what_its_texts_claim() {
    check_allowed(&["24 hours", "own.example/*"], "We answer within 24 hours, see own.example/faq.", &[]);
    check_allowed(&["24 hours"], "We answer within 25 hours.", &["unsupported_figure"]);
    check_allowed(&["You will get a voucher."], "You will get a voucher.", &[]);
    check_allowed(&["7SEAS"], "Use the code 7SEAS.", &[]);
    check_allowed(&["+49 30 7654321"], "Call 030 7654321.", &[]);
    let idle = Allowed::new(&["our best".to_owned(), "5 days".to_owned()], Languages::built_in());
    assert_eq!(idle, Err(vec!["our best".to_owned()]));
}

proptest! {
    /// Sightings stand inside the reply and in the order of the rules, whatever the reply says.
    #[test]
    fn sightings_are_in_order_and_in_the_reply(
        parts in prop::collection::vec(prop::sample::select(vec![
            "We will refund you. ", "No voucher is possible. ", "The return window is 14 days, ", "for 5 EUR ",
            "code QX-7 ", "We have cancelled it. ", "call +49 30 1234567. ", "übrigens ", "Would you like a repair? ",
            "30 days ", "\n", "(9%) ",
        ]), 0..12)
    ) {
        let reply = parts.concat();
        let (ledger, lexicon) = (ledger(), Lexicon::built_in());
        let sources: Vec<&Source> = ledger.sources().iter().collect();
        let case = Case::new(CaseId::new("c").expect("an id"), Situation::Ticket("Hello".into()));
        let allowed = Allowed::nothing();
        let support = Support::new(&sources, &case, &allowed, english());
        let sightings = check(&reply, &extract(&reply, lexicon), &support);
        let place = |sighting: &Sighting| RULES.iter().position(|rule| rule.id == sighting.rule);
        prop_assert!(sightings.iter().all(|sighting| place(sighting).is_some()));
        prop_assert!(sightings.is_sorted_by_key(|sighting| (place(sighting), sighting.start, sighting.end)));
        prop_assert!(sightings.iter().all(|sighting| reply.get(sighting.start..sighting.end).is_some()));
    }

    /// Repeating what a customer named never makes a new finding, and no reply is blocked for saying nothing.
    #[test]
    fn what_the_customer_named_is_supported(amount in 1_u32..100_000, days in 61_u32..400, number in "[0-9]{3}-[0-9]{5}") {
        let said = format!("I paid {amount} EUR {days} days ago, order {number}.");
        let turns = [(Role::Customer, said.as_str())];
        check_said(&turns, &format!("Thank you: {amount} EUR, {days} days ago, order {number}."), &[]);
    }
}
