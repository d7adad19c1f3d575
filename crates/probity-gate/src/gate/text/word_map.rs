//! Words looked up whatever their case.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// The longest word that is compared as numbers, in bytes.
const SHORT_MAX: usize = 16;

/// Words that are compared as they are.
pub(in crate::gate) type Words = HashSet<Cow<'static, str>, BuildHasherDefault<WordHasher>>;

/// Values by words, which are in lower case.
#[derive(Debug, Clone, Default)]
pub(in crate::gate) struct WordMap<V> {
    /// By the bytes of the word as two numbers.
    short: HashMap<(u64, u64), V, BuildHasherDefault<WordHasher>>,
    long: HashMap<Box<[u8]>, V>,
}

impl<V: Copy> WordMap<V> {
    /// The value of a word.
    pub(in crate::gate) fn get(&self, word: &[u8]) -> Option<V> {
        if !word.is_ascii() {
            let lower = str::from_utf8(word).ok()?.to_lowercase();
            return self.get_lower(lower.as_bytes());
        }
        if word.len() > SHORT_MAX {
            return self.get_lower(&word.to_ascii_lowercase());
        }
        self.short.get(&packed(word)).copied()
    }

    fn get_lower(&self, word: &[u8]) -> Option<V> {
        if word.len() > SHORT_MAX { self.long.get(word) } else { self.short.get(&packed(word)) }.copied()
    }

    /// The value of a word, which is `new` where it had none.
    pub(in crate::gate) fn get_or_insert(&mut self, word: &str, new: V) -> &mut V {
        let word = word.as_bytes();
        if word.len() > SHORT_MAX {
            return self.long.entry(word.into()).or_insert(new);
        }
        self.short.entry(packed(word)).or_insert(new)
    }
}

/// The bytes of a short word as two numbers, ASCII letters in lower case. No word has a zero byte.
fn packed(word: &[u8]) -> (u64, u64) {
    let eight =
        |bytes: &[u8]| bytes.iter().fold(0_u64, |all, byte| all << 8 | u64::from(byte.to_ascii_lowercase()));
    let (head, tail) = word.split_at(word.len().min(8));
    (eight(head), eight(tail))
}

/// A fast hash. Texts are only looked up, so none can fill a map with words that share one.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::gate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for eight in bytes.chunks(8) {
            self.write_u64(eight.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        // The map takes its place from the lower bits, and the upper ones are the good ones.
        self.0 ^ self.0 >> 32
    }
}
