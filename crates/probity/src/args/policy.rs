//! The flags of `probity policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{RecordArgs, SayArgs, SettingsArgs};

/// What to do with policies.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Draft policy sources with remedies, amounts, windows and codes from texts, for a person to check
    Draft(PolicyDraftArgs),
    /// Check policy files for overlapping versions, facts missing from texts, and sources that no case uses
    Check(Box<PolicyCheckArgs>),
}

/// `probity policy draft`
#[derive(Debug, Args)]
pub(crate) struct PolicyDraftArgs {
    /// Policy texts, in Markdown or plain
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

/// `probity policy check`
#[derive(Debug, Args)]
pub(crate) struct PolicyCheckArgs {
    /// Files of policy sources [default: those of the settings]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Case files, to find sources that no case uses; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) cases: Vec<PathBuf>,
    /// The date for cases without one, such as 2026-04-01
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
