//! `probity run`: cases in, scores with reasons out.

use std::io;
use std::sync::Arc;

use probity_core::promote::Standing;
use probity_core::report::{Summary, TargetState};
use probity_engine::load::Skipped;
use probity_engine::run::job::Job;
use probity_engine::run::replies::run_job;
use probity_engine::run::results::Row;
use probity_engine::run::{Observer as _, Ran, RunError, Session, report};
use probity_engine::store::Store;

use super::inputs::Inputs;
use super::replies;
use super::session::{
    Watcher, failure, keep_outcome, mode, network, output_failure, report_files, runtime, stopped, way_on,
};
use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::render::report::ReportFile;
use crate::render::report::appendix::Origin;
use crate::render::results::ResultsWriter;
use crate::render::summary::{metric_name, reached, summary, wanted};
use crate::{settings, terminal};

/// How many skipped records are kept for the summary.
const SKIPPED_KEPT_MAX: usize = 5;

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let Made { job, ran, summary, skipped } = made(args)?;
    if !args.job.cases.reading.json {
        terminal::print(&self::summary(&summary, &job.dataset_name, &skipped));
    }
    Ok(verdict(args, &job, &ran, &summary))
}

/// A run with its results in their files.
struct Made {
    job: Arc<Job>,
    ran: Ran,
    summary: Summary,
    /// The first records that could not be used.
    skipped: Vec<Skipped>,
}

/// Makes the run and writes its results to `--output`, and says nothing but what its judge has earned.
pub(crate) fn written(args: &RunArgs) -> Result<Standing, Failure> {
    made(args).map(|made| made.summary.facts().judge.standing.clone())
}

fn made(args: &RunArgs) -> Result<Made, Failure> {
    let files = report_files(args.output.as_deref(), &args.reports, &Inputs::default().job(&args.job))?;
    let watcher = Watcher::new(args.job.cases.reading.quiet);
    let job = settings::job(&args.job, settings::call_layer(&args.calls)?, &|line| watcher.notice(line))?;
    refuse_without_pass_rule(args, &job)?;
    let job = Arc::new(job);
    let store = replies::open_store(&job, network(&args.calls), &watcher)?;
    let runtime = runtime()?;
    let ran = runtime.block_on(async {
        let mode = mode(&args.calls);
        let (store, mode, key) = (&store, &mode, &settings::variable);
        run_job(&job, &Session { store, mode, key, observer: &watcher }).await
    });
    // Connections are closed beside the report.
    runtime.shutdown_background();
    let mut ran = match ran {
        Ok(ran) => ran,
        Err(mut error) => {
            // Records that cannot be used are listed even where there are no others.
            if let RunError::NothingUsable { ran, .. } = &mut error {
                write(&job, &store, ran, args, &files)?;
            }
            return Err(failure(error));
        }
    };
    let (summary, skipped) = write(&job, &store, &mut ran, args, &files)?;
    keep_outcome(&store, &ran, "run", &summary.to_json())?;
    store.close().map_err(|error| Failure::new(Exit::Store, &error))?;
    replies::notices(&job, &ran, &summary, &watcher);
    Ok(Made { job, ran, summary, skipped })
}

/// A floor under the pass rate needs one.
fn refuse_without_pass_rule(args: &RunArgs, job: &Job) -> Result<(), Failure> {
    if args.fail_under.is_none() || job.rubric.pass().is_some() {
        return Ok(());
    }
    let rubric = job.rubric.name();
    Err(Failure::usage(format!(
        "--fail-under: the rubric {rubric} has no pass rule, so there is no pass rate"
    ))
    .hint("give the rubric weights and [pass], or leave --fail-under out"))
}

/// Writes the results to where they were asked for, and keeps what the summary shows.
fn write(
    job: &Job,
    store: &Store,
    ran: &mut Ran,
    args: &RunArgs,
    files: &[ReportFile],
) -> Result<(Summary, Vec<Skipped>), Failure> {
    let mut open = Vec::new();
    let origin = Origin::asked(&job.asking);
    for file in files {
        let report = file
            .open(&job.dataset_name, &origin)
            .map_err(|error| output_failure(Some(&file.path), &error))?;
        open.push((file, report));
    }
    let stdout_failure = |error: io::Error| output_failure(None, &error);
    let stdout = args
        .job
        .cases
        .reading
        .json
        .then(|| ResultsWriter::new(io::BufWriter::new(terminal::Pipe(io::stdout().lock()))));
    let mut stdout = stdout.transpose().map_err(stdout_failure)?;
    let mut skipped = Vec::new();
    let summary = report(job, store, ran, &mut |row| {
        open.iter_mut().try_for_each(|(file, report)| {
            let named =
                |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.path.display()));
            report.add(&row).map_err(named)
        })?;
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
    for (file, report) in open {
        report.finish(&summary).map_err(|error| output_failure(Some(&file.path), &error))?;
    }
    if let Some(stdout) = stdout {
        stdout.finish(&summary).and_then(|mut out| io::Write::flush(&mut out)).map_err(stdout_failure)?;
    }
    Ok((summary, skipped))
}

/// The exit code, and the words that go with it.
fn verdict(args: &RunArgs, job: &Job, ran: &Ran, summary: &Summary) -> Exit {
    if let Some(exit) = replies::ended(ran) {
        return exit;
    }
    let stop = ran.driven.as_ref().and_then(|driven| driven.stop.as_ref());
    if let Some((exit, message)) = stop.map(|stop| stopped(stop, ran)) {
        terminal::note(&format!("stopped: {message}"));
        return exit;
    }
    let wanted = job.asking.config.run.min_coverage;
    if let Some(coverage) = summary.coverage().filter(|coverage| *coverage < wanted) {
        let n_no_reply = summary.n_no_reply();
        let missing = if n_no_reply > 0 { format!(", {n_no_reply} without a reply") } else { String::new() };
        terminal::note(&format!(
            "incomplete: {:.1} % of the admitted replies have a verdict, {:.1} % are wanted{missing}; {}",
            100.0 * coverage.to_f64(),
            100.0 * wanted.to_f64(),
            way_on(ran)
        ));
        return Exit::Incomplete;
    }
    let enforced = if args.enforce { enforced(summary) } else { Exit::Done };
    match args.fail_under {
        Some(floor) if enforced == Exit::Done => above_floor(summary, floor),
        _ => enforced,
    }
}

/// Whether the targets are met by a judge that may gate, and in words what is not.
fn enforced(summary: &Summary) -> Exit {
    let (standing, n_targets) = (&summary.facts().judge.standing, summary.targets().len());
    if !standing.is_promoted() {
        terminal::note(&no_standing(&format!("{standing} ({})", standing.reason())));
        return Exit::No;
    }
    let unmet = summary.targets().iter().filter(|target| target.state() != TargetState::Met);
    let unmet: Vec<String> = unmet
        .map(|each| format!("{}: {}, needs {}", metric_name(each), reached(each), wanted(each)))
        .collect();
    if !unmet.is_empty() {
        let n_unmet = unmet.len();
        let unmet = unmet.join("; ");
        terminal::note(&format!("FAILED: {n_unmet} of {n_targets} targets missed ({unmet})"));
        return Exit::No;
    }
    if n_targets == 0 {
        terminal::note("the rubric has no targets: nothing but the judge's standing was enforced");
    }
    Exit::Done
}

/// Why a judge without standing passes no build: its standing, whatever its figures are.
pub(super) fn no_standing(standing: &str) -> String {
    format!("FAILED: the judge's standing is {standing}; its figures inform and must not gate")
}

/// Whether the lower bound of the pass rate reaches `floor`, whatever the judge has earned. A pass rate that was not
/// measured does not.
fn above_floor(summary: &Summary, floor: f64) -> Exit {
    let standing = &summary.facts().judge.standing;
    let by = format!("{standing} judge: {}", standing.reason());
    let wanted = format!("--fail-under {:.1} %", 100.0 * floor);
    let message = match summary.pass_rate() {
        Some(rate) if rate.low >= floor => return Exit::Done,
        Some(rate) => format!(
            "the pass rate is {:.1} % ({:.1}–{:.1} %, n {}) and its lower bound is below {wanted}",
            100.0 * rate.value,
            100.0 * rate.low,
            100.0 * rate.high,
            rate.n
        ),
        None => format!("the pass rate was not measured, {wanted} needs one"),
    };
    terminal::note(&format!("FAILED: {message} ({by})"));
    Exit::No
}
