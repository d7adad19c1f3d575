//! What the store has about given packets: looked up by index, so that it costs what is asked about and not what is
//! stored.
//!
//! Each table is asked by a list of its own numbers, and what stands about a packet is a scalar subquery: as a join, or
//! as a list beside a judge, an engine that knows little of its tables may decide to read all that a judge has settled
//! for a hundred packets. These leave them no choice. A test looks at the plan.

use std::collections::BTreeMap;

use probity_core::packet::{PacketHash, PacketMap};

use super::db::{Db, DbError, LIST_MAX, Row, Val, vals};
use super::error::StoreError;
use super::reader::Reader;
use super::record::{AttemptOutcome, AttemptSummary, Found, KnownKind, Settled, Settlement};
use crate::judge::JudgeId;

/// The numbers of packets and of the attempts that stand for them, by the packets' hashes; the parameters are the judge
/// and the repeat.
const STANDING: &str = "SELECT id, hash, (SELECT settlement.attempt FROM settlement
        WHERE settlement.judge = (SELECT judge.id FROM judge WHERE judge.hash = ?1)
            AND settlement.packet = packet.id AND settlement.repeat = ?2)
    FROM packet WHERE hash {in BYTEA}";

/// What stands, by the numbers of attempts.
const SETTLEMENTS: &str =
    "SELECT attempt, CASE WHEN verdict IS NULL THEN 0 ELSE 1 END, attempts, verdict, reason, detail
    FROM settlement WHERE attempt {in BIGINT}";

/// The attempts at packets, the last of each behind the others; the parameters are those of [`STANDING`].
const ATTEMPTS: &str = "SELECT packet, state, outcome, n, detail, batch
    FROM attempt WHERE judge = (SELECT judge.id FROM judge WHERE judge.hash = ?1) AND repeat = ?2
        AND packet {in BIGINT} ORDER BY id";

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
    let (mut found, asked) = (PacketMap::default(), vals![judge.as_str(), repeat]);
    for packets in packets.chunks(LIST_MAX) {
        let hashes: Vec<Val<'_>> = packets.iter().map(|packet| Val::from(packet.as_bytes())).collect();
        let (mut left, mut standing) = (BTreeMap::new(), BTreeMap::new());
        db.each_in(STANDING, &asked, &hashes, |row| {
            let hash = packet_hash(row, 1)?;
            left.insert(row.get(0)?, hash);
            standing.extend(row.get::<Option<i64>>(2)?.map(|attempt| (attempt, hash)));
            Ok(())
        })?;
        found.extend(by_number(db, (SETTLEMENTS, &[]), &standing, settled)?);
        // With those whose settlement gave way to another since the statement before.
        left.retain(|_, hash| !found.contains_key(hash));
        found.extend(by_number(db, (ATTEMPTS, &asked), &left, attempted)?);
    }
    Ok(found)
}

/// What `read` reads from the rows that have one of these numbers, the last of each.
fn by_number<T>(
    db: &Db,
    (sql, params): (&str, &[Val<'_>]),
    hashes: &BTreeMap<i64, PacketHash>,
    read: Read<'_, T>,
) -> Result<PacketMap<T>, DbError> {
    let mut found = PacketMap::default();
    let numbers: Vec<Val<'_>> = hashes.keys().map(|number| Val::from(*number)).collect();
    if !numbers.is_empty() {
        db.each_in(sql, params, &numbers, |row| {
            found.insert(hashes[&row.get(0)?], read(row)?);
            Ok(())
        })?;
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
            [("packet", STANDING, hash), ("settlement", SETTLEMENTS, number), ("attempt", ATTEMPTS, number)];
        for (table, sql, one) in asked {
            let params = if sql == SETTLEMENTS { Vec::new() } else { vals!["judge", 0_u32].into() };
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
