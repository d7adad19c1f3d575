//! Why the store could not do what it was asked, and to which file.
//!
//! Every variant can be cloned, because one failed commit is told to every caller that waited for it. The
//! message says what was being done; what the database said is the source.

use std::path::{Path, PathBuf};

use probity_core::packet::PacketHash;

use super::db::{DbError, DbErrorKind};
use super::record::{AttemptId, JudgeId, RunId};

/// Why the store could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another process is writing to the store.
    #[error("cannot open {} for writing: it has one writer at a time, and {} has it", .path.display(), holder_text(*.holder))]
    Locked {
        /// The store.
        path: PathBuf,
        /// The process that has it, where its lock file tells.
        holder: Option<u32>,
    },
    /// The store was made before the first release.
    #[error(
        "cannot open {}: it was made by an unreleased version of probity; to keep its labels, run `probity export` \
         with that version and `probity import` with this one",
        .path.display()
    )]
    Unreleased {
        /// The store.
        path: PathBuf,
    },
    /// The store was written by a later version of this program.
    #[error("cannot open {}: its schema is version {found}, and this program knows versions up to {known}", .path.display())]
    TooNew {
        /// The store.
        path: PathBuf,
        /// The version in the file.
        found: i64,
        /// The latest version this program knows.
        known: i64,
    },
    /// The store is on a file system that cannot share memory between processes.
    #[error("cannot open {}: it is on {kind}, expected a local file system", .path.display())]
    NetworkFileSystem {
        /// The store.
        path: PathBuf,
        /// The kind of file system.
        kind: &'static str,
    },
    /// There is no store to read.
    #[error("cannot read {}: there is no such file", .path.display())]
    Missing {
        /// Where it was expected.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("cannot open {}: expected a store, found {found}", .path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// The store was opened for reading, or the file cannot be written.
    #[error("failed {doing} in {}: it is read-only", .path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },
    /// There is no room left.
    #[error("failed {doing} in {}: the disk is full", .path.display())]
    Full {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: Cause,
    },
    /// Another program held the database for longer than the store waits.
    #[error("failed {doing} in {}: another program keeps it busy", .path.display())]
    Busy {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: Cause,
    },
    /// The content is not what a store holds.
    #[error("failed {doing} in {}: the file is damaged", .path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What was found.
        source: Cause,
    },
    /// The operating system refused or failed.
    #[error("failed {doing} in {}", .path.display())]
    Io {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: Cause,
    },
    /// The store was closed before.
    #[error("failed {doing} in {}: the store is closed", .path.display())]
    Closed {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },
    /// The judge has not been registered.
    #[error("the store does not know judge {judge}, expected it to be registered first")]
    UnknownJudge {
        /// The judge asked for.
        judge: JudgeId,
    },
    /// The judge is registered with another identity.
    #[error("judge {judge} is registered with another identity, expected one identity per id")]
    JudgeDiffers {
        /// The judge.
        judge: JudgeId,
    },
    /// The run is not in this store.
    #[error("the store does not know run {run}, expected one it began")]
    UnknownRun {
        /// The run asked for.
        run: RunId,
    },
    /// A call about the packet is in flight already.
    #[error("a call about packet {packet} is in flight already, expected one call at a time")]
    InFlight {
        /// The packet.
        packet: PacketHash,
    },
    /// The attempt is not in flight: unknown here, or already ended.
    #[error("attempt {attempt} is not in flight, expected an attempt that has begun and not ended")]
    NotInFlight {
        /// The attempt.
        attempt: AttemptId,
    },
}

/// What the database or the operating system said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Cause(String);

impl StoreError {
    /// The error for what the database answered while `doing` something to `path`.
    pub(super) fn of_database(path: &Path, doing: &'static str, error: &DbError) -> StoreError {
        let path = path.to_path_buf();
        let source = Cause(error.text.clone());
        match error.kind {
            DbErrorKind::Full => StoreError::Full { path, doing, source },
            DbErrorKind::ReadOnly => StoreError::ReadOnly { path, doing },
            DbErrorKind::Busy => StoreError::Busy { path, doing, source },
            DbErrorKind::NotADatabase => StoreError::NotAStore { path, found: "another kind of file" },
            DbErrorKind::Io => StoreError::Io { path, doing, source },
            DbErrorKind::Damaged => StoreError::Damaged { path, doing, source },
        }
    }

    /// The error for what the operating system answered while `doing` something to `path`.
    pub(super) fn of_system(path: &Path, doing: &'static str, error: &std::io::Error) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                StoreError::Full { path, doing, source: Cause(error.to_string()) }
            }
            std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => {
                StoreError::ReadOnly { path, doing }
            }
            _ => StoreError::Io { path, doing, source: Cause(error.to_string()) },
        }
    }

    /// The error for a database that stays in another journal mode than the store needs.
    pub(super) fn no_journal(path: &Path, doing: &'static str, mode: &str) -> StoreError {
        let source = Cause(format!("the journal mode stays {mode}, expected wal"));
        StoreError::Io { path: path.to_path_buf(), doing, source }
    }
}

fn holder_text(holder: Option<u32>) -> String {
    holder.map_or_else(|| "another process".to_owned(), |process| format!("process {process}"))
}

/// Why one statement of a transaction did not go through.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The database failed; the transaction cannot be trusted any more.
    Database(DbError),
    /// The request made no sense; it wrote nothing, and its neighbours are not affected.
    Refused(StoreError),
}

impl From<DbError> for Fault {
    fn from(error: DbError) -> Self {
        Fault::Database(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Fault::Refused(error)
    }
}
