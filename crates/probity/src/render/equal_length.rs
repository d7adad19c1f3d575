//! Why a variant has no win rate at equal length, in the same words on a terminal and on a page.

use std::collections::BTreeSet;

use probity_core::compare::Fits;

/// What follows "no win rate at equal length": the reason alone where it is that of all variants, and otherwise one
/// for each variant without a rate.
pub(crate) fn missing(fits: &Fits) -> Vec<String> {
    let reason = |fitted: &Result<_, probity_core::compare::length::LengthError>| {
        fitted.as_ref().err().map(ToString::to_string)
    };
    let reasons: BTreeSet<Option<String>> = fits.values().map(reason).collect();
    if let (1, Some(Some(same))) = (reasons.len(), reasons.first()) {
        return vec![format!(": {same}")];
    }
    let of = |(name, fitted)| reason(fitted).map(|why| format!(" for {name}: {why}"));
    fits.iter().filter_map(of).collect()
}
