//! Which item a reviewer gets next, and on which side a reply of a pair stands.
//!
//! Both follow from BLAKE3 of the queue's seed, the reviewer's name and the item's key, so that every reviewer
//! has an order of their own, no order depends on what others do, and nothing has to be stored.

use serde::{Deserialize, Serialize};

/// Items of a ranked queue that are shuffled among themselves: near ranks teach about the same.
const BAND: u64 = 8;

/// How the items of a queue are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// Shuffled for each reviewer.
    Shuffled,
    /// By rank, shuffled for each reviewer among eight that follow each other.
    Ranked,
}

/// What a reviewer's order is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct ReviewerDraw<'a> {
    /// The queue's seed.
    pub seed: u64,
    /// The reviewer's name.
    pub person: &'a str,
}

impl ReviewerDraw<'_> {
    /// Where an item stands for this reviewer: items are taken from the lowest place to the highest.
    pub fn place(&self, arrangement: Arrangement, rank: u64, key: &str) -> (u64, [u8; 32]) {
        let band = match arrangement {
            Arrangement::Shuffled => 0,
            Arrangement::Ranked => rank / BAND,
        };
        (band, self.hash("probity review order v1", key))
    }

    /// Whether this reviewer sees the two replies of a pair the other way round, candidate B first.
    pub fn turns(&self, key: &str) -> bool {
        self.hash("probity review side v1", key)[0] & 1 == 1
    }

    fn hash(&self, purpose: &str, key: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(purpose);
        hasher.update(&self.seed.to_le_bytes());
        // The length keeps a name that ends like a key begins apart from its neighbour.
        hasher.update(&(self.person.len() as u64).to_le_bytes());
        hasher.update(self.person.as_bytes()).update(key.as_bytes());
        *hasher.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(person: &str, arrangement: Arrangement) -> Vec<u64> {
        let draw = ReviewerDraw { seed: 7, person };
        let mut ranks: Vec<u64> = (0..40).collect();
        ranks.sort_by_key(|rank| draw.place(arrangement, *rank, &format!("case-{rank}")));
        ranks
    }

    #[test]
    fn each_reviewer_has_an_order_of_their_own_and_keeps_it() {
        assert_eq!(order("ann", Arrangement::Shuffled), order("ann", Arrangement::Shuffled));
        assert_ne!(order("ann", Arrangement::Shuffled), order("bob", Arrangement::Shuffled));
    }

    #[test]
    fn a_ranked_queue_is_shuffled_in_bands_only() {
        let ranked = order("ann", Arrangement::Ranked);
        assert_ne!(ranked, (0..40).collect::<Vec<_>>());
        for (place, rank) in ranked.iter().enumerate() {
            assert_eq!(rank / BAND, place as u64 / BAND);
        }
    }

    #[test]
    fn sides_are_drawn_evenly_and_differ_between_reviewers() {
        let turned = |person: &str| -> Vec<bool> {
            let draw = ReviewerDraw { seed: 7, person };
            (0..400).map(|n| draw.turns(&format!("case-{n}"))).collect()
        };
        let n_turned = turned("ann").into_iter().filter(|turned| *turned).count();
        assert!((150..250).contains(&n_turned), "{n_turned} of 400");
        assert_ne!(turned("ann"), turned("bob"));
    }

    #[test]
    fn names_and_keys_do_not_run_together() {
        let one = ReviewerDraw { seed: 7, person: "ann" }.place(Arrangement::Shuffled, 0, "acase");
        let other = ReviewerDraw { seed: 7, person: "anna" }.place(Arrangement::Shuffled, 0, "case");
        assert_ne!(one, other);
    }
}
