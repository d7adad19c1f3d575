//! Counts and levels of replies that belong together: a run's, or those of one slice.

use std::collections::BTreeMap;

use super::clusters::PartFigures;
use crate::exact::Exact;
use crate::results::{ClusterCount, Counts, CriterionFigures, Members, PartRecord, ResultRow};
use crate::rubric::{Criterion, CriterionId, Rubric, UNNAMED};
use crate::stats::ClusterSums;

/// How wide a bin of totals is. A perfect total belongs to the last.
const BIN: u8 = 10;
/// How many bins there are.
const BINS: usize = 10;

/// Levels of one criterion so far.
#[derive(Debug, Clone)]
struct LevelTally {
    criterion: CriterionId,
    /// The best level.
    best: i64,
    /// How often each level of the scale was given, every level listed.
    levels: BTreeMap<i64, u64>,
    /// Replies without a level.
    n_unscored: u64,
    /// Replies below the best level by the violations that the judge names, each of the criterion's listed, and
    /// last those without a name; empty where the criterion has no violations.
    violations: Vec<(String, u64)>,
}

impl LevelTally {
    /// The mean of the points that replies have for `criterion`, which is this one; `None` without a weight.
    fn mean_points(&self, criterion: &Criterion) -> Option<Exact> {
        let share = |(level, n): (&i64, &u64)| {
            Some(criterion.scale.share(*level) * Exact::from(i64::try_from(*n).ok()?))
        };
        let shares: Exact = self.levels.iter().filter_map(share).sum();
        shares.over(i64::try_from(self.n_scored()).ok()?)?.checked_mul(criterion.weight?)
    }

    fn add_violations(&mut self, named: &[String]) {
        let is_meant =
            |id: &str| if named.is_empty() { id == UNNAMED } else { named.iter().any(|name| name == id) };
        for (_, n) in self.violations.iter_mut().filter(|(id, _)| is_meant(id)) {
            *n += 1;
        }
    }

    /// Replies with a level.
    fn n_scored(&self) -> u64 {
        self.levels.values().sum()
    }

    /// The mean level; `None` when nothing was scored.
    fn mean(&self) -> Option<Exact> {
        let sum: i128 = self.levels.iter().map(|(level, n)| i128::from(*level) * i128::from(*n)).sum();
        Exact::ratio(sum, i128::from(self.n_scored()))
    }

    fn record(&self, rubric: &Rubric, sums: &ClusterSums) -> CriterionFigures {
        let ends = self.levels.first_key_value().zip(self.levels.last_key_value());
        let estimate =
            ends.and_then(|((lowest, _), (highest, _))| sums.mean(&(*lowest as f64..=*highest as f64)));
        CriterionFigures {
            mean: self.mean(),
            low: estimate.map(|estimate| estimate.low),
            high: estimate.map(|estimate| estimate.high),
            n: self.n_scored(),
            levels: self.levels.iter().map(|(level, n)| (level.to_string(), *n)).collect(),
            unscored: self.n_unscored,
            points: rubric.criterion(&self.criterion).and_then(|criterion| self.mean_points(criterion)),
            violations: (!self.violations.is_empty()).then(|| Members(self.violations.clone())),
        }
    }
}

/// How many replies have a total of 0 to below 10, 10 to below 20, and so on; a total of 100 is in the last.
#[derive(Debug, Clone, Copy, Default)]
struct Totals([u64; BINS]);

impl Totals {
    fn add(&mut self, total: Exact) {
        let bin = usize::try_from(total.floor() / i128::from(BIN)).unwrap_or(0);
        self.0[bin.min(BINS - 1)] += 1;
    }

    fn record(self) -> Members<u64> {
        let bins = self.0.iter().enumerate();
        bins.map(|(bin, n)| ((bin * usize::from(BIN)).to_string(), *n)).collect()
    }
}

/// Replies that belong together, so far.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) counts: Counts,
    criteria: Vec<LevelTally>,
    totals: Option<Totals>,
}

impl Part {
    pub(super) fn new(rubric: &Rubric) -> Self {
        let criteria = rubric.criteria().iter().map(|criterion| LevelTally {
            criterion: criterion.id.clone(),
            best: criterion.scale.best(),
            levels: criterion.scale.levels().iter().map(|level| (*level, 0)).collect(),
            n_unscored: 0,
            violations: match criterion.violations.as_slice() {
                [] => Vec::new(),
                known => {
                    let ids = known.iter().map(|violation| violation.id.as_str()).chain([UNNAMED]);
                    ids.map(|id| (id.to_owned(), 0)).collect()
                }
            },
        });
        let weighted = rubric.criteria().iter().any(|criterion| criterion.weight.is_some());
        Part {
            counts: Counts::default(),
            criteria: criteria.collect(),
            totals: weighted.then(Totals::default),
        }
    }

    pub(super) fn add(&mut self, row: &ResultRow) {
        self.counts.add(row.outcome);
        if let (Some(totals), Some(total)) = (&mut self.totals, row.total) {
            totals.add(total);
        }
        for (tally, (id, result)) in self.criteria.iter_mut().zip(row.asked()) {
            assert_eq!(tally.criterion.as_str(), id, "results list criteria in the rubric's order");
            let Some(level) = result.score else {
                tally.n_unscored += 1;
                continue;
            };
            *tally.levels.entry(level).or_insert(0) += 1;
            if level != tally.best {
                tally.add_violations(&result.violations);
            }
        }
    }

    /// The figures, with what takes all replies to know.
    pub(super) fn record(&self, rubric: &Rubric, figures: &PartFigures) -> PartRecord {
        let criteria = self.criteria.iter().zip(&figures.levels);
        PartRecord {
            counts: self.counts,
            pass_rate: rubric.pass().and(figures.pass_rate),
            clusters: figures.n_clusters.map(|n| ClusterCount { by: "case".to_owned(), n }),
            criteria: criteria
                .map(|(each, sums)| (each.criterion.to_string(), each.record(rubric, sums)))
                .collect(),
            totals: self.totals.map(Totals::record),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(entered: u64) -> Counts {
        Counts { entered, blocked: 1, passed: 2, failed: 4, scored: 8, unscored: 16 }
    }

    #[test]
    fn counts_that_add_up_are_let_through() {
        counts(31).assert_adds_up();
    }

    #[test]
    #[should_panic(expected = "every reply has exactly one outcome")]
    fn counts_that_do_not_add_up_end_the_run() {
        counts(32).assert_adds_up();
    }

    #[test]
    fn a_total_is_in_the_bin_that_it_reaches() {
        let mut totals = Totals::default();
        for total in ["0", "9.99", "10", "69.999", "70", "99", "100"] {
            totals.add(total.parse().expect("a decimal"));
        }
        assert_eq!(totals.0, [2, 1, 0, 0, 0, 0, 1, 1, 0, 2]);
    }
}
