//! Anthropic's Messages API.
//!
//! The verdict is asked for by the prompt, or by a tool named `verdict` that the model is made to call: this API has no
//! JSON mode.

use probity_core::packet::Ask;
use probity_core::verdict::envelope;
use serde_json::{Value, json};

use super::Prompt;
use super::params::Shape;
use super::verdict_schema::{NAME, verdict_schema};
use super::wire::{Wire, temperature};
use crate::config::ChatSettings;

/// Messages, in the version of the API whose shapes are meant.
pub(super) const WIRE: Wire = Wire {
    path: |endpoint| if endpoint.ends_with("v1") { "messages" } else { "v1/messages" },
    key_header: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    body,
    completion: envelope::anthropic,
};

fn body(chat: &ChatSettings, shape: Shape, prompt: &Prompt, ask: &Ask) -> Value {
    let mut body = json!({
        "model": chat.model,
        "max_tokens": chat.output_tokens_max,
        "system": prompt.system,
        "messages": [{ "role": "user", "content": prompt.user }],
        "temperature": temperature(chat),
    });
    if shape == Shape::Schema {
        let description = "Records the verdict on the reply.";
        let tool = json!({ "name": NAME, "description": description, "input_schema": verdict_schema(ask) });
        body["tools"] = json!([tool]);
        body["tool_choice"] = json!({ "type": "tool", "name": NAME });
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
    fn check(shape: Shape, want: &Expect) {
        let settings = "model = 'c-1'\noutput_tokens_max = 300\ntemperature = 0.5";
        want.assert_eq(&body(Dialect::Anthropic, settings, shape));
    }

    #[test]
    fn plain() {
        check(
            Shape::Plain,
            &expect![[
                r#"{"model":"c-1","max_tokens":300,"system":"Judge.","messages":[{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0.5}"#
            ]],
        );
    }

    #[test]
    fn forced_tool() {
        check(
            Shape::Schema,
            &expect![[
                r#"{"model":"c-1","max_tokens":300,"system":"Judge.","messages":[{"role":"user","content":"The \"reply\"\n<b>"}],"temperature":0.5,"tools":[{"name":"verdict","description":"Records the verdict on the reply.","input_schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}],"tool_choice":{"type":"tool","name":"verdict"}}"#
            ]],
        );
    }
}
