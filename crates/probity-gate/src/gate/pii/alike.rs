//! Personal numbers that letters which look like digits complete: O for 0, l and I for 1, S for 5, B for 8.
//!
//! Such a number is not written by accident, but a product code can look like one, so it is only flagged.

use std::ops::Range;

use super::card;
use super::digits::{Digits, Group};
use super::label::Labels;
use super::national::is_social_security;
use super::words::is_word_byte;

/// How long a number is with its separators, in bytes.
const LENGTH_MAX: usize = 48;

/// The run of digits, letters that look like them and separators that `group` belongs to.
pub(super) fn run(text: &str, group: &Group) -> Range<usize> {
    let bytes = text.as_bytes();
    let belongs = |byte: &&u8| value(**byte).is_some() || matches!(byte, b' ' | b'-' | b'.');
    let back = bytes[..group.start].iter().rev().take(LENGTH_MAX).take_while(belongs).count();
    let forth = bytes[group.end..].iter().take_while(belongs).count();
    group.start - back..group.end + forth
}

/// The number with letters that a run is.
pub(super) fn find(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    if run.len() > LENGTH_MAX {
        return None;
    }
    let bytes = text.as_bytes();
    let (start, end) = whole_words(bytes, run.start, run.end)?;
    let mut values = Vec::with_capacity(20);
    let mut lens = vec![0];
    let mut n_letters = 0;
    for byte in &bytes[start..end] {
        match value(*byte) {
            Some(digit) => {
                values.push(digit);
                n_letters += usize::from(byte.is_ascii_alphabetic());
                *lens.last_mut()? += 1;
            }
            None => lens.push(0),
        }
    }
    let is_mixed = n_letters > 0 && n_letters * 2 <= values.len();
    let is_reference = || Labels::around(text, start, end).is_reference();
    (is_mixed && is_personal(&values, &lens) && !is_reference()).then_some(start..end)
}

/// Whether a byte is a letter that stands in for a digit.
pub(super) fn is_stand_in(byte: u8) -> bool {
    !byte.is_ascii_digit() && value(byte).is_some()
}

/// The digit that a byte is or looks like.
fn value(byte: u8) -> Option<u8> {
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

/// The range without separators at its ends, if no word is cut by them.
fn whole_words(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let first = start + bytes[start..end].iter().position(|byte| value(*byte).is_some())?;
    let last = start + bytes[start..end].iter().rposition(|byte| value(*byte).is_some())?;
    let is_whole = (first == 0 || !is_word_byte(bytes[first - 1]))
        && bytes.get(last + 1).is_none_or(|byte| !is_word_byte(*byte));
    is_whole.then_some((first, last + 1))
}

/// Whether the digits would be a card, a social security number or a phone.
fn is_personal(values: &[u8], lens: &[usize]) -> bool {
    let is_card =
        || Digits::of_values(values).is_some_and(|digits| card::shape(&digits) == card::Shape::Sure);
    match lens {
        [3, 2, 4] => is_social_security(values),
        [3, 3, 4] => values[0] > 1 && values[3] > 1,
        _ => is_card(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::digits::read_cluster;
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let groups = read_cluster(text, text.find(|char: char| char.is_ascii_digit()).unwrap());
        assert_eq!(find(text, run(text, &groups[0])).map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn letters_complete_a_number() {
        check("41l1 1111 1I11 1111", "41l1 1111 1I11 1111");
        check("it is 219-O9-9999", "219-O9-9999");
        check("4l5-555-2671", "4l5-555-2671");
    }

    #[test]
    fn codes_are_left_alone() {
        check("1Z999AA10123456784", "");
        check("SKU 41l1 1111 1I11 1111", "");
        check("SOB 12 OZ", "");
    }
}
