//! Probity's effects: settings, files, judges, the schedule of calls, and the store.
//!
//! Everything that can fail for reasons outside the data lives here. The figures come from
//! `probity-core`; this crate decides when it is asked and keeps what it is told.
//!
//! A case file is read as it is, whatever its form; a record that cannot be used is data, with its reason:
//!
//! ```
//! use probity_engine::input::{Dataset, LoadOptions, Record};
//!
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("tickets.csv");
//! std::fs::write(&path, "id,question,answer\nt-1,Where is it?,On its way.\nt-2,,Sure.\n")?;
//! let dataset = Dataset::open(&[path], LoadOptions::default())?;
//! let mut lines = Vec::new();
//! for record in dataset.records()? {
//!     lines.push(match record? {
//!         Record::Entry { entry, .. } => format!("{}: {}", entry.case.id, entry.reply.text),
//!         Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => skipped.reason,
//!     });
//! }
//! assert_eq!(lines[0], "t-1: On its way.");
//! assert_eq!(lines[1], "Empty 'question' field");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod platform;

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
