//! The figures of one past run that a history follows. A missing figure is never made up.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::figures::{Agreement, PastFigures};
use crate::exact::Exact;
use crate::results::{ClusterCount, PartRecord, SummaryRecord};
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

    /// Whether it is a share, shown as a percentage.
    pub fn is_share(&self) -> bool {
        !matches!(self, Figure::Level(_))
    }
}

impl Serialize for Figure {
    /// Its name for people, and its kind for programs.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("figure", &self.name())?;
        map.serialize_entry("kind", self.kind())?;
        map.end()
    }
}

impl JsonSchema for Figure {
    fn schema_name() -> Cow<'static, str> {
        "Figure".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": { "figure": { "type": "string" }, "kind": { "type": "string" } },
            "required": ["figure", "kind"],
        })
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

    /// The same by case, where cases have several replies and the run gave the figure an interval.
    fn clustered(self, clusters: Option<&ClusterCount>, estimate: Option<Estimate>) -> Reading {
        match (clusters, estimate) {
            (Some(clusters), Some(estimate)) => {
                Reading::Clustered { reading: Box::new(self), estimate, n_cases: clusters.n }
            }
            _ => self,
        }
    }
}

/// The figures of a run.
pub(super) fn readings(figures: &PastFigures) -> Vec<(Figure, Reading)> {
    match figures {
        PastFigures::Scores(summary) => scores(summary),
        PastFigures::Other(other) => {
            let probes = other.probes.iter().filter_map(|probe| {
                let share = Reading::Share(probe.violations?, probe.bases?);
                Some((Figure::Probe(probe.name.clone()), share))
            });
            other.agreement.and_then(agreement).into_iter().chain(probes).collect()
        }
    }
}

fn scores(summary: &SummaryRecord) -> Vec<(Figure, Reading)> {
    let all = &summary.all;
    let mut found: Vec<(Figure, Reading)> = Vec::new();
    found.extend(pass_rate(all).map(|rate| (Figure::PassRate, rate)));
    for (criterion, figures) in all.criteria.iter() {
        let counts: Vec<(f64, u64)> = figures.levels().map(|(level, n)| (level as f64, n)).collect();
        if !counts.is_empty() {
            let (value, ends) = (figures.mean.map(Exact::to_f64), figures.low.zip(figures.high));
            let estimate = value.zip(ends);
            let estimate = estimate.map(|(value, (low, high))| Estimate { value, low, high, n: figures.n });
            let reading = Reading::Levels(counts).clustered(all.clusters.as_ref(), estimate);
            found.push((Figure::Level(criterion.to_owned()), reading));
        }
    }
    let slices = summary.by_slice.iter();
    found.extend(
        slices.filter_map(|(slice, part)| Some((Figure::SlicePassRate(slice.clone()), pass_rate(part)?))),
    );
    found
}

/// Passed out of rated, where the rubric has a pass rule.
fn pass_rate(part: &PartRecord) -> Option<Reading> {
    let rate = part.pass_rate?;
    let reading = Reading::Share(part.counts.passed, part.counts.rated());
    Some(reading.clustered(part.clusters.as_ref(), Some(rate)))
}

fn agreement(figure: Agreement) -> Option<(Figure, Reading)> {
    let (value, n) = (figure.value?, figure.n);
    let yes = (0..=n).find(|yes| *yes as f64 + 0.5 > value * n as f64)?;
    Some((Figure::Agreement, Reading::Share(yes, n)))
}
