//! From levels to points, a total and an outcome, exactly.
//!
//! A total exists only when every criterion has a level. What is missing stays missing: there is no
//! partial weight, no average over what happened to be answered, and no zero in place of "not known".
//! What is known to fail has failed: no level that is missing can take back an automatic fail, or lift a total
//! beyond what its criterion is worth. A reply passes only when nothing is missing.

mod repeats;

pub use repeats::Criteria;
pub(crate) use repeats::over_repeats;

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::exact::Exact;
use crate::gate::Finding;
use crate::rubric::{Criterion, CriterionId, Decider, Rubric};

/// Why an admitted reply has no level for a criterion. Never a number, never a fail. Results files have the cause alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Unscored {
    /// The cause by name, such as `length`, `unreachable` or `not_attempted`.
    pub cause: String,
    /// What exactly happened, for a person.
    pub detail: String,
    /// Calls made for it.
    pub attempts: u32,
}

impl From<String> for Unscored {
    fn from(cause: String) -> Self {
        Unscored { cause, ..Unscored::default() }
    }
}

impl From<Unscored> for String {
    fn from(unscored: Unscored) -> Self {
        unscored.cause
    }
}

/// What one criterion came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CriterionOutcome {
    /// A level with its reason.
    Scored(Scored),
    /// No level, and why.
    Unscored(Unscored),
}

impl CriterionOutcome {
    /// The level, where there is one.
    pub fn level(&self) -> Option<i64> {
        match self {
            CriterionOutcome::Scored(scored) => Some(scored.level),
            CriterionOutcome::Unscored(_) => None,
        }
    }
}

/// A level with its reason and what a reader should know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scored {
    /// The level, on the criterion's scale.
    pub level: i64,
    /// Why, in the decider's words.
    pub reasoning: String,
    /// Violations that the decider names, by id, in the rubric's order.
    pub violations: Vec<String>,
    /// Clean-ups the judge's answer needed.
    pub repairs: Vec<String>,
    /// What should make a person look twice.
    pub suspicions: Vec<String>,
}

/// What an admitted reply gets for a criterion that the gate decides: the best level, because a reply with
/// less would have been blocked. Where a rule that should decide is not among the `blocking` ones, nothing is decided:
/// silence is no full mark.
pub fn decided_by_gate(criterion: &Criterion, blocking: &BTreeSet<String>) -> CriterionOutcome {
    let idle: Vec<&str> = criterion.rules.iter().copied().filter(|rule| !blocking.contains(*rule)).collect();
    if idle.is_empty() {
        return CriterionOutcome::Scored(Scored {
            level: criterion.scale.best(),
            reasoning: "no rule of the gate was broken".to_owned(),
            violations: Vec::new(),
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

/// Takes back what the gate decided about a reply by rules that it could not check: those about claims, where there are
/// no word lists for the language of the reply. Silence is no full mark.
pub fn take_back_unchecked(
    rubric: &Rubric,
    criteria: &mut [(CriterionId, CriterionOutcome)],
    findings: &[Finding],
) {
    let Some(unchecked) = findings.iter().find(|finding| finding.rule() == "record.no_language") else {
        return;
    };
    for (criterion, (_, outcome)) in rubric.criteria().iter().zip(criteria) {
        let needs_language = criterion.rules.iter().any(|rule| rule.starts_with("claim."));
        if criterion.decider == Decider::Gate && needs_language {
            *outcome = CriterionOutcome::Unscored(Unscored {
                cause: "no_gate_rule".to_owned(),
                detail: unchecked.sighting.message.clone(),
                attempts: 0,
            });
        }
    }
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
    /// There is no total, and whatever the missing levels are it would be below the pass mark.
    OutOfReach {
        /// The total with the best level for each missing criterion.
        total_max: Exact,
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
            Failure::OutOfReach { total_max, total_min } => {
                format!("score at most {total_max}, below {total_min}")
            }
        }
    }
}

/// What the levels of a reply come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// Points of each criterion with a level, in the rubric's order; empty where the rubric has no weights.
    pub points: Vec<(CriterionId, Exact)>,
    /// The sum of the points, 0 to 100; `None` where a level is missing or the rubric has no weights.
    pub total: Option<Exact>,
    /// Every known reason to fail, automatic ones first; empty where the rubric has no pass rule.
    pub failures: Vec<Failure>,
    /// Criteria without a level, in the rubric's order.
    pub missing: Vec<CriterionId>,
}

impl Score {
    /// The points of the criterion called `id`, where it has a level and a weight.
    pub fn points_of(&self, id: &CriterionId) -> Option<Exact> {
        self.points.iter().find(|(known, _)| known == id).map(|(_, points)| *points)
    }
}

/// The score of one reply from the levels that are known.
///
/// Points are `weight × (level − worst) ÷ (best − worst)`.
pub fn score<Id: Borrow<CriterionId> + Ord>(rubric: &Rubric, levels: &BTreeMap<Id, i64>) -> Score {
    let criteria = rubric.criteria();
    let weight_of = |criterion: &Criterion| criterion.weight.unwrap_or(Exact::ZERO);
    let missing: Vec<&Criterion> = criteria.iter().filter(|c| !levels.contains_key(&c.id)).collect();
    let points: Vec<(CriterionId, Exact)> = criteria
        .iter()
        .filter_map(|criterion| {
            let share = criterion.scale.share(*levels.get(&criterion.id)?);
            criterion.weight.map(|weight| (criterion.id.clone(), weight * share))
        })
        .collect();
    let is_weighted = criteria.iter().any(|criterion| criterion.weight.is_some());
    let known: Exact = points.iter().map(|(_, points)| *points).sum();
    let total = (missing.is_empty() && is_weighted).then_some(known);
    let total_max = known + missing.iter().copied().map(weight_of).sum();
    let failures = failures(rubric, levels, total, total_max);
    Score { points, total, failures, missing: missing.into_iter().map(|c| c.id.clone()).collect() }
}

/// The first criterion on which one level more would make a failing reply pass, with the total that it would have.
pub fn one_level_more<'a>(
    rubric: &'a Rubric,
    levels: &BTreeMap<&CriterionId, i64>,
) -> Option<(&'a Criterion, Exact)> {
    rubric.criteria().iter().find_map(|criterion| {
        let scale = &criterion.scale;
        let level = levels.get(&criterion.id)?;
        let is_better = |other: &&i64| scale.share(**other) > scale.share(*level);
        let better = scale.levels().iter().filter(is_better).min_by_key(|other| scale.share(**other))?;
        let raised =
            levels.iter().map(|(id, level)| (*id, if **id == criterion.id { *better } else { *level }));
        let score = score(rubric, &raised.collect());
        (score.failures.is_empty() && score.missing.is_empty()).then_some((criterion, score.total?))
    })
}

fn failures<Id: Borrow<CriterionId> + Ord>(
    rubric: &Rubric,
    levels: &BTreeMap<Id, i64>,
    total: Option<Exact>,
    total_max: Exact,
) -> Vec<Failure> {
    let Some(pass) = rubric.pass() else { return Vec::new() };
    let automatic = pass.automatic_fails.iter().filter(|fail| {
        let criterion =
            rubric.criterion(&fail.criterion).expect("a rubric's automatic fails name its criteria");
        levels.get(&fail.criterion).is_some_and(|level| fail.is_hit(&criterion.scale, *level))
    });
    let mut failures: Vec<Failure> =
        automatic.map(|fail| Failure::Automatic(fail.criterion.clone())).collect();
    let total_min = pass.total_min;
    failures.extend((total_max < total_min).then_some(match total {
        Some(total) => Failure::Total { total, total_min },
        None => Failure::OutOfReach { total_max, total_min },
    }));
    failures
}

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gate::Gate;
    use crate::rubric;

    fn levels(rubric: &Rubric, given: &[i64]) -> BTreeMap<CriterionId, i64> {
        rubric.criteria().iter().map(|criterion| criterion.id.clone()).zip(given.iter().copied()).collect()
    }

    #[track_caller]
    fn check(given: [i64; 5], want: &str) {
        let rubric = rubric::built_in("support-gold").expect("built in");
        let score = score(&rubric, &levels(&rubric, &given));
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

    #[track_caller]
    fn check_one_more(given: [i64; 5], want: &str) {
        let rubric = rubric::built_in("support-gold").expect("built in");
        let levels = levels(&rubric, &given);
        let levels = levels.iter().map(|(id, level)| (id, *level)).collect();
        let got = one_level_more(&rubric, &levels);
        assert_eq!(got.map(|(each, total)| format!("{} {total}", each.id)).unwrap_or_default(), want);
    }

    #[test]
    fn one_level_more_is_named_where_it_is_enough() {
        check_one_more([2, 3, 2, 2, 4], "accuracy 71.25");
        check_one_more([4, 4, 3, 3, 0], "safety 93.75");
        check_one_more([0, 0, 0, 0, 4], "");
    }

    /// Whatever the levels: points add up to the total, and one level more is named where, and only where, some single
    /// step up passes.
    #[test]
    fn points_add_up_and_one_level_more_is_right_for_every_reply() {
        let rubric = rubric::built_in("support-gold").expect("built in");
        for n in 0..1250 {
            let given = [n % 5, n / 5 % 5, n / 25 % 5, n / 125 % 5, n / 625 * 4];
            let scored = |given: [i64; 5]| score(&rubric, &levels(&rubric, &given));
            let own = scored(given);
            assert_eq!(own.points.iter().map(|(_, points)| *points).sum::<Exact>(), own.total.unwrap());
            let known = levels(&rubric, &given);
            let named = one_level_more(&rubric, &known.iter().map(|(id, level)| (id, *level)).collect());
            let passes = (0..5).filter(|at| given[*at] < 4).find_map(|at| {
                let mut raised = given;
                raised[at] += if at == 4 { 4 } else { 1 };
                let total = scored(raised).total?;
                scored(raised).failures.is_empty().then(|| (rubric.criteria()[at].id.clone(), total))
            });
            assert_eq!(named.map(|(each, total)| (each.id.clone(), total)), passes, "{given:?}");
        }
    }

    #[test]
    fn a_missing_level_leaves_no_total() {
        check_incomplete(
            &[("accuracy", 4), ("completeness", 4), ("tone", 4), ("actionability", 4)],
            "safety:",
        );
    }

    /// What a reply with these levels fails for, behind the criteria that it has no level for.
    #[track_caller]
    fn check_incomplete(given: &[(&str, i64)], want: &str) {
        let rubric = rubric::built_in("support-gold").expect("built in");
        let levels: BTreeMap<CriterionId, i64> =
            given.iter().map(|(id, level)| (CriterionId::new(*id).expect("an id"), *level)).collect();
        let got = score(&rubric, &levels);
        assert_eq!((got.total, got.points.len()), (None, given.len()));
        let missing: Vec<String> = got.missing.iter().map(ToString::to_string).collect();
        let failures: Vec<String> = got.failures.iter().map(Failure::describe).collect();
        let text = format!("{}: {}", missing.join(" "), failures.join(", "));
        assert_eq!(text.trim_end(), want);
    }

    #[test]
    fn n01_what_is_known_to_fail_has_failed() {
        let rest = "accuracy completeness tone actionability:";
        check_incomplete(&[("safety", 0)], &format!("{rest} safety"));
        check_incomplete(&[("safety", 4)], rest);
        // 25 + 15 + 10 + 10 points are left: 70 is out of reach without accuracy.
        let rest = "completeness tone actionability safety:";
        check_incomplete(&[("accuracy", 0)], &format!("{rest} score at most 60, below 70"));
        check_incomplete(&[("accuracy", 1)], rest);
        check_incomplete(
            &[("accuracy", 0), ("safety", 0)],
            "completeness tone actionability: safety, score at most 50, below 70",
        );
    }

    #[test]
    fn a_rubric_without_weights_has_no_total() {
        let rubric = rubric::built_in("relevance-tone").expect("built in");
        let got = score(&rubric, &levels(&rubric, &[5, 1]));
        assert_eq!((got.total, got.failures), (None, Vec::new()));
    }

    #[track_caller]
    fn check_gate(rules: &[&'static str], gate: &Gate, want: &str) {
        let criterion = Criterion {
            rules: rules.to_vec(),
            ..rubric::built_in("support-gold").expect("built in").criteria()[0].clone()
        };
        let got = match decided_by_gate(&criterion, &gate.blocking()) {
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
                score(&rubric, &levels(&rubric, &all)).total
            };
            let before = total(&given);
            let mut better = given;
            better[raised] += 1;
            prop_assert!(total(&better) > before);
        }
    }
}
