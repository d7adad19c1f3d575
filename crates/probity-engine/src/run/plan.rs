//! What a run would do: counted before anything is spent.

use std::collections::{HashMap, HashSet};

use probity_core::packet::PacketHash;
use probity_core::verdict::Usage;

use super::job::{Job, Screened};
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
pub struct Known(HashSet<PacketHash>);

impl Known {
    /// What `settled` makes known under `policy`.
    pub fn new(settled: HashMap<PacketHash, SettledKind>, policy: UnscoredPolicy) -> Self {
        let keeps = |kind| kind == SettledKind::Verdict || policy == UnscoredPolicy::Keep;
        Known(settled.into_iter().filter(|(_, kind)| keeps(*kind)).map(|(hash, _)| hash).collect())
    }

    /// Whether a call is needed. A packet is needed once: equal content is paid for once.
    pub fn needs(&mut self, hash: PacketHash) -> bool {
        self.0.insert(hash)
    }
}

/// What a run would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Records read, skipped ones included.
    pub n_records: u64,
    /// Records that cannot be used.
    pub n_skipped: u64,
    /// Replies the gate blocks.
    pub n_blocked: u64,
    /// Replies the gate admits.
    pub n_admitted: u64,
    /// Packets in all, equal ones counted each time.
    pub n_packets: u64,
    /// Calls that would be made: packets that are neither on record nor equal to another.
    pub n_calls: u64,
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

/// Counts what running `job` would do beyond what is known. Reads every case, so that every fault of the
/// input is found before anything is spent.
pub fn plan(job: &Job, mut known: Known) -> Result<Plan, LoadError> {
    let mut plan = Plan::default();
    for screened in job.screened()? {
        plan.n_records += 1;
        match screened? {
            Screened::Skipped(_) => plan.n_skipped += 1,
            Screened::Blocked { .. } => plan.n_blocked += 1,
            Screened::Admitted { admitted, packets, .. } => {
                plan.n_admitted += 1;
                for packet in &packets {
                    plan.n_packets += 1;
                    if job.is_oversize(packet) {
                        plan.n_oversize += 1;
                        if plan.oversize.len() < OVERSIZE_LISTED_MAX {
                            plan.oversize.push((admitted.entry().case.id.to_string(), packet.tokens_input));
                        }
                    } else if known.needs(packet.packet.hash()) {
                        plan.n_calls += 1;
                        plan.tokens_input += packet.tokens_input;
                    }
                }
            }
        }
    }
    if let Some(chat) = job.judge.chat() {
        plan.tokens_output_max = plan.n_calls * u64::from(chat.output_tokens_max.get());
        let usage = Usage { input: plan.tokens_input, output: plan.tokens_output_max };
        plan.most = job.config.price(&chat.model).map(|price| Money::of(price, usage));
    }
    Ok(plan)
}
