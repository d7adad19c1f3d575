//! How a rubric is asked about: the form of the answer, the criteria of each call, and what levels are worth.

use std::collections::BTreeMap;

use super::aspect::{Aspect, AspectCriteria};
use crate::exact::Exact;
use crate::packet::{AnswerForm, CallPlan, NotComparable, asks, pair_ask};
use crate::rubric::{Criterion, CriterionId, Decider, Judged, ReferenceUse, Rubric};

/// In which order a call presents the rubric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RubricOrder {
    /// As the rubric has them.
    AsWritten,
    /// In the reverse order.
    CriteriaReversed,
    /// With the meanings of each scale's levels in the reverse order.
    LevelsReversed,
}

impl RubricOrder {
    /// Every order.
    pub const ALL: [RubricOrder; 3] =
        [RubricOrder::AsWritten, RubricOrder::CriteriaReversed, RubricOrder::LevelsReversed];
}

/// What a judge is asked to do under a rubric, as far as probes need it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeTask {
    form: AnswerForm,
    calls: Vec<Vec<Criterion>>,
    weights: BTreeMap<CriterionId, Exact>,
    points_max: Exact,
    /// Which criteria faults must lower, where a person says so.
    named: AspectCriteria,
}

/// Why a judge cannot be probed under a rubric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotProbed {
    /// A judge decides nothing.
    #[error("expected a criterion that a judge decides, found none")]
    NoCriterion,
    /// Two replies cannot be compared by it.
    #[error(transparent)]
    NotComparable(#[from] NotComparable),
    /// A fault is to lower a criterion that no judge is asked about.
    #[error("[criteria] {}: no judge is asked about a criterion called `{criterion}`", .aspect.name())]
    NotJudged {
        /// What the fault is about.
        aspect: Aspect,
        /// The criterion that was named.
        criterion: CriterionId,
    },
}

impl JudgeTask {
    /// How replies are asked about under `rubric`: compared, where its judged criteria are pairwise, and graded
    /// otherwise.
    pub fn of(rubric: &Rubric, plan: CallPlan) -> Result<JudgeTask, NotProbed> {
        let is_pairwise = |criterion: &Criterion| {
            criterion.decider == Decider::Judge && criterion.judged == Judged::Pairwise
        };
        let (form, calls) = if rubric.criteria().iter().any(is_pairwise) {
            (AnswerForm::Preference, vec![pair_ask(rubric)?.ask().criteria().to_vec()])
        } else {
            let asks = asks(rubric, plan);
            (AnswerForm::Levels, asks.iter().map(|ask| ask.criteria().to_vec()).collect())
        };
        if calls.is_empty() {
            return Err(NotProbed::NoCriterion);
        }
        let criteria: Vec<&Criterion> = calls.iter().flatten().collect();
        let given: Option<Vec<Exact>> = criteria.iter().map(|criterion| criterion.weight).collect();
        let worth = given.filter(|weights| weights.iter().any(|weight| *weight > Exact::ZERO));
        let worth = worth.unwrap_or_else(|| vec![Exact::from(1); criteria.len()]);
        let points_max = worth.iter().copied().sum();
        let weights = criteria.iter().map(|criterion| criterion.id.clone()).zip(worth).collect();
        Ok(JudgeTask { form, calls, weights, points_max, named: AspectCriteria::new() })
    }

    /// The same, where a person has named the criteria that faults must lower.
    pub fn naming(self, named: &AspectCriteria) -> Result<JudgeTask, NotProbed> {
        let is_judged = |criterion: &CriterionId| self.judged_criterion(criterion.as_str()).is_some();
        if let Some((aspect, criterion)) = named.iter().find(|(_, criterion)| !is_judged(criterion)) {
            return Err(NotProbed::NotJudged { aspect: *aspect, criterion: criterion.clone() });
        }
        Ok(JudgeTask { named: named.clone(), ..self })
    }

    /// What an answer says.
    pub fn form(&self) -> AnswerForm {
        self.form
    }

    /// The criteria of each call about one reply, or of the call about two, under `rubric_order`.
    pub fn calls(&self, rubric_order: RubricOrder) -> Vec<Vec<Criterion>> {
        let mut calls = self.calls.clone();
        match rubric_order {
            RubricOrder::AsWritten => {}
            RubricOrder::CriteriaReversed => calls.iter_mut().for_each(|criteria| criteria.reverse()),
            RubricOrder::LevelsReversed => {
                calls.iter_mut().flatten().for_each(|criterion| criterion.anchors.reverse());
            }
        }
        calls
    }

    /// Whether a call asks about several criteria, so that their order could matter.
    pub(super) fn has_order(&self) -> bool {
        self.calls.iter().any(|criteria| criteria.len() > 1)
    }

    /// Whether a criterion cannot be asked about without a reference reply.
    pub fn needs_reference(&self) -> bool {
        self.calls.iter().flatten().any(|criterion| criterion.reference == ReferenceUse::Required)
    }

    /// The criterion of this id, if a judge is asked about it.
    pub(super) fn judged_criterion(&self, id: &str) -> Option<&CriterionId> {
        self.calls.iter().flatten().map(|criterion| &criterion.id).find(|criterion| criterion.as_str() == id)
    }

    /// The criterion that a person has named for this aspect.
    pub(super) fn named_criterion(&self, aspect: Aspect) -> Option<&CriterionId> {
        self.named.get(&aspect)
    }

    /// How good a level of a criterion is, 0 (worst) to 1. `None` for a criterion that no judge is asked about.
    pub(super) fn share(&self, criterion: &CriterionId, level: i64) -> Option<Exact> {
        let asked = self.calls.iter().flatten().find(|asked| asked.id == *criterion)?;
        Some(asked.scale.share(level))
    }

    /// The most points there are.
    pub(crate) fn points_max(&self) -> Exact {
        self.points_max
    }

    /// What the level of a criterion is worth. `None` for a criterion that no judge is asked about.
    pub fn points(&self, criterion: &CriterionId, level: i64) -> Option<Exact> {
        Some(*self.weights.get(criterion)? * self.share(criterion, level)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::built_in;

    fn task(rubric: &str, plan: CallPlan) -> JudgeTask {
        JudgeTask::of(&built_in(rubric).expect("it is built in"), plan).expect("it can be probed")
    }

    #[test]
    fn the_rubric_decides_the_form() {
        for (rubric, form, n_calls) in [
            ("relevance-tone", AnswerForm::Levels, 2),
            ("support-gold", AnswerForm::Levels, 5),
            ("pairwise-support", AnswerForm::Preference, 1),
        ] {
            let task = task(rubric, CallPlan::PerCriterion);
            assert_eq!((task.form(), task.calls(RubricOrder::AsWritten).len()), (form, n_calls), "{rubric}");
        }
    }

    #[test]
    fn levels_are_worth_their_weights() {
        let gold = task("support-gold", CallPlan::PerCriterion);
        assert_eq!(gold.points_max(), Exact::from(100));
        let points = |id: &str, level| gold.points(&CriterionId::new(id).expect("an id"), level);
        assert_eq!(points("accuracy", 3), Some(Exact::from(30)));
        assert_eq!(points("nothing", 3), None);
        let equal = task("relevance-tone", CallPlan::PerCriterion);
        let tone = equal.points(&CriterionId::new("tone").expect("an id"), 3);
        assert_eq!((equal.points_max(), tone), (Exact::from(2), Exact::ratio(1, 2)));
    }

    #[test]
    fn other_orders_ask_the_same() {
        let task = task("support-gold", CallPlan::OneCall);
        let written = task.calls(RubricOrder::AsWritten);
        let mut criteria = task.calls(RubricOrder::CriteriaReversed);
        criteria[0].reverse();
        assert_eq!(criteria, written);
        let mut levels = task.calls(RubricOrder::LevelsReversed);
        assert_eq!(levels[0][0].anchors[0].level, 4);
        levels.iter_mut().flatten().for_each(|criterion| criterion.anchors.reverse());
        assert_eq!(levels, written);
    }
}
