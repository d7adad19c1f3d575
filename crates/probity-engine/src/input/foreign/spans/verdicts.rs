//! What is said about spans elsewhere: results of evaluations in logs, and Phoenix's annotations.

use std::io;

use probity_core::json::{Json, Object};

use super::super::beside::{Beside, ForeignLabel, ForeignScore, ForeignVerdict};
use super::super::case::FileContext;
use super::super::path::{at, list_at, text_at};
use super::super::{Form, Pieced, Read, has};
use super::attributes::Attributes;
use super::side::Event;

const RESULT: &str = "gen_ai.evaluation.result";

/// Log records; only results of evaluations are read. Others repeat what spans say.
pub(in super::super) const LOGS: Form = Form {
    tool: "otel",
    is: |record| ["resourceLogs", "scopeLogs"].iter().any(|name| record.get(name).is_some()),
    read: |_, _| Read::Beside("log records"),
    pieces: Some(log_pieces),
};

/// An annotation of Phoenix.
pub(in super::super) const ANNOTATION: Form = Form {
    tool: "phoenix",
    is: |record: &Object| has(record, &["annotator_kind", "span_id"]),
    read: |_, _| Read::Beside("annotations"),
    pieces: Some(|record, found| match text_at(record, &["span_id"]) {
        Some(span) => found.add(&format!("annotation:{span}"), record),
        None => Ok(()),
    }),
};

fn log_pieces(record: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    let batches = at(record, "resourceLogs")
        .and_then(Json::as_array)
        .map_or_else(|| vec![record], |all| all.iter().collect());
    let scopes = batches.into_iter().flat_map(|batch| list_at(batch, "scopeLogs"));
    for log in scopes.flat_map(|scope| list_at(scope, "logRecords")) {
        let mut attributes = Attributes::default();
        at(log, "attributes").inspect(|list| attributes.add(list));
        let name = text_at(log, &["eventName", "event_name"]).or_else(|| attributes.text("event.name"));
        if name.as_deref() != Some(RESULT) {
            continue;
        }
        let of = text_at(log, &["spanId", "span_id"]).or_else(|| attributes.text("gen_ai.response.id"));
        if let Some(of) = of {
            found.add(&format!("evaluation:{of}"), &attributes.object())?;
        }
    }
    Ok(())
}

/// Adds what other files say about a span, by its id or by that of its answer.
pub(super) fn add(beside: &mut Beside, span: &str, response: Option<&str>, context: &FileContext<'_>) {
    for annotation in context.pieces.of(&format!("annotation:{span}")) {
        annotated(beside, &annotation);
    }
    for id in [Some(span), response].into_iter().flatten() {
        let results = context.pieces.of(&format!("evaluation:{id}"));
        beside.verdicts.extend(results.iter().map(evaluation));
    }
}

/// Adds the results that stand in events of the span itself.
pub(super) fn add_events(beside: &mut Beside, events: &[Event]) {
    let results = events.iter().filter(|event| event.name == RESULT);
    beside.verdicts.extend(results.map(|event| evaluation(&event.attributes.object())));
}

fn scored(score: Option<Json>, label: Option<String>, error: Option<String>) -> ForeignScore {
    if score.is_none() && label.is_none() {
        return ForeignScore::Unscored { error };
    }
    ForeignScore::Scored { score, label, passed: None }
}

fn evaluation(result: &Json) -> ForeignVerdict {
    let text = |name: &str| text_at(result, &[name]);
    let score = at(result, "gen_ai.evaluation.score.value").cloned();
    let said = scored(score, text("gen_ai.evaluation.score.label"), text("error.type"));
    let name = text("gen_ai.evaluation.name").unwrap_or_default();
    ForeignVerdict {
        reason: text("gen_ai.evaluation.explanation"),
        ..ForeignVerdict::new(format!("otel:{name}"), said)
    }
}

fn annotated(beside: &mut Beside, annotation: &Json) {
    let text = |path: &str| text_at(annotation, &[path]);
    let name = text("name").unwrap_or_default();
    let score = at(annotation, "result.score").cloned();
    let kind = text("annotator_kind").unwrap_or_default();
    if kind != "HUMAN" {
        beside.verdicts.push(ForeignVerdict {
            reason: text("result.explanation"),
            ..ForeignVerdict::new(format!("phoenix:{kind}:{name}"), scored(score, text("result.label"), None))
        });
    } else if let Some(label) = text("result.label").map(Json::String).or(score) {
        beside.labels.push(ForeignLabel {
            criterion: Some(name),
            annotator: text("identifier").or_else(|| text("user_id")),
            label,
            comment: text("result.explanation"),
            at: text("updated_at").or_else(|| text("created_at")),
        });
    }
}
