//! One reply's result, and its form in the results file.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::case::{Case, Confidence, Entry, Role, Situation, Variant};
use crate::exact::Exact;
use crate::gate::{Admitted, Blocked, Finding};
use crate::results::{
    CriterionResult, FailedRow, GateRecord, GateStatus, ResultRow, RowOutcome, finding_records,
};
use crate::rubric::{Criterion, CriterionId, Decider, Rubric};
use crate::score::{Criteria, CriterionOutcome, Failure, Score, Scored, Unscored, over_repeats, score};

/// What the gate said about a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateOutcome {
    /// It may be judged; what was seen beside that.
    Admitted(Vec<Finding>),
    /// It must not be judged, and why.
    Blocked(Vec<Finding>),
    /// It saw nothing: the target gave no reply.
    NoReply,
}

impl GateOutcome {
    /// What was found, whatever follows from it.
    pub fn findings(&self) -> &[Finding] {
        match self {
            GateOutcome::Admitted(findings) | GateOutcome::Blocked(findings) => findings,
            GateOutcome::NoReply => &[],
        }
    }

    fn record(&self) -> GateRecord {
        let status = match self {
            GateOutcome::Admitted(_) => GateStatus::Admitted,
            GateOutcome::Blocked(_) => GateStatus::Blocked,
            GateOutcome::NoReply => GateStatus::NoReply,
        };
        GateRecord { status, findings: finding_records(self.findings()) }
    }
}

/// The cause of every criterion that is unscored because the target gave no reply.
pub const NO_REPLY: &str = "no_reply";

/// Everything that is reported about one reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyResult {
    /// The case's id.
    pub id: String,
    /// The case's slice.
    pub slice: Option<String>,
    /// What the customer wrote: the ticket, or the customer's last turn of a conversation.
    pub ticket: Option<Arc<str>>,
    /// The reply's text; empty where there is no reply.
    pub text: Arc<str>,
    /// What wrote the reply.
    pub variant: Option<String>,
    /// The bot's own confidence.
    pub confidence: Option<Confidence>,
    /// What customers said, and what became of the ticket, by kind.
    pub customer_outcomes: BTreeMap<String, String>,
    /// What the gate said.
    pub gate: GateOutcome,
    /// What each criterion came to, in the rubric's order; empty when blocked.
    pub criteria: Vec<(CriterionId, CriterionOutcome)>,
    /// The levels that each criterion got in every repeat, in the rubric's order; empty where it was asked about once,
    /// and for a criterion that no judge decides.
    pub levels_by_repeat: Vec<Vec<Option<i64>>>,
    /// The criteria that were not asked about because the reply is blocked, in the rubric's order.
    pub not_asked: Vec<CriterionId>,
    /// What the levels come to; `None` when nothing was judged.
    pub score: Option<Score>,
    /// Places of criteria with less than their best level: those that fail the reply, then by points lost.
    pub below_best: Vec<usize>,
    /// What it all came to: a fail has its reasons in the score, whatever a criterion without a level may come to.
    pub outcome: RowOutcome,
}

impl ReplyResult {
    /// The result of a reply that the gate blocked, so that no criterion of `rubric` was asked about.
    pub fn blocked(blocked: &Blocked, rubric: &Rubric) -> Self {
        Self::new(blocked.entry(), GateOutcome::Blocked(blocked.findings().to_vec())).not_judged(rubric)
    }

    /// The result of an admitted reply from what each criterion of `rubric` came to, in its order.
    pub fn judged(
        admitted: &Admitted,
        rubric: &Rubric,
        criteria: Vec<(CriterionId, CriterionOutcome)>,
    ) -> Self {
        Self::new(admitted.entry(), GateOutcome::Admitted(admitted.flags().to_vec()))
            .with_criteria(rubric, criteria)
    }

    /// The result of a case for which the target called `variant` gave no reply: no criterion has a level, and
    /// `why` says for each what happened.
    pub fn no_reply(case: &Case, variant: &Variant, rubric: &Rubric, why: &Unscored) -> Self {
        let why = Unscored { cause: NO_REPLY.to_owned(), ..why.clone() };
        let unscored =
            |criterion: &Criterion| (criterion.id.clone(), CriterionOutcome::Unscored(why.clone()));
        Self {
            criteria: rubric.criteria().iter().map(unscored).collect(),
            variant: Some(variant.as_str().to_owned()),
            ..Self::of_case(case, GateOutcome::NoReply)
        }
    }

    /// The same result as that of a blocked reply.
    #[must_use]
    pub fn not_judged(self, rubric: &Rubric) -> Self {
        let not_asked = rubric.criteria().iter().map(|criterion| criterion.id.clone()).collect();
        Self { outcome: RowOutcome::Blocked, not_asked, ..self }
    }

    /// The same result with what each criterion of `rubric` came to, in its order.
    #[must_use]
    pub fn with_criteria(self, rubric: &Rubric, criteria: Vec<(CriterionId, CriterionOutcome)>) -> Self {
        let levels: BTreeMap<&CriterionId, i64> =
            criteria.iter().filter_map(|(id, outcome)| Some((id, outcome.level()?))).collect();
        let score = score(rubric, &levels);
        let outcome = match rubric.pass() {
            Some(_) if !score.failures.is_empty() => RowOutcome::Fail,
            _ if !score.missing.is_empty() => RowOutcome::Unscored,
            Some(_) => RowOutcome::Pass,
            None => RowOutcome::Scored,
        };
        let below_best = below_best(rubric, &criteria, &score);
        Self { criteria, score: Some(score), below_best, outcome, ..self }
    }

    /// The same result with what each criterion of `rubric` came to in every repeat.
    #[must_use]
    pub fn with_repeats(self, rubric: &Rubric, repeats: Vec<Criteria>) -> Self {
        let levels = |(at, criterion): (usize, &Criterion)| match (criterion.decider, repeats.len()) {
            (Decider::Judge, 2..) => repeats.iter().map(|repeat| repeat[at].1.level()).collect(),
            _ => Vec::new(),
        };
        let levels_by_repeat = rubric.criteria().iter().enumerate().map(levels).collect();
        Self { levels_by_repeat, ..self.with_criteria(rubric, over_repeats(rubric, repeats)) }
    }

    /// A reply of which nothing but the gate's answer is known.
    pub fn new(entry: &Entry, gate: GateOutcome) -> Self {
        ReplyResult {
            text: Arc::clone(&entry.reply.text),
            variant: entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned()),
            confidence: entry.reply.confidence,
            ..Self::of_case(&entry.case, gate)
        }
    }

    fn of_case(case: &Case, gate: GateOutcome) -> Self {
        ReplyResult {
            id: case.id.to_string(),
            slice: case.slice.as_ref().map(|slice| slice.as_str().to_owned()),
            ticket: ticket(&case.situation),
            text: Arc::default(),
            variant: None,
            confidence: None,
            customer_outcomes: case.outcomes.clone(),
            gate,
            criteria: Vec::new(),
            levels_by_repeat: Vec::new(),
            not_asked: Vec::new(),
            score: None,
            below_best: Vec::new(),
            outcome: RowOutcome::Unscored,
        }
    }

    /// Points out of 100; `None` where a level is missing or the rubric has no weights.
    pub fn total(&self) -> Option<Exact> {
        self.score.as_ref().and_then(|score| score.total)
    }

    /// A level as people read it: the criterion, the level, its points and the violations that were named.
    pub fn level_text(&self, id: &CriterionId, scored: &Scored) -> String {
        let points = self.score.as_ref().and_then(|score| score.points_of(id));
        let facts = points.map(|points| format!("{points} points")).into_iter();
        let facts: Vec<String> = facts.chain(scored.violations.iter().cloned()).collect();
        let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
        format!("{id} {}{facts}", scored.level)
    }

    /// What there is to put right, most important first: levels below the best with their reasons, those that fail
    /// the reply before the others, then levels that a person should look at twice, then what the gate found.
    pub fn issues(&self) -> impl Iterator<Item = String> {
        let level = |place: &usize| match &self.criteria[*place] {
            (id, CriterionOutcome::Scored(scored)) => {
                Some(format!("{}: {}", self.level_text(id, scored), scored.reasoning))
            }
            (_, CriterionOutcome::Unscored(_)) => None,
        };
        let found = |finding: &Finding| format!("{}: {}", finding.rule(), finding.sighting.message);
        let doubted = |(id, outcome): &(CriterionId, CriterionOutcome)| match outcome {
            CriterionOutcome::Scored(Scored { suspicions, .. }) if !suspicions.is_empty() => {
                Some(format!("{id}: the verdict should be looked at ({})", suspicions.join(", ")))
            }
            _ => None,
        };
        let levels = self.below_best.iter().filter_map(level);
        levels.chain(self.criteria.iter().filter_map(doubted)).chain(self.gate.findings().iter().map(found))
    }

    /// How good the reply is at the most, 0 to 1, for ranking: its total, or the mean share of its levels, with the
    /// best level for each criterion that has none. `None` for a reply that was not judged to an end.
    pub(super) fn quality_max(&self, rubric: &Rubric) -> Option<Exact> {
        if matches!(self.outcome, RowOutcome::Blocked | RowOutcome::Unscored) {
            return None;
        }
        let share = |(id, outcome): &(CriterionId, CriterionOutcome)| {
            let criterion = rubric.criterion(id)?;
            let share = match outcome {
                CriterionOutcome::Scored(scored) => criterion.scale.share(scored.level),
                CriterionOutcome::Unscored(_) => Exact::from(1),
            };
            Some(criterion.weight.map_or(share, |weight| weight * share))
        };
        let sum: Exact = self.criteria.iter().filter_map(share).sum();
        let is_weighted = rubric.criteria().iter().any(|criterion| criterion.weight.is_some());
        sum.over(if is_weighted { 100 } else { i64::try_from(self.criteria.len()).ok()? })
    }

    /// Whether a level fails the reply whatever its total.
    pub(super) fn is_automatic_fail(&self) -> bool {
        self.failures().iter().any(|failure| matches!(failure, Failure::Automatic(_)))
    }

    /// Why the reply fails; empty where it does not.
    pub fn failures(&self) -> &[Failure] {
        let score = self.score.as_ref().filter(|_| self.outcome == RowOutcome::Fail);
        score.map(|score| score.failures.as_slice()).unwrap_or_default()
    }

    /// The row of the results file.
    pub fn row(&self) -> ResultRow {
        let points = |id: &CriterionId| self.score.as_ref().and_then(|score| score.points_of(id));
        let scores = |at: usize| self.levels_by_repeat.get(at).cloned().unwrap_or_default();
        let asked = self.criteria.iter().enumerate().map(|(at, (id, outcome))| {
            (id, Some(CriterionResult { scores: scores(at), ..CriterionResult::of(outcome, points(id)) }))
        });
        let criteria = asked.chain(self.not_asked.iter().map(|id| (id, None)));
        ResultRow {
            id: self.id.clone(),
            criteria: criteria.map(|(id, result)| (id.to_string(), result)).collect(),
            outcome: self.outcome,
            total: self.total(),
            fail_reasons: self.failures().iter().map(Failure::describe).collect(),
            issues: self.issues().collect(),
            slice: self.slice.clone(),
            variant: self.variant.clone(),
            ticket: self.ticket.as_deref().map(str::to_owned),
            reply: (self.gate != GateOutcome::NoReply).then(|| self.text.to_string()),
            gate: self.gate.record(),
        }
    }

    /// The rows of the `failed` list: one per criterion without a level.
    pub fn failed_rows(&self) -> impl Iterator<Item = FailedRow> {
        self.criteria.iter().filter_map(|(id, outcome)| match outcome {
            CriterionOutcome::Scored(_) => None,
            CriterionOutcome::Unscored(unscored) => Some(FailedRow {
                id: self.id.clone(),
                variant: self.variant.clone(),
                criterion: id.to_string(),
                reason: unscored.cause.clone(),
                detail: unscored.detail.clone(),
                attempts: unscored.attempts,
            }),
        })
    }

    /// The case's id, with the variant behind it where there is one: several replies to a case differ in it.
    pub fn name(&self) -> String {
        self.variant.as_ref().map_or_else(|| self.id.clone(), |variant| format!("{} ({variant})", self.id))
    }
}

/// The ticket, or the customer's last turn.
fn ticket(situation: &Situation) -> Option<Arc<str>> {
    match situation {
        Situation::Ticket(text) => Some(Arc::clone(text)),
        Situation::Conversation(turns) => {
            let last = turns.iter().rev().find(|turn| turn.role == Role::Customer);
            last.map(|turn| Arc::clone(&turn.text))
        }
    }
}

/// Places of criteria with less than their best level: those that fail the reply, then by points lost.
fn below_best(rubric: &Rubric, criteria: &[(CriterionId, CriterionOutcome)], score: &Score) -> Vec<usize> {
    let lost = |(place, (id, outcome)): (usize, &(CriterionId, CriterionOutcome))| {
        let (criterion, CriterionOutcome::Scored(scored)) = (rubric.criterion(id)?, outcome) else {
            return None;
        };
        let fails = score.failures.contains(&Failure::Automatic(id.clone()));
        let points = criterion.weight.zip(score.points_of(id)).map(|(weight, points)| weight - points);
        (scored.level != criterion.scale.best()).then_some((fails, points, place))
    };
    let mut places: Vec<(bool, Option<Exact>, usize)> =
        criteria.iter().enumerate().filter_map(lost).collect();
    // The sort is stable, so equals stay in the rubric's order.
    places.sort_by_key(|(fails, points, _)| std::cmp::Reverse((*fails, *points)));
    places.into_iter().map(|(_, _, place)| place).collect()
}
