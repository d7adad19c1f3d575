//! The flags of `probity compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use probity_core::compare::{Conflict, Policies, Unparsed};

/// `probity compare`
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Recorded verdicts in both orders, or graded preferences: JSON, JSONL or CSV
    #[arg(long, value_name = "FILE", required = true)]
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
    /// The seed of the resamples behind each interval
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many resamples
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) resamples: u32,
    /// Write the figures to this file as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Make the first bad row an error
    #[arg(long)]
    pub(crate) strict: bool,
    /// The character between the cells of a CSV file
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,
    /// Print machine-readable JSON on standard output and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no notices
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What a pair is worth whose orders disagree.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ConflictArg {
    /// A tie
    Tie,
    /// Nothing: it is left out
    Drop,
    /// Each order is an observation of its own
    Pool,
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
