//! How sensitive the pass rate is to the weights: the rate with each weight ten points up and ten points down.
//!
//! Weights are opinions. A pass rate that moves a lot when one of them changes by ten points says more about
//! the rubric than about the replies. What the other criteria weigh keeps its proportions.

use super::clusters::{Clusters, ReplyKind};
use crate::exact::Exact;
use crate::results::Variation;
use crate::rubric::{Criterion, Rubric};

/// How far a weight is moved, in points.
const POINTS: i64 = 10;

/// A weight to try: the criterion's place among the weighted ones, what it weighs and what it would weigh.
struct Trial {
    place: usize,
    weight: Exact,
    moved: Exact,
}

/// The pass rate with each weight ten points lower and higher. Empty where the rubric has no pass mark or fewer than
/// two weights.
pub(super) fn variations(rubric: &Rubric, clusters: &Clusters) -> Vec<Variation> {
    let Some(pass) = rubric.pass() else { return Vec::new() };
    let weighted = rubric.criteria().iter().filter_map(|criterion| Some((criterion, criterion.weight?)));
    let weighted: Vec<(&Criterion, Exact)> = weighted.collect();
    if weighted.len() < 2 {
        return Vec::new();
    }
    let hundred = Exact::from(100);
    let trials = weighted.iter().enumerate().flat_map(|(place, (_, weight))| {
        let moved = |points| (*weight + Exact::from(points)).clamp(Exact::ZERO, hundred);
        [-POINTS, POINTS].map(|points| Trial { place, weight: *weight, moved: moved(points) })
    });
    let trials = trials.filter(|trial| trial.moved != trial.weight && trial.weight < hundred);
    let is_weighted: Vec<bool> = rubric.criteria().iter().map(|c| c.weight.is_some()).collect();
    // None where a level is missing: such a reply has no total and stays failed.
    let levels_of = |kind: &ReplyKind| -> Option<Vec<i64>> {
        let levels: Vec<i64> = kind.levels.iter().copied().collect::<Option<_>>()?;
        let weighted = levels.into_iter().zip(&is_weighted).filter(|(_, weighted)| **weighted);
        Some(weighted.map(|(level, _)| level).collect())
    };
    let variation = |trial: Trial| {
        let passes = |levels: Vec<i64>| trial.passes(&weighted, &levels, pass.total_min).unwrap_or(false);
        // What fails whatever its total owes nothing to the weights.
        let pass_rate = clusters.share(|kind| !kind.fails_outright && levels_of(kind).is_some_and(passes));
        Variation { criterion: weighted[trial.place].0.id.to_string(), weight: trial.moved, pass_rate }
    };
    trials.map(variation).collect()
}

impl Trial {
    /// Whether a reply with these levels would pass. The other weights are to be multiplied by what is left for
    /// them over what was; both sides are multiplied by the latter instead, so that nothing is divided. `None`
    /// where the numbers are beyond exact arithmetic.
    fn passes(&self, weighted: &[(&Criterion, Exact)], levels: &[i64], total_min: Exact) -> Option<bool> {
        let hundred = Exact::from(100);
        let (left, was) = (hundred - self.moved, hundred - self.weight);
        let mut total = Exact::ZERO;
        for (place, ((criterion, weight), level)) in weighted.iter().zip(levels).enumerate() {
            let counted =
                if place == self.place { self.moved.checked_mul(was)? } else { weight.checked_mul(left)? };
            total = total.checked_add(counted.checked_mul(criterion.scale.share(*level))?)?;
        }
        Some(total >= total_min.checked_mul(was)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric;

    /// The pass rates of `levels` in `support-gold`, by criterion and new weight.
    fn rates(levels: &[[i64; 5]]) -> Vec<(String, f64)> {
        let gold = rubric::built_in("support-gold").expect("built in");
        let variations = variations(&gold, &Clusters::of_levels(levels));
        let rate = |each: &Variation| each.pass_rate.expect("rated").value;
        variations.iter().map(|each| (format!("{} {}", each.criterion, each.weight), rate(each))).collect()
    }

    #[track_caller]
    fn check(levels: &[[i64; 5]], name: &str, want: f64) {
        let rates = rates(levels);
        let found = rates.iter().find(|(known, _)| known == name);
        assert_eq!(found.map(|(_, rate)| *rate), Some(want), "{name}: {rates:?}");
    }

    #[test]
    fn a_reply_at_the_mark_depends_on_its_weak_criterion() {
        // 40·¾ + 25·½ + 15·½ + 10 + 10 = 70: accuracy is above the mean, completeness below it.
        let at_the_mark = [[3, 2, 2, 4, 4]];
        check(&at_the_mark, "accuracy 50", 1.0);
        check(&at_the_mark, "accuracy 30", 0.0);
        check(&at_the_mark, "completeness 15", 1.0);
        check(&at_the_mark, "completeness 35", 0.0);
    }

    #[test]
    fn clear_cases_do_not_move() {
        assert!(
            rates(&[[4, 4, 4, 4, 4], [4, 4, 3, 4, 4]]).iter().all(|(_, rate)| (*rate - 1.0).abs() < 1e-12)
        );
        assert!(rates(&[[1, 1, 1, 1, 4]]).iter().all(|(_, rate)| *rate < 1e-12));
        assert_eq!(rates(&[[4, 4, 4, 4, 4]]).len(), 10);
    }
}
