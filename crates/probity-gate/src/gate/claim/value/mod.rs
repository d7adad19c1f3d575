//! Figures and references in a sentence: money, shares, times, days, codes, numbers and addresses.
//!
//! Each kind is tried at each place in a fixed order, and what is read is not read again. What always holds:
//! no two figures share a token, so the digits of a telephone number are no code and a percentage is no
//! money.

mod contact;
mod link;
mod number;
mod quantity;
mod reference;
mod time;

use std::ops::Deref;

use super::super::text::{Shape, Text, Token, TokenRow, WordId, day};
use super::Value;
use super::lexicon::{Cues, Element, LexiconTable, Meaning, WordInfo};
use super::term::Figure;

/// The figures of a sentence, in order.
pub(super) fn figures(text: &Text, tokens: &[Token], words: &[WordId], table: &LexiconTable) -> Vec<Figure> {
    let page = Page { row: TokenRow { text, tokens }, words, table };
    let (mut at, mut figures) = (0, Vec::new());
    while at < tokens.len() {
        let n_before = figures.len();
        match one(&page, at) {
            Some(figure) => figures.push(figure),
            None if may_count(&page, at) => quantity::quantity(&page, at, &mut figures),
            None => {}
        }
        at = figures[n_before..].last().map_or(at + 1, |figure| figure.behind);
    }
    figures
}

/// Reads what starts at the token `at` and is no quantity. Digits without letters are no code.
fn one(page: &Page<'_>, at: usize) -> Option<Figure> {
    let contact = || contact::contact(page, at);
    match page.tokens[at].shape {
        Shape::Mark('+' | '(') => contact(),
        Shape::Mark('#') => reference::hash(page, at),
        Shape::Mark(_) => None,
        // Most words are nothing but words.
        Shape::Word
            if page.raw(at).as_bytes()[0].is_ascii_lowercase()
                && page.mark(at + 1).is_none()
                && page.info(at).month.is_none() =>
        {
            contact()
        }
        Shape::Word => contact()
            .or_else(|| link::link(page, at))
            .or_else(|| page.info(at).month.and_then(|_| page.day(at)))
            .or_else(|| reference::labelled(page, at))
            .or_else(|| reference::code(page, at)),
        // Digits that no letter and no mark of a day, a time or an address follows.
        Shape::Digits
            if page.is_digits(at + 1) || page.mark(at + 1).is_some_and(|mark| !"./-:_".contains(mark)) =>
        {
            contact().or_else(|| reference::labelled(page, at))
        }
        shape @ (Shape::Digits | Shape::Mixed) => link::link(page, at)
            .or_else(|| page.day(at).or_else(|| page.short_day(at)))
            .or_else(|| time::time(page, at))
            .or_else(contact)
            .or_else(|| reference::labelled(page, at))
            .or_else(|| if shape == Shape::Mixed { reference::code(page, at) } else { None }),
    }
}

/// Whether a number with a unit can start at the token `at`.
fn may_count(page: &Page<'_>, at: usize) -> bool {
    match page.tokens[at].shape {
        Shape::Digits | Shape::Mixed => true,
        Shape::Mark(mark) => mark == '$' || !mark.is_ascii(),
        Shape::Word => page.is(at, Cues::FIGURE) || page.is_sign_prefix(at),
    }
}

/// Names of months that are also other words and count only with a capital.
const CAPITAL_MONTHS: &[&str] = &["may", "march", "mar"];

/// A sentence to be searched for figures.
#[derive(Clone, Copy)]
struct Page<'a> {
    row: TokenRow<'a>,
    /// The word of each token.
    words: &'a [WordId],
    table: &'a LexiconTable,
}

impl<'a> Deref for Page<'a> {
    type Target = TokenRow<'a>;

    fn deref(&self) -> &TokenRow<'a> {
        &self.row
    }
}

impl<'a> Page<'a> {
    fn info(&self, at: usize) -> &'a WordInfo {
        self.table.info(self.word(at))
    }

    fn word(&self, at: usize) -> WordId {
        self.words.get(at).copied().unwrap_or_default()
    }

    fn is(&self, at: usize, cues: Cues) -> bool {
        self.table.cues(self.word(at)).any(cues)
    }

    /// What is wanted of the phrase of several words at `at`, and the token behind it.
    fn phrase_behind<T>(&self, at: usize, wanted: fn(Meaning) -> Option<T>) -> Option<(T, usize)> {
        let words = self.words.get(at..)?.iter().map(|word| Element::Word(*word));
        let mut phrases = self.table.phrases(self.word(at)).iter();
        phrases.find_map(|pattern| {
            let n = pattern.elements.len();
            let is_there = || words.clone().take(n).eq(pattern.elements.iter().copied());
            wanted(pattern.meaning).filter(|_| is_there()).map(|meant| (meant, at + n))
        })
    }

    /// Whether something is counted by the word at `at`: time, or money.
    fn is_unit(&self, at: usize) -> bool {
        self.info(at).unit.is_some() || self.info(at).currency.is_some()
    }

    /// The day of the calendar that starts at `at`, unless its last number counts something else.
    fn day(&self, at: usize) -> Option<Figure> {
        let is_capital = |at: usize| self.raw(at).starts_with(char::is_uppercase);
        let is_month = |at: usize| is_capital(at) || !self.is_any_word(at, CAPITAL_MONTHS);
        let month = |at: usize| self.info(at).month.filter(|_| is_month(at));
        let day = day(self, at, month)?;
        let value = Value::Day { year: day.year, month: day.month, day: day.of_month };
        let is_counted = day.is_by_name && self.is_unit(day.behind);
        (!is_counted).then(|| Page::figure(at, day.behind, value))
    }

    /// "23.12.", where the sentence goes on behind it or it is called a day.
    fn short_day(&self, at: usize) -> Option<Figure> {
        let is_point = |at: usize| self.has_mark(at, ".") && self.is_tight(at);
        let is_short =
            is_point(at + 1) && self.is_tight(at + 2) && is_point(at + 3) && !self.is_tight(at + 4);
        let goes_on =
            self.raw(at + 4).starts_with(char::is_lowercase) || self.is(at.max(1) - 1, Cues::DETERMINER);
        let part = |at: usize, most: u8| self.raw(at).parse().ok().filter(|part| (1..=most).contains(part));
        let (day, month) = (part(at, 31)?, part(at + 2, 12)?);
        let is_day = is_short && goes_on && !self.follows_mark(at, ".,:/");
        is_day.then(|| Page::figure(at, at + 4, Value::Day { year: None, month, day }))
    }

    /// Whether the one blank before the digits at `at` divides thousands: "1 250".
    fn divides_thousands(&self, at: usize) -> bool {
        let is_group = |at: usize| self.is_digits(at) && self.len(at) <= 3 && !self.follows_mark(at, ".,:/-");
        let is_blank = || &self.text[self.tokens[at - 1].end..self.tokens[at].start] == " ";
        self.len(at) == 3
            && is_group(at)
            && is_group(at - 1)
            && !self.raw(at - 1).starts_with('0')
            && is_blank()
    }

    /// Whether the word at `at` may be the letters of a currency sign such as `US$`.
    fn is_sign_prefix(&self, at: usize) -> bool {
        self.has_mark(at + 1, "$") && self.is_tight(at + 1) && self.len(at) <= 2
    }

    fn figure(first: usize, behind: usize, value: Value) -> Figure {
        Figure { first, behind, value }
    }
}
