//! Draws and estimates as JSON. A figure that does not exist has no value and a reason.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::allocation::Spread;
use super::draw::{Chosen, Drawn, DrawnStratum};
use super::production::{LabelWork, Production};
use crate::case::{Case, ContextText, Entry, EvidenceSource, Reply, Situation, ToolCall};
use crate::stats::Estimate;
use crate::stats::corrected::{Corrected, NotCorrected};

impl Drawn {
    /// The summary of the draw, without the tickets.
    pub fn to_json(&self) -> Value {
        let design = &self.design;
        let minimum = match design.spread {
            Spread::Minimum(n) => Some(n),
            Spread::Proportional | Spread::Equal | Spread::Lacking(_) => None,
        };
        let stratum = |stratum: &DrawnStratum| {
            json!({
                "stratum": stratum.name,
                "replies": stratum.n_replies,
                "population": stratum.population,
                "drawn": stratum.drawn,
                "inclusion_probability": stratum.probability(),
                "weight": stratum.weight(),
            })
        };
        json!({
            "name": design.name,
            "seed": design.seed,
            "size": design.size,
            "by": design.spread.name(),
            "minimum": minimum,
            "duplicates": design.duplicates.name(),
            "replies": self.counts.n_replies,
            "drawn_earlier": self.counts.n_earlier,
            "near_duplicates": self.counts.n_near,
            "population": self.counts.n_population,
            "drawn": self.chosen.len(),
            "slices": self.n_slices,
            "strata": self.strata.iter().map(stratum).collect::<Vec<_>>(),
        })
    }

    /// A drawn ticket as a record of a case file in native names, on one line, with what it stands for under
    /// `sample`.
    pub fn row(&self, entry: &Entry, chosen: Chosen) -> String {
        let stratum = &self.strata[chosen.stratum];
        let sample = json!({
            "inclusion_probability": stratum.probability(),
            "weight": stratum.weight(),
            "stratum": stratum.name,
            "population": stratum.population,
            "drawn": stratum.drawn,
            "near_identical": chosen.n_near,
            "seed": self.design.seed,
            "week": self.design.name,
        });
        case_line(&entry.case, Some(&entry.reply), Some(("sample", sample)))
    }
}

/// A case and its reply, where it has one, as a record of a case file in native names, on one line. Reading it gives the
/// same again. `more` is a further member.
pub fn case_line(case: &Case, reply: Option<&Reply>, more: Option<(&str, Value)>) -> String {
    let mut row = record(case, reply);
    row.extend(more.map(|(name, value)| (name.to_owned(), value)));
    let mut line = Value::Object(row).to_string();
    if let Some(metadata) = &case.metadata {
        line.pop();
        line += &format!(",\"metadata\":{}}}", on_one_line(metadata));
    }
    line
}

/// JSON text as it is, unless it stands on several lines. A line end in valid JSON is only ever space.
fn on_one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ").into() } else { json.into() }
}

/// The fields of a case and its reply that are there, but for metadata.
fn record(case: &Case, reply: Option<&Reply>) -> Map<String, Value> {
    let situation = match &case.situation {
        Situation::Ticket(text) => ("ticket", json!(**text)),
        Situation::Conversation(turns) => {
            let turn = |turn: &crate::case::Turn| json!({ "role": turn.role.name(), "text": *turn.text });
            ("turns", turns.iter().map(turn).collect())
        }
    };
    let (circumstances, evidence) = (&case.circumstances, &case.evidence);
    let fields = [
        ("id", Some(json!(case.id.as_str()))),
        ("slice", case.slice.as_ref().map(|slice| json!(slice.as_str()))),
        (situation.0, Some(situation.1)),
        ("reply", reply.map(|reply| json!(*reply.text))),
        ("variant", reply.and_then(|reply| Some(json!(reply.variant.as_ref()?.as_str())))),
        ("reference", case.reference.as_ref().map(|text| json!(text))),
        ("confidence", reply.and_then(|reply| Some(json!(reply.confidence?.value())))),
        ("evidence", filled(&evidence.sources, source)),
        ("context", filled(&evidence.context, context)),
        ("tools", filled(&evidence.tools, tool)),
        ("admissible", case.inadmissible.as_ref().map(|_| json!(false))),
        ("admissible_reason", case.inadmissible.as_ref().map(|reason| json!(reason))),
        ("known_pii", (!case.known_pii.is_empty()).then(|| json!(case.known_pii))),
        ("time", circumstances.time.map(|time| json!(time.to_string()))),
        ("audience", circumstances.audience.as_ref().map(|text| json!(text))),
        ("region", circumstances.region.as_ref().map(|text| json!(text))),
        ("language", circumstances.language.as_ref().map(|text| json!(text))),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn filled<T>(items: &[T], written: fn(&T) -> Value) -> Option<Value> {
    (!items.is_empty()).then(|| items.iter().map(written).collect())
}

/// An object of the members that are there.
fn object<const N: usize>(members: [(&str, Option<&String>); N]) -> Value {
    members
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), json!(text?))))
        .collect::<Map<_, _>>()
        .into()
}

fn source(source: &EvidenceSource) -> Value {
    object([
        ("source", Some(&source.id)),
        ("version", source.version.as_ref()),
        ("text", source.text.as_ref()),
    ])
}

fn context(each: &ContextText) -> Value {
    object([("text", Some(&each.text)), ("source", each.source.as_ref())])
}

fn tool(call: &ToolCall) -> Value {
    object([
        ("name", Some(&call.name)),
        ("arguments", call.arguments.as_ref()),
        ("result", call.result.as_ref()),
    ])
}

impl Production {
    /// The figures, over all and by slice, and the work that is left.
    pub fn to_json(&self) -> Value {
        let mut top = figures(&self.overall);
        let slices = self.by_slice.iter().map(|(name, found)| (name.clone(), figures(found).into()));
        top.insert("by_slice".into(), Value::Object(slices.collect()));
        top.insert("plan".into(), work(&self.work));
        for (name, n) in [
            ("population", self.population),
            ("drawn", self.n_drawn),
            ("judged", self.n_judged),
            ("labelled", self.n_labelled),
            ("labelled_without_verdict", self.n_labelled_only),
        ] {
            top.insert(name.into(), n.into());
        }
        top.insert("strata_without_verdict".into(), json!(self.unseen));
        Value::Object(top)
    }
}

fn figures(found: &Corrected) -> Map<String, Value> {
    let rates = [
        ("sensitivity", found.errors.map(|errors| errors.sensitivity)),
        ("specificity", found.errors.map(|errors| errors.specificity)),
        ("rogan_gladen", found.rogan_gladen),
        ("prediction_powered", found.prediction_powered),
    ];
    let mut map = Map::new();
    map.insert("uncorrected".into(), json!(found.uncorrected));
    map.insert("people".into(), json!(found.people));
    map.extend(rates.map(|(name, figure)| (name.to_owned(), figure_json(figure))));
    map
}

fn figure_json(figure: Result<Estimate, NotCorrected>) -> Value {
    match figure {
        Ok(estimate) => json!(estimate),
        Err(reason) => json!({ "value": null, "reason": reason.to_string() }),
    }
}

fn work(work: &Result<Vec<LabelWork>, NotCorrected>) -> Value {
    match work {
        Err(reason) => json!({ "labels": null, "reason": reason.to_string() }),
        Ok(labels) => json!({ "labels": labels }),
    }
}
