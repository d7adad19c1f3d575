//! Whether a judge may gate a release: a contract says what must be shown, evidence is compared with it, and what
//! was earned is bound to everything it was earned with.
//!
//! [`decide`] goes through a [`Contract`] in one fixed order and lists every requirement with its figure; nothing
//! is weighed against anything else. A [`StandingRecord`] can only be made from a [`Promotion`], and a promotion
//! only comes from a decision without an unmet requirement. A record that was read back is data: it counts as a
//! [`Standing`] after it was compared with the parts that are in use now, and never before.
//!
//! What is not done here: nothing is measured, no file is read and no clock; the moment comes with the evidence.
//!
//! What always holds: a figure that does not exist meets nothing, and a floor is compared with the lower end of
//! an interval, never against its middle.

mod contract;
mod decide;
mod decision;
mod evidence;
mod labels_needed;
mod lacking;
mod read;
mod record;
mod requirement;
mod standing;

pub use contract::{AgreementFloors, Answers, Contract, Floor, Kappa, SliceFloors};
pub use decide::decide;
pub use decision::{Check, Decision, Promotion};
pub use evidence::{
    Evidence, Gates, LabelCoverage, LabelledRows, MeasuredFigure, PeopleFigure, Seen, SliceEvidence,
};
pub(crate) use labels_needed::{LabelsNeeded, labels_needed};
pub use lacking::LabelGoal;
pub use read::{ContractReading, read};
pub use record::{Bound, Changed, Parts, StandingRecord, Withdrawn};
pub use requirement::Requirement;
pub use standing::{About, Standing, standing};

#[cfg(test)]
mod tests;
