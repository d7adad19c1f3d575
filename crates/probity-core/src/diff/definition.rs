//! In what two runs were made of something else.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::results::RunResults;

/// A part in which two runs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DefinitionChange {
    /// Its name.
    pub part: String,
    /// What it was; null where that run's results do not have it.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

/// The parts in which `after` differs from `before`.
pub(super) fn changes(before: &RunResults, after: &RunResults) -> Vec<DefinitionChange> {
    let (one, other) = (named(before), named(after));
    let known: BTreeSet<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
    let names = one.iter().chain(other.iter().filter(|(name, _)| !known.contains(name.as_str())));
    let value = |parts: &[(String, String)], name: &str| {
        parts.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let changes = names.map(|(name, _)| DefinitionChange {
        part: name.clone(),
        before: value(&one, name),
        after: value(&other, name),
    });
    let mut changes: Vec<DefinitionChange> = changes.filter(|change| change.before != change.after).collect();
    changes.extend(answers_as_another(before, after).map(|[before, after]| DefinitionChange {
        part: "judge.answered_as".to_owned(),
        before: Some(before),
        after: Some(after),
    }));
    changes
}

/// The models that answered in each run, where they differ. A run that found every verdict on record asked for no
/// answer and says nothing about that.
pub(super) fn answers_as_another(before: &RunResults, after: &RunResults) -> Option<[String; 2]> {
    let models = [before, after].map(|run| run.summary.facts.judge.answered_as.names().collect::<Vec<_>>());
    let differ = models.iter().all(|names| !names.is_empty()) && models[0] != models[1];
    differ.then(|| models.map(|names| names.join(", ")))
}

fn named(run: &RunResults) -> Vec<(String, String)> {
    let (rubric, judge) = (&run.summary.rubric, &run.summary.facts.judge);
    let fixed = [
        ("rubric.name", rubric.name.as_str()),
        ("rubric.version", &rubric.version),
        ("rubric.hash", &rubric.hash),
        ("judge.id", &judge.id),
        ("judge.kind", &judge.kind),
        ("judge.model", &judge.model),
        ("judge.standing", run.standing.name()),
    ];
    let mut named: Vec<_> = fixed.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let parts = &run.summary.facts.definition;
    named.extend(parts.0.iter().filter(|(name, _)| !fixed.iter().any(|(fixed, _)| fixed == name)).cloned());
    // Only later rounds are told by their number.
    if !parts.0.is_empty() && parts.get("round").is_none() {
        named.push(("round".to_owned(), "1".to_owned()));
    }
    named
}
