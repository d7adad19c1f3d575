//! The two lists that travel with a verdict: what was cleaned up to read it, and what to look at twice.
//!
//! Neither changes a level. A clean-up that could change one is not in the list and does not exist.

use std::collections::BTreeSet;

crate::named! {
    /// A clean-up that loses nothing the verdict says. Those of the JSON text itself are [`crate::json::JsonRepair`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Repair {
        /// A byte order mark stood before the answer.
        Bom = "bom",
        /// A complete reasoning block stood outside the object.
        ReasoningStripped = "reasoning_stripped",
        /// The object stood in a code fence.
        Fence = "fence",
        /// An opening or a closing stood around the only object.
        Prose = "prose",
        /// A single criterion's answer stood under the criterion's id.
        Wrapped = "wrapped",
        /// The level was written as a string that is exactly an allowed level.
        StringLevel = "string_level",
        /// The level was written as a float without a fraction.
        IntegralFloat = "integral_float",
        /// A key differed in upper and lower case only.
        KeyCase = "key_case",
        /// A key that was not asked for was passed over.
        UnknownKey = "unknown_key",
        /// A NUL in the reasoning or the evidence became U+FFFD, so that every store can hold it.
        Nul = "nul",
        /// The reasoning or the evidence was cut at [`super::REASONING_BYTES_MAX`].
        ReasoningCapped = "reasoning_capped",
        /// The token limit was reached after the object had ended.
        CompleteBeforeLimit = "complete_before_limit",
        /// The server gave no finish reason, and the answer is one whole object.
        NoFinishReason = "no_finish_reason",
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

/// Repairs as they are collected: the name of each, of a [`Repair`] or of a clean-up of the JSON text, once.
pub(super) type Repairs = BTreeSet<&'static str>;

/// Suspicions as they are collected: each once.
pub(super) type Suspicions = BTreeSet<Suspicion>;
