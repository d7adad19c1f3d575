//! The pipeline: cases go in, verdicts are asked for and kept, results come out of the store.
//!
//! Three steps that meet in the store alone. The plan reads every case, finds every fault of the input and looks up
//! what the store lacks; the calls are driven; the report makes rows and figures of what the store then has. When a run
//! ends before its last call, the store holds what was answered and the same command goes on from there.

mod about;
pub mod asking;
pub mod basis;
pub mod batch;
mod by_people;
mod calling;
pub mod case_record;
mod cases;
pub mod compare;
mod confirm;
pub mod foreign;
pub mod forget;
pub mod job;
pub mod labelled;
mod open_files;
pub mod panel;
mod parallel;
pub mod plan;
pub mod probe;
pub mod quote;
mod record;
mod refused;
pub mod replies;
pub mod results;
pub mod spec;
pub mod standing;
pub mod told;
mod turn;
pub mod work;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use probity_core::compare::sequence::SequenceError;
use probity_core::exact::Exact;
use probity_core::json::Json;
use probity_core::packet::PacketHash;
use probity_core::probe::NotProbed;
use probity_core::report::Summary;
use tokio::sync::watch;

use crate::config::{ChatSettings, LeftOut, TargetSettings, Tier};
use crate::input::LoadError;
use crate::judge::JudgeError;
use crate::judge::prompt::TemplateError;
use crate::ledger::{Invocation, JudgeId, Manifest, RunId, RunOpening, RunState, Store, StoreError};
use crate::schedule::Driven;
use crate::schedule::budget::{Budget, BudgetTerms, Limits, Money};
use crate::schedule::desk::Progress;
use crate::schedule::lane::Lane;
use crate::target::{TargetError, is_target};

use asking::Asking;
use batch::{Dispatch, NextPass};
use calling::Allowance;
use job::Job;
use panel::StagesAsked;
use plan::{OnRecord, Plan, Planned, Pricing, Shard, UnscoredPolicy};
use quote::Quote;
use refused::Tuned;
use replies::RepliesRan;
use results::Row;
use turn::Turn;
use work::Work;

pub use confirm::{Confirmation, PlannedSpending};

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
    /// How the run was called, where that should be remembered.
    pub invocation: Option<Invocation>,
    /// The part of the packets that is asked about here; `None` for all of them.
    pub shard: Option<Shard>,
    /// How calls to the judge are made.
    pub dispatch: Dispatch,
}

/// Is told how a run goes.
pub trait Observer: Sync {
    /// Something worth a line.
    fn notice(&self, line: &str);
    /// What will be done, before it is.
    fn planned(&self, plan: &Plan);
    /// Asks whether so much may be spent.
    fn confirm(&self, _spending: &PlannedSpending) -> Confirmation {
        Confirmation::Refused
    }
    /// Calls begin; their progress, and what they wait for, can be read until [`Observer::called`].
    fn calling(&self, progress: &Arc<Progress>, lane: &Arc<Lane>);
    /// Calls have ended.
    fn called(&self);
}

/// What a run is made with: where answers are stored, who may be called, and who is told.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    /// Where everything is stored.
    pub store: &'a Store,
    /// How the run is to be made.
    pub mode: &'a Mode,
    /// The value of an environment variable, for keys.
    pub key: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// Who is told.
    pub observer: &'a dyn Observer,
}

/// What a run came to, before its results are read back.
#[derive(Debug)]
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
    /// Of those, whole answers.
    pub n_answered: u64,
    /// What asking a target for replies came to before, where there is one.
    pub replies: Option<RepliesRan>,
}

impl Ran {
    /// Nothing asked: what `judge_id` has on record.
    pub fn on_record(judge_id: JudgeId) -> Ran {
        Ran::planned(Plan::default(), judge_id)
    }

    /// Nothing done yet of what is planned.
    fn planned(plan: Plan, judge_id: JudgeId) -> Ran {
        let (n_calls, n_answered) = (0, 0);
        Ran { plan, judge_id, run: None, driven: None, n_calls, n_answered, replies: None }
    }

    /// The same part of a run, gone on with.
    fn continued(self, later: Ran) -> Ran {
        let driven = match (self.driven, later.driven) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
        let n_calls = later.n_calls.max(self.n_calls);
        Ran { plan: self.plan, driven, n_calls, n_answered: self.n_answered + later.n_answered, ..later }
    }

    /// The same part of a run, asked about again.
    fn again(self, later: Ran) -> Ran {
        let plan = self.plan.clone().again(later.plan.clone());
        Ran { plan, ..self.and(later) }
    }

    /// This part of a run and the next one, as one.
    fn and(self, later: Ran) -> Ran {
        let driven = match (self.driven, later.driven) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
        Ran {
            plan: self.plan.and(later.plan),
            judge_id: later.judge_id,
            run: later.run.or(self.run),
            driven,
            // The budget counts for the whole process; the lane's answers are those of one part.
            n_calls: later.n_calls.max(self.n_calls),
            n_answered: self.n_answered + later.n_answered,
            replies: later.replies.or(self.replies),
        }
    }
}

/// Why a run could not be made or reported.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The cases cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No record of the cases can be used.
    #[error("{first}: none of the {n_skipped} records can be used; the first one: {reason}")]
    NothingUsable {
        /// Where the first one stands, as file and line.
        first: String,
        /// How many there were.
        n_skipped: u64,
        /// Why the first was skipped.
        reason: String,
        /// What can be reported all the same: the records that were skipped.
        ran: Box<Ran>,
    },
    /// There is no reply that a judge could be probed with.
    #[error(
        "expected a reply that the gate admits, found none: {n_blocked} are blocked and {n_skipped} were skipped"
    )]
    NoBase {
        /// How many the gate blocks, shipped ones included.
        n_blocked: u64,
        /// How many cannot be used.
        n_skipped: u64,
    },
    /// The rubric leaves a judge nothing to decide.
    #[error("rubric {rubric}: {problem}")]
    NotProbed {
        /// The rubric.
        rubric: String,
        /// What is wrong with it.
        problem: NotProbed,
    },
    /// The target cannot be used as configured.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The template cannot be filled in.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The judge cannot be used as configured.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// No labels have said yet what a judge made of judges may decide.
    #[error("judge {judge} has no {what} for rubric {rubric} yet, or one of its judges has changed since")]
    NotFitted {
        /// The judge.
        judge: String,
        /// Thresholds or weights.
        what: &'static str,
        /// The rubric.
        rubric: String,
    },
    /// A judge made of judges decides each criterion by itself.
    #[error("judge {judge} decides each criterion by itself, so --one-call cannot be used")]
    OneCallPanel {
        /// The judge.
        judge: String,
    },
    /// A budget is set and the model has no price.
    #[error("a budget needs a price, and none is known for model {model:?}")]
    NoPrice {
        /// The model.
        model: String,
    },
    /// A part of the packets and a target that writes the replies.
    #[error("--shard cannot be used with --target: expected replies in the case file")]
    ShardedTarget,
    /// A budget beyond what is counted.
    #[error("a budget of ${usd} is too large, expected at most $9000000")]
    BudgetTooLarge {
        /// The budget.
        usd: Exact,
    },
    /// More would be spent than is spent unasked.
    #[error("{}", spending.sentence())]
    Unconfirmed {
        /// What would be spent.
        spending: Box<PlannedSpending>,
    },
    /// The judge cannot be asked by batches.
    #[error("judge {judge} cannot be asked by batches: {why}")]
    NoBatch {
        /// Which.
        judge: String,
        /// Why.
        why: &'static str,
    },
    /// The rule for stopping early cannot be used.
    #[error(transparent)]
    Sequence(SequenceError),
    /// The cases changed after calls had been made. What was answered is kept.
    #[error("reading the cases failed")]
    Midway(#[source] LoadError),
    /// A run cannot be read back.
    #[error("run {run} is not whole on record: {what}")]
    NotOnRecord {
        /// The run.
        run: RunId,
        /// What is missing or cannot be read.
        what: String,
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

/// Does `work`: asks for every verdict that the store does not have.
pub async fn run(work: &Arc<dyn Work>, session: &Session<'_>) -> Result<Ran, RunError> {
    let key = budget_key([work.as_ref()]);
    let budget = Arc::new(budget(key, work.asking(), None)?);
    confirm::confirm(std::slice::from_ref(work), None, session, &budget)?;
    run_within(work, session, &Allowance::new(budget)).await
}

/// What `judge` has on record about `work`, as a run of its own where the store is written to.
pub fn run_on_record(work: &dyn Work, judge: JudgeId, session: &Session<'_>) -> Result<Ran, RunError> {
    let (store, mut ran) = (session.store, Ran::on_record(judge));
    let (judge, manifest, reader) = (&ran.judge_id, work.manifest(&ran.judge_id), store.reader()?);
    if !store.may_write() {
        ran.run = reader.find_run(&manifest)?;
        return Ok(ran);
    }
    let known = reader.judges()?.into_iter().find(|(id, _)| id == judge);
    let (identity, spec) =
        (known.map(|(_, identity)| identity).unwrap_or_default(), work.spec(&ran.plan).text());
    let (manifest, invocation) = (&manifest, session.mode.invocation.as_ref());
    let spec = Some(spec.as_str());
    let opening =
        RunOpening { judge, identity: &identity, manifest, invocation, spec, budget: None, lane: None };
    let run = store.begin_judged_run(opening)?.run();
    store.end_run(run, RunState::Complete)?;
    ran.run = Some(run);
    Ok(ran)
}

/// Takes a turn, and another one after each parameter that the judge refuses before it has answered.
async fn run_within(
    work: &Arc<dyn Work>,
    session: &Session<'_>,
    allowance: &Allowance,
) -> Result<Ran, RunError> {
    if work.asking().panel().is_some() {
        return panel::run_panel(work, session, allowance).await;
    }
    let turn = Turn { work, session, allowance, calls_before: allowance.budget.spent().calls, answers: None };
    let tuned = Tuned::judge(work.asking());
    let mut left = tuned.left_out(session.store)?;
    let (mut earlier, mut halt): (Option<Ran>, _) = (None, None);
    loop {
        work.asking().set_left(&left);
        let (ran, next) = turn.take(&left, halt.take()).await?;
        let ran = match earlier.take() {
            None => ran,
            Some(earlier) => earlier.continued(ran),
        };
        if let NextPass::Again(stop) = next {
            (earlier, halt) = (Some(ran), stop);
            continue;
        }
        match tuned.started_over(&left, (ran.driven.as_ref(), ran.n_answered), session)? {
            Some(more) => left = more,
            None => return Ok(ran),
        }
    }
}

/// What the budget for `works` is known by: what defines their runs, whatever their judge refuses to be sent.
fn budget_key<'a>(works: impl IntoIterator<Item = &'a dyn Work>) -> String {
    let mut hasher = blake3::Hasher::new();
    for work in works {
        let id = JudgeId::of_identity(&work.asking().identity(&LeftOut::default()));
        let Manifest { name, parts, .. } = work.manifest(&id);
        let named = parts.into_iter().map(|(name, value)| (name, Json::text(value)));
        hasher.update(
            Json::object(named.chain([("name".to_owned(), Json::text(name))])).canonical().as_bytes(),
        );
    }
    hasher.finalize().to_hex().to_string()
}

/// What may be spent on judge and target together. A limit on money needs a price to hold it against.
fn budget(key: String, asking: &Asking, target: Option<&TargetSettings>) -> Result<Budget, RunError> {
    let limits = asking.config.budget;
    let chats: Vec<&ChatSettings> =
        asking.judge.chats().chain(target.and_then(TargetSettings::chat)).collect();
    let money_max = match limits.usd_max.filter(|_| !chats.is_empty()) {
        None => None,
        Some(usd) => {
            if let Some(chat) = chats.iter().find(|chat| asking.config.price(chat).is_none()) {
                return Err(RunError::NoPrice { model: chat.model.clone() });
            }
            Some(Money::from_usd(usd).ok_or(RunError::BudgetTooLarge { usd })?)
        }
    };
    Ok(Budget::new(BudgetTerms { key, limits: Limits { calls_max: limits.calls_max, money_max } }))
}

/// Reads the results of a run back, giving each row to `sink` in the order of the input.
pub fn report(
    job: &Job,
    store: &Store,
    ran: &Ran,
    sink: &mut dyn FnMut(Row) -> io::Result<()>,
) -> Result<Summary, RunError> {
    let mut reader = store.snapshot()?;
    let figures = job.results(&mut reader, &ran.judge_id, sink)?;
    job.about(&ran.judge_id, job.target_spec().as_ref()).summary(&reader, ran, figures)
}

/// What doing `work` would take beyond what `store` has, and what the judge would not be sent.
pub fn dry_plan(work: &dyn Work, store: Option<&Store>) -> Result<(LeftOut, Planned), RunError> {
    let asking = work.asking();
    if let Some(store) = store {
        panel::know(asking, &work.basis().rubric, store)?;
    }
    let Some(store) = store else {
        let left = LeftOut::default();
        let planned = plan::plan(work, None, Pricing::Exact(&left))?;
        return Ok((left, planned));
    };
    let left = left_out(asking, store)?;
    let (id, reader) = (&JudgeId::of_identity(&asking.identity(&left)), &store.reader()?);
    let on_record =
        OnRecord { reader, id, repeat: work.repeat(), unscored: UnscoredPolicy::Keep, shard: None };
    let planned = plan::plan(work, Some(on_record), Pricing::Exact(&left))?;
    Ok((left, planned))
}

/// What `plan` of `work` will cost beyond what `store` has, and what it would with one of the `cascades` in place of the
/// judge. `None` where the judge has no endpoint.
pub fn quote(
    work: &dyn Work,
    store: Option<&Store>,
    plan: &Plan,
    (asked, cascades): (StagesAsked, &[Asking]),
) -> Result<Option<Quote>, RunError> {
    if work.asking().panel().is_some() {
        return panel::panel_quote(work, store, asked);
    }
    let mut quote = quote_of((work.asking(), work.asking().tier()), store, plan)?;
    if let (Some(quote), Some(store)) = (&mut quote, store) {
        for cascade in cascades {
            if let Some(other) = panel::cascade_quote(work, store, cascade)? {
                quote.beside_cascade(&cascade.judge.name, &other);
            }
        }
    }
    Ok(quote)
}

fn quote_of(
    (asking, tier): (&Asking, Tier),
    store: Option<&Store>,
    plan: &Plan,
) -> Result<Option<Quote>, RunError> {
    let history = match store {
        Some(store) => store.reader()?.answer_history(&known_as(asking, store)?)?,
        None => None,
    };
    Ok(Quote::of(plan, asking, history, tier))
}

/// The parameters that the judge is on record as refusing.
pub fn left_out(asking: &Asking, store: &Store) -> Result<LeftOut, StoreError> {
    Tuned::judge(asking).left_out(store)
}

/// What the store knows the judge of `asking` by.
pub fn known_as(asking: &Asking, store: &Store) -> Result<JudgeId, RunError> {
    Ok(JudgeId::of_identity(&asking.identity(&left_out(asking, store)?)))
}

/// How many packets of `work` there are, and how many of them `judge` has not decided.
pub fn undecided(work: &dyn Work, store: &Store, judge: &JudgeId) -> Result<Plan, RunError> {
    let (reader, repeat) = (&store.reader()?, work.repeat());
    let on_record = OnRecord { reader, id: judge, repeat, unscored: UnscoredPolicy::AskAgain, shard: None };
    Ok(plan::plan(work, Some(on_record), Pricing::Counted)?.plan)
}

/// The one judge whose verdicts the store holds.
pub fn only_judge(store: &Store) -> Result<JudgeId, RunError> {
    let reader = store.reader()?;
    let targets = reader.judges()?.into_iter().filter(|(_, identity)| is_target(identity));
    let targets: HashSet<JudgeId> = targets.map(|(id, _)| id).collect();
    let mut judges = reader.judges_with_settlements()?;
    judges.retain(|judge| !targets.contains(judge));
    match (judges.pop(), judges.len()) {
        (Some(judge), 0) => Ok(judge),
        (None, _) => Err(JudgeError::WhichRecord { n: 0 }.into()),
        (Some(_), others) => Err(JudgeError::WhichRecord { n: others + 1 }.into()),
    }
}
