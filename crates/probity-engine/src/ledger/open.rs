//! Opening a store: the checks before it is trusted, and what a dead process left in flight.
//!
//! Nothing is written before the file is known to be a store of this version. The database file itself is only ever
//! opened by the database library: closing any other handle to it would drop the library's locks.

use std::path::{Path, PathBuf};

use super::db::{Access, Db, DbError, LogAtClose, Sqlite, vals};
use super::error::{FailureKind, StoreError};
use super::lease::{Lost, lost};
use super::lock::{Lock, beside, require_local};
use super::private;
use super::record::AttemptId;

/// "Prob" in the file's header.
const APPLICATION_ID: i64 = 0x5072_6f62;

/// The schema of this program. Those before it were never released.
pub(super) const SCHEMA_VERSION: i64 = 7;

const OPENING: &str = "opening";

/// The note that is there while a run uses the store.
pub(super) const IN_USE: &str = "in use by a run";

/// A store opened for a run, before its thread is started.
pub(super) struct ForWriting {
    pub(super) db: Db,
    pub(super) lock: Lock,
    pub(super) path: PathBuf,
    /// Calls that a dead process had in flight.
    pub(super) lost: Vec<AttemptId>,
    /// The write-ahead log that a dead process left, where it is gone.
    pub(super) missing_log: Option<PathBuf>,
}

/// Opens or creates the store at `path` for the one process that may run.
pub(super) fn for_writing(path: &Path) -> Result<ForWriting, StoreError> {
    let path = location(path)?;
    let lock = Lock::take(&path)?;
    let log = beside(&path, "-wal");
    let has_log = log.metadata().is_ok_and(|file| file.len() > 0);
    let opened = writable(&path).and_then(|db| {
        let fault = |error| StoreError::of_database(&path, OPENING, &error);
        let missing_log = if !has_log && is_in_use(&db).map_err(fault)? { Some(log) } else { None };
        let lost = recovered(&db).map_err(fault)?;
        Ok((db, lost, missing_log))
    });
    match opened {
        Ok((db, lost, missing_log)) => Ok(ForWriting { db, lock, path, lost, missing_log }),
        Err(error) => {
            lock.discard();
            Err(error)
        }
    }
}

/// Opens or creates the store at `path` for writing beside a run, which the database orders. Nothing is recovered:
/// what is in flight may be the calls of that run.
pub(super) fn beside_a_run(path: &Path) -> Result<(Db, PathBuf), StoreError> {
    let path = location(path)?;
    Ok((writable(&path)?, path))
}

/// Opens a connection that only reads, beside a writer or without one.
pub(super) fn for_reading(path: &Path) -> Result<Db, StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing { path: path.to_path_buf() });
    }
    let opened = |access| {
        let file =
            Sqlite::open(path, access).map_err(|error| StoreError::of_database(path, OPENING, &error))?;
        let is_made = is_made(&file, path)?;
        Ok::<_, StoreError>((Db::Sqlite(file), is_made))
    };
    let (db, is_made) = match opened(Access::Read) {
        // On read-only media there is no room for the index of a write-ahead log. A store at rest has no log.
        Err(error)
            if matches!(error.failure(), Some(FailureKind::Io | FailureKind::ReadOnly))
                && !beside(path, "-wal").exists() =>
        {
            opened(Access::AtRest)?
        }
        other => other?,
    };
    if is_made { Ok(db) } else { Err(StoreError::not_a_store(path, "an empty file")) }
}

/// The path with its folder made and its links resolved, so that one store has one lock.
fn location(path: &Path) -> Result<PathBuf, StoreError> {
    let fault = |error| StoreError::of_system(path, "making the folder", &error);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.exists() {
        private::folder(folder).map_err(fault)?;
        // The library syncs the folder of its own files, and this one's entry is in the folder above.
        crate::platform::sync_folder(&folder.join("..")).map_err(fault)?;
    }
    require_local(folder, path)?;
    if path.is_dir() {
        return Err(StoreError::not_a_store(path, "a folder"));
    }
    if path.exists() {
        return path.canonicalize().map_err(fault);
    }
    let Some(name) = path.file_name() else {
        return Err(StoreError::not_a_store(path, "a path without a file name"));
    };
    Ok(folder.canonicalize().map_err(fault)?.join(name))
}

/// A connection for writing to a store that is made if there is none.
fn writable(path: &Path) -> Result<Db, StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    private::file(path).map_err(|error| StoreError::of_system(path, OPENING, &error))?;
    let file = Sqlite::open(path, Access::Write).map_err(fault)?;
    let is_made = is_made(&file, path)?;
    if file.is_read_only().map_err(fault)? {
        return Err(StoreError::failed(path, OPENING, FailureKind::ReadOnly, "it is not writable"));
    }
    let mode = file.use_write_ahead_log().map_err(fault)?;
    if mode != "wal" {
        let cause = format!("the journal mode stays {mode}, expected wal");
        return Err(StoreError::failed(path, OPENING, FailureKind::Io, &cause));
    }
    if !is_made {
        create(&file, path)?;
    }
    file.at_close(LogAtClose::Stays).map_err(fault)?;
    Ok(Db::Sqlite(file))
}

/// Marks the store as in use by a run, in the file itself: without its write-ahead log it must still say so.
pub(super) fn mark_in_use(db: &Db) -> Result<(), DbError> {
    const SQL: &str = "INSERT INTO note (key, value) VALUES (?1, '') ON CONFLICT (key) DO NOTHING";
    db.run(SQL, &vals![IN_USE])?;
    db.sqlite().map_or(Ok(()), Sqlite::checkpoint)
}

/// Whether a run uses the store, or has died using it.
fn is_in_use(db: &Db) -> Result<bool, DbError> {
    Ok(db.row("SELECT key FROM note WHERE key = ?1", &vals![IN_USE], |_| Ok(()))?.is_some())
}

/// Closes a store. A run's mark goes; beside a run, or after one that died, the write-ahead log stays for it.
pub(super) fn close(db: Db, lock: Option<&Lock>) -> Result<(), DbError> {
    if lock.is_some() {
        db.run("DELETE FROM note WHERE key = ?1", &vals![IN_USE])?;
    }
    let is_in_use = is_in_use(&db)?;
    let Db::Sqlite(file) = db else { return Ok(()) };
    if !is_in_use {
        file.at_close(LogAtClose::Goes)?;
    }
    file.close()
}

/// Writes the schema, unless another process has done so meanwhile. A crash before the commit leaves a file that
/// counts as empty.
fn create(db: &Sqlite, path: &Path) -> Result<(), StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    db.begin().map_err(fault)?;
    if !is_made(db, path)? {
        db.schema(include_str!("schema.sql"), APPLICATION_ID, SCHEMA_VERSION).map_err(fault)?;
    }
    db.commit().map_err(fault)
}

/// Whether there is a store of this version in the file, or nothing yet.
fn is_made(db: &Sqlite, path: &Path) -> Result<bool, StoreError> {
    let header = db.header().map_err(|error| StoreError::of_database(path, OPENING, &error))?;
    let why = match header {
        (APPLICATION_ID, SCHEMA_VERSION, true) => return Ok(true),
        (0, 0, false) => return Ok(false),
        (APPLICATION_ID, 1..SCHEMA_VERSION, _) => {
            "it was made by an unreleased version of probity; to keep its \
            labels, run `probity export` with that version and `probity import` with this one"
                .to_owned()
        }
        (APPLICATION_ID, found, _) if found > SCHEMA_VERSION => {
            format!("its schema is version {found}, and this program knows version {SCHEMA_VERSION}")
        }
        _ => return Err(StoreError::not_a_store(path, "the database of another program")),
    };
    Err(StoreError::Unusable { path: path.to_path_buf(), why })
}

/// Lists what dead workers had in flight. The lock is held, so every worker is dead. Each call is listed once.
fn recovered(db: &Db) -> Result<Vec<AttemptId>, DbError> {
    db.begin()?;
    let calls = lost(db, Lost::OfEveryWorker).and_then(|calls| db.commit().map(|()| calls));
    calls.inspect_err(|_| db.rollback())
}
