//! Zendesk: tickets with their comments, in one record or in files of their own beside users.
//!
//! A page of comments names no ticket. Its file is then named after it, `35001.json`, as it was asked for.

use std::io;

use probity_core::case::Role;
use probity_core::json::Json;

use super::beside::CustomerOutcome;
use super::case::{FileContext, ForeignCase, Paths};
use super::desk::{Comment, Public, is_shown, note_agents, thread};
use super::mail::{unescaped, written, written_html};
use super::path::{at, list_at, text_at};
use super::{Form, Pieced, Read, has};

const PATHS: Paths = Paths { id: &["id"], slice: &["tags[0]"], variant: &[], reference: &[], context: &[] };

const DESK: &str = "zendesk";

/// The author of what a bot wrote.
const BOT: &str = "-1";

/// A ticket. Users may follow tickets in one file.
pub(super) const TICKETS: Form = Form {
    tool: DESK,
    is: |record| has(record, &["requester_id", "submitter_id"]),
    read: ticket,
    pieces: Some(|record, found| {
        note_agents(DESK, "ticket", record, found);
        Ok(())
    }),
};

/// What stands beside tickets.
pub(super) const BESIDE: Form = Form {
    tool: DESK,
    is: |record| {
        let comment = has(record, &["author_id", "public", "body"]);
        let user = has(record, &["role", "verified", "time_zone"]);
        comment || user || has(record, &["score", "ticket_id", "requester_id"])
    },
    read: beside,
    pieces: Some(pieces),
};

/// What a record beside tickets is.
fn shape(record: &Json) -> &'static str {
    match (at(record, "author_id"), at(record, "ticket_id")) {
        (Some(_), _) => "comment",
        (None, Some(_)) => "rating",
        (None, None) => "user",
    }
}

fn pieces(record: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    let text = |name: &str| text_at(record, &[name]);
    let shape = shape(record);
    note_agents(DESK, shape, record, found);
    let of_file = found.file_stem().filter(|stem| stem.bytes().all(|byte| byte.is_ascii_digit()));
    let ticket = text("ticket_id").or_else(|| of_file.filter(|_| shape == "comment").map(str::to_owned));
    match (ticket, text("id"), at(record, "role")) {
        (Some(ticket), ..) => found.add(&format!("{shape}:{ticket}"), record),
        (None, Some(user), Some(role)) => found.add(&format!("user:{user}"), role),
        _ => Ok(()),
    }
}

fn beside(record: &Json, context: &FileContext<'_>) -> Read {
    let mut public = Public::new(DESK, context.pieces.agents());
    if role(record, context).as_deref() != Some("end-user") {
        public.own_agents.extend(sender(record));
    }
    let kept = public.of(shape(record), record);
    Read::Joined { what: "comments, users and ratings", kept, withheld: public.withheld }
}

fn ticket(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    let mut comments = context.pieces.of(&format!("comment:{}", case.id));
    comments.extend(list_at(record, "comments").iter().cloned());
    comments.sort_by_key(|comment| text_at(comment, &["created_at"]));
    let read: Vec<Comment> = comments.iter().map(|one| comment(one, record, context)).collect();
    let mut public = Public::new(DESK, context.pieces.agents());
    let of_agents = comments.iter().zip(&read).filter(|(_, read)| read.role == Role::Agent);
    public.own_agents.extend(of_agents.filter_map(|(comment, _)| sender(comment)));
    case.beside.kept = public.of("ticket", record);
    // It is the text of the first comment, which may be private.
    if let Some(Json::Object(kept)) = &mut case.beside.kept
        && text_at(record, &["description"]).is_some_and(|text| !is_said(&text, &comments))
    {
        kept.take("description");
        public.withheld.add("description");
    }
    if at(record, "status").and_then(Json::as_str) == Some("deleted") {
        case.skip = Some("deleted ticket".to_owned());
    } else {
        let beside = context.pieces.first(&format!("rating:{}", case.id));
        let score = text_at(record, &["satisfaction_rating.score"]);
        let score = score.or_else(|| text_at(beside.as_ref()?, &["score"]));
        let score = score.filter(|score| matches!(&**score, "good" | "bad"));
        let outcome = score.map(|score| CustomerOutcome { kind: "csat", value: Json::String(score) });
        case.beside.outcomes.extend(outcome);
        thread(&mut case, read, &public);
    }
    case.beside.withheld = public.withheld;
    Read::Cases(vec![case])
}

/// Whether a public comment has this text, spaces apart.
fn is_said(text: &str, comments: &[Json]) -> bool {
    let is_same = |other: String| other.split_whitespace().eq(text.split_whitespace());
    let texts = |comment: &Json| ["body", "plain_body"].map(|name| text_at(comment, &[name]));
    let public = comments.iter().filter(|comment| is_shown(DESK, "comment", comment));
    public.flat_map(texts).flatten().any(is_same)
}

/// Where the mail with a comment came from.
fn sender(comment: &Json) -> Option<String> {
    text_at(comment, &["via.source.from.address"]).map(|address| address.to_lowercase())
}

/// The role of a comment's author, as far as the files say.
fn role(comment: &Json, context: &FileContext<'_>) -> Option<String> {
    text_at(comment, &["author.role"]).or_else(|| {
        let author = text_at(comment, &["author_id"])?;
        Some(context.pieces.first(&format!("user:{author}"))?.as_str()?.to_owned())
    })
}

fn comment(comment: &Json, ticket: &Json, context: &FileContext<'_>) -> Comment {
    let author = text_at(comment, &["author_id"]);
    let role = role(comment, context);
    let is = |name: &str| author.is_some() && author == text_at(ticket, &[name]);
    let is_customer = is("requester_id") || role.as_deref() == Some("end-user");
    let by_bot = author.as_deref() == Some(BOT);
    let is_known = is_customer || by_bot || role.is_some() || is("assignee_id") || is("submitter_id");
    let html = text_at(comment, &["html_body"]).map(|html| written_html(&html));
    let plain = || text_at(comment, &["plain_body", "body"]).map(|text| written(&unescaped(&text)));
    // What Zendesk writes where tickets are merged answers nothing.
    let is_merge = text_at(comment, &["via.source.rel"]).as_deref() == Some("merge");
    Comment {
        role: if is_customer { Role::Customer } else { Role::Agent },
        text: html.or_else(plain).filter(|_| !is_merge).unwrap_or_default(),
        is_public: is_shown(DESK, "comment", comment),
        by_bot,
        is_guessed: !is_known,
    }
}
