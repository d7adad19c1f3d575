//! The job of a calibration: the rubric says whether replies are scored or compared.

use std::ops::Deref;

use probity_core::rubric::{Judged, Rubric};
use probity_engine::run::basis::Basis;
use probity_engine::run::compare::CompareJob;
use probity_engine::run::job::Job;

use super::comparison::{comparison_of, sides};
use super::{CaseFlags, job_of, read_config, rubric};
use crate::exit::Failure;

/// Cases that people labelled, as the rubric has them judged.
pub(crate) enum LabelledJob {
    /// Each reply by itself.
    Replies(Box<Job>),
    /// Pairs of replies.
    Pairs(Box<CompareJob>),
}

impl Deref for LabelledJob {
    type Target = Basis;

    fn deref(&self) -> &Basis {
        match self {
            LabelledJob::Replies(job) => job,
            LabelledJob::Pairs(job) => job,
        }
    }
}

/// Puts the job together. Everything that can be wrong with flags, files and cases is found here.
pub(crate) fn labelled(flags: &CaseFlags<'_>, note: &dyn Fn(&str)) -> Result<LabelledJob, Failure> {
    let config = read_config(flags.reading, flags.layer()?)?;
    let rubric = rubric(&config.run.rubric, note)?;
    if !compares(&rubric) {
        let job = job_of(flags, (config, rubric), note)?;
        return Ok(LabelledJob::Replies(Box::new(job)));
    }
    if flags.one_call {
        return Err(Failure::usage("--one-call has no effect when replies are compared"));
    }
    let sides = sides(flags, &config, note)?;
    Ok(LabelledJob::Pairs(Box::new(comparison_of(flags, 0, (config, rubric), &sides, note)?)))
}

fn compares(rubric: &Rubric) -> bool {
    rubric.criteria().iter().any(|criterion| criterion.judged == Judged::Pairwise)
}
