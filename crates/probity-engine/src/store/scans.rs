//! Whole-judge scans for callers in `run` that do not ask by packet yet.

use probity_core::packet::{PacketMap, PacketSet};

use super::db::vals;
use super::error::StoreError;
use super::known::packet_hash;
use super::reader::Reader;
use super::record::{JudgeId, SettledKind};

impl Reader {
    /// What is settled for one repeat of a judge, by packet.
    pub fn settled(&self, judge: &JudgeId, repeat: u32) -> Result<PacketMap<SettledKind>, StoreError> {
        const SQL: &str = "SELECT packet.hash, settlement.verdict IS NOT NULL FROM settlement
            JOIN packet ON packet.id = settlement.packet
            WHERE settlement.judge = (SELECT id FROM judge WHERE hash = ?1) AND settlement.repeat = ?2";
        let kinds = self.ask(|db| {
            db.rows(SQL, &vals![judge.as_str(), repeat], |row| {
                let kind = if row.get(1)? { SettledKind::Verdict } else { SettledKind::Unscored };
                Ok((packet_hash(row, 0)?, kind))
            })
        })?;
        Ok(kinds.into_iter().collect())
    }

    /// The packets that a judge was asked about and that have no settlement.
    pub fn attempted_unsettled(&self, judge: &JudgeId, repeat: u32) -> Result<PacketSet, StoreError> {
        const SQL: &str = "SELECT DISTINCT packet.hash FROM attempt JOIN packet ON packet.id = attempt.packet
            WHERE attempt.judge = (SELECT id FROM judge WHERE hash = ?1) AND attempt.repeat = ?2
                AND NOT EXISTS (SELECT 1 FROM settlement WHERE settlement.judge = attempt.judge
                    AND settlement.packet = attempt.packet AND settlement.repeat = attempt.repeat)";
        let packets =
            self.ask(|db| db.rows(SQL, &vals![judge.as_str(), repeat], |row| packet_hash(row, 0)))?;
        Ok(packets.into_iter().collect())
    }
}
