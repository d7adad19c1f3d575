//! Results as bodies of Langfuse's `POST /api/public/scores`.
//!
//! A score belongs to the trace that the case came from; without one there is none. Its id follows from what it is
//! about, so that sending it again replaces it.

use probity_core::results::ResultRow;
use serde_json::{Value, json};

use super::{About, text_at};

/// The scores of one reply: each criterion with a level, and the outcome where it was decided.
pub(super) fn bodies(row: &ResultRow, kept: Option<&Value>, about: &About<'_>) -> Vec<Value> {
    let Some(trace) = text_at(kept, &["/trace/id", "/traceId", "/context/trace_id", "/trace_id"]) else {
        return Vec::new();
    };
    let observation = text_at(kept, &["/traceId"]).and_then(|_| text_at(kept, &["/id"]));
    let (judge, standing) = (about.judge(), about.standing());
    let body = |name: &str, value: Value, data_type: &str, said: Option<&String>| {
        let about_what =
            json!([judge, about.summary.record.rubric.hash, row.id, row.variant, trace, name]).to_string();
        let said = said.map(|said| format!(": {said}")).unwrap_or_default();
        let mut body = json!({
            "id": format!("probity-{}", &blake3::hash(about_what.as_bytes()).to_hex()[..24]),
            "traceId": trace,
            "name": format!("probity.{name}"),
            "value": value,
            "dataType": data_type,
            "comment": format!("judge {judge}, {standing}{said}"),
            "metadata": { "judge": judge, "standing": standing, "rubric": about.summary.record.rubric.hash },
        });
        if let Some(observation) = observation {
            body["observationId"] = json!(observation);
        }
        body
    };
    let scored = row.asked().filter_map(|(name, result)| {
        Some(body(name, json!(result.score?), "NUMERIC", result.reasoning.as_ref()))
    });
    let reasons = row.reasons().join("; ");
    let reasons = Some(reasons).filter(|reasons| !reasons.is_empty());
    let decided = row.outcome.passes().map(|_| row.outcome.name());
    let outcome = decided.map(|name| body("outcome", json!(name), "CATEGORICAL", reasons.as_ref()));
    scored.chain(outcome).collect()
}
