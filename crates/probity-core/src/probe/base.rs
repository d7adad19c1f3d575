//! The replies that probes change: a person's own, drawn by seed, and those that come with Probity.
//!
//! What is drawn depends on the seed and on what the replies say, never on the order of a file. Equal content is
//! drawn once.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::case::{Case, CaseId, Entry, Reply, Situation};
use crate::spec_file::from_toml;
use crate::stats::Random;

/// The file of the shipped bases.
const SHIPPED: &str = include_str!("../../probes/bases.toml");

/// Where a base comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseOrigin {
    /// A person's own case.
    Own,
    /// It comes with Probity.
    Shipped,
}

/// A reply that probes change, with the case it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    entry: Entry,
    origin: BaseOrigin,
    digest: [u8; 32],
}

impl Base {
    /// `entry` as a base.
    pub fn new(entry: Entry, origin: BaseOrigin) -> Base {
        let digest = digest(&entry);
        Base { entry, origin, digest }
    }

    /// The case and the reply.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Where it comes from.
    pub fn origin(&self) -> BaseOrigin {
        self.origin
    }

    /// What it says, as 64 hexadecimal digits.
    pub fn digest(&self) -> String {
        blake3::Hash::from_bytes(self.digest).to_hex().to_string()
    }

    pub(super) fn reply(&self) -> &str {
        &self.entry.reply.text
    }

    /// A coin that always falls the same way for the same text.
    pub(super) fn is_even(&self) -> bool {
        self.digest[31].is_multiple_of(2)
    }
}

/// BLAKE3 of what a base says: its situation and its reply, each with its length.
fn digest(entry: &Entry) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    match &entry.case.situation {
        Situation::Ticket(text) => add(text),
        Situation::Conversation(turns) => turns.iter().for_each(|turn| {
            add(turn.role.name());
            add(&turn.text);
        }),
    }
    add(&entry.reply.text);
    *hasher.finalize().as_bytes()
}

/// Draws bases, one entry at a time, keeping no more than are wanted.
#[derive(Debug, Clone)]
pub struct BaseDraw {
    n_max: usize,
    seed: u64,
    kept: BTreeMap<(u64, [u8; 32]), Base>,
}

impl BaseDraw {
    /// A draw of at most `n_max` bases by `seed`.
    pub fn new(n_max: usize, seed: u64) -> BaseDraw {
        BaseDraw { n_max, seed, kept: BTreeMap::new() }
    }

    /// Puts an entry in. It is drawn if its number, which follows from the seed and its content, is among the lowest.
    pub fn add(&mut self, entry: Entry, origin: BaseOrigin) {
        let base = Base::new(entry, origin);
        let content: [u8; 8] = base.digest[..8].try_into().expect("eight of 32 bytes");
        let content = u64::from_le_bytes(content);
        let number = Random::new(self.seed ^ content).bits();
        self.kept.entry((number, base.digest)).or_insert(base);
        if self.kept.len() > self.n_max {
            self.kept.pop_last();
        }
    }

    /// What was drawn, in the order of the draw.
    pub fn bases(self) -> Vec<Base> {
        self.kept.into_values().collect()
    }
}

/// The bases that come with Probity, in the order of their file.
pub fn shipped() -> Vec<Entry> {
    #[derive(Deserialize)]
    struct Shipped {
        base: Vec<ShippedBase>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ShippedBase {
        ticket: String,
        reply: String,
    }
    let entry = |(at, base): (usize, ShippedBase)| {
        let id = CaseId::new(format!("shipped-{:02}", at + 1)).expect("a plain word is an id");
        let case = Case::new(id, Situation::Ticket(base.ticket.into()));
        Entry { case, reply: Reply::new(base.reply) }
    };
    let shipped: Shipped = from_toml(SHIPPED).expect("the shipped bases are tested to be good");
    shipped.base.into_iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(n: usize) -> Entry {
        let id = CaseId::new(format!("c{n}")).expect("an id");
        let case = Case::new(id, Situation::Ticket(format!("Ticket {n}").into()));
        Entry { case, reply: Reply::new(format!("Reply {n}")) }
    }

    fn drawn(order: &[usize], n: usize, seed: u64) -> Vec<String> {
        let mut draw = BaseDraw::new(n, seed);
        for at in order {
            draw.add(entry(*at), BaseOrigin::Own);
        }
        draw.bases().iter().map(|base| base.entry().case.id.to_string()).collect()
    }

    #[test]
    fn the_seed_decides() {
        let order: Vec<usize> = (0..200).collect();
        assert_eq!(drawn(&order, 30, 7), drawn(&order, 30, 7));
        assert_ne!(drawn(&order, 30, 7), drawn(&order, 30, 8));
    }

    #[test]
    fn shipped_bases_can_be_told_apart() {
        let mut draw = BaseDraw::new(1000, 0);
        for entry in shipped() {
            draw.add(entry, BaseOrigin::Shipped);
        }
        assert_eq!(draw.bases().len(), shipped().len());
    }

    proptest! {
        /// Neither the order of a file nor a repeated record changes what is drawn.
        #[test]
        fn order_and_repeats_do_not_matter(order in Just((0..40).collect::<Vec<usize>>()).prop_shuffle(), n in 0_usize..50, seed: u64) {
            let sorted: Vec<usize> = (0..40).collect();
            let doubled = [order.clone(), sorted.clone()].concat();
            prop_assert_eq!(drawn(&sorted, n, seed), drawn(&order, n, seed));
            prop_assert_eq!(drawn(&sorted, n, seed), drawn(&doubled, n, seed));
            prop_assert_eq!(drawn(&order, n, seed).len(), n.min(40));
        }
    }
}
