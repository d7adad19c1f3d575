//! Judges behind Anthropic's Messages API.
//!
//! The verdict is asked for by the prompt, or by a tool named `verdict` that the model is made to call. As
//! with every adapter, the request follows from the question and the parameters alone.

use probity_core::rubric::Criterion;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use super::account::Account;
use super::params::{Shape, Temperature};
use super::verdict_schema::{NAME, verdict_schema};
use super::{Prompt, Question, Reception};

/// The version of the API whose shapes are meant.
const API_VERSION: &str = "2023-06-01";

/// The parameters of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageParams {
    /// The sampling temperature; `None` leaves it to the service.
    pub temperature: Option<Temperature>,
    /// The most tokens an answer may have.
    pub output_tokens_max: u32,
    /// `Schema` makes the model call the `verdict` tool; both others ask by the prompt alone, because
    /// this API has no JSON mode.
    pub shape: Shape,
}

/// A model behind the Messages API.
#[derive(Debug, Clone)]
pub struct Anthropic {
    /// Where it is reached.
    pub account: Account,
    /// The model's name, as asked for.
    pub model: String,
    /// How it is asked.
    pub params: MessageParams,
}

impl Anthropic {
    /// Asks once.
    pub async fn ask(&self, question: &Question) -> Reception {
        self.send(&request_body(&self.model, &self.params, question)).await
    }

    /// Sends a request built before, so that what was shown or recorded is what is sent.
    pub async fn send(&self, body: &Value) -> Reception {
        let path = if self.account.endpoint.ends_with("v1") { "messages" } else { "v1/messages" };
        let version = (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(API_VERSION));
        let key = (HeaderName::from_static("x-api-key"), "");
        self.account.post(path, key, HeaderMap::from_iter([version]), body).await
    }
}

/// The request that asks `model` about `question`.
pub fn request_body(model: &str, params: &MessageParams, question: &Question) -> Value {
    message_body(model, params, &question.prompt, question.packet.ask().criteria())
}

fn message_body(model: &str, params: &MessageParams, prompt: &Prompt, criteria: &[Criterion]) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(params.output_tokens_max));
    body.insert("system".to_owned(), json!(prompt.system));
    body.insert("messages".to_owned(), json!([{ "role": "user", "content": prompt.user }]));
    if let Some(temperature) = &params.temperature {
        body.insert("temperature".to_owned(), temperature.value());
    }
    if params.shape == Shape::Schema {
        let tool = json!({
            "name": NAME,
            "description": "Records the verdict on the reply.",
            "input_schema": verdict_schema(criteria),
        });
        body.insert("tools".to_owned(), json!([tool]));
        body.insert("tool_choice".to_owned(), json!({ "type": "tool", "name": NAME }));
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::params::{Shape, Temperature};
    use super::super::verdict_schema::samples::criterion;
    use super::{MessageParams, Prompt, message_body};

    #[track_caller]
    fn check(shape: Shape, want: &Expect) {
        let temperature = Temperature::parse("0.5");
        let params = MessageParams { temperature, output_tokens_max: 300, shape };
        let prompt = Prompt { system: "Judge.".into(), user: "The reply".into() };
        let body = message_body("c-1", &params, &prompt, &[criterion("tone", 1, 2)]);
        want.assert_eq(&body.to_string());
    }

    #[test]
    fn plain() {
        check(
            Shape::Plain,
            &expect![[
                r#"{"model":"c-1","max_tokens":300,"system":"Judge.","messages":[{"role":"user","content":"The reply"}],"temperature":0.5}"#
            ]],
        );
    }

    #[test]
    fn forced_tool() {
        check(
            Shape::Schema,
            &expect![[
                r#"{"model":"c-1","max_tokens":300,"system":"Judge.","messages":[{"role":"user","content":"The reply"}],"temperature":0.5,"tools":[{"name":"verdict","description":"Records the verdict on the reply.","input_schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}],"tool_choice":{"type":"tool","name":"verdict"}}"#
            ]],
        );
    }
}
