//! The flags of `probity batch`, `probity export requests` and `probity import answers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{JobArgs, SayArgs, StoreArgs};

/// What to do with batches.
#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// List the batches of the store: how far each is, and how many calls wait in it
    List(BatchListArgs),
    /// Have the host of a batch cancel it; what it has finished is delivered and billed
    Cancel(BatchCancelArgs),
}

/// `probity batch list`
#[derive(Debug, Args)]
pub(crate) struct BatchListArgs {
    /// List those that have ended too
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// `probity batch cancel`
#[derive(Debug, Args)]
pub(crate) struct BatchCancelArgs {
    /// The batch, as `probity batch list` names it
    pub(crate) batch: String,
    /// Open its packets again, though what it did may have been billed: they are asked again and listed as lost
    #[arg(long)]
    pub(crate) release: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `probity export requests`
#[derive(Debug, Args)]
pub(crate) struct ExportRequestsArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The file to write, which must not exist: its requests count as asked until their answers are imported
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// `probity import answers`
#[derive(Debug, Args)]
pub(crate) struct ImportAnswersArgs {
    /// Files of results, as OpenAI, vLLM or Anthropic write them; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
