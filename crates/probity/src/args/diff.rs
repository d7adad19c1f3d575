//! The flags of `probity diff`.

use std::path::PathBuf;

use clap::Args;

use super::choice::share;
use super::{OutputArgs, ResampleArgs, SayArgs, StoreArgs};

/// `probity diff`
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The first run: its number in the store, `last`, or a file written by `probity run --output`
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The second run
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// Exit with code 1 if the pass rate fell, by a promoted judge (one-sided exact test at 5 %)
    #[arg(long)]
    pub(crate) enforce: bool,
    /// A TOML file of limits for the second run; with --enforce, breaking one exits with code 1
    #[arg(long, value_name = "FILE")]
    pub(crate) guardrails: Option<PathBuf>,
    /// The share of the first run's replies that must be comparable for --enforce to decide
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    pub(crate) min_coverage: f64,
    #[command(flatten)]
    pub(crate) resampling: ResampleArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
