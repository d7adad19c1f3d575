//! The end of a card number beside a name and an address: harmless apart, a person together.
//!
//! The last four digits may be shown, and a greeting by first name is no name here. A full name is one that
//! something points to: a title, a greeting, a label, or a common given name.

use std::ops::Range;

use super::kind::{Hit, Kind};
use super::words::{List, Word, after, before, is_word_byte};

/// Given names that are common enough to make a full name of the capital after them.
static GIVEN: List = List::of(
    "\
    ahmed alex ali alice amy ana andrew anna anthony ashley barbara betty bob brian carlos charles chris \
    daniel david edward elizabeth emily emma eric fatima george hans hiroshi ivan james jane jean jennifer \
    jessica john jose joseph juan julia karen kate kevin klaus laura li linda lisa luis maria marie mark \
    mary matthew michael mohammed muhammad nancy olga olivia patricia paul peter pierre priya rachel rahul \
    richard robert ryan sam sandra sarah sophia sophie steven susan thomas wei william yuki",
);
/// Words that a name follows.
static POINTERS: List = List::of(
    "\
    mr mrs ms miss dr dear name cardholder recipient to for by hi hello customer holder named belongs",
);
/// Capitals that are no part of a name.
static OTHER: List = List::of(
    "\
    a account american amex apple april august avenue bank card credit customer dear debit december discover \
    dr drive east express february friday gold google hello hi i it january july june lane march mastercard \
    may monday mr mrs ms my name new north november number october order our pay please plus premium prime \
    refund road saturday september service shipping south st standard store street sunday support team thank \
    thanks the this thursday tuesday united visa we wednesday west you your",
);

/// The end of a card number that the words at `label` announce.
pub(super) fn last_four(text: &str, label: &Range<usize>) -> Option<Range<usize>> {
    let is_start = label.start == 0 || !is_word_byte(text.as_bytes()[label.start - 1]);
    let number = after(text, label.end)
        .take(5)
        .take_while(|word| {
            word.is_number()
                || word.is_any(&["in", "with", "digits", "are", "is", "of", "your", "card", "the", "number"])
        })
        .find(Word::is_number)?;
    (is_start && number.text.len() == 4).then_some(label.start..number.end)
}

/// What the ends of card numbers are, given what stands with them.
pub(super) fn find(text: &str, last_fours: &[Range<usize>], hits: &[Hit]) -> Option<Hit> {
    let last_four = last_fours.first()?;
    let has_address = hits.iter().any(|hit| hit.kind == Kind::Address);
    let kind = match (has_full_name(text), has_address) {
        (true, true) => Kind::Linked,
        (true, false) => Kind::LastFourWithName,
        (false, _) => return None,
    };
    Some(Hit::new(kind, last_four.clone()))
}

/// Whether the text contains a full name.
fn has_full_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut last: Option<Word<'_>> = None;
    while let Some(n) = bytes[at..].iter().position(|byte| is_word_byte(*byte)) {
        let start = at + n;
        let end = start
            + bytes[start..].iter().position(|byte| !is_word_byte(*byte)).unwrap_or(bytes.len() - start);
        at = end;
        if bytes[start].is_ascii_lowercase() {
            last = None;
            continue;
        }
        let word = Word { text: &text[start..end], start, end };
        if let Some(given) = last.filter(|given| is_pair(text, given, &word))
            && is_pointed_to(text, &given)
        {
            return true;
        }
        // An initial between the two names is passed over.
        let is_initial = word.text.len() == 1 && last.is_some() && bytes.get(end) == Some(&b'.');
        if !is_initial {
            last = Some(word);
        }
    }
    false
}

/// Whether two words are the parts of a name: capitals on one line, with at most an initial between.
fn is_pair(text: &str, given: &Word<'_>, family: &Word<'_>) -> bool {
    let gap = &text[given.end..family.start];
    let is_gap = gap == " " || (gap.len() == 4 && gap.ends_with(". ")) || gap == "-";
    is_gap && is_name_part(given) && is_name_part(family)
}

/// Whether a word can be part of a name.
fn is_name_part(word: &Word<'_>) -> bool {
    word.is_capital()
        && word.text.len() > 1
        && word.text.chars().all(char::is_alphabetic)
        && word.text.chars().any(char::is_lowercase)
        && !word.is_in(&OTHER)
}

/// Whether something says that a capital starts a name.
fn is_pointed_to(text: &str, given: &Word<'_>) -> bool {
    given.is_in(&GIVEN)
        || before(text, given.start).next().is_some_and(|word| word.is_in(&POINTERS))
        || (given.start > 1
            && before(text, given.start).next().is_none()
            && text[..given.start].trim_end_matches(' ').ends_with('.'))
            && before(text, given.start - 1)
                .next()
                .is_some_and(|word| word.is_any(&["mr", "mrs", "ms", "miss", "dr"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: bool) {
        assert_eq!(has_full_name(text), want, "{text}");
    }

    #[test]
    fn full_names_are_pointed_to() {
        check("Jane Doe's card", true);
        check("Dear Ludmila Novak,", true);
        check("Mr. Ludvik D. Novak paid", true);
    }

    #[test]
    fn first_names_and_other_capitals_are_none() {
        check("Hi Jane, your Visa Debit", false);
        check("Apple Pay and Google Pay for American Express", false);
        check("", false);
    }
}
