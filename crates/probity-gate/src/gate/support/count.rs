//! Numbers that count things: "412 households", "three payments".
//!
//! A count is checked only where the evidence counts the same things, so that "two ways to pay" is no claim.

use std::ops::Range;

use super::super::claim::{Lexicon, WordList};

/// How many words behind a number can name what it counts.
const NOUN_WORDS_MAX: usize = 4;

/// A whole number of a text.
pub(super) struct Count<'t> {
    pub(super) span: Range<usize>,
    pub(super) number: u64,
    /// The text behind it.
    behind: &'t str,
}

impl Count<'_> {
    /// Whether what it counts is written short, as in "23 kg": a measure is not multiplied with a price.
    pub(super) fn is_measure(&self, lexicon: &Lexicon) -> bool {
        const LENGTH_MAX: usize = 3;
        words(self.behind).next().is_some_and(|(start, word)| {
            start <= 1 && word.len() <= LENGTH_MAX && !lexicon.has(WordList::Function, word)
        })
    }

    /// The words, without endings, for what is counted: at most two of those behind it.
    pub(super) fn of<'l>(&'l self, lexicon: &'l Lexicon) -> impl Iterator<Item = String> + 'l {
        let behind = || {
            words(self.behind).scan(0, |end, (next, word)| {
                let is_next = next == *end + 1 && !word.starts_with(|c: char| c.is_ascii_digit());
                *end = next + word.len();
                is_next.then_some(word)
            })
        };
        // "Two extra days".
        let is_measure = |word: &str| lexicon.unit(word).is_some() || lexicon.currency(word).is_some();
        let n_words = if behind().take(2).any(is_measure) { 0 } else { NOUN_WORDS_MAX };
        let nouns = behind().take(n_words).take_while(move |word| !is_measure(word));
        nouns.flat_map(|word| lexicon.stems(word, WordList::Function)).take(2)
    }
}

/// The whole numbers of a text with these words, in digits or in words.
pub(super) fn counts<'t>(text: &'t str, words: &[(usize, &str)], lexicon: &Lexicon) -> Vec<Count<'t>> {
    let count = |&(start, word): &(usize, &str)| {
        let number = if word.starts_with(|c: char| c.is_ascii_digit()) { digits(word) } else { None };
        let number = number.or_else(|| lexicon.numeral(word).map(u64::from))?;
        let span = start..start + word.len();
        // "Am 4. und am 18. Mai".
        let is_ordinal =
            text[span.end..].strip_prefix(". ").is_some_and(|rest| rest.starts_with(char::is_lowercase));
        (!is_ordinal).then(|| Count { behind: &text[span.end..], span, number })
    };
    words.iter().filter_map(count).collect()
}

/// The number that digits are, with a mark between thousands or without.
fn digits(word: &str) -> Option<u64> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok();
    }
    let is_mark = |c: char| ",.'".contains(c) || c.is_whitespace();
    let is_whole = word.split(is_mark).skip(1).all(|group| group.len() == 3);
    word.replace(is_mark, "").parse().ok().filter(|_| is_whole)
}

/// Whether a blank behind a number that starts at `start` divides its thousands: "1 250". Only the groups beside it are
/// looked at: what stands before them has been.
fn divides_thousands(text: &str, start: usize, blank: Range<usize>) -> bool {
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let before = bytes[start..blank.start].iter().rev().take(4).take_while(is_digit).count();
    let is_first = blank.start - before == start;
    let is_group = if is_first {
        before < 4 && bytes[start] != b'0'
    } else {
        before == 3 && text[start..blank.start - before].ends_with(char::is_whitespace)
    };
    is_group
        && text[blank.clone()].starts_with(|c: char| c.is_whitespace() && c != '\n')
        && bytes[blank.end..].iter().take(4).take_while(is_digit).count() == 3
}

/// The words of a text with their places. A mark between two digits belongs to their number, and so does one blank before
/// three digits.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = at;
        while let Some(byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let c =
                if byte.is_ascii() { char::from(*byte) } else { text[at..].chars().next().unwrap_or(' ') };
            let behind = at + c.len_utf8();
            let is_between = || at > start && is_digit(at - 1) && is_digit(behind);
            let is_word = c.is_alphanumeric()
                || (is_between()
                    && (matches!(c, ',' | '.' | '\'') || divides_thousands(text, start, at..behind)));
            if !is_word && at > start {
                break;
            }
            at = behind;
            start = if is_word { start } else { at };
        }
        (at > start).then(|| (start, &text[start..at]))
    })
}
