//! What a run would do: counted before anything is spent, and which packets the store lacks.
//!
//! One pass over the work. The store is asked about the packets of the work, in batches; it is never scanned.

use std::str::FromStr;

use probity_core::packet::{PacketHash, PacketMap};

use super::RunError;
use super::asking::{CHARS_PER_TOKEN, SizedPacket};
use super::work::{PassEnd, Unit, Work};
use crate::config::LeftOut;
use crate::input::Skipped;
use crate::ledger::{JudgeId, KnownKind, Reader, StoreError};
use crate::schedule::budget::Money;
use crate::schedule::desk::Earlier;

/// How many oversize packets are listed by case.
const OVERSIZE_LISTED_MAX: usize = 10;

/// Packets that the store is asked about at once.
const BATCH: usize = 128;

/// What is done about packets whose answers were no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnscoredPolicy {
    /// They stay as they are.
    Keep,
    /// They are asked again.
    AskAgain,
}

/// What a judge or a target has on record.
#[derive(Clone, Copy)]
pub(super) struct OnRecord<'a> {
    pub(super) reader: &'a Reader,
    /// The judge or the target.
    pub(super) id: &'a JudgeId,
    /// The number under which packets are asked about.
    pub(super) repeat: u32,
    /// Whether a settlement without a verdict counts.
    pub(super) unscored: UnscoredPolicy,
    /// The part of the packets that is asked about; `None` for all of them.
    pub(super) shard: Option<Shard>,
}

/// One of several parts of the packets, by their hashes: the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    n: u32,
    n_parts: u32,
}

impl Shard {
    fn has(self, packet: PacketHash) -> bool {
        let [a, b, c, d, ..] = *packet.as_bytes();
        u32::from_be_bytes([a, b, c, d]) % self.n_parts == self.n
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(n, of)| Some((n.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((n, n_parts)) if (1..=n_parts).contains(&n) => Ok(Shard { n: n - 1, n_parts }),
            _ => Err("expected a part and how many there are, such as 2/8".to_owned()),
        }
    }
}

/// The packets of a work, and which of them lack a verdict.
#[derive(Debug, Default)]
pub struct Missing {
    packets: PacketMap<Option<Earlier>>,
    /// Packets that wait in a batch: they have no verdict, and need no call.
    pub n_in_flight: u64,
    /// How many of them are asked about at most.
    pub(super) n_max: u64,
}

impl Missing {
    /// The same, of which at most so many are asked about.
    pub(super) fn at_most(self, n_max: u64) -> Missing {
        Missing { n_max, ..self }
    }

    /// What the store has about a packet that is to be asked about; `None` where no call is needed.
    pub(super) fn get(&self, packet: PacketHash) -> Option<Earlier> {
        self.packets.get(&packet).copied().flatten()
    }

    /// Takes a packet out: equal content is paid for once.
    pub fn take(&mut self, packet: PacketHash) -> Option<Earlier> {
        self.packets.get_mut(&packet).and_then(Option::take)
    }
}

/// Finds out which packets lack a verdict. `T` is what the plan wants to know about those.
pub(super) struct Lacking<'a, T> {
    on_record: Option<OnRecord<'a>>,
    met: Missing,
    /// Packets that the store has not been asked about yet.
    waiting: Vec<(PacketHash, T)>,
}

/// Whether a packet has been met before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    First,
    Again,
}

impl<'a, T> Lacking<'a, T> {
    /// Nothing met yet. Without a record every packet lacks its verdict.
    pub(super) fn new(on_record: Option<OnRecord<'a>>) -> Self {
        Lacking { on_record, met: Missing::default(), waiting: Vec::with_capacity(BATCH) }
    }

    /// Meets a packet. What is known `about` those that need a call comes to `call`, in the order they were met.
    pub(super) fn meet(
        &mut self,
        packet: PacketHash,
        about: T,
        call: &mut dyn FnMut(T),
    ) -> Result<Met, StoreError> {
        if self.met.packets.contains_key(&packet) {
            return Ok(Met::Again);
        }
        self.met.packets.insert(packet, None);
        self.waiting.push((packet, about));
        if self.waiting.len() == BATCH {
            self.look_up(call)?;
        }
        Ok(Met::First)
    }

    /// All packets that were met.
    pub(super) fn finish(mut self, call: &mut dyn FnMut(T)) -> Result<Missing, StoreError> {
        self.look_up(call)?;
        Ok(self.met)
    }

    fn look_up(&mut self, call: &mut dyn FnMut(T)) -> Result<(), StoreError> {
        let packets: Vec<PacketHash> = self.waiting.iter().map(|(packet, _)| *packet).collect();
        let (known, unscored, shard) = match self.on_record {
            Some(OnRecord { reader, id, repeat, unscored, shard }) => {
                (reader.known(id, repeat, &packets)?, unscored, shard)
            }
            None => (PacketMap::default(), UnscoredPolicy::Keep, None),
        };
        for (packet, about) in self.waiting.drain(..) {
            if shard.is_some_and(|shard| !shard.has(packet)) {
                continue;
            }
            let earlier = match known.get(&packet) {
                Some(KnownKind::Verdict) => continue,
                Some(KnownKind::InFlight) => {
                    self.met.n_in_flight += 1;
                    continue;
                }
                Some(KnownKind::Unscored) if unscored == UnscoredPolicy::Keep => continue,
                Some(KnownKind::Attempted) => Earlier::Attempts,
                Some(KnownKind::Unscored) | None => Earlier::Nothing,
            };
            self.met.packets.insert(packet, Some(earlier));
            call(about);
        }
        Ok(())
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
    /// Decisions that the answers to those calls have.
    pub n_decisions: u64,
    /// The most that one call about each packet can cost; `None` without a price, or where it was not asked for.
    pub most: Option<Money>,
    /// Prompt tokens of those calls that the host's cache would keep, estimated, where it was asked for.
    pub tokens_cacheable: u64,
    /// The same with all criteria of a reply in one call, whatever is on record; `None` where nothing is to be joined.
    pub one_call: Option<JoinedCalls>,
}

/// What one call for all criteria of a reply would take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JoinedCalls {
    /// Calls.
    pub n_calls: u64,
    /// Decisions that their answers have.
    pub n_decisions: u64,
    /// Prompt tokens, estimated.
    pub tokens_input: u64,
}

impl JoinedCalls {
    /// Adds the packets of a unit: those about the same texts are one call.
    fn add(&mut self, packets: &[SizedPacket]) {
        let is_same = |one: &SizedPacket, other: &SizedPacket| {
            let (one, other) = (&one.packet, &other.packet);
            one.subject() == other.subject() && one.situation() == other.situation()
        };
        for about in packets.chunk_by(is_same) {
            let own = |sized: &SizedPacket| sized.packet.ask().n_bytes() as u64 / CHARS_PER_TOKEN;
            let shared = about.iter().map(|sized| sized.tokens_input.saturating_sub(own(sized))).max();
            self.n_calls += 1;
            self.n_decisions += about.iter().map(SizedPacket::n_decisions).sum::<u64>();
            self.tokens_input += shared.unwrap_or(0) + about.iter().map(own).sum::<u64>();
        }
    }

    fn and(self, later: JoinedCalls) -> JoinedCalls {
        JoinedCalls {
            n_calls: self.n_calls + later.n_calls,
            n_decisions: self.n_decisions + later.n_decisions,
            tokens_input: self.tokens_input + later.tokens_input,
        }
    }
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
            (&mut self.n_decisions, later.n_decisions),
            (&mut self.tokens_cacheable, later.tokens_cacheable),
        ];
        for (sum, more) in sums {
            *sum += more;
        }
        self.oversize.extend(later.oversize);
        self.oversize.truncate(OVERSIZE_LISTED_MAX);
        self
    }

    /// The same units, asked about again.
    #[must_use]
    pub fn again(mut self, later: Plan) -> Plan {
        self.n_packets += later.n_packets;
        self.n_calls += later.n_calls;
        self.n_oversize += later.n_oversize;
        self.oversize.extend(later.oversize);
        self.tokens_input += later.tokens_input;
        self.tokens_output_max += later.tokens_output_max;
        self.n_decisions += later.n_decisions;
        self.tokens_cacheable += later.tokens_cacheable;
        self.one_call = self.one_call.zip(later.one_call).map(|(one, other)| one.and(other));
        self.most = self.most.zip(later.most).map(|(one, other)| one.plus(other));
        self
    }

    fn add_oversize(&mut self, case_id: &str, packet: &SizedPacket) {
        self.n_oversize += 1;
        if self.oversize.len() < OVERSIZE_LISTED_MAX {
            self.oversize.push((case_id.to_owned(), packet.tokens_input));
        }
    }

    fn add_call(&mut self, sized: &SizedPacket, price: Option<(Option<Money>, u64)>) {
        self.n_calls += 1;
        self.tokens_input += sized.tokens_input;
        self.n_decisions += sized.n_decisions();
        if let Some((most, cacheable)) = price {
            self.most = self.most.zip(most).map(|(sum, more)| sum.plus(more));
            self.tokens_cacheable += cacheable;
        }
    }
}

/// A plan with what asking needs of it.
#[derive(Debug)]
pub struct Planned {
    /// What would be done.
    pub plan: Plan,
    /// Which packets lack a verdict.
    pub missing: Missing,
    /// The first record that cannot be used.
    pub(super) first_skipped: Option<Skipped>,
}

/// How closely a plan looks at what it costs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pricing<'a> {
    /// Calls and tokens are counted.
    Counted,
    /// Every prompt is made too, without the parameters that were refused: what it can cost at most is exact.
    Exact(&'a LeftOut),
}

/// Counts what doing `work` would take beyond what is on record. Reads every case, so that every fault of the
/// input is found before anything is spent.
pub(super) fn plan(
    work: &dyn Work,
    on_record: Option<OnRecord<'_>>,
    pricing: Pricing<'_>,
) -> Result<Planned, RunError> {
    let (mut plan, mut first_skipped, mut joined) = (Plan::default(), None, JoinedCalls::default());
    let (mut lacking, asking) = (Lacking::new(on_record), work.asking());
    let chat = asking.judge.chat();
    let is_exact = matches!(pricing, Pricing::Exact(_)) && chat.is_some();
    let is_priced = is_exact && chat.is_some_and(|chat| asking.config.price(chat).is_some());
    let mut calls = Plan { most: is_priced.then(Money::default), ..Plan::default() };
    let mut unfilled = None;
    let mut call = |sized: SizedPacket| {
        let price = match pricing {
            Pricing::Exact(left) if is_exact => match asking.template.render(&sized.packet) {
                Ok(prompt) => {
                    Some((asking.most(&prompt, left, asking.tier()), asking.tokens_cacheable(&prompt)))
                }
                Err(error) => {
                    unfilled.get_or_insert(error);
                    None
                }
            },
            _ => None,
        };
        calls.add_call(&sized, price);
    };
    PassEnd::failure(work.units(&mut |unit| {
        plan.n_records += 1;
        match unit {
            Unit::Skipped(skipped) => {
                plan.n_skipped += 1;
                first_skipped.get_or_insert(skipped);
            }
            Unit::NotAsked => plan.n_blocked += 1,
            Unit::NoReply => plan.n_no_reply += 1,
            Unit::Asked { label, packets } => {
                plan.n_admitted += 1;
                plan.n_packets += packets.len() as u64;
                joined.add(&packets);
                for packet in packets {
                    if asking.is_oversize(&packet) {
                        plan.add_oversize(&label.case_id, &packet);
                        continue;
                    }
                    let met = lacking.meet(packet.packet.hash(), packet, &mut call)?;
                    plan.n_repeated += u64::from(met == Met::Again);
                }
            }
        }
        Ok(())
    }))?;
    let missing = lacking.finish(&mut call)?;
    if let Some(error) = unfilled {
        return Err(error.into());
    }
    let per_call = chat.map_or(0, |chat| chat.sent(&LeftOut::default()).limit_most());
    let plan = Plan {
        n_calls: calls.n_calls,
        tokens_input: calls.tokens_input,
        tokens_output_max: calls.n_calls * per_call,
        n_decisions: calls.n_decisions,
        most: calls.most,
        tokens_cacheable: calls.tokens_cacheable,
        one_call: (joined.n_calls < plan.n_packets).then_some(joined),
        ..plan
    };
    Ok(Planned { plan, missing, first_skipped })
}
