//! Whether the evidence selected for a case may be used: known, permitted for this case and in force.
//!
//! Decided from the ledger, the case and the moment that counts for it. No clock is read.

use super::rules::Rule;

/// Evidence that may not be used, and evidence that is missing.
pub(super) const RULES: &[Rule] = &[
    Rule::block("evidence.none_selected", "no source was selected for the case"),
    Rule::block("evidence.unknown_source", "a selected source is not in the ledger"),
    Rule::block("evidence.wrong_audience", "a selected source may not be used for this case"),
    Rule::block("evidence.stale_version", "a selected version is not in force"),
];
