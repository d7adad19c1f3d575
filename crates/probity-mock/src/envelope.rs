//! What the mock judge sends: a message, and the envelope that each dialect puts around it.

use serde_json::{Map, Value, json};

use super::confidence::{answers, logprobs};
use super::dialect::Dialect;

/// Whether answers say how many tokens they took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageReport {
    /// They do.
    On,
    /// They do not.
    Off,
}

/// What stands in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MessageContent {
    /// `null`.
    Null,
    /// One text.
    Text(String),
    /// A text in several parts.
    Parts(Vec<String>),
}

/// How the list of choices looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choices {
    /// As it should.
    One,
    /// A second choice follows.
    Two,
    /// An empty list.
    Empty,
    /// No list.
    Missing,
}

/// A message of the mock judge. In the Messages API reasons to finish and blocks have other names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerMessage {
    /// The text.
    pub(crate) content: MessageContent,
    /// A tool that is called, with its arguments.
    pub(crate) tool: Option<(String, String)>,
    /// The words of a refusal.
    pub(crate) refusal: Option<&'static str>,
    /// Reasoning beside the text.
    pub(crate) reasoning: Option<String>,
    /// Why it ended, in the words of chat completions.
    pub(crate) finish: &'static str,
    /// The list it stands in.
    pub(crate) choices: Choices,
    /// The usage as JSON, in place of the true one; empty for none.
    pub(crate) usage: Option<&'static str>,
}

impl AnswerMessage {
    /// A message with a text and nothing else.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        AnswerMessage {
            content: MessageContent::Text(text.into()),
            tool: None,
            refusal: None,
            reasoning: None,
            finish: "stop",
            choices: Choices::One,
            usage: None,
        }
    }

    /// A message that calls `tool` with these arguments.
    pub(crate) fn calling(tool: &str, arguments: &str) -> Self {
        let tool = Some((tool.to_owned(), arguments.to_owned()));
        AnswerMessage { content: MessageContent::Null, tool, finish: "tool_calls", ..AnswerMessage::text("") }
    }

    /// The body of a response that carries it.
    pub(crate) fn body(&self, sender: &Sender<'_>) -> String {
        let mut body = match sender.dialect {
            Dialect::OpenAi => self.openai(sender),
            Dialect::Anthropic => self.anthropic(sender),
            Dialect::Responses | Dialect::Gemini | Dialect::Ollama | Dialect::Decisions => {
                return self.other(sender).to_string();
            }
        };
        body.extend(self.usage(sender).map(|usage| ("usage".to_owned(), usage)));
        let body = Value::Object(body).to_string();
        match (&self.tool, sender.dialect) {
            // The arguments as they were written: they may have a key twice.
            (Some((_, arguments)), Dialect::Anthropic) => {
                body.replacen("\"input\":null", &format!("\"input\":{arguments}"), 1)
            }
            _ => body,
        }
    }

    fn openai(&self, sender: &Sender<'_>) -> Map<String, Value> {
        let content = match &self.content {
            MessageContent::Null => Value::Null,
            MessageContent::Text(text) => json!(text),
            MessageContent::Parts(parts) => parts.iter().map(|part| text_block(part)).collect(),
        };
        let mut message = json!({ "role": "assistant", "content": content, "refusal": self.refusal });
        if let Some(reasoning) = &self.reasoning {
            message["reasoning_content"] = json!(reasoning);
        }
        if let Some((name, arguments)) = &self.tool {
            let function = json!({ "name": name, "arguments": arguments });
            let id = format!("call_{}", sender.mark);
            message["tool_calls"] = json!([{ "id": id, "type": "function", "function": function }]);
        }
        let n_choices = match self.choices {
            Choices::One => Some(1),
            Choices::Two => Some(2),
            Choices::Empty => Some(0),
            Choices::Missing => None,
        };
        let choice = |index: u32| {
            let mut choice = json!({ "index": index, "message": message, "finish_reason": self.finish });
            if let (true, MessageContent::Text(text)) = (sender.logprobs, &self.content) {
                choice["logprobs"] = logprobs(text, sender.sure);
            }
            choice
        };
        let mut body = members(json!({
            "id": format!("chatcmpl-{}", sender.id),
            "object": "chat.completion",
            "created": 0,
            "model": sender.model,
            "system_fingerprint": sender.fingerprint,
        }));
        body.extend(n_choices.map(|n| ("choices".to_owned(), (0..n).map(choice).collect())));
        body.extend(sender.tier.map(|tier| ("service_tier".to_owned(), json!(tier))));
        body
    }

    fn anthropic(&self, sender: &Sender<'_>) -> Map<String, Value> {
        let mut blocks = Vec::new();
        blocks.extend(self.reasoning.as_ref().map(|text| json!({ "type": "thinking", "thinking": text })));
        match &self.content {
            MessageContent::Null => {}
            MessageContent::Text(text) => blocks.push(text_block(text)),
            MessageContent::Parts(parts) => blocks.extend(parts.iter().map(|part| text_block(part))),
        }
        if let Some((name, _)) = &self.tool {
            let id = format!("toolu_{}", sender.mark);
            blocks.push(json!({ "type": "tool_use", "id": id, "name": name, "input": null }));
        }
        let stop = match self.finish {
            "stop" => "end_turn",
            "length" => "max_tokens",
            "tool_calls" => "tool_use",
            _ => "refusal",
        };
        let mut body = members(json!({
            "id": format!("msg_{}", sender.id),
            "type": "message",
            "role": "assistant",
            "model": sender.model,
        }));
        if matches!(self.choices, Choices::One | Choices::Two) {
            body.insert("content".to_owned(), Value::Array(blocks));
        }
        body.insert("stop_reason".to_owned(), json!(stop));
        body.insert("stop_sequence".to_owned(), Value::Null);
        body
    }

    /// The envelope of a dialect that has no more than a text in it.
    fn other(&self, sender: &Sender<'_>) -> Value {
        let text = match &self.content {
            MessageContent::Null => String::new(),
            MessageContent::Text(text) => text.clone(),
            MessageContent::Parts(parts) => parts.concat(),
        };
        let (n_in, n_out) = (sender.n_tokens_read, text.len().div_ceil(4));
        let (model, is_cut) = (sender.model, self.finish == "length");
        let cached = sender.n_tokens_cached;
        match sender.dialect {
            Dialect::Responses => {
                let content = json!([{ "type": "output_text", "text": text }]);
                let why = is_cut.then(|| json!({ "reason": "max_output_tokens" }));
                json!({ "id": format!("resp_{}", sender.id), "object": "response", "model": model, "service_tier": sender.tier,
                    "status": if is_cut { "incomplete" } else { "completed" }, "incomplete_details": why, "error": null,
                    "output": [{ "type": "reasoning", "summary": [] }, { "type": "message", "role": "assistant", "content": content }],
                    "usage": { "input_tokens": n_in, "output_tokens": n_out, "input_tokens_details": { "cached_tokens": cached } } })
            }
            Dialect::Decisions => {
                let said = serde_json::from_str(&text).unwrap_or_default();
                json!({ "model": model, "answers": answers(sender.questions, &said, sender.sure),
                    "usage": { "input_tokens": n_in, "output_tokens": 0, "total_tokens": n_in } })
            }
            Dialect::Gemini => {
                let finish = if is_cut { "MAX_TOKENS" } else { "STOP" };
                let content = json!({ "role": "model", "parts": [{ "text": text }] });
                json!({ "candidates": [{ "content": content, "finishReason": finish, "index": 0 }], "modelVersion": model,
                    "responseId": sender.id, "usageMetadata": { "promptTokenCount": n_in, "candidatesTokenCount": n_out,
                        "cachedContentTokenCount": cached, "serviceTier": sender.tier } })
            }
            _ => json!({ "model": model, "message": { "role": "assistant", "content": text }, "done": true,
                "done_reason": self.finish, "prompt_eval_count": n_in, "eval_count": n_out }),
        }
    }

    /// Tokens are estimated at four bytes each; the services count in their own ways.
    fn usage(&self, sender: &Sender<'_>) -> Option<Value> {
        match (self.usage, sender.usage) {
            (Some(usage), _) => serde_json::from_str(usage).ok(),
            (None, UsageReport::Off) => None,
            (None, UsageReport::On) => {
                let said = match &self.content {
                    MessageContent::Null => self.tool.as_ref().map_or(0, |(_, arguments)| arguments.len()),
                    MessageContent::Text(text) => text.len(),
                    MessageContent::Parts(parts) => parts.iter().map(String::len).sum(),
                };
                let (n_in, n_out) = (sender.n_tokens_read, said.div_ceil(4));
                let cached = sender.n_tokens_cached;
                Some(match (sender.dialect, cached) {
                    (Dialect::Anthropic, 0) => json!({ "input_tokens": n_in, "output_tokens": n_out }),
                    (Dialect::Anthropic, _) => json!({ "input_tokens": n_in - cached, "output_tokens": n_out,
                        "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0 }),
                    (_, 0) => {
                        json!({ "prompt_tokens": n_in, "completion_tokens": n_out, "total_tokens": n_in + n_out })
                    }
                    _ => {
                        json!({ "prompt_tokens": n_in, "completion_tokens": n_out, "total_tokens": n_in + n_out,
                        "prompt_tokens_details": { "cached_tokens": cached } })
                    }
                })
            }
        }
    }
}

/// What an envelope says about the call that it answers.
#[derive(Debug)]
pub(crate) struct Sender<'a> {
    /// The dialect of the call.
    pub(crate) dialect: Dialect,
    /// The model that answers.
    pub(crate) model: &'a str,
    /// The response's id, without what a dialect puts before it.
    pub(crate) id: String,
    /// The call's pseudonym.
    pub(crate) mark: String,
    /// The fingerprint of the model's configuration.
    pub(crate) fingerprint: &'a str,
    /// Tokens of the request that were read: estimated at four bytes each.
    pub(crate) n_tokens_read: usize,
    /// Of those, tokens that came from a cache.
    pub(crate) n_tokens_cached: usize,
    /// The service tier, where one was asked for.
    pub(crate) tier: Option<&'a str>,
    /// How sure the judge is.
    pub(crate) sure: f64,
    /// Whether the probabilities of tokens are wanted.
    pub(crate) logprobs: bool,
    /// The questions of Decisions.
    pub(crate) questions: &'a [Value],
    /// Whether tokens are counted.
    pub(crate) usage: UsageReport,
}

fn members(object: Value) -> Map<String, Value> {
    if let Value::Object(members) = object { members } else { Map::new() }
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
