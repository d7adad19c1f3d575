//! Why an answer is not a verdict: one name per reason, and whether asking again may help.
//!
//! An [`Invalid`] holds no level. There is nothing in it that a careless caller could average.

use std::fmt;

/// The longest detail kept with a reason, in bytes. The whole answer is stored beside it.
const DETAIL_BYTES_MAX: usize = 4096;

crate::named! {
    /// Why an answer is not a verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum InvalidReason {
        /// The server sent no choice.
        NoChoice = "no_choice",
        /// The answer has no text; reasoning beside it does not count.
        Empty = "empty",
        /// The token limit cut the answer.
        Length = "length",
        /// The token limit was used up by reasoning before an answer began.
        LengthReasoning = "length_reasoning",
        /// A filter cut the answer.
        ContentFilter = "content_filter",
        /// The judge refused; the detail has its words.
        Refused = "refused",
        /// The server does not say that the answer is complete; the detail has its finish reason.
        Unfinished = "unfinished",
        /// The judge called a tool that was not offered.
        UnexpectedTool = "unexpected_tool",
        /// The answer has no JSON object that looks like a verdict.
        NoJson = "no_json",
        /// The answer's object ends too early.
        Truncated = "truncated",
        /// The answer's object is not JSON.
        Malformed = "malformed",
        /// The answer has several verdicts that differ, or words around its verdict that do more than introduce it.
        Ambiguous = "ambiguous",
        /// The answer repeats an object that stands in the packet's own texts.
        Echo = "echo",
        /// A value has the wrong type.
        Type = "type",
        /// A number inside the scale's range that is not one of its levels.
        NotOnScale = "not_on_scale",
        /// A whole number outside the scale's range.
        OutOfRange = "out_of_range",
        /// `NaN`, an infinity, or a number too large for any float.
        NotFinite = "not_finite",
        /// A key stands twice in one object.
        DuplicateKey = "duplicate_key",
        /// Nested deeper than any verdict is.
        TooDeep = "too_deep",
        /// A criterion that was asked has no answer; the detail is its id.
        MissingCriterion = "missing_criterion",
        /// No score.
        MissingScore = "missing_score",
        /// No reasoning beside the score.
        MissingReasoning = "missing_reasoning",
        /// An empty reasoning where the criterion demands one.
        EmptyReasoning = "empty_reasoning",
        /// No verdict about the two replies.
        MissingVerdict = "missing_verdict",
        /// A verdict about two replies that is none of the four words.
        UnknownVerdict = "unknown_verdict",
        /// A verdict for one of two replies without evidence.
        MissingEvidence = "missing_evidence",
        /// The answer names another packet.
        IdMismatch = "id_mismatch",
    }
}

impl InvalidReason {
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
            assert_eq!(InvalidReason::from_name(reason.name()), Some(reason));
        }
        assert_eq!(InvalidReason::from_name("zero"), None);
    }

    #[test]
    fn a_detail_is_cut_between_characters() {
        let invalid = Invalid::new(InvalidReason::Refused, "\u{20ac}".repeat(DETAIL_BYTES_MAX));
        assert_eq!(invalid.detail.len(), DETAIL_BYTES_MAX / 3 * 3);
    }
}
