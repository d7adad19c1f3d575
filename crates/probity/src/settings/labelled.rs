//! The job of a calibration: the rubric says whether replies are scored or compared.

use std::path::{Path, PathBuf};

use probity_core::rubric::{Judged, Rubric};
use probity_engine::load::Keep;
use probity_engine::run::asking::Asking;
use probity_engine::run::compare::CompareJob;
use probity_engine::run::job::Job;

use super::comparison::comparison_of;
use super::{CaseFlags, OwnFlags, job_of, judge_layer, read_config, rubric};
use crate::args::{AskArgs, CallArgs, JudgeArgs, ReadArgs};
use crate::exit::Failure;

/// Flags about cases that people labelled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelledFlags<'a> {
    /// The case files; one for each variant where the rubric compares.
    pub(crate) files: &'a [PathBuf],
    /// How they are read.
    pub(crate) reading: &'a ReadArgs,
    /// The judge.
    pub(crate) judge: &'a JudgeArgs,
    /// How many calls are made, where some may be.
    pub(crate) calls: Option<&'a CallArgs>,
    /// Whether all criteria are asked about in one call.
    pub(crate) one_call: bool,
    /// Verdicts for the judge `recorded`.
    pub(crate) verdicts: Option<&'a Path>,
}

impl<'a> LabelledFlags<'a> {
    /// The flags of a command that asks.
    pub(crate) fn of(files: &'a [PathBuf], ask: &'a AskArgs, one_call: bool) -> Self {
        let AskArgs { judge, calls, reading } = ask;
        LabelledFlags { files, reading, judge, calls: Some(calls), one_call, verdicts: None }
    }
}

/// Cases that people labelled, as the rubric has them judged.
pub(crate) enum LabelledJob {
    /// Each reply by itself.
    Replies(Box<Job>),
    /// Pairs of replies.
    Pairs(Box<CompareJob>),
}

impl LabelledJob {
    /// Who is asked, and how.
    pub(crate) fn asking(&self) -> &Asking {
        match self {
            LabelledJob::Replies(job) => &job.asking,
            LabelledJob::Pairs(job) => &job.asking,
        }
    }
}

/// Puts the job together. Everything that can be wrong with flags, files and cases is found here.
pub(crate) fn labelled(flags: &LabelledFlags<'_>, note: &dyn Fn(&str)) -> Result<LabelledJob, Failure> {
    let LabelledFlags { files, reading, judge, calls, one_call, verdicts } = *flags;
    let config = read_config(reading, judge_layer(judge, calls, one_call)?)?;
    let rubric = rubric(&config.run.rubric, note)?;
    let own = OwnFlags { seed: None, verdicts };
    let cases = CaseFlags { files, reading, judge, own, keep: Keep::Nothing };
    if !compares(&rubric) {
        return job_of(&cases, config, rubric, note).map(|job| LabelledJob::Replies(Box::new(job)));
    }
    if one_call {
        return Err(Failure::usage("--one-call means nothing where replies are compared"));
    }
    let job = comparison_of(&cases, 0, config, rubric, note)?;
    Ok(LabelledJob::Pairs(Box::new(job)))
}

fn compares(rubric: &Rubric) -> bool {
    rubric.criteria().iter().any(|criterion| criterion.judged == Judged::Pairwise)
}
