//! The pipeline: cases go in, verdicts are asked for and kept, results come out of the store.
//!
//! A run is four passes over the same cases. The first finds every fault of the input, the second counts
//! what is missing from the store, the third asks for it, the last reads the results back. Whatever ends
//! a run early, the store holds what was answered and the same command goes on from there.

pub mod job;
mod open_files;
pub mod plan;
pub mod results;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use probity_core::gate::Admitted;
use probity_core::packet::{Packet, PacketHash};
use probity_core::report::{Facts, JudgeFacts, Summary};
use probity_core::verdict::{ModelMatch, model_match};
use tokio::sync::{mpsc, watch};

use crate::config::Backend;
use crate::judge::params::Shape;
use crate::judge::prompt::TemplateError;
use crate::judge::{Judge, JudgeError, Prompt, Question};
use crate::load::LoadError;
use crate::schedule::budget::{Budget, Limits, Money};
use crate::schedule::desk::{Desk, Earlier, Progress, PursuitSettings, REPEAT, Task};
use crate::schedule::lane::{Lane, LaneSettings, Stop};
use crate::schedule::{Driven, drive};
use crate::store::{Begun, JudgeId, RunId, RunState, Store, StoreError};

use job::{Job, Screened};
use plan::{Known, Plan, UnscoredPolicy, plan};
use results::{Row, results};

/// The longest that one packet may be pursued, whatever the settings of its attempts add up to.
const PACKET_TIME_MAX: Duration = Duration::from_hours(24);

/// Whether calls may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// They may.
    Online,
    /// No connection is opened; what is not on record stays unscored.
    Offline,
}

/// How a run is to be made.
#[derive(Debug, Clone)]
pub struct Mode {
    /// Whether calls may be made.
    pub network: Network,
    /// What is done about packets whose answers were no verdict.
    pub unscored: UnscoredPolicy,
    /// Turns true when the user asks to stop: what is in flight is finished, nothing new is sent.
    pub interrupted: watch::Receiver<bool>,
}

/// Whoever watches a run.
pub trait Observer: Sync {
    /// Something worth a line.
    fn notice(&self, line: &str);
    /// What will be done, before it is.
    fn planned(&self, plan: &Plan);
    /// Calls begin; the desk's progress can be read until [`Observer::called`].
    fn calling(&self, desk: &Arc<Desk>);
    /// Calls have ended.
    fn called(&self);
}

/// What a run came to, before its results are read back.
#[derive(Debug, Clone)]
pub struct Ran {
    /// What was to be done.
    pub plan: Plan,
    /// The judge that was asked.
    pub judge_id: JudgeId,
    /// The run in the store; `None` when nothing was written.
    pub run: Option<RunId>,
    /// How the calls ended; `None` when none was needed or allowed.
    pub driven: Option<Driven>,
    /// Calls made by this process.
    pub n_calls: u64,
}

/// Why a run could not be made or reported.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The cases cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No record of the cases can be used.
    #[error("no usable record: all {n_skipped} were skipped, the first because: {reason}")]
    NothingUsable {
        /// How many there were.
        n_skipped: u64,
        /// Why the first was skipped.
        reason: String,
    },
    /// The template cannot be filled in.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The judge cannot be used as configured.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A budget is set and the model has no price.
    #[error("a budget is set, but no price is known for model {model:?}")]
    NoPrice {
        /// The model.
        model: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A record in the store does not read as what it is.
    #[error("the verdict stored for packet {packet} cannot be read: {problem}")]
    Damaged {
        /// The packet.
        packet: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The results could not be written.
    #[error("could not write the results")]
    Output(#[source] io::Error),
}

impl RunError {
    pub(crate) fn output(error: io::Error) -> Self {
        RunError::Output(error)
    }

    pub(crate) fn damaged(packet: PacketHash, problem: &str) -> Self {
        RunError::Damaged { packet: packet.to_string(), problem: problem.to_owned() }
    }
}

/// Runs `job`: asks for every verdict that the store does not have.
pub async fn run(
    job: &Arc<Job>,
    store: &Store,
    mode: &Mode,
    key: &(dyn Fn(&str) -> Option<String> + Sync),
    observer: &dyn Observer,
) -> Result<Ran, RunError> {
    let mut shape = shape(job, store)?;
    loop {
        let identity = job.identity(shape);
        let judge_id = JudgeId::of_identity(&identity);
        let known = Known::new(store.settled(&judge_id, REPEAT)?, mode.unscored);
        let plan = plan(job, known.clone())?;
        if plan.n_admitted + plan.n_blocked == 0 {
            return Err(nothing_usable(job, &plan)?);
        }
        observer.planned(&plan);
        let mut ran = Ran { plan, judge_id: judge_id.clone(), run: None, driven: None, n_calls: 0 };
        if mode.network == Network::Offline && !job.is_local() {
            ran.run = store.reader()?.find_run(&job.manifest(&judge_id))?;
            return Ok(ran);
        }
        store.register_judge(&judge_id, &identity)?;
        let run = begin(job, store, &judge_id, observer)?;
        ran.run = Some(run);
        if ran.plan.n_calls == 0 {
            store.end_run(run, RunState::Complete)?;
            return Ok(ran);
        }
        let judge = Judge::build(&job.judge, shape, job.config.schedule.limits, key)?;
        let desk = Arc::new(desk(job, store, judge, (judge_id, run), observer)?);
        desk.progress.total.store(ran.plan.n_calls, std::sync::atomic::Ordering::Relaxed);
        observer.calling(&desk);
        let driven = call(job, &desk, known, mode).await;
        observer.called();
        let driven = driven?;
        if let Some(Stop::SchemaRefused(why)) = &driven.stop
            && job.shape_is_free()
            && shape == Some(Shape::Schema)
            && desk.lane.answered() == 0
        {
            store.note(&refusal_note(job), why)?;
            observer.notice("the judge does not take JSON schemas; asking for plain JSON objects instead");
            shape = Some(Shape::JsonObject);
            continue;
        }
        let complete = driven.stop.is_none() && driven.gave_up == 0;
        if !matches!(driven.stop, Some(Stop::Store(_))) {
            store.end_run(run, if complete { RunState::Complete } else { RunState::Incomplete })?;
        }
        ran.n_calls = desk.budget.spent().calls;
        ran.driven = Some(driven);
        return Ok(ran);
    }
}

/// Reads the results of a run back, giving each row to `sink` in the order of the input.
pub fn report(
    job: &Job,
    store: &Store,
    ran: &Ran,
    sink: &mut dyn FnMut(Row) -> io::Result<()>,
) -> Result<Summary, RunError> {
    let reader = store.reader()?;
    let (summary, patterns) = results(job, &reader, &ran.judge_id, sink)?;
    let mut facts = facts(job, store, ran)?;
    // The lexical judge writes by template and says so.
    if !matches!(job.judge.backend, Backend::Baseline) {
        facts.warnings.extend(patterns.warnings());
    }
    Ok(summary.finish(facts))
}

/// How the answer's shape is asked for, as far as it is known before a call: by schema, unless this judge
/// is on record as refusing schemas.
pub fn shape(job: &Job, store: &Store) -> Result<Option<Shape>, StoreError> {
    match job.shape_first() {
        Some(Shape::Schema) if job.shape_is_free() && store.noted(&refusal_note(job))?.is_some() => {
            Ok(Some(Shape::JsonObject))
        }
        first => Ok(first),
    }
}

fn refusal_note(job: &Job) -> String {
    let identity = job.identity(Some(Shape::Schema));
    format!("schema_refused:{}", JudgeId::of_identity(&identity))
}

fn nothing_usable(job: &Job, plan: &Plan) -> Result<RunError, LoadError> {
    let mut reason = String::new();
    for screened in job.screened()? {
        if let Screened::Skipped(skipped) = screened? {
            reason = skipped.reason;
            break;
        }
    }
    Ok(RunError::NothingUsable { n_skipped: plan.n_skipped, reason })
}

fn begin(job: &Job, store: &Store, judge: &JudgeId, observer: &dyn Observer) -> Result<RunId, StoreError> {
    let begun = store.begin_run(&job.manifest(judge))?;
    if let Begun::New { changed, .. } = &begun
        && !changed.is_empty()
    {
        let changed = changed.join(", ");
        observer.notice(&format!(
            "new run: changed since the last one: {changed}; verdicts are reused only where packet and judge are the same"
        ));
    }
    Ok(begun.run())
}

fn desk(
    job: &Job,
    store: &Store,
    judge: Judge,
    (judge_id, run): (JudgeId, RunId),
    observer: &dyn Observer,
) -> Result<Desk, RunError> {
    let config = &job.config;
    let chat = job.judge.chat();
    let price = chat.and_then(|chat| config.price(&chat.model));
    if let Some(chat) = chat.filter(|_| config.budget.usd_max.is_some() && price.is_none()) {
        return Err(RunError::NoPrice { model: chat.model.clone() });
    }
    let concurrency = open_files::fit(config.schedule.concurrency, observer);
    // As long as a packet takes if each of its attempts takes as long as it may.
    let attempt_max = config.schedule.limits.total.saturating_add(config.schedule.retry_after_max);
    let packet_time_max = attempt_max.saturating_mul(config.schedule.attempts_max).min(PACKET_TIME_MAX);
    let lane = LaneSettings {
        concurrency,
        breaker_consecutive: config.schedule.breaker_consecutive as usize,
        breaker_window: config.schedule.breaker_window as usize,
        breaker_share: config.schedule.breaker_share.to_f64(),
        pilot: config.schedule.pilot_max,
        drought: packet_time_max,
    };
    let limits = Limits {
        calls_max: config.budget.calls_max,
        money_max: config.budget.usd_max.and_then(Money::from_usd),
    };
    let mut models: Vec<String> = chat.map(|chat| chat.model.clone()).into_iter().collect();
    models.extend(chat.iter().flat_map(|chat| chat.aliases.iter().cloned()));
    let settings = PursuitSettings {
        attempts_max: config.schedule.attempts_max,
        packet_time_max,
        backoff_first: config.schedule.backoff_first,
        backoff_max: config.schedule.backoff_max,
        retry_after_max: config.schedule.retry_after_max,
        reask: config.run.reask,
        parse: config.run.parse.mode(),
        mismatch: chat.map_or(crate::config::ModelMismatch::Note, |chat| chat.model_mismatch),
        models,
    };
    Ok(Desk {
        judge,
        judge_id,
        store: store.clone(),
        run,
        lane: Lane::new(lane),
        budget: Budget::new(limits),
        price,
        settings,
        progress: Progress::default(),
    })
}

/// Feeds the missing packets to the desk until they end or the lane stops.
async fn call(job: &Arc<Job>, desk: &Arc<Desk>, known: Known, mode: &Mode) -> Result<Driven, RunError> {
    let (sender, receiver) = mpsc::channel(desk.lane.limit().min(256));
    let attempted = desk.store.reader()?.attempted_unsettled(&desk.judge_id, REPEAT)?;
    let feeder = tokio::task::spawn_blocking({
        let (job, desk) = (Arc::clone(job), Arc::clone(desk));
        move || feed(&job, &desk, known, &attempted, &sender)
    });
    let watcher = tokio::spawn({
        let desk = Arc::clone(desk);
        let mut interrupted = mode.interrupted.clone();
        async move {
            if interrupted.wait_for(|interrupted| *interrupted).await.is_ok() {
                desk.lane.stop(Stop::Interrupted);
            }
        }
    });
    let driven = drive(Arc::clone(desk), receiver).await;
    watcher.abort();
    feeder.await.expect("the feeder does not panic")?;
    Ok(driven)
}

fn feed(
    job: &Job,
    desk: &Desk,
    mut known: Known,
    attempted: &std::collections::HashSet<PacketHash>,
    tasks: &mpsc::Sender<Task>,
) -> Result<(), RunError> {
    for screened in job.screened()? {
        let Screened::Admitted { admitted, packets, .. } = screened? else { continue };
        for sized in packets {
            let hash = sized.packet.hash();
            if job.is_oversize(&sized) || !known.needs(hash) {
                continue;
            }
            let most = job.most(&sized).unwrap_or_default();
            let prompt = match job.template.render(&sized.packet) {
                Ok(prompt) => prompt,
                Err(error) => {
                    desk.lane.stop(Stop::Unusable(error.to_string()));
                    return Err(error.into());
                }
            };
            let earlier = if attempted.contains(&hash) { Earlier::Attempts } else { Earlier::Nothing };
            let question = question(&admitted, sized.packet, prompt);
            if tasks.blocking_send(Task { question, most, earlier }).is_err() {
                // The lane has stopped and nobody takes tasks any more.
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What a judge is asked about one packet of an admitted reply.
pub fn question(admitted: &Admitted, packet: Packet, prompt: Prompt) -> Question {
    let entry = admitted.entry();
    let variant = entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned());
    Question { packet, prompt, case_id: entry.case.id.to_string(), variant }
}

fn facts(job: &Job, store: &Store, ran: &Ran) -> Result<Facts, StoreError> {
    let totals = match ran.run {
        Some(run) => store.totals(&ran.judge_id, run)?,
        None => crate::store::Totals::default(),
    };
    let chat = job.judge.chat();
    let priced = chat.is_none_or(|chat| job.config.price(&chat.model).is_some());
    let mut warnings = Vec::new();
    if totals.fingerprints.len() > 1 || totals.models.len() > 1 {
        let names = totals.models.iter().chain(&totals.fingerprints);
        let names: Vec<String> = names.map(|(name, n)| format!("{name} ({n})")).collect();
        warnings.push(format!("the judge changed during the run: {}", names.join(", ")));
    }
    if let Some(chat) = chat {
        let other: Vec<&str> = totals
            .models
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| model_match(&chat.model, &chat.aliases, Some(name)) == ModelMatch::Other)
            .collect();
        if !other.is_empty() {
            warnings.push(format!("asked for {}, answered by {}", chat.model, other.join(", ")));
        }
    }
    for repeated in &totals.repeated_responses {
        let n = repeated.packets.len();
        warnings.push(format!("one answer ({}) came for {n} different packets", repeated.response_id));
    }
    Ok(Facts {
        judge: JudgeFacts {
            id: ran.judge_id.to_string(),
            kind: job.judge.kind().name().to_owned(),
            model: chat.map(|chat| chat.model.clone()).unwrap_or_default(),
            standing: "advisory".to_owned(),
            answered_as: totals.models,
            fingerprints: totals.fingerprints,
        },
        calls: totals.calls,
        calls_lost: totals.lost,
        tokens_input: totals.tokens_in,
        tokens_output: totals.tokens_out,
        calls_without_usage: if chat.is_some() { totals.unknown_usage_answers } else { 0 },
        cost_usd: priced.then(|| Money::from_picos(totals.cost_picodollars).usd()),
        warnings,
    })
}
