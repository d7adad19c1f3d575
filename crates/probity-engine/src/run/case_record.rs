//! A case as a run met it, as plain data: everything that its results are made of but the verdicts.
//!
//! Results are made from these records and from nothing else, so they come out the same whether a record was just made
//! from a case file or read back. A record proves nothing: no packet can be made of it.

use std::sync::Arc;

use probity_core::case::{Case, Entry, Situation, Variant};
use probity_core::gate::Finding;
use probity_core::packet::PacketHash;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::asking::SizedPacket;
use super::job::Screened;
use super::replies::NoReply;
use crate::load::Skipped;

/// A case as a run met it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Which record it is, 0-based over all records of all files.
    pub index: usize,
    /// The file as it was named.
    pub file: String,
    /// The line it starts on, 1-based.
    pub line: usize,
    /// What became of it before any judge.
    pub status: CaseStatus,
}

/// What became of a case before any judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// The record cannot be used.
    Skipped {
        /// Its id, where that much could be read.
        id: Option<String>,
        /// Why it gives no case.
        reason: String,
    },
    /// The target gave no reply.
    NoReply {
        /// The case.
        case: Box<Case>,
        /// What the target is called.
        variant: Variant,
        /// What happened, for a person.
        detail: String,
        /// Calls made for a reply.
        attempts: u32,
    },
    /// The gate blocked the reply.
    Blocked {
        /// The case and the reply.
        entry: Box<Entry>,
        /// Everything that was seen, blocking or not.
        findings: Vec<Finding>,
    },
    /// The gate admitted the reply.
    Admitted {
        /// The case, with its evidence as a judge is shown it, and the reply.
        entry: Box<Entry>,
        /// What was seen that does not block.
        findings: Vec<Finding>,
        /// The packets that ask about it, in the order of the asks.
        packets: Vec<PacketRecord>,
    },
}

/// A packet by name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PacketRecord {
    /// Its hash, written as 64 hexadecimal digits.
    #[serde(serialize_with = "to_hex", deserialize_with = "from_hex")]
    pub hash: PacketHash,
    /// Tokens of its prompt, estimated.
    pub tokens_input: u64,
}

impl CaseRecord {
    /// The packets that ask about the case.
    pub fn packets(&self) -> &[PacketRecord] {
        match &self.status {
            CaseStatus::Admitted { packets, .. } => packets,
            CaseStatus::Skipped { .. } | CaseStatus::NoReply { .. } | CaseStatus::Blocked { .. } => &[],
        }
    }
}

impl CaseRecord {
    /// The same case with digests in place of its texts. What the gate said about them stays.
    pub(super) fn with_digests(mut self) -> CaseRecord {
        match &mut self.status {
            CaseStatus::Skipped { .. } => {}
            CaseStatus::NoReply { case, .. } => digest_case(case),
            CaseStatus::Blocked { entry, .. } | CaseStatus::Admitted { entry, .. } => {
                digest_case(&mut entry.case);
                entry.reply.text = digest(&entry.reply.text);
            }
        }
        self
    }
}

fn digest_case(case: &mut Case) {
    match &mut case.situation {
        Situation::Ticket(text) => *text = digest(text),
        Situation::Conversation(turns) => turns.iter_mut().for_each(|turn| turn.text = digest(&turn.text)),
    }
    case.reference = case.reference.as_deref().map(|text| digest(text).to_string());
    (case.evidence, case.metadata) = (Arc::default(), None);
}

fn digest(text: &str) -> Arc<str> {
    format!("blake3:{}", blake3::hash(text.as_bytes())).into()
}

impl From<&Screened> for CaseRecord {
    fn from(screened: &Screened) -> CaseRecord {
        let at = |index, file: &Arc<str>, line, status| {
            let file = file.to_string();
            CaseRecord { index, file, line, status }
        };
        match screened {
            Screened::Skipped(Skipped { index, file, line, id, reason }) => {
                at(*index, file, *line, CaseStatus::Skipped { id: id.clone(), reason: reason.clone() })
            }
            Screened::NoReply(NoReply { case, skipped, variant, why }) => {
                let (case, variant, detail) = (case.clone(), variant.clone(), why.detail.clone());
                let status = CaseStatus::NoReply { case, variant, detail, attempts: why.attempts };
                at(skipped.index, &skipped.file, skipped.line, status)
            }
            Screened::Blocked { place, blocked } => {
                let entry = Box::new(blocked.entry().clone());
                let status = CaseStatus::Blocked { entry, findings: blocked.findings().to_vec() };
                at(place.index, &place.file, place.line, status)
            }
            Screened::Admitted { place, admitted, packets } => {
                let (entry, findings) = (Box::new(admitted.entry().clone()), admitted.flags().to_vec());
                let packets = packets.iter().map(PacketRecord::from).collect();
                let status = CaseStatus::Admitted { entry, findings, packets };
                at(place.index, &place.file, place.line, status)
            }
        }
    }
}

impl From<&SizedPacket> for PacketRecord {
    fn from(sized: &SizedPacket) -> PacketRecord {
        PacketRecord { hash: sized.packet.hash(), tokens_input: sized.tokens_input }
    }
}

fn to_hex<S: Serializer>(hash: &PacketHash, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(hash)
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PacketHash, D::Error> {
    let hash = blake3::Hash::from_hex(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
    Ok(PacketHash::from_bytes(*hash.as_bytes()))
}
