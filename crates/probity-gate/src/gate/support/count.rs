//! Numbers that count things: "412 households", "three payments".
//!
//! A count is checked only where the evidence counts the same things, so that "two ways to pay" is no claim.

use std::ops::Range;

use super::super::claim::{Lexicon, WordList};

/// How many words behind a number can name what it counts.
const NOUN_WORDS_MAX: usize = 4;

/// A whole number of a text and the words behind it.
pub(super) struct Count<'t> {
    pub(super) span: Range<usize>,
    pub(super) number: u64,
    /// The words behind it.
    behind: Vec<&'t str>,
}

impl Count<'_> {
    /// The words, without endings, for what is counted.
    pub(super) fn of<'l>(&'l self, lexicon: &'l Lexicon) -> impl Iterator<Item = String> + 'l {
        self.behind.iter().flat_map(|word| lexicon.stems(word, WordList::Function)).take(2)
    }
}

/// The whole numbers of a text, in digits or in words.
pub(super) fn counts<'t>(text: &'t str, lexicon: &Lexicon) -> Vec<Count<'t>> {
    let words: Vec<(usize, &str)> = words(text).collect();
    let number = |word: &str| {
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return lexicon.numeral(word).map(u64::from);
        }
        let digits: String = word.chars().filter(|c| !matches!(c, ',' | '.' | '\'')).collect();
        let is_whole = word.split([',', '.', '\'']).skip(1).all(|group| group.len() == 3);
        digits.parse().ok().filter(|_| is_whole).or_else(|| lexicon.numeral(word).map(u64::from))
    };
    let count = |(at, (start, word)): (usize, &(usize, &'t str))| {
        let number = number(word)?;
        let behind = words[at + 1..].iter().scan(start + word.len(), |end, (next, word)| {
            let is_next = *next == *end + 1 && !word.starts_with(|c: char| c.is_ascii_digit());
            *end = next + word.len();
            (is_next && lexicon.unit(word).is_none() && lexicon.currency(word).is_none()).then_some(*word)
        });
        let behind = behind.take(NOUN_WORDS_MAX).collect();
        Some(Count { span: *start..start + word.len(), number, behind })
    };
    words.iter().enumerate().filter_map(count).collect()
}

/// The words of a text with their places. A mark between two digits belongs to their number.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = at;
        while let Some(byte) = bytes.get(at) {
            let (is_word, len) = match byte {
                b',' | b'.' | b'\'' => (at > start && is_digit(at - 1) && is_digit(at + 1), 1),
                0..=127 => (byte.is_ascii_alphanumeric(), 1),
                _ => text[at..].chars().next().map_or((false, 1), |c| (c.is_alphanumeric(), c.len_utf8())),
            };
            if !is_word && at > start {
                break;
            }
            at += len;
            start = if is_word { start } else { at };
        }
        (at > start).then(|| (start, &text[start..at]))
    })
}
