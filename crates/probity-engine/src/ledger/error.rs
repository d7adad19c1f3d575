//! Why the store could not do what it was asked, and to which file.
//!
//! Every variant can be cloned, because one failed commit is told to every caller that waited for it. The
//! message says what was being done; what the database said is the source.

use std::path::{Path, PathBuf};

use probity_core::exact::Exact;

use super::db::DbError;
use super::record::{AttemptId, RunId};
use crate::judge::JudgeId;

/// Why the store could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another process is writing to the store.
    #[error("{} is in use by {}: one process at a time can write to a store", .path.display(), holder_text(*.holder))]
    Locked {
        /// The store.
        path: PathBuf,
        /// The process that has it, where its lock file tells.
        holder: Option<u32>,
    },
    /// What is at the path cannot be used as a store.
    #[error("cannot open {}: {why}", .path.display())]
    Unusable {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no store to read.
    #[error("there is no store at {}", .path.display())]
    Missing {
        /// Where it was expected.
        path: PathBuf,
    },
    /// The database or the operating system failed.
    #[error("failed {doing} in {}{}", .path.display(), .kind.text())]
    Failed {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// In what way.
        kind: FailureKind,
        /// What the database or the system said.
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
    #[error("the store has no run {run}")]
    UnknownRun {
        /// The run asked for.
        run: RunId,
    },
    /// A limit on calls is below what the run has made.
    #[error(
        "--max-calls {max} is below the {spent} calls that this run has already made; raise it to continue"
    )]
    CallsSpent {
        /// The limit that was named.
        max: u64,
        /// Calls made.
        spent: u64,
    },
    /// A limit on money is below what the run has spent.
    #[error("--budget-usd {max} is below the ${spent} that this run has already spent; raise it to continue")]
    MoneySpent {
        /// The limit that was named.
        max: Exact,
        /// Dollars spent.
        spent: Exact,
    },
    /// The attempt is not in flight: unknown here, or already ended.
    #[error("attempt {attempt} is not in flight, expected an attempt that has begun and not ended")]
    NotInFlight {
        /// The attempt.
        attempt: AttemptId,
    },
}

/// In what way the database or the operating system failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no room left.
    Full,
    /// It cannot be written, or was opened for reading.
    ReadOnly,
    /// Another program held the database for longer than the store waits.
    Busy,
    /// The file is no database.
    NotADatabase,
    /// The content is not what a store holds.
    Damaged,
    /// The server does not answer.
    Lost,
    /// Another transaction was in the way, again and again.
    Conflict,
    /// The server takes no further connection.
    Crowded,
    /// The server ended a statement that took too long.
    Cancelled,
    /// The role lacks a right.
    Denied,
    /// The server or its certificate was not accepted, or it did not accept this program.
    Refused,
    /// Something else.
    Io,
}

impl FailureKind {
    fn text(self) -> &'static str {
        match self {
            FailureKind::Full => ": the disk is full",
            FailureKind::ReadOnly => ": it is read-only",
            FailureKind::Busy => ": another program keeps it busy",
            FailureKind::NotADatabase => ": it is another kind of file",
            FailureKind::Damaged => ": the file is damaged",
            FailureKind::Lost => ": the server cannot be reached",
            FailureKind::Conflict => ": other programs keep it busy",
            FailureKind::Crowded => ": the server has as many connections as it allows (max_connections)",
            FailureKind::Cancelled => ": the server's statement_timeout ended it",
            FailureKind::Denied => ": the role lacks a right",
            FailureKind::Refused => ": no connection was made",
            FailureKind::Io => "",
        }
    }
}

/// What the database or the operating system said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Cause(String);

impl StoreError {
    /// The error for what the database answered while `doing` something to `path`.
    pub(super) fn of_database(path: &Path, doing: &'static str, error: &DbError) -> StoreError {
        if error.kind == FailureKind::NotADatabase {
            return StoreError::not_a_store(path, "another kind of file");
        }
        StoreError::failed(path, doing, error.kind, &error.text)
    }

    /// The error for what the operating system answered while `doing` something to `path`.
    pub(super) fn of_system(path: &Path, doing: &'static str, error: &std::io::Error) -> StoreError {
        use std::io::ErrorKind;
        let kind = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FailureKind::Full,
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => FailureKind::ReadOnly,
            _ => FailureKind::Io,
        };
        StoreError::failed(path, doing, kind, &error.to_string())
    }

    /// The error for a failure of this kind.
    pub(super) fn failed(path: &Path, doing: &'static str, kind: FailureKind, cause: &str) -> StoreError {
        StoreError::Failed { path: path.to_path_buf(), doing, kind, source: Cause(cause.to_owned()) }
    }

    /// The same failure, met while `doing` this.
    pub(super) fn met(self, doing: &'static str) -> StoreError {
        match self {
            StoreError::Failed { path, kind, source, .. } => StoreError::Failed { path, doing, kind, source },
            other => other,
        }
    }

    /// The error for a file or folder that is something else.
    pub(super) fn not_a_store(path: &Path, found: &str) -> StoreError {
        StoreError::Unusable { path: path.to_path_buf(), why: format!("expected a store, found {found}") }
    }

    /// In what way the database or the system failed; `None` for another error.
    pub fn failure(&self) -> Option<FailureKind> {
        if let StoreError::Failed { kind, .. } = self { Some(*kind) } else { None }
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
