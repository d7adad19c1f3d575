//! The length-controlled rates of `AlpacaEval` 2, recomputed from its stored preferences and compared with
//! the reference figures one by one.
//!
//! Reads `alpaca_eval_dev` in the folder named by `PROBITY_PUBLISHED_DATA` and skips without it. The
//! whole-leaderboard errors in the reference need 198 models' weights, which are not in the set. Figures without a
//! length model are compared in `published_figures`, all others here.

#[path = "../../probity-engine/tests/support/skipped.rs"]
mod skipped;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use probity_core::compare::length::{Controlled, Hold, Instruction, LengthRow, controlled, length_only};
use probity_core::stats::logistic::logistic;
use probity_core::stats::newton::{Local, Symmetric, dot, peak};
use serde::Deserialize;
use serde_json::Value;

/// Figures are given with six decimals, and so are the difficulties and lengths they were computed from.
const ROUNDING: f64 = 1e-6;

/// How far the published rates lie from those predicted with the recovered difficulties, in points.
const PUBLISHED_POINTS_MAX: f64 = 0.02;

#[derive(Deserialize)]
struct AnnotationRecord {
    model: String,
    pos: usize,
    preference: f64,
    len_baseline: u32,
    len_model: u32,
}

#[derive(Deserialize)]
struct FixtureRecord {
    instruction_difficulty: Vec<f64>,
    gamed: GamedRecord,
    published_weights: BTreeMap<String, WeightsRecord>,
}

#[derive(Deserialize)]
struct GamedRecord {
    tanh_len_verbose: Vec<f64>,
    tanh_len_concise: Vec<f64>,
    sum_ty: f64,
    sum_dy: f64,
    weight: f64,
}

#[derive(Deserialize)]
struct WeightsRecord {
    difficulty: f64,
    intercept: f64,
    lc: f64,
}

/// One model's rows with the difficulty of each, by position as the published figures have it.
#[derive(Default)]
struct Model {
    rows: Vec<LengthRow>,
    difficulties: Vec<f64>,
}

struct Set {
    models: BTreeMap<String, Model>,
    fixture: FixtureRecord,
    reference: Value,
}

fn folder() -> Option<PathBuf> {
    std::env::var_os("PROBITY_PUBLISHED_DATA").map(|folder| Path::new(&folder).join("alpaca_eval_dev"))
}

fn read(folder: &Path) -> Set {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the set has this file");
    let fixture: FixtureRecord =
        serde_json::from_str(&text("glm_fixture.json")).expect("the fixture is as noted");
    let mut models: BTreeMap<String, Model> = BTreeMap::new();
    for line in text("annotations.jsonl").lines() {
        let record: AnnotationRecord = serde_json::from_str(line).expect("a row is as noted");
        let model = models.entry(record.model).or_default();
        model.difficulties.push(fixture.instruction_difficulty[record.pos]);
        model.rows.push(LengthRow {
            case: record.pos,
            preference: record.preference - 1.0,
            candidate_chars: record.len_model,
            baseline_chars: record.len_baseline,
        });
    }
    let reference = serde_json::from_str(&text("reference.json")).expect("the reference is JSON");
    Set { models, fixture, reference }
}

/// What a figure's entry in the reference is called, and what was computed for it.
type Figures = Vec<(&'static str, f64)>;

fn terms(fit: &Controlled) -> Figures {
    let names = ["coef_difficulty", "coef_len", "coef_intercept"];
    let terms = names.into_iter().rev().zip(fit.terms.iter().rev().copied());
    [("value", fit.rate.value * 100.0), ("n", fit.rate.n as f64)].into_iter().chain(terms).collect()
}

/// The same terms with the rows of the steered baseline, as the leaderboard fits them: the baseline told to be verbose
/// and to be concise. These have no model term, because it is the same model.
fn steered(model: &Model, fixture: &FixtureRecord) -> Figures {
    let (gamed, difficulties) = (&fixture.gamed, &fixture.instruction_difficulty);
    let delta = |row: &LengthRow| f64::from(row.baseline_chars) - f64::from(row.candidate_chars);
    let n = model.rows.len() as f64;
    let mean = model.rows.iter().map(delta).sum::<f64>() / n;
    let squares: f64 = model.rows.iter().map(|row| (delta(row) - mean).powi(2)).sum();
    let length_sd = (squares / (n - 1.0)).sqrt();
    // The features of a row, how much it counts, and Σ weight · target · feature over all of them.
    let own = model.rows.iter().zip(&model.difficulties);
    let own = own.map(|(row, difficulty)| ([*difficulty, (delta(row) / length_sd).tanh(), 1.0], 1.0));
    let gamed_lengths = gamed.tanh_len_verbose.iter().chain(&gamed.tanh_len_concise);
    let steered = gamed_lengths.zip(difficulties.iter().cycle());
    let steered = steered.map(|(length, difficulty)| ([*difficulty, *length, 0.0], gamed.weight));
    let rows: Vec<([f64; 3], f64)> = own.clone().chain(steered).collect();
    let mut moments = [gamed.weight * gamed.sum_dy, gamed.weight * gamed.sum_ty, 0.0];
    for ((features, _), row) in own.zip(&model.rows) {
        moments.iter_mut().zip(features).for_each(|(sum, feature)| *sum += row.preference * feature);
    }
    let local = |at: &[f64]| {
        let ridge = 1e-9;
        let mut curvature = Symmetric::zeros(3);
        let mut value = dot(at, &moments) - ridge * dot(at, at) / 2.0;
        let mut gradient: Vec<f64> = moments.iter().zip(at).map(|(sum, at)| sum - ridge * at).collect();
        (0..3).for_each(|term| curvature.add(term, term, ridge));
        for (features, weight) in &rows {
            let odds = dot(features, at);
            value -= weight * (odds.max(0.0) + (-odds.abs()).exp().ln_1p());
            for (term, feature) in features.iter().enumerate() {
                gradient[term] -= weight * logistic(odds) * feature;
                for (other, by) in features.iter().enumerate() {
                    curvature.add(term, other, weight * logistic(odds) * logistic(-odds) * feature * by);
                }
            }
        }
        Local { value, gradient, curvature }
    };
    let at = peak(3, local).expect("it fits").at;
    let rate = model.difficulties.iter().map(|of| logistic(at[0] * of + at[2])).sum::<f64>() / n;
    vec![
        ("value", rate * 100.0),
        ("n", n),
        ("coef_len", at[1]),
        ("coef_intercept", at[2]),
        ("coef_difficulty", at[0]),
    ]
}

/// The figure that the reference calls `kind`, or `None` where the set does not allow to compute it.
fn figures(set: &Set, name: &str, kind: &str) -> Option<Figures> {
    let Model { rows, difficulties } = set.models.get(name)?;
    let difficulty = Instruction::Difficulty(difficulties);
    match kind {
        "lc_minimal" => Some(terms(&length_only(rows).expect("it fits"))),
        "lc_with_difficulty" => Some(terms(&controlled(rows, difficulty, Hold::None).expect("it fits"))),
        "lc_full_fixture" => {
            let mut figures = steered(&set.models[name], &set.fixture);
            let published = set.fixture.published_weights[name].lc;
            figures.push(("diff_from_published", figures[0].1 - published));
            Some(figures)
        }
        "lc_from_published_weights" => {
            let weights = &set.fixture.published_weights[name];
            let of = &set.fixture.instruction_difficulty;
            let rates = of.iter().map(|of| logistic(weights.intercept + weights.difficulty * of));
            let n = of.len() as f64;
            Some(vec![("value", rates.sum::<f64>() / n * 100.0), ("n", n)])
        }
        _ => None,
    }
}

#[test]
fn alpaca_eval_rates_are_reproduced() {
    let Some(folder) = folder() else {
        return skipped::skipped(
            "length-controlled rates of alpaca_eval_dev",
            "PROBITY_PUBLISHED_DATA is not set",
        );
    };
    let set = read(&folder);
    let (mut n_all, mut n_published, mut n_published_same, mut faults) = (0, 0, 0, Vec::new());
    for metric in set.reference["metrics"].as_array().expect("a list of metrics") {
        let id = metric["id"].as_str().expect("a metric has an id");
        let (name, kind) = id.rsplit_once('.').expect("an id names model and figure");
        let Some(figures) = figures(&set, name, kind) else {
            assert!(name.starts_with("all_leaderboard") || !kind.starts_with("lc_"), "{id} was not computed");
            continue;
        };
        n_all += 1;
        let mut off: Vec<String> = Vec::new();
        for (key, got) in figures {
            let want = metric[key].as_f64().expect("the reference has this figure");
            if (got - want).abs() > ROUNDING {
                off.push(format!("{id} {key}: {got} is not {want}"));
            }
        }
        if let Some(published) = metric["published"].as_f64() {
            n_published += 1;
            let got = metric["value"].as_f64().expect("a metric has a value");
            let near = match kind {
                "lc_from_published_weights" => (got - published).abs() <= PUBLISHED_POINTS_MAX,
                _ => (got - published).abs() <= ROUNDING,
            };
            if !near {
                off.push(format!("{id}: {got} is not the published {published}"));
            }
            n_published_same += u32::from(off.is_empty());
        }
        faults.extend(off);
    }
    println!("alpaca_eval_dev: {n_published_same} of {n_published} published figures reproduced");
    println!("alpaca_eval_dev: {n_all} figures compared, {} differ", faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!((n_all, n_published_same, n_published), (48, 12, 12));
}
