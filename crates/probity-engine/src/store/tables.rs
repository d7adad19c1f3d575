//! The statements that change the store, one function per request.
//!
//! Each function first checks what it was given and then writes, so that a refused request has written
//! nothing and its neighbours in the same transaction stand. Only the writer's thread owns a [`Tables`];
//! beginning and committing transactions is its business.

use std::collections::{BTreeMap, HashMap, HashSet};

use probity_core::packet::PacketHash;
use rusqlite::{Connection, OptionalExtension, params};

use super::error::{Fault, StoreError};
use super::record::{
    Accepted, AttemptEnd, AttemptId, AttemptStart, Begun, Decision, EndedCall, JudgeId, Manifest, RunId,
    RunState, Settlement,
};

/// How many of the latest attempts are remembered. More are seldom in flight at once; what is forgotten is
/// looked up.
const REMEMBERED_MAX: usize = 8192;

/// The writer's connection, with the small numbers of the judges, runs and latest attempts it has met. All of
/// them are in the tables: after a failed commit nothing is written or looked up any more.
pub(crate) struct Tables {
    pub(crate) connection: Connection,
    judges: HashMap<JudgeId, i64>,
    runs: HashSet<RunId>,
    /// The latest attempts, each at its number modulo [`REMEMBERED_MAX`].
    attempts: Vec<Option<Remembered>>,
    /// Packets that were written on this connection and that no judge has settled: nothing has to be looked up
    /// before the first settlement.
    unsettled: HashSet<i64>,
    /// Attempts of the transaction that is open, or of the last one.
    recorded: Vec<AttemptId>,
}

/// What an attempt is about.
#[derive(Clone, Copy)]
struct Remembered {
    attempt: AttemptId,
    hash: PacketHash,
    packet: i64,
    judge: i64,
}

/// A settlement's row, as far as deciding about the next one needs it.
struct InForce {
    verdict: Option<i64>,
    attempt: Option<AttemptId>,
}

impl Tables {
    pub(super) fn new(connection: Connection) -> Tables {
        let (judges, runs, unsettled) = (HashMap::new(), HashSet::new(), HashSet::new());
        Tables { connection, judges, runs, attempts: Vec::new(), unsettled, recorded: Vec::new() }
    }

    fn remember(&mut self, remembered: Remembered) {
        let at = place(remembered.attempt);
        if self.attempts.len() <= at {
            self.attempts.resize(at + 1, None);
        }
        self.attempts[at] = Some(remembered);
    }

    fn remembered(&self, attempt: AttemptId) -> Option<Remembered> {
        self.attempts.get(place(attempt)).copied().flatten().filter(|known| known.attempt == attempt)
    }

    pub(super) fn begin_run(&mut self, manifest: &Manifest) -> Result<Begun, Fault> {
        let mut select =
            self.connection.prepare_cached("SELECT id, parts FROM run WHERE name = ?1 ORDER BY id DESC")?;
        let earlier: Vec<(i64, String)> = select
            .query_map([&manifest.name], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, rusqlite::Error>>()?;
        drop(select);
        let mut changed = None;
        for (id, parts) in &earlier {
            let differing = changed_parts(&parts_of_text(parts)?, &manifest.parts);
            if differing.is_empty() {
                self.end_run(RunId(*id), RunState::Running)?;
                return Ok(Begun::Resumed { run: RunId(*id) });
            }
            changed.get_or_insert(differing);
        }
        let changed = changed.unwrap_or_default();
        let parts = text_of_parts(&manifest.parts)?;
        let id = self
            .connection
            .prepare_cached("INSERT INTO run (name, parts, body, state) VALUES (?1, ?2, ?3, ?4)")?
            .insert(params![manifest.name, parts, manifest.body, RunState::Running.name()])?;
        Ok(Begun::New { run: RunId(id), changed })
    }

    pub(super) fn end_run(&mut self, run: RunId, state: RunState) -> Result<(), Fault> {
        let n_changed = self
            .connection
            .prepare_cached("UPDATE run SET state = ?2 WHERE id = ?1")?
            .execute(params![run.0, state.name()])?;
        if n_changed == 1 { Ok(()) } else { Err(StoreError::UnknownRun { run }.into()) }
    }

    pub(super) fn register_judge(&mut self, judge: &JudgeId, identity: &str) -> Result<(), Fault> {
        let known: Option<String> = self
            .connection
            .prepare_cached("SELECT identity FROM judge WHERE hash = ?1")?
            .query_row([judge.as_str()], |row| row.get(0))
            .optional()?;
        match known {
            Some(known) if known == identity => Ok(()),
            Some(_) => Err(StoreError::JudgeDiffers { judge: judge.clone() }.into()),
            None => {
                self.connection
                    .prepare_cached("INSERT INTO judge (hash, identity) VALUES (?1, ?2)")?
                    .execute([judge.as_str(), identity])?;
                Ok(())
            }
        }
    }

    pub(super) fn note(&mut self, key: &str, value: &str) -> Result<(), Fault> {
        self.connection
            .prepare_cached(
                "INSERT INTO note (key, value) VALUES (?1, ?2)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            )?
            .execute([key, value])?;
        Ok(())
    }

    /// Records a call that has ended.
    pub(super) fn record_call(&mut self, call: &EndedCall) -> Result<(), Fault> {
        self.record_attempt(call.attempt, &call.start, Some(&call.end))
    }

    /// Records a call with its packet: as it ended, or as being in flight.
    pub(super) fn record_attempt(
        &mut self,
        attempt: AttemptId,
        start: &AttemptStart,
        end: Option<&AttemptEnd>,
    ) -> Result<(), Fault> {
        let judge = self.judge_row(&start.judge)?;
        self.require_run(start.run)?;
        let packet = self.keep_packet(start.packet, &start.packet_body)?;
        self.connection
            .prepare_cached(
                "INSERT INTO attempt (id, packet, judge, repeat, run, n, state, superseded, cause, started_unix_ms,
                     outcome, detail, http_status, tokens_in, tokens_out, cost_picodollars, model, fingerprint,
                     response_id, elapsed_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
            )?
            .execute(params![
                attempt.0,
                packet,
                judge,
                start.repeat,
                start.run.0,
                start.n,
                if end.is_some() { "ended" } else { "in_flight" },
                start.cause,
                start.started_unix_ms,
                end.map(|end| &end.outcome),
                end.map(|end| &end.detail),
                end.and_then(|end| end.http_status),
                end.and_then(|end| end.tokens_in),
                end.and_then(|end| end.tokens_out),
                end.and_then(|end| end.cost_picodollars),
                end.and_then(|end| end.model.as_ref()),
                end.and_then(|end| end.fingerprint.as_ref()),
                end.and_then(|end| end.response_id.as_ref()),
                end.map(|end| end.elapsed_ms),
            ])?;
        if let Some(end) = end.filter(|end| !end.raw.is_empty()) {
            self.connection
                .prepare_cached("INSERT INTO answer (attempt, raw) VALUES (?1, ?2)")?
                .execute(params![attempt.0, end.raw])?;
        }
        self.remember(Remembered { attempt, hash: start.packet, packet, judge });
        self.recorded.push(attempt);
        Ok(())
    }

    /// Whether there is an attempt of this number.
    pub(super) fn has_attempt(&self, attempt: AttemptId) -> Result<bool, rusqlite::Error> {
        self.connection.prepare_cached("SELECT 1 FROM attempt WHERE id = ?1")?.exists([attempt.0])
    }

    /// The attempts that were recorded since this was asked for the last time.
    pub(super) fn take_recorded(&mut self) -> Vec<AttemptId> {
        std::mem::take(&mut self.recorded)
    }

    /// The packet's row; it is written if it was not there.
    pub(super) fn keep_packet(&mut self, packet: PacketHash, body: &str) -> Result<i64, Fault> {
        let inserted = self
            .connection
            .prepare_cached("INSERT INTO packet (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING")?
            .execute(params![packet.as_bytes(), body])?;
        if inserted != 1 {
            return self.packet_row(packet);
        }
        let row = self.connection.last_insert_rowid();
        self.unsettled.insert(row);
        Ok(row)
    }

    /// The rules of acceptance: the first settlement stands; an unscored gives way to whatever comes later;
    /// a verdict gives way to nothing.
    pub(super) fn settle(&mut self, settlement: &Settlement) -> Result<Accepted, Fault> {
        let judge = self.judge_row(&settlement.judge)?;
        let known = settlement.attempt.and_then(|attempt| self.remembered(attempt));
        let packet = match known.filter(|known| known.hash == settlement.packet && known.judge == judge) {
            Some(known) => known.packet,
            None => self.settled_packet(settlement, judge)?,
        };
        match self.in_force(packet, judge, settlement.repeat)? {
            Some(InForce { verdict: Some(_), attempt }) => {
                self.mark_superseded(settlement.attempt.filter(|late| Some(*late) != attempt))?;
                Ok(Accepted::Superseded)
            }
            Some(InForce { verdict: None, attempt }) => {
                self.mark_superseded(attempt.filter(|early| Some(*early) != settlement.attempt))?;
                self.write_settlement(settlement, packet, judge)?;
                Ok(Accepted::Replaced)
            }
            None => {
                self.write_settlement(settlement, packet, judge)?;
                Ok(Accepted::First)
            }
        }
    }

    /// The settlement that stands. From then on there is one.
    fn in_force(&mut self, packet: i64, judge: i64, repeat: u32) -> Result<Option<InForce>, Fault> {
        if self.unsettled.remove(&packet) {
            return Ok(None);
        }
        let in_force = self
            .connection
            .prepare_cached(
                "SELECT verdict, attempt FROM settlement WHERE judge = ?1 AND packet = ?2 AND repeat = ?3",
            )?
            .query_row(params![judge, packet, repeat], |row| {
                Ok(InForce { verdict: row.get(0)?, attempt: row.get::<_, Option<i64>>(1)?.map(AttemptId) })
            })
            .optional()?;
        Ok(in_force)
    }

    fn write_settlement(&mut self, settlement: &Settlement, packet: i64, judge: i64) -> Result<(), Fault> {
        let (verdict, reason, detail) = match &settlement.decision {
            Decision::Verdict { body } => {
                let mut insert = self.connection.prepare_cached("INSERT INTO verdict (body) VALUES (?1)")?;
                (Some(insert.insert([body])?), None, None)
            }
            Decision::Unscored { reason, detail } => (None, Some(reason), Some(detail)),
        };
        self.connection
            .prepare_cached(
                "INSERT INTO settlement (judge, packet, repeat, verdict, reason, detail, attempts, attempt)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT (judge, packet, repeat) DO UPDATE SET verdict = excluded.verdict,
                     reason = excluded.reason, detail = excluded.detail, attempts = excluded.attempts,
                     attempt = excluded.attempt
                 WHERE settlement.verdict IS NULL",
            )?
            .execute(params![
                judge,
                packet,
                settlement.repeat,
                verdict,
                reason,
                detail,
                settlement.attempts,
                settlement.attempt.map(|attempt| attempt.0),
            ])?;
        Ok(())
    }

    fn mark_superseded(&mut self, attempt: Option<AttemptId>) -> Result<(), Fault> {
        if let Some(attempt) = attempt {
            self.connection
                .prepare_cached("UPDATE attempt SET superseded = 1 WHERE id = ?1")?
                .execute([attempt.0])?;
        }
        Ok(())
    }

    /// The packet of a settlement whose attempt, if it has one, is not remembered as being about it.
    fn settled_packet(&mut self, settlement: &Settlement, judge: i64) -> Result<i64, Fault> {
        let packet = self.packet_row(settlement.packet)?;
        if let Some(attempt) = settlement.attempt {
            self.require_attempt(attempt, settlement, (packet, judge))?;
        }
        Ok(packet)
    }

    fn require_attempt(
        &mut self,
        attempt: AttemptId,
        settlement: &Settlement,
        of: (i64, i64),
    ) -> Result<(), Fault> {
        let found: Option<(i64, i64)> = self
            .connection
            .prepare_cached("SELECT packet, judge FROM attempt WHERE id = ?1")?
            .query_row([attempt.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if found == Some(of) {
            return Ok(());
        }
        Err(StoreError::NotItsAttempt { attempt, packet: settlement.packet }.into())
    }

    fn require_run(&mut self, run: RunId) -> Result<(), Fault> {
        if self.runs.contains(&run) {
            return Ok(());
        }
        let known = self.connection.prepare_cached("SELECT 1 FROM run WHERE id = ?1")?.exists([run.0])?;
        if !known {
            return Err(StoreError::UnknownRun { run }.into());
        }
        self.runs.insert(run);
        Ok(())
    }

    fn judge_row(&mut self, judge: &JudgeId) -> Result<i64, Fault> {
        if let Some(row) = self.judges.get(judge) {
            return Ok(*row);
        }
        let row: Option<i64> = self
            .connection
            .prepare_cached("SELECT id FROM judge WHERE hash = ?1")?
            .query_row([judge.as_str()], |row| row.get(0))
            .optional()?;
        let row = row.ok_or_else(|| StoreError::UnknownJudge { judge: judge.clone() })?;
        self.judges.insert(judge.clone(), row);
        Ok(row)
    }

    fn packet_row(&mut self, packet: PacketHash) -> Result<i64, Fault> {
        let row = self
            .connection
            .prepare_cached("SELECT id FROM packet WHERE hash = ?1")?
            .query_row([packet.as_bytes()], |row| row.get(0))
            .optional()?;
        row.ok_or_else(|| StoreError::UnknownPacket { packet }.into())
    }
}

/// Where an attempt is remembered.
fn place(attempt: AttemptId) -> usize {
    let place = attempt.0.unsigned_abs() % REMEMBERED_MAX as u64;
    usize::try_from(place).expect("smaller than a length")
}

/// The names of the parts that were added, removed or have another value, sorted.
fn changed_parts(before: &[(String, String)], after: &[(String, String)]) -> Vec<String> {
    let (before, after) = (by_name(before), by_name(after));
    let names = before.keys().chain(after.keys()).copied();
    let mut changed: Vec<String> =
        names.filter(|name| before.get(name) != after.get(name)).map(str::to_owned).collect();
    changed.sort_unstable();
    changed.dedup();
    changed
}

fn by_name(parts: &[(String, String)]) -> BTreeMap<&str, Vec<&str>> {
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in parts {
        named.entry(name).or_default().push(value);
    }
    named
}

fn text_of_parts(parts: &[(String, String)]) -> Result<String, rusqlite::Error> {
    serde_json::to_string(parts).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// The parts of a run as [`text_of_parts`] wrote them.
pub(crate) fn parts_of_text(text: &str) -> Result<Vec<(String, String)>, rusqlite::Error> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    })
}
