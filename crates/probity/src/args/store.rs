//! The words of `probity store`.

use clap::{Args, Subcommand};

use super::{SayArgs, StoreArgs};

/// What to do with stores.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy a store into another, between files and PostgreSQL; what is there stays, so it is also a backup
    Copy(StoreCopyArgs),
    /// Bring several stores together: the union, with the first verdict standing
    Merge(StoreMergeArgs),
    /// Say whether a store is whole; makes the tables of a PostgreSQL store where there are none
    Check(StoreUpkeepArgs),
    /// Say how large a store is
    Stats(StoreUpkeepArgs),
    /// Give back the room of what is no longer there
    Vacuum(StoreUpkeepArgs),
    /// Erase the texts of a case everywhere, raw answers included; figures stay
    Forget(StoreForgetArgs),
}

/// The words of `probity store copy`.
#[derive(Debug, Args)]
pub(crate) struct StoreCopyArgs {
    /// The store to copy: a file or postgres://…
    #[arg(value_name = "FROM")]
    pub(crate) from: String,
    /// The store to add it to, which is made where there is none
    #[arg(value_name = "TO")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// The words of `probity store merge`.
#[derive(Debug, Args)]
pub(crate) struct StoreMergeArgs {
    /// The stores to bring together: files or postgres://…
    #[arg(value_name = "STORE", required = true)]
    pub(crate) from: Vec<String>,
    /// The store to add them to, which is made where there is none
    #[arg(long, value_name = "STORE")]
    pub(crate) into: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// The words of `probity store forget`.
#[derive(Debug, Args)]
pub(crate) struct StoreForgetArgs {
    /// The id of the case
    #[arg(long, value_name = "ID")]
    pub(crate) case: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// The words of the commands that look after one store.
#[derive(Debug, Args)]
pub(crate) struct StoreUpkeepArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}
