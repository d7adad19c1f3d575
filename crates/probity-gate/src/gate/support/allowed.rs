//! What a tenant always allows: its own links and telephone numbers, and phrases such as "24 hours".
//!
//! A text allows the claims that are found in it. A remedy that it promises is permitted as if every source
//! permitted it; one that a source forbids stays forbidden.

use std::collections::BTreeSet;

use super::super::claim::{ClaimKind, Lexicon, Polarity, extract};
use super::super::policy::{Extent, FactKind, Known, terse};

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
                    ClaimKind::Value(value) => values.push((Extent::One(value), ())),
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
            n_claims += usize::from(named.is_some());
            values.extend(named.map(|value| (Extent::One(value), ())));
            if n_claims == 0 {
                idle.push(text.clone());
            }
        }
        allowed.values = Known::of(values);
        if idle.is_empty() { Ok(allowed) } else { Err(idle) }
    }
}
