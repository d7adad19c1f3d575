//! Who met whom how often, and whether that is enough to put everyone on one scale.

use super::{VariantMatch, Winner};

/// All comparisons of two variants, the first having the smaller number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Met {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) first_wins: f64,
    pub(super) second_wins: f64,
    pub(super) ties: f64,
}

impl Met {
    pub(super) fn n(&self) -> f64 {
        self.first_wins + self.second_wins + self.ties
    }
}

/// Wins and ties between all variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MeetingCounts {
    n_variants: usize,
    /// How often the row's variant beat the column's.
    wins: Vec<u64>,
    /// How often they tied, in both cells.
    ties: Vec<u64>,
}

impl MeetingCounts {
    pub(super) fn of(n_variants: usize, comparisons: &[VariantMatch]) -> Self {
        let cells = vec![0; n_variants * n_variants];
        let mut counts = MeetingCounts { n_variants, wins: cells.clone(), ties: cells };
        for &VariantMatch { first, second, winner, .. } in comparisons {
            assert!(first != second && first.max(second) < n_variants, "two different variants are compared");
            let (there, back) = (first * n_variants + second, second * n_variants + first);
            match winner {
                Winner::First => counts.wins[there] += 1,
                Winner::Second => counts.wins[back] += 1,
                Winner::Tie => {
                    counts.ties[there] += 1;
                    counts.ties[back] += 1;
                }
            }
        }
        counts
    }

    pub(super) fn n_variants(&self) -> usize {
        self.n_variants
    }

    /// Ties in all.
    pub(super) fn n_ties(&self) -> u64 {
        self.ties.iter().sum::<u64>() / 2
    }

    /// Comparisons of two variants.
    fn n_between(&self, first: usize, second: usize) -> u64 {
        self.won(first, second) + self.won(second, first) + self.tied(first, second)
    }

    /// Comparisons that a variant took part in.
    pub(super) fn n_of(&self, variant: usize) -> u64 {
        (0..self.n_variants)
            .filter(|other| *other != variant)
            .map(|other| self.n_between(variant, other))
            .sum()
    }

    /// The pairs that met.
    pub(super) fn met(&self) -> impl Iterator<Item = Met> + '_ {
        let pairs =
            (0..self.n_variants).flat_map(|first| (0..self.n_variants).map(move |second| (first, second)));
        pairs.filter(|&(first, second)| first < second && self.n_between(first, second) > 0).map(
            |(first, second)| Met {
                first,
                second,
                first_wins: self.won(first, second) as f64,
                second_wins: self.won(second, first) as f64,
                ties: self.tied(first, second) as f64,
            },
        )
    }

    /// The groups within which every variant is connected to every other by comparisons.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for start in 0..self.n_variants {
            if !groups.iter().any(|group| group.contains(&start)) {
                groups.push(self.reached(start, |from, to| self.n_between(from, to) > 0));
            }
        }
        groups
    }

    /// Whether exactly one set of finite strengths (and tie term) makes the outcomes most likely.
    ///
    /// The log-likelihood is concave, so this fails only if it can be followed for ever without falling. Let
    /// the strengths move by δ and ln ν by h. With h at zero, no observed win may go against δ and no tied
    /// pair may drift apart, which a chain of wins and ties from each variant to each other forbids (Ford
    /// 1957). With h positive, say 1, each winner must gain at least 2 on its loser and a tied pair may drift
    /// apart by 2 at most: constraints on differences, which can be met unless they close a cycle of negative
    /// length. With h negative no tie may be observed, and without ties ν is not fitted.
    pub(super) fn has_a_likeliest(&self) -> bool {
        let beats = |from: usize, to: usize| self.won(from, to) + self.tied(from, to) > 0;
        let all = self.n_variants;
        let chained =
            self.reached(0, beats).len() == all && self.reached(0, |from, to| beats(to, from)).len() == all;
        chained && (self.n_ties() == 0 || !self.ties_can_win())
    }

    /// Whether strengths and ν can grow together without making any observed outcome less likely.
    fn ties_can_win(&self) -> bool {
        let n = self.n_variants;
        let mut offsets = vec![0_i64; n];
        // Bellman and Ford: shortest paths settle within n rounds unless there is a negative cycle.
        for _ in 0..=n {
            let before = offsets.clone();
            for from in 0..n {
                for to in (0..n).filter(|to| *to != from) {
                    if self.won(from, to) > 0 {
                        offsets[to] = offsets[to].min(offsets[from] - 2);
                    }
                    if self.tied(from, to) > 0 {
                        offsets[to] = offsets[to].min(offsets[from] + 2);
                    }
                }
            }
            if offsets == before {
                return true;
            }
        }
        false
    }

    /// The variants that can be reached from `start` along `edge`, in order.
    fn reached(&self, start: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let mut seen = vec![false; self.n_variants];
        let mut open = vec![start];
        while let Some(from) = open.pop() {
            if !seen[from] {
                seen[from] = true;
                open.extend((0..self.n_variants).filter(|to| !seen[*to] && edge(from, *to)));
            }
        }
        (0..self.n_variants).filter(|variant| seen[*variant]).collect()
    }

    fn won(&self, winner: usize, loser: usize) -> u64 {
        self.wins[winner * self.n_variants + loser]
    }

    fn tied(&self, first: usize, second: usize) -> u64 {
        self.ties[first * self.n_variants + second]
    }
}
