//! Faults in the message around an answer's text: F44 to F56.

use super::super::dialect::Dialect;
use super::super::envelope::{AnswerMessage, Choices, MessageContent};
use super::{FaultMade, MockFault, message, text};

/// What the mock judge says when it refuses.
const REFUSAL: &str = "I cannot evaluate this.";

/// Usage that is not there or cannot be believed.
const USAGES: [&str; 3] = [
    "",
    "{\"prompt_tokens\":-7,\"completion_tokens\":-3,\"input_tokens\":-7,\"output_tokens\":-3}",
    "{\"prompt_tokens\":\"7\",\"completion_tokens\":\"3\",\"input_tokens\":\"7\",\"output_tokens\":\"3\"}",
];

pub(super) const FAULTS: &[MockFault] = &[
    message("F44", "no choice, or an empty list of them", |call| {
        let choices = call.variant(&[Choices::Empty, Choices::Missing]);
        FaultMade::Nothing(AnswerMessage { choices, ..AnswerMessage::text("") })
    }),
    message("F45", "content null or empty, finish stop", |call| {
        let content =
            call.draw.pick("variant", &[MessageContent::Null, MessageContent::Text(String::new())]).clone();
        FaultMade::Nothing(AnswerMessage { content, ..AnswerMessage::text("") })
    }),
    message("F46", "empty content, finish length: reasoning took all tokens", |_| {
        let reasoning = Some("The reply could be read in two ways. On the one hand".to_owned());
        FaultMade::Nothing(AnswerMessage { reasoning, finish: "length", ..AnswerMessage::text("") })
    }),
    // The cut comes after the level where there is one, so that a reader may be tempted to salvage it.
    message("F47", "finish length with a cut object", |call| {
        let verdict = call.said.json();
        let cut = verdict.strip_suffix('}').unwrap_or(&verdict);
        FaultMade::Nothing(AnswerMessage { finish: "length", ..AnswerMessage::text(cut) })
    }),
    message("F48", "finish content_filter without content", |_| {
        FaultMade::Nothing(AnswerMessage {
            content: MessageContent::Null,
            finish: "content_filter",
            ..AnswerMessage::text("")
        })
    }),
    message("F49", "finish content_filter with a whole verdict", |call| {
        FaultMade::Nothing(AnswerMessage {
            finish: "content_filter",
            ..AnswerMessage::text(call.said.json())
        })
    }),
    // The Messages API has no field of its own: the words are the text, the reason to stop says the rest.
    message("F50", "a refusal in its own field", |call| {
        let (content, finish) = match call.asked.dialect {
            Dialect::Anthropic => (MessageContent::Text(REFUSAL.to_owned()), "refusal"),
            _ => (MessageContent::Null, "stop"),
        };
        FaultMade::Nothing(AnswerMessage {
            content,
            refusal: Some(REFUSAL),
            finish,
            ..AnswerMessage::text("")
        })
    }),
    text("F51", "a refusal in plain text", |_| FaultMade::Nothing(REFUSAL.to_owned())),
    message("F52", "a tool call instead of content: the tool verdict, or another", |call| {
        if call.variant(&[true, false]) {
            FaultMade::Verdict(AnswerMessage::calling("verdict", &call.said.json()))
        } else {
            FaultMade::Nothing(AnswerMessage::calling("lookup_order", "{\"order\":1042}"))
        }
    }),
    message("F53", "the verdict stands only in the reasoning beside the content", |call| {
        FaultMade::Nothing(AnswerMessage { reasoning: Some(call.said.json()), ..AnswerMessage::text("") })
    }),
    message("F54", "content as a list of parts", |call| {
        let verdict = call.said.json();
        let middle = verdict.find(',').unwrap_or(1);
        let parts = vec![verdict[..middle].to_owned(), verdict[middle..].to_owned()];
        FaultMade::Verdict(AnswerMessage { content: MessageContent::Parts(parts), ..AnswerMessage::text("") })
    }),
    message("F55", "two choices although one was asked for (chat completions only)", |call| {
        if call.asked.dialect == Dialect::Anthropic {
            return FaultMade::Unbroken;
        }
        let message = call.stating(&call.said.json());
        FaultMade::Verdict(AnswerMessage { choices: Choices::Two, ..message })
    }),
    message("F56", "usage is missing, negative or text", |call| {
        let usage = Some(call.variant(&USAGES));
        FaultMade::Verdict(AnswerMessage { usage, ..call.stating(&call.said.json()) })
    }),
];
