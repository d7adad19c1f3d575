//! Faults in the message around an answer's text: F44 to F56.

use super::super::dialect::Dialect;
use super::super::envelope::{Choices, Content, Message};
use super::{Fault, Made, message, text};

/// What the mock judge says when it refuses.
const REFUSAL: &str = "I cannot evaluate this.";

/// Usage that is not there or cannot be believed.
const USAGES: [&str; 3] = [
    "",
    "{\"prompt_tokens\":-7,\"completion_tokens\":-3,\"input_tokens\":-7,\"output_tokens\":-3}",
    "{\"prompt_tokens\":\"7\",\"completion_tokens\":\"3\",\"input_tokens\":\"7\",\"output_tokens\":\"3\"}",
];

pub(super) const FAULTS: &[Fault] = &[
    message("F44", "no choice, or an empty list of them", |call| {
        let choices = call.variant(&[Choices::Empty, Choices::Missing]);
        Made::Nothing(Message { choices, ..Message::text("") })
    }),
    message("F45", "content null or empty, finish stop", |call| {
        let content = call.draw.pick("variant", &[Content::Null, Content::Text(String::new())]).clone();
        Made::Nothing(Message { content, ..Message::text("") })
    }),
    message("F46", "empty content, finish length: reasoning took all tokens", |_| {
        let reasoning = Some("The reply could be read in two ways. On the one hand".to_owned());
        Made::Nothing(Message { reasoning, finish: "length", ..Message::text("") })
    }),
    // The cut comes after the level where there is one, so that a reader may be tempted to salvage it.
    message("F47", "finish length with a cut object", |call| {
        let verdict = call.said.json();
        let cut = verdict.strip_suffix('}').unwrap_or(&verdict);
        Made::Nothing(Message { finish: "length", ..Message::text(cut) })
    }),
    message("F48", "finish content_filter without content", |_| {
        Made::Nothing(Message { content: Content::Null, finish: "content_filter", ..Message::text("") })
    }),
    message("F49", "finish content_filter with a whole verdict", |call| {
        Made::Nothing(Message { finish: "content_filter", ..Message::text(call.said.json()) })
    }),
    // The Messages API has no field of its own: the words are the text, the reason to stop says the rest.
    message("F50", "a refusal in its own field", |call| {
        let (content, finish) = match call.asked.dialect {
            Dialect::OpenAi => (Content::Null, "stop"),
            Dialect::Anthropic => (Content::Text(REFUSAL.to_owned()), "refusal"),
        };
        Made::Nothing(Message { content, refusal: Some(REFUSAL), finish, ..Message::text("") })
    }),
    text("F51", "a refusal in plain text", |_| Made::Nothing(REFUSAL.to_owned())),
    message("F52", "a tool call instead of content: the tool verdict, or another", |call| {
        if call.variant(&[true, false]) {
            Made::Verdict(Message::calling("verdict", &call.said.json()))
        } else {
            Made::Nothing(Message::calling("lookup_order", "{\"order\":1042}"))
        }
    }),
    message("F53", "the verdict stands only in the reasoning beside the content", |call| {
        Made::Nothing(Message { reasoning: Some(call.said.json()), ..Message::text("") })
    }),
    message("F54", "content as a list of parts", |call| {
        let verdict = call.said.json();
        let middle = verdict.find(',').unwrap_or(1);
        let parts = vec![verdict[..middle].to_owned(), verdict[middle..].to_owned()];
        Made::Verdict(Message { content: Content::Parts(parts), ..Message::text("") })
    }),
    message("F55", "two choices although one was asked for (chat completions only)", |call| {
        if call.asked.dialect == Dialect::Anthropic {
            return Made::Unbroken;
        }
        let message = call.stating(&call.said.json());
        Made::Verdict(Message { choices: Choices::Two, ..message })
    }),
    message("F56", "usage is missing, negative or text", |call| {
        let usage = Some(call.variant(&USAGES));
        Made::Verdict(Message { usage, ..call.stating(&call.said.json()) })
    }),
];
