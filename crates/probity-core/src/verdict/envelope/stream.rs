//! A chat completion that came as a stream of events, put together again.
//!
//! Only a stream that says it is over counts: a finish reason or the end mark. Whatever follows the end
//! mark is not read.

use std::collections::BTreeMap;

use super::super::{Completion, Finish, ToolCall};
use super::openai::{choice_error, content, index_of};
use super::{
    EnvelopeFault, body_json, check_role, count, error_in, error_of, finish_of, message_of, names, not_json,
    text_member, usage_of,
};
use crate::json::{Json, JsonProblem};

const END_MARK: &str = "[DONE]";

/// Whether a body is a stream of events.
pub(super) fn is_stream(text: &str) -> bool {
    ["data:", "event:", "id:", "retry:", ":"].iter().any(|prefix| text.starts_with(prefix))
}

/// The completion that the events of `text` make up.
pub(super) fn completion(text: &str) -> Result<Completion, EnvelopeFault> {
    let mut assembly = Assembly::default();
    let mut event = Event::default();
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    for line in lines.chain([""]) {
        if !line.is_empty() {
            event.line(line);
            continue;
        }
        assembly.event(&std::mem::take(&mut event))?;
        if assembly.ended {
            break;
        }
    }
    assembly.completion()
}

/// The lines of one event.
#[derive(Default)]
struct Event<'a> {
    name: &'a str,
    data: Vec<&'a str>,
}

impl<'a> Event<'a> {
    fn line(&mut self, line: &'a str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.data.push(value),
            "event" => self.name = value,
            _ => {}
        }
    }
}

#[derive(Default)]
struct Assembly {
    completion: Completion,
    tools: BTreeMap<u64, ToolCall>,
    last_choice: Option<u64>,
    ended: bool,
}

impl Assembly {
    /// An event is one JSON text over its data lines; servers that leave out the blank lines between
    /// events send one JSON text per line.
    fn event(&mut self, event: &Event<'_>) -> Result<(), EnvelopeFault> {
        let joined = event.data.join("\n");
        if event.data.len() < 2 || body_json(&joined).is_ok() {
            return self.data(event.name, &joined);
        }
        event.data.iter().try_for_each(|line| self.data(event.name, line))
    }

    fn data(&mut self, event_name: &str, data: &str) -> Result<(), EnvelopeFault> {
        if self.ended || data.is_empty() {
            return Ok(());
        }
        if data.trim() == END_MARK {
            self.ended = true;
            return Ok(());
        }
        let (chunk, repairs) = body_json(data).map_err(|error| match error.problem {
            JsonProblem::UnexpectedEnd => EnvelopeFault::CutStream,
            _ => not_json(&error),
        })?;
        if let Some(fault) = error_in(&chunk) {
            return Err(fault);
        }
        if event_name == "error" {
            return Err(error_of(&chunk, &message_of(&chunk)));
        }
        self.completion.repairs.extend(names(&repairs));
        self.chunk(&chunk)
    }

    fn chunk(&mut self, chunk: &Json) -> Result<(), EnvelopeFault> {
        let whole = &mut self.completion;
        for (kept, key) in [
            (&mut whole.model, "model"),
            (&mut whole.fingerprint, "system_fingerprint"),
            (&mut whole.response_id, "id"),
        ] {
            *kept = text_member(chunk, key).or(kept.take());
        }
        // Counts grow while a stream goes on: the last ones count, and make the usage unknown if they cannot be.
        if let Some(usage @ Json::Object(_)) = chunk.get("usage") {
            whole.usage = usage_of(Some(usage));
        }
        let choices = chunk.get("choices").and_then(Json::as_array).unwrap_or_default();
        let mut earlier = None;
        for choice in choices {
            if let Some(fault) = choice_error(choice) {
                return Err(fault);
            }
            let index = index_of(choice)?;
            if earlier.replace(index).is_some_and(|earlier| index <= earlier) {
                return Err(EnvelopeFault::UnclearChoice);
            }
            self.last_choice = self.last_choice.max(Some(index));
            if index == 0 {
                self.choice(choice)?;
            }
        }
        Ok(())
    }

    fn choice(&mut self, choice: &Json) -> Result<(), EnvelopeFault> {
        let whole = &mut self.completion;
        let finish = finish_of(choice.get("finish_reason"));
        if finish != Finish::Missing {
            whole.finish = match std::mem::take(&mut whole.finish) {
                earlier if earlier == Finish::Missing || earlier == finish => finish,
                earlier => Finish::Other(format!("{earlier:?}, then {finish:?}")),
            };
        }
        let delta = choice.get("delta").or(choice.get("message")).unwrap_or(&Json::Null);
        check_role(delta)?;
        content(delta, &mut whole.text, &mut whole.refusal);
        for call in delta.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
            let index = call.get("index").and_then(Json::as_u64).unwrap_or(0);
            self.tool_piece(index, call.get("function").unwrap_or(&Json::Null));
        }
        if let Some(call @ Json::Object(_)) = delta.get("function_call") {
            self.tool_piece(0, call);
        }
        Ok(())
    }

    fn tool_piece(&mut self, index: u64, function: &Json) {
        let empty = || ToolCall { name: String::new(), arguments: String::new() };
        let call = self.tools.entry(index).or_insert_with(empty);
        call.name.push_str(function.get("name").and_then(Json::as_str).unwrap_or_default());
        call.arguments.push_str(function.get("arguments").and_then(Json::as_str).unwrap_or_default());
    }

    fn completion(self) -> Result<Completion, EnvelopeFault> {
        if !self.ended && self.completion.finish == Finish::Missing {
            return Err(EnvelopeFault::CutStream);
        }
        let last_choice = self.last_choice.ok_or(EnvelopeFault::NoChoice)?;
        let mut whole = self.completion;
        whole.extra_choices = u32::try_from(last_choice).unwrap_or(u32::MAX);
        whole.extra_tool_calls = count(self.tools.len().saturating_sub(1));
        whole.tool = self.tools.into_values().next();
        whole.repairs.sort_unstable();
        whole.repairs.dedup();
        Ok(whole)
    }
}
