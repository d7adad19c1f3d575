//! What a request asks for: the packet, the model, and the form of the answer.
//!
//! As much of every dialect as a judge needs: the last user message, and a schema where one is given.
//! What is not needed is not read, so a request with further parameters is as good as one without.

use serde_json::Value;

use super::dialect::Dialect;
use super::form::AnswerFormat;
use super::host::{MockHost, Treatment};

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
    /// The service tier that is asked for.
    pub(crate) tier: Option<String>,
    /// The tool through which the answer is wanted.
    pub(crate) tool: Option<String>,
    /// Whether the probabilities of tokens are asked for.
    pub(crate) logprobs: bool,
    /// The questions of Decisions.
    pub(crate) questions: Vec<Value>,
    /// Bytes of the request, from which tokens are estimated.
    pub(crate) n_bytes: usize,
    /// What the host does about it.
    pub(crate) treatment: Treatment,
}

/// Where the schema of an answer stands, by dialect.
const SCHEMAS: &[&str] = &[
    "/tools/0/input_schema",
    "/tools/0/function/parameters",
    "/tools/0/parameters",
    "/response_format/json_schema/schema",
    "/text/format/schema",
    "/output_config/format/schema",
    "/generationConfig/responseJsonSchema",
    "/format",
];

/// Reads a request. The error is a sentence for the client.
pub(crate) fn asked(
    dialect: Dialect,
    path: &str,
    bytes: &[u8],
    host: Option<&MockHost>,
) -> Result<JudgeRequest, String> {
    let body: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("not a chat request: {error}"))?;
    let user =
        user(&body).ok_or("expected messages with one whose role is \"user\" and whose content is text")?;
    let schema = SCHEMAS.iter().find_map(|place| body.pointer(place)).filter(|schema| schema.is_object());
    let questions = body.get("questions").and_then(Value::as_array).cloned().unwrap_or_default();
    let form = match schema {
        Some(schema) => AnswerFormat::of_schema(schema),
        None if !questions.is_empty() => AnswerFormat::of_questions(&questions),
        None => AnswerFormat::of_prompt(&user).unwrap_or_else(|| {
            // A request to chat completions without any form is for what a customer would read.
            match (dialect, body.get("response_format")) {
                (Dialect::OpenAi, None) => AnswerFormat::Reply,
                _ => AnswerFormat::fallback(),
            }
        }),
    };
    let text = |place: &str| body.pointer(place).and_then(Value::as_str).map(str::to_owned);
    let tool = text("/tools/0/function/name").or_else(|| text("/tools/0/name"));
    // Gemini has the model in the path: `…/models/MODEL:generateContent`.
    let of_path =
        || path.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(model, _)| model.to_owned());
    let model = text("/model").or_else(of_path).unwrap_or_default();
    let n_bytes = bytes.len();
    let treatment = host.map_or(Treatment::Served, |host| host.treatment(&body, &model, n_bytes));
    let (candidates, tier) = (candidates(&user), text("/service_tier"));
    let logprobs = body.get("logprobs").is_some_and(|asked| *asked == Value::Bool(true));
    Ok(JudgeRequest {
        dialect,
        model,
        user,
        form,
        candidates,
        tier,
        tool,
        logprobs,
        questions,
        n_bytes,
        treatment,
    })
}

/// The last message of the user: in `messages`, `contents` or `input`.
fn user(body: &Value) -> Option<String> {
    let input = body.get("input").filter(|input| input.is_string());
    let list = body.get("messages").or(body.get("contents")).and_then(Value::as_array);
    let newest = list.and_then(|list| list.iter().rev().find(|message| message["role"] == "user"));
    text(input.or(newest.and_then(|message| message.get("content").or(message.get("parts"))))?.clone())
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
        want.assert_eq(&match asked(dialect, "", body.as_bytes(), None) {
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
