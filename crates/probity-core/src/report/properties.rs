//! Sentences about summaries that hold for any results: nothing is lost, order does not matter, and what was
//! not scored moves no rate.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{RankedReply, Summary, SummaryBuilder};
use crate::case::{Case, CaseId, Confidence, Entry, Reply, Situation, Slice};
use crate::exact::Exact;
use crate::gate;
use crate::promote::Standing;
use crate::results::{Facts, ResultRow, RowOutcome, RunResults};
use crate::rubric::{CriterionId, Rubric};
use crate::score::fixture::{RubricShape, shapes};
use crate::score::{CriterionOutcome, Scored, Unscored};

/// The counts of which every reply is in exactly one.
const PARTS: [&str; 5] = ["blocked", "passed", "failed", "scored", "unscored"];

/// What one reply came to, before a rubric gives it meaning.
#[derive(Debug, Clone)]
struct Drawn {
    slice: Option<u8>,
    confidence: Option<f64>,
    reply: &'static str,
    gate: Gate,
}

#[derive(Debug, Clone)]
enum Gate {
    Blocked,
    /// A place on the scale per criterion, or none where the judge gave no verdict.
    Admitted(Vec<Option<prop::sample::Index>>),
}

fn drawn(level: impl Strategy<Value = Option<prop::sample::Index>>) -> impl Strategy<Value = Drawn> {
    let places = prop::collection::vec(level, 8).prop_map(Gate::Admitted);
    let gate = prop_oneof![1 => Just(Gate::Blocked), 6 => places];
    let confidence = prop::option::of(prop_oneof![0.0..=1.0_f64, Just(0.1), Just(0.2), Just(0.300_001_5)]);
    let reply = prop::sample::select(vec!["Sure.", ""]);
    (prop::option::of(0_u8..4), confidence, reply, gate).prop_map(|(slice, confidence, reply, gate)| Drawn {
        slice,
        confidence,
        reply,
        gate,
    })
}

/// Replies of all kinds.
fn replies() -> impl Strategy<Value = Vec<Drawn>> {
    let level = prop_oneof![1 => Just(None), 9 => any::<prop::sample::Index>().prop_map(Some)];
    prop::collection::vec(drawn(level), 0..30)
}

/// Replies that were admitted and have no level for any criterion.
fn lost_replies() -> impl Strategy<Value = Vec<Drawn>> {
    let lost = drawn(Just(None)).prop_map(|drawn| Drawn {
        gate: Gate::Admitted(vec![None; 8]),
        confidence: None,
        ..drawn
    });
    prop::collection::vec(lost, 1..20)
}

fn outcome(
    shape: &RubricShape,
    at: usize,
    place: Option<prop::sample::Index>,
) -> (CriterionId, CriterionOutcome) {
    let levels = &shape.criteria[at].levels;
    let outcome = match place {
        Some(place) => CriterionOutcome::Scored(Scored {
            level: levels[place.index(levels.len())],
            reasoning: String::new(),
            violations: Vec::new(),
            repairs: Vec::new(),
            suspicions: Vec::new(),
        }),
        None => CriterionOutcome::Unscored(Unscored {
            cause: format!("cause_{}", at % 2),
            detail: String::new(),
            attempts: 1,
        }),
    };
    (CriterionId::new(format!("c{at}")).expect("an id"), outcome)
}

fn result(shape: &RubricShape, rubric: &Rubric, (n, drawn): (usize, &Drawn)) -> ResultRow {
    let case = Case {
        slice: drawn.slice.map(|slice| Slice::new(format!("slice {slice}")).expect("a slice")),
        ..Case::new(CaseId::new(format!("case {n}")).expect("an id"), Situation::Ticket("Help".into()))
    };
    let confidence = drawn.confidence.map(|value| Confidence::new(value).expect("a share"));
    let reply = Reply { text: drawn.reply.into(), variant: None, confidence };
    let admitted = gate::Gate::default().screen(Entry { case, reply }).expect("no rule blocks");
    match &drawn.gate {
        // No rule blocks yet, so a blocked result is put together by hand.
        Gate::Blocked => ResultRow::blocked(admitted.entry(), &[], rubric),
        Gate::Admitted(places) => {
            let criteria = (0..shape.criteria.len()).map(|at| outcome(shape, at, places[at]));
            ResultRow::judged(&admitted, rubric, criteria.collect())
        }
    }
}

fn results(shape: &RubricShape, rubric: &Rubric, drawn: &[Drawn]) -> Vec<ResultRow> {
    drawn.iter().enumerate().map(|drawn| result(shape, rubric, drawn)).collect()
}

fn summary(rubric: &Rubric, results: &[ResultRow]) -> Summary {
    let mut builder = SummaryBuilder::new(rubric);
    for result in results {
        builder.add(result);
    }
    builder.finish(Facts::default())
}

fn count(object: &Value, key: &str) -> u64 {
    object[key].as_u64().unwrap_or_else(|| panic!("expected a count {key} in {object}"))
}

/// Every count in an object of counts, by the path that leads to it.
fn counts(object: &Value) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for key in PARTS.iter().chain(&["entered"]) {
        found.push(((*key).to_owned(), count(object, key)));
    }
    for (id, criterion) in object["criteria"].as_object().expect("criteria") {
        found.push((format!("{id} unscored"), count(criterion, "unscored")));
        found.push((format!("{id} n"), count(criterion, "n")));
        for level in criterion["levels"].as_object().expect("levels").keys() {
            found.push((format!("{id} {level}"), count(&criterion["levels"], level)));
        }
    }
    found
}

/// A run, and a second order of its results.
fn shuffled() -> impl Strategy<Value = (RubricShape, Vec<Drawn>, Vec<usize>)> {
    (shapes(), replies()).prop_flat_map(|(shape, drawn)| {
        let order: Vec<usize> = (0..drawn.len()).collect();
        (Just(shape), Just(drawn), Just(order).prop_shuffle())
    })
}

/// The figures alone.
fn without_examples(summary: &Summary) -> Value {
    let mut json = json!(summary.record);
    for list in ["best", "worst"] {
        json[list].take();
    }
    for list in ["failure_patterns", "recurring_reasons"] {
        for member in json[list].as_array_mut().expect("a list") {
            member["examples"].take();
            member["quote"].take();
        }
    }
    json
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// What a run writes, a difference reads: every reply with its outcome, levels, total and reasons.
    #[test]
    fn results_read_back_as_they_were_written(shape in shapes(), drawn in replies()) {
        let rubric = shape.in_order();
        let results = results(&shape, &rubric, &drawn);
        let document = RunResults {
            results: results.clone(),
            skipped: Vec::new(),
            failed: results.iter().flat_map(ResultRow::failed_rows).collect(),
            summary: summary(&rubric, &results).record,
            standing: Standing::advisory("results from a file have no standing of their own"),
        };
        let text = json!(document).to_string();
        let read = RunResults::read(&text).expect("a results file");
        prop_assert_eq!(json!(&read).to_string(), text, "not a digit is lost");
        for (row, result) in read.results.iter().zip(&results) {
            prop_assert_eq!(!result.fail_reasons.is_empty(), row.outcome == RowOutcome::Fail && !row.reasons().is_empty());
        }
    }

    /// Whatever the results are, each is counted once and in one part.
    #[test]
    fn everything_adds_up(shape in shapes(), drawn in replies()) {
        let rubric = shape.in_order();
        let summary = summary(&rubric, &results(&shape, &rubric, &drawn));
        let counts = summary.record.all.counts;
        let parts = counts.blocked + counts.passed + counts.failed + counts.scored + counts.unscored;
        prop_assert_eq!(counts.entered, parts);
        prop_assert_eq!(counts.entered, drawn.len() as u64);
        let blocked = drawn.iter().filter(|drawn| matches!(drawn.gate, Gate::Blocked)).count() as u64;
        prop_assert_eq!(counts.blocked, blocked);
        let criteria = &summary.record.all.criteria;
        for (_, criterion) in criteria.iter() {
            prop_assert_eq!(criterion.n + criterion.unscored, counts.entered - blocked);
        }
        let causes: u64 = summary.causes.iter().map(|count| count.n).sum();
        prop_assert_eq!(causes, criteria.iter().map(|(_, criterion)| criterion.unscored).sum::<u64>());
        let json = json!(summary.record);
        prop_assert_eq!(count(&json, "entered"), PARTS.iter().map(|part| count(&json, part)).sum::<u64>());
    }

    /// The parts by slice sum to the whole, figure by figure.
    #[test]
    fn slices_sum_to_the_whole(shape in shapes(), drawn in replies()) {
        let rubric = shape.in_order();
        let json = json!(summary(&rubric, &results(&shape, &rubric, &drawn)).record);
        let mut left = counts(&json);
        for part in json["by_slice"].as_object().expect("slices").values() {
            prop_assert_eq!(count(part, "entered"), PARTS.iter().map(|key| count(part, key)).sum::<u64>());
            for ((name, whole), (same, n)) in left.iter_mut().zip(counts(part)) {
                prop_assert_eq!(&*name, &same);
                *whole = whole.checked_sub(n).expect("a part is not larger than the whole");
            }
        }
        prop_assert!(left.iter().all(|(_, n)| *n == 0), "{:?}", left);
    }

    /// The order of results changes no byte of the figures; only the lists of examples follow it.
    #[test]
    fn figures_do_not_depend_on_the_order_of_results((shape, drawn, order) in shuffled()) {
        let rubric = shape.in_order();
        let forward = results(&shape, &rubric, &drawn);
        let other: Vec<ResultRow> = order.iter().map(|at| forward[*at].clone()).collect();
        let (one, two) = (summary(&rubric, &forward), summary(&rubric, &other));
        prop_assert_eq!(without_examples(&one).to_string(), without_examples(&two).to_string());
        let qualities = |summary: &Summary| -> Vec<Exact> {
            summary.worst.iter().chain(&summary.best).map(|ranked| ranked.quality_max).collect()
        };
        prop_assert_eq!(qualities(&one), qualities(&two));
        prop_assert_eq!(one.record.targets, two.record.targets);
    }

    /// An outage must never look like a drop in quality.
    #[test]
    fn unscored_replies_do_not_move_the_rate(shape in shapes(), drawn in replies(), lost in lost_replies()) {
        let rubric = shape.in_order();
        let before = summary(&rubric, &results(&shape, &rubric, &drawn));
        let all: Vec<Drawn> = drawn.iter().chain(&lost).cloned().collect();
        let after = summary(&rubric, &results(&shape, &rubric, &all));
        prop_assert_eq!(before.record.all.pass_rate, after.record.all.pass_rate);
        prop_assert_eq!(before.record.targets, after.record.targets);
        prop_assert_eq!(after.record.all.counts.unscored, before.record.all.counts.unscored + lost.len() as u64);
        prop_assert!(after.record.coverage <= before.record.coverage || before.record.coverage.is_none());
        for (before, after) in before.record.all.criteria.iter().zip(after.record.all.criteria.iter()) {
            prop_assert_eq!(before.1.mean, after.1.mean);
        }
    }

    /// The worst replies are the worst there are: those that a level fails by itself, then by quality, and of
    /// equals the first. What is missing counts as if it were best.
    #[test]
    fn the_worst_are_the_worst(shape in shapes(), drawn in replies()) {
        let rubric = shape.in_order();
        let results = results(&shape, &rubric, &drawn);
        let is_weighted = rubric.criteria()[0].weight.is_some();
        let quality = |row: &ResultRow| {
            let shares = row.asked().map(|(id, result)| {
                let criterion = rubric.criteria().iter().find(|known| known.id.as_str() == id).expect("known");
                let weight = criterion.weight.unwrap_or(Exact::from(100));
                result.score.map_or(weight, |level| weight * criterion.scale.share(level))
            });
            let points: Exact = shares.sum();
            let n_criteria = i64::try_from(rubric.criteria().len()).expect("a few");
            points.over(if is_weighted { 100 } else { 100 * n_criteria }).expect("criteria")
        };
        // A reason that is no sentence about a score is a criterion.
        let is_automatic = |row: &ResultRow| row.fail_reasons.iter().any(|reason| !reason.starts_with("score "));
        let ranked = results.iter().filter(|r| !matches!(r.outcome, RowOutcome::Blocked | RowOutcome::Unscored));
        let mut want: Vec<(bool, Exact, &str)> = ranked
            .map(|result| (!is_automatic(result), quality(result), result.id.as_str()))
            .filter(|(is_other, quality, _)| !is_other || *quality < Exact::from(1))
            .collect();
        want.sort_by_key(|(is_other, quality, _)| (*is_other, *quality));
        let want: Vec<(Exact, &str)> = want.into_iter().map(|(_, quality, id)| (quality, id)).take(20).collect();
        let summary = summary(&rubric, &results);
        let got: Vec<(Exact, &str)> =
            summary.worst.iter().map(|worst| (worst.quality_max, worst.row.id.as_str())).collect();
        prop_assert_eq!(got, want);
        let is_good = |best: &RankedReply| matches!(best.row.outcome, RowOutcome::Pass | RowOutcome::Scored);
        prop_assert!(summary.best.iter().all(is_good));
    }
}
