//! `probity run`: cases in, scores with reasons out.

use std::io;
use std::sync::Arc;

use probity_core::report::Summary;
use probity_engine::load::Skipped;
use probity_engine::run::asking::Asking;
use probity_engine::run::job::Job;
use probity_engine::run::plan::{Plan, UnscoredPolicy};
use probity_engine::run::results::Row;
use probity_engine::run::work::Work;
use probity_engine::run::{Mode, Network, Observer, Ran, RunError, report, run as run_job};
use probity_engine::schedule::desk::Desk;
use probity_engine::schedule::lane::Stop;
use probity_engine::store::Store;
use tokio::sync::watch;

use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::render::progress::Bar;
use crate::render::results::{ResultsWriter, WholeFile};
use crate::render::summary::summary;
use crate::{settings, terminal};

/// How many skipped records are kept for the summary.
const SKIPPED_KEPT_MAX: usize = 5;

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let watcher = Watcher { quiet: args.job.cases.quiet, bar: Bar::default() };
    let job = settings::job(&args.job, settings::run_layer(args)?, &|line| watcher.notice(line))?;
    let job = Arc::new(job);
    // Results without a place are not worth paying for.
    args.output
        .as_deref()
        .map_or(Ok(()), WholeFile::try_out)
        .map_err(|error| output_failure(args, &error))?;
    let network = if args.offline { Network::Offline } else { Network::Online };
    let store = open_store(&job.asking, network, &watcher)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Failure { exit: Exit::Store, message: format!("could not start: {error}"), hint: None }
    })?;
    let ran = runtime.block_on(async {
        let mode = Mode {
            network,
            unscored: if args.retry_unscored { UnscoredPolicy::AskAgain } else { UnscoredPolicy::Keep },
            interrupted: interrupts(),
        };
        let work: Arc<dyn Work> = Arc::<Job>::clone(&job);
        run_job(&work, &store, &mode, &settings::variable, &watcher).await
    });
    let ran = ran.map_err(failure)?;
    let (summary, skipped) = write(&job, &store, &ran, args)?;
    store.close().map_err(|error| Failure::new(Exit::Store, &error))?;
    if !args.job.cases.json {
        terminal::print(&self::summary(&summary, &job.dataset_name, &skipped));
    }
    Ok(verdict(args, &job, &ran, &summary))
}

fn open_store(asking: &Asking, network: Network, watcher: &Watcher) -> Result<Store, Failure> {
    let path = settings::store_path(asking)?;
    if !asking.may_ask(network) {
        if !path.exists() {
            return Err(Failure::usage(format!("there is no store at {}", path.display())).hint(
                "only an earlier run's record was asked for; run once with a judge and without --offline",
            ));
        }
        return Store::open_read_only(&path).map_err(|error| Failure::new(Exit::Store, &error));
    }
    let opened = Store::open(&path).map_err(|error| Failure::new(Exit::Store, &error))?;
    if !opened.lost.is_empty() {
        let n = opened.lost.len();
        watcher.notice(&format!(
            "{n} calls were in flight when an earlier process died: possibly billed, not recorded"
        ));
    }
    for warning in &opened.warnings {
        watcher.notice(&format!("warning: {warning}"));
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

/// Writes the results to where they were asked for, and keeps what the summary shows.
fn write(job: &Job, store: &Store, ran: &Ran, args: &RunArgs) -> Result<(Summary, Vec<Skipped>), Failure> {
    let output_failure = |error: io::Error| output_failure(args, &error);
    let file = args.output.as_deref().map(WholeFile::create).transpose().map_err(output_failure)?;
    let mut file = file.map(ResultsWriter::new).transpose().map_err(output_failure)?;
    let stdout = args
        .job
        .cases
        .json
        .then(|| ResultsWriter::new(io::BufWriter::new(terminal::Pipe(io::stdout().lock()))));
    let mut stdout = stdout.transpose().map_err(output_failure)?;
    let mut skipped = Vec::new();
    let summary = report(job, store, ran, &mut |row| {
        if let Some(file) = &mut file {
            file.add(&row)?;
        }
        if let Some(stdout) = &mut stdout {
            stdout.add(&row)?;
        }
        if let Row::Skipped(record) = row
            && skipped.len() < SKIPPED_KEPT_MAX
        {
            skipped.push(record);
        }
        Ok(())
    });
    let summary = summary.map_err(failure)?;
    if let Some(file) = file {
        file.finish(&summary).and_then(WholeFile::keep).map_err(output_failure)?;
    }
    if let Some(stdout) = stdout {
        stdout.finish(&summary).and_then(|mut out| io::Write::flush(&mut out)).map_err(output_failure)?;
    }
    Ok((summary, skipped))
}

fn output_failure(args: &RunArgs, error: &io::Error) -> Failure {
    let place = args.output.as_ref().map_or("standard output".to_owned(), |path| path.display().to_string());
    Failure { exit: Exit::Store, message: format!("could not write {place}: {error}"), hint: None }
}

/// The exit code, and the words that go with it.
fn verdict(args: &RunArgs, job: &Job, ran: &Ran, summary: &Summary) -> Exit {
    let stop = ran.driven.as_ref().and_then(|driven| driven.stop.as_ref());
    if let Some((exit, message)) = stop.map(|stop| stopped(stop, ran)) {
        terminal::note(&format!("stopped: {message}"));
        return exit;
    }
    let wanted = job.asking.config.run.min_coverage;
    if let Some(coverage) = summary.coverage().filter(|coverage| *coverage < wanted) {
        terminal::note(&format!(
            "incomplete: {:.1} % of the admitted replies have a verdict, {:.1} % are wanted; {}",
            100.0 * coverage.to_f64(),
            100.0 * wanted.to_f64(),
            way_on(ran)
        ));
        return Exit::Incomplete;
    }
    if args.enforce {
        let missed = summary.targets().iter().filter(|target| !target.is_met()).count();
        terminal::note(&format!(
            "the answer is no: the judge's standing is {}, and {missed} of {} targets are missed",
            summary.facts().judge.standing,
            summary.targets().len()
        ));
        return Exit::No;
    }
    Exit::Done
}

/// What brings the missing verdicts, as far as anything does.
fn way_on(ran: &Ran) -> &'static str {
    match &ran.driven {
        None if ran.plan.n_calls > 0 => "run again without --offline to ask for the rest",
        Some(driven) if driven.gave_up > 0 => "run the same command again to resume",
        None | Some(_) => {
            "the causes are listed above; --retry-unscored asks again where an answer was no verdict"
        }
    }
}

fn stopped(stop: &Stop, ran: &Ran) -> (Exit, String) {
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
        RunError::NothingUsable { .. }
        | RunError::BudgetTooLarge { .. }
        | RunError::Sequence(_)
        | RunError::Template(_)
        | RunError::Judge(_) => Failure::new(Exit::Usage, &error),
    }
}

struct Watcher {
    quiet: bool,
    bar: Bar,
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

    fn calling(&self, desk: &Arc<Desk>) {
        if !self.quiet && terminal::is_watched() {
            self.bar.start(desk);
        }
    }

    fn called(&self) {
        self.bar.finish();
    }
}
