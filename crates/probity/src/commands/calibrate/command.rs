//! `probity calibrate CASES`: a calibration by a judge that is asked, and what is written and printed about it.

use probity_core::results::finding_records;
use serde_json::{Value, json};

use super::super::outlet::Outlet;
use super::super::session::{Session, StoredDocument, keep_document};
use super::live::{Live, LiveCalibration, calibrated};
use crate::args::CalibrateArgs;
use crate::exit::{Exit, Failure};
use crate::render::calibration::{CalibrationShown, document};
use crate::render::report::add_judge;
use crate::settings::CaseFlags;

/// Runs the command.
pub(super) fn command(args: &CalibrateArgs, outlet: &Outlet<'_>) -> Result<Exit, Failure> {
    let session = Session::new(&args.ask.calls, args.ask.reading.say.quiet);
    let flags = Live {
        cases: CaseFlags {
            one_call: args.one_call,
            verdicts: args.verdicts.as_deref(),
            ..CaseFlags::of(&args.files, &args.ask)
        },
        labels: args.labels.as_deref(),
        about: args.about,
        not_blind: args.not_blind,
        counting: args.counting(),
    };
    let Some(live) = calibrated(&flags, &session, outlet.is_json())? else { return Ok(Exit::Done) };
    let document = document(CalibrationShown {
        calibration: &live.calibration,
        file: &format!("{} against {}", live.asked.name(), live.labels.source),
        skipped: &live.matched.skipped,
        notices: &[about_the_labels(&live), live.notices.clone()].concat(),
        asked: Some(live.for_page()),
        json: live_json(&live),
    });
    let ended = live.ended();
    keep_document(&live.store, &live.ran, live.asked.asking(), &StoredDocument::new(&document, &ended))?;
    live.store.close()?;
    outlet.end(&document, ended)
}

/// The whole calibration with what it rests on.
fn live_json(live: &LiveCalibration) -> Value {
    let mut json = live.calibration.to_json();
    let (matched, facts, rubric) = (&live.matched, &live.facts, live.asked.rubric());
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
            "{} of {} have a verdict to be held against, {} rejected, {} blocked",
            coverage.n,
            coverage.of,
            matched.rejected.len(),
            matched.n_blocked
        ),
        format!(
            "{} replies admitted by the gate, {} blocked",
            matched.gate.n_admitted, matched.gate.n_blocked
        ),
    ]
}

/// What the gate said about labelled replies.
fn gate_json(live: &LiveCalibration) -> Value {
    let gate = &live.matched.gate;
    let blocked = gate.tally.blocked().iter().map(|result| {
        let findings = finding_records(result.gate.findings());
        json!({ "id": result.id, "variant": result.variant, "findings": findings })
    });
    json!({
        "admitted": gate.n_admitted,
        "blocked": gate.n_blocked,
        "findings_by_rule": gate.tally.by_rule(),
        "first_blocked": blocked.collect::<Vec<_>>(),
    })
}
