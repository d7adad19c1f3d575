//! Whether the evidence selected for a case may be used: known, permitted for this case and in force.
//!
//! Decided from the ledger, the case and the moment that counts for it: the case's own, else the one the
//! run names, else none, and then the newest version counts as in force. No clock is read.
//!
//! What always holds: a source that is returned was selected, may be used for the case and is in force,
//! and each selected reference that is not returned has a sighting that says why.

use super::finding::{Sighting, SourceRef};
use super::policy::{DEFAULT_AUDIENCE, Ledger, Source};
use super::rules::Rule;
use crate::case::{Circumstances, Entry, EvidenceSource, Moment};
use crate::spelling::closest;

/// Evidence that may not be used, and evidence that is missing.
pub(super) const RULES: &[Rule] = &[NONE_SELECTED, UNKNOWN_SOURCE, WRONG_AUDIENCE, STALE_VERSION];

const NONE_SELECTED: Rule = Rule::block("evidence.none_selected", "no source was selected for the case");
const UNKNOWN_SOURCE: Rule = Rule::block("evidence.unknown_source", "a selected source is not in the ledger");
const WRONG_AUDIENCE: Rule =
    Rule::block("evidence.wrong_audience", "a selected source may not be used for this case");
const STALE_VERSION: Rule = Rule::block("evidence.stale_version", "a selected version is not in force");

/// What the evidence of a case comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selected<'l> {
    /// The sources that the reply may rest on, in the order of the case, each once.
    pub sources: Vec<&'l Source>,
    /// What the case names, each with what the ledger says of it where it may be used, in the order of the case.
    pub named: Vec<&'l EvidenceSource>,
    /// What is wrong with the others, in the order of the case. Each spans the whole reply.
    pub sightings: Vec<Sighting>,
}

/// Looks up the evidence of a case. `as_of` is the moment that counts for cases without a time.
pub fn check<'l>(entry: &'l Entry, ledger: &'l Ledger, as_of: Option<Moment>) -> Selected<'l> {
    let mut selected = Selected::default();
    if entry.case.evidence.sources.is_empty() {
        let message = "the case names no source that the reply could rest on".to_owned();
        let expected = "at least one source in the case's `evidence`";
        selected.sightings.push(whole(entry, NONE_SELECTED, message, expected));
    }
    for evidence in &entry.case.evidence.sources {
        match source(evidence, ledger, entry, as_of) {
            Ok(source) if selected.sources.iter().any(|earlier| std::ptr::eq(*earlier, source)) => {}
            Ok(source) => {
                selected.sources.push(source);
                selected.named.push(&source.evidence);
            }
            Err(refusal) => {
                selected.named.push(evidence);
                let source = SourceRef { id: evidence.id.clone(), version: evidence.version.clone() };
                selected.sightings.push(refusal.against(Some(source)));
            }
        }
    }
    selected
}

/// What is said of the whole reply.
fn whole(entry: &Entry, rule: Rule, message: String, expected: impl Into<String>) -> Sighting {
    Sighting::at(rule.id, 0..entry.reply.text.len(), message).expecting(expected)
}

/// The source that a reference names, or why it may not be used. A reference without a version means the one in force.
fn source<'l>(
    evidence: &EvidenceSource,
    ledger: &'l Ledger,
    entry: &Entry,
    as_of: Option<Moment>,
) -> Result<&'l Source, Box<Sighting>> {
    let id = &evidence.id;
    let versions = ledger.versions(id);
    let Some(newest) = versions.last() else {
        let ids = ledger.sources().iter().map(|source| source.id.as_str());
        let expected = closest(id, ids).map_or_else(
            || "a source of the ledger".to_owned(),
            |meant| format!("a known source, perhaps `{meant}`"),
        );
        let message = format!("source `{id}` is not in the ledger");
        return Err(whole(entry, UNKNOWN_SOURCE, message, expected).into());
    };
    let circumstances = &entry.case.circumstances;
    let at = circumstances.time.or(as_of);
    let in_force = ledger.in_force(id, circumstances, at);
    let refusal = |rule, message, otherwise: &str| {
        let current = in_force.map(|source| format!("version `{}`", source.version));
        Box::new(whole(entry, rule, message, current.unwrap_or_else(|| otherwise.to_owned())))
    };
    let stale = |message| refusal(STALE_VERSION, message, "a source with a version in force");
    let named = evidence.version.as_ref().map(|name| {
        let version = versions.iter().find(|source| source.version == *name);
        version.ok_or_else(|| stale(format!("`{id}` has no version `{name}`")))
    });
    let named = named.transpose()?;
    let may_be_used = |source: &Source| source.permits(circumstances);
    if !named.map_or_else(|| versions.iter().any(may_be_used), may_be_used) {
        let (case, Source { version, .. }) = (scope(circumstances), named.unwrap_or(newest));
        let message = format!("version `{version}` of `{id}` may not be used for {case}");
        return Err(refusal(WRONG_AUDIENCE, message, &format!("a source for {case}")));
    }
    let is_named = |current: &&Source| named.is_none_or(|named| std::ptr::eq(named, *current));
    in_force.filter(is_named).ok_or_else(|| {
        let at = at.map_or_else(String::new, |at| format!(" at {at}"));
        stale(match named {
            Some(Source { version, .. }) => format!("version `{version}` of `{id}` is not in force{at}"),
            None => format!("no version of `{id}` is in force{at}"),
        })
    })
}

/// Whom and where a case is for, in words.
fn scope(circumstances: &Circumstances) -> String {
    let audience = circumstances.audience.as_deref().unwrap_or(DEFAULT_AUDIENCE);
    match &circumstances.region {
        Some(region) => format!("audience `{audience}` in region `{region}`"),
        None => format!("audience `{audience}` in no named region"),
    }
}

#[cfg(test)]
mod tests;
