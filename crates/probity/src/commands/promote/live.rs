//! A decision about a judge that is asked now, or was asked before and is on record. What it earns is kept in the
//! store, bound to everything it was earned with, where labels and probing come from the store as well.

use std::collections::BTreeMap;
use std::path::Path;

use probity_core::case::Moment;
use probity_core::gate::rules;
use probity_core::label::NotBlind;
use probity_core::probe::ProbeRecord;
use probity_core::promote::{
    Answers, Bound, Contract, Decision, Evidence, Gates, Parts, Seen, StandingRecord, decide,
};
use probity_core::rubric::Decider;
use probity_engine::ledger::{Reader, Store};
use probity_engine::run::Network;
use probity_engine::run::compare::{Screening, report};
use probity_engine::run::labelled::LabelledPairs;
use probity_engine::run::standing::{
    answer_parts, clock, gate_parts, keep, now, probe_parts, probing, records,
};
use probity_engine::run::told::model_end;
use serde_json::{Value, json};

use super::super::calibrate::live::{Asked, Live, LiveCalibration, calibrated};
use super::super::session::{Session, open_for_writing};
use super::report::{Retained, probes_json, rubric_json};
use super::{Call, Named, counting, decided, finish, partial, probing_file};
use crate::args::PromoteArgs;
use crate::exit::{Exit, Failure};
use crate::render::promotion::{Gathered, Outcome, StandingChange};
use crate::render::report::appendix::Appendix;
use crate::settings::{self, CaseFlags};

/// Asks for what is missing, decides, and keeps what was earned.
pub(super) fn promote(call: &Call<'_>, named: &Named) -> Result<Exit, Failure> {
    let args = call.args;
    let session = Session::new(&args.ask.calls, args.ask.reading.say.quiet || args.ask.reading.say.json);
    refuse_tomorrow(args)?;
    let flags = Live {
        cases: CaseFlags { one_call: args.one_call, ..CaseFlags::of(&args.files, &args.ask) },
        labels: args.labels.as_deref(),
        about: None,
        not_blind: NotBlind::Drop,
        counting: counting(args),
        contract: Some(&named.contract),
    };
    let Some(live) = calibrated(&flags, &session, call.outlet.is_json())? else { return Ok(Exit::Done) };
    let exit = live.ended().say();
    let reader = live.store.reader()?;
    let mut gathered = gathered(args, named, &live, &reader)?;
    let decision = decided(args, &named.contract, &mut gathered.evidence);
    let files = files(args);
    let outcome = if exit != Exit::Done {
        let reason = "asking is not complete, so nothing was recorded".to_owned();
        Outcome { reason, recorded: StandingChange::Nothing }
    } else if files.is_empty() {
        kept(session.network(), named, &live, &gathered, &decision)?
    } else {
        Outcome::of_files(&decision, &files)
    };
    drop(reader);
    live.store.close()?;
    let finished = finish(call, named, &gathered, &decision, &outcome)?;
    Ok(if exit == Exit::Done { finished } else { exit })
}

/// The files that stand in for evidence of the store.
fn files(args: &PromoteArgs) -> Vec<String> {
    let named = [("--labels", &args.labels), ("--probes", &args.probes)];
    named.iter().filter_map(|(flag, path)| Some(format!("{flag} {}", path.as_ref()?.display()))).collect()
}

/// A standing that begins in the future would end later than its contract allows.
fn refuse_tomorrow(args: &PromoteArgs) -> Result<(), Failure> {
    let given = args.ask.reading.as_of.as_ref().and_then(|text| text.parse::<Moment>().ok());
    match given.filter(|given| *given > clock()) {
        None => Ok(()),
        Some(given) => Err(Failure::usage(format!("--as-of {given}: expected today or an earlier day"))),
    }
}

fn gathered(
    args: &PromoteArgs,
    named: &Named,
    live: &LiveCalibration,
    reader: &Reader,
) -> Result<Gathered, Failure> {
    let rubric = &live.asked.rubric;
    let (evidence, probe_parts) = evidence(args.probes.as_deref(), &named.contract, live, reader)?;
    let mut bound = live.asked.subject().own_parts(reader, &live.ran.judge_id)?;
    bound.extend(gate_parts(&named.contract.blocking));
    bound.insert("contract".to_owned(), named.contract.hash.clone());
    bound.insert("labels".to_owned(), live.labels.digest.clone());
    bound.extend(probe_parts);
    if let (true, Ok(seen)) = (named.contract.answers != Answers::Any, &evidence.answers) {
        bound.extend(answer_parts(seen));
    }
    let facts = &live.facts.judge;
    let retained = retained(live)?;
    let mut hard_gates = retained.gates_json();
    hard_gates["admitted"] = json!(live.matched.gate.n_admitted);
    hard_gates["blocked"] = json!(live.matched.gate.n_blocked);
    hard_gates["findings_by_rule"] = json!(live.matched.gate.tally.by_rule());
    Ok(Gathered {
        judge: json!({ "id": facts.id, "kind": facts.kind, "model": facts.model }),
        name: format!(
            "judge {}{} · rubric {} {} · {}",
            facts.kind,
            model(&facts.model),
            rubric.name(),
            rubric.version(),
            live.asked.name
        ),
        bound,
        sections: json!({
            "hard_gates": hard_gates,
            "rubric": rubric_json(rubric),
            "runs": retained.runs_json(),
            "probes": probes_json(&evidence.probes),
            "calibration": calibration_section(live),
        }),
        evidence,
        calibration: live.calibration.clone(),
        appendix: Appendix::asked(&live.asked.asking, rubric, &live.facts),
        warnings: live.facts.warnings.clone(),
    })
}

fn model(model: &str) -> String {
    if model.is_empty() { String::new() } else { format!(" {model}") }
}

fn calibration_section(live: &LiveCalibration) -> Value {
    let mut json = live.calibration.to_json();
    json["labels"]["source"] = json!(live.labels.source);
    json["labels"]["digest"] = json!(live.labels.digest);
    json
}

/// What `contract` says about a judge that was calibrated. Nothing is recorded.
pub(in crate::commands) fn decision(
    contract: &Contract,
    live: &LiveCalibration,
) -> Result<Decision, Failure> {
    let (evidence, _) = evidence(None, contract, live, &live.store.reader()?)?;
    Ok(decide(contract, &evidence))
}

/// What was measured, and the parts that bind a standing to the probing.
fn evidence(
    probing: Option<&Path>,
    contract: &Contract,
    live: &LiveCalibration,
    reader: &Reader,
) -> Result<(Evidence, Parts), Failure> {
    let name = live.calibration.judges.keys().next().map(ToString::to_string).unwrap_or_default();
    let mut evidence = Evidence::of(contract, &live.calibration, &name, now(&live.asked.asking));
    let gate = &live.asked.gate;
    evidence.gates = Some(Gates {
        blocking: rules().map(|rule| rule.id).filter(|id| gate.can_block(id)).map(str::to_owned).collect(),
        n_admitted: live.matched.gate.n_admitted,
        n_blocked: live.matched.gate.n_blocked,
        n_unknown: 0,
    });
    if !evidence.rows.by_criterion.is_empty() {
        let judged = live.asked.rubric.criteria().iter().filter(|each| each.decider == Decider::Judge);
        for criterion in judged {
            evidence.rows.by_criterion.entry(criterion.id.to_string()).or_insert(0);
        }
    }
    evidence.coverage = match live.coverage.of {
        0 => Err("no labelled item may be judged".to_owned()),
        _ => Ok(live.coverage),
    };
    let [models, fingerprints] = reader.answered_by(&live.ran.judge_id)?;
    evidence.answers = Ok(Seen { models, fingerprints });
    evidence.reasons_lacking = live.asked.asking.reasons_lacking(&live.asked.rubric);
    evidence.model_end = model_end(&live.asked.asking, reader)?;
    let (probes, parts) = probes(probing, live, reader)?;
    evidence.probes = probes;
    Ok((evidence, parts))
}

/// The probing in the file that was named, or the last one on record, and what binds a standing to it.
fn probes(
    file: Option<&Path>,
    live: &LiveCalibration,
    reader: &Reader,
) -> Result<(Result<ProbeRecord, String>, Parts), Failure> {
    let (judge, rubric) = (&live.ran.judge_id, &live.asked.rubric);
    let Some(path) = file else {
        let found = probing(reader, judge, rubric.hash())?;
        let parts = found.as_ref().map(probe_parts).unwrap_or_default();
        let plan = live.asked.asking.config.run.call_plan.name();
        let asked = found.as_ref().and_then(|probing| probing.call_plan.as_deref());
        if let Some(asked) = asked.filter(|asked| *asked != plan) {
            let why =
                format!("the probing on record asked {asked}, and this promotion asks {plan}: probe again");
            return Ok((Err(why), parts));
        }
        let missing = || {
            let name = rubric.name();
            format!(
                "no probing of this judge under rubric {name} is on record: run `probity probe` with the same judge and rubric"
            )
        };
        return Ok((found.ok_or_else(missing), parts));
    };
    let (record, document) = probing_file(path)?;
    let of_judge = document["judge"]["id"] == judge.as_str();
    if !of_judge || document["rubric"]["hash"] != rubric.hash() {
        let what = if of_judge { "under another rubric" } else { "of another judge" };
        return Ok((Err(format!("the probing in {} is {what}", path.display())), Parts::new()));
    }
    Ok((partial(&document, path).map_or(Ok(record), Err), Parts::new()))
}

/// What to retain of every labelled reply or pair.
fn retained(live: &LiveCalibration) -> Result<Retained, Failure> {
    let mut retained = Retained::default();
    let rubric = &live.asked.rubric;
    live.matched.gate.tally.blocked.iter().for_each(|row| retained.reply(row, rubric));
    match &live.asked {
        Asked::Replies(replies) => {
            replies.each_result(&live.store, &live.ran, &mut |row, admitted| {
                retained.sources(admitted);
                retained.reply(row, rubric);
            })?;
        }
        Asked::Pairs(pairs) => {
            let compared = report(&pairs.job, &live.store, &live.ran, None)?;
            compared.contests.iter().for_each(|contest| retained.pair(contest));
            retain_sources(pairs, &mut retained);
        }
    }
    Ok(retained)
}

fn retain_sources(pairs: &LabelledPairs, retained: &mut Retained) {
    let field = &pairs.job.field;
    let places = pairs.job.meetings.iter();
    let mut places: Vec<(usize, usize)> =
        places.flat_map(|meeting| meeting.variants.map(|variant| (meeting.case, variant))).collect();
    places.sort_unstable();
    places.dedup();
    for (case, variant) in places {
        if let Some(Screening::Admitted(admitted)) = &field.cases[case].replies[variant] {
            retained.sources(admitted);
        }
    }
}

/// Keeps what was earned; where nothing was, takes back what the same contract gave before.
fn kept(
    network: Network,
    named: &Named,
    live: &LiveCalibration,
    gathered: &Gathered,
    decision: &Decision,
) -> Result<Outcome, Failure> {
    let is_writable = live.asked.asking.may_ask(network);
    let opened = if is_writable { None } else { Some(reopened(live)?) };
    let store = opened.as_ref().unwrap_or(&live.store);
    let found = records(&store.reader()?)?;
    let mut found = found.map_err(Failure::store)?;
    let judge = live.ran.judge_id.as_str();
    let outcome = if let Some(promotion) = decision.promotion() {
        let mut sources = BTreeMap::from([("contract".to_owned(), named.source.clone())]);
        sources.insert("labels".to_owned(), live.labels.source.clone());
        let bound = Bound {
            judge: judge.to_owned(),
            kind: gathered.bound.get("judge.kind").cloned().unwrap_or_default(),
            rubric: live.asked.rubric.name().to_owned(),
            parts: gathered.bound.clone(),
            sources,
        };
        found.push(StandingRecord::of(promotion, bound));
        keep(store, &found)?;
        let reader = store.reader()?;
        let standing = live.asked.subject().standing(&reader, &live.ran, &live.facts)?;
        Outcome { reason: standing.reason().to_owned(), recorded: StandingChange::Promoted }
    } else {
        let mut unmet: Vec<&str> = Vec::new();
        for each in decision.unmet() {
            let title = each.requirement.title();
            if !unmet.contains(&title) {
                unmet.push(title);
            }
        }
        let reason = format!("contract {} is not met: {}", named.contract.name, unmet.join(", "));
        let mut withdrawn = StandingChange::Nothing;
        for record in found.iter_mut().filter(|record| {
            record.judge == judge && record.contract[0] == named.contract.name && record.withdrawn.is_none()
        }) {
            record.withdraw(gathered.evidence.now, &reason);
            withdrawn = StandingChange::Withdrawn;
        }
        if withdrawn == StandingChange::Withdrawn {
            keep(store, &found)?;
        }
        Outcome { reason, recorded: withdrawn }
    };
    opened.map_or(Ok(()), Store::close)?;
    Ok(outcome)
}

/// The store for writing, if no calls were allowed and it was opened for reading.
fn reopened(live: &LiveCalibration) -> Result<Store, Failure> {
    let path = settings::store_address(&live.asked.asking)?;
    open_for_writing(&path, &crate::terminal::note)
}
