//! Judges behind Anthropic's Messages API.
//!
//! The verdict is asked for by the prompt, or by a tool named `verdict` that the model is made to call. As
//! with every adapter, the request follows from the question and the parameters alone.

use probity_core::packet::Ask;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::account::{Account, written};
use super::params::{Shape, Temperature};
use super::verdict_schema::{NAME, VerdictSchema};
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
        let prompt_bytes = question.prompt.system.len() + question.prompt.user.len();
        self.post(written(&message_body(&self.model, &self.params, question), prompt_bytes)).await
    }

    /// Sends a request built before, so that what was shown or recorded is what is sent.
    pub async fn send(&self, body: &Value) -> Reception {
        self.post(written(body, 0)).await
    }

    async fn post(&self, body: Vec<u8>) -> Reception {
        let path = if self.account.endpoint.ends_with("v1") { "messages" } else { "v1/messages" };
        let version = (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(API_VERSION));
        let key = (HeaderName::from_static("x-api-key"), "");
        self.account.post(path, key, HeaderMap::from_iter([version]), body).await
    }
}

/// The request that asks `model` about `question`, as a value.
pub fn request_body(model: &str, params: &MessageParams, question: &Question) -> Value {
    serde_json::to_value(message_body(model, params, question)).expect("a request is plain data")
}

fn message_body<'a>(model: &'a str, params: &'a MessageParams, question: &'a Question) -> MessageBody<'a> {
    MessageBody { model, params, prompt: &question.prompt, ask: question.packet.ask() }
}

/// A request, written member by member: each call's is large and most of it is text that is at hand.
struct MessageBody<'a> {
    model: &'a str,
    params: &'a MessageParams,
    prompt: &'a Prompt,
    ask: &'a Ask,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    description: &'static str,
    input_schema: VerdictSchema<'a>,
}

#[derive(Serialize)]
struct ToolChoice {
    r#type: &'static str,
    name: &'static str,
}

impl Serialize for MessageBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MessageBody { model, params, prompt, ask } = self;
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("model", model)?;
        body.serialize_entry("max_tokens", &params.output_tokens_max)?;
        body.serialize_entry("system", &prompt.system)?;
        body.serialize_entry("messages", &[Message { role: "user", content: &prompt.user }])?;
        if let Some(temperature) = &params.temperature {
            body.serialize_entry("temperature", temperature.number())?;
        }
        if params.shape == Shape::Schema {
            let description = "Records the verdict on the reply.";
            let tool = Tool { name: NAME, description, input_schema: VerdictSchema(ask) };
            body.serialize_entry("tools", &[tool])?;
            body.serialize_entry("tool_choice", &ToolChoice { r#type: "tool", name: NAME })?;
        }
        body.end()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::params::{Shape, Temperature};
    use super::super::verdict_schema::samples::criterion;
    use super::{Ask, MessageBody, MessageParams, Prompt};

    #[track_caller]
    fn check(shape: Shape, want: &Expect) {
        let temperature = Temperature::parse("0.5");
        let params = MessageParams { temperature, output_tokens_max: 300, shape };
        let prompt = Prompt { system: "Judge.".into(), user: "The reply".into() };
        let ask = Ask::new(vec![criterion("tone", 1, 2)]).expect("a criterion");
        let body = MessageBody { model: "c-1", params: &params, prompt: &prompt, ask: &ask };
        let sent = serde_json::to_string(&body).expect("plain data");
        let shown = serde_json::to_value(&body).expect("plain data").to_string();
        assert_eq!(shown, sent, "what is shown is what is sent");
        want.assert_eq(&sent);
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
