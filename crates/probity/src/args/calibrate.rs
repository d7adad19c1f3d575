//! The flags of `probity calibrate`.

use std::path::PathBuf;

use clap::{Args, Parser as _};
use probity_core::calibrate::{Counting, Ties, Votes};
use probity_core::compare::{Conflict, Policies, Unparsed};
use probity_core::label::{JoinOptions, NotBlind, Scale};
use probity_core::stats::Sampling;
use probity_engine::run::labelled::LabelScope;

use super::choice::{ABOUT, CONFLICT, NOT_BLIND, TIES, UNPARSED, VOTES, one_of, share};
use super::{AskArgs, OutputArgs, ResampleArgs};
use crate::exit::Failure;

/// `probity calibrate`
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Cases that people labelled, about which a judge is asked: JSON, JSONL or CSV; a file for each variant
    /// where the rubric compares. Without them, labels and verdicts come from files and nobody is asked. Another tool's
    /// file with its judge's scores and people's ratings answers for that judge, unless a judge is named
    #[arg(value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// What people said: JSON, JSONL or CSV [default, with cases: the labels in the store]
    #[arg(long, value_name = "FILE", required_unless_present = "files")]
    pub(crate) labels: Option<PathBuf>,
    /// What judges said about the same items; without it, people are compared with each other alone. With
    /// cases, the verdicts of the judge `recorded`
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Cases, slices, variants and lengths of the items, where labels and verdicts do not name them
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub(crate) items: Option<PathBuf>,
    /// What labels of single replies are about [default: criteria where a label names one]
    #[arg(long, value_parser = one_of(ABOUT), value_name = "WHAT", requires = "files")]
    pub(crate) about: Option<LabelScope>,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long, requires = "files")]
    pub(crate) one_call: bool,
    /// Which of people's labels another tool's judge is held against, where its file has several kinds
    #[arg(long, value_name = "NAME", requires = "files")]
    pub(crate) criterion: Option<String>,
    /// The score from which another tool's verdict passes, where its file does not say
    #[arg(long, value_name = "SCORE", requires = "files")]
    pub(crate) pass_at: Option<f64>,
    /// What several votes on one item are worth
    #[arg(long, value_parser = one_of(VOTES), value_name = "HOW", default_value = "majority")]
    pub(crate) votes: Votes,
    /// What a tie is worth, in labels and in verdicts
    #[arg(long, value_parser = one_of(TIES), value_name = "HOW", default_value = "keep")]
    pub(crate) ties: Ties,
    /// What a pair is worth whose orders disagree
    #[arg(long, value_parser = one_of(CONFLICT), value_name = "HOW", default_value = "tie")]
    pub(crate) conflict: Conflict,
    /// What a verdict is worth that is none
    #[arg(long, value_parser = one_of(UNPARSED), value_name = "HOW", default_value = "drop")]
    pub(crate) unparsed: Unparsed,
    /// What can be said, from the lowest to the highest, such as 1,2,3,4,5 [default: what the labels show]
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "files")]
    pub(crate) values: Vec<String>,
    /// What labels are worth by people who had seen a verdict
    #[arg(long, value_parser = one_of(NOT_BLIND), value_name = "HOW", default_value = "drop")]
    pub(crate) not_blind: NotBlind,
    /// How many labelled items a figure needs that is more than a share
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) min_labels: u64,
    /// A slice that agrees less often than this is weak
    #[arg(long, value_name = "SHARE", default_value_t = 0.75, value_parser = share)]
    pub(crate) weak_below: f64,
    /// What a person may cost more than a judge, in the test whether a judge may replace one
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    pub(crate) epsilon: f64,
    /// Find out from labels what each stage of a judge of kind cascade may decide, so that it keeps its promise, and
    /// keep that in the store
    #[arg(long, requires = "files", conflicts_with_all = ["jury", "one_call", "verdicts"])]
    pub(crate) cascade: bool,
    /// Find out from labels what each vote of a judge of kind jury is worth, and keep that in the store
    #[arg(long, requires = "files", conflicts_with_all = ["one_call", "verdicts"])]
    pub(crate) jury: bool,
    #[command(flatten)]
    pub(crate) resampling: ResampleArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// What counts as what where no flag says otherwise.
pub(crate) fn default_counting() -> Counting {
    /// The flags, of which none is given.
    #[derive(Debug, clap::Parser)]
    struct NoFlags {
        #[command(flatten)]
        args: CalibrateArgs,
    }
    NoFlags::parse_from(["calibrate", "cases"]).args.counting()
}

impl CalibrateArgs {
    /// What counts as what.
    pub(crate) fn counting(&self) -> Counting {
        Counting {
            policies: Policies { conflict: self.conflict, unparsed: self.unparsed },
            votes: self.votes,
            ties: self.ties,
            sampling: Sampling { resampling: self.resampling.resampling(), n_min: self.min_labels },
            weak_below: self.weak_below,
            epsilon: self.epsilon,
        }
    }

    /// How rows become a sheet.
    pub(crate) fn join_options(&self) -> Result<JoinOptions, Failure> {
        Ok(JoinOptions { scale: scale(&self.values)?, not_blind: self.not_blind, ..JoinOptions::default() })
    }
}

/// The scale that `--values` declares, where it does.
pub(crate) fn scale(values: &[String]) -> Result<Option<Scale>, Failure> {
    if values.is_empty() {
        return Ok(None);
    }
    let scale = Scale::declared(values);
    scale.map(Some).ok_or_else(|| Failure::usage("--values: expected at least two different values"))
}
