//! `probity compare`: which variant answers better, by a judge that is asked or from verdicts on record.

mod read;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use probity_core::compare::{Comparison, Conclusion, Contest, Pair, Status, comparison};
use probity_core::promote::Standing;
use probity_engine::config::Config;
use probity_engine::ledger::Store;
use probity_engine::run::compare::{CompareJob, Compared, Stopping, report, run};
use probity_engine::run::foreign::ForeignReplies;
use probity_engine::run::job::Job;
use probity_engine::run::replies::fetch;
use probity_engine::run::{Network, Ran};
use probity_engine::schedule::budget::Budget;

use super::check;
use super::outlet::Outlet;
use super::rows::{names, scored_by_another};
use super::session::{Covered, Ended, Session, StoredDocument, keep_document};
use crate::args::CompareArgs;
use crate::exit::{Exit, Failure};
use crate::render::comparison::{ComparisonOrigin, ComparisonShown, document};
use crate::render::conclusion::{Concluded, Conclusions};
use crate::render::figure::judge_name;
use crate::settings;
use crate::settings::inputs::Inputs;

/// Runs the command.
pub(crate) fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    let inputs = Inputs::default().and("CASES", &args.files).and("--verdicts", &args.verdicts);
    let prompts: Vec<PathBuf> =
        args.targets.iter().filter_map(|spec| spec.split_once('@')).map(|(_, file)| file.into()).collect();
    let inputs = inputs
        .and("--target", &prompts)
        .and("--labels", &args.labels)
        .and("--items", &args.items)
        .ask(&args.ask);
    let outlet = Outlet::new(&args.output, &args.ask.reading.say, &inputs)?;
    // A target is asked for replies to be judged now.
    let replies = if args.targets.is_empty() { scored_by_another(&args.files, &args.ask)? } else { None };
    match &replies {
        None if args.verdicts.is_none() => live(args, &outlet),
        replies => from_record(args, replies.as_ref(), &outlet),
    }
}

/// By verdicts of a file, or by the scores that another tool's judge gave `replies`.
fn from_record(
    args: &CompareArgs,
    replies: Option<&ForeignReplies>,
    outlet: &Outlet<'_>,
) -> Result<Exit, Failure> {
    let recorded = read::recorded(args, replies, &|line| args.ask.reading.say.note(line))?;
    let figures = comparison(&recorded.pairs, args.policies(), args.resampling());
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
    let shown = ComparisonShown {
        comparison: figures,
        concluded,
        pairs: recorded.pairs,
        file: names(args.files.iter().chain(&args.verdicts)),
        origin: ComparisonOrigin::Record { labels: recorded.labels, skipped: recorded.skipped },
    };
    outlet.end(&document(&shown), Ended::done())
}

/// By a judge that is asked now, or was asked before and is on record.
fn live(args: &CompareArgs, outlet: &Outlet<'_>) -> Result<Exit, Failure> {
    let session = Session::new(&args.ask.calls, args.ask.reading.say.quiet);
    let jobs = settings::reply_jobs(args, &|line| session.note(line))?;
    if args.ask.calls.dry_run && !jobs.is_empty() {
        return check::dry_replies(&jobs, outlet.is_json());
    }
    let asked = match jobs.first().map(|job| asked_replies(job, &jobs, &session)).transpose()? {
        // Some of the cases are not the comparison that was asked for: the rest comes with the next run.
        Some(Err(stopped)) => return Ok(stopped.say()),
        Some(Ok(asked)) => Some(asked),
        None => None,
    };
    let job = Arc::new(settings::comparison(args, &jobs, &|line| session.note(line))?);
    refuse_early_stop(args, &job)?;
    if args.ask.calls.dry_run {
        return check::dry_run(&[&*job.work()], "pair", outlet.is_json());
    }
    let (store, budget) = match asked {
        Some(asked) => asked,
        None => (session.open(&job.asking)?, None),
    };
    let asked =
        session.ask(&store, async |session| run(&job, args.stopping(), session, budget.clone()).await)?;
    let (ran, sequence) = asked?;
    let compared = report(&job, &store, &ran, sequence)?;
    let judge: Arc<str> = Arc::from(judge_name(&compared.facts));
    let pairs: Vec<Pair> = compared.contests.iter().filter_map(Contest::pair).collect();
    let concluded = Concluded {
        conclusion: conclusion(args, &job, &ran, &compared, &pairs),
        standing: compared.facts.judge.earned.clone(),
        stopped: compared.stopped,
    };
    let concluded = Conclusions::from([(Arc::clone(&judge), concluded)]);
    let pairs = BTreeMap::from([(judge, pairs)]);
    let figures = comparison(&pairs, args.policies(), args.resampling());
    let ended = Ended::of(&ran, job.asking.config.run.min_coverage, covered(&figures));
    let file = job.name.clone();
    let origin = ComparisonOrigin::Live { job: Arc::clone(&job), compared: Box::new(compared) };
    let document = document(&ComparisonShown { comparison: figures, concluded, pairs, file, origin });
    keep_document(&store, &ran, &job.asking, &StoredDocument::new(&document, &ended))?;
    store.close()?;
    outlet.end(&document, ended)
}

/// The store with the replies of all targets in it and what was spent, or how the asking ended early.
type AskedReplies = Result<(Store, Option<Arc<Budget>>), Ended>;

fn asked_replies(first: &Job, jobs: &[Arc<Job>], session: &Session<'_>) -> Result<AskedReplies, Failure> {
    let is_online = session.network() == Network::Online;
    let store =
        if is_online { session.open_for_writing(&first.asking)? } else { session.open(&first.asking)? };
    let (replies, budget) = session.ask(&store, async |session| fetch(jobs, session).await)??;
    let stopped = replies.iter().find_map(|ran| Some(Ended::stopped("target", ran.stop()?, ran.n_answered)));
    let Some(stopped) = stopped else { return Ok(Ok((store, budget))) };
    store.close()?;
    Ok(Err(stopped))
}

/// What the pairs show: by the sequence where one stopped the asking, and nothing where verdicts are missing.
fn conclusion(
    args: &CompareArgs,
    job: &CompareJob,
    ran: &Ran,
    compared: &Compared,
    pairs: &[Pair],
) -> Conclusion {
    let coverage_min = job.asking.config.run.min_coverage.to_f64();
    let whole = Conclusion::by_sign_test(pairs, args.policies(), coverage_min);
    let is_cut_short = ran.driven.as_ref().is_some_and(|driven| driven.stop.is_some());
    let conclusion = if is_cut_short { whole.incomplete() } else { whole };
    match (compared.stopped, &job.field.variants[..]) {
        (Some(stopped), [a, b]) => conclusion.by_sequence(stopped.decision, [a, b]),
        _ => conclusion,
    }
}

/// A sequence is about one difference, so about two variants.
fn refuse_early_stop(args: &CompareArgs, job: &CompareJob) -> Result<(), Failure> {
    let n = job.field.variants.len();
    if args.stopping() == Stopping::Never || n == 2 {
        return Ok(());
    }
    Err(Failure::usage(format!("--until-decided: expected two variants, found {n}"))
        .hint("compare two of them, or all of them without --until-decided"))
}

/// How many pairs have a verdict in both orders.
fn covered(figures: &Comparison) -> Option<Covered> {
    let counts = &figures.judges.values().next()?.overall.counts;
    let share = 1.0 - counts.of(Status::Unscored) as f64 / counts.n_pairs as f64;
    let of = "the pairs have a verdict in both orders";
    (counts.n_pairs > 0).then_some(Covered { share, of, missing: String::new() })
}
