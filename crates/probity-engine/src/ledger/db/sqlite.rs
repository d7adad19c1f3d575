//! A connection to a SQLite file.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use super::words::{for_sqlite, of_one_row, without_returning};
use super::{DbError, Row, Val, without_nul};
use crate::ledger::error::FailureKind;

/// How long a writer waits before it tries again to get at a busy database. The steps of the library itself grow to
/// 100 ms, which a reviewer would notice.
const BUSY_STEP: Duration = Duration::from_micros(500);

/// How often it tries: for about ten seconds.
const BUSY_TRIES_MAX: i32 = 20_000;

/// Pages in the write-ahead log before a commit checkpoints them: 16 MiB. Hundreds of calls write the same pages
/// again and again, and a checkpoint of many commits writes each page once.
const CHECKPOINT_PAGES: i64 = 4 * 1024;

/// The page cache, 16 MiB, in KiB and negative as SQLite takes it. Hashes fall on pages all over the index.
const CACHE_KIB_NEGATIVE: i64 = -16 * 1024;

/// More than the statements there are, so that each is prepared once per connection.
const STATEMENTS_CACHED: usize = 128;

/// A connection to a file.
pub(crate) struct Sqlite(Connection);

/// What a connection is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// For writing; an empty file is fine.
    Write,
    /// For reading beside a writer or without one.
    Read,
    /// For reading a file that does not change, where there is no room for a shared index beside it.
    AtRest,
}

/// What becomes of the write-ahead log when the last connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogAtClose {
    /// It is removed: everything is in the file.
    Goes,
    /// It stays, as the sign that it was not taken away.
    Stays,
}

impl Sqlite {
    /// Opens a connection. Nothing is written to the file.
    pub(in crate::ledger) fn open(path: &Path, access: Access) -> Result<Sqlite, DbError> {
        let mut connection = match access {
            Access::Write => {
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
                Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?
            }
            Access::Read => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                Connection::open_with_flags(path, flags)?
            }
            Access::AtRest => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(at_rest(path), flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?
            }
        };
        connection.busy_handler(Some(try_again))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
        // Without this guarantee SQLite plans a cached statement anew whenever other values are bound to it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.pragma_update(None, "cache_size", CACHE_KIB_NEGATIVE)?;
        if access == Access::Write {
            connection.pragma_update(None, "synchronous", "full")?;
            // Without these two, a sync on macOS ends in the drive's cache.
            connection.pragma_update(None, "fullfsync", true)?;
            connection.pragma_update(None, "checkpoint_fullfsync", true)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))?;
        }
        Ok(Sqlite(connection))
    }

    /// Whether the file can be read and not written.
    pub(in crate::ledger) fn is_read_only(&self) -> Result<bool, DbError> {
        let Sqlite(connection) = self;
        Ok(connection.is_readonly("main")?)
    }

    /// The application and the schema version in the file's header, and whether there is any table.
    pub(in crate::ledger) fn header(&self) -> Result<(i64, i64, bool), DbError> {
        let has_tables = self.one::<i64>("SELECT count(*) FROM sqlite_schema")? > 0;
        Ok((self.one("PRAGMA application_id")?, self.one("PRAGMA user_version")?, has_tables))
    }

    /// Turns the write-ahead log on, and returns the journal mode that is in force then. In another mode readers and
    /// writers would wait for each other.
    pub(in crate::ledger) fn use_write_ahead_log(&self) -> Result<String, DbError> {
        // The statement tells the mode before it has written it; what goes wrong is heard when it is run to its end.
        self.one("PRAGMA journal_mode = wal")
    }

    /// Writes a schema with the header of its file, inside a transaction.
    pub(in crate::ledger) fn schema(&self, ddl: &str, application: i64, version: i64) -> Result<(), DbError> {
        let Sqlite(connection) = self;
        let header = format!("PRAGMA application_id = {application}; PRAGMA user_version = {version};");
        Ok(connection.execute_batch(&format!("{ddl}{header}"))?)
    }

    /// Begins a transaction that writes. It waits for other writers here, and nowhere later.
    pub(in crate::ledger) fn begin(&self) -> Result<(), DbError> {
        self.script("BEGIN IMMEDIATE")
    }

    /// Begins a transaction that reads: all of it is about one moment, which the first read fixes.
    pub(in crate::ledger) fn begin_snapshot(&self) -> Result<(), DbError> {
        self.script("BEGIN")?;
        self.one::<i64>("SELECT count(*) FROM judge").map(drop)
    }

    /// A number that is another one once another connection has written.
    pub(in crate::ledger) fn version_of_others(&self) -> Result<i64, DbError> {
        self.one("PRAGMA data_version")
    }

    /// Commits. When this returns, the transaction is on the disk.
    pub(in crate::ledger) fn commit(&self) -> Result<(), DbError> {
        self.script("COMMIT")
    }

    /// Undoes the transaction, if there is one. Where that fails as well, closing undoes it: the log has no commit.
    pub(in crate::ledger) fn rollback(&self) {
        let Sqlite(connection) = self;
        if !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
    }

    /// Writes the content of the write-ahead log into the file, as far as readers allow, and syncs both.
    pub(in crate::ledger) fn checkpoint(&self) -> Result<(), DbError> {
        self.each("PRAGMA wal_checkpoint(PASSIVE)", &[], |_| Ok(())).map(drop)
    }

    /// Says what becomes of the write-ahead log when the last connection is closed.
    pub(in crate::ledger) fn at_close(&self, log: LogAtClose) -> Result<(), DbError> {
        let Sqlite(connection) = self;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, log == LogAtClose::Stays)?;
        Ok(())
    }

    /// Checkpoints and closes.
    pub(in crate::ledger) fn close(self) -> Result<(), DbError> {
        self.checkpoint()?;
        let Sqlite(connection) = self;
        Ok(connection.close().map_err(|(_, error)| error)?)
    }

    /// Gives each row of a statement to `take`, and returns how many rows it changed.
    pub(super) fn each(
        &self,
        sql: &str,
        params: &[Val<'_>],
        mut take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<usize, DbError> {
        let mut statement = self.0.prepare_cached(&for_sqlite(sql))?;
        let mut rows = statement.query(params_from_iter(params))?;
        while let Some(row) = rows.next()? {
            take(&Row::Sqlite(row))?;
        }
        drop(rows);
        Ok(usize::try_from(self.0.changes()).unwrap_or(usize::MAX))
    }

    /// Runs one statement for each row.
    pub(super) fn set(
        &self,
        sql: &str,
        rows: &[Vec<Val<'_>>],
        mut take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        let sql = of_one_row(sql);
        let (change, look) = match without_returning(&sql) {
            Some((change, look)) => (change, Some(self.0.prepare_cached(&look)?)),
            None => (sql.as_str(), None),
        };
        let (mut statement, mut look) = (self.0.prepare_cached(change)?, look);
        for row in rows {
            let mut answer = match &mut look {
                None => statement.query(params_from_iter(row))?,
                Some(look) => {
                    if statement.execute(params_from_iter(row))? == 0 {
                        continue;
                    }
                    let n_params = look.parameter_count();
                    look.query(params_from_iter(&row[..n_params]))?
                }
            };
            while let Some(row) = answer.next()? {
                take(&Row::Sqlite(row))?;
            }
        }
        Ok(())
    }

    fn one<T: super::FromVal + Default>(&self, sql: &str) -> Result<T, DbError> {
        let mut found = None;
        self.each(sql, &[], |row| {
            found = Some(row.get(0)?);
            Ok(())
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Runs statements without parameters.
    pub(in crate::ledger) fn script(&self, sql: &str) -> Result<(), DbError> {
        Ok(self.0.execute_batch(sql)?)
    }
}

/// Waits a step, unless there were enough.
fn try_again(n_tries: i32) -> bool {
    std::thread::sleep(BUSY_STEP);
    n_tries < BUSY_TRIES_MAX
}

/// The address of a file that does not change.
fn at_rest(path: &Path) -> String {
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                address.push(char::from(*byte));
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address.push_str("?immutable=1");
    address
}

impl ToSql for Val<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Val::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Val::Int(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            Val::Text(text) => match without_nul(text) {
                Cow::Borrowed(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
                Cow::Owned(text) => ToSqlOutput::Owned(Value::Text(text)),
            },
            Val::Blob(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => FailureKind::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => FailureKind::ReadOnly,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => FailureKind::Busy,
            Some(ErrorCode::NotADatabase) => FailureKind::NotADatabase,
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::OutOfMemory
                | ErrorCode::TooBig
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport,
            ) => FailureKind::Io,
            _ => FailureKind::Damaged,
        };
        DbError::new(kind, error.to_string())
    }
}
