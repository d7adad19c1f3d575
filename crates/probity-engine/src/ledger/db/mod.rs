//! The database behind the store: everything that knows which engine it is.
//!
//! The store and the review room are plain SQL over [`Db`], the same texts for SQLite and PostgreSQL. Statements keep to
//! what both understand: `?1` for parameters (never `$1`, which SQLite numbers by appearance), no JSON functions, `max`
//! with one argument, no booleans in columns. Four words are translated: `{rows(k BIGINT, body TEXT)}` stands for a
//! table of given rows, see [`Db::set`], `{in BIGINT}` for a list, see [`Db::each_in`], `{for_update}` behind a SELECT
//! for a lock on its rows until the transaction ends, and `{now_ms}` for the database's clock. PostgreSQL refuses the
//! character NUL in texts, so both keep U+FFFD in its place.

mod postgres;
mod sqlite;
mod tls;
mod values;
mod words;

use std::borrow::Cow;

use rusqlite::types::ValueRef;

use super::error::FailureKind;

pub(super) use postgres::{Pg, Protection};
pub(super) use sqlite::{Access, LogAtClose, Sqlite};
use words::marks;
pub(super) use words::schema_for_postgres;

/// The most values in a list.
pub(super) const LIST_MAX: usize = 128;

/// A connection to the database of a store.
pub(crate) enum Db {
    /// To a file.
    Sqlite(Sqlite),
    /// To a server, which other processes use at the same time.
    Postgres(Box<Pg>),
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
    /// From PostgreSQL.
    Postgres(&'r tokio_postgres::Row),
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
    /// Whether other processes may make calls on the same record.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Db::Postgres(_))
    }

    /// The file, where it is one.
    pub(super) fn sqlite(&self) -> Option<&Sqlite> {
        if let Db::Sqlite(file) = self { Some(file) } else { None }
    }

    /// Begins a transaction that writes.
    pub(super) fn begin(&self) -> Result<(), DbError> {
        match self {
            Db::Sqlite(file) => file.begin(),
            Db::Postgres(server) => {
                server.begin();
                Ok(())
            }
        }
    }

    /// Begins a transaction that reads: all of it is about one moment.
    pub(super) fn begin_snapshot(&self) -> Result<(), DbError> {
        match self {
            Db::Sqlite(file) => file.begin_snapshot(),
            Db::Postgres(server) => server.begin_snapshot(),
        }
    }

    /// Commits. When this returns, the transaction is on the disk.
    pub(super) fn commit(&self) -> Result<(), DbError> {
        match self {
            Db::Sqlite(file) => file.commit(),
            Db::Postgres(server) => server.commit(),
        }
    }

    /// Undoes the transaction, if there is one. Where that fails as well, closing undoes it.
    pub(super) fn rollback(&self) {
        match self {
            Db::Sqlite(file) => file.rollback(),
            Db::Postgres(server) => server.rollback(),
        }
    }

    /// Runs a statement that gives no rows, and returns how many it changed.
    pub(crate) fn run(&self, sql: &str, params: &[Val<'_>]) -> Result<usize, DbError> {
        match self {
            Db::Sqlite(file) => file.each(sql, params, |_| Ok(())),
            Db::Postgres(server) => server.each(sql, params, |_| Ok(())),
        }
    }

    /// Gives each row of a statement to `take`, as it comes. It may ask nothing of the same connection.
    pub(crate) fn each(
        &self,
        sql: &str,
        params: &[Val<'_>],
        take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        match self {
            Db::Sqlite(file) => file.each(sql, params, take),
            Db::Postgres(server) => server.each(sql, params, take),
        }
        .map(drop)
    }

    /// Has `read` look for rows by their keys, however little an engine knows of its tables.
    pub(super) fn by_keys<T>(&self, read: impl FnOnce() -> Result<T, DbError>) -> Result<T, DbError> {
        match self {
            Db::Sqlite(_) => read(),
            Db::Postgres(server) => server.by_keys(read),
        }
    }

    /// Gives each row of a statement with a list to `take`: `{in BIGINT}` behind a column stands for the values of `list`,
    /// at most [`LIST_MAX`] of them and at least one.
    pub(super) fn each_in(
        &self,
        sql: &str,
        params: &[Val<'_>],
        list: &[Val<'_>],
        take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        match self {
            Db::Sqlite(file) => {
                // The last value fills what is left, so that there is one statement.
                let filling = list.last().copied().unwrap_or(Val::Null);
                let marked = list.iter().copied().chain(std::iter::repeat(filling)).take(LIST_MAX);
                let all: Vec<Val<'_>> = params.iter().copied().chain(marked).collect();
                file.each(&marks(sql, params.len() + 1, LIST_MAX), &all, take).map(drop)
            }
            Db::Postgres(server) => server.each_in(sql, params, list, take),
        }
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
        let mut found = Vec::new();
        let take = |row: &Row<'_>| {
            found.push(read(row)?);
            Ok(())
        };
        match self {
            Db::Sqlite(file) => file.set(sql, rows, take),
            Db::Postgres(server) => server.set(sql, rows, take),
        }?;
        Ok(found)
    }

    /// Runs one statement over many rows that gives nothing back. A server is sent it along with the next statement, and
    /// what is wrong with it is told then.
    pub(super) fn send_set(&self, sql: &str, rows: &[Vec<Val<'_>>]) -> Result<(), DbError> {
        match self {
            Db::Sqlite(file) => file.set(sql, rows, |_| Ok(())),
            Db::Postgres(server) => server.send_set(sql, rows),
        }
    }
}

/// A text as both engines keep it: without the character NUL.
fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
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
        let row = match self {
            Row::Sqlite(row) => row,
            Row::Postgres(row) => return Ok(row.try_get::<_, values::Sent<'_>>(column)?.0),
        };
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

impl DbError {
    pub(super) fn new(kind: FailureKind, text: String) -> DbError {
        DbError { kind, text }
    }

    /// The error for content that this program never writes.
    pub(crate) fn unknown(what: &str, found: &str) -> DbError {
        DbError::new(FailureKind::Damaged, format!("{found:?} is no {what}"))
    }
}
