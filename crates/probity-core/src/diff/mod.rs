//! What changed between two runs of the same cases: pair by pair, with intervals and exact tests.
//!
//! A run is read back from the results file it wrote ([`RunResults`](crate::results::RunResults)). Replies are paired, and every figure is
//! about pairs: what the same cases came to before and after. Nothing here asks a judge or compares two texts.
//!
//! What always holds: no figure spans two rubrics; a reply that was not scored moves no rate and no mean; a run
//! against itself has no change; exchanging the runs negates every change.

mod definition;
mod detectable;
mod difference;
mod figures;
mod guardrail;
mod guardrail_file;
mod pairing;
mod written;

#[cfg(test)]
mod tests;

pub use definition::DefinitionChange;
pub use difference::{Advisory, Difference, Incomparable, difference};
pub use figures::{LevelChange, PartChange, PassChange};
pub(crate) use figures::{adjust_levels, adjust_passes, levels_moved, share_moved};
pub use guardrail::{Burden, Guarded, GuardedFigure, Guardrail, Kept, Limit, guarded};
pub use guardrail_file::read_guardrails;
pub use pairing::{Pair, PairedBy};
pub use written::DifferenceDocument;
