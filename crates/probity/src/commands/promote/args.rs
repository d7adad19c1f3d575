//! The flags of `probity promote`.

use std::path::PathBuf;

use clap::Args;

use crate::args::{CallArgs, JudgeArgs, ReadArgs};
use crate::commands::inputs::Inputs;

/// `probity promote`
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    /// Cases that people labelled, about which the judge is asked: JSON, JSONL or CSV; a file for each variant
    /// where the rubric compares
    #[arg(required_unless_present_any = ["verdicts", "revoke"], conflicts_with_all = ["verdicts", "revoke"], value_name = "CASES")]
    pub(crate) files: Vec<PathBuf>,
    /// What must be shown
    #[arg(long, value_name = "FILE", required_unless_present = "revoke")]
    pub(crate) contract: Option<PathBuf>,
    /// What people said, in place of the labels in the store: gives an answer and records nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// What the judge said, in place of cases: gives an answer from files and records nothing
    #[arg(long, value_name = "FILE", requires = "labels", conflicts_with_all = LIVE)]
    pub(crate) verdicts: Option<PathBuf>,
    /// Cases, slices, variants and lengths of the items, where labels and verdicts do not name them
    #[arg(long, value_name = "FILE", requires = "verdicts")]
    pub(crate) items: Option<PathBuf>,
    /// What `probity probe --json` wrote, in place of the probing on record: gives an answer and records nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) probes: Option<PathBuf>,
    /// Where replies go that a person should decide, in place of what the contract says
    #[arg(long, value_name = "TEXT", value_parser = not_blank)]
    pub(crate) review_path: Option<String>,
    /// Withdraw what the judge has earned under the rubric, for this reason
    #[arg(long, value_name = "REASON", conflicts_with_all = ["contract", "labels", "verdicts", "probes"])]
    pub(crate) revoke: Option<String>,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long, requires = "files")]
    pub(crate) one_call: bool,
    /// The seed of the resamples behind each interval
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many resamples
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) resamples: u32,
    /// Write the decision and its report to this file as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a report to this file; its name ends in .html, .md, .xml for a CI server, or .json; may be given again
    #[arg(long = "report", value_name = "FILE", conflicts_with = "revoke")]
    pub(crate) reports: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) calls: CallArgs,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

impl PromoteArgs {
    /// The files that are read.
    pub(super) fn inputs(&self) -> Inputs {
        let inputs = Inputs::default().and("CASES", &self.files).and("--contract", &self.contract);
        let inputs = inputs.and("--labels", &self.labels).and("--verdicts", &self.verdicts);
        let inputs = inputs.and("--items", &self.items).and("--probes", &self.probes);
        inputs.judge(&self.judge, &self.reading)
    }
}

/// Flags that mean nothing where no judge is asked.
const LIVE: [&str; 12] = [
    "model",
    "base_url",
    "template",
    "structured",
    "store",
    "concurrency",
    "offline",
    "max_calls",
    "budget_usd",
    "min_coverage",
    "retry_unscored",
    "policies",
];

/// A text that says something.
fn not_blank(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        Err("expected a text that says where replies go")
    } else {
        Ok(text.to_owned())
    }
}
