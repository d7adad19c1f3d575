//! The flags of `probity doctor`.

use clap::Args;

use super::{JudgeArgs, SayArgs, SettingsArgs};

/// `probity doctor`
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Also ask the judge's host which models it has, which costs nothing; without this, no connection is made
    #[arg(long)]
    pub(crate) ask: bool,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
