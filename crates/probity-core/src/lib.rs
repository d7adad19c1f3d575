//! Probity's pure half: values in, values out.
//!
//! No clock, no files, no network, no runtime and no environment. A reply flows one way through the
//! stages below, in this order; a stage uses what earlier stages produced and never what later ones do.
//! Cases and the gate are a crate below this one, statistics another; both are named here as modules.
//!
//! ```text
//! case -> gate -> rubric -> packet -> verdict -> score -> label -> compare -> probe, calibrate -> panel -> promote -> results -> diff -> report -> succeed -> review
//! ```

pub use probity_gate::{case, exact, gate, json, named, spec_file, spelling};
pub use probity_stats as stats;

pub mod sample;

pub mod rubric;

pub mod packet;
pub mod verdict;

pub mod score;

pub mod label;

pub mod compare;

pub mod probe;

pub mod calibrate;

pub mod panel;

pub mod promote;

pub mod results;

pub mod diff;

pub mod report;

pub mod succeed;

pub mod review;
