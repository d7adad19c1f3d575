//! Opening a store: the checks before it is trusted. What a dead process left in it is another matter (`takeover`).
//!
//! Nothing is written before the file is known to be a store of a version this program knows. The
//! database file itself is only ever opened by the database library: closing any other handle to it
//! would drop the library's locks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::error::StoreError;
use super::lock::{Holding, Lock, beside, require_local};
use super::private;
use super::tables::Tables;
use super::takeover::{LeftBehind, take_over};

/// "Prob" in the file's header.
const APPLICATION_ID: i64 = 0x5072_6f62;

/// The schema this program writes.
pub(super) const SCHEMA_VERSION: i64 = 3;

/// What each version adds to the one before it, from version 2 on.
const ADDED: [&str; 2] = [include_str!("labels.sql"), include_str!("review.sql")];

/// The earliest library without known ways to lose a journal.
const LIBRARY_VERSION_MIN: i32 = 3_051_003;

/// How long a statement waits for another connection.
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// How long a writer beside a run waits before it tries again. The library's own steps grow to 100 ms, and a
/// person would notice.
const BESIDE_STEP: Duration = Duration::from_micros(500);

/// How often it tries: about as long as [`BUSY_WAIT`].
const BESIDE_TRIES_MAX: i32 = 20_000;

/// Pages in the journal before they are folded into the file: 16 MiB. Nobody can write meanwhile, and every worker
/// waits for a write before it takes its next packet, so it should happen for many pages at once; but what is left
/// for the end of a run, a person waits for.
const CHECKPOINT_PAGES: i64 = 4 * 1024;

/// The writer's page cache: 16 MiB, which SQLite takes in KiB as a negative number. Hashes fall on pages
/// all over the index, and a page that is not in memory has to be read before it can be written.
const CACHE_KIB_NEGATIVE: i64 = -16 * 1024;

/// The journal's file is cut back to this size when it starts over: overwriting is cheaper than appending.
pub(super) const JOURNAL_BYTES_KEPT: i64 = 20 << 20;

/// More than the statements there are, so that each is prepared once per connection.
const STATEMENTS_CACHED: usize = 64;

pub(super) const OPENING: &str = "opening";

/// What opening for writing needs to know.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OpenLimits {
    /// The most pages the file may grow to; `None` leaves it to the disk.
    pub(super) pages_max: Option<i64>,
}

/// A doubt about a store that could be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenWarning {
    /// The last process did not close the store, and its journal (`-wal`) is gone: records that were
    /// acknowledged may be missing.
    JournalMissing {
        /// Where the journal was expected.
        journal: PathBuf,
    },
    /// The calls noted beside the store are of a later state of it, as when an older copy of the store was put in
    /// its place. What the store knows nothing about is not taken in.
    ForeignCalls {
        /// Where their notes are now.
        calls: PathBuf,
    },
}

impl std::fmt::Display for OpenWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenWarning::JournalMissing { journal } => write!(
                f,
                "the store was not closed and its journal {} is missing: the latest records may be lost",
                journal.display()
            ),
            OpenWarning::ForeignCalls { calls } => write!(
                f,
                "calls were made with another state of the store and may have been billed: their notes are kept in {}",
                calls.display()
            ),
        }
    }
}

/// A store opened for writing, before its thread is started.
pub(super) struct ForWriting {
    pub(super) tables: Tables,
    pub(super) lock: Lock,
    pub(super) path: Arc<Path>,
    pub(super) left: LeftBehind,
}

/// How the last process left the store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastClosing {
    Clean,
    Unclean,
}

/// Opens or creates the store at `path` for the one process that may write to it.
pub(super) fn for_writing(path: &Path, limits: OpenLimits) -> Result<ForWriting, StoreError> {
    require_library(rusqlite::version_number())?;
    let path = place(path)?;
    let lock = Lock::take(&path, Holding::Writing)?;
    let taken = prepare(&path, limits).and_then(|ready| take_over(ready.connection, ready.warnings, &path));
    match taken {
        Ok((tables, left)) => Ok(ForWriting { tables, lock, path: Arc::from(path), left }),
        Err(error) => {
            lock.discard();
            Err(error)
        }
    }
}

/// A store opened for labelling, before its thread is started.
pub(super) struct ForReview {
    pub(super) connection: Connection,
    pub(super) lock: Lock,
    pub(super) path: Arc<Path>,
}

/// Opens the store at `path` for the one process in which people label, beside a run or without one. A store that
/// is missing or older than this program is made or brought up to date first, which needs it for a moment.
pub(super) fn for_review(path: &Path) -> Result<ForReview, StoreError> {
    require_library(rusqlite::version_number())?;
    let path = place(path)?;
    let lock = Lock::take(&path, Holding::Review)?;
    match beside_runs(&path) {
        Ok(connection) => Ok(ForReview { connection, lock, path: Arc::from(path) }),
        Err(error) => {
            lock.discard();
            Err(error)
        }
    }
}

fn beside_runs(path: &Path) -> Result<Connection, StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    let version = if path.exists() { version_of(path)? } else { 0 };
    if version < SCHEMA_VERSION {
        let lock = Lock::take(path, Holding::Writing)?;
        // What a dead process had in flight is left for the next run to find and tell.
        let prepared = prepare(path, OpenLimits::default());
        let folded = prepared.and_then(|ready| fold(&ready.connection, path));
        drop(lock);
        folded?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = connect(path, flags)?;
    if connection.is_readonly("main").map_err(fault)? {
        return Err(StoreError::ReadOnly { path: path.to_path_buf(), doing: OPENING });
    }
    require_journal(&connection, path)?;
    set_for_writing(&connection, OpenLimits::default()).map_err(fault)?;
    connection.busy_handler(Some(try_again)).map_err(fault)?;
    Ok(connection)
}

/// Waits a step, unless there were enough.
fn try_again(n_tries: i32) -> bool {
    std::thread::sleep(BESIDE_STEP);
    n_tries < BESIDE_TRIES_MAX
}

fn version_of(path: &Path) -> Result<i64, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = connect(path, flags)?;
    require_known(&connection, path)
}

/// Folds the journal into the file, as far as readers allow, and syncs both. What they keep from being folded is synced
/// with the next write, as every write is from here on.
pub(super) fn fold(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let folded = connection
        .pragma_update(None, "synchronous", "full")
        .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())));
    folded.map_err(|error| StoreError::of_database(path, OPENING, &error))
}

/// Opens a connection that only reads, beside a writer or without one.
pub(super) fn for_reading(path: &Path) -> Result<Connection, StoreError> {
    require_library(rusqlite::version_number())?;
    if !path.exists() {
        return Err(StoreError::Missing { path: path.to_path_buf() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = connect(path, flags).and_then(|connection| {
        let version = require_known(&connection, path)?;
        Ok((connection, version))
    });
    let (connection, version) = match connection {
        // On read-only media there is no place for the index of a journal. A store at rest has no journal
        // and can be read as a file that nobody changes.
        Err(StoreError::Io { .. } | StoreError::ReadOnly { .. }) if journal_bytes(path) == 0 => {
            let connection = connect_at_rest(path)?;
            let version = require_known(&connection, path)?;
            (connection, version)
        }
        other => other?,
    };
    if version == 0 {
        return Err(StoreError::NotAStore { path: path.to_path_buf(), found: "an empty file" });
    }
    Ok(connection)
}

fn require_library(found: i32) -> Result<(), StoreError> {
    if found < LIBRARY_VERSION_MIN {
        return Err(StoreError::LibraryTooOld { found, needed: LIBRARY_VERSION_MIN });
    }
    Ok(())
}

/// The path with its folder made and its links resolved, so that one store has one lock.
fn place(path: &Path) -> Result<PathBuf, StoreError> {
    const DOING: &str = "making the folder";
    let fault = |error| StoreError::of_system(path, DOING, &error);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.exists() {
        private::folder(folder).map_err(fault)?;
        sync_folder(&folder.join("..")).map_err(fault)?;
    }
    require_local(folder, path)?;
    if path.is_dir() {
        return Err(StoreError::NotAStore { path: path.to_path_buf(), found: "a folder" });
    }
    if path.exists() {
        return path.canonicalize().map_err(fault);
    }
    let Some(name) = path.file_name() else {
        return Err(StoreError::NotAStore { path: path.to_path_buf(), found: "a path without a file name" });
    };
    Ok(folder.canonicalize().map_err(fault)?.join(name))
}

/// Makes a folder's entries durable. The library does this for its own files.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

/// Elsewhere folders cannot be synced.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A store that is up to date, and not yet taken over from whoever wrote to it before.
struct Ready {
    connection: Connection,
    warnings: Vec<OpenWarning>,
}

fn prepare(path: &Path, limits: OpenLimits) -> Result<Ready, StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    let n_journal_bytes = journal_bytes(path);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    private::file(path).map_err(|error| StoreError::of_system(path, OPENING, &error))?;
    let connection = connect(path, flags)?;
    let version = require_known(&connection, path)?;
    if connection.is_readonly("main").map_err(fault)? {
        return Err(StoreError::ReadOnly { path: path.to_path_buf(), doing: OPENING });
    }
    let sync = |level: &str| connection.pragma_update(None, "synchronous", level).map_err(fault);
    if version == 0 {
        // The file says from its first page on that it has a journal; without that page the journal would be thrown
        // away. Nothing else syncs it while somebody reads.
        sync("normal")?;
    }
    require_journal(&connection, path)?;
    set_for_writing(&connection, limits).map_err(fault)?;
    // Nobody is told of anything before the journal is folded, which syncs it first. Until then the disk may have any
    // part of a journal that is new, because what is not whole is not read; one that begins anew over its old pages
    // must not be mixed with them.
    sync(if n_journal_bytes == 0 { "off" } else { "normal" })?;
    if version == 0 {
        create(&connection).map_err(fault)?;
    }
    let closing = last_closing(&connection).map_err(fault)?;
    let mut warnings = Vec::new();
    if closing == LastClosing::Unclean {
        require_sound(&connection, path)?;
        if n_journal_bytes == 0 {
            warnings.push(OpenWarning::JournalMissing { journal: beside(path, "-wal") });
        }
    }
    if (1..SCHEMA_VERSION).contains(&version) {
        bring_up_to_date(&connection, version).map_err(fault)?;
    }
    Ok(Ready { connection, warnings })
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    connect_by_address(path, flags).map_err(|error| StoreError::of_database(path, OPENING, &error))
}

fn connect_by_address(address: &Path, flags: OpenFlags) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags(address, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    connection.pragma_update_and_check(None, "mmap_size", 0, |_| Ok(()))?;
    // Without this guarantee SQLite plans a cached statement anew whenever other values are bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Opens a store that has no journal as a file that nobody changes.
fn connect_at_rest(path: &Path) -> Result<Connection, StoreError> {
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                address.push(char::from(*byte));
            }
            other => write!(address, "%{other:02X}").expect("a string takes whatever is written"),
        }
    }
    address.push_str("?immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    connect_by_address(Path::new(&address), flags)
        .map_err(|error| StoreError::of_database(path, OPENING, &error))
}

/// The schema version, 0 for a file in which nothing was written yet.
fn require_known(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(fault)?;
    let version = number("user_version").map_err(fault)?;
    let n_tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(fault)?;
    if (application, version, n_tables) == (0, 0, 0) {
        return Ok(0);
    }
    if application != APPLICATION_ID || version < 1 {
        return Err(StoreError::NotAStore {
            path: path.to_path_buf(),
            found: "the database of another program",
        });
    }
    if version > SCHEMA_VERSION {
        return Err(StoreError::TooNew { path: path.to_path_buf(), found: version, known: SCHEMA_VERSION });
    }
    Ok(version)
}

/// Turns the journal on. In another mode readers and the writer would wait for each other.
fn require_journal(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let mode = journal_mode(connection).map_err(|error| StoreError::of_database(path, OPENING, &error))?;
    if mode == "wal" { Ok(()) } else { Err(StoreError::no_journal(path, OPENING, &mode)) }
}

/// The mode after it was set. The statement tells the mode before it has written it, and what goes wrong
/// with the writing is heard only when it is run to its end.
fn journal_mode(connection: &Connection) -> Result<String, rusqlite::Error> {
    let mut set = connection.prepare("PRAGMA journal_mode = wal")?;
    let mut rows = set.query([])?;
    let mut mode = String::new();
    while let Some(row) = rows.next()? {
        mode = row.get(0)?;
    }
    Ok(mode)
}

fn set_for_writing(connection: &Connection, limits: OpenLimits) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "synchronous", "full")?;
    // Without these two, a sync on macOS ends in the drive's cache.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", CACHE_KIB_NEGATIVE)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))?;
    limit_journal(connection, JOURNAL_BYTES_KEPT)?;
    // The journal of a store that was not closed stays, as the sign that nothing took it away.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    if let Some(pages_max) = limits.pages_max {
        connection.pragma_update_and_check(None, "max_page_count", pages_max, |_| Ok(()))?;
    }
    Ok(())
}

/// How much of the journal's file stays when it starts over.
pub(super) fn limit_journal(connection: &Connection, n_bytes: i64) -> Result<(), rusqlite::Error> {
    connection.pragma_update_and_check(None, "journal_size_limit", n_bytes, |_| Ok(()))
}

/// Writes the empty schema. A crash before its commit leaves a file that counts as new.
fn create(connection: &Connection) -> Result<(), rusqlite::Error> {
    let schema = include_str!("schema.sql");
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         {schema}
         {}
         INSERT INTO mark (id, openings, closing) VALUES (1, 0, 'clean');
         PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {SCHEMA_VERSION};
         COMMIT;",
        ADDED.concat()
    ))
}

/// Brings a store of an earlier version up to date. A crash before its commit leaves it as it was.
fn bring_up_to_date(connection: &Connection, version: i64) -> Result<(), rusqlite::Error> {
    let known = usize::try_from(version - 1).expect("versions are counted from one");
    let added = ADDED[known..].concat();
    connection
        .execute_batch(&format!("BEGIN IMMEDIATE; {added} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"))
}

fn last_closing(connection: &Connection) -> Result<LastClosing, rusqlite::Error> {
    let closing: String = connection.query_row("SELECT closing FROM mark", [], |row| row.get(0))?;
    Ok(if closing == "clean" { LastClosing::Clean } else { LastClosing::Unclean })
}

fn require_sound(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    const DOING: &str = "checking";
    let found: Option<String> = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .optional()
        .map_err(|error| StoreError::of_database(path, DOING, &error))?;
    match found {
        Some(found) if found != "ok" => Err(StoreError::damaged(path, DOING, found)),
        _ => Ok(()),
    }
}

/// The size of the journal beside the store, 0 if there is none.
pub(super) fn journal_bytes(path: &Path) -> u64 {
    beside(path, "-wal").metadata().map_or(0, |metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_library_is_refused() {
        let error = require_library(3_051_002).unwrap_err().to_string();
        assert_eq!(error, "the SQLite library is version 3051002, expected 3051003 or later");
        assert_eq!(require_library(rusqlite::version_number()), Ok(()));
    }
}
