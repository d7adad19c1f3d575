//! How many are drawn in each slice.
//!
//! Shares are whole numbers by largest remainders: the next draw goes where the most is missing of the exact
//! share. No float takes part, so no machine decides otherwise.

use std::collections::{BTreeMap, BinaryHeap};

/// How draws are spread over slices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    /// By how many tickets a slice has.
    Proportional,
    /// The same number in each.
    Equal,
    /// At least this many in each, the rest by how many tickets a slice has.
    Minimum(u64),
    /// At least as many in each slice as a contract lacks labels there, the rest by how many tickets a slice has.
    Lacking(SliceLacks),
}

/// How many labels a contract lacks by slice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SliceLacks {
    /// In slices that are not named.
    pub each: u64,
    /// By the name of the slice.
    pub slices: BTreeMap<String, u64>,
}

impl Spread {
    /// The name used in flags and files.
    pub fn name(&self) -> &'static str {
        match self {
            Spread::Proportional => "proportional",
            Spread::Equal => "equal",
            Spread::Minimum(_) => "minimum",
            Spread::Lacking(_) => "contract",
        }
    }

    /// The fewest that a slice should get: one, where there are enough draws, so that none goes unseen.
    fn least(&self, slice: &str) -> u64 {
        match self {
            Spread::Proportional | Spread::Equal => 1,
            Spread::Minimum(n) => *n,
            Spread::Lacking(lacks) => {
                // A slice without a draw would stand for nothing.
                lacks.slices.get(slice).copied().unwrap_or(lacks.each).max(1)
            }
        }
    }
}

/// Fewer draws than the slices need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("at least {least} draws in each of {n_slices} slices are {needed}, more than the {size} asked for")]
pub struct TooSmall {
    /// The least for a slice.
    pub least: u64,
    /// How many slices there are.
    pub n_slices: usize,
    /// How many draws it takes.
    pub needed: u64,
    /// How many were asked for.
    pub size: u64,
}

/// How many to draw of each of the slices with these names and populations, none of which is empty. They add up to
/// `size`, or to all there are.
pub(super) fn allocation(slices: &[(&str, u64)], size: u64, spread: &Spread) -> Result<Vec<u64>, TooSmall> {
    let populations: Vec<u64> = slices.iter().map(|(_, n)| *n).collect();
    let all: u64 = populations.iter().sum();
    let size = size.min(all);
    let mut drawn: Vec<u64> = slices.iter().map(|(name, n)| spread.least(name).min(*n)).collect();
    let needed: u64 = drawn.iter().sum();
    let size = if matches!(spread, Spread::Lacking(_)) { size.max(needed) } else { size };
    if needed > size {
        let least = slices.iter().map(|(name, _)| spread.least(name)).max().unwrap_or(0);
        return Err(TooSmall { least, n_slices: populations.len(), needed, size });
    }
    let weight = |slice: usize| match spread {
        Spread::Equal => 1,
        Spread::Proportional | Spread::Minimum(_) | Spread::Lacking(_) => populations[slice],
    };
    let weights: u64 = (0..populations.len()).map(weight).sum();
    // What is missing of the exact share, in parts of one draw by the sum of the weights.
    let missing = |slice: usize, drawn: u64| {
        i128::from(size) * i128::from(weight(slice)) - i128::from(drawn) * i128::from(weights)
    };
    // Where equally much is missing, the larger slice comes first, and then the one that was named first.
    let place =
        |slice: usize, drawn: u64| (missing(slice, drawn), populations[slice], std::cmp::Reverse(slice));
    let open = |slice: &usize, drawn: &[u64]| drawn[*slice] < populations[*slice];
    let mut queue: BinaryHeap<_> = (0..drawn.len())
        .filter(|slice| open(slice, &drawn))
        .map(|slice| place(slice, drawn[slice]))
        .collect();
    for _ in needed..size {
        let (_, _, std::cmp::Reverse(slice)) = queue.pop().expect("fewer are drawn than there are");
        drawn[slice] += 1;
        if open(&slice, &drawn) {
            queue.push(place(slice, drawn[slice]));
        }
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(populations: &[u64], size: u64, spread: &Spread, want: &[u64]) {
        assert_eq!(drawn(populations, size, spread).expect("enough draws"), want);
    }

    fn drawn(populations: &[u64], size: u64, spread: &Spread) -> Result<Vec<u64>, TooSmall> {
        let slices: Vec<(&str, u64)> =
            ["a", "b", "c", "d", "e", "f"].into_iter().zip(populations.iter().copied()).collect();
        allocation(&slices, size, spread)
    }

    #[test]
    fn what_a_contract_lacks_comes_first_and_the_rest_by_size() {
        let slices = BTreeMap::from([("a".to_owned(), 0), ("b".to_owned(), 12)]);
        let lacks = Spread::Lacking(SliceLacks { each: 5, slices });
        check(&[900, 50, 50], 30, &lacks, &[13, 12, 5]);
        check(&[900, 50, 50], 1, &lacks, &[1, 12, 5]);
    }

    #[test]
    fn shares_are_whole_by_largest_remainders() {
        check(&[500, 300, 200], 10, &Spread::Proportional, &[5, 3, 2]);
        check(&[47, 16, 16, 12, 6, 3], 20, &Spread::Proportional, &[10, 3, 3, 2, 1, 1]);
        check(&[1_000, 1, 1], 25, &Spread::Proportional, &[23, 1, 1]);
        check(&[10, 10, 10], 10, &Spread::Proportional, &[4, 3, 3]);
    }

    #[test]
    fn equal_numbers_as_far_as_there_are_tickets() {
        check(&[500, 300, 200], 9, &Spread::Equal, &[3, 3, 3]);
        check(&[500, 2, 200], 11, &Spread::Equal, &[5, 2, 4]);
        check(&[500, 300], 5, &Spread::Equal, &[3, 2]);
    }

    #[test]
    fn a_minimum_and_the_rest_by_size() {
        check(&[900, 50, 50], 30, &Spread::Minimum(5), &[20, 5, 5]);
        check(&[900, 3, 50], 30, &Spread::Minimum(5), &[22, 3, 5]);
        let refused = TooSmall { least: 10, n_slices: 3, needed: 30, size: 25 };
        assert_eq!(drawn(&[900, 50, 50], 25, &Spread::Minimum(10)), Err(refused));
    }

    #[test]
    fn more_than_there_are_is_all() {
        check(&[3, 2], 25, &Spread::Proportional, &[3, 2]);
        check(&[3, 2], 25, &Spread::Minimum(5), &[3, 2]);
    }
}
