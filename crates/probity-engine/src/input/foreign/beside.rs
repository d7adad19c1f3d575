//! What another tool's file says about a reply beside the case: people's labels, another judge's verdicts, outcomes.
//!
//! The three are never mixed. A label is what a person decided; a foreign verdict is a score by another judge, named
//! after the tool and its grader; an outcome is what a customer said or what became of the ticket. Values keep the text
//! they were written with, because what they mean is for the reader of a scale to say.

use probity_core::case::Turn;
use probity_core::json::Json;

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
    /// How many private notes were left out.
    pub n_private: usize,
    /// How many texts the help desk itself had redacted.
    pub n_redacted: usize,
    /// The record as it stands in its file, private notes left out: what has no home here and is written back.
    pub kept: Option<Json>,
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
