//! Figures as JSON. A figure that does not exist is `null`, never a number.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::adjusted::{Fits, LengthFits};
use super::figures::{AgreementFigures, Figures, VariantFigures};
use super::judges::{Comparison, JudgeFigures, ReviewItem};
use super::length::{Controlled, LengthError};
use super::outcome::Status;

/// The win rates at equal length, each named after the terms of its model beside that of the variant.
const LENGTH_FIGURES: [&str; 3] =
    ["length_difficulty_win_rate", "length_slice_win_rate", "length_only_win_rate"];

impl Comparison {
    /// The whole comparison. With one judge its figures stand at the top as well; with several, only their
    /// counts do, because verdicts of different judges are not one sample.
    pub fn to_json(&self) -> Value {
        let mut top = Map::new();
        match self.judges.values().collect::<Vec<_>>()[..] {
            [only] => top = only.to_map(),
            ref several => {
                let sum = |of: &dyn Fn(&Figures) -> u64| {
                    several.iter().map(|judge| of(&judge.overall)).sum::<u64>()
                };
                top.insert("pairs".into(), sum(&|figures| figures.counts.n_pairs).into());
                top.insert("judged".into(), sum(&|figures| figures.counts.n_judged()).into());
                let status = |status| sum(&|figures| figures.counts.of(status));
                top.insert("status".into(), status_json(status));
                for name in ["win_rate", "first_slot_lean", "by_slice"].into_iter().chain(LENGTH_FIGURES) {
                    top.insert(name.into(), Value::Null);
                }
                top.insert("policy".into(), json!(self.policies));
            }
        }
        let judges =
            self.judges.iter().map(|(name, judge)| (name.to_string(), Value::Object(judge.to_map())));
        top.insert("judges".into(), Value::Object(judges.collect()));
        top.insert(
            "people".into(),
            self.people.as_ref().map_or(Value::Null, |people| people.to_map().into()),
        );
        let tests = self.judge_tests.iter().map(|test| {
            json!({ "judges": [&*test.judges[0], &*test.judges[1]], "items": test.n_items, "mcnemar": test.test })
        });
        top.insert("judge_tests".into(), tests.collect());
        top.insert("review".into(), self.review.iter().map(review_json).collect());
        top.insert("seed".into(), self.resampling.seed.into());
        top.insert("resamples".into(), self.resampling.n_resamples.into());
        Value::Object(top)
    }
}

impl JudgeFigures {
    fn to_map(&self) -> Map<String, Value> {
        let mut map = self.overall.to_map();
        let slices = self.by_slice.iter().map(|(name, figures)| (name.to_string(), figures.to_map().into()));
        map.insert("by_slice".into(), Value::Object(slices.collect()));
        let LengthFits { with_difficulty, with_slices, length_only } = &self.at_equal_length;
        let mut missing = Map::new();
        for (name, fits) in LENGTH_FIGURES.into_iter().zip([with_difficulty, with_slices, length_only]) {
            map.insert(name.into(), fits_json(fits));
            let why = |(name, fitted): (&Arc<str>, &Result<Controlled, LengthError>)| {
                fitted.as_ref().err().map(|why| (name.to_string(), why.to_string().into()))
            };
            let reasons: Map<String, Value> = fits.iter().filter_map(why).collect();
            if !reasons.is_empty() {
                missing.insert(name.to_owned(), reasons.into());
            }
        }
        map.insert("length_missing".into(), missing.into());
        map
    }
}

/// The rate of each variant, null where there is none.
fn fits_json(fits: &Fits) -> Value {
    let rate =
        |fitted: &Result<Controlled, LengthError>| fitted.as_ref().map_or(Value::Null, |fit| json!(fit.rate));
    Value::Object(fits.iter().map(|(name, fitted)| (name.to_string(), rate(fitted))).collect())
}

impl Figures {
    /// The figures as the members of an object.
    pub(crate) fn to_map(&self) -> Map<String, Value> {
        let Figures { policies, counts, rates, .. } = self;
        let by_variant = |figure: &dyn Fn(&VariantFigures) -> Value| {
            Value::Object(self.variants.iter().map(|(name, each)| (name.to_string(), figure(each))).collect())
        };
        let object = json!({
            "pairs": counts.n_pairs,
            "judged": counts.n_judged(),
            "cases": counts.n_cases,
            "status": status_json(|status| counts.of(status)),
            "unparsed": { "pairs": counts.of(Status::Unscored), "calls": counts.n_unparsed_calls },
            "policy": policies,
            "win_rate": by_variant(&|each| json!(each.win_rate)),
            "decisive_win_rate": by_variant(&|each| json!(each.decisive_win_rate)),
            "variants": by_variant(&|each| json!(each)),
            "tie_rate": rates.tie_rate,
            "instability_rate": rates.instability_rate,
            "consistency": rates.consistency,
            "first_slot_lean": rates.first_slot_lean,
            "first_slot_rate": rates.first_slot_rate,
            "second_slot_rate": rates.second_slot_rate,
            "prefers_longer": { "passes": rates.longer_by_pass, "results": rates.longer_by_result },
            "order_test": self.order_test,
            "order_cohen_kappa": self.order_kappas.cohen,
            "agreement": self.agreement.as_ref().map(agreement_json),
        });
        match object {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

fn review_json(item: &ReviewItem) -> Value {
    json!({
        "judge": &*item.judge,
        "item": &*item.item,
        "slice": item.slice.as_deref(),
        "variants": [&*item.variants[0], &*item.variants[1]],
        "status": item.status.name(),
    })
}

fn status_json(count: impl Fn(Status) -> u64) -> Value {
    Value::Object(
        Status::ALL.iter().map(|status| (status.name().to_owned(), count(*status).into())).collect(),
    )
}

fn agreement_json(figures: &AgreementFigures) -> Value {
    json!({
        "value": figures.agreement.map(|estimate| estimate.value),
        "low": figures.agreement.map(|estimate| estimate.low),
        "high": figures.agreement.map(|estimate| estimate.high),
        "n": figures.agreement.map_or(0, |estimate| estimate.n),
        "order_ab": figures.order_ab,
        "order_ba": figures.order_ba,
        "both_orders": figures.both_orders,
        "cohen_kappa": figures.kappas.cohen,
        "scott_pi": figures.kappas.scott,
        "order_ab_cohen_kappa": figures.kappas_ab.cohen,
        "order_ba_cohen_kappa": figures.kappas_ba.cohen,
    })
}
