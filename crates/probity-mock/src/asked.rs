//! What a request asks for: the packet, the model, and the form of the answer.
//!
//! As much of both dialects as a judge needs: the last user message, and a schema where one is given.
//! What is not needed is not read, so a request with further parameters is as good as one without.

use serde::Deserialize;
use serde_json::Value;

use super::dialect::Dialect;
use super::form::AnswerFormat;

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JudgeRequest {
    /// How it is spelled.
    pub(crate) dialect: Dialect,
    /// The model's name.
    pub(crate) model: String,
    /// The last user message; its BLAKE3 hash is the packet's key.
    pub(crate) user: String,
    /// The form of the answer.
    pub(crate) form: AnswerFormat,
    /// The two replies to be compared, where the prompt shows them as the built-in template does.
    pub(crate) candidates: Option<[String; 2]>,
    /// The tool through which the answer is wanted.
    pub(crate) tool: Option<String>,
    /// Bytes of the request, from which tokens are estimated.
    pub(crate) n_bytes: usize,
}

#[derive(Deserialize)]
struct RequestBody {
    #[serde(default)]
    model: String,
    #[serde(default)]
    messages: Vec<RequestMessage>,
    response_format: Option<Value>,
    #[serde(default)]
    tools: Vec<Value>,
}

#[derive(Deserialize)]
struct RequestMessage {
    role: String,
    #[serde(default)]
    content: Value,
}

/// Reads a request. The error is a sentence for the client.
pub(crate) fn asked(dialect: Dialect, bytes: &[u8]) -> Result<JudgeRequest, String> {
    let body: RequestBody =
        serde_json::from_slice(bytes).map_err(|error| format!("not a chat request: {error}"))?;
    let last = body.messages.into_iter().rev().find(|message| message.role == "user");
    let user = last.and_then(|message| text(message.content));
    let user = user.ok_or("expected messages with one whose role is \"user\" and whose content is text")?;
    let tool = body.tools.first().map(|tool| tool.get("function").unwrap_or(tool));
    let tool_schema = tool.and_then(|tool| tool.get("input_schema").or(tool.get("parameters")));
    let format_schema =
        body.response_format.as_ref().and_then(|format| format.get("json_schema")?.get("schema"));
    let form = match tool_schema.or(format_schema) {
        Some(schema) => AnswerFormat::of_schema(schema),
        None => AnswerFormat::of_prompt(&user).unwrap_or_else(|| match (dialect, &body.response_format) {
            // A request to chat completions without any form is for what a customer would read.
            (Dialect::OpenAi, None) => AnswerFormat::Reply,
            _ => AnswerFormat::fallback(),
        }),
    };
    let tool = tool.and_then(|tool| tool.get("name")).and_then(Value::as_str).map(str::to_owned);
    let candidates = candidates(&user);
    Ok(JudgeRequest { dialect, model: body.model, user, form, candidates, tool, n_bytes: bytes.len() })
}

impl JudgeRequest {
    /// What the customer wrote, where the prompt shows it as the built-in templates do.
    pub(crate) fn ticket(&self) -> Option<String> {
        let turns = || {
            let lines = self.user.lines().filter_map(|line| line.strip_prefix("customer: "));
            let turns: Vec<String> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
            (!turns.is_empty()).then(|| turns.join("\n"))
        };
        shown(&self.user, "Ticket: ").or_else(turns)
    }

    /// The one reply that is asked about, where the prompt shows it as the built-in template does.
    pub(crate) fn reply(&self) -> Option<String> {
        shown(&self.user, "Reply to grade: ")
    }

    /// The level that the prompt explains first, for this criterion or for its only one.
    pub(crate) fn level_listed_first(&self, criterion: &str) -> Option<i64> {
        let heading = format!("Criterion `{criterion}`:");
        let place = self.user.find(&heading).unwrap_or(0);
        let level = |line: &str| line.split_once(" = ")?.0.parse().ok();
        self.user[place..].lines().find_map(level)
    }
}

fn candidates(user: &str) -> Option<[String; 2]> {
    Some([shown(user, "Reply A: ")?, shown(user, "Reply B: ")?])
}

/// The text on the last line that begins with `start`.
fn shown(user: &str, start: &str) -> Option<String> {
    let line = user.lines().rev().find_map(|line| line.strip_prefix(start))?;
    serde_json::from_str(line).ok()
}

fn text(content: Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{Dialect, asked};

    #[track_caller]
    fn check(dialect: Dialect, body: &str, want: &Expect) {
        want.assert_eq(&match asked(dialect, body.as_bytes()) {
            Ok(asked) => format!("{:?} {:?} {:?} {:?}", asked.model, asked.user, asked.tool, asked.form),
            Err(message) => message,
        });
    }

    #[test]
    fn a_schema_decides_the_form() {
        check(
            Dialect::OpenAi,
            r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"seed":7,
                "response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{"score":{"enum":[1,2]}}}}}}"#,
            &expect![[r#""m" "u" None Object([("score", Level([1, 2]))])"#]],
        );
        check(
            Dialect::Anthropic,
            r#"{"model":"c","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}],
                "tools":[{"name":"verdict","input_schema":{"type":"object","properties":{"score":{"enum":[0]}}}}]}"#,
            &expect![[r#""c" "ab" Some("verdict") Object([("score", Level([0]))])"#]],
        );
    }

    #[test]
    fn without_a_schema_the_prompt_or_the_fallback_decides() {
        check(
            Dialect::OpenAi,
            r#"{"messages":[{"role":"user","content":"x\nN, where N is one of 3, 4."}],"response_format":{"type":"json_object"}}"#,
            &expect![[
                r#""" "x\nN, where N is one of 3, 4." None Object([("reasoning", Words), ("score", Level([3, 4]))])"#
            ]],
        );
        check(
            Dialect::OpenAi,
            r#"{"messages":[{"role":"user","content":"x"}]}"#,
            &expect![[r#""" "x" None Reply"#]],
        );
        check(
            Dialect::OpenAi,
            r#"{"messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_object"}}"#,
            &expect![[r#""" "x" None Object([("score", Level([1, 2, 3, 4, 5])), ("reasoning", Words)])"#]],
        );
    }

    #[test]
    fn what_is_no_request() {
        check(
            Dialect::OpenAi,
            "{}",
            &expect![[r#"expected messages with one whose role is "user" and whose content is text"#]],
        );
        check(
            Dialect::OpenAi,
            "{",
            &expect!["not a chat request: EOF while parsing an object at line 1 column 1"],
        );
    }
}
