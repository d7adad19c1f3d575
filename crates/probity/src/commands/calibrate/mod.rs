//! `probity calibrate`: how far a judge says what people say, from files or by a judge that is asked.

mod command;
pub(super) mod live;

use std::path::Path;

use probity_core::calibrate::calibration;
use probity_core::label::{
    InputFile, ItemRow, JoinOptions, LabelEntry, SharedNames, Sheet, VerdictEntry, sheet,
};
use probity_engine::input::{Place, Skipped};
use serde_json::json;

use super::outlet::Outlet;
use super::rows::{Files, refuse_skipped, refused, row_options};
use super::session::Ended;
use crate::args::{AskArgs, CalibrateArgs, ReadArgs};
use crate::exit::{Exit, Failure};
use crate::render::calibration::CalibrationDocument;
use crate::settings::inputs::Inputs;

/// Runs the command.
pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<Exit, Failure> {
    if args.files.is_empty() {
        refuse_idle(args)?;
    }
    let inputs = Inputs::default().and("CASES", &args.files).and("--verdicts", &args.verdicts);
    let inputs = inputs.and("--labels", &args.labels).and("--items", &args.items).ask(&args.ask);
    let outlet = Outlet::new(&args.output, &args.ask.reading.say, &inputs)?;
    if args.files.is_empty() { from_files(args, &outlet) } else { command::command(args, &outlet) }
}

fn from_files(args: &CalibrateArgs, outlet: &Outlet<'_>) -> Result<Exit, Failure> {
    let note = |line: &str| args.ask.reading.say.note(line);
    let path = args.labels.as_ref().ok_or_else(|| Failure::usage("expected --labels and a file"))?;
    let files = RowFiles {
        labels: path,
        verdicts: args.verdicts.as_deref(),
        items: args.items.as_deref(),
        reading: &args.ask.reading,
    };
    let Joined { sheet, skipped, .. } = joined(&files, args.join_options()?, &note)?;
    sheet.notices().iter().for_each(|notice| note(notice));
    let figures = calibration(&sheet, args.counting());
    let mut json = figures.to_json();
    json["notices"] = sheet.notices().into();
    json["skipped"] = json!(skipped);
    let document = CalibrationDocument {
        calibration: &figures,
        file: &path.display().to_string(),
        skipped: &skipped,
        notices: sheet.notices(),
        asked: None,
        judge_text: String::new(),
        json,
    };
    outlet.end(&document, Ended::done())
}

/// A flag about a judge would be believed to have done something where none is asked.
fn refuse_idle(args: &CalibrateArgs) -> Result<(), Failure> {
    let AskArgs { judge, calls, reading } = &args.ask;
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
        ("--dry-run", calls.dry_run),
        ("--policies", !reading.policies.is_empty()),
        ("--as-of", reading.as_of.is_some()),
        ("--config", reading.settings.config.is_some()),
        ("--dedup", reading.records.dedup.is_some()),
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
    let records = &paths.reading.records;
    let load = row_options(records.strict, records.delimiter.as_deref())?;
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
