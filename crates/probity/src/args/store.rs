//! The words of `probity store`.

use clap::{Args, Subcommand};

use super::{SayArgs, StoreArgs};

/// What to do with stores.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy a store into another, between files and PostgreSQL, for example as a backup
    Copy(StoreCopyArgs),
    /// Merge several stores; the first verdict on each packet stands
    Merge(StoreMergeArgs),
    /// Check a store for damage; creates the tables of a new PostgreSQL store
    Check(StoreUpkeepArgs),
    /// Show the size of a store
    Stats(StoreUpkeepArgs),
    /// Free unused disk space
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
    /// The store to copy into; it is created if needed
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
    /// The stores to merge: files or postgres://…
    #[arg(value_name = "STORE", required = true)]
    pub(crate) from: Vec<String>,
    /// The store to merge into; it is created if needed
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
