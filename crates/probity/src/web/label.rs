//! The label page: what is shown, what is asked, and what becomes of the answer.
//!
//! What always holds: the page is made from the half of an item that may be seen, and from this person's own answer;
//! the other half is read by [`super::after`] alone.

use std::collections::BTreeMap;

use axum::Form;
use axum::extract::{Path, Query};
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_core::review::Questionnaire;
use probity_engine::review::{After, ItemId, ItemView, Person, ReviewRoom, SeatState, Submission, Submitted};
use serde::Deserialize;

use super::after;
use super::app::{Visit, now};
use super::choices::{choice_sets, said};
use super::pages::go;
use super::queues::onward;
use super::refusal::{PageResult, Refusal};

/// The remark on the next item for a person whose answer to the last one was not needed any more.
const FULL: &str = "?remark=full";

/// The remark on an item about which this person has said something elsewhere.
const SAID: &str = "You have said something about this before, in another queue or in a file that was imported. \
    It is chosen here and counts; submitting revises it.";

/// The same in words.
const FULL_NOTICE: &str =
    "Enough others have answered the last one meanwhile, so your answer to it was not kept.";

/// The remark on an item of which this person has seen what was hidden.
const SEEN: &str =
    "You have seen what the judge or others said about this reply: your answer will not count as blind.";

/// What the address says beside the item.
#[derive(Debug, Deserialize)]
pub(super) struct ItemQuery {
    remark: Option<String>,
}

/// `GET /items/{item}`
pub(super) async fn page(
    visit: Visit,
    Path(item): Path<i64>,
    Query(ItemQuery { remark }): Query<ItemQuery>,
) -> PageResult {
    let item = own(&visit, item).await?;
    if item.state == SeatState::Submitted {
        return after::answered(&visit, &item).await;
    }
    let chosen = item.taken_back.as_ref().or(item.earlier.as_ref());
    let notices = [
        (remark.as_deref() == Some("full"), FULL_NOTICE),
        (item.earlier.is_some() && item.taken_back.is_none(), SAID),
        (!item.blind, SEEN),
    ];
    let notices: Vec<&str> = notices.into_iter().filter_map(|(holds, text)| holds.then_some(text)).collect();
    let body = context! {
        notices, revision => item.revision, note => &item.note, criteria => Serde(&item.asked.criteria),
        sets => Serde(choice_sets(&item.asked, chosen)),
        ..sheet(&visit, &item).await?
    };
    visit.page("label", &format!("{}, {}", item.queue_name, item.n), body)
}

/// What the pages about one person's item have in common: the texts, and how far this person has come.
pub(super) async fn sheet(visit: &Visit, item: &ItemView) -> Result<Value, Refusal> {
    let (queue, who) = (item.queue, visit.person.id);
    let read = move |room: &ReviewRoom| Ok((room.progress(queue, who, now())?, room.last_item(queue, who)?));
    let (progress, last) = visit.app.read(read).await?;
    Ok(context! {
        item => item.id.0, queue_id => queue.0, queue => &item.queue_name,
        form => Serde(item.asked.form), shown => Serde(&item.shown), can_undo => last.is_some(),
        n_done => progress.n_submitted, n_all => progress.n_submitted + progress.n_open,
    })
}

/// `POST /items/{item}/label`
pub(super) async fn submit(
    visit: Visit,
    Path(item): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> PageResult {
    let fields: BTreeMap<String, String> = fields.into_iter().collect();
    let view = own(&visit, item).await?;
    match visit.app.room.submit(submission(view.id, &visit.person, &view.asked, &fields)?).await? {
        Submitted::Kept { .. } | Submitted::Already { .. } if view.after == After::Reveal => {
            Ok(go(&format!("/items/{item}")))
        }
        Submitted::Kept { .. } | Submitted::Already { .. } => onward(&visit, view.queue, "").await,
        Submitted::Full => onward(&visit, view.queue, FULL).await,
        Submitted::Overtaken { .. } => Err(Refusal::conflict(
            "you said something else about this in another window or queue; load the page again",
        )),
        Submitted::NotYours => Err(Refusal::not_found()),
        Submitted::Refused { reason } => Err(Refusal::unusable(reason)),
    }
}

/// What a form says about an item, on top of the revision that the person has seen.
pub(super) fn submission(
    item: ItemId,
    person: &Person,
    asked: &Questionnaire,
    fields: &BTreeMap<String, String>,
) -> Result<Submission, Refusal> {
    let revision = fields.get("revision").and_then(|text| text.parse().ok());
    Ok(Submission {
        item,
        person: person.id,
        expected_revision: revision.ok_or_else(|| Refusal::unusable("expected a revision"))?,
        answer: said(asked, fields)?,
        note: note(fields),
        at: now(),
    })
}

/// The note of a form, with the line ends that people meant.
fn note(fields: &BTreeMap<String, String>) -> String {
    fields.get("note").map(|note| note.replace("\r\n", "\n").trim().to_owned()).unwrap_or_default()
}

/// `POST /items/{item}/skip`
pub(super) async fn skip(visit: Visit, Path(item): Path<i64>) -> PageResult {
    let view = own(&visit, item).await?;
    visit.app.room.skip(view.id, visit.person.id, now()).await?;
    onward(&visit, view.queue, "").await
}

/// The item, if it is this person's.
pub(super) async fn own(visit: &Visit, item: i64) -> Result<ItemView, Refusal> {
    let who = visit.person.id;
    visit.app.read(move |room| room.item(ItemId(item), who)).await?.ok_or_else(Refusal::not_found)
}
