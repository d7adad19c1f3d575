//! Fixed phrases found in a text however it is spaced and cased.
//!
//! All phrases of a set are looked for in one pass. A phrase is found as whole words: `tag` is not in
//! `stage`. Characters that a reader does not see are passed over, so they hide nothing.
//!
//! Nearly every reply has no phrase of any set, and one in ASCII shows that as it is written: only where the longest
//! word of a phrase stands among the others is the text brought into one form.

use std::cell::OnceCell;
use std::ops::Range;

use super::outline::{Ending, Family, Heads, Outline};
use super::sieve::Sieve;
use super::word_set::WordSet;
use crate::case::is_format;

/// How many bytes are looked at together while they are plain.
const BLOCK: usize = 32;

/// A set of phrases, each with what it stands for.
#[derive(Debug, Clone)]
pub(super) struct Phrases<T> {
    family: Family,
    sieve: Sieve,
    /// The longest word of each phrase, by the number of the phrase.
    longest: WordSet,
    /// The phrases, each with where its longest word starts.
    texts: Vec<(String, usize)>,
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
    /// The set of `phrases` of a family. Phrases without a visible character are left out.
    pub(super) fn new<'p>(family: Family, phrases: impl IntoIterator<Item = (&'p str, T)>) -> Self {
        let plain = |phrase: &str| plain(phrase.trim()).trim_matches(' ').to_owned();
        let folded = phrases.into_iter().map(|(phrase, meaning)| (plain(phrase), meaning));
        let folded = folded.filter(|(text, _)| !text.is_empty());
        let (texts, meanings): (Vec<_>, Vec<T>) =
            folded.map(|(text, meaning)| (anchored(text), meaning)).unzip();
        let sieve = Sieve::of(texts.iter().map(|(text, _)| text.as_bytes()));
        let words = texts.iter().map(|(text, anchor)| text[*anchor..].split(' ').next().unwrap_or(text));
        let longest = WordSet::of(words.map(str::as_bytes));
        Phrases { family, sieve, longest, texts, meanings }
    }

    /// Adds how the longest words of the phrases start.
    pub(super) fn add_heads(&self, heads: &mut Heads) {
        heads.add(self.family, self.longest.words().map(|word| (word, Ending::Open)));
    }

    /// The phrases in `text`, whose outline was made with the heads of these, from left to right, the longest where several start at one place.
    pub(super) fn find<'p>(&'p self, text: &Plain<'_>) -> Vec<Found<'p, T>> {
        if self.meanings.is_empty() || !self.may_be_in(text.outline) {
            return Vec::new();
        }
        let (mut all, mut from) = (Vec::new(), 0);
        while let Some((number, at)) = self.sieve.find(text.text().as_bytes(), from) {
            from = at.end;
            if text.is_whole(at.clone()) {
                all.push(Found { meaning: &self.meanings[number], span: text.original(at.clone()), at });
            }
        }
        all
    }

    /// Whether a phrase may stand in `original`. Only of ASCII can it be said that none does.
    fn may_be_in(&self, original: &Outline<'_>) -> bool {
        let bytes = original.text().as_bytes();
        let stands_at = |at: usize| {
            let mut numbers = self.longest.all_at(bytes, at);
            numbers.any(|number| {
                let (text, anchor) = &self.texts[number];
                surrounds(text.as_bytes(), *anchor, bytes, at)
            })
        };
        !bytes.is_ascii() || original.places(self.family, 0).any(stands_at)
    }
}

/// A phrase with where its longest word starts.
fn anchored(phrase: String) -> (String, usize) {
    let words = phrase.split(' ').map(|word| (word.len(), word.as_ptr().addr() - phrase.as_ptr().addr()));
    let anchor = words.max().map_or(0, |(_, start)| start);
    (phrase, anchor)
}

/// Whether `phrase` stands in ASCII text so that its byte at `anchor` is the one at `at`, with any white space for
/// each of its spaces.
fn surrounds(phrase: &[u8], anchor: usize, text: &[u8], at: usize) -> bool {
    let (before, behind) = (&phrase[..anchor], &phrase[anchor..]);
    goes_on(behind.iter(), text[at..].iter()) && goes_on(before.iter().rev(), text[..at].iter().rev())
}

fn goes_on<'b>(phrase: impl Iterator<Item = &'b u8>, text: impl Iterator<Item = &'b u8>) -> bool {
    let is_space = |byte: u8| char::from(byte).is_whitespace();
    let mut text = text.copied().peekable();
    for byte in phrase {
        match text.next() {
            Some(next) if *byte == b' ' && is_space(next) => {
                while text.next_if(|next| is_space(*next)).is_some() {}
            }
            Some(next) if next.eq_ignore_ascii_case(byte) => {}
            _ => return false,
        }
    }
    true
}

/// A text in lower case with single spaces and straight quotes, and the way back to the original.
#[derive(Debug)]
pub(super) struct Plain<'t> {
    outline: &'t Outline<'t>,
    /// Made when somebody asks, because most replies show without it that they have no phrase.
    text: OnceCell<String>,
    /// Whether every byte of the text stands where it stood in the original. Found once: a hostile reply can have a
    /// phrase in every line, and looking through the whole text for each would take time by the square of its length.
    aligned: OnceCell<bool>,
    /// For each byte of `text`, where the character it came from starts and ends in the original. Made when
    /// the first phrase is found, because nearly every reply has none.
    places: OnceCell<Vec<(u32, u32)>>,
}

impl<'t> Plain<'t> {
    /// The plain form of the text of `outline`.
    pub(super) fn of(outline: &'t Outline<'t>) -> Self {
        Plain { outline, text: OnceCell::new(), aligned: OnceCell::new(), places: OnceCell::new() }
    }

    /// The plain text.
    pub(super) fn text(&self) -> &str {
        self.text.get_or_init(|| plain(self.outline.text()))
    }

    fn is_aligned(&self) -> bool {
        let original = self.outline.text();
        *self.aligned.get_or_init(|| self.text().len() == original.len() && original.is_ascii())
    }

    fn places(&self) -> &[(u32, u32)] {
        self.places.get_or_init(|| {
            let original = self.outline.text();
            let mut places = Vec::with_capacity(original.len());
            let mut text = Vec::with_capacity(original.len());
            for (start, c) in original.char_indices() {
                push(c, &mut text);
                places.resize(text.len(), (place(start), place(start + c.len_utf8())));
            }
            places
        })
    }

    /// Where a range of the plain text stands in the original.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        if self.is_aligned() || range.is_empty() {
            return range;
        }
        let places = self.places();
        places[range.start].0 as usize..places[range.end - 1].1 as usize
    }

    /// Whether no word goes on over either end of a range.
    fn is_whole(&self, range: Range<usize>) -> bool {
        let joined = |left: Option<char>, right: Option<char>| matches!((left, right), (Some(left), Some(right)) if left.is_alphanumeric() && right.is_alphanumeric());
        let text = self.text();
        let (before, after) = (&text[..range.start], &text[range.end..]);
        let found = &text[range];
        !joined(before.chars().next_back(), found.chars().next())
            && !joined(found.chars().next_back(), after.chars().next())
    }
}

fn plain(original: &str) -> String {
    let mut text = Vec::with_capacity(original.len());
    let (bytes, mut at) = (original.as_bytes(), 0);
    while at < bytes.len() {
        let n_tidy = n_tidy(&bytes[at..], text.last() == Some(&b' '));
        text.extend(bytes[at..at + n_tidy].iter().map(u8::to_ascii_lowercase));
        at += n_tidy;
        if let Some(c) = original[at..].chars().next() {
            push(c, &mut text);
            at += c.len_utf8();
        }
    }
    String::from_utf8(text).expect("whole characters were appended")
}

/// Appends the plain form of `c`, which may be nothing.
fn push(c: char, text: &mut Vec<u8>) {
    let mut append = |c: char| text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    match c {
        '\u{2018}' | '\u{2019}' | '\u{02bc}' => append('\''),
        '\u{201c}' | '\u{201d}' => append('"'),
        _ if c.is_whitespace() => {
            if text.last() != Some(&b' ') {
                text.push(b' ');
            }
        }
        _ if is_format(c) => {}
        _ => c.to_lowercase().for_each(append),
    }
}

/// How many bytes at the start are plain but for their case: ASCII, with no white space but single spaces.
fn n_tidy(bytes: &[u8], after_space: bool) -> usize {
    let is_untidy = |before: u8, byte: u8| !(b' '..0x80).contains(&byte) || (byte == b' ' && before == b' ');
    if bytes.first().is_none_or(|first| is_untidy(if after_space { b' ' } else { 0 }, *first)) {
        return 0;
    }
    // Whole blocks at once, each byte with the one before it.
    let mut at = 1;
    while let Some(block) = bytes.get(at - 1..at + BLOCK) {
        let pairs = block.iter().zip(&block[1..]);
        if pairs.fold(false, |untidy, (before, byte)| untidy | is_untidy(*before, *byte)) {
            break;
        }
        at += BLOCK;
    }
    let mut pairs = bytes[at - 1..].iter().zip(&bytes[at..]);
    pairs.position(|(before, byte)| is_untidy(*before, *byte)).map_or(bytes.len(), |n| at + n)
}

fn place(offset: usize) -> u32 {
    u32::try_from(offset).expect("a reply is shorter than 4 GiB: the loader bounds records")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(phrase: &str, text: &str, want: &[&str]) {
        let phrases = Phrases::new(Family::Forbidden, [(phrase, ())]);
        let mut heads = Heads::new();
        phrases.add_heads(&mut heads);
        let outline = heads.outline(text);
        let found = phrases.find(&Plain::of(&outline));
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
            let heads = Heads::new();
            let outline = heads.outline(&text);
            let plain = Plain::of(&outline);
            prop_assume!(!plain.text().is_empty());
            let cut = cut.index(plain.text().len());
            let start = (0..=cut).rev().find(|at| plain.text().is_char_boundary(*at)).expect("0 is one");
            let end = start + plain.text()[start..].chars().next().expect("not at the end").len_utf8();
            let span = plain.original(start..end);
            prop_assert!(text.get(span.clone()).is_some_and(|piece| !piece.is_empty()), "{span:?}");
        }
    }
}
