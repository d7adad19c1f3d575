//! After the answer: what the judge said, what the gate saw, and what was wrong with it.
//!
//! The only place where the hidden half of an item is read for a person who labels. The store gives it to those who
//! have answered and notes that they have seen it, so it is never the answer to a plain GET.

use axum::Form;
use axum::extract::Path;
use axum::http::StatusCode;
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_core::review::{Hidden, HiddenVerdict, LabelForm, ReviewerAnswer};
use probity_engine::review::{ItemId, ItemView, Reveal, RootCause};
use serde::Deserialize;

use super::app::{Visit, now};
use super::label::{own, side_text};
use super::refusal::{PageResult, Refusal};

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Caused {
    cause: RootCause,
}

/// `POST /items/{item}/reveal`
pub(super) async fn reveal(visit: Visit, Path(item): Path<i64>) -> PageResult {
    shown(&visit, item).await
}

/// `POST /items/{item}/cause`
pub(super) async fn cause(
    visit: Visit,
    Path(item): Path<i64>,
    Form(Caused { cause }): Form<Caused>,
) -> PageResult {
    if !visit.app.room.cause(ItemId(item), visit.person.id, cause, now()).await? {
        return Err(Refusal::conflict("answer first"));
    }
    shown(&visit, item).await
}

async fn shown(visit: &Visit, item: i64) -> PageResult {
    let (app, view) = (&visit.app, own(visit, item).await?);
    if view.answer.is_none() {
        return Err(Refusal::conflict("answer first"));
    }
    let (hidden, turned, cause) = match app.room.reveal(view.id, visit.person.id, now()).await? {
        Reveal::Shown { hidden, turned, cause } => (hidden, turned, cause),
        Reveal::NotYet => return Err(Refusal::new(StatusCode::FORBIDDEN, "this queue does not show it")),
        Reveal::NotYours => return Err(Refusal::not_found()),
    };
    let exhibit = app.pages.part("exhibit", context! { ..Serde(&view.shown) })?;
    let body = context! {
        exhibit, item,
        queue_id => view.queue.0,
        queue => &view.queue_name,
        form => Serde(view.asked.form),
        rows => rows(&view, &hidden, turned),
        replies => replies(&hidden, turned),
        judge => Serde(&hidden.judge),
        case => &hidden.case,
        slice => &hidden.slice,
        cause => Serde(cause),
    };
    visit.page("reveal", "What the judge said", body)
}

/// What was said about each criterion, or in each order of a pair.
fn rows(view: &ItemView, hidden: &Hidden, turned: bool) -> Vec<Value> {
    let row = |verdict: &HiddenVerdict| {
        let (about, own) = match view.asked.form {
            LabelForm::Levels => level(view, verdict),
            LabelForm::Pair => (order(verdict, turned), own_side(view)),
        };
        let judge = match (&verdict.said, view.asked.form) {
            (None, _) => "no verdict".to_owned(),
            (Some(said), LabelForm::Levels) => said.clone(),
            (Some(said), LabelForm::Pair) => candidate(said, turned),
        };
        context! { about, agrees => own == judge, own, judge, reasoning => &verdict.reasoning }
    };
    hidden.verdicts.iter().map(row).collect()
}

fn level(view: &ItemView, verdict: &HiddenVerdict) -> (String, String) {
    let id = verdict.criterion.as_deref().unwrap_or_default();
    let title = view.asked.criteria.iter().find(|each| each.id == id).map_or(id, |each| &each.title);
    let own = match &view.answer {
        Some(ReviewerAnswer::Levels(levels)) => {
            levels.get(id).copied().flatten().map(|level| level.to_string())
        }
        Some(ReviewerAnswer::Pair(_) | ReviewerAnswer::CannotTell) | None => None,
    };
    (title.to_owned(), own.unwrap_or_else(|| "cannot tell".to_owned()))
}

fn own_side(view: &ItemView) -> String {
    match &view.answer {
        Some(ReviewerAnswer::Pair(side)) => side_text(*side).to_owned(),
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

/// Where each reply comes from, and what the gate saw in it.
fn replies(hidden: &Hidden, turned: bool) -> Vec<Value> {
    let findings = hidden.findings.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
    let reply = |(variant, findings)| context! { variant => Serde(variant), findings => Serde(findings) };
    let mut replies: Vec<Value> = hidden.variants.iter().zip(findings).map(reply).collect();
    if turned {
        replies.reverse();
    }
    replies
}
