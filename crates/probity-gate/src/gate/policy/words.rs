//! What a source calls its facts, as words that are compared without their endings.
//!
//! Cutting endings is rough. It never decides alone: a figure of the same kind must stand beside the words.

use std::collections::BTreeSet;

use super::super::claim::{Lexicon, WordList};

/// The words of `text` that say something, with their endings cut.
pub(in crate::gate) fn stems<'t>(text: &'t str, lexicon: &'t Lexicon) -> impl Iterator<Item = String> + 't {
    lexicon.stems(text, WordList::LabelFillers)
}

/// What a source calls a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// As it was written.
    pub text: String,
    /// Every word that says something.
    words: BTreeSet<String>,
    /// Those that tell it from other labels: its words without the kind of figure, unless there are no others.
    core: BTreeSet<String>,
}

impl Label {
    /// The label that `text` is, in a language.
    pub(super) fn new(text: &str, lexicon: &Lexicon) -> Self {
        let words: BTreeSet<String> = stems(text, lexicon).collect();
        let kinds = lexicon.words(WordList::FigureKinds);
        let generic: BTreeSet<String> = kinds.flat_map(|word| stems(word, lexicon)).collect();
        let telling: BTreeSet<String> = words.difference(&generic).cloned().collect();
        let core = if telling.is_empty() { words.clone() } else { telling };
        Label { text: text.to_owned(), words, core }
    }

    /// Whether a passage that `has` some words has those that tell this label from others.
    pub(in crate::gate) fn is_touched_by(&self, has: impl Fn(&str) -> bool) -> bool {
        !self.core.is_empty() && self.core.iter().all(|word| has(word))
    }

    /// Whether a passage that `has` some words has every one of the label.
    pub(in crate::gate) fn is_named_by(&self, has: impl Fn(&str) -> bool) -> bool {
        !self.words.is_empty() && self.words.iter().all(|word| has(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_same(words: &[&str]) {
        let stems: BTreeSet<String> =
            words.iter().flat_map(|word| stems(word, Lexicon::built_in())).collect();
        assert_eq!(stems.len(), 1, "{words:?} give {stems:?}");
    }

    #[test]
    fn endings_do_not_count() {
        check_same(&["return", "returns", "Returned", "returning"]);
        check_same(&["ship", "shipping", "shipped"]);
        check_same(&["restock", "restocking"]);
        check_same(&["exchange", "exchanges", "exchanged"]);
        check_same(&["fee", "fees"]);
    }

    #[test]
    fn different_words_stay_different() {
        let stems: BTreeSet<String> =
            stems("return refund repair replace press pass bus", Lexicon::built_in()).collect();
        assert_eq!(stems.len(), 7);
    }

    #[track_caller]
    fn check(label: &str, passage: &str, touched: bool, named: bool) {
        let label = Label::new(label, Lexicon::built_in());
        let has = |wanted: &str| stems(passage, Lexicon::built_in()).any(|stem| stem == wanted);
        assert_eq!((label.is_touched_by(has), label.is_named_by(has)), (touched, named));
    }

    #[test]
    fn a_label_is_touched_by_its_telling_words_and_named_by_all() {
        check("return_window", "The return window is 60 days", true, true);
        check("return_window", "You can return it within 60 days", true, false);
        check("return_window", "It takes 60 days", false, false);
        check("fee", "a fee of 5 EUR", true, true);
        check("§", "a § of 5 EUR", false, false);
    }
}
