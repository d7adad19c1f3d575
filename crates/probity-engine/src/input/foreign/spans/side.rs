//! The messages on one side of a call, in each of the forms that spans have had.
//!
//! Today's conventions put both sides into attributes as JSON text. Earlier ones used an event for each message,
//! then one event for a side, and before that an attribute for each role and text; `OpenInference` spells messages with
//! dotted names. Whatever form has messages is read; the newest wins where there are several.

use probity_core::json::Json;

use super::super::messages::{Message, messages, with_role};
use super::attributes::{Attributes, plain};

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
    /// What `OpenInference` calls it.
    dotted: &'static str,
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
    dotted: "llm.input_messages",
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
    dotted: "llm.output_messages",
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
    let dotted = || messages(&attributes.tree(names.dotted));
    let numbered = || messages(&attributes.tree(names.text));
    let as_text = || attributes.get(names.text).map(messages).unwrap_or_default();
    let forms: [&dyn Fn() -> Vec<Message>; 7] =
        [&in_attributes, &in_any_event, &by_event, &in_one_event, &dotted, &numbered, &as_text];
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
