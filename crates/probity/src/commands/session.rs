//! One session with a judge: the store, the calls, interrupts, what is said meanwhile, and how it ended.
//!
//! What commands that ask a judge share. What they ask about, and what they make of the answers, is their own.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use probity_core::case::Moment;
use probity_engine::run::asking::Asking;
use probity_engine::run::plan::{Plan, UnscoredPolicy};
use probity_engine::run::{Mode, Network, Observer, Ran, RunError};
use probity_engine::schedule::desk::Progress;
use probity_engine::schedule::lane::{Lane, Stop};
use probity_engine::store::{Invocation, Store};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::inputs::{Inputs, refuse_same_output};
use crate::args::CallArgs;
use crate::exit::{Exit, Failure};
use crate::render::progress::Bar;
use crate::render::report::{Finished, Kind, ReportFile};
use crate::render::results::WholeFile;
use crate::{settings, terminal};

/// The commands that make runs of the store.
pub(crate) const RUN_LIKE: [&str; 4] = ["run", "compare", "calibrate", "probe"];

/// The runtime that calls are made on.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| Failure {
        exit: Exit::Store,
        message: format!("could not start: {error}"),
        hint: None,
    })
}

/// How a run is to be made, as its flags say. Must be called inside a runtime.
pub(crate) fn mode(args: &CallArgs) -> Mode {
    Mode {
        network: network(args),
        unscored: if args.retry_unscored { UnscoredPolicy::AskAgain } else { UnscoredPolicy::Keep },
        interrupted: interrupts(),
        invocation: invocation(),
    }
}

/// Whether calls may be made.
pub(crate) fn network(args: &CallArgs) -> Network {
    match args.recorded {
        Some(run) => Network::Recorded(run),
        None if args.offline => Network::Offline,
        None => Network::Online,
    }
}

/// How this process was called, where `probity report` can call it so again.
fn invocation() -> Option<Invocation> {
    let words: Option<Vec<String>> =
        std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect();
    let words =
        words.filter(|words| words.first().is_some_and(|first| RUN_LIKE.contains(&first.as_str())))?;
    let folder = std::env::current_dir().ok()?.into_os_string().into_string().ok()?;
    Some(Invocation::new(words, folder))
}

/// Remembers what a run came to, where the store is one that this process writes to.
pub(crate) fn keep_outcome(store: &Store, ran: &Ran, command: &str, figures: &Value) -> Result<(), Failure> {
    let Some(run) = ran.run.filter(|_| store.may_write()) else { return Ok(()) };
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_secs()).ok().and_then(Moment::from_seconds);
    let mut now = now.map(|now| now.to_string()).unwrap_or_default();
    if !now.contains('T') {
        now.push_str("T00:00:00Z");
    }
    let noted = store.note_outcome(run, (command, &figures.to_string()), &now);
    noted.map_err(|error| Failure::new(Exit::Store, &error))
}

/// Opens the store; for reading only where nobody will be asked.
pub(crate) fn open_store(asking: &Asking, network: Network, watcher: &Watcher) -> Result<Store, Failure> {
    let path = settings::store_path(asking)?;
    if !asking.may_ask(network) {
        if !path.exists() {
            return Err(Failure::usage(format!("there is no store at {}", path.display())).hint(
                "only an earlier run's record was asked for; run once with a judge and without --offline",
            ));
        }
        return Store::open_read_only(&path).map_err(|error| Failure::new(Exit::Store, &error));
    }
    open_for_writing(&path, &|line| watcher.notice(line))
}

/// Opens the store for writing and tells what it found: each lost call is listed once, so it is said at once.
pub(crate) fn open_for_writing(path: &Path, note: &dyn Fn(&str)) -> Result<Store, Failure> {
    let opened = Store::open(path).map_err(|error| Failure::new(Exit::Store, &error))?;
    if !opened.lost.is_empty() {
        let n = opened.lost.len();
        note(&format!(
            "{n} calls were in flight when an earlier process died: possibly billed, not recorded"
        ));
    }
    Ok(opened.store)
}

/// A signal that turns true at the first Ctrl-C or termination request; the second one ends the process.
fn interrupts() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        let Ok(mut term) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) else {
            return;
        };
        for n in 0..2 {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => {}
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

/// The files that `--output` and `--report` name, none of which is read. Results without a place are not worth paying
/// for, so each is tried.
pub(crate) fn report_files(
    output: Option<&Path>,
    reports: &[PathBuf],
    inputs: &Inputs,
) -> Result<Vec<ReportFile>, Failure> {
    let reported = reports.iter().map(|path| ("--report", path.as_path()));
    let outputs: Vec<(&str, &Path)> =
        output.map(|path| ("--output", path)).into_iter().chain(reported).collect();
    outputs.iter().try_for_each(|(flag, path)| inputs.refuse(flag, path))?;
    refuse_same_output(&outputs)?;
    let output = output.map(|path| Ok(ReportFile { path: path.to_owned(), kind: Kind::Json }));
    let reports = reports
        .iter()
        .map(|path| Ok(ReportFile { path: path.clone(), kind: Kind::of(path).map_err(Failure::usage)? }));
    let files: Vec<ReportFile> = output.into_iter().chain(reports).collect::<Result<_, Failure>>()?;
    for file in &files {
        WholeFile::try_out(&file.path).map_err(|error| output_failure(Some(&file.path), &error))?;
    }
    Ok(files)
}

/// Writes what a command came to, to each of its files.
pub(crate) fn write_reports(files: &[ReportFile], finished: &Finished<'_>) -> Result<(), Failure> {
    files
        .iter()
        .try_for_each(|file| file.write(finished).map_err(|error| output_failure(Some(&file.path), &error)))
}

/// A failure to write results.
pub(crate) fn output_failure(output: Option<&Path>, error: &io::Error) -> Failure {
    let place = output.map_or("standard output".to_owned(), |path| path.display().to_string());
    Failure { exit: Exit::Store, message: format!("could not write {place}: {error}"), hint: None }
}

/// What brings the missing verdicts, as far as anything does.
pub(crate) fn way_on(ran: &Ran) -> &'static str {
    let missing = ran.replies.as_ref().filter(|replies| replies.plan.n_calls > 0);
    if missing.is_some_and(|replies| replies.driven.as_ref().is_some_and(|driven| driven.gave_up > 0)) {
        return "run the same command again to resume";
    }
    match &ran.driven {
        None if ran.plan.n_calls > 0 || missing.is_some_and(|replies| replies.driven.is_none()) => {
            "run again without --offline to ask for the rest"
        }
        Some(driven) if driven.gave_up > 0 => "run the same command again to resume",
        None | Some(_) => {
            "the report lists the causes; --retry-unscored asks again where an answer was no verdict"
        }
    }
}

/// The code and the words for what stopped the calls.
pub(crate) fn stopped(stop: &Stop, ran: &Ran) -> (Exit, String) {
    let nothing_answered = ran.n_answered == 0;
    let resume = "; run the same command again to resume";
    match stop {
        Stop::Unreachable(why) => (Exit::Incomplete, format!("the judge cannot be reached: {why}{resume}")),
        Stop::Quota(why) | Stop::Budget(why) => (Exit::Incomplete, format!("{why}{resume}")),
        Stop::Unusable(why) | Stop::SchemaRefused(why) if nothing_answered => (Exit::Usage, why.clone()),
        Stop::Refused(why) | Stop::Unusable(why) | Stop::SchemaRefused(why) => {
            (Exit::Incomplete, format!("{why}; correct that, then run the same command again to resume"))
        }
        Stop::Interrupted => (Exit::Incomplete, format!("as asked{resume}")),
        Stop::Store(error) => (Exit::Store, error.to_string()),
    }
}

/// Turns an engine's error into words and a code.
pub(crate) fn failure(error: RunError) -> Failure {
    match error {
        RunError::Load(error) => settings::load_failure(error),
        RunError::Store(error) => Failure::new(Exit::Store, &error),
        RunError::Damaged { .. } | RunError::Output(_) => Failure::new(Exit::Store, &error),
        RunError::NoPrice { ref model } => {
            let table = format!("[prices.{model:?}]");
            Failure::new(Exit::Usage, &error).hint(format!(
                "set input_usd_per_mtok and output_usd_per_mtok under {table} in probity.toml, or use --max-calls"
            ))
        }
        RunError::Midway(_) => Failure::new(Exit::Incomplete, &error)
            .hint("what was answered is kept; run again with a file that stays as it is"),
        RunError::NotThatRun { .. } => Failure::new(Exit::Usage, &error).hint(
            "a run is reported again from its own files, settings and environment; bring those back that differ",
        ),
        RunError::NothingUsable { .. }
        | RunError::NoBase { .. }
        | RunError::NotProbed { .. }
        | RunError::BudgetTooLarge { .. }
        | RunError::Sequence(_)
        | RunError::Template(_)
        | RunError::Target(_)
        | RunError::Judge(_) => Failure::new(Exit::Usage, &error),
    }
}

/// Whoever watches a session from the command line.
pub(crate) struct Watcher {
    quiet: bool,
    bar: Bar,
}

impl Watcher {
    /// One that says nothing where `quiet` is set.
    pub(crate) fn new(quiet: bool) -> Self {
        Watcher { quiet, bar: Bar::default() }
    }
}

impl Observer for Watcher {
    fn notice(&self, line: &str) {
        if !self.quiet {
            self.bar.line(line);
        }
    }

    fn planned(&self, plan: &Plan) {
        for (id, tokens) in &plan.oversize {
            self.notice(&format!("case {id}: about {tokens} tokens are more than the judge reads; not sent"));
        }
    }

    fn calling(&self, progress: &Arc<Progress>, lane: &Arc<Lane>) {
        if !self.quiet {
            self.bar.start(progress, lane);
        }
    }

    fn called(&self) {
        self.bar.finish();
    }
}
