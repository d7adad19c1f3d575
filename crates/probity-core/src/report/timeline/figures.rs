//! What a past run came to, as the store remembers it: the document of its command without rows.

use serde::Deserialize;

use crate::results::{JudgeRecord, RubricName, SummaryRecord};

/// What a run came to, by the command that made it.
#[derive(Debug, Clone, PartialEq)]
pub enum PastFigures {
    /// Of `run`.
    Scores(Box<SummaryRecord>),
    /// Of any other command: what its document says about agreement and probes.
    Other(Box<OtherFigures>),
}

/// The figures over time in the documents of `calibrate` and `probe`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct OtherFigures {
    rubric: RubricName,
    judge: JudgeRecord,
    coverage: Option<Coverage>,
    pub(super) agreement: Option<Agreement>,
    battery: String,
    pub(super) probes: Vec<ProbeShare>,
}

/// What could be judged and has a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
struct Coverage {
    judged: f64,
    n: f64,
}

/// How often the judge says what people say.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Agreement {
    pub(super) value: Option<f64>,
    pub(super) n: u64,
}

/// How often one probe fooled the judge.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ProbeShare {
    pub(super) name: String,
    pub(super) violations: Option<u64>,
    pub(super) bases: Option<u64>,
}

impl PastFigures {
    /// Reads the document that `command` wrote; `None` where it is of an unknown form.
    pub fn read(command: &str, document: &str) -> Option<PastFigures> {
        if command == "run" {
            return serde_json::from_str(document).ok().map(PastFigures::Scores);
        }
        let mut other: Box<OtherFigures> = serde_json::from_str(document).ok()?;
        other.agreement = other.agreement.filter(|_| command == "calibrate");
        other.probes.retain(|_| command == "probe");
        Some(PastFigures::Other(other))
    }

    pub(super) fn rubric(&self) -> &RubricName {
        match self {
            PastFigures::Scores(summary) => &summary.rubric,
            PastFigures::Other(other) => &other.rubric,
        }
    }

    pub(super) fn judge(&self) -> &JudgeRecord {
        match self {
            PastFigures::Scores(summary) => &summary.facts.judge,
            PastFigures::Other(other) => &other.judge,
        }
    }

    /// The share of what could be judged that has a verdict, where the run says so.
    pub(super) fn coverage(&self) -> Option<f64> {
        match self {
            PastFigures::Scores(summary) => summary.coverage.map(crate::exact::Exact::to_f64),
            PastFigures::Other(other) => other
                .coverage
                .filter(|coverage| coverage.n > 0.0)
                .map(|coverage| coverage.judged / coverage.n),
        }
    }

    /// A part of the run's definition by name.
    pub(super) fn part(&self, name: &str) -> Option<&str> {
        match self {
            PastFigures::Scores(summary) => summary.facts.definition.get(name).map(String::as_str),
            PastFigures::Other(_) => None,
        }
    }

    /// The battery of probes by its hash; empty where none was asked.
    pub(super) fn battery(&self) -> &str {
        match self {
            PastFigures::Scores(_) => "",
            PastFigures::Other(other) => &other.battery,
        }
    }
}
