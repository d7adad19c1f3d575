//! The flags of `probity compare`.

use std::path::PathBuf;

use clap::Args;
use probity_core::compare::{Conflict, Policies, Unparsed};
use probity_core::stats::Resampling;
use probity_engine::run::compare::Stopping;

use super::choice::{CONFLICT, UNPARSED, one_of};
use super::{AskArgs, OutputArgs};

/// `probity compare`
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Case files, one for each variant, in the formats of `probity run`; `-` is standard input. If another tool's
    /// files have scores and no judge is named, its own judge decides
    #[arg(required_unless_present = "verdicts", conflicts_with = "verdicts", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A bot to ask where cases have no replies, once for each variant: the name of a target, with a system prompt
    /// from a file if you like, such as openai@old.txt
    #[arg(long = "target", value_name = "NAME[@FILE]", conflicts_with = "verdicts")]
    pub(crate) targets: Vec<String>,
    /// The model behind these bots
    #[arg(long, value_name = "MODEL", requires = "targets")]
    pub(crate) target_model: Option<String>,
    /// Their endpoint
    #[arg(long, value_name = "URL", requires = "targets")]
    pub(crate) target_base_url: Option<String>,
    /// Recorded verdicts in both orders, or graded preferences, instead of a judge: JSON, JSONL or CSV
    #[arg(long, value_name = "FILE", conflicts_with_all = LIVE)]
    pub(crate) verdicts: Option<PathBuf>,
    /// Human labels for the same items
    #[arg(long, value_name = "FILE", requires = "verdicts")]
    pub(crate) labels: Option<PathBuf>,
    /// Cases, slices, variants and lengths of the items, if the verdicts do not name them
    #[arg(long, value_name = "FILE", requires = "verdicts")]
    pub(crate) items: Option<PathBuf>,
    /// How a pair counts if its two orders disagree
    #[arg(long, value_parser = one_of(CONFLICT), value_name = "HOW", default_value = "tie")]
    pub(crate) conflict: Conflict,
    /// How an invalid verdict counts
    #[arg(long, value_parser = one_of(UNPARSED), value_name = "HOW", default_value = "drop")]
    pub(crate) unparsed: Unparsed,
    /// The random seed for the order of pairs and for bootstrap intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many bootstrap resamples
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) resamples: u32,
    /// Stop as soon as one variant is shown to be better, or neither by more than the margin
    #[arg(long)]
    pub(crate) until_decided: bool,
    /// Win rates closer to one half than this count as equal, 0 to below 0.5
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "until_decided")]
    pub(crate) margin: f64,
    /// The largest acceptable chance that stopping early decides wrongly
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "until_decided")]
    pub(crate) alpha: f64,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// Flags that mean nothing where no judge is asked.
const LIVE: [&str; 22] = [
    "until_decided", "judge", "model", "base_url", "rubric", "template", "structured", "store",
    "concurrency", "offline", "shard", "max_calls", "budget_usd", "min_coverage", "retry_unscored",
    "dry_run", "policies", "rules", "as_of", "language", "config", "trust_settings",
];

impl CompareArgs {
    /// When asking ends.
    pub(crate) fn stopping(&self) -> Stopping {
        if self.until_decided {
            Stopping::UntilDecided { alpha: self.alpha, margin: self.margin }
        } else {
            Stopping::Never
        }
    }

    /// How intervals are drawn.
    pub(crate) fn resampling(&self) -> Resampling {
        Resampling { n_resamples: self.resamples, seed: self.seed }
    }

    /// What counts as what.
    pub(crate) fn policies(&self) -> Policies {
        Policies { conflict: self.conflict, unparsed: self.unparsed }
    }
}
