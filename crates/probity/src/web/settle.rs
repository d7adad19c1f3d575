//! Where people disagree: the list of it, and the page on which a lead settles one.

use std::collections::BTreeMap;

use axum::Form;
use axum::extract::Path;
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_core::review::{Questionnaire, ReviewerAnswer};
use probity_engine::review::{Disagreement, ItemId, PersonAnswer, QueueId, SettlingView, Submitted};

use super::app::{Visit, now};
use super::label::{choices, side_text, submission};
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

/// `GET /queues/{queue}/disagreements`
pub(super) async fn list(visit: Visit, Path(queue): Path<i64>) -> PageResult {
    let app = &visit.app;
    let found = app.read(move |room| room.queue(QueueId(queue))).await?;
    let queue = found.ok_or_else(Refusal::not_found)?;
    let rows = app.room.disagreements(queue.id, visit.person.id, now()).await?;
    let n_open = rows.iter().filter(|row| row.settled.is_none()).count();
    let asked = &queue.spec.asked;
    let shown: Vec<Value> = rows.iter().take(ROWS_MAX).map(|row| row_view(row, asked)).collect();
    let body = context! {
        queue_id => queue.id.0, queue => &queue.name, n_open,
        n => rows.len(), rows => shown,
    };
    visit.page("disagreements", "Disagreements", body)
}

/// `GET /items/{item}/settle`
pub(super) async fn page(visit: Visit, Path(item): Path<i64>) -> PageResult {
    let settling = settling(&visit, item).await?;
    let exhibit = visit.app.pages.part("exhibit", context! { ..Serde(&settling.shown) })?;
    let settled = settling.disagreement.settled.as_ref();
    let body = context! {
        exhibit, item,
        queue_id => settling.queue.0,
        form => Serde(settling.asked.form),
        choices => choices(&visit.app, &settling.asked, settled.map(|each| &each.answer))?,
        note => settled.map(|each| each.note.as_str()).unwrap_or_default(),
        revision => settling.revision,
        row => row_view(&settling.disagreement, &settling.asked),
    };
    visit.page("settle", "Settle", body)
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
            Ok(go(&format!("/queues/{}/disagreements", settling.queue.0)))
        }
        Submitted::Overtaken { .. } => {
            Err(Refusal::conflict("somebody settled this meanwhile; load the page again"))
        }
        Submitted::Full | Submitted::NotYours => Err(Refusal::not_found()),
        Submitted::Refused { reason } => Err(Refusal::unusable(reason)),
    }
}

async fn settling(visit: &Visit, item: i64) -> Result<SettlingView, Refusal> {
    let found = visit.app.room.settling(ItemId(item), visit.person.id, now()).await?;
    found.ok_or_else(Refusal::not_found)
}
