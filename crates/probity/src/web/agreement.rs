//! How far people agree on a queue, the judge with them, and what a contract still asks for.

use axum::Extension;
use axum::extract::{Path, State};
use minijinja::context;
use minijinja::value::Serde;
use probity_core::review::{Agreement, FigureView};
use probity_engine::review::{Person, QueueId};
use serde::Serialize;

use super::app::{App, now};
use super::pages::{Body, Place};
use super::refusal::{Answer, Refusal};
use crate::args::default_counting;

/// A figure with its interval, as it is written and drawn.
#[derive(Debug, Serialize)]
struct Drawn {
    text: String,
    interval: String,
    n: u64,
    reason: Option<String>,
    /// Where the figure and the ends of its interval stand on an axis of 200 units from 0 to 1.
    x: Option<[f64; 3]>,
}

impl Drawn {
    fn of(figure: &FigureView) -> Drawn {
        let place = |value: f64| 10.0 + 200.0 * value.clamp(0.0, 1.0);
        let ends = figure.low.zip(figure.high);
        Drawn {
            text: figure.value.map_or("–".to_owned(), |value| format!("{value:.2}")),
            interval: ends.map(|(low, high)| format!("{low:.2} to {high:.2}")).unwrap_or_default(),
            n: figure.n,
            reason: figure.reason.clone(),
            x: figure.value.zip(ends).map(|(value, (low, high))| [place(low), place(value), place(high)]),
        }
    }
}

/// One row of a table of figures.
#[derive(Debug, Serialize)]
struct RowView {
    name: String,
    n: u64,
    agreement: Drawn,
    other: Drawn,
    judge: Option<Drawn>,
}

/// The figures of a queue.
#[derive(Debug, Serialize)]
struct AgreementView {
    n: u64,
    people: usize,
    votes: u64,
    cannot_tell: u64,
    adjudicated: u64,
    agreement: Drawn,
    alpha: Drawn,
    judge: Option<JudgeView>,
}

/// The judge against people.
#[derive(Debug, Serialize)]
struct JudgeView {
    name: String,
    n: u64,
    agreement: Drawn,
    kappa: Drawn,
}

impl AgreementView {
    fn of(from: &Agreement) -> AgreementView {
        let judge = from.judge.as_ref().map(|judge| JudgeView {
            name: judge.name.clone(),
            n: judge.n,
            agreement: Drawn::of(&judge.agreement),
            kappa: Drawn::of(&judge.kappa),
        });
        AgreementView {
            n: from.n,
            people: from.people,
            votes: from.votes,
            cannot_tell: from.cannot_tell,
            adjudicated: from.adjudicated,
            agreement: Drawn::of(&from.agreement),
            alpha: Drawn::of(&from.alpha),
            judge,
        }
    }
}

/// A table of figures.
#[derive(Debug, Serialize)]
struct TableView {
    title: &'static str,
    /// What a row is about.
    of: &'static str,
    /// The figure beside the share of same answers.
    other: &'static str,
    has_judge: bool,
    rows: Vec<RowView>,
}

fn tables(from: &Agreement) -> Vec<TableView> {
    let slices = from.slices.iter().map(|each| RowView {
        name: if each.slice.is_empty() { "no slice".to_owned() } else { each.slice.clone() },
        n: each.n,
        agreement: Drawn::of(&each.agreement),
        other: Drawn::of(&each.alpha),
        judge: each.judge.as_ref().map(Drawn::of),
    });
    let pairs = from.pairs.iter().map(|each| RowView {
        name: each.people.join(" and "),
        n: each.n,
        agreement: Drawn::of(&each.agreement),
        other: Drawn::of(&each.kappa),
        judge: None,
    });
    let has_judge = from.judge.is_some();
    vec![
        TableView { title: "By slice", of: "Slice", other: "Alpha", has_judge, rows: slices.collect() },
        TableView {
            title: "By pair of people",
            of: "People",
            other: "Kappa",
            has_judge: false,
            rows: pairs.collect(),
        },
    ]
}

/// `GET /queues/{queue}/agreement`
pub(super) async fn page(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(queue): Path<i64>,
) -> Answer {
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
        agreement => Serde(figures.agreement.as_ref().map(AgreementView::of)),
        tables => Serde(figures.agreement.as_ref().map(tables).unwrap_or_default()),
    };
    app.pages.page(&person, Place::Queues, "Agreement", &Body::new("agreement", body))
}
