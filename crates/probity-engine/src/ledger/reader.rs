//! Reading what the store knows, on a connection of its own.
//!
//! A reader never waits for the writer and never holds it up: each question is a transaction by itself
//! and sees everything that was acknowledged before it was asked, unless the reader is a snapshot, which
//! sees one moment. Statements are prepared once. A question that a server did not answer because it restarted is asked
//! again, but for those of a snapshot, whose moment is gone.

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Weak};

use probity_core::packet::PacketHash;

use super::db::{Db, DbError, Row, vals};
use super::error::{FailureKind, StoreError};
use super::known::attempt_outcome;
use super::record::{AttemptId, AttemptRecord, AttemptTold, RunId, Totals};
use super::{Shared, totals};
use crate::judge::JudgeId;

const READING: &str = "reading";

/// How often a question is asked of a server that was lost meanwhile. Each time, the server is waited for.
const TRIES_MAX: u32 = 10;

/// A reading connection. It can be sent to a thread, and answers one question at a time.
pub struct Reader {
    /// `None` only while it is dropped.
    db: RefCell<Option<Db>>,
    path: Arc<Path>,
    /// Where connections come from, and where they go afterwards.
    home: Weak<Shared>,
    is_snapshot: bool,
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let (Some(db), Some(home)) = (self.db.take(), self.home.upgrade()) {
            if self.is_snapshot {
                db.rollback();
            }
            home.keep(db);
        }
    }
}

impl Reader {
    pub(super) fn new(db: Db, path: Arc<Path>, home: Weak<Shared>) -> Reader {
        Reader { db: RefCell::new(Some(db)), path, home, is_snapshot: false }
    }

    /// Asks the database something, which leaves no trace in the question: it may be asked again.
    pub(crate) fn ask<T>(&self, question: impl Fn(&Db) -> Result<T, DbError>) -> Result<T, StoreError> {
        let mut n_tries = 0;
        loop {
            let answer = question(self.db.borrow().as_ref().expect("the connection goes last"));
            let error = match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            n_tries += 1;
            let may_pass = error.kind == FailureKind::Lost && !self.is_snapshot && n_tries < TRIES_MAX;
            match (self.home.upgrade().filter(|_| may_pass), self.db.try_borrow_mut()) {
                (Some(home), Ok(mut db)) => {
                    *db = Some(home.reconnected().map_err(|error| error.met(READING))?);
                }
                _ => return Err(StoreError::of_database(&self.path, READING, &error)),
            }
        }
    }

    /// Makes every later answer one from this moment.
    pub(super) fn snapshot(&mut self) -> Result<(), StoreError> {
        self.ask(Db::begin_snapshot)?;
        self.is_snapshot = true;
        Ok(())
    }

    /// Every attempt at one packet with its raw answer, in the order they began. With this a better
    /// parser can be applied without asking again.
    pub fn attempts_of(
        &self,
        packet: &PacketHash,
        judge: &JudgeId,
        repeat: u32,
    ) -> Result<Vec<AttemptRecord>, StoreError> {
        const SQL: &str = "SELECT state, outcome, attempt.id, run, n, cause, started_unix_ms, superseded,
                detail, http_status, answer.raw, model, fingerprint, tokens_in, tokens_out, elapsed_ms
            FROM attempt LEFT JOIN answer ON answer.attempt = attempt.id
            WHERE packet = (SELECT id FROM packet WHERE hash = ?1)
                AND judge = (SELECT id FROM judge WHERE hash = ?2) AND repeat = ?3
            ORDER BY attempt.id";
        let key = vals![packet.as_bytes(), judge.as_str(), repeat];
        self.ask(|db| db.rows(SQL, &key, attempt_record))
    }

    /// The canonical text of a packet.
    pub fn packet_body(&self, packet: &PacketHash) -> Result<Option<String>, StoreError> {
        const SQL: &str = "SELECT body FROM packet WHERE hash = ?1";
        self.ask(|db| db.row(SQL, &vals![packet.as_bytes()], |row| row.get(0)))
    }

    /// The judges with their identities as JSON, in the order they were registered.
    pub fn judges(&self) -> Result<Vec<(JudgeId, String)>, StoreError> {
        const SQL: &str = "SELECT hash, identity FROM judge ORDER BY id";
        self.ask(|db| db.rows(SQL, &[], |row| Ok((JudgeId::stored(row.text(0)?), row.get(1)?))))
    }

    /// The judges that settled at least one packet, in the order they were registered.
    pub fn judges_with_settlements(&self) -> Result<Vec<JudgeId>, StoreError> {
        const SQL: &str = "SELECT hash FROM judge
            WHERE EXISTS (SELECT 1 FROM settlement WHERE settlement.judge = judge.id) ORDER BY id";
        self.ask(|db| db.rows(SQL, &[], |row| Ok(JudgeId::stored(row.text(0)?))))
    }

    /// A small fact that was kept before.
    pub fn noted(&self, key: &str) -> Result<Option<String>, StoreError> {
        const SQL: &str = "SELECT value FROM note WHERE key = ?1";
        self.ask(|db| db.row(SQL, &vals![key], |row| row.get(0)))
    }

    /// The models and fingerprints that gave the answers which the judge's verdicts in this store were read from,
    /// each once.
    pub fn answered_by(&self, judge: &JudgeId) -> Result<[Vec<String>; 2], StoreError> {
        let names = |column: &str| {
            let sql = format!(
                "SELECT DISTINCT attempt.{column} FROM settlement JOIN attempt ON attempt.id = settlement.attempt
                 WHERE settlement.judge = (SELECT id FROM judge WHERE hash = ?1)
                     AND settlement.verdict IS NOT NULL AND attempt.{column} IS NOT NULL ORDER BY 1"
            );
            self.ask(|db| db.rows(&sql, &vals![judge.as_str()], |row| row.get(0)))
        };
        Ok([names("model")?, names("fingerprint")?])
    }

    /// What a run has spent on a judge, and what the judge said about itself.
    pub fn totals(&self, judge: &JudgeId, run: RunId) -> Result<Totals, StoreError> {
        self.ask(|db| totals::totals(db, judge, run))
    }
}

fn attempt_record(row: &Row<'_>) -> Result<AttemptRecord, DbError> {
    Ok(AttemptRecord {
        outcome: attempt_outcome(row, 0)?,
        attempt: AttemptId(row.get(2)?),
        run: RunId(row.get(3)?),
        n: row.get(4)?,
        cause: row.get(5)?,
        started_unix_ms: row.get(6)?,
        is_superseded: row.get(7)?,
        detail: row.get::<Option<String>>(8)?.unwrap_or_default(),
        http_status: row.get(9)?,
        raw: row.get::<Option<Vec<u8>>>(10)?.unwrap_or_default(),
        told: AttemptTold {
            model: row.get(11)?,
            fingerprint: row.get(12)?,
            tokens_in: row.get(13)?,
            tokens_out: row.get(14)?,
            elapsed_ms: row.get(15)?,
        },
    })
}
