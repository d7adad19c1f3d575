//! The flags of `probity sample`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use probity_core::label::Scale;
use probity_core::sample::{Again, Design, Duplicates, Spread};

use super::choice::{DUPLICATES, one_of};
use super::{RecordArgs, SayArgs, StoreArgs};
use crate::exit::Failure;

/// How many replies a week's sample has, and a gold set.
const SIZE_OF_A_WEEK: u64 = 25;
const SIZE_OF_GOLD: u64 = 120;

/// What the flags about printing mean for a draw.
const SUMMARY: &str = "With --json the summary is printed on standard output, with the sample unless that has a \
file; with --quiet it is left out.";

/// `probity sample`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = SUMMARY)]
pub(crate) struct SampleArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SampleCommand>,
    #[command(flatten)]
    pub(crate) draw: DrawArgs,
}

/// What else to do with a sample.
#[derive(Debug, Subcommand)]
pub(crate) enum SampleCommand {
    /// Estimate production's pass rate from a sample, a judge's results and human labels
    Estimate(EstimateArgs),
}

/// `probity sample FILE …`
#[derive(Debug, Args)]
pub(crate) struct DrawArgs {
    /// Production exports: case files or OpenTelemetry spans, gzipped or not
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How many replies to draw [default: 25, with --gold 120]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    size: Option<u64>,
    /// Draw a gold set instead of a week's sample
    #[arg(long)]
    gold: bool,
    /// How to spread the sample over slices [default: proportional]
    #[arg(long, value_enum, value_name = "HOW")]
    by: Option<SpreadBy>,
    /// With --by minimum: the fewest to draw from each slice
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    minimum: Option<u64>,
    /// Draw from each slice at least as many replies as this contract still needs labels for
    #[arg(long, value_name = "FILE", conflicts_with_all = ["by", "minimum"])]
    pub(crate) contract: Option<PathBuf>,
    /// What to do with near-identical tickets of a slice
    #[arg(long, value_parser = one_of(DUPLICATES), value_name = "HOW", default_value = "represent")]
    duplicates: Duplicates,
    /// The random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// What the draw is called [default: this week, such as 2026-W46]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Allow replies of earlier draws, and replace the draw of this name
    #[arg(long)]
    again: bool,
    /// Write the sample to this file as JSON lines [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// `probity sample estimate`
#[derive(Debug, Args)]
pub(crate) struct EstimateArgs {
    /// The sample, as `probity sample` wrote it
    #[arg(long, value_name = "FILE")]
    pub(crate) sample: PathBuf,
    /// The judge's results on it, as `probity run --output` wrote them
    #[arg(long, value_name = "FILE")]
    pub(crate) results: PathBuf,
    /// Human labels of part of it: pass or fail, as `probity calibrate` reads labels
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// The two words of the labels, the one that fails before the one that passes, such as no,yes [default: fail,pass]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "labels")]
    pub(crate) values: Vec<String>,
    /// The precision you want: half the width of the 95 % interval
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = half_width)]
    pub(crate) half_width: f64,
    /// Write the figures to this file as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The delimiter of CSV files
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// How draws are spread over slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SpreadBy {
    /// In proportion to each slice's tickets
    Proportional,
    /// The same number from each
    Equal,
    /// At least --minimum from each, the rest in proportion
    Minimum,
}

fn half_width(text: &str) -> Result<f64, String> {
    let width = text.parse().ok().filter(|width| *width > 0.0 && *width < 0.5);
    width.ok_or_else(|| "expected a number above 0 and below 0.5".to_owned())
}

impl EstimateArgs {
    /// What labels can say: a fail, then a pass.
    pub(crate) fn scale(&self) -> Result<Scale, Failure> {
        let usual = ["fail", "pass"].map(str::to_owned);
        let values = if self.values.is_empty() { &usual[..] } else { &self.values };
        let scale = Scale::declared(values).filter(|scale| scale.names().len() == 2);
        scale.ok_or_else(|| Failure::usage("--values: expected two different values, such as no,yes"))
    }
}

impl DrawArgs {
    /// What is to be drawn; `week` is what a draw without a name is called.
    pub(crate) fn design(&self, week: impl FnOnce() -> String) -> Result<Design, Failure> {
        let spread = match (self.by, self.minimum) {
            (Some(SpreadBy::Minimum) | None, Some(least)) => Spread::Minimum(least),
            (Some(SpreadBy::Minimum), None) => {
                return Err(Failure::usage(
                    "--by minimum: expected --minimum and the fewest to draw in a slice",
                ));
            }
            (Some(_), Some(_)) => return Err(Failure::usage("--minimum needs --by minimum")),
            (Some(SpreadBy::Proportional) | None, None) => Spread::Proportional,
            (Some(SpreadBy::Equal), None) => Spread::Equal,
        };
        let name = self.name.clone().unwrap_or_else(week);
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err(Failure::usage("--name: expected a name without control characters"));
        }
        let usual = if self.gold { SIZE_OF_GOLD } else { SIZE_OF_A_WEEK };
        // What a contract lacks is drawn, and more only where that is asked for.
        let usual = if self.contract.is_some() { 1 } else { usual };
        let (size, duplicates) = (self.size.unwrap_or(usual), self.duplicates);
        Ok(Design { size, spread, duplicates, seed: self.seed, name })
    }

    /// Whether earlier draws count.
    pub(crate) fn again(&self) -> Again {
        if self.again { Again::Yes } else { Again::No }
    }
}
