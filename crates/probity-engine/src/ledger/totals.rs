//! What a run has spent on a judge, and signs that the judge changed or answered from a cache.
//!
//! Only the attempts of the run are read, as they come, and never the answers. A call without a known cost is
//! counted as such and never as free. A sum beyond what can be counted is the most that can be.

use std::collections::BTreeMap;

use probity_core::packet::PacketHash;

use super::db::{Db, DbError, Row, vals};
use super::known::packet_hash;
use super::record::{RepeatedResponse, RunId, Totals};
use super::tables::judge_row;
use crate::judge::JudgeId;

/// The totals of the attempts that `run` made at `judge`; all zero for a judge the store does not know.
pub(super) fn totals(db: &Db, judge: &JudgeId, run: RunId) -> Result<Totals, DbError> {
    const SQL: &str = "SELECT state, outcome, tokens_in, tokens_out, cost_picodollars, model, fingerprint
        FROM attempt WHERE run = ?1 AND judge = ?2";
    let Some(judge) = judge_row(db, judge)? else { return Ok(Totals::default()) };
    let mut totals = Totals::default();
    db.each(SQL, &vals![run.0, judge], |row| totals.add(row))?;
    Ok(Totals { repeated_responses: repeated_responses(db, judge, run)?, ..totals })
}

impl Totals {
    fn add(&mut self, row: &Row<'_>) -> Result<(), DbError> {
        self.calls += 1;
        self.lost += u64::from(row.text(0)? == "lost");
        let (tokens_in, tokens_out): (Option<u64>, Option<u64>) = (row.get(2)?, row.get(3)?);
        let cost: Option<i64> = row.get(4)?;
        let is_answered = row.get::<Option<String>>(1)?.as_deref() == Some("answered");
        self.unknown_cost_calls += u64::from(cost.is_none());
        self.unknown_usage_answers += u64::from(is_answered && tokens_in.is_none());
        self.tokens_in = self.tokens_in.saturating_add(tokens_in.unwrap_or(0));
        self.tokens_out = self.tokens_out.saturating_add(tokens_out.unwrap_or(0));
        self.cost_picodollars = self.cost_picodollars.saturating_add(cost.unwrap_or(0));
        count(&mut self.models, row.get(5)?);
        count(&mut self.fingerprints, row.get(6)?);
        Ok(())
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: Option<String>) {
    if let Some(name) = name {
        *counts.entry(name).or_default() += 1;
    }
}

/// The response ids that `run` received and that came, in it or before it, for more than one packet. Each is looked up
/// by the index over response ids.
fn repeated_responses(db: &Db, judge: i64, run: RunId) -> Result<Vec<RepeatedResponse>, DbError> {
    const REPEATED: &str = "SELECT DISTINCT attempt.response_id FROM attempt
        WHERE attempt.run = ?1 AND attempt.judge = ?2 AND attempt.response_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM attempt AS other WHERE other.judge = ?2
                AND other.response_id = attempt.response_id AND other.packet <> attempt.packet)
        ORDER BY attempt.response_id";
    const PACKETS: &str = "SELECT DISTINCT packet.hash FROM attempt JOIN packet ON packet.id = attempt.packet
        WHERE attempt.judge = ?1 AND attempt.response_id = ?2 ORDER BY packet.hash";
    let repeated: Vec<String> = db.rows(REPEATED, &vals![run.0, judge], |row| row.get(0))?;
    let with_packets = |response_id: String| {
        let packets: Vec<PacketHash> =
            db.rows(PACKETS, &vals![judge, &response_id], |row| packet_hash(row, 0))?;
        Ok(RepeatedResponse { response_id, packets })
    };
    repeated.into_iter().map(with_packets).collect()
}
