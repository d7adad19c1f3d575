//! The places of a text that are worth a closer look.
//!
//! The word lists name the candidates; a candidate word counts if it can begin the name of a remedy or deed that
//! really follows, or if a number stands before the unit that it names. Passing over a candidate must never
//! lose a claim; taking one too many costs time and nothing else.

use std::ops::Range;

use super::super::outline::Outline;
use super::lexicon::{Cues, Element, Meaning, Pattern, Table};
use super::term::{GAP_WORDS_MAX, begins};
use super::token::{Token, tokenise_some};

/// How many bytes behind a word are looked at for the rest of a phrase.
const PHRASE_BYTES_MAX: usize = 96;

/// How many bytes before a unit are looked at for its number.
const NUMBER_BYTES_MAX: usize = 40;

/// How many bytes behind a label are looked at for what it labels.
const LABEL_BYTES_MAX: usize = 24;

/// The next place in `range` that is worth a look. What is in `window` does not matter; its room is used.
pub(super) fn next(
    outline: &Outline<'_>,
    range: Range<usize>,
    table: &Table,
    window: &mut Vec<Token>,
) -> Option<usize> {
    let text = outline.text();
    let bytes = text.as_bytes();
    let mut at = range.start;
    loop {
        let found = table.triggers.find(outline, at..range.end)?;
        if !bytes[found.start].is_ascii_alphabetic() || bytes[found.end - 1] == b'.' {
            return Some(found.start);
        }
        let word = word_around(bytes, &range, found);
        if is_worth(text, &word, &range, table, window) {
            return Some(word.start);
        }
        at = word.end;
    }
}

/// The whole word that `hit` is a part of.
fn word_around(bytes: &[u8], range: &Range<usize>, hit: Range<usize>) -> Range<usize> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let before = bytes[range.start..hit.start].iter().rev().take_while(|byte| part(byte)).count();
    let behind = bytes[hit.end..range.end].iter().take_while(|byte| part(byte)).count();
    hit.start - before..hit.end + behind
}

fn is_worth(
    text: &str,
    word: &Range<usize>,
    range: &Range<usize>,
    table: &Table,
    window: &mut Vec<Token>,
) -> bool {
    let written = &text.as_bytes()[word.clone()];
    let id = table.lookup(written);
    let info = table.info(id);
    if info.unit.is_some() || info.currency.is_some() || info.hundredth.is_some() {
        return number_before(text, word.start, range.start, table) || info.cues.any(Cues::MENTION);
    }
    if info.cues.any(Cues::CODE_LABEL) && upper_follows(text.as_bytes(), word.end) {
        return true;
    }
    if !info.cues.any(Cues::MENTION) {
        return is_percent(written);
    }
    let patterns = table.phrases(id);
    window.clear();
    if !patterns.iter().all(|pattern| pattern.elements.len() == 1) {
        let mut end = range.end.min(word.end + PHRASE_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let n_tokens = patterns.iter().map(reach).max().unwrap_or(0);
        tokenise_some(text, word.start..end, n_tokens, |text, len| table.lookup_start(text, len), window);
    }
    let first = patterns.iter().find(|pattern| matches_here(pattern, window, table));
    first.is_some_and(|pattern| matches!(pattern.meaning, Meaning::Remedy(..) | Meaning::Deed(_)))
}

/// How many tokens have to be seen to know whether the phrase stands here.
fn reach(pattern: &Pattern) -> usize {
    let n_gaps = pattern.elements.iter().filter(|element| **element == Element::Gap).count();
    pattern.elements.len() + n_gaps * GAP_WORDS_MAX
}

/// Whether the phrase stands here. One with a figure is found by the figure.
fn matches_here(pattern: &Pattern, window: &[Token], table: &Table) -> bool {
    pattern.elements.len() == 1 || begins(pattern, window, table)
}

/// Whether a word in upper case follows soon: what a label without digits can label.
fn upper_follows(bytes: &[u8], at: usize) -> bool {
    let near = &bytes[at..bytes.len().min(at + LABEL_BYTES_MAX)];
    near.windows(2).any(|pair| pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase())
}

fn is_percent(word: &[u8]) -> bool {
    ["percent", "per cent"]
        .iter()
        .any(|name| word.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes())))
}

/// Whether a number or "a" stands before the unit at `at`, with at most one word between.
fn number_before(text: &str, at: usize, from: usize, table: &Table) -> bool {
    let mut start = from.max(at.saturating_sub(NUMBER_BYTES_MAX));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let words = text[start..at].rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(2).any(|word| {
        let is_article = word.eq_ignore_ascii_case("a") || word.eq_ignore_ascii_case("an");
        is_article
            || word.bytes().any(|byte| byte.is_ascii_digit())
            || table.info(table.lookup(word.as_bytes())).numeral.is_some()
    })
}
