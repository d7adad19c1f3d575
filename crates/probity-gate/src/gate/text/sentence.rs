//! Where paragraphs and sentences of a reply begin and end, and what stands in quotes.
//!
//! A border is decided from the few bytes around it. Nothing reaches over a blank line: what two texts say together, with
//! one between them, is what each says.

use std::ops::Range;

use super::words::Meaning;
use super::{List, Rewritten, is_word_byte};

/// The longest word before a full stop that can be an abbreviation, in bytes.
const ABBREVIATION_BYTES_MAX: usize = 12;

/// How many closing marks can follow the end of a sentence and still belong to it.
const CLOSERS_MAX: usize = 6;

/// How many bytes behind a full stop or a line break are looked at for what follows.
const AHEAD_BYTES_MAX: usize = 512;

/// The longest quotation that counts as one, in bytes.
const QUOTE_BYTES_MAX: usize = 2000;

/// A stretch of a paragraph that is read by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::gate) struct Sentence {
    pub(in crate::gate) span: Range<usize>,
    /// The paragraph that it stands in.
    pub(in crate::gate) paragraph: Range<usize>,
    /// Whether a mark or a blank line ends it, rather than the end of a line, over which a label still reaches.
    pub(super) is_ended: bool,
}

/// The sentences of a clean text, in order. All that is not blank is in one of them.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let (mut sentences, mut at) = (Vec::new(), 0);
    while let Some(paragraph) = paragraph(text, at) {
        let page = &text.as_bytes()[..paragraph.end];
        let mut from = paragraph.start;
        let mut add = |from: usize, behind: usize, is_ended: bool| {
            sentences.push(Sentence { span: from..behind, paragraph: paragraph.clone(), is_ended });
        };
        let mut next = from;
        while let Some(n) = page[next..].iter().position(|byte| matches!(byte, b'\n' | b'.' | b'!' | b'?')) {
            let (at, border) = (next + n, border(page, paragraph.start, next + n));
            if let Some(behind) = border {
                add(from, behind, page[at] != b'\n');
                from = behind;
            }
            next = border.unwrap_or(at + 1);
        }
        if from < page.len() {
            add(from, page.len(), true);
        }
        at = paragraph.end;
    }
    sentences
}

/// Where the sentences of a text stand, each with what lies between it and the next. Together they are the text.
pub(in crate::gate) fn sentence_spans(original: &str) -> Vec<Range<usize>> {
    let clean = Rewritten::clean(original);
    let starts = sentences(clean.text()).into_iter().skip(1).map(|next| clean.original(&next.span).start);
    let mut from = 0;
    starts.chain([original.len()]).map(|to| std::mem::replace(&mut from, to)..to).collect()
}

/// The place among `sentences` of the one that the byte `at` stands in.
pub(in crate::gate) fn sentence_at(sentences: &[Range<usize>], at: usize) -> Range<usize> {
    let number = sentences.partition_point(|sentence| sentence.end <= at);
    sentences.get(number).cloned().unwrap_or_default()
}

/// The first paragraph from `from` on, which is a line's start or the end of the paragraph before. `None` where nothing
/// but blank lines follows.
fn paragraph(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let first = from + bytes[from..].iter().position(|byte| !is_blank(*byte) && *byte != b'\n')?;
    let start = bytes[from..first].iter().rposition(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
    let mut breaks = text[first..].match_indices('\n').map(|(at, _)| first + at);
    let is_last =
        |at: &usize| bytes[at + 1..].iter().find(|byte| !is_blank(**byte)).is_none_or(|byte| *byte == b'\n');
    Some(start..breaks.find(is_last).unwrap_or(text.len()))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Where the next sentence starts if the byte at `at` ends one.
fn border(page: &[u8], from: usize, at: usize) -> Option<usize> {
    if page[at] == b'\n' {
        return is_line_border(page, from, at).then_some(at + 1);
    }
    let is_closer = |byte: &&u8| b".!?)\"'*_]".contains(byte);
    let behind = at + 1 + page[at + 1..].iter().take(CLOSERS_MAX).take_while(is_closer).count();
    let ends = page.get(behind).is_none_or(|byte| byte.is_ascii_whitespace() || *byte >= 0xE0);
    (ends && !(page[at] == b'.' && is_abbreviation(page, from, at))).then_some(behind)
}

/// Whether a line break ends a sentence: before a list item, a quoted line, a heading or a capital, and
/// after a quoted line or a heading.
fn is_line_border(page: &[u8], from: usize, at: usize) -> bool {
    let next = page[at + 1..page.len().min(at + 1 + AHEAD_BYTES_MAX)].trim_ascii_start();
    let n_digits = next.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let is_item = match &next[n_digits..] {
        [b'-' | b'*' | b'>' | b'#' | b'"' | b'|' | b'+' | b'A'..=b'Z' | 0xE0..=0xFF, ..] | [] => {
            n_digits == 0
        }
        [b'.' | b')', rest @ ..] => n_digits > 0 && rest.first().is_none_or(u8::is_ascii_whitespace),
        _ => false,
    };
    let line = page[from..at].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    is_item || matches!(line.trim_ascii_start(), [b'>' | b'#', ..])
}

/// Whether the full stop at `at` belongs to a word that is cut short.
fn is_abbreviation(page: &[u8], from: usize, at: usize) -> bool {
    let before = &page[from.max(at.saturating_sub(ABBREVIATION_BYTES_MAX))..at];
    let len = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'.').count();
    let next = page[at + 1..page.len().min(at + 1 + AHEAD_BYTES_MAX)].trim_ascii_start();
    if len == 0 {
        // "On the 3. March", "im 2. Stock".
        let n_digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let word = &next[..next.iter().take_while(|byte| is_word_byte(**byte)).count()];
        let goes_on = word.first().is_some_and(u8::is_ascii_lowercase) || Meaning::of(word).month.is_some();
        return matches!(n_digits, 1 | 2) && goes_on;
    }
    let word = &before[before.len() - len..];
    let meaning = Meaning::of(word);
    let is_numbered = len == 1 || meaning.is_in(List::NumberAbbreviations) || meaning.month.is_some();
    meaning.is_in(List::Abbreviations) || (is_numbered && next.first().is_some_and(u8::is_ascii_digit))
}

/// What stands in quotes in a paragraph, in order. A quotation that is the whole paragraph is not one: it is the reply
/// itself in quotes.
pub(in crate::gate) fn quotes(text: &str, paragraph: &Range<usize>) -> Vec<Range<usize>> {
    let (mut quotes, mut open) = (Vec::new(), None::<(u8, usize)>);
    let page = &text.as_bytes()[..paragraph.end];
    for at in paragraph.clone().filter(|at| matches!(page[*at], b'"' | b'\'')) {
        let (mark, behind) = (page[at], page.get(at + 1));
        match open.filter(|(_, start)| at - start <= QUOTE_BYTES_MAX) {
            Some((opened, start)) if mark == opened => {
                if mark == b'"' || behind.is_none_or(|byte| !byte.is_ascii_alphanumeric()) {
                    quotes.push(start..at + 1);
                    open = None;
                }
            }
            Some(_) => {}
            None => {
                let before = page[paragraph.start..at].last();
                let is_free = before.is_none_or(|byte| byte.is_ascii_whitespace() || b"([:,-".contains(byte));
                let opens = behind.is_some_and(|byte| !byte.is_ascii_whitespace());
                open = (opens && (mark == b'"' || is_free)).then_some((mark, at));
            }
        }
    }
    let whole = text[paragraph.clone()].trim();
    quotes.retain(|quote| text[quote.clone()] != *whole);
    quotes
}
