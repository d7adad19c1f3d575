//! Numbers that are written so that a reader sees them and a search does not: with hidden digits, with letters that
//! look like digits, and in words.
//!
//! The first eight and the last four digits of a card may be shown (PCI DSS 4.0, requirement 3.4.1), but
//! both together deserve a look. What shows more than that is the number. A number with letters for digits is not
//! written by accident, but a product code can look like one, so it is only flagged.

use std::ops::Range;

use super::super::text::Text;
use super::super::text::digits::{DIGITS_MAX, Group};
use super::super::text::label::Labels;
use super::super::text::words::{is_whole, may_start, run_after, run_before};
use super::card;
use super::kind::{Hit, Kind};
use super::national::is_social_security;

/// How far a masked number reaches to either side of the digits it is looked for at, in bytes.
const REACH: usize = 40;
/// How long a number with letters for digits is with its separators, in bytes.
const ALIKE_MAX: usize = 48;
/// How many digits in words make a number.
const SPELLED_MIN: usize = 7;
/// How many bytes may stand between two words of a number.
const SPELLED_GAP_MAX: usize = 3;

/// What a masked number shows, in places.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Shown {
    /// Digits before the first hidden place.
    head: usize,
    /// Digits between hidden places.
    middle: usize,
    /// Digits after the last hidden place.
    tail: usize,
    /// Hidden places.
    hidden: usize,
}

/// The masked number that `first` to `last`, the ends of a cluster, belong to.
pub(super) fn find(text: &Text, first: &Group, last: &Group) -> Option<Hit> {
    let start = first.start - run_before(text, first.start, REACH, belongs);
    let end = last.end + run_after(text, last.end, REACH, belongs);
    let span = trimmed(text, start..end, is_place)?;
    let places = &text.as_bytes()[span.clone()];
    let shown = shown(places);
    // The only hidden places may be the asterisks around bold text.
    let is_bold = shown.hidden <= 4
        && (shown.head, shown.tail) == (0, 0)
        && places.starts_with(b"**")
        && places.ends_with(b"**");
    if !is_whole(text, &span) || !has_mask(places) || is_bold {
        return None;
    }
    kind(shown).map(|kind| Hit::new(kind, span))
}

/// The four digits of `group` with the hidden places before them, when only they are shown.
pub(super) fn last_four(text: &Text, group: &Group) -> Option<Range<usize>> {
    let back = run_before(text, group.start, REACH, |byte| belongs(byte) && !byte.is_ascii_digit());
    let span = trimmed(text, group.start - back..group.end, is_place)?;
    let is_one = group.len() == 4 && may_start(text, span.start) && has_mask(&text.as_bytes()[span.clone()]);
    is_one.then_some(span)
}

/// Whether a byte can be part of a masked number.
fn belongs(byte: u8) -> bool {
    is_place(byte) || matches!(byte, b' ' | b'-' | b'.' | b'/' | b'(' | b')')
}

/// Whether a byte stands for a hidden digit.
pub(super) fn is_mask(byte: u8) -> bool {
    matches!(byte, b'*' | b'x' | b'X' | b'#')
}

/// Whether a byte is a digit, shown or hidden.
fn is_place(byte: u8) -> bool {
    is_mask(byte) || byte.is_ascii_digit()
}

/// The range without what is no place at its ends.
fn trimmed(text: &Text, range: Range<usize>, is_place: impl Fn(u8) -> bool) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[range.clone()];
    let first = bytes.iter().position(|byte| is_place(*byte))?;
    let last = bytes.iter().rposition(|byte| is_place(*byte))?;
    Some(range.start + first..range.start + last + 1)
}

/// Counts the places of a masked number.
fn shown(bytes: &[u8]) -> Shown {
    let mut shown = Shown::default();
    for byte in bytes {
        if is_mask(*byte) {
            shown.hidden += 1;
            shown.middle += std::mem::take(&mut shown.tail);
        } else if byte.is_ascii_digit() {
            *(if shown.hidden == 0 { &mut shown.head } else { &mut shown.tail }) += 1;
        }
    }
    shown
}

/// Whether there is a run of hidden places, rather than a bullet, a number sign or a multiplication.
fn has_mask(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| is_mask(pair[0]) && pair[0] == pair[1] && pair[0] != b'#')
        || bytes.windows(4).any(|run| run == b"####")
}

/// What a masked number gives away, if anything.
fn kind(shown: Shown) -> Option<Kind> {
    let Shown { head, middle, tail, hidden } = shown;
    let seen = head + middle + tail;
    match seen + hidden {
        13..=19 if hidden < 2 => None,
        13..=19 if head <= 4 && middle == 0 && tail <= 4 => None,
        13..=19 if head <= 8 && middle == 0 && tail <= 4 => Some(Kind::PartMasked),
        13..=19 if seen > 8 => Some(Kind::Card),
        13..=19 => Some(Kind::PartMasked),
        9..=12 if seen > 4 && seen * 3 >= (seen + hidden) * 2 => Some(Kind::PartMasked),
        9 if head >= 5 => Some(Kind::PartMasked),
        _ => None,
    }
}

/// The run of digits, letters that look like them (O, l, I, Z, S, B) and separators that `group` belongs to.
pub(super) fn alike_run(text: &Text, group: &Group) -> Range<usize> {
    let belongs = |byte: u8| alike(byte).is_some() || matches!(byte, b' ' | b'-' | b'.');
    let back = run_before(text, group.start, ALIKE_MAX, belongs);
    group.start - back..group.end + run_after(text, group.end, usize::MAX, belongs)
}

/// The personal number with letters that a run is.
pub(super) fn find_alike(text: &Text, run: Range<usize>) -> Option<Hit> {
    if run.len() > ALIKE_MAX {
        return None;
    }
    let span = trimmed(text, run, |byte| alike(byte).is_some())?;
    let written = &text[span.clone()];
    let values: Vec<u8> = written.bytes().filter_map(alike).collect();
    let lens: Vec<usize> = written.split([' ', '-', '.']).map(str::len).collect();
    let n_letters = written.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_personal = match lens[..] {
        [3, 2, 4] => is_social_security(&values),
        [3, 3, 4] => values[0] > 1 && values[3] > 1,
        _ => is_sure_card(&values),
    };
    let is_mixed = n_letters > 0 && n_letters * 2 <= values.len();
    let is_one =
        is_whole(text, &span) && is_mixed && is_personal && !Labels::around(text, &span).is_reference();
    is_one.then(|| Hit::new(Kind::LookAlikeDigits, span))
}

/// Whether a byte is a letter that stands in for a digit.
pub(super) fn is_stand_in(byte: u8) -> bool {
    !byte.is_ascii_digit() && alike(byte).is_some()
}

/// The digit that a byte is or looks like.
fn alike(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'O' | b'o' => Some(0),
        b'I' | b'l' => Some(1),
        b'Z' => Some(2),
        b'S' => Some(5),
        b'B' => Some(8),
        _ => None,
    }
}

fn is_sure_card(values: &[u8]) -> bool {
    values.len() <= DIGITS_MAX && card::shape(values) == card::Shape::Sure
}

/// A word that is part of a spelled number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// A number below a hundred.
    Digits(u8),
    /// The next digit, this many times.
    Times(usize),
}

/// A number in words as it is being read.
#[derive(Debug, Default)]
pub(super) struct Spelled {
    values: Vec<u8>,
    span: Range<usize>,
    times: Option<usize>,
}

impl Spelled {
    /// Reads the next word, which stands at `at`, and gives the number that ended before it, if one did.
    pub(super) fn read(&mut self, text: &Text, spelling: Spelling, at: Range<usize>) -> Option<Hit> {
        let gap = &text.as_bytes()[self.span.end..at.start];
        let goes_on = gap.len() <= SPELLED_GAP_MAX && gap.iter().all(|byte| b" ,-.\n".contains(byte));
        let ended = if goes_on { None } else { self.end() };
        if self.values.is_empty() && self.times.is_none() {
            self.span.start = at.start;
        }
        self.span.end = at.end;
        match spelling {
            Spelling::Times(n) => self.times = Some(n),
            Spelling::Digits(number) => {
                let n = self.times.take().unwrap_or(1);
                self.values.extend((number > 9).then_some(number / 10));
                self.values.extend(std::iter::repeat_n(number % 10, n));
            }
        }
        ended
    }

    /// The number that was being read, if it is long enough. A card among them is a card.
    pub(super) fn end(&mut self) -> Option<Hit> {
        let Spelled { values, span, .. } = std::mem::take(self);
        let counts_up = values.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let kind = if is_sure_card(&values) { Kind::Card } else { Kind::SpelledNumber };
        (values.len() >= SPELLED_MIN && !counts_up).then(|| Hit::new(kind, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<Kind>) {
        let text = Text::new(text);
        let groups = text.clusters().next().unwrap();
        let hit = find(&text, &groups[0], &groups[groups.len() - 1]);
        assert_eq!(hit.map(|hit| hit.kind), want, "{}", &*text);
    }

    #[test]
    fn the_end_alone_may_be_shown() {
        check("**** **** **** 4242", None);
        check("xxxx-4242", None);
        check("***-***-2671", None);
        check("***-**-6789", None);
        check("**123456**", None);
    }

    #[test]
    fn more_is_noticed() {
        check("4111 1111 1111 ****", Some(Kind::Card));
        check("4111 11** **** 1111", Some(Kind::PartMasked));
        check("**** **** 1111 1111", Some(Kind::PartMasked));
        check("123-45-****", Some(Kind::PartMasked));
    }

    #[track_caller]
    fn check_alike(text: &str, want: &str) {
        let text = Text::new(text);
        let groups = text.clusters().next().unwrap();
        assert_eq!(
            find_alike(&text, alike_run(&text, &groups[0])).map_or("", |hit| &text[hit.span]),
            want,
            "{}",
            &*text
        );
    }

    #[test]
    fn letters_complete_a_number() {
        check_alike("41l1 1111 1I11 1111", "41l1 1111 1I11 1111");
        check_alike("it is 219-O9-9999", "219-O9-9999");
        check_alike("4l5-555-2671", "4l5-555-2671");
    }

    #[test]
    fn codes_are_left_alone() {
        check_alike("1Z999AA10123456784", "");
        check_alike("SKU 41l1 1111 1I11 1111", "");
        check_alike("SOB 12 OZ", "");
    }
}
