//! Results as `gen_ai.evaluation.result` events of the conventions for `GenAI` of `OpenTelemetry`, in OTLP/JSON.
//!
//! An event is parented to the span that made the reply where the case came from one: its id is then the trace and the
//! span. What is unscored has `error.type` and no value. Figures over the run are events without a parent, with their
//! interval.

use std::io::{self, Write};

use probity_core::results::{CriterionResult, ResultRow, RowOutcome};
use probity_core::stats::Estimate;
use serde_json::{Value, json};

use super::{About, Judged, text_at};

/// The name of the event.
const EVENT: &str = "gen_ai.evaluation.result";

/// Severity `INFO`.
const INFO: u8 = 9;

/// Writes one export of log records, one to a line.
pub(super) fn write(
    rows: impl Iterator<Item = io::Result<Judged>>,
    about: &About<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let resource = json!({ "attributes": [attribute("service.name", &json!("probity"))] });
    let scope = json!({ "name": "probity", "version": env!("CARGO_PKG_VERSION") });
    write!(
        out,
        "{{\"resourceLogs\":[{{\"resource\":{resource},\"scopeLogs\":[{{\"scope\":{scope},\"logRecords\":["
    )?;
    let mut is_first = true;
    let mut put = |record: Value, out: &mut dyn Write| {
        let comma = if std::mem::take(&mut is_first) { "\n" } else { ",\n" };
        write!(out, "{comma}{record}")
    };
    for figure in figures(about) {
        put(figure, out)?;
    }
    for row in rows {
        let (row, kept) = row?;
        for record in events(&row, kept.as_ref(), about) {
            put(record, out)?;
        }
    }
    out.write_all(b"\n]}]}]}\n")
}

/// The events about one reply: its outcome, and each criterion that was asked about.
fn events(row: &ResultRow, kept: Option<&Value>, about: &About<'_>) -> Vec<Value> {
    let outcome = row.outcome.name();
    let reasons = row.reasons().join("; ");
    let mut attributes = named("probity.outcome", about);
    let key =
        if row.outcome == RowOutcome::Unscored { "error.type" } else { "gen_ai.evaluation.score.label" };
    attributes.push(attribute(key, &json!(outcome)));
    if !reasons.is_empty() {
        attributes.push(attribute("gen_ai.evaluation.explanation", &json!(reasons)));
    }
    let criteria = row.asked().map(|(name, result)| criterion(name, result, about));
    let all = [attributes].into_iter().chain(criteria);
    all.map(|attributes| record(&attributes, parent(row, kept), about)).collect()
}

fn criterion(name: &str, result: &CriterionResult, about: &About<'_>) -> Vec<Value> {
    let mut attributes = named(&format!("probity.{name}"), about);
    // The conventions have a score as a double, whole or not.
    let score =
        |score: i64| json!({ "key": "gen_ai.evaluation.score.value", "value": { "doubleValue": score } });
    attributes.extend(result.score.map(score));
    let told = [
        ("gen_ai.evaluation.explanation", result.reasoning.as_ref().map(|text| json!(text))),
        ("error.type", result.unscored.as_ref().map(|cause| json!(cause))),
    ];
    attributes.extend(told.into_iter().filter_map(|(key, value)| Some(attribute(key, &value?))));
    attributes
}

/// The pass rate and the means of the run.
fn figures(about: &About<'_>) -> Vec<Value> {
    let all = &about.summary.record.all;
    let rate = all.pass_rate.map(|rate| ("probity.pass_rate".to_owned(), rate));
    let means = all.criteria.iter().filter_map(|(name, figures)| {
        let (value, low, high) = (figures.mean?.to_f64(), figures.low?, figures.high?);
        Some((format!("probity.mean.{name}"), Estimate { value, low, high, n: figures.n }))
    });
    let figure = |(name, estimate): (String, Estimate)| {
        let mut attributes = named(&name, about);
        attributes.extend([
            attribute("gen_ai.evaluation.score.value", &json!(estimate.value)),
            attribute("probity.interval.low", &json!(estimate.low)),
            attribute("probity.interval.high", &json!(estimate.high)),
            attribute("probity.n", &json!(estimate.n)),
        ]);
        record(&attributes, None, about)
    };
    rate.into_iter().chain(means).map(figure).collect()
}

/// The attributes that every event begins with.
fn named(name: &str, about: &About<'_>) -> Vec<Value> {
    vec![
        attribute("gen_ai.evaluation.name", &json!(name)),
        attribute("probity.judge", &json!(about.judge())),
        attribute("probity.standing", &json!(about.standing())),
    ]
}

/// The span that made the reply, as trace and span.
fn parent(row: &ResultRow, kept: Option<&Value>) -> Option<[String; 2]> {
    let is_hex = |text: &str, n: usize| text.len() == n && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pair = |trace: &str, span: &str| {
        let bare = |id: &str| id.trim_start_matches("0x").to_ascii_lowercase();
        let (trace, span) = (bare(trace), bare(span));
        (is_hex(&trace, 32) && is_hex(&span, 16)).then_some([trace, span])
    };
    let named = row.id.split_once(':').and_then(|(trace, span)| pair(trace, span));
    named.or_else(|| {
        let trace = text_at(kept, &["/traceId", "/context/trace_id", "/trace_id"])?;
        pair(trace, text_at(kept, &["/spanId", "/context/span_id", "/span_id"])?)
    })
}

fn record(attributes: &[Value], parent: Option<[String; 2]>, about: &About<'_>) -> Value {
    let mut record = json!({ "severityNumber": INFO, "eventName": EVENT, "attributes": attributes });
    if let Some(unix_ns) = about.unix_ns {
        record["timeUnixNano"] = json!(unix_ns.to_string());
        record["observedTimeUnixNano"] = json!(unix_ns.to_string());
    }
    if let Some([trace, span]) = parent {
        record["traceId"] = json!(trace);
        record["spanId"] = json!(span);
    }
    record
}

/// An attribute, whose value is typed by its name. Whole numbers are texts in OTLP/JSON.
fn attribute(key: &str, value: &Value) -> Value {
    let typed = match value {
        Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        other => json!({ "stringValue": other }),
    };
    json!({ "key": key, "value": typed })
}
