//! `probity import labels` and `probity export labels`: what people said, into the store and out of it.
//!
//! A label that is wrong is not left out: that would change every figure. So an import is whole or not at all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use probity_core::label::{JoinOptions, LabelEntry, SharedNames, digest, repeated, sheet};
use probity_engine::input::Place;
use probity_engine::ledger::{LabelImport, Store, StoreAddress, StoredLabel};
use serde_json::json;

use super::outlet::{deliver, tried, write_output};
use super::rows::{Files, all_faults, refuse_skipped, refused, row_options};
use super::session::open_for_writing;
use crate::args::{ExportLabelsArgs, ImportLabelsArgs, LabelFormat, scale};
use crate::exit::{Exit, Failure};
use crate::render::figure::counted;
use crate::render::labels as table;
use crate::settings::inputs::Inputs;
use crate::{settings, terminal};

/// Labels that were read, each once, with their places.
struct Given {
    places: Vec<Place>,
    labels: Vec<LabelEntry>,
    /// Rows that say word for word what an earlier one says.
    n_repeated: u64,
}

/// Runs `probity import labels`.
pub(crate) fn import(args: &ImportLabelsArgs) -> Result<Exit, Failure> {
    let note = |line: &str| args.say.note(line);
    let given = read(args, &note)?;
    check(args, &given)?;
    let path = settings::store_of(&args.store)?;
    let store = open_for_writing(&path, &note)?;
    let import = store.import_labels(&given.labels)?;
    refuse_conflicts(&import, &given)?;
    let kept = store.reader().and_then(|reader| reader.labels())?;
    store.close()?;
    for line in notices(&kept) {
        note(&line);
    }
    let kept: Vec<LabelEntry> = kept.into_iter().map(|stored| stored.label).collect();
    let (n_known, n_repeated, n_kept) = (import.n_known, given.n_repeated, kept.len());
    let shown = path.to_string();
    let json = json!({
        "added": import.n_added,
        "already_there": n_known,
        "repeated": n_repeated,
        "labels": n_kept,
        "digest": digest(&kept),
        "store": shown,
    });
    deliver(&args.say, &json, || {
        let repeated = match n_repeated {
            0 => String::new(),
            n => format!(", {} repeated", counted(n, "row")),
        };
        let added = counted(import.n_added, "label");
        format!("{added} added, {n_known} already there{repeated}; {shown} now has {n_kept}\n")
    })?;
    Ok(Exit::Done)
}

fn read(args: &ImportLabelsArgs, note: &dyn Fn(&str)) -> Result<Given, Failure> {
    let mut options = row_options(false, args.delimiter.as_deref())?;
    options.map = settings::field_map(&args.store.settings, &args.map)?;
    let mut files = Files::new(options, note);
    let mut given = Given { places: Vec::new(), labels: Vec::new(), n_repeated: 0 };
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for path in &args.files {
        for (place, label) in files.labels(path)? {
            if seen.insert(label.canonical()) {
                given.places.push(place);
                given.labels.push(label);
            } else {
                given.n_repeated += 1;
            }
        }
    }
    refuse_skipped(&files.skipped)?;
    if given.n_repeated > 0 {
        note(&repeated(given.n_repeated));
    }
    Ok(given)
}

/// Holds labels to what calibration will ask of them: one scale for what was asked, one label by one person.
fn check(args: &ImportLabelsArgs, given: &Given) -> Result<(), Failure> {
    let declared = scale(&args.values)?;
    let mut asked: BTreeMap<(Option<&String>, bool), Vec<usize>> = BTreeMap::new();
    for (place, label) in given.labels.iter().enumerate().filter(|(_, label)| label.label.is_some()) {
        asked.entry((label.criterion.as_ref(), label.facts.variants.is_some())).or_default().push(place);
    }
    for rows in asked.values() {
        let labels: Vec<LabelEntry> = rows.iter().map(|row| given.labels[*row].clone()).collect();
        let places: Vec<Place> = rows.iter().map(|row| given.places[*row].clone()).collect();
        let shared_names = SharedNames::Apart;
        let options = JoinOptions { scale: declared.clone(), shared_names, ..JoinOptions::default() };
        sheet(&labels, &[], &[], options).map_err(|faults| refused(&faults, &places))?;
    }
    Ok(())
}

fn refuse_conflicts(import: &LabelImport, given: &Given) -> Result<(), Failure> {
    if import.conflicts.is_empty() {
        return Ok(());
    }
    let line = |conflict: &probity_engine::ledger::LabelConflict| {
        let (place, label) = (&given.places[conflict.place], &given.labels[conflict.place]);
        let by = label.annotator.as_ref().map(|name| format!(" by '{name}'")).unwrap_or_default();
        format!(
            "{}:{}: record {} is about item '{}'{by} in round {} and says {}, and the store has {}",
            place.file,
            place.line,
            place.index,
            label.item,
            label.round,
            label.canonical(),
            conflict.kept
        )
    };
    let lines: Vec<String> = import.conflicts.iter().map(line).collect();
    Err(all_faults(&lines).hint(
        "nothing was imported; if the same person labelled it again, give the later label its own `round`",
    ))
}

/// What is odd about the labels that the store holds.
fn notices(kept: &[StoredLabel]) -> Vec<String> {
    let names: BTreeSet<&str> = kept.iter().filter_map(|stored| stored.label.annotator.as_deref()).collect();
    let mut by_case: HashMap<String, &str> = HashMap::new();
    let mut lines = Vec::new();
    for name in names {
        if let Some(other) = by_case.insert(name.to_lowercase(), name) {
            lines.push(format!("annotators '{other}' and '{name}' differ in case only and count as two"));
        }
    }
    let n_unnamed = kept.iter().filter(|stored| stored.label.annotator.is_none()).count();
    if n_unnamed > 0 {
        lines.push(format!(
            "{} without an `annotator`: counted as one unnamed person",
            counted(n_unnamed, "label")
        ));
    }
    lines
}

/// Runs `probity export labels`.
pub(crate) fn export(args: &ExportLabelsArgs) -> Result<Exit, Failure> {
    let format = format(args)?;
    tried(args.output.as_deref(), &[], &Inputs::default().store(&args.store))?;
    let path = settings::store_of(&args.store)?;
    let kept = kept(&path)?;
    let labels: Vec<LabelEntry> = kept.into_iter().map(|stored| stored.label).collect();
    let rows = labels.iter().map(|label| (label, None));
    let reader = if args.raw_csv { table::TableReader::Program } else { table::TableReader::Spreadsheet };
    let text = match format {
        LabelFormat::Csv => table::csv(rows, reader),
        LabelFormat::Jsonl => table::jsonl(rows),
    };
    match args.output.as_deref() {
        Some(output) => {
            write_output(Some(output), &text)?;
            terminal::note(&format!("{} written to {}", counted(labels.len(), "label"), output.display()));
        }
        None => terminal::deliver(&text)?,
    }
    Ok(Exit::Done)
}

/// The labels of a store that is there and is not changed.
pub(super) fn kept(path: &StoreAddress) -> Result<Vec<StoredLabel>, Failure> {
    if !path.may_exist() {
        return Err(Failure::usage(format!("there is no store at {path}"))
            .hint("import labels with `probity import labels FILE`"));
    }
    Ok(Store::open_read_only(path)?.reader()?.labels()?)
}

fn format(args: &ExportLabelsArgs) -> Result<LabelFormat, Failure> {
    if args.raw_csv {
        return Ok(LabelFormat::Csv);
    }
    if let Some(format) = args.format {
        return Ok(format);
    }
    let Some(output) = &args.output else { return Ok(LabelFormat::Jsonl) };
    match output.extension().and_then(|suffix| suffix.to_str()) {
        Some("csv") => Ok(LabelFormat::Csv),
        Some("jsonl" | "ndjson") => Ok(LabelFormat::Jsonl),
        _ => Err(Failure::usage(format!("{}: expected a name in .csv or .jsonl", output.display()))
            .hint("or say --format csv or --format jsonl")),
    }
}
