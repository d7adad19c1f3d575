//! The block that an address stands in: flat, town, postcode and country, on the same line or the next.
//!
//! It ends where words begin that belong to a sentence, so that no other value is taken into it.

use std::ops::Range;

use super::super::words::{Word, is_word_byte};
use super::words;

/// How far a block reaches beyond its street, in bytes.
const REACH: usize = 160;
/// How many line ends a block spans.
const LINES_MAX: usize = 6;

/// The block around the street at `core`.
pub(super) fn around(text: &str, core: &Range<usize>) -> Range<usize> {
    start(text, core.start)..end(text, core.end)
}

/// The start of the block: a number directly before the street belongs to it.
fn start(text: &str, at: usize) -> usize {
    let Some(before) = text[..at].strip_suffix(' ') else { return at };
    let n = before.bytes().rev().take(6).take_while(u8::is_ascii_digit).count();
    let from = before.len() - n;
    let is_own_word =
        from == 0 || before.as_bytes()[from - 1].is_ascii_whitespace() || before.as_bytes()[from - 1] == b'>';
    if (1..=5).contains(&n) && is_own_word { from } else { at }
}

/// The end of the block.
fn end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let limit = (at + REACH).min(bytes.len());
    let (mut end, mut from, mut n_lines) = (at, at, 0);
    let mut follows_unit = false;
    while let Some(word) = next_word(text, from, limit) {
        let gap = &text[from..word.start];
        n_lines += gap.matches('\n').count();
        let is_apart = gap.contains("\n\n") && !line_ends_in_number(text, word.start);
        if !may_lie_between(gap) || n_lines > LINES_MAX || is_apart || ends_sentence(text, from, gap, &word) {
            break;
        }
        // A word with a colon is the label of the next line.
        if bytes.get(word.end) == Some(&b':') {
            break;
        }
        let is_number = word.text.starts_with(|char: char| char.is_ascii_digit());
        if is_number {
            let is_long = word.text.len() > 6 && !word.text.contains(|char: char| char.is_ascii_alphabetic());
            if is_long
                || is_phone_part(text, &word)
                || (word.text.len() < 3 && !follows_unit && !gap.contains(' '))
            {
                break;
            }
            end = word.end;
        } else if word.is_in(&words::UNITS)
            || (word.is_capital() && !word.is_in(&words::SENTENCE_WORDS))
            || words::is_type(&word)
        {
            end = word.end;
        } else if !word.is_in(&words::PARTICLES) {
            break;
        }
        follows_unit = word.is_in(&words::UNITS);
        from = word.end;
    }
    end
}

/// The word from `from` on, if it ends before `limit`.
fn next_word(text: &str, from: usize, limit: usize) -> Option<Word<'_>> {
    let bytes = text.as_bytes();
    let start = from + bytes[from..limit].iter().position(|byte| is_word_byte(*byte))?;
    let end =
        start + bytes[start..limit].iter().position(|byte| !is_word_byte(*byte)).unwrap_or(limit - start);
    let is_cut = end == limit && bytes.get(end).is_some_and(|byte| is_word_byte(*byte));
    (!is_cut).then(|| Word { text: &text[start..end], start, end })
}

/// Whether only what separates the parts of an address lies between two words.
fn may_lie_between(gap: &str) -> bool {
    gap.len() < 12
        && !gap.contains("**")
        && (!gap.contains('?') || gap.starts_with('\n'))
        && gap.bytes().all(|byte| {
            matches!(
                byte,
                b' ' | b',' | b'.' | b'?' | b'(' | b')' | b'\n' | b'\r' | b'>' | b'*' | b'-' | b'\'' | b'#'
            )
        })
}

/// Whether a full stop before a word ends the sentence.
fn ends_sentence(text: &str, from: usize, gap: &str, word: &Word<'_>) -> bool {
    let last = text[..from].rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    let goes_on =
        word.is_in(&words::UNITS) || (word.is_capital() && !is_number && !word.is_in(&words::SENTENCE_WORDS));
    gap.contains(". ") && !((is_number || last.len() < 4) && goes_on)
}

/// Whether the line that starts at `at` ends in a number, as the one with the country and postcode does.
fn line_ends_in_number(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at..];
    let n = rest.iter().take(40).take_while(|byte| **byte != b'\n').count();
    let line = rest[..n].trim_ascii_end();
    n < 40 && line.strip_suffix(b".").unwrap_or(line).last().is_some_and(u8::is_ascii_digit)
}

/// Whether a number goes on the way phones do.
fn is_phone_part(text: &str, word: &Word<'_>) -> bool {
    let rest = &text.as_bytes()[word.end..];
    let next = rest.iter().skip(1).take(8).take_while(|byte| byte.is_ascii_digit()).count();
    matches!(rest.first(), Some(b'-' | b'.' | b')' | b'/'))
        && next > 0
        && !(word.text.len() == 5 && next <= 4)
}
