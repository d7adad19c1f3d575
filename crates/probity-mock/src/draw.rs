//! Chance that can be repeated: every draw follows from a seed, a packet and a call number.
//!
//! Nothing here depends on the order in which calls arrive, so two runs at different concurrency see the
//! same levels, waits and faults. Draws for different purposes are independent of each other.

use blake3::Hash;

/// The draws of one packet, or of one call for it.
#[derive(Debug, Clone)]
pub(crate) struct CallDraw {
    key: [u8; 32],
}

impl CallDraw {
    /// The draws that are the same for every call about `packet`.
    pub(crate) fn of_packet(seed: u64, packet: &Hash) -> Self {
        CallDraw::of_call(seed, packet, 0)
    }

    /// The draws of call `attempt` (from 1) about `packet`.
    pub(crate) fn of_call(seed: u64, packet: &Hash, attempt: u32) -> Self {
        let mut bytes = [0; 44];
        bytes[..32].copy_from_slice(packet.as_bytes());
        bytes[32..40].copy_from_slice(&seed.to_le_bytes());
        bytes[40..].copy_from_slice(&attempt.to_le_bytes());
        CallDraw { key: *blake3::hash(&bytes).as_bytes() }
    }

    /// 64 even bits for `purpose`.
    pub(crate) fn bits(&self, purpose: &str) -> u64 {
        let hash = blake3::keyed_hash(&self.key, purpose.as_bytes());
        let (start, _) = hash.as_bytes().split_first_chunk::<8>().expect("a hash has 32 bytes");
        u64::from_le_bytes(*start)
    }

    /// A number from 0 to below 1.
    pub(crate) fn share(&self, purpose: &str) -> f64 {
        // 53 bits are what a double holds exactly.
        (self.bits(purpose) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of `choices`, which is not empty.
    pub(crate) fn pick<'a, T>(&self, purpose: &str, choices: &'a [T]) -> &'a T {
        let turn = self.bits(purpose) % choices.len() as u64;
        &choices[usize::try_from(turn).expect("smaller than a length")]
    }

    /// A pseudonym of eight letters, which differs from call to call.
    pub(crate) fn mark(&self) -> String {
        let mut bits = self.bits("mark");
        let mut letter = || {
            let at = u8::try_from(bits % 26).expect("below 26");
            bits /= 26;
            char::from(b'a' + at)
        };
        (0..8).map(|_| letter()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::CallDraw;

    #[test]
    fn draws_follow_from_seed_packet_and_attempt() {
        let packet = blake3::hash(b"packet");
        let one = || CallDraw::of_call(7, &packet, 1);
        assert_eq!(one().bits("a"), one().bits("a"));
        assert_ne!(one().bits("a"), one().bits("b"));
        assert_ne!(one().bits("a"), CallDraw::of_call(7, &packet, 2).bits("a"));
        assert_ne!(one().bits("a"), CallDraw::of_call(8, &packet, 1).bits("a"));
        assert_ne!(one().bits("a"), CallDraw::of_call(7, &blake3::hash(b"other"), 1).bits("a"));
    }

    #[test]
    fn shares_are_even() {
        let n = 4000_u32;
        let below: u32 = (0..n)
            .map(|n| u32::from(CallDraw::of_call(1, &blake3::hash(&n.to_le_bytes()), 1).share("x") < 0.25))
            .sum();
        assert!((below.abs_diff(n / 4)) < 150, "{below} of {n}");
    }
}
