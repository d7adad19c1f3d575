//! What a record says about its own reply before anything is read: the answer of a gate upstream, evidence that is
//! longer than is shown, and a language that claims cannot be read in.
//!
//! The answer of another gate is taken over and not checked again: the gate that refused the reply knew why.

use super::finding::Sighting;
use super::pii::{Scanner, Surroundings};
use super::rules::Rule;
use crate::case::{EVIDENCE_BYTES_MAX, Entry};

/// What a record says about its own reply.
pub(super) const RULES: &[Rule] = &[INADMISSIBLE, EVIDENCE_CUT, NO_LANGUAGE];

const INADMISSIBLE: Rule = Rule::block("record.inadmissible", "a gate upstream did not admit the reply");
const EVIDENCE_CUT: Rule = Rule::flag("record.evidence_cut", "the evidence is longer than a judge is shown");
const NO_LANGUAGE: Rule = Rule::flag(
    "record.no_language",
    "the claims of the reply were not checked: there are no word lists for its language",
);

/// The longest reason that a finding repeats, in bytes.
const REASON_BYTES_MAX: usize = 500;

/// What the record of a reply says. A reason with personal data in it is not repeated.
pub(super) fn check(entry: &Entry, scanner: &Scanner) -> Vec<Sighting> {
    let whole = || 0..entry.reply.text.len();
    let mut sightings = Vec::new();
    if let Some(reason) = &entry.case.inadmissible {
        let around = Surroundings { earlier: &[], customer: &[], known: &entry.case.known_pii };
        let shown = match reason.trim() {
            "" => "no reason is given",
            reason if scanner.check(reason, &around).is_empty() => reason,
            _ => "its reason holds personal data and is not repeated",
        };
        let shown = &shown[..shown.floor_char_boundary(REASON_BYTES_MAX)];
        let message = format!("a gate upstream did not admit the reply: {shown}");
        sightings.push(Sighting::at(INADMISSIBLE.id, whole(), message));
    }
    let n_bytes = entry.case.evidence.n_bytes();
    if n_bytes > EVIDENCE_BYTES_MAX {
        let message =
            format!("the evidence has {n_bytes} bytes, a judge is shown the first {EVIDENCE_BYTES_MAX}");
        sightings.push(Sighting::at(EVIDENCE_CUT.id, whole(), message));
    }
    sightings
}

/// Says that the claims of a reply were not checked, because there are no word lists for its language.
pub(super) fn no_language(entry: &Entry, language: &str) -> Sighting {
    let reason = match language {
        "" => "its words do not tell its language".to_owned(),
        code => format!("there are no word lists for its language ({code})"),
    };
    let message = format!("the claims of the reply were not checked: {reason}");
    let expected = "a `language` in the record or `--language`; word lists can be added (`gate.languages`)";
    Sighting::at(NO_LANGUAGE.id, 0..entry.reply.text.len(), message).expecting(expected)
}
