//! From the text of a rubric file to a rubric, or to everything that is wrong with it.
//!
//! The steps: syntax, then keys and types, then each criterion, then what they add up to. A step that
//! fails does not stop the ones that can still be done, so one look at the list is enough.

use super::criteria::{CriterionDraft, drafts};
use super::spec::{RubricSpec, rubric_spec};
use super::{Criterion, Rubric, hash, lint, rules, targets};
use crate::case::Moment;
use crate::spec_file::{At, Faults, Problem, toml_table};

/// A rubric with what should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RubricReading {
    /// The rubric.
    pub rubric: Rubric,
    /// What is allowed and probably not meant, by line.
    pub warnings: Vec<Problem>,
}

/// Reads the text of a rubric file. All its problems are returned, by line.
pub fn read(text: &str) -> Result<RubricReading, Vec<Problem>> {
    let mut faults = Faults::default();
    let rubric = rubric(text, &mut faults);
    let warnings = faults.settle()?;
    let rubric = rubric.expect("a file without an error has everything a rubric needs");
    Ok(RubricReading { rubric, warnings })
}

fn rubric(text: &str, faults: &mut Faults) -> Option<Rubric> {
    let table = toml_table(text, faults)?;
    let spec = rubric_spec(&table, faults);
    check_name(&spec, faults);
    let drafts = drafts(&spec, faults);
    lint_directions(&drafts, faults);
    let weights = rules::weights(&drafts, &spec.automatic_fails, faults);
    let pass = rules::pass_rule(&spec, &drafts, weights, faults);
    let targets = targets::targets(&spec, &drafts, faults);
    let gold = targets::gold_size(&spec, faults);
    check_days(&spec, faults);
    let criteria = drafts.iter().map(CriterionDraft::criterion).collect::<Option<Vec<Criterion>>>()?;
    let mut rubric = Rubric {
        name: spec.name.value()?.clone(),
        version: spec.version.value()?.clone(),
        title: spec.title.value()?.clone(),
        description: spec.description.value().cloned().unwrap_or_default(),
        criteria,
        pass,
        targets,
        gold,
        updated: spec.updated.value().cloned(),
        review_by: spec.review_by.value().cloned(),
        hash: String::new(),
        source: text.to_owned(),
    };
    rubric.hash = hash::hash(&rubric);
    Some(rubric)
}

fn check_name(spec: &RubricSpec, faults: &mut Faults) {
    let Some(At { line, value }) = spec.name.given() else { return };
    let plain =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if value.len() > 64 || !value.split('-').all(plain) {
        let message =
            format!("name {value:?} must be lower-case ASCII words joined by `-`, at most 64 characters");
        faults.error(Problem::at(*line, message).hint("such as name = \"support-gold\""));
    }
}

fn check_days(spec: &RubricSpec, faults: &mut Faults) {
    for (key, field) in [("updated", &spec.updated), ("review_by", &spec.review_by)] {
        let Some(At { line, value }) = field.given() else { continue };
        if value.len() != "2026-04-01".len() || value.parse::<Moment>().is_err() {
            let problem = Problem::at(*line, format!("`{key}` must be a day, found {value:?}"));
            faults.error(problem.hint("such as 2026-04-01"));
        }
    }
}

fn lint_directions(drafts: &[CriterionDraft<'_>], faults: &mut Faults) {
    for draft in drafts {
        if let (Some(scale), Some(anchors)) = (&draft.scale, &draft.anchors) {
            let line = draft.spec.anchors.given().map_or(draft.spec.line, |at| at.line);
            lint::direction(line, scale, anchors, faults);
        }
    }
}
