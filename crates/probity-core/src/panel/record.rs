//! What was fitted to labels for a panel, as it is stored. It is part of the judge's identity.

use serde::{Deserialize, Serialize};

use super::jury::Jury;
use crate::sample::NO_SLICE;

/// What a cascade promises about what it decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// The least share that agrees with people.
    pub agreement: f64,
    /// The confidence of that promise, over random draws of labels.
    pub confidence: f64,
}

/// What labels made of a panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PanelRecord {
    /// Thresholds.
    Cascade(CascadeRecord),
    /// Weights.
    Jury(Jury),
}

/// The thresholds of a cascade. At least one of them is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CascadeRecord {
    /// What was promised.
    pub promise: Promise,
    /// The digest of the labels.
    pub labels: String,
    /// The slices with thresholds of their own, and last all others.
    pub groups: Vec<Group>,
    /// What became of labelled questions whose case the thresholds were not made from.
    pub seen: SeenElsewhere,
}

/// What became of labelled questions whose case the thresholds were not made from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeenElsewhere {
    /// Questions.
    pub n: u64,
    /// Those that were decided.
    pub decided: u64,
    /// Those of them that agree with people.
    pub right: u64,
    /// Those that each stage decided.
    pub by_stage: Vec<u64>,
}

/// The thresholds for cases of one slice, or of all slices without their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The slice; `None` for all others.
    pub slice: Option<String>,
    /// What each stage may decide.
    pub stages: Vec<StageTest>,
}

/// What a stage was shown to be right about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StageTest {
    /// The signal from which it decides; `None` where it may not.
    pub threshold: Option<f64>,
    /// Labelled cases at or above the threshold, or above the one that came nearest.
    pub n: u64,
    /// Those on which it agrees with people.
    pub n_right: u64,
    /// How often it agrees there, at least, at the level of the test.
    pub low: f64,
}

/// A record that is none.
#[derive(Debug, thiserror::Error)]
#[error("what labels made of the panel cannot be read: {0}")]
pub struct BadPanelRecord(#[source] serde_json::Error);

impl PanelRecord {
    /// Reads a record.
    pub fn read(text: &str) -> Result<PanelRecord, BadPanelRecord> {
        serde_json::from_str(text).map_err(BadPanelRecord)
    }

    /// The record as text. The same record is the same text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("numbers and texts can be written")
    }
}

impl CascadeRecord {
    /// The thresholds for cases of `slice`.
    pub fn group(&self, slice: Option<&str>) -> Option<&Group> {
        let own = |group: &&Group| group.slice.as_deref() == Some(slice.unwrap_or(NO_SLICE));
        self.groups.iter().find(own).or_else(|| self.groups.iter().find(|group| group.slice.is_none()))
    }

    /// Whether `stage` may decide a case of `slice` about which it is as sure as `signal` says.
    pub fn may_decide(&self, stage: usize, slice: Option<&str>, signal: f64) -> bool {
        let test = self.group(slice).and_then(|group| group.stages.get(stage));
        test.and_then(|test| test.threshold).is_some_and(|threshold| signal >= threshold)
    }

    /// The share of questions that are expected to come to `stage`: those that no stage before it decided of what was
    /// seen, and all where nothing was.
    pub fn reached(&self, stage: usize) -> f64 {
        let before: u64 = self.seen.by_stage.iter().take(stage).sum();
        if self.seen.n == 0 { 1.0 } else { 1.0 - before as f64 / self.seen.n as f64 }
    }

    /// Whether `stage` may decide anything.
    pub fn is_open(&self, stage: usize) -> bool {
        self.groups.iter().any(|group| group.stages.get(stage).is_some_and(|test| test.threshold.is_some()))
    }
}
