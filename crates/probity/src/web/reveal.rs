//! After the answer: what the judge said, what the gate saw, and what was wrong with it.
//!
//! The only place where the hidden half of an item is read for somebody who labels. The store gives it to those who
//! have answered and notes that they have seen it, so it is never the answer to a plain GET.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Form};
use minijinja::context;
use minijinja::value::Serde;
use probity_core::results::FindingRecord;
use probity_core::review::{Answer as Said, Form as AnswerForm, Hidden, HiddenVerdict};
use probity_engine::review::{ItemId, ItemView, Person, Reveal, RootCause};
use serde::{Deserialize, Serialize};

use super::app::{App, now};
use super::label::{own, side_text};
use super::pages::{Body, Place};
use super::refusal::{Answer, Refusal};

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Caused {
    cause: RootCause,
}

/// `POST /items/{item}/reveal`
pub(super) async fn reveal(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(item): Path<i64>,
) -> Answer {
    shown(&app, &person, item).await
}

/// `POST /items/{item}/cause`
pub(super) async fn cause(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(item): Path<i64>,
    Form(Caused { cause }): Form<Caused>,
) -> Answer {
    if !app.room.cause(ItemId(item), person.id, cause, now()).await? {
        return Err(Refusal::conflict("answer first"));
    }
    shown(&app, &person, item).await
}

async fn shown(app: &App, person: &Person, item: i64) -> Answer {
    let view = own(app, person, item).await?;
    if view.answer.is_none() {
        return Err(Refusal::conflict("answer first"));
    }
    let (hidden, turned, cause) = match app.room.reveal(view.id, person.id, now()).await? {
        Reveal::Shown { hidden, turned, cause } => (hidden, turned, cause),
        Reveal::NotYet => return Err(Refusal::new(StatusCode::FORBIDDEN, "this queue does not show it")),
        Reveal::NotYours => return Err(Refusal::not_found()),
    };
    let queue = app.queue_name(view.queue).await?;
    let exhibit = app.pages.part("exhibit", &context! { ..Serde(&view.shown) })?;
    let body = context! {
        exhibit, item,
        queue_id => view.queue.0,
        queue,
        form => Serde(view.asked.form),
        rows => Serde(rows(&view, &hidden, turned)),
        replies => Serde(replies(&hidden, turned)),
        judge => Serde(&hidden.judge),
        case => &hidden.case,
        slice => &hidden.slice,
        cause => Serde(cause),
    };
    app.pages.page(person, Place::Queues, "What the judge said", &Body::new("reveal", body))
}

/// What was said about one criterion, or in one order of a pair.
#[derive(Debug, Serialize)]
struct RowView {
    about: String,
    own: String,
    judge: String,
    agrees: bool,
    reasoning: String,
}

/// Where a reply comes from, and what the gate saw in it.
#[derive(Debug, Serialize)]
struct ReplyView {
    variant: Option<String>,
    findings: Vec<FindingRecord>,
}

fn rows(view: &ItemView, hidden: &Hidden, turned: bool) -> Vec<RowView> {
    let row = |verdict: &HiddenVerdict| {
        let (about, own) = match view.asked.form {
            AnswerForm::Levels => level(view, verdict),
            AnswerForm::Pair => (order(verdict, turned), own_side(view)),
        };
        let judge = match (&verdict.said, view.asked.form) {
            (None, _) => "no verdict".to_owned(),
            (Some(said), AnswerForm::Levels) => said.clone(),
            (Some(said), AnswerForm::Pair) => candidate(said, turned),
        };
        RowView { about, agrees: own == judge, own, judge, reasoning: verdict.reasoning.clone() }
    };
    hidden.verdicts.iter().map(row).collect()
}

fn level(view: &ItemView, verdict: &HiddenVerdict) -> (String, String) {
    let id = verdict.criterion.as_deref().unwrap_or_default();
    let title = view.asked.criteria.iter().find(|each| each.id == id).map_or(id, |each| &each.title);
    let own = match &view.answer {
        Some(Said::Levels(levels)) => levels.get(id).copied().flatten().map(|level| level.to_string()),
        Some(Said::Pair(_) | Said::CannotTell) | None => None,
    };
    (title.to_owned(), own.unwrap_or_else(|| "cannot tell".to_owned()))
}

fn own_side(view: &ItemView) -> String {
    match &view.answer {
        Some(Said::Pair(side)) => side_text(*side).to_owned(),
        _ => "cannot tell".to_owned(),
    }
}

/// The order in which a judge read a pair, by the numbers that this person knows the replies under.
fn order(verdict: &HiddenVerdict, turned: bool) -> String {
    let a_first = verdict.order.as_deref() != Some("ba");
    if a_first == turned { "Reply 2 first".to_owned() } else { "Reply 1 first".to_owned() }
}

fn candidate(said: &str, turned: bool) -> String {
    let text = match (said, turned) {
        ("a", false) | ("b", true) => "Reply 1 is better",
        ("b", false) | ("a", true) => "Reply 2 is better",
        ("tie", _) => "They are equal",
        _ => "a person has to look",
    };
    text.to_owned()
}

fn replies(hidden: &Hidden, turned: bool) -> Vec<ReplyView> {
    let findings = hidden.findings.iter().cloned().chain(std::iter::repeat_with(Vec::new));
    let variants = hidden.variants.iter().cloned();
    let mut replies: Vec<ReplyView> =
        variants.zip(findings).map(|(variant, findings)| ReplyView { variant, findings }).collect();
    if turned {
        replies.reverse();
    }
    replies
}
