//! The runs of a store, or the one of a results file, as lists and pages show them.

pub(crate) mod list;
pub(crate) mod shown;

/// The level of the test for a pass rate that fell.
pub(crate) const FALL_ALPHA: f64 = 0.05;
