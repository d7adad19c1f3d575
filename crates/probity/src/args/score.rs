//! The flags of `probity score`.

use clap::Args;

use super::AskArgs;

/// `probity score`
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    /// What the customer wrote
    #[arg(long, value_name = "TEXT")]
    pub(crate) ticket: String,
    /// The reply [default: read from standard input]
    #[arg(long, value_name = "TEXT")]
    pub(crate) reply: Option<String>,
    /// A reference reply, for rubrics that use one
    #[arg(long, value_name = "TEXT")]
    pub(crate) reference: Option<String>,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}
