//! The situation a reply answers, and the reply itself.
//!
//! Values here are already right: ids have a length and no control characters, texts have no NUL, a
//! confidence is between 0 and 1. Long texts are shared: a copy of a case or a reply has the same ones. Reading files
//! and naming their faults is the loader's work; it ends in the constructors of this module.

mod customer_outcomes;
mod evidence;
mod moment;
mod serde_forms;
mod text;

pub use customer_outcomes::is_good_outcome;
pub use evidence::{ContextText, EVIDENCE_BYTES_MAX, Evidence, EvidenceSource, ToolCall};
pub use moment::{Moment, NotAMoment};
pub use text::{TextTrait, is_format, text_trait};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest id accepted, in bytes.
pub(crate) const ID_BYTES_MAX: usize = 512;

/// Declares a text that is a [`name`], with the field that it is read from.
macro_rules! name_types {
    ($($(#[$attribute:meta])* $Name:ident = $field:literal,)+) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $Name(#[serde(deserialize_with = "serde_forms::name")] String);

        impl $Name {
            /// Takes `text` as a name, or says why not.
            pub fn new(text: impl Into<String>) -> Result<Self, BadField> {
                name(text.into(), $field).map($Name)
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )+};
}

name_types! {
    /// Names a case. 1 to `ID_BYTES_MAX` bytes, no control characters; never used as a file name.
    CaseId = "id",
    /// The workflow a case belongs to. Every figure can be split by it.
    Slice = "slice",
    /// What wrote a reply: a prompt, a model, a bot version. It never enters a packet.
    Variant = "variant",
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `text` as a name: not empty, not too long, without control characters.
pub fn name(text: String, field: &'static str) -> Result<String, BadField> {
    Err(BadField(match text.len() {
        0 => format!("Empty '{field}' field"),
        bytes if bytes > ID_BYTES_MAX => {
            format!("'{field}' has {bytes} bytes, at most {ID_BYTES_MAX} are allowed")
        }
        _ if text.contains(char::is_control) => format!("'{field}' contains a control character"),
        _ => return Ok(text),
    }))
}

/// The bot's own confidence in its reply, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Confidence(#[serde(deserialize_with = "serde_forms::confidence")] f64);

impl Confidence {
    /// Takes a number between 0 and 1.
    pub fn new(value: f64) -> Result<Self, BadField> {
        let refused = || format!("'confidence' is {value}, expected a number from 0 to 1");
        let is_share = (0.0..=1.0).contains(&value);
        is_share.then_some(Confidence(value)).ok_or_else(|| BadField(refused()))
    }

    /// The number, 0 to 1.
    pub fn value(self) -> f64 {
        self.0
    }
}

crate::named! {
    /// Who spoke a turn, with the name used in packets.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Role {
        /// The person who asked for help.
        Customer = "customer",
        /// The bot or person who answers.
        Agent = "agent",
        /// Instructions that neither of them sees.
        System = "system",
    }
}

impl Role {
    /// Reads the names in use: `customer`, `user`, `human`; `agent`, `assistant`, `bot`; `system`.
    pub fn parse(text: &str) -> Option<Role> {
        match text.to_ascii_lowercase().as_str() {
            "customer" | "user" | "human" | "client" => Some(Role::Customer),
            "agent" | "assistant" | "bot" | "support" | "ai" => Some(Role::Agent),
            "system" | "developer" => Some(Role::System),
            _ => None,
        }
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Who spoke.
    pub role: Role,
    /// What was said.
    pub text: Arc<str>,
}

/// What the reply answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Situation {
    /// A single message.
    #[serde(rename = "ticket")]
    Ticket(Arc<str>),
    /// A conversation up to, and without, the reply. Never empty.
    #[serde(rename = "turns")]
    Conversation(Vec<Turn>),
}

impl Situation {
    /// How many bytes its texts have together.
    pub fn n_bytes(&self) -> usize {
        self.texts().into_iter().map(str::len).sum()
    }

    /// The texts of the situation in order.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Situation::Ticket(text) => vec![&**text],
            Situation::Conversation(turns) => turns.iter().map(|turn| &*turn.text).collect(),
        }
    }
}

/// What decides which policies count for a case, and how its reply is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circumstances {
    /// When the customer wrote.
    pub time: Option<Moment>,
    /// Who reads the reply; a customer where the record does not say.
    pub audience: Option<String>,
    /// Where the customer is, in the tenant's own names.
    pub region: Option<String>,
    /// The code of the language that the reply is in, such as `de`, where the record says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The situation a reply answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Names the case.
    pub id: CaseId,
    /// The workflow it belongs to, where the record says.
    pub slice: Option<Slice>,
    /// What the customer wrote.
    pub situation: Situation,
    /// When, where and for whom it is, as far as the record says.
    pub circumstances: Circumstances,
    /// What the reply may rest on. In a case that was admitted, as the policies have it.
    pub evidence: Arc<Evidence>,
    /// Why a gate upstream did not admit the reply, where one did not. Empty where it gave no reason.
    pub inadmissible: Option<String>,
    /// An ideal reply, where there is one.
    pub reference: Option<String>,
    /// Personal data that is known to belong to this customer. It is never written.
    #[serde(skip)]
    pub known_pii: Vec<String>,
    /// What customers said, and what became of the ticket, by kind and as its tool wrote it. Neither labels nor
    /// verdicts, and in no packet.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outcomes: BTreeMap<String, String>,
    /// Whatever else the record carried, as its source JSON text.
    pub metadata: Option<String>,
}

impl Case {
    /// A case that says nothing but its situation.
    pub fn new(id: CaseId, situation: Situation) -> Self {
        Case {
            id,
            slice: None,
            situation,
            circumstances: Circumstances::default(),
            evidence: Arc::default(),
            inadmissible: None,
            reference: None,
            known_pii: Vec::new(),
            outcomes: BTreeMap::new(),
            metadata: None,
        }
    }
}

/// The text a customer would read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The text, byte for byte as it was given.
    pub text: Arc<str>,
    /// What wrote it.
    pub variant: Option<Variant>,
    /// The bot's own confidence in it.
    pub confidence: Option<Confidence>,
}

impl Reply {
    /// A reply of which nothing but the text is known.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Reply { text: text.into(), variant: None, confidence: None }
    }
}

/// One record of a case file: a case and the reply to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The situation.
    pub case: Case,
    /// The reply.
    pub reply: Reply,
}

/// Why a field's value was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadField(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_bounded_and_printable() {
        assert!(CaseId::new("../\u{1f600} a").is_ok());
        let problem = |id: &str| CaseId::new(id).expect_err("no id").to_string();
        assert_eq!(problem(""), "Empty 'id' field");
        assert_eq!(problem("a\nb"), "'id' contains a control character");
        assert_eq!(problem(&"x".repeat(10_000)), "'id' has 10000 bytes, at most 512 are allowed");
    }

    #[test]
    fn a_confidence_is_a_share() {
        assert!(Confidence::new(0.0).is_ok() && Confidence::new(1.0).is_ok());
        for bad in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
            assert!(Confidence::new(bad).is_err(), "{bad}");
        }
    }
}
