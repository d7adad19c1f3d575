//! What supports claims beside the sources: what a tenant always allows, and what was said and retrieved before the reply.
//!
//! A tenant's text allows the claims that are found in it, such as its own links and telephone numbers, and phrases such as
//! "24 hours". A remedy that it promises is permitted as if every source permitted it; one that a source forbids stays
//! forbidden. Of the conversation, figures and references by anyone count, and deeds by the company; a remedy that was
//! asked for, or that an earlier message promised, supports nothing.

use std::collections::BTreeSet;

use super::super::claim::{ClaimKind, Lexicon, Polarity, extract};
use super::super::policy::{Extent, FactKind, Known, terse};
use crate::case::{Role, Situation};

/// Claims that need no source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    pub(super) values: Known<()>,
    pub(super) remedies: BTreeSet<String>,
    pub(super) deeds: BTreeSet<String>,
}

impl Allowed {
    /// Nothing beyond what sources and conversation support.
    pub fn nothing() -> Self {
        Allowed { values: Known::of([]), remedies: BTreeSet::new(), deeds: BTreeSet::new() }
    }

    /// What `texts` claim. Every text must claim something; those that do not are returned.
    pub fn new(texts: &[String], lexicon: &Lexicon) -> Result<Self, Vec<String>> {
        let (mut allowed, mut values, mut idle) = (Allowed::nothing(), Vec::new(), Vec::new());
        for text in texts {
            let mut n_claims = 0;
            for claim in extract(text, lexicon) {
                n_claims += 1;
                match claim.kind {
                    ClaimKind::Value(value) => values.push(value),
                    ClaimKind::Deed { deed } => _ = allowed.deeds.insert(deed),
                    ClaimKind::Remedy { remedy, polarity: Polarity::Promised | Polarity::Conditional } => {
                        allowed.remedies.insert(remedy);
                    }
                    ClaimKind::Remedy { .. } => n_claims -= 1,
                }
            }
            let named = terse(FactKind::Contact, text).or_else(|| terse(FactKind::Code, text));
            // A link that ends with `/*`, or a name that only a sentence around it would show as one.
            let named = named.filter(|_| n_claims == 0 || text.ends_with("/*"));
            if n_claims == 0 && named.is_none() {
                idle.push(text.clone());
            }
            values.extend(named);
        }
        allowed.values = Known::of(values.into_iter().map(|value| (Extent::One(value), ())));
        if idle.is_empty() { Ok(allowed) } else { Err(idle) }
    }
}

/// What a conversation and retrieved texts show.
pub(super) fn said(situation: &Situation, retrieved: &[&str], lexicon: &Lexicon) -> Allowed {
    let mut texts: Vec<(Role, &str)> = match situation {
        Situation::Ticket(text) => vec![(Role::Customer, &**text)],
        Situation::Conversation(turns) => turns.iter().map(|turn| (turn.role, &*turn.text)).collect(),
    };
    texts.extend(retrieved.iter().map(|text| (Role::Customer, *text)));
    let (mut said, mut values) = (Allowed::nothing(), Vec::new());
    for (role, text) in texts {
        for claim in extract(text, lexicon) {
            match claim.kind {
                ClaimKind::Value(value) => values.push((Extent::One(value), ())),
                // What a customer or a retrieved text says was done shows nothing.
                ClaimKind::Deed { deed } if role != Role::Customer => _ = said.deeds.insert(deed),
                ClaimKind::Deed { .. } | ClaimKind::Remedy { .. } => {}
            }
        }
    }
    said.values = Known::of(values);
    said
}
