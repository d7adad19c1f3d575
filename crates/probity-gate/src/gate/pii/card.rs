//! Payment card numbers: issuer prefix, length and the Luhn check digit, in any grouping.
//!
//! A number that the reply calls an order or a parcel is none, and lengths that other numbers share need
//! the word "card". A window never starts or ends inside a group, so each group is looked at a fixed number
//! of times.

use super::super::text::{DIGITS_MAX, Group, Labels, List, Text, digits};
use super::kind::{Hit, Kind};
use super::national::{Issuer, NUMBERS, luhn};

/// How sure the shape of a number makes it a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CardShape {
    /// The check digit is right, and no more: others who number things have such numbers too.
    Checked,
    /// Only cards are likely to look like this.
    Sure,
}

/// The cards among `groups`, which are one cluster.
pub(super) fn find(text: &Text, groups: &[Group]) -> Vec<Hit> {
    let (mut hits, mut at) = (Vec::new(), 0);
    while at < groups.len() {
        let n = window(groups, at);
        let is_card = n > 0 && is_card(text, &groups[at..at + n]);
        if is_card {
            hits.push(Hit::new(Kind::Card, digits::span(&groups[at..at + n])));
        }
        // Single digits are one number or none.
        at += if is_card || groups[at].len() == 1 { n } else { 1 };
    }
    // In a grouping that no card is printed in, the whole of a narrow run is one, and nothing less.
    let runs = groups.chunk_by(|_, next| next.is_narrow()).filter(|run| run.len() > 1 && is_card(text, run));
    hits.extend(runs.map(|run| Hit::new(Kind::Card, digits::span(run))));
    hits
}

/// What the prefix and length of a number say, if a card can have it.
pub(super) fn shape(digits: &[u8]) -> Option<CardShape> {
    let n = digits.len();
    if n < 12 || digits.iter().all(|digit| *digit == 0) || !luhn(digits) {
        return None;
    }
    let four = digits[..4].iter().fold(0, |prefix, digit| prefix * 10 + u32::from(*digit));
    let is_issued =
        |issuer: &Issuer| (issuer.from..=issuer.to).contains(&four) && issuer.lengths.contains(&n);
    Some(if NUMBERS.cards.iter().any(is_issued) { CardShape::Sure } else { CardShape::Checked })
}

/// How many groups from `at` on are written the way a card is.
fn window(groups: &[Group], at: usize) -> usize {
    let rest = &groups[at..];
    match rest[0].len() {
        1 => rest.iter().take_while(|group| group.len() == 1).count(),
        12..=DIGITS_MAX => 1,
        4 | 6 | 8 if !is_inside_run(groups, at) => {
            let is_printed = |printed: &&Vec<usize>| digits::have_lens(rest, printed);
            NUMBERS.card_groupings.iter().find(is_printed).map_or(0, Vec::len)
        }
        _ => 0,
    }
}

/// Whether groups of four from `at` on are the middle of a longer number, as on a parcel.
fn is_inside_run(groups: &[Group], at: usize) -> bool {
    let follows_four = at > 0 && groups[at].is_narrow() && groups[at - 1].len() == 4;
    follows_four && groups.get(at + 4).is_some_and(Group::is_narrow)
}

/// Whether `groups` hold a card, given what the reply calls them.
fn is_card(text: &Text, groups: &[Group]) -> bool {
    let Some(shape) = digits::values(text, groups).and_then(|digits| shape(&digits)) else { return false };
    let span = digits::span(groups);
    let labels = Labels::around(text, &span);
    let is_called_card = labels.nearest == Some(List::CardLabels) || (labels.card && groups.len() > 1);
    let fits = is_called_card || (shape == CardShape::Sure && !labels.is_reference());
    fits && !labels.is_glued(text, &span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: &str, want: impl Into<Option<CardShape>>) {
        let values: Vec<u8> = number.bytes().map(|byte| byte - b'0').collect();
        assert_eq!(shape(&values), want.into(), "{number}");
    }

    #[test]
    fn issuers_have_their_prefixes_and_lengths() {
        check("4111111111111111", CardShape::Sure);
        check("378282246310005", CardShape::Sure);
        check("5555555555554444", CardShape::Sure);
        check("2223003122003222", CardShape::Sure);
        check("30569309025904", CardShape::Sure);
        check("6011111111111117", CardShape::Sure);
        check("3530111333300000", CardShape::Sure);
        check("4222222222222", CardShape::Checked);
        check("630427373398", CardShape::Checked);
    }

    #[test]
    fn other_numbers_are_none() {
        check("4111111111111112", None);
        check("0000000000000000", None);
        check("41111111117", None);
    }

    #[test]
    fn a_right_check_digit_alone_needs_the_word() {
        check("1111111111111117", CardShape::Checked);
        check("3593156708213738", CardShape::Checked);
        check("41111111111111113", CardShape::Checked);
    }
}
