//! Two runs side by side: what `probity diff` says about them, and every pair of replies.
//!
//! Replies are paired as the difference pairs them, by case and variant, or by case where the runs share no variant.

use std::sync::Arc;

use axum::extract::Query;
use minijinja::{Value, context};
use probity_core::diff::{Pair, PairedBy, difference};
use probity_core::results::ResultRow;
use probity_core::stats::Resampling;
use serde::Deserialize;

use super::app::Visit;
use super::refusal::{PageResult, Refusal};
use super::runs::Paging;
use super::shelf;
use crate::render::difference::{DifferenceShown, document};
use crate::render::report::chart::query;
use crate::render::report::html::{inert, part};
use crate::runs::FALL_ALPHA;
use crate::runs::shown::ShownRun;

/// Resamples behind each interval.
const RESAMPLES: u32 = 2_000;

/// What the address of two runs says.
#[derive(Debug, Deserialize)]
pub(super) struct RunPair {
    one: i64,
    other: i64,
    #[serde(default)]
    page: usize,
}

/// `GET /runs/compare`
pub(super) async fn page(visit: Visit, Query(wanted): Query<RunPair>) -> PageResult {
    let RunPair { one, other, page } = wanted;
    let runs = [shelf::shown(&visit.app, one).await?, shelf::shown(&visit.app, other).await?];
    let turn = visit.app.computing.acquire().await.map_err(|_| Refusal::broken())?;
    let made = tokio::task::spawn_blocking(move || sides(&runs, [one, other], page));
    let made = made.await.map_err(|_| Refusal::broken())?;
    drop(turn);
    visit.viewer("compare", &format!("Runs {one} and {other}"), "diff", made?)
}

fn sides(runs: &[Arc<ShownRun>; 2], numbers: [i64; 2], page: usize) -> Result<Value, Refusal> {
    let mut results = Vec::new();
    for (run, number) in runs.iter().zip(numbers) {
        let found = run.replies.as_ref().ok_or_else(|| {
            Refusal::conflict(format!("run {number} scored no replies by themselves, so it has none to pair"))
        })?;
        results.push(&found.results);
    }
    let resampling = Resampling { n_resamples: RESAMPLES, seed: 0 };
    let changed = difference(results[0], results[1], resampling)
        .map_err(|why| Refusal::conflict(format!("runs {} and {}: {why}", numbers[0], numbers[1])))?;
    let names = numbers.map(|number| format!("run {number}"));
    let document = document(&DifferenceShown {
        difference: &changed,
        guarded: &[],
        files: [&names[0], &names[1]],
        alpha: FALL_ALPHA,
        incomplete: None,
    });
    let shown = ShownRun { document, replies: None };
    let content = part(&shown.document, "").map_err(|error| Refusal::failed(&error))?;
    let index = shown.index().map_err(|error| Refusal::failed(&error))?.unwrap_or_default();
    // Two runs have no record of their own from which the list could be read by and by, so it comes with the page.
    let blocks = (0..).map_while(|number| shown.block(number).transpose()).collect::<Result<Vec<_>, _>>();
    let blocks = blocks.map_err(|error| Refusal::failed(&error))?;
    let mut pairs = changed.pairs.clone();
    // What differs comes first; otherwise the order is that of the first run.
    pairs.sort_by_key(|pair| !pair.differs());
    let n_changed = changed.pairs.iter().filter(|pair| pair.differs()).count();
    let paging = Paging::new(page, pairs.len());
    let criteria: Vec<String> = changed.before.criteria().names().map(str::to_owned).collect();
    let rows: Vec<Value> = paging.of(pairs).map(|pair| row(&pair, numbers, criteria.len())).collect();
    Ok(context! {
        one => numbers[0], other => numbers[1], content => Value::from_safe_string(content), rows,
        index => Value::from_safe_string(inert(&index)),
        blocks => blocks.into_iter().map(Value::from_safe_string).collect::<Vec<_>>(),
        n_changed, paging => paging.view(), criteria,
        by => match changed.paired_by { PairedBy::Case => "case", PairedBy::CaseAndVariant => "case and variant" },
        only => [changed.only_before.len(), changed.only_after.len()],
    })
}

/// A pair as a row: what each side came to, with the way to its case.
fn row(pair: &Pair<'_>, numbers: [i64; 2], n_criteria: usize) -> Value {
    let side = |row: &ResultRow, run: i64| {
        let levels: Vec<Value> = (0..n_criteria).map(|at| Value::from(row.level(at))).collect();
        context! {
            outcome => row.outcome.name(), total => row.total.map(|total| total.to_string()), levels,
            address => format!("/runs/{run}?{}", query(&[("case", &row.name())])),
        }
    };
    let moved = (0..n_criteria).map(|at| pair.before.level(at) != pair.after.level(at));
    context! {
        name => pair.before.name(), slice => pair.before.slice.as_deref().unwrap_or_default(),
        differs => pair.differs(), moved => moved.collect::<Vec<_>>(),
        before => side(pair.before, numbers[0]), after => side(pair.after, numbers[1]),
    }
}
