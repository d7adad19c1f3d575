//! Draws and estimates as JSON. A figure that does not exist has no value and a reason.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::allocation::Spread;
use super::draw::{Chosen, Drawn, DrawnStratum};
use super::production::{LabelWork, Production};
use crate::case::{ContextText, Entry, EvidenceSource, Situation, ToolCall};
use crate::stats::corrected::Corrected;
use crate::stats::{Estimate, FigureRecord};

/// A draw without its tickets, as `sample --json` writes it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DrawRecord {
    name: String,
    seed: u64,
    size: u64,
    /// `proportional`, `equal` or `minimum`.
    by: String,
    /// The fewest of each slice, where that was asked for.
    minimum: Option<u64>,
    /// `represent` or `keep`.
    duplicates: String,
    /// Replies in the export.
    replies: u64,
    drawn_earlier: u64,
    near_duplicates: u64,
    /// Distinct tickets: what is drawn from.
    population: u64,
    drawn: usize,
    slices: usize,
    strata: Vec<StratumRecord>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct StratumRecord {
    stratum: String,
    replies: u64,
    population: u64,
    drawn: u64,
    inclusion_probability: f64,
    /// How many tickets each drawn one stands for.
    weight: f64,
}

/// What a sample says about production, as `sample estimate --json` writes it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProductionRecord {
    #[serde(flatten)]
    overall: CorrectedRecord,
    by_slice: BTreeMap<String, CorrectedRecord>,
    plan: PlanRecord,
    population: u64,
    drawn: u64,
    judged: u64,
    labelled: u64,
    labelled_without_verdict: u64,
    strata_without_verdict: Vec<String>,
}

/// The share that passes, by several ways to tell.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct CorrectedRecord {
    /// As the judge says.
    uncorrected: Option<Estimate>,
    /// As people say.
    people: Option<Estimate>,
    sensitivity: FigureRecord,
    specificity: FigureRecord,
    rogan_gladen: FigureRecord,
    prediction_powered: FigureRecord,
}

/// The labels that make the corrected share as sure as wanted, or why that cannot be told.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct PlanRecord {
    labels: Option<Vec<LabelWork>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Drawn {
    /// The draw, without the tickets.
    pub fn record(&self) -> DrawRecord {
        let Drawn { design, counts, .. } = self;
        let stratum = |stratum: &DrawnStratum| StratumRecord {
            stratum: stratum.name.clone(),
            replies: stratum.n_replies,
            population: stratum.population,
            drawn: stratum.drawn,
            inclusion_probability: stratum.probability(),
            weight: stratum.weight(),
        };
        DrawRecord {
            name: design.name.clone(),
            seed: design.seed,
            size: design.size,
            by: design.spread.name().to_owned(),
            minimum: if let Spread::Minimum(n) = design.spread { Some(n) } else { None },
            duplicates: design.duplicates.name().to_owned(),
            replies: counts.n_replies,
            drawn_earlier: counts.n_earlier,
            near_duplicates: counts.n_near,
            population: counts.n_population,
            drawn: self.chosen.len(),
            slices: self.n_slices,
            strata: self.strata.iter().map(stratum).collect(),
        }
    }

    /// A drawn ticket as a record of a case file in native names, on one line, with what it stands for under
    /// `sample`.
    pub fn row(&self, entry: &Entry, chosen: Chosen) -> String {
        let stratum = &self.strata[chosen.stratum];
        let mut row = record(entry);
        row.insert(
            "sample".into(),
            json!({
                "inclusion_probability": stratum.probability(),
                "weight": stratum.weight(),
                "stratum": stratum.name,
                "population": stratum.population,
                "drawn": stratum.drawn,
                "near_identical": chosen.n_near,
                "seed": self.design.seed,
                "week": self.design.name,
            }),
        );
        let mut line = Value::Object(row).to_string();
        if let Some(metadata) = &entry.case.metadata {
            line.pop();
            line += &format!(",\"metadata\":{}}}", on_one_line(metadata));
        }
        line
    }
}

/// JSON text as it is, unless it stands on several lines. A line end in valid JSON is only ever space.
fn on_one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ").into() } else { json.into() }
}

/// The fields of a case and its reply that are there, but for metadata. Reading them gives the same again.
fn record(entry: &Entry) -> Map<String, Value> {
    let (case, reply) = (&entry.case, &entry.reply);
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
        ("reply", Some(json!(*reply.text))),
        ("variant", reply.variant.as_ref().map(|variant| json!(variant.as_str()))),
        ("reference", case.reference.as_ref().map(|text| json!(text))),
        ("confidence", reply.confidence.map(|confidence| json!(confidence.value()))),
        ("evidence", filled(&evidence.sources, source)),
        ("context", filled(&evidence.context, context)),
        ("tools", filled(&evidence.tools, tool)),
        ("admissible", case.inadmissible.as_ref().map(|_| json!(false))),
        ("admissible_reason", case.inadmissible.as_ref().map(|reason| json!(reason))),
        ("known_pii", (!case.known_pii.is_empty()).then(|| json!(case.known_pii))),
        ("time", circumstances.time.map(|time| json!(time.to_string()))),
        ("audience", circumstances.audience.as_ref().map(|text| json!(text))),
        ("region", circumstances.region.as_ref().map(|text| json!(text))),
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
    pub fn record(&self) -> ProductionRecord {
        let slices = self.by_slice.iter();
        ProductionRecord {
            overall: corrected(&self.overall),
            by_slice: slices.map(|(name, found)| (name.clone(), corrected(found))).collect(),
            plan: PlanRecord {
                labels: self.work.clone().ok(),
                reason: self.work.as_ref().err().map(ToString::to_string),
            },
            population: self.population,
            drawn: self.n_drawn,
            judged: self.n_judged,
            labelled: self.n_labelled,
            labelled_without_verdict: self.n_labelled_only,
            strata_without_verdict: self.unseen.clone(),
        }
    }
}

fn corrected(found: &Corrected) -> CorrectedRecord {
    CorrectedRecord {
        uncorrected: found.uncorrected,
        people: found.people,
        sensitivity: FigureRecord::of(found.errors.map(|errors| errors.sensitivity), 0),
        specificity: FigureRecord::of(found.errors.map(|errors| errors.specificity), 0),
        rogan_gladen: FigureRecord::of(found.rogan_gladen, 0),
        prediction_powered: FigureRecord::of(found.prediction_powered, 0),
    }
}
