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
    /// Labelled cases for the judge to score: JSON, JSONL or CSV; one file per variant if the rubric compares.
    /// Without cases, labels and verdicts are read from files and no judge is called. Another tool's file with its
    /// judge's scores and human ratings works too, unless a judge is named
    #[arg(value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// Human labels: JSON, JSONL or CSV [default, with cases: the labels in the store]
    #[arg(long, value_name = "FILE", required_unless_present = "files")]
    pub(crate) labels: Option<PathBuf>,
    /// The judge's verdicts on the same items; without it, only agreement among people is measured. With cases: the
    /// verdicts of the judge `recorded`
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Cases, slices, variants and lengths of the items, if labels and verdicts do not name them
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub(crate) items: Option<PathBuf>,
    /// What labels of single replies rate [default: criteria, if a label names one]
    #[arg(long, value_parser = one_of(ABOUT), value_name = "WHAT", requires = "files")]
    pub(crate) about: Option<LabelScope>,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long, requires = "files")]
    pub(crate) one_call: bool,
    /// Which human labels to compare another tool's judge with, if its file has several kinds
    #[arg(long, value_name = "NAME", requires = "files")]
    pub(crate) criterion: Option<String>,
    /// The lowest passing score of another tool's judge, if its file does not say
    #[arg(long, value_name = "SCORE", requires = "files")]
    pub(crate) pass_at: Option<f64>,
    /// How several votes on one item count
    #[arg(long, value_parser = one_of(VOTES), value_name = "HOW", default_value = "majority")]
    pub(crate) votes: Votes,
    /// How a tie counts, in labels and in verdicts
    #[arg(long, value_parser = one_of(TIES), value_name = "HOW", default_value = "keep")]
    pub(crate) ties: Ties,
    /// How a pair counts if its two orders disagree
    #[arg(long, value_parser = one_of(CONFLICT), value_name = "HOW", default_value = "tie")]
    pub(crate) conflict: Conflict,
    /// How an invalid verdict counts
    #[arg(long, value_parser = one_of(UNPARSED), value_name = "HOW", default_value = "drop")]
    pub(crate) unparsed: Unparsed,
    /// The label values from lowest to highest, such as 1,2,3,4,5 [default: those found in the labels]
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "files")]
    pub(crate) values: Vec<String>,
    /// How labels count if their author had seen a verdict
    #[arg(long, value_parser = one_of(NOT_BLIND), value_name = "HOW", default_value = "drop")]
    pub(crate) not_blind: NotBlind,
    /// The fewest labelled items for kappa and other coefficients
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) min_labels: u64,
    /// Slices that agree less often than this are reported as weak
    #[arg(long, value_name = "SHARE", default_value_t = 0.75, value_parser = share)]
    pub(crate) weak_below: f64,
    /// How much a judge's lower cost counts (epsilon) in the test whether it may replace a person
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    pub(crate) epsilon: f64,
    /// Fit the thresholds of a judge of kind cascade to labels, so that it keeps its promise, and save them in the
    /// store
    #[arg(long, requires = "files", conflicts_with_all = ["jury", "one_call", "verdicts"])]
    pub(crate) cascade: bool,
    /// Fit the vote weights of a judge of kind jury to labels, and save them in the store
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
