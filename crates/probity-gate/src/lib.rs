//! Text in, findings out: which replies a judge may see at all.
//!
//! [`gate`] screens one reply by rules that hold or do not; the modules before it are what it reads and writes:
//! cases, JSON as untrusted text, files that people write, exact numbers. Nothing here knows rubrics, judges or
//! figures. No clock, no files, no network. A module uses earlier ones only:
//!
//! ```text
//! exact, json, spelling -> case -> spec_file -> gate
//! ```
//!
#![doc = include_str!("../README.md")]

pub mod exact;
pub mod json;
mod named;
pub mod spelling;

pub mod case;
pub mod spec_file;

pub mod gate;
