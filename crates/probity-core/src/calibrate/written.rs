//! A calibration as JSON. A figure that does not exist has no value and a reason.

use serde_json::{Map, Value, json};

use super::figures::{Figures, JudgeFigures};
use super::floor::Floors;
use super::people::People;
use super::replace::Replacement;
use super::whole::Calibration;
use crate::label::Scale;
use crate::stats::{Estimate, Undefined};

impl Calibration {
    /// The whole calibration. With one judge its figures stand at the top as well.
    pub fn to_json(&self) -> Value {
        let mut top = Map::new();
        let mut judges = Map::new();
        for (name, judge) in &self.judges {
            let figures = judge.to_map(&self.scale);
            if self.judges.len() == 1 {
                top.clone_from(&figures);
            }
            judges.insert(name.to_string(), figures.into());
        }
        top.insert("judges".into(), judges.into());
        let mut people = self.people.to_map(&self.scale);
        let slices = self.people_by_slice.iter();
        let slices = slices.map(|(name, people)| (name.to_string(), people.to_map(&self.scale).into()));
        people.insert("by_slice".into(), Value::Object(slices.collect()));
        top.insert("human_human".into(), people.into());
        top.insert("baselines".into(), floors_json(self.floors.as_ref(), &self.scale));
        top.insert("scale".into(), json!({ "kind": self.scale.kind().name(), "values": self.scale.names() }));
        top.insert("labels".into(), json!(self.labels));
        top.insert("policy".into(), self.policy_json());
        top.insert("seed".into(), self.counting.sampling.resampling.seed.into());
        top.insert("resamples".into(), self.counting.sampling.resampling.n_resamples.into());
        Value::Object(top)
    }

    fn policy_json(&self) -> Value {
        let counting = &self.counting;
        json!({
            "conflict": counting.policies.conflict.name(),
            "unparsed": counting.policies.unparsed.name(),
            "votes": counting.votes.name(),
            "ties": counting.ties.name(),
            "min_labels": counting.sampling.n_min,
            "weak_below": counting.weak_below,
        })
    }
}

impl JudgeFigures {
    fn to_map(&self, scale: &Scale) -> Map<String, Value> {
        let mut map = self.overall.to_map(scale);
        let parts = |parts: &std::collections::BTreeMap<std::sync::Arc<str>, Figures>| {
            let part = |(name, figures): (&std::sync::Arc<str>, &Figures)| {
                (name.to_string(), figures.to_map(scale).into())
            };
            Value::Object(parts.iter().map(part).collect())
        };
        map.insert("by_slice".into(), parts(&self.by_slice));
        map.insert("by_criterion".into(), parts(&self.by_criterion));
        map.insert("weak_slices".into(), self.weak_slices.iter().map(|name| Value::from(&**name)).collect());
        map.insert("without_verdict".into(), self.n_without_verdict.into());
        map.insert("replacement".into(), replacement_json(&self.replacement));
        map
    }
}

impl Figures {
    fn to_map(&self, scale: &Scale) -> Map<String, Value> {
        let k = scale.names().len();
        let cells = self.table.cells();
        let n = self.table.n();
        let mut map = Map::new();
        map.insert("n".into(), self.n_units.into());
        for (name, figure) in &self.figures {
            map.insert((*name).into(), figure_json(figure, self.n_units));
        }
        let error = self.table.cohen_standard_error().ok();
        let error = error.filter(|_| matches!(self.get("cohen_kappa"), Some(Ok(_))));
        map.insert("cohen_kappa_standard_error".into(), json!(error));
        let rows = scale.names().iter().map(String::as_str).chain(["unparsed"]).enumerate();
        let row = |row: usize| {
            let columns = scale.names().iter().enumerate();
            columns
                .map(|(column, name)| (name.clone(), json!(cells[row * k + column])))
                .collect::<Map<_, _>>()
        };
        let confusion = rows.map(|(place, name)| (name.to_owned(), row(place).into()));
        map.insert("confusion".into(), Value::Object(confusion.collect()));
        let share = |column: usize| {
            let count: f64 = (0..=k).map(|row| cells[row * k + column]).sum();
            (n > 0.0).then_some(count / n)
        };
        let shares =
            scale.names().iter().enumerate().map(|(column, name)| (name.clone(), json!(share(column))));
        map.insert("base_rate".into(), Value::Object(shares.collect()));
        map
    }
}

impl People {
    fn to_map(&self, scale: &Scale) -> Map<String, Value> {
        let n = self.n_units;
        let counts = |counts: &[u32]| {
            let counts = scale.names().iter().cloned().zip(counts.iter().map(|count| json!(count)));
            Value::Object(counts.collect())
        };
        let per_unit = self.ratings_per_unit.iter().map(|(n, units)| (n.to_string(), json!(units)));
        let pairs = self.pairs.iter().map(|pair| {
            let mut map = Map::new();
            map.insert("annotators".into(), json!([&*pair.annotators[0], &*pair.annotators[1]]));
            map.insert("n".into(), pair.n_units.into());
            for (name, figure) in &pair.figures {
                map.insert((*name).into(), figure_json(figure, pair.n_units));
            }
            Value::Object(map)
        });
        let agreement = self.agreement.ok_or(Undefined::Nothing);
        let fleiss = self.fleiss.as_ref().map_or(Err(Undefined::Nothing), |fleiss| fleiss.figure);
        let object = json!({
            "n": self.n_units,
            "annotators": self.n_annotators,
            "votes": counts(&self.votes),
            "labels": counts(&self.labels),
            "ratings_per_item": per_unit.collect::<Map<_, _>>(),
            "agreement": figure_json(&agreement, 0),
            "unanimous": figure_json(&self.unanimous.ok_or(Undefined::Nothing), 0),
            "krippendorff_alpha": figure_json(&self.alpha.nominal, n),
            "krippendorff_alpha_ordinal": figure_json(&self.alpha.ordinal, n),
            "krippendorff_alpha_interval": figure_json(&self.alpha.interval, n),
            "fleiss_kappa": figure_json(&fleiss, n),
            "fleiss_ratings": self.fleiss.as_ref().map(|fleiss| fleiss.n_ratings),
            "pairs": pairs.collect::<Vec<_>>(),
            "disjoint_pairs": self.n_disjoint_pairs,
        });
        match object {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

fn figure_json(figure: &Result<Estimate, Undefined>, n: u64) -> Value {
    match figure {
        Ok(estimate) => json!(estimate),
        Err(reason) => {
            let n = if let Undefined::TooFew { n, .. } = reason { *n } else { n };
            json!({ "value": null, "low": null, "high": null, "n": n, "reason": reason.to_string() })
        }
    }
}

fn floors_json(floors: Option<&Floors>, scale: &Scale) -> Value {
    let Some(floors) = floors else { return Value::Null };
    let mut constant = floors.constant.to_map(scale);
    constant.insert("says".into(), floors.constant_says.clone().into());
    let longer = floors.prefer_longer.as_ref().map(|figures| figures.to_map(scale));
    let baseline = floors.baseline.as_ref().map(|figures| {
        let mut map = figures.to_map(scale);
        let slices = floors.baseline_by_slice.iter();
        let slices = slices.map(|(name, figures)| (name.to_string(), figures.to_map(scale).into()));
        map.insert("by_slice".into(), Value::Object(slices.collect()));
        map
    });
    json!({ "constant": constant, "prefer_longer": longer, "baseline": baseline })
}

fn replacement_json(replacement: &Replacement) -> Value {
    let annotators = replacement.annotators.iter().map(|each| {
        json!({
            "annotator": &*each.annotator,
            "n": each.n,
            "judge_advantage": each.judge_advantage,
            "person_advantage": each.person_advantage,
            "p_value": each.p_value,
            "replaceable": each.replaceable,
        })
    });
    json!({
        "epsilon": replacement.epsilon,
        "winning_rate": replacement.winning_rate.ok(),
        "mean_advantage": replacement.mean_advantage.ok(),
        "allowed": replacement.allowed(),
        "reason": replacement.winning_rate.err().map(|reason| reason.to_string()),
        "annotators": annotators.collect::<Vec<_>>(),
    })
}
