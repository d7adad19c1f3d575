//! The body of a chat completion, whole or as a stream of events.

use std::collections::BTreeMap;

use super::super::{Completion, TokenProbability, ToolCall};
use super::{
    EnvelopeFault, append, body_json, body_text, check_role, count, error_in, error_of, finish_of, names,
    not_json, stream, text_member, usage_of,
};
use crate::json::{Json, JsonRepair};

/// Reads the body of a chat completion. A body of `data:` lines is put together first.
pub fn openai(body: &[u8]) -> Result<Completion, EnvelopeFault> {
    let text = body_text(body)?;
    if stream::is_stream(text) {
        return stream::completion(text);
    }
    let (value, repairs) = body_json(text).map_err(|error| not_json(&error))?;
    openai_json(&value, &repairs)
}

/// Reads the body of a chat completion that came whole and has been parsed, with the clean-ups that took.
fn openai_json(value: &Json, repairs: &[JsonRepair]) -> Result<Completion, EnvelopeFault> {
    if let Some(fault) = error_in(value) {
        return Err(fault);
    }
    let choices = value.get("choices").and_then(Json::as_array).unwrap_or_default();
    let choice = first_choice(choices)?;
    if let Some(fault) = choice_error(choice) {
        return Err(fault);
    }
    let message = choice.get("message").unwrap_or(&Json::Null);
    check_role(message)?;
    let (mut text, mut refusal) = (None, None);
    content(message, &mut text, &mut refusal);
    let tools = tool_calls(message);
    Ok(Completion {
        text,
        finish: finish_of(choice.get("finish_reason")),
        refusal,
        extra_tool_calls: count(tools.len().saturating_sub(1)),
        tool: tools.into_iter().next(),
        model: text_member(value, "model"),
        fingerprint: text_member(value, "system_fingerprint"),
        response_id: text_member(value, "id"),
        usage: usage_of(value.get("usage")),
        tier: text_member(value, "service_tier"),
        tokens: choice.get("logprobs").and_then(|all| all.get("content")).map(tokens).unwrap_or_default(),
        confidence: None,
        extra_choices: count(choices.len() - 1),
        repairs: names(repairs),
    })
}

/// The tokens of a list with their log probabilities.
fn tokens(list: &Json) -> Vec<TokenProbability> {
    let token = |item: &Json| TokenProbability::read(item.get("token")?, item.get("logprob")?);
    list.as_array().unwrap_or_default().iter().map_while(token).collect()
}

/// The choice with index 0, where all are numbered from there on.
fn first_choice(choices: &[Json]) -> Result<&Json, EnvelopeFault> {
    let mut numbered = BTreeMap::new();
    for choice in choices {
        numbered.insert(index_of(choice)?, choice);
    }
    let (last, _) = numbered.last_key_value().ok_or(EnvelopeFault::NoChoice)?;
    let is_whole = numbered.len() == choices.len() && *last < choices.len() as u64;
    numbered.get(&0).copied().filter(|_| is_whole).ok_or(EnvelopeFault::UnclearChoice)
}

/// The index of a choice, a plain integer; 0 where servers leave it out.
pub(super) fn index_of(choice: &Json) -> Result<u64, EnvelopeFault> {
    choice.as_object().ok_or(EnvelopeFault::NoChoice)?;
    match choice.get("index") {
        None | Some(Json::Null) => Ok(0),
        Some(index) => index.as_u64().ok_or(EnvelopeFault::UnclearChoice),
    }
}

/// Some routers report an error inside the choice.
pub(super) fn choice_error(choice: &Json) -> Option<EnvelopeFault> {
    error_in(choice).or_else(|| {
        let ended = choice.get("finish_reason").and_then(Json::as_str) == Some("error");
        ended.then(|| error_of(&Json::Null, "the choice ended with finish_reason \"error\""))
    })
}

/// Adds the text and the refusal of a message, or of a piece of one. Reasoning parts are passed over.
pub(super) fn content(message: &Json, text: &mut Option<String>, refusal: &mut Option<String>) {
    add_refusal(message, refusal);
    match message.get("content") {
        Some(Json::String(words)) => append(text, words),
        Some(Json::Array(parts)) => parts.iter().for_each(|part| content_part(part, text, refusal)),
        _ => {}
    }
}

fn content_part(part: &Json, text: &mut Option<String>, refusal: &mut Option<String>) {
    if let Some(words) = part.as_str() {
        append(text, words);
        return;
    }
    match (part.get("type").and_then(Json::as_str), part.get("text")) {
        (None | Some("text" | "output_text"), Some(Json::String(words))) => append(text, words),
        (Some("refusal"), _) => add_refusal(part, refusal),
        _ => {}
    }
}

/// A refusal is kept in its words; one that is no text, as it stands.
fn add_refusal(holder: &Json, refusal: &mut Option<String>) {
    match holder.get("refusal") {
        None | Some(Json::Null) => {}
        Some(Json::String(words)) => append(refusal, words),
        Some(other) => append(refusal, &other.canonical()),
    }
}

fn tool_calls(message: &Json) -> Vec<ToolCall> {
    let calls = message.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
    let legacy = message.get("function_call").filter(|call| call.as_object().is_some());
    calls.iter().map(|call| call.get("function").unwrap_or(call)).chain(legacy).map(tool_call).collect()
}

fn tool_call(function: &Json) -> ToolCall {
    let arguments = match function.get("arguments") {
        Some(Json::String(text)) => text.clone(),
        Some(value) => value.canonical(),
        None => String::new(),
    };
    ToolCall { name: text_member(function, "name").unwrap_or_default(), arguments }
}
