//! Where each figure of each set stands in a comparison.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Ask, Found, Ours, Product, Published, Set};

const PEOPLE: &str = "agreement of people with people, which calibration has";
const LENGTH: &str = "length-controlled win rates that need the leaderboard's own weights or fixture, which have a test of their own";

/// The estimate at `place`, times `scale`.
fn at(json: &Value, place: &[&str], scale: f64) -> Found {
    let found = place.iter().fold(json, |json, name| &json[*name]);
    match (found["value"].as_f64(), found["n"].as_u64()) {
        (Some(value), Some(n)) => {
            Found::Ours(Ours { value: scale * value, n, published: Published::Rounded })
        }
        _ => panic!("no estimate at {place:?}: {found}"),
    }
}

/// The same figure as the result of a fit.
fn fitted(found: Found) -> Found {
    match found {
        Found::Ours(ours) => Found::Ours(Ours { published: Published::Fitted, ..ours }),
        Found::LeftOut(why) => Found::LeftOut(why),
    }
}

/// The plain number at `place`, times `scale`.
fn number(json: &Value, place: &[&str], scale: f64) -> Found {
    let found = place.iter().fold(json, |json, name| &json[*name]);
    let value = found.as_f64().unwrap_or_else(|| panic!("no number at {place:?}: {found}"));
    Found::Ours(Ours { value: scale * value, n: 0, published: Published::Rounded })
}

/// A kappa against people.
fn kappa(figures: &Value, name: &str) -> Found {
    at(figures, &["agreement", name], 1.0)
}

/// What an estimate leaves of one.
fn rest(found: Found) -> Found {
    match found {
        Found::Ours(ours) => Found::Ours(Ours { value: 1.0 - ours.value, ..ours }),
        Found::LeftOut(why) => Found::LeftOut(why),
    }
}

/// The figures of `judge`, in `slice` or overall.
fn judge<'a>(json: &'a Value, judge: &str, slice: Option<&str>) -> &'a Value {
    let judge = &json["judges"][judge];
    slice.map_or(judge, |slice| &judge["by_slice"][slice])
}

/// 419 pairs with an objective answer, 26 judges in both orders.
pub(crate) fn llmbar(product: &dyn Product) {
    let Some(set) = Set::open("llmbar") else { return };
    let items = set.file("items.jsonl");
    let ask = Ask {
        verdicts: set.file("judge.jsonl"),
        labels: items.clone(),
        items,
        conflict: "pool",
        unparsed: "wrong",
    };
    let all = product.compare(&ask);
    set.check(|id| {
        if id == "upstream_kappa_field_note" {
            return Found::LeftOut("a remark without a figure");
        }
        if let Some((name, order)) = id.split_once(".all.cohen_kappa_gold.") {
            return at(judge(&all, name, None), &["agreement", &format!("{order}_cohen_kappa")], 1.0);
        }
        let (front, figure) = id.rsplit_once('.').expect("a name with parts");
        let (name, slice) = front.rsplit_once('.').unwrap_or((front, ""));
        let overall = judge(&all, name, None);
        match figure {
            "accuracy_avg" => at(judge(&all, name, Some(slice)), &["agreement"], 100.0),
            "positional_agreement" => at(judge(&all, name, Some(slice)), &["consistency"], 100.0),
            "accuracy_avg_items" => at(overall, &["agreement"], 100.0),
            "cohen_kappa_between_orders" => at(overall, &["order_cohen_kappa"], 1.0),
            "conflict_rate" => rest(at(overall, &["consistency"], 1.0)),
            "first_position_rate" => at(overall, &["first_slot_lean"], 1.0),
            "prefers_longer_rate" => at(overall, &["prefers_longer", "passes"], 1.0),
            "longer_is_correct_rate" => at(&all["people"], &["prefers_longer", "results"], 1.0),
            "count_a" => number(&all["people"]["by_slice"][slice], &["variants", "a", "wins"], 1.0),
            _ => panic!("an unknown figure: {id}"),
        }
    });
}

/// 1,392 pairs with one label each, one judge in both orders.
pub(crate) fn autoj_pairwise(product: &dyn Product) {
    let Some(set) = Set::open("autoj_pairwise") else { return };
    let ask = Ask {
        verdicts: set.file("judge.jsonl"),
        labels: set.file("human.jsonl"),
        conflict: "tie",
        unparsed: "drop",
        ..Ask::default()
    };
    let all = product.compare(&ask);
    set.check(|id| {
        let (slice, figure) = id.split_once('.').expect("a name with parts");
        let figures = judge(&all, "auto-j-13b", (slice != "Overall").then_some(slice));
        match figure {
            "agreement_both_orders" => at(figures, &["agreement", "both_orders"], 100.0),
            "agreement_single_order" => at(figures, &["agreement", "order_ab"], 100.0),
            "agreement_conflict_as_tie" => at(figures, &["agreement"], 100.0),
            "consistency" => at(figures, &["consistency"], 100.0),
            "cohen_kappa_human.order_ab" => at(figures, &["agreement", "order_ab_cohen_kappa"], 1.0),
            "cohen_kappa_human.order_ba" => at(figures, &["agreement", "order_ba_cohen_kappa"], 1.0),
            "cohen_kappa_between_orders" => at(figures, &["order_cohen_kappa"], 1.0),
            "cohen_kappa_conflict_as_tie" => at(figures, &["agreement", "cohen_kappa"], 1.0),
            _ => panic!("an unknown figure: {id}"),
        }
    });
}

/// Five systems judging each other's answers in both orders, and people's votes.
pub(crate) fn prd_vicuna80(product: &dyn Product) {
    let Some(set) = Set::open("prd_vicuna80") else { return };
    let pool = Ask {
        verdicts: set.file("judge.jsonl"),
        labels: set.file("human.jsonl"),
        items: set.file("items.jsonl"),
        conflict: "pool",
        unparsed: "drop",
    };
    let pooled = product.compare(&pool);
    let tied = product.compare(&Ask { conflict: "tie", ..pool.clone() });
    let dropped = product.compare(&Ask { conflict: "drop", ..pool.clone() });
    let second_study = set.file("faireval_human.jsonl");
    let shared = product.compare(&Ask {
        verdicts: only_labelled(&pool.verdicts, &second_study),
        labels: second_study.clone(),
        ..pool.clone()
    });
    let studies =
        product.compare(&Ask { verdicts: as_verdicts(&second_study), conflict: "tie", ..pool.clone() });
    let panel = |weights: &BTreeMap<String, f64>| {
        product.compare(&Ask { verdicts: panel(&pool.verdicts, weights), ..pool.clone() })
    };
    let weights = peer_weights(&pooled);
    let equal: BTreeMap<String, f64> = weights.keys().map(|name| (name.clone(), 1.0)).collect();
    let (weighted, unweighted) = (panel(&weights), panel(&equal));
    let runs = PeerRuns { pooled, tied, dropped, shared, studies, weighted, unweighted };
    set.check(|id| peer_figure(&runs, id));
}

/// The comparisons behind the figures of [`prd_vicuna80`].
struct PeerRuns {
    /// Each order an observation.
    pooled: Value,
    /// Orders that disagree as ties.
    tied: Value,
    /// Orders that disagree left out.
    dropped: Value,
    /// The items of the second study of people, against that study.
    shared: Value,
    /// The second study against the first.
    studies: Value,
    /// The panel of judges, weighted by what their own answers are worth.
    weighted: Value,
    /// The panel with equal weights.
    unweighted: Value,
}

fn peer_figure(runs: &PeerRuns, id: &str) -> Found {
    if id.starts_with("qlora") {
        return Found::LeftOut("about eight systems, of which the set holds five");
    }
    if ["human.fleiss", "human.krippendorff", "human.pairwise"].iter().any(|start| id.starts_with(start)) {
        return Found::LeftOut(PEOPLE);
    }
    let parts: Vec<&str> = id.split('.').collect();
    match parts[..] {
        ["human", "win_rate", system] => at(&runs.pooled["people"], &["win_rate", system], 1.0),
        ["human", "prefers_longer_rate"] => at(&runs.pooled["people"], &["prefers_longer", "results"], 1.0),
        ["panel", "weighted", "agreement"] => at(judge(&runs.weighted, "panel", None), &["agreement"], 1.0),
        ["panel", "weighted", "fleiss"] => kappa(judge(&runs.weighted, "panel", None), "scott_pi"),
        ["panel", "unweighted", "agreement"] => {
            at(judge(&runs.unweighted, "panel", None), &["agreement"], 1.0)
        }
        ["two_human_studies", "agreement"] => at(judge(&runs.studies, "people", None), &["agreement"], 1.0),
        ["two_human_studies", "cohen_kappa"] => kappa(judge(&runs.studies, "people", None), "cohen_kappa"),
        ["faireval", name, "cohen_kappa", order] => {
            kappa(judge(&runs.shared, name, None), &format!("{order}_cohen_kappa"))
        }
        ["slice", slice, name, "vs_human", "cohen_kappa"] => {
            kappa(judge(&runs.pooled, name, Some(slice)), "cohen_kappa")
        }
        [name, "vs_human", "cohen_kappa"] => kappa(judge(&runs.pooled, name, None), "cohen_kappa"),
        [name, "vs_human", "fleiss_kappa_2raters"] => kappa(judge(&runs.pooled, name, None), "scott_pi"),
        [name, "conflict_as_tie", "cohen_kappa"] => kappa(judge(&runs.tied, name, None), "cohen_kappa"),
        [name, "consistent_only", "cohen_kappa"] => kappa(judge(&runs.dropped, name, None), "cohen_kappa"),
        ["faireval", name, "conflict_rate"] => {
            rest(at(judge(&runs.shared, name, None), &["consistency"], 1.0))
        }
        ["slice", slice, name, "vs_human", "agreement"] => {
            at(judge(&runs.pooled, name, Some(slice)), &["agreement"], 1.0)
        }
        [name, "vs_human", "agreement"] => at(judge(&runs.pooled, name, None), &["agreement"], 1.0),
        [name, "win_rate", system] => at(judge(&runs.pooled, name, None), &["win_rate", system], 1.0),
        [name, "conflict_rate"] => rest(at(judge(&runs.pooled, name, None), &["consistency"], 1.0)),
        [name, "hard_flip_rate"] => at(judge(&runs.pooled, name, None), &["instability_rate"], 1.0),
        [name, "first_position_rate"] => at(judge(&runs.pooled, name, None), &["first_slot_rate"], 1.0),
        [name, "second_position_rate"] => at(judge(&runs.pooled, name, None), &["second_slot_rate"], 1.0),
        [name, "prefers_longer_rate"] => {
            at(judge(&runs.pooled, name, None), &["prefers_longer", "results"], 1.0)
        }
        [name, "conflict_as_tie", "agreement"] => at(judge(&runs.tied, name, None), &["agreement"], 1.0),
        _ => panic!("an unknown figure: {id}"),
    }
}

/// Thirteen models against one baseline, each comparison graded once.
pub(crate) fn alpaca_eval_dev(product: &dyn Product) {
    let Some(set) = Set::open("alpaca_eval_dev") else { return };
    let verdicts = with_difficulties(&set);
    let all = product.compare(&Ask { verdicts, conflict: "tie", unparsed: "drop", ..Ask::default() });
    set.check(|id| {
        let (model, figure) = id.rsplit_once('.').expect("a name with parts");
        if model.starts_with("all_leaderboard") {
            return Found::LeftOut(LENGTH);
        }
        let variants = &all["variants"][model];
        match figure {
            "win_rate" => at(&all["win_rate"], &[model], 100.0),
            "discrete_win_rate" => at(variants, &["discrete_win_rate"], 100.0),
            "standard_error" => number(variants, &["standard_error"], 100.0),
            "n_wins" => number(variants, &["wins"], 1.0),
            "avg_length" => {
                let value = variants["mean_length"].as_f64().expect("a mean length");
                let n = all["win_rate"][model]["n"].as_u64().expect("a denominator");
                // The leaderboard counts the replies that were never compared as well.
                let published = if n == 805 { Published::CutOff } else { Published::OfMore };
                Found::Ours(Ours { value, n, published })
            }
            "prefers_longer_rate" => at(variants, &["prefers_longer"], 1.0),
            "lc_minimal" => fitted(at(&all["length_only_win_rate"], &[model], 100.0)),
            "lc_with_difficulty" => fitted(at(&all["length_difficulty_win_rate"], &[model], 100.0)),
            "lc_full_fixture" | "lc_from_published_weights" => Found::LeftOut(LENGTH),
            _ => panic!("an unknown figure: {id}"),
        }
    });
}

/// The rows with the difficulty of their instruction, which the set keeps by position.
fn with_difficulties(set: &Set) -> String {
    let fixture: Value = serde_json::from_str(&set.file("glm_fixture.json")).expect("a fixture");
    let mut lines = String::new();
    for line in set.file("annotations.jsonl").lines() {
        let mut row: Value = serde_json::from_str(line).expect("a row");
        let position = row["pos"].as_u64().and_then(|pos| usize::try_from(pos).ok()).expect("a position");
        row["difficulty"] = fixture["instruction_difficulty"][position].clone();
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
    lines
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| format!("{row}\n")).collect::<Vec<_>>().concat()
}

/// The verdicts on items that `labels` has.
fn only_labelled(verdicts: &str, labels: &str) -> String {
    let labelled: Vec<Value> = rows(labels).into_iter().map(|row| row["item"].clone()).collect();
    lines(rows(verdicts).into_iter().filter(|row| labelled.contains(&row["item"])))
}

/// Labels as the verdicts of a judge that says the same in both orders.
fn as_verdicts(labels: &str) -> String {
    lines(rows(labels).into_iter().map(|row| {
        let (item, label) = (&row["item"], &row["label"]);
        json!({ "item": item, "judge": "people", "verdict_ab": label, "verdict_ba": label })
    }))
}

/// Peer rank: a judge weighs what its own answers are worth to the judges, five rounds from equal weights. Win
/// rates are spread to 0 for the worst and 1 for the best.
fn peer_weights(all: &Value) -> BTreeMap<String, f64> {
    let judges: Vec<&String> = all["judges"].as_object().expect("judges").keys().collect();
    let mut weights: BTreeMap<String, f64> = judges.iter().map(|name| ((*name).clone(), 1.0)).collect();
    for _ in 0..5 {
        let score = |system: &str| -> f64 {
            let rate =
                |by: &str| all["judges"][by]["win_rate"][system]["value"].as_f64().expect("a win rate");
            weights.iter().map(|(by, weight)| weight * rate(by)).sum::<f64>() / weights.values().sum::<f64>()
        };
        let scores: Vec<f64> = judges.iter().map(|name| score(name)).collect();
        let (worst, best) =
            scores.iter().fold((1.0_f64, 0.0_f64), |(low, high), s| (low.min(*s), high.max(*s)));
        let spread = scores.iter().map(|score| (score - worst) / (best - worst));
        weights = judges.iter().map(|name| (*name).clone()).zip(spread).collect();
    }
    weights
}

/// The verdicts of a panel: in each order the sign of the weighted mean, near zero a tie.
fn panel(verdicts: &str, weights: &BTreeMap<String, f64>) -> String {
    let mut sums: BTreeMap<String, (Value, [f64; 2])> = BTreeMap::new();
    for row in rows(verdicts) {
        let weight = weights[row["judge"].as_str().expect("a judge")];
        let item = row["item"].as_str().expect("an item").to_owned();
        let (_, sums) = sums.entry(item).or_insert((row["slice"].clone(), [0.0, 0.0]));
        for (sum, order) in sums.iter_mut().zip(["verdict_ab", "verdict_ba"]) {
            *sum += weight
                * match row[order].as_str() {
                    Some("a") => 1.0,
                    Some("b") => -1.0,
                    _ => 0.0,
                };
        }
    }
    let total: f64 = weights.values().sum();
    let verdict = |sum: f64| match sum / total {
        mean if mean > 0.01 => "a",
        mean if mean < -0.01 => "b",
        _ => "tie",
    };
    lines(sums.into_iter().map(|(item, (slice, [ab, ba]))| {
        let (ab, ba) = (verdict(ab), verdict(ba));
        json!({ "item": item, "slice": slice, "judge": "panel", "verdict_ab": ab, "verdict_ba": ba })
    }))
}
