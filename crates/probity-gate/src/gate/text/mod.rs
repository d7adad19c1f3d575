//! A text as every check reads it: cleaned, cut into tokens and sentences once, with the way back to the original.
//!
//! Nothing here knows rules. What always holds: tokens and sentences are in order, do not overlap, and begin and end on
//! character borders of the clean text; the work grows with the length of the text and no faster.

mod contact;
mod day;
pub(super) mod digits;
mod label;
pub(super) mod lists;
mod mail;
mod phone;
mod phrases;
mod sentence;
mod spelling;
mod street;
mod token;
mod token_row;
mod word_map;
pub(super) mod words;

pub(super) use contact::{Contact, ContactKind};
pub(super) use day::{Day, day};
pub(super) use digits::{DIGITS_MAX, Group};
pub(super) use label::Labels;
pub(super) use phrases::Phrases;
pub(super) use sentence::{Sentence, quotes, sentence_at, sentence_spans};
pub(super) use spelling::{Rewritten, bare};
pub(super) use token::{Shape, Token, WordId, is_spaceless, is_word_byte, tokenise};
pub(super) use token_row::TokenRow;
pub(super) use word_map::WordMap;
pub(super) use words::{List, Word, is_whole, keys_of, may_end, may_start, month, run_after, run_before};

use std::ops::{Deref, Range};

use digits::Gap;

/// How far words around a place are looked at, in bytes. A label stands closer than this.
const REACH: usize = 64;

/// A text that was read. It stands for its clean spelling: places are bytes of that.
#[derive(Debug)]
pub(super) struct Text {
    clean: Rewritten,
    /// The text in lower case with single spaces, whose places are those of the clean text.
    plain: Rewritten,
    /// Where words, numbers and marks open in the plain text, so that phrases can start there.
    openings: Vec<usize>,
    tokens: Vec<Token>,
    /// How many tokens start before each block of the text.
    blocks: Vec<usize>,
    /// Its sentences.
    pub(super) sentences: Vec<Sentence>,
    /// The groups of digits of all clusters.
    groups: Vec<Group>,
    /// Its contacts, by their start.
    pub(super) contacts: Vec<Contact>,
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.clean.text()
    }
}

impl Text {
    /// Reads a text.
    pub(super) fn new(original: &str) -> Self {
        Text::of(Rewritten::clean(original), original)
    }

    /// Reads `clean`, which was made of `original`.
    pub(super) fn of(clean: Rewritten, original: &str) -> Self {
        // Dashes and money signs are one each in clean text, and not to readers of sentences and amounts.
        let written = |at: usize, mark: char| {
            let written = || original[clean.original(&(at..at + 1))].chars().next();
            let is_many = matches!(mark, '-' | '$');
            is_many.then(written).flatten().filter(|written| !"‐‑−".contains(*written)).unwrap_or(mark)
        };
        let tokens = tokenise(clean.text(), written);
        let (plain, sentences) = (Rewritten::plain(clean.text()), sentence::sentences(clean.text()));
        let (groups, openings) = (digits::groups(clean.text()), phrases::openings(plain.text()));
        let mut blocks = Vec::with_capacity(clean.text().len() / BLOCK + 1);
        for (at, token) in tokens.iter().enumerate() {
            while blocks.len() * BLOCK <= token.start {
                blocks.push(at);
            }
        }
        let mut text =
            Text { clean, plain, openings, tokens, blocks, sentences, groups, contacts: Vec::new() };
        text.contacts = contact::contacts(&text);
        for at in 0..text.contacts.len() {
            let start = text.contacts[at].span.start;
            let first = text.token_from(start);
            if let Some(token) = text.tokens.get_mut(first) {
                token.opens_contact |= token.start == start;
            }
        }
        text
    }

    /// What a range of the text stands for in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.clean.original(range)
    }

    /// The groups of digits that a reader would take for one number, cluster by cluster.
    pub(super) fn clusters(&self) -> impl Iterator<Item = &[Group]> {
        self.groups.chunk_by(|_, next| next.gap != Gap::Opening)
    }

    /// The tokens that start in `range`.
    pub(super) fn tokens_in(&self, range: &Range<usize>) -> &[Token] {
        &self.tokens[self.token_from(range.start)..self.token_from(range.end.max(range.start))]
    }

    /// The first token that starts at `at` or behind it.
    fn token_from(&self, at: usize) -> usize {
        let from = self.blocks.get(at / BLOCK).copied().unwrap_or(self.tokens.len());
        from + self.tokens[from..].iter().take_while(|token| token.start < at).count()
    }

    /// The words before `at` in the same sentence, nearest first. The end of a line does not end it.
    pub(super) fn before(&self, at: usize) -> impl Iterator<Item = Word<'_>> {
        let floor = self.sentence_start(at).max(at.saturating_sub(REACH));
        let behind = self.token_from(at);
        let near = self.tokens[..behind].iter().rev().take_while(move |token| token.start >= floor);
        near.filter_map(move |token| self.word(token.start..token.end.min(at), token.shape))
    }

    /// The words from `at` on, in reading order, as far as they are looked at.
    pub(super) fn after(&self, at: usize) -> impl Iterator<Item = Word<'_>> {
        self.words(at..at + REACH)
    }

    /// The words that end in `range`, in reading order.
    pub(super) fn words(&self, range: Range<usize>) -> impl Iterator<Item = Word<'_>> {
        let next = self.token_from(range.start);
        let is_cut = next > 0 && self.tokens[next - 1].end > range.start;
        let first = next - usize::from(is_cut);
        let within = self.tokens[first..].iter().take_while(move |token| token.end <= range.end);
        within.filter_map(move |token| self.word(token.start.max(range.start)..token.end, token.shape))
    }

    fn word(&self, range: Range<usize>, shape: Shape) -> Option<Word<'_>> {
        (!matches!(shape, Shape::Mark(_))).then(|| Word::at(self, range))
    }

    /// Where the sentence that the byte `at` stands in begins, or the first of those before it that only lines end.
    fn sentence_start(&self, at: usize) -> usize {
        let behind = self.sentences.partition_point(|sentence| sentence.span.start <= at);
        let mut before = self.sentences[..behind].iter().rev().take(LINES_MAX);
        let Some(own) = before.next() else { return 0 };
        before.take_while(|sentence| !sentence.is_ended).last().unwrap_or(own).span.start
    }
}

/// How much of a text is read to find a token in it, in bytes.
const BLOCK: usize = 32;

/// How many lines a look back reaches over.
const LINES_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, before_bar: &str, after_bar: &str) {
        let at = text.find('|').unwrap();
        let text = Text::new(&text.replace('|', ""));
        let back: Vec<_> = text.before(at).map(|word| word.text).collect();
        let forth: Vec<_> = text.after(at).map(|word| word.text).collect();
        assert_eq!((back.join(" "), forth.join(" ")), (before_bar.into(), after_bar.into()), "{}", &*text);
    }

    #[test]
    fn words_stand_on_both_sides() {
        check("Your order no. |12 is here.", "no order Your", "12 is here");
        check("Done. Call me| now", "me Call", "now");
        check("Card:\n- |12", "Card", "12");
        check("On 14. March| 1979", "March 14 On", "1979");
        check("|", "", "");
    }

    #[test]
    fn nothing_is_read_beyond_the_reach() {
        check(&format!("{} x| y {}", "é".repeat(60), "é".repeat(60)), "x", "y");
    }

    #[test]
    fn dashes_and_money_keep_what_was_written() {
        let text = Text::new("€5 – now");
        let marks = text.tokens.iter().filter_map(|token| match token.shape {
            Shape::Mark(mark) => Some(mark),
            _ => None,
        });
        assert_eq!((&*text, marks.collect::<String>().as_str()), ("$5 - now", "€–"));
    }
}
