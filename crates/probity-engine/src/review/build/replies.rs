//! Queues of single replies, which people give levels.

use std::collections::BTreeMap;

use probity_core::gate::Admitted;
use probity_core::results::{CriterionResult, ResultRow};
use probity_core::review::{Doubt, Exhibit, Hidden, HiddenPacket, HiddenVerdict, LabelForm, Questionnaire};
use probity_core::rubric::{CriterionId, Decider, Rubric};
use probity_core::score::score;
use probity_core::verdict::Patterns;

use super::{Built, ItemDraft, ItemDrafts, QueueJudge, QueueRequest, built, judge, reason};
use crate::review::ReviewRoom;
use crate::run::RunError;
use crate::run::asking::SizedPacket;
use crate::run::job::{Job, Screened};

/// The queue of a run's replies.
pub fn of_replies(room: &ReviewRoom, job: &Job, wanted: &QueueRequest<'_>) -> Result<Built, RunError> {
    let judge = judge(room, &job.basis)?;
    let reader = room.store.snapshot()?;
    let (lookup, scoring) = (job.asking.lookup(&reader, &judge.id, 0), job.scoring());
    let mut drafts = ItemDrafts::default();
    for screened in job.screened()? {
        match screened? {
            Screened::Skipped(_) | Screened::NoReply(_) => drafts.n_skipped += 1,
            Screened::Blocked { .. } => drafts.n_blocked += 1,
            Screened::Admitted { admitted, packets, .. } => {
                let criteria = scoring.criteria(lookup.results(&packets)?, &mut Patterns::default());
                let row = ResultRow::judged(&admitted, &job.rubric, criteria);
                drafts.items.push(draft(&job.rubric, &admitted, &packets, &row, &judge));
            }
        }
    }
    drop(reader);
    built(room, Questionnaire::of(&job.rubric, LabelForm::Levels), drafts, wanted)
}

fn draft(
    rubric: &Rubric,
    admitted: &Admitted,
    packets: &[SizedPacket],
    row: &ResultRow,
    judge: &QueueJudge,
) -> ItemDraft {
    let criteria = rubric.criteria().iter().zip(row.asked());
    let judged = criteria.filter(|(criterion, _)| criterion.decider == Decider::Judge);
    let verdicts: Vec<HiddenVerdict> = judged.map(|(_, (id, result))| verdict(id, result)).collect();
    let doubt = doubt(rubric, row);
    let asked = |packet: &SizedPacket| {
        let hash = packet.packet.hash().to_string();
        let criteria = packet.packet.ask().criteria().iter();
        let named = |id: &CriterionId| HiddenPacket { criterion: Some(id.to_string()), packet: hash.clone() };
        criteria.map(|criterion| named(&criterion.id)).collect::<Vec<_>>()
    };
    let was_asked = verdicts.iter().any(|verdict| verdict.said.is_some()) || doubt == Doubt::Unscored;
    let hidden = Hidden {
        case: row.id.clone(),
        slice: row.slice.clone(),
        variants: vec![row.variant.clone()],
        packets: packets.iter().flat_map(asked).collect(),
        judge: was_asked.then(|| judge.shown.clone()),
        verdicts,
        findings: vec![row.gate.findings.clone()],
    };
    ItemDraft { shown: Exhibit::of(&[admitted], rubric), hidden, doubt }
}

fn verdict(criterion: &str, result: &CriterionResult) -> HiddenVerdict {
    let reasoning = result.unscored.as_ref().map(reason).or(result.reasoning.clone()).unwrap_or_default();
    let said = result.score.map(|level| level.to_string());
    HiddenVerdict { criterion: Some(criterion.to_owned()), order: None, said, reasoning }
}

/// How unsure the judge is about a reply.
fn doubt(rubric: &Rubric, row: &ResultRow) -> Doubt {
    let mut levels: BTreeMap<CriterionId, i64> = BTreeMap::new();
    for (criterion, (_, result)) in rubric.criteria().iter().zip(row.asked()) {
        levels.extend(result.score.map(|level| (criterion.id.clone(), level)));
        // What is not asked yet says nothing about whether the judge is unsure.
        let is_lost = result.unscored.as_ref().is_some_and(|unscored| unscored.cause != "not_attempted");
        if is_lost && criterion.decider == Decider::Judge {
            return Doubt::Unscored;
        }
    }
    if is_near_border(rubric, &levels) { Doubt::NearBorder } else { Doubt::Settled }
}

/// Whether one level more or less on one criterion changes whether the reply passes; without a pass rule, whether a
/// level is in the middle of its scale. A criterion that fails a reply by itself is left aside: its best level is
/// always one step from failing, and says nothing about doubt.
fn is_near_border(rubric: &Rubric, levels: &BTreeMap<CriterionId, i64>) -> bool {
    let scale = |id: &CriterionId| {
        let judged = rubric.criterion(id).filter(|criterion| criterion.decider == Decider::Judge);
        judged.map(|criterion| criterion.scale.levels()).unwrap_or_default()
    };
    let Some(rule) = rubric.pass() else {
        return levels.iter().any(|(id, level)| {
            let scale = scale(id);
            scale.len() > 2 && scale.get(scale.len() / 2) == Some(level)
        });
    };
    let passes = |levels: &BTreeMap<CriterionId, i64>| {
        let score = score(rubric, levels);
        score.missing.is_empty().then_some(score.failures.is_empty())
    };
    let Some(now) = passes(levels) else { return false };
    let fails_alone = |id: &CriterionId| rule.automatic_fails.iter().any(|fail| fail.criterion == *id);
    levels.iter().filter(|(id, _)| !fails_alone(id)).any(|(id, level)| {
        let scale = scale(id);
        let at = scale.iter().position(|known| known == level);
        let near = at.into_iter().flat_map(|at| [at.checked_sub(1), Some(at + 1)]).flatten();
        near.filter_map(|at| scale.get(at)).any(|other| {
            let mut moved = levels.clone();
            moved.insert(id.clone(), *other);
            passes(&moved) != Some(now)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_core::rubric::built_in;

    #[track_caller]
    fn check(rubric: &str, levels: &[(&str, i64)], want: bool) {
        let rubric = built_in(rubric).unwrap();
        let levels = levels.iter().map(|(id, level)| (CriterionId::new(*id).unwrap(), *level)).collect();
        assert_eq!(is_near_border(&rubric, &levels), want, "{levels:?}");
    }

    fn gold(accuracy: i64, others: i64) -> Vec<(&'static str, i64)> {
        let others = ["completeness", "tone", "actionability", "safety"].map(|id| (id, others));
        [("accuracy", accuracy)].into_iter().chain(others).collect()
    }

    #[test]
    fn a_reply_is_near_the_border_if_one_level_decides() {
        check("support-gold", &gold(4, 4), false);
        check("support-gold", &gold(1, 4), true);
        check("support-gold", &gold(0, 0), false);
    }

    #[test]
    fn without_a_pass_rule_the_middle_of_a_scale_is_near() {
        check("relevance-tone", &[("relevance", 3), ("tone", 5)], true);
        check("relevance-tone", &[("relevance", 4), ("tone", 5)], false);
        check("relevance-tone", &[], false);
    }
}
