//! The flags of `probity succeed`.

use std::path::PathBuf;

use clap::Args;

use super::choice::share;
use super::{AskArgs, OutputArgs, ResampleArgs};

/// `probity succeed`
#[derive(Debug, Args)]
pub(crate) struct SucceedArgs {
    /// Cases that the old judge has decided, some of them labelled: JSON, JSONL or CSV; a file for each variant where
    /// the rubric compares
    #[arg(required = true, value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// The old judge: a name from probity.toml, or a model or the beginning of an identity in the
    /// store. Its verdicts come from the store; it is never asked
    #[arg(long, value_name = "OLD")]
    pub(crate) from: String,
    /// The new judge, named the same way [default: as --judge, --model and the settings say]
    #[arg(long, value_name = "NEW", conflicts_with = "judge")]
    pub(crate) to: Option<String>,
    /// Human labels, in place of those in the store
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// A contract that the new judge must meet; nothing is recorded, `probity promote` does that
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// How much less often than the old judge the new one may agree with people
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
