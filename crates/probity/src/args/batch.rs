//! The flags of `probity batch`, `probity export requests` and `probity import answers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{JobArgs, SayArgs, StoreArgs};

/// What to do with batches.
#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// List the batches with their progress and the calls that wait in each
    List(BatchListArgs),
    /// Ask the host to cancel a batch; what it has finished is delivered and billed
    Cancel(BatchCancelArgs),
}

/// `probity batch list`
#[derive(Debug, Args)]
pub(crate) struct BatchListArgs {
    /// Also list batches that have ended
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
    /// Give up on its calls, though they may have been billed: they are listed as lost and asked again
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
    /// The file to write, which must not exist yet; its requests count as sent until their answers are imported
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// `probity import answers`
#[derive(Debug, Args)]
pub(crate) struct ImportAnswersArgs {
    /// Batch results as OpenAI, vLLM or Anthropic write them; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
