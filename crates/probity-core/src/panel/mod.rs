//! Judges made of judges: a cascade, which asks the next one where one is not sure, and a jury, which lets all vote.
//!
//! What a member thinks is an [`Opinion`]: what most of its looks at a question say, and how sure they are of it, which
//! is the share of them or their own confidence ([`Signal`]). Thresholds of a cascade and weights of a jury come from labels alone and are kept as a [`PanelRecord`],
//! which is part of what the judge is.
//!
//! What is not done here: no judge is asked, and nothing is stored.
//!
//! What always holds: a stage decides only where its agreement with people was shown by labels, at the confidence that
//! was promised for the whole cascade; what no stage may decide is for a person. A jury that does not beat its best
//! member says so.

mod cascade;
mod jury;
mod opinion;
mod record;
mod reliability;
mod rows;

#[cfg(test)]
mod tests;

pub use cascade::{CascadeFit, Decided, HeldOut, Refusal, decided, fit_cascade};
pub use jury::{Jury, JuryFit, fit_jury};
pub use opinion::{Look, Looks, Opinion, Signal, opinion};
pub use record::{BadPanelRecord, CascadeRecord, Group, PanelRecord, Promise, SeenElsewhere, StageTest};
pub use reliability::{SignalBand, StageReliability, reliability};
pub use rows::{MemberLooks, PanelRow, panel_rows};

/// Parts that labels are split into, by case, to see what a panel is worth on cases that it was not made from.
const N_FOLDS: usize = 5;

/// The part that the case of this number is in, of `N_FOLDS`.
fn fold(cluster: usize) -> usize {
    // Cases are numbered in the order in which rows name them; neighbours are often alike.
    let mixed = (cluster as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    usize::try_from(mixed % N_FOLDS as u64).expect("a number below the number of folds")
}
