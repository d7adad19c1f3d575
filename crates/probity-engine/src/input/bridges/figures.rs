//! The figures that other tools' files hold about themselves, recomputed from the verdicts and labels read.

use std::collections::BTreeMap;

use probity_core::json::{Json, Object};

use super::super::foreign::{ForeignCase, ForeignScore, ForeignVerdict, at, list_at, text_at};
use super::{Found, SAMPLES, expected, is_scored, samples};

#[test]
fn n31_figures_recomputed_from_foreign_scores_are_those_of_the_files() {
    let Some(root) = samples() else { return };
    let mut n_figures = 0;
    for sample in SAMPLES {
        let (found, want) = (sample.read(&root), expected(&root, sample));
        let figures = want.get("aggregates").and_then(Json::as_object);
        for (name, figure) in figures.into_iter().flat_map(Object::iter) {
            let (recomputed, in_file) = match sample.folder {
                "openai-evals" => statuses(&found, name),
                "promptfoo" => promptfoo(&found, name),
                "deepeval" => deepeval(&found, name),
                "inspect" => inspect(&found, name),
                other => panic!("{other} has no figures"),
            };
            let wanted = |key: &str| at(figure, key).and_then(number);
            let place = format!("{} {}: {name}", sample.folder, sample.name);
            assert!(
                is_close(recomputed, wanted("recomputed")),
                "{place}: {recomputed:?}, expected {figure:?}"
            );
            assert!(
                is_close(in_file, wanted("file")),
                "{place}: {in_file:?} in the file, expected {figure:?}"
            );
            let agrees = at(figure, "agrees") == Some(&Json::Bool(true));
            assert_eq!(is_close(recomputed, in_file), agrees, "{place}");
            n_figures += 1;
        }
    }
    assert!(n_figures > 100, "{n_figures}");
}

/// Figures of the files that the independent reader left alone: counts of assertions, of samples without a score, single
/// scores after a reduction, and the lists that means are made of.
#[test]
fn n31_counts_and_lists_of_the_files_come_out_of_their_verdicts() {
    let Some(root) = samples() else { return };
    let mut n_figures = 0;
    for sample in SAMPLES {
        let found = sample.read(&root);
        let more = match sample.folder {
            "promptfoo" => promptfoo_counts(&found),
            "deepeval" => deepeval_lists(&found),
            "inspect" => inspect_values(&found),
            _ => Vec::new(),
        };
        for (name, recomputed, in_file) in more {
            let place = format!("{} {}: {name}", sample.folder, sample.name);
            assert_eq!(recomputed, in_file, "{place}");
            n_figures += 1;
        }
    }
    assert!(n_figures > 50, "{n_figures}");
}

/// A figure by its name, as it is recomputed and as the file has it.
type Held = (String, Vec<f64>, Vec<f64>);

fn promptfoo_counts(found: &Found) -> Vec<Held> {
    let mut held = Vec::new();
    for (index, prompt) in list_at(&found.frame, "results.prompts").iter().enumerate() {
        let index = index.to_string();
        let is_of = |case: &&ForeignCase| text_at(kept(case), &["promptIdx"]).as_deref() == Some(&index);
        let rows: Vec<&ForeignCase> = found.cases.iter().filter(is_of).collect();
        let verdicts = || rows.iter().flat_map(|case| &case.beside.verdicts);
        // A rating moves the counts of assertions in ways of its own.
        let is_rated = found.cases.iter().any(|case| !case.beside.labels.is_empty());
        let n = |count: usize| vec![count as f64];
        let counts = [
            ("testFailCount", rows.iter().filter(|case| !row(case).0 && !failed(case)).count()),
            ("testErrorCount", rows.iter().filter(|case| failed(case)).count()),
            ("assertPassCount", verdicts().filter(|one| is_passed(one)).count()),
            ("assertFailCount", verdicts().filter(|one| !is_passed(one)).count()),
        ];
        for (name, count) in counts.into_iter().filter(|(name, _)| !(is_rated && name.starts_with("assert")))
        {
            let in_file = at(prompt, &format!("metrics.{name}")).and_then(number);
            held.push((format!("prompts[{index}].{name}"), n(count), in_file.into_iter().collect()));
        }
        let named = at(prompt, "metrics.namedScoresCount").and_then(Json::as_object);
        for (name, count) in named.into_iter().flat_map(Object::iter) {
            let judge = format!("promptfoo:{name}");
            let of = verdicts().filter(|verdict| verdict.judge == judge).count();
            held.push((format!("prompts[{index}].{name}"), n(of), number(count).into_iter().collect()));
        }
    }
    held
}

/// The scores of each metric, those inside traces apart.
fn deepeval_lists(found: &Found) -> Vec<Held> {
    let has_spans = found.cases.iter().any(|case| at(kept(case), "trace").is_some());
    let metrics = list_at(&found.frame, "metricsScores").iter().filter(|_| !has_spans);
    let held = metrics.map(|metric| {
        let name = text_at(metric, &["metric"]).expect("a name");
        let judge = format!("deepeval:{name}");
        let verdicts = found.cases.iter().flat_map(|case| &case.beside.verdicts);
        let scores = verdicts.filter(|verdict| verdict.judge == judge).filter_map(score).collect();
        (name, scores, list_at(metric, "scores").iter().filter_map(number).collect())
    });
    held.collect()
}

/// What each scorer came to for each sample, as the reductions have it, and how many have no score.
fn inspect_values(found: &Found) -> Vec<Held> {
    let mut held = Vec::new();
    for one in list_at(&found.frame, "results.scores") {
        let scorer = text_at(one, &["scorer"]).expect("a scorer");
        let of = |case: &ForeignCase| {
            let judge = format!("inspect:{scorer}");
            case.beside.verdicts.iter().filter(|verdict| verdict.judge == judge && is_scored(verdict)).count()
        };
        let n_scored: usize = found.cases.iter().map(of).sum();
        if let Some(said) = at(one, "scored_samples").and_then(number) {
            held.push((format!("{scorer}.scored_samples"), vec![n_scored as f64], vec![said]));
        }
    }
    for reduction in list_at(&found.frame, "reductions") {
        let scorer = text_at(reduction, &["scorer"]).expect("a scorer");
        for sample in list_at(reduction, "samples") {
            let id = text_at(sample, &["sample_id"]).expect("an id");
            let cases = found.cases.iter().filter(|case| case.id == id);
            let value = cases.filter_map(|case| inspect_value(case, &scorer)).collect();
            let in_file = at(sample, "value").and_then(number).into_iter().collect();
            held.push((format!("{scorer} of {id}"), value, in_file));
        }
    }
    held
}

/// What a scorer, or a person after it, said about a sample, as a number.
fn inspect_value(case: &ForeignCase, scorer: &str) -> Option<f64> {
    let letters = BTreeMap::from([("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0)]);
    let value = |json: &Json| number(json).or_else(|| letters.get(json.as_str()?).copied());
    let judge = format!("inspect:{scorer}");
    let verdict = case.beside.verdicts.iter().filter(is_scored).find(|verdict| verdict.judge == judge)?;
    let people = case.beside.labels.iter().rfind(|label| label.criterion.as_deref() == Some(scorer));
    let ForeignScore::Scored { score, .. } = &verdict.said else { return None };
    people.map(|label| &label.label).or(score.as_ref()).and_then(value)
}

fn number(json: &Json) -> Option<f64> {
    match json {
        Json::Number(text) => text.parse().ok(),
        Json::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}

fn is_close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a.is_none() && b.is_none(),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "beside figures that may not exist")]
fn count(n: usize) -> Option<f64> {
    Some(n as f64)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn kept(case: &ForeignCase) -> &Json {
    case.beside.kept.as_ref().expect("the record is kept")
}

fn is_passed(verdict: &ForeignVerdict) -> bool {
    matches!(verdict.said, ForeignScore::Scored { passed: Some(true), .. })
}

fn score(verdict: &ForeignVerdict) -> Option<f64> {
    match &verdict.said {
        ForeignScore::Scored { score, .. } => score.as_ref().and_then(number),
        ForeignScore::Unscored { .. } => None,
    }
}

fn failed(case: &ForeignCase) -> bool {
    case.no_reply().is_some_and(|reason| reason.starts_with("error: "))
}

/// OpenAI Evals: how many items passed, failed or could not be run.
fn statuses(found: &Found, name: &str) -> (Option<f64>, Option<f64>) {
    let wanted = name.trim_start_matches("status ");
    let status = |case: &&ForeignCase| match failed(case) {
        true => "error",
        false if case.beside.verdicts.iter().all(is_passed) => "pass",
        false => "fail",
    };
    let recomputed = found.cases.iter().filter(|case| status(case) == wanted).count();
    let is_said = |case: &&ForeignCase| text_at(kept(case), &["status"]).as_deref() == Some(wanted);
    (count(recomputed), count(found.cases.iter().filter(is_said).count()))
}

/// What a row comes to: what a person said, or else what its assertions came to together.
fn row(case: &ForeignCase) -> (bool, f64) {
    if let Some(label) = case.beside.labels.last() {
        let passed = label.label.as_str() == Some("pass");
        return (passed, f64::from(u8::from(passed)));
    }
    let scores: Vec<f64> = case.beside.verdicts.iter().filter_map(score).collect();
    let passed = !failed(case) && case.beside.verdicts.iter().all(is_passed);
    (passed, mean(&scores).unwrap_or(if failed(case) { 0.0 } else { 1.0 }))
}

fn promptfoo(found: &Found, name: &str) -> (Option<f64>, Option<f64>) {
    let in_file = at(&found.frame, &format!("results.{name}")).and_then(number);
    let of_prompt = |index: &str| -> Vec<&ForeignCase> {
        let is_of = |case: &&ForeignCase| text_at(kept(case), &["promptIdx"]).as_deref() == Some(index);
        found.cases.iter().filter(is_of).collect()
    };
    let recomputed = match name {
        "stats.successes" => count(found.cases.iter().filter(|case| row(case).0).count()),
        "stats.errors" => count(found.cases.iter().filter(|case| failed(case)).count()),
        "stats.failures" => count(found.cases.iter().filter(|case| !row(case).0 && !failed(case)).count()),
        _ => {
            let (prompt, metric) =
                name.trim_start_matches("prompts[").split_once("].metrics.").expect("a prompt");
            let rows = of_prompt(prompt);
            match metric {
                "testPassCount" => count(rows.iter().filter(|case| row(case).0).count()),
                "score" => Some(rows.iter().map(|case| row(case).1).sum()),
                _ => {
                    let judge = format!("promptfoo:{}", metric.trim_start_matches("namedScores."));
                    let verdicts = rows.iter().flat_map(|case| &case.beside.verdicts);
                    Some(verdicts.filter(|verdict| verdict.judge == judge).filter_map(score).sum())
                }
            }
        }
    };
    (recomputed, in_file)
}

/// `DeepEval` counts the metrics of test cases and of the spans inside their traces.
fn deepeval(found: &Found, name: &str) -> (Option<f64>, Option<f64>) {
    let passes = |case: &&ForeignCase| case.beside.verdicts.iter().all(is_passed);
    match name {
        "testPassed" | "testFailed" => {
            let n_passed = found.cases.iter().filter(passes).count();
            let n = if name == "testPassed" { n_passed } else { found.cases.len() - n_passed };
            return (count(n), at(&found.frame, name).and_then(number));
        }
        _ => {}
    }
    let (metric, what) = name.rsplit_once('.').expect("a figure of a metric");
    let judge = format!("deepeval:{metric}");
    let own =
        found.cases.iter().flat_map(|case| &case.beside.verdicts).filter(|verdict| verdict.judge == judge);
    let own = own.map(|verdict| (score(verdict), is_passed(verdict)));
    let traces = found.cases.iter().filter_map(|case| at(kept(case), "trace")?.as_object());
    let spans = traces.flat_map(Object::iter).filter(|(name, _)| name.ends_with("Spans"));
    let inside = spans.flat_map(|(_, spans)| spans.as_array().unwrap_or_default());
    let inside = inside.flat_map(|span| list_at(span, "metricsData"));
    let inside = inside.filter(|one| text_at(one, &["name"]).as_deref() == Some(metric));
    let inside =
        inside.map(|one| (at(one, "score").and_then(number), at(one, "success") == Some(&Json::Bool(true))));
    let all: Vec<(Option<f64>, bool)> = own.chain(inside).collect();
    let recomputed = match what {
        "mean" => mean(&all.iter().filter_map(|(score, _)| *score).collect::<Vec<_>>()),
        "passes" => count(all.iter().filter(|(score, passed)| score.is_some() && *passed).count()),
        "fails" => count(all.iter().filter(|(score, passed)| score.is_some() && !passed).count()),
        _ => count(all.iter().filter(|(score, _)| score.is_none()).count()),
    };
    let said = format!("metricsScores[metric={metric}]");
    let in_file = if what == "mean" {
        let scores: Vec<f64> =
            list_at(&found.frame, &format!("{said}.scores")).iter().filter_map(number).collect();
        mean(&scores)
    } else {
        at(&found.frame, &format!("{said}.{what}")).and_then(number)
    };
    (recomputed, in_file)
}

/// Inspect's metrics are over what people corrected, where they did.
fn inspect(found: &Found, name: &str) -> (Option<f64>, Option<f64>) {
    let n_completed = found.cases.iter().filter(|case| !failed(case)).count();
    let (scorer, what) = name.rsplit_once('.').expect("a figure of a scorer");
    let total = match what {
        "total_samples" => count(found.cases.len()),
        "completed_samples" => count(n_completed),
        _ => None,
    };
    if total.is_some() {
        return (total, at(&found.frame, name).and_then(number));
    }
    let said = format!("results.scores[name={scorer}]");
    let by = text_at(&found.frame, &[&format!("{said}.scorer")]).expect("the scorer of a score");
    let values = found.cases.iter().filter_map(|case| inspect_value(case, &by));
    let values: Vec<f64> = values.collect();
    let recomputed = match what {
        "stderr" => mean(&values).map(|mean| {
            let n = values.len() as f64;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            if values.len() > 1 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 }
        }),
        "scored_samples" => count(values.len()),
        _ => mean(&values),
    };
    let in_file = [format!("{said}.metrics.{what}.value"), format!("{said}.{what}")];
    (recomputed, in_file.iter().find_map(|path| at(&found.frame, path)).and_then(number))
}
