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

mod arithmetic;
mod calculation;
mod elapsed;
mod granted;
mod passage;
mod remedy;
mod shown;
mod tool;
mod value;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::BTreeSet;

pub use granted::Allowed;

use super::claim::{Claim, ClaimKind, Language, RULES, WordList};
use super::finding::Sighting;
use super::policy::{Fact, Source};
use crate::case::{Case, Moment};
use shown::{Operands, Shown};

const UNSUPPORTED_PROMISE: &str = "claim.unsupported_promise";
const OMITTED_REMEDY: &str = "claim.omitted_remedy";
const CONTRADICTED: &str = "claim.contradicted";
const WRONG_ARITHMETIC: &str = "claim.wrong_arithmetic";
const UNSUPPORTED_FIGURE: &str = "claim.unsupported_figure";
const UNSUPPORTED_REFERENCE: &str = "claim.unsupported_reference";
const UNSUPPORTED_DEED: &str = "claim.unsupported_deed";

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
        Support { sources, case, now: case.circumstances.time, allowed, language, shown: OnceCell::new() }
    }

    /// The same where `as_of` is the moment that counts for a case without one.
    #[must_use]
    pub fn as_of(self, as_of: Option<Moment>) -> Self {
        Support { now: self.now.or(as_of), ..self }
    }

    fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| Shown::of(self.case, self.language))
    }

    /// The windows of the sources that are whole days.
    fn days_of_sources(&self) -> impl Iterator<Item = i64> {
        let stated = self.sources.iter().flat_map(|source| &source.facts.stated);
        stated.flat_map(Fact::days)
    }

    /// What results can be calculated from, the reply's own figures apart.
    fn operands(&self) -> Operands {
        let stated = self.sources.iter().flat_map(|source| source.values.singles());
        self.shown().operands.clone().with_policies(stated)
    }

    /// Whether something shows that `deed` was done, the policy apart.
    fn shows_deed(&self, deed: &str) -> bool {
        self.allowed.deeds.contains(deed) || self.shown().deeds.contains(deed)
    }
}

/// What is wrong with the claims of a reply, given what they may rest on.
pub fn check(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let mut sightings = remedy::check(reply, claims, support);
    sightings.extend(value::check(reply, claims, support));
    sightings.extend(deeds(reply, claims, support));
    let place = |id: &str| RULES.iter().position(|rule| rule.id == id);
    sightings.sort_by_key(|sighting| (place(sighting.rule), sighting.start, sighting.end));
    sightings
}

fn deeds(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let mut seen = BTreeSet::new();
    let mut sightings = Vec::new();
    for claim in claims {
        let ClaimKind::Deed { deed } = &claim.kind else { continue };
        let by_policy = || support.sources.iter().any(|source| source.facts.deeds.contains(deed));
        let is_shown =
            || by_policy() || (support.shows_deed(deed) && !is_said_of_more(reply, claim, deed, support));
        if seen.insert(deed) && !is_shown() {
            let message = format!("the reply says that something is done ({deed}), and nothing shows it");
            let expected = "what is still to be done, or a tool's result or an earlier message of the company that \
                            says it was done";
            let sighting = Sighting::at(UNSUPPORTED_DEED, claim.span.clone(), message).expecting(expected);
            sightings.push(against_first(sighting, support));
        }
    }
    sightings
}

/// Whether a deed is said of both things although a tool did it once.
fn is_said_of_more(reply: &str, claim: &Claim, deed: &str, support: &Support<'_>) -> bool {
    let before =
        &reply[reply.floor_char_boundary(claim.span.start.saturating_sub(BOTH_BYTES_MAX))..claim.span.start];
    let sentence = before.rsplit(['.', '!', '?', '\n']).next().unwrap_or(before).to_lowercase();
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    support.shown().calls.get(deed) == Some(&1)
        && words.any(|word| support.language.lexicon.words(WordList::Both).contains(word))
}

/// How far before a deed "both" can stand, in bytes.
const BOTH_BYTES_MAX: usize = 60;

/// Names the first source as the one that a claim was checked against.
fn against_first(sighting: Sighting, support: &Support<'_>) -> Sighting {
    sighting.against(support.sources.first().map(|source| source.name()))
}
