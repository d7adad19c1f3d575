//! The flags of `probity probe`.

use std::path::PathBuf;

use clap::Args;

use super::{AskArgs, OutputArgs};

/// `probity probe`
#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// Case files whose admitted replies are changed: JSON, JSONL, CSV, Excel or Parquet, also gzipped [default: shipped
    /// replies]. Of another tool's file with scores, where no judge is named, its own judge is probed by what it says
    #[arg(value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// Recorded verdicts in both orders in place of a judge, as `compare --verdicts` takes them
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Write the replies with and without each change to this file as cases, for another tool's judge to score; calls
    /// no judge
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verdicts", "reports", "output"])]
    pub(crate) write: Option<PathBuf>,
    /// A TOML file of probes of your own; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) probes: Vec<PathBuf>,
    /// Only probes of this name or family; may be given again, and is not kept as the judge's probing
    #[arg(long, value_name = "NAME|FAMILY")]
    pub(crate) select: Vec<String>,
    /// The most replies that are changed; shipped ones are added up to 30
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) bases: u32,
    /// The random seed for drawing replies
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The share of replies in which a shortcut may work, 0 to below 1
    #[arg(long, value_name = "SHARE", default_value = "0.10")]
    pub(crate) tolerance: String,
    /// List the probes; calls no judge
    #[arg(long, conflicts_with = "reports")]
    pub(crate) list: bool,
    /// End with exit code 1 unless every probe passed
    #[arg(long)]
    pub(crate) enforce: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long)]
    pub(crate) one_call: bool,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}
