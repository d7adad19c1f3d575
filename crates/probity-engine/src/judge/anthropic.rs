//! Judges behind Anthropic's Messages API.
//!
//! The verdict is asked for by the prompt, or by a tool named `verdict` that the model is made to call. As
//! with every adapter, the request follows from the question and the parameters alone.

use probity_core::rubric::Criterion;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use super::endpoint::{ApiKey, Endpoint};
use super::http::HttpClient;
use super::params::{ReservedParameter, Shape, Temperature, free_of};
use super::verdict_schema::{NAME, verdict_schema};
use super::{Prompt, Question, Reception};

/// The version of the API whose shapes are meant.
const API_VERSION: &str = "2023-06-01";

/// What the adapter sets itself, or what would change the shape of the response.
const RESERVED: &[&str] =
    &["model", "messages", "system", "stream", "temperature", "max_tokens", "tools", "tool_choice"];

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
    /// Further parameters, sent as they are after all others.
    pub extra: Map<String, Value>,
}

/// A model behind the Messages API.
#[derive(Debug, Clone)]
pub struct Anthropic {
    endpoint: Endpoint,
    key: Option<ApiKey>,
    model: String,
    params: MessageParams,
    client: HttpClient,
}

impl Anthropic {
    /// The model called `model` at `endpoint`.
    pub fn new(
        endpoint: Endpoint,
        key: Option<ApiKey>,
        model: impl Into<String>,
        params: MessageParams,
        client: HttpClient,
    ) -> Result<Self, ReservedParameter> {
        free_of(&params.extra, RESERVED)?;
        Ok(Anthropic { endpoint, key, model: model.into(), params, client })
    }

    /// Where it is reached.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The model's name, as asked for.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The request for `question`, exactly as it is sent.
    pub fn request_body(&self, question: &Question) -> Value {
        request_body(&self.model, &self.params, question)
    }

    /// Asks once.
    pub async fn ask(&self, question: &Question) -> Reception {
        self.send(&self.request_body(question)).await
    }

    /// Sends a request built before, so that what was shown or recorded is what is sent.
    pub async fn send(&self, body: &Value) -> Reception {
        let path = if self.endpoint.ends_with("v1") { "messages" } else { "v1/messages" };
        let url = self.endpoint.call(path);
        let mut headers = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (ACCEPT, HeaderValue::from_static("application/json")),
            (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(API_VERSION)),
        ]);
        let key = self.key.as_ref();
        headers.extend(key.map(|key| (HeaderName::from_static("x-api-key"), key.header(""))));
        let body = serde_json::to_vec(body).expect("a JSON value can be written");
        let reception = self.client.post(&url, headers, body).await;
        match key {
            Some(key) => key.scrub(reception),
            None => reception,
        }
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
    body.extend(params.extra.clone());
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::Map;

    use super::super::params::{Shape, Temperature};
    use super::super::verdict_schema::samples::criterion;
    use super::{MessageParams, Prompt, message_body};

    #[track_caller]
    fn check(shape: Shape, want: &Expect) {
        let temperature = Temperature::parse("0.5");
        let params = MessageParams { temperature, output_tokens_max: 300, shape, extra: Map::new() };
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
