//! What a gate sees and what that does to a reply.
//!
//! A check reports [`Sighting`]s; the settings of its rule turn each into a [`Finding`] that blocks or
//! flags, or drop it. No check decides what its sighting is worth.

use std::fmt;

use serde::{Deserialize, Serialize};

crate::named! {
    /// What a finding does to the reply.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Severity {
        /// The reply is blocked and never judged.
        Block = "block",
        /// The reply is admitted; the finding is shown beside its score and never changes it.
        Flag = "flag",
    }
}

/// One version of a policy source, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceRef {
    /// Which source.
    pub id: String,
    /// Which version of it, where one is named.
    pub version: Option<String>,
}

impl fmt::Display for SourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{} version {version}", self.id),
            None => f.write_str(&self.id),
        }
    }
}

/// The id of a rule in the table.
type RuleId = &'static str;

/// What a check saw in a reply, or in what the reply rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// The id of the rule that it falls under.
    #[serde(deserialize_with = "super::rules::known_id")]
    pub rule: RuleId,
    /// Where in the reply it starts, in bytes.
    pub start: usize,
    /// Where in the reply it ends, in bytes. A sighting about the reply as a whole spans all of it.
    pub end: usize,
    /// What was seen, as a sentence without a full stop. Never personal data or a secret.
    pub message: String,
    /// What would have been right, where that can be said.
    pub expected: Option<String>,
    /// The source it was checked against, where there is one.
    pub source: Option<SourceRef>,
}

impl Sighting {
    /// Something seen at `span` of the reply, with nothing to compare it with.
    pub fn at(rule: &'static str, span: std::ops::Range<usize>, message: impl Into<String>) -> Self {
        let (start, end) = (span.start, span.end);
        Sighting { rule, start, end, message: message.into(), expected: None, source: None }
    }

    /// The same with what would have been right.
    #[must_use]
    pub fn expecting(self, expected: impl Into<String>) -> Self {
        Sighting { expected: Some(expected.into()), ..self }
    }

    /// The same with the source that it was checked against, where there is one.
    #[must_use]
    pub fn against(self, source: Option<SourceRef>) -> Self {
        Sighting { source, ..self }
    }
}

/// A sighting with what it does to the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was seen.
    pub sighting: Sighting,
    /// What it does to the reply.
    pub severity: Severity,
}

impl Finding {
    /// The rule that the finding falls under.
    pub fn rule(&self) -> &'static str {
        self.sighting.rule
    }
}
