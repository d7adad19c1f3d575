//! Freshdesk: tickets with their conversations inside or in a file of their own, beside ratings.

use std::io;

use probity_core::case::Role;
use probity_core::json::Json;

use super::beside::CustomerOutcome;
use super::case::{FileContext, ForeignCase, Paths};
use super::desk::{Comment, Public, is_shown, thread};
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

const DESK: &str = "freshdesk";

/// The source of a ticket that an agent began with a mail.
const OUTBOUND: &str = "10";

/// A ticket.
pub(super) const TICKETS: Form = Form {
    tool: DESK,
    is: |record| has(record, &["requester_id", "responder_id", "description_text"]),
    read: ticket,
    // The same file may hold conversations behind its tickets.
    pieces: Some(|record, found| {
        list_at(record, "conversations").iter().filter_map(sender).for_each(|agent| found.note_agent(&agent));
        Ok(())
    }),
};

/// What stands beside tickets.
pub(super) const BESIDE: Form = Form {
    tool: DESK,
    is: |record| has(record, &["incoming", "private", "ticket_id"]) || has(record, &["survey_id", "ratings"]),
    read: beside,
    pieces: Some(pieces),
};

/// What a record beside tickets is.
fn shape(record: &Json) -> &'static str {
    if at(record, "ratings").is_some() { "rating" } else { "entry" }
}

fn pieces(record: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    if let Some(agent) = sender(record) {
        found.note_agent(&agent);
    }
    let Some(ticket) = text_at(record, &["ticket_id"]) else { return Ok(()) };
    found.add(&format!("{}:{ticket}", shape(record)), record)
}

fn beside(record: &Json, context: &FileContext<'_>) -> Read {
    let mut public = Public::new(DESK, context.pieces.agents());
    let kept = public.of(shape(record), record);
    Read::Joined { what: "conversations and ratings", kept, withheld: public.withheld }
}

fn ticket(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    let mut public = Public::new(DESK, context.pieces.agents());
    case.beside.kept = public.of("ticket", record);
    let ratings = context.pieces.of(&format!("rating:{}", case.id));
    let ratings = ratings.iter().filter_map(|rating| at(rating, "ratings.default_question"));
    let outcomes = ratings.map(|value| CustomerOutcome { kind: "csat", value: value.clone() });
    case.beside.outcomes.extend(outcomes);
    let mut entries = context.pieces.of(&format!("entry:{}", case.id));
    entries.extend(list_at(record, "conversations").iter().cloned());
    entries.sort_by_key(|entry| text_at(entry, &["created_at"]));
    let is_outbound = text_at(record, &["source"]).as_deref() == Some(OUTBOUND);
    let first = Comment {
        role: if is_outbound { Role::Agent } else { Role::Customer },
        text: text(record, "description_text", "description"),
        is_public: true,
        by_bot: false,
        is_guessed: false,
    };
    let entries = entries.iter().map(|entry| Comment {
        role: if is_incoming(entry) { Role::Customer } else { Role::Agent },
        text: text(entry, "body_text", "body"),
        is_public: is_shown(DESK, "entry", entry),
        by_bot: at(entry, "auto_response") == Some(&Json::Bool(true)),
        is_guessed: at(entry, "incoming").is_none(),
    });
    thread(&mut case, std::iter::once(first).chain(entries).collect(), &public);
    case.beside.withheld = public.withheld;
    Read::Cases(vec![case])
}

fn is_incoming(entry: &Json) -> bool {
    at(entry, "incoming") == Some(&Json::Bool(true))
}

/// The address of the agent who sent an entry, unless it is the desk's own.
fn sender(entry: &Json) -> Option<String> {
    let from = text_at(entry, &["from_email"]).filter(|_| !is_incoming(entry))?;
    let address = from.rsplit_once('<').map_or(&*from, |(_, address)| address.trim_end_matches('>')).trim();
    let is_desk = text_at(entry, &["support_email"]).is_some_and(|desk| desk.eq_ignore_ascii_case(address));
    (!is_desk).then(|| address.to_owned())
}

fn text(json: &Json, plain: &str, html: &str) -> String {
    let plain = text_at(json, &[plain]).map(|text| written(&text));
    plain.or_else(|| text_at(json, &[html]).map(|html| written_html(&html))).unwrap_or_default()
}
