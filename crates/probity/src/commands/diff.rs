//! `probity diff`: what changed between two runs of the store, or between the results that runs wrote.

use std::path::Path;

use probity_core::diff::{
    Advisory, Difference, Guarded, Guardrail, Incomparable, difference, guarded, read_guardrails,
};
use probity_core::results::{ReadError, ResultRow, RowOutcome, RunResults};

use super::outlet::Outlet;
use super::report::past::Past;
use super::run::no_standing;
use super::session::Ended;
use crate::args::DiffArgs;
use crate::exit::{Exit, Failure};
use crate::render::difference::{DifferenceShown, document};
use crate::render::problem::read_file;
use crate::runs::FALL_ALPHA;
use crate::settings;
use crate::settings::inputs::Inputs;

/// Runs the command.
pub(crate) fn diff(args: &DiffArgs) -> Result<Exit, Failure> {
    let inputs = Inputs::default().and("BEFORE", [&args.before]).and("AFTER", [&args.after]);
    let inputs = inputs.and("--guardrails", &args.guardrails).store(&args.store);
    let outlet = Outlet::new(&args.output, &args.say, &inputs)?;
    let guardrails = guardrails(args)?;
    let [(before, before_name), (after, after_name)] = [side(&args.before, args)?, side(&args.after, args)?];
    let changed = difference(&before, &after, args.resampling.resampling())
        .map_err(|reason| refused(&reason, &before_name, &after_name))?;
    if args.enforce && guardrails.is_empty() {
        refuse_without_pass_rule(&changed)?;
    }
    let guarded = guarded(&guardrails, &changed);
    let incomplete = incomplete(args, &changed, &guarded);
    let ended = match &incomplete {
        _ if !args.enforce => Ended::done(),
        Some(reason) => Ended::with(
            Exit::Incomplete,
            format!("incomplete: {reason}; complete the runs, then compare again"),
        ),
        None => enforced(&changed, &guarded),
    };
    let document = document(&DifferenceShown {
        difference: &changed,
        guarded: &guarded,
        files: [&before_name, &after_name],
        alpha: FALL_ALPHA,
        incomplete: incomplete.as_deref(),
    });
    outlet.end(&document, ended)
}

/// The limits in the file that a flag or the settings name.
fn guardrails(args: &DiffArgs) -> Result<Vec<Guardrail>, Failure> {
    let set = settings::guardrails(&args.store.settings)?;
    let Some(path) = args.guardrails.clone().or(set) else { return Ok(Vec::new()) };
    Ok(read_file(&path, "", read_guardrails)?.0)
}

/// One side with its name. A file comes first: it is what a path names everywhere else.
fn side(path: &Path, args: &DiffArgs) -> Result<(RunResults, String), Failure> {
    let name = path.display().to_string();
    let past = Past::open(&args.store);
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
    read_results_text(std::fs::read(path).map_err(|error| Failure::unreadable(shown, &error))?, shown)
}

/// The results in the text of a file or of a run.
pub(in crate::commands) fn read_results_text(text: Vec<u8>, shown: &str) -> Result<RunResults, Failure> {
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
            "only {:.1} % of the first run's replies have an outcome in both runs (required: {:.1} %)",
            100.0 * coverage,
            100.0 * args.min_coverage
        )
    })
}

/// The exit code, and the words that go with it.
fn enforced(changed: &Difference<'_>, guarded: &[Guarded]) -> Ended {
    if let Some(Advisory { run, reason }) = changed.advisory() {
        return no_standing(&format!("advisory in the {run} run ({reason})"));
    }
    let mut words = Vec::new();
    let fell = changed.overall.pass.and_then(|pass| Some((pass, pass.fell.filter(|p| *p <= FALL_ALPHA)?)));
    if let Some((pass, p)) = fell {
        words.push(format!(
            "FAILED: the pass rate fell by {:.1} points (one-sided exact test, p {p:.4})",
            -100.0 * pass.change.value
        ));
    }
    let broken: Vec<String> = guarded.iter().filter(|one| one.fails()).map(Guarded::message).collect();
    if !broken.is_empty() {
        let n = guarded.len();
        words.push(format!("FAILED: {} of {n} guardrails failed: {}", broken.len(), broken.join("; ")));
    }
    Ended { exit: if words.is_empty() { Exit::Done } else { Exit::No }, words }
}
