//! Results in the form of `promptfoo eval --output`, version 3. All rows are in memory at once.
//!
//! Where a row came from promptfoo, it is written back as it was, rows without a reply too, and the judge's verdicts
//! are added to its components; what stood around the rows is written back as well. Other rows are made anew.

use std::io::{self, Write};

use probity_core::results::{CriterionResult, ResultRow, RowOutcome};
use serde_json::{Value, json};

use super::{About, Exported};

/// What `failureReason` says: nothing failed, an assertion did, or there was an error.
const NONE: u64 = 0;
const ASSERTION: u64 = 1;
const ERROR: u64 = 2;

/// Writes the document.
pub(super) fn write(
    rows: impl Iterator<Item = io::Result<Exported>>,
    about: &About<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (mut made, mut tests, mut variants) = (Vec::new(), Vec::new(), Vec::new());
    for exported in rows {
        let Exported { row, kept } = exported?;
        let kept = kept.filter(|kept| kept.get("promptIdx").is_some());
        made.extend(match (row, kept) {
            (Some(row), Some(kept)) => Some(with_components(kept, &row, about)),
            (None, kept) => kept,
            (Some(row), None) => {
                let places = [place(&mut tests, &row.id), place(&mut variants, &row.variant)];
                Some(new_row(&row, places, about))
            }
        });
    }
    let kept = about.frame.clone().filter(|frame| frame["results"]["version"].is_number());
    let mut document = kept.unwrap_or_else(|| new_document(&made, &variants, about));
    document["results"]["results"] = Value::Array(made);
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// The place of `one` among those met so far.
fn place<T: PartialEq + Clone>(all: &mut Vec<T>, one: &T) -> usize {
    all.iter().position(|other| other == one).unwrap_or_else(|| {
        all.push(one.clone());
        all.len() - 1
    })
}

/// What stands around rows that did not come from promptfoo.
fn new_document(rows: &[Value], variants: &[Option<String>], about: &About<'_>) -> Value {
    let count = |name: &str, value: Value| rows.iter().filter(|row| row[name] == value).count();
    let stats = json!({
        "successes": count("success", json!(true)),
        "failures": count("failureReason", json!(ASSERTION)),
        "errors": count("failureReason", json!(ERROR)),
    });
    let prompt = |variant: &Option<String>| json!({ "raw": "{{ticket}}", "label": "{{ticket}}", "provider": variant.as_deref().unwrap_or("reply") });
    json!({
        "evalId": format!("probity-{}", about.summary.record.rubric.hash.get(..12).unwrap_or_default()),
        "results": {
            "version": 3,
            "prompts": variants.iter().map(prompt).collect::<Vec<_>>(),
            "results": [],
            "stats": stats,
        },
        "config": { "description": format!("{} {}", about.summary.record.rubric.name, about.summary.record.rubric.version) },
        "metadata": { "judge": about.judge(), "standing": about.standing() },
    })
}

/// A row of promptfoo's own with the judge's verdicts beside those it has.
fn with_components(mut kept: Value, row: &ResultRow, about: &About<'_>) -> Value {
    let more: Vec<Value> = components(row, "probity:", about);
    if let Some(grading) = kept.get_mut("gradingResult").and_then(Value::as_object_mut) {
        let components = grading.entry("componentResults").or_insert_with(|| json!([]));
        if let Some(components) = components.as_array_mut() {
            components.extend(more);
        }
    } else if !more.is_empty() {
        kept["gradingResult"] = json!({ "componentResults": more });
    }
    kept
}

fn new_row(row: &ResultRow, [test, prompt]: [usize; 2], about: &About<'_>) -> Value {
    let components = components(row, "", about);
    let named = components.iter().map(|one| (one["assertion"]["metric"].clone(), one["score"].clone()));
    let named: Value = named.filter_map(|(name, score)| Some((name.as_str()?.to_owned(), score))).collect();
    let is_unscored = row.outcome == RowOutcome::Unscored;
    let scores: Vec<f64> = components.iter().filter_map(|one| one["score"].as_f64()).collect();
    let mean = (!scores.is_empty() && !is_unscored).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
    let (passes, reasons) = (row.outcome.passes(), row.reasons().join("; "));
    let failed = match passes {
        _ if is_unscored => ERROR,
        Some(false) => ASSERTION,
        _ => NONE,
    };
    let provider = row.variant.as_deref().unwrap_or("reply");
    json!({
        "testIdx": test,
        "promptIdx": prompt,
        "provider": { "id": provider, "label": provider },
        "prompt": { "raw": row.ticket, "label": "{{ticket}}" },
        "vars": { "ticket_id": row.id, "ticket": row.ticket },
        "testCase": { "vars": { "ticket_id": row.id, "ticket": row.ticket }, "metadata": { "intent": row.slice } },
        "response": { "output": row.reply },
        "gradingResult": {
            "pass": passes,
            "score": mean,
            "reason": reasons,
            "namedScores": named,
            "componentResults": components,
        },
        "success": passes,
        "score": mean,
        "namedScores": named,
        "failureReason": failed,
        "error": if failed == NONE { Value::Null } else { json!(reasons) },
    })
}

/// The judge's verdicts as components: a level as its share of the way from the worst to the best. What is unscored is
/// not among them, and where nothing says whether a reply passes, neither does a component below the best level.
fn components(row: &ResultRow, prefix: &str, about: &About<'_>) -> Vec<Value> {
    let component = |(name, result): (&str, &CriterionResult)| {
        let criterion =
            about.summary.rubric.criteria().iter().find(|criterion| criterion.id.as_str() == name)?;
        let (scale, level) = (&criterion.scale, result.score?);
        Some(json!({
            "pass": if level == scale.best() { Some(true) } else { row.outcome.passes() },
            "score": scale.share(level).to_f64(),
            "reason": result.reasoning,
            "assertion": { "type": "llm-rubric", "metric": format!("{prefix}{name}"), "value": name },
            "metadata": { "level": level, "judge": about.judge(), "standing": about.standing() },
        }))
    };
    row.asked().filter_map(component).collect()
}
