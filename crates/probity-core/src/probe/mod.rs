//! Whether a judge falls for known shortcuts: controlled changes to replies, and what they may not change.
//!
//! What always holds: a probe that could not be answered is never one that passed.

mod record;

pub use record::{NotAProbing, ProbeLine, ProbeOutcome, ProbeRecord};
