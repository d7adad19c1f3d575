//! The flags of `probity report`.

use std::path::PathBuf;

use clap::Args;

use crate::args::SettingsArgs;

/// `probity report`
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run to report again: its number, or `last`; without one, the runs of the store are listed
    #[arg(value_name = "RUN", conflicts_with = "history")]
    pub(crate) run: Option<String>,
    /// Say how figures moved over time, and whether more than noise explains
    #[arg(long)]
    pub(crate) history: bool,
    /// With --history: only runs by this rubric, by its name or the beginning of its hash
    #[arg(long, value_name = "NAME", requires = "history")]
    pub(crate) rubric: Option<String>,
    /// With --history: a case file of fixed replies that are scored again and again; may be given again
    /// [default: those that were run with --round]
    #[arg(long = "anchor", value_name = "FILE", requires = "history")]
    pub(crate) anchors: Vec<String>,
    /// Write a report to this file; its name ends in .html, .md, .xml for a CI server, or .json; may be given again
    #[arg(long = "report", value_name = "FILE")]
    pub(crate) reports: Vec<PathBuf>,
    /// Write the results to this file as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Where runs are kept
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Print machine-readable JSON on standard output and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no notices
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
