//! Whether what a reply claims is supported: remedies by policy alone, figures and references also by the
//! conversation, retrieved texts, tools and the tenant's own list, deeds by policy, by what the company has said before
//! and by what tools did.
//!
//! A claim is compared by what it means; see `same` in the ledger for figures and references. Nothing here
//! has an opinion about wording, and nothing reads a clock.
//!
//! What always holds: sightings come in the order of the rules of [`claim`](super::claim), those of one rule
//! by their place in the reply, and one thing said twice is seen once. A remedy that is left out spans the
//! whole reply. No message quotes a reference, because it may be personal or secret; its span says where it is.

mod amount;
mod calculation;
mod count;
mod deed;
mod derivation;
mod granted;
mod moment;
mod number;
mod passage;
mod remedy;
mod result;
mod shown;
mod step;
mod tool;
mod value;
mod weekday;
mod written;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::BTreeSet;

pub use granted::Allowed;

use super::claim::{Claim, Language, Lexicon, RULES, Value, WordList};
use super::finding::Sighting;
use super::policy::Source;
use crate::case::{Case, Moment};
use passage::Passages;
use shown::Shown;
use step::{Operands, Origin};

const UNSUPPORTED_PROMISE: &str = "claim.unsupported_promise";
const OMITTED_REMEDY: &str = "claim.omitted_remedy";
const CONTRADICTED: &str = "claim.contradicted";
const WRONG_ARITHMETIC: &str = "claim.wrong_arithmetic";
const UNSUPPORTED_FIGURE: &str = "claim.unsupported_figure";
const UNSUPPORTED_REFERENCE: &str = "claim.unsupported_reference";
const UNSUPPORTED_DEED: &str = "claim.unsupported_deed";

/// The most words of a phrase that is looked for.
const PHRASE_WORDS_MAX: usize = 5;

/// How far from a promise or a deed a figure is a part of it, in bytes.
const PROMISE_GAP_BYTES: usize = 7;
const DEED_GAP_BYTES: usize = 24;

/// What the claims of a reply may rest on.
pub struct Support<'a> {
    sources: &'a [&'a Source],
    case: &'a Case,
    /// The moment that counts for the case, where one is known.
    now: Option<Moment>,
    allowed: &'a Allowed,
    /// That of the reply.
    language: Language<'a>,
    /// What the case shows, read when the first claim asks for it.
    shown: OnceCell<Shown>,
    /// Its words, read when the first code asks for them.
    written: OnceCell<BTreeSet<String>>,
}

impl<'a> Support<'a> {
    /// The sources that may be used for a case, what the case shows, and what the tenant always allows, for a reply in
    /// `language`.
    pub fn new(
        sources: &'a [&'a Source],
        case: &'a Case,
        allowed: &'a Allowed,
        language: Language<'a>,
    ) -> Self {
        let now = case.circumstances.time;
        Support { sources, case, now, allowed, language, shown: OnceCell::new(), written: OnceCell::new() }
    }

    /// The same where `as_of` is the moment that counts for a case without one.
    #[must_use]
    pub fn as_of(self, as_of: Option<Moment>) -> Self {
        Support { now: self.now.or(as_of), ..self }
    }

    fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| Shown::of(self.case, self.language))
    }

    fn written(&self) -> &BTreeSet<String> {
        self.written.get_or_init(|| shown::written(self.case))
    }

    /// What results can be calculated from, the reply's own figures apart.
    fn operands(&self) -> Operands {
        let mut operands = self.shown().operands.clone();
        let of_policies = self.sources.iter().flat_map(|source| source.values.all());
        of_policies.for_each(|value| operands.add(&value, Origin::Policy));
        operands.add_now(self.now);
        operands
    }
}

/// Whether a text has a word or phrase of a list.
fn says(text: &str, list: WordList, lexicon: &Lexicon) -> bool {
    let words = tool::spaced(text);
    words.match_indices(' ').any(|(space, _)| {
        let rest = &words[space + 1..];
        let mut ends = rest.match_indices(' ').map(|(end, _)| &rest[..end]).take(PHRASE_WORDS_MAX).peekable();
        let begins = ends.peek().is_some_and(|first| lexicon.begins(&[list], first));
        begins && ends.any(|phrase| lexicon.has(list, phrase))
    })
}

/// What is wrong with the claims of a reply, given what they may rest on.
pub fn check(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let mut sightings = remedy::check(reply, claims, support);
    let passages = Passages::of(reply, claims, support.language.lexicon);
    sightings.extend(deed::check(reply, claims, &passages, support));
    let mut values = value::check(reply, claims, &passages, support);
    let is_of_deed = |start: usize| {
        let of_time = |value: &Value| matches!(value, Value::Time { .. } | Value::Day { .. });
        let first = claims.partition_point(|claim| claim.span.start < start);
        let mut there = claims[first..].iter().take_while(|claim| claim.span.start == start);
        support.shown().has_calls || there.any(|claim| claim.value().is_some_and(of_time))
    };
    for sighting in &mut sightings {
        match sighting.rule {
            UNSUPPORTED_PROMISE => take_in(sighting, &mut values, PROMISE_GAP_BYTES, |_| true),
            UNSUPPORTED_DEED => take_in(sighting, &mut values, DEED_GAP_BYTES, is_of_deed),
            _ => {}
        }
    }
    sightings.extend(values);
    let place = |id: &str| RULES.iter().position(|rule| rule.id == id);
    sightings.sort_by_key(|sighting| (place(sighting.rule), sighting.start, sighting.end));
    sightings
}

/// The figure beside a promise that nothing permits is a part of it: "15 % off", "a voucher of $200". So is the time of a
/// deed that nothing shows, and where tools act any figure of it: "moved you onto the 18:30 train".
fn take_in(
    promise: &mut Sighting,
    values: &mut Vec<Sighting>,
    gap_max: usize,
    is_part: impl Fn(usize) -> bool,
) {
    let (start, end) = (promise.start, promise.end);
    values.retain(|value| {
        let is_near = value.start <= end + gap_max && start <= value.end + gap_max;
        let is_open = value.rule == UNSUPPORTED_FIGURE
            || (value.rule == UNSUPPORTED_REFERENCE && promise.rule == UNSUPPORTED_DEED);
        let is_taken = is_open && is_near && is_part(value.start);
        if is_taken {
            (promise.start, promise.end) = (promise.start.min(value.start), promise.end.max(value.end));
        }
        !is_taken
    });
}

/// Names the first source as the one that a claim was checked against.
fn against_first(sighting: Sighting, support: &Support<'_>) -> Sighting {
    sighting.against(support.sources.first().map(|source| source.name()))
}
