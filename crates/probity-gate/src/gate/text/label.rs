//! What the words around a number say that it is.
//!
//! The nearest word decides. A number that the reply itself calls an order, a ticket or a parcel is no
//! personal data, however much it looks like it; a number that it calls a phone needs less of the shape
//! of one.

use std::ops::Range;

use super::{List, Text, Word};

/// The lists of words that make something of the number beside them. References are what a shop counts: an order, a
/// parcel, a product, a ticket, a moment.
const LABELS: [List; 5] = [
    List::CardLabels,
    List::PhoneLabels,
    List::SocialSecurityLabels,
    List::ReferenceLabels,
    List::VersionLabels,
];

/// What the words around a number say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::gate) struct Labels {
    /// The list of [`LABELS`] that the nearest word stands in.
    pub(in crate::gate) nearest: Option<List>,
    /// Whether any of the words before says that it is a card.
    pub(in crate::gate) card: bool,
    /// Whether the nearest pronoun says that it is the company's.
    pub(in crate::gate) is_own: bool,
}

/// How many words before a number are read.
const WORDS_BEFORE: usize = 8;
/// How many words after a number are read.
const WORDS_AFTER: usize = 4;

impl Labels {
    /// What the words around `span` say.
    pub(in crate::gate) fn around(text: &Text, span: &Range<usize>) -> Self {
        let mut before: Vec<Word<'_>> = Vec::with_capacity(WORDS_BEFORE);
        before.extend(text.before(span.start).take(WORDS_BEFORE));
        let opens = before.last().is_none_or(|first| first.is_in(List::LabelFillers));
        let start = before.last().map_or(span.start, |first| first.start);
        let of_last_sentence = || label_of_last_sentence(text, start).filter(|_| opens);
        // A number sign makes a reference of what nothing else names.
        let signed = || text[..span.start].ends_with('#').then_some(List::ReferenceLabels);
        // "… is your order number", "… (fax)".
        let after = || {
            let ends = |word: &Word<'_>| label(text, word).is_some() || !word.is_in(List::LabelLeads);
            text.after(span.end).take(WORDS_AFTER).find(ends).and_then(|word| label(text, &word))
        };
        let named = before.iter().find_map(|word| label(text, word));
        let nearest = named.or_else(of_last_sentence).or_else(signed).or_else(after);
        let card = before.iter().any(|word| word.is_in(List::CardLabels));
        Labels { nearest, card, is_own: (0..before.len()).find_map(|at| is_own(&before, at)) == Some(true) }
    }

    /// Whether the reply calls it something that is no personal data.
    pub(in crate::gate) fn is_reference(self) -> bool {
        matches!(self.nearest, Some(List::ReferenceLabels | List::VersionLabels))
    }

    /// Whether the number at `span` is part of a longer word, such as a product code. A label may touch it.
    pub(in crate::gate) fn is_glued(self, text: &Text, span: &Range<usize>) -> bool {
        let bytes = text.as_bytes();
        let is_named =
            matches!(self.nearest, Some(List::CardLabels | List::PhoneLabels | List::SocialSecurityLabels));
        bytes.get(span.end).is_some_and(u8::is_ascii_alphabetic)
            || (bytes[..span.start].last().is_some_and(u8::is_ascii_alphabetic) && !is_named)
    }
}

/// What the sentence before says, when the number opens its own or only "Number is" stands before it.
fn label_of_last_sentence(text: &Text, start: usize) -> Option<List> {
    let before = text[..start].trim_end_matches([' ', '\n', ':', '-']).strip_suffix(['.', '?'])?;
    text.before(before.len()).take(3).find_map(|word| label(text, &word))
}

/// What one word says. "CAS-number" is any number.
fn label(text: &Text, word: &Word<'_>) -> Option<List> {
    let is_part = word.is_in(List::Numbering) && text[..word.start].ends_with('-');
    LABELS.into_iter().find(|list| word.is_in(*list)).filter(|_| !is_part)
}

/// Whether the word at `at` of those before something, nearest first, makes it the company's, where it says whose it is.
fn is_own(before: &[Word<'_>], at: usize) -> Option<bool> {
    let (word, behind) = (&before[at], &before[at.saturating_sub(2)..at]);
    if at <= 3 && word.is_in(List::Company) {
        return Some(true);
    }
    if word.is_in(List::Our) {
        let is_of_it = |word: &Word<'_>| word.is_in(List::OfACompany) || List::OfACompany.ends(word.text);
        return behind.iter().any(is_of_it).then_some(true);
    }
    // "Our shop, where you find us", "unseren Laden finden Sie".
    let seeks = || behind.iter().chain(before.get(at + 1)).any(|word| word.is_in(List::Finding));
    (word.is_in(List::OfAPerson) && !seeks()).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, nearest: Option<List>, is_own: bool) {
        let start = text.find('7').unwrap();
        let end = text.rfind('7').unwrap() + 1;
        let labels = Labels::around(&Text::new(text), &(start..end));
        assert_eq!((labels.nearest, labels.is_own), (nearest, is_own), "{text}");
    }

    #[test]
    fn the_nearest_word_decides() {
        check("the card for order no. 77", Some(List::ReferenceLabels), false);
        check("for order 12 we charged card number 77", Some(List::CardLabels), false);
        check("call us at 77", Some(List::PhoneLabels), true);
        check("we will call you at 77", Some(List::PhoneLabels), false);
    }

    #[test]
    fn a_label_may_follow() {
        check("77 is your tracking number", Some(List::ReferenceLabels), false);
        check("77 apples, then a call", None, false);
        check("#77", Some(List::ReferenceLabels), false);
    }
}
