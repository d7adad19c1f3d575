//! Exactly what a judge is asked, as canonical data whose hash is its name.
//!
//! A packet holds the situation, one reply or two, what they may rest on, and the criteria, and nothing that names who
//! wrote a reply: no case id, no variant, no slice. Equal content therefore has one hash and is paid for once.
//! Packets are made from [`Admitted`] replies and nothing else.
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
//!
//! Two replies to one case become a packet in which each has a slot and no name:
//!
//! ```
//! use probity_core::{case::*, gate, packet, rubric};
//! # fn entry(reply: &str) -> Entry {
//! #     let case = Case::new(CaseId::new("t1").unwrap(), Situation::Ticket("Help".into()));
//! #     Entry { case, reply: Reply::new(reply) }
//! # }
//! let ask = packet::pair_ask(&rubric::built_in("pairwise-support").unwrap()).unwrap();
//! let gate = gate::Gate::default();
//! let (old, new) = (gate.screen(entry("Sure.")).unwrap(), gate.screen(entry("Yes.")).unwrap());
//! let packet = packet::pair(&old, &new, &ask).unwrap();
//! assert!(packet.canonical().contains(r#""candidates":{"A":"Sure.","B":"Yes."}"#));
//! ```
//!
//! Here too, what has not been through the gate does not compile:
//!
//! ```compile_fail
//! use probity_core::{case::*, gate, packet, rubric};
//! # fn entry(reply: &str) -> Entry {
//! #     let case = Case::new(CaseId::new("t1").unwrap(), Situation::Ticket("Help".into()));
//! #     Entry { case, reply: Reply::new(reply) }
//! # }
//! let ask = packet::pair_ask(&rubric::built_in("pairwise-support").unwrap()).unwrap();
//! let gate = gate::Gate::default();
//! let (old, new) = (gate.screen(entry("Sure.")).unwrap(), entry("Yes."));
//! let packet = packet::pair(&old, &new, &ask).unwrap();
//! ```

mod ask;
mod canonical;
mod grounds;

#[cfg(test)]
mod tests;

pub use ask::{AnswerForm, Ask, CallPlan, NotComparable, PairAsk, asks, pair_ask};

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::case::{Case, CaseId, Entry, Evidence, Situation};
use crate::gate::Admitted;
use crate::rubric::ReferenceUse;
use grounds::Grounds;

/// What an answer about a pair may say: a slot, neither, or that a person must look.
pub const PAIR_VERDICTS: [&str; 4] = ["A", "B", "tie", "needs_human_review"];

/// What is known by packet.
pub type PacketMap<V> = HashMap<PacketHash, V>;

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

/// What a judge is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// One reply, to be graded.
    Reply(Arc<str>),
    /// Two replies to the same case, to be compared.
    Pair {
        /// The reply in the first slot.
        a: Arc<str>,
        /// The reply in the second slot.
        b: Arc<str>,
    },
}

impl Subject {
    /// How many bytes its replies have together.
    pub fn n_bytes(&self) -> usize {
        match self {
            Subject::Reply(reply) => reply.len(),
            Subject::Pair { a, b } => a.len() + b.len(),
        }
    }

    /// The replies in the order shown.
    pub fn replies(&self) -> Vec<&str> {
        match self {
            Subject::Reply(reply) => vec![&**reply],
            Subject::Pair { a, b } => vec![&**a, &**b],
        }
    }
}

/// What a judge is asked about one reply or two.
#[derive(Debug, Clone)]
pub struct Packet {
    ask: Arc<Ask>,
    /// What the packets about one reply share.
    material: Arc<Material>,
    reference: Option<String>,
    /// Written when it is first asked for. It repeats the criteria and the material, so many packets
    /// are kept without it.
    canonical: OnceLock<String>,
    hash: PacketHash,
}

/// What packets are about, whatever they ask.
#[derive(Debug, PartialEq, Eq)]
struct Material {
    situation: Situation,
    subject: Subject,
    grounds: Grounds,
}

impl PartialEq for Packet {
    /// The canonical text follows from the rest.
    fn eq(&self, other: &Packet) -> bool {
        let same_texts = self.material == other.material && self.reference == other.reference;
        self.hash == other.hash && self.ask == other.ask && same_texts
    }
}

impl Packet {
    /// The criteria asked about.
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// The same as all packets with these criteria have it.
    pub fn shared_ask(&self) -> &Arc<Ask> {
        &self.ask
    }

    /// What the reply answers.
    pub fn situation(&self) -> &Situation {
        &self.material.situation
    }

    /// The reply or the two of them, as data.
    pub fn subject(&self) -> &Subject {
        &self.material.subject
    }

    /// The reference reply, where a criterion asked for may use it and the case has one.
    pub fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    /// What the reply may rest on, and the checks against it that the reply has passed, as canonical JSON; for two
    /// replies that rest on different things, by slot. `None` where there is nothing.
    pub fn evidence(&self) -> Option<String> {
        self.material.grounds.to_json()
    }

    /// Every text in it that does not come from the rubric: the customer's, the bot's, the reference, the evidence.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = self.situation().texts();
        texts.extend(self.subject().replies());
        texts.extend(self.reference());
        texts.extend(self.material.grounds.evidence().flat_map(Evidence::texts));
        texts
    }

    /// How many bytes those texts have together.
    pub fn n_bytes(&self) -> usize {
        let evidence: usize = self.material.grounds.evidence().map(Evidence::n_bytes).sum();
        self.situation().n_bytes()
            + self.subject().n_bytes()
            + self.reference().map_or(0, str::len)
            + evidence
    }

    /// The canonical JSON text. Its hash is the packet's name.
    pub fn canonical(&self) -> &str {
        self.canonical.get_or_init(|| canonical::canonical(&self.ask, &self.material, self.reference()))
    }

    /// The packet's name.
    pub fn hash(&self) -> PacketHash {
        self.hash
    }

    /// A mark that fences the material inside a prompt. It follows from the whole packet, so a text written
    /// before the packet existed cannot contain it.
    pub fn boundary(&self) -> String {
        let key = blake3::derive_key("probity packet boundary v1", &self.hash.0);
        let digits = key[..12].iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.map(|digit| char::from_digit(digit.into(), 16).expect("four bits are one digit")).collect()
    }
}

/// The packet that asks `ask` about an admitted reply. `ask` asks for levels: a preference has no meaning for
/// one reply.
pub fn question(admitted: &Admitted, ask: &Arc<Ask>) -> Packet {
    let [packet] = questions(admitted, [ask]).try_into().expect("one ask makes one packet");
    packet
}

/// The packets that ask each of `asks` about an admitted reply, in that order. They share its texts.
pub fn questions<'a>(admitted: &Admitted, asks: impl IntoIterator<Item = &'a Arc<Ask>>) -> Vec<Packet> {
    let Entry { case, reply } = admitted.entry();
    let subject = Subject::Reply(Arc::clone(&reply.text));
    let material = Arc::new(Material {
        situation: case.situation.clone(),
        subject,
        grounds: Grounds::of_reply(admitted),
    });
    let packet = |ask: &Arc<Ask>| {
        assert_eq!(ask.form(), AnswerForm::Levels, "one reply is graded and never compared");
        packet(ask, &material, reference(case, ask))
    };
    asks.into_iter().map(packet).collect()
}

/// Why two replies do not make a pair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPair {
    /// They answer different cases.
    #[error("expected two replies to one case, found replies to {first} and {second}")]
    Cases {
        /// The case of the first reply.
        first: CaseId,
        /// The case of the second reply.
        second: CaseId,
    },
    /// The cases have one id, and what the customer wrote differs.
    #[error("expected the same ticket or conversation on both sides, found different ones")]
    Situations,
    /// The cases have one id, and the reference replies that the judge would see differ.
    #[error("expected the same reference reply on both sides, found different ones")]
    References,
}

/// The packet that asks `ask` about two admitted replies to one case, `first` in slot A.
pub fn pair(first: &Admitted, second: &Admitted, ask: &PairAsk) -> Result<Packet, NotAPair> {
    let grounds = Grounds::of_pair(first, second);
    let (first, second) = (first.entry(), second.entry());
    let (one, other) = (&first.case, &second.case);
    if one.id != other.id {
        return Err(NotAPair::Cases { first: one.id.clone(), second: other.id.clone() });
    }
    if one.situation != other.situation {
        return Err(NotAPair::Situations);
    }
    if reference(one, ask.ask()) != reference(other, ask.ask()) {
        return Err(NotAPair::References);
    }
    let subject = Subject::Pair { a: Arc::clone(&first.reply.text), b: Arc::clone(&second.reply.text) };
    let material = Arc::new(Material { situation: one.situation.clone(), subject, grounds });
    Ok(packet(ask.shared(), &material, reference(one, ask.ask())))
}

/// The packet that shows `reference` beside the material.
fn packet(ask: &Arc<Ask>, material: &Arc<Material>, reference: Option<&str>) -> Packet {
    let text = canonical::canonical(ask, material, reference);
    Packet {
        hash: PacketHash(*blake3::hash(text.as_bytes()).as_bytes()),
        ask: Arc::clone(ask),
        material: Arc::clone(material),
        reference: reference.map(str::to_owned),
        canonical: OnceLock::new(),
    }
}

/// The reference reply, where the criteria let the judge see it.
fn reference<'a>(case: &'a Case, ask: &Ask) -> Option<&'a str> {
    match ask.reference_use() {
        ReferenceUse::Hidden => None,
        ReferenceUse::Optional | ReferenceUse::Required => case.reference.as_deref(),
    }
}
