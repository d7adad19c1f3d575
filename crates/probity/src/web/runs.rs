//! Runs as leads see them: the list, one with its packets, two side by side, and one packet in depth.
//!
//! What is shown is what the store holds; nothing is computed. Filters are in the address, so that a link shows
//! the same to every lead.

use axum::extract::{Path, Query};
use axum::http::StatusCode;
use minijinja::context;
use minijinja::value::Serde;
use probity_engine::review::{CaseView, PacketFilter, ReviewRoom};
use serde::{Deserialize, Serialize};

use super::app::Visit;
use super::refusal::{PageResult, Refusal};

/// Rows of one page.
const ROWS: u32 = 50;

/// The longest text that is looked for, in characters.
const CONTAINS_MAX: usize = 200;

/// `GET /runs`
pub(super) async fn list(visit: Visit) -> PageResult {
    let runs = visit.app.read(ReviewRoom::runs).await?;
    visit.page("runs", "Runs", context! { runs => Serde(runs) })
}

/// What the address of a run says.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct PacketQuery {
    #[serde(default)]
    state: String,
    #[serde(default)]
    contains: String,
    #[serde(default)]
    offset: u32,
}

/// `GET /runs/{run}`
pub(super) async fn run(visit: Visit, Path(run): Path<i64>, Query(wanted): Query<PacketQuery>) -> PageResult {
    let contains: String = wanted.contains.chars().take(CONTAINS_MAX).collect();
    let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    if !wanted.state.is_empty() && !PacketFilter::STATES.contains(&wanted.state.as_str()) {
        let known = PacketFilter::STATES.join(", ");
        return Err(Refusal::new(StatusCode::BAD_REQUEST, format!("unknown state, expected one of {known}")));
    }
    let filter = PacketFilter {
        state: named(&wanted.state),
        contains: named(&contains),
        offset: wanted.offset,
        limit: ROWS,
    };
    let page = visit.app.read(move |room| room.run(run, &filter)).await?.ok_or_else(Refusal::not_found)?;
    let body = context! {
        run => Serde(page.run), rows => Serde(page.rows), n_matching => page.n_matching,
        wanted => Serde(&wanted), step => ROWS,
    };
    visit.page("run", &format!("Run {run}"), body)
}

/// What the address of two runs says.
#[derive(Debug, Deserialize)]
pub(super) struct RunPair {
    one: i64,
    other: i64,
    #[serde(default)]
    offset: u32,
}

/// `GET /runs/compare`
pub(super) async fn compare(
    visit: Visit,
    Query(RunPair { one, other, offset }): Query<RunPair>,
) -> PageResult {
    let (wanted, skipped) = ([one, other], offset as usize);
    let found = visit.app.read(move |room| room.compare_runs(wanted, skipped, ROWS)).await?;
    let found = found.ok_or_else(Refusal::not_found)?;
    let body = context! { one, other, offset, step => ROWS, ..Serde(found) };
    visit.page("compare", &format!("Runs {one} and {other}"), body)
}

/// `GET /packets/{packet}`
pub(super) async fn packet(visit: Visit, Path(packet): Path<String>) -> PageResult {
    let name = packet.clone();
    let case = visit.app.read(move |room| room.case(&name)).await?.ok_or_else(Refusal::not_found)?;
    let other = match case.other_order.clone() {
        Some(other) => visit.app.read(move |room| room.case(&other)).await?,
        None => None,
    };
    let orders: Vec<CaseView> = std::iter::once(case).chain(other).collect();
    visit.page("packet", "One question in depth", context! { packet, orders => Serde(orders) })
}
