//! Figures and references in a sentence: money, shares, times, days, codes, numbers and addresses.
//!
//! Each kind is tried at each place in a fixed order, and what is read is not read again. What always holds:
//! no two figures share a token, so the digits of a telephone number are no code and a percentage is no
//! money.

mod contact;
mod day;
mod link;
mod number;
mod quantity;
mod reference;

use super::super::text::{Shape, Text, Token, WordId};
use super::Value;
use super::lexicon::{Cues, Table, WordInfo};
use super::term::Figure;

/// The figures of a sentence, in order.
pub(super) fn figures(text: &Text, tokens: &[Token], table: &Table) -> Vec<Figure> {
    let page = Page { text, tokens, table };
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
        Shape::Word => contact()
            .or_else(|| link::link(page, at))
            .or_else(|| page.info(at).month.and_then(|_| day::day(page, at)))
            .or_else(|| reference::labelled(page, at))
            .or_else(|| reference::code(page, at)),
        shape @ (Shape::Digits | Shape::Mixed) => link::link(page, at)
            .or_else(|| day::day(page, at))
            .or_else(|| reference::labelled(page, at))
            .or_else(contact)
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

/// A sentence to be searched for figures.
#[derive(Clone, Copy)]
struct Page<'a> {
    text: &'a Text,
    tokens: &'a [Token],
    table: &'a Table,
}

impl<'a> Page<'a> {
    fn info(&self, at: usize) -> &'a WordInfo {
        self.table.info(self.tokens.get(at).map_or(WordId(0), |token| token.word))
    }

    fn raw(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start..token.end])
    }

    /// How many bytes the token has.
    fn len(&self, at: usize) -> usize {
        self.raw(at).len()
    }

    fn is_word(&self, at: usize, word: &str) -> bool {
        self.raw(at).eq_ignore_ascii_case(word)
    }

    fn is_any_word(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word(at, word))
    }

    fn mark(&self, at: usize) -> Option<char> {
        match self.shape(at)? {
            Shape::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    /// Whether one of `marks` stands at `at`.
    fn has_mark(&self, at: usize, marks: &str) -> bool {
        self.mark(at).is_some_and(|mark| marks.chars().any(|one| one == mark))
    }

    fn shape(&self, at: usize) -> Option<Shape> {
        self.tokens.get(at).map(|token| token.shape)
    }

    fn is_digits(&self, at: usize) -> bool {
        self.shape(at) == Some(Shape::Digits)
    }

    /// Whether the token stands directly behind the one before it.
    fn is_tight(&self, at: usize) -> bool {
        at > 0 && self.tokens.get(at).is_some_and(|token| self.tokens[at - 1].end == token.start)
    }

    /// Whether one of `marks` stands directly before the token.
    fn follows_mark(&self, at: usize, marks: &str) -> bool {
        self.is_tight(at) && self.has_mark(at - 1, marks)
    }

    fn is(&self, at: usize, cues: Cues) -> bool {
        self.info(at).cues.any(cues)
    }

    /// Whether something is counted by the word at `at`: time, or money.
    fn is_unit(&self, at: usize) -> bool {
        self.info(at).unit.is_some() || self.info(at).currency.is_some()
    }

    /// Whether the word at `at` may be the letters of a currency sign such as `US$`.
    fn is_sign_prefix(&self, at: usize) -> bool {
        self.has_mark(at + 1, "$") && self.is_tight(at + 1) && self.len(at) <= 2
    }

    fn figure(first: usize, behind: usize, value: Value) -> Figure {
        Figure { first, behind, value }
    }
}
