//! `probity diff`: what changed between two runs of the store, or between the results that runs wrote.

mod args;

use std::path::Path;

use probity_core::diff::{
    Advisory, Difference, Guarded, Guardrail, Incomparable, difference, guarded, read_guardrails,
};
use probity_core::results::{ReadError, ResultRow, RowOutcome, RunResults};

pub(crate) use args::DiffArgs;

use super::compare::pretty;
use super::inputs::Inputs;
use super::report::past::Past;
use super::rubric::problems;
use super::run::no_standing;
use super::session::{report_files, write_reports};
use crate::exit::{Exit, Failure};
use crate::render::difference::{Shown, difference as shown};
use crate::render::report::{Finished, difference as page};
use crate::{settings, terminal};

/// The level of the test behind `--enforce`.
const ALPHA: f64 = 0.05;

/// Runs the command.
pub(crate) fn diff(args: &DiffArgs) -> Result<Exit, Failure> {
    let inputs = Inputs::default().and("BEFORE", [&args.before]).and("AFTER", [&args.after]);
    let inputs = inputs.and("--guardrails", &args.guardrails);
    let inputs = inputs.store(&args.settings, args.store.as_ref());
    let files = report_files(args.output.as_deref(), &args.reports, &inputs)?;
    let guardrails = guardrails(args)?;
    let [(before, before_name), (after, after_name)] = [side(&args.before, args)?, side(&args.after, args)?];
    let changed = difference(&before, &after, args.resampling())
        .map_err(|reason| refused(&reason, &before_name, &after_name))?;
    if args.enforce && guardrails.is_empty() {
        refuse_without_pass_rule(&changed)?;
    }
    let guarded = guarded(&guardrails, &changed);
    let text = pretty(&changed.document(&guarded, [&before_name, &after_name]));
    let shown_as = Shown { difference: &changed, guarded: &guarded, files: [&*before_name, &*after_name] };
    let incomplete = incomplete(args, &changed, &guarded);
    let (page, tests) = (page::page(&shown_as), page::test_cases(&shown_as, ALPHA, incomplete.as_deref()));
    write_reports(&files, &Finished { page: &page, tests: &tests, json: &text })?;
    if args.json {
        terminal::deliver(&text)?;
    } else {
        terminal::deliver(&shown(&shown_as))?;
    }
    if !args.quiet {
        changed.warnings.iter().for_each(|warning| terminal::note(&format!("warning: {warning}")));
    }
    match incomplete {
        _ if !args.enforce => Ok(Exit::Done),
        Some(reason) => {
            terminal::note(&format!("incomplete: {reason}; complete the runs, then compare again"));
            Ok(Exit::Incomplete)
        }
        None => Ok(enforced(&changed, &guarded)),
    }
}

/// The limits in the file that a flag or the settings name.
fn guardrails(args: &DiffArgs) -> Result<Vec<Guardrail>, Failure> {
    let set = settings::guardrails(&args.settings)?;
    let Some(path) = args.guardrails.clone().or(set) else { return Ok(Vec::new()) };
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("{shown}: cannot be read: {error}")))?;
    read_guardrails(&text).map_err(|found| Failure::usage(problems(&shown, &text, &found).join("\n")))
}

/// One side with its name. A file comes first: it is what a path names everywhere else.
fn side(path: &Path, args: &DiffArgs) -> Result<(RunResults, String), Failure> {
    let name = path.display().to_string();
    let past = Past::open(&args.settings, args.store.as_ref());
    if path.exists() || !Past::is_name(&name) {
        let mut results = read_results(path, &name)?;
        // A store that cannot be read knows of no standing. The figures are there all the same.
        if let Ok(standing) = past.and_then(|past| past.standing(&results)) {
            results.standing = standing;
        }
        return Ok((results, name));
    }
    let past = past?;
    let record = past.named(&name, |record| record.manifest.name.starts_with("run "))?;
    Ok((past.results(record)?, format!("run {}", record.run)))
}

/// The results in a file, which people know as `shown`.
pub(in crate::commands) fn read_results(path: &Path, shown: &str) -> Result<RunResults, Failure> {
    let text =
        std::fs::read(path).map_err(|error| Failure::usage(format!("{shown}: cannot be read: {error}")))?;
    let text = String::from_utf8(text)
        .map_err(|_| Failure::usage(format!("{shown}: not a results file: it is not UTF-8 text")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    RunResults::read(text).map_err(|error| {
        let failure = Failure::usage(format!("{shown}: {error}"));
        match error {
            ReadError::Malformed { .. } => {
                failure.hint("expected a file that `probity run CASES --output FILE` wrote")
            }
            ReadError::Row { .. } | ReadError::Incomplete { .. } => failure.hint(
                "the file was edited or cut; `probity run CASES --offline --output FILE` writes it again \
                 from the store, without a call",
            ),
        }
    })
}

fn refused(reason: &Incomparable, before: &str, after: &str) -> Failure {
    let failure = Failure::usage(format!("{before} and {after}: {reason}"));
    match reason {
        Incomparable::OtherRubric { .. } => failure.hint(
            "levels mean what their rubric says: score both by one rubric; `probity rubric diff` shows what moved",
        ),
        Incomparable::NothingInCommon { .. } => failure.hint("cases are paired by `id`"),
        Incomparable::WhichVariant { .. } => failure.hint("run each variant by itself, or name variants alike"),
        Incomparable::Twice { .. } => failure,
    }
}

fn refuse_without_pass_rule(changed: &Difference<'_>) -> Result<(), Failure> {
    let decided = |row: &ResultRow| row.outcome == RowOutcome::Scored;
    let scores_only = changed.before.results.iter().chain(&changed.after.results).any(decided);
    if !scores_only {
        return Ok(());
    }
    let rubric = &changed.before.summary.rubric.name;
    Err(Failure::usage(format!("--enforce: the rubric {rubric} has no pass rule, so no pass rate can fall"))
        .hint("give the rubric weights and [pass], or say with --guardrails what must not get worse"))
}

/// Why nothing can be said about the runs, where it cannot.
fn incomplete(args: &DiffArgs, changed: &Difference<'_>, guarded: &[Guarded]) -> Option<String> {
    let coverage = changed.coverage().unwrap_or(0.0);
    let is_unrated = args.enforce && guarded.is_empty() && changed.overall.pass.is_none();
    (coverage < args.min_coverage || is_unrated).then(|| {
        format!(
            "{:.1} % of the first run's replies have an outcome in both runs, {:.1} % are wanted",
            100.0 * coverage,
            100.0 * args.min_coverage
        )
    })
}

/// The exit code, and the words that go with it.
fn enforced(changed: &Difference<'_>, guarded: &[Guarded]) -> Exit {
    if let Some(Advisory { run, reason }) = changed.advisory() {
        terminal::note(&no_standing(&format!("advisory in the {run} run ({reason})")));
        return Exit::No;
    }
    let fell = changed.overall.pass.and_then(|pass| Some((pass, pass.fell.filter(|p| *p <= ALPHA)?)));
    if let Some((pass, p)) = fell {
        terminal::note(&format!(
            "FAILED: the pass rate fell by {:.1} points (one-sided exact test, p {p:.4})",
            -100.0 * pass.change.value
        ));
    }
    let broken: Vec<String> = guarded.iter().filter(|one| one.fails()).map(Guarded::message).collect();
    if !broken.is_empty() {
        let n = guarded.len();
        terminal::note(&format!("FAILED: {} of {n} guardrails failed: {}", broken.len(), broken.join("; ")));
    }
    if fell.is_none() && broken.is_empty() { Exit::Done } else { Exit::No }
}
