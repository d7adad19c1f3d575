//! Judges behind the chat completions API, at OpenAI or anywhere that speaks it.
//!
//! The adapter builds the request and reports what came back. The request follows from the question and
//! the parameters alone, so the same question is the same bytes, and what is shown is what is sent.

use probity_core::packet::Ask;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::account::{Account, written};
use super::params::{Shape, Temperature};
use super::verdict_schema::{NAME, VerdictSchema};
use super::{Prompt, Question, Reception};
use crate::config::{Logprobs, TokenLimitField};

/// The parameters of a chat completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatParams {
    /// The sampling temperature; `None` leaves it to the service, for models that take none.
    pub temperature: Option<Temperature>,
    /// The seed of the sampling.
    pub seed: Option<i64>,
    /// The most tokens an answer may have.
    pub output_tokens_max: u32,
    /// How that cap is called.
    pub token_limit_field: TokenLimitField,
    /// How a verdict-shaped answer is asked for.
    pub shape: Shape,
    /// Whether token probabilities are asked for.
    pub logprobs: Logprobs,
}

/// A model behind the chat completions API.
#[derive(Debug, Clone)]
pub struct OpenAi {
    /// Where it is reached.
    pub account: Account,
    /// The model's name, as asked for.
    pub model: String,
    /// How it is asked.
    pub params: ChatParams,
}

impl OpenAi {
    /// Asks once.
    pub async fn ask(&self, question: &Question) -> Reception {
        let prompt_bytes = question.prompt.system.len() + question.prompt.user.len();
        self.post(written(&chat_body(&self.model, &self.params, question), prompt_bytes)).await
    }

    /// Sends a request built before, so that what was shown or recorded is what is sent.
    pub async fn send(&self, body: &Value) -> Reception {
        self.post(written(body, 0)).await
    }

    async fn post(&self, body: Vec<u8>) -> Reception {
        let key = (AUTHORIZATION, "Bearer ");
        self.account.post("chat/completions", key, HeaderMap::new(), body).await
    }
}

/// The request that asks `model` about `question`, as a value.
pub fn request_body(model: &str, params: &ChatParams, question: &Question) -> Value {
    serde_json::to_value(chat_body(model, params, question)).expect("a request is plain data")
}

fn chat_body<'a>(model: &'a str, params: &'a ChatParams, question: &'a Question) -> ChatBody<'a> {
    ChatBody { model, params, prompt: &question.prompt, ask: question.packet.ask() }
}

/// A request, written member by member: each call's is large and most of it is text that is at hand.
struct ChatBody<'a> {
    model: &'a str,
    params: &'a ChatParams,
    prompt: &'a Prompt,
    ask: &'a Ask,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: NamedSchema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: VerdictSchema<'a>,
}

impl Serialize for ChatBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ChatBody { model, params, prompt, ask } = self;
        let messages = [
            Message { role: "system", content: &prompt.system },
            Message { role: "user", content: &prompt.user },
        ];
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("model", model)?;
        body.serialize_entry("messages", &messages)?;
        if let Some(temperature) = &params.temperature {
            body.serialize_entry("temperature", temperature.number())?;
        }
        if let Some(seed) = params.seed {
            body.serialize_entry("seed", &seed)?;
        }
        body.serialize_entry(params.token_limit_field.name(), &params.output_tokens_max)?;
        if let Some(format) = response_format(params.shape, ask) {
            body.serialize_entry("response_format", &format)?;
        }
        if params.logprobs == Logprobs::On {
            body.serialize_entry("logprobs", &true)?;
        }
        body.end()
    }
}

fn response_format(shape: Shape, ask: &Ask) -> Option<ResponseFormat<'_>> {
    match shape {
        Shape::Schema => {
            let json_schema = NamedSchema { name: NAME, strict: true, schema: VerdictSchema(ask) };
            Some(ResponseFormat::JsonSchema { json_schema })
        }
        Shape::JsonObject => Some(ResponseFormat::JsonObject),
        Shape::Plain => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::params::{Shape, Temperature};
    use super::super::verdict_schema::samples::criterion;
    use super::{Ask, ChatBody, ChatParams, Logprobs, Prompt, TokenLimitField};

    fn params(shape: Shape) -> ChatParams {
        ChatParams {
            temperature: Temperature::parse("0"),
            seed: Some(7),
            output_tokens_max: 400,
            token_limit_field: TokenLimitField::MaxTokens,
            shape,
            logprobs: Logprobs::Off,
        }
    }

    #[track_caller]
    fn check(params: &ChatParams, want: &Expect) {
        let prompt = Prompt { system: "Judge.".into(), user: "The \"reply\"\n<b>".into() };
        let ask = Ask::new(vec![criterion("tone", 1, 2)]).expect("a criterion");
        let body = ChatBody { model: "m-1", params, prompt: &prompt, ask: &ask };
        let sent = serde_json::to_string(&body).expect("plain data");
        let shown = serde_json::to_value(&body).expect("plain data").to_string();
        assert_eq!(shown, sent, "what is shown is what is sent");
        want.assert_eq(&sent);
    }

    #[test]
    fn schema() {
        check(
            &params(Shape::Schema),
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0,"seed":7,"max_tokens":400,"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}}"#
            ]],
        );
    }

    #[test]
    fn json_object_and_plain() {
        check(
            &params(Shape::JsonObject),
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0,"seed":7,"max_tokens":400,"response_format":{"type":"json_object"}}"#
            ]],
        );
        let mut plain = params(Shape::Plain);
        plain.temperature = None;
        plain.seed = None;
        plain.token_limit_field = TokenLimitField::MaxCompletionTokens;
        plain.logprobs = Logprobs::On;
        check(
            &plain,
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"max_completion_tokens":400,"logprobs":true}"#
            ]],
        );
    }
}
