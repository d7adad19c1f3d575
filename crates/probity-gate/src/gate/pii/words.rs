//! The words around a place in folded text, never further than a fixed number of bytes.
//!
//! A word is a run of letters and digits of any script. Looking back ends where the sentence began, so a
//! label never reaches across a full stop.

use std::sync::OnceLock;

/// How far to look, in bytes. A label stands closer than this.
pub(super) const REACH: usize = 64;

/// Words that are usually cut short by a full stop.
static ABBREVIATIONS: List = List::of(
    "\
    no nr num tel ph mob ref ext acct apt st str mr mrs ms dr ul al pl os avda av ave rd blvd rkp",
);

/// Words that are looked up together.
#[derive(Debug)]
pub(super) struct List {
    /// In lower case, with white space between them.
    words: &'static str,
    sorted: OnceLock<Vec<&'static str>>,
}

impl List {
    /// The list of `words`, which are in lower case with white space between them.
    pub(super) const fn of(words: &'static str) -> Self {
        List { words, sorted: OnceLock::new() }
    }

    /// Whether `word` is in the list, whatever the case of its ASCII letters.
    pub(super) fn has(&self, word: impl AsRef<[u8]>) -> bool {
        let sorted = self.sorted.get_or_init(|| {
            let mut words: Vec<_> = self.words.split_whitespace().collect();
            words.sort_unstable();
            words
        });
        let lower = || word.as_ref().iter().map(u8::to_ascii_lowercase);
        sorted.binary_search_by(|listed| listed.bytes().cmp(lower())).is_ok()
    }
}

/// A word and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Word<'_> {
    /// Whether its first letter is upper case, or has no case at all.
    pub(super) fn is_capital(&self) -> bool {
        self.text.chars().next().is_some_and(|char| char.is_alphabetic() && !char.is_lowercase())
    }

    /// Whether it is written with ASCII digits only.
    pub(super) fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether it is in a list, whatever its case.
    pub(super) fn is_in(&self, list: &List) -> bool {
        list.has(self.text)
    }

    /// Whether it equals one of `words`, which are lower case, whatever its case.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// Whether a byte belongs to a word. Bytes of characters outside ASCII all do.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// The words before `at` in the same sentence, nearest first.
pub(super) fn before(text: &str, at: usize) -> impl Iterator<Item = Word<'_>> {
    let bytes = text.as_bytes();
    let floor = at.saturating_sub(REACH);
    let mut end = at;
    std::iter::from_fn(move || {
        while end > floor && !is_word_byte(bytes[end - 1]) {
            if ends_sentence(bytes, end - 1) {
                return None;
            }
            end -= 1;
        }
        let mut start = end;
        while start > floor && is_word_byte(bytes[start - 1]) {
            start -= 1;
        }
        // A word cut by the floor is no word, and the cut may stand inside a character.
        let is_cut = start == floor && start > 0 && is_word_byte(bytes[start - 1]);
        if start == end || is_cut {
            return None;
        }
        let word = Word { text: &text[start..end], start, end };
        end = start;
        Some(word)
    })
}

/// The words from `at` on, in reading order, up to the end of the reach.
pub(super) fn after(text: &str, at: usize) -> impl Iterator<Item = Word<'_>> {
    let bytes = text.as_bytes();
    let ceiling = (at + REACH).min(bytes.len());
    let mut start = at;
    std::iter::from_fn(move || {
        while start < ceiling && !is_word_byte(bytes[start]) {
            start += 1;
        }
        let mut end = start;
        while end < ceiling && is_word_byte(bytes[end]) {
            end += 1;
        }
        let is_cut = end == ceiling && end < bytes.len() && is_word_byte(bytes[end]);
        if start == end || is_cut {
            return None;
        }
        let word = Word { text: &text[start..end], start, end };
        start = end;
        Some(word)
    })
}

/// Whether the byte at `at` closes a sentence, seen from behind it.
fn ends_sentence(bytes: &[u8], at: usize) -> bool {
    let next = || bytes.get(at + 1).copied().unwrap_or(b' ');
    match bytes[at] {
        b'!' | b'?' => next().is_ascii_whitespace() && at > 0 && is_word_byte(bytes[at - 1]),
        b'.' => next().is_ascii_whitespace() && !is_abbreviation(&bytes[at.saturating_sub(5)..at]),
        b'\n' => next() == b'\n',
        _ => false,
    }
}

/// Whether text before a full stop ends in a word that is usually cut short.
fn is_abbreviation(before: &[u8]) -> bool {
    let start = before.iter().rposition(|byte| !is_word_byte(*byte)).map_or(0, |i| i + 1);
    let word = &before[start..];
    word.len() == 1 || ABBREVIATIONS.has(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, before_bar: &str, after_bar: &str) {
        let at = text.find('|').unwrap();
        let back: Vec<_> = before(text, at).map(|word| word.text).collect();
        let forth: Vec<_> = after(text, at).map(|word| word.text).collect();
        assert_eq!((back.join(" "), forth.join(" ")), (before_bar.into(), after_bar.into()), "{text}");
    }

    #[test]
    fn words_stand_on_both_sides() {
        check("Your order no. |12 is here.", "no order Your", "12 is here");
        check("Done. Call me| now", "me Call", "now");
        check("|", "", "");
    }

    #[test]
    fn nothing_is_read_beyond_the_reach() {
        check(&format!("{} x|y {}", "é".repeat(60), "é".repeat(60)), "x", "y");
    }
}
