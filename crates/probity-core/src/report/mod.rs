//! What a run came to: one row per reply, and figures that add up.
//!
//! Rows are made one at a time and in the order of the input, so that a run of any size is reported in
//! bounded memory and the same store gives the same bytes. Nothing here renders; terminals, files and
//! pages show these values.

mod confidence;
mod gate_tally;
mod history;
mod part;
mod patterns;
mod ranked;
mod repeats;
mod row;
mod sensitivity;
mod summary;
mod target;
mod timeline;

#[cfg(test)]
mod properties;

pub use gate_tally::{GateTally, RuleCount};
pub use history::{Drift, DriftCause, EARLIER_MIN, Movement, Points, Track, drifts};
pub use part::{CriterionSummary, Part, Totals};
pub use patterns::{FailurePattern, PatternKind, RecurringReason};
pub use ranked::RankedReply;
pub use repeats::Repeats;
pub use row::{GateOutcome, NO_REPLY, Outcome, ReplyResult, findings_json};
pub use sensitivity::Variation;
pub use summary::{Facts, JudgeFacts, Summary, SummaryBuilder, TargetFacts, UnscoredCount};
pub use target::{Ceiling, TargetResult, TargetState};
pub use timeline::{
    Anchor, AnchorUse, COVERAGE_MIN, FALSE_ALARMS_MAX, Figure, FigureTrack, LeftOut, Look, PastRun, Point,
    RubricName, Series, Timeline, anchor_runs, timeline,
};
