//! Verdicts that this process has settled, so that its report does not have to ask the database for each.
//!
//! A verdict comes here only after the store has acknowledged it as the one that stands. It stands for ever, so
//! whoever finds it here finds what the database says. Unscored settlements can give way and are not kept. What is
//! kept is bounded; what is not here is looked up.

use probity_core::packet::{PacketHash, PacketMap};

use super::record::{Accepted, Decision, JudgeId, Settlement};

/// The most that is kept, about, in bytes.
const KEPT_BYTES_MAX: usize = 24 << 20;

/// What a verdict takes beside its text, about, in bytes.
const VERDICT_BYTES: usize = 96;

/// Texts are kept in blocks of this size, in bytes: making and giving back each by itself would take as long as reading
/// them.
const BLOCK_BYTES: usize = 256 << 10;

/// Verdicts of one judge and repeat, the first that one was settled for.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    of: Option<(JudgeId, u32)>,
    verdicts: PacketMap<Kept>,
    blocks: Vec<String>,
    n_bytes: usize,
}

/// Where a verdict stands.
#[derive(Debug)]
struct Kept {
    block: usize,
    begin: usize,
    end: usize,
    attempts: u32,
}

/// A verdict on its way to the disk.
pub(super) struct Offered {
    of: (JudgeId, u32),
    packet: PacketHash,
    body: String,
    attempts: u32,
}

impl Offered {
    /// What `settlement` offers, if it is a verdict.
    pub(super) fn of(settlement: Settlement) -> Option<Offered> {
        let Settlement { packet, judge, repeat, attempts, decision, .. } = settlement;
        match decision {
            Decision::Verdict { body } => Some(Offered { of: (judge, repeat), packet, body, attempts }),
            Decision::Unscored { .. } => None,
        }
    }
}

impl Recent {
    /// Keeps a verdict that the store has acknowledged as `accepted`, if there is room for it.
    pub(super) fn keep(&mut self, offered: Offered, accepted: Accepted) {
        let Offered { of, packet, body, attempts } = offered;
        let n_bytes = self.n_bytes + VERDICT_BYTES + body.len();
        if accepted == Accepted::Superseded || n_bytes > KEPT_BYTES_MAX {
            return;
        }
        if *self.of.get_or_insert_with(|| of.clone()) == of {
            self.n_bytes = n_bytes;
            let (block, begin) = self.write(&body);
            self.verdicts.insert(packet, Kept { block, begin, end: begin + body.len(), attempts });
        }
    }

    /// Writes a text behind the others. Returns in which block, and where it begins.
    fn write(&mut self, text: &str) -> (usize, usize) {
        if self.blocks.last().is_none_or(|block| block.capacity() - block.len() < text.len()) {
            self.blocks.push(String::with_capacity(BLOCK_BYTES.max(text.len())));
        }
        let at = self.blocks.len() - 1;
        let block = &mut self.blocks[at];
        let begin = block.len();
        block.push_str(text);
        (at, begin)
    }

    /// The verdict on a packet and how many attempts it took, where it was kept.
    pub(crate) fn verdict(&self, packet: &PacketHash, judge: &JudgeId, repeat: u32) -> Option<(&str, u32)> {
        self.of.as_ref().filter(|(kept, of_repeat)| kept == judge && *of_repeat == repeat)?;
        let Kept { block, begin, end, attempts } = self.verdicts.get(packet)?;
        Some((&self.blocks[*block][*begin..*end], *attempts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_is_found_whatever_its_length() {
        let judge = JudgeId::of_identity("judge");
        let hash = |n: u8| PacketHash::from_bytes(*blake3::hash(&[n]).as_bytes());
        let length = |n: u8| if n == 7 { BLOCK_BYTES + 1 } else { usize::from(n) * 100 };
        let body = |n: u8| char::from(b'a' + n % 26).to_string().repeat(length(n));
        let mut recent = Recent::default();
        for n in 0..u8::MAX {
            let (packet, body, attempts) = (hash(n), body(n), u32::from(n));
            recent.keep(Offered { of: (judge.clone(), 0), packet, body, attempts }, Accepted::First);
        }
        for n in 0..u8::MAX {
            assert_eq!(recent.verdict(&hash(n), &judge, 0), Some((body(n).as_str(), u32::from(n))));
        }
        assert_eq!(recent.verdict(&hash(u8::MAX), &judge, 0), None);
    }
}
