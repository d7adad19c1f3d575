//! What people said about replies, for pages that show it beside what a judge said.

use std::collections::{BTreeMap, HashMap};

use probity_core::label::LabelEntry;
use probity_core::results::ResultRow;
use probity_core::rubric::Rubric;
use serde_json::{Value, json};

/// What one person said about one criterion of a reply.
#[derive(Debug, Clone)]
pub(crate) struct Vote {
    /// The criterion.
    pub(crate) criterion: String,
    /// The level.
    pub(crate) level: i64,
    /// The person.
    pub(crate) name: String,
    /// What stands for the name where there is little room.
    pub(crate) initial: String,
    /// The colour of the person, which is theirs on the whole page.
    pub(crate) hue: usize,
    /// Whether it settles what others said.
    pub(crate) settles: bool,
}

/// How many colours there are for people.
const HUES: usize = 4;

/// The labels of a rubric's criteria, by case.
#[derive(Debug, Default)]
pub(crate) struct Votes {
    by_case: HashMap<String, Vec<LabelEntry>>,
    initials: BTreeMap<String, String>,
}

impl Votes {
    /// Those of `labels` that are about `rubric`.
    pub(crate) fn new(labels: impl IntoIterator<Item = LabelEntry>, rubric: &Rubric) -> Votes {
        let mut by_case: HashMap<String, Vec<LabelEntry>> = HashMap::new();
        let mut initials = BTreeMap::new();
        for label in labels {
            let is_of_rubric = label.rubric.as_ref().is_none_or(|name| name == rubric.name());
            if is_of_rubric && label.label.is_some() && label.criterion.is_some() {
                initials.insert(label.annotator.clone().unwrap_or_default(), String::new());
                by_case.entry(label.item.clone()).or_default().push(label);
            }
        }
        let names: Vec<String> = initials.keys().cloned().collect();
        for (name, initial) in &mut initials {
            let first = |name: &String, n: usize| name.chars().take(n).collect::<String>().to_uppercase();
            let is_shared = names.iter().filter(|other| first(other, 1) == first(name, 1)).count() > 1;
            *initial = first(name, if is_shared { 2 } else { 1 });
        }
        Votes { by_case, initials }
    }

    /// What people said about exactly this reply.
    pub(crate) fn of(&self, row: &ResultRow) -> Vec<Vote> {
        let hashes: Vec<String> = row.packets.iter().map(ToString::to_string).collect();
        let is_about = |label: &&LabelEntry| {
            label.facts.variant == row.variant
                && label.packet.as_ref().is_none_or(|packet| hashes.is_empty() || hashes.contains(packet))
        };
        let vote = |label: &LabelEntry| {
            let name = label.annotator.clone().unwrap_or_default();
            Some(Vote {
                criterion: label.criterion.clone()?,
                level: label.label.as_ref()?.parse().ok()?,
                initial: self.initials.get(&name).cloned().unwrap_or_default(),
                hue: self.initials.range(..name.clone()).count() % HUES,
                name,
                settles: label.adjudicated == Some(true),
            })
        };
        self.by_case.get(&row.id).into_iter().flatten().filter(is_about).filter_map(vote).collect()
    }
}

/// How a reply stands to its labels, as the list filters it: nothing without labels.
pub(super) fn standing(row: &ResultRow, votes: &[Vote]) -> Vec<String> {
    if votes.is_empty() {
        return Vec::new();
    }
    let differs = row.criteria.iter().any(|(id, result)| {
        let level = result.as_ref().and_then(|result| result.score);
        level.is_some_and(|level| votes.iter().any(|vote| vote.criterion == id && vote.level != level))
    });
    vec!["labelled".to_owned(), if differs { "differs" } else { "agrees" }.to_owned()]
}

/// Everybody who said something, each once.
pub(super) fn named(votes: &[Vote]) -> Vec<Value> {
    let people: BTreeMap<&str, &Vote> = votes.iter().map(|vote| (&*vote.name, vote)).collect();
    let people = people.into_values();
    people.map(|vote| json!({ "name": vote.name, "initial": vote.initial, "hue": vote.hue })).collect()
}
