//! How far people agree on a queue, the judge with them, and what a contract still asks for.

use axum::extract::Path;
use minijinja::context;
use minijinja::value::Serde;
use probity_engine::review::QueueId;

use super::app::{Visit, now};
use super::refusal::{PageResult, Refusal};
use crate::args::default_counting;

/// `GET /queues/{queue}/agreement`
pub(super) async fn page(visit: Visit, Path(queue): Path<i64>) -> PageResult {
    let app = &visit.app;
    let contract = app.contract.clone();
    let _turn = app.computing.acquire().await.map_err(|_| Refusal::broken())?;
    let found = app
        .read(move |room| {
            let Some(queue) = room.queue(QueueId(queue))? else { return Ok(None) };
            let figures = room.figures(queue.id, contract.as_ref(), default_counting(), now())?;
            Ok(Some((queue, figures)))
        })
        .await?;
    let (queue, figures) = found.ok_or_else(Refusal::not_found)?;
    let body = context! {
        queue_id => queue.id.0, queue => &queue.name,
        n_items => queue.n_items, n_complete => queue.n_complete, n_submitted => queue.n_submitted,
        overlap => queue.spec.overlap,
        has_contract => app.contract.is_some(),
        problem => &figures.problem,
        progress => Serde(&figures.progress),
        agreement => Serde(&figures.agreement),
    };
    visit.page("agreement", "Agreement", body)
}
