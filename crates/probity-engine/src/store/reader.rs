//! Reading what the store knows, on a connection of its own.
//!
//! A reader never waits for the writer and never holds it up: each question is a transaction by itself
//! and sees everything that was acknowledged before it was asked, unless the reader is a snapshot, which
//! sees one moment. Statements are prepared once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use probity_core::packet::{ByDigest, PacketHash, PacketMap, PacketSet};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::StoreError;
use super::recent::Recent;
use super::record::{
    AttemptId, AttemptOutcome, AttemptRecord, AttemptSummary, JudgeId, Manifest, Mark, RunId, RunRecord,
    RunState, SettledKind, SettlementRecord, Totals,
};
use super::tables::parts_of_text;
use super::totals;

const READING: &str = "reading";

/// The page cache of a snapshot: 16 MiB, which SQLite takes in KiB as a negative number.
const CACHE_KIB_NEGATIVE: i64 = -16 * 1024;

/// A reading connection. It can be sent to a thread, and answers one question at a time.
pub struct Reader {
    connection: Connection,
    path: Arc<Path>,
    /// Verdicts that need not be looked up.
    recent: Arc<Recent>,
}

impl Reader {
    pub(super) fn new(connection: Connection, path: Arc<Path>) -> Reader {
        Reader { connection, path, recent: Arc::default() }
    }

    /// The reader, with verdicts that were acknowledged before its moment.
    pub(super) fn knowing(self, recent: Recent) -> Reader {
        Reader { recent: Arc::new(recent), ..self }
    }

    /// Asks the connection something.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, StoreError> {
        self.answer(question(&self.connection))
    }

    /// Makes every later answer one from this moment. The first read fixes the moment. Whoever wants that asks
    /// much, so more pages are kept in memory than for a few questions.
    pub(super) fn freeze(&self) -> Result<(), StoreError> {
        let frozen = self
            .connection
            .pragma_update(None, "cache_size", CACHE_KIB_NEGATIVE)
            .and_then(|()| self.connection.execute_batch("BEGIN; SELECT 1 FROM mark;"));
        self.answer(frozen)
    }

    /// What is settled for one repeat of a judge, by packet.
    pub fn settled(&self, judge: &JudgeId, repeat: u32) -> Result<PacketMap<SettledKind>, StoreError> {
        self.answer(settled(&self.connection, judge, repeat))
    }

    /// What is settled about one packet.
    pub fn settlement(
        &self,
        packet: &PacketHash,
        judge: &JudgeId,
        repeat: u32,
    ) -> Result<Option<SettlementRecord>, StoreError> {
        const SQL: &str = "SELECT settlement.attempts, settlement.reason, settlement.detail, verdict.body
            FROM settlement LEFT JOIN verdict ON verdict.id = settlement.verdict
            WHERE judge = (SELECT id FROM judge WHERE hash = ?2)
                AND packet = (SELECT id FROM packet WHERE hash = ?1) AND repeat = ?3";
        if let Some((body, attempts)) = self.recent.verdict(packet, judge, repeat) {
            return Ok(Some(SettlementRecord::Verdict { body: body.to_owned(), attempts }));
        }
        self.answer(self.connection.prepare_cached(SQL).and_then(|mut select| {
            let key = params![packet.as_bytes(), judge.as_str(), repeat];
            select.query_row(key, settlement_record).optional()
        }))
    }

    /// The attempt at one packet that began last.
    pub fn last_attempt(
        &self,
        packet: &PacketHash,
        judge: &JudgeId,
        repeat: u32,
    ) -> Result<Option<AttemptSummary>, StoreError> {
        const SQL: &str = "SELECT state, outcome, n, detail FROM attempt
            WHERE packet = (SELECT id FROM packet WHERE hash = ?1)
                AND judge = (SELECT id FROM judge WHERE hash = ?2) AND repeat = ?3
            ORDER BY id DESC LIMIT 1";
        self.answer(self.connection.prepare_cached(SQL).and_then(|mut select| {
            let key = params![packet.as_bytes(), judge.as_str(), repeat];
            select.query_row(key, attempt_summary).optional()
        }))
    }

    /// Every attempt at one packet with its raw answer, in the order they began. With this a better
    /// parser can be applied without asking anyone again.
    pub fn attempts_of(
        &self,
        packet: &PacketHash,
        judge: &JudgeId,
        repeat: u32,
    ) -> Result<Vec<AttemptRecord>, StoreError> {
        const SQL: &str = "SELECT state, outcome, attempt.id, run, n, cause, started_unix_ms, superseded,
                detail, http_status, answer.raw
            FROM attempt LEFT JOIN answer ON answer.attempt = attempt.id
            WHERE packet = (SELECT id FROM packet WHERE hash = ?1)
                AND judge = (SELECT id FROM judge WHERE hash = ?2) AND repeat = ?3
            ORDER BY attempt.id";
        self.answer(self.connection.prepare_cached(SQL).and_then(|mut select| {
            let key = params![packet.as_bytes(), judge.as_str(), repeat];
            select.query_map(key, attempt_record)?.collect()
        }))
    }

    /// The canonical text of a packet.
    pub fn packet_body(&self, packet: &PacketHash) -> Result<Option<String>, StoreError> {
        const SQL: &str = "SELECT body FROM packet WHERE hash = ?1";
        self.answer(
            self.connection
                .prepare_cached(SQL)
                .and_then(|mut select| select.query_row([packet.as_bytes()], |row| row.get(0)).optional()),
        )
    }

    /// The judges with their identities as JSON, in the order they were registered.
    pub fn judges(&self) -> Result<Vec<(JudgeId, String)>, StoreError> {
        const SQL: &str = "SELECT hash, identity FROM judge ORDER BY id";
        self.answer(self.connection.prepare_cached(SQL).and_then(|mut select| {
            select
                .query_map([], |row| Ok((JudgeId::stored(row.get_ref(0)?.as_str()?), row.get(1)?)))?
                .collect()
        }))
    }

    /// The judges that settled at least one packet, in the order they were registered.
    pub fn judges_with_settlements(&self) -> Result<Vec<JudgeId>, StoreError> {
        const SQL: &str = "SELECT hash FROM judge
            WHERE EXISTS (SELECT 1 FROM settlement WHERE settlement.judge = judge.id) ORDER BY id";
        self.answer(self.connection.prepare_cached(SQL).and_then(|mut select| {
            select.query_map([], |row| Ok(JudgeId::stored(row.get_ref(0)?.as_str()?)))?.collect()
        }))
    }

    /// The runs in the order they were begun.
    pub fn runs(&self) -> Result<Vec<RunRecord>, StoreError> {
        const SQL: &str = "SELECT id, name, parts, body, state FROM run ORDER BY id";
        self.answer(
            self.connection
                .prepare_cached(SQL)
                .and_then(|mut select| select.query_map([], run_record)?.collect()),
        )
    }

    /// The latest run with exactly this name and these parts.
    pub fn find_run(&self, manifest: &Manifest) -> Result<Option<RunId>, StoreError> {
        let runs = self.runs()?;
        let same = |run: &&RunRecord| run.manifest.name == manifest.name && run.manifest.same_parts(manifest);
        Ok(runs.iter().rev().find(same).map(|record| record.run))
    }

    /// The packets that a judge was asked about and that have no settlement.
    pub fn attempted_unsettled(&self, judge: &JudgeId, repeat: u32) -> Result<PacketSet, StoreError> {
        const SQL: &str = "SELECT DISTINCT packet.hash FROM attempt JOIN packet ON packet.id = attempt.packet
            WHERE attempt.judge = (SELECT id FROM judge WHERE hash = ?1) AND attempt.repeat = ?2
                AND NOT EXISTS (SELECT 1 FROM settlement WHERE settlement.judge = attempt.judge
                    AND settlement.packet = attempt.packet AND settlement.repeat = attempt.repeat)";
        self.answer(self.connection.prepare_cached(SQL).and_then(|mut select| {
            select.query_map(params![judge.as_str(), repeat], |row| packet_hash(row, 0))?.collect()
        }))
    }

    /// A fact noted before.
    pub fn noted(&self, key: &str) -> Result<Option<String>, StoreError> {
        const SQL: &str = "SELECT value FROM note WHERE key = ?1";
        self.answer(
            self.connection
                .prepare_cached(SQL)
                .and_then(|mut select| select.query_row([key], |row| row.get(0)).optional()),
        )
    }

    /// Whoever gave the answers that the judge's verdicts in this store were read from: what they call themselves,
    /// and their fingerprints, each once.
    pub fn answered_by(&self, judge: &JudgeId) -> Result<[Vec<String>; 2], StoreError> {
        let names = |column: &str| {
            let mut select = self.connection.prepare_cached(&format!(
                "SELECT DISTINCT attempt.{column} FROM settlement JOIN attempt ON attempt.id = settlement.attempt
                 WHERE settlement.judge = (SELECT id FROM judge WHERE hash = ?1)
                     AND settlement.verdict IS NOT NULL AND attempt.{column} IS NOT NULL ORDER BY 1"
            ))?;
            select.query_map([judge.as_str()], |row| row.get(0))?.collect()
        };
        Ok([self.answer(names("model"))?, self.answer(names("fingerprint"))?])
    }

    /// What a run has spent on a judge, and what the judge said about itself.
    pub fn totals(&self, judge: &JudgeId, run: RunId) -> Result<Totals, StoreError> {
        self.answer(totals::totals(&self.connection, judge, run))
    }

    fn answer<T>(&self, result: Result<T, rusqlite::Error>) -> Result<T, StoreError> {
        result.map_err(|error| StoreError::of_database(&self.path, READING, &error))
    }
}

/// Two scans and no join: the settlements' kinds by the packets' numbers, then the numbers' hashes from
/// the index alone. The packets' texts, by far the most of the file, are not touched.
fn settled(
    connection: &Connection,
    judge: &JudgeId,
    repeat: u32,
) -> Result<PacketMap<SettledKind>, rusqlite::Error> {
    let mut select = connection.prepare_cached(
        "SELECT packet, verdict IS NOT NULL FROM settlement
         WHERE judge = (SELECT id FROM judge WHERE hash = ?1) AND repeat = ?2",
    )?;
    let kinds = select.query_map(params![judge.as_str(), repeat], |row| {
        let kind = if row.get(1)? { SettledKind::Verdict } else { SettledKind::Unscored };
        Ok((row.get(0)?, kind))
    })?;
    let kinds: HashMap<i64, SettledKind> = kinds.collect::<Result<_, _>>()?;
    let mut settled = PacketMap::with_capacity_and_hasher(kinds.len(), ByDigest::default());
    if kinds.is_empty() {
        return Ok(settled);
    }
    let mut select = connection.prepare_cached("SELECT id, hash FROM packet ORDER BY hash")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(kind) = kinds.get(&row.get(0)?) {
            settled.insert(packet_hash(row, 1)?, *kind);
        }
    }
    Ok(settled)
}

/// The packet hash in `column`.
pub(crate) fn packet_hash(row: &Row<'_>, column: usize) -> Result<PacketHash, rusqlite::Error> {
    row.get(column).map(PacketHash::from_bytes)
}

fn settlement_record(row: &Row<'_>) -> Result<SettlementRecord, rusqlite::Error> {
    let attempts = row.get(0)?;
    match row.get(1)? {
        Some(reason) => Ok(SettlementRecord::Unscored { reason, detail: row.get(2)?, attempts }),
        None => Ok(SettlementRecord::Verdict { body: row.get(3)?, attempts }),
    }
}

/// The outcome in the first two columns, `state` and `outcome`.
fn attempt_outcome(row: &Row<'_>) -> Result<AttemptOutcome, rusqlite::Error> {
    match row.get_ref(0)?.as_str()? {
        "ended" => Ok(AttemptOutcome::Ended(row.get(1)?)),
        "in_flight" => Ok(AttemptOutcome::InFlight),
        "lost" => Ok(AttemptOutcome::Lost),
        "not_sent" => Ok(AttemptOutcome::NotSent),
        other => Err(unknown(0, "state of an attempt", other)),
    }
}

fn attempt_summary(row: &Row<'_>) -> Result<AttemptSummary, rusqlite::Error> {
    Ok(AttemptSummary {
        outcome: attempt_outcome(row)?,
        n: row.get(2)?,
        detail: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
    })
}

fn attempt_record(row: &Row<'_>) -> Result<AttemptRecord, rusqlite::Error> {
    Ok(AttemptRecord {
        outcome: attempt_outcome(row)?,
        attempt: AttemptId(row.get(2)?),
        run: RunId(row.get(3)?),
        n: row.get(4)?,
        cause: row.get(5)?,
        started_unix_ms: row.get(6)?,
        mark: if row.get(7)? { Mark::Superseded } else { Mark::Plain },
        detail: row.get::<_, Option<String>>(8)?.unwrap_or_default(),
        http_status: row.get(9)?,
        raw: row.get::<_, Option<Vec<u8>>>(10)?.unwrap_or_default(),
    })
}

fn run_record(row: &Row<'_>) -> Result<RunRecord, rusqlite::Error> {
    let state: String = row.get(4)?;
    Ok(RunRecord {
        run: RunId(row.get(0)?),
        manifest: Manifest {
            name: row.get(1)?,
            parts: parts_of_text(row.get_ref(2)?.as_str()?)?,
            body: row.get(3)?,
        },
        state: RunState::of_name(&state).ok_or_else(|| unknown(4, "state of a run", &state))?,
    })
}

pub(crate) fn unknown(column: usize, what: &str, found: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, format!("{found:?} is no {what}").into())
}
