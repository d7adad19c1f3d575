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
use serde_json::Value;

use super::asking::SizedPacket;
use super::job::Screened;
use super::replies::NoReply;
use crate::config::StoredTexts;
use crate::input::{JoinedRecord, Skipped, Withheld};
use crate::ledger::ERASED;

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
    /// The record as another tool's file has it, as JSON text, without what is private: what has no home here and is
    /// written back. Only in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Where its file has the list that it stands in; empty where the file is the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// What of the record is not kept.
    #[serde(default, skip_serializing_if = "Withheld::is_nothing")]
    pub withheld: Withheld,
}

/// A record of a help desk that is no case, as it is written back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JoinedRecordText {
    /// The file as it was named.
    pub file: String,
    /// Where its file has the list that it stands in; empty where the file is the list.
    pub list: Option<String>,
    /// What is public of it, as JSON text.
    pub kept: Option<String>,
    /// What is not.
    pub withheld: Withheld,
}

impl JoinedRecordText {
    /// The record with its text, or with a digest in its place.
    pub(super) fn new(record: JoinedRecord, texts: StoredTexts) -> JoinedRecordText {
        let JoinedRecord { file, list, kept, withheld } = record;
        let kept = kept.map(|kept| kept.canonical());
        let kept = if texts == StoredTexts::Digest { kept.map(|kept| digest_json(&kept)) } else { kept };
        JoinedRecordText { file, list, kept, withheld }
    }
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
    pub(super) fn with_digests(self) -> CaseRecord {
        self.with_texts(&digest)
    }

    /// The same case without its texts, for good. That the gate saw something stays, not where and what.
    pub(super) fn erased(self) -> CaseRecord {
        let mut record = self.with_texts(&|_| ERASED.into());
        if let CaseStatus::NoReply { detail, .. } | CaseStatus::Skipped { reason: detail, .. } =
            &mut record.status
        {
            ERASED.clone_into(detail);
        }
        if let CaseStatus::Blocked { findings, .. } | CaseStatus::Admitted { findings, .. } =
            &mut record.status
        {
            for Finding { sighting, .. } in findings {
                (sighting.start, sighting.end, sighting.expected) = (0, 0, None);
                ERASED.clone_into(&mut sighting.message);
            }
        }
        record
    }

    /// The texts that a person wrote.
    pub(super) fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let (case, reply) = match &self.status {
            CaseStatus::Skipped { .. } => return texts,
            CaseStatus::NoReply { case, .. } => (case.as_ref(), None),
            CaseStatus::Blocked { entry, .. } | CaseStatus::Admitted { entry, .. } => {
                (&entry.case, Some(entry.reply.text.to_string()))
            }
        };
        match &case.situation {
            Situation::Ticket(text) => texts.push(text.to_string()),
            Situation::Conversation(turns) => texts.extend(turns.iter().map(|turn| turn.text.to_string())),
        }
        texts.extend(reply);
        texts.extend(case.reference.clone());
        texts
    }

    /// The same case with `other` in place of each text.
    fn with_texts(mut self, other: &dyn Fn(&str) -> Arc<str>) -> CaseRecord {
        self.kept = self.kept.map(|kept| Value::from(&*other(&kept)).to_string());
        match &mut self.status {
            CaseStatus::Skipped { .. } => {}
            CaseStatus::NoReply { case, .. } => replace_texts(case, other),
            CaseStatus::Blocked { entry, .. } | CaseStatus::Admitted { entry, .. } => {
                replace_texts(&mut entry.case, other);
                entry.reply.text = other(&entry.reply.text);
            }
        }
        self
    }
}

fn replace_texts(case: &mut Case, other: &dyn Fn(&str) -> Arc<str>) {
    match &mut case.situation {
        Situation::Ticket(text) => *text = other(text),
        Situation::Conversation(turns) => turns.iter_mut().for_each(|turn| turn.text = other(&turn.text)),
    }
    case.reference = case.reference.as_deref().map(|text| other(text).to_string());
    (case.evidence, case.metadata) = (Arc::default(), None);
}

fn digest_json(text: &str) -> String {
    format!("\"{}\"", digest(text))
}

fn digest(text: &str) -> Arc<str> {
    format!("blake3:{}", blake3::hash(text.as_bytes())).into()
}

impl From<&Screened> for CaseRecord {
    fn from(screened: &Screened) -> CaseRecord {
        let at = |index, file: &str, line, status| CaseRecord {
            index,
            file: file.to_owned(),
            line,
            status,
            kept: None,
            list: None,
            withheld: Withheld::default(),
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

#[cfg(test)]
mod tests {
    use probity_core::case::{
        CaseId, Circumstances, Confidence, ContextText, Evidence, Reply, Role, Situation, Slice, Turn,
    };
    use probity_core::gate::Gate;
    use probity_core::score::Unscored;
    use serde_json::json;

    use super::*;
    use crate::input::Place;

    /// A case that says everything that a record can say.
    fn case() -> Case {
        let turn = |role, text: &str| Turn { role, text: text.into() };
        let turns = vec![turn(Role::Customer, "It broke."), turn(Role::Agent, "What did?")];
        let time = Some("2026-03-01T10:00:00Z".parse().expect("a moment"));
        let context = vec![ContextText { text: "30 days".to_owned(), source: Some("faq".to_owned()) }];
        Case {
            slice: Some(Slice::new("returns").expect("a name")),
            circumstances: Circumstances { time, region: Some("eu".to_owned()), ..Circumstances::default() },
            evidence: Arc::new(Evidence { context, ..Evidence::default() }),
            reference: Some("Sorry.".to_owned()),
            metadata: Some("{\"difficulty\":2}".to_owned()),
            ..Case::new(CaseId::new("c1").expect("a name"), Situation::Conversation(turns))
        }
    }

    fn record(reply: &str) -> CaseRecord {
        let variant = Some(Variant::new("v2").expect("a name"));
        let confidence = Some(Confidence::new(0.1 + 0.2).expect("a share"));
        let reply = Reply { variant, confidence, ..Reply::new(reply) };
        let place = Place { index: 7, file: "cases.jsonl".into(), line: 8 };
        CaseRecord::from(&match Gate::default().screen(Entry { case: case(), reply }) {
            Ok(admitted) => Screened::Admitted { place, admitted, packets: Vec::new() },
            Err(blocked) => Screened::Blocked { place, blocked: Box::new(blocked) },
        })
    }

    fn written(record: &CaseRecord) -> Value {
        serde_json::to_value(record).expect("plain data")
    }

    #[track_caller]
    fn check_round_trip(record: &CaseRecord) {
        let text = written(record).to_string();
        assert_eq!(serde_json::from_str::<CaseRecord>(&text).expect("what was written"), *record);
    }

    #[test]
    fn a_record_is_read_back_as_it_was() {
        let skipped =
            Skipped { index: 1, file: "a".into(), line: 2, id: None, reason: "Missing 'reply'".to_owned() };
        let no_reply = NoReply {
            case: Box::new(case()),
            skipped: skipped.clone(),
            variant: Variant::new("bot").expect("a name"),
            why: Unscored { cause: "no_reply".to_owned(), detail: "timeout".to_owned(), attempts: 3 },
        };
        check_round_trip(&record("We send a new one."));
        check_round_trip(&record("Card 4111 1111 1111 1111 was charged."));
        check_round_trip(&CaseRecord::from(&Screened::NoReply(no_reply)));
        check_round_trip(&CaseRecord::from(&Screened::Skipped(skipped)));
        let mut asked = record("We send a new one.");
        if let CaseStatus::Admitted { packets, .. } = &mut asked.status {
            packets.push(PacketRecord { hash: PacketHash::from_bytes([0xa7; 32]), tokens_input: 99 });
        }
        assert!(written(&asked).to_string().contains(&"a7".repeat(32)));
        check_round_trip(&asked);
    }

    #[test]
    fn known_personal_data_is_not_written() {
        let case = Case { known_pii: vec!["4111".to_owned()], ..case() };
        assert!(!serde_json::to_string(&case).expect("plain data").contains("4111"));
    }

    /// Reads the record of a blocked reply in which the value at `pointer` is another one.
    fn forged(pointer: &str, value: Value) -> String {
        let mut text = written(&record("Card 4111 1111 1111 1111 was charged."));
        *text.pointer_mut(pointer).expect("it is there") = value;
        serde_json::from_value::<CaseRecord>(text).expect_err("it cannot be").to_string()
    }

    #[test]
    fn what_could_not_have_been_made_is_not_read() {
        let rule = forged("/status/blocked/findings/0/sighting/rule", json!("pii.none"));
        assert_eq!(rule, "there is no rule 'pii.none'");
        let confidence = forged("/status/blocked/entry/reply/confidence", json!(2.0));
        assert_eq!(confidence, "'confidence' is 2, expected a number from 0 to 1");
        assert_eq!(forged("/status/blocked/entry/case/id", json!("")), "Empty 'name' field");
    }
}
