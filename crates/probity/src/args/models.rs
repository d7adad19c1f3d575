//! The flags of `probity models`.

use clap::Args;

use super::{SayArgs, StoreArgs};

/// `probity models`
#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Ask this judge's host which models it has and when they retire
    #[arg(long, value_name = "NAME")]
    pub(crate) judge: Option<String>,
    /// Ask this endpoint, such as `http://127.0.0.1:8080/v1`
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
