//! Judges behind the chat completions API, at OpenAI or anywhere that speaks it.
//!
//! The adapter builds the request and reports what came back. The request follows from the question and
//! the parameters alone, so the same question is the same bytes, and what is shown is what is sent.

use probity_core::rubric::Criterion;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Map, Value, json};

use super::account::Account;
use super::params::{Shape, Temperature};
use super::verdict_schema::{NAME, verdict_schema};
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
        self.send(&request_body(&self.model, &self.params, question)).await
    }

    /// Sends a request built before, so that what was shown or recorded is what is sent.
    pub async fn send(&self, body: &Value) -> Reception {
        let key = (AUTHORIZATION, "Bearer ");
        self.account.post("chat/completions", key, HeaderMap::new(), body).await
    }
}

/// The request that asks `model` about `question`.
pub fn request_body(model: &str, params: &ChatParams, question: &Question) -> Value {
    chat_body(model, params, &question.prompt, question.packet.ask().criteria())
}

fn chat_body(model: &str, params: &ChatParams, prompt: &Prompt, criteria: &[Criterion]) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert(
        "messages".to_owned(),
        json!([
            { "role": "system", "content": prompt.system },
            { "role": "user", "content": prompt.user },
        ]),
    );
    if let Some(temperature) = &params.temperature {
        body.insert("temperature".to_owned(), temperature.value());
    }
    if let Some(seed) = params.seed {
        body.insert("seed".to_owned(), json!(seed));
    }
    body.insert(params.token_limit_field.name().to_owned(), json!(params.output_tokens_max));
    if let Some(format) = response_format(params.shape, criteria) {
        body.insert("response_format".to_owned(), format);
    }
    if params.logprobs == Logprobs::On {
        body.insert("logprobs".to_owned(), json!(true));
    }
    Value::Object(body)
}

fn response_format(shape: Shape, criteria: &[Criterion]) -> Option<Value> {
    match shape {
        Shape::Schema => {
            let schema = json!({ "name": NAME, "strict": true, "schema": verdict_schema(criteria) });
            Some(json!({ "type": "json_schema", "json_schema": schema }))
        }
        Shape::JsonObject => Some(json!({ "type": "json_object" })),
        Shape::Plain => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::params::{Shape, Temperature};
    use super::super::verdict_schema::samples::criterion;
    use super::{ChatParams, Logprobs, Prompt, TokenLimitField, chat_body};

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
        let bytes = || chat_body("m-1", params, &prompt, &[criterion("tone", 1, 2)]).to_string();
        assert_eq!(bytes(), bytes());
        want.assert_eq(&bytes());
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
