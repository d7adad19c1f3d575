//! Drawing the replies that people and a judge look at, so that what they say can be said of all.
//!
//! A [`Frame`] takes the records of an export one by one and keeps a few bytes of each. [`Frame::draw`] sets
//! near-identical tickets aside, spreads the draws over slices and draws in each. What each drawn ticket stands
//! for is recorded with it, so that [`production`] can say what the verdicts and labels mean for the whole export.
//!
//! What is not done here: no file is read, and no clock. A [`History`] says which replies earlier draws had; keeping
//! it is the caller's.
//!
//! What always holds: within a stratum every distinct ticket is equally likely to be drawn; the draw depends on
//! the seed, the draw's name and the tickets, never on the order in which they come; the draws add up to what
//! was asked for, or to all there are.

mod allocation;
mod draw;
mod history;
mod key;
mod near;
mod production;
mod written;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use allocation::{SliceLacks, Spread, TooSmall};
pub use draw::{Chosen, Design, DrawCounts, Drawn, DrawnStratum, Duplicates, Frame};
pub use history::{Again, BadHistory, History, NameTaken, reply_name};
pub use production::{LabelWork, Observed, Production, Said, production};
pub use written::case_line;

/// What cases are counted under that name no slice.
pub const NO_SLICE: &str = "(none)";

/// What the one stratum is called where there are more slices than draws.
pub const ALL: &str = "(all)";
