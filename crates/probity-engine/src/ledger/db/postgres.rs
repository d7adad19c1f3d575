//! A connection to PostgreSQL, or to what speaks its protocol.
//!
//! The client is asynchronous and lives on a runtime of its own, which runs while an answer is waited for: nothing
//! asynchronous reaches the store. Statements whose answer is of no interest are sent along with the next one, so that a
//! transaction has few waits, and those of transactions that write are prepared once, unless a pooler hands
//! transactions to other sessions. Every wait has a bound.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::{join, join_all};
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::task::block_in_place;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, RowStream, SimpleQueryMessage, Statement};

use super::tls::Tls;
use super::values::Column;
use super::words::{any, arrays, numbered};
use super::{DbError, Row, Val};
use crate::ledger::error::FailureKind;

/// How long one answer of the server is waited for.
const ANSWER_MAX: Duration = Duration::from_mins(2);

/// Rows that are taken from the connection at once.
const ROWS_AT_ONCE: usize = 512;

/// A connection to a server.
pub(crate) struct Pg {
    client: Arc<Client>,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    /// What a transaction that writes begins with.
    begin: Arc<str>,
    /// What a transaction that reads begins with.
    begin_snapshot: String,
    /// [`BY_KEYS`], where the server knows it.
    by_keys: &'static str,
    /// What goes out before the next statement, in its order.
    unsent: Mutex<Vec<Unsent>>,
    session: Arc<PgSession>,
}

/// The session on the server, as far as it is this connection's own. Names of prepared statements are those of a session:
/// under a pooler another process may have given them to other statements. So a session is told a name of its own, which
/// every transaction that writes asks it for, and one that does not know it is rolled back and done again without names.
#[derive(Debug)]
struct PgSession {
    name: String,
    /// Whether every transaction so far was in it.
    is_own: AtomicBool,
    /// Whether a transaction is under way that writes.
    is_writing: AtomicBool,
    /// Whether one is that reads one moment.
    is_snapshot: AtomicBool,
    statements: Mutex<HashMap<String, Statement>>,
}

impl PgSession {
    /// What says that a transaction is in another session.
    fn left(&self) -> DbError {
        self.is_own.store(false, Ordering::Relaxed);
        DbError::new(FailureKind::Conflict, "the transaction is in another session".to_owned())
    }

    /// The error as it is, or that of another session, where it is about a name that this one does not have.
    fn met(&self, error: tokio_postgres::Error) -> DbError {
        let names = [
            SqlState::INVALID_SQL_STATEMENT_NAME,
            SqlState::DUPLICATE_PSTATEMENT,
            // What a statement gives has changed since.
            SqlState::FEATURE_NOT_SUPPORTED,
        ];
        let is_name = error.code().is_some_and(|code| names.contains(code));
        if is_name && self.is_own.load(Ordering::Relaxed) { self.left() } else { error.into() }
    }
}

/// A statement that nothing was sent of yet.
type Unsent = Pin<Box<dyn Future<Output = Result<(), DbError>> + Send>>;

/// What keeps a planner that knows nothing of a new table from reading the whole of it for each batch of calls: a few
/// rows are looked for among many, by their keys. A table that has to be read whole nevertheless, such as that of workers,
/// counts as so costly then that a server would compile the statement to machine code first, each time.
const BY_KEYS: &str = "; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; \
    SET LOCAL enable_mergejoin = off; SET LOCAL jit = off";

/// What keeps a server from ending a transaction that reads while its rows are worked on, however short the time is that
/// it leaves idle ones: ten minutes, after which a process that was stopped holds up its upkeep no longer.
const UNHURRIED: &str = "; SET LOCAL idle_in_transaction_session_timeout = 600000";

/// Asks a session for its name, which one that was told none does not have.
const SESSION: &str = "SELECT current_setting('probity.session', true)";

/// Whether the way to a server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ledger) enum Protection {
    /// By TLS, with a verified name.
    Tls,
    /// It stays on this machine.
    Local,
}

impl Pg {
    /// Connects. `lock_max` is how long a statement waits for another transaction, and how long this one may sit idle
    /// while others wait for it: a process that is stopped in the middle of one must not stop the others.
    pub(in crate::ledger) fn connect(
        config: &Config,
        protection: Protection,
        lock_max: Duration,
    ) -> Result<Pg, DbError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| DbError::new(FailureKind::Io, error.to_string()))?;
        let name = format!("{:032x}", rand::random::<u128>());
        let connecting = async {
            let client = match protection {
                Protection::Local => {
                    let (client, connection) = config.connect(NoTls).await?;
                    tokio::spawn(connection);
                    client
                }
                Protection::Tls => {
                    let tls = Tls::new().map_err(|error| DbError::new(FailureKind::Io, error.to_string()))?;
                    let (client, connection) = config.connect(tls).await?;
                    tokio::spawn(connection);
                    client
                }
            };
            let says = async |sql: &str, value: &str| {
                client.simple_query(sql).await.is_ok_and(|answer| has_value(&answer, value))
            };
            let naming = format!("SET probity.session = '{name}'; {SESSION}");
            // Other engines do not know the planner's settings, or settings of one's own.
            let planner = join(says("SHOW enable_hashjoin", "on"), says(&naming, &name));
            let shown = join(says("SHOW synchronous_commit", "off"), planner).await;
            Ok::<_, DbError>((client, shown))
        };
        let (client, (is_unsynced, (may_scan, is_named))) = match blocked_on(&runtime, connecting) {
            Ok(connected) => connected,
            Err(error) => {
                // As when it is dropped.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let millis = lock_max.as_millis();
        let mut begin = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {millis}; \
             SET LOCAL idle_in_transaction_session_timeout = {}",
            2 * millis
        );
        if is_unsynced {
            begin.push_str("; SET LOCAL synchronous_commit = on");
        }
        let by_keys = if may_scan { BY_KEYS } else { "" };
        begin.push_str(by_keys);
        if is_named {
            begin.push_str(&format!("; {SESSION}"));
        }
        let begin_snapshot = format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY{UNHURRIED}{by_keys}; SELECT count(*) FROM judge"
        );
        Ok(Pg {
            client: Arc::new(client),
            runtime: Some(runtime),
            begin: begin.into(),
            begin_snapshot,
            by_keys,
            unsent: Mutex::default(),
            session: Arc::new(PgSession {
                name,
                is_own: is_named.into(),
                is_writing: false.into(),
                is_snapshot: false.into(),
                statements: Mutex::default(),
            }),
        })
    }

    /// Begins a transaction that writes. Each statement of it sees what was committed before the statement.
    pub(in crate::ledger) fn begin(&self) {
        let (client, begin, session) =
            (Arc::clone(&self.client), Arc::clone(&self.begin), Arc::clone(&self.session));
        session.is_writing.store(true, Ordering::Relaxed);
        self.send(async move {
            let answer = client.simple_query(&begin).await?;
            let is_asked = session.is_own.load(Ordering::Relaxed);
            if is_asked && !has_value(&answer, &session.name) { Err(session.left()) } else { Ok(()) }
        });
    }

    /// Begins a transaction that reads one moment.
    pub(super) fn begin_snapshot(&self) -> Result<(), DbError> {
        self.session.is_snapshot.store(true, Ordering::Relaxed);
        self.script(&self.begin_snapshot)
    }

    /// Has `read` look for rows by their keys: the planner knows nothing else. Any transaction does, and where there is
    /// none, one of its own.
    pub(super) fn by_keys<T>(&self, read: impl FnOnce() -> Result<T, DbError>) -> Result<T, DbError> {
        let is_under_way = [&self.session.is_writing, &self.session.is_snapshot];
        if self.by_keys.is_empty() || is_under_way.iter().any(|is| is.load(Ordering::Relaxed)) {
            return read();
        }
        let begin = format!("BEGIN READ ONLY{UNHURRIED}{}", self.by_keys);
        let client = Arc::clone(&self.client);
        self.send(async move { Ok(client.batch_execute(&begin).await?) });
        match read() {
            Ok(value) => self.script("COMMIT").map(|()| value),
            Err(error) => {
                self.rollback();
                Err(error)
            }
        }
    }

    /// Commits. Everything else was answered by then: where the answer to this alone is missing, what the transaction
    /// has written says whether it was done.
    pub(in crate::ledger) fn commit(&self) -> Result<(), DbError> {
        if !self.unsent().is_empty() {
            self.wait(async { Ok(()) })?;
        }
        self.session.is_writing.store(false, Ordering::Relaxed);
        self.script("COMMIT")
    }

    /// Undoes the transaction, if there is one.
    pub(in crate::ledger) fn rollback(&self) {
        self.unsent().clear();
        self.session.is_writing.store(false, Ordering::Relaxed);
        self.session.is_snapshot.store(false, Ordering::Relaxed);
        // Where that fails as well, closing undoes it.
        let _ = self.script("ROLLBACK");
    }

    fn unsent(&self) -> MutexGuard<'_, Vec<Unsent>> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a statement sent with the next one that is waited for, and before it.
    fn send(&self, statement: impl Future<Output = Result<(), DbError>> + Send + 'static) {
        self.unsent().push(Box::pin(statement));
    }

    /// Runs statements without parameters, which may be several.
    pub(in crate::ledger) fn script(&self, sql: &str) -> Result<(), DbError> {
        self.wait(async { Ok(self.client.batch_execute(sql).await?) })
    }

    /// Gives each row of a statement to `take`, which asks the same connection nothing, and returns how many rows it
    /// changed.
    pub(in crate::ledger) fn each(
        &self,
        sql: &str,
        params: &[Val<'_>],
        take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<usize, DbError> {
        let params: Vec<(&(dyn ToSql + Sync), Type)> =
            params.iter().map(|val| -> (&(dyn ToSql + Sync), Type) { (val, val.sql_type()) }).collect();
        self.taken(None, &numbered(sql), &params, take)
    }

    /// The same for a statement with a list, which is one array.
    pub(super) fn each_in(
        &self,
        sql: &str,
        params: &[Val<'_>],
        list: &[Val<'_>],
        take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        let (sql, kind) = any(sql, params.len() + 1);
        let list: Vec<Vec<Val<'_>>> = list.iter().map(|val| vec![*val]).collect();
        let list = Column::of(&list, 0, kind);
        let mut all: Vec<(&(dyn ToSql + Sync), Type)> =
            params.iter().map(|val| -> (&(dyn ToSql + Sync), Type) { (val, val.sql_type()) }).collect();
        all.push(list.param());
        self.taken(None, &sql, &all, take).map(drop)
    }

    /// Runs one statement over many rows, given as one array a column.
    pub(super) fn set(
        &self,
        sql: &str,
        rows: &[Vec<Val<'_>>],
        take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        if rows.is_empty() {
            return Ok(());
        }
        let (sql, columns) = in_columns(sql, rows);
        let params: Vec<(&(dyn ToSql + Sync), Type)> = columns.iter().map(Column::param).collect();
        self.taken(self.prepared(&sql, &columns)?.as_ref(), &sql, &params, take).map(drop)
    }

    /// The same where only a failure is of interest, which the next statement tells.
    pub(super) fn send_set(&self, sql: &str, rows: &[Vec<Val<'_>>]) -> Result<(), DbError> {
        if rows.is_empty() {
            return Ok(());
        }
        let (client, session) = (Arc::clone(&self.client), Arc::clone(&self.session));
        let (sql, columns) = in_columns(sql, rows);
        let statement = self.prepared(&sql, &columns)?;
        self.send(async move {
            let params: Vec<(&(dyn ToSql + Sync), Type)> = columns.iter().map(Column::param).collect();
            let answer = asked(&client, statement.as_ref(), &sql, &params).await;
            let answer = Box::pin(answer.map_err(|error| session.met(error))?);
            answer.try_for_each(async |_| Ok(())).await.map_err(|error| session.met(error))
        });
        Ok(())
    }

    /// The statement over `columns` under its name, where there are names.
    fn prepared(&self, sql: &str, columns: &[Column]) -> Result<Option<Statement>, DbError> {
        let session = &self.session;
        if !session.is_own.load(Ordering::Relaxed) || !session.is_writing.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let statements = || session.statements.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(statement) = statements().get(sql) {
            return Ok(Some(statement.clone()));
        }
        let types: Vec<Type> = columns.iter().map(|column| column.param().1).collect();
        let preparing = self.client.prepare_typed(sql, &types);
        let statement = self.wait(async { preparing.await.map_err(|error| session.met(error)) })?;
        statements().insert(sql.to_owned(), statement.clone());
        Ok(Some(statement))
    }

    fn taken(
        &self,
        statement: Option<&Statement>,
        sql: &str,
        params: &[(&(dyn ToSql + Sync), Type)],
        mut take: impl FnMut(&Row<'_>) -> Result<(), DbError>,
    ) -> Result<usize, DbError> {
        let (session, asking) = (&self.session, asked(&self.client, statement, sql, params));
        let stream = self.wait(async { asking.await.map_err(|error| session.met(error)) })?;
        let mut stream = Box::pin(stream);
        loop {
            let next = |mut stream: Pin<&mut RowStream>| {
                self.wait(async move {
                    let mut rows = Vec::new();
                    while rows.len() < ROWS_AT_ONCE
                        && let Some(row) = stream.try_next().await?
                    {
                        rows.push(row);
                    }
                    Ok(rows)
                })
            };
            let rows = next(stream.as_mut())?;
            rows.iter().try_for_each(|row| take(&Row::Postgres(row)))?;
            if rows.len() < ROWS_AT_ONCE {
                let n_changed = stream.rows_affected().unwrap_or(0);
                return Ok(usize::try_from(n_changed).unwrap_or(usize::MAX));
            }
        }
    }

    /// Waits for the answer to a statement, and to those that go out before it. The first that failed is the reason why
    /// those after it did.
    fn wait<T: Send>(&self, future: impl Future<Output = Result<T, DbError>> + Send) -> Result<T, DbError> {
        let earlier = std::mem::take(&mut *self.unsent());
        let all = async {
            let (earlier, answer) = join(join_all(earlier), future).await;
            earlier.into_iter().collect::<Result<(), DbError>>().and(answer)
        };
        blocked_on(self.runtime.as_ref().expect("the runtime goes last"), all)
    }
}

impl Drop for Pg {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Dropping it would wait for its tasks, which is forbidden where other tasks run.
            runtime.shutdown_background();
        }
    }
}

/// Sends a statement, by its name where it has one, and waits for its first answer.
async fn asked(
    client: &Client,
    statement: Option<&Statement>,
    sql: &str,
    params: &[(&(dyn ToSql + Sync), Type)],
) -> Result<RowStream, tokio_postgres::Error> {
    match statement {
        Some(statement) => client.query_raw(statement, params.iter().map(|(val, _)| *val)).await,
        None => client.query_typed_raw(sql, params.iter().map(|(val, kind)| (*val, kind.clone()))).await,
    }
}

/// Whether a row of `answer` begins with `value`.
fn has_value(answer: &[SimpleQueryMessage], value: &str) -> bool {
    let is_it = |message: &SimpleQueryMessage| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some(value));
    answer.iter().any(is_it)
}

/// Waits for an answer, with a bound. A thread that runs tasks of another runtime may not wait on this one: it hands them
/// over to another thread first, where the runtime has several, and else another thread waits.
fn blocked_on<T: Send>(
    runtime: &Runtime,
    future: impl Future<Output = Result<T, DbError>> + Send,
) -> Result<T, DbError> {
    let bounded = async {
        let late = |_| DbError::new(FailureKind::Lost, "the server did not answer in time".to_owned());
        tokio::time::timeout(ANSWER_MAX, future).await.map_err(late)?
    };
    match Handle::try_current().map(|other| other.runtime_flavor()) {
        Err(_) => runtime.block_on(bounded),
        Ok(RuntimeFlavor::CurrentThread) => std::thread::scope(|scope| {
            let waiting = scope.spawn(|| runtime.block_on(bounded));
            waiting.join().expect("waiting for an answer does not panic")
        }),
        Ok(_) => block_in_place(|| runtime.block_on(bounded)),
    }
}

/// A statement over many rows, with one array a column.
fn in_columns(sql: &str, rows: &[Vec<Val<'_>>]) -> (String, Vec<Column>) {
    let (sql, types) = arrays(sql);
    (sql, types.iter().enumerate().map(|(n, kind)| Column::of(rows, n, kind)).collect())
}

impl From<tokio_postgres::Error> for DbError {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(said) = error.as_db_error() else {
            let kind = if error.is_closed() { FailureKind::Lost } else { of_connection(&error) };
            return DbError::new(kind, chain(&error));
        };
        let kind = match *said.code() {
            SqlState::T_R_SERIALIZATION_FAILURE
            | SqlState::T_R_DEADLOCK_DETECTED
            | SqlState::LOCK_NOT_AVAILABLE
            | SqlState::UNIQUE_VIOLATION
            // `IF NOT EXISTS` does not hold where two create the same thing at the same moment.
            | SqlState::DUPLICATE_TABLE
            | SqlState::DUPLICATE_OBJECT => FailureKind::Conflict,
            SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
            | SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN => FailureKind::Lost,
            // Connections; a pooler whose server crashed says so in this class.
            ref code if code.code().starts_with("08") => FailureKind::Lost,
            SqlState::TOO_MANY_CONNECTIONS | SqlState::CONFIGURATION_LIMIT_EXCEEDED => FailureKind::Crowded,
            SqlState::QUERY_CANCELED => FailureKind::Cancelled,
            SqlState::UNDEFINED_TABLE => FailureKind::NotADatabase,
            SqlState::DISK_FULL => FailureKind::Full,
            SqlState::READ_ONLY_SQL_TRANSACTION => FailureKind::ReadOnly,
            // A standby refuses the very beginning of a transaction that writes; messages have languages, functions none.
            SqlState::FEATURE_NOT_SUPPORTED if said.routine() == Some("call_bool_check_hook") => {
                FailureKind::ReadOnly
            }
            SqlState::INSUFFICIENT_PRIVILEGE => FailureKind::Denied,
            SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            | SqlState::INVALID_CATALOG_NAME => FailureKind::Refused,
            _ => FailureKind::Io,
        };
        DbError::new(kind, format!("{} (SQLSTATE {})", said.message(), said.code().code()))
    }
}

/// What an error of the client means that the server did not send.
fn of_connection(error: &tokio_postgres::Error) -> FailureKind {
    let text = chain(error);
    let is_refused =
        ["certificate", "TLS", "password", "authentication"].iter().any(|word| text.contains(word));
    if is_refused { FailureKind::Refused } else { FailureKind::Lost }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}
