//! Words looked up whatever their case.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// The longest word that is a number, one byte behind the other: most are.
const SHORT_MAX: usize = size_of::<u128>();

/// Values by words, which are in lower case.
#[derive(Debug, Clone, Default)]
pub(in crate::gate) struct WordMap<V> {
    short: HashMap<u128, V, FixedState>,
    long: HashMap<Box<[u8]>, V, FixedState>,
}

impl<V: Copy> WordMap<V> {
    /// The value of a word.
    pub(in crate::gate) fn get(&self, word: &[u8]) -> Option<V> {
        if word.len() <= SHORT_MAX && word.is_ascii() {
            return self.short.get(&short(word)).copied();
        }
        let lower = String::from_utf8_lossy(word).to_lowercase();
        match lower.as_bytes() {
            lower if lower.len() <= SHORT_MAX => self.short.get(&short(lower)).copied(),
            lower => self.long.get(lower).copied(),
        }
    }

    /// The value of a word, which is `new` where it had none.
    pub(in crate::gate) fn get_or_insert(&mut self, word: &str, new: V) -> &mut V {
        match word.as_bytes() {
            word if word.len() <= SHORT_MAX => self.short.entry(short(word)).or_insert(new),
            word => self.long.entry(word.into()).or_insert(new),
        }
    }
}

/// A word of at most so many bytes as a number, its ASCII letters in lower case. No word has the byte 0.
fn short(word: &[u8]) -> u128 {
    // The first and the last bytes, which may be some of the same: faster than one by one.
    let wide = |bytes: &[u8; 8]| u128::from(u64::from_le_bytes(*bytes));
    let narrow = |bytes: &[u8; 4]| u128::from(u32::from_le_bytes(*bytes));
    let behind = |n_bytes: usize| 8 * (word.len() - n_bytes);
    let number = match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) => wide(first) | wide(last) << behind(8),
        _ => match (word.first_chunk(), word.last_chunk()) {
            (Some(first), Some(last)) => narrow(first) | narrow(last) << behind(4),
            _ => word.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte)),
        },
    };
    let mut bytes = number.to_le_bytes();
    bytes.make_ascii_lowercase();
    u128::from_le_bytes(bytes)
}
