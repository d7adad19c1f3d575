//! The two lists that travel with a verdict: what was cleaned up to read it, and what to look at twice.
//!
//! Neither changes a level. A clean-up that could change one is not in the list and does not exist.

use std::collections::BTreeSet;

use crate::json::JsonRepair;

/// A clean-up that loses nothing the verdict says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// A byte order mark stood before the answer.
    Bom,
    /// A complete reasoning block stood outside the object.
    ReasoningStripped,
    /// The object stood in a code fence.
    Fence,
    /// Prose stood around the only object, and says nothing else.
    Prose,
    /// A single criterion's answer stood under the criterion's id.
    Wrapped,
    /// The level was written as a string that is exactly an allowed level.
    StringLevel,
    /// The level was written as a float without a fraction.
    IntegralFloat,
    /// A key differed in upper and lower case only.
    KeyCase,
    /// A key that was not asked for was passed over.
    UnknownKey,
    /// A NUL in the reasoning or the evidence became U+FFFD, so that every store can hold it.
    Nul,
    /// The reasoning or the evidence was cut at [`super::REASONING_BYTES_MAX`].
    ReasoningCapped,
    /// The token limit was reached after the object had ended.
    CompleteBeforeLimit,
    /// The server gave no finish reason, and the answer is one whole object.
    NoFinishReason,
    /// The JSON text itself needed a clean-up.
    Json(JsonRepair),
}

impl Repair {
    /// The name under which the repair is stored and reported.
    pub fn name(self) -> &'static str {
        match self {
            Repair::Bom => "bom",
            Repair::ReasoningStripped => "reasoning_stripped",
            Repair::Fence => "fence",
            Repair::Prose => "prose",
            Repair::Wrapped => "wrapped",
            Repair::StringLevel => "string_level",
            Repair::IntegralFloat => "integral_float",
            Repair::KeyCase => "key_case",
            Repair::UnknownKey => "unknown_key",
            Repair::Nul => "nul",
            Repair::ReasoningCapped => "reasoning_capped",
            Repair::CompleteBeforeLimit => "complete_before_limit",
            Repair::NoFinishReason => "no_finish_reason",
            Repair::Json(repair) => repair.name(),
        }
    }
}

crate::named! {
    /// Something about a verdict that should make a person look twice.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Suspicion {
        /// The judge's own total is not what its levels come to.
        Arithmetic = "arithmetic",
        /// The reasoning damns the best level or praises the worst, a violation is named beside the best, or the evidence
        /// speaks for another verdict.
        Contradiction = "contradiction",
        /// The reasoning quotes a passage that stands nowhere in the packet.
        UnsupportedEvidence = "unsupported_evidence",
        /// The reasoning is written in another script than the packet.
        OtherScript = "other_script",
        /// The judge names a violation that the rubric does not have.
        UnknownViolation = "unknown_violation",
    }
}

/// Repairs as they are collected: each once.
pub(super) type Repairs = BTreeSet<Repair>;

/// Suspicions as they are collected: each once.
pub(super) type Suspicions = BTreeSet<Suspicion>;
