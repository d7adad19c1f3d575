//! The queues: how far this person has come in each, and the way to the next item.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;
use probity_engine::review::{Person, Progress, QueueId, QueueView, Role, Undone};
use serde::Serialize;

use super::app::{App, now};
use super::pages::{Body, Place, go};
use super::refusal::{Answer, Refusal};

/// A queue as its card shows it. Where its items come from is a judge's doing, and is for leads.
#[derive(Debug, Serialize)]
struct Card {
    id: i64,
    name: String,
    rubric: String,
    form: &'static str,
    overlap: u32,
    n_items: u32,
    n_complete: u32,
    n_submitted: u32,
    n_skipped: u32,
    n_open: u32,
    /// Items that were or can be this person's.
    n_mine: u32,
    source: Option<String>,
}

impl Card {
    fn of(queue: QueueView, progress: &Progress, person: &Person) -> Card {
        let form = match queue.form() {
            probity_core::review::Form::Levels => "levels",
            probity_core::review::Form::Pair => "pairs",
        };
        Card {
            id: queue.id.0,
            name: queue.name,
            rubric: queue.spec.asked.rubric,
            form,
            overlap: queue.spec.overlap,
            n_items: queue.n_items,
            n_complete: queue.n_complete,
            n_submitted: progress.n_submitted,
            n_skipped: progress.n_skipped,
            n_open: progress.n_open,
            n_mine: progress.n_submitted + progress.n_open,
            source: (person.role == Role::Lead).then_some(queue.spec.source),
        }
    }
}

/// `GET /`
pub(super) async fn home(State(app): State<App>, Extension(person): Extension<Person>) -> Answer {
    let who = person.clone();
    let cards = app
        .read(move |room| {
            let card = |queue: QueueView| {
                let progress = room.progress(queue.id, who.id, now())?;
                Ok(Card::of(queue, &progress, &who))
            };
            room.queues()?.into_iter().map(card).collect::<Result<Vec<Card>, _>>()
        })
        .await?;
    let body = context! { queues => Serde(cards), is_lead => person.role == Role::Lead };
    app.pages.page(&person, Place::Queues, "Queues", &Body::new("queues", body))
}

/// `GET /queues/{queue}`: where somebody stands who has nothing before them.
pub(super) async fn page(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(queue): Path<i64>,
) -> Answer {
    let who = person.clone();
    let found = app
        .read(move |room| {
            let Some(queue) = room.queue(QueueId(queue))? else { return Ok(None) };
            let progress = room.progress(queue.id, who.id, now())?;
            let last = room.last_item(queue.id, who.id)?;
            Ok(Some((Card::of(queue, &progress, &who), last.is_some())))
        })
        .await?;
    let (card, can_undo) = found.ok_or_else(Refusal::not_found)?;
    let title = card.name.clone();
    let body = context! { queue => Serde(card), can_undo, is_lead => person.role == Role::Lead };
    app.pages.page(&person, Place::Queues, &title, &Body::new("queue", body))
}

/// `POST /queues/{queue}/next`
pub(super) async fn next(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(queue): Path<i64>,
) -> Answer {
    app.queue_name(QueueId(queue)).await?;
    onward(&app, &person, QueueId(queue), "").await
}

/// `POST /queues/{queue}/undo`: takes back the last answer, or the last skip, and goes there.
pub(super) async fn undo(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(queue): Path<i64>,
) -> Answer {
    let last = app.read(move |room| room.last_item(QueueId(queue), person.id)).await?;
    let item = last.ok_or_else(|| Refusal::conflict("there is nothing to take back"))?;
    match app.room.undo(item, person.id, now()).await? {
        Undone::Withdrawn { .. } | Undone::Resumed => Ok(go(&format!("/items/{}", item.0))),
        Undone::Full => Err(Refusal::conflict("others have taken this one meanwhile")),
        Undone::Nothing => Err(Refusal::conflict("there is nothing to take back")),
        Undone::NotYours => Err(Refusal::not_found()),
    }
}

/// The way to the next item of a queue, or to its page where nothing is left.
pub(super) async fn onward(
    app: &App,
    person: &Person,
    queue: QueueId,
    remark: &str,
) -> Result<Response, Refusal> {
    let place = match app.room.next(queue, person.id, now()).await? {
        Some(item) => format!("/items/{}{remark}", item.id.0),
        None => format!("/queues/{}{remark}", queue.0),
    };
    Ok(go(&place))
}
