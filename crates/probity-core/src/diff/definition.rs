//! What a run was made of, and where two runs differ in it.

use std::collections::BTreeSet;

use crate::json::{Json, Object};
use crate::promote::Standing;

/// What a run was made of, as its results say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunDefinition {
    /// The rubric's name.
    pub rubric: String,
    /// The rubric's version, as its author writes it.
    pub rubric_version: String,
    /// The rubric's hash.
    pub rubric_hash: String,
    /// The judge's identity.
    pub judge_id: String,
    /// The judge's kind.
    pub judge_kind: String,
    /// The model that was asked; empty where there is none.
    pub judge_model: String,
    /// What the judge has earned. Results say it too, and what they say is not read: the store knows.
    pub standing: Standing,
    /// The models that answered.
    pub answered_as: Vec<String>,
    /// Everything else by name: cases, template, gate, settings. Empty in results that do not tell.
    pub parts: Vec<(String, String)>,
}

/// A part in which two runs differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionChange {
    /// Its name.
    pub part: String,
    /// What it was; `None` where that run's results do not have it.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

impl RunDefinition {
    pub(super) fn read(summary: &Object) -> Result<RunDefinition, String> {
        let text = |group: &str, name: &str| {
            let value = summary.get(group).and_then(|group| group.get(name)).and_then(Json::as_str);
            value.map(str::to_owned).ok_or_else(|| format!("`{group}.{name}` is missing"))
        };
        let members = |value: Option<&Json>| -> Vec<(String, String)> {
            let members = value.and_then(Json::as_object).into_iter().flat_map(Object::iter);
            members.map(|(name, value)| (name.to_owned(), shown(value))).collect()
        };
        let answered = members(summary.get("judge").and_then(|judge| judge.get("answered_as")));
        let optional = |name: &str| text("judge", name).unwrap_or_default();
        Ok(RunDefinition {
            rubric: text("rubric", "name")?,
            rubric_version: text("rubric", "version")?,
            rubric_hash: text("rubric", "hash")?,
            judge_id: text("judge", "id")?,
            judge_kind: optional("kind"),
            judge_model: optional("model"),
            standing: Standing::advisory("results from a file have no standing of their own"),
            answered_as: answered.into_iter().map(|(name, _)| name).collect(),
            parts: members(summary.get("definition")),
        })
    }

    /// The judge as people call it.
    pub fn judge(&self) -> String {
        let name = format!("{} {}", self.judge_kind, self.judge_model);
        if name.trim().is_empty() { self.judge_id.clone() } else { name.trim().to_owned() }
    }

    /// The parts in which `after` differs from this one.
    pub(super) fn changes(&self, after: &RunDefinition) -> Vec<DefinitionChange> {
        let (one, other) = (self.named(), after.named());
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
        let mut changes: Vec<DefinitionChange> =
            changes.filter(|change| change.before != change.after).collect();
        changes.extend(self.answers_as_another(after).map(|[before, after]| DefinitionChange {
            part: "judge.answered_as".to_owned(),
            before: Some(before),
            after: Some(after),
        }));
        changes
    }

    /// The models that answered in each run, where they differ. A run that found every verdict on record was
    /// answered by nobody and says nothing about that.
    pub(super) fn answers_as_another(&self, after: &RunDefinition) -> Option<[String; 2]> {
        let (one, other) = (&self.answered_as, &after.answered_as);
        let differ = !one.is_empty() && !other.is_empty() && one != other;
        differ.then(|| [one.join(", "), other.join(", ")])
    }

    fn named(&self) -> Vec<(String, String)> {
        let fixed = [
            ("rubric.name", self.rubric.as_str()),
            ("rubric.version", &self.rubric_version),
            ("rubric.hash", &self.rubric_hash),
            ("judge.id", &self.judge_id),
            ("judge.kind", &self.judge_kind),
            ("judge.model", &self.judge_model),
            ("judge.standing", self.standing.name()),
        ];
        let mut named: Vec<_> = fixed.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let told = self.parts.iter().filter(|(name, _)| !fixed.iter().any(|(fixed, _)| fixed == name));
        named.extend(told.cloned());
        // Only later rounds are told by their number.
        if !self.parts.is_empty() && !self.parts.iter().any(|(name, _)| name == "round") {
            named.push(("round".to_owned(), "1".to_owned()));
        }
        named
    }
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.canonical(), str::to_owned)
}
