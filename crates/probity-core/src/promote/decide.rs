//! The decision: every requirement of a contract compared with the evidence, in one order.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::contract::{Answers, Contract, SliceFloors};
use super::decision::{Check, Decision, Promotion};
use super::evidence::{Evidence, MeasuredFigure};
use super::labels_needed::labels_needed;
use super::requirement::Requirement;
use crate::probe::{ProbeLine, ProbeOutcome, ProbeRecord};

/// The most violations that a probing may have tolerated. The person who probes does not choose what a contract accepts.
const TOLERANCE_MAX: f64 = 0.10;

/// The probes that every contract asks for by name: a judge that ignores the reply passes all others.
const SENSITIVITY: &str = "sensitivity";

/// What a quotient of two figures may be off by.
const ROUNDING: f64 = 1e-9;

/// How many names a message lists.
const NAMES_MAX: usize = 5;

/// Holds `evidence` against `contract`.
pub fn decide(contract: &Contract, evidence: &Evidence) -> Decision {
    let mut checks = Checks { contract, evidence, all: Vec::new() };
    checks.hard_gates();
    checks.labelled_rows();
    checks.agreement();
    checks.human_share();
    checks.beats();
    checks.slices();
    checks.probes();
    checks.review();
    checks.coverage();
    checks.reasons();
    checks.one_model();
    checks.model_end();
    checks.expiry();
    let promotion = Promotion {
        contract: [&contract.name, &contract.version, &contract.owner].map(Clone::clone),
        granted: evidence.now,
        until: contract.ends(evidence.now),
    };
    Decision::new(checks.all, evidence.gates.is_some().then_some(promotion))
}

/// The checks made so far.
struct Checks<'a> {
    contract: &'a Contract,
    evidence: &'a Evidence,
    all: Vec<Check>,
}

impl Checks<'_> {
    fn add(
        &mut self,
        requirement: Requirement,
        about: Option<&str>,
        shown: [Value; 2],
        unmet: Option<String>,
    ) {
        let [have, need] = shown;
        let about = about.map(str::to_owned);
        self.all.push(Check { requirement, about, have, need, unmet });
    }

    fn hard_gates(&mut self) {
        let required = &self.contract.blocking;
        let need = json!(required);
        // Files alone show nothing of the gate, and no promotion comes of them, whatever the contract asks for.
        let Some(gates) = &self.evidence.gates else { return };
        let off: Vec<&str> =
            required.iter().copied().filter(|rule| !gates.blocking.contains(*rule)).collect();
        let have = json!({
            "blocking": required.len() - off.len(),
            "admitted": gates.n_admitted,
            "blocked": gates.n_blocked,
            "unknown": gates.n_unknown,
        });
        let mut unmet = Vec::new();
        if !off.is_empty() {
            let rules =
                if off.len() == 1 { "1 rule does".to_owned() } else { format!("{} rules do", off.len()) };
            unmet.push(format!("{rules} not block, and must: {}", listed(&off)));
        }
        if gates.n_unknown > 0 {
            unmet.push(format!("the gate never saw the replies of {} labelled items", gates.n_unknown));
        }
        let unmet = (!unmet.is_empty()).then(|| unmet.join("; "));
        self.add(Requirement::HardGates, None, [have, need], unmet);
    }

    fn labelled_rows(&mut self) {
        let need = self.contract.rows_min;
        let (have, fewest) = self.evidence.rows.fewest();
        let on = fewest.map(|name| format!(" on {name}")).unwrap_or_default();
        let unmet = (have < need).then(|| {
            format!("{have} labelled rows{on}, {need} are needed: {}{on}", more_labels(need - have))
        });
        self.add(Requirement::LabelledRows, fewest, [json!(have), json!(need)], unmet);
    }

    fn agreement(&mut self) {
        let floor = match self.contract.agreement.lower_bound_min {
            Some(floor) => floor,
            // Too few rows cannot show more than chance, and are not met themselves.
            None if self.evidence.rows.fewest().0 < self.contract.rows_min => return,
            None => 0.0,
        };
        let (name, figure) = (self.contract.agreement.kappa.name(), &self.evidence.agreement);
        let unmet = too_low(name, figure, self.evidence.rows.n, floor).or_else(|| by_chance(name, figure));
        let shown = [lower_end(&self.evidence.agreement), json!(floor)];
        self.add(Requirement::Agreement, Some(self.contract.agreement.kappa.name()), shown, unmet);
    }

    fn human_share(&mut self) {
        let Some(need) = self.contract.agreement.human_share_min else { return };
        let measure = self.contract.agreement.kappa.name();
        let (have, unmet) = match (&self.evidence.agreement, &self.evidence.people) {
            (_, Err(why)) => {
                let more = "have a second person label the same items";
                (Value::Null, Some(format!("the {measure} of people is not known: {why}; {more}")))
            }
            (Err(why), _) => (Value::Null, Some(format!("the {measure} of the judge is not known: {why}"))),
            (Ok(_), Ok(people)) if people.value <= 0.0 => {
                let message =
                    format!("people do not agree beyond chance ({:.2}, {})", people.value, people.how);
                (Value::Null, Some(format!("{message}, so there is no standard to compare a judge with")))
            }
            (Ok(judge), Ok(people)) => {
                let share = judge.value / people.value;
                let unmet = (share + ROUNDING < need).then(|| {
                    format!(
                        "the judge reaches {share:.2} of what people reach, needs {need:.2}: {measure} {:.2} against {:.2} ({})",
                        judge.value, people.value, people.how
                    )
                });
                (json!(share), unmet)
            }
        };
        self.add(Requirement::HumanShare, Some(measure), [have, json!(need)], unmet);
    }

    fn beats(&mut self) {
        let measure = self.contract.agreement.kappa.name();
        for floor in &self.contract.agreement.beats {
            let name = floor.name();
            let value = self.evidence.floors.get(floor);
            let (need, unmet) = match (value, &self.evidence.agreement) {
                (None, _) => (Value::Null, Some(format!("{name} was not measured on the same items"))),
                (Some(Err(why)), _) => (Value::Null, Some(format!("{name} has no {measure}: {why}"))),
                (Some(Ok(value)), Err(why)) => {
                    (json!(value), Some(format!("the judge has no {measure} to hold against {name}: {why}")))
                }
                (Some(Ok(value)), Ok(judge)) => {
                    let unmet = (judge.low <= *value).then(|| {
                        format!(
                            "the lower bound {:.2} of the judge is not above the {measure} {value:.2} of {name}",
                            judge.low
                        )
                    });
                    (json!(value), unmet)
                }
            };
            self.add(
                Requirement::BeatsBaseline,
                Some(name),
                [lower_end(&self.evidence.agreement), need],
                unmet,
            );
        }
    }

    fn slices(&mut self) {
        let (contract, evidence) = (self.contract, self.evidence);
        let names: BTreeSet<&String> = contract.slices.keys().chain(evidence.slices.keys()).collect();
        for name in names {
            let floors = contract.slice(name);
            let none = Err("nothing is labelled".to_owned());
            let (n_rows, agreement, kappa) = match evidence.slices.get(name) {
                Some(slice) => (slice.n_rows, &slice.agreement, &slice.kappa),
                None => (0, &none, &none),
            };
            self.slice_rows(name, n_rows, floors);
            let measure = contract.agreement.kappa.name();
            let held = [
                ("agreement", agreement, floors.agreement_lower_bound_min),
                (measure, kappa, floors.lower_bound_min),
            ];
            for (figure_name, figure, floor) in held {
                let Some(floor) = floor else { continue };
                let unmet = too_low(figure_name, figure, n_rows, floor);
                let unmet = unmet.map(|message| format!("{name}: {message}"));
                self.add(Requirement::SliceAgreement, Some(name), [lower_end(figure), json!(floor)], unmet);
            }
        }
    }

    fn slice_rows(&mut self, name: &str, have: u64, floors: SliceFloors) {
        let Some(need) = floors.rows_min else { return };
        let unmet =
            (have < need).then(|| format!("{} in {name}: {have} of {need}", more_labels(need - have)));
        self.add(Requirement::SliceRows, Some(name), [json!(have), json!(need)], unmet);
    }

    fn probes(&mut self) {
        let names = self.contract.probes.iter().map(String::as_str);
        let need = json!(["all"].into_iter().chain(names).collect::<Vec<_>>());
        let record = match &self.evidence.probes {
            Ok(record) => record,
            Err(why) => return self.add(Requirement::Probes, None, [Value::Null, need], Some(why.clone())),
        };
        let made = &record.lines;
        let absent = absent(&self.contract.probes, record);
        let is_good =
            |line: &&ProbeLine| matches!(line.outcome, ProbeOutcome::Pass | ProbeOutcome::NotApplicable);
        let n_good = made.iter().filter(is_good).count();
        let said = |line: &ProbeLine| format!("{} ({})", line.name, line.outcome.name());
        let bad: Vec<String> = made.iter().filter(|line| !is_good(line)).map(said).collect();
        let mut unmet: Vec<String> = Vec::new();
        if let Some(tolerance) = record.tolerance.filter(|tolerance| *tolerance > TOLERANCE_MAX) {
            unmet.push(format!(
                "the probing tolerated {tolerance:.2}, and at most {TOLERANCE_MAX:.2} counts: probe again without --tolerance"
            ));
        }
        if !bad.is_empty() {
            unmet.push(format!(
                "{} of {} probes {} not pass: {}",
                bad.len(),
                made.len(),
                if bad.len() == 1 { "does" } else { "do" },
                bad.join(", ")
            ));
        }
        if !absent.is_empty() {
            unmet.push(format!("not in the probing on record: {}", listed(&absent)));
        } else if made.is_empty() {
            unmet.push("the probing on record has no probe".to_owned());
        }
        let is_answered =
            |line: &ProbeLine| line.family == SENSITIVITY && line.outcome != ProbeOutcome::NotApplicable;
        if !made.is_empty() && !record.lines.iter().any(is_answered) {
            unmet.push(
                "no probe of the family sensitivity was answered, and a judge that ignores the reply passes all others"
                    .to_owned(),
            );
        }
        let have = json!({ "passed": n_good, "of": made.len() });
        let unmet = (!unmet.is_empty()).then(|| unmet.join("; "));
        self.add(Requirement::Probes, None, [have, need], unmet);
    }

    fn review(&mut self) {
        let have = self.evidence.review_path.as_deref();
        let unmet = have.is_none().then(|| {
            "no review path: set review.path in the contract, or --review-path, to where replies that need a person go"
                .to_owned()
        });
        self.add(Requirement::HumanReview, None, [json!(have), json!("defined")], unmet);
    }

    fn coverage(&mut self) {
        let Some(need) = self.contract.coverage_min else { return };
        let (have, unmet) = match &self.evidence.coverage {
            Err(why) => (Value::Null, Some(why.clone())),
            Ok(coverage) => {
                let share = coverage.n as f64 / coverage.of as f64;
                let unmet = (share < need).then(|| {
                    format!(
                        "{} of {} labelled items have a verdict ({:.1} %), {:.1} % are needed",
                        coverage.n,
                        coverage.of,
                        100.0 * share,
                        100.0 * need
                    )
                });
                (json!(share), unmet)
            }
        };
        self.add(Requirement::Coverage, None, [have, json!(need)], unmet);
    }

    /// Said only where it is not met: nearly every judge gives reasons.
    fn reasons(&mut self) {
        if let Some(why) = &self.evidence.reasons_lacking {
            self.add(Requirement::Reasons, None, [json!("none"), json!("a reason")], Some(why.clone()));
        }
    }

    fn one_model(&mut self) {
        if self.contract.answers != Answers::OneModel {
            return;
        }
        let need = json!({ "models": 1, "fingerprints": "at most 1" });
        let (have, unmet) = match &self.evidence.answers {
            Err(why) => (Value::Null, Some(why.clone())),
            Ok(seen) => {
                let several = seen.models.len() > 1 || seen.fingerprints.len() > 1;
                let names: Vec<&String> = seen.models.iter().chain(&seen.fingerprints).collect();
                let unmet = several.then(|| format!("more than one model answered: {}", listed(&names)));
                (json!({ "models": seen.models, "fingerprints": seen.fingerprints }), unmet)
            }
        };
        self.add(Requirement::OneModel, None, [have, need], unmet);
    }

    fn model_end(&mut self) {
        let Some(days_min) = self.contract.model_days_min else { return };
        let days = self.evidence.model_end.map(|end| end.days_after(self.evidence.now));
        let unmet = days.filter(|days| *days < i64::from(days_min)).zip(self.evidence.model_end);
        let unmet = unmet.map(|(days, end)| {
            format!(
                "the model ends on {end}, in {days} days, and {days_min} are needed: choose another model"
            )
        });
        let have = days.map_or_else(|| json!("no end is known"), |days| json!(days));
        self.add(Requirement::ModelEnd, None, [have, json!(days_min)], unmet);
    }

    fn expiry(&mut self) {
        let Some(ends) = self.contract.ends(self.evidence.now) else { return };
        let unmet = (ends <= self.evidence.now).then(|| format!("the contract ended on {ends}"));
        let need = format!("after {}", self.evidence.now);
        self.add(Requirement::Expiry, None, [json!(ends.to_string()), json!(need)], unmet);
    }
}

/// The names of probes and families that a probing has not made.
fn absent<'c>(names: &'c [String], record: &ProbeRecord) -> Vec<&'c str> {
    let is_made = |name: &str| record.lines.iter().any(|line| line.name == *name || line.family == *name);
    names.iter().map(String::as_str).filter(|name| !is_made(name)).collect()
}

/// Why a figure that reaches its floor shows nothing beyond chance.
fn by_chance(name: &str, figure: &MeasuredFigure) -> Option<String> {
    let low = figure.as_ref().ok()?.low;
    (low <= 0.0).then(|| format!("{name} lower bound {low:.2} is not above chance, which is 0"))
}

/// Why the lower end of a figure does not reach a floor.
fn too_low(name: &str, figure: &MeasuredFigure, n_rows: u64, floor: f64) -> Option<String> {
    match figure {
        Err(why) => Some(format!("{name} is not known: {why}")),
        Ok(figure) if figure.low >= floor => None,
        Ok(figure) => Some(format!(
            "{name} lower bound {:.2}, needs {floor:.2}; {}",
            figure.low,
            labels_needed(figure, n_rows, floor).words()
        )),
    }
}

fn more_labels(n: u64) -> String {
    if n == 1 { "1 more label".to_owned() } else { format!("{n} more labels") }
}

fn lower_end(figure: &MeasuredFigure) -> Value {
    figure.as_ref().map_or(Value::Null, |figure| json!(figure.low))
}

/// The first names of a list, and how many more there are.
fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES_MAX).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(NAMES_MAX);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}
