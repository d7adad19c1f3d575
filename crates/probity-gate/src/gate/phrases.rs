//! Fixed phrases found in a text however it is spaced and cased.
//!
//! All phrases of a set are looked for in one pass. A phrase is found as whole words: `tag` is not in
//! `stage`. Characters that a reader does not see are passed over, so they hide nothing.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::text::Rewritten;

/// A set of phrases, each with what it stands for.
#[derive(Debug, Clone)]
pub(super) struct Phrases<T> {
    search: AhoCorasick,
    meanings: Vec<T>,
}

/// A phrase found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found<'p, T> {
    /// What the phrase stands for.
    pub(super) meaning: &'p T,
    /// Where it stands in the plain text, in bytes.
    pub(super) at: Range<usize>,
    /// Where it stands in the original, in bytes.
    pub(super) span: Range<usize>,
}

impl<T> Phrases<T> {
    /// The set of `phrases`. Phrases without a visible character are left out.
    pub(super) fn new(phrases: impl IntoIterator<Item = (impl AsRef<str>, T)>) -> Self {
        let text = |phrase: &str| Rewritten::plain(phrase.trim()).text().trim_matches(' ').to_owned();
        let texts = phrases.into_iter().map(|(phrase, meaning)| (text(phrase.as_ref()), meaning));
        let (texts, meanings): (Vec<String>, _) = texts.filter(|(text, _)| !text.is_empty()).unzip();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(texts);
        Phrases { search: search.expect("no list is as long as the search can hold"), meanings }
    }

    /// The phrases in a plain text from left to right, the longest where several start at one place.
    pub(super) fn find<'p>(&'p self, plain: &Rewritten) -> Vec<Found<'p, T>> {
        let whole =
            self.search.find_iter(plain.text()).filter(|found| is_whole(plain.text(), &found.range()));
        let found = whole.map(|found| Found {
            meaning: &self.meanings[found.pattern().as_usize()],
            at: found.range(),
            span: plain.original(&found.range()),
        });
        found.collect()
    }
}

/// Whether no word goes on over either end of a range.
fn is_whole(text: &str, range: &Range<usize>) -> bool {
    let is_joined = |at: usize| {
        let (before, behind) = text.split_at(at);
        before.ends_with(char::is_alphanumeric) && behind.starts_with(char::is_alphanumeric)
    };
    !is_joined(range.start) && !is_joined(range.end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(phrase: &str, text: &str, want: &[&str]) {
        let phrases = Phrases::new([(phrase, ())]);
        let found = phrases.find(&Rewritten::plain(text));
        let found: Vec<&str> = found.into_iter().map(|found| &text[found.span]).collect();
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

    proptest! {
        #[test]
        fn spans_are_of_the_original(text in "\\PC*", cut in any::<prop::sample::Index>()) {
            let plain = Rewritten::plain(&text);
            prop_assume!(!plain.text().is_empty());
            let cut = cut.index(plain.text().len());
            let start = (0..=cut).rev().find(|at| plain.text().is_char_boundary(*at)).expect("0 is one");
            let end = start + plain.text()[start..].chars().next().expect("not at the end").len_utf8();
            let span = plain.original(&(start..end));
            prop_assert!(text.get(span.clone()).is_some_and(|piece| !piece.is_empty()), "{span:?}");
        }
    }
}
