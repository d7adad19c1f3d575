//! What a run came to: one row per reply, and figures that add up.
//!
//! Rows are made one at a time and in the order of the input, so that a run of any size is reported in
//! bounded memory and the same store gives the same bytes. Nothing here renders; terminals, files and
//! pages show these values.

mod confidence;
mod gate_tally;
mod history;
mod row;
mod summary;

#[cfg(test)]
mod properties;

pub use gate_tally::{GateTally, RuleCount};
pub use history::{Drift, DriftCause, EARLIER_MIN, Movement, Points, Track, drifts};
pub use row::{GateOutcome, Outcome, ReplyResult, findings_json};
pub use summary::{
    Ceiling, CriterionSummary, Facts, JudgeFacts, Summary, SummaryBuilder, TargetResult, UnscoredCount,
    WorstReply,
};
