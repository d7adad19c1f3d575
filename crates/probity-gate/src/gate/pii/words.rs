//! The words around a place in folded text, never further than a fixed number of bytes.
//!
//! A word is a run of letters and digits of any script. Looking back ends where the sentence began, so a
//! label never reaches across a full stop.

/// How far to look, in bytes. A label stands closer than this.
pub(super) const REACH: usize = 64;

/// Words that are usually cut short by a full stop.
const ABBREVIATIONS: &[&str] = &[
    "no", "nr", "num", "tel", "ph", "mob", "ref", "ext", "acct", "apt", "st", "str", "mr", "mrs", "ms", "dr",
    "ul", "al", "pl", "os", "avda", "av", "ave", "rd", "blvd", "rkp",
];

/// Words that are looked up together.
#[derive(Debug)]
pub(super) struct List {
    /// In lower case and sorted.
    words: &'static [&'static str],
    /// By the first letter, a bit for each length that words have, so that most others are told by a look.
    lens: [u32; 32],
}

impl List {
    /// The list of `words`, which are in lower case and sorted.
    pub(super) const fn of(words: &'static [&'static str]) -> Self {
        let (mut lens, mut at) = ([0; 32], 0);
        while at < words.len() {
            let word = words[at].as_bytes();
            lens[(word[0] & 0x1F) as usize] |= 1 << word.len();
            at += 1;
        }
        List { words, lens }
    }

    /// Whether a word with this first letter, in either case, and this length may be in the list.
    fn may_have(&self, word: &[u8]) -> bool {
        let lens = word.first().map_or(0, |first| self.lens[usize::from(first & 0x1F)]);
        word.len() < 32 && (lens >> word.len()) & 1 == 1
    }

    /// Whether the words stand in their order, each once.
    #[cfg(test)]
    pub(super) fn is_sorted(&self) -> bool {
        self.words.is_sorted_by(|a, b| a < b)
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
        if !list.may_have(self.text.as_bytes()) {
            return false;
        }
        let mut lower = [0; 16];
        let Some(lower) = lower.get_mut(..self.text.len()) else { return false };
        lower.copy_from_slice(self.text.as_bytes());
        lower.make_ascii_lowercase();
        // Nearly all differ in their first two letters, which is not worth a call.
        list.words.binary_search_by(|word| word.bytes().cmp(lower.iter().copied())).is_ok()
    }

    /// Whether it equals one of `words`, which are lower case, whatever its case.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// Whether a byte belongs to a word. Bytes of characters outside ASCII all do.
pub(super) fn is_word_byte(byte: u8) -> bool {
    WORD_BYTES[usize::from(byte)]
}

/// Which bytes belong to a word: a table, because it is asked for nearly every byte around a number.
const WORD_BYTES: [bool; 256] = {
    let (mut belongs, mut byte) = ([true; 256], 0_u8);
    while byte < 0x80 {
        belongs[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    belongs
};

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

/// Whether the byte at `at` closes a sentence for whoever comes back over it.
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
    word.len() == 1 || ABBREVIATIONS.iter().any(|short| word.eq_ignore_ascii_case(short.as_bytes()))
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
