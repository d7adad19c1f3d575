//! The messages that went into a model and came out of it, in each of the forms that spans have had.
//!
//! Today's conventions put both sides into attributes as JSON text. Earlier ones used an event for each message,
//! then one event for a side, and before that an attribute for each role and text. Whatever form has messages
//! is read; the newest wins where there are several. Only what a person could read is kept: text, not tool
//! calls, reasoning or files.

use probity_core::json::{self, Json, Object};

use super::attributes::{Attributes, first, plain};

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Who spoke, where that is said.
    pub(super) role: Option<String>,
    /// What was said, where there was any text.
    pub(super) text: String,
    /// Whether it asks for a tool.
    pub(super) calls_tool: bool,
}

/// An event of a span.
#[derive(Debug)]
pub(super) struct Event {
    /// What happened.
    pub(super) name: String,
    /// What is said about it.
    pub(super) attributes: Attributes,
    /// What it carries beside attributes.
    pub(super) body: Json,
}

/// One side of a call: its names in the forms there have been.
pub(super) struct Side {
    messages: &'static str,
    text: &'static str,
    one_event: &'static str,
    /// The role of messages that name none.
    role: &'static str,
    /// Events that carry messages, with the role of those.
    events: &'static [(&'static str, &'static str)],
}

/// What went in.
pub(super) const INPUT: Side = Side {
    messages: "gen_ai.input.messages",
    text: "gen_ai.prompt",
    one_event: "gen_ai.content.prompt",
    role: "user",
    events: &[
        ("gen_ai.user.message", "user"),
        ("gen_ai.assistant.message", "assistant"),
        ("gen_ai.system.message", "system"),
        ("gen_ai.tool.message", "tool"),
    ],
};

/// What came out.
pub(super) const OUTPUT: Side = Side {
    messages: "gen_ai.output.messages",
    text: "gen_ai.completion",
    one_event: "gen_ai.content.completion",
    role: "assistant",
    events: &[("gen_ai.choice", "assistant")],
};

/// The messages of a side, each with a role, in order. Empty where the span has none.
pub(super) fn side(attributes: &Attributes, events: &[Event], names: &Side) -> Vec<Message> {
    let in_attributes = || attributes.get(names.messages).map(messages).unwrap_or_default();
    let in_any_event = || {
        let found = events.iter().find_map(|event| event.attributes.get(names.messages));
        found.map(messages).unwrap_or_default()
    };
    let by_event = || {
        let role = |event: &Event| names.events.iter().find(|(name, _)| *name == event.name);
        let told = events.iter().filter_map(|event| Some((event, role(event)?.1)));
        told.flat_map(|(event, role)| with_role(event.messages(), role)).collect()
    };
    let in_one_event = || {
        let event = events.iter().find(|event| event.name == names.one_event);
        let text = event.and_then(|event| event.attributes.get(names.text));
        text.map(messages).unwrap_or_default()
    };
    let numbered = || attributes.numbered(names.text).iter().flat_map(messages).collect();
    let as_text = || attributes.get(names.text).map(messages).unwrap_or_default();
    let forms: [&dyn Fn() -> Vec<Message>; 6] =
        [&in_attributes, &in_any_event, &by_event, &in_one_event, &numbered, &as_text];
    let found = forms.iter().map(|form| form()).find(|found| !found.is_empty());
    with_role(found.unwrap_or_default(), names.role)
}

impl Event {
    fn messages(&self) -> Vec<Message> {
        let own = self.attributes.object();
        let content = self.attributes.get("gen_ai.event.content").cloned();
        let forms = [content, Some(plain(&self.body)), Some(own)];
        let mut read = forms.iter().flatten().map(messages);
        read.find(|found| !found.is_empty()).unwrap_or_default()
    }
}

fn with_role(mut messages: Vec<Message>, role: &str) -> Vec<Message> {
    for message in &mut messages {
        message.role.get_or_insert_with(|| role.to_owned());
    }
    messages
}

/// The messages in a value: a list, one message, JSON text of either, or a text that is a message itself.
fn messages(json: &Json) -> Vec<Message> {
    match json {
        Json::Array(items) => items.iter().flat_map(messages).collect(),
        Json::Object(object) => object.get("messages").map_or_else(|| message(object), messages),
        Json::String(text) => {
            let is_json = text.trim_start().starts_with(['[', '{']);
            match json::parse(text).ok().filter(|_| is_json) {
                Some(inner) => messages(&inner),
                None if text.trim().is_empty() => Vec::new(),
                None => vec![Message { role: None, text: text.clone(), calls_tool: false }],
            }
        }
        _ => Vec::new(),
    }
}

/// The message that an object is, which may be wrapped as a choice is.
fn message(object: &Object) -> Vec<Message> {
    let role = object.get("role").and_then(Json::as_str).map(str::to_owned);
    if let Some(inner) = first(object, &["message"]) {
        return messages(inner)
            .into_iter()
            .map(|message| Message { role: message.role.or_else(|| role.clone()), ..message })
            .collect();
    }
    let said = first(object, &["parts", "content", "text"]);
    let calls_tool = object.get("tool_calls").is_some_and(|calls| *calls != Json::Null)
        || said.and_then(Json::as_array).is_some_and(|parts| parts.iter().any(is_call));
    match said {
        Some(said) => vec![Message { role, text: text_of(said), calls_tool }],
        None if calls_tool => vec![Message { role, text: String::new(), calls_tool }],
        None => Vec::new(),
    }
}

fn kind(part: &Json) -> Option<&str> {
    part.get("type").and_then(Json::as_str)
}

fn is_call(part: &Json) -> bool {
    matches!(kind(part), Some("tool_call" | "tool_use" | "tool_calls" | "function_call" | "server_tool_call"))
}

/// The text of a message's content: itself, or that of its parts that are text, a line each.
fn text_of(json: &Json) -> String {
    match json {
        // Some exporters write the parts as JSON text once more.
        Json::String(text) if text.starts_with("[{") => match json::parse(text) {
            Ok(parts @ Json::Array(_)) if !text_of(&parts).is_empty() => text_of(&parts),
            _ => text.clone(),
        },
        Json::String(text) => text.clone(),
        Json::Array(parts) => {
            let texts = parts.iter().map(text_of).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join("\n")
        }
        Json::Object(part) if matches!(kind(json), None | Some("text" | "input_text" | "output_text")) => {
            first(part, &["content", "text", "value"]).map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, want: &[(&str, &str)]) {
        let found = messages(&json::parse(json).expect("JSON"));
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|message| (message.role.as_deref().unwrap_or("-"), message.text.as_str()))
            .collect();
        assert_eq!(found, want, "{json}");
    }

    #[test]
    fn messages_in_each_form() {
        check(r#"[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]"#, &[("user", "Hi")]);
        check(r#"[{"role":"user","content":"Hi"}]"#, &[("user", "Hi")]);
        check(
            r#"[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"image_url"}]}]"#,
            &[("user", "Hi")],
        );
        check(r#""[{\"role\":\"user\",\"content\":\"Hi\"}]""#, &[("user", "Hi")]);
        check(r#"["{\"role\":\"user\",\"content\":\"Hi\"}"]"#, &[("user", "Hi")]);
        check(r#"{"index":0,"message":{"role":"assistant","content":"Hello"}}"#, &[("assistant", "Hello")]);
        check(r#"{"index":0,"message":"{\"content\":\"Hello\"}"}"#, &[("-", "Hello")]);
        check(r#"{"messages":[{"role":"user","content":"Hi"}]}"#, &[("user", "Hi")]);
        check(r#""Where is my parcel?""#, &[("-", "Where is my parcel?")]);
        check(r#""[urgent] where is it?""#, &[("-", "[urgent] where is it?")]);
        check("null", &[]);
    }

    #[test]
    fn what_nobody_reads_is_left_out() {
        let parts = r#"[{"type":"reasoning","content":"hmm"},{"type":"text","content":"Yes."},{"type":"text","content":"Sent."}]"#;
        check(&format!(r#"[{{"role":"assistant","parts":{parts}}}]"#), &[("assistant", "Yes.\nSent.")]);
        let call = r#"[{"role":"assistant","parts":[{"type":"tool_call","name":"refund","arguments":{}}]}]"#;
        check(call, &[("assistant", "")]);
        assert!(messages(&json::parse(call).expect("JSON"))[0].calls_tool);
    }
}
