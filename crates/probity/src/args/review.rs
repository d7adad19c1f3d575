//! The flags of `probity review`.

use std::path::PathBuf;

use clap::Args;
use probity_engine::review::build::QueueSource;

use super::choice::{SOURCE, one_of};
use super::{JudgeArgs, ReadArgs};

/// `probity review`
#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Case files to label; one per variant with --pairs [default: the queues in the store]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    #[command(flatten)]
    pub(crate) serving: ServeArgs,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// What queue is made of the cases.
#[derive(Debug, Args)]
pub(crate) struct QueueArgs {
    /// Show two replies to each case side by side, and ask which is better
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Which cases to label
    #[arg(long = "from", value_parser = one_of(SOURCE), value_name = "WHICH", default_value = "all")]
    pub(crate) source: QueueSource,
    /// Label at most N, drawn at random or the most informative first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) items: Option<u32>,
    /// How many people label each item
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) overlap: u32,
    /// The queue's name, which reviewers see [default: the rubric and a hash of the items]
    #[arg(long, value_name = "NAME")]
    pub(crate) queue: Option<String>,
    /// Show the judge's verdict after each answer
    #[arg(long)]
    pub(crate) reveal: bool,
    /// The round of labelling
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) round: u32,
    /// The random seed for order and sides
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The contract to gather labels for
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// The judge is asked about all criteria in one call
    #[arg(long)]
    pub(crate) one_call: bool,
}

/// Who is let in, and where.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) address: AddressArgs,
    /// Print a link for a reviewer of this name; may be repeated
    #[arg(long = "person", value_name = "NAME")]
    pub(crate) people: Vec<String>,
    /// Create the queue and exit
    #[arg(long)]
    pub(crate) no_serve: bool,
}

/// Who starts the server, and where it is.
#[derive(Debug, Args)]
pub(crate) struct AddressArgs {
    /// Your name on your labels [default: your user name]
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) lead: Option<String>,
    /// The port; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Listen on this address, with or without a port, instead of this machine only. Other machines need --public-url,
    /// and --tls-cert or --proxy
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// The URL that people open, such as `https://label.example.com`
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// The certificate chain for that name, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its key, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// The address or network of a TLS proxy whose forwarding headers can be trusted; may be repeated
    #[arg(long = "proxy", value_name = "ADDRESS")]
    pub(crate) proxies: Vec<String>,
}
