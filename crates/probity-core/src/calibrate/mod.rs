//! How far a judge may be believed: what it says against what people say, with people against each other as
//! the ceiling and judges that do not look as the floor.
//!
//! [`calibration`] makes figures of a sheet of labels and verdicts under a [`Counting`]; every figure of judge against
//! people is a figure of one table, drawn again by item.
//!
//! What is not done here: no file is read, and nothing is decided about what a judge may gate.
//!
//! What always holds: where labels were adjudicated only those are compared with a judge, and a figure that does not
//! exist says why.

mod counting;
mod figures;
mod floor;
mod measures;
mod observed;
mod people;
mod replace;
mod whole;
mod written;

pub use counting::{Counting, Ties, Votes};
pub use figures::{Figures, HeldUnit, JudgeFigures};
pub use floor::Floors;
pub use people::{AnnotatorPair, FleissFigure, People};
pub use replace::{AnnotatorOutcome, Replacement};
pub use whole::{Calibration, calibration};

#[cfg(test)]
mod tests;
