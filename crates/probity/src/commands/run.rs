//! `probity run`: cases in, scores with reasons out.

use std::io;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::Arc;

use probity_core::promote::Standing;
use probity_core::report::Summary;
use probity_core::rubric::Rubric;
use probity_engine::input::Skipped;
use probity_engine::ledger::Store;
use probity_engine::run::asking::Asking;
use probity_engine::run::job::Job;
use probity_engine::run::replies::{RepliesRan, run_job, same_model};
use probity_engine::run::results::Row;
use probity_engine::run::spec::RecordedRun;
use probity_engine::run::{Network, Ran, RunError, report};

use super::check;
use super::outlet::Outlet;
use super::session::{Covered, Ended, Session, keep_outcome};
use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::render::report::Beside;
use crate::render::report::appendix::Appendix;
use crate::render::report::document::{Document, SKIPPED_MAX};
use crate::render::results::ResultsWriter;
use crate::render::summary::{document, metric_name, reached, wanted};
use crate::settings::inputs::Inputs;
use crate::{settings, terminal};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    if args.calls.dry_run {
        return check::job(&args.job, Some(&args.calls), false);
    }
    // The program is about to end: cases and rows go with it, not one by one before it.
    let say = &args.job.cases.reading.say;
    let outlet = Outlet::of_run(&args.output, say, &Inputs::default().job(&args.job))?;
    let made = ManuallyDrop::new(made(args, &outlet)?);
    if !say.json {
        terminal::print(&made.document.text());
    }
    outlet.note_written();
    Ok(ended(args, &made).say())
}

/// A run with its results in their files.
pub(super) struct Made {
    job: Arc<Job>,
    ran: Ran,
    summary: Summary,
    /// What a terminal shows.
    pub(super) document: Document,
}

impl Made {
    /// How it ended, as far as the verdicts go.
    pub(super) fn ended(&self) -> Ended {
        Ended::of(&self.ran, self.job.asking.config.run.min_coverage, covered(&self.summary))
    }
}

/// Reports a run of the store, and ends as it did but for what `--enforce` and `--fail-under` asked.
pub(super) fn recorded(
    run: &RecordedRun,
    store: &Store,
    outlet: &Outlet<'_>,
    beside: Beside,
) -> Result<Exit, Failure> {
    let call = store.reader()?.invocation(run.run())?.map(|call| call.argv);
    let about = ResultsContext { name: &run.name, asking: &run.asking, rubric: &run.rubric, call };
    let (summary, document) = write(&about, outlet, beside, |sink| run.report(store, sink))?;
    if !outlet.is_json() {
        terminal::print(&document.text());
    }
    outlet.note_written();
    let ran = run.ran(&store.reader()?)?;
    Ok(Ended::of(&ran, run.asking.config.run.min_coverage, covered(&summary)).say())
}

/// The results of a run of the store.
pub(super) fn results(run: &RecordedRun, store: &Store) -> Result<(Vec<u8>, Standing), Failure> {
    let (text, summary) = written(|sink| run.report(store, sink))?;
    Ok((text, summary.record.facts.judge.earned))
}

/// The results that `report` gives, as a run writes them, and their summary.
pub(super) fn written(
    report: impl FnOnce(Sink<'_>) -> Result<Summary, RunError>,
) -> Result<(Vec<u8>, Summary), Failure> {
    let in_memory = |error: io::Error| Failure::unwritable(None, &error);
    let mut writer = ResultsWriter::new(Vec::new()).map_err(in_memory)?;
    let summary = report(&mut |row| writer.add(&row))?;
    Ok((writer.finish(&summary).map_err(in_memory)?, summary))
}

fn made(args: &RunArgs, outlet: &Outlet<'_>) -> Result<Made, Failure> {
    let session = Session::new(&args.calls, args.job.cases.reading.say.quiet);
    let job = settings::job(&args.job, Some(&args.calls), &|line| session.note(line))?;
    refuse_without_pass_rule(args, &job)?;
    scored(&session, Arc::new(job), outlet)
}

/// Asks about the replies of `job`, and writes its results to where they were asked for.
pub(super) fn scored(session: &Session<'_>, job: Arc<Job>, outlet: &Outlet<'_>) -> Result<Made, Failure> {
    let is_target_asked = job.target().is_some() && session.network() == Network::Online;
    let store =
        if is_target_asked { session.open_for_writing(&job.asking)? } else { session.open(&job.asking)? };
    let ran = match session.ask(&store, async |session| run_job(&job, session).await)? {
        Ok(ran) => ran,
        Err(mut error) => {
            // Records that cannot be used are listed even where there are no others.
            if let RunError::NothingUsable { ran, .. } = &mut error {
                let job = &job;
                write(&ResultsContext::of(job), outlet, Beside::default(), |sink| {
                    report(job, &store, ran, sink)
                })?;
            }
            return Err(error.into());
        }
    };
    let (summary, document) =
        write(&ResultsContext::of(&job), outlet, Beside::default(), |sink| report(&job, &store, &ran, sink))?;
    keep_outcome(&store, &ran, "run", &summary.record)?;
    store.close()?;
    about_the_target(&job, &ran, &summary, session);
    Ok(Made { job, ran, summary, document })
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

/// Where rows go, one after the other.
pub(super) type Sink<'a> = &'a mut dyn FnMut(Row) -> io::Result<()>;

/// What results are about.
struct ResultsContext<'a> {
    name: &'a str,
    asking: &'a Asking,
    rubric: &'a Rubric,
    /// The call on record, where it is not this process's own.
    call: Option<Vec<String>>,
}

impl<'a> ResultsContext<'a> {
    fn of(job: &'a Job) -> ResultsContext<'a> {
        ResultsContext { name: &job.name, asking: &job.asking, rubric: &job.rubric, call: None }
    }
}

/// Writes the results that `report` gives to where they were asked for; the document is what a terminal shows.
fn write(
    about: &ResultsContext<'_>,
    outlet: &Outlet<'_>,
    beside: Beside,
    report: impl FnOnce(Sink<'_>) -> Result<Summary, RunError>,
) -> Result<(Summary, Document), Failure> {
    let (mut open, beside) = (Vec::new(), Rc::new(beside));
    for file in &outlet.files {
        let report = file.open(about.rubric, &beside);
        open.push((file, report.map_err(|error| Failure::unwritable(Some(&file.path), &error))?));
    }
    let stdout_failure = |error: io::Error| Failure::unwritable(None, &error);
    let stdout =
        outlet.is_json().then(|| ResultsWriter::new(io::BufWriter::new(terminal::Pipe(io::stdout().lock()))));
    let mut stdout = stdout.transpose().map_err(stdout_failure)?;
    let mut skipped: Vec<Skipped> = Vec::new();
    let summary = report(&mut |row| {
        open.iter_mut().try_for_each(|(file, report)| {
            let named =
                |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.path.display()));
            report.add(&row).map_err(named)
        })?;
        if let Some(stdout) = &mut stdout {
            stdout.add(&row)?;
        }
        if let Row::Skipped(record) = row
            && skipped.len() < SKIPPED_MAX
        {
            skipped.push(record);
        }
        Ok(())
    })?;
    let mut appendix = Appendix::asked(about.asking, &summary.rubric, &summary.record.facts);
    if let Some(words) = &about.call {
        appendix = appendix.of_call(words);
    }
    let document = document(&summary, about.name, &skipped, appendix);
    for (file, report) in open {
        report.finish(&summary, &document).map_err(|error| Failure::unwritable(Some(&file.path), &error))?;
    }
    if let Some(stdout) = stdout {
        stdout.finish(&summary).and_then(|mut out| io::Write::flush(&mut out)).map_err(stdout_failure)?;
    }
    Ok((summary, document))
}

/// Says what is worth a line about the target after a run: that nothing needed it, or that only its answers showed it
/// to be the judge's own model.
fn about_the_target(job: &Job, ran: &Ran, summary: &Summary, session: &Session<'_>) {
    let (Some(target), Some(RepliesRan { plan, .. })) = (job.target(), &ran.replies) else { return };
    let settings = &target.settings;
    if plan.n_cases == 0 {
        session.note(&format!("every case has a reply: target {} was not asked", settings.name));
    }
    let (judge, facts) = (&job.asking.judge, &summary.record.facts);
    let answered = facts.target.as_ref().map(|target| target.answered_as.0.as_slice()).unwrap_or_default();
    if same_model((judge, &[]), (settings, &[])).is_none()
        && let Some(warning) = same_model((judge, &facts.judge.answered_as.0), (settings, answered))
    {
        session.note(&format!("warning: {warning}"));
    }
}

/// The exit code, and the words that go with it.
fn ended(args: &RunArgs, made: &Made) -> Ended {
    let summary = &made.summary;
    made.ended()
        .and_then(|| if args.enforce { enforced(summary) } else { Ended::done() })
        .and_then(|| args.fail_under.map_or_else(Ended::done, |floor| above_floor(summary, floor)))
}

/// How many of the admitted replies have a verdict.
fn covered(summary: &Summary) -> Option<Covered> {
    summary.record.coverage.map(|coverage| Covered {
        share: coverage.to_f64(),
        of: "the admitted replies have a verdict",
        missing: match summary.record.no_reply {
            0 => String::new(),
            n => format!(", {n} without a reply"),
        },
    })
}

/// Whether the targets are met by a judge that may gate, and in words what is not.
fn enforced(summary: &Summary) -> Ended {
    let (standing, n_targets) = (&summary.record.facts.judge.earned, summary.record.targets.len());
    if !standing.is_promoted() {
        return no_standing(&format!("{standing} ({})", standing.reason()));
    }
    let unmet = summary.record.targets.iter().filter(|target| target.met != Some(true));
    let unmet: Vec<String> = unmet
        .map(|each| format!("{}: {}, needs {}", metric_name(each), reached(each), wanted(each)))
        .collect();
    if !unmet.is_empty() {
        let (n_unmet, unmet) = (unmet.len(), unmet.join("; "));
        return Ended::with(Exit::No, format!("FAILED: {n_unmet} of {n_targets} targets missed ({unmet})"));
    }
    if n_targets == 0 {
        let words = "the rubric has no targets: only the judge's standing was enforced";
        return Ended::with(Exit::Done, words.to_owned());
    }
    Ended::done()
}

/// Why a judge without standing passes no build: its standing, whatever its figures are.
pub(super) fn no_standing(standing: &str) -> Ended {
    let words = format!("FAILED: the judge is {standing}, so its figures must not gate a release");
    Ended::with(Exit::No, words)
}

/// Whether the lower bound of the pass rate reaches `floor`, whatever the judge has earned. A pass rate that was not
/// measured does not.
fn above_floor(summary: &Summary, floor: f64) -> Ended {
    let standing = &summary.record.facts.judge.earned;
    let by = format!("{standing} judge: {}", standing.reason());
    let wanted = format!("--fail-under {:.1} %", 100.0 * floor);
    let message = match summary.record.all.pass_rate {
        Some(rate) if rate.low >= floor => return Ended::done(),
        Some(rate) => format!(
            "the pass rate is {:.1} % ({:.1}–{:.1} %, n {}) and its lower bound is below {wanted}",
            100.0 * rate.value,
            100.0 * rate.low,
            100.0 * rate.high,
            rate.n
        ),
        None => format!("the pass rate was not measured, {wanted} needs one"),
    };
    Ended::with(Exit::No, format!("FAILED: {message} ({by})"))
}
