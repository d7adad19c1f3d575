//! A case as a run met it, as plain data: everything that its results are made of but the verdicts.
//!
//! Results are made from these records and from nothing else, so they come out the same whether a record was just made
//! from a case file or read back. A record proves nothing: no packet can be made of it.

use std::sync::Arc;

use probity_core::case::{Case, Confidence, Entry, Evidence, Situation};
use probity_core::gate::{self, Finding, Severity, Sighting, SourceRef};
use probity_core::packet::PacketHash;
use probity_core::report::{GateOutcome, Outcome, ReplyResult};
use serde::{Deserialize, Serialize};

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
    #[serde(with = "shared")]
    pub file: Arc<str>,
    /// The line it starts on, 1-based.
    pub line: usize,
    /// What became of it before any judge.
    #[serde(flatten)]
    pub status: CaseStatus,
}

/// What became of a case before any judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
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
        case: CaseText,
        /// What the target is called.
        variant: String,
        /// What happened, for a person.
        detail: String,
        /// Calls made for a reply.
        attempts: u32,
    },
    /// The gate blocked the reply.
    Blocked {
        /// The case.
        case: CaseText,
        /// The reply.
        reply: ReplyText,
        /// Everything that was seen, blocking or not.
        findings: Vec<FindingRecord>,
    },
    /// The gate admitted the reply.
    Admitted {
        /// The case, with its evidence as a judge is shown it.
        case: CaseText,
        /// The reply.
        reply: ReplyText,
        /// What was seen that does not block.
        findings: Vec<FindingRecord>,
        /// The packets that ask about it, in the order of the asks.
        packets: Vec<PacketRecord>,
    },
}

/// What a case says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseText {
    /// Names it.
    pub id: String,
    /// The workflow it belongs to.
    pub slice: Option<String>,
    /// What was said, with the names of roles; a ticket has none.
    pub turns: Vec<TurnText>,
    /// What the reply may rest on.
    #[serde(with = "shared")]
    pub evidence: Arc<Evidence>,
    /// An ideal reply, where there is one.
    pub reference: Option<String>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnText {
    /// Who spoke; nothing for a ticket.
    pub role: Option<String>,
    /// What was said.
    #[serde(with = "shared")]
    pub text: Arc<str>,
}

/// What a reply says, and who wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplyText {
    /// The text.
    #[serde(with = "shared")]
    pub text: Arc<str>,
    /// What wrote it.
    pub variant: Option<String>,
    /// The bot's own confidence in it, 0 to 1.
    pub confidence: Option<f64>,
}

/// What a gate saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingRecord {
    /// The rule.
    pub rule: String,
    /// Whether it blocks: `block` or `flag`.
    pub severity: String,
    /// Where in the reply it starts, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What was seen.
    pub message: String,
    /// What would have been right.
    pub expected: Option<String>,
    /// The source it was checked against: its id and version.
    pub source: Option<(String, Option<String>)>,
}

/// A packet by name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PacketRecord {
    /// Its hash.
    #[serde(with = "hex")]
    pub hash: PacketHash,
    /// Tokens of its prompt, estimated.
    pub tokens_input: u64,
}

/// A record that says what cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record of case {index} cannot be read: {problem}")]
pub struct BadCaseRecord {
    /// Which record it is.
    pub index: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl From<&Screened> for CaseRecord {
    fn from(screened: &Screened) -> CaseRecord {
        let at =
            |index, file: &Arc<str>, line, status| CaseRecord { index, file: Arc::clone(file), line, status };
        match screened {
            Screened::Skipped(Skipped { index, file, line, id, reason }) => {
                at(*index, file, *line, CaseStatus::Skipped { id: id.clone(), reason: reason.clone() })
            }
            Screened::NoReply(NoReply { case, skipped, variant, why }) => {
                let status = CaseStatus::NoReply {
                    case: CaseText::from(&**case),
                    variant: variant.as_str().to_owned(),
                    detail: why.detail.clone(),
                    attempts: why.attempts,
                };
                at(skipped.index, &skipped.file, skipped.line, status)
            }
            Screened::Blocked { place, blocked } => {
                let (case, reply) = texts(blocked.entry());
                let findings = blocked.findings().iter().map(FindingRecord::from).collect();
                at(place.index, &place.file, place.line, CaseStatus::Blocked { case, reply, findings })
            }
            Screened::Admitted { place, admitted, packets } => {
                let (case, reply) = texts(admitted.entry());
                let findings = admitted.flags().iter().map(FindingRecord::from).collect();
                let packets = packets.iter().map(PacketRecord::from).collect();
                let status = CaseStatus::Admitted { case, reply, findings, packets };
                at(place.index, &place.file, place.line, status)
            }
        }
    }
}

impl CaseRecord {
    /// The packets that ask about the case.
    pub fn packets(&self) -> &[PacketRecord] {
        match &self.status {
            CaseStatus::Admitted { packets, .. } => packets,
            CaseStatus::Skipped { .. } | CaseStatus::NoReply { .. } | CaseStatus::Blocked { .. } => &[],
        }
    }

    /// The reply's result before any criterion is decided; the record as skipped where it cannot be used.
    pub(super) fn result(&self) -> Result<Result<ReplyResult, Skipped>, BadCaseRecord> {
        let bad = |problem: String| BadCaseRecord { index: self.index, problem };
        let gate = |findings: &[FindingRecord]| {
            findings.iter().map(Finding::try_from).collect::<Result<Vec<_>, String>>().map_err(bad)
        };
        let (case, reply, gate) = match &self.status {
            CaseStatus::Skipped { id, reason } => {
                let (file, id, reason) = (Arc::clone(&self.file), id.clone(), reason.clone());
                return Ok(Err(Skipped { index: self.index, file, line: self.line, id, reason }));
            }
            CaseStatus::NoReply { case, variant, .. } => {
                let variant = Some(variant.clone());
                let reply = ReplyText { text: Arc::default(), variant, confidence: None };
                (case, reply, GateOutcome::NoReply)
            }
            CaseStatus::Blocked { case, reply, findings } => {
                (case, reply.clone(), GateOutcome::Blocked(gate(findings)?))
            }
            CaseStatus::Admitted { case, reply, findings, .. } => {
                (case, reply.clone(), GateOutcome::Admitted(gate(findings)?))
            }
        };
        let confidence = reply.confidence.map(Confidence::new).transpose();
        Ok(Ok(ReplyResult {
            id: case.id.clone(),
            slice: case.slice.clone(),
            text: reply.text,
            variant: reply.variant,
            confidence: confidence.map_err(|error| bad(error.to_string()))?,
            gate,
            criteria: Vec::new(),
            not_asked: Vec::new(),
            score: None,
            below_best: Vec::new(),
            outcome: Outcome::Unscored,
        }))
    }
}

fn texts(Entry { case, reply }: &Entry) -> (CaseText, ReplyText) {
    let variant = reply.variant.as_ref().map(|variant| variant.as_str().to_owned());
    let confidence = reply.confidence.map(Confidence::value);
    (CaseText::from(case), ReplyText { text: Arc::clone(&reply.text), variant, confidence })
}

impl From<&Case> for CaseText {
    fn from(case: &Case) -> CaseText {
        let turns = match &case.situation {
            Situation::Ticket(text) => vec![TurnText { role: None, text: Arc::clone(text) }],
            Situation::Conversation(turns) => turns
                .iter()
                .map(|turn| TurnText {
                    role: Some(turn.role.name().to_owned()),
                    text: Arc::clone(&turn.text),
                })
                .collect(),
        };
        CaseText {
            id: case.id.to_string(),
            slice: case.slice.as_ref().map(|slice| slice.as_str().to_owned()),
            turns,
            evidence: Arc::clone(&case.evidence),
            reference: case.reference.clone(),
        }
    }
}

impl From<&SizedPacket> for PacketRecord {
    fn from(sized: &SizedPacket) -> PacketRecord {
        PacketRecord { hash: sized.packet.hash(), tokens_input: sized.tokens_input }
    }
}

impl From<&Finding> for FindingRecord {
    fn from(Finding { sighting, severity }: &Finding) -> FindingRecord {
        let source = sighting.source.as_ref();
        FindingRecord {
            rule: sighting.rule.to_owned(),
            severity: severity.name().to_owned(),
            start: sighting.start,
            end: sighting.end,
            message: sighting.message.clone(),
            expected: sighting.expected.clone(),
            source: source.map(|source| (source.id.clone(), source.version.clone())),
        }
    }
}

impl TryFrom<&FindingRecord> for Finding {
    type Error = String;

    fn try_from(record: &FindingRecord) -> Result<Finding, String> {
        let rule = gate::rule(&record.rule).ok_or_else(|| format!("there is no rule '{}'", record.rule))?;
        let severity =
            [Severity::Block, Severity::Flag].into_iter().find(|one| one.name() == record.severity);
        let source = record.source.clone();
        Ok(Finding {
            sighting: Sighting {
                rule: rule.id,
                start: record.start,
                end: record.end,
                message: record.message.clone(),
                expected: record.expected.clone(),
                source: source.map(|(id, version)| SourceRef { id, version }),
            },
            severity: severity.ok_or_else(|| format!("there is no severity '{}'", record.severity))?,
        })
    }
}

/// What is shared in memory, written as what it is.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize + ?Sized, S: Serializer>(
        value: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (**value).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: ?Sized, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<T>, D::Error>
    where
        Box<T>: Deserialize<'de>,
    {
        Box::<T>::deserialize(deserializer).map(Arc::from)
    }
}

/// A packet's hash as 64 hexadecimal digits.
mod hex {
    use probity_core::packet::PacketHash;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(hash: &PacketHash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PacketHash, D::Error> {
        let text = String::deserialize(deserializer)?;
        blake3::Hash::from_hex(&text)
            .map(|hash| PacketHash::from_bytes(*hash.as_bytes()))
            .map_err(D::Error::custom)
    }
}
