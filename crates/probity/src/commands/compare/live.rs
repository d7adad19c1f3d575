//! A comparison by a judge that is asked now, or was asked before and is on record.

use std::collections::BTreeMap;
use std::sync::Arc;

use probity_core::compare::{
    Comparison, Conclusion, Contest, Fate, Pair, Ranked, Status, comparison, gate_counts, ranked,
};
use probity_core::report::{Facts, rubric_name};
use probity_core::results::{JudgeRecord, Tokens};
use probity_core::rubric::Rubric;
use probity_core::stats::Resampling;
use probity_engine::run::compare::{CompareJob, Compared, Mismatched, Stopping, report, run};
use probity_engine::run::{Observer as _, Ran, Session};
use serde_json::{Map, Value, json};

use super::super::session::{
    Watcher, failure, keep_outcome, mode, network, open_store, report_files, runtime, stopped, way_on,
};
use super::{CompareArgs, add_conclusions, skipped_json, written};
use crate::exit::{Exit, Failure};
use crate::render::comparison::{Shown, comparison as shown};
use crate::render::conclusion::{Concluded, Conclusions};
use crate::render::live::{Live, live as live_text};
use crate::render::report::comparison as page;
use crate::{settings, terminal};

/// Runs the command.
pub(super) fn live(args: &CompareArgs) -> Result<Exit, Failure> {
    let files = report_files(args.output.as_deref(), &args.reports, &args.inputs())?;
    let watcher = Watcher::new(args.reading.quiet);
    let layer = settings::call_layer(&args.calls)?;
    let job = settings::comparison(args, layer, &|line| watcher.notice(line))?;
    let job = Arc::new(job);
    refuse_early_stop(args, &job)?;
    let store = open_store(&job.asking, network(&args.calls), &watcher)?;
    let ran = runtime()?.block_on(async {
        let mode = mode(&args.calls);
        let (store, mode, key) = (&store, &mode, &settings::variable);
        run(&job, args.stopping(), &Session { store, mode, key, observer: &watcher }).await
    });
    let (ran, sequence) = ran.map_err(failure)?;
    let compared = report(&job, &store, &ran, sequence).map_err(failure)?;
    let judge: Arc<str> = Arc::from(judge_name(&compared));
    let pairs: Vec<Pair> = compared.contests.iter().filter_map(Contest::pair).collect();
    let resampling = Resampling { n_resamples: args.resamples, seed: args.seed };
    let concluded = Concluded {
        conclusion: conclusion(args, &job, &ran, &compared, &pairs),
        standing: compared.facts.judge.standing.clone(),
        stopped: compared.stopped,
    };
    let concluded = Conclusions::from([(Arc::clone(&judge), concluded)]);
    let by_judge = BTreeMap::from([(judge, pairs.clone())]);
    let figures = comparison(&by_judge, args.policies(), resampling);
    let mut outcome = live_json(&job, &compared, &figures, &pairs);
    add_conclusions(&mut outcome, &concluded);
    let comparisons = outcome["comparisons"].take();
    keep_outcome(&store, &ran, "compare", &outcome)?;
    store.close().map_err(|error| Failure::new(Exit::Store, &error))?;
    outcome["comparisons"] = comparisons;
    let page = page::Shown {
        comparison: &figures,
        concluded: &concluded,
        pairs: &by_judge,
        file: &job.name,
        live: Some(page::Live { job: &job, compared: &compared }),
    };
    if !written(args, &files, &page, &outcome)? {
        let shown = shown(&Shown {
            comparison: &figures,
            concluded: &concluded,
            file: &job.name,
            labels: None,
            skipped: &job.field.skipped,
        });
        let rest =
            live_text(&Live { job: &job, compared: &compared, pairs: &pairs, policies: figures.policies });
        terminal::print(&(shown + &rest));
    }
    Ok(ended(&job, &ran, &figures))
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

fn judge_name(compared: &Compared) -> String {
    let judge = &compared.facts.judge;
    format!("{} {}", judge.kind, judge.model).trim_end().to_owned()
}

fn live_json(job: &CompareJob, compared: &Compared, figures: &Comparison, pairs: &[Pair]) -> Value {
    let pairs: Vec<&Pair> = pairs.iter().collect();
    let mut json = figures.to_json();
    json["ranking"] =
        ranked(&pairs, figures.policies).map_or(Value::Null, |Ranked { variants, ranking }| match ranking {
            Ok(ranking) => {
                let places = variants.iter().zip(&ranking.places);
                let places: Map<String, Value> =
                    places.map(|(name, place)| (name.to_string(), json!(place))).collect();
                json!({ "places": places, "tie_term": ranking.tie_term, "basis": ranking.basis })
            }
            Err(error) => json!({ "missing": error.to_string() }),
        });
    json["gate"] = json!(
        gate_counts(&compared.contests)
            .into_iter()
            .map(|(name, counts)| (name.to_string(), json!(counts)))
            .collect::<Map<String, Value>>()
    );
    json["identical"] = json!(compared.contests.iter().filter(|c| c.fate == Fate::Identical).count());
    json["missing"] = job
        .missing
        .iter()
        .map(|missing| json!({ "id": &*missing.case, "variant": &*missing.variant }))
        .collect();
    let mismatched = |one: &Mismatched| {
        let [a, b] = &one.variants;
        json!({ "id": &*one.case, "variants": [&**a, &**b], "reason": one.reason })
    };
    json["mismatched"] = job.mismatched.iter().map(mismatched).collect();
    json["skipped"] = job.field.skipped.iter().map(skipped_json).collect();
    json["sequence"] = compared.stopped.map_or(Value::Null, |stopped| {
        let first = &*job.field.variants[0];
        json!({
            "decision": stopped.decision,
            "variant": first,
            "win_rate": { "low": stopped.bounds.low, "high": stopped.bounds.high },
            "alpha": stopped.alpha,
            "margin": stopped.margin,
            "pairs_drawn": stopped.n_drawn,
            "pairs_left": stopped.n_left,
            "calls_saved": stopped.calls_saved,
        })
    });
    about_the_judge(&mut json, &job.rubric, &compared.facts);
    json["comparisons"] = compared.contests.iter().map(Contest::to_json).collect();
    json
}

/// What every document says about the judge, the rubric and the calls.
pub(in crate::commands) fn about_the_judge(json: &mut Value, rubric: &Rubric, facts: &Facts) {
    json["judge"] = json!(JudgeRecord { fingerprints: None, ..facts.judge.record() });
    json["rubric"] = json!(rubric_name(rubric));
    json["calls"] = json!(facts.calls);
    json["calls_lost"] = json!(facts.calls_lost);
    json["tokens"] = json!(Tokens { input: facts.tokens_input, output: facts.tokens_output });
    json["cost_usd"] = json!(facts.cost_usd);
    json["warnings"] = json!(facts.warnings);
}

/// The exit code, and the words that go with it.
fn ended(job: &CompareJob, ran: &Ran, figures: &Comparison) -> Exit {
    let stop = ran.driven.as_ref().and_then(|driven| driven.stop.as_ref());
    if let Some((exit, message)) = stop.map(|stop| stopped(stop, ran)) {
        terminal::note(&format!("stopped: {message}"));
        return exit;
    }
    let wanted = job.asking.config.run.min_coverage.to_f64();
    let counts = figures.judges.values().next().map(|judge| &judge.overall.counts);
    let Some(counts) = counts.filter(|counts| counts.n_pairs > 0) else { return Exit::Done };
    let coverage = 1.0 - counts.of(Status::Unscored) as f64 / counts.n_pairs as f64;
    if coverage < wanted {
        terminal::note(&format!(
            "incomplete: {:.1} % of the pairs have a verdict in both orders, {:.1} % are wanted; {}",
            100.0 * coverage,
            100.0 * wanted,
            way_on(ran)
        ));
        return Exit::Incomplete;
    }
    Exit::Done
}
