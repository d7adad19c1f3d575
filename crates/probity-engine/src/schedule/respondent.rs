//! Judges and targets, as the schedule asks them.

pub use crate::judge::respondent::{Remedy, Respondent, Unusable};
