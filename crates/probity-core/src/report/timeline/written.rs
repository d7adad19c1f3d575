//! A timeline as JSON.

use serde_json::{Value, json};

use super::{AnchorUse, FALSE_ALARMS_MAX, FigureTrack, Point, Series, Timeline};
use crate::report::history::{DriftCause, Movement};
use crate::stats::Repeated;

impl Movement {
    /// The name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Movement::Steady => "steady",
            Movement::Moved => "moved",
            Movement::TooFew => "too_few",
        }
    }
}

impl DriftCause {
    /// The name for programs.
    pub fn name(self) -> &'static str {
        match self {
            DriftCause::Nobody => "nobody",
            DriftCause::Judge => "judge",
            DriftCause::Replies => "replies",
            DriftCause::CannotTell => "cannot_tell",
        }
    }
}

impl Timeline {
    /// The whole timeline.
    pub fn to_json(&self) -> Value {
        let left_out = self.left_out.iter().map(|left| json!({ "run": left.run, "reason": left.reason }));
        json!({
            "false_alarms_max": FALSE_ALARMS_MAX,
            "series": self.series.iter().map(Series::to_json).collect::<Vec<_>>(),
            "left_out": left_out.collect::<Vec<_>>(),
            "notices": self.notices,
        })
    }
}

impl Series {
    fn to_json(&self) -> Value {
        let rubric = &self.rubric;
        json!({
            "command": self.command,
            "files": self.files,
            "rubric": { "name": rubric.name, "version": rubric.version, "hash": rubric.hash },
            "anchor": self.anchor.to_json(),
            "points": self.points.iter().map(Point::to_json).collect::<Vec<_>>(),
            "tracks": self.tracks.iter().map(FigureTrack::to_json).collect::<Vec<_>>(),
        })
    }
}

impl Point {
    fn to_json(&self) -> Value {
        json!({
            "run": self.run,
            "at": self.at.to_string(),
            "files": self.files,
            "judge": { "id": self.judge_id, "name": self.judge },
        })
    }
}

impl FigureTrack {
    fn to_json(&self) -> Value {
        let drift = &self.drift;
        let anchor = drift.anchor.map(|Repeated { change, p }| json!({ "change": change, "adjusted": p }));
        json!({
            "figure": self.figure.name(),
            "kind": self.figure.kind(),
            "values": self.values,
            "before": drift.before,
            "latest": drift.latest,
            "p": drift.p,
            "adjusted": drift.adjusted,
            "movement": drift.movement.name(),
            "cause": drift.cause.name(),
            "anchor": anchor,
        })
    }
}

impl AnchorUse {
    fn to_json(&self) -> Value {
        match self {
            AnchorUse::None => Value::Null,
            AnchorUse::Used { files, runs, n_replies } => {
                json!({ "files": files, "runs": runs, "replies": n_replies, "silent": null })
            }
            AnchorUse::Silent { files, reason } => json!({ "files": files, "silent": reason }),
        }
    }
}
