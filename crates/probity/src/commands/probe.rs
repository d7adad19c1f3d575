//! `probity probe`: which known shortcuts a judge falls for, by a judge that is asked or is on record.

use std::sync::Arc;

use probity_core::probe::{Probe, ProbeOutcome, Probing, battery};
use probity_engine::run::probe::{report, rounds, run};
use serde_json::json;

use super::check;
use super::outlet::{Outlet, deliver};
use super::session::{Covered, Ended, Session, StoredDocument, keep_document};
use crate::args::{ProbeArgs, SayArgs};
use crate::exit::{Exit, Failure};
use crate::render::probing::{ProbingShown, document, listed};
use crate::render::report::pretty;
use crate::settings;
use crate::settings::inputs::Inputs;

/// Runs the command.
pub(crate) fn probe(args: &ProbeArgs) -> Result<Exit, Failure> {
    let say = &args.ask.reading.say;
    if args.list {
        return list(say);
    }
    let inputs = Inputs::default().and("CASES", &args.files).and("--probes", &args.probes).ask(&args.ask);
    let outlet = Outlet::new(&args.output, say, &inputs)?;
    let session = Session::new(&args.ask.calls, say.quiet);
    let job = Arc::new(settings::probing(args, &|line| session.note(line))?);
    if args.ask.calls.dry_run {
        let [first, again] = rounds(&job);
        return check::dry_run(&[&*first, &*again], "bases", say.json);
    }
    let store = session.open(&job.asking)?;
    let ran = session.ask(&store, async |session| run(&job, session).await)??;
    let shown = ProbingShown { job: Arc::clone(&job), probed: report(&job, &store, &ran)? };
    let covered = shown.probed.probing.coverage().map(|coverage| {
        let of = "what was asked is answered";
        Covered { share: coverage.to_f64(), of, missing: String::new() }
    });
    let document = document(&shown);
    let asked = Ended::of(&ran, job.asking.config.run.min_coverage, covered);
    keep_document(&store, &ran, &job.asking, &StoredDocument::new(&document, &asked))?;
    let ended = asked.and_then(|| if args.enforce { enforced(&shown.probed.probing) } else { Ended::done() });
    // The probing by which a judge is known has all probes, and nothing of it was cut short.
    let is_whole = job.selection.only.is_empty() && matches!(ended.exit, Exit::Done | Exit::No);
    if is_whole && job.asking.may_ask(session.network()) {
        store.note(&format!("probe:{}:{}", ran.judge_id, job.rubric.hash()), &pretty(&document.json))?;
    }
    store.close()?;
    outlet.end(&document, ended)
}

fn list(say: &SayArgs) -> Result<Exit, Failure> {
    let probes = battery();
    let line = |probe: &Probe| {
        let forms: Vec<&str> = probe.forms.iter().map(|form| form.name()).collect();
        json!({
            "name": probe.name, "number": probe.number, "family": probe.family.name(),
            "expects": probe.expects.name(), "forms": forms, "means": probe.means,
        })
    };
    let json = json!({ "probes": probes.iter().map(line).collect::<Vec<_>>() });
    deliver(say, &json, || listed(&probes))?;
    Ok(Exit::Done)
}

/// Whether every probe passed.
fn enforced(probing: &Probing) -> Ended {
    let [n_failed, n_inconclusive] =
        [ProbeOutcome::Fail, ProbeOutcome::Inconclusive].map(|outcome| probing.with(outcome).count());
    if n_failed + n_inconclusive == 0 {
        return Ended::done();
    }
    let message = format!("FAILED: {n_failed} probes failed and {n_inconclusive} are inconclusive");
    Ended::with(Exit::No, message)
}
