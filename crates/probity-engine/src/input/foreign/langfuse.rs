//! Langfuse: downloaded traces, observations with scores beside them, and dataset items.
//!
//! One case per trace: its last generation with a text. What people annotated is a label, a correction is what a person
//! would have written, and every other score is a verdict, because nothing says that a person gave it.

use std::io;

use probity_core::case::Turn;
use probity_core::json::Json;

use super::beside::{ForeignLabel, ForeignScore, ForeignVerdict};
use super::case::{FileContext, ForeignCase, Paths};
use super::conversation::{Conversation, TOOL_CALL};
use super::messages::{Message, call, inner_json, messages, text_of, with_role};
use super::path::{as_text, at, first_at, list_at, text_at};
use super::{Form, Pieced, Read, has};

const PATHS: Paths = Paths {
    id: &["metadata.ticket_id", "traceId", "id"],
    slice: &["metadata.intent", "metadata.category"],
    variant: &["version"],
    reference: &["expectedOutput"],
    context: &["metadata.policy", "metadata.context"],
};

/// A trace as it is downloaded, or as the API gives it.
pub(super) const TRACE: Form = Form {
    tool: "langfuse",
    is: |record| {
        has(record, &["observations"]) && (has(record, &["trace"]) || has(record, &["scores", "projectId"]))
    },
    read: |record, context| {
        let trace = at(record, "trace").unwrap_or(record);
        let mut scores = [list_at(trace, "scores"), list_at(trace, "corrections")].concat();
        let beside = text_at(trace, &["id"]).map(|id| context.pieces.of(&format!("score:{id}")));
        let is_known = |score: &Json| {
            let id = text_at(score, &["id"]);
            id.is_some() && scores.iter().any(|known| text_at(known, &["id"]) == id)
        };
        let new: Vec<Json> = beside.into_iter().flatten().filter(|score| !is_known(score)).collect();
        scores.extend(new);
        let mut case = trace_case(trace, list_at(record, "observations"), &scores, context);
        case.beside.kept = Some(record.clone());
        Read::Cases(vec![case])
    },
    // Its own are inside; scores may follow in the same file.
    pieces: Some(|_, _| Ok(())),
};

/// An observation: the root of a trace is its case, the others belong to it.
pub(super) const OBSERVATION: Form = Form {
    tool: "langfuse",
    is: |record| has(record, &["traceId", "type", "startTime"]),
    read: |record, context| {
        let Some(trace) = text_at(record, &["traceId"]).filter(|_| is_root(record)) else {
            return Read::Beside("observations inside traces");
        };
        let observations = context.pieces.of(&format!("observation:{trace}"));
        let scores = context.pieces.of(&format!("score:{trace}"));
        Read::Cases(vec![trace_case(record, &observations, &scores, context)])
    },
    pieces: Some(|record, found| match text_at(record, &["traceId"]) {
        Some(trace) => found.add(&format!("observation:{trace}"), record),
        None => Ok(()),
    }),
};

/// A score, also as it is posted.
pub(super) const SCORE: Form = Form {
    tool: "langfuse",
    is: |record| {
        let typed = record.get("dataType").or_else(|| record.get("data_type")).is_some();
        has(record, &["name", "value"]) && typed && (has(record, &["source"]) || has(record, &["traceId"]))
    },
    read: |record, _| match score_trace(record) {
        Some(_) => Read::Beside("scores"),
        None => Read::Nothing("scores of sessions or experiments, which are of no reply"),
    },
    pieces: Some(score_pieces),
};

/// An item of a dataset, which has no reply.
pub(super) const ITEM: Form = Form {
    tool: "langfuse",
    is: |record| has(record, &["datasetId", "input"]),
    read: |record, context| {
        let mut case = ForeignCase::of(record, &Paths { id: &["id"], ..PATHS }, context);
        case.conversation = Conversation::of(&went_in(at(record, "input")));
        case.conversation.without_reply("a dataset item has no reply");
        if at(record, "status").and_then(Json::as_str) == Some("ARCHIVED") {
            case.skip = Some("archived item".to_owned());
        }
        Read::Cases(vec![case])
    },
    pieces: None,
};

fn is_root(record: &Json) -> bool {
    let root = at(record, "isRootObservation").map(|root| *root == Json::Bool(true));
    root.unwrap_or_else(|| at(record, "parentObservationId").is_none())
}

/// The trace that a score is about.
fn score_trace(score: &Json) -> Option<String> {
    let of_trace = text_at(score, &["subject.kind"]).is_some_and(|kind| kind == "trace");
    let subject = text_at(score, if of_trace { &["subject.id"] } else { &["subject.traceId"] });
    subject.or_else(|| text_at(score, &["traceId", "trace_id"]))
}

fn score_pieces(score: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    match score_trace(score) {
        Some(trace) => found.add(&format!("score:{trace}"), score),
        None => Ok(()),
    }
}

/// The case of a trace, whose root says what it is about.
fn trace_case(root: &Json, observations: &[Json], scores: &[Json], context: &FileContext<'_>) -> ForeignCase {
    let metadata = at(root, "metadata").and_then(Json::as_str).and_then(inner_json);
    let told = metadata.map(|metadata| Json::object([("metadata", metadata)]));
    let mut case = ForeignCase::of(root, &PATHS, context);
    if let Some(told) = &told {
        case.slice = case.slice.or_else(|| text_at(told, PATHS.slice));
        case.id = text_at(told, &["metadata.ticket_id"]).unwrap_or(case.id);
    }
    generations(&mut case, observations);
    for score in scores {
        judged(&mut case, score);
    }
    case
}

/// The last generation with a text is the reply; the tools of all of them were called for it.
fn generations(case: &mut ForeignCase, observations: &[Json]) {
    let is_generation = |one: &&Json| at(one, "type").and_then(Json::as_str) == Some("GENERATION");
    let mut all: Vec<&Json> = observations.iter().filter(is_generation).collect();
    all.sort_by_key(|one| (text_at(one, &["startTime"]), text_at(one, &["endTime"])));
    let mut best = None;
    let mut tools = Conversation::default();
    for generation in &all {
        let (input, output) = (went_in(at(generation, "input")), came_out(at(generation, "output")));
        output.iter().chain(&input).for_each(|message| tools.add_calls(message));
        let last = output.iter().rev().find(|message| message.is_plain || !message.text.trim().is_empty());
        if let Some(last) = last {
            best = Some((input, last.text.clone()));
        }
    }
    let is_answered = best.is_some();
    let (input, reply) = match best {
        Some((input, reply)) => (input, Some(reply)),
        None => (all.last().map(|last| went_in(at(last, "input"))).unwrap_or_default(), None),
    };
    let mut said = Conversation::of(&input);
    let turns: Vec<Turn> = std::mem::take(&mut said.turns);
    case.conversation = Conversation::answered(turns, reply);
    case.conversation.instructions = said.instructions;
    if !is_answered {
        let error = all.iter().find(|one| at(one, "level").and_then(Json::as_str) == Some("ERROR"));
        case.no_reply = Some(match error {
            _ if !tools.calls.is_empty() => TOOL_CALL.to_owned(),
            Some(error) => format!("error: {}", text_at(error, &["statusMessage"]).unwrap_or_default()),
            None => "no generation with a text".to_owned(),
        });
    }
    case.conversation.calls = tools.calls;
}

/// A value that may be JSON in a string, or in a string of a string.
fn opened(json: &Json) -> Json {
    let once = |json: &Json| match json {
        Json::String(text) if text.starts_with(['[', '{', '"']) => probity_core::json::parse(text).ok(),
        _ => None,
    };
    let first = once(json).unwrap_or_else(|| json.clone());
    once(&first).unwrap_or(first)
}

/// What went into a generation.
fn went_in(input: Option<&Json>) -> Vec<Message> {
    let Some(input) = input.map(opened) else { return Vec::new() };
    match first_at(&input, &["prompt", "contents", "ticket"]) {
        Some(Json::String(text)) => vec![Message::plain("user", &**text)],
        _ => with_role(messages(&input), "user"),
    }
}

/// What came out of it: a text, a message, a whole response, candidates, or a list of calls.
fn came_out(output: Option<&Json>) -> Vec<Message> {
    let Some(output) = output.map(opened) else { return Vec::new() };
    if let Some(calls) = output.as_array().filter(|all| all.iter().all(|one| one.get("toolCallId").is_some()))
    {
        let calls = calls.iter().map(call).collect();
        return vec![Message { role: Some("assistant".to_owned()), calls, ..Message::default() }];
    }
    if let Some(parts) = at(&output, "candidates[0].content.parts") {
        return vec![Message::plain("assistant", text_of(parts, ""))];
    }
    let response = at(&output, "output")
        .filter(|_| text_at(&output, &["object"]).is_some_and(|kind| kind == "response"));
    with_role(messages(response.unwrap_or(&output)), "assistant")
}

fn judged(case: &mut ForeignCase, score: &Json) {
    let source = text_at(score, &["source"]).unwrap_or_else(|| "API".to_owned());
    let name = text_at(score, &["name"]).unwrap_or_default();
    let kind = text_at(score, &["dataType", "data_type"]).unwrap_or_default();
    let value = value(score, &kind);
    match (&*kind, &*source) {
        ("CORRECTION", _) => {
            let text = text_at(score, &["longStringValue", "stringValue", "value"]);
            case.reference = text.or(case.reference.take());
        }
        ("TEXT", _) => case.beside.notes.push(as_text(&value)),
        (_, "ANNOTATION") => case.beside.labels.push(ForeignLabel {
            criterion: Some(name),
            annotator: text_at(score, &["authorUserId"]),
            label: value,
            comment: text_at(score, &["comment"]),
            at: text_at(score, &["timestamp"]),
        }),
        _ => case.beside.verdicts.push(ForeignVerdict {
            reason: text_at(score, &["comment"]),
            ..ForeignVerdict::new(
                format!("langfuse:{source}:{name}"),
                ForeignScore::Scored { score: Some(value), label: None, passed: None },
            )
        }),
    }
}

/// The value of a score. Exports to storage write names and truth values as numbers beside their texts.
fn value(score: &Json, kind: &str) -> Json {
    let value = at(score, "value").cloned().unwrap_or(Json::Null);
    let text = first_at(score, &["stringValue", "string_value"]).filter(|text| text.as_str() != Some(""));
    match (kind, text, &value) {
        ("CATEGORICAL" | "TEXT", Some(text), Json::Number(_) | Json::Null) => text.clone(),
        ("BOOLEAN", _, Json::Number(number)) => Json::Bool(number.parse() != Ok(0.0_f64)),
        _ => value,
    }
}
