//! A decision as a document: the standing, every requirement, and the evidence in six sections.
//!
//! The sections are those that a decision retains: hard gates, the rubric, the judge's own words, probes,
//! calibration, and the decision itself. What files cannot show is said to be missing.

mod evidence;
mod steps;

use probity_core::calibrate::Calibration;
use probity_core::promote::{Check, Contract, Decision, Evidence, Parts, Requirement};
use serde_json::{Value, json};

use self::evidence::{hard_gates, probes, rubric, runs};
use super::calibration;
use super::figure::none;
use super::report::appendix::Appendix;
use super::report::chart::have_need;
use super::report::document::{Block, Cell, Cells, Document, JudgeLine, Section, ShownIn, Table, Tile, Tone};
use super::report::junit::{Came, TestCase};

/// What is shown of a decision.
pub(crate) struct PromotionShown<'a> {
    /// The contract.
    pub(crate) contract: &'a Contract,
    /// Where it was read.
    pub(crate) source: &'a str,
    /// What was decided.
    pub(crate) decision: &'a Decision,
    /// What that rests on.
    pub(crate) gathered: &'a Gathered,
    /// What becomes of it.
    pub(crate) outcome: &'a Outcome,
}

/// What a decision rests on.
pub(crate) struct Gathered {
    /// What was measured.
    pub(crate) evidence: Evidence,
    /// The judge, for machines.
    pub(crate) judge: Value,
    /// The judge and what it was measured by, for people.
    pub(crate) name: String,
    /// What a standing would be bound to.
    pub(crate) bound: Parts,
    /// What to retain beside the decision, by section.
    pub(crate) sections: Value,
    /// How far the judge says what people say.
    pub(crate) calibration: Calibration,
    /// What it was made with, for people.
    pub(crate) appendix: Appendix,
    /// What a reader has to know about the judge's answers.
    pub(crate) warnings: Vec<String>,
}

/// What becomes of a decision.
pub(crate) struct Outcome {
    /// Why the judge has the standing that it has.
    pub(crate) reason: String,
    /// What the store holds of it now.
    pub(crate) recorded: StandingChange,
}

/// What the store holds of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StandingChange {
    /// The judge is promoted.
    Promoted,
    /// An earlier standing is withdrawn.
    Withdrawn,
    /// Nothing.
    Nothing,
}

impl Outcome {
    /// An answer that files give: what the judge would be, and why nothing was recorded.
    pub(crate) fn of_files(decision: &Decision, files: &[String]) -> Outcome {
        let would = if decision.is_met() {
            "would be promoted: the contract is met"
        } else {
            "the contract is not met"
        };
        let files = files.join(" and ");
        let reason = format!(
            "{would}; nothing was recorded, because a standing rests on the store alone and not on {files}"
        );
        Outcome { reason, recorded: StandingChange::Nothing }
    }

    /// What the judge has earned by this decision.
    fn standing(&self) -> &'static str {
        if self.recorded == StandingChange::Promoted { "promoted" } else { "advisory" }
    }
}

/// The document.
pub(crate) fn document(shown: &PromotionShown<'_>) -> Document {
    let PromotionShown { contract, decision, gathered, outcome, .. } = shown;
    let Contract { name, version, owner, .. } = contract;
    let (n_checks, n_unmet) = (decision.checks.len(), decision.unmet().len());
    let (verdict, lead) = if decision.is_met() {
        let so = if outcome.recorded == StandingChange::Promoted {
            "It may gate a release."
        } else {
            "Nothing was recorded: it would be promoted."
        };
        (format!("The judge meets contract {name}: all {n_checks} requirements are met."), so)
    } else {
        let verdict = format!("{n_unmet} of {n_checks} requirements of contract {name} are not met.");
        (verdict, "The judge may not gate a release.")
    };
    let report = &gathered.sections;
    let evidence = [
        hard_gates(&report["hard_gates"]),
        rubric(&report["rubric"]),
        runs(&report["runs"]),
        probes(&report["probes"]),
        calibrated(&gathered.calibration),
        bound(&gathered.bound),
    ];
    Document {
        command: "promote".to_owned(),
        title: format!("Promotion · contract {name} {version}"),
        about: format!("owner of the contract: {owner}"),
        judge: Some(JudgeLine {
            name: gathered.name.trim_start_matches("judge ").to_owned(),
            standing: outcome.standing().to_owned(),
            reason: outcome.reason.clone(),
        }),
        verdict,
        lead: lead.to_owned(),
        tiles: vec![
            Tile::count(n_checks - n_unmet, "requirements met"),
            Tile::count(n_unmet, "not met"),
            Tile::count(gathered.calibration.people.n_units, "labelled items"),
            Tile::count(gathered.calibration.people.n_annotators, "people"),
        ],
        warnings: gathered.warnings.clone(),
        sections: steps::sections(shown)
            .into_iter()
            .chain([self::decision(shown).not_on_pages()])
            .chain(evidence.map(Section::in_files))
            .collect(),
        appendix: Some(gathered.appendix.clone().hash("contract", &contract.hash)),
        tests: decision.checks.iter().map(|check| test_case(name, check)).collect(),
        json: json(shown),
        ..Document::default()
    }
}

/// For programs, with the six sections as they are retained under `report`.
fn json(shown: &PromotionShown<'_>) -> Value {
    let PromotionShown { contract, source, decision, gathered, outcome } = shown;
    let (standing, recorded) = (outcome.standing(), outcome.recorded != StandingChange::Nothing);
    let mut failed: Vec<&str> = decision.unmet().iter().map(|unmet| unmet.requirement.name()).collect();
    failed.dedup();
    let mut json = decision.to_json();
    json["standing"] = json!(standing);
    json["standing_reason"] = json!(outcome.reason);
    json["met"] = json!(decision.is_met());
    json["recorded"] = json!(recorded);
    json["contract"] = json!({
        "name": contract.name,
        "version": contract.version,
        "owner": contract.owner,
        "hash": contract.hash,
        "source": source,
    });
    json["judge"] = gathered.judge.clone();
    json["as_of"] = json!(gathered.evidence.now.to_string());
    json["valid_until"] = json!(ends(shown));
    json["bound"] = json!(gathered.bound);
    json["report"] = gathered.sections.clone();
    json["report"]["decision"] = json!({
        "standing": standing,
        "reason": outcome.reason,
        "recorded": recorded,
        "failed_requirements": failed,
        "owner": contract.owner,
        "contract": format!("{} {}", contract.name, contract.version),
    });
    json
}

/// The day on which a standing ends that is earned by the decision, where it is and does.
fn ends(shown: &PromotionShown<'_>) -> Option<String> {
    let end = shown.contract.ends(shown.gathered.evidence.now).filter(|_| shown.decision.is_met());
    end.map(|end| end.to_string())
}

fn decision(shown: &PromotionShown<'_>) -> Section {
    let mut table = Table::new(&["requirement", "|", "#have", "#need", ""]);
    let checks = &shown.decision.checks;
    // What is missing comes first.
    let (met, unmet): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(|check| check.unmet.is_none());
    for check in unmet.into_iter().chain(met) {
        let [have, need] = figures(check);
        let met = match &check.unmet {
            None => Cell::word("met", Tone::Met),
            Some(_) => Cell::word("not met", Tone::Missed),
        };
        let bar = have_need(&check.have, &check.need, check.unmet.is_none());
        let bar = bar.map_or_else(|| Cell::text(""), Cell::Plot);
        table.row(cells![title(check), bar, have, need, met]);
    }
    let unmet = shown.decision.unmet();
    let missing = unmet.iter().map(|unmet| format!("{}: {}", unmet.requirement.title(), unmet.message()));
    let kept = match shown.outcome.recorded {
        StandingChange::Promoted => "recorded in the store",
        StandingChange::Withdrawn => "an earlier standing was withdrawn in the store",
        StandingChange::Nothing => "nothing was recorded",
    };
    let mut facts = vec![kept.to_owned(), format!("decided as of {}", shown.gathered.evidence.now)];
    facts.extend(ends(shown).map(|day| format!("ends on {day}")));
    Section::new("decision", "Decision")
        .table(table)
        .listed("What is missing", missing)
        .listed("The standing", facts)
}

/// The calibration in one section, its parts under headings.
fn calibrated(calibration: &Calibration) -> Section {
    let mut section = Section::new("calibration", "Calibration");
    let parts = calibration::sections(calibration, &[]).into_iter();
    for part in parts.filter(|part| part.shown != ShownIn::OnPages) {
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
    match check.requirement {
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
    }
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
