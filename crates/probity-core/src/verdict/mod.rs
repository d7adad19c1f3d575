//! A judge's answer becomes a verdict, or a named reason why not. There is no third way.
//!
//! The answer is untrusted input. Nothing here guesses: no default level, no clamping, no number or winner
//! found in prose, nothing saved from a cut answer. A level that fails a reply by itself stands although another
//! criterion's member of the same object cannot be used: what is known to fail has failed. Clean-ups that lose nothing are listed in [`Repair`] and stored
//! with the verdict; what makes a person look twice is a [`Suspicion`] and never changes a level.
//!
//! ```text
//! body -> envelope -> Completion -> read -> text -> object -> level or preference -> Verdict
//!                                            |         |
//!                                          Invalid   prose, echo, suspect
//! ```

mod confidence;
mod echo;
pub mod envelope;
mod favoured;
mod invalid;
mod level;
mod model_match;
mod object;
mod patterns;
mod preference;
mod prose;
mod read;
mod record;
mod repair;
mod suspect;
mod text;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod properties;

pub use confidence::{Confidence, ConfidenceSource, TokenProbability, confidence};
pub use envelope::EnvelopeFault;
pub use invalid::{Invalid, InvalidReason};
pub use model_match::{ModelMatch, model_match};
pub use patterns::{Patterns, Share};
pub use preference::{Preference, Preferred};
pub use read::{ParseMode, read};
pub use record::{BadVerdictRecord, VerdictRecord};
pub use repair::{Repair, Suspicion};

use crate::json::JsonRepair;
use crate::rubric::CriterionId;

/// What a judge's server sent back, whatever its dialect.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// The text of the answer, text parts joined in order. `None` when there was none.
    pub text: Option<String>,
    /// Why the model stopped.
    pub finish: Finish,
    /// The text of a refusal, where the server marks one.
    pub refusal: Option<String>,
    /// A tool call instead of, or beside, text.
    pub tool: Option<ToolCall>,
    /// The model that answered, as the server says.
    pub model: Option<String>,
    /// The server's fingerprint of the model's build.
    pub fingerprint: Option<String>,
    /// The server's id of this answer.
    pub response_id: Option<String>,
    /// Tokens billed, where the server says so credibly.
    pub usage: Option<Usage>,
    /// The service tier that the server names, in its own word.
    pub tier: Option<String>,
    /// The tokens of the text with their probabilities, where these were asked for and came.
    pub tokens: Vec<TokenProbability>,
    /// The probability of what is decided, where the host gives it by itself.
    pub confidence: Option<Confidence>,
    /// More than one choice came although one was asked for; the first was used.
    pub extra_choices: u32,
    /// Tool calls beyond the first, which is in `tool`.
    pub extra_tool_calls: u32,
    /// Clean-ups that reading the envelope needed, by the names of [`Repair`].
    pub repairs: Vec<String>,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Finish {
    /// It had said what it wanted to.
    Stop,
    /// The token limit cut it.
    Length,
    /// A filter cut it.
    ContentFilter,
    /// It refused.
    Refusal,
    /// It called a tool.
    ToolCalls,
    /// The server gave another reason, or something that is no text. The answer does not count as complete.
    Other(String),
    /// The server gave none.
    #[default]
    Missing,
}

/// A tool call with its arguments as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// The arguments, JSON as text.
    pub arguments: String,
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input: u64,
    /// Tokens of the answer, reasoning included.
    pub output: u64,
    /// Of the prompt, tokens that the host read from its cache.
    pub cached: u64,
    /// Of the prompt, tokens that the host wrote to its cache.
    pub cache_written: u64,
}

impl Usage {
    /// So many tokens in and out, none of them by way of a cache.
    pub fn new(input: u64, output: u64) -> Usage {
        Usage { input, output, ..Usage::default() }
    }

    /// The same, with so many of the prompt's tokens read from a cache and written to it. No more than the prompt has.
    #[must_use]
    pub fn cached(self, read: u64, written: u64) -> Usage {
        let cached = read.min(self.input);
        Usage { cached, cache_written: written.min(self.input - cached), ..self }
    }
}

/// A level with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriterionScore {
    /// The criterion.
    pub criterion: CriterionId,
    /// A level on its scale.
    pub level: i64,
    /// The judge's reason, capped at [`REASONING_BYTES_MAX`].
    pub reasoning: String,
    /// Violations of the criterion that the judge names, by id, in the rubric's order.
    pub violations: Vec<String>,
}

/// The longest reason kept, in bytes. The rest is in the raw answer.
pub const REASONING_BYTES_MAX: usize = 64 * 1024;

/// What an answer states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// About one reply: a level with its reason for every criterion asked, in the order asked.
    Levels(Vec<CriterionScore>),
    /// About one reply: levels that fail it whatever the others are, in an answer whose rest cannot be used.
    Failing {
        /// The levels, in the order asked.
        scores: Vec<CriterionScore>,
        /// Why the criteria without a level have none.
        rest: Invalid,
    },
    /// About two replies: which slot is better.
    Preference(Preferred),
}

impl Statement {
    /// The judge's own words: a reason per criterion, or the evidence.
    fn words(&self) -> Vec<&str> {
        match self {
            Statement::Levels(_) | Statement::Failing { .. } => {
                self.scores().iter().map(|score| score.reasoning.as_str()).collect()
            }
            Statement::Preference(preferred) => preferred.evidence().iter().map(String::as_str).collect(),
        }
    }

    /// The levels with their reasons, in the order asked; empty where a preference was asked for.
    fn scores(&self) -> &[CriterionScore] {
        match self {
            Statement::Levels(scores) | Statement::Failing { scores, .. } => scores,
            Statement::Preference(_) => &[],
        }
    }
}

/// What a validated answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Levels or a preference, as was asked.
    pub statement: Statement,
    /// Clean-ups that were needed, by name, sorted.
    pub repairs: Vec<String>,
    /// What should make a person look twice, by name, sorted. Never changes a level.
    pub suspicions: Vec<String>,
    /// The model that answered, as its server says.
    pub model: Option<String>,
    /// How sure the judge is of it, where it is asked for that. Never changes a level.
    pub confidence: Option<Confidence>,
}

impl Verdict {
    /// The levels with their reasons, in the order asked; empty where a preference was asked for.
    pub fn scores(&self) -> &[CriterionScore] {
        self.statement.scores()
    }

    /// The preference, where one was asked for.
    pub fn preferred(&self) -> Option<&Preferred> {
        match &self.statement {
            Statement::Levels(_) | Statement::Failing { .. } => None,
            Statement::Preference(preferred) => Some(preferred),
        }
    }

    /// Whether [`ParseMode::Strict`] would have read the answer too.
    pub fn is_strict(&self) -> bool {
        let json5 = |name: &String| JsonRepair::JSON5.iter().any(|repair| repair.name() == name);
        !self.repairs.iter().any(json5)
    }
}
