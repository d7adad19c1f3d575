//! Whether a judge falls for known shortcuts and sees planted faults: controlled changes to replies, and what they
//! may not or must change.
//!
//! A probe is a change with an expectation. From each base, an admitted reply, it makes a control and a treatment;
//! what the judge says about both becomes an observation, and the observations of all bases a figure with an
//! interval. Where a change adds text, the control gets neutral text of the same length, so that length is
//! never what is measured, except by the probes about length.
//!
//! Nothing here asks a judge or makes a packet. What always holds: a probe that could not be answered is never one
//! that passed, and no float decides whether a reply rose.

mod aspect;
mod base;
mod battery;
mod change;
mod expectation;
mod observation;
mod own;
mod probing;
mod record;
mod recorded;
mod replies;
mod tally;
mod task;
mod trial;
mod wordage;

pub use aspect::{Aspect, AspectCriteria};
pub use base::{Base, BaseDraw, BaseOrigin, shipped};
pub use battery::{Family, Probe, battery};
pub use change::{Change, Fence, Hiding, Plant};
pub use expectation::Expectation;
pub use observation::{ArmAnswer, Effect, Observation, ReplyGrade};
pub use own::{OwnExpectation, OwnFile, OwnProbe, OwnReplies, read_own};
pub use probing::{BaseCounts, ProbeResult, Probing, Tolerance, battery_hash};
pub use record::{NotAProbing, ProbeLine, ProbeOutcome, ProbeRecord};
pub use recorded::{JudgeRecords, RecordedBattery, ScoredReply};
pub use replies::ArmReplies;
pub use tally::{ProbeFigures, ProbeTally};
pub use task::{JudgeTask, NotProbed, RubricOrder};
pub use trial::{Arm, Arms, ProbeTrial, Repeat, Stimulus, SwappedPair};

#[cfg(test)]
mod tests;
