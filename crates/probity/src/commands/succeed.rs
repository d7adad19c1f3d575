//! `probity succeed`: what changes when another judge takes a judge's place.
//!
//! The old judge's verdicts come from the store alone; the new one is asked for what the store lacks. What was asked
//! is a run like any other, and what the two say otherwise about the same cases is kept for the history.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use probity_core::calibrate::Counting;
use probity_core::diff::difference;
use probity_core::label::{JoinOptions, NotBlind, Scale, sheet};
use probity_core::promote::Contract;
use probity_core::report::{PointJudge, Summary, rubric_name};
use probity_core::results::{Facts, RunResults};
use probity_core::succeed::{
    Answer, Answered, ContractOutcome, RunMove, SheetFigures, Succession, TargetMove, reply_figures,
    sheet_figures, target_moves,
};
use probity_engine::ledger::{JudgeId, Store};
use probity_engine::run::asking::Asking;
use probity_engine::run::basis::Basis;
use probity_engine::run::job::Job;
use probity_engine::run::labelled::{LabelledPairs, Verdicts};
use probity_engine::run::work::{SuccessionWork, Work};
use probity_engine::run::{Network, Ran, known_as, left_out, report, run, run_on_record, undecided};
use probity_engine::target::is_target;
use serde_json::Value;

use super::calibrate::live::{Labelled, Live, labelled};
use super::check::dry_run;
use super::diff::read_results_text;
use super::outlet::Outlet;
use super::promote::live::decision;
use super::report::history::remembered;
use super::run::written;
use super::session::{Covered, Ended, Session, StoredDocument, keep_document};
use crate::args::{JudgeArgs, SucceedArgs, default_counting};
use crate::exit::{Exit, Failure};
use crate::render::succession::document;
use crate::settings::inputs::Inputs;
use crate::settings::{self, CaseFlags, LabelledJob};

/// So many earlier runs are carried over.
const RUNS_MAX: usize = 5;
/// What the two judges are called among rows.
const NAMES: [&str; 2] = ["old", "new"];

/// Where the store keeps what two judges say otherwise under the rubric of a hash.
pub(super) fn bridge_key(rubric: &str, [from, to]: [&str; 2]) -> String {
    format!("bridge:{rubric}:{from}:{to}")
}

/// Runs the command.
pub(crate) fn succeed(args: &SucceedArgs) -> Result<Exit, Failure> {
    let inputs = Inputs::default().and("CASES", &args.files).and("--contract", &args.contract);
    let inputs = inputs.and("--labels", &args.labels).ask(&args.ask);
    let say = &args.ask.reading.say;
    let outlet = Outlet::new(&args.output, say, &inputs)?;
    let session = Session::new(&args.ask.calls, say.quiet || say.json);
    let contract = args.contract.as_deref().map(|path| settings::contract(path, &|line| say.note(line)));
    let contract = contract.transpose()?;
    let [old, new] = sides(args)?;
    let cases = new.cases(args, &|line| session.note(line))?;
    if session.is_dry_run() {
        return dry_run(&[&*cases.work()], "case", outlet.is_json());
    }
    let labels = labels(args, [&old, &new])?;
    let store = new.store(&cases.asking, &session)?;
    let old = old.on_record(args, &store)?;
    let new = new.asked(cases, &old.ran.judge_id, &store, &session)?;
    let mut found = FoundChanges::new(args, &store, [&old, &new], &labels)?;
    let contract =
        contract.map(|contract| found.outcome(args, &contract, (&store, &new), labels)).transpose()?;
    let succession = found.succession(args, [&old, &new], &store, contract)?;
    let ended = ended(&succession, &new, found.n);
    let is_decided = matches!(ended.exit, Exit::Done | Exit::No) && succession.shift.n_decided() > 0;
    if store.may_write() && is_decided {
        let bridge = serde_json::to_string(&succession.bridge()).expect("figures can be written");
        let judges = [succession.from.id.as_str(), &succession.to.id];
        store.note(&bridge_key(&succession.rubric.hash, judges), &bridge)?;
    }
    let document = document(&succession, &new.cases, &found.facts);
    keep_document(&store, &new.ran, &new.cases.asking, &StoredDocument::new(&document, &ended))?;
    let exit = outlet.end(&document, ended)?;
    store.close()?;
    Ok(exit)
}

/// How it ends: as asking did, and then as the answer says.
fn ended(succession: &Succession, new: &Judged, n: u64) -> Ended {
    let share = 1.0 - succession.shift.without_new as f64 / n.max(1) as f64;
    let of = "the cases have a verdict of the new judge";
    let covered = Covered { share, of, missing: String::new() };
    let reasons = succession.answered.reasons.join("; ");
    Ended::of(&new.ran, new.cases.asking.config.run.min_coverage, Some(covered)).and_then(|| match succession
        .answered
        .answer
    {
        Answer::Yes => Ended::done(),
        Answer::No => Ended::with(Exit::No, format!("FAILED: {reasons}")),
        Answer::Open => Ended::with(Exit::No, format!("OPEN: {reasons}")),
    })
}

/// One of the two judges as flags name it.
struct JudgeSide {
    judge: JudgeArgs,
    /// What it is called in the store, where no settings have a judge of this name.
    in_store: Option<String>,
}

/// Everything that is judged, as one of the judges is asked about it.
enum Cases {
    Replies(Arc<Job>),
    Pairs(LabelledPairs),
}

/// One of the two judges with what it decided.
struct Judged {
    cases: Cases,
    ran: Ran,
}

fn sides(args: &SucceedArgs) -> Result<[JudgeSide; 2], Failure> {
    let JudgeArgs { rubric, store, .. } = &args.ask.judge;
    let bare = || JudgeArgs { rubric: rubric.clone(), store: store.clone(), ..JudgeArgs::default() };
    let named = |name: &String, flags: JudgeArgs| -> Result<JudgeSide, Failure> {
        let is_set = settings::has_judge(&args.ask.reading, name)?;
        let (name, in_store) = if is_set { (name.as_str(), None) } else { ("recorded", Some(name.clone())) };
        Ok(JudgeSide { judge: JudgeArgs { judge: Some(name.to_owned()), ..flags }, in_store })
    };
    let new = match &args.to {
        Some(name) => named(name, args.ask.judge.clone())?,
        None => JudgeSide { judge: args.ask.judge.clone(), in_store: None },
    };
    Ok([named(&args.from, bare())?, new])
}

impl JudgeSide {
    fn flags<'a>(&'a self, args: &'a SucceedArgs) -> CaseFlags<'a> {
        CaseFlags { judge: &self.judge, one_call: args.one_call, ..CaseFlags::of(&args.files, &args.ask) }
    }

    fn cases(&self, args: &SucceedArgs, note: &dyn Fn(&str)) -> Result<Cases, Failure> {
        Ok(match settings::labelled(&self.flags(args), note)? {
            LabelledJob::Replies(job) => Cases::Replies(Arc::new(*job)),
            LabelledJob::Pairs(job) => Cases::Pairs(LabelledPairs { job: Arc::new(*job) }),
        })
    }

    /// What the store knows the judge by, which has decided something there.
    fn id(&self, asking: &Asking, store: &Store) -> Result<JudgeId, Failure> {
        let known = known_judges(store)?;
        let is_it = |judge: &&(JudgeId, PointJudge), name: &str| {
            judge.1.id.starts_with(name) || judge.1.name.split(' ').any(|word| word == name)
        };
        let found: Vec<_> = if let Some(name) = &self.in_store {
            known.iter().filter(|judge| is_it(judge, name)).collect()
        } else {
            let id = known_as(asking, store)?;
            known.iter().filter(|(known, _)| *known == id).collect()
        };
        if let [(id, _)] = found[..] {
            return Ok(id.clone());
        }
        let line = |(_, judge): &(JudgeId, PointJudge)| format!("{} {}", &judge.id[..12], judge.name);
        let known: Vec<String> = known.iter().map(line).collect();
        let nearest = if self.in_store.is_none() { nearest(asking, store)? } else { None };
        let nearest = nearest.map(|(id, parts)| {
            format!("; {} is the same model, otherwise in: {}", &id.as_str()[..12], parts.join(", "))
        });
        let name = self.in_store.as_ref().or(self.judge.judge.as_ref()).map_or("", String::as_str);
        let problem = if found.is_empty() { "has no verdict of judge" } else { "has several judges called" };
        Err(Failure::usage(format!("{} {problem} {name}", store.path().display())).hint(format!(
            "its judges: {}{}",
            known.join(", "),
            nearest.unwrap_or_default()
        )))
    }

    /// The judge with what the store holds of it.
    fn on_record(self, args: &SucceedArgs, store: &Store) -> Result<Judged, Failure> {
        let cases = self.cases(args, &|_| ())?;
        let ran = Ran::on_record(self.id(&cases.asking, store)?);
        let plan = undecided(&*cases.work(), store, &ran.judge_id)?;
        if plan.n_packets > 0 && plan.n_calls + plan.n_repeated >= plan.n_packets {
            return Err(Failure::usage(format!(
                "the store has no verdict of judge {} about these cases",
                args.from
            ))
            .hint("name cases that it has decided, with the rubric that it decided them by"));
        }
        Ok(Judged { cases, ran })
    }

    /// The store. What comes of two judges that it alone knows is kept there as well, so it must be one.
    fn store(&self, asking: &Asking, session: &Session<'_>) -> Result<Store, Failure> {
        let is_kept = self.in_store.is_some() && session.network() == Network::Online;
        if is_kept && settings::store_address(asking)?.may_exist() {
            return session.open_for_writing(asking);
        }
        session.open(asking)
    }

    /// The judge with what it said about `cases`: asked now, unless it is known to the store alone.
    fn asked(
        self,
        cases: Cases,
        from: &JudgeId,
        store: &Store,
        session: &Session<'_>,
    ) -> Result<Judged, Failure> {
        let id = match self.in_store {
            Some(_) => self.id(&cases.asking, store)?,
            None => known_as(&cases.asking, store)?,
        };
        if id == *from {
            return Err(Failure::usage("--from and --to are the same judge").hint("expected two identities"));
        }
        let work: Arc<dyn Work> = Arc::new(SuccessionWork { work: cases.work(), from: from.clone() });
        let ran = session.ask(store, async |session| match self.in_store {
            Some(_) => run_on_record(&*work, id.clone(), session),
            None => run(&work, session).await,
        })??;
        Ok(Judged { cases, ran })
    }
}

impl Cases {
    fn work(&self) -> Arc<dyn Work> {
        match self {
            Cases::Replies(job) => Arc::<Job>::clone(job),
            Cases::Pairs(pairs) => pairs.job.work(),
        }
    }
}

impl Deref for Cases {
    type Target = Basis;

    fn deref(&self) -> &Basis {
        match self {
            Cases::Replies(job) => job,
            Cases::Pairs(pairs) => &pairs.job,
        }
    }
}

/// The judges that decided something in the store, by identity, kind and model.
fn known_judges(store: &Store) -> Result<Vec<(JudgeId, PointJudge)>, Failure> {
    let reader = store.reader()?;
    let settled = reader.judges_with_settlements()?;
    let judges = reader.judges()?.into_iter();
    let judges = judges.filter(|(id, identity)| !is_target(identity) && settled.contains(id));
    let named = judges.map(|(id, identity)| {
        let identity: Value = serde_json::from_str(&identity).unwrap_or_default();
        let part = |name: &str| identity[name].as_str().unwrap_or_default();
        let name = format!("{} {}", part("kind"), part("model")).trim().to_owned();
        (id.clone(), PointJudge { id: id.to_string(), name })
    });
    Ok(named.collect())
}

/// The judge of the store that has the model of `asking` and differs in the fewest parts, and these parts.
fn nearest(asking: &Asking, store: &Store) -> Result<Option<(JudgeId, Vec<String>)>, Failure> {
    let parts =
        |identity: &str| serde_json::from_str::<BTreeMap<String, Value>>(identity).unwrap_or_default();
    let own = parts(&asking.identity(&left_out(asking, store)?));
    let others = store.reader()?.judges()?.into_iter().map(|(id, identity)| (id, parts(&identity)));
    let others =
        others.filter(|(_, other)| ["kind", "model"].iter().all(|name| other.get(*name) == own.get(*name)));
    let differ = others.map(|(id, other)| (id, differences(&own, &other)));
    Ok(differ.min_by_key(|(_, parts)| parts.len()))
}

/// The names of the parts in which two identities differ; of headers, which of them.
fn differences(own: &BTreeMap<String, Value>, other: &BTreeMap<String, Value>) -> Vec<String> {
    let names: BTreeSet<&String> = own.keys().chain(other.keys()).collect();
    let names = names.into_iter().filter(|name| own.get(*name) != other.get(*name));
    let headers = |parts: &BTreeMap<String, Value>| -> BTreeMap<String, Value> {
        let text = parts.get("headers").and_then(Value::as_str).unwrap_or_default();
        serde_json::from_str(text).unwrap_or_default()
    };
    let of = |name: &String| match name.as_str() {
        "headers" => {
            let [own, other] = [own, other].map(headers);
            let missing = other.keys().filter(|name| !own.contains_key(*name));
            let changed = own.keys().filter(|name| own.get(*name) != other.get(*name));
            let missing = missing.map(|name| format!("header {name} (missing in the settings)"));
            missing.chain(changed.map(|name| format!("header {name}"))).collect()
        }
        _ => vec![name.clone()],
    };
    names.flat_map(of).collect()
}

/// What people labelled, as each judge is compared with it; or why nothing can be.
type Labels = Result<[Labelled; 2], String>;

/// Labels are needed where flags name a file of them or a contract; without either, there may be none.
fn labels(args: &SucceedArgs, [old, new]: [&JudgeSide; 2]) -> Result<Labels, Failure> {
    let of = |side: &JudgeSide| {
        let live = Live {
            cases: side.flags(args),
            labels: args.labels.as_deref(),
            about: None,
            not_blind: NotBlind::Drop,
            counting: counting(args),
            contract: None,
        };
        labelled(&live, &|_| ())
    };
    match of(new).and_then(|new| Ok([of(old)?, new])) {
        Err(failure) if args.labels.is_none() && args.contract.is_none() => Ok(Err(failure.message)),
        found => found.map(Ok),
    }
}

/// What counts as what: as in a calibration without flags, so that no policy is chosen because it suits a judge.
fn counting(args: &SucceedArgs) -> Counting {
    let mut counting = default_counting();
    counting.sampling.resampling = args.resampling.resampling();
    counting
}

/// What was found.
struct FoundChanges {
    figures: SheetFigures,
    agreement_missing: Option<String>,
    targets: Vec<TargetMove>,
    runs: Vec<RunMove>,
    /// Replies or pairs in all.
    n: u64,
    /// What the store knows about the new judge's calls.
    facts: Facts,
}

impl FoundChanges {
    fn new(
        args: &SucceedArgs,
        store: &Store,
        judges: [&Judged; 2],
        labels: &Labels,
    ) -> Result<FoundChanges, Failure> {
        let mut found = match (&judges[0].cases, &judges[1].cases) {
            (Cases::Replies(old), Cases::Replies(new)) => {
                let [old, new] = [(old, judges[0]), (new, judges[1])]
                    .map(|(job, judged)| results(job, store, &judged.ran));
                of_replies(args, store, [old?, new?], (judges, labels))?
            }
            (Cases::Pairs(old), Cases::Pairs(new)) => {
                let old = old.verdicts(store, &judges[0].ran, NAMES[0])?;
                of_pairs(args, [old, new.verdicts(store, &judges[1].ran, NAMES[1])?], labels)?
            }
            _ => return Err(Failure::usage("one judge scores replies and the other compares them")),
        };
        found.agreement_missing = labels.as_ref().err().cloned();
        Ok(found)
    }

    /// What `contract` says about the new judge.
    fn outcome(
        &mut self,
        args: &SucceedArgs,
        contract: &Contract,
        (store, new): (&Store, &Judged),
        labels: Labels,
    ) -> Result<ContractOutcome, Failure> {
        let [_, labelled] = labels.map_err(Failure::usage)?;
        let ran = Ran::on_record(new.ran.judge_id.clone());
        let live = labelled.calibrated(counting(args), store.clone(), ran)?;
        self.facts.warnings.extend(live.notices.iter().cloned());
        let name = format!("{} {}", contract.name, contract.version);
        Ok(ContractOutcome::of(name, &decision(contract, &live)?))
    }

    fn succession(
        &self,
        args: &SucceedArgs,
        judges: [&Judged; 2],
        store: &Store,
        contract: Option<ContractOutcome>,
    ) -> Result<Succession, Failure> {
        let known = known_judges(store)?;
        let [from, to] = judges.map(|judged| {
            let found =
                known.iter().find(|(id, _)| *id == judged.ran.judge_id).map(|(_, judge)| judge.clone());
            found.unwrap_or_else(|| PointJudge { id: judged.ran.judge_id.to_string(), name: String::new() })
        });
        let SheetFigures { agreement, shift, to_label } = self.figures.clone();
        let mut warnings = self.facts.warnings.clone();
        if shift.without_old > 0 {
            warnings.push(format!(
                "the store has no verdict of the old judge about {} of {} cases: they are in no figure",
                shift.without_old, self.n
            ));
        }
        let change = agreement.as_ref().map(|agreement| &agreement.overall);
        Ok(Succession {
            from,
            to,
            rubric: rubric_name(&judges[1].cases.rubric),
            answered: Answered::of(change, args.margin, contract.as_ref()),
            agreement,
            agreement_missing: self.agreement_missing.clone(),
            shift,
            targets: self.targets.clone(),
            runs: self.runs.clone(),
            contract,
            to_label,
            calls: self.facts.calls,
            cost_usd: self.facts.cost_usd,
            warnings,
        })
    }
}

/// The results of one judge, and what its calls came to.
fn results(job: &Job, store: &Store, ran: &Ran) -> Result<(RunResults, Summary), Failure> {
    let (text, summary) = written(|sink| report(job, store, ran, sink))?;
    Ok((read_results_text(text, &job.name)?, summary))
}

fn of_replies(
    args: &SucceedArgs,
    store: &Store,
    [(before, _), (after, summary)]: [(RunResults, Summary); 2],
    (judges, labels): ([&Judged; 2], &Labels),
) -> Result<FoundChanges, Failure> {
    let changed = difference(&before, &after, args.resampling.resampling())
        .map_err(|reason| Failure::usage(format!("{}: {reason}", judges[1].cases.name)))?;
    let (shift, mut to_label) = reply_figures(&changed);
    let mut agreement = None;
    if let Ok([old, new]) = labels {
        let mut said = old.asked.verdicts(store, &judges[0].ran, NAMES[0])?.judge;
        said.extend(new.asked.verdicts(store, &judges[1].ran, NAMES[1])?.judge);
        agreement = sheet_figures(&new.sheet(&said)?, NAMES, &counting(args)).agreement;
        let labelled: BTreeSet<&str> = new.matched.labels.iter().map(|label| label.item.as_str()).collect();
        to_label.retain(|case| !labelled.contains(case.as_str()));
    }
    let reader = store.reader()?;
    let runs = remembered(&reader.runs()?, reader.outcomes()?);
    let rubric = &judges[1].cases.rubric;
    Ok(FoundChanges {
        figures: SheetFigures { agreement, shift, to_label },
        agreement_missing: None,
        targets: target_moves(rubric, &changed),
        runs: RunMove::last(&runs, judges[0].ran.judge_id.as_str(), (rubric, &changed), RUNS_MAX),
        n: after.results.len() as u64,
        facts: summary.record.facts,
    })
}

fn of_pairs(args: &SucceedArgs, [old, new]: [Verdicts; 2], labels: &Labels) -> Result<FoundChanges, Failure> {
    let n = new.judge.len() as u64;
    let said: Vec<_> = old.judge.into_iter().chain(new.judge).collect();
    let sheet = if let Ok([_, labelled]) = labels {
        labelled.sheet(&said)?
    } else {
        let scale = Scale::declared(&["a", "tie", "b"].map(str::to_owned));
        sheet(&[], &said, &[], JoinOptions { scale, ..JoinOptions::default() })
            .map_err(|_| Failure::usage("the verdicts of the two judges cannot be joined"))?
    };
    let figures = sheet_figures(&sheet, NAMES, &counting(args));
    let (targets, runs) = (Vec::new(), Vec::new());
    Ok(FoundChanges { figures, agreement_missing: None, targets, runs, n, facts: new.facts })
}
