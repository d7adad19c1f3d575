//! `probity calibrate`: how far a judge says what people say, from labels and verdicts on record.

mod args;

use probity_core::calibrate::{Faults, InputFile, LabelEntry, Sheet, VerdictEntry, calibration, sheet};
use probity_core::compare::ItemRow;
use probity_engine::load::{Place, Skipped};

pub(crate) use args::CalibrateArgs;

use super::compare::{Files, load_options, skipped_json, write_output};
use crate::exit::{Exit, Failure};
use crate::render::calibration::{Shown, calibration as shown};
use crate::terminal;

/// So many faults are shown at once.
const FAULTS_SHOWN_MAX: usize = 5;

/// Runs the command.
pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let note = |line: &str| {
        if !args.quiet && !args.json {
            terminal::note(line);
        }
    };
    let (sheet, skipped) = read(args, &note)?;
    sheet.notices().iter().for_each(|notice| note(notice));
    let figures = calibration(&sheet, args.counting());
    let mut json = figures.to_json();
    json["notices"] = sheet.notices().into();
    json["skipped"] = skipped.iter().map(skipped_json).collect();
    let text = serde_json::to_string_pretty(&json).expect("JSON values can be written") + "\n";
    write_output(args.output.as_deref(), &text)?;
    if args.json {
        terminal::print(&text);
    } else {
        let file = args.labels.display().to_string();
        terminal::print(&shown(&Shown { calibration: &figures, file: &file, skipped: &skipped }));
    }
    Ok(Exit::Done)
}

fn read(args: &CalibrateArgs, note: &dyn Fn(&str)) -> Result<(Sheet, Vec<Skipped>), Failure> {
    let options = load_options(args.strict, args.delimiter.as_deref())?;
    let mut files = Files::new(options, note);
    let labels = files.rows(&args.labels, LabelEntry::FIELDS, LabelEntry::read)?;
    refuse_skipped(&files.skipped)?;
    let (label_places, labels): (Vec<Place>, Vec<LabelEntry>) = labels.into_iter().unzip();
    let verdicts = match &args.verdicts {
        Some(path) => files.rows(path, VerdictEntry::FIELDS, VerdictEntry::read)?,
        None => Vec::new(),
    };
    let (verdict_places, verdicts): (Vec<Place>, Vec<VerdictEntry>) = verdicts.into_iter().unzip();
    let items = match &args.items {
        Some(path) => files.rows(path, ItemRow::FIELDS, ItemRow::read)?,
        None => Vec::new(),
    };
    let items: Vec<ItemRow> = items.into_iter().map(|(_, row)| row).collect();
    let joined = sheet(&labels, &verdicts, &items, args.join_options()?);
    let joined = joined.map_err(|faults| {
        let places = if faults.file == InputFile::Labels { &label_places } else { &verdict_places };
        refused(&faults, places)
    })?;
    Ok((joined, files.skipped))
}

/// A label that cannot be read is not left out: that would change every figure.
pub(super) fn refuse_skipped(skipped: &[Skipped]) -> Result<(), Failure> {
    let line = |row: &Skipped| format!("{}:{}: record {}: {}", row.file, row.line, row.index, row.reason);
    let lines: Vec<String> = skipped.iter().map(line).collect();
    if lines.is_empty() { Ok(()) } else { Err(all(&lines)) }
}

pub(super) fn refused(faults: &Faults, places: &[Place]) -> Failure {
    let line = |(row, first, reason): &(usize, Option<usize>, String)| {
        let Some(place) = places.get(*row) else { return reason.clone() };
        let first = first.and_then(|first| places.get(first));
        let first = first.map(|first| format!(", like record {} at line {}", first.index, first.line));
        format!("{}:{}: record {} {reason}{}", place.file, place.line, place.index, first.unwrap_or_default())
    };
    all(&faults.rows.iter().map(line).collect::<Vec<_>>())
}

fn all(lines: &[String]) -> Failure {
    let mut message = lines[..lines.len().min(FAULTS_SHOWN_MAX)].join("\n  ");
    if lines.len() > FAULTS_SHOWN_MAX {
        message += &format!("\n  and {} more", lines.len() - FAULTS_SHOWN_MAX);
    }
    Failure::usage(message)
}
