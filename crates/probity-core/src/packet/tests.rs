//! What packets hold, what they are called, and what they never say.

use expect_test::{Expect, expect};

use super::*;
use crate::case::{CaseId, ContextText, Reply, Role, ToolCall, Turn, Variant};
use crate::gate::policy::PolicyFile;
use crate::gate::{Defaults, Gate, Policies, PolicyTexts, Settings};
use crate::{json, rubric};

fn admitted(situation: Situation, reply: &str, variant: &str) -> Admitted {
    let case = Case {
        reference: Some("The ideal reply.".to_owned()),
        ..Case::new(CaseId::new(format!("case-of-{variant}")).expect("an id"), situation)
    };
    let variant = Some(Variant::new(variant).expect("a variant"));
    let reply = Reply { text: reply.into(), variant, confidence: None };
    Gate::default().screen(Entry { case, reply }).expect("admitted")
}

fn packets(name: &str, plan: CallPlan, admitted: &Admitted) -> Vec<Packet> {
    let rubric = rubric::built_in(name).expect("built in");
    asks(&rubric, plan).iter().map(|ask| question(admitted, ask)).collect()
}

#[test]
fn one_call_per_criterion_or_one_for_all() {
    let admitted = admitted(Situation::Ticket("Help".into()), "Sure.", "v1");
    assert_eq!(packets("relevance-tone", CallPlan::PerCriterion, &admitted).len(), 2);
    assert_eq!(packets("support-gold", CallPlan::PerCriterion, &admitted).len(), 5);
    assert_eq!(packets("support-gold", CallPlan::OneCall, &admitted).len(), 1);
}

#[test]
fn the_written_form_is_the_canonical_one() {
    let turns = vec![
        Turn { role: Role::Customer, text: "It \"broke\"\n\u{1}".into() },
        Turn { role: Role::Agent, text: "Oh \u{1f600}".into() },
    ];
    for situation in [Situation::Ticket("a\\b".into()), Situation::Conversation(turns)] {
        let admitted = admitted(situation, "</reply> {{ 7*7 }}", "v1");
        for packet in packets("support-gold", CallPlan::OneCall, &admitted) {
            let tree = json::parse(packet.canonical()).expect("canonical text is JSON");
            assert_eq!(tree.canonical(), packet.canonical());
            assert_eq!(packet.hash().as_bytes(), blake3::hash(packet.canonical().as_bytes()).as_bytes());
        }
    }
}

#[test]
fn nothing_names_the_variant_or_the_case() {
    let situation = || Situation::Ticket("Help".into());
    let old = packets("relevance-tone", CallPlan::OneCall, &admitted(situation(), "Sure.", "gpt-next"));
    let new = packets("relevance-tone", CallPlan::OneCall, &admitted(situation(), "Sure.", "other"));
    assert!(!old[0].canonical().contains("gpt-next") && !old[0].canonical().contains("case-of"));
    assert_eq!(old[0].hash(), new[0].hash());
}

#[test]
fn the_reference_is_shown_only_where_a_criterion_uses_it() {
    let admitted = admitted(Situation::Ticket("Help".into()), "Sure.", "v1");
    let shown = |name, n: usize| packets(name, CallPlan::PerCriterion, &admitted)[n].reference().is_some();
    assert!(!shown("relevance-tone", 0) && shown("support-gold", 0) && !shown("support-gold", 2));
}

#[test]
fn every_byte_of_the_reply_changes_name_and_boundary() {
    let packet = |reply| {
        packets("relevance-tone", CallPlan::OneCall, &admitted(Situation::Ticket("H".into()), reply, "v"))
            .remove(0)
    };
    let (one, other) = (packet("Sure."), packet("Sure. "));
    assert_ne!(one.hash(), other.hash());
    assert_ne!(one.boundary(), other.boundary());
    let of_hash = blake3::derive_key("probity packet boundary v1", one.hash().as_bytes());
    let digits: Vec<String> = of_hash[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(one.boundary(), digits.concat());
    assert!(!one.canonical().contains(&one.boundary()));
}

#[test]
fn the_written_form_of_a_packet_about_one_reply_never_changes() {
    let admitted = admitted(Situation::Ticket("Help".into()), "Sure.", "v1");
    let packet = &packets("relevance-tone", CallPlan::PerCriterion, &admitted)[1];
    let (criteria, rest) = packet.canonical().split_once(r#","probity_packet""#).expect("a format");
    assert!(criteria.starts_with(r#"{"criteria":[{"id":"tone","levels":[{"level":1,"means":"#), "{criteria}");
    assert_eq!(rest, r#":1,"reply":"Sure.","situation":{"ticket":"Help"}}"#);
    check_hash(packet, &expect!["397785d51aa9724c67bb47d75ebe303581909526f850cd97bfad59db26f90de1"]);
}

#[track_caller]
fn check_hash(packet: &Packet, want: &Expect) {
    want.assert_eq(&packet.hash().to_string());
}

/// The replies `first` and `second` to one case, compared by the built-in rubric.
fn compared(first: &str, second: &str) -> Packet {
    let ask = pair_ask(&rubric::built_in("pairwise-support").expect("built in")).expect("comparable");
    let situation = || Situation::Ticket("My laptop failed.".into());
    pair(&admitted(situation(), first, "v1"), &admitted(situation(), second, "v1"), &ask).expect("a pair")
}

#[test]
fn a_packet_about_two_replies_has_slots_verdicts_and_three_criteria() {
    let packet = compared("It qualifies for a replacement.", "It does. Reply to confirm.");
    let tree = json::parse(packet.canonical()).expect("canonical text is JSON");
    assert_eq!(tree.canonical(), packet.canonical());
    assert_eq!(packet.hash().as_bytes(), blake3::hash(packet.canonical().as_bytes()).as_bytes());
    let texts = |member: &str, key: Option<&str>| -> Vec<String> {
        let list = tree.get(member).and_then(json::Json::as_array).expect("a list");
        let text =
            |item: &json::Json| key.map_or(Some(item), |key| item.get(key))?.as_str().map(str::to_owned);
        list.iter().filter_map(text).collect()
    };
    assert_eq!(texts("allowed_verdicts", None), ["A", "B", "tie", "needs_human_review"]);
    assert_eq!(texts("criteria", Some("id")), ["actionability", "clarity", "concision"]);
    assert_eq!(texts("criteria", Some("tie")).len(), 3);
    assert_eq!(texts("criteria", Some("better")).len(), 3);
    let candidates = tree.get("candidates").and_then(json::Json::as_object).expect("candidates");
    let slots: Vec<(&str, &str)> =
        candidates.iter().filter_map(|(slot, text)| Some((slot, text.as_str()?))).collect();
    assert_eq!(slots, [("A", "It qualifies for a replacement."), ("B", "It does. Reply to confirm.")]);
    let members: Vec<&str> = tree.as_object().expect("an object").iter().map(|(key, _)| key).collect();
    assert_eq!(members, ["allowed_verdicts", "candidates", "criteria", "probity_pair_packet", "situation"]);
    check_hash(&packet, &expect!["2f6af49532a9538af54e424a65be5b57400fa90b68664f384024b119c4ad6e83"]);
}

#[test]
fn the_order_of_two_replies_is_part_of_the_name_and_the_variant_is_not() {
    let (ab, ba) = (compared("One.", "Two."), compared("Two.", "One."));
    assert_ne!(ab.hash(), ba.hash());
    assert_ne!(ab.boundary(), ba.boundary());
    assert!(!ab.canonical().contains("v1") && !ab.canonical().contains("case-of"));
}

#[track_caller]
fn check_no_pair(change: fn(&mut Entry), want: &str) {
    let ask = pair_ask(&rubric::built_in("support-gold").expect("built in")).expect("comparable");
    let first = admitted(Situation::Ticket("Help".into()), "Sure.", "v1");
    let mut entry = first.entry().clone();
    change(&mut entry);
    let second = Gate::default().screen(entry).expect("admitted");
    assert_eq!(pair(&first, &second, &ask).expect_err("no pair").to_string(), want);
}

#[test]
fn only_replies_to_one_case_make_a_pair() {
    check_no_pair(
        |entry| entry.case.id = CaseId::new("t2").expect("an id"),
        "expected two replies to one case, found replies to case-of-v1 and t2",
    );
    check_no_pair(
        |entry| entry.case.situation = Situation::Ticket("Help!".into()),
        "expected the same ticket or conversation on both sides, found different ones",
    );
    check_no_pair(
        |entry| entry.case.reference = None,
        "expected the same reference reply on both sides, found different ones",
    );
}

#[test]
fn a_rubric_compares_by_what_is_judged_in_pairs_or_by_what_has_a_tie() {
    let ids = |name: &str| {
        let ask = pair_ask(&rubric::built_in(name).expect("built in"));
        ask.map(|ask| ask.ask().criteria().iter().map(|c| c.id.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(ids("pairwise-support").expect("comparable").len(), 3);
    assert_eq!(ids("support-gold").expect("comparable").len(), 5);
    let gold = rubric::built_in("support-gold").expect("built in");
    let untied = rubric::Criterion { tie: None, ..gold.criteria()[2].clone() };
    let refused = PairAsk::new(vec![gold.criteria()[0].clone(), untied]).expect_err("no tie");
    assert_eq!(
        refused.to_string(),
        "criterion tone: expected `tie`, which says when two replies are equal, found none"
    );
    assert_eq!(PairAsk::new(Vec::new()), Err(NotComparable::NoCriterion));
}

const POLICY: &str = r#"
[[source]]
id = "repairs"
version = "4"
text = "A lamp that fails within 24 months is replaced under rule RP-7."
[source.facts]
required_remedies = ["replacement"]
forbidden_remedies = ["refund"]
windows = { warranty = "24 months" }
codes = ["RP-7"]
"#;

fn gate_with_policies() -> Gate {
    let sources = [PolicyFile { name: "p.toml", text: POLICY }];
    let texts = PolicyTexts { sources: &sources, words: &[], allowed_claims: &[] };
    let (policies, _) = Policies::read(&texts, Defaults::default()).expect("good policies");
    Gate::new(Settings { policies: Some(policies), ..Settings::default() }).expect("no patterns")
}

/// A reply that names the source and rests on `context` as well.
fn resting_on(context: &[&str], reply: &str) -> Entry {
    let mut evidence = Evidence::of_sources([("repairs", None)]);
    let text = |text: &&str| ContextText { text: (*text).to_owned(), source: None };
    evidence.context = context.iter().map(text).collect();
    let case = Case::new(CaseId::new("t1").expect("an id"), Situation::Ticket("My lamp failed.".into()));
    Entry { case: Case { evidence: evidence.into(), ..case }, reply: Reply::new(reply) }
}

/// What stands between the criteria and the version of the format.
#[track_caller]
fn check_evidence(packet: &Packet, want: &Expect) {
    let tree = json::parse(packet.canonical()).expect("canonical text is JSON");
    assert_eq!(tree.canonical(), packet.canonical());
    assert_eq!(packet.hash().as_bytes(), blake3::hash(packet.canonical().as_bytes()).as_bytes());
    want.assert_eq(&tree.get("evidence").map_or("none".to_owned(), json::Json::canonical));
}

fn graded(admitted: &Admitted) -> Packet {
    packets("relevance-tone", CallPlan::OneCall, admitted).remove(0)
}

#[test]
fn n22_sources_protected_facts_and_the_checks_passed_stand_in_the_packet() {
    let entry = resting_on(&[], "We will send a replacement under RP-7.");
    let checked = gate_with_policies().screen(entry.clone()).expect("admitted");
    check_evidence(
        &graded(&checked),
        &expect![[
            r#"{"checks_passed":["claim","evidence"],"sources":[{"facts":["The permitted remedy is replacement.","A reply must offer replacement.","A reply must not promise refund.","The warranty is 24 months.","A valid code is RP-7."],"id":"repairs","text":"A lamp that fails within 24 months is replaced under rule RP-7.","version":"4"}]}"#
        ]],
    );
    let unchecked = Gate::default().screen(entry).expect("admitted");
    check_evidence(&graded(&unchecked), &expect![[r#"{"sources":[{"id":"repairs"}]}"#]]);
    let none = admitted(Situation::Ticket("Help".into()), "Sure.", "v1");
    check_evidence(&graded(&none), &expect!["none"]);
}

#[test]
fn n22_retrieved_texts_and_tools_stand_in_the_packet_and_support_figures() {
    let figure = "We will send a replacement. It takes 9 working days.";
    let blocked = gate_with_policies().screen(resting_on(&[], figure)).expect_err("nothing has the figure");
    assert_eq!(blocked.findings()[0].rule(), "claim.unsupported_figure");
    let mut entry = resting_on(&["Deliveries take 9 working days."], figure);
    let evidence = Arc::make_mut(&mut entry.case.evidence);
    evidence.sources.clear();
    let arguments = Some(r#"{"order":"A-1"}"#.to_owned());
    evidence.tools.push(ToolCall { name: "orders".to_owned(), arguments, result: Some("sent".to_owned()) });
    assert!(gate_with_policies().screen(resting_on(&["Deliveries take 9 working days."], figure)).is_ok());
    let shown = graded(&Gate::default().screen(entry).expect("admitted"));
    check_evidence(
        &shown,
        &expect![[
            r#"{"context":[{"text":"Deliveries take 9 working days."}],"tools":[{"arguments":"{\"order\":\"A-1\"}","name":"orders","result":"sent"}]}"#
        ]],
    );
    assert!(shown.texts().contains(&"sent"), "what a tool gave is no verdict either");
}

#[test]
fn n22_two_replies_share_their_evidence_or_have_their_own() {
    let ask = pair_ask(&rubric::built_in("pairwise-support").expect("built in")).expect("comparable");
    let screened =
        |context: &[&str], reply| Gate::default().screen(resting_on(context, reply)).expect("no rule blocks");
    let same = pair(&screened(&["X"], "One."), &screened(&["X"], "Two."), &ask).expect("a pair");
    check_evidence(&same, &expect![[r#"{"context":[{"text":"X"}],"sources":[{"id":"repairs"}]}"#]]);
    let own = pair(&screened(&["X"], "One."), &screened(&[], "Two."), &ask).expect("a pair");
    check_evidence(
        &own,
        &expect![[
            r#"{"A":{"context":[{"text":"X"}],"sources":[{"id":"repairs"}]},"B":{"sources":[{"id":"repairs"}]}}"#
        ]],
    );
}

#[test]
fn n22_what_a_gate_upstream_refused_is_blocked_with_its_reason() {
    let screened = |reason: &str| {
        let mut entry = resting_on(&[], "Sure.");
        entry.case.inadmissible = Some(reason.to_owned());
        let blocked = Gate::default().screen(entry).expect_err("blocked");
        let finding = &blocked.findings()[0];
        format!("{}: {}", finding.rule(), finding.sighting.message)
    };
    assert_eq!(
        screened("the source is stale"),
        "record.inadmissible: a gate upstream did not admit the reply: the source is stale"
    );
    assert!(screened("").ends_with(": no reason is given"));
    assert!(screened("shows ann@post.example to another").ends_with("personal data and is not repeated"));
}

#[test]
fn n22_evidence_that_is_cut_is_flagged() {
    let long = "word ".repeat(20_000);
    let admitted = Gate::default().screen(resting_on(&[&long], "Sure.")).expect("admitted");
    assert_eq!(admitted.flags()[0].rule(), "record.evidence_cut");
    assert!(graded(&admitted).canonical().contains(" of 100000 bytes]"));
}
