//! The flags of `probity mcp`.

use clap::Args;

/// `probity mcp`
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Also offer the tools that ask a judge; each call must say how much it may spend
    #[arg(long)]
    pub(crate) allow_spend: bool,
}
