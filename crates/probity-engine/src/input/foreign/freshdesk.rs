//! Freshdesk: tickets with their conversations inside or in a file of their own, beside ratings.

use std::io;

use probity_core::case::Role;
use probity_core::json::Json;

use super::beside::CustomerOutcome;
use super::case::{FileContext, ForeignCase, Paths};
use super::desk::{Comment, thread, without};
use super::mail::{written, written_html};
use super::path::{at, list_at, text_at};
use super::{Form, Pieced, Read, has};

const PATHS: Paths = Paths {
    id: &["id"],
    slice: &["custom_fields.cf_intent", "type", "tags[0]"],
    variant: &[],
    reference: &[],
    context: &[],
};

/// A ticket.
pub(super) const TICKETS: Form = Form {
    tool: "freshdesk",
    is: |record| has(record, &["requester_id", "responder_id", "description_text"]),
    read: ticket,
    // The same file may hold conversations behind its tickets.
    pieces: Some(|_, _| Ok(())),
};

/// What stands beside tickets.
pub(super) const BESIDE: Form = Form {
    tool: "freshdesk",
    is: |record| has(record, &["incoming", "private", "ticket_id"]) || has(record, &["survey_id", "ratings"]),
    read: |_, _| Read::Beside("conversations and ratings"),
    pieces: Some(pieces),
};

fn pieces(record: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    let Some(ticket) = text_at(record, &["ticket_id"]) else { return Ok(()) };
    let kind = if at(record, "ratings").is_some() { "rating" } else { "entry" };
    found.add(&format!("{kind}:{ticket}"), record)
}

fn ticket(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    case.beside.kept = Some(without(record, "conversations", is_private));
    let ratings = context.pieces.of(&format!("rating:{}", case.id));
    let ratings = ratings.iter().filter_map(|rating| at(rating, "ratings.default_question"));
    let outcomes = ratings.map(|value| CustomerOutcome { kind: "csat", value: value.clone() });
    case.beside.outcomes.extend(outcomes);
    let mut entries = context.pieces.of(&format!("entry:{}", case.id));
    entries.extend(list_at(record, "conversations").iter().cloned());
    entries.sort_by_key(|entry| text_at(entry, &["created_at"]));
    let first = Comment {
        role: Role::Customer,
        text: text(record, "description_text", "description"),
        is_public: true,
        by_bot: false,
    };
    let entries = entries.iter().map(|entry| Comment {
        role: if at(entry, "incoming") == Some(&Json::Bool(true)) { Role::Customer } else { Role::Agent },
        text: text(entry, "body_text", "body"),
        is_public: !is_private(entry),
        by_bot: at(entry, "auto_response") == Some(&Json::Bool(true)),
    });
    thread(&mut case, std::iter::once(first).chain(entries).collect());
    Read::Cases(vec![case])
}

fn is_private(entry: &Json) -> bool {
    at(entry, "private") != Some(&Json::Bool(false))
}

fn text(json: &Json, plain: &str, html: &str) -> String {
    let plain = text_at(json, &[plain]).map(|text| written(&text));
    plain.or_else(|| text_at(json, &[html]).map(|html| written_html(&html))).unwrap_or_default()
}
