//! `probity probe`: which known shortcuts a judge falls for, by a judge that is asked or is on record.

use crate::render::figure::counted;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use probity_core::compare::{VerdictRow, Verdicts};
use probity_core::packet::AnswerForm;
use probity_core::probe::{JudgeRecords, JudgeTask, Probe, ProbeOutcome, Probing, RecordedBattery, battery};
use probity_core::sample::case_line;
use probity_engine::run::probe::{ProbeJob, Selection, report, rounds, run};
use serde_json::json;

use super::check;
use super::outlet::{Outlet, deliver, write_output};
use super::rows::{Files, NO_JUDGE, names, row_options, scored_by_another};
use super::session::{Covered, Ended, Session, StoredDocument, keep_document};
use crate::args::{ProbeArgs, SayArgs};
use crate::exit::{Exit, Failure};
use crate::render::probing::{ProbingShown, document, listed, recorded_document};
use crate::render::report::pretty;
use crate::settings;
use crate::settings::inputs::Inputs;

/// Runs the command.
pub(crate) fn probe(args: &ProbeArgs) -> Result<Exit, Failure> {
    let say = &args.ask.reading.say;
    if args.list {
        return list(say);
    }
    let inputs = Inputs::default()
        .and("CASES", &args.files)
        .and("--probes", &args.probes)
        .and("--verdicts", &args.verdicts)
        .ask(&args.ask);
    let outlet = Outlet::new(&args.output, say, &inputs)?;
    if let Some(path) = &args.write {
        inputs.refuse("--write", path)?;
        return write_replies(args, path);
    }
    if let Some(judges) = on_record(args)? {
        return from_records(args, judges, &outlet);
    }
    let session = Session::new(&args.ask.calls, say.quiet);
    let job = Arc::new(settings::probing(args, &|line| session.note(line))?);
    if args.ask.calls.dry_run {
        let [first, again] = rounds(&job);
        return check::dry_run(&[&*first, &*again], "base", say.json);
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

/// Writes the replies with and without each change as cases, for another tool's judge to score. Makes no calls.
fn write_replies(args: &ProbeArgs, path: &Path) -> Result<Exit, Failure> {
    let say = &args.ask.reading.say;
    let ProbeJob { bases, task, selection, skipped, .. } = settings::probing(args, &|_| {})?;
    refuse_pairs(&task)?;
    let replies = recorded_battery(&selection, &task).replies(&bases);
    let lines = replies.iter().map(|entry| case_line(&entry.case, Some(&entry.reply), None) + "\n");
    write_output(Some(path), &lines.collect::<String>())?;
    let (n_replies, n_bases, n_skipped) = (replies.len(), bases.len(), skipped.len());
    let told = || {
        let name = path.display();
        format!(
            "{} to {} written to {name}; {} skipped\n",
            counted(n_replies, "reply"),
            counted(n_bases, "case"),
            counted(n_skipped, "record")
        )
    };
    deliver(say, &json!({ "replies": n_replies, "bases": n_bases, "skipped": skipped }), told)?;
    Ok(Exit::Done)
}

/// Records score one reply at a time.
fn refuse_pairs(task: &JudgeTask) -> Result<(), Failure> {
    match task.form() {
        AnswerForm::Levels => Ok(()),
        AnswerForm::Preference => Err(Failure::usage(
            "this rubric compares two replies, and another tool's judge scores one at a time",
        )
        .hint("leave --rubric out, or name one that grades")),
    }
}

fn recorded_battery<'a>(selection: &'a Selection, task: &'a JudgeTask) -> RecordedBattery<'a> {
    let Selection { probes, own, only, tolerance, .. } = selection;
    RecordedBattery { probes, own, only, task, tolerance: *tolerance }
}

/// What the verdicts of a file say, or the scores in another tool's file, by judge.
fn on_record(args: &ProbeArgs) -> Result<Option<BTreeMap<String, JudgeRecords>>, Failure> {
    let Some(path) = &args.verdicts else {
        return Ok(scored_by_another(&args.files, &args.ask)?.map(|replies| replies.scored()));
    };
    let reading = &args.ask.reading;
    let options = row_options(reading.records.strict, reading.records.delimiter.as_deref())?;
    let note = |line: &str| reading.say.note(line);
    let mut judges: BTreeMap<String, JudgeRecords> = BTreeMap::new();
    for (_, row) in Files::new(options, &note).rows(path, VerdictRow::FIELDS, VerdictRow::read)? {
        let judge = judges.entry(row.judge.unwrap_or_else(|| NO_JUDGE.to_owned())).or_default();
        if let Verdicts::BothOrders { ab, ba } = row.verdicts {
            judge.pairs.push([ab, ba]);
        }
    }
    Ok(Some(judges))
}

/// What the records of judges show. Nothing is asked.
fn from_records(
    args: &ProbeArgs,
    judges: BTreeMap<String, JudgeRecords>,
    outlet: &Outlet<'_>,
) -> Result<Exit, Failure> {
    let (selection, task) = settings::recorded_probing(args)?;
    refuse_pairs(&task)?;
    let battery = recorded_battery(&selection, &task);
    let probings: Vec<(String, Probing)> =
        judges.into_iter().map(|(judge, records)| (judge, battery.probing(records))).collect();
    let document = recorded_document(&names(args.files.iter().chain(&args.verdicts)), &probings);
    let failed = probings.iter().map(|(_, probing)| enforced(probing)).find(|ended| ended.exit != Exit::Done);
    outlet.end(&document, failed.filter(|_| args.enforce).unwrap_or_else(Ended::done))
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
    let message = format!("FAILED: {} failed, {n_inconclusive} inconclusive", counted(n_failed, "probe"));
    Ended::with(Exit::No, message)
}
