//! Payment card numbers: issuer prefix, length and the Luhn check digit, in any grouping.
//!
//! A number that the reply calls an order or a parcel is none, and lengths that other numbers share need
//! the word "card". A window never starts or ends inside a group, so each group is looked at a fixed number
//! of times.

use super::digits::{self, Digits, Gap, Group};
use super::kind::{Hit, Kind};
use super::label::{Label, Labels};

/// Groupings that cards are printed in, by the number of digits per group.
const PRINTED: &[&[usize]] = &[
    &[4, 4, 4, 4, 3],
    &[4, 4, 4, 4],
    &[4, 6, 5],
    &[4, 6, 4],
    &[6, 13],
    &[4, 4, 5],
    &[8, 8],
    &[4, 12],
    &[12, 4],
];

/// How sure the shape of a number makes it a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// No card has such a number.
    None,
    /// The check digit is right, and no more.
    Checked,
    /// Some issuer has such numbers, and so do others who number things.
    Shared,
    /// Only cards are likely to look like this.
    Sure,
}

/// Adds the cards among `groups`, which are one cluster.
pub(super) fn find(text: &str, groups: &[Group], dates: &[bool], hits: &mut Vec<Hit>) {
    let mut at = 0;
    while at < groups.len() {
        let n = window(text, groups, at).unwrap_or(0);
        if n > 0 && is_card(text, &groups[at..at + n]) {
            hits.push(Hit::new(Kind::Card, digits::span(&groups[at..at + n])));
            at += n;
        } else if n > 0 && groups[at].len() == 1 {
            at += n;
        } else {
            at += 1;
        }
    }
    find_odd_grouping(text, groups, dates, hits);
}

/// What the prefix and length of a number with a right check digit say.
pub(super) fn shape(digits: &Digits) -> Shape {
    let n = digits.len();
    if n < 12 || digits.values().iter().all(|digit| *digit == 0) || !luhn(digits.values()) {
        return Shape::None;
    }
    let (two, three, four) = (digits.prefix(2), digits.prefix(3), digits.prefix(4));
    let (sure, shared) = match four {
        4000..=4999 => (n == 16, n == 13 || n == 19),
        5100..=5599 | 2221..=2720 | 2200..=2204 => (n == 16, false),
        3400..=3499 | 3700..=3799 => (n == 15, false),
        _ if matches!(two, 36 | 38 | 39) || matches!(three, 300..=305) || four == 3095 => (n == 14, n == 16),
        6011 | 6440..=6599 | 3528..=3589 | 6200..=6299 => (n == 16, n > 16),
        1800 | 2131 => (false, n == 15),
        5000..=5099 | 5600..=5899 | 6000..=6999 | 8100..=8199 => (false, true),
        _ => (false, false),
    };
    match (sure, shared) {
        (true, _) => Shape::Sure,
        (false, true) => Shape::Shared,
        (false, false) => Shape::Checked,
    }
}

/// The check that Luhn proposed (ISO/IEC 7812-1, annex B).
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, digit)| match (i % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// How many groups from `at` on are written the way a card is.
fn window(text: &str, groups: &[Group], at: usize) -> Option<usize> {
    let n_first = groups[at].len();
    if (12..=digits::DIGITS_MAX).contains(&n_first) && !(n_first == 12 && followed_by_four(groups, at)) {
        return Some(1);
    }
    if n_first == 1 {
        // One digit at a time: the whole run is the number, and the next look starts behind it.
        let n = groups[at..]
            .iter()
            .enumerate()
            .take_while(|(i, g)| g.len() == 1 && (*i == 0 || g.gap != Gap::Opening))
            .count();
        return Some(n);
    }
    if !matches!(n_first, 4 | 6 | 8 | 12) {
        return None;
    }
    let fours = groups[at..].iter().take(6).take_while(|group| group.len() == 4).count();
    if is_inside_run(text, groups, at, fours) {
        return None;
    }
    PRINTED.iter().map(|printed| printed.len()).zip(PRINTED).find_map(|(n, printed)| {
        let window = groups.get(at..at + n)?;
        let fits = window.iter().zip(*printed).all(|(group, len)| group.len() == *len);
        let gaps = &window[1..];
        let uniform = gaps.iter().all(|group| group.gap == gaps[0].gap);
        (fits && uniform).then_some(n)
    })
}

/// Whether the next group completes twelve digits to a card.
fn followed_by_four(groups: &[Group], at: usize) -> bool {
    groups.get(at + 1).is_some_and(|next| next.len() == 4)
}

/// Whether groups of four from `at` on are the middle of a longer number, as on a parcel.
fn is_inside_run(text: &str, groups: &[Group], at: usize, fours: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let same_gap = groups[at].gap == Gap::Narrow && groups[before].len() == 4;
    let starts_parcel = text.as_bytes()[groups[0].start] == b'9' && at < 3;
    same_gap
        && (starts_parcel
            || fours > 4
            || (fours == 4 && groups.get(at + 4).is_some_and(|g| g.gap == Gap::Narrow && g.len() < 3)))
}

/// Whether `groups` hold a card, given what the reply calls them.
fn is_card(text: &str, groups: &[Group]) -> bool {
    let Some(digits) = Digits::of(text, groups) else { return false };
    let shape = shape(&digits);
    if shape == Shape::None {
        return false;
    }
    let span = digits::span(groups);
    let labels = Labels::around(text, span.start, span.end);
    if is_glued(text, span.start, span.end, labels) {
        return false;
    }
    let is_called_card = labels.nearest == Some(Label::Card) || (labels.card && groups.len() > 1);
    match shape {
        Shape::None => false,
        Shape::Checked => labels.nearest == Some(Label::Card),
        Shape::Shared => is_called_card || (labels.nearest.is_none() && groups.len() >= 4),
        Shape::Sure => is_called_card || !labels.is_reference(),
    }
}

/// Whether a number is part of a longer word, such as a product code. A label may touch it.
pub(super) fn is_glued(text: &str, start: usize, end: usize, labels: Labels) -> bool {
    let bytes = text.as_bytes();
    let left = start > 0 && bytes[start - 1].is_ascii_alphabetic();
    let joined = start > 1
        && matches!(bytes[start - 1], b'-' | b'_' | b'.' | b'/')
        && bytes[start - 2].is_ascii_alphabetic();
    let right = bytes.get(end).is_some_and(u8::is_ascii_alphabetic);
    let is_named = matches!(labels.nearest, Some(Label::Card | Label::Phone | Label::SocialSecurity));
    right || (left && !is_named) || (joined && labels.is_reference())
}

/// Adds numbers in a grouping that no card is printed in: the whole of a narrow run, and nothing less.
fn find_odd_grouping(text: &str, groups: &[Group], dates: &[bool], hits: &mut Vec<Hit>) {
    let mut from = 0;
    while from < groups.len() {
        let n = 1 + groups[from + 1..].iter().take_while(|group| group.gap == Gap::Narrow).count();
        let run = &groups[from..from + n];
        let is_candidate =
            n > 1 && n <= digits::DIGITS_MAX && (13..=digits::DIGITS_MAX).contains(&digits::n_digits(run));
        let is_dated = dates[from..from + n].contains(&true);
        let is_known = hits.last().is_some_and(|hit| hit.span.end > run[0].start);
        if is_candidate && !is_dated && !is_known && is_card(text, run) {
            hits.push(Hit::new(Kind::Card, digits::span(run)));
        }
        from += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: &str, want: Shape) {
        let values: Vec<u8> = number.bytes().map(|byte| byte - b'0').collect();
        assert_eq!(shape(&Digits::of_values(&values).unwrap()), want, "{number}");
    }

    #[test]
    fn issuers_have_their_prefixes_and_lengths() {
        check("4111111111111111", Shape::Sure);
        check("378282246310005", Shape::Sure);
        check("5555555555554444", Shape::Sure);
        check("2223003122003222", Shape::Sure);
        check("30569309025904", Shape::Sure);
        check("6011111111111117", Shape::Sure);
        check("3530111333300000", Shape::Sure);
        check("4222222222222", Shape::Shared);
        check("630427373398", Shape::Shared);
    }

    #[test]
    fn other_numbers_are_none() {
        check("4111111111111112", Shape::None);
        check("0000000000000000", Shape::None);
        check("41111111117", Shape::None);
    }

    #[test]
    fn a_right_check_digit_alone_needs_the_word() {
        check("1111111111111117", Shape::Checked);
        check("3593156708213738", Shape::Checked);
        check("41111111111111113", Shape::Checked);
    }
}
