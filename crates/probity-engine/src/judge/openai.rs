//! Judges behind the chat completions API, at OpenAI or anywhere that speaks it.
//!
//! The adapter builds the request and reports what came back. The request follows from the question and
//! the parameters alone, so the same question is the same bytes, and what is shown is what is sent.

use probity_core::rubric::Criterion;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};

use super::endpoint::{ApiKey, Endpoint};
use super::http::HttpClient;
use super::params::{ReservedParameter, Shape, Temperature, free_of};
use super::verdict_schema::{NAME, verdict_schema};
use super::{Prompt, Question, Reception};
use crate::config::{Logprobs, TokenLimitField};

/// What the adapter sets itself, or what would change the shape of the response.
const RESERVED: &[&str] = &[
    "model",
    "messages",
    "n",
    "stream",
    "temperature",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "logprobs",
];

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
    /// Further parameters, sent as they are after all others.
    pub extra: Map<String, Value>,
}

/// A model behind the chat completions API.
#[derive(Debug, Clone)]
pub struct OpenAi {
    endpoint: Endpoint,
    key: Option<ApiKey>,
    model: String,
    params: ChatParams,
    client: HttpClient,
}

impl OpenAi {
    /// The model called `model` at `endpoint`. Servers on one's own machine often need no key.
    pub fn new(
        endpoint: Endpoint,
        key: Option<ApiKey>,
        model: impl Into<String>,
        params: ChatParams,
        client: HttpClient,
    ) -> Result<Self, ReservedParameter> {
        free_of(&params.extra, RESERVED)?;
        Ok(OpenAi { endpoint, key, model: model.into(), params, client })
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
        let url = self.endpoint.call("chat/completions");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.extend(self.key.as_ref().map(|key| (AUTHORIZATION, key.header("Bearer "))));
        let body = serde_json::to_vec(body).expect("a JSON value can be written");
        let reception = self.client.post(&url, headers, body).await;
        match &self.key {
            Some(key) => key.scrub(reception),
            None => reception,
        }
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
    body.extend(params.extra.clone());
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
    use serde_json::{Map, json};

    use super::super::params::{Shape, Temperature, free_of};
    use super::super::verdict_schema::samples::criterion;
    use super::{ChatParams, Logprobs, Prompt, RESERVED, TokenLimitField, chat_body};

    fn params(shape: Shape) -> ChatParams {
        ChatParams {
            temperature: Temperature::parse("0"),
            seed: Some(7),
            output_tokens_max: 400,
            token_limit_field: TokenLimitField::MaxTokens,
            shape,
            logprobs: Logprobs::Off,
            extra: Map::new(),
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
        plain.extra.insert("reasoning_effort".into(), json!("low"));
        check(
            &plain,
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"max_completion_tokens":400,"logprobs":true,"reasoning_effort":"low"}"#
            ]],
        );
    }

    #[test]
    fn extra_parameters_cannot_replace_ours() {
        let extra = Map::from_iter([("top_p".to_owned(), json!(1)), ("stream".to_owned(), json!(true))]);
        let refused = free_of(&extra, RESERVED).unwrap_err();
        expect![[r#"the extra parameter "stream" is set by probity itself; expected another name"#]]
            .assert_eq(&refused.to_string());
    }
}
