//! The lists of a language whose words are looked up as they are.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::WordList;

/// The words and phrases of all lists. Texts are only looked up, so none can fill the map with words that share a hash.
#[derive(Debug, Clone, Default)]
pub(super) struct Listed {
    /// The phrases of each list, by its number.
    phrases: Vec<Vec<Cow<'static, str>>>,
    roles: HashMap<Cow<'static, str>, Roles, FixedState>,
}

/// What a text is in the lists, one bit for each.
#[derive(Debug, Clone, Copy, Default)]
struct Roles {
    /// One of their phrases.
    phrase: u64,
    /// The first word of one.
    first: u64,
}

impl Listed {
    /// Adds a phrase to a list.
    pub(super) fn insert(&mut self, list: WordList, phrase: Cow<'static, str>) {
        let first = phrase.split(' ').next().unwrap_or_default().to_owned();
        self.roles.entry(first.into()).or_default().first |= bit(list);
        let roles = self.roles.entry(phrase.clone()).or_default();
        if roles.phrase & bit(list) == 0 {
            roles.phrase |= bit(list);
            self.phrases.resize_with(WordList::ALL.len(), Vec::new);
            self.phrases[list as usize].push(phrase);
        }
    }

    /// Whether a list has a phrase.
    pub(super) fn has(&self, list: WordList, phrase: &str) -> bool {
        self.roles.get(phrase).is_some_and(|roles| roles.phrase & bit(list) != 0)
    }

    /// Whether one of the lists has a phrase that begins with a word.
    pub(super) fn begins(&self, lists: &[WordList], word: &str) -> bool {
        self.roles.get(word).is_some_and(|roles| lists.iter().any(|list| roles.first & bit(*list) != 0))
    }

    /// The phrases of a list.
    pub(super) fn phrases(&self, list: WordList) -> impl Iterator<Item = &str> {
        self.phrases.get(list as usize).into_iter().flatten().map(|phrase| &**phrase)
    }
}

/// The bit of a list.
fn bit(list: WordList) -> u64 {
    const { assert!(WordList::ALL.len() <= u64::BITS as usize) };
    1 << list as u32
}
