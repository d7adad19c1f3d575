//! Looking after a store: whether it is whole, how large it is, and giving back room.

use probity_core::packet::PacketHash;

use super::address::StoreAddress;
use super::db::{Db, DbError, vals};
use super::error::StoreError;
use super::forget::ERASED;
use super::known::packet_hash;
use super::reader::Reader;
use super::{Store, open, server};

/// Every table of a store.
const TABLES: [&str; 27] = [
    "note", "writer", "text", "judge", "case_list", "case_record", "run", "budget", "lane", "worker",
    "batch", "packet", "attempt", "answer", "settlement", "label", "person", "invitation", "session",
    "queue", "item", "seat", "act", "sight", "taken_back", "probity_store", "door_act",
];

/// Packets that are looked at together.
const PAGE: usize = 256;

/// How large a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStats {
    /// The rows of each table.
    pub rows: Vec<(&'static str, u64)>,
    /// Verdicts that stand.
    pub n_verdicts: u64,
    /// Calls in flight at this moment.
    pub n_in_flight: u64,
    /// Calls that were lost: possibly billed, not recorded.
    pub n_lost: u64,
    /// Workers that are alive by the database's clock; `None` for a file, whose lock says that.
    pub n_workers: Option<u64>,
    /// Bytes on the disk, indexes included.
    pub n_bytes: u64,
}

impl Reader {
    /// How large the store is.
    pub fn stats(&self) -> Result<StoreStats, StoreError> {
        self.ask(stats)
    }

    /// What is wrong with the store, in words: nothing where it is whole.
    pub fn faults(&self) -> Result<Vec<String>, StoreError> {
        self.ask(faults)
    }
}

fn number(db: &Db, sql: &str) -> Result<u64, DbError> {
    Ok(db.row(sql, &[], |row| row.get(0))?.unwrap_or(0))
}

fn stats(db: &Db) -> Result<StoreStats, DbError> {
    let mut rows = Vec::new();
    for table in TABLES.into_iter().filter(|table| db.is_shared() || *table != "probity_store") {
        rows.push((table, number(db, &format!("SELECT count(*) FROM {table}"))?));
    }
    let bytes = if db.is_shared() {
        let sizes = TABLES.map(|table| format!("pg_total_relation_size('{table}')"));
        format!("SELECT {}", sizes.join(" + "))
    } else {
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()".to_owned()
    };
    let alive = "SELECT count(*) FROM worker WHERE until_ms > {now_ms}";
    Ok(StoreStats {
        rows,
        n_verdicts: number(db, "SELECT count(*) FROM settlement WHERE verdict IS NOT NULL")?,
        n_in_flight: number(db, "SELECT count(*) FROM attempt WHERE state = 'in_flight'")?,
        n_lost: number(db, "SELECT count(*) FROM attempt WHERE state = 'lost'")?,
        n_workers: if db.is_shared() { Some(number(db, alive)?) } else { None },
        n_bytes: number(db, &bytes)?,
    })
}

/// Questions whose answer is 0 in a store that is whole, with what another number means.
const CHECKS: &[(&str, &str)] = &[
    (
        "SELECT count(*) FROM settlement JOIN attempt ON attempt.id = settlement.attempt
            WHERE attempt.packet <> settlement.packet OR attempt.judge <> settlement.judge
                OR attempt.repeat <> settlement.repeat OR attempt.state <> 'ended'",
        "settlements are not of the attempt they name",
    ),
    (
        "SELECT count(*) FROM settlement WHERE NOT EXISTS
            (SELECT 1 FROM attempt WHERE attempt.id = settlement.attempt)",
        "settlements have no attempt",
    ),
    (
        "SELECT count(*) FROM answer WHERE NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.id = answer.attempt)",
        "answers have no attempt",
    ),
    (
        "SELECT count(*) FROM (SELECT worker.id FROM worker LEFT JOIN attempt ON attempt.worker = worker.id
                AND attempt.state <> 'in_flight'
            GROUP BY worker.id, worker.calls HAVING worker.calls <> count(attempt.id)) AS counted",
        "workers have counted other calls than there are",
    ),
];

fn faults(db: &Db) -> Result<Vec<String>, DbError> {
    let mut faults = Vec::new();
    if !db.is_shared() {
        let told = db.rows("PRAGMA integrity_check", &[], |row| row.get::<String>(0))?;
        faults.extend(told.into_iter().filter(|line| line != "ok"));
        let n_orphans = number(db, "SELECT count(*) FROM pragma_foreign_key_check()")?;
        if n_orphans > 0 {
            faults.push(format!("{n_orphans} rows refer to others that are not there"));
        }
    }
    for (sql, what) in CHECKS {
        let n = number(db, sql)?;
        if n > 0 {
            faults.push(format!("{n} {what}"));
        }
    }
    let n_changed = changed_packets(db)?;
    if n_changed > 0 {
        faults.push(format!("{n_changed} packets are not what their hash says"));
    }
    Ok(faults)
}

/// How many packets have another text than the one they are named after. One whose text was not kept has none.
fn changed_packets(db: &Db) -> Result<u64, DbError> {
    let sql = format!("SELECT id, hash, body FROM packet WHERE id > ?1 ORDER BY id LIMIT {PAGE}");
    let (mut last, mut n_changed) = (0_i64, 0_u64);
    loop {
        let (mut n_rows, mut end) = (0, last);
        db.each(&sql, &vals![last], |row| {
            end = row.get(0)?;
            n_rows += 1;
            let (named, body) = (packet_hash(row, 1)?, row.text(2)?);
            let hash = PacketHash::from_bytes(*blake3::hash(body.as_bytes()).as_bytes());
            n_changed += u64::from(!body.is_empty() && body != ERASED && hash != named);
            Ok(())
        })?;
        last = end;
        if n_rows < PAGE {
            return Ok(n_changed);
        }
    }
}

/// Gives back the room of what is no longer there, and lets a server plan anew.
pub fn vacuum(address: impl Into<StoreAddress>) -> Result<(), StoreError> {
    const DOING: &str = "giving back room";
    match address.into() {
        StoreAddress::File(path) => {
            let open::ForWriting { db, lock, path, .. } = open::for_writing(&path)?;
            let fault = |error| StoreError::of_database(&path, DOING, &error);
            db.sqlite().map_or(Ok(()), |file| file.script("VACUUM")).map_err(fault)?;
            open::close(db, Some(&lock)).map_err(fault)
        }
        StoreAddress::Server(address) => {
            // The rows of writers that ended without a word a day ago.
            const STALE: &str = "DELETE FROM writer WHERE at_ms < {now_ms} - 86400000";
            let shown = StoreAddress::Server(address.clone()).to_string();
            let db = server::for_writing(&address, shown.as_ref())?;
            let fault = |error| StoreError::of_database(shown.as_ref(), DOING, &error);
            db.run(STALE, &[]).map_err(fault)?;
            db.run("VACUUM (ANALYZE)", &[]).map(drop).map_err(fault)
        }
    }
}

impl Store {
    /// Adds everything that other stores hold.
    pub fn merge(&self, others: &[Store]) -> Result<super::Copied, StoreError> {
        let mut all = super::Copied::default();
        for other in others {
            let copied = super::copy(other, self)?;
            for (table, n) in copied.added {
                *all.added.entry(table).or_default() += n;
            }
            all.contradictions.extend(copied.contradictions);
        }
        Ok(all)
    }
}
