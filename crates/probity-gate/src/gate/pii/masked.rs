//! Numbers that are written so that a reader sees them and a search does not: with hidden digits, with letters that
//! look like digits, and in words.
//!
//! The first eight and the last four digits of a card may be shown (PCI DSS 4.0, requirement 3.4.1), but
//! both together deserve a look. What shows more than that is the number. A number with letters for digits is not
//! written by accident, but a product code can look like one, so it is only flagged.

use std::ops::Range;

use super::super::text::{Text, is_whole, run_after, run_before};
use super::card;
use super::kind::{Hit, Kind};

/// How many digits in words make a number.
const SPELLED_MIN: usize = 6;
/// How many bytes may stand between two words of a number.
const SPELLED_GAP_MAX: usize = 3;

/// The stretches of a text that have a digit and consist of places of a number and signs that divide them, from the first
/// place to the last.
pub(super) fn runs(
    text: &Text,
    is_place: fn(u8) -> bool,
    separators: &'static [u8],
) -> impl Iterator<Item = Range<usize>> {
    let belongs: [bool; 256] = std::array::from_fn(|byte| {
        u8::try_from(byte).is_ok_and(|byte| is_place(byte) || separators.contains(&byte))
    });
    let belongs = move |byte: u8| belongs[usize::from(byte)];
    let mut end = 0;
    text.clusters().flatten().filter_map(move |digits| {
        if digits.start < end {
            return None;
        }
        let start = digits.start - run_before(text, digits.start, text.len(), belongs);
        end = digits.end + run_after(text, digits.end, text.len(), belongs);
        let run = &text.as_bytes()[start..end];
        let place = |byte: &u8| is_place(*byte);
        Some(start + run.iter().position(place)?..start + run.iter().rposition(place)? + 1)
    })
}

/// What the masked number at `run` gives away.
pub(super) fn find(text: &Text, run: Range<usize>) -> Option<Hit> {
    let places = &text.as_bytes()[run.clone()];
    // A single one is a bullet, a number sign or a multiplication.
    if !places.windows(2).any(|pair| is_mask(pair[0]) && pair[0] == pair[1]) {
        return None;
    }
    // The digits before, between and behind the hidden places.
    let n_digits = |part: &[u8]| part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let shown: Vec<usize> = places.split(|byte| is_mask(*byte)).map(n_digits).collect();
    let (seen, hidden) = (shown.iter().sum::<usize>(), shown.len() - 1);
    let (head, tail) = (shown[0], shown[hidden]);
    let middle = seen - head - tail;
    let kind = match seen + hidden {
        13..=19 if head <= 4 && middle == 0 && tail <= 4 => return None,
        13..=19 if head > 8 || tail > 8 => Kind::Card,
        13..=19 => Kind::PartMasked,
        9 if head >= 5 => Kind::PartMasked,
        _ => return None,
    };
    Some(Hit::new(kind, run))
}

/// The four digits that end a run with the hidden places before them, when only they are shown.
pub(super) fn last_four(text: &Text, run: &Range<usize>) -> Option<Range<usize>> {
    let (before, four) = text.as_bytes()[run.clone()].split_last_chunk::<4>()?;
    let from = before.iter().rposition(u8::is_ascii_digit).map_or(0, |at| at + 1);
    let mut hidden = (from..before.len()).filter(|at| is_mask(before[*at]));
    let (first, _) = hidden.next().zip(hidden.next())?;
    four.iter().all(u8::is_ascii_digit).then_some(run.start + first..run.end)
}

/// Whether a byte stands for a hidden digit.
fn is_mask(byte: u8) -> bool {
    matches!(byte, b'*' | b'x' | b'X' | b'#')
}

/// Whether a byte is a digit, shown or hidden.
pub(super) fn is_place(byte: u8) -> bool {
    is_mask(byte) || byte.is_ascii_digit()
}

/// The number that a run is when its letters are read as the digits they look like.
pub(super) fn read_alike(text: &Text, run: &Range<usize>) -> Option<String> {
    let digits: String = text[run.clone()].chars().map(alike).collect();
    (digits != text[run.clone()] && is_whole(text, run)).then_some(digits)
}

/// The digit that a letter looks like; other characters as they are.
fn alike(char: char) -> char {
    match char {
        'O' | 'o' => '0',
        'I' | 'l' => '1',
        'Z' => '2',
        'S' => '5',
        'B' => '8',
        other => other,
    }
}

/// Whether a byte is a digit or looks like one.
pub(super) fn is_alike(byte: u8) -> bool {
    alike(char::from(byte)).is_ascii_digit()
}

/// A word of a number in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelled {
    /// A number below a hundred.
    Number(u8),
    /// How often the next digit stands.
    Times(usize),
}

/// The numbers that `words` make where they stand close together. A card among them is a card.
pub(super) fn spelled(text: &Text, words: &[(Spelled, Range<usize>)]) -> Vec<Hit> {
    let goes_on = |(_, one): &(_, Range<usize>), (_, next): &(_, Range<usize>)| {
        let gap = text.as_bytes().get(one.end..next.start).unwrap_or_default();
        gap.len() <= SPELLED_GAP_MAX && gap.iter().all(|byte| b" ,-.\n".contains(byte))
    };
    let number = |run: &[(Spelled, Range<usize>)]| {
        let (mut values, mut times) = (Vec::new(), 1);
        for (word, _) in run {
            match *word {
                Spelled::Times(n) => times = n,
                Spelled::Number(number) => {
                    values.extend((number > 9).then_some(number / 10));
                    values.extend(std::iter::repeat_n(number % 10, std::mem::replace(&mut times, 1)));
                }
            }
        }
        let span = run[0].1.start..run[run.len() - 1].1.end;
        let is_card = card::shape(&values) == Some(card::CardShape::Sure);
        let kind = if is_card { Kind::Card } else { Kind::SpelledNumber };
        (values.len() >= SPELLED_MIN).then(|| Hit::new(kind, span))
    };
    words.chunk_by(goes_on).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<Kind>) {
        let text = Text::new(text);
        let hit = runs(&text, is_place, b" -./()").find_map(|run| find(&text, run));
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
}
