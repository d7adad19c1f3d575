//! `probity probe`: which known shortcuts a judge falls for, by a judge that is asked or is on record.

mod args;

use std::sync::Arc;

use probity_core::probe::{ProbeOutcome, Probing, battery};
use probity_engine::run::probe::{ProbeJob, Probed, report, run};
use probity_engine::run::{Observer as _, Ran, Session};
use probity_engine::store::{Store, StoreError};
use serde_json::{Value, json};

pub(crate) use args::ProbeArgs;

use super::compare::{about_the_judge, pretty, skipped_json};
use super::inputs::Inputs;
use super::session::{
    Watcher, failure, keep_outcome, mode, network, open_store, report_files, runtime, stopped, way_on,
    write_reports,
};
use crate::exit::{Exit, Failure};
use crate::render::probing::{Shown, listed, probing as shown};
use crate::render::report::{Finished, ReportFile, probing as page};
use crate::{settings, terminal};

/// Runs the command.
pub(crate) fn probe(args: &ProbeArgs) -> Result<Exit, Failure> {
    if args.list {
        return list(args);
    }
    let inputs = Inputs::default().and("CASES", &args.files).and("--probes", &args.probes);
    let inputs = inputs.judge(&args.judge, &args.reading);
    let files = report_files(args.output.as_deref(), &args.reports, &inputs)?;
    let watcher = Watcher::new(args.reading.quiet);
    let layer = settings::call_layer(&args.calls)?;
    let job = Arc::new(settings::probing(args, layer, &|line| watcher.notice(line))?);
    let network = network(&args.calls);
    let store = open_store(&job.asking, network, &watcher)?;
    let ran = runtime()?.block_on(async {
        let mode = mode(&args.calls);
        let (store, mode, key) = (&store, &mode, &settings::variable);
        run(&job, &Session { store, mode, key, observer: &watcher }).await
    });
    let ran = ran.map_err(failure)?;
    let probed = report(&job, &store, &ran).map_err(failure)?;
    let (exit, words) = ended(args, &job, &ran, &probed.probing);
    let document = document(&job, &probed);
    keep_outcome(&store, &ran, "probe", &document)?;
    let text = pretty(&document);
    if is_whole(&job, exit) && job.asking.may_ask(network) {
        keep(&store, &job, &ran, &text).map_err(|error| Failure::new(Exit::Store, &error))?;
    }
    store.close().map_err(|error| Failure::new(Exit::Store, &error))?;
    write(&files, &job, &probed, &text)?;
    if args.reading.json {
        terminal::deliver(&text)?;
    } else {
        terminal::print(&shown(&Shown { job: &job, probed: &probed }));
    }
    if let Some(words) = words {
        terminal::note(&words);
    }
    Ok(exit)
}

/// Writes what the probing came to, to where it was asked for.
fn write(files: &[ReportFile], job: &ProbeJob, probed: &Probed, json: &str) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let shown = page::Shown { job, probed };
    let (page, tests) = (page::page(&shown), page::test_cases(&shown));
    write_reports(files, &Finished { page: &page, tests: &tests, json })
}

fn list(args: &ProbeArgs) -> Result<Exit, Failure> {
    let probes = battery();
    if args.reading.json {
        let line = |probe: &probity_core::probe::Probe| {
            let forms: Vec<&str> = probe.forms.iter().map(|form| form.name()).collect();
            json!({
                "name": probe.name, "number": probe.number, "family": probe.family.name(),
                "expects": probe.expects.name(), "forms": forms, "means": probe.means,
            })
        };
        let probes: Vec<Value> = probes.iter().map(line).collect();
        terminal::deliver(&pretty(&json!({ "probes": probes })))?;
    } else {
        terminal::print(&listed(&probes));
    }
    Ok(Exit::Done)
}

/// The whole document, as it is written and kept.
fn document(job: &ProbeJob, probed: &Probed) -> Value {
    let mut json = probed.probing.to_json();
    json["gate"] = json!(job.gate.digest());
    json["call_plan"] = json!(job.asking.config.run.call_plan.name());
    json["bases"]["blocked"] = json!(job.n_blocked);
    json["skipped"] = job.skipped.iter().map(skipped_json).collect();
    about_the_judge(&mut json, &job.rubric, &probed.facts);
    json
}

/// Whether this is a probing by which a judge may be known: all probes, and nothing cut short.
fn is_whole(job: &ProbeJob, exit: Exit) -> bool {
    job.selection.only.is_empty() && matches!(exit, Exit::Done | Exit::No)
}

/// Keeps the document as the last probing of the judge under the rubric.
fn keep(store: &Store, job: &ProbeJob, ran: &Ran, text: &str) -> Result<(), StoreError> {
    store.note(&format!("probe:{}:{}", ran.judge_id, job.rubric.hash()), text)
}

/// The exit code, and the words that go with it.
fn ended(args: &ProbeArgs, job: &ProbeJob, ran: &Ran, probing: &Probing) -> (Exit, Option<String>) {
    let stop = ran.driven.as_ref().and_then(|driven| driven.stop.as_ref());
    if let Some((exit, message)) = stop.map(|stop| stopped(stop, ran)) {
        return (exit, Some(format!("stopped: {message}")));
    }
    let wanted = job.asking.config.run.min_coverage;
    if let Some(coverage) = probing.coverage().filter(|coverage| *coverage < wanted) {
        let message = format!(
            "incomplete: {:.1} % of what was asked is answered, {:.1} % are wanted; {}",
            100.0 * coverage.to_f64(),
            100.0 * wanted.to_f64(),
            way_on(ran)
        );
        return (Exit::Incomplete, Some(message));
    }
    let [n_failed, n_inconclusive] =
        [ProbeOutcome::Fail, ProbeOutcome::Inconclusive].map(|outcome| probing.with(outcome).count());
    if args.enforce && n_failed + n_inconclusive > 0 {
        let message = format!("FAILED: {n_failed} probes failed and {n_inconclusive} are inconclusive");
        return (Exit::No, Some(message));
    }
    (Exit::Done, None)
}
