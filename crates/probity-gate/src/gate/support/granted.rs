//! What a tenant always allows.
//!
//! A tenant's text allows the claims that are found in it, such as its own links and telephone numbers, and phrases such as
//! "24 hours". A remedy that it promises is permitted as if every source permitted it; one that a source forbids stays
//! forbidden.

use std::collections::BTreeSet;

use super::super::claim::{Claim, ClaimKind, Language, Languages, Polarity, extract};
use super::super::policy::{Extent, FactKind, Known, terse};

/// Claims that need no source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    pub(super) values: Known<()>,
    pub(super) remedies: BTreeSet<String>,
    pub(super) deeds: BTreeSet<String>,
}

impl Allowed {
    /// Nothing beyond what sources and conversation support.
    pub fn nothing() -> Self {
        Allowed::default()
    }

    /// What `texts` claim. Every text must claim something; those that do not are returned.
    pub fn new(texts: &[String], languages: &Languages) -> Result<Self, Vec<String>> {
        let (mut allowed, mut values, mut idle) = (Allowed::nothing(), Vec::new(), Vec::new());
        for text in texts {
            let mut n_claims = 0;
            for claim in claims(text, languages) {
                n_claims += 1;
                match claim.kind {
                    ClaimKind::Value(value) => values.push(value),
                    ClaimKind::Deed { deed, .. } => _ = allowed.deeds.insert(deed),
                    ClaimKind::Remedy { remedy, polarity: Polarity::Promised } => {
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

/// What a text claims in its own language, or in the first in which it claims something: "5 Tage" is too short to tell.
fn claims(text: &str, languages: &Languages) -> Vec<Claim> {
    let own = Language::of(text, languages).lexicon;
    let all = std::iter::once(own).chain(languages.lexicons());
    all.map(|lexicon| extract(text, lexicon)).find(|claims| !claims.is_empty()).unwrap_or_default()
}
