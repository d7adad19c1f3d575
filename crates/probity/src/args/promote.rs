//! The flags of `probity promote`.

use std::path::PathBuf;

use clap::Args;

use super::{AskArgs, OutputArgs, ResampleArgs};

/// `probity promote`
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    /// Labelled cases for the judge to score: JSON, JSONL or CSV; one file per variant if the rubric compares
    #[arg(required_unless_present_any = ["verdicts", "revoke"], conflicts_with_all = ["verdicts", "revoke"], value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// The contract: what the judge must show
    #[arg(long, value_name = "FILE", required_unless_present = "revoke")]
    pub(crate) contract: Option<PathBuf>,
    /// Human labels from a file instead of the store; records nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// The judge's verdicts from a file instead of cases; records nothing
    #[arg(long, value_name = "FILE", requires = "labels", conflicts_with_all = LIVE)]
    pub(crate) verdicts: Option<PathBuf>,
    /// Cases, slices, variants and lengths of the items, if labels and verdicts do not name them
    #[arg(long, value_name = "FILE", requires = "verdicts")]
    pub(crate) items: Option<PathBuf>,
    /// A file written by `probity probe --json` instead of the probing on record; records nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) probes: Option<PathBuf>,
    /// Where replies that need a person go, instead of what the contract says
    #[arg(long, value_name = "TEXT", value_parser = not_blank)]
    pub(crate) review_path: Option<String>,
    /// Withdraw the judge's standing under the rubric, for this reason
    #[arg(long, value_name = "REASON", conflicts_with_all = ["contract", "labels", "verdicts", "probes", "reports"])]
    pub(crate) revoke: Option<String>,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long, requires = "files")]
    pub(crate) one_call: bool,
    #[command(flatten)]
    pub(crate) resampling: ResampleArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// Flags that mean nothing where no judge is asked.
const LIVE: [&str; 16] = [
    "model", "base_url", "template", "structured", "store", "concurrency", "offline", "max_calls", "shard",
    "budget_usd", "min_coverage", "retry_unscored", "dry_run", "policies", "rules", "language",
];

/// A text that says something.
fn not_blank(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        Err("expected a text that says where replies go")
    } else {
        Ok(text.to_owned())
    }
}
