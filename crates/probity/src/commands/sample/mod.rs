//! `probity sample`: draws the replies that people and a judge look at.
//!
//! The export is read twice: once to draw, once to write what was drawn. The draw is recorded before it is
//! written, because a draw that is made again gives the same sample, and one that is not recorded could show up
//! in two weeks.

mod estimate;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::SystemTime;

use probity_core::case::{Entry, Moment};
use probity_core::label::LabelFrame;
use probity_core::promote::Contract;
use probity_core::sample::{
    Design, Drawn, Frame, History, NO_SLICE, SliceLacks, Spread, TooSmall, reply_name,
};
use probity_engine::input::{Dataset, Record, Skipped};
use probity_engine::ledger::StoredLabel;
use serde_json::{Value, json};

use super::outlet::{tried, write_output};
use super::session::open_for_writing;
use crate::args::{DrawArgs, SampleArgs, SampleCommand};
use crate::exit::{Exit, Failure};
use crate::render::report::document::SKIPPED_MAX;
use crate::render::report::pretty;
use crate::render::sampling::{self, DrawShown};
use crate::settings::inputs::Inputs;
use crate::terminal::Ink;
use crate::{settings, terminal};

/// Where the store keeps the record of draws.
const HISTORY: &str = "samples";

/// Runs the command.
pub(crate) fn sample(args: &SampleArgs) -> Result<Exit, Failure> {
    match &args.command {
        Some(SampleCommand::Estimate(args)) => estimate::estimate(args),
        None => draw(&args.draw),
    }
}

fn draw(args: &DrawArgs) -> Result<Exit, Failure> {
    let note = |line: &str| args.say.note(line);
    let mut design = args.design(this_week)?;
    let contract = args.contract.as_deref().map(|path| settings::contract(path, &note)).transpose()?;
    let path = settings::store_of(&args.store)?;
    let inputs = Inputs::default().and("FILE", &args.files).store(&args.store);
    tried(args.output.as_deref(), &[], &inputs)?;
    let dataset = Dataset::open(&args.files, settings::records(&args.store.settings, &args.records)?)?;
    dataset.notices().iter().for_each(|notice| note(notice));
    let store = open_for_writing(&path, &note)?;
    if let Some(contract) = &contract {
        design.spread = Spread::Lacking(lacks(contract, store.reader()?.labels()?));
    }
    let kept = store.noted(HISTORY)?;
    let history = History::read(kept.as_deref()).map_err(|error| Failure::new(Exit::Store, &error))?;
    let earlier = history.earlier(&design.name, args.again());
    let kept_max = if args.say.json { usize::MAX } else { SKIPPED_MAX };
    let (drawn, skipped) = drawn(&dataset, design, &earlier, kept_max)?;
    if drawn.chosen.is_empty() {
        return Err(nothing_left(&drawn, &skipped));
    }
    let (names, rows) = rows(&dataset, &drawn)?;
    let history = history.with(&drawn, names, args.again()).map_err(|taken| {
        Failure::new(Exit::Usage, &taken)
            .hint("give this draw another --name, or replace that one with --again")
    })?;
    let text = history.to_text();
    if kept.as_deref() != Some(text.as_str()) {
        store.note(HISTORY, &text)?;
    }
    store.close()?;
    deliver(args, &drawn, &rows, &skipped)?;
    Ok(Exit::Done)
}

/// How many labels the contract lacks in each slice. Labels of the store that name no slice count in none.
fn lacks(contract: &Contract, labels: Vec<StoredLabel>) -> SliceLacks {
    let mut labelled: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for StoredLabel { label, .. } in labels {
        let item = LabelFrame::key(&label.item, &label.facts);
        labelled.entry(label.facts.slice.unwrap_or_default()).or_default().insert(item);
    }
    let rows_min = |slice: &str| contract.slice(slice).rows_min.unwrap_or(0);
    let n_labelled = |slice: &str| labelled.get(slice).map_or(0, |items| items.len() as u64);
    let names = contract.slices.keys().chain(labelled.keys());
    let slices = names.map(|name| (name.clone(), rows_min(name).saturating_sub(n_labelled(name))));
    SliceLacks { each: contract.every_slice.rows_min.unwrap_or(0), slices: slices.collect() }
}

/// The week it is, in UTC.
fn this_week() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_secs()).ok().and_then(Moment::from_seconds);
    now.or_else(|| Moment::from_seconds(0)).expect("1970 has years of four digits").iso_week()
}

/// Records that cannot be used. An export may have millions of them, so only the first are kept, unless all are asked
/// for.
#[derive(Default)]
struct Unusable {
    n: u64,
    kept: Vec<Skipped>,
}

/// Draws from what can be used and was not drawn earlier.
fn drawn(
    dataset: &Dataset,
    design: Design,
    earlier: &HashSet<&str>,
    kept_max: usize,
) -> Result<(Drawn, Unusable), Failure> {
    let (mut frame, mut skipped) = (Frame::new(design), Unusable::default());
    for record in dataset.records()? {
        match record? {
            Record::Skipped(record) | Record::Unanswered { skipped: record, .. } => {
                skipped.n += 1;
                skipped.kept.extend((skipped.kept.len() < kept_max).then_some(record));
            }
            Record::Entry { place, entry, .. } if !earlier.contains(reply_name(&entry).as_str()) => {
                frame.add(place.index, &entry);
            }
            Record::Entry { entry, .. } => frame.leave_out(&entry),
        }
    }
    let drawn = frame.draw().map_err(|error: TooSmall| {
        let hint = format!("draw at least {} with --size, or ask for fewer in a slice", error.needed);
        Failure::new(Exit::Usage, &error).hint(hint)
    })?;
    Ok((drawn, skipped))
}

/// Why there is nothing to draw.
fn nothing_left(drawn: &Drawn, skipped: &Unusable) -> Failure {
    match (drawn.counts.n_earlier, skipped.kept.first()) {
        (0, Some(first)) => {
            let (n, reason) = (skipped.n, &first.reason);
            let place = format!("{}:{}", first.file, first.line);
            Failure::usage(format!(
                "none of the {n} records can be used; the first one, at {place}: {reason}"
            ))
        }
        (n, _) => Failure::usage(format!("all {n} replies were drawn earlier"))
            .hint("draw from another export, or draw what was drawn already with --again"),
    }
}

/// The names of what was drawn and its rows, both in the order in which it is to be looked at.
fn rows(dataset: &Dataset, drawn: &Drawn) -> Result<(Vec<String>, Vec<String>), Failure> {
    let mut found: Vec<(u64, String, String)> = Vec::new();
    for record in dataset.records()? {
        let Record::Entry { place, entry, .. } = record? else { continue };
        if let Some(chosen) = drawn.chosen.get(&place.index) {
            let entry: &Entry = &entry;
            found.push((chosen.lot, reply_name(entry), drawn.row(entry, *chosen)));
        }
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, name, row)| (name, row)).unzip())
}

fn deliver(args: &DrawArgs, drawn: &Drawn, rows: &[String], skipped: &Unusable) -> Result<(), Failure> {
    let lines: String = rows.iter().flat_map(|row| [row.as_str(), "\n"]).collect();
    write_output(args.output.as_deref(), &lines)?;
    let mut warnings = sampling::warnings(drawn);
    if let Some(key) = &args.records.slice_attribute
        && drawn.strata.iter().all(|stratum| stratum.name == NO_SLICE)
    {
        warnings.push(format!("no record has a slice, and no span an attribute called {key}"));
    }
    if args.say.json {
        let mut json = drawn.to_json();
        json["warnings"] = warnings.into();
        json["skipped"] = json!(skipped.kept);
        if args.output.is_none() {
            let row = |row: &String| serde_json::from_str::<Value>(row).expect("rows are JSON");
            json["sample"] = rows.iter().map(row).collect();
        }
        return terminal::deliver(&pretty(&json));
    }
    if args.output.is_none() {
        terminal::deliver(&lines)?;
    }
    if !args.say.quiet {
        let output = args.output.as_ref().map(|path| path.display().to_string());
        let (output, n_skipped) = (output.as_deref(), skipped.n);
        let shown = DrawShown { drawn, warnings: &warnings, output, skipped: &skipped.kept, n_skipped };
        terminal::note(&sampling::draw(&shown).text_in(Ink::Plain));
    }
    Ok(())
}
