//! What a run needs to know of the work it does: units with packets, in an order that never changes.
//!
//! Scoring replies, comparing them and probing a judge are kinds of work. Planning, asking, recording and resuming are
//! the same for all and know nothing beyond this.

use std::fmt::Debug;
use std::sync::Arc;

use probity_core::packet::Packet;

use super::RunError;
use super::asking::{Asking, SizedPacket};
use super::basis::{Basis, manifest};
use super::plan::Plan;
use super::spec::RunSpec;
use crate::input::Skipped;
use crate::judge::{Prompt, Question};
use crate::ledger::{JudgeId, Manifest, RunId, Store};

/// Packets that a judge is to be asked about.
pub trait Work: Debug + Send + Sync {
    /// What it is made of beside its cases.
    fn basis(&self) -> &Basis;
    /// What defines the run under the judge `id`.
    fn manifest(&self, id: &JudgeId) -> Manifest;
    /// One pass: gives each unit to `take`. Every pass gives the same ones in the same order.
    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd>;

    /// Who is asked, and how.
    fn asking(&self) -> &Asking {
        &self.basis().asking
    }
    /// The work's name for people, such as the names of its files.
    fn name(&self) -> &str {
        &self.basis().name
    }
    /// The number under which packets are asked about and settled. Work that asks the same again has another one.
    fn repeat(&self) -> u32 {
        0
    }
    /// What the run is made of but its cases.
    fn spec(&self, _plan: &Plan) -> RunSpec {
        self.basis().spec()
    }
    /// Puts the cases into the record of `run`, where its results are made of them again.
    fn record_cases(&self, _store: &Store, _run: RunId) -> Result<(), RunError> {
        Ok(())
    }
}

/// What a judge is asked that takes the place of another: the same as ever, as a run of its own.
#[derive(Debug)]
pub struct SuccessionWork {
    /// What is asked.
    pub work: Arc<dyn Work>,
    /// Whose place is taken.
    pub from: JudgeId,
}

impl Work for SuccessionWork {
    fn basis(&self) -> &Basis {
        self.work.basis()
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        let Manifest { name, mut parts, .. } = self.work.manifest(id);
        let about = name.split_once(' ').map_or("", |(_, about)| about);
        parts.push(("from".to_owned(), self.from.to_string()));
        manifest(format!("succeed {about}"), parts, &self.basis().name)
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        self.work.units(take)
    }

    fn repeat(&self) -> u32 {
        self.work.repeat()
    }

    fn spec(&self, plan: &Plan) -> RunSpec {
        self.work.spec(plan)
    }
}

/// Why a pass ended before its last unit.
#[derive(Debug)]
pub enum PassEnd {
    /// The caller needs no more units.
    Left,
    /// Something failed.
    Failed(Box<RunError>),
}

impl PassEnd {
    /// What the pass failed for, if it did.
    pub fn failure(ended: Result<(), PassEnd>) -> Result<(), RunError> {
        match ended {
            Ok(()) | Err(PassEnd::Left) => Ok(()),
            Err(PassEnd::Failed(error)) => Err(*error),
        }
    }
}

impl<E: Into<RunError>> From<E> for PassEnd {
    fn from(error: E) -> PassEnd {
        PassEnd::Failed(Box::new(error.into()))
    }
}

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

/// Names a unit in what is recorded. It is never sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitLabel {
    /// The case.
    pub case_id: String,
    /// What wrote the reply, where it is about one.
    pub variant: Option<String>,
    /// The slice of the case.
    pub slice: Option<Arc<str>>,
}

impl UnitLabel {
    /// What a judge is asked about one packet of the unit.
    pub fn question(&self, packet: Arc<Packet>, prompt: Prompt) -> Question {
        Question { packet, prompt, case_id: self.case_id.clone(), variant: self.variant.clone() }
    }
}
