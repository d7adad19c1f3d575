//! The flags of `probity mcp`.

use clap::Args;

/// `probity mcp`
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer the tools that ask a judge too; each call of them names the most it may spend
    #[arg(long)]
    pub(crate) allow_spend: bool,
}
