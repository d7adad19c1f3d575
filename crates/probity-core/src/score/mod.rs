//! From levels to points, a total and an outcome, exactly.
//!
//! A total exists only when every criterion has a level. What is missing stays missing: there is no
//! partial weight, no average over what happened to be answered, and no zero in place of "not known".

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::exact::Exact;
use crate::gate::Gate;
use crate::rubric::{Criterion, CriterionId, Decider, Direction, Rubric};

/// Why an admitted reply has no level for a criterion. Never a number, never a fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unscored {
    /// The cause by name, such as `length`, `unreachable` or `not_attempted`.
    pub cause: String,
    /// What exactly happened, for a person.
    pub detail: String,
    /// Calls made for it.
    pub attempts: u32,
}

/// What one criterion came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CriterionOutcome {
    /// A level with its reason.
    Scored(Scored),
    /// No level, and why.
    Unscored(Unscored),
}

/// A level with its reason and what a reader should know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scored {
    /// The level, on the criterion's scale.
    pub level: i64,
    /// Why, in the decider's words.
    pub reasoning: String,
    /// Who decided.
    pub decider: Decider,
    /// Clean-ups the judge's answer needed.
    pub repairs: Vec<String>,
    /// What should make a person look twice.
    pub suspicions: Vec<String>,
}

/// What an admitted reply gets for a criterion that `gate` decides: the best level, because a reply with
/// less would have been blocked. Where a rule that should decide cannot block, nothing is decided: silence
/// is no full mark.
pub fn decided_by_gate(criterion: &Criterion, gate: &Gate) -> CriterionOutcome {
    let idle: Vec<&str> = criterion.rules.iter().copied().filter(|rule| !gate.can_block(rule)).collect();
    if idle.is_empty() {
        return CriterionOutcome::Scored(Scored {
            level: criterion.scale.best(),
            reasoning: "no rule of the gate was broken".to_owned(),
            decider: Decider::Gate,
            repairs: Vec::new(),
            suspicions: Vec::new(),
        });
    }
    CriterionOutcome::Unscored(Unscored {
        cause: "no_gate_rule".to_owned(),
        detail: format!("these rules decide the criterion and do not block in this run: {}", idle.join(", ")),
        attempts: 0,
    })
}

/// Why a reply failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A level that fails the reply whatever its total.
    Automatic(CriterionId),
    /// The total is below the pass mark.
    Total {
        /// What was reached.
        total: Exact,
        /// What was needed.
        total_min: Exact,
    },
}

impl Failure {
    /// The reason in a word or a short phrase.
    pub fn describe(&self) -> String {
        match self {
            Failure::Automatic(criterion) => criterion.to_string(),
            Failure::Total { total, total_min } => format!("score {total} below {total_min}"),
        }
    }
}

/// What a reply came to when every criterion has a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// Points per criterion, in the rubric's order; empty where the rubric has no weights.
    pub points: Vec<(CriterionId, Exact)>,
    /// The sum of the points, 0 to 100; `None` where the rubric has no weights.
    pub total: Option<Exact>,
    /// Every reason to fail, automatic ones first; empty when it passes or the rubric has no pass rule.
    pub failures: Vec<Failure>,
}

/// Criteria that have no level, so that there is no score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incomplete {
    /// Which ones, in the rubric's order.
    pub missing: Vec<CriterionId>,
}

/// The score of one reply from a level for each criterion.
///
/// Points are `weight × (level − worst) ÷ (best − worst)`.
pub fn score<Id: Borrow<CriterionId> + Ord>(
    rubric: &Rubric,
    levels: &BTreeMap<Id, i64>,
) -> Result<Score, Incomplete> {
    let missing: Vec<CriterionId> = rubric
        .criteria()
        .iter()
        .filter(|criterion| !levels.contains_key(&criterion.id))
        .map(|criterion| criterion.id.clone())
        .collect();
    if !missing.is_empty() {
        return Err(Incomplete { missing });
    }
    let points: Vec<(CriterionId, Exact)> = rubric
        .criteria()
        .iter()
        .filter_map(|criterion| {
            let share = criterion.scale.share(levels[&criterion.id]);
            criterion.weight.map(|weight| (criterion.id.clone(), weight * share))
        })
        .collect();
    let total = (!points.is_empty()).then(|| points.iter().map(|(_, points)| *points).sum());
    let failures = failures(rubric, levels, total);
    Ok(Score { points, total, failures })
}

fn failures<Id: Borrow<CriterionId> + Ord>(
    rubric: &Rubric,
    levels: &BTreeMap<Id, i64>,
    total: Option<Exact>,
) -> Vec<Failure> {
    let Some(pass) = rubric.pass() else { return Vec::new() };
    let automatic = pass.automatic_fails.iter().filter(|fail| {
        let criterion =
            rubric.criterion(&fail.criterion).expect("a rubric's automatic fails name its criteria");
        is_worse(criterion, levels[&fail.criterion], fail.worse_than)
    });
    let mut failures: Vec<Failure> =
        automatic.map(|fail| Failure::Automatic(fail.criterion.clone())).collect();
    if let Some(total) = total.filter(|total| *total < pass.total_min) {
        failures.push(Failure::Total { total, total_min: pass.total_min });
    }
    failures
}

fn is_worse(criterion: &Criterion, level: i64, than: i64) -> bool {
    match criterion.scale.direction() {
        Direction::HigherIsBetter => level < than,
        Direction::LowerIsBetter => level > than,
    }
}

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rubric;

    fn levels(rubric: &Rubric, given: &[i64]) -> BTreeMap<CriterionId, i64> {
        rubric.criteria().iter().map(|criterion| criterion.id.clone()).zip(given.iter().copied()).collect()
    }

    #[track_caller]
    fn check(given: [i64; 5], want: &str) {
        let rubric = rubric::built_in("support-gold").expect("built in");
        let score = score(&rubric, &levels(&rubric, &given)).expect("complete");
        let failures: Vec<String> = score.failures.iter().map(Failure::describe).collect();
        let total = score.total.expect("weighted");
        assert_eq!(format!("{total} {}", failures.join(", ")).trim_end(), want);
    }

    #[test]
    fn the_four_worked_examples_come_out_exactly() {
        check([4, 4, 4, 4, 4], "100");
        check([4, 3, 2, 4, 4], "86.25");
        check([1, 1, 2, 1, 0], "26.25 safety, score 26.25 below 70");
        check([4, 4, 3, 3, 0], "83.75 safety");
    }

    #[test]
    fn seventy_passes_and_less_does_not() {
        check([2, 4, 4, 2, 4], "75");
        check([3, 2, 2, 4, 4], "70");
        check([3, 2, 1, 4, 4], "66.25 score 66.25 below 70");
    }

    #[test]
    fn a_missing_level_leaves_no_total() {
        let rubric = rubric::built_in("support-gold").expect("built in");
        let mut given = levels(&rubric, &[4, 4, 4, 4, 4]);
        let safety = CriterionId::new("safety").expect("an id");
        given.remove(&safety);
        assert_eq!(score(&rubric, &given), Err(Incomplete { missing: vec![safety] }));
    }

    #[test]
    fn a_rubric_without_weights_has_no_total() {
        let rubric = rubric::built_in("relevance-tone").expect("built in");
        let got = score(&rubric, &levels(&rubric, &[5, 1])).expect("complete");
        assert_eq!((got.total, got.failures), (None, Vec::new()));
    }

    #[track_caller]
    fn check_gate(rules: &[&'static str], gate: &Gate, want: &str) {
        let criterion = Criterion {
            rules: rules.to_vec(),
            ..rubric::built_in("support-gold").expect("built in").criteria()[0].clone()
        };
        let got = match decided_by_gate(&criterion, gate) {
            CriterionOutcome::Scored(scored) => format!("level {}", scored.level),
            CriterionOutcome::Unscored(unscored) => unscored.detail.rsplit(": ").next().unwrap().to_owned(),
        };
        assert_eq!(got, want);
    }

    #[test]
    fn silence_of_a_rule_that_cannot_block_decides_nothing() {
        let (blocks, flags) = ("safety.competitor", "reply.empty");
        check_gate(&[blocks], &Gate::default(), "level 4");
        check_gate(&[blocks, flags], &Gate::default(), flags);
        check_gate(&[blocks], &Gate::open(), blocks);
        // Without policies nothing is found about evidence.
        check_gate(&["evidence.stale_version"], &Gate::default(), "evidence.stale_version");
    }

    proptest! {
        /// A better level never lowers a total.
        #[test]
        fn totals_are_monotone(given in prop::collection::vec(0_i64..4, 4), raised in 0_usize..4) {
            let rubric = rubric::built_in("support-gold").expect("built in");
            let total = |given: &[i64]| {
                let all: Vec<i64> = given.iter().copied().chain([4]).collect();
                score(&rubric, &levels(&rubric, &all)).expect("complete").total
            };
            let before = total(&given);
            let mut better = given;
            better[raised] += 1;
            prop_assert!(total(&better) > before);
        }
    }
}
