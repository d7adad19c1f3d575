//! What people said: labels, the files they stand in, and labels joined with verdicts.
//!
//! A [`LabelEntry`] is one row of a label file. Its canonical text tells whether a row was changed and gives a set of
//! labels one digest; its subject has the packet in it that the person was shown. [`sheet`] joins labels, verdicts and
//! facts about items into a [`Sheet`]: one scale, one unit per item and criterion, each with its votes and what judges
//! said about it.
//!
//! What is not done here: no file is read, and no figure is made.
//!
//! What always holds: a label is never made up or dropped in silence. An abstention is counted and is no vote; a
//! person who saw the verdict is left out; what cannot be joined is a fault with its row.

mod bound;
mod canonical;
mod entry;
mod frame;
mod join;
mod joined;
mod numbered;
mod pair;
mod rounds;
mod rows;
mod scale;
mod sheet;

pub use bound::{Named, unbound};
pub use canonical::{digest, quoted_cell, without_quote};
pub use entry::{LabelEntry, Spoken, VerdictEntry};
pub use frame::{FrameStratum, LabelFrame, LabelsShow};
pub use join::{Faults, InputFile, JoinOptions, NotBlind, Settling, SharedNames, sheet};
pub use joined::repeated;
pub use pair::{PairLabel, PairLabelRow, PairLabels};
pub(crate) use rows::{CASE, RowObject, SLICE, apart, missing, must_be};
pub use rows::{Fields, ItemFacts, ItemRow, RowFault};
pub use scale::{Scale, ScaleKind};
pub use sheet::{LabelCounts, Sheet};
pub(crate) use sheet::{OneLook, Unit, Verdict};
