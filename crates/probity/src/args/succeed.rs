//! The flags of `probity succeed`.

use std::path::PathBuf;

use clap::Args;

use super::choice::share;
use super::{AskArgs, OutputArgs, ResampleArgs};

/// `probity succeed`
#[derive(Debug, Args)]
pub(crate) struct SucceedArgs {
    /// Cases that the old judge has scored, some of them labelled: JSON, JSONL or CSV; one file per variant if the
    /// rubric compares
    #[arg(required = true, value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// The old judge: a name from probity.toml, or a model or the start of a judge's id in the store. Its verdicts
    /// come from the store; it is never asked
    #[arg(long, value_name = "OLD")]
    pub(crate) from: String,
    /// The new judge, named the same way [default: as --judge, --model and the settings say]
    #[arg(long, value_name = "NEW", conflicts_with = "judge")]
    pub(crate) to: Option<String>,
    /// Human labels from a file instead of the store
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// A contract to check the new judge against; only `probity promote` records a promotion
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// How much lower than the old judge's the new one's agreement with people may be
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    pub(crate) margin: f64,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long)]
    pub(crate) one_call: bool,
    #[command(flatten)]
    pub(crate) resampling: ResampleArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}
