//! Why the store could not do what it was asked, and to which file.
//!
//! Every variant can be cloned, because one failed commit is told to everyone who waited for it. The
//! message says what was being done; what the database said is the source.

use std::path::{Path, PathBuf};

use probity_core::packet::PacketHash;
use rusqlite::ErrorCode;

use super::record::{AttemptId, JudgeId, RunId};

/// Why the store could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Someone else is writing to the store.
    #[error("cannot open {} for writing: it has one writer at a time, and {} has it", .path.display(), holder_text(*.holder))]
    Locked {
        /// The store.
        path: PathBuf,
        /// The process that has it, where its lock file tells.
        holder: Option<u32>,
    },
    /// Another process serves the people who label.
    #[error("cannot open {} for review: it has one review server at a time, and {} is it", .path.display(), holder_text(*.holder))]
    InReview {
        /// The store.
        path: PathBuf,
        /// The process that has it, where its lock file tells.
        holder: Option<u32>,
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
    /// The SQLite library is too old to be trusted with a journal.
    #[error("the SQLite library is version {found}, expected {needed} or later")]
    LibraryTooOld {
        /// The version in use, as SQLite numbers it (3051003 is 3.51.3).
        found: i32,
        /// The earliest version accepted.
        needed: i32,
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
    /// The packet is not in this store.
    #[error("the store does not know packet {packet}, expected an attempt or the packet itself first")]
    UnknownPacket {
        /// The packet asked for.
        packet: PacketHash,
    },
    /// The attempt is not in flight: unknown here, or already ended.
    #[error("attempt {attempt} is not in flight, expected an attempt that has begun and not ended")]
    NotInFlight {
        /// The attempt.
        attempt: AttemptId,
    },
    /// The attempt is not one of this packet and judge.
    #[error(
        "attempt {attempt} is not an attempt at packet {packet}, expected one of the same packet and judge"
    )]
    NotItsAttempt {
        /// The attempt.
        attempt: AttemptId,
        /// The packet it was given for.
        packet: PacketHash,
    },
}

/// What the database or the operating system said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Cause(String);

impl StoreError {
    /// The error for what the database answered while `doing` something to `path`.
    pub(super) fn of_database(path: &Path, doing: &'static str, error: &rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        let source = Cause(error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full { path, doing, source },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly { path, doing },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { path, doing, source }
            }
            Some(ErrorCode::NotADatabase) => StoreError::NotAStore { path, found: "another kind of file" },
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::OutOfMemory
                | ErrorCode::TooBig
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport,
            ) => StoreError::Io { path, doing, source },
            // What remains is a value or a schema that this program never writes.
            _ => StoreError::Damaged { path, doing, source },
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

    /// The error for content that is not what a store holds.
    pub(crate) fn damaged(path: &Path, doing: &'static str, found: String) -> StoreError {
        StoreError::Damaged { path: path.to_path_buf(), doing, source: Cause(found) }
    }
}

fn holder_text(holder: Option<u32>) -> String {
    holder.map_or_else(|| "another process".to_owned(), |process| format!("process {process}"))
}

/// Why one statement of a transaction did not go through.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The database failed; the transaction cannot be trusted any more.
    Database(rusqlite::Error),
    /// The request made no sense; it wrote nothing, and its neighbours are not affected.
    Refused(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Database(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Fault::Refused(error)
    }
}
