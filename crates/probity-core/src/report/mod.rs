//! What a run came to: one row per reply, and figures that add up.
//!
//! Rows are made one at a time and in the order of the input, so that a run of any size is reported in
//! bounded memory and the same store gives the same bytes. Nothing here renders; terminals, files and
//! pages show these values.

mod clusters;
mod customer_outcomes;
mod gate_tally;
mod history;
mod part;
mod patterns;
mod ranked;
mod repeats;
mod row;
mod self_agreement;
mod sensitivity;
mod summary;
mod target;
mod timeline;

#[cfg(test)]
mod properties;

pub use gate_tally::GateTally;
pub use history::{AnchorMove, Drift, DriftCause, Movement, Points, Track};
pub use ranked::RankedReply;
pub use row::NO_REPLY;
pub use summary::{Summary, SummaryBuilder, UnscoredCount, rubric_name};
pub(crate) use target::Ceiling;
pub use target::metric_name;
pub use timeline::{
    Anchor, AnchorRun, AnchorUse, Break, Bridge, Bridges, FALSE_ALARMS_MAX, FigureTrack, LeftOut,
    PastFigures, PastRun, Point, PointJudge, Series, Timeline, TrackedFigure, anchor_runs, timeline,
};
