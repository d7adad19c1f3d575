//! The job of a calibration: the rubric says whether replies are scored or compared.

use std::path::{Path, PathBuf};

use probity_core::rubric::{Judged, Rubric};
use probity_engine::config::layer::Layer;
use probity_engine::config::names::Calls;
use probity_engine::load::Keep;
use probity_engine::run::asking::Asking;
use probity_engine::run::compare::CompareJob;
use probity_engine::run::job::Job;

use super::comparison::comparison_of;
use super::{CaseFlags, OwnFlags, job_of, judge_layer, read_config, rubric};
use crate::args::{JudgeArgs, ReadArgs};
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
    /// Whether all criteria are asked about in one call.
    pub(crate) one_call: bool,
    /// Verdicts for the judge `recorded`.
    pub(crate) verdicts: Option<&'a Path>,
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
pub(crate) fn labelled(
    flags: &LabelledFlags<'_>,
    over: Layer,
    note: &dyn Fn(&str),
) -> Result<LabelledJob, Failure> {
    let mut layer = judge_layer(flags.judge, over);
    if flags.one_call {
        layer.run.call_plan = Some(Calls::OneCall);
    }
    let config = read_config(flags.reading, layer)?;
    let rubric = rubric(&config.run.rubric, note)?;
    let LabelledFlags { files, reading, judge, one_call, verdicts } = *flags;
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
