//! The flags of `probity open`.

use clap::Args;

use super::{AddressArgs, StoreArgs};

/// `probity open`
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// What to look at: the number of a run or `last`, a store, or a file that `probity run --output` wrote
    /// [default: the store]
    #[arg(value_name = "RUN|STORE|FILE")]
    pub(crate) what: Option<String>,
    /// The rubric of a results file, where it is not built in and no run of the store has it
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) rubric: Option<String>,
    #[command(flatten)]
    pub(crate) address: AddressArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
