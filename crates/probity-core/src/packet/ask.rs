//! What a call asks: criteria of a rubric, and the form of the answer they call for.
//!
//! One reply is graded by levels; two replies are compared by a preference. Which of the two an ask is for is
//! part of it, so that renderer, mock and reader need no second source.

use std::sync::Arc;

use crate::json::Json;
use crate::rubric::{AutomaticFail, Criterion, CriterionId, Decider, Judged, ReferenceUse, Rubric};

crate::named! {
    /// How many criteria go into one call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CallPlan {
        /// One call per criterion.
        PerCriterion = "per_criterion",
        /// All criteria in one call.
        OneCall = "one_call",
    }
}

crate::named! {
    /// What an answer says.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum AnswerForm {
        /// A level for each criterion, about one reply.
        Levels = "levels",
        /// Which of two replies is better, by all criteria together.
        Preference = "preference",
    }
}

/// The criteria that one call asks about. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    criteria: Vec<Criterion>,
    form: AnswerForm,
    /// Levels that fail a reply by themselves. A judge is not told.
    automatic_fails: Vec<AutomaticFail>,
    /// The criteria as the canonical text of its packets has them.
    pub(super) criteria_json: String,
}

impl Ask {
    /// An ask for a level on each of `criteria`, in that order. `None` when there are none.
    pub fn new(criteria: Vec<Criterion>) -> Option<Arc<Ask>> {
        Ask::failing(criteria, Vec::new())
    }

    /// The same, where levels of `automatic_fails` fail a reply whatever its other levels are.
    pub fn failing(criteria: Vec<Criterion>, automatic_fails: Vec<AutomaticFail>) -> Option<Arc<Ask>> {
        Ask::of(criteria, AnswerForm::Levels, criterion_json, automatic_fails)
    }

    fn of(
        criteria: Vec<Criterion>,
        form: AnswerForm,
        json: fn(&Criterion) -> Json,
        automatic_fails: Vec<AutomaticFail>,
    ) -> Option<Arc<Ask>> {
        if criteria.is_empty() {
            return None;
        }
        let criteria_json = Json::Array(criteria.iter().map(json).collect()).canonical();
        Some(Arc::new(Ask { criteria, form, automatic_fails, criteria_json }))
    }

    /// What an answer to it says.
    pub fn form(&self) -> AnswerForm {
        self.form
    }

    /// How many decisions an answer to it has: a level on each criterion, or one word about a pair.
    pub fn n_decisions(&self) -> usize {
        match self.form {
            AnswerForm::Levels => self.criteria.len(),
            AnswerForm::Preference => 1,
        }
    }

    /// The bytes of what it says about its criteria.
    pub fn n_bytes(&self) -> usize {
        self.criteria_json.len()
    }

    /// The criteria in the order asked.
    pub fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }

    /// The criterion called `id`, if it is asked about.
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.id == *id)
    }

    /// Whether `level` of the criterion called `id` fails a reply by itself.
    pub fn fails_alone(&self, id: &CriterionId, level: i64) -> bool {
        let Some(criterion) = self.criterion(id) else { return false };
        self.automatic_fails.iter().any(|fail| fail.criterion == *id && fail.is_hit(&criterion.scale, level))
    }

    /// The strongest use any criterion makes of the reference reply.
    pub(crate) fn reference_use(&self) -> ReferenceUse {
        let uses = |wanted| self.criteria.iter().any(|criterion| criterion.reference == wanted);
        if uses(ReferenceUse::Required) {
            ReferenceUse::Required
        } else if uses(ReferenceUse::Optional) {
            ReferenceUse::Optional
        } else {
            ReferenceUse::Hidden
        }
    }
}

/// The calls that `rubric` needs for one reply: only what a judge decides is asked.
pub fn asks(rubric: &Rubric, plan: CallPlan) -> Vec<Arc<Ask>> {
    let is_asked =
        |criterion: &&Criterion| criterion.decider == Decider::Judge && criterion.judged == Judged::Pointwise;
    let judged = rubric.criteria().iter().filter(is_asked).cloned();
    let ask = |criteria: Vec<Criterion>| {
        Ask::failing(criteria, rubric.pass().map(|pass| pass.automatic_fails.clone()).unwrap_or_default())
    };
    match plan {
        CallPlan::PerCriterion => judged.filter_map(|criterion| ask(vec![criterion])).collect(),
        CallPlan::OneCall => ask(judged.collect()).into_iter().collect(),
    }
}

fn criterion_json(criterion: &Criterion) -> Json {
    let anchors = criterion.anchors.iter().map(|anchor| {
        Json::object([("level", Json::int(anchor.level)), ("means", Json::text(&anchor.text))])
    });
    let violations = criterion.violations.iter().map(|violation| {
        Json::object([("id", Json::text(&violation.id)), ("means", Json::text(&violation.text))])
    });
    Json::object([
        ("id", Json::text(criterion.id.as_str())),
        ("title", Json::text(&criterion.title)),
        ("question", Json::text(&criterion.question)),
        ("levels", Json::Array(anchors.collect())),
        ("violations", Json::Array(violations.collect())),
        ("outside", Json::Array(criterion.outside.iter().map(Json::text).collect())),
        ("reasoning", Json::text(criterion.reasoning.name())),
    ])
}

/// The criteria by which one call compares two replies. Each says when it is a tie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairAsk(Arc<Ask>);

/// Why a rubric cannot be used to compare two replies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotComparable {
    /// A judge decides nothing.
    #[error("expected a criterion that a judge decides, found none")]
    NoCriterion,
    /// A criterion does not say when two replies are equal.
    #[error("criterion {criterion}: expected `tie`, which says when two replies are equal, found none")]
    NoTie {
        /// The criterion.
        criterion: CriterionId,
    },
}

impl PairAsk {
    /// An ask for the better of two replies by `criteria`, in that order.
    pub fn new(criteria: Vec<Criterion>) -> Result<PairAsk, NotComparable> {
        if let Some(criterion) = criteria.iter().find(|criterion| criterion.tie.is_none()) {
            return Err(NotComparable::NoTie { criterion: criterion.id.clone() });
        }
        let ask = Ask::of(criteria, AnswerForm::Preference, pair_criterion_json, Vec::new());
        ask.map(PairAsk).ok_or(NotComparable::NoCriterion)
    }

    /// The ask.
    pub fn ask(&self) -> &Ask {
        &self.0
    }

    pub(super) fn shared(&self) -> &Arc<Ask> {
        &self.0
    }
}

/// The call that `rubric` needs to compare two replies: by the criteria that are judged in pairs, or, where it
/// has none, by all that a judge decides.
pub fn pair_ask(rubric: &Rubric) -> Result<PairAsk, NotComparable> {
    let decided = |criterion: &&Criterion| criterion.decider == Decider::Judge;
    let judged: Vec<Criterion> = rubric.criteria().iter().filter(decided).cloned().collect();
    let is_pairwise = |criterion: &Criterion| criterion.judged == Judged::Pairwise;
    if judged.iter().any(is_pairwise) {
        return PairAsk::new(judged.into_iter().filter(is_pairwise).collect());
    }
    PairAsk::new(judged)
}

fn pair_criterion_json(criterion: &Criterion) -> Json {
    let mut members = vec![
        ("id", Json::text(criterion.id.as_str())),
        ("title", Json::text(&criterion.title)),
        ("question", Json::text(&criterion.question)),
        ("outside", Json::Array(criterion.outside.iter().map(Json::text).collect())),
    ];
    members.extend(criterion.better.as_ref().map(|better| ("better", Json::text(better))));
    members.extend(criterion.tie.as_ref().map(|tie| ("tie", Json::text(tie))));
    Json::object(members)
}
