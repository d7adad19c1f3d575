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
    let first = from + bytes[from..].iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))?;
    let start = bytes[from..first].iter().rposition(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
    let mut end = first;
    while let Some(line_end) = text[end..].find('\n').map(|at| end + at) {
        if is_blank_line(bytes, line_end + 1) {
            return Some(start..line_end);
        }
        end = line_end + 1;
    }
    Some(start..text.len())
}

fn is_blank_line(bytes: &[u8], start: usize) -> bool {
    let next = bytes[start..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    next.is_none_or(|byte| *byte == b'\n')
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
            let mut behind = at + 1;
            for _ in 0..CLOSERS_MAX {
                behind += closer_len(page, behind).unwrap_or(0);
            }
            let ends = page.get(behind).is_none_or(|byte| byte.is_ascii_whitespace() || *byte >= 0xE0);
            (ends && !(page[at] == b'.' && is_abbreviation(page, from, at, table))).then_some(behind)
        }
        _ => None,
    }
}

/// How many bytes the closing mark at `at` has.
fn closer_len(page: &[u8], at: usize) -> Option<usize> {
    match page.get(at..)? {
        [b'.' | b'!' | b'?' | b')' | b'"' | b'\'' | b'*' | b'_' | b']', ..] => Some(1),
        [0xE2, 0x80, 0x99 | 0x9D, ..] => Some(3),
        _ => None,
    }
}

/// Whether a line break ends a sentence: before a list item, a quoted line, a heading or a capital, and
/// after a quoted line or a heading.
fn is_line_border(page: &[u8], from: usize, at: usize) -> bool {
    let next: &[u8] = page[at + 1..page.len().min(at + 1 + INDENT_BYTES_MAX)].trim_ascii_start();
    let item = match next {
        [b'-' | b'*' | b'>' | b'#' | b'"' | b'|' | b'+' | b'\n', ..] | [] => true,
        [first, ..] if first.is_ascii_uppercase() || *first >= 0xE0 => true,
        _ => {
            let n_digits = next.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
            n_digits > 0 && matches!(next.get(n_digits), Some(b'.' | b')')) && {
                next.get(n_digits + 1).is_none_or(u8::is_ascii_whitespace)
            }
        }
    };
    item || matches!(line_start(page, from, at), Some(b'>' | b'#'))
}

/// The line that a text was last looked at in. It is asked from left to right, so that all lines are read once.
#[derive(Debug, Default)]
pub(super) struct Line {
    start: usize,
    read_to: usize,
}

impl Line {
    /// The first byte that is not blank of the line that `at` stands in, before `at`.
    pub(super) fn first_byte(&mut self, bytes: &[u8], at: usize) -> Option<u8> {
        if let Some(end) = bytes[self.read_to..at].iter().rposition(|byte| *byte == b'\n') {
            self.start = self.read_to + end + 1;
        }
        self.read_to = at;
        let line = &bytes[self.start..at];
        let n_blank = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        // The blanks stay behind, so that a line of many sentences does not have them read for each.
        self.start += n_blank;
        line.get(n_blank).copied()
    }
}

/// The first byte that is not blank of the line that `at` stands in.
fn line_start(page: &[u8], from: usize, at: usize) -> Option<u8> {
    let line = page[from..at].rsplit(|byte| *byte == b'\n').next()?;
    line.iter().copied().find(|byte| !matches!(byte, b' ' | b'\t'))
}

fn is_abbreviation(page: &[u8], from: usize, at: usize, table: &Table) -> bool {
    let earliest = from.max(at.saturating_sub(ABBREVIATION_BYTES_MAX + 1));
    let before = &page[earliest..at];
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
    let mut quotes = Vec::new();
    let bytes = &text.as_bytes()[..paragraph.end];
    let mut open: Option<(Mark, usize)> = None;
    let mut at = paragraph.start;
    while at < bytes.len() {
        let Some((mark, len)) = quote_mark(bytes, at) else {
            at += 1;
            continue;
        };
        let before =
            at.checked_sub(1).filter(|before| *before >= paragraph.start).map(|before| bytes[before]);
        let behind = bytes.get(at + len).copied();
        let far = open.is_some_and(|(_, start)| at - start > QUOTE_BYTES_MAX);
        match open.filter(|_| !far) {
            Some((opened, start)) if closes(opened, mark, behind) => {
                quotes.push(start..at + len);
                open = None;
            }
            Some(_) => {}
            None => open = opens(mark, before, behind).map(|mark| (mark, at)),
        }
        at += len;
    }
    let whole = text[paragraph.clone()].trim();
    let start = paragraph.start + (paragraph.len() - text[paragraph.clone()].trim_start().len());
    quotes.retain(|quote| !(quote.start == start && quote.len() == whole.len()));
    quotes
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Straight,
    Open,
    Close,
    Single,
    SingleOpen,
    SingleClose,
}

fn quote_mark(bytes: &[u8], at: usize) -> Option<(Mark, usize)> {
    match &bytes[at..] {
        [b'"', ..] => Some((Mark::Straight, 1)),
        [b'\'', ..] => Some((Mark::Single, 1)),
        [0xE2, 0x80, 0x9C | 0x9E, ..] => Some((Mark::Open, 3)),
        [0xE2, 0x80, 0x9D, ..] => Some((Mark::Close, 3)),
        [0xE2, 0x80, 0x98, ..] => Some((Mark::SingleOpen, 3)),
        [0xE2, 0x80, 0x99, ..] => Some((Mark::SingleClose, 3)),
        _ => None,
    }
}

fn opens(mark: Mark, before: Option<u8>, behind: Option<u8>) -> Option<Mark> {
    let free = before.is_none_or(|byte| byte.is_ascii_whitespace() || b"([:,-".contains(&byte));
    let word = behind.is_some_and(|byte| !byte.is_ascii_whitespace());
    match mark {
        Mark::Straight | Mark::Open if word => Some(mark),
        Mark::Single | Mark::SingleOpen if free && word => Some(mark),
        _ => None,
    }
}

fn closes(opened: Mark, mark: Mark, behind: Option<u8>) -> bool {
    let free = behind.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    match opened {
        Mark::Straight => mark == Mark::Straight,
        Mark::Open => mark == Mark::Close || mark == Mark::Straight,
        Mark::Single => mark == Mark::Single && free,
        Mark::SingleOpen => mark == Mark::SingleClose && free,
        Mark::Close | Mark::SingleClose => false,
    }
}
