//! The database behind the store: everything that knows which engine it is.
//!
//! The store and the review room are plain SQL over [`Db`], the same texts for every engine. There is one engine so
//! far, SQLite; PostgreSQL is to be the second. So statements keep to what both understand: `?1` for parameters (never
//! `$1`, which SQLite numbers by appearance), no JSON functions, `max` with one argument, no booleans in columns.
//! `{rows(k BIGINT, body TEXT)}` stands for a table of given rows, see [`Db::set`], and `{for_update}` behind a SELECT
//! for a lock on its rows until the transaction ends.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use super::error::FailureKind;

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

/// A connection to the database of a store.
pub(crate) enum Db {
    /// To a file.
    Sqlite(Connection),
}

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
pub(super) enum LogAtClose {
    /// It is removed: everything is in the file.
    Goes,
    /// It stays, as the sign that it was not taken away.
    Stays,
}

/// A parameter of a statement, or a value of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Val<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A text.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

/// The parameters of a statement, each of a type that a [`Val`] can be made from.
macro_rules! vals {
    ($($value:expr),* $(,)?) => { [$($crate::ledger::db::Val::from($value)),*] };
}
pub(crate) use vals;

/// A row of an answer.
pub(crate) enum Row<'r> {
    /// From SQLite.
    Sqlite(&'r rusqlite::Row<'r>),
}

/// Why the database did not do what it was asked.
#[derive(Debug, Clone)]
pub(crate) struct DbError {
    /// In what way.
    pub(super) kind: FailureKind,
    /// What the database said.
    pub(super) text: String,
}

impl Db {
    /// Opens a connection. Nothing is written to the file.
    pub(super) fn open(path: &Path, access: Access) -> Result<Db, DbError> {
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
        Ok(Db::Sqlite(connection))
    }

    /// Whether the file can be read and not written.
    pub(super) fn is_read_only(&self) -> Result<bool, DbError> {
        let Db::Sqlite(connection) = self;
        Ok(connection.is_readonly("main")?)
    }

    /// The application and the schema version in the file's header, and whether there is any table.
    pub(super) fn header(&self) -> Result<(i64, i64, bool), DbError> {
        let number =
            |sql: &str| -> Result<i64, DbError> { Ok(self.row(sql, &[], |row| row.get(0))?.unwrap_or(0)) };
        let has_tables = number("SELECT count(*) FROM sqlite_schema")? > 0;
        Ok((number("PRAGMA application_id")?, number("PRAGMA user_version")?, has_tables))
    }

    /// Turns the write-ahead log on, and returns the journal mode that is in force then. In another mode readers and
    /// writers would wait for each other.
    pub(super) fn use_write_ahead_log(&self) -> Result<String, DbError> {
        // The statement tells the mode before it has written it; what goes wrong is heard when it is run to its end.
        let modes = self.rows("PRAGMA journal_mode = wal", &[], |row| row.get(0))?;
        Ok(modes.into_iter().next().unwrap_or_default())
    }

    /// Writes a schema with the header of its file, inside a transaction.
    pub(super) fn schema(&self, ddl: &str, application: i64, version: i64) -> Result<(), DbError> {
        let Db::Sqlite(connection) = self;
        let header = format!("PRAGMA application_id = {application}; PRAGMA user_version = {version};");
        Ok(connection.execute_batch(&format!("{ddl}{header}"))?)
    }

    /// Begins a transaction that writes. It waits for other writers here, and nowhere later.
    pub(super) fn begin(&self) -> Result<(), DbError> {
        self.run("BEGIN IMMEDIATE", &[]).map(drop)
    }

    /// Begins a transaction that reads: all of it is about one moment, which the first read fixes.
    pub(super) fn begin_snapshot(&self) -> Result<(), DbError> {
        self.run("BEGIN", &[])?;
        self.row("SELECT count(*) FROM judge", &[], |_| Ok(())).map(drop)
    }

    /// A number that is another one once another connection has written.
    pub(super) fn version_of_others(&self) -> Result<i64, DbError> {
        Ok(self.row("PRAGMA data_version", &[], |row| row.get(0))?.unwrap_or(0))
    }

    /// Commits. When this returns, the transaction is on the disk.
    pub(super) fn commit(&self) -> Result<(), DbError> {
        self.run("COMMIT", &[]).map(drop)
    }

    /// Undoes the transaction, if there is one. Where that fails as well, closing undoes it: the log has no commit.
    pub(super) fn rollback(&self) {
        let Db::Sqlite(connection) = self;
        if !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
    }

    /// Writes the content of the write-ahead log into the file, as far as readers allow, and syncs both.
    pub(super) fn checkpoint(&self) -> Result<(), DbError> {
        self.rows("PRAGMA wal_checkpoint(PASSIVE)", &[], |_| Ok(())).map(drop)
    }

    /// Says what becomes of the write-ahead log when the last connection is closed.
    pub(super) fn at_close(&self, log: LogAtClose) -> Result<(), DbError> {
        let Db::Sqlite(connection) = self;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, log == LogAtClose::Stays)?;
        Ok(())
    }

    /// Checkpoints and closes.
    pub(super) fn close(self) -> Result<(), DbError> {
        self.checkpoint()?;
        let Db::Sqlite(connection) = self;
        Ok(connection.close().map_err(|(_, error)| error)?)
    }

    /// Runs a statement that gives no rows, and returns how many it changed.
    pub(crate) fn run(&self, sql: &str, params: &[Val<'_>]) -> Result<usize, DbError> {
        let Db::Sqlite(connection) = self;
        Ok(connection.prepare_cached(&in_words(sql))?.execute(params_from_iter(params))?)
    }

    /// Gives each row of a statement to `take`, as it comes.
    pub(crate) fn each(
        &self,
        sql: &str,
        params: &[Val<'_>],
        mut take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        let Db::Sqlite(connection) = self;
        let mut statement = connection.prepare_cached(&in_words(sql))?;
        let mut rows = statement.query(params_from_iter(params))?;
        while let Some(row) = rows.next()? {
            take(&Row::Sqlite(row))?;
        }
        Ok(())
    }

    /// The rows of a statement, as `read` reads them.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        params: &[Val<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, DbError>,
    ) -> Result<Vec<T>, DbError> {
        let mut found = Vec::new();
        self.each(sql, params, |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The first row of a statement, which is run to its end.
    pub(crate) fn row<T>(
        &self,
        sql: &str,
        params: &[Val<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, DbError>,
    ) -> Result<Option<T>, DbError> {
        let mut found = None;
        self.each(sql, params, |row| {
            if found.is_none() {
                found = Some(read(row)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Runs one statement over many rows and returns what it gives back, in no certain order.
    ///
    /// `{rows(k BIGINT, body TEXT)}` in the statement is a table of those columns, to be given a name, that holds
    /// `rows`. A server is sent one statement with one array a column; SQLite runs a statement once for each row.
    pub(super) fn set<T>(
        &self,
        sql: &str,
        rows: &[Vec<Val<'_>>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, DbError>,
    ) -> Result<Vec<T>, DbError> {
        let Db::Sqlite(connection) = self;
        let mut statement = connection.prepare_cached(&of_one_row(sql))?;
        let mut found = Vec::new();
        for row in rows {
            let mut answer = statement.query(params_from_iter(row))?;
            while let Some(row) = answer.next()? {
                found.push(read(&Row::Sqlite(row))?);
            }
        }
        Ok(found)
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

/// A statement in SQLite's words. A transaction that writes is alone, so rows need no lock.
fn in_words(sql: &str) -> Cow<'_, str> {
    if sql.contains('{') { Cow::Owned(sql.replace("{for_update}", "")) } else { Cow::Borrowed(sql) }
}

/// A statement over `{rows(…)}` as SQLite runs it for one row: `(SELECT ?1 AS k, ?2 AS body)`.
fn of_one_row(sql: &str) -> String {
    let parts = sql.split_once("{rows(").and_then(|(before, rest)| {
        let (columns, after) = rest.split_once(")}")?;
        Some((before, columns, after))
    });
    let (before, columns, after) = parts.expect("a statement over rows names them");
    let name = |column: &str| column.trim().split(' ').next().unwrap_or_default().to_owned();
    let columns: Vec<String> =
        (1..).zip(columns.split(',')).map(|(n, column)| format!("?{n} AS {}", name(column))).collect();
    format!("{before}(SELECT {}){after}", columns.join(", "))
}

impl Row<'_> {
    /// The value in `column`, from 0.
    pub(crate) fn get<T: FromVal>(&self, column: usize) -> Result<T, DbError> {
        let val = self.val(column)?;
        T::from_val(val).ok_or_else(|| DbError::unknown("value of its column", &format!("{val:?}")))
    }

    /// The text in `column`, from 0, without a copy.
    pub(crate) fn text(&self, column: usize) -> Result<&str, DbError> {
        match self.val(column)? {
            Val::Text(text) => Ok(text),
            other => Err(DbError::unknown("text", &format!("{other:?}"))),
        }
    }

    fn val(&self, column: usize) -> Result<Val<'_>, DbError> {
        let Row::Sqlite(row) = self;
        Ok(match row.get_ref(column)? {
            ValueRef::Null => Val::Null,
            ValueRef::Integer(number) => Val::Int(number),
            ValueRef::Real(_) => return Err(DbError::unknown("value of a store", "a fraction")),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Val::Text(text),
                Err(_) => return Err(DbError::unknown("text", "bytes that are not UTF-8")),
            },
            ValueRef::Blob(bytes) => Val::Blob(bytes),
        })
    }
}

/// What a value can be read as.
pub(crate) trait FromVal: Sized {
    /// The value as this type; `None` where it is of another.
    fn from_val(val: Val<'_>) -> Option<Self>;
}

macro_rules! whole_numbers {
    ($($number:ty),*) => { $(
        impl FromVal for $number {
            fn from_val(val: Val<'_>) -> Option<Self> {
                let Val::Int(number) = val else { return None };
                number.try_into().ok()
            }
        }
    )* };
}
whole_numbers!(i64, u64, u32, u16);

impl FromVal for bool {
    fn from_val(val: Val<'_>) -> Option<Self> {
        i64::from_val(val).map(|number| number != 0)
    }
}

impl FromVal for String {
    fn from_val(val: Val<'_>) -> Option<Self> {
        if let Val::Text(text) = val { Some(text.to_owned()) } else { None }
    }
}

impl FromVal for Vec<u8> {
    fn from_val(val: Val<'_>) -> Option<Self> {
        if let Val::Blob(bytes) = val { Some(bytes.to_vec()) } else { None }
    }
}

impl FromVal for [u8; 32] {
    fn from_val(val: Val<'_>) -> Option<Self> {
        if let Val::Blob(bytes) = val { bytes.try_into().ok() } else { None }
    }
}

impl<T: FromVal> FromVal for Option<T> {
    fn from_val(val: Val<'_>) -> Option<Self> {
        if val == Val::Null { Some(None) } else { T::from_val(val).map(Some) }
    }
}

macro_rules! made_of_numbers {
    ($($number:ty),*) => { $(
        impl From<$number> for Val<'_> {
            fn from(number: $number) -> Self {
                Val::Int(i64::from(number))
            }
        }
    )* };
}
made_of_numbers!(i64, u32, u16, bool);

impl<'a> From<&'a str> for Val<'a> {
    fn from(text: &'a str) -> Self {
        Val::Text(text)
    }
}

impl<'a> From<&'a String> for Val<'a> {
    fn from(text: &'a String) -> Self {
        Val::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Val<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Val::Blob(bytes)
    }
}

impl<'a> From<&'a [u8; 32]> for Val<'a> {
    fn from(bytes: &'a [u8; 32]) -> Self {
        Val::Blob(bytes)
    }
}

impl<'a, T: Into<Val<'a>>> From<Option<T>> for Val<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Val::Null, Into::into)
    }
}

impl ToSql for Val<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Val::Null => ValueRef::Null,
            Val::Int(number) => ValueRef::Integer(*number),
            Val::Text(text) => ValueRef::Text(text.as_bytes()),
            Val::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl DbError {
    /// The error for content that this program never writes.
    pub(crate) fn unknown(what: &str, found: &str) -> DbError {
        DbError { kind: FailureKind::Damaged, text: format!("{found:?} is no {what}") }
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
        DbError { kind, text: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_a_table_of_one() {
        let sql = "INSERT INTO a (k, b) SELECT k, b FROM {rows(k BIGINT, b BYTEA)} u WHERE true";
        let one = "INSERT INTO a (k, b) SELECT k, b FROM (SELECT ?1 AS k, ?2 AS b) u WHERE true";
        assert_eq!(of_one_row(sql), one);
    }
}
