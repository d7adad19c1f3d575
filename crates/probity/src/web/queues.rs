//! The queues: how far this person has come in each, and the way to the next item.

use axum::extract::Path;
use minijinja::context;
use minijinja::value::Serde;
use probity_engine::review::{PersonRole, QueueId, QueueView, Undone};

use super::app::{Visit, now};
use super::pages::go;
use super::refusal::{PageResult, Refusal};

/// `GET /queues`
pub(super) async fn list(visit: Visit) -> PageResult {
    let who = visit.person.id;
    let queues = visit
        .app
        .read(move |room| {
            let with_progress = |queue: QueueView| Ok((room.progress(queue.id, who, now())?, queue));
            room.queues()?.into_iter().map(with_progress).collect::<Result<Vec<_>, _>>()
        })
        .await?;
    let is_lead = visit.person.role == PersonRole::Lead;
    visit.page("queues", "Queues", context! { queues => Serde(queues), is_lead })
}

/// `GET /queues/{queue}`: how far a person has come who has no item before them.
pub(super) async fn page(visit: Visit, Path(queue): Path<i64>) -> PageResult {
    let who = visit.person.id;
    let found = visit
        .app
        .read(move |room| {
            let Some(queue) = room.queue(QueueId(queue))? else { return Ok(None) };
            let last = room.last_item(queue.id, who)?;
            Ok(Some((room.progress(queue.id, who, now())?, queue, last.is_some())))
        })
        .await?;
    let (own, queue, can_undo) = found.ok_or_else(Refusal::not_found)?;
    let is_lead = visit.person.role == PersonRole::Lead;
    let body = context! { queue => Serde(&queue), own => Serde(own), can_undo, is_lead };
    visit.page("queue", &queue.name, body)
}

/// `GET /queues/{queue}/guidelines`: what is asked, and what each level looks like, as the rubric says.
pub(super) async fn guidelines(visit: Visit, Path(queue): Path<i64>) -> PageResult {
    let found = visit.app.read(move |room| room.queue(QueueId(queue))).await?;
    let queue = found.ok_or_else(Refusal::not_found)?;
    let body = context! { queue_id => queue.id.0, queue => &queue.name, asked => Serde(&queue.spec.asked) };
    visit.page("guidelines", "Guidelines", body)
}

/// `POST /queues/{queue}/next`
pub(super) async fn next(visit: Visit, Path(queue): Path<i64>) -> PageResult {
    if !visit.app.read(move |room| room.has_queue(QueueId(queue))).await? {
        return Err(Refusal::not_found());
    }
    onward(&visit, QueueId(queue), "").await
}

/// `POST /queues/{queue}/undo`: takes back the last answer, or the last skip, and goes there.
pub(super) async fn undo(Visit { app, person, .. }: Visit, Path(queue): Path<i64>) -> PageResult {
    let last = app.read(move |room| room.last_item(QueueId(queue), person.id)).await?;
    let item = last.ok_or_else(|| Refusal::conflict("there is nothing to undo"))?;
    match app.room.undo(item, person.id, now()).await? {
        Undone::Withdrawn { .. } | Undone::Resumed => Ok(go(&format!("/items/{}", item.0))),
        Undone::Full => Err(Refusal::conflict("another person has taken this one meanwhile")),
        Undone::Nothing => Err(Refusal::conflict("there is nothing to undo")),
        Undone::NotYours => Err(Refusal::not_found()),
    }
}

/// The way to the next item of a queue, or to its page where nothing is left.
pub(super) async fn onward(visit: &Visit, queue: QueueId, remark: &str) -> PageResult {
    Ok(go(&match visit.app.room.next(queue, visit.person.id, now()).await? {
        Some(item) => format!("/items/{}{remark}", item.0),
        None => format!("/queues/{}{remark}", queue.0),
    }))
}
