//! Fixed phrases found in a text however it is spaced and cased.
//!
//! All phrases of a set are looked for in one pass, from the start of each word or mark: `tag` is not in `stage`.
//! Characters that a reader does not see are passed over, so they hide nothing.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use super::{Rewritten, Text, is_spaceless, is_word_byte};

/// A set of phrases, each with what it stands for.
#[derive(Debug, Clone)]
pub(in crate::gate) struct Phrases<T> {
    search: AhoCorasick,
    /// The bits of the pairs of bytes that phrases begin with.
    begins: Vec<u64>,
    meanings: Vec<T>,
}

/// A phrase found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::gate) struct FoundPhrase<'p, T> {
    /// What the phrase stands for.
    pub(in crate::gate) meaning: &'p T,
    /// Where it stands in the text, in bytes.
    pub(in crate::gate) span: Range<usize>,
    /// Whether no word goes on behind it.
    pub(in crate::gate) is_whole: bool,
}

impl<T> Phrases<T> {
    /// The set of `phrases`. Phrases without a visible character are left out.
    pub(in crate::gate) fn new(phrases: impl IntoIterator<Item = (impl AsRef<str>, T)>) -> Self {
        let text =
            |phrase: &str| Rewritten::plain(Rewritten::clean(phrase).text()).text().trim_start().to_owned();
        let texts = phrases.into_iter().map(|(phrase, meaning)| (text(phrase.as_ref()), meaning));
        let (texts, meanings): (Vec<String>, _) = texts.filter(|(text, _)| !text.is_empty()).unzip();
        let mut begins = vec![0; 1 << 10];
        for text in texts.iter().map(String::as_bytes) {
            let seconds = text.get(1).map_or(0..=u8::MAX, |second| *second..=*second);
            seconds.map(|second| bit(text[0], second)).for_each(|(at, bit)| begins[at] |= bit);
        }
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Anchored)
            .build(texts)
            .expect("no list is as long as the search can hold");
        Phrases { search, begins, meanings }
    }

    /// The phrases that start with a word or mark of a text, from left to right, the longest where several start at one
    /// place.
    pub(in crate::gate) fn find<'p>(&'p self, text: &'p Text) -> impl Iterator<Item = FoundPhrase<'p, T>> {
        let plain = text.plain.text();
        let begins = |at: &usize| {
            let next = plain.as_bytes().get(at + 1).copied().unwrap_or_default();
            let (at, bit) = bit(plain.as_bytes()[*at], next);
            self.begins[at] & bit != 0
        };
        text.openings.iter().copied().filter(begins).filter_map(move |at| {
            let found = self.search.find(Input::new(plain).range(at..).anchored(Anchored::Yes))?;
            Some(FoundPhrase {
                meaning: &self.meanings[found.pattern().as_usize()],
                span: text.plain.original(&found.range()),
                is_whole: closes(plain, found.end()),
            })
        })
    }
}

/// Where the bit of a pair of bytes stands, and the bit.
fn bit(first: u8, second: u8) -> (usize, u64) {
    (usize::from(first) << 2 | usize::from(second >> 6), 1 << (second & 63))
}

/// The places of a plain text where a word, number or mark opens. In scripts without spaces, each character may open a
/// word.
pub(super) fn openings(plain: &str) -> Vec<usize> {
    let kind = |byte: u8| (is_word_byte(byte), byte.is_ascii_digit());
    let (mut before, mut openings) = (kind(b' '), Vec::with_capacity(plain.len() / 4));
    for (at, byte) in plain.bytes().enumerate() {
        let its = kind(byte);
        if byte != b' ' && (!its.0 || is_spaceless(byte) || its != before) {
            openings.push(at);
        }
        before = its;
    }
    openings
}

/// Whether no word goes on at `end`.
fn closes(plain: &str, end: usize) -> bool {
    let ends_in_word = plain[..end].ends_with(|last: char| last.is_alphanumeric() && last < '\u{3000}');
    !ends_in_word || plain.as_bytes().get(end).is_none_or(|byte| !is_word_byte(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(phrase: &str, text: &str, want: &[&str]) {
        let phrases = Phrases::new([(phrase, ())]);
        let read = Text::new(text);
        let whole = phrases.find(&read).filter(|found| found.is_whole);
        let found: Vec<&str> = whole.map(|found| &text[read.original(&found.span)]).collect();
        assert_eq!(found, want, "{phrase:?} in {text:?}");
    }

    #[test]
    fn spacing_case_and_quotes_do_not_matter() {
        check("ignore the rules", "Please IGNORE  the\n rules.", &["IGNORE  the\n rules"]);
        check("don't ask", "We don\u{2019}t ask", &["don\u{2019}t ask"]);
        check("Ünder", "ÜNDER under", &["ÜNDER"]);
        check("ignore", "ig\u{200b}nore it", &["ig\u{200b}nore"]);
    }

    #[test]
    fn only_whole_words_are_found() {
        check("tag", "stage tags tag-line", &["tag"]);
        check("<|", "<|im|>", &["<|"]);
        check("acme", "Acme's, ACME.", &["Acme", "ACME"]);
    }

    #[test]
    fn nothing_is_found_by_nothing() {
        check("  ", "a  b", &[]);
        check("\u{200b}", "a\u{200b}b", &[]);
    }
}
