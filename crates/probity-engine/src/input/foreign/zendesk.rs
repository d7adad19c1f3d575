//! Zendesk: tickets with their comments, in one record or in files of their own beside users.
//!
//! A page of comments names no ticket. Its file is then named after it, `35001.json`, as it was asked for.

use std::io;

use probity_core::case::Role;
use probity_core::json::Json;

use super::beside::CustomerOutcome;
use super::case::{FileContext, ForeignCase, Paths};
use super::desk::{Comment, thread, without};
use super::mail::{unescaped, written, written_html};
use super::path::{at, list_at, text_at};
use super::{Form, Pieced, Read, has};

const PATHS: Paths = Paths { id: &["id"], slice: &["tags[0]"], variant: &[], reference: &[], context: &[] };

/// A ticket. Users may follow tickets in one file.
pub(super) const TICKETS: Form = Form {
    tool: "zendesk",
    is: |record| has(record, &["requester_id", "submitter_id"]),
    read: ticket,
    pieces: Some(|_, _| Ok(())),
};

/// What stands beside tickets.
pub(super) const BESIDE: Form = Form {
    tool: "zendesk",
    is: |record| {
        let comment = has(record, &["author_id", "public", "body"]);
        let user = has(record, &["role", "verified", "time_zone"]);
        comment || user || has(record, &["score", "ticket_id", "requester_id"])
    },
    read: |_, _| Read::Beside("comments, users and ratings"),
    pieces: Some(pieces),
};

fn pieces(record: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    let text = |name: &str| text_at(record, &[name]);
    if at(record, "author_id").is_some() {
        let of_file = found.file_stem().filter(|stem| stem.bytes().all(|byte| byte.is_ascii_digit()));
        return match text("ticket_id").or_else(|| of_file.map(str::to_owned)) {
            Some(ticket) => found.add(&format!("comment:{ticket}"), record),
            None => Ok(()),
        };
    }
    match (text("ticket_id"), text("id"), at(record, "role")) {
        (Some(ticket), ..) => found.add(&format!("rating:{ticket}"), record),
        (None, Some(user), Some(role)) => found.add(&format!("user:{user}"), role),
        _ => Ok(()),
    }
}

fn ticket(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    case.beside.kept = Some(without(record, "comments", is_private));
    if at(record, "status").and_then(Json::as_str) == Some("deleted") {
        case.skip = Some("deleted ticket".to_owned());
        return Read::Cases(vec![case]);
    }
    let beside = context.pieces.first(&format!("rating:{}", case.id));
    let score = text_at(record, &["satisfaction_rating.score"]);
    let score = score.or_else(|| text_at(beside.as_ref()?, &["score"]));
    if let Some(score) = score.filter(|score| matches!(&**score, "good" | "bad")) {
        case.beside.outcomes.push(CustomerOutcome { kind: "csat", value: Json::String(score) });
    }
    let mut comments = context.pieces.of(&format!("comment:{}", case.id));
    comments.extend(list_at(record, "comments").iter().cloned());
    comments.sort_by_key(|comment| text_at(comment, &["created_at"]));
    let requester = text_at(record, &["requester_id"]);
    let comments = comments.iter().map(|one| comment(one, requester.as_deref(), context));
    thread(&mut case, comments.collect());
    Read::Cases(vec![case])
}

fn is_private(comment: &Json) -> bool {
    at(comment, "public") != Some(&Json::Bool(true))
}

fn comment(comment: &Json, requester: Option<&str>, context: &FileContext<'_>) -> Comment {
    let author = text_at(comment, &["author_id"]);
    let role = text_at(comment, &["author.role"]).or_else(|| {
        let role = context.pieces.first(&format!("user:{}", author.as_deref()?))?;
        role.as_str().map(str::to_owned)
    });
    let is_customer = author.as_deref() == requester || role.as_deref() == Some("end-user");
    let html = text_at(comment, &["html_body"]).map(|html| written_html(&html));
    let plain = || text_at(comment, &["plain_body", "body"]).map(|text| written(&unescaped(&text)));
    Comment {
        role: if is_customer { Role::Customer } else { Role::Agent },
        text: html.or_else(plain).unwrap_or_default(),
        is_public: !is_private(comment),
        by_bot: author.as_deref() == Some("-1"),
    }
}
