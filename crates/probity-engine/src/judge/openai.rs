//! The chat completions API, at OpenAI or anywhere that speaks it.

use probity_core::packet::Ask;
use probity_core::verdict::envelope;
use serde_json::{Value, json};

use super::Prompt;
use super::params::Shape;
use super::verdict_schema::{NAME, verdict_schema};
use super::wire::{Wire, temperature};
use crate::config::{ChatSettings, Logprobs};

/// Chat completions.
pub(super) const WIRE: Wire = Wire {
    path: |_| "chat/completions",
    key_header: ("authorization", "Bearer "),
    headers: &[],
    body,
    completion: envelope::openai,
};

fn body(chat: &ChatSettings, shape: Shape, prompt: &Prompt, ask: &Ask) -> Value {
    let mut body = json!({
        "model": chat.model,
        "messages": [
            { "role": "system", "content": prompt.system },
            { "role": "user", "content": prompt.user },
        ],
        "temperature": temperature(chat),
    });
    if let Some(seed) = chat.seed {
        body["seed"] = json!(seed);
    }
    body[chat.token_limit_field.name()] = json!(chat.output_tokens_max);
    match shape {
        Shape::Schema => {
            let schema = json!({ "name": NAME, "strict": true, "schema": verdict_schema(ask) });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        Shape::JsonObject => body["response_format"] = json!({ "type": "json_object" }),
        Shape::Plain => {}
    }
    if chat.logprobs == Logprobs::On {
        body["logprobs"] = json!(true);
    }
    body
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::wire::samples::body;
    use super::Shape;
    use crate::config::Dialect;

    #[track_caller]
    fn check(settings: &str, shape: Shape, want: &Expect) {
        want.assert_eq(&body(Dialect::Openai, &format!("model = 'm-1'\n{settings}"), shape));
    }

    #[test]
    fn schema() {
        check(
            "output_tokens_max = 400",
            Shape::Schema,
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0,"seed":7,"max_tokens":400,"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}}"#
            ]],
        );
    }

    #[test]
    fn json_object_and_plain() {
        check(
            "output_tokens_max = 400",
            Shape::JsonObject,
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0,"seed":7,"max_tokens":400,"response_format":{"type":"json_object"}}"#
            ]],
        );
        check(
            "temperature = 0.7\noutput_tokens_max = 400\ntoken_limit_field = 'max_completion_tokens'\nlogprobs = 'on'",
            Shape::Plain,
            &expect![[
                r#"{"model":"m-1","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0.7,"seed":7,"max_completion_tokens":400,"logprobs":true}"#
            ]],
        );
    }
}
