//! After the answer: what the judge said, what the gate saw, and what was wrong with it.
//!
//! The only place where the hidden half of an item is read for a person who labels. The store gives it to those who
//! have answered and notes that they have seen it, so it is never the answer to a plain GET.

use std::collections::BTreeMap;

use axum::Form;
use axum::extract::Path;
use axum::http::StatusCode;
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_core::review::{AskedCriterion, Hidden, HiddenVerdict, LabelForm, ReviewerAnswer};
use probity_engine::review::{After, CausedBy, ItemId, ItemView, Reveal, RootCause, RootCauses};

use super::app::{Visit, now};
use super::choices::side_text;
use super::label::{own, sheet};
use super::refusal::{PageResult, Refusal};

/// `POST /items/{item}/reveal`
pub(super) async fn reveal(visit: Visit, Path(item): Path<i64>) -> PageResult {
    shown(&visit, item).await
}

/// `POST /items/{item}/cause`: what is wrong with the verdict on one criterion. The button sends the cause and the
/// criterion, which a pair does not have.
pub(super) async fn cause(
    visit: Visit,
    Path(item): Path<i64>,
    Form(fields): Form<BTreeMap<String, String>>,
) -> PageResult {
    let sent = fields.get("cause").map(String::as_str).unwrap_or_default();
    let (cause, criterion) = sent.split_once(' ').unwrap_or((sent, ""));
    let cause = [RootCause::TooHigh, RootCause::TooLow, RootCause::RubricUnclear]
        .into_iter()
        .find(|known| known.name() == cause)
        .ok_or_else(|| Refusal::unusable("expected what is wrong with the verdict"))?;
    let criterion = (!criterion.is_empty()).then(|| criterion.to_owned());
    let about = CausedBy { item: ItemId(item), person: visit.person.id, criterion };
    if !visit.app.room.cause(about, cause, now()).await? {
        return Err(Refusal::conflict("answer first"));
    }
    shown(&visit, item).await
}

/// The page of an item that this person has answered, without what is hidden.
pub(super) async fn answered(visit: &Visit, item: &ItemView) -> PageResult {
    let own = |criterion: &AskedCriterion| {
        context! {
            about => &criterion.title, own => own_level(item, &criterion.id),
        }
    };
    let rows: Vec<Value> = match item.asked.form {
        LabelForm::Levels => item.asked.criteria.iter().map(own).collect(),
        LabelForm::Pair => vec![context! { about => "Your answer", own => own_side(item) }],
    };
    let body = context! {
        rows, revealed => false, replies => (), blind => item.blind, note => &item.note,
        can_reveal => item.after == After::Reveal,
        ..sheet(visit, item).await?
    };
    visit.page("after", &format!("{}, {}", item.queue_name, item.n), body)
}

async fn shown(visit: &Visit, item: i64) -> PageResult {
    let (app, view) = (&visit.app, own(visit, item).await?);
    if view.answer.is_none() {
        return Err(Refusal::conflict("answer first"));
    }
    let (hidden, turned, causes) = match app.room.reveal(view.id, visit.person.id, now()).await? {
        Reveal::Shown { hidden, turned, causes } => (hidden, turned, causes),
        Reveal::NotYet => return Err(Refusal::new(StatusCode::FORBIDDEN, "this queue does not show it")),
        Reveal::NotYours => return Err(Refusal::not_found()),
    };
    let body = context! {
        revealed => true, can_reveal => false, blind => false,
        rows => rows(&view, &hidden, turned, &causes),
        replies => replies(&hidden, turned),
        judge => Serde(&hidden.judge),
        case => &hidden.case,
        slice => &hidden.slice,
        note => "",
        ..sheet(visit, &view).await?
    };
    visit.page("after", "What the judge said", body)
}

/// What was said about each criterion, or in each order of a pair.
fn rows(view: &ItemView, hidden: &Hidden, turned: bool, causes: &RootCauses) -> Vec<Value> {
    let row = |(at, verdict): (usize, &HiddenVerdict)| {
        let (about, own) = match view.asked.form {
            LabelForm::Levels => level(view, verdict),
            LabelForm::Pair => (order(verdict, turned), own_side(view)),
        };
        let judge = match (&verdict.said, view.asked.form) {
            (None, _) => "no verdict".to_owned(),
            (Some(said), LabelForm::Levels) => said.clone(),
            (Some(said), LabelForm::Pair) => candidate(said, turned),
        };
        // A pair has one verdict in two orders, so it is asked about once.
        let asks_cause = verdict.said.is_some() && (verdict.criterion.is_some() || at == 0);
        context! {
            about, agrees => own == judge, own, judge, reasoning => &verdict.reasoning, asks_cause,
            criterion => verdict.criterion.as_deref().unwrap_or_default(),
            cause => causes.get(&verdict.criterion).map(|cause| cause.name()),
        }
    };
    hidden.verdicts.iter().enumerate().map(row).collect()
}

fn level(view: &ItemView, verdict: &HiddenVerdict) -> (String, String) {
    let id = verdict.criterion.as_deref().unwrap_or_default();
    let title = view.asked.criteria.iter().find(|each| each.id == id).map_or(id, |each| &each.title);
    (title.to_owned(), own_level(view, id))
}

fn own_level(view: &ItemView, id: &str) -> String {
    let own = match &view.answer {
        Some(ReviewerAnswer::Levels(levels)) => {
            levels.get(id).copied().flatten().map(|level| level.to_string())
        }
        Some(ReviewerAnswer::Pair(_) | ReviewerAnswer::CannotTell) | None => None,
    };
    own.unwrap_or_else(|| "cannot tell".to_owned())
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
