//! A probing read back from the store: what the judge said about every base, probe by probe.
//!
//! This makes no call, and reads the clock only to see whether a standing has ended, so the same store gives the
//! same bytes until then.

use std::collections::BTreeMap;

use probity_core::compare::{Candidate, Choice, Order, Pass};
use probity_core::packet::AnswerForm;
use probity_core::probe::{
    ArmAnswer, Arms, Base, BaseCounts, Effect, Observation, ProbeFigures, ProbeOutcome, ProbeResult,
    ProbeTally, Probing, Repeat, ReplyGrade,
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
    /// For each probe that the judge failed, the first base that shows it, by the probe's name.
    pub examples: BTreeMap<String, ProbeExample>,
}

/// One base in which a change did what it must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeExample {
    /// The case of the base.
    pub case: String,
    /// What the customer wrote last.
    pub ticket: String,
    /// The reply without the change; `None` where the change speaks for itself.
    pub control: Option<String>,
    /// The reply with it.
    pub treatment: String,
    /// What the judge said, without and with the change.
    pub moves: Vec<String>,
}

/// Reads a probing back.
pub fn report(job: &ProbeJob, store: &Store, ran: &Ran) -> Result<Probed, RunError> {
    let reader = store.snapshot()?;
    let record = ProbingRecord { job, reader: &reader, ran };
    let selection = &job.selection;
    let (mut results, mut examples) = (Vec::new(), BTreeMap::new());
    for (at, probe) in selection.probes.iter().enumerate() {
        let figures = if let Some(why) = probe.inapplicable(&job.task) {
            Err(why)
        } else {
            let (figures, example) = record.figures(at)?;
            let is_failed = figures.outcome == ProbeOutcome::Fail;
            examples.extend(example.filter(|_| is_failed).map(|example| (probe.name.clone(), example)));
            Ok(figures)
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
    Ok(Probed { probing, facts: job.facts(&reader, ran)?, examples })
}

/// What is on record about a probing.
struct ProbingRecord<'a> {
    job: &'a ProbeJob,
    reader: &'a Reader,
    ran: &'a Ran,
}

impl ProbingRecord<'_> {
    /// The figures of one probe of the battery, and the first base in which it shows what it is about.
    fn figures(&self, at: usize) -> Result<(ProbeFigures, Option<ProbeExample>), RunError> {
        let probe = &self.job.selection.probes[at];
        let mut tally = ProbeTally::of(probe.expects);
        let criterion = probe.criterion(&self.job.task);
        let mut example = None;
        for (base, trials) in self.job.bases.iter().zip(&self.job.trials) {
            let observed = |answers: &Arms<ArmAnswer>| {
                Observation::of(probe.expects, criterion.as_ref(), answers, &self.job.task)
            };
            let observation = self.observation(&trials[at], &observed)?;
            let shows = matches!(
                observation,
                Observation::Answered {
                    effect: Effect::Violation,
                    noise: None | Some(Effect::AsExpected),
                    ..
                }
            );
            if let (None, true, Some(arms)) = (&example, shows, trials[at].asked()) {
                example = Some(self.example(base, arms)?);
            }
            tally.add(observation);
        }
        Ok((tally.figures(self.job.selection.tolerance), example))
    }

    fn example(&self, base: &Base, arms: &Arms<ReadyArm>) -> Result<ProbeExample, RunError> {
        let (ticket, mut texts) = arms.treatment.shown();
        let treatment = texts.pop().unwrap_or_default();
        let control = texts.pop().or_else(|| arms.control.as_ref()?.shown().1.pop());
        let said = |arm: &ReadyArm| self.answer(arm);
        let moves = match (arms.control.as_ref().map(said).transpose()?, said(&arms.treatment)?) {
            (Some(ArmAnswer::Grade(before)), ArmAnswer::Grade(after)) => {
                let level = |(id, level): &(CriterionId, i64)| {
                    let before = before.levels().iter().find(|(one, _)| one == id).map(|(_, level)| level);
                    before
                        .map_or_else(|| format!("{id} {level}"), |before| format!("{id} {before} → {level}"))
                };
                after.levels().iter().map(level).collect()
            }
            (_, ArmAnswer::Grade(after)) => {
                after.levels().iter().map(|(id, level)| format!("{id} {level}")).collect()
            }
            (_, ArmAnswer::Choices { ab, ba }) => {
                let said = |choice: Choice| match choice {
                    Choice::Wins(Candidate::A) => "the control is better",
                    Choice::Wins(Candidate::B) => "the changed reply is better",
                    Choice::Tie => "neither is better",
                    Choice::NeedsHumanReview => "a person should decide",
                };
                vec![
                    format!("control shown first: {}", said(ab)),
                    format!("changed reply shown first: {}", said(ba)),
                ]
            }
            (_, ArmAnswer::Unscored(cause)) => vec![cause],
        };
        let case = base.entry().case.id.as_str().to_owned();
        Ok(ProbeExample { case, ticket, control, treatment, moves })
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
