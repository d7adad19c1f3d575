//! Probity's pure half: values in, values out.
//!
//! No clock, no files, no network, no runtime and no environment. A reply flows one way through the
//! stages below, in this order; a stage uses what earlier stages produced and never what later ones do.
//!
//! ```text
//! case -> gate -> rubric -> packet -> verdict -> score / compare -> probe, calibrate -> promote -> results -> diff -> report -> review
//! ```

pub mod exact;
pub mod json;
pub mod spelling;
pub mod stats;

pub mod case;
pub mod spec_file;

pub mod sample;

pub mod gate;
pub mod rubric;

pub mod packet;
pub mod verdict;

pub mod score;

pub mod compare;

pub mod probe;

pub mod calibrate;

pub mod promote;

pub mod results;

pub mod diff;

pub mod report;

pub mod review;
