//! The body of a Messages response.

use super::super::{Completion, ToolCall};
use super::{
    EnvelopeFault, append, body_json, body_text, check_role, count, error_in, finish_of, names, not_json,
    text_member, usage_of,
};
use crate::json::{Json, JsonRepair};

/// Reads the body of a Messages response. Thinking blocks are passed over.
pub fn anthropic(body: &[u8]) -> Result<Completion, EnvelopeFault> {
    let (value, repairs) = body_json(body_text(body)?).map_err(|error| not_json(&error))?;
    anthropic_json(&value, &repairs)
}

/// Reads the body of a Messages response that has been parsed, with the clean-ups that took.
fn anthropic_json(value: &Json, repairs: &[JsonRepair]) -> Result<Completion, EnvelopeFault> {
    if let Some(fault) = error_in(value) {
        return Err(fault);
    }
    check_role(value)?;
    let (mut text, mut tools) = (None, Vec::new());
    match value.get("content") {
        Some(Json::String(words)) => append(&mut text, words),
        Some(Json::Array(blocks)) => blocks.iter().for_each(|each| block(each, &mut text, &mut tools)),
        _ => return Err(EnvelopeFault::NoChoice),
    }
    Ok(Completion {
        text,
        finish: finish_of(value.get("stop_reason")),
        refusal: None,
        extra_tool_calls: count(tools.len().saturating_sub(1)),
        tool: tools.into_iter().next(),
        model: text_member(value, "model"),
        fingerprint: None,
        response_id: text_member(value, "id"),
        usage: usage_of(value.get("usage")),
        tier: value.get("usage").and_then(|usage| text_member(usage, "service_tier")),
        repairs: names(repairs),
        ..Completion::default()
    })
}

fn block(block: &Json, text: &mut Option<String>, tools: &mut Vec<ToolCall>) {
    match block.get("type").and_then(Json::as_str) {
        Some("text") => {
            if let Some(words) = block.get("text").and_then(Json::as_str) {
                append(text, words);
            }
        }
        Some("tool_use") => tools.push(ToolCall {
            name: text_member(block, "name").unwrap_or_default(),
            arguments: block.get("input").map(Json::canonical).unwrap_or_default(),
        }),
        _ => {}
    }
}
