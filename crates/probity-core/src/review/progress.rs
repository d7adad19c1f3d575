//! How far labels have come toward what a contract asks of them.
//!
//! The checks are those of a promotion, so that what is green here is green there. Left out are requirements
//! that no label can meet: gates, probes, the path to a person, who answered, and expiry.

use serde::Serialize;
use serde_json::Value;

use crate::calibrate::Calibration;
use crate::case::Moment;
use crate::label::LabelsShow;
use crate::promote::{Check, Contract, Evidence, Requirement, decide};

/// One requirement of a contract that labels can meet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProgressLine {
    /// The requirement's name.
    pub requirement: &'static str,
    /// What it is about, such as a slice or a figure.
    pub about: Option<String>,
    /// What there is.
    pub have: Value,
    /// What is needed.
    pub need: Value,
    /// Whether it is met.
    pub met: bool,
    /// Both in words, such as `42 of 50 labels`.
    pub text: String,
}

/// What a contract asks of labels, and how far they have come. `judge` is the judge's name in the calibration.
pub fn progress(
    contract: &Contract,
    calibration: &Calibration,
    judge: &str,
    now: Moment,
) -> Vec<ProgressLine> {
    let evidence = Evidence::of(contract, calibration, judge, now);
    decide(contract, &evidence).checks.iter().filter_map(line).collect()
}

/// What labels show about the judge of this name, and how much of the contract they meet where there is one.
pub fn labels_show(calibration: &Calibration, judge: &str, contract: Option<&Contract>) -> LabelsShow {
    let figures = calibration.judges.get(judge).map(|judge| &judge.overall);
    let agreement = figures.and_then(|figures| figures.get("agreement")?.ok());
    // No requirement that labels can meet depends on the moment.
    let now = Moment::from_seconds(0).expect("1970 has years of four digits");
    let lines = contract.map(|contract| progress(contract, calibration, judge, now));
    LabelsShow {
        n_rows: figures.map_or(0, |figures| figures.n_rows),
        agreement: agreement.map(|share| [share.low, share.value, share.high]),
        requirements: lines
            .map(|lines| [lines.iter().filter(|line| line.met).count() as u64, lines.len() as u64]),
    }
}

fn line(check: &Check) -> Option<ProgressLine> {
    let about = check.about.as_deref();
    let text = match check.requirement {
        Requirement::LabelledRows | Requirement::SliceRows => {
            let of = about.map(|about| format!(" in {about}")).unwrap_or_default();
            format!("{} of {} labels{of}", check.have, check.need)
        }
        Requirement::Agreement => lower(about.unwrap_or("agreement"), check),
        Requirement::SliceAgreement => lower(&format!("{}: agreement", about.unwrap_or("")), check),
        Requirement::HumanShare => {
            format!(
                "{} of what people reach among themselves, needs {}",
                number(&check.have),
                number(&check.need)
            )
        }
        Requirement::BeatsBaseline => {
            let floor = about.unwrap_or("the floor");
            format!("lower end {}, needs more than {} of {floor}", number(&check.have), number(&check.need))
        }
        _ => return None,
    };
    Some(ProgressLine {
        requirement: check.requirement.name(),
        about: check.about.clone(),
        have: check.have.clone(),
        need: check.need.clone(),
        met: check.unmet.is_none(),
        text,
    })
}

/// A figure whose lower end must reach a floor.
fn lower(name: &str, check: &Check) -> String {
    format!("lower end of {name} {}, needs {}", number(&check.have), number(&check.need))
}

fn number(value: &Value) -> String {
    value.as_f64().map_or_else(|| "not known yet".to_owned(), |number| format!("{number:.2}"))
}
