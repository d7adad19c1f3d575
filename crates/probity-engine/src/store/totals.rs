//! What a run has spent on a judge, and signs that the judge changed or answered from a cache.
//!
//! Only the small rows of the attempts are read, once, and never the answers. A call without a known cost is
//! counted as such and never as free. A sum beyond what can be counted is the most that can be.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};

use probity_core::packet::PacketHash;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::reader::packet_hash;
use super::record::{JudgeId, RepeatedResponse, RunId, Totals};

/// The page cache while attempts are read: 256 KiB, which SQLite takes in KiB as a negative number. Each page is read
/// once, and keeping it would only take memory.
const CACHE_KIB_NEGATIVE: i64 = -256;

/// The totals of the attempts that `run` made at `judge`; all zero for a judge the store does not know.
pub(super) fn totals(
    connection: &Connection,
    judge: &JudgeId,
    run: RunId,
) -> Result<Totals, rusqlite::Error> {
    let row: Option<i64> = connection
        .prepare_cached("SELECT id FROM judge WHERE hash = ?1")?
        .query_row([judge.as_str()], |row| row.get(0))
        .optional()?;
    let Some(judge) = row else { return Ok(Totals::default()) };
    connection.pragma_update(None, "cache_size", CACHE_KIB_NEGATIVE)?;
    let mut select = connection.prepare_cached(
        "SELECT run, packet, response_id, state, outcome, tokens_in, tokens_out, cost_picodollars, model,
             fingerprint
         FROM attempt WHERE judge = ?1",
    )?;
    let (mut sums, mut responses) = (Sums::default(), Responses::default());
    let mut rows = select.query([judge])?;
    while let Some(row) = rows.next()? {
        responses.add(row)?;
        if row.get::<_, i64>(0)? == run.0 {
            sums.add(row)?;
        }
    }
    let mut totals = sums.totals();
    if responses.may_repeat() {
        totals.repeated_responses = repeated_responses(connection, judge, run)?;
    }
    Ok(totals)
}

/// What the attempts of a run add up to.
#[derive(Default)]
struct Sums {
    totals: Totals,
    tokens_in: i64,
    tokens_out: i64,
    models: BTreeMap<String, u64>,
    fingerprints: BTreeMap<String, u64>,
}

impl Sums {
    fn add(&mut self, row: &Row<'_>) -> Result<(), rusqlite::Error> {
        count(&mut self.models, row.get_ref(8)?.as_str_or_null()?);
        count(&mut self.fingerprints, row.get_ref(9)?.as_str_or_null()?);
        let totals = &mut self.totals;
        match row.get_ref(3)?.as_str()? {
            "not_sent" => return Ok(()),
            "lost" => totals.lost += 1,
            _ => {}
        }
        totals.calls += 1;
        let (tokens_in, tokens_out): (Option<i64>, Option<i64>) = (row.get(5)?, row.get(6)?);
        let cost: Option<i64> = row.get(7)?;
        let is_answered = row.get_ref(4)?.as_str_or_null()? == Some("answered");
        totals.unknown_cost_calls += u64::from(cost.is_none());
        totals.unknown_usage_answers += u64::from(is_answered && tokens_in.is_none());
        let added = [
            (&mut self.tokens_in, tokens_in),
            (&mut self.tokens_out, tokens_out),
            (&mut totals.cost_picodollars, cost),
        ];
        for (sum, more) in added {
            *sum = sum.saturating_add(more.unwrap_or(0));
        }
        Ok(())
    }

    fn totals(self) -> Totals {
        Totals {
            tokens_in: self.tokens_in.unsigned_abs(),
            tokens_out: self.tokens_out.unsigned_abs(),
            models: self.models.into_iter().collect(),
            fingerprints: self.fingerprints.into_iter().collect(),
            ..self.totals
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: Option<&str>) {
    let Some(name) = name else { return };
    match counts.get_mut(name) {
        Some(n) => *n += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// The response ids of a judge's attempts as numbers, each with its packet: sixteen bytes for an attempt.
#[derive(Default)]
struct Responses {
    hasher: RandomState,
    seen: Vec<(u64, i64)>,
}

impl Responses {
    fn add(&mut self, row: &Row<'_>) -> Result<(), rusqlite::Error> {
        if let Some(id) = row.get_ref(2)?.as_str_or_null()? {
            self.seen.push((self.hasher.hash_one(id), row.get(1)?));
        }
        Ok(())
    }

    /// Whether one id may have come for two packets. Ids that differ can share a number, so a yes is looked into.
    fn may_repeat(mut self) -> bool {
        self.seen.sort_unstable();
        self.seen.windows(2).any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)
    }
}

/// The response ids that `run` received and that came, in it or before it, for more than one packet.
fn repeated_responses(
    connection: &Connection,
    judge: i64,
    run: RunId,
) -> Result<Vec<RepeatedResponse>, rusqlite::Error> {
    let mut select = connection.prepare_cached(
        "WITH repeated AS (
             SELECT response_id FROM attempt WHERE judge = ?1 AND response_id IS NOT NULL GROUP BY response_id
             HAVING count(DISTINCT packet) > 1 AND max(run = ?2)
         )
         SELECT DISTINCT attempt.response_id, packet.hash
         FROM attempt JOIN repeated USING (response_id) JOIN packet ON packet.id = attempt.packet
         WHERE attempt.judge = ?1 ORDER BY attempt.response_id, packet.hash",
    )?;
    let rows = select.query_map(params![judge, run.0], |row| Ok((row.get(0)?, packet_hash(row, 1)?)))?;
    let mut repeated: Vec<RepeatedResponse> = Vec::new();
    for row in rows {
        let (response_id, packet): (String, PacketHash) = row?;
        match repeated.last_mut() {
            Some(last) if last.response_id == response_id => last.packets.push(packet),
            _ => repeated.push(RepeatedResponse { response_id, packets: vec![packet] }),
        }
    }
    Ok(repeated)
}
