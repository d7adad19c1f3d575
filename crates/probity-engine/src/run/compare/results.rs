//! A comparison read back from the store: what became of every pair, in the order of the input.
//!
//! This makes no call, and reads the clock only to see whether a standing has ended, so the same store gives the
//! same bytes until then.

use std::sync::Arc;

use probity_core::compare::{Candidate, Contest, Fate, Heard, Order, Pass};
use probity_core::results::Facts;

use super::super::record::VerdictLookup;
use super::super::{Ran, RunError};
use super::rounds::Stopped;
use super::{AtGate, CompareJob, Meeting, Screening};
use crate::ledger::Store;

/// What a comparison came to.
#[derive(Debug)]
pub struct Compared {
    /// Every pair, by case and then by variant.
    pub contests: Vec<Contest>,
    /// What the store knows about the judge's calls.
    pub facts: Facts,
    /// Where the sequence stopped, if one decided when to stop.
    pub stopped: Option<Stopped>,
}

/// Reads a comparison back.
pub fn report(
    job: &CompareJob,
    store: &Store,
    ran: &Ran,
    stopped: Option<Stopped>,
) -> Result<Compared, RunError> {
    let reader = store.snapshot()?;
    let lookup = job.asking.lookup(&reader, &ran.judge_id, 0);
    let said: VerdictLookup<'_> = &|packet| lookup.verdict(packet);
    let n_taken = stopped.map_or(job.n_drawn(), |stopped| stopped.n_drawn);
    let mut is_drawn = vec![true; job.meetings.len()];
    job.drawn[n_taken..].iter().for_each(|at| is_drawn[*at] = false);
    let mut contests = Vec::with_capacity(job.meetings.len());
    for (meeting, is_drawn) in job.meetings.iter().zip(is_drawn) {
        contests.push(if is_drawn {
            contest(job, meeting, said)?
        } else {
            with_fate(job, meeting, Fate::NotDrawn)
        });
    }
    Ok(Compared { contests, facts: job.facts(&reader, ran)?, stopped })
}

/// What became of one pair.
pub(crate) fn contest(
    job: &CompareJob,
    meeting: &Meeting,
    said: VerdictLookup<'_>,
) -> Result<Contest, RunError> {
    let fate = match meeting.gate {
        AtGate::Identical => Fate::Identical,
        AtGate::BothBlocked => Fate::BothBlocked,
        AtGate::Won(winner) => {
            let loser = meeting.variants[usize::from(winner == Candidate::A)];
            let findings = match &job.field.cases[meeting.case].replies[loser] {
                Some(Screening::Blocked(blocked)) => blocked.findings().to_vec(),
                Some(Screening::Admitted(_)) | None => Vec::new(),
            };
            Fate::WonAtGate { winner, findings }
        }
        AtGate::Open => {
            let [ab, ba] = job.packets(meeting).expect("an open pair has two admitted replies to one case");
            let heard = |packet, order| -> Result<Heard, RunError> {
                Ok(match said(packet)? {
                    Err(unscored) => Heard::unscored(unscored),
                    Ok(verdict) => {
                        let preferred = verdict.preferred().expect("a record is checked against the ask");
                        Heard {
                            pass: Pass::Decided(preferred.preference().choice(order)),
                            evidence: preferred.evidence().to_vec(),
                            repairs: verdict.repairs.clone(),
                            suspicions: verdict.suspicions.clone(),
                        }
                    }
                })
            };
            Fate::Judged(Box::new([heard(&ab, Order::Ab)?, heard(&ba, Order::Ba)?]))
        }
    };
    Ok(with_fate(job, meeting, fate))
}

fn with_fate(job: &CompareJob, meeting: &Meeting, fate: Fate) -> Contest {
    let case = &job.field.cases[meeting.case];
    let chars = |at: usize| {
        let reply = case.replies[at].as_ref().map(|screening| &screening.entry().reply.text);
        reply.map_or(0, |text| text.chars().count() as u64)
    };
    Contest {
        case: Arc::clone(&case.id),
        slice: case.slice.clone(),
        variants: meeting.variants.map(|at| Arc::clone(&job.field.variants[at])),
        lengths: meeting.variants.map(chars),
        difficulty: case.difficulty,
        fate,
    }
}
