//! The first page of a lead: what waits for them, runs on one axis, queues with their progress, judges with their
//! standing.
//!
//! What costs more than a look is computed at most every few seconds, for all leads together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use minijinja::context;
use minijinja::value::Serde;
use probity_core::exact::Exact;
use probity_core::results::{SummaryRecord, TargetRecord};
use probity_core::stats::Estimate;
use probity_engine::ledger::{RunOutcome, RunRecord, StoreError};
use probity_engine::review::{ItemId, PersonId, PersonRole, QueueId, QueueProgress, QueueView, ReviewRoom};
use probity_engine::run::spec::RecordedRun;
use serde::Serialize;

use super::app::{Visit, now};
use super::pages::percent;
use super::queues;
use super::refusal::{PageResult, Refusal};
use super::runs::recorded;
use super::shelf::FILE_RUN;
use crate::runs::list::{RunLine, is_scored};

/// Runs that are drawn.
const RUNS_MAX: usize = 6;
/// What other commands came to that is listed.
const OTHERS_MAX: usize = 3;
/// Judges that are listed.
const JUDGES_MAX: usize = 6;
/// What waits for a person at a time.
const WAITING_MAX: usize = 3;
/// How old figures may be.
const AGE_MAX: Duration = Duration::from_secs(5);
/// The metric of a target for the pass rate.
const PASS_RATE: &str = "pass_rate";

/// A run on the axis.
#[derive(Debug, Clone, Serialize)]
struct RunDot {
    run: i64,
    line: RunLine,
    rate: Option<Estimate>,
    /// What is wanted of the pass rate, as shares.
    wanted: Option<[f64; 2]>,
    met: Option<bool>,
    judge: String,
    standing: String,
    reason: String,
    rubric: String,
}

/// What another command came to.
#[derive(Debug, Clone, Serialize)]
struct OtherRun {
    run: i64,
    line: RunLine,
}

/// A judge under a rubric.
#[derive(Debug, Clone, Serialize)]
struct JudgeRow {
    name: String,
    rubric: String,
    standing: String,
    reason: String,
    run: i64,
}

/// A queue in which people differ.
#[derive(Debug, Clone, Serialize)]
struct OpenQueue {
    queue: QueueId,
    n: usize,
    first: ItemId,
}

/// Something that a person can do next.
#[derive(Debug, Serialize)]
struct Waiting {
    mark: &'static str,
    title: String,
    detail: String,
    address: String,
    verb: &'static str,
}

/// What the page shows that costs more than a look.
#[derive(Debug, Clone, Serialize, Default)]
pub(super) struct HomeFigures {
    n_runs: usize,
    runs: Vec<RunDot>,
    others: Vec<OtherRun>,
    judges: Vec<JudgeRow>,
    to_settle: Vec<OpenQueue>,
}

/// The figures that were computed last.
#[derive(Debug, Default)]
pub(super) struct HomeCache(Mutex<Option<(Instant, Arc<HomeFigures>)>>);

impl HomeCache {
    fn found(&self) -> Option<Arc<HomeFigures>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(made, _)| made.elapsed() < AGE_MAX).map(|(_, figures)| Arc::clone(figures))
    }

    fn keep(&self, figures: &Arc<HomeFigures>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), Arc::clone(figures)));
    }
}

/// `GET /`: for a lead; a reviewer has queues and nothing else.
pub(super) async fn page(visit: Visit) -> PageResult {
    if visit.person.role != PersonRole::Lead {
        return queues::list(visit).await;
    }
    let figures = figures(&visit).await?;
    let who = visit.person.id;
    let queues = visit.app.read(move |room| progress(room, who)).await?;
    let waiting = waiting(&figures, &queues);
    let title = match waiting.len() {
        0 => "Nothing waits for you.".to_owned(),
        1 => "One thing waits for you.".to_owned(),
        2 => "Two things wait for you.".to_owned(),
        _ => "Three things wait for you.".to_owned(),
    };
    let store = match visit.app.shelf.file() {
        Some(file) => file.line.files.clone(),
        None => visit.app.room.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let band = figures.runs.iter().find_map(|run| run.wanted);
    let body = context! {
        title, waiting => Serde(waiting), store, is_file => visit.app.shelf.file().is_some(),
        band => band.map(Vec::from), queues => Serde(queues), ..Serde(&*figures)
    };
    visit.page("home", "Home", body)
}

async fn figures(visit: &Visit) -> Result<Arc<HomeFigures>, Refusal> {
    let app = &visit.app;
    if let Some(figures) = app.home.found() {
        return Ok(figures);
    }
    let _turn = app.computing.acquire().await.map_err(|_| Refusal::broken())?;
    if let Some(figures) = app.home.found() {
        return Ok(figures);
    }
    let figures = if let Some(file) = app.shelf.file() {
        let summary = file.shown.replies.as_ref().map(|replies| replies.results.summary.clone());
        let run = summary.map(|summary| dot(FILE_RUN, file.line.clone(), &summary));
        let judge = file.shown.document.judge.as_ref();
        let judges = run.iter().map(|run| JudgeRow {
            name: run.judge.clone(),
            rubric: run.rubric.clone(),
            standing: judge.map_or("advisory", |judge| &judge.standing).to_owned(),
            reason: judge.map_or("", |judge| &judge.reason).to_owned(),
            run: run.run,
        });
        HomeFigures {
            n_runs: 1,
            judges: judges.collect(),
            runs: run.into_iter().collect(),
            ..HomeFigures::default()
        }
    } else {
        let who = visit.person.id;
        app.read(move |room| computed(room, who)).await?
    };
    let figures = Arc::new(figures);
    app.home.keep(&figures);
    Ok(figures)
}

/// A run with its pass rate, and what was wanted of that.
fn dot(run: i64, line: RunLine, summary: &SummaryRecord) -> RunDot {
    let target = summary.targets.iter().find(|target| target.metric == PASS_RATE);
    let wanted = |target: &TargetRecord| {
        let end = |end: Option<Exact>, none: f64| end.map_or(none, Exact::to_f64);
        [end(target.min, 0.0), end(target.max, 1.0)]
    };
    RunDot {
        run,
        rate: summary.all.pass_rate,
        wanted: target.map(wanted),
        met: target.and_then(|target| target.met),
        judge: summary.facts.judge.name(),
        standing: summary.facts.judge.standing.clone(),
        reason: summary.facts.judge.standing_reason.clone(),
        rubric: format!("{} {}", summary.rubric.name, summary.rubric.version),
        line,
    }
}

fn computed(room: &ReviewRoom, who: PersonId) -> Result<HomeFigures, StoreError> {
    let reader = room.store().reader()?;
    let all = recorded(room)?;
    let mut figures = HomeFigures { n_runs: all.len(), ..HomeFigures::default() };
    for (record, outcome) in &all {
        let run = record.run.number();
        if !is_scored(record) {
            if figures.others.len() < OTHERS_MAX && !record.manifest.name.starts_with("replies ") {
                figures.others.push(OtherRun { run, line: RunLine::of(record, outcome.as_ref()) });
            }
            continue;
        }
        if figures.runs.len() >= RUNS_MAX && figures.judges.len() >= JUDGES_MAX {
            continue;
        }
        let Some(summary) = outcome.as_ref().and_then(summary) else { continue };
        let dot = dot(run, RunLine::of(record, outcome.as_ref()), &summary);
        let is_new = !figures.judges.iter().any(|row| row.name == dot.judge && row.rubric == dot.rubric);
        if is_new && figures.judges.len() < JUDGES_MAX {
            figures.judges.push(judge(&reader, record, &dot));
        }
        if figures.runs.len() < RUNS_MAX {
            figures.runs.push(dot);
        }
    }
    for queue in room.queues()?.iter().filter(|queue| queue.spec.overlap > 1 && queue.n_submitted > 0) {
        let open: Vec<_> =
            room.to_settle(queue.id, who)?.into_iter().filter(|each| !each.is_settled).collect();
        if let Some(first) = open.first() {
            figures.to_settle.push(OpenQueue { queue: queue.id, n: open.len(), first: first.item });
        }
    }
    Ok(figures)
}

fn summary(outcome: &RunOutcome) -> Option<SummaryRecord> {
    serde_json::from_str(&outcome.body).ok()
}

/// The judge of a run with what it has earned by now; what the run said where that cannot be looked up.
fn judge(reader: &probity_engine::ledger::Reader, record: &RunRecord, dot: &RunDot) -> JudgeRow {
    let standing = RecordedRun::read(reader, record.clone()).ok().and_then(|run| run.standing(reader).ok());
    let (standing, reason) = match standing {
        Some(standing) => (standing.name().to_owned(), standing.reason().to_owned()),
        None => (dot.standing.clone(), dot.reason.clone()),
    };
    JudgeRow { name: dot.judge.clone(), rubric: dot.rubric.clone(), standing, reason, run: dot.run }
}

type OwnQueue = (QueueProgress, QueueView);

fn progress(room: &ReviewRoom, who: PersonId) -> Result<Vec<OwnQueue>, StoreError> {
    let with_progress = |queue: QueueView| Ok((room.progress(queue.id, who, now())?, queue));
    room.queues()?.into_iter().map(with_progress).collect()
}

/// What a person can do next, the most pressing first.
fn waiting(figures: &HomeFigures, queues: &[OwnQueue]) -> Vec<Waiting> {
    let missed = figures.runs.first().filter(|run| run.met == Some(false)).and_then(|run| {
        let (rate, [low, high]) = (run.rate?, run.wanted?);
        let earlier = figures.runs.iter().skip(1).find(|other| other.rubric == run.rubric);
        let (address, verb, detail) = match earlier {
            Some(earlier) => (
                format!("/runs/compare?one={}&other={}", earlier.run, run.run),
                "See what changed",
                earlier.rate.map(|rate| format!("run {} had {}", earlier.run, percent(rate.value))),
            ),
            None => (format!("/runs/{}?o=fail", run.run), "See what fails", None),
        };
        Some(Waiting {
            mark: "fail",
            title: format!(
                "Run {} missed its target: {} pass, wanted {:.0}–{:.0}\u{a0}%",
                run.run,
                percent(rate.value),
                100.0 * low,
                100.0 * high
            ),
            detail: detail.unwrap_or_else(|| run.line.files.clone()),
            address,
            verb,
        })
    });
    let named = |id: QueueId| queues.iter().find(|(_, queue)| queue.id == id).map(|(_, queue)| &*queue.name);
    let settle = figures.to_settle.iter().filter_map(|open| {
        let replies = if open.n == 1 { "1 reply is".to_owned() } else { format!("{} replies are", open.n) };
        Some(Waiting {
            mark: "people",
            title: format!("{replies} to be settled in {}", named(open.queue)?),
            detail: "people said different things".to_owned(),
            address: format!("/items/{}/settle", open.first.0),
            verb: "Settle",
        })
    });
    let label = queues.iter().filter(|(own, _)| own.n_open > 0).map(|(own, queue)| Waiting {
        mark: "label",
        title: format!("{} of {} in {} wait for your label", own.n_open, queue.n_items, queue.name),
        detail: "you label blind: open them before the pages about runs".to_owned(),
        address: format!("/queues/{}", queue.id.0),
        verb: "Label",
    });
    let incomplete = figures.runs.iter().filter(|run| run.line.state == "incomplete").map(|run| Waiting {
        mark: "unscored",
        title: format!("Run {} is incomplete", run.run),
        detail: "run the same command again to continue".to_owned(),
        address: format!("/runs/{}?o=unscored", run.run),
        verb: "See what is missing",
    });
    // The baseline is a yardstick, and no contract promotes it.
    let can_earn = |judge: &&JudgeRow| judge.standing != "promoted" && !judge.name.starts_with("baseline");
    let advisory = figures.judges.iter().filter(can_earn).map(|judge| Waiting {
        mark: "judge",
        title: format!("{} is not validated under {}", judge.name, judge.rubric),
        detail: format!("{}; probity promote says what is missing", judge.reason),
        address: format!("/runs/{}", judge.run),
        verb: "See its last run",
    });
    missed
        .into_iter()
        .chain(settle)
        .chain(label)
        .chain(incomplete)
        .chain(advisory)
        .take(WAITING_MAX)
        .collect()
}
