//! `probity calibrate`: how far a judge says what people say, from files or by a judge that is asked.

mod args;
mod command;
pub(crate) mod live;

use std::path::Path;

use probity_core::calibrate::{
    Faults, InputFile, JoinOptions, LabelEntry, SharedNames, Sheet, VerdictEntry, calibration, sheet,
};
use probity_core::compare::ItemRow;
use probity_engine::load::{Place, Skipped};
use serde_json::Value;

pub(crate) use args::{CalibrateArgs, default_counting, share};
pub(in crate::commands) use command::ended;

use super::compare::{Files, load_options, pretty, skipped_json};
use super::session::{report_files, write_reports};
use crate::args::ReadArgs;
use crate::exit::{Exit, Failure};
use crate::render::calibration::{Shown, calibration as shown};
use crate::render::report::{Finished, ReportFile, calibration as report};
use crate::terminal;

/// So many faults are shown at once.
const FAULTS_SHOWN_MAX: usize = 5;

/// Runs the command.
pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<Exit, Failure> {
    if !args.files.is_empty() {
        return command::command(args);
    }
    refuse_idle(args)?;
    let note = |line: &str| {
        if !args.reading.quiet && !args.reading.json {
            terminal::note(line);
        }
    };
    let places = report_files(args.output.as_deref(), &args.reports, &args.inputs())?;
    let path = args.labels.as_ref().ok_or_else(|| Failure::usage("expected --labels and a file"))?;
    let files = RowFiles {
        labels: path,
        verdicts: args.verdicts.as_deref(),
        items: args.items.as_deref(),
        reading: &args.reading,
    };
    let Joined { sheet, skipped, .. } = joined(&files, args.join_options()?, &note)?;
    sheet.notices().iter().for_each(|notice| note(notice));
    let figures = calibration(&sheet, args.counting());
    let mut json = figures.to_json();
    json["notices"] = sheet.notices().into();
    json["skipped"] = skipped.iter().map(skipped_json).collect();
    let file = path.display().to_string();
    let notices = sheet.notices();
    let page = report::Shown { calibration: &figures, file: &file, asked: None, notices };
    if !written(args, &places, &page, &json)? {
        terminal::print(&shown(&Shown { calibration: &figures, file: &file, skipped: &skipped }));
    }
    Ok(Exit::Done)
}

/// Writes everything to where it was asked for, and says whether that was standard output too.
fn written(
    args: &CalibrateArgs,
    places: &[ReportFile],
    page: &report::Shown<'_>,
    json: &Value,
) -> Result<bool, Failure> {
    let text = pretty(json);
    if !places.is_empty() {
        let (page, tests) = (report::page(page), report::test_cases(page));
        write_reports(places, &Finished { page: &page, tests: &tests, json: &text })?;
    }
    if args.reading.json {
        terminal::deliver(&text)?;
    }
    Ok(args.reading.json)
}

/// A flag about a judge would be believed to have done something where none is asked.
fn refuse_idle(args: &CalibrateArgs) -> Result<(), Failure> {
    let (judge, calls, reading) = (&args.judge, &args.calls, &args.reading);
    let idle = [
        ("--judge", judge.judge.is_some()),
        ("--model", judge.model.is_some()),
        ("--base-url", judge.base_url.is_some()),
        ("--rubric", judge.rubric.is_some()),
        ("--template", judge.template.is_some()),
        ("--structured", judge.structured.is_some()),
        ("--store", judge.store.is_some()),
        ("--concurrency", calls.concurrency.is_some()),
        ("--offline", calls.offline),
        ("--max-calls", calls.max_calls.is_some()),
        ("--budget-usd", calls.budget_usd.is_some()),
        ("--min-coverage", calls.min_coverage.is_some()),
        ("--retry-unscored", calls.retry_unscored),
        ("--policies", !reading.policies.is_empty()),
        ("--as-of", reading.as_of.is_some()),
        ("--config", reading.settings.config.is_some()),
        ("--dedup", reading.dedup.is_some()),
    ];
    match idle.iter().find(|(_, is_idle)| *is_idle) {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::usage(format!("{flag} means nothing where nobody is asked"))
            .hint("name the labelled cases to have a judge asked about them")),
    }
}

/// Files of labels and verdicts.
pub(in crate::commands) struct RowFiles<'a> {
    /// What people said.
    pub(in crate::commands) labels: &'a Path,
    /// What judges said about the same items.
    pub(in crate::commands) verdicts: Option<&'a Path>,
    /// What else is known about the items.
    pub(in crate::commands) items: Option<&'a Path>,
    /// How they are read.
    pub(in crate::commands) reading: &'a ReadArgs,
}

/// Labels and verdicts side by side.
pub(in crate::commands) struct Joined {
    /// One unit per item and criterion.
    pub(in crate::commands) sheet: Sheet,
    /// The rows of verdicts.
    pub(in crate::commands) verdicts: Vec<VerdictEntry>,
    /// Rows that cannot be used.
    pub(in crate::commands) skipped: Vec<Skipped>,
}

/// Reads the files and joins what they say.
pub(in crate::commands) fn joined(
    paths: &RowFiles<'_>,
    options: JoinOptions,
    note: &dyn Fn(&str),
) -> Result<Joined, Failure> {
    let load = load_options(paths.reading.strict, paths.reading.delimiter.as_deref())?;
    let mut files = Files::new(load, note);
    let labels = files.rows(paths.labels, LabelEntry::FIELDS, LabelEntry::read)?;
    refuse_skipped(&files.skipped)?;
    let (label_places, labels): (Vec<Place>, Vec<LabelEntry>) = labels.into_iter().unzip();
    let verdicts = match paths.verdicts {
        Some(path) => files.rows(path, VerdictEntry::FIELDS, VerdictEntry::read)?,
        None => Vec::new(),
    };
    let (verdict_places, verdicts): (Vec<Place>, Vec<VerdictEntry>) = verdicts.into_iter().unzip();
    let items = match paths.items {
        Some(path) => files.rows(path, ItemRow::FIELDS, ItemRow::read)?,
        None => Vec::new(),
    };
    let items: Vec<ItemRow> = items.into_iter().map(|(_, row)| row).collect();
    let alone = paths.verdicts.is_none();
    let shared_names = if alone { SharedNames::Apart } else { SharedNames::Refuse };
    let options = JoinOptions { shared_names, ..options };
    let sheet = sheet(&labels, &verdicts, &items, options).map_err(|faults| {
        let places = if faults.file == InputFile::Labels { &label_places } else { &verdict_places };
        refused(&faults, places)
    })?;
    Ok(Joined { sheet, verdicts, skipped: files.skipped })
}

/// A label that cannot be read is not left out: that would change every figure.
pub(super) fn refuse_skipped(skipped: &[Skipped]) -> Result<(), Failure> {
    let line = |row: &Skipped| format!("{}:{}: record {}: {}", row.file, row.line, row.index, row.reason);
    let lines: Vec<String> = skipped.iter().map(line).collect();
    if lines.is_empty() { Ok(()) } else { Err(all_faults(&lines)) }
}

/// What is wrong with rows, each with its place.
pub(super) fn refused(faults: &Faults, places: &[Place]) -> Failure {
    let line = |(row, first, reason): &(usize, Option<usize>, String)| {
        let Some(place) = places.get(*row) else { return reason.clone() };
        let first = first.and_then(|first| places.get(first));
        let first = first.map(|first| format!(", like record {} at line {}", first.index, first.line));
        format!("{}:{}: record {} {reason}{}", place.file, place.line, place.index, first.unwrap_or_default())
    };
    all_faults(&faults.rows.iter().map(line).collect::<Vec<_>>())
}

/// The first faults, and how many more there are.
pub(super) fn all_faults(lines: &[String]) -> Failure {
    let mut message = lines[..lines.len().min(FAULTS_SHOWN_MAX)].join("\n  ");
    if lines.len() > FAULTS_SHOWN_MAX {
        message += &format!("\n  and {} more", lines.len() - FAULTS_SHOWN_MAX);
    }
    Failure::usage(message)
}
