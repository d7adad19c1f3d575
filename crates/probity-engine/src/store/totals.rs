//! What a run has spent on a judge, and signs that the judge changed or answered from a cache.
//!
//! Only the small rows of the attempts are read, never the answers. A call without a known cost is
//! counted as such and never as free.

use probity_core::packet::PacketHash;
use rusqlite::{Connection, OptionalExtension, params};

use super::reader::packet_hash;
use super::record::{JudgeId, RepeatedResponse, RunId, Totals};

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
    let mut totals = spent(connection, judge, run)?;
    totals.models = counted(connection, "model", judge, run)?;
    totals.fingerprints = counted(connection, "fingerprint", judge, run)?;
    totals.repeated_responses = repeated_responses(connection, judge, run)?;
    Ok(totals)
}

fn spent(connection: &Connection, judge: i64, run: RunId) -> Result<Totals, rusqlite::Error> {
    let mut select = connection.prepare_cached(
        "SELECT count(*), count(*) FILTER (WHERE state = 'lost'),
             coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(cost_picodollars), 0),
             count(*) FILTER (WHERE cost_picodollars IS NULL),
             count(*) FILTER (WHERE outcome = 'answered' AND tokens_in IS NULL)
         FROM attempt WHERE judge = ?1 AND run = ?2 AND state <> 'not_sent'",
    )?;
    select.query_row(params![judge, run.0], |row| {
        let count = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        Ok(Totals {
            calls: count(0)?,
            lost: count(1)?,
            tokens_in: count(2)?,
            tokens_out: count(3)?,
            cost_picodollars: row.get(4)?,
            unknown_cost_calls: count(5)?,
            unknown_usage_answers: count(6)?,
            ..Totals::default()
        })
    })
}

/// The values of `column` with the number of attempts that have each, sorted by value.
fn counted(
    connection: &Connection,
    column: &'static str,
    judge: i64,
    run: RunId,
) -> Result<Vec<(String, u64)>, rusqlite::Error> {
    let mut select = connection.prepare_cached(&format!(
        "SELECT {column}, count(*) FROM attempt
         WHERE judge = ?1 AND run = ?2 AND {column} IS NOT NULL GROUP BY {column} ORDER BY {column}"
    ))?;
    let rows = select.query_map(params![judge, run.0], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1).map(i64::unsigned_abs)?))
    })?;
    rows.collect()
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
