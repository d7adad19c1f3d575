//! Figures and references in a sentence: money, shares, times, days, codes, numbers and addresses.
//!
//! Each kind is tried at each place in a fixed order, and what is read is not read again. What always holds:
//! no two figures share a token, so the digits of a telephone number are no code and a percentage is no
//! money.

mod contact;
mod day;
mod number;
mod quantity;
mod reference;
mod web;

use super::Value;
use super::lexicon::{Cues, Table, WordInfo};
use super::term::Figure;
use super::token::{Shape, Token, WordId};

/// The figures of a sentence, in order.
pub(super) fn figures(text: &str, tokens: &[Token], table: &Table) -> Vec<Figure> {
    let page = Page { text, tokens, table };
    let (mut at, mut figures) = (0, Vec::new());
    while at < tokens.len() {
        if is_plain(&page, at) {
            at += 1;
            continue;
        }
        let before = figures.len();
        read(&page, at, &mut figures);
        at = figures[before..].last().map_or(at + 1, |figure| figure.behind);
    }
    figures
}

/// Whether the token is a word that begins no figure; most are.
fn is_plain(page: &Page<'_>, at: usize) -> bool {
    let token = page.tokens[at];
    if token.shape != Shape::Word || page.table.cues(token.word).any(Cues::FIGURE) {
        return false;
    }
    let label = Cues::NUMBER_LABEL | Cues::CODE_LABEL | Cues::FILLER;
    let led = at > 0
        && match page.tokens[at - 1].shape {
            Shape::Mark(_) => true,
            _ => page.table.cues(page.tokens[at - 1].word).any(label),
        };
    let joined = page
        .tokens
        .get(at + 1)
        .is_some_and(|next| matches!(next.shape, Shape::Mark(_)) && next.start == token.end);
    !led && !joined
}

/// Reads what starts at the token `at`, if anything does.
fn read(page: &Page<'_>, at: usize, figures: &mut Vec<Figure>) {
    let one = match page.tokens[at].shape {
        Shape::Digits => with_digits(page, at),
        Shape::Mixed => with_digits(page, at).or_else(|| reference::code(page, at)),
        Shape::Mark('+' | '(') => contact::phone(page, at),
        Shape::Mark('#') => reference::hash(page, at),
        Shape::Mark(_) => None,
        Shape::Word => web::web(page, at)
            .or_else(|| page.info(at).month.and_then(|_| day::day(page, at)))
            .or_else(|| reference::labelled(page, at))
            .or_else(|| reference::code(page, at)),
    };
    match one {
        Some(figure) => figures.push(figure),
        None if may_count(page, at) => quantity::quantity(page, at, figures),
        None => {}
    }
}

/// Reads what starts with digits and is no quantity. Digits without letters are no code.
fn with_digits(page: &Page<'_>, at: usize) -> Option<Figure> {
    web::web(page, at)
        .or_else(|| day::day(page, at))
        .or_else(|| reference::labelled(page, at))
        .or_else(|| contact::phone(page, at))
        .or_else(|| contact::street(page, at))
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
    text: &'a str,
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
        self.tokens.get(at).map_or(0, |token| token.end - token.start)
    }

    fn is_word(&self, at: usize, word: &str) -> bool {
        // Most words are told apart by their length.
        self.tokens.get(at).is_some_and(|token| {
            token.end - token.start == word.len()
                && self.text.as_bytes()[token.start..token.end].eq_ignore_ascii_case(word.as_bytes())
        })
    }

    fn mark(&self, at: usize) -> Option<char> {
        match self.tokens.get(at)?.shape {
            Shape::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    fn shape(&self, at: usize) -> Option<Shape> {
        self.tokens.get(at).map(|token| token.shape)
    }

    /// Whether the token stands directly behind the one before it.
    fn is_tight(&self, at: usize) -> bool {
        at > 0 && self.tokens.get(at).is_some_and(|token| self.tokens[at - 1].end == token.start)
    }

    fn is(&self, at: usize, cues: Cues) -> bool {
        self.tokens.get(at).is_some_and(|token| self.table.cues(token.word).any(cues))
    }

    /// Whether the word at `at` may be the letters of a currency sign such as `US$`.
    fn is_sign_prefix(&self, at: usize) -> bool {
        self.mark(at + 1) == Some('$') && self.is_tight(at + 1) && self.len(at) <= 2
    }

    fn figure(first: usize, behind: usize, value: Value) -> Figure {
        Figure { first, behind, value }
    }
}
