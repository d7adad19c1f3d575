//! The flags of `probity mock`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use probity_mock::{JudgeScript, Latency, Levels, Pairs, duration, share};

/// `--usage`
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UsageArg {
    /// Report it
    On,
    /// Leave it out
    Off,
}

/// `probity mock`
#[derive(Debug, Args)]
pub(crate) struct MockArgs {
    /// The port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 8377)]
    pub(crate) port: u16,
    /// The address, which must be a loopback address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// The random seed for levels, delays and faults
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(crate) seed: u64,
    /// How levels are chosen: `hash` by packet, `uniform` by call, or `fixed:N`
    #[arg(long, value_name = "HOW", default_value = "hash")]
    pub(crate) levels: Levels,
    /// How the better of two replies is chosen: `hash` by their texts, `first`, `second`, `longer`, `shorter`,
    /// `word:TEXT`, `tie`, `review` or `malformed`
    #[arg(long, value_name = "HOW", default_value = "hash")]
    pub(crate) pairs: Pairs,
    /// Make the judge 55 % sure instead of 97 % of what it says about a request with this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) unsure: Option<String>,
    /// A judge that reads the replies, instead of --levels and --pairs: `fair`, or weaknesses joined by `+`:
    /// `position`, `length`, `identity`, `never_ties`, `obeys`, `apology`, `formatting`, `noisy:SHARE` (that share of
    /// answers is random)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["levels", "pairs"])]
    pub(crate) script: Option<JudgeScript>,
    /// How long answers take: `50ms`, `uniform:20ms..80ms` or `lognormal:50ms,0.5` (median, sigma)
    #[arg(long, value_name = "HOW", default_value = "0")]
    pub(crate) latency: Latency,
    /// A fault and the share of calls that get it, such as F17=0.05; may be repeated
    #[arg(long = "fault", value_name = "FAULT=SHARE", value_parser = share)]
    pub(crate) fault: Vec<(String, f64)>,
    /// A TOML file with lines such as `F17 = 0.05`; --fault wins over it
    #[arg(long, value_name = "FILE")]
    pub(crate) faults: Option<PathBuf>,
    /// Only the first N calls about a packet can get a fault [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) fault_attempts: Option<u32>,
    /// List the faults
    #[arg(long)]
    pub(crate) list_faults: bool,
    /// A fault of batches, such as B04, or B39=3 for three times; may be repeated
    #[arg(long = "batch-fault", value_name = "FAULT", value_parser = probity_mock::batch_fault)]
    pub(crate) batch_fault: Vec<(&'static str, u32)>,
    /// How many polls find a batch unfinished
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) batch_polls: u32,
    /// The seconds that F01 and F19 ask to wait
    #[arg(long, value_name = "SECONDS", default_value_t = 7)]
    pub(crate) retry_after: u32,
    /// The pause before each chunk that F36 and F37 send
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = pause)]
    pub(crate) drip: Duration,
    /// Whether answers report token usage
    #[arg(long, value_enum, value_name = "HOW", default_value = "on")]
    pub(crate) usage: UsageArg,
    /// The share of each prompt that answers report as cached
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = super::choice::share)]
    pub(crate) cached: f64,
    /// The model name in answers [default: the one requested]
    #[arg(long, value_name = "NAME")]
    pub(crate) model_echo: Option<String>,
    /// Behave like this host, refusals included: a name from config/dialects.toml
    #[arg(long, value_name = "NAME", value_parser = probity_mock::MockHost::named)]
    pub(crate) dialect: Option<probity_mock::MockHost>,
    /// System fingerprints to draw from, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) fingerprints: Vec<String>,
    /// Append one JSON line per call to this file, before the call is answered
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
}

fn pause(text: &str) -> Result<Duration, String> {
    duration(text).ok_or_else(|| format!("expected a time such as 20s, found {text:?}"))
}
