//! Where paragraphs and sentences of a reply begin and end, and what stands in quotes.
//!
//! A border is decided from the few bytes around it. Nothing reaches over a blank line: what two texts say together, with one between them, is what each says.

use std::ops::Range;

use super::lexicon::{Cues, Table};

/// The longest word before a full stop that can be an abbreviation, in bytes.
const ABBREVIATION_BYTES_MAX: usize = 12;

/// How many closing marks can follow the end of a sentence and still belong to it.
const CLOSERS_MAX: usize = 6;

/// How many bytes behind a line break are looked at for what the next line begins with.
const INDENT_BYTES_MAX: usize = 512;

/// The longest quotation that counts as one, in bytes.
const QUOTE_BYTES_MAX: usize = 2000;

/// The first paragraph from `from` on, which is a line's start or the end of the paragraph before. `None` where nothing
/// but blank lines follows.
pub(super) fn paragraph(text: &str, from: usize) -> Option<Range<usize>> {
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

/// Where the sentence of `paragraph` that starts at `from` ends.
pub(super) fn sentence_end(text: &str, paragraph: &Range<usize>, from: usize, table: &Table) -> usize {
    let page = &text.as_bytes()[..paragraph.end];
    (from..page.len()).find_map(|at| border(page, paragraph.start, at, table)).unwrap_or(page.len())
}

/// Where the next sentence starts if the byte at `at` ends one.
fn border(page: &[u8], from: usize, at: usize, table: &Table) -> Option<usize> {
    match page[at] {
        b'\n' => is_line_border(page, from, at).then_some(at + 1),
        b'.' | b'!' | b'?' => {
            let behind = (0..CLOSERS_MAX).fold(at + 1, |behind, _| behind + closer_len(page, behind));
            let ends = page.get(behind).is_none_or(|byte| byte.is_ascii_whitespace() || *byte >= 0xE0);
            (ends && !(page[at] == b'.' && is_abbreviation(page, from, at, table))).then_some(behind)
        }
        _ => None,
    }
}

/// How many bytes the closing mark at `at` has. Zero where there is none.
fn closer_len(page: &[u8], at: usize) -> usize {
    match page.get(at..).unwrap_or_default() {
        [b'.' | b'!' | b'?' | b')' | b'"' | b'\'' | b'*' | b'_' | b']', ..] => 1,
        [0xE2, 0x80, 0x99 | 0x9D, ..] => 3,
        _ => 0,
    }
}

/// Whether a line break ends a sentence: before a list item, a quoted line, a heading or a capital, and
/// after a quoted line or a heading.
fn is_line_border(page: &[u8], from: usize, at: usize) -> bool {
    let next = page[at + 1..page.len().min(at + 1 + INDENT_BYTES_MAX)].trim_ascii_start();
    let item = match next {
        [b'-' | b'*' | b'>' | b'#' | b'"' | b'|' | b'+' | b'\n' | b'A'..=b'Z' | 0xE0..=0xFF, ..] | [] => true,
        _ => {
            let n_digits = next.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
            n_digits > 0
                && matches!(next.get(n_digits), Some(b'.' | b')'))
                && next.get(n_digits + 1).is_none_or(u8::is_ascii_whitespace)
        }
    };
    let line = page[from..at].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = line.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    item || matches!(first, Some(b'>' | b'#'))
}

fn is_abbreviation(page: &[u8], from: usize, at: usize, table: &Table) -> bool {
    let before = &page[from.max(at.saturating_sub(ABBREVIATION_BYTES_MAX + 1))..at];
    let len = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'.').count();
    if len == 0 || len > ABBREVIATION_BYTES_MAX {
        return false;
    }
    let info = table.info(table.lookup(&before[before.len() - len..]));
    let number_follows = || page[at + 1..].trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
    info.cues.any(Cues::ABBREVIATION)
        || ((info.cues.any(Cues::NUMBER_ABBREVIATION) || info.month.is_some()) && number_follows())
}

/// What stands in quotes in a paragraph, in order. A quotation that is the whole paragraph is not one: it is the reply
/// itself in quotes.
pub(super) fn quotes(text: &str, paragraph: &Range<usize>) -> Vec<Range<usize>> {
    let (mut quotes, mut open, mut before) = (Vec::new(), None::<(char, usize)>, None);
    let mut chars = text[paragraph.clone()].char_indices().peekable();
    while let Some((at, mark)) = chars.next() {
        let at = paragraph.start + at;
        let behind = chars.peek().map(|(_, c)| *c);
        match open.filter(|(_, start)| at - start <= QUOTE_BYTES_MAX) {
            Some((opened, start)) if closes(opened, mark, behind) => {
                quotes.push(start..at + mark.len_utf8());
                open = None;
            }
            Some(_) => {}
            None => open = opens(mark, before, behind).then_some((mark, at)),
        }
        before = Some(mark);
    }
    let whole = text[paragraph.clone()].trim();
    quotes.retain(|quote| text[quote.clone()] != *whole);
    quotes
}

fn opens(mark: char, before: Option<char>, behind: Option<char>) -> bool {
    let free = before.is_none_or(|c| c.is_ascii_whitespace() || "([:,-".contains(c));
    let word = behind.is_some_and(|c| !c.is_ascii_whitespace());
    word && (matches!(mark, '"' | '“' | '„') || (free && matches!(mark, '\'' | '‘')))
}

fn closes(opened: char, mark: char, behind: Option<char>) -> bool {
    let free = behind.is_none_or(|c| !c.is_ascii_alphanumeric());
    match opened {
        '"' => mark == '"',
        '\'' => mark == '\'' && free,
        '‘' => mark == '’' && free,
        _ => mark == '”' || mark == '"',
    }
}
