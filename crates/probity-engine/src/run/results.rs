//! Results from the store: what was recorded, in the order of the input, and nothing else.
//!
//! This pass makes no call and reads no clock, so the same store gives the same bytes.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use probity_core::packet::{Ask, PacketHash, PacketMap};
use probity_core::report::{NO_REPLY, SummaryBuilder};
use probity_core::results::{GateStatus, ResultRow};
use probity_core::rubric::{CriterionId, Decider, Rubric};
use probity_core::score::{
    Criteria, CriterionOutcome, Scored, Unscored, decided_by_gate, take_back_unchecked,
};
use probity_core::verdict::{Invalid, Patterns, Statement, Verdict};

use super::RunError;
use super::asking::Asking;
use super::by_people::PeopleDecisions;
use super::case_record::{CaseRecord, CaseStatus, PacketRecord};
use super::parallel::parallel_map;
use super::record::{PacketRef, PacketResult, Terms};
use crate::fault_points::{self, Point};
use crate::input::Skipped;
use crate::ledger::{Found, JudgeId, Reader, StoreError};

/// One line of the results.
#[derive(Debug)]
pub enum Row {
    /// A reply and what it came to.
    Reply(Box<ResultRow>),
    /// A record that could not be used.
    Skipped(Skipped),
}

/// What turns verdicts into results: no gate, no template and no file.
pub(crate) struct Scoring<'a> {
    pub(super) rubric: &'a Rubric,
    pub(super) terms: Terms<'a>,
    /// What is asked about each reply, in the order of its packets.
    pub(super) asks: Vec<&'a Arc<Ask>>,
    /// What an admitted reply gets for each criterion that no judge decides.
    pub(super) decided: Criteria,
}

impl<'a> Scoring<'a> {
    /// What a run under `asking` makes of verdicts, where findings of these rules block.
    pub(super) fn new(
        rubric: &'a Rubric,
        asking: &'a Asking,
        asks: impl IntoIterator<Item = &'a Arc<Ask>>,
        blocking: &BTreeSet<String>,
    ) -> Scoring<'a> {
        let by_person = || Unscored {
            cause: "awaiting_person".to_owned(),
            detail: "a person decides this criterion".to_owned(),
            attempts: 0,
        };
        let decided = rubric.criteria().iter().filter_map(|criterion| {
            let outcome = match criterion.decider {
                Decider::Judge => return None,
                Decider::Gate => decided_by_gate(criterion, blocking),
                Decider::Person => CriterionOutcome::Unscored(by_person()),
            };
            Some((criterion.id.clone(), outcome))
        });
        let (terms, asks) = (asking.terms(), asks.into_iter().collect());
        Scoring { rubric, terms, asks, decided: decided.collect() }
    }
}

/// Makes rows of cases with what the store has about their packets.
pub(super) struct ResultRows<'a> {
    pub(super) scoring: Scoring<'a>,
    /// A connection answers one thread at a time.
    pub(super) reader: Mutex<&'a mut Reader>,
    pub(super) judge: &'a JudgeId,
    /// The repeats that count.
    pub(super) repeats: Range<u32>,
    /// What people decided.
    pub(super) people: PeopleDecisions,
}

/// The rows of a group of cases, and why they end, where that is for an error.
#[derive(Default)]
struct GroupRows {
    rows: Vec<Row>,
    patterns: Patterns,
    error: Option<RunError>,
}

impl ResultRows<'_> {
    /// Gives the row of each case to `sink`, in the order of the input, and returns the figures so far. `record`
    /// makes the record of a case from what `groups` have of it.
    pub(super) fn each<C: Send>(
        &self,
        groups: impl Iterator<Item = Vec<C>> + Send,
        record: impl Fn(C) -> Result<CaseRecord, RunError> + Sync,
        sink: &mut dyn FnMut(Row) -> io::Result<()>,
    ) -> Result<(SummaryBuilder, Patterns), RunError> {
        let (mut summary, mut patterns) = (SummaryBuilder::new(self.scoring.rubric), Patterns::default());
        let rows = |group: Vec<C>| self.rows(group.into_iter().map(&record));
        parallel_map(groups, rows, |group| {
            patterns.join(group.patterns);
            // What was found before an error is a result like any other.
            for row in group.rows {
                match &row {
                    Row::Skipped(_) => summary.skip(),
                    Row::Reply(result) => {
                        summary.add(result);
                        fault_points::reach(Point::DuringResults);
                    }
                }
                sink(row).map_err(RunError::output)?;
            }
            group.error.map_or(Ok(()), Err)
        })?;
        Ok((summary, patterns))
    }

    /// The rows of a group, up to the first error.
    fn rows(&self, cases: impl Iterator<Item = Result<CaseRecord, RunError>>) -> GroupRows {
        let mut group = GroupRows::default();
        let (mut records, mut error) = (Vec::new(), None);
        for case in cases {
            match case {
                Ok(record) => records.push(record),
                Err(failed) => {
                    error = Some(failed);
                    break;
                }
            }
        }
        group.error = self.add_rows(&records, &mut group).err().or(error);
        group
    }

    fn add_rows(&self, cases: &[CaseRecord], group: &mut GroupRows) -> Result<(), RunError> {
        let packets: Vec<PacketHash> =
            cases.iter().flat_map(CaseRecord::packets).map(|packet| packet.hash).collect();
        let reader = self.reader.lock().expect("no thread panics while it reads");
        let found = |repeat| reader.found(self.judge, repeat, &packets);
        let found = self.repeats.clone().map(found).collect::<Result<Vec<_>, StoreError>>()?;
        drop(reader);
        for case in cases {
            group.rows.push(self.row(case, &found, &mut group.patterns)?);
        }
        Ok(())
    }

    fn row(
        &self,
        case: &CaseRecord,
        found: &[PacketMap<Found>],
        patterns: &mut Patterns,
    ) -> Result<Row, RunError> {
        let rubric = self.scoring.rubric;
        let result = match &case.status {
            CaseStatus::Skipped { id, reason } => {
                let (file, id, reason) = (case.file.clone(), id.clone(), reason.clone());
                return Ok(Row::Skipped(Skipped { index: case.index, file, line: case.line, id, reason }));
            }
            CaseStatus::NoReply { case, variant, detail, attempts } => {
                let why =
                    Unscored { cause: NO_REPLY.to_owned(), detail: detail.clone(), attempts: *attempts };
                ResultRow::no_reply(case, variant, rubric, &why)
            }
            CaseStatus::Blocked { entry, findings } => ResultRow::blocked(entry, findings, rubric),
            CaseStatus::Admitted { entry, findings, packets } => {
                // Doubts about a judge are counted in replies, so the first repeat stands for all.
                let mut uncounted = Patterns::default();
                let repeats = found.iter().enumerate().map(|(at, found)| {
                    let patterns = if at == 0 { &mut *patterns } else { &mut uncounted };
                    let mut criteria = self.scoring.answered(packets, found, patterns)?;
                    self.people.decide(entry, packets, &mut criteria);
                    take_back_unchecked(rubric, &mut criteria, findings);
                    Ok(criteria)
                });
                let repeats = repeats.collect::<Result<Vec<_>, RunError>>()?;
                let row = ResultRow::new(entry, GateStatus::Admitted, findings).with_repeats(rubric, repeats);
                ResultRow { packets: packets.iter().map(|packet| packet.hash).collect(), ..row }
            }
        };
        Ok(Row::Reply(Box::new(result)))
    }
}

impl Scoring<'_> {
    /// What each criterion comes to, from what was found about the packets of a reply.
    fn answered(
        &self,
        packets: &[PacketRecord],
        found: &PacketMap<Found>,
        patterns: &mut Patterns,
    ) -> Result<Criteria, RunError> {
        let answered = packets.iter().zip(&self.asks).map(|(packet, ask)| {
            let named = PacketRef { hash: packet.hash, ask, tokens_input: packet.tokens_input };
            self.terms.result(named, found.get(&packet.hash))
        });
        Ok(self.criteria(answered.collect::<Result<Vec<_>, RunError>>()?, patterns))
    }

    /// What each criterion of the rubric comes to, in its order, from what became of each packet about a reply.
    pub(crate) fn criteria(&self, answered: Vec<PacketResult<'_>>, patterns: &mut Patterns) -> Criteria {
        let mut all = self.decided.clone();
        for PacketResult { ask, verdict, attempts } in answered {
            let (scores, why) = match verdict {
                Ok(verdict) => {
                    patterns.add(&verdict);
                    scored(verdict, attempts)
                }
                Err(unscored) => (Vec::new(), Some(unscored)),
            };
            let is_left = |id: &CriterionId| !scores.iter().any(|(known, _)| known == id);
            let left: Vec<CriterionId> =
                ask.criteria().iter().map(|criterion| criterion.id.clone()).filter(is_left).collect();
            all.extend(scores);
            if let Some(why) = why {
                all.extend(left.into_iter().map(|id| (id, CriterionOutcome::Unscored(why.clone()))));
            }
        }
        let criteria = self.rubric.criteria().iter().map(|criterion| {
            let at = all.iter().position(|(id, _)| *id == criterion.id);
            all.swap_remove(at.expect("every criterion is decided or was asked about"))
        });
        criteria.collect()
    }
}

/// What a verdict says about each criterion, and why it says nothing about the others, where there are any.
fn scored(verdict: Verdict, attempts: u32) -> (Criteria, Option<Unscored>) {
    let (levels, rest) = match verdict.statement {
        Statement::Levels(levels) => (levels, None),
        Statement::Failing { scores, rest } => (scores, Some(rest)),
        Statement::Preference(_) => unreachable!("a record is checked against the ask, which is for levels"),
    };
    let (repairs, suspicions) = (verdict.repairs, verdict.suspicions);
    let scores = levels.into_iter().map(|score| {
        let scored = Scored {
            level: score.level,
            reasoning: score.reasoning,
            violations: score.violations,
            repairs: repairs.clone(),
            suspicions: suspicions.clone(),
        };
        (score.criterion, CriterionOutcome::Scored(scored))
    });
    let why =
        rest.map(|Invalid { reason, detail }| Unscored { cause: reason.name().to_owned(), detail, attempts });
    (scores.collect(), why)
}
