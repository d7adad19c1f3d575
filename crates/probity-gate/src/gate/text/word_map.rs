//! Words looked up whatever their case.

use std::collections::HashMap;

/// The longest ASCII word that is put into lower case without a copy on the heap, in bytes.
const SHORT_MAX: usize = 32;

/// Values by words, which are in lower case.
#[derive(Debug, Clone, Default)]
pub(in crate::gate) struct WordMap<V>(HashMap<Box<[u8]>, V>);

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
