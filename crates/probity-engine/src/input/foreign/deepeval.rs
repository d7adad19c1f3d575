//! `DeepEval`: the test cases of a run, single and multi-turn, and goldens.
//!
//! A metric that raised has no score and is unscored, whatever its `success` says.

use probity_core::case::Role;
use probity_core::json::{Json, Object};

use super::beside::{ForeignScore, ForeignVerdict};
use super::case::{FileContext, ForeignCase, Paths};
use super::conversation::{Conversation, PlacedCall, turn};
use super::messages::{call, inner_json, messages};
use super::path::{at, first_at, list_at, text_at};
use super::{Form, Read, has};
use crate::input::field::Field;

const PATHS: Paths = Paths {
    id: &["metadata.ticket_id", "name"],
    slice: &["metadata.intent", "metadata.category"],
    variant: &["metadata.variant"],
    reference: &["expectedOutput", "expected_output", "expectedOutcome", "expected_outcome"],
    context: &["context"],
};

const OUTPUT: &[&str] = &["actualOutput", "actual_output"];
const TOOLS: &[&str] = &["toolsCalled", "tools_called"];
const RETRIEVED: &[&str] = &["retrievalContext", "retrieval_context"];

/// A test case or a golden.
pub(super) const FORM: Form = Form { tool: "deepeval", is, read, pieces: None };

fn is(record: &Object) -> bool {
    let any = |names: &[&str]| names.iter().any(|name| record.get(name).is_some());
    let single = any(OUTPUT) && has(record, &["input"]);
    record.get("id").is_none() && (any(&["metricsData", "scenario"]) || single)
}

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    let is_run = at(record, "metricsData").is_some();
    if has_turns(record) {
        case.conversation = Conversation::of(&messages(&Json::Array(turns(record))));
        if case.conversation.turns.is_empty() {
            case.no_reply = Some("a scenario without turns".to_owned());
        }
    } else {
        let reply = if is_run {
            at(record, OUTPUT[0]).and_then(Json::as_str).map(str::to_owned)
        } else {
            text_at(record, OUTPUT)
        };
        if reply.is_none() {
            case.no_reply =
                Some(if is_run { "no actualOutput" } else { "a golden without an actual output" }.to_owned());
        }
        let ticket = text_at(record, &["input"]).map(|text| turn(Role::Customer, text));
        case.conversation = Conversation::answered(ticket.into_iter().collect(), reply);
    }
    let holders = std::iter::once(record.clone()).chain(turns(record));
    let called: Vec<Json> = holders
        .filter_map(|holder| first_at(&holder, TOOLS)?.as_array().map(<[Json]>::to_vec))
        .flatten()
        .collect();
    for (n, tool) in called.iter().enumerate() {
        let mut call = call(tool);
        call.id = format!("{n}:{}", call.id);
        case.conversation.calls.push(PlacedCall { call, n_turns: 0 });
    }
    case.beside.verdicts = list_at(record, "metricsData").iter().map(verdict).collect();
    if let Some(retrieved) = first_at(record, RETRIEVED).filter(|found| Some(*found) != at(record, "context"))
    {
        case.fields.push((Field::Context, retrieved.clone()));
    }
    Read::Cases(vec![case])
}

fn has_turns(record: &Json) -> bool {
    record.get("scenario").is_some() || record.get("turns").is_some()
}

/// The turns in their order; goldens may have them as JSON text.
fn turns(record: &Json) -> Vec<Json> {
    let listed = match at(record, "turns") {
        Some(Json::String(text)) => inner_json(text),
        other => other.cloned(),
    };
    let Some(Json::Array(mut turns)) = listed else { return Vec::new() };
    turns.sort_by_key(|turn| at(turn, "order").and_then(Json::as_u64));
    turns
}

fn verdict(metric: &Json) -> ForeignVerdict {
    let score = at(metric, "score").cloned();
    let passed = at(metric, "success").map(|success| *success == Json::Bool(true));
    let said = match score {
        Some(score) => ForeignScore::Scored { score: Some(score), label: None, passed },
        None => ForeignScore::Unscored { error: text_at(metric, &["error"]) },
    };
    let name = text_at(metric, &["name"]).unwrap_or_default();
    // A metric that was run in words says what it asked before the steps it took.
    let log = text_at(metric, &["verboseLogs"]);
    let criteria = log.as_deref().and_then(|log| log.split_once("Criteria:"));
    let asked = criteria.and_then(|(_, rest)| rest.split("Evaluation Steps:").next());
    ForeignVerdict {
        reason: text_at(metric, &["reason"]),
        asked: asked.map(str::trim).filter(|asked| !asked.is_empty()).map(str::to_owned),
        threshold: at(metric, "threshold").cloned(),
        ..ForeignVerdict::new(format!("deepeval:{name}"), said)
    }
}
