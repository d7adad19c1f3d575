//! `probity report --history`: how figures moved over the runs of the store, and who moved them.

use probity_core::report::{Anchor, AnchorRun, PastFigures, PastRun, anchor_runs, timeline};
use probity_engine::ledger::{RunOutcome, RunRecord};

use super::super::outlet::Outlet;
use super::super::session::Ended;
use super::past::Past;
use crate::args::ReportArgs;
use crate::exit::{Exit, Failure};
use crate::render::history::document;
use crate::render::report::ReportKind;
use crate::runs::list::files;
use crate::settings::inputs::Inputs;
use crate::terminal;

/// Runs the command.
pub(super) fn history(args: &ReportArgs, past: &Past) -> Result<Exit, Failure> {
    let outlet = outlet(args)?;
    let runs = remembered(&past.runs, past.outcomes()?);
    let runs: Vec<PastRun> = runs.into_iter().filter(|run| is_wanted(run, args)).collect();
    if let Some(rubric) = args.rubric.as_ref().filter(|_| runs.is_empty()) {
        return Err(Failure::usage(format!("no run in the store uses the rubric {rubric}"))
            .hint("expected a rubric's name or the beginning of its hash; `probity report` lists the runs"));
    }
    let is_anchor = anchor_runs(&runs, &args.anchors);
    refuse_unknown(args, &runs)?;
    let (looks, others): (Vec<_>, Vec<_>) = runs.into_iter().zip(is_anchor).partition(|(_, is)| *is);
    let looks: Vec<PastRun> = looks.into_iter().map(|(run, _)| run).collect();
    let others: Vec<PastRun> = others.into_iter().map(|(run, _)| run).collect();
    let bridge = |rubric: &str, judges: [&str; 2]| past.bridge(rubric, judges);
    let timeline = timeline(&others, &looks, &anchors(past, &looks, args)?, &bridge);
    outlet.end(&document(&timeline), Ended::done())
}

/// Where the timeline goes.
fn outlet(args: &ReportArgs) -> Result<Outlet<'_>, Failure> {
    let outlet = Outlet::new(&args.output, &args.say, &Inputs::default().store(&args.store))?;
    match outlet.files.iter().find(|place| place.kind == ReportKind::Junit) {
        None => Ok(outlet),
        Some(place) => Err(Failure::usage(format!(
            "--report {}: a history cannot be written as test results",
            place.path.display()
        ))
        .hint("expected a name that ends in .html, .md, .txt, .json or .slack.json")),
    }
}

/// The runs with what they came to.
pub(in crate::commands) fn remembered(records: &[RunRecord], outcomes: Vec<RunOutcome>) -> Vec<PastRun> {
    let run = |outcome: RunOutcome| {
        let record = records.iter().find(|record| record.run == outcome.run)?;
        Some(PastRun {
            run: number(record),
            at: outcome.at.parse().ok()?,
            figures: PastFigures::read(&outcome.command, &outcome.body)?,
            command: outcome.command,
            files: files(record),
        })
    };
    outcomes.into_iter().filter_map(run).collect()
}

fn number(record: &RunRecord) -> u64 {
    record.run.to_string().parse().expect("runs are numbered from 1")
}

fn is_wanted(run: &PastRun, args: &ReportArgs) -> bool {
    let Some(wanted) = &args.rubric else { return true };
    run.rubric().is_some_and(|rubric| rubric.name == *wanted || rubric.hash.starts_with(wanted))
}

/// A name that matches nothing is an error: its author would believe that it had an effect.
fn refuse_unknown(args: &ReportArgs, runs: &[PastRun]) -> Result<(), Failure> {
    let unknown = args.anchors.iter().find(|name| !runs.iter().any(|run| run.files == **name));
    match unknown {
        None => Ok(()),
        Some(name) => Err(Failure::usage(format!("--anchor {name}: no run in the store used this file"))
            .hint("expected the name as `probity report` lists it")),
    }
}

/// Every look at every anchor, read back from the store. A look whose files have changed since is left out.
fn anchors(past: &Past, looks: &[PastRun], args: &ReportArgs) -> Result<Vec<Anchor>, Failure> {
    let mut looks: Vec<&PastRun> = looks.iter().collect();
    looks.sort_by_key(|run| (run.at, run.run));
    let mut anchors: Vec<(String, Anchor)> = Vec::new();
    for run in looks {
        let record = past.named(&run.run.to_string(), |_| true)?;
        let results = match past.results(record) {
            Ok(results) => results,
            Err(failure) if failure.exit == Exit::Usage => {
                if !args.say.quiet {
                    terminal::note(&format!("anchor {} is not used: {}", run.files, failure.message));
                }
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let rubric = results.summary.rubric.hash.clone();
        let look = AnchorRun { run: run.run, at: run.at, results };
        match anchors.iter_mut().find(|(hash, anchor)| *hash == rubric && anchor.files == run.files) {
            Some((_, anchor)) => anchor.looks.push(look),
            None => anchors.push((rubric, Anchor { files: run.files.clone(), looks: vec![look] })),
        }
    }
    Ok(anchors.into_iter().map(|(_, anchor)| anchor).collect())
}
