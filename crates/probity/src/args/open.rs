//! The flags of `probity open`.

use clap::Args;

use super::{AddressArgs, StoreArgs};

/// `probity open`
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// What to open: a run by its number or as `last`, a store, or a file written by `probity run --output` [default:
    /// the store]
    #[arg(value_name = "RUN|STORE|FILE")]
    pub(crate) what: Option<String>,
    /// The rubric of a results file, if it is neither built in nor in the store
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) rubric: Option<String>,
    #[command(flatten)]
    pub(crate) address: AddressArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
