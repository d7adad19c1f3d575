//! Batches: calls that are handed to a host together, and live longer than the process that handed them over.
//!
//! A batch and its calls are on the disk, with room in the budget, before anything of it is sent. Its calls stay in flight
//! until it is known what became of each: no recovery ends them, and no other call about their packets is made meanwhile.
//! What a host was not even sent is withdrawn; what it may have been paid for is never opened again by itself.

use probity_core::packet::PacketHash;
use serde::{Deserialize, Serialize};

use super::Store;
use super::budget::{Caller, Spending};
use super::db::{DbError, Row, vals};
use super::error::StoreError;
use super::known::packet_hash;
use super::reader::Reader;
use super::record::{AttemptId, AttemptStart, BatchId, Intended, RunId};
use super::tables::judge_row;
use crate::config::Money;
use crate::judge::JudgeId;

/// How far a batch is, as the store knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchState {
    /// Nothing was asked of the host but to keep a file.
    Reserved,
    /// The host was asked to make it, and has not said that it did: it may exist.
    Creating,
    /// The host has it.
    Running,
    /// What became of it cannot be found out. Only a person opens its packets again.
    Undecided,
    /// All of its calls have ended.
    Ended,
}

impl BatchState {
    const ALL: [BatchState; 5] = [
        BatchState::Reserved,
        BatchState::Creating,
        BatchState::Running,
        BatchState::Undecided,
        BatchState::Ended,
    ];

    /// The name in the store.
    pub fn name(self) -> &'static str {
        match self {
            BatchState::Reserved => "reserved",
            BatchState::Creating => "creating",
            BatchState::Running => "running",
            BatchState::Undecided => "undecided",
            BatchState::Ended => "ended",
        }
    }

    fn of_name(name: &str) -> Result<BatchState, DbError> {
        let found = BatchState::ALL.into_iter().find(|state| state.name() == name);
        found.ok_or_else(|| DbError::unknown("state of a batch", name))
    }
}

/// What is kept about a batch besides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BatchFacts {
    /// The host, or the file that requests were written to.
    pub place: String,
    /// Requests in it.
    pub n_requests: u64,
    /// Bytes of them.
    pub n_bytes: u64,
    /// BLAKE3 of them, hexadecimal.
    pub digest: String,
    /// The uploaded file of requests, by the host's name.
    pub file: Option<String>,
    /// When it was reserved, in milliseconds since 1970 by this machine's clock.
    pub reserved_unix_ms: i64,
    /// When the host was last asked to make it, by the same clock.
    pub create_unix_ms: Option<i64>,
    /// When the host made it, in seconds since 1970 by its clock.
    pub created_unix: Option<i64>,
    /// When it expires, by the host's clock.
    pub expires_unix: Option<i64>,
    /// How far it is, in the host's word.
    pub word: String,
    /// Requests that the host says it has run.
    pub n_run: Option<u64>,
    /// How often the host's list was searched for it in vain.
    pub n_looks: u32,
    /// How often its results were read whole.
    pub n_reads: u32,
    /// What a person should know about it.
    pub detail: String,
    /// Lines of its results that are no answer to one of its requests, the first of them as they came.
    pub strange: Vec<String>,
}

/// A batch as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchRecord {
    /// The batch.
    pub id: BatchId,
    /// The run that made it.
    pub run: RunId,
    /// The judge that its requests are for.
    pub judge: JudgeId,
    /// The account that it was made with, as far as that may be kept.
    pub account: String,
    /// What it can be found by at its host.
    pub tag: String,
    /// The host's name of it, once the host has said so.
    pub provider_id: Option<String>,
    /// How far it is.
    pub state: BatchState,
    /// What else is known.
    pub facts: BatchFacts,
    /// Calls of it that have not ended.
    pub n_in_flight: u64,
}

impl BatchRecord {
    /// What it is called for people: the host's name, or its tag before there is one.
    pub fn name(&self) -> &str {
        self.provider_id.as_deref().unwrap_or(&self.tag)
    }
}

/// A batch that is about to be reserved.
#[derive(Debug, Clone)]
pub struct BatchStart {
    /// The run that makes it.
    pub run: RunId,
    /// The judge that its requests are for.
    pub judge: JudgeId,
    /// The account that it is made with.
    pub account: String,
    /// What it can be found by.
    pub tag: String,
    /// What else is known.
    pub facts: BatchFacts,
}

/// A batch that is reserved.
#[derive(Debug)]
pub struct ReservedBatch {
    /// The batch; `None` where none of the calls has a place.
    pub id: Option<BatchId>,
    /// What became of each call, in their order.
    pub calls: Vec<Intended>,
}

/// A call of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchCall {
    /// The attempt.
    pub attempt: AttemptId,
    /// The packet asked about.
    pub packet: PacketHash,
    /// Which independent answer it is for.
    pub repeat: u32,
    /// Which attempt at that answer it is.
    pub n: u32,
    /// Whether it has not ended.
    pub is_in_flight: bool,
}

const SELECT: &str = "SELECT batch.id, batch.run, judge.hash, batch.account, batch.tag, batch.provider_id, batch.state,
        batch.body, (SELECT count(*) FROM attempt WHERE attempt.batch = batch.id AND attempt.state = 'in_flight')
    FROM batch JOIN judge ON judge.id = batch.judge";

impl Store {
    /// Reserves a batch: it and its calls are on the disk afterwards, as far as there is room in the budget and no other
    /// call about their packets is in flight. Run and judge have to be known to this process.
    pub(crate) fn reserve_batch(
        &self,
        start: BatchStart,
        mut calls: Vec<AttemptStart>,
    ) -> impl Future<Output = Result<ReservedBatch, StoreError>> + use<> {
        const NEW: &str =
            "INSERT INTO batch (run, budget, judge, account, tag, state, calls, spent_picodollars, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, ?7) RETURNING id";
        self.write("reserving a batch", move |tables| {
            let BatchStart { run, judge, account, tag, facts } = &start;
            let unknown = || StoreError::UnknownJudge { judge: judge.clone() };
            let number = judge_row(&tables.db, judge)?.ok_or_else(unknown)?;
            let worker = tables.workers.get(run).copied().ok_or(StoreError::UnknownRun { run: *run })?;
            let (state, body) = (BatchState::Reserved.name(), text(facts));
            let key = vals![run.0, worker.budget, number, account, tag, state, &body];
            let id = tables.db.row(NEW, &key, |row| row.get(0).map(BatchId))?;
            let id = id.expect("an insertion returns its row");
            for call in &mut calls {
                call.batch = Some(id);
            }
            let calls: Vec<Intended> = tables.intend(&calls)?.into_iter().collect::<Result<_, _>>()?;
            let has_calls = calls.iter().any(|call| matches!(call, Intended::Recorded(_)));
            if !has_calls {
                tables.db.run("DELETE FROM batch WHERE id = ?1", &vals![id.0])?;
            }
            Ok(ReservedBatch { id: has_calls.then_some(id), calls })
        })
    }

    /// Takes back a batch of which the host was sent nothing but a file.
    pub(crate) fn withdraw_batch(
        &self,
        batch: BatchId,
    ) -> impl Future<Output = Result<(), StoreError>> + use<> {
        const CALLS: &str = "DELETE FROM attempt WHERE batch = ?1 AND state = 'in_flight'";
        const BATCH: &str = "DELETE FROM batch WHERE id = ?1 AND state = 'reserved'";
        self.write("withdrawing a batch", move |tables| {
            tables.db.run(CALLS, &vals![batch.0])?;
            Ok(tables.db.run(BATCH, &vals![batch.0]).map(drop)?)
        })
    }

    /// Records how far a batch is. A host's name of a batch belongs to one batch only.
    pub(crate) fn note_batch(
        &self,
        batch: BatchId,
        (state, provider_id): (BatchState, Option<&str>),
        facts: &BatchFacts,
    ) -> impl Future<Output = Result<(), StoreError>> + use<> {
        const SQL: &str = "UPDATE batch SET state = ?2, provider_id = ?3, body = ?4 WHERE id = ?1";
        let (provider_id, body) = (provider_id.map(str::to_owned), text(facts));
        self.write("recording a batch", move |tables| {
            let key = vals![batch.0, state.name(), provider_id.as_deref(), &body];
            Ok(tables.db.run(SQL, &key).map(drop)?)
        })
    }

    /// Gives calls up whose answers cannot be had: possibly billed, not recorded. They are charged at the most they can
    /// have cost, and their packets are open again.
    pub fn lose(&self, attempts: Vec<AttemptId>) -> impl Future<Output = Result<(), StoreError>> + use<> {
        const SQL: &str = "UPDATE attempt SET state = 'lost' FROM {rows(k BIGINT)} u
            WHERE attempt.id = u.k AND attempt.state = 'in_flight'
            RETURNING worker, batch, reserved_picodollars";
        self.write("recording lost calls", move |tables| {
            let rows: Vec<Vec<_>> = attempts.iter().map(|attempt| vec![attempt.0.into()]).collect();
            let lost = tables.db.set(SQL, &rows, |row| {
                Ok((Caller::of(row.get(0)?, row.get(1)?)?, Money::from_picos(row.get(2)?)))
            })?;
            let mut spending = Spending::default();
            for (caller, reserved) in lost {
                spending.add(caller, reserved);
            }
            Ok(spending.record(&tables.db)?)
        })
    }

    /// What this store is known by at hosts: a random name, made once.
    pub(crate) fn random_name(&self) -> Result<String, StoreError> {
        const NEW: &str = "INSERT INTO note (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING";
        const KEY: &str = "name at hosts";
        if let Some(name) = self.noted(KEY)? {
            return Ok(name);
        }
        let name = format!("{:08x}", rand::random::<u32>());
        self.write_blocking("naming the store", move |tables| {
            Ok(tables.db.run(NEW, &vals![KEY, &name]).map(drop)?)
        })?;
        Ok(self.noted(KEY)?.expect("the name was just written"))
    }
}

impl Reader {
    /// All batches, in the order they were reserved.
    pub fn batches(&self) -> Result<Vec<BatchRecord>, StoreError> {
        self.ask(|db| db.rows(&format!("{SELECT} ORDER BY batch.id"), &[], record))
    }

    /// The batches for `judge` that have not ended.
    pub(crate) fn open_batches(&self, judge: &JudgeId) -> Result<Vec<BatchRecord>, StoreError> {
        let sql = format!("{SELECT} WHERE batch.state <> 'ended' AND judge.hash = ?1 ORDER BY batch.id");
        self.ask(|db| db.rows(&sql, &vals![judge.as_str()], record))
    }

    /// The calls of a batch.
    pub(crate) fn batch_calls(&self, batch: BatchId) -> Result<Vec<BatchCall>, StoreError> {
        const SQL: &str = "SELECT attempt.id, packet.hash, repeat, n, state FROM attempt
            JOIN packet ON packet.id = attempt.packet WHERE batch = ?1 ORDER BY attempt.id";
        self.ask(|db| {
            db.rows(SQL, &vals![batch.0], |row| {
                Ok(BatchCall {
                    attempt: AttemptId(row.get(0)?),
                    packet: packet_hash(row, 1)?,
                    repeat: row.get(2)?,
                    n: row.get(3)?,
                    is_in_flight: row.text(4)? == "in_flight",
                })
            })
        })
    }
}

fn record(row: &Row<'_>) -> Result<BatchRecord, DbError> {
    let body = row.text(7)?;
    Ok(BatchRecord {
        id: BatchId(row.get(0)?),
        run: RunId(row.get(1)?),
        judge: JudgeId::stored(row.text(2)?),
        account: row.get(3)?,
        tag: row.get(4)?,
        provider_id: row.get(5)?,
        state: BatchState::of_name(row.text(6)?)?,
        facts: serde_json::from_str(body).map_err(|_| DbError::unknown("record of a batch", body))?,
        n_in_flight: row.get(8)?,
    })
}

fn text(facts: &BatchFacts) -> String {
    serde_json::to_string(facts).expect("texts and numbers can be written")
}
