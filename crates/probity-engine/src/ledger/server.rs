//! A store on a server: connecting, the schema, and coming back after the connection was lost.
//!
//! The schema is made and changed under a lock on the one row of `probity_store`, by whichever role may. A transaction
//! whose commit was not answered is looked up before anything is repeated: each writer counts its transactions in a row
//! of its own, as part of them.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::address::ServerAddress;
use super::db::{Db, DbError, Pg, schema_for_postgres, vals};
use super::error::{FailureKind, StoreError};
use super::open::SCHEMA_VERSION;

const OPENING: &str = "opening";

/// How often a lock, or another process that makes the schema, is met before that is an error.
const TRIES_MAX: u32 = 20;

/// How many leases long a server that cannot be reached is tried again.
const RECONNECT_LEASES_MAX: u32 = 4;

/// How long a server that restarts is waited for when a store is opened.
pub(super) const OPENING_MAX: Duration = Duration::from_secs(5);

/// How long a writer's row is certain to stay: less than the day after which upkeep removes it.
const LEFT_OVER: Duration = Duration::from_hours(12);

/// The pause between two tries to reach it.
const RECONNECT_PAUSE: Duration = Duration::from_millis(250);

/// Opens a store for writing. The schema is made where there is none.
pub(super) fn for_writing(address: &ServerAddress, path: &Path) -> Result<Db, StoreError> {
    patiently(OPENING_MAX, || writer(address, path))
}

/// Connects for reading, and waits so long for a server that cannot be reached.
pub(super) fn for_reading(
    address: &ServerAddress,
    path: &Path,
    wait_max: Duration,
) -> Result<Db, StoreError> {
    patiently(wait_max, || reader(address, path))
}

fn writer(address: &ServerAddress, path: &Path) -> Result<Db, StoreError> {
    let server = connected(address).map_err(|error| StoreError::of_database(path, OPENING, &error))?;
    let mut n_tries = 0;
    loop {
        let found = version(&server).map_err(|error| StoreError::of_database(path, OPENING, &error))?;
        if found > 0 {
            check_version(found, path)?;
            return Ok(Db::Postgres(Box::new(server)));
        }
        match create(&server) {
            Ok(()) => {}
            // Another process makes it at the same moment.
            Err(error) if error.kind == FailureKind::Conflict && n_tries < TRIES_MAX => {
                server.rollback();
                std::thread::sleep(RECONNECT_PAUSE);
            }
            Err(error) => return Err(uncreated(path, &error)),
        }
        n_tries += 1;
    }
}

fn reader(address: &ServerAddress, path: &Path) -> Result<Db, StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    let server = connected(address).map_err(fault)?;
    match version(&server).map_err(fault)? {
        0 => Err(StoreError::not_a_store(path, "a database without one; `probity run` makes it")),
        found => {
            check_version(found, path)?;
            Ok(Db::Postgres(Box::new(server)))
        }
    }
}

fn connected(address: &ServerAddress) -> Result<Pg, DbError> {
    let config = address.config().map_err(|why| DbError::new(FailureKind::Refused, why))?;
    // Half a lease: a worker that waits for a lock can still be heard in time.
    Pg::connect(&config, address.protection, address.options.lease / 2)
}

/// The version of the schema; 0 where there is none.
fn version(server: &Pg) -> Result<i64, DbError> {
    let mut version = 0_i64;
    let asked = server.each("SELECT version FROM probity_store WHERE id = 1", &[], |row| {
        version = row.get(0)?;
        Ok(())
    });
    match asked {
        Err(error) if error.kind == FailureKind::NotADatabase => Ok(0),
        other => other.map(|_| version),
    }
}

fn check_version(found: i64, path: &Path) -> Result<(), StoreError> {
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    let why = if found > SCHEMA_VERSION {
        format!(
            "its schema is version {found}, and this program knows version {SCHEMA_VERSION}; update probity"
        )
    } else {
        "it was made by an unreleased version of probity; use a new database".to_owned()
    };
    Err(StoreError::Unusable { path: path.to_path_buf(), why })
}

/// Makes the schema, unless another process has done so meanwhile. What dies half-way has made nothing.
fn create(server: &Pg) -> Result<(), DbError> {
    const STORE: &str = "CREATE TABLE IF NOT EXISTS probity_store (id BIGINT PRIMARY KEY CHECK (id = 1),
        version BIGINT NOT NULL);
        INSERT INTO probity_store (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING";
    const LOCK: &str = "SELECT version FROM probity_store WHERE id = 1 FOR UPDATE";
    server.script(STORE)?;
    server.begin();
    let mut version = 0_i64;
    server.each(LOCK, &[], |row| {
        version = row.get(0)?;
        Ok(())
    })?;
    if version == 0 {
        server.script(&schema_for_postgres(include_str!("schema.sql")))?;
        server
            .each("UPDATE probity_store SET version = ?1 WHERE id = 1", &vals![SCHEMA_VERSION], |_| Ok(()))?;
    }
    server.commit()
}

fn uncreated(path: &Path, error: &DbError) -> StoreError {
    match error.kind {
        FailureKind::Denied => StoreError::Unusable {
            path: path.to_path_buf(),
            why: format!(
                "it has no tables yet, and this role may not create them ({}); run `probity store check` once with a role that may",
                error.text
            ),
        },
        _ => StoreError::of_database(path, OPENING, error),
    }
}

/// Waits until no other process writes what it has read, which is so until the end of the transaction.
pub(super) fn wait_for_turn(db: &Db) -> Result<(), DbError> {
    const SQL: &str = "SELECT version FROM probity_store WHERE id = 1 {for_update}";
    match db.row(SQL, &[], |row| row.get::<i64>(0))? {
        Some(SCHEMA_VERSION) => Ok(()),
        found => {
            let text = format!(
                "the schema is version {} by now, and this program knows {SCHEMA_VERSION}",
                found.unwrap_or(0)
            );
            Err(DbError::new(FailureKind::Io, text))
        }
    }
}

/// What a writer on a server needs to come back.
pub(super) struct Link {
    pub(super) address: Arc<ServerAddress>,
    /// What this writer's transactions are known by.
    id: i64,
    /// How many it has begun.
    n: i64,
    /// The last one that the server said it has committed, and when.
    acknowledged: Option<(i64, Instant)>,
    /// When the workers of this process have to be heard next.
    pub(super) next_beat: Instant,
}

impl Link {
    pub(super) fn new(address: Arc<ServerAddress>) -> Link {
        let id = i64::from_be_bytes(rand::random::<[u8; 8]>()) & i64::MAX;
        Link { address, id, n: 0, acknowledged: None, next_beat: Instant::now() }
    }

    /// How long a worker lives without being heard.
    pub(super) fn lease(&self) -> Duration {
        self.address.options.lease
    }

    /// Marks the transaction as the next of this writer, as part of it.
    pub(super) fn mark(&mut self, db: &Db) -> Result<(), DbError> {
        const MARK: &str = "INSERT INTO writer (id, n, at_ms)
            SELECT u.id, u.n, {now_ms} FROM {rows(id BIGINT, n BIGINT)} u WHERE true
            ON CONFLICT (id) DO UPDATE SET n = excluded.n, at_ms = excluded.at_ms";
        self.n += 1;
        db.send_set(MARK, &[vals![self.id, self.n].into()])
    }

    /// The transaction marked last is on the server's disk.
    pub(super) fn acknowledge(&mut self) {
        self.acknowledged = Some((self.n, Instant::now()));
    }

    /// Whether the server, by the last transaction of this writer that it has, lacks one that it had committed: it is
    /// another than before, or was set back. Numbers that it gives to calls from now on may be those of calls that are
    /// under way. A row that is missing after hours was taken for one that is left over.
    fn lacks(&self, n: i64) -> bool {
        let is_known = |at: &Instant| n > 0 || at.elapsed() < LEFT_OVER;
        self.acknowledged.is_some_and(|(acknowledged, at)| n < acknowledged && is_known(&at))
    }

    /// Whether the transaction marked last was committed. Writing to its mark waits until a session that was cut off has
    /// ended: its COMMIT may be on the way still, and would come after a mere look.
    fn is_committed(&self, db: &Db, path: &Path) -> Result<bool, StoreError> {
        const FIND: &str = "INSERT INTO writer (id, n, at_ms) VALUES (?1, 0, {now_ms})
            ON CONFLICT (id) DO UPDATE SET at_ms = excluded.at_ms RETURNING n";
        let look = || {
            db.begin()?;
            let n = db.row(FIND, &vals![self.id], |row| row.get::<i64>(0))?;
            db.commit()?;
            Ok(n.unwrap_or(0))
        };
        let n = look().map_err(|error| StoreError::of_database(path, OPENING, &error))?;
        if self.lacks(n) {
            let why = "the server lacks what it had committed, as after a failover to a copy that was behind; run the same \
                command again: what is missing is asked again";
            return Err(StoreError::Unusable { path: path.to_path_buf(), why: why.to_owned() });
        }
        Ok(n == self.n)
    }

    /// Removes the row of this writer, which has come to its end.
    pub(super) fn forget(&self, db: &Db) -> Result<(), DbError> {
        db.run("DELETE FROM writer WHERE id = ?1", &vals![self.id]).map(drop)
    }

    /// Connects again, and tells whether the transaction marked last was committed.
    pub(super) fn reconnected(&self, path: &Path) -> Result<(Db, bool), StoreError> {
        patiently(restart_max(&self.address), || {
            let db = writer(&self.address, path)?;
            let is_committed = self.is_committed(&db, path)?;
            Ok((db, is_committed))
        })
    }
}

/// How long a process at work waits for a server that restarts.
pub(super) fn restart_max(address: &ServerAddress) -> Duration {
    address.options.lease * RECONNECT_LEASES_MAX
}

/// Connects by `connect`, and waits so long for a server that cannot be reached.
fn patiently<T>(
    wait_max: Duration,
    mut connect: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let until = Instant::now() + wait_max;
    loop {
        let refused = match connect() {
            Ok(connected) => return Ok(connected),
            Err(error) => error,
        };
        let passes = matches!(
            refused.failure(),
            Some(FailureKind::Lost | FailureKind::Crowded | FailureKind::Conflict)
        );
        if !passes || Instant::now() > until {
            return Err(refused);
        }
        std::thread::sleep(RECONNECT_PAUSE.mul_f64(0.5 + rand::random::<f64>()));
    }
}
