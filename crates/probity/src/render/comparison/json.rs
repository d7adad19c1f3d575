//! A comparison for programs.

use probity_core::compare::{Contest, Fate, Ranked, gate_counts};
use probity_engine::run::compare::{CompareJob, Compared, Mismatched};
use serde_json::{Map, Value, json};

use super::super::conclusion::Conclusions;
use super::super::report::add_judge;
use super::{ComparisonOrigin, ComparisonShown};

/// The figures, what they show, and what their origin adds.
pub(super) fn json(shown: &ComparisonShown) -> Value {
    let mut json = shown.comparison.to_json();
    match &shown.origin {
        ComparisonOrigin::Record { labels, skipped } => {
            add_conclusions(&mut json, &shown.concluded);
            json["labels"] = labels.as_ref().map_or(Value::Null, |labels| {
                json!({ "items": labels.n_items(), "votes": labels.n_votes(), "repeated": labels.n_repeated })
            });
            json["skipped"] = json!(skipped);
        }
        ComparisonOrigin::Live { job, compared } => {
            add_live(&mut json, job, compared, shown.ranked());
            add_conclusions(&mut json, &shown.concluded);
        }
    }
    json
}

/// Puts what is concluded beside the figures: for one judge at the top as well.
fn add_conclusions(json: &mut Value, concluded: &Conclusions) {
    json["decision"] = match concluded.values().collect::<Vec<_>>()[..] {
        [only] => only.to_json(),
        _ => Value::Null,
    };
    for (judge, concluded) in concluded {
        json["judges"][&**judge]["decision"] = concluded.to_json();
    }
}

fn add_live(json: &mut Value, job: &CompareJob, compared: &Compared, ranked: Option<Ranked>) {
    json["ranking"] = ranked.map_or(Value::Null, |Ranked { variants, ranking }| match ranking {
        Ok(ranking) => {
            let places = variants.iter().zip(&ranking.places);
            let places: Map<String, Value> =
                places.map(|(name, place)| (name.to_string(), json!(place))).collect();
            json!({ "places": places, "tie_term": ranking.tie_term, "basis": ranking.basis })
        }
        Err(error) => json!({ "missing": error.to_string() }),
    });
    let counts = gate_counts(&compared.contests).into_iter();
    let counts = counts.map(|(name, counts)| (name.to_string(), json!(counts)));
    json["gate"] = counts.collect::<Map<_, _>>().into();
    let is_identical = |contest: &&Contest| contest.fate == Fate::Identical;
    json["identical"] = json!(compared.contests.iter().filter(is_identical).count());
    let missing = job.missing.iter();
    json["missing"] = missing.map(|one| json!({ "id": &*one.case, "variant": &*one.variant })).collect();
    let mismatched = |one: &Mismatched| {
        let [a, b] = &one.variants;
        json!({ "id": &*one.case, "variants": [&**a, &**b], "reason": one.reason })
    };
    json["mismatched"] = job.mismatched.iter().map(mismatched).collect();
    json["skipped"] = json!(job.field.skipped);
    json["sequence"] = compared.stopped.map_or(Value::Null, |stopped| {
        json!({
            "decision": stopped.decision,
            "variant": &*job.field.variants[0],
            "win_rate": { "low": stopped.bounds.low, "high": stopped.bounds.high },
            "alpha": stopped.alpha,
            "margin": stopped.margin,
            "pairs_drawn": stopped.n_drawn,
            "pairs_left": stopped.n_left,
            "calls_saved": stopped.calls_saved,
        })
    });
    add_judge(json, &job.rubric, &compared.facts);
    json["comparisons"] = compared.contests.iter().map(Contest::to_json).collect();
}
