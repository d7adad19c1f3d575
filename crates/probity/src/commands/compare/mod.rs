//! `probity compare`: which variant answers better, by a judge that is asked or from verdicts on record.

mod args;
mod live;
mod read;

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use probity_core::compare::{Conclusion, comparison};
use probity_core::promote::Standing;
use probity_core::results::SkippedRow;
use probity_core::stats::Resampling;
use probity_engine::config::Config;
use probity_engine::load::Skipped;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use args::{CompareArgs, ConflictArg, UnparsedArg};
pub(super) use live::about_the_judge;
pub(super) use read::{Files, load_options};

use super::session::{output_failure, report_files, write_reports};
use crate::exit::{Exit, Failure};
use crate::render::comparison::{Shown, comparison as shown};
use crate::render::conclusion::{Concluded, Conclusions};
use crate::render::report::{Finished, ReportFile, comparison as report};
use crate::render::results::WholeFile;
use crate::terminal;

/// Runs the command.
pub(crate) fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    if args.verdicts.is_some() { from_record(args) } else { live::live(args) }
}

fn from_record(args: &CompareArgs) -> Result<Exit, Failure> {
    let note = |line: &str| {
        if !args.reading.quiet && !args.reading.json {
            terminal::note(line);
        }
    };
    let files = report_files(args.output.as_deref(), &args.reports, &args.inputs())?;
    let recorded = read::recorded(args, &note)?;
    let resampling = Resampling { n_resamples: args.resamples, seed: args.seed };
    let figures = comparison(&recorded.pairs, args.policies(), resampling);
    // Verdicts on record are read without settings, so the share that must be there is the default one.
    let defaults = Config::resolve([]).map_err(|error| Failure::usage(error.to_string()))?;
    let coverage_min = defaults.run.min_coverage.to_f64();
    let concluded = |pairs: &Vec<_>| Concluded {
        conclusion: Conclusion::by_sign_test(pairs, args.policies(), coverage_min),
        standing: Standing::advisory("verdicts from a file have no standing"),
        stopped: None,
    };
    let concluded: Conclusions =
        recorded.pairs.iter().map(|(judge, pairs)| (Arc::clone(judge), concluded(pairs))).collect();
    let mut json = figures.to_json();
    add_conclusions(&mut json, &concluded);
    json["labels"] = recorded.labels.as_ref().map_or(Value::Null, |labels| {
        json!({ "items": labels.n_items(), "votes": labels.n_votes(), "repeated": labels.n_repeated })
    });
    json["skipped"] = recorded.skipped.iter().map(skipped_json).collect();
    let name = args.verdicts.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let page = report::Shown {
        comparison: &figures,
        concluded: &concluded,
        pairs: &recorded.pairs,
        file: &name,
        live: None,
    };
    if !written(args, &files, &page, &json)? {
        let (labels, skipped) = (recorded.labels.as_ref(), &recorded.skipped);
        let concluded = &concluded;
        terminal::print(&shown(&Shown { comparison: &figures, concluded, file: &name, labels, skipped }));
    }
    Ok(Exit::Done)
}

/// Puts what is concluded beside the figures: for one judge at the top as well.
fn add_conclusions(json: &mut Value, concluded: &Conclusions) {
    json["decision"] = match concluded.values().collect::<Vec<_>>()[..] {
        [only] => only.to_json(),
        _ => Value::Null,
    };
    for (judge, concluded) in concluded {
        json["judges"][&**judge]["decision"] = concluded.to_json();
    }
}

/// Writes everything to where it was asked for, and says whether that was standard output too.
fn written(
    args: &CompareArgs,
    files: &[ReportFile],
    page: &report::Shown<'_>,
    json: &Value,
) -> Result<bool, Failure> {
    let text = pretty(json);
    if !files.is_empty() {
        let (page, tests) = (report::page(page), report::test_cases(page));
        write_reports(files, &Finished { page: &page, tests: &tests, json: &text })?;
    }
    if args.reading.json {
        terminal::deliver(&text)?;
    }
    Ok(args.reading.json)
}

/// A document as files and standard output have it.
pub(super) fn pretty(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("documents can be written") + "\n"
}

/// Writes `text` to the file that `--output` names, whole or not at all.
pub(super) fn write_output(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let write = || {
        let mut file = WholeFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.keep()
    };
    write().map_err(|error: std::io::Error| output_failure(Some(path), &error))
}

/// A row that could not be used, for machines.
pub(super) fn skipped_json(skipped: &Skipped) -> Value {
    json!(SkippedRow::from(skipped))
}
