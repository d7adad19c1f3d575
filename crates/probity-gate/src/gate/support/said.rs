//! What was said before the reply and retrieved for it: figures and references by anyone, deeds by the company.
//!
//! A remedy that was asked for, or that an earlier message promised, supports nothing.

use std::collections::BTreeSet;

use super::super::claim::{ClaimKind, Lexicon, Wanted, extract_wanted};
use super::super::policy::{Extent, Known};
use crate::case::{Role, Situation};

/// The claims of a conversation that can support those of a reply.
pub(super) struct Said {
    pub(super) values: Known<()>,
    pub(super) deeds: BTreeSet<String>,
}

impl Said {
    /// Reads a conversation, and retrieved texts for their figures and references.
    pub(super) fn of(situation: &Situation, retrieved: &[&str], lexicon: &Lexicon) -> Self {
        let mut texts: Vec<(Role, &str)> = match situation {
            Situation::Ticket(text) => vec![(Role::Customer, &**text)],
            Situation::Conversation(turns) => turns.iter().map(|turn| (turn.role, &*turn.text)).collect(),
        };
        texts.extend(retrieved.iter().map(|text| (Role::Customer, *text)));
        let (mut values, mut deeds) = (Vec::new(), BTreeSet::new());
        for (role, text) in texts {
            // What a customer or a retrieved text says was done shows nothing.
            let wanted = if role == Role::Customer { Wanted::Values } else { Wanted::All };
            for claim in extract_wanted(text, lexicon, wanted) {
                match claim.kind {
                    ClaimKind::Value(value) => values.push((Extent::One(value), ())),
                    ClaimKind::Deed { deed } => {
                        deeds.insert(deed);
                    }
                    ClaimKind::Remedy { .. } => {}
                }
            }
        }
        Said { values: Known::of(values), deeds }
    }
}
