//! Transcripts of chat APIs as they are logged: OpenAI's and Anthropic's messages, a request with its response, and
//! the runs of tau-bench.
//!
//! Whatever native fields stand beside the messages are taken as they are.

use probity_core::json::{Json, Object};

use super::beside::{ForeignScore, ForeignVerdict};
use super::case::{FileContext, ForeignCase, Paths};
use super::conversation::Conversation;
use super::messages::{Message, messages, text_of, with_role};
use super::path::{at, first_at};
use super::{Form, Read, has};
use crate::input::field::{Field, NAMES};

const PATHS: Paths = Paths {
    id: &["id", "task_id", "conversation_id", "session_id"],
    slice: &["slice", "intent", "category", "metadata.intent", "metadata.category"],
    variant: &["variant", "model", "request.model"],
    reference: &["reference", "expected_output", "ideal"],
    context: &[],
};

/// Native fields that may stand beside messages.
const NATIVE: &[Field] = &[
    Field::Context,
    Field::Evidence,
    Field::KnownPii,
    Field::Time,
    Field::Audience,
    Field::Region,
    Field::Confidence,
    Field::Metadata,
    Field::Admissible,
];

/// A conversation with a model.
pub(super) const FORM: Form = Form { tool: "transcripts", is, read, pieces: None };

fn is(record: &Object) -> bool {
    let is_native = |(name, json): (&str, &Json)| match Field::named(name) {
        Some(Field::Turns) => true,
        Some(Field::Ticket | Field::Reply) => json.as_str().is_some(),
        _ => false,
    };
    let native = record.iter().any(is_native);
    let list = |name: &str| record.get(name).is_some_and(|json| matches!(json, Json::Array(_)));
    let asked = record.get("request").is_some_and(|request| request.get("messages").is_some());
    !native && (list("messages") || list("traj") || asked && has(record, &["response"]))
}

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context).with(Conversation::of(&said(record)));
    let system = first_at(record, &["system", "request.system"]).map(|system| text_of(system, "\n"));
    case.conversation.instructions.splice(0..0, system);
    if let Some(trial) = at(record, "trial").filter(|_| at(record, "traj").is_some()) {
        case.variant = Some(format!("trial-{}", trial.canonical()));
    }
    if let Some(reward) = at(record, "reward") {
        let said = ForeignScore::Scored { score: Some(reward.clone()), label: None, passed: None };
        case.beside.verdicts.push(ForeignVerdict::new("tau-bench:reward".to_owned(), said));
    }
    if at(record, "error").is_some() {
        case.failed("error: the call failed".to_owned());
    }
    let native = NAMES.iter().filter(|(_, field)| NATIVE.contains(field));
    case.fields.extend(native.filter_map(|(name, field)| Some((*field, at(record, name)?.clone()))));
    Read::Cases(vec![case])
}

/// What went in and what came out, in order.
fn said(record: &Json) -> Vec<Message> {
    let went_in =
        first_at(record, &["messages", "traj", "request.messages"]).map(messages).unwrap_or_default();
    let came_out = ["response.choices[0].message", "response.output", "response", "choices[0].message"];
    let came_out = first_at(record, &came_out).map(messages).unwrap_or_default();
    with_role(went_in, "user").into_iter().chain(with_role(came_out, "assistant")).collect()
}
