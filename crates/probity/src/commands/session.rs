//! The skeleton of a command that asks a judge: the store is opened, what is missing is asked for, what it came to is
//! kept, and one place says how it ended.
//!
//! What commands ask about, and what they make of the answers, is their own.

use crate::render::figure::counted;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use probity_core::case::Moment;
use probity_core::exact::Exact;
use probity_engine::config::StoredTexts;
use probity_engine::dialect::Parameter;
use probity_engine::ledger::{Invocation, Store, StoreAddress};
use probity_engine::platform::terminations;
use probity_engine::run::asking::Asking;
use probity_engine::run::batch::{Dispatch, Waited};
use probity_engine::run::plan::{Plan, UnscoredPolicy};
use probity_engine::run::{self, Confirmation, Mode, Network, Observer, PlannedSpending, Ran, RunError};
use probity_engine::schedule::desk::Progress;
use probity_engine::schedule::lane::{Lane, Stop};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::args::CallArgs;
use crate::exit::{Exit, Failure};
use crate::render::progress::Bar;
use crate::render::report::document::Document;
use crate::{settings, terminal};

/// The commands that make runs of the store.
const RUN_LIKE: [&str; 5] = ["run", "compare", "calibrate", "probe", "succeed"];

/// What a document lists row by row.
const ROWS: [&str; 4] = ["comparisons", "skipped", "rejected", "first_blocked"];

/// How to go on after calls have stopped.
const RESUME: &str = "run the same command again to continue";

/// How to go on after the budget of the run is used up.
const RAISE: &str = "run it again with a larger limit to continue";

/// The runtime that calls are made on.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::store(format!("could not start: {error}")))
}

/// One session with a judge.
pub(crate) struct Session<'a> {
    calls: &'a CallArgs,
    watcher: Watcher,
    dispatch: Dispatch,
}

impl<'a> Session<'a> {
    /// A session as flags have it, which says nothing where `is_quiet`.
    pub(crate) fn new(calls: &'a CallArgs, is_quiet: bool) -> Self {
        let dispatch = if calls.batch { Dispatch::Batch(Arc::default()) } else { Dispatch::Online };
        let (bar, n_oversize) = (Bar::default(), AtomicU64::new(0));
        Session { calls, watcher: Watcher { is_quiet, is_agreed: calls.yes, bar, n_oversize }, dispatch }
    }

    /// The same session, whose calls are made in this way.
    pub(crate) fn dispatching(self, dispatch: Dispatch) -> Self {
        Session { dispatch, ..self }
    }

    /// Says something worth a line.
    pub(crate) fn note(&self, line: &str) {
        self.watcher.notice(line);
    }

    /// Whether calls may be made.
    pub(crate) fn network(&self) -> Network {
        if self.calls.offline { Network::Offline } else { Network::Online }
    }

    /// Whether it is only to be said what asking would take.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.calls.dry_run
    }

    /// Opens the store; for reading only where no judge will be asked.
    pub(crate) fn open(&self, asking: &Asking) -> Result<Store, Failure> {
        if asking.may_ask(self.network()) {
            return self.open_for_writing(asking);
        }
        let path = settings::store_address(asking)?;
        if !path.may_exist() {
            return Err(Failure::usage(format!("there is no store at {path}"))
                .hint("--offline uses recorded answers only; run once without it"));
        }
        Ok(Store::open_read_only(&path)?)
    }

    /// Opens the store for writing, whether a judge or a target is asked.
    pub(crate) fn open_for_writing(&self, asking: &Asking) -> Result<Store, Failure> {
        open_for_writing(&settings::store_address(asking)?, &|line| self.note(line))
    }

    /// Makes the calls of `ask`, and again after each batch that it waits for: what is on record is not asked again.
    #[expect(clippy::needless_pass_by_value, reason = "callers write the closure in place")]
    pub(crate) fn ask<T>(
        &self,
        store: &Store,
        ask: impl AsyncFn(&run::Session<'_>) -> Result<T, RunError>,
    ) -> Result<Result<T, RunError>, Failure> {
        let runtime = runtime()?;
        let asked = runtime.block_on(async {
            let mode = Mode {
                network: self.network(),
                unscored: if self.calls.retry_unscored {
                    UnscoredPolicy::AskAgain
                } else {
                    UnscoredPolicy::Keep
                },
                interrupted: interrupts(),
                invocation: invocation(),
                shard: self.calls.shard,
                dispatch: self.dispatch.clone(),
            };
            let key = &settings::variable;
            let session = &run::Session { store, mode: &mode, key, observer: &self.watcher };
            let mut asked = ask(session).await;
            if let (Dispatch::Batch(watch), false) = (&self.dispatch, self.calls.no_wait) {
                while asked.is_ok() && watch.wait(session).await == Waited::Moved {
                    asked = ask(session).await;
                }
            }
            asked
        });
        // Connections are closed beside the report.
        runtime.shutdown_background();
        Ok(asked)
    }
}

/// How this process was called, for people who look at the run later.
fn invocation() -> Option<Invocation> {
    let words: Option<Vec<String>> =
        std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect();
    let words =
        words.filter(|words| words.first().is_some_and(|first| RUN_LIKE.contains(&first.as_str())))?;
    let folder = std::env::current_dir().ok()?.into_os_string().into_string().ok()?;
    Some(Invocation::new(words, folder))
}

/// Remembers what a run came to, where the store is one that this process writes to.
pub(crate) fn keep_outcome(
    store: &Store,
    ran: &Ran,
    command: &str,
    figures: &impl Serialize,
) -> Result<(), Failure> {
    let Some(run) = ran.run.filter(|_| store.may_write()) else { return Ok(()) };
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_secs()).ok().and_then(Moment::from_seconds);
    let mut now = now.map(|now| now.to_string()).unwrap_or_default();
    if !now.contains('T') {
        now.push_str("T00:00:00Z");
    }
    let figures = serde_json::to_string(figures).expect("documents can be written");
    Ok(store.note_outcome(run, (command, &figures), &now)?)
}

/// Keeps what a run came to: its figures, and for `probity report` the document, unless texts are to be digests.
pub(crate) fn keep_document(
    store: &Store,
    ran: &Ran,
    asking: &Asking,
    stored: &StoredDocument<'_>,
) -> Result<(), Failure> {
    let (document, texts) = (&stored.document, asking.config.store.texts);
    keep_outcome(store, ran, &document.command, &without_rows(document.json.clone()))?;
    let Some(run) = ran.run.filter(|_| store.may_write() && texts == StoredTexts::Full) else {
        return Ok(());
    };
    Ok(store.keep_document(run, &serde_json::to_string(stored).expect("texts can be written"))?)
}

/// A document of a run, and how its command ended.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredDocument<'a> {
    /// What it came to.
    pub(crate) document: Cow<'a, Document>,
    exit: u8,
    words: Vec<String>,
}

impl<'a> StoredDocument<'a> {
    /// The document of a command that ends like this.
    pub(crate) fn new(document: &'a Document, ended: &Ended) -> Self {
        StoredDocument {
            document: Cow::Borrowed(document),
            exit: ended.exit as u8,
            words: ended.words.clone(),
        }
    }

    /// How its command ended.
    pub(crate) fn ended(&self) -> Ended {
        let exits = [Exit::Done, Exit::No, Exit::Usage, Exit::Incomplete, Exit::Store];
        let exit = exits.into_iter().find(|exit| *exit as u8 == self.exit).unwrap_or(Exit::Store);
        Ended { exit, words: self.words.clone() }
    }
}

/// Figures without what is listed row by row, which may hold texts.
fn without_rows(mut json: Value) -> Value {
    if let Value::Object(members) = &mut json {
        members.retain(|name, _| !ROWS.contains(&name.as_str()));
        members.values_mut().for_each(|value| *value = without_rows(value.take()));
    }
    json
}

/// Opens the store for writing and tells what it found: each lost call is listed once, so it is said at once.
pub(crate) fn open_for_writing(address: &StoreAddress, note: &dyn Fn(&str)) -> Result<Store, Failure> {
    let opened = Store::open(address)?;
    if !opened.lost.is_empty() {
        let calls = counted(opened.lost.len(), "call");
        note(&format!("{calls} in flight when an earlier process died: possibly billed, and not recorded"));
    }
    if let Some(log) = &opened.missing_log {
        note(&format!(
            "warning: the store was not closed and its journal {} is missing: the latest records may be lost",
            log.display()
        ));
    }
    Ok(opened.store)
}

/// A signal that turns true at the first Ctrl-C or termination request; the second one ends the process.
fn interrupts() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        let Ok(mut terminations) = terminations() else { return };
        for n in 0..2 {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminations.recv() => {}
            }
            if n == 0 {
                terminal::note("stopping: finishing the calls in flight (again to stop at once)");
                sender.send_replace(true);
            }
        }
        // What was answered is on disk already; there is nothing to tidy up.
        std::process::exit(Exit::Incomplete as i32);
    });
    receiver
}

/// How a command ends: the exit code, and the last lines that go with it.
pub(crate) struct Ended {
    /// The code.
    pub(crate) exit: Exit,
    /// The lines.
    pub(crate) words: Vec<String>,
}

/// How much of what was to be asked has a verdict.
pub(crate) struct Covered {
    /// The share.
    pub(crate) share: f64,
    /// Of what, in words that follow the share.
    pub(crate) of: &'static str,
    /// What else is missing, in words that follow.
    pub(crate) missing: String,
}

impl Ended {
    /// As it should.
    pub(crate) fn done() -> Ended {
        Ended { exit: Exit::Done, words: Vec::new() }
    }

    /// In `exit`, for the reason given.
    pub(crate) fn with(exit: Exit, words: String) -> Ended {
        Ended { exit, words: vec![words] }
    }

    /// Before the end, by what stopped the calls to the judge or the target.
    pub(crate) fn stopped(who: &str, stop: &Stop, n_answered: u64) -> Ended {
        let (exit, message) = stopped(who, stop, n_answered);
        Ended::with(exit, message)
    }

    /// As asking did: stopped, with too little that has a verdict, or done.
    pub(crate) fn of(ran: &Ran, coverage_min: Exact, covered: Option<Covered>) -> Ended {
        let replies = ran.replies.as_ref();
        let by_target = replies.and_then(|replies| Some(("target", replies.stop()?, replies.n_answered)));
        let stop = ran.driven.as_ref().and_then(|driven| driven.stop.as_ref());
        let stop = by_target.or(stop.map(|stop| ("judge", stop, ran.n_answered)));
        if let Some((who, stop, n_answered)) = stop {
            return Ended::stopped(who, stop, n_answered);
        }
        let wanted = coverage_min.to_f64();
        let Some(Covered { share, of, missing }) = covered.filter(|covered| covered.share < wanted) else {
            return Ended::done();
        };
        let (share, wanted, way_on) = (100.0 * share, 100.0 * wanted, way_on(ran));
        let message =
            format!("incomplete: {share:.1} % of {of} (required: {wanted:.1} %){missing}; {way_on}");
        Ended::with(Exit::Incomplete, message)
    }

    /// As `next` does where nothing has gone wrong so far.
    pub(crate) fn and_then(self, next: impl FnOnce() -> Ended) -> Ended {
        if self.exit != Exit::Done {
            return self;
        }
        let Ended { exit, words } = next();
        Ended { exit, words: [self.words, words].concat() }
    }

    /// Says the last lines.
    pub(crate) fn say(self) -> Exit {
        self.words.iter().for_each(|line| terminal::note(line));
        self.exit
    }
}

/// What brings the missing verdicts, as far as anything does.
fn way_on(ran: &Ran) -> &'static str {
    let missing = ran.replies.as_ref().filter(|replies| replies.plan.n_calls > 0);
    if missing.is_some_and(|replies| replies.driven.as_ref().is_some_and(|driven| driven.gave_up > 0)) {
        return RESUME;
    }
    match &ran.driven {
        None if ran.plan.n_calls > 0 || missing.is_some_and(|replies| replies.driven.is_none()) => {
            "run again without --offline to ask for the rest"
        }
        Some(driven) if driven.gave_up > 0 => RESUME,
        None | Some(_) => {
            "the report lists the causes; --retry-unscored asks again where an answer was no verdict"
        }
    }
}

/// The code and the words for what stopped the calls to the judge or the target.
fn stopped(who: &str, stop: &Stop, n_answered: u64) -> (Exit, String) {
    let of = if who == "judge" { String::new() } else { format!("the {who}: ") };
    let (exit, why) = match stop {
        Stop::Interrupted => {
            return (Exit::Incomplete, "Interrupted. Run the same command again to continue.".to_owned());
        }
        Stop::Unreachable(why) => (
            Exit::Incomplete,
            format!("the {who} cannot be reached: {why}; try `probity doctor --ask`, then {RESUME}"),
        ),
        Stop::Quota(why) => (Exit::Incomplete, format!("{of}{why}; {RESUME}")),
        Stop::Budget(why) => (Exit::Incomplete, format!("{of}{why}; {RAISE}")),
        Stop::ParameterRefused { parameter, why } if n_answered == 0 => {
            let hint = match parameter {
                Parameter::Temperature | Parameter::Seed | Parameter::Effort | Parameter::Limit => {
                    format!("; {} = \"auto\" leaves out what is refused", parameter.setting())
                }
                _ => String::new(),
            };
            (Exit::Usage, format!("{of}{why}{hint}"))
        }
        Stop::Unusable(why) if n_answered == 0 => (Exit::Usage, format!("{of}{why}")),
        Stop::Refused(why) | Stop::Unusable(why) | Stop::ParameterRefused { why, .. } => {
            (Exit::Incomplete, format!("{of}{why}; correct that, then {RESUME}"))
        }
        Stop::InBatch(why) => (Exit::Incomplete, format!("{why}; {RESUME}")),
        Stop::Store(error) => (Exit::Store, error.to_string()),
    };
    (exit, format!("stopped: {why}"))
}

/// What watches a session from the command line.
struct Watcher {
    is_quiet: bool,
    /// Whether whatever it costs was agreed to.
    is_agreed: bool,
    bar: Bar,
    /// Packets that were said to be too large.
    n_oversize: AtomicU64,
}

impl Observer for Watcher {
    fn notice(&self, line: &str) {
        if !self.is_quiet {
            self.bar.line(line);
        }
    }

    fn planned(&self, plan: &Plan) {
        // A command that goes on after a batch meets the same ones.
        if self.n_oversize.swap(plan.n_oversize, Ordering::Relaxed) >= plan.n_oversize {
            return;
        }
        for (id, tokens) in &plan.oversize {
            self.notice(&format!("case {id}: about {tokens} tokens exceed the judge's context; not sent"));
        }
    }

    fn confirm(&self, spending: &PlannedSpending) -> Confirmation {
        if self.is_agreed || terminal::agrees(&format!("{}. Go on?", spending.sentence())) {
            Confirmation::Given
        } else {
            Confirmation::Refused
        }
    }

    fn calling(&self, progress: &Arc<Progress>, lane: &Arc<Lane>) {
        if !self.is_quiet {
            self.bar.start(progress, lane);
        }
    }

    fn called(&self) {
        self.bar.finish();
    }
}
