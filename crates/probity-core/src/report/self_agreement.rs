//! How far a judge agrees with itself: the same packets asked about several times.
//!
//! The repeats are the raters, the replies of a case are drawn together, and the figures are those that calibration has
//! for people: the share of pairs that agree, and Krippendorff's alpha (ordinal).

use super::clusters::case_hash;
use crate::results::{CriterionResult, Members, ResultRow, SelfAgreement};
use crate::rubric::{Criterion, Rubric};
use crate::stats::{RatioPart, Resampling, Sampling, coincidences, rated, ratio};

/// How intervals are drawn.
const SAMPLING: Sampling = Sampling { resampling: Resampling { n_resamples: 1_000, seed: 0 }, n_min: 2 };

/// Takes results one at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct SelfAgreementTally {
    /// For each criterion the replies with two levels or more: the case by hash, and how often each level was given.
    criteria: Vec<Vec<(u64, Vec<u32>)>>,
}

impl SelfAgreementTally {
    pub(super) fn add(&mut self, row: &ResultRow, rubric: &Rubric) {
        let several = |(_, result): &(usize, (&str, &CriterionResult))| !result.1.scores.is_empty();
        for (at, (_, CriterionResult { scores, .. })) in row.asked().enumerate().filter(several) {
            self.criteria.resize(rubric.criteria().len(), Vec::new());
            let count = |level: &i64| scores.iter().filter(|given| **given == Some(*level)).count();
            let counts: Vec<u32> = rubric.criteria()[at]
                .scale
                .levels()
                .iter()
                .map(|level| u32::try_from(count(level)).unwrap_or(u32::MAX))
                .collect();
            if counts.iter().sum::<u32>() >= 2 {
                self.criteria[at].push((case_hash(&row.id), counts));
            }
        }
    }

    /// `None` where nothing was asked about twice.
    pub(super) fn figures(self, rubric: &Rubric) -> Option<Members<SelfAgreement>> {
        if self.criteria.is_empty() {
            return None;
        }
        let judged = rubric.criteria().iter().zip(self.criteria).filter(|(_, replies)| !replies.is_empty());
        Some(
            judged
                .map(|(criterion, replies)| (criterion.id.to_string(), figures(criterion, replies)))
                .collect(),
        )
    }
}

fn figures(criterion: &Criterion, mut replies: Vec<(u64, Vec<u32>)>) -> SelfAgreement {
    replies.sort_unstable();
    let cases = || replies.chunk_by(|(one, _), (other, _)| one == other);
    let pairs = |n: u32| f64::from(n * n.saturating_sub(1) / 2);
    let agreement = ratio(
        cases().map(|case| {
            let mut part = RatioPart::default();
            for (_, counts) in case {
                part.numerator += counts.iter().copied().map(pairs).sum::<f64>();
                part.denominator += pairs(counts.iter().sum());
            }
            part
        }),
        SAMPLING.resampling,
    );
    let units =
        cases().map(|case| (case.len() as u64, case.iter().flat_map(|(_, counts)| coincidences(counts))));
    let positions: Vec<f64> = criterion.scale.levels().iter().map(|level| *level as f64).collect();
    let alpha = rated(units, &positions, SAMPLING).ordinal;
    SelfAgreement { n: replies.len() as u64, agreement, krippendorff_alpha: alpha.ok() }
}
