//! Results from the store: what was recorded, in the order of the input, and nothing else.
//!
//! This pass makes no call and reads no clock, so the same store gives the same bytes. One thread looks up what
//! the store has and makes rows of it; the caller's thread makes figures of them, in the order of the input.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use probity_core::gate::Admitted;
use probity_core::report::{ReplyResult, SummaryBuilder};
use probity_core::rubric::{CriterionId, Decider};
use probity_core::score::{CriterionOutcome, Scored, Unscored, decided_by_gate};
use probity_core::verdict::{Patterns, Statement, Verdict};

use super::RunError;
use super::ahead::{GROUP_MAX, GROUPS_WAITING, each_screened};
use super::asking::SizedPacket;
use super::job::{Job, Screened};
use super::record::Lookup;
use super::replies::NoReply;
use super::work::Work as _;
use crate::fault_points::{self, Point};
use crate::load::{LoadError, Skipped};
use crate::store::{JudgeId, Reader};

/// One line of the results.
#[derive(Debug)]
pub enum Row {
    /// A reply's result.
    Reply(Box<ReplyResult>),
    /// A record that could not be used.
    Skipped(Skipped),
}

/// Walks over all cases in order, gives each row to `sink`, and returns the figures so far.
pub fn results<'a>(
    job: &'a Job,
    reader: &mut Reader,
    judge: &JudgeId,
    sink: &mut dyn FnMut(Row) -> std::io::Result<()>,
) -> Result<(SummaryBuilder<'a>, Patterns), RunError> {
    let mut summary = SummaryBuilder::new(&job.rubric);
    let patterns = each_row(job, (reader, judge), |row| {
        match &row {
            Row::Skipped(_) => summary.skip(),
            Row::Reply(result) => {
                summary.add(result);
                fault_points::reach(Point::DuringResults);
            }
        }
        sink(row).map_err(RunError::output)
    })?;
    Ok((summary, patterns))
}

/// Gives each row to `take`, in the order of the input. What is looked up ahead is bounded.
fn each_row(
    job: &Job,
    (reader, judge): (&mut Reader, &JudgeId),
    mut take: impl FnMut(Row) -> Result<(), RunError>,
) -> Result<Patterns, RunError> {
    thread::scope(|scope| {
        let (found, groups) = sync_channel::<Vec<Row>>(GROUPS_WAITING);
        let looker = scope.spawn(move || {
            // A connection answers one thread at a time: this one has it until it is done.
            let reader: &Reader = reader;
            look_up(job, &Lookup { asking: &job.asking, reader, judge, repeat: job.repeat() }, &found)
        });
        // Leaving early drops the receiver, and whoever sends to it ends.
        groups.into_iter().flatten().try_for_each(&mut take)?;
        looker.join().expect("looking up does not panic")
    })
}

/// Makes a row of each case with what the store has about it. Returns what the judge's words have in common.
fn look_up(job: &Job, lookup: &Lookup<'_>, found: &SyncSender<Vec<Row>>) -> Result<Patterns, RunError> {
    let mut group = Vec::with_capacity(GROUP_MAX);
    let mut patterns = Patterns::default();
    let looked_up = each_screened(job, |screened| {
        group.push(row(job, lookup, screened, &mut patterns)?);
        if group.len() < GROUP_MAX {
            return Ok(());
        }
        let full = std::mem::replace(&mut group, Vec::with_capacity(GROUP_MAX));
        found.send(full).map_err(|_| Ended::Left)
    });
    // What was found before an error is a result like any other. Whoever has left does not need it.
    let _ = found.send(group);
    match looked_up {
        Ok(()) | Err(Ended::Left) => Ok(patterns),
        Err(Ended::Failed(error)) => Err(error),
    }
}

fn row(
    job: &Job,
    lookup: &Lookup<'_>,
    screened: &Screened,
    patterns: &mut Patterns,
) -> Result<Row, RunError> {
    let result = match screened {
        Screened::Skipped(skipped) => return Ok(Row::Skipped(skipped.clone())),
        Screened::Blocked { blocked, .. } => ReplyResult::blocked(blocked),
        Screened::NoReply(no_reply) => without_reply(job, no_reply),
        Screened::Admitted { admitted, packets, .. } => {
            let verdicts: Vec<_> =
                packets.iter().map(|packet| lookup.verdict(packet)).collect::<Result<_, _>>()?;
            result(job, admitted, packets.iter().zip(verdicts), patterns)
        }
    };
    Ok(Row::Reply(Box::new(result)))
}

/// Why looking up ended before the cases did.
enum Ended {
    /// Nobody takes what is found any more.
    Left,
    Failed(RunError),
}

impl From<RunError> for Ended {
    fn from(error: RunError) -> Ended {
        Ended::Failed(error)
    }
}

impl From<LoadError> for Ended {
    fn from(error: LoadError) -> Ended {
        Ended::Failed(error.into())
    }
}

/// The result of a case without a reply.
fn without_reply(job: &Job, NoReply { case, why, .. }: &NoReply) -> ReplyResult {
    let target = job.target().expect("only a job with a target has cases without a reply");
    ReplyResult::no_reply(case, target.variant(), &job.rubric, why)
}

/// The result of an admitted reply from what was found about each of its packets.
pub(crate) fn result<'a>(
    job: &Job,
    admitted: &Admitted,
    found: impl Iterator<Item = (&'a SizedPacket, Result<Verdict, Unscored>)>,
    patterns: &mut Patterns,
) -> ReplyResult {
    let mut judged: Vec<(CriterionId, CriterionOutcome)> = Vec::new();
    for (packet, verdict) in found {
        match verdict {
            Ok(verdict) => {
                patterns.add(&verdict);
                judged.extend(scored(verdict));
            }
            Err(unscored) => {
                let asked = packet.packet.ask().criteria().iter();
                judged.extend(asked.map(|c| (c.id.clone(), CriterionOutcome::Unscored(unscored.clone()))));
            }
        }
    }
    let criteria = job.rubric.criteria().iter().map(|criterion| {
        let outcome = match criterion.decider {
            Decider::Judge => {
                let place = judged.iter().position(|(id, _)| *id == criterion.id);
                judged.swap_remove(place.expect("every judged criterion was asked about")).1
            }
            Decider::Gate => decided_by_gate(criterion, job.gate()),
            Decider::Person => CriterionOutcome::Unscored(Unscored {
                cause: "awaiting_person".to_owned(),
                detail: "a person decides this criterion".to_owned(),
                attempts: 0,
            }),
        };
        (criterion.id.clone(), outcome)
    });
    let criteria = criteria.collect();
    ReplyResult::judged(admitted, &job.rubric, criteria)
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
