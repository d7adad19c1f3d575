//! Faults in the message around an answer's text: F44 to F56.

use super::super::answer::{Call, Choices, Content, Message};
use super::super::asked::Dialect;
use super::Made;

/// What the mock judge says when it refuses.
const REFUSAL: &str = "I cannot evaluate this.";

pub(super) fn f44(call: &Call<'_>) -> Made<Message> {
    let choices = *call.draw.pick("variant", &[Choices::Empty, Choices::Missing]);
    Made::Nothing(Message { choices, ..Message::text("") })
}

pub(super) fn f45(call: &Call<'_>) -> Made<Message> {
    let content = call.draw.pick("variant", &[Content::Null, Content::Text(String::new())]).clone();
    Made::Nothing(Message { content, ..Message::text("") })
}

pub(super) fn f46(_: &Call<'_>) -> Made<Message> {
    let reasoning = Some("The reply could be read in two ways. On the one hand".to_owned());
    Made::Nothing(Message { reasoning, finish: "length", ..Message::text("") })
}

/// The cut comes after the level where there is one, so that a reader may be tempted to salvage it.
pub(super) fn f47(call: &Call<'_>) -> Made<Message> {
    let verdict = call.said.json();
    let cut = verdict.strip_suffix('}').unwrap_or(&verdict);
    Made::Nothing(Message { finish: "length", ..Message::text(cut) })
}

pub(super) fn f48(_: &Call<'_>) -> Made<Message> {
    Made::Nothing(Message { content: Content::Null, finish: "content_filter", ..Message::text("") })
}

pub(super) fn f49(call: &Call<'_>) -> Made<Message> {
    Made::Nothing(Message { finish: "content_filter", ..Message::text(call.said.json()) })
}

pub(super) fn f50(call: &Call<'_>) -> Made<Message> {
    // The Messages API has no field of its own: the words are the text, the reason to stop says the rest.
    let content = match call.asked.dialect {
        Dialect::OpenAi => Content::Null,
        Dialect::Anthropic => Content::Text(REFUSAL.to_owned()),
    };
    let finish = match call.asked.dialect {
        Dialect::OpenAi => "stop",
        Dialect::Anthropic => "refusal",
    };
    Made::Nothing(Message { content, refusal: Some(REFUSAL), finish, ..Message::text("") })
}

pub(super) fn f51(_: &Call<'_>) -> Made<String> {
    Made::Nothing(REFUSAL.to_owned())
}

pub(super) fn f52(call: &Call<'_>) -> Made<Message> {
    if *call.draw.pick("variant", &[0, 1]) == 0 {
        Made::Verdict(Message::calling("verdict", &call.said.json()))
    } else {
        Made::Nothing(Message::calling("lookup_order", "{\"order\":1042}"))
    }
}

pub(super) fn f53(call: &Call<'_>) -> Made<Message> {
    Made::Nothing(Message { reasoning: Some(call.said.json()), ..Message::text("") })
}

pub(super) fn f54(call: &Call<'_>) -> Made<Message> {
    let verdict = call.said.json();
    let middle = verdict.find(',').unwrap_or(1);
    let parts = vec![verdict[..middle].to_owned(), verdict[middle..].to_owned()];
    Made::Verdict(Message { content: Content::Parts(parts), ..Message::text("") })
}

pub(super) fn f55(call: &Call<'_>) -> Made<Message> {
    if call.asked.dialect == Dialect::Anthropic {
        return Made::Unbroken;
    }
    let message = Message::verdict(call.asked, &call.said.json());
    Made::Verdict(Message { choices: Choices::Two, ..message })
}

pub(super) fn f56(call: &Call<'_>) -> Made<Message> {
    const USAGES: [&str; 3] = [
        "",
        "{\"prompt_tokens\":-7,\"completion_tokens\":-3,\"input_tokens\":-7,\"output_tokens\":-3}",
        "{\"prompt_tokens\":\"7\",\"completion_tokens\":\"3\",\"input_tokens\":\"7\",\"output_tokens\":\"3\"}",
    ];
    let usage = Some(*call.draw.pick("variant", &USAGES));
    let message = Message::verdict(call.asked, &call.said.json());
    Made::Verdict(Message { usage, ..message })
}
