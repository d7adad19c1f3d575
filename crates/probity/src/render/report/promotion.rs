//! The report of a decision: the standing, every requirement, and the evidence in six sections.
//!
//! The sections are those that a decision retains: hard gates, the rubric, the judge's own words, probes,
//! calibration, and the decision itself. What files cannot show is said to be missing.

mod evidence;

use probity_core::calibrate::Calibration;
use probity_core::promote::{Check, Contract, Parts, Requirement};

use self::evidence::{hard_gates, probes, rubric, runs};
use super::super::promotion::{PromotionDocument, cells, title};
use super::calibration;
use super::junit::{Came, TestCase};
use super::page::{Block, Cell, JudgeLine, Page, Section, Table, Tile, Tone};
use crate::plain::excerpt;

/// How much of why a requirement is not met is shown; the section it is about has the rest.
const MESSAGE_CHARS_MAX: usize = 320;

/// The page.
pub(crate) fn page(shown: &PromotionDocument<'_>) -> Page {
    let Contract { name, version, .. } = shown.contract;
    let (n_checks, n_unmet) = (shown.decision.checks().len(), shown.decision.unmet().len());
    let is_promoted = shown.standing == "promoted";
    let report = &shown.json["report"];
    let lead = if shown.decision.is_met() {
        let so = if is_promoted {
            "It may gate a release."
        } else {
            "Nothing was recorded: it would be promoted."
        };
        format!("The judge meets contract {name}: all {n_checks} requirements are met. {so}")
    } else {
        format!("The judge does not meet contract {name}: {n_unmet} of {n_checks} requirements are not met.")
    };
    Page {
        command: "promote",
        title: format!("Promotion · contract {name} {version}"),
        judge: Some(JudgeLine {
            name: shown.judge.trim_start_matches("judge ").to_owned(),
            standing: shown.standing.to_owned(),
            reason: shown.reason.to_owned(),
            caution: if is_promoted { "" } else { "Its scores inform; they must not gate a release." },
        }),
        lead,
        tiles: vec![
            Tile::count((n_checks - n_unmet) as u64, "requirements met"),
            Tile::count(n_unmet as u64, "not met"),
            Tile::count(shown.calibration.people.n_units, "labelled items"),
            Tile::count(shown.calibration.people.n_annotators as u64, "people"),
        ],
        warnings: shown.warnings.to_vec(),
        sections: vec![
            decision(shown),
            hard_gates(&report["hard_gates"]),
            rubric(&report["rubric"]),
            runs(&report["runs"]),
            probes(&report["probes"]),
            calibrated(shown.calibration),
            bound(shown.bound),
        ],
        appendix: shown.appendix.clone().hash("contract", &shown.contract.hash),
    }
}

fn decision(shown: &PromotionDocument<'_>) -> Section {
    let mut table = Table::new(&["requirement", "have", "need", ""]);
    for check in shown.decision.checks() {
        let [have, need] = cells(check);
        let met = match &check.unmet {
            None => Cell::word("met", Tone::Met),
            Some(_) => Cell::word("not met", Tone::Missed),
        };
        table.row(vec![Cell::text(title(check)), Cell::text(have), Cell::text(need), met]);
    }
    let unmet = shown.decision.unmet();
    let line = |unmet: &&Check| {
        format!("{}: {}", unmet.requirement.title(), excerpt(unmet.message(), MESSAGE_CHARS_MAX))
    };
    let lines: Vec<String> = unmet.iter().map(line).collect();
    let day = |name: &str| shown.json[name].as_str();
    let mut facts = vec![format!("owner of the contract: {}", shown.contract.owner), shown.kept.to_owned()];
    facts.extend(day("as_of").map(|day| format!("decided as of {day}")));
    facts.extend(day("valid_until").map(|day| format!("ends on {day}")));
    let section = Section::new("decision", "Decision").table(table);
    let section = if lines.is_empty() { section } else { section.heading("What is missing").list(lines) };
    section.heading("The standing").list(facts)
}

/// The calibration in one section, its parts under headings.
fn calibrated(calibration: &Calibration) -> Section {
    let mut section = Section::new("calibration", "Calibration");
    for part in calibration::sections(calibration, &[]) {
        section.blocks.push(Block::Heading { text: part.title });
        section.blocks.extend(part.blocks);
    }
    section
}

fn bound(parts: &Parts) -> Section {
    let mut table = Table::new(&["part", "value"]);
    for (name, value) in parts {
        table.row(vec![Cell::text(name), Cell::text(value)]);
    }
    Section::new("bound", "What a standing is bound to")
        .text("Any change to one of these takes the standing away.")
        .table(table)
}

/// A case per requirement. One that is not met is a failure; verdicts that are missing are an error.
pub(crate) fn test_cases(shown: &PromotionDocument<'_>) -> Vec<TestCase> {
    let checks = shown.decision.checks().iter();
    let case = |check: &Check| {
        let came = match (&check.unmet, check.requirement) {
            (None, _) => Came::Passed,
            (Some(why), Requirement::Coverage) => Came::Error(vec![why.clone()]),
            (Some(why), _) => Came::Failed { kind: "quality", reasons: vec![why.clone()] },
        };
        TestCase { class: shown.contract.name.clone(), name: title(check), came }
    };
    checks.map(case).collect()
}
