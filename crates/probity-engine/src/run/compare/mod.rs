//! Comparing variants: pairs of replies to one case, each asked about in both orders.
//!
//! What is shared with a scoring run is everything between the packets and the store. What is different: replies
//! are paired by case, a pair is two packets, and pairs are taken in an order drawn from a seed, so that asking
//! may stop early without having chosen which pairs count.
//!
//! What always holds: both orders of a judged pair are asked, whatever the seed; a pair with a blocked reply
//! makes no packet; and the seed decides when something is asked, never what it comes to.

mod field;
mod results;
mod rounds;

use std::ops::{Deref, Range};
use std::sync::Arc;

use probity_core::compare::sequence;
use probity_core::compare::{Candidate, Order};
use probity_core::gate::Admitted;
use probity_core::packet::{NotAPair, PairAsk};
use probity_core::stats::Random;

pub use field::{CaseReplies, Screening, Side, SideReplies, VariantReplies};
pub(crate) use results::contest;
pub use results::{Compared, report};
pub use rounds::{Stopped, Stopping, run};

use super::RunError;
use super::asking::{SizedPacket, SizedPairAsk};
use super::basis::Basis;
use super::work::{PassEnd, Unit, UnitLabel, Work};
use crate::ledger::{JudgeId, Manifest};

/// Two replies to one case, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// The case.
    pub case: usize,
    /// The variants of candidate A and candidate B.
    pub variants: [usize; 2],
    /// What is known before any judge.
    pub gate: AtGate,
    /// The order that is asked about first.
    pub first: Order,
}

/// What the replies themselves say about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtGate {
    /// Both are admitted and differ: a judge is asked.
    Open,
    /// Both are admitted and are the same text.
    Identical,
    /// Only this one is admitted.
    Won(Candidate),
    /// Neither is.
    BothBlocked,
}

/// A case to which a variant has no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The case.
    pub case: Arc<str>,
    /// The variant.
    pub variant: Arc<str>,
}

/// Two replies under one case id that do not answer the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatched {
    /// The case.
    pub case: Arc<str>,
    /// The variants.
    pub variants: [Arc<str>; 2],
    /// What differs.
    pub reason: String,
}

/// A comparison that is ready to be made.
#[derive(Debug)]
pub struct CompareJob {
    /// What it is made of beside its cases.
    pub basis: Basis,
    /// Who competes.
    pub field: VariantReplies,
    /// The pairs, by case and then by variant.
    pub meetings: Vec<Meeting>,
    /// Cases that a variant has no reply to.
    pub missing: Vec<Missing>,
    /// Pairs of replies that do not answer the same thing.
    pub mismatched: Vec<Mismatched>,
    /// What the order of asking was drawn from.
    pub seed: u64,
    /// BLAKE3 of the case files, each with its variant.
    pub cases_digest: String,
    /// The pairs that the gate left open or that are identical, in the order in which they are taken.
    drawn: Vec<usize>,
    ask: SizedPairAsk,
}

impl Deref for CompareJob {
    type Target = Basis;

    fn deref(&self) -> &Basis {
        &self.basis
    }
}

impl CompareJob {
    /// Reads and screens every reply and pairs them, to be asked about by `ask` in an order drawn from `seed`. Fails
    /// where a file cannot be read, or where the template cannot be filled in.
    pub fn new(basis: Basis, sides: &[Side], ask: PairAsk, seed: u64) -> Result<Self, RunError> {
        let field = VariantReplies::read(sides, &basis.rubric, &basis.gate)?;
        let digest = |side: &Side| format!("{}={}", side.variant, side.replies.digest());
        let mut job = CompareJob {
            ask: SizedPairAsk::new(ask, &basis.asking)?,
            basis,
            field,
            meetings: Vec::new(),
            missing: Vec::new(),
            mismatched: Vec::new(),
            seed,
            cases_digest: sides.iter().map(digest).collect::<Vec<_>>().join(" "),
            drawn: Vec::new(),
        };
        job.pair();
        job.draw();
        Ok(job)
    }

    /// Pairs all variants of every case.
    fn pair(&mut self) {
        let n_variants = self.field.variants.len();
        for (case, replies) in self.field.cases.iter().enumerate() {
            for variant in (0..n_variants).filter(|variant| replies.replies[*variant].is_none()) {
                let (case, variant) = (Arc::clone(&replies.id), Arc::clone(&self.field.variants[variant]));
                self.missing.push(Missing { case, variant });
            }
            for first in 0..n_variants {
                for second in first + 1..n_variants {
                    let (Some(a), Some(b)) = (&replies.replies[first], &replies.replies[second]) else {
                        continue;
                    };
                    match at_gate(a, b, &self.ask) {
                        Ok(gate) => {
                            let variants = [first, second];
                            self.meetings.push(Meeting { case, variants, gate, first: Order::Ab });
                        }
                        Err(reason) => self.mismatched.push(Mismatched {
                            case: Arc::clone(&replies.id),
                            variants: [first, second].map(|at| Arc::clone(&self.field.variants[at])),
                            reason: reason.to_string(),
                        }),
                    }
                }
            }
        }
    }

    /// Draws the order of the pairs, and which order of each is asked first.
    fn draw(&mut self) {
        let counts = |meeting: &Meeting| matches!(meeting.gate, AtGate::Open | AtGate::Identical);
        let eligible: Vec<usize> =
            (0..self.meetings.len()).filter(|at| counts(&self.meetings[*at])).collect();
        let order = sequence::order(eligible.len(), self.seed);
        self.drawn = order.into_iter().map(|at| eligible[at]).collect();
        let mut coins = Random::new(self.seed);
        for at in &eligible {
            if coins.bits() & 1 == 1 {
                self.meetings[*at].first = Order::Ba;
            }
        }
    }

    /// Leaves only the pairs that `keeps` says, and draws the order of those anew.
    pub(super) fn retain(&mut self, keeps: impl Fn(&Meeting) -> bool) {
        self.meetings.retain(|meeting| keeps(meeting));
        self.meetings.iter_mut().for_each(|meeting| meeting.first = Order::Ab);
        self.draw();
    }

    /// How many pairs the gate leaves open, those of identical replies included.
    pub fn n_drawn(&self) -> usize {
        self.drawn.len()
    }

    /// The packets of an open pair: with candidate A in the first slot, and with candidate B in it.
    pub(crate) fn packets(&self, meeting: &Meeting) -> Option<[SizedPacket; 2]> {
        let replies = &self.field.cases[meeting.case].replies;
        let admitted = |at: usize| -> Option<&Admitted> {
            match &replies[at] {
                Some(Screening::Admitted(admitted)) => Some(admitted),
                Some(Screening::Blocked(_)) | None => None,
            }
        };
        let [a, b] = [admitted(meeting.variants[0])?, admitted(meeting.variants[1])?];
        Some([self.ask.packet(a, b).ok()?, self.ask.packet(b, a).ok()?])
    }

    fn unit(&self, meeting: &Meeting) -> Unit {
        if meeting.gate != AtGate::Open {
            return Unit::NotAsked;
        }
        let [ab, ba] = self.packets(meeting).expect("an open pair has two admitted replies to one case");
        let case = &self.field.cases[meeting.case];
        let label = UnitLabel { case_id: case.id.to_string(), variant: None, slice: case.slice.clone() };
        let packets = match meeting.first {
            Order::Ab => vec![ab, ba],
            Order::Ba => vec![ba, ab],
        };
        Unit::Asked { label, packets }
    }

    /// All pairs of the comparison as one piece of work.
    pub fn work(self: &Arc<Self>) -> Arc<dyn Work> {
        Arc::new(Round { job: Arc::clone(self), drawn: 0..self.n_drawn() })
    }
}

/// What two replies to one case come to before any judge, or why they are not to one case.
fn at_gate(a: &Screening, b: &Screening, ask: &SizedPairAsk) -> Result<AtGate, NotAPair> {
    match (a, b) {
        (Screening::Admitted(first), Screening::Admitted(second)) => {
            ask.packet(first, second)?;
            let same = first.entry().reply.text == second.entry().reply.text;
            Ok(if same { AtGate::Identical } else { AtGate::Open })
        }
        (Screening::Admitted(_), Screening::Blocked(_)) => Ok(AtGate::Won(Candidate::A)),
        (Screening::Blocked(_), Screening::Admitted(_)) => Ok(AtGate::Won(Candidate::B)),
        (Screening::Blocked(_), Screening::Blocked(_)) => Ok(AtGate::BothBlocked),
    }
}

/// Some of a comparison's pairs, in the order drawn.
#[derive(Debug, Clone)]
struct Round {
    job: Arc<CompareJob>,
    drawn: Range<usize>,
}

impl Work for Round {
    fn basis(&self) -> &Basis {
        &self.job.basis
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        let (cases, seed) = (self.job.cases_digest.clone(), self.job.seed.to_string());
        self.job.basis.manifest("compare", id, ("cases", cases), vec![("seed", seed)])
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        let job = &self.job;
        // What the gate decided belongs to the comparison from its beginning.
        let at_gate = job.meetings.iter().filter(|meeting| {
            self.drawn.start == 0 && matches!(meeting.gate, AtGate::Won(_) | AtGate::BothBlocked)
        });
        let asked = job.drawn[self.drawn.clone()].iter().map(|at| &job.meetings[*at]);
        at_gate.chain(asked).try_for_each(|meeting| take(job.unit(meeting)))
    }
}
