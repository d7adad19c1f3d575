//! The body of a request: the row of a dialect, filled in.
//!
//! It follows from its arguments alone, so what is shown is what is sent.

use std::sync::{Arc, PoisonError, RwLock};

use probity_core::packet::Ask;
use serde_json::{Map, Value, json};

use super::Prompt;
use super::verdict_schema::{questions, stated, verdict_schema};
use crate::config::{AnswerShape, ChatSettings, Effort, LeftOut, ServiceTier, SignalSource};

/// The body of a request about `ask`, without the parameters that were refused.
pub(super) fn body(chat: &ChatSettings, left: &LeftOut, prompt: &Prompt, ask: &Ask) -> Value {
    let (row, sent) = (chat.dialect(), chat.sent(left));
    let system = format!("{}{}", prompt.system, stated(sent.signal));
    let fill = |template: &Value| {
        filled(template, &|name| match name {
            "$model" => Some(json!(chat.model)),
            "$system" => Some(json!(system)),
            "$whole" => Some(json!(format!("{system}\n\n{}", prompt.user))),
            "$user" => Some(json!(prompt.user)),
            "$stable" => Some(json!(prompt.user[..prompt.n_stable])),
            "$rest" => Some(json!(prompt.user[prompt.n_stable..])),
            "$schema" => Some(verdict_schema(ask, sent.signal)),
            "$questions" => Some(questions(ask)),
            _ => None,
        })
    };
    let mut body = fill(&row.request);
    // A host takes no mark on nothing.
    if let Some(marked) = row.marked.as_ref().filter(|_| (1..prompt.user.len()).contains(&prompt.n_stable)) {
        merge(&mut body, fill(marked));
    }
    let number = |digits: String| serde_json::from_str::<Value>(&digits).expect("a decimal is a JSON number");
    let mut put = |field: &Option<String>, value: Option<Value>| {
        if let (Some(field), Some(value)) = (field, value) {
            set(&mut body, field, value);
        }
    };
    put(&row.temperature, sent.temperature.map(|temperature| number(temperature.to_string())));
    put(&row.seed, sent.seed.map(|seed| json!(seed)));
    put(&row.limit.as_ref().map(|_| sent.limit_field.clone()), sent.limit.map(|limit| json!(limit)));
    let flex = row.flex.as_ref().filter(|_| chat.service_tier == ServiceTier::Flex);
    put(&flex.map(|flex| flex.field.clone()), Some(json!(ServiceTier::Flex.name())));
    put(&row.context, chat.context_tokens.map(|tokens| json!(tokens)));
    put(&row.logprobs, (sent.signal == SignalSource::Logprobs).then(|| json!(true)));
    let off = row.off.as_ref().filter(|_| sent.effort == Some(Effort::None));
    put(&row.effort, sent.effort.filter(|_| off.is_none()).map(|effort| json!(effort.name())));
    let shape = match sent.shape {
        AnswerShape::Schema => row.schema.as_ref(),
        AnswerShape::JsonObject => row.json_object.as_ref(),
        AnswerShape::Plain => None,
    };
    for part in [off, shape, row.extra.as_ref()].into_iter().flatten() {
        merge(&mut body, fill(part));
    }
    for (key, value) in &chat.extra_body {
        merge(&mut body, json!({ key: value }));
    }
    body
}

/// What stands for the system message, for the part of the user's that does not change, and for the rest of it.
const HOLES: [char; 3] = ['\u{e000}', '\u{e001}', '\u{e002}'];

/// The most frames that are kept.
const FRAMES_MAX: usize = 32;

/// Bodies of requests without their prompts: all questions by the same criteria have the same.
#[derive(Debug, Default)]
pub(super) struct Frames(RwLock<Vec<Arc<Frame>>>);

#[derive(Debug)]
struct Frame {
    ask: Arc<Ask>,
    /// Whether a part of the prompt is marked as one that does not change.
    is_marked: bool,
    /// The body, with [`HOLES`] for the prompt.
    text: String,
}

impl Frames {
    /// What `body` makes of `prompt` for questions about `ask`, as the bytes to send.
    pub(super) fn filled(&self, ask: &Arc<Ask>, prompt: &Prompt, body: &dyn Fn(&Prompt) -> Value) -> Vec<u8> {
        let is_marked = (1..prompt.user.len()).contains(&prompt.n_stable);
        let is_same = |frame: &&Arc<Frame>| Arc::ptr_eq(&frame.ask, ask) && frame.is_marked == is_marked;
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).iter().find(is_same).cloned();
        if let Some(frame) = known {
            return frame.filled(prompt);
        }
        let whole = body(prompt).to_string().into_bytes();
        let mut frames = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if frames.len() < FRAMES_MAX {
            let [system, stable, rest] = HOLES;
            let n_stable = if is_marked { stable.len_utf8() } else { 0 };
            let open = Prompt { system: system.into(), user: [stable, rest].iter().collect(), n_stable };
            let frame = Frame { ask: Arc::clone(ask), is_marked, text: body(&open).to_string() };
            // Settings or criteria may have these characters too.
            if frame.filled(prompt) == whole {
                frames.push(Arc::new(frame));
            }
        }
        whole
    }
}

impl Frame {
    fn filled(&self, prompt: &Prompt) -> Vec<u8> {
        let (stable, rest) = prompt.user.split_at(if self.is_marked { prompt.n_stable } else { 0 });
        let mut body = Vec::with_capacity(self.text.len() + prompt.system.len() + prompt.user.len() + 64);
        let mut text = self.text.as_str();
        while let Some((at, hole)) = text.char_indices().find(|(_, c)| HOLES.contains(c)) {
            body.extend_from_slice(&text.as_bytes()[..at]);
            let part =
                [prompt.system.as_str(), stable, rest][HOLES.iter().position(|c| *c == hole).unwrap_or(0)];
            let start = body.len();
            serde_json::to_writer(&mut body, part).expect("a text can be written to memory");
            // It stands inside a text already.
            body.pop();
            body.remove(start);
            text = &text[at + hole.len_utf8()..];
        }
        body.extend_from_slice(text.as_bytes());
        body
    }
}

/// `template` with the texts for which `value` has something replaced by that.
fn filled(template: &Value, value: &dyn Fn(&str) -> Option<Value>) -> Value {
    match template {
        Value::String(text) => value(text).unwrap_or_else(|| template.clone()),
        Value::Array(items) => items.iter().map(|item| filled(item, value)).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, member)| (key.clone(), filled(member, value))).collect()
        }
        other => other.clone(),
    }
}

/// Puts `value` where the JSON pointer `field` leads, through objects that are made where there are none.
fn set(body: &mut Value, field: &str, value: Value) {
    let mut place = body;
    for key in field.split('/').skip(1) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[key];
    }
    *place = value;
}

/// Puts `over` above `body`, member by member.
fn merge(body: &mut Value, over: Value) {
    match (body, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                merge(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (place, over) => *place = over,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use probity_core::packet::Ask;

    use super::super::verdict_schema::samples::criterion;
    use super::*;
    use crate::config::{Config, Layer};

    /// The body of a request to the judge of this kind, under these settings of its table.
    #[track_caller]
    fn check(kind: &str, settings: &str, want: &Expect) {
        let layer = Layer::read("probity.toml", &format!("[judges.{kind}]\n{settings}")).expect("settings");
        let config = Config::resolve([layer]).expect("config");
        let chat = config.named_judge(kind).and_then(|judge| judge.chat()).expect("a chat judge");
        let prompt = Prompt { system: "Judge.".into(), user: "The \"reply\"".into(), n_stable: 0 };
        let ask = Ask::new(vec![criterion("tone", 1, 2)]).expect("a criterion");
        want.assert_eq(&body(chat, &LeftOut::default(), &prompt, &ask).to_string());
    }

    #[test]
    fn chat_completions() {
        check(
            "openai",
            "model = 'gpt-4o'",
            &expect![[
                r#"{"model":"gpt-4o","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"temperature":0,"seed":7,"max_completion_tokens":1024,"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}}"#
            ]],
        );
        check(
            "openai",
            "model = 'gpt-6-luna'",
            &expect![[
                r#"{"model":"gpt-6-luna","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"seed":7,"max_completion_tokens":5120,"reasoning_effort":"low","response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}}"#
            ]],
        );
        let other = "model = 'm'\nbase_url = 'http://localhost:1/v1'\ntemperature = 0.7\nseed = 'unset'\nstructured = 'plain'\nsignal = 'logprobs'";
        check(
            "openai",
            other,
            &expect![[
                r#"{"model":"m","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"temperature":0.7,"max_tokens":1024,"logprobs":true}"#
            ]],
        );
        check(
            "mistral",
            "model = 'm'\nstructured = 'json_object'",
            &expect![[
                r#"{"model":"m","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"temperature":0,"random_seed":7,"max_tokens":1024,"response_format":{"type":"json_object"}}"#
            ]],
        );
        check(
            "deepseek",
            "model = 'deepseek-v4-flash'\neffort = 'none'",
            &expect![[
                r#"{"model":"deepseek-v4-flash","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"temperature":0,"max_tokens":5120,"thinking":{"type":"disabled"},"response_format":{"type":"json_object"}}"#
            ]],
        );
        check(
            "openrouter",
            "model = 'm'\nstructured = 'plain'",
            &expect![[
                r#"{"model":"m","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"temperature":0,"seed":7,"max_tokens":1024,"plugins":[{"id":"context-compression","enabled":false}]}"#
            ]],
        );
    }

    #[test]
    fn messages() {
        check(
            "anthropic",
            "model = 'claude-haiku-5-5'",
            &expect![[
                r#"{"model":"claude-haiku-5-5","system":"Judge.","messages":[{"role":"user","content":"The \"reply\""}],"max_tokens":5120,"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}}"#
            ]],
        );
        check(
            "anthropic",
            "model = 'claude-haiku-4-5'\nstructured = 'plain'\noutput_tokens_max = 300",
            &expect![[
                r#"{"model":"claude-haiku-4-5","system":"Judge.","messages":[{"role":"user","content":"The \"reply\""}],"temperature":0,"max_tokens":300}"#
            ]],
        );
    }

    #[test]
    fn a_frame_gives_what_the_body_is() {
        let ask = Arc::new(Ask::new(vec![criterion("tone", 1, 2)]).expect("a criterion"));
        for (kind, settings) in [
            ("openai", "model = 'm'"),
            ("openai", "model = '\u{e000}'"),
            ("anthropic", "model = 'claude-haiku-5-5'"),
        ] {
            let layer = Layer::read("f", &format!("[judges.{kind}]\n{settings}")).expect("settings");
            let config = Config::resolve([layer]).expect("config");
            let chat = config.named_judge(kind).and_then(|judge| judge.chat()).expect("a chat judge");
            let (frames, left) = (Frames::default(), LeftOut::default());
            for (user, n_stable) in [("a \"b\"", 0), ("c\n\u{e001}\u{1f600}d", 1), ("", 0), ("e\\f", 3)] {
                let prompt = Prompt { system: "Judge\t\u{e002}.".into(), user: user.into(), n_stable };
                let body = |prompt: &Prompt| body(chat, &left, prompt, &ask);
                for _ in 0..2 {
                    let sent = frames.filled(&ask, &prompt, &body);
                    assert_eq!(String::from_utf8(sent).expect("text"), body(&prompt).to_string());
                }
            }
        }
    }

    #[test]
    fn the_flex_tier_is_one_field() {
        let flex = "model = 'm'\nstructured = 'plain'\nservice_tier = 'flex'\n";
        check(
            "openai",
            flex,
            &expect![[
                r#"{"model":"m","messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"temperature":0,"seed":7,"max_completion_tokens":1024,"service_tier":"flex"}"#
            ]],
        );
    }

    #[test]
    fn marks_stand_behind_what_does_not_change() {
        let layer =
            Layer::read("f", "[judges.anthropic]\nstructured = 'plain'\nmodel = 'm'").expect("settings");
        let config = Config::resolve([layer]).expect("config");
        let chat = config.named_judge("anthropic").and_then(|judge| judge.chat()).expect("a chat judge");
        let ask = Ask::new(vec![criterion("tone", 1, 2)]).expect("a criterion");
        let sent = |n_stable| {
            let prompt = Prompt { system: "Judge.".into(), user: "Tone.\nReply".into(), n_stable };
            body(chat, &LeftOut::default(), &prompt, &ask).to_string()
        };
        expect![[r#"{"model":"m","system":[{"type":"text","text":"Judge.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Tone.\n","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Reply"}]}],"temperature":0,"max_tokens":1024}"#]]
            .assert_eq(&sent(6));
        expect![[r#"{"model":"m","system":"Judge.","messages":[{"role":"user","content":"Tone.\nReply"}],"temperature":0,"max_tokens":1024}"#]]
            .assert_eq(&sent(0));
    }

    #[test]
    fn a_judge_is_asked_how_sure_it_is() {
        check(
            "openai",
            "model = 'm'\nsignal = 'stated'",
            &expect![[
                r#"{"model":"m","messages":[{"role":"system","content":"Judge.\n\nAdd a last member \"confidence\" to the object: how probable it is, in percent, that careful people would decide as you did. One of 50, 60, 70, 80, 90, 95, 99. Be honest about doubt: it costs you nothing."},{"role":"user","content":"The \"reply\""}],"temperature":0,"seed":7,"max_completion_tokens":1024,"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]},"confidence":{"type":"integer","enum":[50,60,70,80,90,95,99]}},"required":["reasoning","score","confidence"],"additionalProperties":false}}}}"#
            ]],
        );
        check(
            "openai-decisions",
            "model = 'gpt-6-luna'",
            &expect![[
                r#"{"model":"gpt-6-luna","input":"Judge.\n\nThe \"reply\"","questions":[{"type":"score","name":"tone","instructions":"Which level of the criterion `tone` fits the reply to grade best?","levels":[{"label":"1"},{"label":"2"}]}]}"#
            ]],
        );
    }

    #[test]
    fn other_shapes() {
        check(
            "openai-responses",
            "model = 'gpt-5-pro'",
            &expect![[
                r#"{"model":"gpt-5-pro","instructions":"Judge.","input":"The \"reply\"","store":false,"max_output_tokens":5120,"reasoning":{"effort":"low"},"text":{"format":{"type":"json_schema","name":"verdict","strict":true,"schema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}}"#
            ]],
        );
        check(
            "gemini",
            "model = 'gemini-3.5-flash-lite'",
            &expect![[
                r#"{"systemInstruction":{"parts":[{"text":"Judge."}]},"contents":[{"role":"user","parts":[{"text":"The \"reply\""}]}],"generationConfig":{"seed":7,"maxOutputTokens":5120,"thinkingConfig":{"thinkingLevel":"low"},"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}}"#
            ]],
        );
        check(
            "ollama",
            "model = 'llama'\ncontext_tokens = 8192",
            &expect![[
                r#"{"model":"llama","stream":false,"messages":[{"role":"system","content":"Judge."},{"role":"user","content":"The \"reply\""}],"options":{"temperature":0,"seed":7,"num_predict":1024,"num_ctx":8192},"format":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2]}},"required":["reasoning","score"],"additionalProperties":false}}"#
            ]],
        );
    }
}
