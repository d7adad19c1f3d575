//! The flags of `probity diff`.

use std::path::PathBuf;

use clap::Args;
use probity_core::stats::Resampling;

use crate::args::SettingsArgs;
use crate::commands::calibrate::share;

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
    /// The seed of the resamples behind each interval of means
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many resamples
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) resamples: u32,
    /// Where runs are kept
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Write everything to this file as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a report to this file; its name ends in .html, .md, .xml for a CI server, or .json; may be given again
    #[arg(long = "report", value_name = "FILE")]
    pub(crate) reports: Vec<PathBuf>,
    /// Print machine-readable JSON on standard output and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no notices
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl DiffArgs {
    /// How intervals are drawn.
    pub(super) fn resampling(&self) -> Resampling {
        Resampling { n_resamples: self.resamples, seed: self.seed }
    }
}
