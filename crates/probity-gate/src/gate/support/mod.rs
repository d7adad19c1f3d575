//! Whether what a reply claims is supported: remedies by policy alone, figures and references also by the
//! conversation, retrieved texts and the tenant's own list, deeds by policy and by what the company has said before.
//!
//! A claim is compared by what it means; see `same` in the ledger for figures and references. Nothing here
//! has an opinion about wording, and nothing reads a clock.
//!
//! What always holds: sightings come in the order of the rules of [`claim`](super::claim), those of one rule
//! by their place in the reply, and one thing said twice is seen once. A remedy that is left out spans the
//! whole reply. No message quotes a reference, because it may be personal or secret; its span says where it is.

mod granted;
mod passage;
mod remedy;
mod value;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::BTreeSet;

pub use granted::Allowed;

use super::claim::{Claim, ClaimKind, Lexicon, RULES};
use super::finding::Sighting;
use super::policy::Source;
use crate::case::{Evidence, Situation};
use granted::said;

const UNSUPPORTED_PROMISE: &str = "claim.unsupported_promise";
const OMITTED_REMEDY: &str = "claim.omitted_remedy";
const CONTRADICTED: &str = "claim.contradicted";
const UNSUPPORTED_FIGURE: &str = "claim.unsupported_figure";
const UNSUPPORTED_REFERENCE: &str = "claim.unsupported_reference";
const UNSUPPORTED_DEED: &str = "claim.unsupported_deed";

/// What the claims of a reply may rest on.
pub struct Support<'a> {
    sources: &'a [&'a Source],
    situation: &'a Situation,
    /// The texts that were retrieved for the reply.
    retrieved: Vec<&'a str>,
    allowed: &'a Allowed,
    lexicon: &'a Lexicon,
    /// The claims of the conversation and the retrieved texts, read when the first figure asks for them.
    said: OnceCell<Allowed>,
}

impl<'a> Support<'a> {
    /// The sources that may be used for a case, its conversation, and what the tenant always allows.
    pub fn new(
        sources: &'a [&'a Source],
        situation: &'a Situation,
        allowed: &'a Allowed,
        lexicon: &'a Lexicon,
    ) -> Self {
        Support { sources, situation, retrieved: Vec::new(), allowed, lexicon, said: OnceCell::new() }
    }

    /// The same with what was retrieved for the reply: the context, and what tools gave.
    #[must_use]
    pub fn with_retrieved(self, evidence: &'a Evidence) -> Self {
        let context = evidence.context.iter().map(|each| each.text.as_str());
        let results = evidence.tools.iter().filter_map(|tool| tool.result.as_deref());
        Support { retrieved: context.chain(results).collect(), ..self }
    }

    fn said(&self) -> &Allowed {
        self.said.get_or_init(|| said(self.situation, &self.retrieved, self.lexicon))
    }
}

/// What is wrong with the claims of a reply, given what they may rest on.
pub fn check(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let mut sightings = remedy::check(reply, claims, support);
    sightings.extend(value::check(reply, claims, support));
    sightings.extend(deeds(claims, support));
    let place = |id: &str| RULES.iter().position(|rule| rule.id == id);
    sightings.sort_by_key(|sighting| (place(sighting.rule), sighting.start, sighting.end));
    sightings
}

fn deeds(claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let mut seen = BTreeSet::new();
    let mut sightings = Vec::new();
    for claim in claims {
        let ClaimKind::Deed { deed } = &claim.kind else { continue };
        let is_shown = || {
            support.sources.iter().any(|source| source.facts.deeds.contains(deed))
                || support.allowed.deeds.contains(deed)
                || support.said().deeds.contains(deed)
        };
        if seen.insert(deed) && !is_shown() {
            let message = format!("the reply says that something is done ({deed}), and nothing shows it");
            let expected =
                "what is still to be done, or an earlier message of the company that says it was done";
            let sighting = Sighting::at(UNSUPPORTED_DEED, claim.span.clone(), message).expecting(expected);
            sightings.push(against_first(sighting, support));
        }
    }
    sightings
}

/// Names the first source as the one that a claim was checked against.
fn against_first(sighting: Sighting, support: &Support<'_>) -> Sighting {
    sighting.against(support.sources.first().map(|source| source.name()))
}
