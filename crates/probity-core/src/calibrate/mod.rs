//! How far a judge may be believed: what it says against what people say, with people against each other as
//! the ceiling and judges that do not look as the floor.
//!
//! Rows of labels and verdicts become a [`Sheet`]: one scale, one unit per item and criterion, each with its
//! votes and what judges said about it. [`calibration`] makes figures of a sheet under a [`Counting`]; every
//! figure of judge against people is a figure of one table, drawn again by item.
//!
//! What is not done here: no file is read, and nothing is decided about what a judge may gate.
//!
//! What always holds: a label is never made up or dropped in silence. An abstention is counted and is no vote;
//! a person who saw the verdict is left out; where labels were adjudicated only those are held against a judge;
//! a figure that does not exist says why.

mod bound;
mod canonical;
mod counting;
mod entry;
mod figures;
mod floor;
mod join;
mod joined;
mod measures;
mod numbered;
mod people;
mod replace;
mod rounds;
mod scale;
mod sheet;
mod whole;
mod written;

pub use bound::{Named, unbound};
pub use canonical::{digest, quoted_cell};
pub use counting::{Counting, Ties, Votes};
pub use entry::{LabelEntry, Spoken, VerdictEntry};
pub use figures::{Figures, JudgeFigures};
pub use floor::Floors;
pub use join::{Faults, InputFile, JoinOptions, NotBlind, Settling, SharedNames, sheet};
pub use joined::repeated;
pub use people::{AnnotatorPair, FleissFigure, People};
pub use replace::{AnnotatorOutcome, Replacement};
pub use scale::{Scale, ScaleKind};
pub use sheet::{LabelCounts, Sheet};
pub use whole::{Calibration, calibration};

#[cfg(test)]
mod tests;
