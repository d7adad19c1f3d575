//! The flags of `probity compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use probity_core::compare::{Conflict, Policies, Unparsed};
use probity_engine::run::compare::Stopping;

use crate::args::{CallArgs, JudgeArgs, ReadArgs};
use crate::commands::inputs::Inputs;

/// `probity compare`
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Case files, one for each variant: JSON, JSONL or CSV, also gzipped; `-` is standard input
    #[arg(required_unless_present = "verdicts", conflicts_with = "verdicts", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Recorded verdicts in both orders, or graded preferences, in place of a judge: JSON, JSONL or CSV
    #[arg(long, value_name = "FILE", conflicts_with_all = LIVE)]
    pub(crate) verdicts: Option<PathBuf>,
    /// What people said about the same items
    #[arg(long, value_name = "FILE", requires = "verdicts")]
    pub(crate) labels: Option<PathBuf>,
    /// Cases, slices, variants and lengths of the items, where the verdicts do not name them
    #[arg(long, value_name = "FILE", requires = "verdicts")]
    pub(crate) items: Option<PathBuf>,
    /// What a pair is worth whose orders disagree
    #[arg(long, value_enum, value_name = "HOW", default_value = "tie")]
    pub(crate) conflict: ConflictArg,
    /// What a pass without a verdict is worth
    #[arg(long, value_enum, value_name = "HOW", default_value = "drop")]
    pub(crate) unparsed: UnparsedArg,
    /// The seed of the order in which pairs are asked about, and of the resamples behind each interval
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
    /// Stop asking when it is clear which variant is better, or that neither is by more than the margin
    #[arg(long)]
    pub(crate) until_decided: bool,
    /// How far from one half a win rate is as good as equal, 0 to below 0.5
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "until_decided")]
    pub(crate) margin: f64,
    /// The chance that stopping early decides wrongly, at most
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "until_decided")]
    pub(crate) alpha: f64,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) calls: CallArgs,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// Flags that mean nothing where no judge is asked.
const LIVE: [&str; 18] = [
    "until_decided",
    "judge",
    "model",
    "base_url",
    "rubric",
    "template",
    "structured",
    "store",
    "concurrency",
    "offline",
    "max_calls",
    "budget_usd",
    "min_coverage",
    "retry_unscored",
    "policies",
    "as_of",
    "config",
    "trust_settings",
];

/// What a pair is worth whose orders disagree.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ConflictArg {
    /// A tie
    Tie,
    /// Nothing: it is left out
    Drop,
    /// Each order is an observation of its own
    Pool,
    /// Their sum: a winner beside a tie wins, two different winners are a tie
    Sum,
}

/// What a pass without a verdict is worth.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UnparsedArg {
    /// A tie
    Tie,
    /// Nothing: it is left out
    Drop,
    /// Wrong against a label, left out of win rates
    Wrong,
}

impl CompareArgs {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> Inputs {
        let inputs = Inputs::default().and("CASES", &self.files).and("--verdicts", &self.verdicts);
        let inputs = inputs.and("--labels", &self.labels).and("--items", &self.items);
        inputs.judge(&self.judge, &self.reading)
    }

    /// When asking ends.
    pub(crate) fn stopping(&self) -> Stopping {
        if self.until_decided {
            Stopping::UntilDecided { alpha: self.alpha, margin: self.margin }
        } else {
            Stopping::Never
        }
    }

    /// What counts as what.
    pub(crate) fn policies(&self) -> Policies {
        Policies { conflict: self.conflict.into(), unparsed: self.unparsed.into() }
    }
}

impl From<ConflictArg> for Conflict {
    fn from(arg: ConflictArg) -> Conflict {
        match arg {
            ConflictArg::Tie => Conflict::Tie,
            ConflictArg::Drop => Conflict::Drop,
            ConflictArg::Pool => Conflict::Pool,
            ConflictArg::Sum => Conflict::Sum,
        }
    }
}

impl From<UnparsedArg> for Unparsed {
    fn from(arg: UnparsedArg) -> Unparsed {
        match arg {
            UnparsedArg::Tie => Unparsed::Tie,
            UnparsedArg::Drop => Unparsed::Drop,
            UnparsedArg::Wrong => Unparsed::Wrong,
        }
    }
}
