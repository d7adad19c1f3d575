//! Words as they are compared: lower case, without the endings that do not change what they name.
//!
//! Cutting endings is rough and only has to bring `returns`, `returned` and `returning` together. It never
//! decides alone: a figure of the same kind must stand beside the words.

use std::collections::BTreeSet;

/// Words that say nothing about what a label names.
const EMPTY: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its", "no", "of",
    "on", "or", "our", "per", "the", "to", "up", "with", "within", "you", "your",
];

/// Words that name the kind of figure. A label may do without them: `return window` is meant by "you can
/// return it within 60 days".
const GENERIC: &str = "address amount charge code cost date day deadline duration email fee figure hour length limit \
    link max maximum min minimum month number percent percentage period phone price rate sum term threshold time url \
    value week window working year";

/// The words of `text` that say something, with their endings cut.
pub(in crate::gate) fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).filter(|word| !EMPTY.contains(&word.as_str())).map(stem)
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
    /// The label that `text` is.
    pub(super) fn new(text: &str) -> Self {
        let words: BTreeSet<String> = stems(text).collect();
        let generic: BTreeSet<String> =
            GENERIC.split_whitespace().map(|word| stem(word.to_owned())).collect();
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

fn stem(mut word: String) -> String {
    const LENGTH_MIN: usize = 4;
    for (ending, length_min) in
        [("ing", LENGTH_MIN), ("ed", LENGTH_MIN), ("es", LENGTH_MIN), ("s", LENGTH_MIN - 1)]
    {
        if word.ends_with(ending) && word.len() >= length_min + ending.len() && !word.ends_with("ss") {
            word.truncate(word.len() - ending.len());
            break;
        }
    }
    if word.len() > LENGTH_MIN && word.ends_with('e') {
        word.pop();
    }
    let bytes = word.as_bytes();
    if let [.., before, last] = bytes
        && before == last
        && !b"aeiouls".contains(last)
        && word.len() > LENGTH_MIN
    {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_same(words: &[&str]) {
        let stems: BTreeSet<String> = words.iter().flat_map(|word| stems(word)).collect();
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
        let stems: BTreeSet<String> = stems("return refund repair replace press pass bus").collect();
        assert_eq!(stems.len(), 7);
    }

    #[track_caller]
    fn check(label: &str, passage: &str, touched: bool, named: bool) {
        let label = Label::new(label);
        let has = |wanted: &str| stems(passage).any(|stem| stem == wanted);
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
