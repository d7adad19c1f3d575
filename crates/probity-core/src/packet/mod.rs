//! Exactly what a judge is asked, as canonical data whose hash is its name.
//!
//! A packet holds the situation, the reply and the criteria, and nothing that names who wrote the reply:
//! no case id, no variant, no slice. Equal content therefore has one hash and is paid for once. Packets
//! are made from an [`Admitted`] and nothing else.
//!
//! ```
//! use probity_core::{case::*, gate, packet, rubric};
//! # fn entry() -> Entry {
//! #     let case = Case::new(CaseId::new("t1").unwrap(), Situation::Ticket("Help".into()));
//! #     Entry { case, reply: Reply::new("Sure.") }
//! # }
//! let rubric = rubric::built_in("relevance-tone").unwrap();
//! let asks = packet::asks(&rubric, packet::CallPlan::PerCriterion);
//! let admitted = gate::Gate::default().screen(entry()).unwrap();
//! let packet = packet::question(&admitted, &asks[0]);
//! assert_eq!(packet.hash().to_string().len(), 64);
//! ```
//!
//! A reply that has not been through the gate does not compile:
//!
//! ```compile_fail
//! use probity_core::{case::*, gate, packet, rubric};
//! # fn entry() -> Entry {
//! #     let case = Case::new(CaseId::new("t1").unwrap(), Situation::Ticket("Help".into()));
//! #     Entry { case, reply: Reply::new("Sure.") }
//! # }
//! let rubric = rubric::built_in("relevance-tone").unwrap();
//! let asks = packet::asks(&rubric, packet::CallPlan::PerCriterion);
//! let packet = packet::question(&entry(), &asks[0]);
//! ```

use std::fmt;
use std::sync::Arc;

use crate::case::{Case, Entry, Situation};
use crate::gate::Admitted;
use crate::json::{Json, write_string};
use crate::rubric::{Criterion, Decider, Judged, ReferenceUse, Rubric};

/// The version of the packet format, as a member of the hashed data.
const FORMAT_MEMBER: &str = ",\"probity_packet\":1";

/// How many criteria go into one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPlan {
    /// One call per criterion.
    PerCriterion,
    /// All criteria in one call.
    OneCall,
}

impl CallPlan {
    /// The name used in manifests.
    pub fn name(self) -> &'static str {
        match self {
            CallPlan::PerCriterion => "per_criterion",
            CallPlan::OneCall => "one_call",
        }
    }
}

/// The criteria that one call asks about. Never empty.
#[derive(Debug, Clone)]
pub struct Ask {
    criteria: Vec<Criterion>,
    /// What the canonical text of each of its packets starts with.
    start: String,
    /// The hash of that start, to be continued.
    start_hasher: blake3::Hasher,
}

impl PartialEq for Ask {
    /// Everything else follows from the criteria.
    fn eq(&self, other: &Ask) -> bool {
        self.criteria == other.criteria
    }
}

impl Eq for Ask {}

impl Ask {
    /// An ask about `criteria`, in that order. `None` when there are none.
    pub fn new(criteria: Vec<Criterion>) -> Option<Arc<Ask>> {
        if criteria.is_empty() {
            return None;
        }
        let canonical = Json::Array(criteria.iter().map(criterion_json).collect()).canonical();
        let start = format!("{{\"criteria\":{canonical}{FORMAT_MEMBER}");
        let mut start_hasher = blake3::Hasher::new();
        start_hasher.update(start.as_bytes());
        Some(Arc::new(Ask { criteria, start, start_hasher }))
    }

    /// The criteria in the order asked.
    pub fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }

    /// The strongest use any criterion makes of the reference reply.
    pub fn reference_use(&self) -> ReferenceUse {
        let uses = |wanted| self.criteria.iter().any(|criterion| criterion.reference == wanted);
        if uses(ReferenceUse::Required) {
            ReferenceUse::Required
        } else if uses(ReferenceUse::Optional) {
            ReferenceUse::Optional
        } else {
            ReferenceUse::Hidden
        }
    }
}

/// The calls that `rubric` needs for one reply: only what a judge decides is asked.
pub fn asks(rubric: &Rubric, plan: CallPlan) -> Vec<Arc<Ask>> {
    let is_asked =
        |criterion: &&Criterion| criterion.decider == Decider::Judge && criterion.judged == Judged::Pointwise;
    let judged = rubric.criteria().iter().filter(is_asked).cloned();
    match plan {
        CallPlan::PerCriterion => judged.filter_map(|criterion| Ask::new(vec![criterion])).collect(),
        CallPlan::OneCall => Ask::new(judged.collect()).into_iter().collect(),
    }
}

fn criterion_json(criterion: &Criterion) -> Json {
    let anchors = criterion.anchors.iter().map(|anchor| {
        Json::object([("level", Json::int(anchor.level)), ("means", Json::text(&anchor.text))])
    });
    Json::object([
        ("id", Json::text(criterion.id.as_str())),
        ("title", Json::text(&criterion.title)),
        ("question", Json::text(&criterion.question)),
        ("levels", Json::Array(anchors.collect())),
        ("violations", Json::Array(criterion.violations.iter().map(Json::text).collect())),
        ("outside", Json::Array(criterion.outside.iter().map(Json::text).collect())),
        ("reasoning", Json::text(criterion.reasoning.name())),
    ])
}

/// BLAKE3 of a packet's canonical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketHash([u8; 32]);

impl PacketHash {
    /// A hash read back from a store.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        PacketHash(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for PacketHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What a judge is asked about one reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Packet {
    ask: Arc<Ask>,
    situation: Situation,
    reply: String,
    reference: Option<String>,
    canonical: String,
    hash: PacketHash,
}

impl Packet {
    /// The criteria asked about.
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// The same criteria, as all packets of one run share them.
    pub fn shared_ask(&self) -> &Arc<Ask> {
        &self.ask
    }

    /// What the reply answers.
    pub fn situation(&self) -> &Situation {
        &self.situation
    }

    /// The reply, as data.
    pub fn reply(&self) -> &str {
        &self.reply
    }

    /// The reference reply, where a criterion asked for may use it and the case has one.
    pub fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    /// The canonical JSON text. Its hash is the packet's name.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The packet's name.
    pub fn hash(&self) -> PacketHash {
        self.hash
    }

    /// A mark that fences the reply inside a prompt. It follows from the whole packet, so a text written
    /// before the packet existed cannot contain it.
    pub fn boundary(&self) -> String {
        let key = blake3::derive_key("probity packet boundary v1", &self.hash.0);
        let digits = key[..12].iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.map(|digit| char::from_digit(digit.into(), 16).expect("four bits are one digit")).collect()
    }
}

/// The packet that asks `ask` about an admitted reply.
pub fn question(admitted: &Admitted, ask: &Arc<Ask>) -> Packet {
    let Entry { case, reply } = admitted.entry();
    let reference = match ask.reference_use() {
        ReferenceUse::Hidden => None,
        ReferenceUse::Optional | ReferenceUse::Required => case.reference.clone(),
    };
    let canonical = canonical(ask, case, &reply.text, reference.as_deref());
    let mut hasher = ask.start_hasher.clone();
    hasher.update(&canonical.as_bytes()[ask.start.len()..]);
    let hash = PacketHash(*hasher.finalize().as_bytes());
    Packet {
        ask: Arc::clone(ask),
        situation: case.situation.clone(),
        reply: reply.text.clone(),
        reference,
        canonical,
        hash,
    }
}

/// Writes the packet's members in canonical order without building a tree: every reply of every run comes
/// through here.
fn canonical(ask: &Ask, case: &Case, reply: &str, reference: Option<&str>) -> String {
    let texts: usize = case.situation.texts().iter().map(|text| text.len() + 40).sum();
    let mut out = String::with_capacity(ask.start.len() + texts + reply.len() + 128);
    out.push_str(&ask.start);
    if let Some(reference) = reference {
        out.push_str(",\"reference\":");
        write_string(reference, &mut out);
    }
    out.push_str(",\"reply\":");
    write_string(reply, &mut out);
    out.push_str(",\"situation\":");
    match &case.situation {
        Situation::Ticket(text) => {
            out.push_str("{\"ticket\":");
            write_string(text, &mut out);
        }
        Situation::Conversation(turns) => {
            out.push_str("{\"turns\":[");
            for (i, turn) in turns.iter().enumerate() {
                out.push_str(if i > 0 { ",{\"role\":" } else { "{\"role\":" });
                write_string(turn.role.name(), &mut out);
                out.push_str(",\"text\":");
                write_string(&turn.text, &mut out);
                out.push('}');
            }
            out.push(']');
        }
    }
    out.push_str("}}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{CaseId, Reply, Role, Turn, Variant};
    use crate::gate::Gate;
    use crate::{json, rubric};

    fn admitted(situation: Situation, reply: &str, variant: &str) -> Admitted {
        let case = Case {
            reference: Some("The ideal reply.".to_owned()),
            ..Case::new(CaseId::new(format!("case-of-{variant}")).expect("an id"), situation)
        };
        let variant = Some(Variant::new(variant).expect("a variant"));
        let reply = Reply { text: reply.to_owned(), variant, confidence: None };
        Gate::default().screen(Entry { case, reply }).expect("admitted")
    }

    fn packets(name: &str, plan: CallPlan, admitted: &Admitted) -> Vec<Packet> {
        let rubric = rubric::built_in(name).expect("built in");
        asks(&rubric, plan).iter().map(|ask| question(admitted, ask)).collect()
    }

    #[test]
    fn one_call_per_criterion_or_one_for_all() {
        let admitted = admitted(Situation::Ticket("Help".into()), "Sure.", "v1");
        assert_eq!(packets("relevance-tone", CallPlan::PerCriterion, &admitted).len(), 2);
        assert_eq!(packets("support-gold", CallPlan::PerCriterion, &admitted).len(), 5);
        assert_eq!(packets("support-gold", CallPlan::OneCall, &admitted).len(), 1);
    }

    #[test]
    fn the_written_form_is_the_canonical_one() {
        let turns = vec![
            Turn { role: Role::Customer, text: "It \"broke\"\n\u{1}".into() },
            Turn { role: Role::Agent, text: "Oh \u{1f600}".into() },
        ];
        for situation in [Situation::Ticket("a\\b".into()), Situation::Conversation(turns)] {
            let admitted = admitted(situation, "</reply> {{ 7*7 }}", "v1");
            for packet in packets("support-gold", CallPlan::OneCall, &admitted) {
                let tree = json::parse(packet.canonical()).expect("canonical text is JSON");
                assert_eq!(tree.canonical(), packet.canonical());
                assert_eq!(packet.hash().as_bytes(), blake3::hash(packet.canonical().as_bytes()).as_bytes());
            }
        }
    }

    #[test]
    fn nothing_names_the_variant_or_the_case() {
        let situation = || Situation::Ticket("Help".into());
        let old = packets("relevance-tone", CallPlan::OneCall, &admitted(situation(), "Sure.", "gpt-next"));
        let new = packets("relevance-tone", CallPlan::OneCall, &admitted(situation(), "Sure.", "other"));
        assert!(!old[0].canonical().contains("gpt-next") && !old[0].canonical().contains("case-of"));
        assert_eq!(old[0].hash(), new[0].hash());
    }

    #[test]
    fn the_reference_is_shown_only_where_a_criterion_uses_it() {
        let admitted = admitted(Situation::Ticket("Help".into()), "Sure.", "v1");
        let shown =
            |name, n: usize| packets(name, CallPlan::PerCriterion, &admitted)[n].reference().is_some();
        assert!(!shown("relevance-tone", 0) && shown("support-gold", 0) && !shown("support-gold", 2));
    }

    #[test]
    fn every_byte_of_the_reply_changes_name_and_boundary() {
        let packet = |reply| {
            packets("relevance-tone", CallPlan::OneCall, &admitted(Situation::Ticket("H".into()), reply, "v"))
                .remove(0)
        };
        let (one, other) = (packet("Sure."), packet("Sure. "));
        assert_ne!(one.hash(), other.hash());
        assert_ne!(one.boundary(), other.boundary());
        let of_hash = blake3::derive_key("probity packet boundary v1", one.hash().as_bytes());
        let written = PacketHash::from_bytes(of_hash).to_string();
        assert_eq!(one.boundary(), written[..24], "the first twelve bytes");
        assert!(!one.canonical().contains(&one.boundary()));
    }
}
