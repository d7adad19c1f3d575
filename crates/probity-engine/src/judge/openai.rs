//! Judges behind the chat completions API, at OpenAI or anywhere that speaks it.
//!
//! The adapter builds the request and reports what came back. The request follows from the question and
//! the parameters alone, so the same question is the same bytes, and what is shown is what is sent.

use probity_core::rubric::Criterion;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};

use super::endpoint::{ApiKey, Endpoint};
use super::http::HttpClient;
use super::params::{ReservedParameter, Structured, Temperature, free_of};
use super::verdict_schema::{NAME, verdict_schema};
use super::{Prompt, Question, Reception};

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

/// Under which name the cap on answer tokens is sent. Services differ and refuse the other name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenLimitField {
    /// `max_tokens`
    MaxTokens,
    /// `max_completion_tokens`
    MaxCompletionTokens,
}

impl TokenLimitField {
    /// The name of the field.
    pub fn name(self) -> &'static str {
        match self {
            TokenLimitField::MaxTokens => "max_tokens",
            TokenLimitField::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// Whether the service is asked for the probabilities of the tokens it wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logprobs {
    /// They are asked for.
    Asked,
    /// They are not.
    NotAsked,
}

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
    pub structured: Structured,
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
        chat_body(&self.model, &self.params, &question.prompt, question.packet.ask().criteria())
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
        let reception = self.client.post(&url, headers, body.to_string().into_bytes()).await;
        match &self.key {
            Some(key) => key.scrub(reception),
            None => reception,
        }
    }
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
    if let Some(format) = response_format(params.structured, criteria) {
        body.insert("response_format".to_owned(), format);
    }
    if params.logprobs == Logprobs::Asked {
        body.insert("logprobs".to_owned(), json!(true));
    }
    body.extend(params.extra.clone());
    Value::Object(body)
}

fn response_format(structured: Structured, criteria: &[Criterion]) -> Option<Value> {
    match structured {
        Structured::Schema => {
            let schema = json!({ "name": NAME, "strict": true, "schema": verdict_schema(criteria) });
            Some(json!({ "type": "json_schema", "json_schema": schema }))
        }
        Structured::JsonObject => Some(json!({ "type": "json_object" })),
        Structured::Plain => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::{Map, json};

    use super::super::params::{Structured, Temperature, free_of};
    use super::super::verdict_schema::samples::criterion;
    use super::{ChatParams, Logprobs, Prompt, RESERVED, TokenLimitField, chat_body};

    fn params(structured: Structured) -> ChatParams {
        ChatParams {
            temperature: Temperature::parse("0"),
            seed: Some(7),
            output_tokens_max: 400,
            token_limit_field: TokenLimitField::MaxTokens,
            structured,
            logprobs: Logprobs::NotAsked,
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
            &params(Structured::Schema),
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0,"seed":7,"max_tokens":400,"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}}"#
            ]],
        );
    }

    #[test]
    fn json_object_and_plain() {
        check(
            &params(Structured::JsonObject),
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0,"seed":7,"max_tokens":400,"response_format":{"type":"json_object"}}"#
            ]],
        );
        let mut plain = params(Structured::Plain);
        plain.temperature = None;
        plain.seed = None;
        plain.token_limit_field = TokenLimitField::MaxCompletionTokens;
        plain.logprobs = Logprobs::Asked;
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
