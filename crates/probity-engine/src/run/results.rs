//! Results from the store: what was recorded, in the order of the input, and nothing else.
//!
//! This pass makes no call and reads no clock, so the same store gives the same bytes.

use probity_core::gate::Admitted;
use probity_core::report::{ReplyResult, SummaryBuilder};
use probity_core::rubric::{CriterionId, Decider};
use probity_core::score::{CriterionOutcome, Scored, Unscored, decided_by_gate};
use probity_core::verdict::{ModelMatch, ParseMode, Patterns, Verdict, VerdictRecord, model_match};

use super::RunError;
use super::ahead::each_screened;
use super::job::{Job, Screened, SizedPacket};
use crate::config::{Backend, ModelMismatch};
use crate::fault_points::{self, Point};
use crate::load::Skipped;
use crate::schedule::desk::REPEAT;
use crate::store::{AttemptOutcome, JudgeId, Reader, SettlementRecord};

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
    let lookup = Lookup { job, reader, judge };
    each_screened(job, |screened| {
        let result = match screened {
            Screened::Skipped(skipped) => {
                summary.skip();
                return sink(Row::Skipped(skipped)).map_err(RunError::output);
            }
            Screened::Blocked { blocked, .. } => ReplyResult::blocked(&blocked),
            Screened::Admitted { admitted, packets, .. } => {
                lookup.result(&admitted, &packets, &mut patterns)?
            }
        };
        summary.add(&result);
        fault_points::reach(Point::DuringResults);
        sink(Row::Reply(result)).map_err(RunError::output)
    })?;
    Ok((summary, patterns))
}

struct Lookup<'a> {
    job: &'a Job,
    reader: &'a Reader,
    judge: &'a JudgeId,
}

impl Lookup<'_> {
    fn result(
        &self,
        admitted: &Admitted,
        packets: &[SizedPacket],
        patterns: &mut Patterns,
    ) -> Result<ReplyResult, RunError> {
        let mut judged: Vec<(CriterionId, CriterionOutcome)> = Vec::new();
        for packet in packets {
            let asked = packet.packet.ask().criteria();
            match self.verdict(packet)? {
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

    /// The verdict on record, or why there is none.
    fn verdict(&self, packet: &SizedPacket) -> Result<Result<Verdict, Unscored>, RunError> {
        let hash = packet.packet.hash();
        let unscored =
            |cause: &str, detail: String, attempts| Unscored { cause: cause.to_owned(), detail, attempts };
        match self.reader.settlement(&hash, self.judge, REPEAT)? {
            Some(SettlementRecord::Verdict { body, attempts }) => {
                let record: VerdictRecord = serde_json::from_str(&body)
                    .map_err(|error| RunError::damaged(hash, &error.to_string()))?;
                let verdict = record
                    .verdict(packet.packet.ask())
                    .map_err(|error| RunError::damaged(hash, &error.to_string()))?;
                Ok(match self.objection(&verdict) {
                    None => Ok(verdict),
                    Some((cause, detail)) => Err(unscored(cause, detail, attempts)),
                })
            }
            Some(SettlementRecord::Unscored { reason, detail, attempts }) => {
                Ok(Err(unscored(&reason, detail, attempts)))
            }
            None if self.job.is_oversize(packet) => {
                let detail = format!("about {} tokens are more than the judge reads", packet.tokens_input);
                Ok(Err(unscored("context_length", detail, 0)))
            }
            None => Ok(Err(match self.reader.last_attempt(&hash, self.judge, REPEAT)? {
                None if matches!(self.job.judge.backend, Backend::Recorded { .. }) => {
                    unscored("not_recorded", "no verdict is on record for this packet".into(), 0)
                }
                None => unscored("not_attempted", String::new(), 0),
                Some(last) => match last.outcome {
                    AttemptOutcome::Ended(cause) => unscored(&cause, last.detail, last.n),
                    AttemptOutcome::InFlight | AttemptOutcome::Lost | AttemptOutcome::NotSent => {
                        unscored("lost", "the program ended while the call was in flight".into(), last.n)
                    }
                },
            })),
        }
    }
}

impl Lookup<'_> {
    /// Why this run does not take a verdict that is on record: its settings are stricter than what was
    /// needed to read the answer.
    fn objection(&self, verdict: &Verdict) -> Option<(&'static str, String)> {
        if self.job.config.run.parse.mode() == ParseMode::Strict && !verdict.is_strict() {
            return Some(("malformed", format!("needs repairs: {}", verdict.repairs.join(", "))));
        }
        let chat = self.job.judge.chat().filter(|chat| chat.model_mismatch != ModelMismatch::Note)?;
        let answered = verdict.model.as_deref();
        let is_other = model_match(&chat.model, &chat.aliases, answered) == ModelMatch::Other;
        is_other.then(|| {
            let answered = answered.unwrap_or_default();
            ("other_model", format!("asked for {}, {answered} answered", chat.model))
        })
    }
}

fn scored(verdict: Verdict) -> impl Iterator<Item = (CriterionId, CriterionOutcome)> {
    let (repairs, suspicions) = (verdict.repairs, verdict.suspicions);
    verdict.scores.into_iter().map(move |score| {
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
