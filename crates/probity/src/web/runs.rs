//! Runs as leads see them: the list, one with its packets, two side by side, and one packet in depth.
//!
//! What is shown is what the store holds; nothing is computed. Filters are in the address, so that a link shows
//! the same to whoever opens it.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use minijinja::context;
use minijinja::value::Serde;
use probity_engine::review::{AttemptView, CaseView, PacketFilter, Person, Room, RunView};
use serde::{Deserialize, Serialize};

use super::app::App;
use super::pages::{Body, Place};
use super::people::day;
use super::refusal::{Answer, Refusal};

/// Rows of one page.
const ROWS: u32 = 50;

/// The longest text that is looked for, in characters.
const CONTAINS_MAX: usize = 200;

/// A run with its time in words.
#[derive(Debug, Serialize)]
struct RunRow {
    #[serde(flatten)]
    run: RunView,
    started: String,
}

impl RunRow {
    fn of(run: RunView) -> RunRow {
        let started = run.started_unix_ms.and_then(|ms| day(ms / 1000)).unwrap_or_default();
        RunRow { run, started }
    }
}

/// `GET /runs`
pub(super) async fn list(State(app): State<App>, Extension(person): Extension<Person>) -> Answer {
    let runs = app.read(Room::runs).await?;
    let runs: Vec<RunRow> = runs.into_iter().map(RunRow::of).collect();
    app.pages.page(&person, Place::Runs, "Runs", &Body::new("runs", context! { runs => Serde(runs) }))
}

/// What the address of a run says.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Wanted {
    #[serde(default)]
    state: String,
    #[serde(default)]
    contains: String,
    #[serde(default)]
    offset: u32,
}

/// `GET /runs/{run}`
pub(super) async fn run(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(run): Path<i64>,
    Query(wanted): Query<Wanted>,
) -> Answer {
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
    let page = app.read(move |room| room.run(run, &filter)).await?.ok_or_else(Refusal::not_found)?;
    let body = context! {
        run => Serde(RunRow::of(page.run)), rows => Serde(page.rows), n_matching => page.n_matching,
        wanted => Serde(&wanted), step => ROWS,
    };
    app.pages.page(&person, Place::Runs, &format!("Run {run}"), &Body::new("run", body))
}

/// What the address of two runs says.
#[derive(Debug, Deserialize)]
pub(super) struct Two {
    one: i64,
    other: i64,
    #[serde(default)]
    offset: u32,
}

/// `GET /runs/compare`
pub(super) async fn compare(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Query(Two { one, other, offset }): Query<Two>,
) -> Answer {
    let (wanted, skipped) = ([one, other], offset as usize);
    let found = app.read(move |room| room.compare_runs(wanted, skipped, ROWS)).await?;
    let found = found.ok_or_else(Refusal::not_found)?;
    let title = format!("Runs {one} and {other}");
    let body = context! { one, other, offset, step => ROWS, ..Serde(found) };
    app.pages.page(&person, Place::Runs, &title, &Body::new("compare", body))
}

/// `GET /packets/{packet}`
pub(super) async fn packet(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(packet): Path<String>,
) -> Answer {
    let name = packet.clone();
    let case = app.read(move |room| room.case(&name)).await?.ok_or_else(Refusal::not_found)?;
    let other = match case.other_order.clone() {
        Some(other) => app.read(move |room| room.case(&other)).await?,
        None => None,
    };
    let orders: Vec<OrderView> = std::iter::once(case).chain(other).map(OrderView::of).collect();
    let body = context! { packet, orders => Serde(orders) };
    app.pages.page(&person, Place::Runs, "One question in depth", &Body::new("packet", body))
}

/// What was asked in one order, and every answer to it.
#[derive(Debug, Serialize)]
struct OrderView {
    packet: String,
    body: String,
    settlements: Vec<SettledView>,
}

/// What one judge came to.
#[derive(Debug, Serialize)]
struct SettledView {
    judge: String,
    identity: String,
    repeat: u32,
    state: String,
    verdict: String,
    reason: String,
    attempts: Vec<CallView>,
}

/// One call, with its time in words.
#[derive(Debug, Serialize)]
struct CallView {
    #[serde(flatten)]
    call: AttemptView,
    started: String,
}

impl OrderView {
    fn of(case: CaseView) -> OrderView {
        let call = |call: AttemptView| CallView {
            started: day(call.started_unix_ms / 1000).unwrap_or_default(),
            call,
        };
        let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap_or_default();
        let settled = |each: probity_engine::review::SettlementView| SettledView {
            identity: pretty(&each.identity),
            verdict: if each.verdict.is_null() { String::new() } else { pretty(&each.verdict) },
            judge: each.judge,
            repeat: each.repeat,
            state: each.state,
            reason: each.reason,
            attempts: each.attempts.into_iter().map(call).collect(),
        };
        OrderView {
            packet: case.packet,
            body: pretty(&case.document),
            settlements: case.settlements.into_iter().map(settled).collect(),
        }
    }
}
