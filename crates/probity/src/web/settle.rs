//! Where people disagree: the list of it, and the page on which a lead settles one.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use axum::{Extension, Form};
use minijinja::context;
use minijinja::value::Serde;
use probity_core::review::{Answer as Said, Asked};
use probity_engine::review::{Disagreement, ItemId, Person, QueueId, SaidBy, Settling, Submitted};
use serde::Serialize;

use super::app::{App, now};
use super::label::{choices, side_text, submission};
use super::pages::{Body, Place, go};
use super::refusal::{Answer, Refusal};

/// Rows of the list at most.
const ROWS_MAX: usize = 500;

/// What one person said, in a line per criterion.
#[derive(Debug, Serialize)]
struct SaidView {
    name: String,
    lines: Vec<(String, String)>,
    note: String,
}

impl SaidView {
    fn of(said: &SaidBy, asked: &Asked) -> SaidView {
        let lines = match &said.answer {
            Said::CannotTell => vec![(String::new(), "cannot tell".to_owned())],
            Said::Pair(side) => vec![(String::new(), side_text(*side).to_owned())],
            Said::Levels(levels) => asked
                .criteria
                .iter()
                .map(|criterion| {
                    let level = levels.get(&criterion.id).copied().flatten();
                    (
                        criterion.title.clone(),
                        level.map_or("cannot tell".to_owned(), |level| level.to_string()),
                    )
                })
                .collect(),
        };
        SaidView { name: said.name.clone(), lines, note: said.note.clone() }
    }
}

/// One row of the list.
#[derive(Debug, Serialize)]
struct RowView {
    item: i64,
    n: u32,
    slice: Option<String>,
    said: Vec<SaidView>,
    settled: Option<SaidView>,
}

impl RowView {
    fn of(row: &Disagreement, asked: &Asked) -> RowView {
        RowView {
            item: row.item.0,
            n: row.n,
            slice: row.slice.clone(),
            said: row.said.iter().map(|each| SaidView::of(each, asked)).collect(),
            settled: row.settled.as_ref().map(|each| SaidView::of(each, asked)),
        }
    }
}

/// `GET /queues/{queue}/disagreements`
pub(super) async fn list(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(queue): Path<i64>,
) -> Answer {
    let found = app.read(move |room| room.queue(QueueId(queue))).await?;
    let queue = found.ok_or_else(Refusal::not_found)?;
    let rows = app.room.disagreements(queue.id, person.id, now()).await?;
    let n_open = rows.iter().filter(|row| row.settled.is_none()).count();
    let asked = &queue.spec.asked;
    let shown: Vec<RowView> = rows.iter().take(ROWS_MAX).map(|row| RowView::of(row, asked)).collect();
    let body = context! {
        queue_id => queue.id.0, queue => &queue.name, n_open,
        n => rows.len(), rows => Serde(shown),
    };
    app.pages.page(&person, Place::Queues, "Disagreements", &Body::new("disagreements", body))
}

/// `GET /items/{item}/settle`
pub(super) async fn page(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(item): Path<i64>,
) -> Answer {
    let settling = settling(&app, &person, item).await?;
    let row = RowView::of(&settling.disagreement, &settling.asked);
    let exhibit = app.pages.part("exhibit", &context! { ..Serde(&settling.shown) })?;
    let settled = settling.disagreement.settled.as_ref();
    let body = context! {
        exhibit, item,
        queue_id => settling.queue.0,
        form => Serde(settling.asked.form),
        choices => choices(&app, &settling.asked, settled.map(|each| &each.answer))?,
        note => settled.map(|each| each.note.as_str()).unwrap_or_default(),
        revision => settling.revision,
        row => Serde(row),
    };
    app.pages.page(&person, Place::Queues, "Settle", &Body::new("settle", body))
}

/// `POST /items/{item}/settle`
pub(super) async fn submit(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(item): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Answer {
    let fields: BTreeMap<String, String> = fields.into_iter().collect();
    let settling = settling(&app, &person, item).await?;
    match app.room.adjudicate(submission(ItemId(item), &person, &settling.asked, &fields)?).await? {
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

async fn settling(app: &App, person: &Person, item: i64) -> Result<Settling, Refusal> {
    app.room.settling(ItemId(item), person.id, now()).await?.ok_or_else(Refusal::not_found)
}
