//! Intercom: conversations with their parts. Which answers are the bot's own, the author says.

use probity_core::case::Role;
use probity_core::json::Json;

use super::beside::CustomerOutcome;
use super::case::{FileContext, ForeignCase, Paths};
use super::desk::{Comment, Public, body, is_shown, note_agents, thread};
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

const DESK: &str = "intercom";

/// A conversation.
pub(super) const FORM: Form = Form {
    tool: DESK,
    is: |record| {
        has(record, &["source", "created_at"])
            && record.get("type").and_then(Json::as_str).is_some_and(|kind| kind == "conversation")
    },
    read,
    pieces: Some(|record, found| {
        note_agents(DESK, "conversation", record, found);
        Ok(())
    }),
};

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    let mut public = Public::new(DESK, context.pieces.agents());
    case.beside.kept = public.of("conversation", record);
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
    let mut comments: Vec<Comment> = at(record, "source").and_then(comment).into_iter().collect();
    for part in parts {
        let is_comment = at(part, "part_type").and_then(Json::as_str) == Some("comment");
        let is_redacted = at(part, "redacted") == Some(&Json::Bool(true));
        match comment(part) {
            Some(said) => comments.push(Comment { is_public: is_shown(DESK, "part", part), ..said }),
            None if is_redacted || is_comment && at(part, "body").is_none() => case.beside.n_redacted += 1,
            None => {}
        }
    }
    thread(&mut case, comments, &public);
    case.beside.withheld = public.withheld;
    if case.conversation.reply.is_none() {
        case.no_reply = match (case.beside.n_redacted, at(record, "conversation_parts")) {
            (_, None) => Some("a list entry without its parts".to_owned()),
            (1.., _) => Some("the reply is redacted".to_owned()),
            _ => None,
        };
    }
    Read::Cases(vec![case])
}

/// What a part says; nothing where it has no text.
fn comment(part: &Json) -> Option<Comment> {
    let body = body(part)?;
    let author = text_at(part, &["author.type"]);
    let is_customer = matches!(author.as_deref(), Some("user" | "lead" | "contact"));
    let is_bot = author.as_deref() == Some("bot");
    Some(Comment {
        role: if is_customer { Role::Customer } else { Role::Agent },
        text: written_html(&body),
        is_public: true,
        by_bot: is_bot || at(part, "author.is_ai_answer") == Some(&Json::Bool(true)),
        is_guessed: !is_customer && !is_bot && !matches!(author.as_deref(), Some("admin" | "team")),
    })
}
