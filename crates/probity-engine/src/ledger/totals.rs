//! What a run has spent on a judge, and signs that the judge changed or answered from a cache.
//!
//! Only the attempts of the run are read, as they come, and never the answers. A call without a known cost is
//! counted as such and never as free. A sum beyond what can be counted is the most that can be.

use std::collections::{BTreeMap, BTreeSet};

use super::db::{Db, DbError, Row, vals};
use super::known::packet_hash;
use super::record::{RepeatedResponse, RunId, Totals};
use super::tables::judge_row;
use crate::judge::JudgeId;

/// The totals of the attempts that `run` made at `judge`; all zero for a judge the store does not know.
pub(super) fn totals(db: &Db, judge: &JudgeId, run: RunId) -> Result<Totals, DbError> {
    // A response id that came, in this run or before it, for another packet too is looked up by the index over them.
    const SQL: &str = "SELECT state, outcome, tokens_in, tokens_out, cost_picodollars, model, fingerprint,
            tokens_cached, tier, list_picodollars, superseded,
            CASE WHEN EXISTS (SELECT 1 FROM attempt AS other WHERE other.judge = ?2
                AND other.response_id = attempt.response_id AND other.packet <> attempt.packet)
            THEN response_id END
        FROM attempt WHERE run = ?1 AND judge = ?2";
    let Some(judge) = judge_row(db, judge)? else { return Ok(Totals::default()) };
    let (mut totals, mut repeated) = (Totals::default(), BTreeSet::new());
    db.each(SQL, &vals![run.0, judge], |row| {
        repeated.extend(row.get::<Option<String>>(11)?);
        totals.add(row)
    })?;
    let repeated = repeated.into_iter().map(|response_id| repeated_response(db, judge, response_id));
    totals.repeated_responses = repeated.collect::<Result<_, _>>()?;
    Ok(totals)
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
        self.tokens_cached = self.tokens_cached.saturating_add(row.get::<Option<u64>>(7)?.unwrap_or(0));
        self.cost_picodollars = self.cost_picodollars.saturating_add(cost.unwrap_or(0));
        if let Some((cost, list)) = cost.zip(row.get::<Option<i64>>(9)?) {
            self.saved_picodollars = self.saved_picodollars.saturating_add(list.saturating_sub(cost));
        }
        count(&mut self.tiers, row.get(8)?);
        // An answer that came after another was settled is in no figure.
        if !row.get::<bool>(10)? {
            count(&mut self.models, row.get(5)?);
            count(&mut self.fingerprints, row.get(6)?);
        }
        Ok(())
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: Option<String>) {
    if let Some(name) = name {
        *counts.entry(name).or_default() += 1;
    }
}

/// A response id with the packets that it came for.
fn repeated_response(db: &Db, judge: i64, response_id: String) -> Result<RepeatedResponse, DbError> {
    const PACKETS: &str = "SELECT DISTINCT packet.hash FROM attempt JOIN packet ON packet.id = attempt.packet
        WHERE attempt.judge = ?1 AND attempt.response_id = ?2 ORDER BY packet.hash";
    let packets = db.rows(PACKETS, &vals![judge, &response_id], |row| packet_hash(row, 0))?;
    Ok(RepeatedResponse { response_id, packets })
}
