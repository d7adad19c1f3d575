//! Probing a judge: every probe of a battery on every base, asked about and read back from the store.
//!
//! What is shared with a scoring run is everything between the packets and the store. What is different: the cases
//! are changed before the gate, and some packets are asked about a second time under another repeat number.
//!
//! What always holds: control and treatment are ordinary replies that go through the run's gate, and a trial with a
//! blocked reply makes no packet; equal packets of different probes are one packet.

mod bases;
mod ready;
mod results;

#[cfg(test)]
mod tests;

use std::ops::Deref;
use std::sync::Arc;

use probity_core::packet::{AnswerForm, Ask, PairAsk};
use probity_core::probe::{
    Arms, Base, JudgeTask, OwnFile, OwnProbe, Probe, Repeat, RubricOrder, Tolerance, battery_hash,
};
use probity_core::rubric::Criterion;

pub use results::{ProbeExample, Probed, report};

use super::asking::{Asking, SizedAsk, SizedPacket, SizedPairAsk};
use super::basis::Basis;
use super::calling::Allowance;
use super::confirm::confirm;
use super::work::{PassEnd, Unit, UnitLabel, Work};
use super::{Ran, RunError, Session, budget, budget_key, run_within};
use crate::input::{Dataset, Skipped};
use crate::judge::prompt::TemplateError;
use crate::ledger::{JudgeId, Manifest};
use crate::schedule::lane::Stop;

use bases::DrawnBases;
use ready::{Ready, Screening};

/// Which probes are made, and on how many bases.
#[derive(Debug)]
pub struct Selection {
    /// The probes of the battery.
    pub probes: Vec<Probe>,
    /// A person's own probes, and the criteria that faults must lower.
    pub own: OwnFile,
    /// The names and families that both were chosen by; empty where all are made.
    pub only: Vec<String>,
    /// The most bases of a person's own.
    pub n_bases: usize,
    /// What bases are drawn by.
    pub seed: u64,
    /// The share of violations that is tolerated.
    pub tolerance: Tolerance,
}

/// A probing that is ready to be made.
#[derive(Debug)]
pub struct ProbeJob {
    /// What it is made of beside its cases.
    pub basis: Basis,
    /// How the rubric is asked about.
    pub task: JudgeTask,
    /// Which probes are made.
    pub selection: Selection,
    /// The replies that they change, in the order of the draw.
    pub bases: Vec<Base>,
    /// Records that cannot be used.
    pub skipped: Vec<Skipped>,
    /// Replies that the gate blocks as they are, shipped ones included.
    pub n_blocked: u64,
    /// The hash of everything that is asked: probes, bases, seed and tolerance.
    pub battery: String,
    asks: Asks,
    /// What each base comes to under each probe, by base and then by probe.
    trials: Vec<Vec<Ready>>,
    /// What each of a person's own probes comes to.
    own_trials: Vec<Ready>,
}

impl Deref for ProbeJob {
    type Target = Basis;

    fn deref(&self) -> &Basis {
        &self.basis
    }
}

/// What is asked, under each order of the rubric.
#[derive(Debug)]
enum Asks {
    Levels(Vec<(RubricOrder, Vec<SizedAsk>)>),
    Preference(Vec<(RubricOrder, SizedPairAsk)>),
}

impl ProbeJob {
    /// Draws the bases, from a person's own cases where there are any, changes them and screens what comes of it. Fails
    /// where a file cannot be read, where the template cannot be filled in, and where the rubric leaves a judge nothing
    /// to decide.
    pub fn new(basis: Basis, dataset: Option<&Dataset>, selection: Selection) -> Result<Self, RunError> {
        let Basis { rubric, asking, gate, .. } = &basis;
        let task = JudgeTask::of(rubric, asking.config.run.call_plan)
            .and_then(|task| task.naming(&selection.own.criteria))
            .map_err(|problem| RunError::NotProbed { rubric: rubric.name().to_owned(), problem })?;
        let asks = Asks::new(&task, asking)?;
        let DrawnBases { bases, skipped, n_blocked } = bases::drawn(dataset, rubric, gate, &selection)?;
        let Selection { probes, own, seed, tolerance, .. } = &selection;
        let battery = battery_hash(probes, own, &bases, *seed, *tolerance);
        let of_base = |base| {
            let mut screening = Screening::new(gate);
            let ready =
                |probe: &Probe| screening.ready(probe.inapplicable(&task), || probe.trial(base, &task));
            probes.iter().map(ready).collect()
        };
        let trials = bases.iter().map(of_base).collect();
        let own_trial =
            |probe: &OwnProbe| Screening::new(gate).ready(probe.inapplicable(&task), || probe.trial());
        let own_trials = own.probes.iter().map(own_trial).collect();
        Ok(ProbeJob { basis, task, selection, bases, skipped, n_blocked, battery, asks, trials, own_trials })
    }

    /// The packets of a base that are asked about for the first time, or again.
    fn packets<'a>(&'a self, ready: &'a [Ready], repeat: Repeat) -> impl Iterator<Item = SizedPacket> + 'a {
        let arms = ready.iter().filter_map(Ready::asked).flat_map(Arms::all);
        arms.filter(move |arm| arm.repeat == repeat).flat_map(|arm| self.asks.packets(arm))
    }

    fn unit(&self, case_id: &str, ready: &[Ready], repeat: Repeat) -> Unit {
        let label = UnitLabel { case_id: case_id.to_owned(), variant: None, slice: None };
        Unit::Asked { label, packets: self.packets(ready, repeat).collect() }
    }

    /// Everything that is asked, base by base.
    fn units(&self, repeat: Repeat) -> impl Iterator<Item = Unit> + '_ {
        let bases = self.bases.iter().zip(&self.trials);
        let of_bases =
            bases.map(move |(base, ready)| self.unit(base.entry().case.id.as_str(), ready, repeat));
        let own = self.selection.own.probes.iter().zip(&self.own_trials);
        of_bases
            .chain(own.map(move |(probe, ready)| self.unit(&probe.name, std::slice::from_ref(ready), repeat)))
    }
}

/// Makes the probing: asks for every verdict that the store does not have, and then again for what is asked twice.
pub async fn run(job: &Arc<ProbeJob>, session: &Session<'_>) -> Result<Ran, RunError> {
    let [first, again] = rounds(job);
    let key = budget_key([first.as_ref()]);
    let allowance = Allowance::new(Arc::new(budget(key, &job.asking, None)?));
    confirm(&[Arc::clone(&first), Arc::clone(&again)], None, session, &allowance.budget)?;
    let first = run_within(&first, session, &allowance).await?;
    let stop = first.driven.as_ref().and_then(|driven| driven.stop.as_ref());
    // What waits in a batch does not keep the rest from being sent.
    if stop.is_some_and(|stop| !matches!(stop, Stop::InBatch(_))) {
        return Ok(first);
    }
    Ok(first.and(run_within(&again, session, &allowance).await?))
}

/// What a probing asks for the first time, and what it asks again.
pub fn rounds(job: &Arc<ProbeJob>) -> [Arc<dyn Work>; 2] {
    [Repeat::First, Repeat::Again]
        .map(|repeat| -> Arc<dyn Work> { Arc::new(Round { job: Arc::clone(job), repeat }) })
}

/// What a probing asks for the first time, or again. Both are one run in the store.
#[derive(Debug)]
struct Round {
    job: Arc<ProbeJob>,
    repeat: Repeat,
}

impl Work for Round {
    fn basis(&self) -> &Basis {
        &self.job.basis
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        self.job.basis.manifest("probe", id, ("battery", self.job.battery.clone()), Vec::new())
    }

    fn repeat(&self) -> u32 {
        self.repeat.number()
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        self.job.units(self.repeat).try_for_each(take)
    }
}

impl Asks {
    fn new(task: &JudgeTask, asking: &Asking) -> Result<Asks, RunError> {
        match task.form() {
            AnswerForm::Levels => Ok(Asks::Levels(in_each_order(|rubric_order| {
                let sized = |criteria: Vec<Criterion>| {
                    let ask = Ask::new(criteria).expect("a call has a criterion");
                    SizedAsk::new(ask, asking)
                };
                task.calls(rubric_order).into_iter().map(sized).collect()
            })?)),
            AnswerForm::Preference => Ok(Asks::Preference(in_each_order(|rubric_order| {
                let criteria = task.calls(rubric_order).into_iter().flatten().collect();
                let ask = PairAsk::new(criteria).expect("the task's criteria can be compared by");
                SizedPairAsk::new(ask, asking)
            })?)),
        }
    }
}

fn in_each_order<T>(
    ask: impl Fn(RubricOrder) -> Result<T, TemplateError>,
) -> Result<Vec<(RubricOrder, T)>, TemplateError> {
    RubricOrder::ALL.into_iter().map(|rubric_order| Ok((rubric_order, ask(rubric_order)?))).collect()
}
