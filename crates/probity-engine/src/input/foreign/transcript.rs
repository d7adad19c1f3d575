//! Transcripts of chat APIs as they are logged: OpenAI's and Anthropic's messages, a request with its response, and
//! the runs of tau-bench.
//!
//! Whatever native fields stand beside the messages are taken as they are.

use probity_core::case::{Role, Turn};
use probity_core::json::{Json, Object};

use super::beside::{ForeignScore, ForeignVerdict};
use super::case::{FileContext, ForeignCase, Paths};
use super::conversation::Conversation;
use super::messages::{Message, messages, text_of, with_role};
use super::path::{at, first_at};
use super::{Form, Read, has};
use crate::input::field::{Field, FieldValue, NAMES, Reason, RecordFields};
use crate::input::names;

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
    Field::Csat,
    Field::Rating,
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

/// Reads `turns` that are messages of a chat API, or a text with a speaker before each line, as a transcript: the reply is
/// the last text of an agent, and calls of tools are evidence. Returns the prompts among them.
pub(in crate::input) fn unfold(found: &mut RecordFields<'_>) -> Result<Vec<String>, Reason> {
    let Some(FieldValue { name, json, .. }) = found.given(Field::Turns) else { return Ok(Vec::new()) };
    let said = match &json {
        Json::String(text) => spoken(text),
        Json::Array(items) if name != Field::Turns.native() || items.iter().any(is_rich) => messages(&json),
        _ => {
            found.put(Field::Turns, name, json)?;
            return Ok(Vec::new());
        }
    };
    let conversation = Conversation::of(&said);
    if conversation.turns.is_empty() && json.as_array().is_some_and(|items| !items.is_empty()) {
        let reason = format!("'{name}' has no message with a text and a role, such as user or assistant");
        return Err(reason.into());
    }
    let tools = conversation.tools().filter(|_| !found.has(Field::Tools));
    tools.map_or(Ok(()), |tools| found.put(Field::Tools, Field::Tools.native(), tools))?;
    let given = found.given(Field::Reply);
    let repeats = |given: &FieldValue<'_>| given.json.as_str() == conversation.reply_text();
    let before = match &given {
        Some(given) if !repeats(given) => &conversation.turns[..],
        _ => conversation.before(),
    };
    let turn = |turn: &Turn| {
        Json::object([("role", Json::text(turn.role.name())), ("text", Json::text(&*turn.text))])
    };
    found.put(Field::Turns, name, Json::Array(before.iter().map(turn).collect()))?;
    match given.map(|given| given.json).or_else(|| conversation.reply_text().map(Json::text)) {
        Some(reply) => found.put(Field::Reply, Field::Reply.native(), reply)?,
        None => found.no_reply = conversation.no_reply.map(str::to_owned),
    }
    Ok(conversation.instructions)
}

/// Whether a message has what only a chat API writes.
fn is_rich(message: &Json) -> bool {
    let is_list = |name| message.get(name).is_some_and(|json| json.as_array().is_some());
    let role = message.get("role").and_then(Json::as_str);
    matches!(role, Some("tool" | "function")) || ["content", "parts", "tool_calls"].into_iter().any(is_list)
}

/// The messages of a text in which lines begin with a speaker, `Customer: …` or `[10:22] Agent: …`. What comes before the
/// first is no message; a text without any is the customer's.
fn spoken(text: &str) -> Vec<Message> {
    let mut said: Vec<Message> = Vec::new();
    for line in text.lines() {
        match (speaker(line), said.last_mut()) {
            (Some((role, words)), _) => said.push(Message::plain(role.name(), words.trim())),
            (None, Some(last)) => last.text.extend(["\n", line]),
            (None, None) => {}
        }
    }
    for message in &mut said {
        message.text.truncate(message.text.trim_end().len());
    }
    if said.is_empty() { vec![Message::plain(Role::Customer.name(), text)] } else { said }
}

fn speaker(line: &str) -> Option<(Role, &str)> {
    let is_of_time = |c: char| c.is_ascii_digit() || c.is_whitespace() || "[]():.,/-".contains(c);
    let (who, words) = line.trim_start_matches(is_of_time).split_once(':')?;
    Some((names::role(who.split('(').next()?)?, words))
}
