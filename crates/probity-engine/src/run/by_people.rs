//! Criteria that people decide: what the labels of the store come to for a reply.
//!
//! What always holds: people who differ decide nothing until a lead has settled it; a label that was given on
//! another text of the reply decides nothing; and without labels the criterion waits for a person.

use std::collections::{BTreeSet, HashMap};

use probity_core::case::{Entry, Variant};
use probity_core::label::LabelEntry;
use probity_core::rubric::{CriterionId, Decider, Rubric};
use probity_core::score::{Criteria, CriterionOutcome, Scored, Unscored};

use super::case_record::PacketRecord;
use crate::ledger::{Reader, StoreError};

/// What people said about the criteria of a rubric that are theirs to decide, by case.
#[derive(Debug, Default)]
pub(super) struct PeopleDecisions {
    by_case: HashMap<String, Vec<LabelEntry>>,
}

impl PeopleDecisions {
    /// Reads the labels, where the rubric leaves something to people.
    pub(super) fn of(rubric: &Rubric, reader: &Reader) -> Result<PeopleDecisions, StoreError> {
        let theirs =
            |id: &CriterionId| rubric.criterion(id).is_some_and(|each| each.decider == Decider::Person);
        let ids: BTreeSet<String> = rubric
            .criteria()
            .iter()
            .filter(|each| theirs(&each.id))
            .map(|each| each.id.to_string())
            .collect();
        let mut by_case: HashMap<String, Vec<LabelEntry>> = HashMap::new();
        if ids.is_empty() {
            return Ok(PeopleDecisions { by_case });
        }
        for stored in reader.labels()? {
            let label = stored.label;
            let is_of_rubric = label.rubric.as_ref().is_none_or(|name| name == rubric.name());
            let is_theirs = label.criterion.as_ref().is_some_and(|id| ids.contains(id));
            if is_of_rubric && is_theirs && label.label.is_some() {
                by_case.entry(label.item.clone()).or_default().push(label);
            }
        }
        Ok(PeopleDecisions { by_case })
    }

    /// Fills in what people decided about a reply.
    pub(super) fn decide(&self, entry: &Entry, packets: &[PacketRecord], criteria: &mut Criteria) {
        let Some(labels) = self.by_case.get(entry.case.id.as_str()) else { return };
        let hashes: BTreeSet<String> = packets.iter().map(|packet| packet.hash.to_string()).collect();
        let variant = entry.reply.variant.as_ref().map(Variant::as_str);
        let is_about = |label: &&LabelEntry| {
            label.facts.variant.as_deref() == variant
                && label.packet.as_ref().is_none_or(|packet| hashes.contains(packet))
        };
        for (id, outcome) in criteria.iter_mut() {
            let about = labels
                .iter()
                .filter(is_about)
                .filter(|label| label.criterion.as_deref() == Some(id.as_str()));
            if let Some(decided) = decided(&about.collect::<Vec<_>>()) {
                *outcome = decided;
            }
        }
    }
}

/// What labels of one criterion come to: what was settled, else what all say. `None` without any.
fn decided(labels: &[&LabelEntry]) -> Option<CriterionOutcome> {
    let settled: Vec<&&LabelEntry> = labels.iter().filter(|label| label.adjudicated == Some(true)).collect();
    let counted: Vec<&LabelEntry> =
        if settled.is_empty() { labels.to_vec() } else { settled.into_iter().copied().collect() };
    let levels: BTreeSet<i64> =
        counted.iter().filter_map(|label| label.label.as_ref()?.parse().ok()).collect();
    let names: BTreeSet<&str> = counted.iter().filter_map(|label| label.annotator.as_deref()).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let mut levels = levels.into_iter();
    match (levels.next(), levels.next()) {
        (None, _) => None,
        (Some(level), None) => Some(CriterionOutcome::Scored(Scored {
            level,
            reasoning: format!("decided by {names}"),
            violations: Vec::new(),
            repairs: Vec::new(),
            suspicions: Vec::new(),
        })),
        (Some(_), Some(_)) => Some(CriterionOutcome::Unscored(Unscored {
            cause: "awaiting_person".to_owned(),
            detail: format!("{names} differ; settle it in `probity review`"),
            attempts: 0,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What labels come to, each given as annotator, level and whether it settles.
    #[track_caller]
    fn check(labels: &[(&str, Option<&str>, bool)], want: &str) {
        let label = |(annotator, level, settles): &(&str, Option<&str>, bool)| {
            let text = serde_json::json!({
                "item": "c-1", "criterion": "tone", "annotator": annotator, "label": level, "adjudicated": settles,
            });
            let json = probity_core::json::parse(&text.to_string()).unwrap();
            LabelEntry::read(json.as_object().unwrap()).unwrap()
        };
        let labels: Vec<LabelEntry> = labels.iter().map(label).collect();
        let got = match decided(&labels.iter().collect::<Vec<_>>()) {
            None => "open".to_owned(),
            Some(CriterionOutcome::Scored(scored)) => format!("{} {}", scored.level, scored.reasoning),
            Some(CriterionOutcome::Unscored(unscored)) => unscored.detail,
        };
        assert_eq!(got, want);
    }

    #[test]
    fn people_decide_where_they_agree_and_a_lead_where_they_do_not() {
        check(&[], "open");
        check(&[("ann", None, false)], "open");
        check(&[("ann", Some("3"), false)], "3 decided by ann");
        check(&[("ann", Some("3"), false), ("bob", Some("3"), false)], "3 decided by ann, bob");
        let differ = [("ann", Some("3"), false), ("bob", Some("1"), false)];
        check(&differ, "ann, bob differ; settle it in `probity review`");
        check(&[&differ[..], &[("lea", Some("2"), true)]].concat(), "2 decided by lea");
    }
}
