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
    /// End with exit code 1 where the pass rate fell, by a judge with standing: one-sided exact test at 5 %
    #[arg(long)]
    pub(crate) enforce: bool,
    /// A TOML file of limits that the second run must keep; with --enforce, one that is broken ends with exit code 1
    #[arg(long, value_name = "FILE")]
    pub(crate) guardrails: Option<PathBuf>,
    /// The share of the first run's replies that must be comparable for an answer under --enforce
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
