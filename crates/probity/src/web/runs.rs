//! Runs as leads see them: the list, and one with its figures, all of its replies and what the judge was sent.
//!
//! A run's page is its report, made by the same code as the file, and the list of its replies: drawn here for readers
//! without scripts, and taken over by the script of the reports where there is one, which asks for the same blocks
//! by address. Filters are in the address, so that a link shows the same to every lead.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_engine::ledger::{RunOutcome, RunRecord};
use probity_engine::review::ReviewRoom;
use serde::Deserialize;

use super::app::Visit;
use super::refusal::{PageResult, Refusal};
use super::shelf;
use crate::plain::excerpt;
use crate::render::report::html::{inert, part};
use crate::render::view::AskedPacket;
use crate::render::view::query::ListQuery;
use crate::runs::list::RunLine;
use crate::runs::shown::{Replies, ShownRun};

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
    let said = ListQuery::of(said);
    let listed = match &shown.replies {
        Some(replies) => {
            let place =
                said.value("case").and_then(|name| replies.rows().iter().position(|row| row.name() == name));
            let asked = match place {
                Some(place) => asked(&visit, &shown, place).await?,
                None => None,
            };
            let opened = place.map(|place| (place, asked));
            visit.app.pages.rendered("replies", listed(run, replies, &said, opened)?)?
        }
        None => String::new(),
    };
    let content = part(&shown.document, &listed).map_err(|error| Refusal::failed(&error))?;
    let index = shown.index().map_err(|error| Refusal::failed(&error))?;
    let safe = |text: String| Value::from_safe_string(text);
    let body = context! {
        run, content => safe(content), index => index.map(|index| safe(inert(&index))),
        has_packets => shown.replies.as_ref().is_some_and(Replies::has_packets),
    };
    visit.viewer("run", &format!("Run {run}"), &shown.document.command, body)
}

/// What the judge was sent about a reply and what came back; `None` where that is not on record.
async fn asked(
    visit: &Visit,
    shown: &Arc<ShownRun>,
    place: usize,
) -> Result<Option<Vec<AskedPacket>>, Refusal> {
    let shown = Arc::clone(shown);
    let read = move |room: &ReviewRoom| {
        Ok(shown.replies.as_ref().map_or(Ok(None), |replies| replies.asked(room.store(), place)))
    };
    visit.app.read(read).await?.map_err(|error| Refusal::failed(&error))
}

/// `GET /runs/{run}/blocks/{number}`: entries of its list as the script of the reports takes them.
pub(super) async fn block(visit: Visit, Path((run, number)): Path<(i64, usize)>) -> PageResult {
    let shown = shelf::shown(&visit.app, run).await?;
    let made = tokio::task::spawn_blocking(move || shown.block(number));
    let block = made.await.map_err(|_| Refusal::broken())?.map_err(|error| Refusal::failed(&error))?;
    Ok(as_text(block.ok_or_else(Refusal::not_found)?))
}

/// `GET /runs/{run}/raw/{place}`: what the judge was sent about a reply and what came back, as the script takes it.
pub(super) async fn raw(visit: Visit, Path((run, place)): Path<(i64, usize)>) -> PageResult {
    let shown = shelf::shown(&visit.app, run).await?;
    let asked = asked(&visit, &shown, place).await?;
    let (replies, asked) = shown.replies.as_ref().zip(asked).ok_or_else(Refusal::not_found)?;
    Ok(as_text(replies.raw(&asked).map_err(|error| Refusal::failed(&error))?))
}

/// A part of a page, which is none by itself.
fn as_text(text: String) -> Response {
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// A case that is open: its place, and what the judge was sent about it.
type OpenCase = (usize, Option<Vec<AskedPacket>>);

/// The list as readers without scripts have it: filters as a form, a page of rows, and the open case.
fn listed(run: i64, replies: &Replies, said: &ListQuery, opened: Option<OpenCase>) -> Result<Value, Refusal> {
    let (rows, head) = (replies.rows(), replies.head());
    let found = said.found(rows, &head, &replies.entries);
    let paging = Paging::new(said.page(), found.len());
    let case = said.value("case").map(|name| open_case(replies, said, &found, (name, opened))).transpose()?;
    let row = |place: usize| {
        let (row, entry) = (&rows[place], &replies.entries[place]);
        let line = |text: &Option<String>| excerpt(text.as_deref().unwrap_or_default(), LINE_COLUMNS_MAX);
        context! {
            name => &entry.name, slice => &entry.values[1][0], outcome => row.outcome.name(),
            ticket => line(&row.ticket), reply => line(&row.reply), total => row.total.map(|total| total.to_string()),
            levels => &entry.levels, why => row.reasons().join("; "), address => said.with("case", &entry.name),
        }
    };
    let menus = head.facets.iter().enumerate().map(|(at, (key, title))| {
        let values: BTreeSet<&String> = replies.entries.iter().flat_map(|entry| &entry.values[at]).collect();
        let values: Vec<String> = values.into_iter().cloned().collect();
        context! { key, title, values, chosen => said.value(key).unwrap_or_default() }
    });
    Ok(context! {
        run, case, n_all => rows.len(), narrows => said.narrows(), paging => paging.view(),
        criteria => head.criteria.iter().map(|each| each.title.clone()).collect::<Vec<_>>(),
        menus => menus.collect::<Vec<_>>(), q => said.value("q").unwrap_or_default(),
        rows => paging.of(found).map(row).collect::<Vec<_>>(),
        at_page => said.with("page", ""),
    })
}

/// A case with the way to those before and after it in the list.
fn open_case(
    replies: &Replies,
    said: &ListQuery,
    found: &[usize],
    (name, opened): (&str, Option<OpenCase>),
) -> Result<Value, Refusal> {
    let rows = replies.rows();
    let back = said.with("case", "");
    let Some((at, asked)) = opened else {
        return Ok(context! { name, back, markup => () });
    };
    let place = found.iter().position(|each| *each == at);
    let address = |place: Option<usize>| {
        place.and_then(|place| found.get(place)).map(|at| said.with("case", &rows[*at].name()))
    };
    let markup = replies.case(&rows[at], asked.as_deref()).map_err(|error| Refusal::failed(&error))?;
    Ok(context! {
        name, back, markup => Value::from_safe_string(markup), n => place.map(|place| place + 1), of => found.len(),
        previous => address(place.and_then(|place| place.checked_sub(1))),
        next => address(place.map(|place| place + 1)),
    })
}
