//! Numbers that count things: "412 households", "three payments".
//!
//! A count is checked only where the evidence counts the same things, so that "two ways to pay" is no claim.

use std::ops::Range;

use super::super::claim::{Lexicon, WordList};

/// How many words behind a number can name what it counts.
const NOUN_WORDS_MAX: usize = 4;

/// A whole number of a text and the words behind it.
pub(super) struct Count {
    pub(super) span: Range<usize>,
    pub(super) number: u64,
    /// The words behind it without their endings.
    pub(super) of: Vec<String>,
}

/// The whole numbers of a text, in digits or in words.
pub(super) fn counts(text: &str, lexicon: &Lexicon) -> Vec<Count> {
    let words: Vec<(usize, &str)> = words(text).collect();
    let number = |word: &str| {
        let digits: String = word.chars().filter(|c| !matches!(c, ',' | '.' | '\'')).collect();
        let is_whole = word.split([',', '.', '\'']).skip(1).all(|group| group.len() == 3);
        digits.parse().ok().filter(|_| is_whole).or_else(|| lexicon.numeral(word).map(u64::from))
    };
    let count = |(at, (start, word)): (usize, &(usize, &str))| {
        let number = number(word)?;
        let behind = words[at + 1..].iter().scan(start + word.len(), |end, (next, word)| {
            let is_next = *next == *end + 1 && !word.starts_with(|c: char| c.is_ascii_digit());
            *end = next + word.len();
            (is_next && lexicon.unit(word).is_none() && lexicon.currency(word).is_none()).then_some(*word)
        });
        let of =
            behind.take(NOUN_WORDS_MAX).flat_map(|word| lexicon.stems(word, WordList::Function)).collect();
        Some(Count { span: *start..start + word.len(), number, of })
    };
    words.iter().enumerate().filter_map(count).collect()
}

/// The words of a text with their places. A mark between two digits belongs to their number.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let is_gap = move |(at, c): &(usize, char)| {
        let is_inside =
            matches!(c, ',' | '.' | '\'') && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
        !c.is_alphanumeric() && !is_inside
    };
    let ends = text.char_indices().filter(is_gap).map(|(at, c)| (at, c.len_utf8())).chain([(text.len(), 0)]);
    let pieces = ends.scan(0, move |start, (end, gap)| {
        let piece = (*start, &text[*start..end]);
        *start = end + gap;
        Some(piece)
    });
    pieces.filter(|(_, word)| !word.is_empty())
}
