//! Numbers of which some digits are hidden, and how much the rest gives away.
//!
//! The first eight and the last four digits of a card may be shown (PCI DSS 4.0, requirement 3.4.1), but
//! both together deserve a look. What shows more than that is the number.

use std::ops::Range;

use super::digits::Group;
use super::kind::{Hit, Kind};
use super::words::is_word_byte;

/// How far a masked number reaches to either side of the digits it is looked for at, in bytes.
const REACH: usize = 40;

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

/// The masked number that `first` to `last`, the ends of a cluster, belong to, and where it ends.
pub(super) fn find(text: &str, first: &Group, last: &Group) -> Option<Hit> {
    let bytes = text.as_bytes();
    let back = bytes[..first.start].iter().rev().take(REACH).take_while(|byte| belongs(**byte)).count();
    let forth = bytes[last.end..].iter().take(REACH).take_while(|byte| belongs(**byte)).count();
    let (start, end) = trim(bytes, first.start - back, last.end + forth);
    let is_whole = (start == 0 || !is_word_byte(bytes[start - 1]))
        && bytes.get(end).is_none_or(|byte| !is_word_byte(*byte));
    let shown = shown(&bytes[start..end]);
    if !is_whole || !has_mask(&bytes[start..end]) || is_bold(&bytes[start..end], shown) {
        return None;
    }
    kind(shown).map(|kind| Hit::new(kind, start..end))
}

/// The four digits of `group` with the hidden places before them, when only they are shown.
pub(super) fn last_four(text: &str, group: &Group) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if group.len() != 4 {
        return None;
    }
    let back = bytes[..group.start]
        .iter()
        .rev()
        .take(REACH)
        .take_while(|byte| belongs(**byte) && !byte.is_ascii_digit())
        .count();
    let (start, _) = trim(bytes, group.start - back, group.end);
    let is_cut = start > 0 && is_word_byte(bytes[start - 1]);
    (!is_cut && has_mask(&bytes[start..group.end])).then_some(start..group.end)
}

/// Whether a byte can be part of a masked number.
fn belongs(byte: u8) -> bool {
    is_mask(byte) || byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.' | b'/' | b'(' | b')')
}

/// Whether a byte stands for a hidden digit.
pub(super) fn is_mask(byte: u8) -> bool {
    matches!(byte, b'*' | b'x' | b'X' | b'#')
}

/// The range without separators at its ends.
fn trim(bytes: &[u8], start: usize, end: usize) -> (usize, usize) {
    let is_place = |byte: &u8| is_mask(*byte) || byte.is_ascii_digit();
    let first = bytes[start..end].iter().position(is_place).map_or(start, |i| start + i);
    let last = bytes[first..end].iter().rposition(is_place).map_or(first, |i| first + i + 1);
    (first, last)
}

/// Counts the places of a masked number.
fn shown(bytes: &[u8]) -> Shown {
    let mut shown = Shown::default();
    for byte in bytes {
        if is_mask(*byte) {
            shown.hidden += 1;
            shown.middle += std::mem::take(&mut shown.tail);
        } else if byte.is_ascii_digit() {
            if shown.hidden == 0 {
                shown.head += 1;
            } else {
                shown.tail += 1;
            }
        }
    }
    shown
}

/// Whether there is a run of hidden places, rather than a bullet, a number sign or a multiplication.
fn has_mask(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| is_mask(pair[0]) && pair[0] == pair[1] && pair[0] != b'#')
        || bytes.windows(4).any(|run| run == b"####")
}

/// Whether the only hidden places are the asterisks around bold text.
fn is_bold(bytes: &[u8], shown: Shown) -> bool {
    shown.hidden <= 4
        && shown.head == 0
        && shown.tail == 0
        && bytes.starts_with(b"**")
        && bytes.ends_with(b"**")
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

#[cfg(test)]
mod tests {
    use super::super::digits::read_cluster;
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<Kind>) {
        let groups = read_cluster(text, text.find(|char: char| char.is_ascii_digit()).unwrap());
        let hit = find(text, &groups[0], &groups[groups.len() - 1]);
        assert_eq!(hit.map(|hit| hit.kind), want, "{text}");
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
}
