//! The flags of `probity calibrate`.

use std::path::PathBuf;

use clap::{Args, Parser as _, ValueEnum};
use probity_core::calibrate::{Counting, JoinOptions, NotBlind, Scale, Ties, Votes};
use probity_core::compare::Policies;
use probity_core::stats::{Resampling, Sampling};
use probity_engine::run::labelled::About;

use crate::args::{CallArgs, JudgeArgs, ReadArgs};
use crate::commands::compare::{ConflictArg, UnparsedArg};
use crate::commands::inputs::Inputs;
use crate::exit::Failure;

/// `probity calibrate`
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Cases that people labelled, about which a judge is asked: JSON, JSONL or CSV; a file for each variant
    /// where the rubric compares. Without them, labels and verdicts come from files and nobody is asked
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
    #[arg(long, value_enum, value_name = "WHAT", requires = "files")]
    pub(crate) about: Option<AboutArg>,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long, requires = "files")]
    pub(crate) one_call: bool,
    /// What several votes on one item are worth
    #[arg(long, value_enum, value_name = "HOW", default_value = "majority")]
    pub(crate) votes: VotesArg,
    /// What a tie is worth, in labels and in verdicts
    #[arg(long, value_enum, value_name = "HOW", default_value = "keep")]
    pub(crate) ties: TiesArg,
    /// What a pair is worth whose orders disagree
    #[arg(long, value_enum, value_name = "HOW", default_value = "tie")]
    pub(crate) conflict: ConflictArg,
    /// What a verdict is worth that is none
    #[arg(long, value_enum, value_name = "HOW", default_value = "drop")]
    pub(crate) unparsed: UnparsedArg,
    /// What can be said, from the lowest to the highest, such as 1,2,3,4,5 [default: what the labels show]
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "files")]
    pub(crate) values: Vec<String>,
    /// What labels are worth by people who had seen a verdict
    #[arg(long, value_enum, value_name = "HOW", default_value = "drop")]
    pub(crate) not_blind: NotBlindArg,
    /// How many labelled items a figure needs that is more than a share
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) min_labels: u64,
    /// A slice that agrees less often than this is weak
    #[arg(long, value_name = "SHARE", default_value_t = 0.75, value_parser = share)]
    pub(crate) weak_below: f64,
    /// What a person may cost more than a judge, in the test whether a judge may replace one
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    pub(crate) epsilon: f64,
    /// The seed of the resamples behind each interval
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many resamples
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) resamples: u32,
    /// Write the figures to this file as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a report to this file; its name ends in .html, .md, .xml for a CI server, or .json; may be given again
    #[arg(long = "report", value_name = "FILE")]
    pub(crate) reports: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) calls: CallArgs,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// What labels of single replies are about.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AboutArg {
    /// The levels of criteria
    Criteria,
    /// Whether a reply passes
    Outcome,
}

/// What several votes on one item are worth.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum VotesArg {
    /// One label, the most frequent vote
    Majority,
    /// Each is a label of its own
    Pooled,
}

/// What a tie is worth.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TiesArg {
    /// A verdict like others
    Keep,
    /// Nothing: it is left out
    Drop,
}

/// What labels are worth by people who had seen a verdict.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum NotBlindArg {
    /// Nothing: they are left out
    Drop,
    /// As much as others
    Keep,
}

/// Reads a share.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "expected a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("expected a number from 0 to 1".to_owned()) }
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
    /// The files that are read.
    pub(crate) fn inputs(&self) -> Inputs {
        let inputs = Inputs::default().and("CASES", &self.files).and("--verdicts", &self.verdicts);
        let inputs = inputs.and("--labels", &self.labels).and("--items", &self.items);
        inputs.judge(&self.judge, &self.reading)
    }

    /// What counts as what.
    pub(crate) fn counting(&self) -> Counting {
        Counting {
            policies: Policies { conflict: self.conflict.into(), unparsed: self.unparsed.into() },
            votes: match self.votes {
                VotesArg::Majority => Votes::Majority,
                VotesArg::Pooled => Votes::Pooled,
            },
            ties: match self.ties {
                TiesArg::Keep => Ties::Keep,
                TiesArg::Drop => Ties::Drop,
            },
            sampling: Sampling {
                resampling: Resampling { n_resamples: self.resamples, seed: self.seed },
                n_min: self.min_labels,
            },
            weak_below: self.weak_below,
            epsilon: self.epsilon,
        }
    }

    /// How rows become a sheet.
    pub(crate) fn join_options(&self) -> Result<JoinOptions, Failure> {
        let scale = if self.values.is_empty() {
            None
        } else {
            let scale = Scale::declared(&self.values);
            Some(scale.ok_or_else(|| Failure::usage("--values: expected at least two different values"))?)
        };
        Ok(JoinOptions { scale, not_blind: self.not_blind(), ..JoinOptions::default() })
    }

    /// What labels are worth by people who had seen a verdict.
    pub(crate) fn not_blind(&self) -> NotBlind {
        match self.not_blind {
            NotBlindArg::Drop => NotBlind::Drop,
            NotBlindArg::Keep => NotBlind::Keep,
        }
    }

    /// What labels of single replies are about, where that was said.
    pub(crate) fn about(&self) -> Option<About> {
        self.about.map(|about| match about {
            AboutArg::Criteria => About::Criteria,
            AboutArg::Outcome => About::Outcome,
        })
    }
}
