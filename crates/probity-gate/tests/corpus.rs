//! How well claims are checked in messages that people labelled: replies in English and German with the sources they rest
//! on, and messages of bots that used tools.
//!
//! The rules were made with the open part in view, and without the held part, which joins the open one once it has been
//! used. The figures are printed; the floors only rise, until other rows are set aside.
//! With `PROBITY_SHOW_CLAIMS=open` the messages of the open part that were not read right are printed too.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use probity_gate::case::{
    Case, CaseId, Circumstances, Entry, Evidence, Reply, Role, Situation, ToolCall, Turn,
};
use probity_gate::gate::policy::PolicyFile;
use probity_gate::gate::{Defaults, Finding, Gate, Policies, PolicyTexts, Settings};
use serde::Deserialize;
use serde_json::{Value, json};

/// Every remedy, for conversations of which no policy is given: figures and deeds are measured, not promises.
const EVERYTHING: &[&str] = &[
    "refund", "replacement", "repair", "credit", "exchange", "discount", "waiver", "cancellation", "return",
    "compensation", "upgrade", "extension", "price_match", "free_shipping", "voucher",
];

#[derive(Deserialize)]
struct ClaimRow {
    id: String,
    language: String,
    reply: String,
    customer: String,
    evidence: Value,
    finding: Option<String>,
    span: Option<String>,
}

#[derive(Deserialize)]
struct ToolRow {
    id: String,
    language: String,
    reply: String,
    turns: Vec<TurnRow>,
    tools: Vec<CallRow>,
    time: Option<String>,
    findings: Vec<InventedRow>,
    sentences: usize,
}

#[derive(Deserialize)]
struct TurnRow {
    role: String,
    text: String,
}

#[derive(Deserialize)]
struct CallRow {
    name: String,
    arguments: Option<String>,
    result: Option<String>,
}

#[derive(Deserialize)]
struct InventedRow {
    span: String,
    kind: String,
}

fn rows<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let row =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
    text.lines().map(row).collect()
}

fn is_shown(part: &str) -> bool {
    std::env::var_os("PROBITY_SHOW_CLAIMS").is_some_and(|shown| shown == part)
}

/// Gates by the sources that they check against.
#[derive(Default)]
struct Gates(BTreeMap<String, Gate>);

impl Gates {
    fn of(&mut self, sources: &[Value]) -> &Gate {
        let lines: Vec<String> = sources.iter().map(Value::to_string).collect();
        let text = lines.join("\n");
        self.0.entry(text).or_insert_with_key(|text| {
            let files = [PolicyFile { name: "policies.jsonl", text }];
            let texts = PolicyTexts { sources: &files, words: &[], allowed_claims: &[] };
            let (policies, _) =
                Policies::read(&texts, Defaults::default()).unwrap_or_else(|error| panic!("{error:?}"));
            Gate::new(Settings { policies: Some(policies), ..Settings::default() }).expect("no patterns")
        })
    }
}

/// The findings about claims of a reply, with the gate of these sources.
fn found(gates: &mut Gates, sources: &[Value], case: Case, reply: &str) -> Vec<Finding> {
    let gate = gates.of(sources);
    let ids: Vec<&str> = sources.iter().filter_map(|source| source["id"].as_str()).collect();
    let mut evidence = Evidence::clone(&case.evidence);
    evidence.sources = Evidence::of_sources(ids.into_iter().map(|id| (id, None))).sources;
    let case = Case { evidence: evidence.into(), ..case };
    let findings = match gate.screen(Entry { case, reply: Reply::new(reply) }) {
        Ok(admitted) => admitted.flags().to_vec(),
        Err(blocked) => blocked.findings().to_vec(),
    };
    findings.into_iter().filter(|finding| finding.rule().starts_with("claim.")).collect()
}

#[derive(Default)]
struct Count {
    right: usize,
    wrong: usize,
    missed: usize,
    n_rows: usize,
}

impl Count {
    fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    fn recall(&self) -> f64 {
        share(self.right, self.right + self.missed)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn case(situation: Situation) -> Case {
    Case::new(CaseId::new("case").expect("an id"), situation)
}

/// The counts of a part of the labelled replies, by language.
#[expect(clippy::print_stdout, reason = "the figures are what the tests are run for")]
fn claims(part: &str) -> BTreeMap<String, Count> {
    let (mut counts, mut gates) = (BTreeMap::<String, Count>::new(), Gates::default());
    for row in rows::<ClaimRow>(&format!("claims.{part}.jsonl")) {
        let texts = row.evidence["sources"].as_array().expect("sources");
        let sources: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(at, source)| {
                let facts = if at == 0 { row.evidence["facts"].clone() } else { json!({}) };
                json!({ "id": source["id"], "version": "1", "text": source["text"], "facts": facts })
            })
            .collect();
        let found =
            found(&mut gates, &sources, case(Situation::Ticket(row.customer.as_str().into())), &row.reply);
        let count = counts.entry(row.language.clone()).or_default();
        count.n_rows += 1;
        // Where a labelled fact has another value, a wrong figure is a contradiction: not all who labelled told them apart.
        let is_right = |finding: &&Finding| match (row.finding.as_deref(), finding.rule()) {
            (Some("claim.unsupported_figure"), "claim.contradicted") => true,
            (label, rule) => label == Some(rule),
        };
        let n_right = found.iter().filter(is_right).count().min(1);
        let n_wrong = found.iter().filter(|finding| !is_right(finding)).count();
        let n_missed = usize::from(row.finding.is_some()) - n_right;
        (count.right, count.wrong, count.missed) =
            (count.right + n_right, count.wrong + n_wrong, count.missed + n_missed);
        if is_shown(part) && n_wrong + n_missed > 0 {
            let shown: Vec<(&str, &str)> = found
                .iter()
                .map(|finding| (finding.rule(), &row.reply[finding.sighting.start..finding.sighting.end]))
                .collect();
            println!(
                "{} {:?}\n    labelled {:?} {:?}\n    found {shown:?}\n    facts {}",
                row.id, row.reply, row.finding, row.span, row.evidence["facts"]
            );
        }
    }
    for (language, count) in &counts {
        println!(
            "claims {part} {language}: {} replies, precision {:.1} % ({} right, {} wrong), recall {:.1} % ({} missed)",
            count.n_rows,
            count.precision(),
            count.right,
            count.wrong,
            count.recall(),
            count.missed
        );
    }
    counts
}

/// False findings and invented things of messages with tools.
#[derive(Default)]
struct Messages {
    all: usize,
    sentences: usize,
    wrong: usize,
    invented: usize,
    found: usize,
}

impl Messages {
    fn false_per_thousand(&self) -> f64 {
        self.wrong as f64 * 1000.0 / self.sentences as f64
    }
}

fn tool_case(row: &ToolRow) -> Case {
    let turn = |turn: &TurnRow| Turn {
        role: Role::parse(&turn.role).expect("a role"),
        text: turn.text.as_str().into(),
    };
    let call = |call: &CallRow| ToolCall {
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        result: call.result.clone(),
    };
    let tools = row.tools.iter().map(call).collect();
    Case {
        circumstances: Circumstances {
            time: row.time.as_ref().map(|time| time.parse().expect("a moment")),
            ..Circumstances::default()
        },
        evidence: Evidence { tools, ..Evidence::default() }.into(),
        ..case(Situation::Conversation(row.turns.iter().map(turn).collect()))
    }
}

#[expect(clippy::print_stdout, reason = "the figures are what the tests are run for")]
fn messages(part: &str) -> Messages {
    let source = json!({
        "id": "desk", "version": "1", "text": "We help our customers.", "facts": { "remedies": EVERYTHING }
    });
    let (mut all, mut gates) = (Messages::default(), Gates::default());
    for row in rows::<ToolRow>(&format!("tools.{part}.jsonl")) {
        let found = found(&mut gates, std::slice::from_ref(&source), tool_case(&row), &row.reply);
        // A finding is about a labelled thing where it stands in or around its words, or in its sentence's words.
        let place = |invented: &InventedRow| {
            let start =
                row.reply.find(&invented.span).unwrap_or_else(|| panic!("{}: {:?}", row.id, invented.span));
            start..start + invented.span.len()
        };
        // What is wrong with a deed is found somewhere in its sentence.
        let around = |place: Range<usize>| {
            let ends: Vec<usize> = row
                .reply
                .match_indices(['.', '!', '?', '\n'])
                .filter(|(at, _)| !row.reply[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
                .map(|(at, _)| at)
                .collect();
            let start = ends.iter().rfind(|at| **at < place.start).map_or(0, |at| at + 1);
            start..ends.into_iter().find(|at| *at >= place.end).unwrap_or(row.reply.len())
        };
        let touches = |finding: &Finding, invented: &InventedRow| {
            let is_deed = invented.kind == "deed" && finding.rule() == "claim.unsupported_deed";
            let place = if is_deed { around(place(invented)) } else { place(invented) };
            finding.sighting.start < place.end && place.start < finding.sighting.end
        };
        let is_false = |finding: &&Finding| !row.findings.iter().any(|invented| touches(finding, invented));
        let missed: Vec<&InventedRow> = row
            .findings
            .iter()
            .filter(|invented| !found.iter().any(|finding| touches(finding, invented)))
            .collect();
        let wrong: Vec<(&str, &str)> = found
            .iter()
            .filter(is_false)
            .map(|finding| (finding.rule(), &row.reply[finding.sighting.start..finding.sighting.end]))
            .collect();
        all.all += 1;
        all.sentences += row.sentences;
        all.wrong += wrong.len();
        all.invented += row.findings.len();
        all.found += row.findings.len() - missed.len();
        if is_shown(part) && !(wrong.is_empty() && missed.is_empty()) {
            let missed: Vec<(&str, &str)> =
                missed.iter().map(|row| (row.kind.as_str(), row.span.as_str())).collect();
            println!(
                "{} {} {:?}\n    false {wrong:?}\n    missed {missed:?}",
                row.id, row.language, row.reply
            );
        }
    }
    println!(
        "tools {part}: {} messages, {} sentences, {} false findings ({:.1} per 1,000 sentences), {} of {} invented \
         things found ({:.1} %)",
        all.all,
        all.sentences,
        all.wrong,
        all.false_per_thousand(),
        all.found,
        all.invented,
        share(all.found, all.invented)
    );
    all
}

#[track_caller]
fn check_claims(part: &str, floors: &[(&str, f64, f64)]) {
    let counts = claims(part);
    for (language, precision_min, recall_min) in floors {
        let count = &counts[*language];
        assert!(
            count.precision() >= *precision_min,
            "{part} {language}: precision {:.1} %",
            count.precision()
        );
        assert!(count.recall() >= *recall_min, "{part} {language}: recall {:.1} %", count.recall());
    }
}

#[test]
fn labelled_replies_are_told_apart_open() {
    check_claims("open", &[("en", 96.0, 94.2), ("de", 98.3, 95.8)]);
}

#[test]
fn labelled_replies_are_told_apart_held() {
    check_claims("held", &[("en", 80.4, 78.7), ("de", 91.4, 71.1)]);
}

#[track_caller]
fn check_messages(part: &str, false_per_thousand_max: f64, found_min: f64) {
    let all = messages(part);
    let found = share(all.found, all.invented);
    assert!(all.false_per_thousand() <= false_per_thousand_max, "{part}: {:.1}", all.false_per_thousand());
    assert!(found >= found_min, "{part}: {found:.1} % found");
}

#[test]
fn what_tools_show_supports_the_message_open() {
    check_messages("open", 12.7, 80.1);
}

#[test]
fn what_tools_show_supports_the_message_held() {
    check_messages("held", 15.6, 76.5);
}
