//! Which replies are changed: a person's own that the gate admits, and shipped ones where those are too few.

use probity_core::gate::Gate;
use probity_core::probe::{Base, BaseDraw, BaseOrigin, shipped};
use probity_core::rubric::{ReferenceUse, Rubric};

use super::super::RunError;
use super::super::job::usable;
use super::Selection;
use crate::input::{Dataset, Skipped};

/// With fewer bases than this, shipped ones are added.
const BASES_MIN: usize = 30;

/// What was drawn.
pub(super) struct DrawnBases {
    /// A person's own first, each in the order of the draw.
    pub(super) bases: Vec<Base>,
    /// Records that cannot be used.
    pub(super) skipped: Vec<Skipped>,
    /// Replies that the gate blocks.
    pub(super) n_blocked: u64,
}

/// Draws the bases of a probing.
pub(super) fn drawn(
    dataset: Option<&Dataset>,
    rubric: &Rubric,
    gate: &Gate,
    selection: &Selection,
) -> Result<DrawnBases, RunError> {
    let mut drawn = DrawnBases { bases: Vec::new(), skipped: Vec::new(), n_blocked: 0 };
    if let Some(dataset) = dataset {
        let mut draw = BaseDraw::new(selection.n_bases, selection.seed);
        for record in usable(dataset, rubric)? {
            match record?.map(|(_, entry)| gate.screen(entry)) {
                Err(skipped) => drawn.skipped.push(skipped),
                Ok(Ok(admitted)) => draw.add(admitted.entry().clone(), BaseOrigin::Own),
                Ok(Err(_)) => drawn.n_blocked += 1,
            }
        }
        drawn.bases = draw.bases();
    }
    let n_more = selection.n_bases.min(BASES_MIN).saturating_sub(drawn.bases.len());
    let needs_reference = rubric.criteria().iter().any(|one| one.reference == ReferenceUse::Required);
    // Shipped bases have no reference reply.
    if n_more > 0 && !needs_reference {
        let mut draw = BaseDraw::new(n_more, selection.seed);
        for entry in shipped() {
            match gate.screen(entry) {
                Ok(admitted) => draw.add(admitted.entry().clone(), BaseOrigin::Shipped),
                Err(_) => drawn.n_blocked += 1,
            }
        }
        drawn.bases.extend(draw.bases());
    }
    if drawn.bases.is_empty() && selection.own.probes.is_empty() {
        return Err(RunError::NoBase { n_blocked: drawn.n_blocked, n_skipped: drawn.skipped.len() as u64 });
    }
    Ok(drawn)
}
