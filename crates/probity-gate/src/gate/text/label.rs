//! What the words around a number say that it is.
//!
//! The nearest word decides. A number that the reply itself calls an order, a ticket or a parcel is no
//! personal data, however much it looks like it; a number that it calls a phone needs less of the shape
//! of one.

use std::ops::Range;

use super::Text;
use super::words::{List, Word};

/// What a word makes of the number beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Label {
    Card,
    Phone,
    SocialSecurity,
    /// Something that a shop counts: an order, a parcel, a product, a ticket, a moment.
    Reference,
    Version,
}

/// The words that say so.
const LABELS: [(List, Label); 5] = [
    (List::CardLabels, Label::Card),
    (List::PhoneLabels, Label::Phone),
    (List::SocialSecurityLabels, Label::SocialSecurity),
    (List::ReferenceLabels, Label::Reference),
    (List::VersionLabels, Label::Version),
];

/// Whose the reply says that something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Owner {
    Company,
    Person,
}

/// What the words around a number say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::gate) struct Labels {
    /// What the nearest word says.
    pub(in crate::gate) nearest: Option<Label>,
    /// Whether any of the words before says that it is a card.
    pub(in crate::gate) card: bool,
    /// Whose the nearest pronoun says it is.
    pub(in crate::gate) owner: Option<Owner>,
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
        let mut labels = Labels {
            nearest: before.iter().find_map(label),
            card: before.iter().any(|word| word.is_in(List::CardLabels)),
            owner: (0..before.len()).find_map(|at| owner(&before, at)),
        };
        let opens = before.last().is_none_or(|first| first.is_in(List::LabelFillers));
        if labels.nearest.is_none() && opens {
            labels.nearest =
                label_of_last_sentence(text, before.last().map_or(span.start, |first| first.start));
        }
        // A number sign makes a reference of what nothing else names.
        let signed = || text[..span.start].ends_with('#').then_some(Label::Reference);
        labels.nearest = labels.nearest.or_else(signed).or_else(|| label_after(text, span.end));
        labels
    }

    /// Whether the reply calls it something that is no personal data.
    pub(in crate::gate) fn is_reference(self) -> bool {
        matches!(self.nearest, Some(Label::Reference | Label::Version))
    }

    /// Whether the number at `span` is part of a longer word, such as a product code. A label may touch it.
    pub(in crate::gate) fn is_glued(self, text: &Text, span: &Range<usize>) -> bool {
        let bytes = text.as_bytes();
        let before = |n: usize| span.start.checked_sub(n).map_or(b' ', |at| bytes[at]);
        let is_joined = matches!(before(1), b'-' | b'_' | b'.' | b'/') && before(2).is_ascii_alphabetic();
        let is_named = matches!(self.nearest, Some(Label::Card | Label::Phone | Label::SocialSecurity));
        bytes.get(span.end).is_some_and(u8::is_ascii_alphabetic)
            || (before(1).is_ascii_alphabetic() && !is_named)
            || (is_joined && self.is_reference())
    }
}

/// What the sentence before says, when the number opens its own or only "Number is" stands before it.
fn label_of_last_sentence(text: &Text, start: usize) -> Option<Label> {
    let before = text[..start].trim_end_matches([' ', '\n', ':', '-']).strip_suffix(['.', '?'])?;
    if start - before.len() > 4 {
        return None;
    }
    text.before(before.len()).take(3).find_map(|word| label(&word))
}

/// What the words after a number say: "… is your order number", "… (fax)".
fn label_after(text: &Text, end: usize) -> Option<Label> {
    let mut words = text.after(end).take(WORDS_AFTER);
    words.find(|word| label(word).is_some() || !word.is_in(List::LabelLeads)).and_then(|word| label(&word))
}

/// What one word says.
fn label(word: &Word<'_>) -> Option<Label> {
    LABELS.iter().find(|(list, _)| word.is_in(*list)).map(|(_, label)| *label)
}

/// Whose the word at `at` of those before something, nearest first, says that it is.
fn owner(before: &[Word<'_>], at: usize) -> Option<Owner> {
    let (word, behind) = (&before[at], &before[at.saturating_sub(2)..at]);
    if at <= 3 && word.is_in(List::Company) {
        return Some(Owner::Company);
    }
    if word.is_in(List::Our) {
        let is_of_it = |word: &Word<'_>| word.is_in(List::OfACompany) || List::OfACompany.ends(word.text);
        return behind.iter().any(is_of_it).then_some(Owner::Company);
    }
    // "Our shop, where you find us", "unseren Laden finden Sie".
    let seeks = || behind.iter().chain(before.get(at + 1)).any(|word| word.is_in(List::Finding));
    (word.is_in(List::OfAPerson) && !seeks()).then_some(Owner::Person)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, nearest: Option<Label>, owner: Option<Owner>) {
        let start = text.find('7').unwrap();
        let end = text.rfind('7').unwrap() + 1;
        let labels = Labels::around(&Text::new(text), &(start..end));
        assert_eq!((labels.nearest, labels.owner), (nearest, owner), "{text}");
    }

    #[test]
    fn the_nearest_word_decides() {
        check("the card for order no. 77", Some(Label::Reference), None);
        check("for order 12 we charged card number 77", Some(Label::Card), None);
        check("call us at 77", Some(Label::Phone), Some(Owner::Company));
        check("we will call you at 77", Some(Label::Phone), Some(Owner::Person));
    }

    #[test]
    fn a_label_may_follow() {
        check("77 is your tracking number", Some(Label::Reference), None);
        check("77 apples, then a call", None, None);
        check("#77", Some(Label::Reference), None);
    }
}
