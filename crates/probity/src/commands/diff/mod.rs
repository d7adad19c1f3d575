//! `probity diff`: what changed between two runs of the store, or between the results that runs wrote.

mod args;

use std::path::Path;

use probity_core::diff::{Difference, Incomparable, ReadError, RunResults, difference, read};

pub(crate) use args::DiffArgs;

use super::compare::write_output;
use super::inputs::Inputs;
use super::report::past::Past;
use super::run::no_standing;
use super::session::report_files;
use crate::exit::{Exit, Failure};
use crate::render::difference::{Shown, difference as shown};
use crate::terminal;

/// The level of the test behind `--enforce`.
const ALPHA: f64 = 0.05;

/// Runs the command.
pub(crate) fn diff(args: &DiffArgs) -> Result<Exit, Failure> {
    let inputs = Inputs::default().and("BEFORE", [&args.before]).and("AFTER", [&args.after]);
    let inputs = inputs.store(&args.settings, args.store.as_ref());
    report_files(args.output.as_deref(), &[], &inputs)?;
    let [(before, before_name), (after, after_name)] = [side(&args.before, args)?, side(&args.after, args)?];
    let changed = difference(&before, &after, args.resampling())
        .map_err(|reason| refused(&reason, &before_name, &after_name))?;
    if args.enforce {
        refuse_without_pass_rule(&changed)?;
    }
    let mut json = changed.to_json();
    json["before"]["file"] = before_name.clone().into();
    json["after"]["file"] = after_name.clone().into();
    let text = serde_json::to_string_pretty(&json).expect("JSON values can be written") + "\n";
    write_output(args.output.as_deref(), &text)?;
    if args.json {
        terminal::deliver(&text)?;
    } else {
        let files = [&*before_name, &*after_name];
        terminal::deliver(&shown(&Shown { difference: &changed, files }))?;
    }
    if !args.quiet {
        changed.warnings.iter().for_each(|warning| terminal::note(&format!("warning: {warning}")));
    }
    Ok(if args.enforce { enforced(args, &changed) } else { Exit::Done })
}

/// One side with its name. A file comes first: it is what a path names everywhere else.
fn side(path: &Path, args: &DiffArgs) -> Result<(RunResults, String), Failure> {
    let name = path.display().to_string();
    if path.exists() || !Past::is_name(&name) {
        return Ok((read_results(path, &name)?, name));
    }
    let past = Past::open(&args.settings, args.store.as_ref())?;
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
    read(text).map_err(|error| {
        let failure = Failure::usage(format!("{shown}: {error}"));
        match error {
            ReadError::NotJson { .. } | ReadError::SomethingElse { .. } => {
                failure.hint("expected a file that `probity run CASES --output FILE` wrote")
            }
            ReadError::Summary { .. } | ReadError::Row { .. } | ReadError::Incomplete { .. } => failure.hint(
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
    let decided = |row: &probity_core::diff::Row| row.outcome.name() == "scored";
    let scores_only = changed.before.rows.iter().chain(&changed.after.rows).any(decided);
    if !scores_only {
        return Ok(());
    }
    let rubric = &changed.before.definition.rubric;
    Err(Failure::usage(format!("--enforce: the rubric {rubric} has no pass rule, so no pass rate can fall"))
        .hint("give the rubric weights and [pass], or leave --enforce out"))
}

/// The exit code, and the words that go with it.
fn enforced(args: &DiffArgs, changed: &Difference<'_>) -> Exit {
    let coverage = changed.coverage().unwrap_or(0.0);
    let Some(pass) = changed.overall.pass.filter(|_| coverage >= args.min_coverage) else {
        terminal::note(&format!(
            "incomplete: {:.1} % of the first run's replies pass or fail in both runs, {:.1} % are wanted; \
             complete the runs, then compare again",
            100.0 * coverage,
            100.0 * args.min_coverage
        ));
        return Exit::Incomplete;
    };
    let runs = [("first", changed.before), ("second", changed.after)];
    let advisory = runs.map(|(which, run)| Some((which, run.definition.advisory()?)));
    if let Some((which, reason)) = advisory.into_iter().flatten().next() {
        terminal::note(&no_standing(&format!("advisory in the {which} run ({reason})")));
        return Exit::No;
    }
    match pass.fell {
        Some(p) if p <= ALPHA => {
            terminal::note(&format!(
                "the answer is no: the pass rate fell by {:.1} points (one-sided exact test, p {p:.4})",
                -100.0 * pass.change.value
            ));
            Exit::No
        }
        _ => Exit::Done,
    }
}
