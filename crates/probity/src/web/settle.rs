//! Where people disagree: the list of it, and the page on which a lead settles one.

use std::collections::BTreeMap;

use axum::Form;
use axum::extract::{Path, Query};
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_core::review::{LabelForm, Questionnaire, ReviewerAnswer};
use probity_engine::review::{
    Difference, Disagreement, ItemId, PersonAnswer, QueueId, SettlingView, Submitted, ToSettle,
};

use serde::Deserialize;

use super::app::{Visit, now};
use super::choices::{ChoiceSet, Voter, settling_sets, side_text, spelt};
use super::label::submission;
use super::pages::go;
use super::refusal::{PageResult, Refusal};

/// Rows of the list at most.
const ROWS_MAX: usize = 500;

/// What one person said, in a line per criterion.
fn said_view(said: &PersonAnswer, asked: &Questionnaire) -> Value {
    let lines = match &said.answer {
        ReviewerAnswer::CannotTell => vec![("", "cannot tell".to_owned())],
        ReviewerAnswer::Pair(side) => vec![("", side_text(*side).to_owned())],
        ReviewerAnswer::Levels(levels) => {
            let level = |id: &str| levels.get(id).copied().flatten();
            let text = |id: &str| level(id).map_or("cannot tell".to_owned(), |level| level.to_string());
            asked.criteria.iter().map(|each| (&*each.title, text(&each.id))).collect()
        }
    };
    context! { name => &said.name, lines => Serde(lines), note => &said.note }
}

/// One row of the list.
fn row_view(row: &Disagreement, asked: &Questionnaire) -> Value {
    context! {
        item => row.item.0, n => row.n, slice => &row.slice,
        said => row.said.iter().map(|each| said_view(each, asked)).collect::<Vec<_>>(),
        settled => row.settled.as_ref().map(|each| said_view(each, asked)),
    }
}

/// What the address of the list says.
#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    criterion: Option<String>,
    one: Option<String>,
    other: Option<String>,
}

/// `GET /queues/{queue}/disagreements`
pub(super) async fn list(
    visit: Visit,
    Path(queue): Path<i64>,
    Query(wanted): Query<ListQuery>,
) -> PageResult {
    let app = &visit.app;
    let found = app.read(move |room| room.queue(QueueId(queue))).await?;
    let queue = found.ok_or_else(Refusal::not_found)?;
    let people = wanted.one.zip(wanted.other).map(|(one, other)| [one, other]);
    let wanted = Difference { criterion: wanted.criterion, people };
    let asked = &queue.spec.asked;
    let mut rows = app.room.disagreements(queue.id, visit.person.id, now()).await?;
    rows.retain(|row| row.has(&wanted));
    let n_open = rows.iter().filter(|row| row.settled.is_none()).count();
    let title = wanted.criterion.as_ref().and_then(|id| asked.criteria.iter().find(|each| each.id == *id));
    let shown: Vec<Value> = rows.iter().take(ROWS_MAX).map(|row| row_view(row, asked)).collect();
    let body = context! {
        queue_id => queue.id.0, queue => &queue.name, n_open,
        criterion => title.map(|each| &each.title),
        people => wanted.people.map(|people| people.join(" and ")),
        n => rows.len(), rows => shown,
    };
    visit.page("disagreements", "Disagreements", body)
}

/// `GET /items/{item}/settle`
pub(super) async fn page(visit: Visit, Path(item): Path<i64>) -> PageResult {
    let SettlingView { queue, queue_name, asked, shown, disagreement, revision } =
        settling(&visit, item).await?;
    let others = to_settle(&visit, queue).await?;
    let (said, settled) = (&disagreement.said, disagreement.settled.as_ref());
    let sets = settling_sets(&asked, said, settled.map(|each| &each.answer));
    let (title, lead_in) = sentences(&asked, said, &sets);
    let with_note = said.iter().enumerate().filter(|(_, each)| !each.note.is_empty());
    let notes = with_note.map(|(at, each)| {
        let Voter { name, hue } = Voter::of((at, each));
        context! { name, hue, note => &each.note }
    });
    let place = others.iter().position(|other| other.item.0 == item);
    let at = |at: Option<usize>| at.and_then(|at| others.get(at)).map(|other| other.item.0);
    let body = context! {
        item, revision, title, lead_in, shown => Serde(&shown), criteria => Serde(&asked.criteria),
        queue_id => queue.0, queue => queue_name, form => Serde(asked.form),
        sets => Serde(sets),
        notes => notes.collect::<Vec<_>>(),
        note => settled.map(|each| each.note.as_str()).unwrap_or_default(),
        is_settled => settled.is_some(),
        n_done => others.iter().filter(|other| other.is_settled).count(), n_all => others.len(),
        previous => at(place.and_then(|place| place.checked_sub(1))),
        next => at(place.map(|place| place + 1)),
    };
    visit.page("settle", "Settle", body)
}

/// What there is to settle, and what is kept.
fn sentences(asked: &Questionnaire, said: &[PersonAnswer], sets: &[ChoiceSet]) -> (String, String) {
    let names: Vec<&str> = said.iter().map(|each| &*each.name).collect();
    let names = names.join(" and ");
    let n_agreed = sets.iter().filter(|set| set.agreed).count();
    let title = match (asked.form, sets.len() - n_agreed) {
        (LabelForm::Pair, _) => "Which reply is better?".to_owned(),
        (LabelForm::Levels, 0) => "Nothing to settle".to_owned(),
        (LabelForm::Levels, 1) => "One criterion to settle".to_owned(),
        (LabelForm::Levels, n) => {
            let mut word = spelt(n);
            word[..1].make_ascii_uppercase();
            format!("{word} criteria to settle")
        }
    };
    let agreed = match (asked.form, n_agreed) {
        (LabelForm::Pair, _) | (_, 0) => format!("{names} differ."),
        (_, 1) => format!("{names} agree on the other one."),
        (_, n) => format!("{names} agree on the other {}.", spelt(n)),
    };
    (title, format!("{agreed} What the judge said stays hidden until settled."))
}

/// `POST /items/{item}/settle`
pub(super) async fn submit(
    visit: Visit,
    Path(item): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> PageResult {
    let fields: BTreeMap<String, String> = fields.into_iter().collect();
    let settling = settling(&visit, item).await?;
    let submission = submission(ItemId(item), &visit.person, &settling.asked, &fields)?;
    match visit.app.room.adjudicate(submission).await? {
        Submitted::Kept { .. } | Submitted::Already { .. } => {
            let others = to_settle(&visit, settling.queue).await?;
            let later = others.iter().skip_while(|other| other.item.0 != item).skip(1);
            let mut open = later.chain(&others).filter(|other| !other.is_settled && other.item.0 != item);
            Ok(go(&match open.next() {
                Some(next) => format!("/items/{}/settle", next.item.0),
                None => format!("/queues/{}/disagreements", settling.queue.0),
            }))
        }
        Submitted::Overtaken { .. } => {
            Err(Refusal::conflict("another lead settled this meanwhile; load the page again"))
        }
        Submitted::Full | Submitted::NotYours => Err(Refusal::not_found()),
        Submitted::Refused { reason } => Err(Refusal::unusable(reason)),
    }
}

/// What people answered differently, in the order of the queue.
async fn to_settle(visit: &Visit, queue: QueueId) -> Result<Vec<ToSettle>, Refusal> {
    let who = visit.person.id;
    visit.app.read(move |room| room.to_settle(queue, who)).await
}

async fn settling(visit: &Visit, item: i64) -> Result<SettlingView, Refusal> {
    let found = visit.app.room.settling(ItemId(item), visit.person.id, now()).await?;
    found.ok_or_else(Refusal::not_found)
}
