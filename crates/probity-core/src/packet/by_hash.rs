//! Sets and maps whose keys are digests. A digest is as good as random already, so it is not hashed once more: its
//! first eight bytes say where it stands.
//!
//! What always holds: keys are told apart by all of their bytes. The eight are where the search begins.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::PacketHash;

/// What is known by packet.
pub type PacketMap<V> = HashMap<PacketHash, V, ByDigest>;

/// Some packets.
pub type PacketSet = HashSet<PacketHash, ByDigest>;

/// Finds the place of a key that is a digest, or eight bytes of one.
pub type ByDigest = BuildHasherDefault<DigestHasher>;

/// Takes the eight bytes that it is given for the hash. Not for keys that somebody chose.
#[derive(Debug, Clone, Copy, Default)]
pub struct DigestHasher(u64);

impl Hasher for DigestHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a digest is given as one number of eight bytes");
    }

    fn write_u64(&mut self, eight: u64) {
        self.0 = eight;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Hash for PacketHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let eight = self.0.first_chunk().expect("the hash has 32 bytes");
        state.write_u64(u64::from_le_bytes(*eight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_begin_alike_are_told_apart() {
        let hash = |last: u8| {
            let mut bytes = [7; 32];
            bytes[31] = last;
            PacketHash::from_bytes(bytes)
        };
        let mut found: PacketMap<u8> = (0..100).map(|last| (hash(last), last)).collect();
        assert_eq!(found.len(), 100);
        assert!((0..100).all(|last| found.get(&hash(last)) == Some(&last)));
        assert_eq!(
            (found.remove(&hash(3)), found.get(&hash(3)), found.get(&hash(100))),
            (Some(3), None, None)
        );
    }
}
