//! From the text of a rubric file to a rubric, or to everything that is wrong with it.
//!
//! The steps: syntax, then keys and types, then each criterion, then what they add up to. A step that
//! fails does not stop the ones that can still be done, so one look at the list is enough.

use super::criteria::{CriterionDraft, drafts};
use super::spec::{SHAPES, TOP, criterion_specs, scale_spec};
use super::{Criterion, Rubric, hash, lint, rules, targets};
use crate::case::Moment;
use crate::spec_file::{At, Faults, Field, Fields, Problem, toml_table};

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
    let top = Fields::top(&TOP, &table, 1);
    top.refuse_unknown_keys(&SHAPES, faults);
    let [name, version, title] = ["name", "version", "title"].map(|key| top.required_text(key, faults));
    let description = top.text("description", faults);
    let [updated, review_by] = ["updated", "review_by"].map(|key| day(&top, key, faults));
    check_name(&name, faults);
    let specs = criterion_specs(&top, faults);
    let drafts = drafts(&specs, &scale_spec(&top, faults), faults);
    lint_directions(&drafts, faults);
    let fails = rules::automatic_fail_specs(&top, faults);
    let weights = rules::weights(&drafts, &fails, faults);
    let pass = rules::pass_rule(&top, &fails, &drafts, weights, faults);
    let targets = targets::targets(&top, &drafts, faults);
    let gold = targets::gold_size(&top, faults);
    let criteria = drafts.iter().map(CriterionDraft::criterion).collect::<Option<Vec<Criterion>>>()?;
    let mut rubric = Rubric {
        name: name.value()?.clone(),
        version: version.value()?.clone(),
        title: title.value()?.clone(),
        description: description.value().cloned().unwrap_or_default(),
        criteria,
        pass,
        targets,
        gold,
        updated,
        review_by,
        hash: String::new(),
        source: text.to_owned(),
    };
    rubric.hash = hash::hash(&rubric);
    Some(rubric)
}

fn check_name(name: &Field<String>, faults: &mut Faults) {
    let Some(At { line, value }) = name.given() else { return };
    let plain =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if value.len() > 64 || !value.split('-').all(plain) {
        let message =
            format!("name {value:?} must be lower-case ASCII words joined by `-`, at most 64 characters");
        faults.error(Problem::at(*line, message).hint("such as name = \"support-gold\""));
    }
}

/// A day, as it is written.
fn day(top: &Fields<'_>, key: &str, faults: &mut Faults) -> Option<String> {
    let At { line, value } = top.date(key, faults).given()?.clone();
    if value.len() != "2026-04-01".len() || value.parse::<Moment>().is_err() {
        let problem = Problem::at(line, format!("`{key}` must be a day, found {value:?}"));
        faults.error(problem.hint("such as 2026-04-01"));
    }
    Some(value)
}

fn lint_directions(drafts: &[CriterionDraft<'_>], faults: &mut Faults) {
    for draft in drafts {
        if let (Some(scale), Some(anchors)) = (&draft.scale, &draft.anchors) {
            let line = draft.spec.anchors.given().map_or(draft.spec.line, |at| at.line);
            lint::direction(line, scale, anchors, faults);
        }
    }
}
