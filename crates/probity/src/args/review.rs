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
    /// Which of the cases
    #[arg(long = "from", value_parser = one_of(SOURCE), value_name = "WHICH", default_value = "all")]
    pub(crate) source: QueueSource,
    /// How many at most: drawn at random, or the most informative
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) items: Option<u32>,
    /// How many people label each item
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) overlap: u32,
    /// What the queue is called; reviewers see it [default: the rubric and a hash of what is in it]
    #[arg(long, value_name = "NAME")]
    pub(crate) queue: Option<String>,
    /// Show the judge's verdict after each answer
    #[arg(long)]
    pub(crate) reveal: bool,
    /// The round of labelling
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) round: u32,
    /// The random seed for orders and sides
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The contract that labels are gathered for
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// The judge asks about all criteria in one call
    #[arg(long)]
    pub(crate) one_call: bool,
}

/// Who is let in, and where.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) address: AddressArgs,
    /// Print a link for a reviewer of this name; may be given again
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
    /// The port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Listen at this address in place of this machine's own: an address, or an address and a port. Beyond this machine
    /// that takes --public-url, and TLS of its own or a --proxy
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// The address that people open, such as `https://label.example.com`: names, origins, cookies and links follow it
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// The certificate of the public name with its chain, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its key, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// A proxy in front of the server that speaks TLS and says truly where requests come from: an address or a network;
    /// may be given again
    #[arg(long = "proxy", value_name = "ADDRESS")]
    pub(crate) proxies: Vec<String>,
}
