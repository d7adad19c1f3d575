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

mod arms;
mod aspect;
mod base;
mod battery;
mod change;
mod expectation;
mod observation;
mod own;
mod probing;
mod record;
mod setting;
mod spec;
mod tally;
mod trial;
mod wordage;

pub use arms::Arms;
pub use aspect::{Aspect, AspectCriteria};
pub use base::{Base, Draw, Origin, shipped};
pub use battery::{Family, Probe, battery};
pub use change::{Change, Fence, Hiding, Plant};
pub use expectation::Expectation;
pub use observation::{Answer, Answers, Grade, Held, Observation};
pub use own::{OwnExpectation, OwnFile, OwnProbe, OwnReplies};
pub use probing::{BaseCounts, ProbeResult, Probing, Tolerance, battery_hash};
pub use record::{NotAProbing, ProbeLine, ProbeOutcome, ProbeRecord};
pub use setting::{NotProbed, Setting, Wording};
pub use spec::{read_battery, read_own};
pub use tally::{Figures, Tally};
pub use trial::{Pair, Repeat, Showing, Showings, Shown, Trial};

#[cfg(test)]
mod tests;
