//! A probing read back from the store: what the judge said about every base, probe by probe.
//!
//! This makes no call, and reads the clock only to see whether a standing has ended, so the same store gives the
//! same bytes until then.

use probity_core::compare::{Order, Pass};
use probity_core::packet::AnswerForm;
use probity_core::probe::{
    ArmAnswer, Arms, BaseCounts, Observation, ProbeFigures, ProbeResult, ProbeTally, Probing, Repeat,
    ReplyGrade,
};
use probity_core::results::Facts;
use probity_core::rubric::CriterionId;
use probity_core::verdict::{Statement, Verdict};

use super::super::asking::SizedPacket;
use super::super::record::Lookup;
use super::super::{Ran, RunError};
use super::ProbeJob;
use super::ready::{Ready, ReadyArm};
use crate::ledger::{Reader, Store};

/// What a probing came to.
#[derive(Debug)]
pub struct Probed {
    /// Every probe with its figures.
    pub probing: Probing,
    /// What the store knows about the judge's calls.
    pub facts: Facts,
}

/// Reads a probing back.
pub fn report(job: &ProbeJob, store: &Store, ran: &Ran) -> Result<Probed, RunError> {
    let reader = store.snapshot()?;
    let record = ProbingRecord { job, reader: &reader, ran };
    let selection = &job.selection;
    let mut results = Vec::new();
    for (at, probe) in selection.probes.iter().enumerate() {
        let figures = match probe.inapplicable(&job.task) {
            Some(why) => Err(why),
            None => Ok(record.figures(at)?),
        };
        results.push(ProbeResult::new(probe, &job.task, figures));
    }
    for (probe, ready) in selection.own.probes.iter().zip(&job.own_trials) {
        let figures = match ready {
            Ready::Inapplicable(why) => Err(*why),
            Ready::Decided(_) | Ready::Asked(_) => {
                let mut tally = ProbeTally::default();
                tally.add(
                    record.observation(ready, &|answers| Observation::of_own(probe, answers, &job.task))?,
                );
                Ok(tally.figures_of_one())
            }
        };
        results.push(ProbeResult::of_own(probe, figures));
    }
    let probing = Probing {
        form: job.task.form(),
        battery: job.battery.clone(),
        seed: selection.seed,
        tolerance: selection.tolerance,
        bases: BaseCounts::of(&job.bases),
        only: selection.only.clone(),
        results,
    };
    Ok(Probed { probing, facts: job.facts(&reader, ran)? })
}

/// What is on record about a probing.
struct ProbingRecord<'a> {
    job: &'a ProbeJob,
    reader: &'a Reader,
    ran: &'a Ran,
}

impl ProbingRecord<'_> {
    /// The figures of one probe of the battery.
    fn figures(&self, at: usize) -> Result<ProbeFigures, RunError> {
        let probe = &self.job.selection.probes[at];
        let mut tally = ProbeTally::of(probe.expects);
        let criterion = probe.criterion(&self.job.task);
        for trials in &self.job.trials {
            let observed = |answers: &Arms<ArmAnswer>| {
                Observation::of(probe.expects, criterion.as_ref(), answers, &self.job.task)
            };
            tally.add(self.observation(&trials[at], &observed)?);
        }
        Ok(tally.figures(self.job.selection.tolerance))
    }

    fn observation(
        &self,
        ready: &Ready,
        observed: &dyn Fn(&Arms<ArmAnswer>) -> Observation,
    ) -> Result<Observation, RunError> {
        Ok(match ready {
            Ready::Inapplicable(_) => Observation::Unchanged,
            Ready::Decided(observation) => observation.clone(),
            Ready::Asked(arms) => observed(&arms.try_map(|arm| self.answer(arm))?),
        })
    }

    /// What the judge said about an arm.
    fn answer(&self, arm: &ReadyArm) -> Result<ArmAnswer, RunError> {
        let packets = self.job.asks.packets(arm);
        match self.job.task.form() {
            AnswerForm::Levels => self.grade(&packets, arm.repeat),
            AnswerForm::Preference => {
                let mut passes = Vec::new();
                for (packet, order) in packets.iter().zip([Order::Ab, Order::Ba]) {
                    passes.push(self.pass(packet, order, arm.repeat)?);
                }
                let [ab, ba] = passes.as_slice() else { unreachable!("a pair is shown in two orders") };
                Ok(ArmAnswer::of_passes(ab, ba))
            }
        }
    }

    fn grade(&self, packets: &[SizedPacket], repeat: Repeat) -> Result<ArmAnswer, RunError> {
        let mut levels: Vec<(CriterionId, i64)> = Vec::new();
        for packet in packets {
            match self.lookup(repeat).verdict(packet)? {
                Err(unscored) => return Ok(ArmAnswer::Unscored(unscored.cause)),
                Ok(Verdict { statement: Statement::Failing { rest, .. }, .. }) => {
                    return Ok(ArmAnswer::Unscored(rest.reason.name().to_owned()));
                }
                Ok(verdict) => {
                    levels
                        .extend(verdict.scores().iter().map(|score| (score.criterion.clone(), score.level)));
                }
            }
        }
        let grade = ReplyGrade::new(levels, &self.job.task);
        Ok(ArmAnswer::Grade(grade.expect("a record is checked against the ask, which is of the task")))
    }

    fn pass(&self, packet: &SizedPacket, order: Order, repeat: Repeat) -> Result<Pass, RunError> {
        Ok(match self.lookup(repeat).verdict(packet)? {
            Err(unscored) => Pass::Unscored(unscored),
            Ok(verdict) => {
                let preferred = verdict.preferred().expect("a record is checked against the ask");
                Pass::Decided(preferred.preference().choice(order))
            }
        })
    }

    fn lookup(&self, repeat: Repeat) -> Lookup<'_> {
        let ProbingRecord { job, reader, ran } = self;
        job.asking.lookup(reader, &ran.judge_id, repeat.number())
    }
}
