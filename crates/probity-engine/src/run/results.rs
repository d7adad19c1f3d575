//! Results from the store: what was recorded, in the order of the input, and nothing else.
//!
//! This pass makes no call and reads no clock, so the same store gives the same bytes.

use probity_core::gate::Admitted;
use probity_core::report::{ReplyResult, SummaryBuilder};
use probity_core::rubric::{CriterionId, Decider};
use probity_core::score::{CriterionOutcome, Scored, Unscored, decided_by_gate};
use probity_core::verdict::{Patterns, Statement, Verdict};

use super::RunError;
use super::ahead::each_screened;
use super::asking::SizedPacket;
use super::job::{Job, Screened};
use super::record::{Lookup, Said};
use crate::fault_points::{self, Point};
use crate::load::Skipped;
use crate::store::{JudgeId, Reader};

/// One line of the results.
#[derive(Debug)]
pub enum Row {
    /// A reply's result.
    Reply(ReplyResult),
    /// A record that could not be used.
    Skipped(Skipped),
}

/// Walks over all cases in order, gives each row to `sink`, and returns the figures so far.
pub fn results<'a>(
    job: &'a Job,
    reader: &Reader,
    judge: &JudgeId,
    sink: &mut dyn FnMut(Row) -> std::io::Result<()>,
) -> Result<(SummaryBuilder<'a>, Patterns), RunError> {
    let mut summary = SummaryBuilder::new(&job.rubric);
    let mut patterns = Patterns::default();
    let lookup = Lookup { asking: &job.asking, reader, judge, repeat: 0 };
    let scoring = Scoring { job, said: &|packet| lookup.verdict(packet) };
    each_screened(job, |screened| {
        let result = match screened {
            Screened::Skipped(skipped) => {
                summary.skip();
                return sink(Row::Skipped(skipped)).map_err(RunError::output);
            }
            Screened::Blocked { blocked, .. } => ReplyResult::blocked(&blocked),
            Screened::Admitted { admitted, packets, .. } => {
                scoring.result(&admitted, &packets, &mut patterns)?
            }
        };
        summary.add(&result);
        fault_points::reach(Point::DuringResults);
        sink(Row::Reply(result)).map_err(RunError::output)
    })?;
    Ok((summary, patterns))
}

/// Makes results of what somebody said.
pub(super) struct Scoring<'a> {
    /// What was asked.
    pub(super) job: &'a Job,
    /// What was said.
    pub(super) said: Said<'a>,
}

impl Scoring<'_> {
    /// The result of an admitted reply.
    pub(super) fn result(
        &self,
        admitted: &Admitted,
        packets: &[SizedPacket],
        patterns: &mut Patterns,
    ) -> Result<ReplyResult, RunError> {
        let mut judged: Vec<(CriterionId, CriterionOutcome)> = Vec::new();
        for packet in packets {
            let asked = packet.packet.ask().criteria();
            match (self.said)(packet)? {
                Ok(verdict) => {
                    patterns.add(&verdict);
                    judged.extend(scored(verdict));
                }
                Err(unscored) => judged.extend(
                    asked.iter().map(|c| (c.id.clone(), CriterionOutcome::Unscored(unscored.clone()))),
                ),
            }
        }
        let criteria = self.job.rubric.criteria().iter().map(|criterion| {
            let outcome = match criterion.decider {
                Decider::Judge => {
                    let place = judged.iter().position(|(id, _)| *id == criterion.id);
                    judged.swap_remove(place.expect("every judged criterion was asked about")).1
                }
                Decider::Gate => decided_by_gate(criterion, self.job.gate()),
                Decider::Person => CriterionOutcome::Unscored(Unscored {
                    cause: "awaiting_person".to_owned(),
                    detail: "a person decides this criterion".to_owned(),
                    attempts: 0,
                }),
            };
            (criterion.id.clone(), outcome)
        });
        let criteria = criteria.collect();
        Ok(ReplyResult::judged(admitted, &self.job.rubric, criteria))
    }
}

fn scored(verdict: Verdict) -> impl Iterator<Item = (CriterionId, CriterionOutcome)> {
    let levels = match verdict.statement {
        Statement::Levels(levels) => levels,
        Statement::Preference(_) => unreachable!("a record is checked against the ask, which is for levels"),
    };
    let (repairs, suspicions) = (verdict.repairs, verdict.suspicions);
    levels.into_iter().map(move |score| {
        let scored = Scored {
            level: score.level,
            reasoning: score.reasoning,
            decider: Decider::Judge,
            repairs: repairs.clone(),
            suspicions: suspicions.clone(),
        };
        (score.criterion, CriterionOutcome::Scored(scored))
    })
}
