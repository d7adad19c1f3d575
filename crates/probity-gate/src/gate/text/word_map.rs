//! Words looked up whatever their case.
//!
//! Every word of every text is looked up, so hashing costs little (FNV-1a) and nothing is copied to the heap. What is
//! hashed are the words of the lists, which no text can add to.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The longest ASCII word that is put into lower case without a copy on the heap, in bytes.
const SHORT_MAX: usize = 32;

/// Values by words, which are in lower case.
#[derive(Debug, Clone, Default)]
pub(in crate::gate) struct WordMap<V>(HashMap<Box<[u8]>, V, BuildHasherDefault<Fnv>>);

impl<V: Copy> WordMap<V> {
    /// The value of a word.
    pub(in crate::gate) fn get(&self, word: &[u8]) -> Option<V> {
        if !word.is_ascii() {
            let lower = str::from_utf8(word).ok()?.to_lowercase();
            return self.0.get(lower.as_bytes()).copied();
        }
        let mut lower = [0; SHORT_MAX];
        let Some(lower) = lower.get_mut(..word.len()) else {
            return self.0.get(word.to_ascii_lowercase().as_slice()).copied();
        };
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        self.0.get(&*lower).copied()
    }

    /// The value of a word, which is `new` where it had none.
    pub(in crate::gate) fn get_or_insert(&mut self, word: &[u8], new: V) -> &mut V {
        self.0.entry(word.into()).or_insert(new)
    }
}

#[derive(Debug, Clone)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The length of a word says nothing that its letters do not.
    fn write_usize(&mut self, _: usize) {}
}
