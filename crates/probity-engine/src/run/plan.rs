//! What a run would do: counted before anything is spent.

use probity_core::packet::{PacketHash, PacketMap};
use probity_core::verdict::Usage;

use super::asking::{Asking, SizedPacket};
use super::work::{Unit, Work};
use crate::load::LoadError;
use crate::schedule::budget::Money;
use crate::store::SettledKind;

/// How many oversize packets are listed by case.
const OVERSIZE_LISTED_MAX: usize = 10;

/// What is done about packets whose answers were no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnscoredPolicy {
    /// They stay as they are.
    Keep,
    /// They are asked again.
    AskAgain,
}

/// Packets that need no call.
#[derive(Debug, Clone, Default)]
pub struct Known(PacketMap<Source>);

/// Why a packet needs no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It is settled in the store, and has not been met in this pass.
    Record,
    /// It was met earlier in this pass.
    Pass,
}

/// What is to be done about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Ask.
    Call,
    /// Nothing: the store has it.
    Recorded,
    /// Nothing: the same content was met before.
    Repeated,
}

impl Known {
    /// What `settled` makes known under `policy`.
    pub fn new(settled: PacketMap<SettledKind>, policy: UnscoredPolicy) -> Self {
        let keeps = |kind| kind == SettledKind::Verdict || policy == UnscoredPolicy::Keep;
        let kept = settled.into_iter().filter(|(_, kind)| keeps(*kind));
        Known(kept.map(|(hash, _)| (hash, Source::Record)).collect())
    }

    /// Whether a call is needed. A packet is needed once: equal content is paid for once.
    pub fn needs(&mut self, hash: PacketHash) -> bool {
        self.meet(hash) == Need::Call
    }

    /// Whether nothing at all is on record.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether nothing is known about a packet.
    pub(super) fn lacks(&self, hash: PacketHash) -> bool {
        !self.0.contains_key(&hash)
    }

    fn meet(&mut self, hash: PacketHash) -> Need {
        match self.0.insert(hash, Source::Pass) {
            None => Need::Call,
            Some(Source::Record) => Need::Recorded,
            Some(Source::Pass) => Need::Repeated,
        }
    }
}

/// What a run would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Records read or pairs met, skipped ones included.
    pub n_records: u64,
    /// Records that cannot be used.
    pub n_skipped: u64,
    /// Replies the gate blocks, or pairs that need no judge.
    pub n_blocked: u64,
    /// Cases for which the target has given no reply so far.
    pub n_no_reply: u64,
    /// Replies the gate admits, or pairs that are judged.
    pub n_admitted: u64,
    /// Packets in all, equal ones counted each time.
    pub n_packets: u64,
    /// Calls that would be made: packets that are neither on record nor equal to another.
    pub n_calls: u64,
    /// Packets equal to one met before; they share its verdict.
    pub n_repeated: u64,
    /// Packets that no call is made for because the judge cannot read them.
    pub n_oversize: u64,
    /// The first of those: case id and estimated tokens.
    pub oversize: Vec<(String, u64)>,
    /// Prompt tokens of those calls, estimated.
    pub tokens_input: u64,
    /// The most answer tokens of those calls.
    pub tokens_output_max: u64,
    /// The most those calls can cost; `None` without a price.
    pub most: Option<Money>,
}

impl Plan {
    /// What two parts of a run take together.
    pub(super) fn and(mut self, later: Plan) -> Plan {
        let sums = [
            (&mut self.n_records, later.n_records),
            (&mut self.n_skipped, later.n_skipped),
            (&mut self.n_blocked, later.n_blocked),
            (&mut self.n_no_reply, later.n_no_reply),
            (&mut self.n_admitted, later.n_admitted),
            (&mut self.n_packets, later.n_packets),
            (&mut self.n_calls, later.n_calls),
            (&mut self.n_repeated, later.n_repeated),
            (&mut self.n_oversize, later.n_oversize),
            (&mut self.tokens_input, later.tokens_input),
            (&mut self.tokens_output_max, later.tokens_output_max),
        ];
        for (sum, more) in sums {
            *sum += more;
        }
        self.oversize.extend(later.oversize);
        self.oversize.truncate(OVERSIZE_LISTED_MAX);
        self
    }

    fn add(&mut self, asking: &Asking, case_id: &str, packet: &SizedPacket, known: &mut Known) {
        self.n_packets += 1;
        if asking.is_oversize(packet) {
            self.n_oversize += 1;
            if self.oversize.len() < OVERSIZE_LISTED_MAX {
                self.oversize.push((case_id.to_owned(), packet.tokens_input));
            }
            return;
        }
        match known.meet(packet.packet.hash()) {
            Need::Call => {
                self.n_calls += 1;
                self.tokens_input += packet.tokens_input;
            }
            Need::Recorded => {}
            Need::Repeated => self.n_repeated += 1,
        }
    }
}

/// Counts what doing `work` would take beyond what is known. Reads every case, so that every fault of the
/// input is found before anything is spent.
pub fn plan(work: &dyn Work, mut known: Known) -> Result<Plan, LoadError> {
    let mut plan = Plan::default();
    let asking = work.asking();
    work.each_unit(&mut |unit| {
        plan.n_records += 1;
        match unit {
            Unit::Skipped(_) => plan.n_skipped += 1,
            Unit::NotAsked => plan.n_blocked += 1,
            Unit::NoReply => plan.n_no_reply += 1,
            Unit::Asked { label, packets } => {
                plan.n_admitted += 1;
                for packet in &packets {
                    plan.add(asking, &label.case_id, packet, &mut known);
                }
            }
        }
    })?;
    if let Some(chat) = asking.judge.chat() {
        plan.tokens_output_max = plan.n_calls * u64::from(chat.output_tokens_max.get());
        let usage = Usage { input: plan.tokens_input, output: plan.tokens_output_max };
        plan.most = asking.config.price(&chat.model).map(|price| Money::of(price, usage));
    }
    Ok(plan)
}
