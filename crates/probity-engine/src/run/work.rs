//! What a run needs to know of the work it does: units with packets, in an order that never changes.
//!
//! Scoring replies, comparing them and probing a judge are kinds of work. Planning, asking, recording and resuming are
//! the same for all and know nothing beyond this.

use std::fmt::Debug;
use std::sync::Arc;

use probity_core::packet::Packet;

use super::asking::{Asking, SizedPacket};
use super::calling::Over;
use super::early::Early;
use crate::judge::{Prompt, Question};
use crate::load::{LoadError, Skipped};
use crate::store::{JudgeId, Manifest, Store};

/// Packets that a judge is to be asked about.
pub trait Work: Debug + Send + Sync {
    /// Who is asked, and how.
    fn asking(&self) -> &Asking;
    /// The work's name for people, such as the names of its files.
    fn name(&self) -> &str;
    /// What defines the run under the judge `id`.
    fn manifest(&self, id: &JudgeId) -> Manifest;
    /// The number under which packets are asked about and settled. Work that asks the same again has another one.
    fn repeat(&self) -> u32 {
        0
    }
    /// One pass over all units. Every pass gives the same ones.
    fn units(&self) -> Result<Units<'_>, LoadError>;

    /// A pass for whoever wants the first units only, and at once.
    fn first_units(&self) -> Result<Units<'_>, LoadError> {
        self.units()
    }

    /// Whether every fault of the input is known by now. Where it is not, planning may find one, and nothing is
    /// asked before that.
    fn is_checked(&self) -> bool {
        false
    }

    /// Begins with the results while the last calls to `judge` are under way, until they are `over`.
    fn meanwhile(&self, _store: &Store, _judge: &JudgeId, _over: &Over) -> Option<Early> {
        None
    }

    /// Gives each unit to `take`, until there are no more or one of them is an error. A work that can read
    /// ahead does so here.
    fn each_unit(&self, take: &mut dyn FnMut(Unit)) -> Result<(), LoadError> {
        self.units()?.try_for_each(|unit| unit.map(&mut *take))
    }
}

/// One pass over the units of a work.
pub type Units<'a> = Box<dyn Iterator<Item = Result<Unit, LoadError>> + 'a>;

/// What one step of a work comes to: a reply, or a pair of them.
#[derive(Debug)]
pub enum Unit {
    /// These packets ask about it.
    Asked {
        /// What it is called on this side of the judge.
        label: UnitLabel,
        /// One per call.
        packets: Vec<SizedPacket>,
    },
    /// Nothing is asked about it: the gate has decided, or there is nothing to decide.
    NotAsked,
    /// There is no reply to ask about: the target gave none.
    NoReply,
    /// The record cannot be used.
    Skipped(Skipped),
}

/// Names a unit for whoever looks up what was recorded. It is never sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitLabel {
    /// The case.
    pub case_id: String,
    /// What wrote the reply, where it is about one.
    pub variant: Option<String>,
}

impl UnitLabel {
    /// What a judge is asked about one packet of the unit.
    pub fn question(&self, packet: Arc<Packet>, prompt: Prompt) -> Question {
        Question { packet, prompt, case_id: self.case_id.clone(), variant: self.variant.clone() }
    }
}
