//! Runs as leads see them: the list, one with its figures and all of its replies, two side by side, and one packet.
//!
//! A run's page is its report, made by the same code as the file, and the list of its replies: drawn here for readers
//! without scripts, and taken over by the script of the reports where there is one, which asks for the same blocks
//! by address. Filters are in the address, so that a link shows the same to every lead.

use std::collections::BTreeSet;

use axum::extract::{Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_core::results::ResultRow;
use probity_core::sample::NO_SLICE;
use probity_engine::ledger::{RunOutcome, RunRecord};
use probity_engine::review::{CaseView, ReviewRoom};
use serde::Deserialize;

use super::app::Visit;
use super::refusal::{PageResult, Refusal};
use super::shelf;
use crate::plain::excerpt;
use crate::render::report::document::Document;
use crate::render::report::html::{inert, part};
use crate::render::view::query::ListQuery;
use crate::runs::list::RunLine;
use crate::runs::shown::Replies;

/// Rows of one page.
const ROWS: usize = 50;

/// How much of a ticket and a reply stands in a row.
const LINE_COLUMNS_MAX: usize = 160;

/// What an address says about pages.
#[derive(Debug, Deserialize)]
pub(super) struct PageQuery {
    #[serde(default)]
    pub(super) page: usize,
}

/// Which rows a page has, and how many there are.
pub(super) struct Paging {
    page: usize,
    n: usize,
}

impl Paging {
    /// The page of this number, from 1, of `n` rows; a number that is too large is the last page.
    pub(super) fn new(page: usize, n: usize) -> Paging {
        Paging { page: page.clamp(1, n.div_ceil(ROWS).max(1)), n }
    }

    /// How many rows come before this page, and how many it has at most.
    pub(super) fn bounds(&self) -> (usize, usize) {
        ((self.page - 1) * ROWS, ROWS)
    }

    /// The rows of this page.
    pub(super) fn of<T>(&self, rows: Vec<T>) -> impl Iterator<Item = T> {
        rows.into_iter().skip((self.page - 1) * ROWS).take(ROWS)
    }

    /// What a template shows of it.
    pub(super) fn view(&self) -> Value {
        let first = (self.page - 1) * ROWS;
        let last = (first + ROWS).min(self.n);
        context! {
            first => if self.n == 0 { 0 } else { first + 1 }, last, n => self.n,
            previous => (self.page > 1).then(|| self.page - 1), next => (last < self.n).then(|| self.page + 1),
        }
    }
}

/// The records of a store with what they came to, the latest first.
pub(super) fn recorded(
    room: &ReviewRoom,
) -> Result<Vec<(RunRecord, Option<RunOutcome>)>, probity_engine::ledger::StoreError> {
    let reader = room.store().reader()?;
    let mut outcomes = reader.outcomes()?;
    let mut found: Vec<_> = reader
        .runs()?
        .into_iter()
        .map(|record| {
            let at = outcomes.iter().position(|outcome| outcome.run == record.run);
            let outcome = at.map(|at| outcomes.swap_remove(at));
            (record, outcome)
        })
        .collect();
    found.reverse();
    Ok(found)
}

/// `GET /runs`
pub(super) async fn list(visit: Visit, Query(PageQuery { page }): Query<PageQuery>) -> PageResult {
    let (lines, paging) = if let Some(file) = visit.app.shelf.file() {
        (vec![Serde(file.line.clone())], Paging::new(1, 1))
    } else {
        let all = visit.app.read(recorded).await?;
        let paging = Paging::new(page, all.len());
        let lines = paging.of(all).map(|(record, outcome)| Serde(RunLine::of(&record, outcome.as_ref())));
        (lines.collect(), paging)
    };
    let lines: Vec<Value> = lines.into_iter().map(Value::from).collect();
    visit.page("runs", "Runs", context! { runs => lines, paging => paging.view() })
}

/// `GET /runs/{run}`
pub(super) async fn run(
    visit: Visit,
    Path(run): Path<i64>,
    Query(said): Query<Vec<(String, String)>>,
) -> PageResult {
    let shown = shelf::shown(&visit.app, run).await?;
    let title = format!("Run {run}");
    let Some(replies) = &shown.replies else {
        return document_page(&visit, &shown.document, &title);
    };
    let said = ListQuery::of(said);
    let listed = visit.app.pages.rendered("replies", listed(run, replies, &said)?)?;
    let content = part(&shown.document, &listed).map_err(|error| Refusal::failed(&error))?;
    let index = inert(&replies.index().map_err(|error| Refusal::failed(&error))?);
    let safe = |text: String| Value::from_safe_string(text);
    let body = context! { run, content => safe(content), index => safe(index) };
    visit.viewer("run", &title, &shown.document.command, body)
}

/// A page of a document alone.
pub(super) fn document_page(visit: &Visit, document: &Document, title: &str) -> PageResult {
    let content = part(document, "").map_err(|error| Refusal::failed(&error))?;
    let body = context! { run => (), content => Value::from_safe_string(content), index => () };
    visit.viewer("run", title, &document.command, body)
}

/// `GET /runs/{run}/blocks/{number}`: cases as the script of the reports takes them.
pub(super) async fn block(visit: Visit, Path((run, number)): Path<(i64, usize)>) -> PageResult {
    let shown = shelf::shown(&visit.app, run).await?;
    let made = tokio::task::spawn_blocking(move || {
        shown.replies.as_ref().map_or(Ok(None), |replies| replies.block(number))
    });
    let block = made.await.map_err(|_| Refusal::broken())?.map_err(|error| Refusal::failed(&error))?;
    let block = block.ok_or_else(Refusal::not_found)?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], block).into_response())
}

/// The list as readers without scripts have it: filters as a form, a page of rows, and the open case.
fn listed(run: i64, replies: &Replies, said: &ListQuery) -> Result<Value, Refusal> {
    let (rows, rubric) = (replies.rows(), &replies.rubric);
    let found = said.found(rows, rubric);
    let paging = Paging::new(said.page(), found.len());
    let case = said.value("case").map(|name| opened(run, replies, said, &found, name)).transpose()?;
    let criteria =
        rubric.criteria().iter().map(|each| context! { id => each.id.as_str(), title => &each.title });
    let row = |place: usize| {
        let row = &rows[place];
        let line = |text: &Option<String>| excerpt(text.as_deref().unwrap_or_default(), LINE_COLUMNS_MAX);
        let levels = (0..rubric.criteria().len()).map(|at| Value::from(row.level(at))).collect::<Vec<_>>();
        context! {
            name => row.name(), slice => row.slice.as_deref().unwrap_or(NO_SLICE), outcome => row.outcome.name(),
            ticket => line(&row.ticket), reply => line(&row.reply), total => row.total.map(|total| total.to_string()),
            levels, why => row.reasons().join("; "), address => said.with("case", &row.name()),
        }
    };
    let chosen = |name: &str| said.value(name).unwrap_or_default().to_owned();
    Ok(context! {
        run, case, n_all => rows.len(), narrows => said.narrows(), paging => paging.view(),
        criteria => criteria.collect::<Vec<_>>(),
        outcomes => distinct(rows, |row| Some(row.outcome.name())),
        slices => distinct(rows, |row| Some(row.slice.as_deref().unwrap_or(NO_SLICE))),
        variants => distinct(rows, |row| row.variant.as_deref()),
        said => context! { o => chosen("o"), slice => chosen("slice"), variant => chosen("variant"), q => chosen("q") },
        rows => paging.of(found).map(row).collect::<Vec<_>>(),
        at_page => said.with("page", ""),
        cleared => "?",
    })
}

/// The values of a column, each once, in order.
fn distinct<'a>(rows: &'a [ResultRow], value: impl Fn(&'a ResultRow) -> Option<&'a str>) -> Vec<String> {
    let values: BTreeSet<&str> = rows.iter().filter_map(value).collect();
    values.into_iter().map(str::to_owned).collect()
}

/// A case with the way to those before and after it in the list.
fn opened(
    run: i64,
    replies: &Replies,
    said: &ListQuery,
    found: &[usize],
    name: &str,
) -> Result<Value, Refusal> {
    let rows = replies.rows();
    let back = said.with("case", "");
    let Some(at) = rows.iter().position(|row| row.name() == name) else {
        return Ok(context! { name, back, markup => (), run });
    };
    let place = found.iter().position(|each| *each == at);
    let address = |place: Option<usize>| {
        place.and_then(|place| found.get(place)).map(|at| said.with("case", &rows[*at].name()))
    };
    let markup = replies.case(&rows[at]).map_err(|error| Refusal::failed(&error))?;
    let packets = replies.packets.get(at).map(Vec::as_slice).unwrap_or_default();
    Ok(context! {
        name, back, run, markup => Value::from_safe_string(markup), packets => packets.to_vec(),
        n => place.map(|place| place + 1), of => found.len(),
        previous => address(place.and_then(|place| place.checked_sub(1))),
        next => address(place.map(|place| place + 1)),
    })
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
