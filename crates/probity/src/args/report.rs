//! The flags of `probity report`.

use clap::Args;

use super::{OutputArgs, SayArgs, StoreArgs};

/// `probity report`
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run to report: its number, or `last` [default: list all runs]
    #[arg(value_name = "RUN", conflicts_with = "history")]
    pub(crate) run: Option<String>,
    /// Show how figures changed over time, and whether that is more than noise
    #[arg(long)]
    pub(crate) history: bool,
    /// With --history: only runs by this rubric, by its name or the beginning of its hash
    #[arg(long, value_name = "NAME", requires = "history")]
    pub(crate) rubric: Option<String>,
    /// With --history: a case file of fixed replies that are scored again and again; may be repeated [default: those
    /// run with --round]
    #[arg(long = "anchor", value_name = "FILE", requires = "history")]
    pub(crate) anchors: Vec<String>,
    /// With an .html report of a run: show human labels beside the judge's levels
    #[arg(long, conflicts_with = "history", requires = "run")]
    pub(crate) labels: bool,
    /// With an .html report of a run: show every request and answer as sent
    #[arg(long, conflicts_with = "history", requires = "run")]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
