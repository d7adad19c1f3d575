//! What the store has about given packets: looked up by index, so that it costs what is asked about and not what is
//! stored.
//!
//! A packet's settlement and its attempts are scalar subqueries of the packet's row. As a join, both engines may
//! decide to read whole tables for a hundred packets; a scalar subquery leaves them no choice. A test looks at the plan.

use std::collections::HashMap;

use probity_core::packet::{PacketHash, PacketMap};

use super::db::{Db, DbError, Row, Val, vals};
use super::error::StoreError;
use super::reader::Reader;
use super::record::{AttemptId, AttemptOutcome, AttemptSummary, Found, KnownKind, Settled, Settlement};
use super::tables::judge_row;
use crate::judge::JudgeId;

/// Packets that are asked about at once.
const BATCH: usize = 128;

/// Of each packet its hash, the attempt of its settlement, negative where that is no verdict, and its last attempt; the
/// parameters are the judge, the repeat and the hashes.
fn sql_of_packets() -> String {
    format!(
        "SELECT packet.hash,
            (SELECT CASE WHEN settlement.verdict IS NULL THEN -settlement.attempt ELSE settlement.attempt END
                FROM settlement WHERE settlement.judge = ?1 AND settlement.packet = packet.id
                AND settlement.repeat = ?2),
            (SELECT max(attempt.id) FROM attempt WHERE attempt.packet = packet.id AND attempt.judge = ?1
                AND attempt.repeat = ?2)
        FROM packet WHERE packet.hash IN ({})",
        marks(3)
    )
}

/// [`BATCH`] marks for parameters, the first of this number.
fn marks(first: usize) -> String {
    (first..first + BATCH).map(|n| format!("?{n}")).collect::<Vec<_>>().join(", ")
}

/// What a packet's row says.
struct PacketState {
    settled: Option<(AttemptId, KnownKind)>,
    last: Option<AttemptId>,
}

impl Reader {
    /// What the store has about each of `packets`: what is not in it was never asked about.
    pub fn known(
        &self,
        judge: &JudgeId,
        repeat: u32,
        packets: &[PacketHash],
    ) -> Result<PacketMap<KnownKind>, StoreError> {
        let kind = |about: PacketState| match about {
            PacketState { settled: Some((_, kind)), .. } => Some(kind),
            PacketState { settled: None, last } => last.map(|_| KnownKind::Attempted),
        };
        let abouts = self.ask(|db| abouts(db, judge, repeat, packets))?;
        Ok(abouts.into_iter().filter_map(|(hash, about)| Some((hash, kind(about)?))).collect())
    }

    /// The same with what was settled, or with the last attempt where nothing was.
    pub fn found(
        &self,
        judge: &JudgeId,
        repeat: u32,
        packets: &[PacketHash],
    ) -> Result<PacketMap<Found>, StoreError> {
        self.ask(|db| {
            let abouts = abouts(db, judge, repeat, packets)?;
            let settled = |about: &PacketState| about.settled.map(|(attempt, _)| attempt);
            let open = |about: &PacketState| if about.settled.is_none() { about.last } else { None };
            let mut settlements = settlements(db, abouts.values().filter_map(settled))?;
            let mut attempts = attempts(db, abouts.values().filter_map(open))?;
            let mut found = |about: &PacketState| match settled(about) {
                Some(attempt) => settlements.remove(&attempt).map(Found::Settled),
                None => attempts.remove(&about.last?).map(Found::Attempted),
            };
            Ok(abouts.iter().filter_map(|(hash, about)| Some((*hash, found(about)?))).collect())
        })
    }

    /// What is settled about one packet.
    pub fn settlement(
        &self,
        packet: &PacketHash,
        judge: &JudgeId,
        repeat: u32,
    ) -> Result<Option<Settlement>, StoreError> {
        Ok(match self.found(judge, repeat, &[*packet])?.remove(packet) {
            Some(Found::Settled(settlement)) => Some(settlement),
            Some(Found::Attempted(_)) | None => None,
        })
    }
}

/// What the store has about each of `packets`, each once.
fn abouts(
    db: &Db,
    judge: &JudgeId,
    repeat: u32,
    packets: &[PacketHash],
) -> Result<PacketMap<PacketState>, DbError> {
    let mut found = PacketMap::default();
    let Some(judge) = judge_row(db, judge)? else { return Ok(found) };
    let sql = sql_of_packets();
    for packets in packets.chunks(BATCH) {
        let hashes = packets.iter().map(|packet| Val::from(packet.as_bytes()));
        db.each(&sql, &padded(&vals![judge, repeat], hashes), |row| {
            let settled = row.get::<Option<i64>>(1)?.map(|attempt| {
                let kind = if attempt > 0 { KnownKind::Verdict } else { KnownKind::Unscored };
                (AttemptId(attempt.abs()), kind)
            });
            let last = row.get::<Option<i64>>(2)?.map(AttemptId);
            found.insert(packet_hash(row, 0)?, PacketState { settled, last });
            Ok(())
        })?;
    }
    Ok(found)
}

fn settlements(
    db: &Db,
    attempts: impl Iterator<Item = AttemptId>,
) -> Result<HashMap<AttemptId, Settlement>, DbError> {
    let sql = format!(
        "SELECT attempt, attempts, verdict, reason, detail FROM settlement WHERE attempt IN ({})",
        marks(1)
    );
    by_attempt(db, &sql, attempts, |row| {
        let attempts = row.get(1)?;
        let decision = match row.get(2)? {
            Some(body) => Settled::Verdict { body },
            None => Settled::Unscored { reason: row.get(3)?, detail: row.get(4)? },
        };
        Ok(Settlement { attempts, decision })
    })
}

fn attempts(
    db: &Db,
    attempts: impl Iterator<Item = AttemptId>,
) -> Result<HashMap<AttemptId, AttemptSummary>, DbError> {
    let sql = format!("SELECT id, state, outcome, n, detail FROM attempt WHERE id IN ({})", marks(1));
    by_attempt(db, &sql, attempts, |row| {
        let detail = row.get::<Option<String>>(4)?.unwrap_or_default();
        Ok(AttemptSummary { outcome: attempt_outcome(row, 1)?, n: row.get(3)?, detail })
    })
}

/// Rows by the attempt in their first column, for many attempts.
fn by_attempt<T>(
    db: &Db,
    sql: &str,
    attempts: impl Iterator<Item = AttemptId>,
    mut read: impl FnMut(&Row<'_>) -> Result<T, DbError>,
) -> Result<HashMap<AttemptId, T>, DbError> {
    let mut found = HashMap::new();
    let attempts: Vec<AttemptId> = attempts.collect();
    for attempts in attempts.chunks(BATCH) {
        let params = padded(&[], attempts.iter().map(|attempt| Val::from(attempt.0)));
        db.each(sql, &params, |row| {
            found.insert(AttemptId(row.get(0)?), read(row)?);
            Ok(())
        })?;
    }
    Ok(found)
}

/// Parameters for [`BATCH`] marks: the last value fills what is left, so that there is one statement.
fn padded<'a>(before: &[Val<'a>], vals: impl Iterator<Item = Val<'a>>) -> Vec<Val<'a>> {
    let mut params = before.to_vec();
    params.extend(vals);
    let last = params.last().copied().unwrap_or(Val::Null);
    params.resize(before.len() + BATCH, last);
    params
}

/// The packet hash in `column`.
pub(crate) fn packet_hash(row: &Row<'_>, column: usize) -> Result<PacketHash, DbError> {
    row.get(column).map(PacketHash::from_bytes)
}

/// The outcome in two columns from `column` on, `state` and `outcome`.
pub(super) fn attempt_outcome(row: &Row<'_>, column: usize) -> Result<AttemptOutcome, DbError> {
    match row.text(column)? {
        "ended" => Ok(AttemptOutcome::Ended(row.get(column + 1)?)),
        "in_flight" => Ok(AttemptOutcome::InFlight),
        "lost" => Ok(AttemptOutcome::Lost),
        other => Err(DbError::unknown("state of an attempt", other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each table is searched by an index; none is scanned.
    #[test]
    fn what_is_known_costs_what_is_asked_about() {
        let folder = tempfile::tempdir().unwrap();
        let store = crate::ledger::Store::open(&folder.path().join("store.db")).unwrap().store;
        let sql = format!("EXPLAIN QUERY PLAN {}", sql_of_packets());
        let params = padded(&vals![1_i64, 0_u32], std::iter::once(Val::Blob(&[0; 32])));
        let plan =
            store.reader().unwrap().ask(|db| db.rows(&sql, &params, |row| row.get::<String>(3))).unwrap();
        let tables: Vec<&str> = plan.iter().filter_map(|line| line.split(" USING ").next()).collect();
        assert!(plan.iter().all(|line| !line.contains("SCAN")), "{plan:#?}");
        for table in ["packet", "settlement", "attempt"] {
            assert!(tables.contains(&&*format!("SEARCH {table}")), "{plan:#?}");
        }
    }
}
