//! The flags of `probity completions`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// `probity completions`
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct CompletionsArgs {
    /// Print the script for this shell
    #[arg(value_enum)]
    pub(crate) shell: Option<Shell>,
    /// Write a man page for each command into this folder instead
    #[arg(long, value_name = "FOLDER")]
    pub(crate) man: Option<PathBuf>,
}
