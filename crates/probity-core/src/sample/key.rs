//! Numbers that a seed, a draw's name and a record's name give, the same on every machine.
//!
//! One number for each question: who stands for its near-identical tickets, who is drawn, and what is looked at
//! first. One number for the first two would draw tickets that come often more often, because the smallest of many
//! numbers is smaller than one of them; one for the last two would put slices first of which little is drawn.

use super::history::reply_name;
use crate::case::Entry;

/// The context of the keys. Another text gives other draws.
const CONTEXT: &str = "probity 2026-11 sample: seed and name of a draw";

/// What decides a draw.
#[derive(Debug, Clone)]
pub(super) struct Lottery {
    key: [u8; 32],
}

/// A record's numbers. Smaller ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lots {
    /// For standing for others.
    pub(super) stands: u64,
    /// For being drawn.
    pub(super) drawn: u64,
    /// For being looked at.
    pub(super) shown: u64,
}

impl Lottery {
    /// The lottery of a draw. Draws of different names are independent of each other, whatever their seed: what
    /// an earlier one left is not told by its numbers.
    pub(super) fn new(seed: u64, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        hasher.update(&seed.to_le_bytes()).update(name.as_bytes());
        Lottery { key: *hasher.finalize().as_bytes() }
    }

    /// The numbers of a record, by its id and its variant.
    pub(super) fn lots(&self, entry: &Entry) -> Lots {
        let hash = blake3::keyed_hash(&self.key, reply_name(entry).as_bytes());
        let (words, _) = hash.as_bytes().as_chunks::<8>();
        let [stands, drawn, shown] = [0, 1, 2].map(|place| u64::from_le_bytes(words[place]));
        Lots { stands, drawn, shown }
    }
}
