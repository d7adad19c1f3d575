//! What another tool's file says about a reply beside the case: people's labels, another judge's verdicts, outcomes.
//!
//! The three are never mixed. A label is what a person decided; a foreign verdict is a score by another judge, named
//! after the tool and its grader; an outcome is what a customer said or what became of the ticket. Values keep the text
//! they were written with, because what they mean is for the reader of a scale to say.

use std::collections::BTreeMap;
use std::fmt;

use probity_core::case::Turn;
use probity_core::json::Json;
use serde::{Deserialize, Serialize};

/// What a foreign record says beside its case and reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beside {
    /// What people decided about the reply.
    pub labels: Vec<ForeignLabel>,
    /// What other judges said about it. Never labels.
    pub verdicts: Vec<ForeignVerdict>,
    /// What customers said, and what became of the ticket: neither labels nor verdicts.
    pub outcomes: Vec<CustomerOutcome>,
    /// What people wrote about the reply without deciding anything.
    pub notes: Vec<String>,
    /// System and developer prompts. They are in no packet unless they were asked for.
    pub instructions: Vec<String>,
    /// What was said after the reply.
    pub turns_after: Vec<Turn>,
    /// Whether a bot wrote the reply, where a help desk says.
    pub by_bot: Option<bool>,
    /// How many private notes were left out of the conversation.
    pub n_private: usize,
    /// How many messages were taken for an agent's because their author is not known.
    pub n_guessed: usize,
    /// How many texts the help desk itself had redacted.
    pub n_redacted: usize,
    /// The record as it stands in its file, without what is private: what has no home here and is written back.
    pub kept: Option<Json>,
    /// What of the record is not kept.
    pub withheld: Withheld,
    /// Where its file has the list that it stands in, as `results.results`; empty where the file is the list.
    pub list: Option<String>,
}

/// What of a help desk's files is not kept, because it is private or not known to be public.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Private notes.
    #[serde(rename = "private_notes")]
    pub notes: usize,
    /// Texts in which the mail address of an agent was replaced.
    #[serde(rename = "agent_addresses")]
    pub addresses: usize,
    /// Other values that are not known to be public, by the names of their members.
    #[serde(rename = "not_known_to_be_public")]
    pub members: BTreeMap<String, usize>,
}

impl Withheld {
    /// Counts the value of a member.
    pub(super) fn add(&mut self, name: &str) {
        *self.members.entry(name.to_owned()).or_default() += 1;
    }

    /// Adds the counts of another record.
    pub fn merge(&mut self, other: &Withheld) {
        self.notes += other.notes;
        self.addresses += other.addresses;
        for (name, n) in &other.members {
            *self.members.entry(name.clone()).or_default() += n;
        }
    }

    /// Whether nothing was left out.
    pub fn is_nothing(&self) -> bool {
        *self == Withheld::default()
    }
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, was) = (self.notes == 1, if self.notes == 1 { "was" } else { "were" });
        write!(f, "{} private note{} {was} left out", self.notes, if one { "" } else { "s" })?;
        if self.addresses > 0 {
            write!(f, "; agents' mail addresses were replaced in {} texts", self.addresses)?;
        }
        if !self.members.is_empty() {
            let listed: Vec<String> = self.members.iter().map(|(name, n)| format!("{name} {n}")).collect();
            write!(f, "; not known to be public and left out: {}", listed.join(", "))?;
        }
        Ok(())
    }
}

/// A record of a help desk that is no case itself: a comment, a user, a rating.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JoinedRecord {
    /// The file as it was named.
    pub file: String,
    /// Where its file has the list that it stands in.
    pub list: Option<String>,
    /// What is public of it; nothing where it is private.
    pub kept: Option<Json>,
    /// What is not.
    pub withheld: Withheld,
}

/// What a person decided, in the words of the tool they used.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignLabel {
    /// What was asked; the whole reply where the tool does not say.
    pub criterion: Option<String>,
    /// Who decided, where the tool says.
    pub annotator: Option<String>,
    /// What was decided: a text, a number or a truth value.
    pub label: Json,
    /// What was written with it.
    pub comment: Option<String>,
    /// When, as the tool wrote it.
    pub at: Option<String>,
}

/// What another judge said.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignVerdict {
    /// `<tool>:<grader>`, the grader's name whole.
    pub judge: String,
    /// What it said.
    pub said: ForeignScore,
    /// Its reason, where it gave one.
    pub reason: Option<String>,
    /// What it was asked, where the file says: the text for a rubric draft.
    pub asked: Option<String>,
    /// From which score on it passes, as the tool wrote it.
    pub threshold: Option<Json>,
}

/// The value of a foreign verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum ForeignScore {
    /// At least one of the three is there.
    Scored {
        /// The score, on whatever scale the tool has.
        score: Option<Json>,
        /// The score's name.
        label: Option<String>,
        /// Whether the tool counts it as passed.
        passed: Option<bool>,
    },
    /// The grader failed or gave nothing. Never a fail.
    Unscored {
        /// What the tool says about it.
        error: Option<String>,
    },
}

/// What a customer said about the conversation, or what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomerOutcome {
    /// Which outcome: `csat`, `rating`, `rating_ai` or `resolution`.
    pub kind: &'static str,
    /// Its value, as the tool wrote it.
    pub value: Json,
}

impl ForeignLabel {
    /// A label of a column that a person mapped.
    pub(in crate::input) fn mapped(
        criterion: Option<String>,
        label: Json,
        annotator: Option<String>,
    ) -> Self {
        ForeignLabel { criterion, annotator, label, comment: None, at: None }
    }
}

impl ForeignVerdict {
    /// A verdict of `judge`, of which nothing but the value is known.
    pub(super) fn new(judge: String, said: ForeignScore) -> Self {
        ForeignVerdict { judge, said, reason: None, asked: None, threshold: None }
    }
}
