//! How many labels, and where, make the corrected share as sure as somebody wants it.

use super::super::one_sided::student_point;
use super::super::{Z_95, whole};
use super::{NotCorrected, Sample, Stratum, is_better_than_chance};

/// The most labels that a plan asks for.
const LABELS_MAX: u64 = 1_000_000;

/// How sure the corrected share is to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// Half the width of its 95 % interval, above 0.
    pub half_width: f64,
}

/// What it takes.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelPlan {
    /// This many labels in all, by stratum, those that are there included.
    Labels(Vec<u64>),
    /// No number of labels: what the judge says about so few items is itself less sure than that. The sample
    /// has to be more than this many times as large.
    Items {
        /// How many times, at least 1.
        times: f64,
    },
}

/// The labels that bring the interval of the corrected share to `wanted`, spread over strata by how much each
/// weighs and how often the judge errs in it (Neyman 1934). Rates of error are those of the labels seen, over
/// all strata.
pub fn label_plan(strata: &[Stratum], wanted: Wanted) -> Result<LabelPlan, NotCorrected> {
    let sample = Sample(strata);
    if !is_better_than_chance(sample.errors()?) {
        return Err(NotCorrected::NoBetterThanChance);
    }
    let of = |verdict| sample.passed_of(verdict).ok_or(NotCorrected::OneAnswer);
    let [of_failed, of_passed] = [of(0)?.with(0.5), of(1)?.with(0.5)];
    let slope = of_passed.value - of_failed.value;
    let all: f64 = strata.iter().map(|stratum| stratum.share).sum();
    let spread = |stratum: &Stratum| {
        let passed = stratum.said(1) as f64 / stratum.n().max(1) as f64;
        let left = passed * of_passed.value * (1.0 - of_passed.value)
            + (1.0 - passed) * of_failed.value * (1.0 - of_failed.value);
        (stratum.share / all) * left.sqrt()
    };
    let fixed: f64 = strata.iter().map(|stratum| slope * slope * said_variance(stratum, all)).sum();
    let spreads: Vec<f64> = strata.iter().map(spread).collect();
    let total: f64 = spreads.iter().sum();
    let most = wanted.half_width / Z_95;
    if most * most <= fixed {
        return Ok(LabelPlan::Items { times: fixed / (most * most) });
    }
    let is_enough = |n: u64| {
        let half = student_point(0.975, n - 2) * (total * total / n as f64 + fixed).sqrt();
        half <= wanted.half_width
    };
    // The half-width falls with every label, so the first number that is enough can be halved in on.
    let (mut few, mut enough) = (2, LABELS_MAX);
    while enough - few > 1 {
        let middle = u64::midpoint(few, enough);
        if is_enough(middle) { enough = middle } else { few = middle }
    }
    let n = enough as f64;
    let labels = strata.iter().zip(spreads).map(|(stratum, spread)| {
        let share = if total > 0.0 { n * spread / total } else { 0.0 };
        whole(share.ceil()).max(stratum.n_labelled())
    });
    Ok(LabelPlan::Labels(labels.collect()))
}

/// The variance that a stratum's judged share adds to that of the population.
fn said_variance(stratum: &Stratum, all: f64) -> f64 {
    let n = stratum.n().max(1) as f64;
    let passed = stratum.said(1) as f64 / n;
    (stratum.share / all).powi(2) * passed * (1.0 - passed) / n
}
