//! Words looked up whatever their case.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// The longest word that is put into lower case without memory of its own, in bytes.
const SHORT_MAX: usize = 24;

/// Words that are compared as they are.
pub(in crate::gate) type Words = HashSet<Cow<'static, str>, BuildHasherDefault<WordHasher>>;

/// Values by words, which are in lower case.
#[derive(Debug, Clone, Default)]
pub(in crate::gate) struct WordMap<V>(HashMap<Box<[u8]>, V, BuildHasherDefault<WordHasher>>);

impl<V: Copy> WordMap<V> {
    /// The value of a word.
    pub(in crate::gate) fn get(&self, word: &[u8]) -> Option<V> {
        if word.len() > SHORT_MAX || !word.is_ascii() {
            return self.0.get(String::from_utf8_lossy(word).to_lowercase().as_bytes()).copied();
        }
        let mut lower = [0; SHORT_MAX];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        self.0.get(&*lower).copied()
    }

    /// The value of a word, which is `new` where it had none.
    pub(in crate::gate) fn get_or_insert(&mut self, word: &str, new: V) -> &mut V {
        self.0.entry(word.as_bytes().into()).or_insert(new)
    }
}

/// A fast hash. Texts are only looked up, so none can fill a map with words that share one.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::gate) struct WordHasher(u64);

impl WordHasher {
    fn add(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks();
        for eight in eights {
            self.add(u64::from_le_bytes(*eight));
        }
        // Most words are shorter than that: four of their bytes at a time, which may be some of the same.
        match (rest.first_chunk(), rest.last_chunk()) {
            (Some(first), Some(last)) => {
                self.add(u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)));
            }
            _ if rest.is_empty() => {}
            _ => self.add(rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte))),
        }
    }

    fn finish(&self) -> u64 {
        // The map takes its place from the lower bits, and the upper ones are the good ones.
        self.0 ^ self.0 >> 32
    }
}
