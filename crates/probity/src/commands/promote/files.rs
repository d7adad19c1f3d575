//! A decision from files: labels, verdicts and a probing. Nothing is recorded, and hard gates are not checked, because
//! files show neither which judge made them nor what the gate did.

use std::path::Path;

use probity_core::calibrate::{Calibration, calibration};
use probity_core::case::Moment;
use probity_core::label::JoinOptions;
use probity_core::promote::{Evidence, Parts};
use probity_engine::judge::file_digest;
use probity_engine::run::standing::clock;
use serde_json::{Value, json};

use super::super::calibrate::{RowFiles, joined};
use super::report::{probes_json, rubric_json, spoken_json};
use super::{Call, Named, counting, decided, finish, partial, probing_file};
use crate::args::PromoteArgs;
use crate::exit::{Exit, Failure};
use crate::render::promotion::{Gathered, Outcome};
use crate::render::report::appendix::Appendix;
use crate::settings;

/// What the report says where files cannot show something.
const NOT_SHOWN: &str = "files of labels and verdicts do not show what the gate did";

/// Decides.
pub(super) fn promote(call: &Call<'_>, named: &Named, note: &dyn Fn(&str)) -> Result<Exit, Failure> {
    let args = call.args;
    let labels = args.labels.as_deref().ok_or_else(|| Failure::usage("expected --labels FILE"))?;
    let (verdicts, items) = (args.verdicts.as_deref(), args.items.as_deref());
    let files = RowFiles { labels, verdicts, items, reading: &args.ask.reading };
    let read = joined(&files, JoinOptions::default(), note)?;
    read.sheet.notices().iter().for_each(|notice| note(notice));
    let calibration = calibration(&read.sheet, counting(args));
    let judge = judge_name(args, &calibration)?;
    let mut evidence = Evidence::of(&named.contract, &calibration, &judge, now(args)?);
    let warning =
        format!("hard gates are not checked: {NOT_SHOWN}; name the labelled cases instead of --verdicts");
    note(&warning);
    if let Some(path) = &args.probes {
        let (record, document) = probing_file(path)?;
        evidence.probes = partial(&document, path).map_or(Ok(record), Err);
    }
    let decision = decided(args, &named.contract, &mut evidence);
    let rubric = args.ask.judge.rubric.as_ref().map(|name| settings::rubric(name, note)).transpose()?;
    let gathered = Gathered {
        judge: json!({ "name": judge }),
        name: format!("judge {judge} by {}", shown(args.verdicts.as_deref())),
        bound: bound(args, named)?,
        sections: json!({
            "hard_gates": { "reason": NOT_SHOWN },
            "rubric": rubric.as_ref().map_or(Value::Null, rubric_json),
            "runs": spoken_json(&read.verdicts, &judge),
            "probes": probes_json(&evidence.probes),
            "calibration": calibration.to_json(),
        }),
        evidence,
        calibration,
        appendix: Appendix::of_files(rubric.as_ref()),
        warnings: vec![warning],
    };
    let outcome = Outcome::of_files(
        &decision,
        &["files of verdicts, which show neither which judge made them nor what the gate did".to_owned()],
    );
    finish(call, named, &gathered, &decision, &outcome)
}

/// The judge that is decided about: the only one, or the one that was named.
fn judge_name(args: &PromoteArgs, calibration: &Calibration) -> Result<String, Failure> {
    let names: Vec<&str> = calibration.judges.keys().map(|name| &**name).collect();
    let wanted = args.ask.judge.judge.as_deref();
    match (&names[..], wanted) {
        ([only], None) => Ok((*only).to_owned()),
        (_, Some(wanted)) if names.contains(&wanted) => Ok(wanted.to_owned()),
        ([], _) => Err(Failure::usage("there is no verdict about a labelled item")),
        (_, Some(wanted)) => Err(Failure::usage(format!("there is no verdict by judge {wanted}"))
            .hint(format!("judges: {}", names.join(", ")))),
        (_, None) => Err(Failure::usage(format!("the verdicts are by {} judges", names.len()))
            .hint(format!("name one with --judge: {}", names.join(", ")))),
    }
}

fn now(args: &PromoteArgs) -> Result<Moment, Failure> {
    let parse = |text: &String| text.parse().map_err(|error| Failure::usage(format!("--as-of: {error}")));
    args.ask.reading.as_of.as_ref().map_or_else(|| Ok(clock()), parse)
}

/// The files by their bytes.
fn bound(args: &PromoteArgs, named: &Named) -> Result<Parts, Failure> {
    let mut parts = Parts::from([("contract".to_owned(), named.contract.hash.clone())]);
    for (part, path) in [("labels", &args.labels), ("verdicts", &args.verdicts), ("probes", &args.probes)] {
        let Some(path) = path else { continue };
        let digest = file_digest(path)
            .map_err(|error| Failure::usage(format!("{}: cannot be read again: {error}", path.display())))?;
        parts.insert(part.to_owned(), digest);
    }
    Ok(parts)
}

fn shown(path: Option<&Path>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}
