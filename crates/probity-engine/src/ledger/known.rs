//! What the store has about given packets: looked up by index, so that it costs what is asked about and not what is
//! stored.
//!
//! Each table is asked by itself, with a list of keys. As a join, both engines may decide to read whole tables for a
//! hundred packets; a list leaves them no choice. A test looks at the plan.

use std::collections::BTreeMap;

use probity_core::packet::{PacketHash, PacketMap};

use super::db::{Db, DbError, LIST_MAX, Row, Val, vals};
use super::error::StoreError;
use super::reader::Reader;
use super::record::{AttemptOutcome, AttemptSummary, Found, KnownKind, Settled, Settlement};
use super::tables::judge_row;
use crate::judge::JudgeId;

/// The numbers of packets, by their hashes.
const PACKETS: &str = "SELECT id, hash FROM packet WHERE hash {in BYTEA}";

/// What is settled about packets, by their numbers; the parameters are the judge and the repeat.
const SETTLEMENTS: &str =
    "SELECT packet, CASE WHEN verdict IS NULL THEN 0 ELSE 1 END, attempts, verdict, reason, detail
    FROM settlement WHERE judge = ?1 AND repeat = ?2 AND packet {in BIGINT}";

/// The attempts at packets, the last of each behind the others; the parameters are those of [`SETTLEMENTS`].
const ATTEMPTS: &str = "SELECT packet, state, outcome, n, detail, batch
    FROM attempt WHERE judge = ?1 AND repeat = ?2 AND packet {in BIGINT} ORDER BY id";

impl Reader {
    /// What the store has about each of `packets`: what is not in it was never asked about.
    pub fn known(
        &self,
        judge: &JudgeId,
        repeat: u32,
        packets: &[PacketHash],
    ) -> Result<PacketMap<KnownKind>, StoreError> {
        let settled = |row: &Row<'_>| match row.get(1)? {
            0_i64 => Ok(KnownKind::Unscored),
            _ => Ok(KnownKind::Verdict),
        };
        let attempted = |row: &Row<'_>| {
            let in_batch = row.get::<Option<i64>>(5)?.is_some();
            Ok(if row.text(1)? == "in_flight" && in_batch {
                KnownKind::InFlight
            } else {
                KnownKind::Attempted
            })
        };
        self.ask(|db| db.by_keys(|| looked_up(db, (judge, repeat), packets, [&settled, &attempted])))
    }

    /// The same with what was settled, or with the last attempt where nothing was.
    pub fn found(
        &self,
        judge: &JudgeId,
        repeat: u32,
        packets: &[PacketHash],
    ) -> Result<PacketMap<Found>, StoreError> {
        self.ask(|db| db.by_keys(|| looked_up(db, (judge, repeat), packets, [&settlement, &attempt])))
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

/// Reads something from a row.
type Read<'a, T> = &'a dyn Fn(&Row<'_>) -> Result<T, DbError>;

/// What `settled` reads from the settlement of each of `packets`, or else what `attempted` reads from its last attempt.
fn looked_up<T>(
    db: &Db,
    (judge, repeat): (&JudgeId, u32),
    packets: &[PacketHash],
    [settled, attempted]: [Read<'_, T>; 2],
) -> Result<PacketMap<T>, DbError> {
    let mut found = PacketMap::default();
    let Some(judge) = judge_row(db, judge)? else { return Ok(found) };
    for packets in packets.chunks(LIST_MAX) {
        let hashes: Vec<Val<'_>> = packets.iter().map(|packet| Val::from(packet.as_bytes())).collect();
        let mut left: BTreeMap<i64, PacketHash> = BTreeMap::new();
        db.each_in(PACKETS, &[], &hashes, |row| {
            left.insert(row.get(0)?, packet_hash(row, 1)?);
            Ok(())
        })?;
        for (sql, read) in [(SETTLEMENTS, settled), (ATTEMPTS, attempted)] {
            if left.is_empty() {
                break;
            }
            let numbers: Vec<Val<'_>> = left.keys().map(|number| Val::from(*number)).collect();
            db.each_in(sql, &vals![judge, repeat], &numbers, |row| {
                let hash = left[&row.get(0)?];
                found.insert(hash, read(row)?);
                Ok(())
            })?;
            left.retain(|_, hash| !found.contains_key(hash));
        }
    }
    Ok(found)
}

fn settlement(row: &Row<'_>) -> Result<Found, DbError> {
    let decision = match row.get(3)? {
        Some(body) => Settled::Verdict { body },
        None => Settled::Unscored { reason: row.get(4)?, detail: row.get(5)? },
    };
    Ok(Found::Settled(Settlement { attempts: row.get(2)?, decision }))
}

fn attempt(row: &Row<'_>) -> Result<Found, DbError> {
    let detail = row.get::<Option<String>>(4)?.unwrap_or_default();
    Ok(Found::Attempted(AttemptSummary { outcome: attempt_outcome(row, 1)?, n: row.get(3)?, detail }))
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
        let reader = store.reader().unwrap();
        let (number, hash) = (Val::Int(1), Val::Blob(&[0; 32]));
        let asked =
            [("packet", PACKETS, hash), ("settlement", SETTLEMENTS, number), ("attempt", ATTEMPTS, number)];
        for (table, sql, one) in asked {
            let params = if sql == PACKETS { Vec::new() } else { vals![1_i64, 0_u32].into() };
            let explained = reader.ask(|db| {
                let mut plan = Vec::new();
                db.each_in(&format!("EXPLAIN QUERY PLAN {sql}"), &params, &[one], |row| {
                    plan.push(row.get::<String>(3)?);
                    Ok(())
                })?;
                Ok(plan)
            });
            let plan = explained.unwrap();
            assert!(plan[0].starts_with(&format!("SEARCH {table} USING ")), "{plan:#?}");
            assert!(plan.iter().all(|line| !line.contains("SCAN")), "{plan:#?}");
        }
    }
}
