//! A decision as a document: the standing, every requirement, and the evidence in six sections.
//!
//! The sections are those that a decision retains: hard gates, the rubric, the judge's own words, probes,
//! calibration, and the decision itself. What files cannot show is said to be missing.

mod evidence;

use probity_core::calibrate::Calibration;
use probity_core::promote::{Check, Contract, Decision, Parts, Requirement};
use serde_json::Value;

use self::evidence::{hard_gates, probes, rubric, runs};
use super::calibration;
use super::figure::none;
use super::report::appendix::Appendix;
use super::report::document::{Block, Cell, Cells, Document, JudgeLine, Section, Table, Tile, Tone};
use super::report::junit::{Came, TestCase};
use crate::plain::excerpt;

/// The widest that a figure may be in the table.
const CELL_CHARS_MAX: usize = 32;

/// What is shown of a decision.
pub(crate) struct PromotionShown<'a> {
    /// The contract.
    pub(crate) contract: &'a Contract,
    /// The judge and what it was measured by.
    pub(crate) judge: &'a str,
    /// What was decided.
    pub(crate) decision: &'a Decision,
    /// What the judge has earned by it: `promoted` or `advisory`.
    pub(crate) standing: &'static str,
    /// Why the judge has the standing that it has.
    pub(crate) reason: &'a str,
    /// Whether the store holds it now, in words.
    pub(crate) kept: &'static str,
    /// What a standing is bound to.
    pub(crate) bound: &'a Parts,
    /// The calibration.
    pub(crate) calibration: &'a Calibration,
    /// What it was made with.
    pub(crate) appendix: &'a Appendix,
    /// What a reader has to know about the judge's answers.
    pub(crate) warnings: &'a [String],
    /// For programs, with the six sections as they are retained under `report`.
    pub(crate) json: Value,
}

/// The document.
pub(crate) fn document(shown: PromotionShown<'_>) -> Document {
    let Contract { name, version, owner, .. } = shown.contract;
    let (n_checks, n_unmet) = (shown.decision.checks().len(), shown.decision.unmet().len());
    let report = &shown.json["report"];
    let lead = if shown.decision.is_met() {
        let so = if shown.standing == "promoted" {
            "It may gate a release."
        } else {
            "Nothing was recorded: it would be promoted."
        };
        format!("The judge meets contract {name}: all {n_checks} requirements are met. {so}")
    } else {
        format!("The judge does not meet contract {name}: not met, {n_unmet} of {n_checks} requirements.")
    };
    let evidence = [
        hard_gates(&report["hard_gates"]),
        rubric(&report["rubric"]),
        runs(&report["runs"]),
        probes(&report["probes"]),
        calibrated(shown.calibration),
        bound(shown.bound),
    ];
    Document {
        command: "promote".to_owned(),
        title: format!("Promotion · contract {name} {version}"),
        about: format!("owner of the contract: {owner}"),
        judge: Some(JudgeLine {
            name: shown.judge.trim_start_matches("judge ").to_owned(),
            standing: shown.standing.to_owned(),
            reason: shown.reason.to_owned(),
        }),
        lead,
        tiles: vec![
            Tile::count(n_checks - n_unmet, "requirements met"),
            Tile::count(n_unmet, "not met"),
            Tile::count(shown.calibration.people.n_units, "labelled items"),
            Tile::count(shown.calibration.people.n_annotators, "people"),
        ],
        warnings: shown.warnings.to_vec(),
        sections: [decision(&shown)].into_iter().chain(evidence.map(Section::in_files)).collect(),
        calls: Vec::new(),
        appendix: Some(shown.appendix.clone().hash("contract", &shown.contract.hash)),
        tests: shown.decision.checks().iter().map(|check| test_case(&shown.contract.name, check)).collect(),
        json: shown.json,
    }
}

fn decision(shown: &PromotionShown<'_>) -> Section {
    let mut table = Table::new(&["requirement", "have", "need", ""]);
    for check in shown.decision.checks() {
        let [have, need] = figures(check);
        let met = match &check.unmet {
            None => Cell::word("met", Tone::Met),
            Some(_) => Cell::word("not met", Tone::Missed),
        };
        table.row(cells![title(check), have, need, met]);
    }
    let unmet = shown.decision.unmet();
    let missing = unmet.iter().map(|unmet| format!("{}: {}", unmet.requirement.title(), unmet.message()));
    let day = |name: &str| shown.json[name].as_str();
    let mut facts = vec![shown.kept.to_owned()];
    facts.extend(day("as_of").map(|day| format!("decided as of {day}")));
    facts.extend(day("valid_until").map(|day| format!("ends on {day}")));
    Section::new("decision", "Decision")
        .table(table)
        .listed("What is missing", missing)
        .listed("The standing", facts)
}

/// The calibration in one section, its parts under headings.
fn calibrated(calibration: &Calibration) -> Section {
    let mut section = Section::new("calibration", "Calibration");
    for part in calibration::sections(calibration, &[]) {
        section.blocks.push(Block::Heading(part.title));
        section.blocks.extend(part.blocks);
    }
    section
}

fn bound(parts: &Parts) -> Section {
    let mut table = Table::new(&["part", "value"]);
    table.rows = parts.iter().map(|(name, value)| cells![name, value]).collect();
    Section::new("bound", "What a standing is bound to")
        .text("Any change to one of these takes the standing away.")
        .table(table)
}

/// A requirement that is not met is a failure; verdicts that are missing are an error.
fn test_case(contract: &str, check: &Check) -> TestCase {
    let came = match (&check.unmet, check.requirement) {
        (None, _) => Came::Passed,
        (Some(why), Requirement::Coverage) => Came::Error(vec![why.clone()]),
        (Some(why), _) => Came::failed(why.clone()),
    };
    TestCase::new(contract, title(check), came)
}

/// A requirement by name, with what it is about.
fn title(check: &Check) -> String {
    match &check.about {
        Some(about) => format!("{} ({about})", check.requirement.title()),
        None => check.requirement.title().to_owned(),
    }
}

/// A requirement in few words: what was shown, and what is wanted.
fn figures(check: &Check) -> [String; 2] {
    let (have, need) = (&check.have, &check.need);
    let texts = match check.requirement {
        Requirement::HardGates => {
            let n_rules = need.as_array().map_or(0, Vec::len);
            [have.get("blocking").map_or_else(none, |n| format!("{n} block")), format!("{n_rules} rules")]
        }
        Requirement::Probes => {
            let passed = |of: &Value| format!("{} of {of} pass", have["passed"]);
            [have.get("of").map_or_else(none, passed), names(need)]
        }
        Requirement::OneModel => {
            let seen = |models: &Value| [names(models), names(&have["fingerprints"])].join(", ");
            [have.get("models").map_or_else(none, seen), "one".to_owned()]
        }
        _ => [figure(have), figure(need)],
    };
    texts.map(|text| excerpt(&text, CELL_CHARS_MAX))
}

fn names(value: &Value) -> String {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    let joined = texts.collect::<Vec<_>>().join(", ");
    if joined.is_empty() { none() } else { joined }
}

fn figure(value: &Value) -> String {
    match value {
        Value::Null => none(),
        Value::Number(number) if number.is_f64() => format!("{:.2}", number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
