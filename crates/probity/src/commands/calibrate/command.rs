//! `probity calibrate CASES`: the flags of a live calibration, and what is written and printed about it.

use probity_core::results::finding_records;
use probity_engine::run::Observer as _;
use serde_json::{Value, json};

use super::super::compare::{about_the_judge, skipped_json};
use super::super::session::{Watcher, keep_outcome, report_files, stopped, way_on};
use super::live::{Live, LiveCalibration, live};
use super::{CalibrateArgs, written};
use crate::exit::{Exit, Failure};
use crate::render::calibration::{Shown, calibration as shown};
use crate::render::report::calibration as page;
use crate::settings::LabelledFlags;
use crate::terminal;

/// Runs the command.
pub(super) fn command(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let watcher = Watcher::new(args.reading.quiet);
    let places = report_files(args.output.as_deref(), &args.reports, &args.inputs())?;
    let flags = Live {
        cases: LabelledFlags {
            files: &args.files,
            reading: &args.reading,
            judge: &args.judge,
            one_call: args.one_call,
            verdicts: args.verdicts.as_deref(),
        },
        calls: &args.calls,
        labels: args.labels.as_deref(),
        about: args.about(),
        not_blind: args.not_blind(),
        counting: args.counting(),
    };
    let live = live(&flags, &watcher)?;
    live.notices.iter().for_each(|notice| watcher.notice(notice));
    let json = live_json(&live);
    keep_outcome(&live.store, &live.ran, "calibrate", &without_rows(&json))?;
    let file = format!("{} against {}", live.asked.name(), live.labels.source);
    let page = page::Shown {
        calibration: &live.calibration,
        file: &file,
        asked: Some(live.for_page()),
        notices: &live.notices,
    };
    if !written(args, &places, &page, &json)? {
        let figures = &live.calibration;
        let text = shown(&Shown { calibration: figures, file: &file, skipped: &live.skipped });
        terminal::print(&(text + &judge_text(&live)));
    }
    let exit = ended(&live);
    live.close()?;
    Ok(exit)
}

/// A calibration as the store remembers it.
fn without_rows(json: &Value) -> Value {
    let mut figures = json.clone();
    figures["labels"]["rejected"] = json!(json["labels"]["rejected"].as_array().map_or(0, Vec::len));
    figures["skipped"] = json!(json["skipped"].as_array().map_or(0, Vec::len));
    figures["gate"]["first_blocked"] = Value::Null;
    figures
}

/// The whole calibration with what it rests on.
pub(crate) fn live_json(live: &LiveCalibration) -> Value {
    let mut json = live.calibration.to_json();
    let (fates, facts, rubric) = (&live.fates, &live.facts, live.asked.rubric());
    let labels = &mut json["labels"];
    labels["source"] = json!(live.labels.source);
    labels["digest"] = json!(live.labels.digest);
    labels["rows"] = json!(fates.n_rows);
    labels["blocked"] = json!(fates.n_blocked);
    labels["identical"] = json!(fates.n_identical);
    let rejected = fates.rejected.iter().map(|(place, label)| {
        json!({
            "file": place.as_ref().map(|place| &*place.file),
            "line": place.as_ref().map(|place| place.line),
            "item": label.item,
            "reason": label.reason,
        })
    });
    labels["rejected"] = rejected.collect();
    json["not_asked"] = json!(fates.n_unlabelled);
    json["coverage"] = json!({ "judged": live.coverage.n_judged, "n": live.coverage.n });
    json["gate"] = gate_json(live);
    about_the_judge(&mut json, rubric, facts);
    json["notices"] = json!(live.notices);
    json["skipped"] = live.skipped.iter().map(skipped_json).collect();
    json
}

/// Who was asked, how it went, and what was left out, for people.
fn judge_text(live: &LiveCalibration) -> String {
    let (facts, fates, gate, coverage) = (&live.facts, &live.fates, &live.gate, live.coverage);
    let cost = facts.cost_usd.as_ref().map_or_else(|| "cost unknown".to_owned(), |usd| format!("${usd}"));
    let mut out = format!(
        "\njudge: {} ({}) · {} calls, {cost}\nlabels: {} of {} have a verdict to be held against, {} rejected, {} blocked\ngate: {} replies admitted, {} blocked\n",
        format!("{} {}", facts.judge.kind, facts.judge.model).trim_end(),
        facts.judge.standing,
        facts.calls,
        coverage.n_judged,
        coverage.n,
        fates.rejected.len(),
        fates.n_blocked,
        gate.n_admitted,
        gate.n_blocked
    );
    for warning in &facts.warnings {
        out += &format!("warning: {warning}\n");
    }
    out
}

/// What the gate said about labelled replies.
fn gate_json(live: &LiveCalibration) -> Value {
    let gate = &live.gate;
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

/// The exit code, and the words that go with it.
pub(in crate::commands) fn ended(live: &LiveCalibration) -> Exit {
    let stop = live.ran.driven.as_ref().and_then(|driven| driven.stop.as_ref());
    if let Some((exit, message)) = stop.map(|stop| stopped(stop, &live.ran)) {
        terminal::note(&format!("stopped: {message}"));
        return exit;
    }
    let wanted = live.asked.asking().config.run.min_coverage.to_f64();
    if let Some(share) = live.coverage.share().filter(|share| *share < wanted) {
        terminal::note(&format!(
            "incomplete: {:.1} % of what people labelled has a verdict, {:.1} % are wanted; {}",
            100.0 * share,
            100.0 * wanted,
            way_on(&live.ran)
        ));
        return Exit::Incomplete;
    }
    Exit::Done
}
