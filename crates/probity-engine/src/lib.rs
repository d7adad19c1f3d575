//! Probity's effects: settings, files, judges, the schedule of calls, and the store.
//!
//! Everything that can fail for reasons outside the data lives here. The figures come from
//! `probity-core`; this crate decides when it is asked and keeps what it is told.

pub mod config;
pub mod dialect;
pub mod fault_points;
pub mod input;
pub mod judge;
pub mod ledger;
pub mod review;
pub mod run;
pub mod schedule;
pub mod target;
