//! What the store has about packets that are named, whatever else it holds.

use probity_core::packet::{PacketHash, PacketMap};
use rusqlite::{OptionalExtension, params};

use super::{AttemptSummary, JudgeId, Reader, SettlementRecord, StoreError};

/// What the store has about a packet, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownKind {
    /// A verdict.
    Verdict,
    /// A settlement without a verdict.
    Unscored,
    /// Attempts that settled nothing.
    Attempted,
}

/// What the store has about a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is settled.
    Settled(SettlementRecord),
    /// It was asked about and is not settled: the last attempt.
    Attempted(AttemptSummary),
}

impl Reader {
    /// What is known about each of these packets; nothing about those that are not in the answer.
    pub fn known(
        &self,
        judge: &JudgeId,
        repeat: u32,
        packets: &[PacketHash],
    ) -> Result<PacketMap<KnownKind>, StoreError> {
        const SQL: &str = "SELECT (SELECT verdict IS NOT NULL FROM settlement
                WHERE settlement.judge = judge.id AND settlement.packet = packet.id AND settlement.repeat = ?3),
            EXISTS (SELECT 1 FROM attempt
                WHERE attempt.packet = packet.id AND attempt.judge = judge.id AND attempt.repeat = ?3)
            FROM packet JOIN judge ON judge.hash = ?2 WHERE packet.hash = ?1";
        self.ask(|connection| {
            let mut select = connection.prepare_cached(SQL)?;
            let mut known = PacketMap::default();
            for packet in packets {
                let key = params![packet.as_bytes(), judge.as_str(), repeat];
                let kind = select.query_row(key, |row| {
                    Ok(match (row.get::<_, Option<bool>>(0)?, row.get(1)?) {
                        (Some(true), _) => Some(KnownKind::Verdict),
                        (Some(false), _) => Some(KnownKind::Unscored),
                        (None, true) => Some(KnownKind::Attempted),
                        (None, false) => None,
                    })
                });
                known.extend(kind.optional()?.flatten().map(|kind| (*packet, kind)));
            }
            Ok(known)
        })
    }

    /// What the store has about each of these packets; nothing about those that are not in the answer.
    pub fn found(
        &self,
        judge: &JudgeId,
        repeat: u32,
        packets: &[PacketHash],
    ) -> Result<PacketMap<Found>, StoreError> {
        let mut found = PacketMap::default();
        for packet in packets {
            let one = match self.settlement(packet, judge, repeat)? {
                Some(settlement) => Some(Found::Settled(settlement)),
                None => self.last_attempt(packet, judge, repeat)?.map(Found::Attempted),
            };
            found.extend(one.map(|one| (*packet, one)));
        }
        Ok(found)
    }
}
