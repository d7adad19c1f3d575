//! The flags of `probity probe`.

use std::path::PathBuf;

use clap::Args;

use super::{AskArgs, OutputArgs};

/// `probity probe`
#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// Case files with replies to change, in the formats of `probity run` [default: replies that ship with Probity].
    /// If another tool's file has scores and no judge is named, its own judge is probed
    #[arg(value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// Recorded verdicts in both orders instead of a judge, as for `compare --verdicts`
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Write the replies with and without each change to this file, for another tool's judge to score; calls no judge
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verdicts", "reports", "output"])]
    pub(crate) write: Option<PathBuf>,
    /// A TOML file of your own probes; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) probes: Vec<PathBuf>,
    /// Run only probes of this name or family; may be repeated. The result does not count for `promote`
    #[arg(long, value_name = "NAME|FAMILY")]
    pub(crate) select: Vec<String>,
    /// Change at most N replies; below 30, shipped replies are added
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) bases: u32,
    /// The random seed for drawing replies
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The largest share of replies on which a shortcut may work, 0 to below 1
    #[arg(long, value_name = "SHARE", default_value = "0.10")]
    pub(crate) tolerance: String,
    /// List the probes; calls no judge
    #[arg(long, conflicts_with = "reports")]
    pub(crate) list: bool,
    /// Exit with code 1 unless every probe passed
    #[arg(long)]
    pub(crate) enforce: bool,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long)]
    pub(crate) one_call: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}
