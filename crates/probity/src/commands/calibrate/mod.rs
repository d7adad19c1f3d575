//! `probity calibrate`: how far a judge says what people say, from files or by a judge that is asked.

pub(super) mod live;
mod panel;

use crate::render::figure::counted;
use std::path::Path;

use probity_core::calibrate::calibration;
use probity_core::label::{
    InputFile, ItemRow, JoinOptions, LabelEntry, SharedNames, Sheet, VerdictEntry, sheet,
};
use probity_engine::input::{Place, Skipped};
use probity_engine::run::foreign::{ForeignReplies, HeldAgainst, HeldRows};
use serde_json::{Value, json};

use super::outlet::Outlet;
use super::rows::{Files, names, refuse_skipped, refused, row_options, scored_by_another};
use super::session::{Ended, Session, StoredDocument, keep_document};
use crate::args::{AskArgs, CalibrateArgs, ReadArgs};
use crate::exit::{Exit, Failure};
use crate::render::calibration::{CalibrationShown, HeldTexts, document};
use crate::render::report::add_judge;
use crate::settings::CaseFlags;
use crate::settings::inputs::Inputs;
use live::{Live, LiveCalibration, calibrated};

/// Runs the command.
pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<Exit, Failure> {
    if args.files.is_empty() {
        refuse_idle(args)?;
    }
    let inputs = Inputs::default().and("CASES", &args.files).and("--verdicts", &args.verdicts);
    let inputs = inputs.and("--labels", &args.labels).and("--items", &args.items).ask(&args.ask);
    let outlet = Outlet::new(&args.output, &args.ask.reading.say, &inputs)?;
    if args.files.is_empty() {
        return from_files(args, &outlet);
    }
    if args.cascade || args.jury {
        return panel::fit(args, &outlet);
    }
    match scored_by_another(&args.files, &args.ask)?.filter(|_| args.verdicts.is_none()) {
        Some(replies) => from_foreign(args, &replies, &outlet),
        None => asked(args, &outlet),
    }
}

/// How good another tool's judge is, by the labels in its own file or in one beside it. Nothing is asked.
fn from_foreign(
    args: &CalibrateArgs,
    replies: &ForeignReplies,
    outlet: &Outlet<'_>,
) -> Result<Exit, Failure> {
    let (reading, name) = (&args.ask.reading, names(&args.files));
    let note = |line: &str| reading.say.note(line);
    let labels = match &args.labels {
        None => replies.labels(),
        Some(path) => {
            let options = row_options(reading.records.strict, reading.records.delimiter.as_deref())?;
            let mut files = Files::new(options, &note);
            let labels = files.labels(path)?;
            refuse_skipped(&files.skipped)?;
            labels
        }
    };
    if labels.is_empty() {
        return Err(Failure::usage(format!("{name} has a judge's scores but no human labels"))
            .hint(format!(
                "label some replies (`probity review {name}`), then `probity export labels --output labels.csv` and \
                 `probity calibrate {name} --labels labels.csv`; without labels, `probity compare` and `probity probe` \
                 say what the scores show"
            )));
    }
    let held = HeldAgainst { criterion: args.criterion.clone(), pass_at: args.pass_at };
    let HeldRows { labels, verdicts, mut notices } = replies.held(labels, &held);
    if verdicts.is_empty() {
        return Err(Failure::usage(format!("{name}: no judge can be compared with the labels"))
            .hint(notices.join("\n  ")));
    }
    if labels.iter().all(|(_, label)| label.blind.is_none()) {
        notices.push("the file does not say whether people had seen the judge's score".to_owned());
    }
    let (label_places, labels): (Vec<Place>, Vec<LabelEntry>) = labels.into_iter().unzip();
    let (verdict_places, verdicts): (Vec<Place>, Vec<VerdictEntry>) = verdicts.into_iter().unzip();
    let sheet = sheet(&labels, &verdicts, &[], args.join_options()?).map_err(|faults| {
        refused(&faults, if faults.file == InputFile::Labels { &label_places } else { &verdict_places })
    })?;
    notices.extend(sheet.notices().iter().cloned());
    let figures = calibration(&sheet, args.counting());
    let mut json = figures.to_json();
    json["notices"] = json!(notices);
    json["skipped"] = json!([]);
    let (calibration, skipped) = (&figures, &[][..]);
    let texts = HeldTexts::default();
    let shown =
        CalibrationShown { calibration, file: &name, skipped, notices: &notices, asked: None, texts, json };
    outlet.end(&document(shown), Ended::done())
}

fn from_files(args: &CalibrateArgs, outlet: &Outlet<'_>) -> Result<Exit, Failure> {
    let note = |line: &str| args.ask.reading.say.note(line);
    let path = args.labels.as_ref().ok_or_else(|| Failure::usage("expected --labels FILE"))?;
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
    let shown = CalibrationShown {
        calibration: &figures,
        file: &path.display().to_string(),
        skipped: &skipped,
        notices: sheet.notices(),
        asked: None,
        texts: HeldTexts::default(),
        json,
    };
    outlet.end(&document(shown), Ended::done())
}

/// What a calibration with a judge that is asked is made of.
fn live_flags(args: &CalibrateArgs) -> Live<'_> {
    Live {
        cases: CaseFlags {
            one_call: args.one_call,
            verdicts: args.verdicts.as_deref(),
            ..CaseFlags::of(&args.files, &args.ask)
        },
        labels: args.labels.as_deref(),
        about: args.about,
        not_blind: args.not_blind,
        counting: args.counting(),
        contract: None,
    }
}

/// By a judge that is asked now, or was asked before and is on record.
fn asked(args: &CalibrateArgs, outlet: &Outlet<'_>) -> Result<Exit, Failure> {
    let session = Session::new(&args.ask.calls, args.ask.reading.say.quiet);
    let flags = live_flags(args);
    let Some(live) = calibrated(&flags, &session, outlet.is_json())? else { return Ok(Exit::Done) };
    let document = document(CalibrationShown {
        calibration: &live.calibration,
        file: &format!("{} against {}", live.asked.name, live.labels.source),
        skipped: &live.matched.skipped,
        notices: &[about_the_labels(&live), live.notices.clone()].concat(),
        asked: Some(live.for_page()),
        texts: live.texts()?,
        json: live_json(&live),
    });
    let ended = live.ended();
    keep_document(&live.store, &live.ran, &live.asked.asking, &StoredDocument::new(&document, &ended))?;
    live.store.close()?;
    outlet.end(&document, ended)
}

/// The whole calibration with what it rests on.
fn live_json(live: &LiveCalibration) -> Value {
    let mut json = live.calibration.to_json();
    let (matched, facts, rubric) = (&live.matched, &live.facts, &live.asked.rubric);
    let labels = &mut json["labels"];
    labels["source"] = json!(live.labels.source);
    labels["digest"] = json!(live.labels.digest);
    labels["rows"] = json!(live.labels.entries.len());
    labels["blocked"] = json!(matched.n_blocked);
    labels["identical"] = json!(matched.n_identical);
    let rejected = matched.rejected.iter().map(|label| {
        let place = live.labels.places.get(label.row);
        json!({
            "file": place.map(|place| &*place.file),
            "line": place.map(|place| place.line),
            "item": label.item,
            "reason": label.reason,
        })
    });
    labels["rejected"] = rejected.collect();
    json["not_asked"] = json!(matched.n_unlabelled);
    json["coverage"] = json!({ "judged": live.coverage.n, "n": live.coverage.of });
    json["gate"] = gate_json(live);
    add_judge(&mut json, rubric, facts);
    json["notices"] = json!(live.notices);
    json["skipped"] = json!(live.matched.skipped);
    json
}

/// What became of labels and replies before figures, for people.
fn about_the_labels(live: &LiveCalibration) -> Vec<String> {
    let (matched, coverage) = (&live.matched, live.coverage);
    vec![
        format!(
            "{} of {} have a verdict, {} rejected, {} blocked",
            coverage.n,
            coverage.of,
            matched.rejected.len(),
            matched.n_blocked
        ),
        format!(
            "{} admitted by the gate, {} blocked",
            counted(matched.gate.n_admitted, "reply"),
            matched.gate.n_blocked
        ),
    ]
}

/// What the gate said about labelled replies.
fn gate_json(live: &LiveCalibration) -> Value {
    let gate = &live.matched.gate;
    let blocked = gate.tally.blocked.iter();
    let blocked =
        blocked.map(|row| json!({ "id": row.id, "variant": row.variant, "findings": row.gate.findings }));
    json!({
        "admitted": gate.n_admitted,
        "blocked": gate.n_blocked,
        "findings_by_rule": gate.tally.by_rule(),
        "first_blocked": blocked.collect::<Vec<_>>(),
    })
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
        ("--shard", calls.shard.is_some()),
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
        Some((flag, _)) => {
            Err(Failure::usage(format!("{flag} has no effect without cases: no judge is called"))
                .hint("name the labelled cases for a judge to score"))
        }
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
    let labels = files.labels(paths.labels)?;
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
