//! Words looked up whatever their case.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

/// The longest word that is put into lower case without memory of its own, in bytes.
const SHORT_MAX: usize = 24;

/// Words that are compared as they are. Texts are only looked up, so none can fill a set with words that share a hash.
pub(in crate::gate) type Words = HashSet<Cow<'static, str>, FixedState>;

/// Values by words, which are in lower case.
#[derive(Debug, Clone, Default)]
pub(in crate::gate) struct WordMap<V>(HashMap<Box<[u8]>, V, FixedState>);

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
