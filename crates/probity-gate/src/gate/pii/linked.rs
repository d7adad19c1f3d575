//! The end of a card number beside a name and an address: harmless apart, a person together.
//!
//! The last four digits may be shown, and a greeting by first name is no name here. A full name is one that
//! something points to: a title, a greeting, a label, or a common given name.

use std::ops::Range;

use super::super::text::{List, Text, Word};
use super::kind::{Hit, Kind};

/// The end of a card number that the words at `label` announce.
pub(super) fn last_four(text: &Text, label: &Range<usize>) -> Option<Range<usize>> {
    let leads = ["in", "with", "digits", "are", "is", "of", "your", "card", "the", "number"];
    let number = text.after(label.end).take(5).find(|word| !word.is_any(&leads))?;
    (number.is_number() && number.text.len() == 4).then_some(label.start..number.end)
}

/// What the ends of card numbers are, given what stands with them.
pub(super) fn find(text: &Text, last_fours: &[Range<usize>], hits: &[Hit]) -> Option<Hit> {
    let last_four = last_fours.first().filter(|_| has_full_name(text))?;
    let has_address = hits.iter().any(|hit| hit.kind == Kind::Address);
    let kind = if has_address { Kind::Linked } else { Kind::LastFourWithName };
    Some(Hit::new(kind, last_four.clone()))
}

/// Whether the text contains a full name.
fn has_full_name(text: &Text) -> bool {
    let words: Vec<Word<'_>> = text.words(0..text.len()).collect();
    words.windows(2).any(|pair| is_name(text, &pair[0], &pair[1]))
}

/// Whether two words are the parts of a name: capitals on one line, and something says that the first starts a name.
fn is_name(text: &Text, given: &Word<'_>, family: &Word<'_>) -> bool {
    let is_pointed_to = || text.before(given.start).next().is_some_and(|word| word.is_in(List::NamePointers));
    text[given.end..family.start] == *" "
        && is_name_part(given)
        && is_name_part(family)
        && (given.is_in(List::GivenNames) || is_pointed_to())
}

/// Whether a word can be part of a name.
pub(super) fn is_name_part(word: &Word<'_>) -> bool {
    word.is_capital() && word.text.chars().all(char::is_alphabetic) && !word.is_in(List::NoNames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: bool) {
        assert_eq!(has_full_name(&Text::new(text)), want, "{text}");
    }

    #[test]
    fn full_names_are_pointed_to() {
        check("Jane Doe's card", true);
        check("Dear Ludmila Novak,", true);
        check("Mr. Ludvik Novak paid", true);
    }

    #[test]
    fn first_names_and_other_capitals_are_none() {
        check("Hi Jane, your Visa Debit", false);
        check("Apple Pay and Google Pay for American Express", false);
        check("", false);
    }
}
