//! Asking about pairs: all of them, or round by round until the answer is clear.

use std::sync::Arc;

use probity_core::compare::sequence::{Bounds, Sequence, SequenceDecision};
use probity_core::compare::{Candidate, Choice, Fate, Policies, Status};

use super::super::calling::Allowance;
use super::super::confirm::confirm;
use super::super::work::Work;
use super::super::{Ran, RunError, Session, budget, budget_key, run_within};
use super::results::contest;
use super::{AtGate, CompareJob, Round};
use crate::ledger::{JudgeId, Store};
use crate::schedule::budget::Budget;

/// Pairs that are asked about before the sequence is looked at again. It does not depend on how many calls are
/// in flight: what is asked must not.
const ROUND_PAIRS: usize = 25;

/// When asking ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stopping {
    /// When every pair has been asked about.
    Never,
    /// When a confidence sequence has decided.
    UntilDecided {
        /// The chance that the decision is wrong, at most.
        alpha: f64,
        /// How far from one half a win rate is as good as equal.
        margin: f64,
    },
}

/// Where a sequence stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopped {
    /// The chance that the decision is wrong, at most.
    pub alpha: f64,
    /// How far from one half a win rate is as good as equal.
    pub margin: f64,
    /// What may be said. A is the first variant.
    pub decision: SequenceDecision,
    /// Where the first variant's win rate over all pairs lies.
    pub bounds: Bounds,
    /// Pairs taken.
    pub n_drawn: usize,
    /// Pairs not taken.
    pub n_left: usize,
    /// Calls that those would have needed.
    pub calls_saved: u64,
}

/// Makes the comparison: asks for every verdict that the store does not have, and stops where `stopping` says.
/// What was spent on replies before counts where `spent` has it.
pub async fn run(
    job: &Arc<CompareJob>,
    stopping: Stopping,
    session: &Session<'_>,
    spent: Option<Arc<Budget>>,
) -> Result<(Ran, Option<Stopped>), RunError> {
    let of_job = || {
        let key = budget_key([&Round { job: Arc::clone(job), drawn: 0..0 } as &dyn Work]);
        budget(key, &job.asking, None).map(Arc::new)
    };
    let allowance = &Allowance::new(spent.map_or_else(of_job, Ok)?);
    confirm(&[job.work()], None, session, &allowance.budget)?;
    let take = |drawn| {
        let job = Arc::clone(job);
        async move {
            let work: Arc<dyn Work> = Arc::new(Round { job, drawn });
            run_within(&work, session, allowance).await
        }
    };
    let Stopping::UntilDecided { alpha, margin } = stopping else {
        return Ok((take(0..job.n_drawn()).await?, None));
    };
    let mut sequence = Sequence::new(alpha, margin, job.n_drawn()).map_err(RunError::Sequence)?;
    let mut ran: Option<Ran> = None;
    let mut from = 0;
    loop {
        let to = (from + ROUND_PAIRS).min(job.n_drawn());
        let round = take(from..to).await?;
        hear(job, session.store, &round.judge_id, from..to, &mut sequence)?;
        let is_cut_short = round.driven.as_ref().is_some_and(|driven| driven.stop.is_some());
        ran = Some(match ran {
            None => round,
            Some(earlier) => earlier.and(round),
        });
        from = to;
        if is_cut_short || from == job.n_drawn() || sequence.decision() != SequenceDecision::Undecided {
            break;
        }
    }
    let stopped = Stopped {
        alpha,
        margin,
        decision: sequence.decision(),
        bounds: sequence.interval(),
        n_drawn: sequence.n_drawn(),
        n_left: sequence.n_left(),
        calls_saved: match sequence.decision() {
            // What was not asked for want of a judge is not saved.
            SequenceDecision::Undecided => 0,
            _ => 2 * job.drawn[from..].iter().filter(|at| is_open(job, **at)).count() as u64,
        },
    };
    Ok((ran.expect("at least one round was taken"), Some(stopped)))
}

fn is_open(job: &CompareJob, at: usize) -> bool {
    job.meetings[at].gate == AtGate::Open
}

/// Gives the sequence what the pairs of a round came to, in the order drawn.
fn hear(
    job: &CompareJob,
    store: &Store,
    judge: &JudgeId,
    drawn: std::ops::Range<usize>,
    sequence: &mut Sequence,
) -> Result<(), RunError> {
    let reader = store.snapshot()?;
    let lookup = job.asking.lookup(&reader, judge, 0);
    for at in &job.drawn[drawn] {
        let contest = contest(job, &job.meetings[*at], &|packet| lookup.verdict(packet))?;
        match contest.pair().map(|pair| (pair.status(), pair.result(Policies::default()))) {
            // A winner that changes with the order says nothing about the replies, so it supports no claim.
            Some((Status::UnstableAfterSwap, _)) => sequence.push_unscored(),
            Some((_, Some(Choice::Wins(Candidate::A)))) => sequence.push(1.0),
            Some((_, Some(Choice::Wins(Candidate::B)))) => sequence.push(0.0),
            Some((_, Some(Choice::Tie))) => sequence.push(0.5),
            None if contest.fate == Fate::Identical => sequence.push(0.5),
            Some((_, Some(Choice::NeedsHumanReview) | None)) | None => sequence.push_unscored(),
        }
    }
    Ok(())
}
