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
pub enum TrackedFigure {
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

impl TrackedFigure {
    /// Its name for people.
    pub fn name(&self) -> String {
        match self {
            TrackedFigure::PassRate => "pass rate".to_owned(),
            TrackedFigure::SlicePassRate(slice) => format!("pass rate of {slice}"),
            TrackedFigure::Level(criterion) => criterion.clone(),
            TrackedFigure::Agreement => "agreement with people".to_owned(),
            TrackedFigure::Probe(probe) => format!("probe {probe}"),
        }
    }

    /// The kind's name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            TrackedFigure::PassRate => "pass_rate",
            TrackedFigure::SlicePassRate(_) => "slice_pass_rate",
            TrackedFigure::Level(_) => "level",
            TrackedFigure::Agreement => "agreement",
            TrackedFigure::Probe(_) => "probe",
        }
    }

    /// Whether it is a share, shown as a percentage.
    pub fn is_share(&self) -> bool {
        !matches!(self, TrackedFigure::Level(_))
    }
}

impl Serialize for TrackedFigure {
    /// Its name for people, and its kind for programs.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("figure", &self.name())?;
        map.serialize_entry("kind", self.kind())?;
        map.end()
    }
}

impl JsonSchema for TrackedFigure {
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
pub(super) enum PastValue {
    /// Yes out of n.
    Share(u64, u64),
    /// How often each level was given.
    Levels(Vec<(f64, u64)>),
    /// One of these over replies of which several answer one case.
    Clustered {
        reading: Box<PastValue>,
        /// The figure with the interval that the run gave it.
        estimate: Estimate,
        /// The cases that the replies answer.
        n_cases: u64,
    },
}

impl PastValue {
    /// The figure with its interval.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        match self {
            PastValue::Share(yes, n) => proportion(*yes, *n),
            PastValue::Levels(counts) => mean(counts),
            PastValue::Clustered { estimate, .. } => Some(*estimate),
        }
    }

    /// Yes out of n, where it is a share. Replies to one case count as one, whatever they have in common.
    pub(super) fn share(&self) -> Option<(u64, u64)> {
        match self {
            PastValue::Share(yes, n) => Some((*yes, *n)),
            PastValue::Levels(_) => None,
            PastValue::Clustered { reading, n_cases, .. } => {
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
            PastValue::Levels(counts) => counts.as_slice(),
            PastValue::Share(..) => &[],
            PastValue::Clustered { reading, n_cases, .. } => {
                let sample = reading.sample();
                return Sample { n: sample.n.min(*n_cases), ..sample };
            }
        };
        let each: Vec<Sample> =
            counts.iter().map(|(level, n)| Sample { n: *n, mean: *level, variance: 0.0 }).collect();
        Sample::pooled(&each).unwrap_or(Sample { n: 0, mean: 0.0, variance: 0.0 })
    }

    /// The same by case, where cases have several replies and the run gave the figure an interval.
    fn clustered(self, clusters: Option<&ClusterCount>, estimate: Option<Estimate>) -> PastValue {
        match (clusters, estimate) {
            (Some(clusters), Some(estimate)) => {
                PastValue::Clustered { reading: Box::new(self), estimate, n_cases: clusters.n }
            }
            _ => self,
        }
    }
}

/// The figures of a run.
pub(super) fn readings(figures: &PastFigures) -> Vec<(TrackedFigure, PastValue)> {
    match figures {
        PastFigures::Scores(summary) => scores(summary),
        PastFigures::Other(other) => {
            let probes = other.probes.iter().filter_map(|probe| {
                let share = PastValue::Share(probe.violations?, probe.bases?);
                Some((TrackedFigure::Probe(probe.name.clone()), share))
            });
            other.agreement.and_then(agreement).into_iter().chain(probes).collect()
        }
    }
}

fn scores(summary: &SummaryRecord) -> Vec<(TrackedFigure, PastValue)> {
    let all = &summary.all;
    let mut found: Vec<(TrackedFigure, PastValue)> = Vec::new();
    found.extend(pass_rate(all).map(|rate| (TrackedFigure::PassRate, rate)));
    for (criterion, figures) in all.criteria.iter() {
        let counts: Vec<(f64, u64)> = figures.levels().map(|(level, n)| (level as f64, n)).collect();
        if !counts.is_empty() {
            let (value, ends) = (figures.mean.map(Exact::to_f64), figures.low.zip(figures.high));
            let estimate = value.zip(ends);
            let estimate = estimate.map(|(value, (low, high))| Estimate { value, low, high, n: figures.n });
            let reading = PastValue::Levels(counts).clustered(all.clusters.as_ref(), estimate);
            found.push((TrackedFigure::Level(criterion.to_owned()), reading));
        }
    }
    let slices = summary.by_slice.iter();
    found.extend(
        slices.filter_map(|(slice, part)| {
            Some((TrackedFigure::SlicePassRate(slice.clone()), pass_rate(part)?))
        }),
    );
    found
}

/// Passed out of rated, where the rubric has a pass rule.
fn pass_rate(part: &PartRecord) -> Option<PastValue> {
    let rate = part.pass_rate?;
    let reading = PastValue::Share(part.counts.passed, part.counts.rated());
    Some(reading.clustered(part.clusters.as_ref(), Some(rate)))
}

fn agreement(figure: Agreement) -> Option<(TrackedFigure, PastValue)> {
    let (value, n) = (figure.value?, figure.n);
    let yes = (0..=n).find(|yes| *yes as f64 + 0.5 > value * n as f64)?;
    Some((TrackedFigure::Agreement, PastValue::Share(yes, n)))
}
