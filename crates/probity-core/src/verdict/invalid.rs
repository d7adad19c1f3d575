//! Why an answer is not a verdict: one name per reason, and whether asking again may help.
//!
//! An [`Invalid`] holds no level. There is nothing in it that a careless caller could average.

use std::fmt;

/// The longest detail kept with a reason, in bytes. The whole answer is stored beside it.
const DETAIL_BYTES_MAX: usize = 4096;

/// Why an answer is not a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InvalidReason {
    /// The server sent no choice.
    NoChoice,
    /// The answer has no text; reasoning beside it does not count.
    Empty,
    /// The token limit cut the answer.
    Length,
    /// The token limit was used up by reasoning before an answer began.
    LengthReasoning,
    /// A filter cut the answer.
    ContentFilter,
    /// The judge refused; the detail has its words.
    Refused,
    /// The server does not say that the answer is complete; the detail has its finish reason.
    Unfinished,
    /// The judge called a tool that was not offered.
    UnexpectedTool,
    /// The answer has no JSON object that looks like a verdict.
    NoJson,
    /// The answer's object ends too early.
    Truncated,
    /// The answer's object is not JSON.
    Malformed,
    /// The answer has several verdicts that differ, or words that take its verdict back.
    Ambiguous,
    /// The answer repeats an object that stands in the packet's own texts.
    Echo,
    /// A value has the wrong type.
    Type,
    /// A number inside the scale's range that is not one of its levels.
    NotOnScale,
    /// A whole number outside the scale's range.
    OutOfRange,
    /// `NaN`, an infinity, or a number too large for any float.
    NotFinite,
    /// A key stands twice in one object.
    DuplicateKey,
    /// Nested deeper than any verdict is.
    TooDeep,
    /// A criterion that was asked has no answer; the detail is its id.
    MissingCriterion,
    /// No score.
    MissingScore,
    /// No reasoning beside the score.
    MissingReasoning,
    /// An empty reasoning where the criterion demands one.
    EmptyReasoning,
    /// No verdict about the two replies.
    MissingVerdict,
    /// A verdict about two replies that is none of the four words.
    UnknownVerdict,
    /// A verdict for one of two replies without evidence.
    MissingEvidence,
    /// The answer names another packet.
    IdMismatch,
}

impl InvalidReason {
    /// Every reason, in the order in which the reader meets them.
    pub const ALL: &[InvalidReason] = &[
        InvalidReason::NoChoice,
        InvalidReason::Empty,
        InvalidReason::Length,
        InvalidReason::LengthReasoning,
        InvalidReason::ContentFilter,
        InvalidReason::Refused,
        InvalidReason::Unfinished,
        InvalidReason::UnexpectedTool,
        InvalidReason::NoJson,
        InvalidReason::Truncated,
        InvalidReason::Malformed,
        InvalidReason::Ambiguous,
        InvalidReason::Echo,
        InvalidReason::Type,
        InvalidReason::NotOnScale,
        InvalidReason::OutOfRange,
        InvalidReason::NotFinite,
        InvalidReason::DuplicateKey,
        InvalidReason::TooDeep,
        InvalidReason::MissingCriterion,
        InvalidReason::MissingScore,
        InvalidReason::MissingReasoning,
        InvalidReason::EmptyReasoning,
        InvalidReason::MissingVerdict,
        InvalidReason::UnknownVerdict,
        InvalidReason::MissingEvidence,
        InvalidReason::IdMismatch,
    ];

    /// The name under which the reason is stored and reported.
    pub fn name(self) -> &'static str {
        match self {
            InvalidReason::NoChoice => "no_choice",
            InvalidReason::Empty => "empty",
            InvalidReason::Length => "length",
            InvalidReason::LengthReasoning => "length_reasoning",
            InvalidReason::ContentFilter => "content_filter",
            InvalidReason::Refused => "refused",
            InvalidReason::Unfinished => "unfinished",
            InvalidReason::UnexpectedTool => "unexpected_tool",
            InvalidReason::NoJson => "no_json",
            InvalidReason::Truncated => "truncated",
            InvalidReason::Malformed => "malformed",
            InvalidReason::Ambiguous => "ambiguous",
            InvalidReason::Echo => "echo",
            InvalidReason::Type => "type",
            InvalidReason::NotOnScale => "not_on_scale",
            InvalidReason::OutOfRange => "out_of_range",
            InvalidReason::NotFinite => "not_finite",
            InvalidReason::DuplicateKey => "duplicate_key",
            InvalidReason::TooDeep => "too_deep",
            InvalidReason::MissingCriterion => "missing_criterion",
            InvalidReason::MissingScore => "missing_score",
            InvalidReason::MissingReasoning => "missing_reasoning",
            InvalidReason::EmptyReasoning => "empty_reasoning",
            InvalidReason::MissingVerdict => "missing_verdict",
            InvalidReason::UnknownVerdict => "unknown_verdict",
            InvalidReason::MissingEvidence => "missing_evidence",
            InvalidReason::IdMismatch => "id_mismatch",
        }
    }

    /// The reason called `name`.
    pub fn from_name(name: &str) -> Option<InvalidReason> {
        InvalidReason::ALL.iter().copied().find(|reason| reason.name() == name)
    }

    /// Whether one further paid call may be made.
    ///
    /// Yes where the same question is likely to be answered better by chance alone. No where the answer
    /// follows from the question (filters, refusals, limits), where it shows a judge that misunderstands
    /// the task (wrong scale, other keys, other words), and where a person has to look (echo, ambiguity).
    pub fn reask(self) -> bool {
        matches!(
            self,
            InvalidReason::NoChoice
                | InvalidReason::Empty
                | InvalidReason::Unfinished
                | InvalidReason::NoJson
                | InvalidReason::Truncated
                | InvalidReason::Malformed
                | InvalidReason::Type
        )
    }
}

impl fmt::Display for InvalidReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An answer that is not a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {detail}")]
pub struct Invalid {
    /// Why.
    pub reason: InvalidReason,
    /// What was seen and what was expected; for [`InvalidReason::MissingCriterion`] the criterion's id.
    pub detail: String,
}

impl Invalid {
    pub(super) fn new(reason: InvalidReason, detail: impl Into<String>) -> Self {
        let mut detail = detail.into();
        detail.truncate(detail.floor_char_boundary(DETAIL_BYTES_MAX));
        Invalid { reason, detail }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        let names: BTreeSet<&str> = InvalidReason::ALL.iter().map(|reason| reason.name()).collect();
        assert_eq!(names.len(), InvalidReason::ALL.len());
        for reason in InvalidReason::ALL {
            assert_eq!(InvalidReason::from_name(reason.name()), Some(*reason));
        }
        assert_eq!(InvalidReason::from_name("zero"), None);
    }

    #[test]
    fn a_detail_is_cut_between_characters() {
        let invalid = Invalid::new(InvalidReason::Refused, "\u{20ac}".repeat(DETAIL_BYTES_MAX));
        assert_eq!(invalid.detail.len(), DETAIL_BYTES_MAX / 3 * 3);
    }
}
