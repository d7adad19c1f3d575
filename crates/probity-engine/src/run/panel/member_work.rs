//! What one member of a panel is asked: the questions that those before it leave open, as part of the panel's run.

use std::collections::HashSet;
use std::sync::Arc;

use probity_core::packet::PacketHash;

use super::super::RunError;
use super::super::asking::Asking;
use super::super::basis::Basis;
use super::super::plan::Plan;
use super::super::spec::RunSpec;
use super::super::work::{PassEnd, Unit, Work};
use crate::ledger::{JudgeId, Manifest, RunId, Store};

/// What a member is asked under one of its repeats.
#[derive(Debug)]
pub(super) struct MemberWork {
    /// What the panel is asked.
    pub(super) work: Arc<dyn Work>,
    /// The panel, whose run it is.
    pub(super) panel: JudgeId,
    /// The member's place.
    pub(super) member: usize,
    /// The number of the look.
    pub(super) repeat: u32,
    /// The packets that are still to be asked about.
    pub(super) open: Arc<HashSet<PacketHash>>,
}

impl Work for MemberWork {
    fn basis(&self) -> &Basis {
        self.work.basis()
    }

    fn asking(&self) -> &Asking {
        &self.work.asking().members()[self.member]
    }

    fn manifest(&self, _member: &JudgeId) -> Manifest {
        self.work.manifest(&self.panel)
    }

    fn repeat(&self) -> u32 {
        self.repeat
    }

    fn spec(&self, plan: &Plan) -> RunSpec {
        self.work.spec(plan)
    }

    fn record_cases(&self, store: &Store, run: RunId) -> Result<(), RunError> {
        self.work.record_cases(store, run)
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        self.work.units(&mut |unit| {
            let Unit::Asked { label, mut packets } = unit else { return take(unit) };
            packets.retain(|sized| self.open.contains(&sized.packet.hash()));
            take(if packets.is_empty() { Unit::NotAsked } else { Unit::Asked { label, packets } })
        })
    }
}
