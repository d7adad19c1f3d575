//! How far passes go with what customers said: satisfaction and resolution beside the judge's outcome.
//!
//! An outcome is no label: it is about the whole conversation and known for the tickets whose customers answered. So it
//! is counted apart, and no figure of the judge rests on it.

use std::collections::BTreeMap;

use super::clusters::case_hash;
use crate::case::is_good_outcome;
use crate::results::{CustomerOutcomes, Members, ResultRow};
use crate::stats::{CrossTable, Measure, MeasureKind, Resampling, Sampling, crossed, proportion};

/// How intervals are drawn; a coefficient of few replies says nothing.
const SAMPLING: Sampling = Sampling { resampling: Resampling { n_resamples: 1_000, seed: 0 }, n_min: 8 };

/// For two categories each, Kendall's tau-b is the phi coefficient.
const PHI: Measure = Measure {
    name: "phi",
    kind: MeasureKind::Coefficient,
    figure: CrossTable::kendall,
    n: CrossTable::n_placed,
};

/// Takes results one at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct CustomerOutcomeTally {
    /// By kind: the case by hash, whether the reply passes, and whether the outcome is good.
    kinds: BTreeMap<String, Vec<(u64, bool, bool)>>,
}

impl CustomerOutcomeTally {
    pub(super) fn add(&mut self, row: &ResultRow) {
        let Some(passes) = row.outcome.passes() else { return };
        for (kind, value) in &row.customer_outcomes {
            if let Some(good) = is_good_outcome(value) {
                self.kinds.entry(kind.clone()).or_default().push((case_hash(&row.id), passes, good));
            }
        }
    }

    /// `None` where no reply that passes or does not has an outcome.
    pub(super) fn figures(self) -> Option<Members<CustomerOutcomes>> {
        if self.kinds.is_empty() {
            return None;
        }
        Some(self.kinds.into_iter().map(|(kind, replies)| (kind, figures(replies))).collect())
    }
}

fn figures(mut replies: Vec<(u64, bool, bool)>) -> CustomerOutcomes {
    replies.sort_unstable();
    let share = |passed: bool| {
        let of: Vec<bool> =
            replies.iter().filter(|(_, passes, _)| *passes == passed).map(|(.., good)| *good).collect();
        proportion(of.iter().filter(|good| **good).count() as u64, of.len() as u64)
    };
    let cases = replies.chunk_by(|(one, ..), (other, ..)| one == other);
    let cells = cases.map(|case| {
        let cell =
            |(_, passes, good): &(u64, bool, bool)| (2 * usize::from(*passes) + usize::from(*good), 1.0);
        case.iter().map(cell)
    });
    let phi = crossed(cells, &[0.0, 1.0], &[PHI], SAMPLING).figures.remove(0).ok();
    CustomerOutcomes {
        n: replies.len() as u64,
        good_when_passed: share(true),
        good_when_not_passed: share(false),
        phi,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_that_go_with_content_customers_have_a_phi_of_one() {
        let replies = (0..20).map(|n| (n, n % 2 == 0, n % 2 == 0)).collect();
        let all = figures(replies);
        assert!((all.phi.expect("a figure").value - 1.0).abs() < 1e-9, "{all:?}");
        assert_eq!(all.good_when_passed.map(|share| (share.value, share.n)), Some((1.0, 10)));
        let few = figures(vec![(1, true, true), (2, false, false)]);
        assert_eq!((few.n, few.phi), (2, None));
    }
}
