//! The row of a reply in a run's results, from what the gate said and what each criterion came to.

use std::collections::BTreeMap;

use crate::case::{Case, Entry, Role, Situation, Variant};
use crate::exact::Exact;
use crate::gate::{Admitted, Finding};
use crate::results::{
    CriterionResult, FindingRecord, GateRecord, GateStatus, ResultRow, RowOutcome, finding_records,
};
use crate::rubric::{Criterion, CriterionId, Decider, Rubric};
use crate::score::{Criteria, CriterionOutcome, Failure, Score, Unscored, over_repeats, score};

/// The cause of every criterion that is unscored because the target gave no reply.
pub const NO_REPLY: &str = "no_reply";

impl ResultRow {
    /// A reply of which nothing but the gate's answer is known.
    pub fn new(entry: &Entry, status: GateStatus, findings: &[Finding]) -> Self {
        let findings = finding_records(findings);
        let found = |finding: &FindingRecord| format!("{}: {}", finding.rule, finding.message);
        ResultRow {
            reply: Some(entry.reply.text.to_string()),
            variant: entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned()),
            confidence: entry.reply.confidence,
            issues: findings.iter().map(found).collect(),
            gate: GateRecord { status, findings },
            ..Self::of_case(&entry.case)
        }
    }

    /// A reply that the gate blocked, so that no criterion of `rubric` was asked about.
    pub fn blocked(entry: &Entry, findings: &[Finding], rubric: &Rubric) -> Self {
        let not_asked = rubric.criteria().iter().map(|criterion| (criterion.id.as_str(), None));
        let (outcome, criteria) = (RowOutcome::Blocked, not_asked.collect());
        ResultRow { criteria, outcome, ..Self::new(entry, GateStatus::Blocked, findings) }
    }

    /// An admitted reply with what each criterion of `rubric` came to, in its order.
    pub fn judged(admitted: &Admitted, rubric: &Rubric, criteria: Criteria) -> Self {
        Self::new(admitted.entry(), GateStatus::Admitted, admitted.flags())
            .with_repeats(rubric, vec![criteria])
    }

    /// A case for which the target called `variant` gave no reply: no criterion has a level, and `why` says for each
    /// what happened.
    pub fn no_reply(case: &Case, variant: &Variant, rubric: &Rubric, why: &Unscored) -> Self {
        let why = Unscored { cause: NO_REPLY.to_owned(), ..why.clone() };
        let unscored = CriterionResult { unscored: Some(why), ..CriterionResult::default() };
        let criteria = rubric.criteria().iter();
        ResultRow {
            criteria: criteria.map(|criterion| (criterion.id.as_str(), Some(unscored.clone()))).collect(),
            variant: Some(variant.as_str().to_owned()),
            ..Self::of_case(case)
        }
    }

    /// The same reply with what each criterion of `rubric` came to in every repeat, of which there is at least one.
    #[must_use]
    pub fn with_repeats(self, rubric: &Rubric, repeats: Vec<Criteria>) -> Self {
        let levels = |(at, criterion): (usize, &Criterion)| match (criterion.decider, repeats.len()) {
            (Decider::Judge, 2..) => repeats.iter().map(|repeat| repeat[at].1.level()).collect(),
            _ => Vec::new(),
        };
        let by_repeat: Vec<Vec<Option<i64>>> = rubric.criteria().iter().enumerate().map(levels).collect();
        let criteria = over_repeats(rubric, repeats);
        let levels: BTreeMap<&CriterionId, i64> =
            criteria.iter().filter_map(|(id, outcome)| Some((id, outcome.level()?))).collect();
        let score = score(rubric, &levels);
        let outcome = match rubric.pass() {
            Some(_) if !score.failures.is_empty() => RowOutcome::Fail,
            _ if !score.missing.is_empty() => RowOutcome::Unscored,
            Some(_) => RowOutcome::Pass,
            None => RowOutcome::Scored,
        };
        let results: Vec<(CriterionId, CriterionResult)> = criteria
            .into_iter()
            .zip(by_repeat)
            .map(|((id, outcome), scores)| {
                let points = score.points_of(&id);
                (id, CriterionResult { scores, ..criterion_result(outcome, points) })
            })
            .collect();
        let issues = issues(rubric, &results, &score).chain(self.issues).collect();
        let criteria = results.into_iter().map(|(id, result)| (id, Some(result)));
        ResultRow {
            criteria: criteria.collect(),
            outcome,
            total: score.total,
            is_automatic_fail: score.failures.iter().any(|fail| matches!(fail, Failure::Automatic(_))),
            fail_reasons: score.failures.iter().map(Failure::describe).collect(),
            issues,
            ..self
        }
    }

    fn of_case(case: &Case) -> Self {
        ResultRow {
            id: case.id.to_string(),
            slice: case.slice.as_ref().map(|slice| slice.as_str().to_owned()),
            ticket: ticket(&case.situation),
            turns: match &case.situation {
                Situation::Ticket(_) => Vec::new(),
                Situation::Conversation(turns) => turns.clone(),
            },
            evidence: (*case.evidence).clone(),
            reference: case.reference.clone(),
            customer_outcomes: case.outcomes.clone(),
            ..ResultRow::default()
        }
    }

    /// How good the reply is at the most, 0 to 1, for ranking: its total, or the mean share of its levels, with the
    /// best level for each criterion that has none. `None` for a reply that was not judged to an end.
    pub(super) fn quality_max(&self, rubric: &Rubric) -> Option<Exact> {
        if matches!(self.outcome, RowOutcome::Blocked | RowOutcome::Unscored) {
            return None;
        }
        let criteria = rubric.criteria();
        let share = |(at, criterion): (usize, &Criterion)| {
            let share = self.level(at).map_or(Exact::from(1), |level| criterion.scale.share(level));
            criterion.weight.map_or(share, |weight| weight * share)
        };
        let sum: Exact = criteria.iter().enumerate().map(share).sum();
        let is_weighted = criteria.iter().any(|criterion| criterion.weight.is_some());
        sum.over(if is_weighted { 100 } else { i64::try_from(criteria.len()).ok()? })
    }
}

/// What `outcome` comes to, with the points that its level has.
fn criterion_result(outcome: CriterionOutcome, points: Option<Exact>) -> CriterionResult {
    match outcome {
        CriterionOutcome::Scored(scored) => CriterionResult {
            score: Some(scored.level),
            reasoning: Some(scored.reasoning),
            points,
            violations: scored.violations,
            repairs: scored.repairs,
            suspicions: scored.suspicions,
            ..CriterionResult::default()
        },
        CriterionOutcome::Unscored(unscored) => {
            CriterionResult { unscored: Some(unscored), ..CriterionResult::default() }
        }
    }
}

/// The ticket, or the customer's last turn.
fn ticket(situation: &Situation) -> Option<String> {
    match situation {
        Situation::Ticket(text) => Some(text.to_string()),
        Situation::Conversation(turns) => {
            let last = turns.iter().rev().find(|turn| turn.role == Role::Customer);
            last.map(|turn| turn.text.to_string())
        }
    }
}

/// What there is to put right about levels, most important first: those below the best with their reasons, of them
/// first those that fail the reply, then those that a person should look at twice.
fn issues(
    rubric: &Rubric,
    results: &[(CriterionId, CriterionResult)],
    score: &Score,
) -> impl Iterator<Item = String> {
    let below_best = below_best(rubric, results, score).into_iter().filter_map(|place| {
        let (id, result) = &results[place];
        Some(format!("{}: {}", result.level_text(id.as_str())?, result.reasoning.as_deref()?))
    });
    let doubted = results.iter().filter(|(_, result)| !result.suspicions.is_empty());
    below_best.chain(doubted.map(|(id, result)| {
        format!("{id}: the verdict should be looked at ({})", result.suspicions.join(", "))
    }))
}

/// Places of criteria with less than their best level: those that fail the reply, then by points lost.
fn below_best(rubric: &Rubric, results: &[(CriterionId, CriterionResult)], score: &Score) -> Vec<usize> {
    let lost = |(place, (id, result)): (usize, &(CriterionId, CriterionResult))| {
        let (criterion, level) = (rubric.criterion(id)?, result.score?);
        let fails = score.failures.contains(&Failure::Automatic(id.clone()));
        let points = criterion.weight.zip(result.points).map(|(weight, points)| weight - points);
        (level != criterion.scale.best()).then_some((fails, points, place))
    };
    let mut places: Vec<(bool, Option<Exact>, usize)> = results.iter().enumerate().filter_map(lost).collect();
    // The sort is stable, so equals stay in the rubric's order.
    places.sort_by_key(|(fails, points, _)| std::cmp::Reverse((*fails, *points)));
    places.into_iter().map(|(_, _, place)| place).collect()
}
