//! What people decided about a pair, and the majority where several did.

use std::collections::BTreeMap;

use super::pass::{Candidate, Choice};

/// What a person decided about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// This candidate answers better.
    Wins(Candidate),
    /// Neither does.
    Tie,
}

impl Label {
    /// The verdict that agrees with it.
    pub fn choice(self) -> Choice {
        match self {
            Label::Wins(candidate) => Choice::Wins(candidate),
            Label::Tie => Choice::Tie,
        }
    }

    fn vote(self) -> i64 {
        match self {
            Label::Wins(Candidate::A) => 1,
            Label::Tie => 0,
            Label::Wins(Candidate::B) => -1,
        }
    }
}

/// The votes on items, summed up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// Rows that repeat an earlier one word for word, which counts once.
    pub n_repeated: u64,
    votes: BTreeMap<String, Votes>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Votes {
    n: u64,
    sum: i64,
}

impl Labels {
    /// Counts one more vote on `item`.
    pub fn add(&mut self, item: &str, label: Label) {
        let votes = self.votes.entry(item.to_owned()).or_default();
        votes.n += 1;
        votes.sum += label.vote();
    }

    /// The label of `item`: the sign of the mean vote, where A counts one, a tie nothing and B minus one.
    pub fn of(&self, item: &str) -> Option<Label> {
        let votes = self.votes.get(item)?;
        Some(match votes.sum.signum() {
            1 => Label::Wins(Candidate::A),
            -1 => Label::Wins(Candidate::B),
            _ => Label::Tie,
        })
    }

    /// The items that have a label.
    pub fn items(&self) -> impl Iterator<Item = &str> {
        self.votes.keys().map(String::as_str)
    }

    /// How many items have a label.
    pub fn n_items(&self) -> usize {
        self.votes.len()
    }

    /// How many votes there are.
    pub fn n_votes(&self) -> u64 {
        self.votes.values().map(|votes| votes.n).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(votes: &[Label], want: Option<Label>) {
        let mut labels = Labels::default();
        for vote in votes {
            labels.add("x", *vote);
        }
        assert_eq!(labels.of("x"), want);
        assert_eq!(labels.n_votes(), votes.len() as u64);
    }

    #[test]
    fn the_majority_is_the_sign_of_the_mean() {
        let (a, b, tie) = (Label::Wins(Candidate::A), Label::Wins(Candidate::B), Label::Tie);
        check(&[], None);
        check(&[b], Some(b));
        check(&[a, b, tie], Some(tie));
        check(&[a, tie, tie], Some(a));
        check(&[b, a, b], Some(b));
    }
}
