//! The digest of a file's records, taken in large pieces: many bytes at once are hashed several times as fast as
//! the few of one record.

/// The digest of the source texts that were added so far. Packing, marks and line ends are not among them.
pub(super) struct RecordDigest {
    hasher: blake3::Hasher,
    /// What has not been hashed, less than a piece.
    waiting: Vec<u8>,
}

/// Bytes that are hashed at once: what the widest instructions take, so pieces stay aligned for them.
const PIECE_BYTES: usize = 16 << 10;

impl RecordDigest {
    /// Of nothing so far.
    pub(super) fn new() -> Self {
        RecordDigest { hasher: blake3::Hasher::new(), waiting: Vec::new() }
    }

    /// Adds one record; the length keeps neighbours apart.
    pub(super) fn add(&mut self, record: &[u8]) {
        self.put(&(record.len() as u64).to_le_bytes());
        self.put(record);
    }

    fn put(&mut self, mut bytes: &[u8]) {
        while self.waiting.len() + bytes.len() >= PIECE_BYTES {
            let (now, later) = bytes.split_at(PIECE_BYTES - self.waiting.len());
            self.waiting.extend_from_slice(now);
            self.hasher.update(&self.waiting);
            self.waiting.clear();
            bytes = later;
        }
        self.waiting.extend_from_slice(bytes);
    }

    /// The digest.
    pub(super) fn finish(mut self) -> blake3::Hash {
        self.hasher.update(&self.waiting);
        self.hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lengths: &[usize]) {
        let (mut pieces, mut plain) = (RecordDigest::new(), blake3::Hasher::new());
        for (at, length) in lengths.iter().enumerate() {
            let record: Vec<u8> = (0..=250).cycle().skip(at).take(*length).collect();
            pieces.add(&record);
            plain.update(&(record.len() as u64).to_le_bytes());
            plain.update(&record);
        }
        assert_eq!(pieces.finish(), plain.finalize(), "{lengths:?}");
    }

    #[test]
    fn pieces_do_not_show_in_the_digest() {
        check(&[]);
        check(&[0, 1, 300, 0]);
        for length in [PIECE_BYTES - 9, PIECE_BYTES - 8, PIECE_BYTES - 7, PIECE_BYTES, 5 * PIECE_BYTES + 3] {
            check(&[length]);
            check(&[17, length, 1, length]);
        }
        check(&[317; 200]);
    }
}
