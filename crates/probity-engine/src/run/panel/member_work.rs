//! What one member of a panel is asked: the questions that those before it leave open, as part of the panel's run.

use std::collections::HashSet;
use std::fmt::Debug;
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
pub(super) struct MemberWork<W> {
    /// What the panel is asked.
    pub(super) work: W,
    /// The panel, whose run it is.
    pub(super) panel: JudgeId,
    /// The member's place.
    pub(super) member: usize,
    /// The number of the look.
    pub(super) repeat: u32,
    /// The packets that are still to be asked about.
    pub(super) open: Arc<HashSet<PacketHash>>,
}

/// What a panel is asked, held or borrowed.
pub(super) trait PanelWork: Debug + Send + Sync {
    /// It.
    fn work(&self) -> &dyn Work;
}

impl PanelWork for Arc<dyn Work> {
    fn work(&self) -> &dyn Work {
        &**self
    }
}

impl PanelWork for &dyn Work {
    fn work(&self) -> &dyn Work {
        *self
    }
}

impl<W: PanelWork> Work for MemberWork<W> {
    fn basis(&self) -> &Basis {
        self.work.work().basis()
    }

    fn asking(&self) -> &Asking {
        &self.work.work().asking().members()[self.member]
    }

    fn manifest(&self, _member: &JudgeId) -> Manifest {
        self.work.work().manifest(&self.panel)
    }

    fn repeat(&self) -> u32 {
        self.repeat
    }

    fn spec(&self, plan: &Plan) -> RunSpec {
        self.work.work().spec(plan)
    }

    fn record_cases(&self, store: &Store, run: RunId) -> Result<(), RunError> {
        self.work.work().record_cases(store, run)
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        self.work.work().units(&mut |unit| {
            let Unit::Asked { label, mut packets } = unit else { return take(unit) };
            packets.retain(|sized| self.open.contains(&sized.packet.hash()));
            take(if packets.is_empty() { Unit::NotAsked } else { Unit::Asked { label, packets } })
        })
    }
}
