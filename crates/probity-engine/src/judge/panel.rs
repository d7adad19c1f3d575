//! What the members of a panel decided, handed out as the panel's own verdicts.
//!
//! Nothing is asked here: the members were. A verdict is the record of a member's, checked again against what was
//! asked; what no member may decide is for a person.

use std::fmt;

use probity_core::packet::PacketHash;
use probity_core::verdict::{Completion, VerdictRecord};
use serde_json::{Value, json};

use super::Question;
use super::respondent::{Remedy, Unusable};

/// The member that says why there is no verdict.
const FOR_PERSON: &str = "needs_human_review";

/// What a panel says about a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelAnswer {
    /// The record of a member's verdict.
    Verdict(String),
    /// No member may decide, for this reason.
    ForPerson(String),
}

/// Finds what a panel says about a packet; nothing where its members have not been asked.
type Find = Box<dyn Fn(PacketHash) -> Option<PanelAnswer> + Send + Sync>;

/// What a panel says about packets.
pub struct PanelAnswers(Find);

impl PanelAnswers {
    /// What `find` finds.
    pub fn new(find: impl Fn(PacketHash) -> Option<PanelAnswer> + Send + Sync + 'static) -> PanelAnswers {
        PanelAnswers(Box::new(find))
    }

    /// What is said about a packet, as text.
    pub(super) fn text(&self, packet: PacketHash) -> Option<String> {
        Some(match (self.0)(packet)? {
            PanelAnswer::Verdict(record) => record,
            PanelAnswer::ForPerson(reason) => json!({ FOR_PERSON: reason }).to_string(),
        })
    }
}

impl Default for PanelAnswers {
    fn default() -> Self {
        PanelAnswers::new(|_| None)
    }
}

impl fmt::Debug for PanelAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PanelAnswers")
    }
}

/// The record that a panel's answer settles, or why a person has to decide.
pub(super) fn settled(completion: &Completion, question: &Question) -> Result<String, Unusable> {
    let text = completion.text.as_deref().unwrap_or_default();
    let unusable =
        |reason: &'static str, detail: String| Unusable { reason, detail, remedy: Remedy::Nothing };
    if let Ok(Value::Object(members)) = serde_json::from_str(text)
        && let Some(reason) = members.get(FOR_PERSON)
    {
        return Err(unusable(FOR_PERSON, reason.as_str().unwrap_or_default().to_owned()));
    }
    let record: VerdictRecord<'_> =
        serde_json::from_str(text).map_err(|error| unusable("malformed", error.to_string()))?;
    record.verdict(question.packet.ask()).map_err(|error| unusable("malformed", error.to_string()))?;
    Ok(text.to_owned())
}
