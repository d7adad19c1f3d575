//! Verdicts that this process has settled, so that its report does not have to ask the database for each.
//!
//! A verdict comes here only after the store has acknowledged it as the one that stands. It stands for ever, so
//! whoever finds it here finds what the database says. Unscored settlements can give way and are not kept. What is
//! kept is bounded; what is not here is looked up.

use probity_core::packet::{PacketHash, PacketMap};

use super::record::{Accepted, Decision, JudgeId, Settlement, SettlementRecord};

/// The most that is kept, about, in bytes.
const KEPT_BYTES_MAX: usize = 24 << 20;

/// What a verdict takes beside its text, about, in bytes.
const VERDICT_BYTES: usize = 96;

/// Verdicts of one judge and repeat, the first that one was settled for.
#[derive(Debug, Default)]
pub(super) struct Recent {
    of: Option<(JudgeId, u32)>,
    verdicts: PacketMap<Kept>,
    n_bytes: usize,
}

#[derive(Debug)]
struct Kept {
    body: Box<str>,
    attempts: u32,
}

/// A verdict on its way to the disk.
pub(super) struct Offered {
    of: (JudgeId, u32),
    packet: PacketHash,
    kept: Kept,
}

impl Offered {
    /// What `settlement` offers, if it is a verdict.
    pub(super) fn of(settlement: &Settlement) -> Option<Offered> {
        match &settlement.decision {
            Decision::Verdict { body } => Some(Offered {
                of: (settlement.judge.clone(), settlement.repeat),
                packet: settlement.packet,
                kept: Kept { body: body.as_str().into(), attempts: settlement.attempts },
            }),
            Decision::Unscored { .. } => None,
        }
    }
}

impl Recent {
    /// Keeps a verdict that the store has acknowledged as `accepted`, if there is room for it.
    pub(super) fn keep(&mut self, offered: Offered, accepted: Accepted) {
        let n_bytes = self.n_bytes + VERDICT_BYTES + offered.kept.body.len();
        if accepted == Accepted::Superseded || n_bytes > KEPT_BYTES_MAX {
            return;
        }
        if *self.of.get_or_insert_with(|| offered.of.clone()) == offered.of {
            self.n_bytes = n_bytes;
            self.verdicts.insert(offered.packet, offered.kept);
        }
    }

    /// The settlement of a packet, where it is a verdict that was kept.
    pub(super) fn settlement(
        &self,
        packet: &PacketHash,
        judge: &JudgeId,
        repeat: u32,
    ) -> Option<SettlementRecord> {
        self.of.as_ref().filter(|(kept, of_repeat)| kept == judge && *of_repeat == repeat)?;
        let kept = self.verdicts.get(packet)?;
        Some(SettlementRecord::Verdict { body: kept.body.as_ref().to_owned(), attempts: kept.attempts })
    }
}
