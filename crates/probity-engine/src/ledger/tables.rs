//! The statements that record calls and what came of them.
//!
//! Only the writer's thread owns a [`Tables`]; beginning and committing transactions is its business. A request that
//! makes no sense is refused and has written nothing, so its neighbours in the same transaction stand.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;
use std::time::Duration;

use probity_core::packet::PacketHash;

use super::budget::{Caller, NoRoom, Room, Spending, reserved};
use super::db::{Db, DbError, Row, Val, vals};
use super::error::StoreError;
use super::forget::{ERASED, erase_answered};
use super::known::packet_hash;
use super::record::{
    Accepted, AskAgain, AttemptId, AttemptStart, BatchId, Conclusion, Holder, Intended, KnownKind, RunId,
    Settled, Settlement,
};
use crate::config::Money;
use crate::judge::JudgeId;

const PACKET: &str = "INSERT INTO packet (hash, body)
    SELECT u.hash, u.body FROM {rows(hash BYTEA, body TEXT)} u WHERE true ORDER BY u.hash
    ON CONFLICT (hash) DO NOTHING";

/// Records calls in flight: of workers that are alive, about packets that are not settled by now.
///
/// What another worker has in flight is looked for before it is inserted: the index alone would wait for that worker's
/// transaction, if that ends the call, and two that wait for each other so are a deadlock.
const INTENT: &str =
    "INSERT INTO attempt (packet, judge, repeat, run, worker, batch, n, state, superseded, cause,
        tokens_planned, decisions, started_unix_ms, reserved_picodollars)
    SELECT packet.id, u.judge, u.repeat, u.run, u.worker, u.batch, u.n, 'in_flight', 0, u.cause,
        u.tokens_planned, u.decisions, u.started_unix_ms, u.reserved
    FROM {rows(hash BYTEA, judge BIGINT, repeat BIGINT, run BIGINT, worker BIGINT, batch BIGINT, n BIGINT,
        cause TEXT, tokens_planned BIGINT, decisions BIGINT, started_unix_ms BIGINT, reserved BIGINT,
        again BIGINT)} u
    JOIN packet ON packet.hash = u.hash LEFT JOIN worker ON worker.id = u.worker
    WHERE (u.worker IS NULL OR worker.until_ms > {now_ms})
        AND (u.again = 2 OR NOT EXISTS (SELECT 1 FROM settlement WHERE settlement.judge = u.judge
            AND settlement.packet = packet.id AND settlement.repeat = u.repeat
            AND (u.again = 0 OR settlement.verdict IS NOT NULL)))
        AND NOT EXISTS (SELECT 1 FROM attempt AS other WHERE other.packet = packet.id
            AND other.judge = u.judge AND other.repeat = u.repeat AND other.state = 'in_flight')
    ORDER BY packet.hash
    ON CONFLICT (packet, judge, repeat) WHERE state = 'in_flight' DO NOTHING
    RETURNING id, judge, repeat, (SELECT hash FROM packet WHERE packet.id = attempt.packet)";

/// Takes back calls whose packet another process settled while they were recorded: the statement before this one did not
/// see that yet.
const SETTLED_MEANWHILE: &str = "DELETE FROM attempt WHERE id IN (SELECT u.k FROM {rows(k BIGINT)} u)
    AND EXISTS (SELECT 1 FROM settlement WHERE settlement.judge = attempt.judge
        AND settlement.packet = attempt.packet AND settlement.repeat = attempt.repeat
        AND settlement.verdict IS NOT NULL)
    RETURNING judge, repeat, (SELECT hash FROM packet WHERE packet.id = attempt.packet)";

/// Why calls were not recorded: what is settled about their packets, or the batch that holds them.
const NOT_RECORDED: &str = "SELECT u.judge, u.repeat, u.hash, settlement.attempt, settlement.verdict IS NULL,
        attempt.id, attempt.batch
    FROM {rows(judge BIGINT, repeat BIGINT, hash BYTEA)} u JOIN packet ON packet.hash = u.hash
    LEFT JOIN settlement ON settlement.judge = u.judge AND settlement.packet = packet.id
        AND settlement.repeat = u.repeat
    LEFT JOIN attempt ON attempt.packet = packet.id AND attempt.judge = u.judge AND attempt.repeat = u.repeat
        AND attempt.state = 'in_flight'";

/// Ends calls that are in the state given with each: in flight, or taken for lost. It is no word of the statement, since
/// PostgreSQL would then look for calls in the index of those in flight, among all that ever were until it is vacuumed.
static END: LazyLock<String> = LazyLock::new(|| {
    format!(
        "UPDATE attempt SET state = 'ended', outcome = u.outcome, detail = u.detail,
            http_status = u.http_status, tokens_in = u.tokens_in, tokens_out = u.tokens_out,
            tokens_cached = u.tokens_cached, tier = u.tier, cost_picodollars = u.cost_picodollars,
            list_picodollars = u.list_picodollars, model = u.model, fingerprint = u.fingerprint,
            response_id = u.response_id, elapsed_ms = u.elapsed_ms
        FROM {{rows(k BIGINT, state TEXT, outcome TEXT, detail TEXT, http_status BIGINT, tokens_in BIGINT,
            tokens_out BIGINT, tokens_cached BIGINT, tier TEXT, cost_picodollars BIGINT, list_picodollars BIGINT,
            model TEXT, fingerprint TEXT, response_id TEXT, elapsed_ms BIGINT)}} u
        WHERE attempt.id = u.k AND attempt.state = u.state
        RETURNING id, worker, batch, reserved_picodollars,
            (SELECT packet.id FROM packet WHERE packet.id = attempt.packet AND packet.body = '{ERASED}')"
    )
});

const ANSWER: &str = "INSERT INTO answer (attempt, raw) SELECT u.k, u.raw FROM {rows(k BIGINT, raw BYTEA)} u";

/// Marks the attempt whose settlement is about to give way: an unscored one of another attempt.
const GIVE_WAY: &str = "UPDATE attempt SET superseded = 1 FROM {rows(k BIGINT)} u
    WHERE attempt.id = (SELECT settlement.attempt FROM attempt AS later
            JOIN settlement ON settlement.judge = later.judge AND settlement.packet = later.packet
                AND settlement.repeat = later.repeat
            WHERE later.id = u.k AND settlement.verdict IS NULL)
        AND attempt.id <> u.k
    RETURNING packet, judge, repeat";

/// Settles what nothing was settled about before, and the other also what was settled without a verdict.
static SETTLE_FIRST: LazyLock<String> = LazyLock::new(|| settle_or("NOTHING"));
static SETTLE: LazyLock<String> = LazyLock::new(|| {
    settle_or(
        "UPDATE SET attempt = excluded.attempt, attempts = excluded.attempts, verdict = excluded.verdict,
            reason = excluded.reason, detail = excluded.detail
        WHERE settlement.verdict IS NULL",
    )
});

fn settle_or(conflict: &str) -> String {
    format!(
        "INSERT INTO settlement (attempt, judge, packet, repeat, attempts, verdict, reason, detail)
        SELECT attempt.id, attempt.judge, attempt.packet, attempt.repeat, u.attempts, u.verdict, u.reason, u.detail
        FROM {{rows(k BIGINT, attempts BIGINT, verdict TEXT, reason TEXT, detail TEXT)}} u
        JOIN attempt ON attempt.id = u.k WHERE true ORDER BY attempt.packet
        ON CONFLICT (judge, packet, repeat) DO {conflict}
        RETURNING attempt, packet, judge, repeat"
    )
}

/// Marks an attempt whose settlement came too late, unless it is the one that stands.
pub(super) const SUPERSEDE: &str = "UPDATE attempt SET superseded = 1 FROM {rows(k BIGINT)} u
    WHERE attempt.id = u.k AND NOT EXISTS (SELECT 1 FROM settlement WHERE settlement.attempt = u.k)";

/// What a settlement is about: packet, judge and repeat, by number.
type Subject = (i64, i64, u32);

/// What a call asks: the judge by number, the repeat, and the packet.
type CallKey = (i64, u32, PacketHash);

/// The writer's connection, with the numbers of the judges and workers it has met.
pub(crate) struct Tables {
    pub(crate) db: Db,
    judges: HashMap<JudgeId, i64>,
    /// This process's worker in each run that it has begun.
    pub(super) workers: HashMap<RunId, Worker>,
    /// How long a worker lives without being heard; `None` where a lock says who is alive.
    pub(super) lease: Option<Duration>,
}

impl Tables {
    pub(super) fn new(db: Db, lease: Option<Duration>) -> Tables {
        Tables { db, judges: HashMap::new(), workers: HashMap::new(), lease }
    }

    /// Goes on with another connection, or after a transaction that was undone: `workers` are those from before it.
    pub(super) fn resume(&mut self, db: Option<Db>, workers: HashMap<RunId, Worker>) {
        if let Some(db) = db {
            self.db = db;
        }
        self.judges.clear();
        self.workers = workers;
    }

    /// Records that calls are about to be made, as far as the budgets of their runs have room.
    pub(super) fn intend(
        &mut self,
        starts: &[AttemptStart],
    ) -> Result<Vec<Result<Intended, StoreError>>, DbError> {
        let places = self.places(starts)?;
        let accepted = || {
            let pairs = starts.iter().zip(&places);
            pairs.filter_map(|(start, place)| Some((start, place.as_ref().ok()?.as_ref().ok()?)))
        };
        let packets: Vec<Vec<Val<'_>>> =
            accepted().map(|(start, _)| vals![start.packet.as_bytes(), &*start.packet_body].into()).collect();
        self.db.send_set(PACKET, &packets)?;
        let intents: Vec<Vec<Val<'_>>> = accepted().map(|(start, parties)| intent(start, parties)).collect();
        let begun = self.db.set(INTENT, &intents, |row| {
            let asked: CallKey = (row.get(1)?, row.get(2)?, packet_hash(row, 3)?);
            Ok((asked, AttemptId(row.get(0)?)))
        })?;
        let mut begun: HashMap<CallKey, AttemptId> = begun.into_iter().collect();
        if self.db.is_shared() && starts.iter().all(|start| start.again != AskAgain::Always) {
            self.take_back_settled(&mut begun)?;
        }
        let of = |start: &AttemptStart, parties: &Parties| (parties.judge, start.repeat, start.packet);
        let missing =
            accepted().map(|(start, parties)| of(start, parties)).filter(|asked| !begun.contains_key(asked));
        let reasons = self.not_recorded(&missing.collect::<Vec<_>>())?;
        let outcome = |(start, place): (&AttemptStart, Result<Grant, StoreError>)| {
            Ok(match place? {
                Err(no_room) => Intended::NoRoom(no_room),
                // Of two calls about one packet, one has the place in flight.
                Ok(parties) => {
                    let asked = of(start, &parties);
                    let recorded = begun.remove(&asked).map(Intended::Recorded);
                    // What is settled without a verdict does not keep a call from being made that asks for one.
                    let holds = |reason: &&Intended| {
                        let is_unscored = **reason == Intended::Settled(KnownKind::Unscored);
                        start.again == AskAgain::Never || !is_unscored
                    };
                    let reason = recorded.or_else(|| reasons.get(&asked).filter(holds).cloned());
                    reason.unwrap_or(Intended::InFlight(Holder::Worker))
                }
            })
        };
        Ok(starts.iter().zip(places).map(outcome).collect())
    }

    /// Takes back calls whose packet another process has settled in the meantime.
    fn take_back_settled(&self, begun: &mut HashMap<CallKey, AttemptId>) -> Result<(), DbError> {
        let keys: Vec<Vec<Val<'_>>> = begun.values().map(|attempt| vec![attempt.0.into()]).collect();
        let settled = self.db.set(SETTLED_MEANWHILE, &keys, |row| {
            Ok::<CallKey, DbError>((row.get(0)?, row.get(1)?, packet_hash(row, 2)?))
        })?;
        begun.retain(|asked, _| !settled.contains(asked));
        Ok(())
    }

    /// Why calls were not recorded.
    fn not_recorded(&self, missing: &[CallKey]) -> Result<HashMap<CallKey, Intended>, DbError> {
        let rows: Vec<Vec<Val<'_>>> = missing
            .iter()
            .map(|(judge, repeat, packet)| vals![*judge, *repeat, packet.as_bytes()].into())
            .collect();
        let reasons = self.db.set(NOT_RECORDED, &rows, |row| {
            let asked: CallKey = (row.get(0)?, row.get(1)?, packet_hash(row, 2)?);
            let settled: Option<i64> = row.get(3)?;
            let (in_flight, batch): (Option<i64>, Option<i64>) = (row.get(5)?, row.get(6)?);
            let reason = match (settled, in_flight, batch) {
                (_, _, Some(_)) => Intended::InFlight(Holder::Batch),
                (Some(_), None, None) if row.get(4)? => Intended::Settled(KnownKind::Unscored),
                (Some(_), None, None) => Intended::Settled(KnownKind::Verdict),
                // In flight, or this process is taken for dead and has no successor yet.
                (None, ..) | (_, Some(_), None) => Intended::InFlight(Holder::Worker),
            };
            Ok((asked, reason))
        })?;
        Ok(reasons.into_iter().collect())
    }

    /// Who asks whom in each of `starts`, as far as budgets have room. What turns out to be in flight already has taken
    /// its room until the next look.
    fn places(&mut self, starts: &[AttemptStart]) -> Result<Vec<Result<Grant, StoreError>>, DbError> {
        let mut rooms: BTreeMap<i64, Option<Room>> = BTreeMap::new();
        let mut places = Vec::with_capacity(starts.len());
        for start in starts {
            let place = match self.parties(start)? {
                Err(refused) => Err(refused),
                Ok(parties) => Ok(match parties.budget {
                    None => Ok(parties),
                    Some(budget) => {
                        let room = match rooms.entry(budget) {
                            Entry::Occupied(known) => known.into_mut(),
                            Entry::Vacant(entry) => entry.insert(Room::of(&self.db, budget)?),
                        };
                        room.as_mut().map_or(Ok(()), |room| room.take(start.most)).map(|()| parties)
                    }
                }),
            };
            places.push(place);
        }
        Ok(places)
    }

    /// Takes back that a call is about to be made: nothing was sent.
    pub(super) fn withdraw(&mut self, attempt: AttemptId) -> Result<(), DbError> {
        const SQL: &str = "DELETE FROM attempt WHERE id = ?1 AND state = 'in_flight'";
        self.db.run(SQL, &vals![attempt.0]).map(drop)
    }

    /// Records how calls ended, with their raw answers and what was read from them. An answer to a call that was taken
    /// for lost is kept as well, and stands where nothing else was settled.
    pub(super) fn conclude(
        &mut self,
        conclusions: &[Conclusion],
    ) -> Result<Vec<Result<Option<Accepted>, StoreError>>, DbError> {
        let mut spending = Spending::default();
        let ended = self.ended("in_flight", conclusions)?;
        for conclusion in conclusions {
            if let Some(Ended { caller, reserved, .. }) = ended.get(&conclusion.attempt.0) {
                // What a call cost that does not tell is the most it can have cost.
                let cost = conclusion.end.cost_picodollars.map_or(*reserved, Money::from_picos);
                spending.add(*caller, cost);
            }
        }
        let mut accepted = self.settled_by(conclusions, &ended)?;
        let mut all_ended: HashSet<i64> = ended.keys().copied().collect();
        // One after the other: of two late answers about one packet the first stands.
        for late in conclusions.iter().filter(|conclusion| !ended.contains_key(&conclusion.attempt.0)) {
            let late = std::slice::from_ref(late);
            let ended = self.ended("lost", late)?;
            for Ended { caller, reserved, .. } in ended.values() {
                let cost = late[0].end.cost_picodollars.map_or(*reserved, Money::from_picos);
                spending.correct(*caller, *reserved, cost);
            }
            accepted.extend(self.settled_by(late, &ended)?);
            all_ended.extend(ended.keys());
        }
        spending.record(&self.db)?;
        let outcome = |conclusion: &Conclusion| {
            let attempt = conclusion.attempt;
            if all_ended.contains(&attempt.0) {
                Ok(accepted.get(&attempt).copied())
            } else {
                Err(StoreError::NotInFlight { attempt })
            }
        };
        Ok(conclusions.iter().map(outcome).collect())
    }

    /// Ends the calls that are in `state`, and returns them.
    fn ended(&self, state: &str, conclusions: &[Conclusion]) -> Result<HashMap<i64, Ended>, DbError> {
        let ends: Vec<Vec<Val<'_>>> = conclusions.iter().map(|conclusion| end(conclusion, state)).collect();
        let ended = self.db.set(&END, &ends, |row| {
            let caller = Caller::of(row.get(1)?, row.get(2)?)?;
            let (reserved, erased) = (Money::from_picos(row.get(3)?), row.get(4)?);
            Ok((row.get::<i64>(0)?, Ended { caller, reserved, erased }))
        })?;
        Ok(ended.into_iter().collect())
    }

    /// Keeps the answers of calls that have `ended`, and offers what was read from them.
    fn settled_by(
        &mut self,
        conclusions: &[Conclusion],
        ended: &HashMap<i64, Ended>,
    ) -> Result<HashMap<AttemptId, Accepted>, DbError> {
        let current = || conclusions.iter().filter(|conclusion| ended.contains_key(&conclusion.attempt.0));
        let answers: Vec<Vec<Val<'_>>> = current()
            .filter(|conclusion| !conclusion.end.raw.is_empty())
            .map(|conclusion| vals![conclusion.attempt.0, &conclusion.end.raw[..]].into())
            .collect();
        self.db.send_set(ANSWER, &answers)?;
        let offers: Vec<(AttemptId, &Settlement)> = current()
            .filter_map(|conclusion| Some((conclusion.attempt, conclusion.settlement.as_ref()?)))
            .collect();
        let accepted = self.settle(&offers)?;
        for packet in ended.values().filter_map(|ended| ended.erased) {
            erase_answered(&self.db, packet)?;
        }
        Ok(accepted)
    }

    /// The rules of acceptance: the first settlement stands; an unscored one gives way to whatever comes later;
    /// a verdict gives way to nothing.
    pub(super) fn settle(
        &mut self,
        offers: &[(AttemptId, &Settlement)],
    ) -> Result<HashMap<AttemptId, Accepted>, DbError> {
        let first = self.db.set(&SETTLE_FIRST, &settlements(offers), |row| row.get(0).map(AttemptId))?;
        let mut accepted: HashMap<AttemptId, Accepted> =
            first.into_iter().map(|attempt| (attempt, Accepted::First)).collect();
        let later: Vec<_> =
            offers.iter().copied().filter(|(attempt, _)| !accepted.contains_key(attempt)).collect();
        if later.is_empty() {
            return Ok(accepted);
        }
        let keys = |offers: &[(AttemptId, &Settlement)]| -> Vec<Vec<Val<'static>>> {
            offers.iter().map(|(attempt, _)| vec![attempt.0.into()]).collect()
        };
        let gave_way = self.db.set(GIVE_WAY, &keys(&later), |row| subject(row, 0))?;
        let gave_way: HashSet<Subject> = gave_way.into_iter().collect();
        let stand = self.db.set(&SETTLE, &settlements(&later), |row| {
            let is_first = !gave_way.contains(&subject(row, 1)?);
            let accepted = if is_first { Accepted::First } else { Accepted::Replaced };
            Ok((AttemptId(row.get(0)?), accepted))
        })?;
        accepted.extend(stand);
        let late: Vec<_> = later.into_iter().filter(|(attempt, _)| !accepted.contains_key(attempt)).collect();
        self.db.set(SUPERSEDE, &keys(&late), |_| Ok(()))?;
        accepted.extend(late.iter().map(|(attempt, _)| (*attempt, Accepted::Superseded)));
        Ok(accepted)
    }

    /// Who asks whom. Both have to be known to this process.
    fn parties(&mut self, start: &AttemptStart) -> Result<Result<Parties, StoreError>, DbError> {
        let Some(judge) = self.judge_row(&start.judge)? else {
            return Ok(Err(StoreError::UnknownJudge { judge: start.judge.clone() }));
        };
        if let Some(BatchId(batch)) = start.batch {
            const BUDGET: &str = "SELECT budget FROM batch WHERE id = ?1";
            let budget = self.db.row(BUDGET, &vals![batch], |row| row.get(0))?.flatten();
            return Ok(Ok(Parties { judge, caller: Caller::Batch(batch), budget }));
        }
        let Some(Worker { id, budget, .. }) = self.workers.get(&start.run).copied() else {
            return Ok(Err(StoreError::UnknownRun { run: start.run }));
        };
        Ok(Ok(Parties { judge, caller: Caller::Worker(id), budget }))
    }

    fn judge_row(&mut self, judge: &JudgeId) -> Result<Option<i64>, DbError> {
        if let Some(row) = self.judges.get(judge) {
            return Ok(Some(*row));
        }
        let row = judge_row(&self.db, judge)?;
        if let Some(row) = row {
            self.judges.insert(judge.clone(), row);
        }
        Ok(row)
    }
}

/// Who asks whom, or why the budget does not allow it.
type Grant = Result<Parties, NoRoom>;

/// A call that has ended.
struct Ended {
    caller: Caller,
    /// The most that it could cost.
    reserved: Money,
    /// The number of its packet, where that was erased meanwhile.
    erased: Option<i64>,
}

/// The numbers of a judge, of what asks it, and of the budget for that.
struct Parties {
    judge: i64,
    caller: Caller,
    budget: Option<i64>,
}

/// This process in a run, with its budget, by number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worker {
    pub(super) id: i64,
    pub(super) budget: Option<i64>,
    pub(super) lane: Option<i64>,
}

/// The number of a judge.
pub(super) fn judge_row(db: &Db, judge: &JudgeId) -> Result<Option<i64>, DbError> {
    db.row("SELECT id FROM judge WHERE hash = ?1", &vals![judge.as_str()], |row| row.get(0))
}

fn intent<'a>(start: &'a AttemptStart, parties: &Parties) -> Vec<Val<'a>> {
    let [worker, batch] = parties.caller.columns();
    vals![
        start.packet.as_bytes(),
        parties.judge,
        start.repeat,
        start.run.0,
        worker,
        batch,
        start.n,
        &start.cause,
        start.tokens_planned.cast_signed(),
        start.decisions,
        start.started_unix_ms,
        reserved(start.most),
        start.again.code(),
    ]
    .into()
}

fn end<'a>(conclusion: &'a Conclusion, state: &'a str) -> Vec<Val<'a>> {
    let end = &conclusion.end;
    vals![
        conclusion.attempt.0,
        state,
        &end.outcome,
        &end.detail,
        end.http_status,
        end.tokens_in,
        end.tokens_out,
        end.tokens_cached,
        end.tier.as_deref(),
        end.cost_picodollars,
        end.list_picodollars,
        end.model.as_deref(),
        end.fingerprint.as_deref(),
        end.response_id.as_deref(),
        end.elapsed_ms,
    ]
    .into()
}

fn settlements<'a>(offers: &[(AttemptId, &'a Settlement)]) -> Vec<Vec<Val<'a>>> {
    let row = |(attempt, offered): &(AttemptId, &'a Settlement)| {
        let (verdict, reason, detail) = match &offered.decision {
            Settled::Verdict { body } => (Some(body), None, None),
            Settled::Unscored { reason, detail } => (None, Some(reason), Some(detail)),
        };
        vals![attempt.0, offered.attempts, verdict, reason, detail].into()
    };
    offers.iter().map(row).collect()
}

fn subject(row: &Row<'_>, column: usize) -> Result<Subject, DbError> {
    Ok((row.get(column)?, row.get(column + 1)?, row.get(column + 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Store;

    /// Recording a call costs the same in a store of any size: no statement scans a table.
    #[test]
    fn statements_about_calls_search_by_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.db")).unwrap().store;
        for sql in [INTENT, &END, ANSWER, GIVE_WAY, &SETTLE, SUPERSEDE, NOT_RECORDED, SETTLED_MEANWHILE] {
            let n_columns =
                sql.split_once("{rows(").unwrap().1.split_once(")}").unwrap().0.split(',').count();
            let explained = format!("EXPLAIN QUERY PLAN {sql}");
            let row = vec![Val::Null; n_columns];
            let plan = store.write_blocking("explaining", move |tables| {
                Ok(tables.db.set(&explained, std::slice::from_ref(&row), |row| row.get::<String>(3))?)
            });
            let plan = plan.unwrap();
            let scans = |line: &&String| {
                line.starts_with("SCAN") && *line != "SCAN CONSTANT ROW" && *line != "SCAN u"
            };
            assert_eq!(plan.iter().find(scans), None, "{sql}: {plan:#?}");
        }
    }
}
