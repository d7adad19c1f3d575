//! The figures of one past run, read back from what it said of itself.
//!
//! A run's document may be of an earlier version of the program: a figure that it does not have is not there, and
//! is never made up.

use serde_json::{Map, Value};

use crate::stats::{Estimate, Sample, mean, proportion};

/// What a figure is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// The share of replies that pass.
    PassRate,
    /// The mean level of one criterion.
    Level(String),
    /// The share that passes in one slice.
    SlicePassRate(String),
    /// How often the judge says what people say.
    Agreement,
    /// How often one probe fools the judge.
    Probe(String),
}

impl Figure {
    /// Its name for people.
    pub fn name(&self) -> String {
        match self {
            Figure::PassRate => "pass rate".to_owned(),
            Figure::SlicePassRate(slice) => format!("pass rate of {slice}"),
            Figure::Level(criterion) => criterion.clone(),
            Figure::Agreement => "agreement with people".to_owned(),
            Figure::Probe(probe) => format!("probe {probe}"),
        }
    }

    /// The kind's name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Figure::PassRate => "pass_rate",
            Figure::SlicePassRate(_) => "slice_pass_rate",
            Figure::Level(_) => "level",
            Figure::Agreement => "agreement",
            Figure::Probe(_) => "probe",
        }
    }

    /// Whether it is a share, which is shown in per cent.
    pub fn is_share(&self) -> bool {
        !matches!(self, Figure::Level(_))
    }
}

/// What a figure was.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reading {
    /// Yes out of n.
    Share(u64, u64),
    /// How often each level was given.
    Levels(Vec<(f64, u64)>),
    /// One of these over replies of which several answer one case.
    Clustered {
        reading: Box<Reading>,
        /// The figure with the interval that the run gave it.
        estimate: Estimate,
        /// The cases that the replies answer.
        n_cases: u64,
    },
}

impl Reading {
    /// The figure with its interval.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        match self {
            Reading::Share(yes, n) => proportion(*yes, *n),
            Reading::Levels(counts) => mean(counts),
            Reading::Clustered { estimate, .. } => Some(*estimate),
        }
    }

    /// Yes out of n, where it is a share. Replies to one case count as one, whatever they have in common.
    pub(super) fn share(&self) -> Option<(u64, u64)> {
        match self {
            Reading::Share(yes, n) => Some((*yes, *n)),
            Reading::Levels(_) => None,
            Reading::Clustered { reading, n_cases, .. } => {
                let (yes, n) = reading.share()?;
                let n_cases = (*n_cases).min(n);
                let [yes, of, cases] = [yes, n, n_cases].map(u128::from);
                // To the nearest whole number of cases.
                let yes = (2 * yes * cases + of).checked_div(2 * of)?;
                Some((u64::try_from(yes).ok()?, n_cases))
            }
        }
    }

    /// Levels summed up; nothing where it is a share. Replies to one case count as one.
    pub(super) fn sample(&self) -> Sample {
        let counts = match self {
            Reading::Levels(counts) => counts.as_slice(),
            Reading::Share(..) => &[],
            Reading::Clustered { reading, n_cases, .. } => {
                let sample = reading.sample();
                return Sample { n: sample.n.min(*n_cases), ..sample };
            }
        };
        let each: Vec<Sample> =
            counts.iter().map(|(level, n)| Sample { n: *n, mean: *level, variance: 0.0 }).collect();
        Sample::pooled(&each).unwrap_or(Sample { n: 0, mean: 0.0, variance: 0.0 })
    }
}

impl Reading {
    /// The same by case, where `part` says that cases have several replies, with the interval that stands in
    /// `ends`.
    fn clustered(self, part: &Value, value: &Value, ends: &Value) -> Reading {
        let estimate = || {
            let [low, high] = ["low", "high"].map(|end| ends[end].as_f64());
            Some(Estimate { value: value.as_f64()?, low: low?, high: high?, n: ends["n"].as_u64()? })
        };
        match (part["clusters"]["n"].as_u64(), estimate()) {
            (Some(n_cases), Some(estimate)) => {
                Reading::Clustered { reading: Box::new(self), estimate, n_cases }
            }
            _ => self,
        }
    }
}

/// The figures of a run by `command` that said `body` of itself.
pub(super) fn readings(command: &str, body: &Value) -> Vec<(Figure, Reading)> {
    match command {
        "run" => scores(body),
        "calibrate" => agreement(body).into_iter().collect(),
        "probe" => probes(body),
        _ => Vec::new(),
    }
}

fn scores(body: &Value) -> Vec<(Figure, Reading)> {
    let mut found: Vec<(Figure, Reading)> = Vec::new();
    found.extend(pass_rate(body).map(|rate| (Figure::PassRate, rate)));
    for (criterion, figures) in members(&body["criteria"]) {
        let counts = members(&figures["levels"]);
        let counts = counts.filter_map(|(level, n)| Some((level.parse().ok()?, n.as_u64()?)));
        let counts: Vec<(f64, u64)> = counts.collect();
        if !counts.is_empty() {
            let reading = Reading::Levels(counts).clustered(body, &figures["mean"], figures);
            found.push((Figure::Level(criterion.clone()), reading));
        }
    }
    let slices = members(&body["by_slice"]);
    let slices = slices
        .filter_map(|(slice, part)| pass_rate(part).map(|rate| (Figure::SlicePassRate(slice.clone()), rate)));
    found.extend(slices);
    found
}

/// Passed out of rated, where the rubric has a pass rule.
fn pass_rate(part: &Value) -> Option<Reading> {
    if part["pass_rate"].is_null() {
        return None;
    }
    let count = |name: &str| part[name].as_u64();
    let passed = count("passed")?;
    let reading = Reading::Share(passed, passed + count("failed")? + count("blocked")?);
    Some(reading.clustered(part, &part["pass_rate"]["value"], &part["pass_rate"]))
}

fn agreement(body: &Value) -> Option<(Figure, Reading)> {
    let figure = &body["agreement"];
    let (value, n) = (figure["value"].as_f64()?, figure["n"].as_u64()?);
    let yes = (0..=n).find(|yes| *yes as f64 + 0.5 > value * n as f64)?;
    Some((Figure::Agreement, Reading::Share(yes, n)))
}

fn probes(body: &Value) -> Vec<(Figure, Reading)> {
    let each = body["probes"].as_array().into_iter().flatten();
    let reading = |probe: &Value| {
        let share = Reading::Share(probe["violations"].as_u64()?, probe["bases"].as_u64()?);
        Some((Figure::Probe(probe["name"].as_str()?.to_owned()), share))
    };
    each.filter_map(reading).collect()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}
