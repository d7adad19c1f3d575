//! Intercom: conversations with their parts. Which answers are the bot's own, the author says.

use probity_core::case::Role;
use probity_core::json::Json;

use super::beside::CustomerOutcome;
use super::case::{FileContext, ForeignCase, Paths};
use super::desk::{Comment, thread, without};
use super::mail::written_html;
use super::path::{at, list_at, text_at};
use super::{Form, Read, has};
use crate::input::field::Field;

const PATHS: Paths = Paths {
    id: &["id"],
    slice: &["custom_attributes.Intent", "custom_attributes.intent", "tags.tags[0].name"],
    variant: &[],
    reference: &[],
    context: &[],
};

/// Three different things, each by its own name.
const OUTCOMES: &[(&str, &str)] = &[
    ("resolution", "ai_agent.resolution_state"),
    ("rating_ai", "ai_agent.rating"),
    ("rating", "conversation_rating.rating"),
];

/// A conversation.
pub(super) const FORM: Form = Form {
    tool: "intercom",
    is: |record| {
        has(record, &["source", "created_at"])
            && record.get("type").and_then(Json::as_str).is_some_and(|kind| kind == "conversation")
    },
    read,
    pieces: None,
};

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    case.beside.kept = Some(without(record, "conversation_parts", |part| kind(part) == Some("note")));
    for (kind, path) in OUTCOMES {
        case.beside
            .outcomes
            .extend(at(record, path).map(|value| CustomerOutcome { kind, value: value.clone() }));
    }
    let sources = list_at(record, "ai_agent.content_sources.content_sources");
    let titles: Vec<Json> = sources.iter().filter_map(|source| at(source, "title")).cloned().collect();
    if !titles.is_empty() {
        case.fields.push((Field::Evidence, Json::Array(titles)));
    }
    let mut parts: Vec<&Json> = list_at(record, "conversation_parts.conversation_parts").iter().collect();
    parts.sort_by_key(|part| at(part, "created_at").and_then(Json::as_u64));
    let parts = parts.into_iter().filter(|part| matches!(kind(part), Some("comment" | "note")));
    let mut comments: Vec<Comment> = at(record, "source").and_then(comment).into_iter().collect();
    for part in parts {
        match comment(part) {
            Some(comment) => comments.push(comment),
            None => case.beside.n_redacted += 1,
        }
    }
    thread(&mut case, comments);
    if case.conversation.reply.is_none() {
        case.no_reply = match (case.beside.n_redacted, at(record, "conversation_parts")) {
            (_, None) => Some("a list entry without its parts".to_owned()),
            (1.., _) => Some("the reply is redacted".to_owned()),
            _ => None,
        };
    }
    Read::Cases(vec![case])
}

fn kind(part: &Json) -> Option<&str> {
    at(part, "part_type").and_then(Json::as_str)
}

/// What a part says; nothing where it was redacted.
fn comment(part: &Json) -> Option<Comment> {
    let body = at(part, "body")?.as_str()?;
    let author = text_at(part, &["author.type"]);
    let is_customer = matches!(author.as_deref(), Some("user" | "lead" | "contact"));
    Some(Comment {
        role: if is_customer { Role::Customer } else { Role::Agent },
        text: written_html(body),
        is_public: kind(part) != Some("note"),
        by_bot: at(part, "author.is_ai_answer") == Some(&Json::Bool(true)),
    })
}
