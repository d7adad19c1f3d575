//! Tokens that are read one behind the other.

use super::{Shape, Text, Token};

/// Tokens of a text. Places are counted from the first of them, and behind the last there is nothing.
#[derive(Clone, Copy)]
pub(in crate::gate) struct TokenRow<'a> {
    pub(in crate::gate) text: &'a Text,
    pub(in crate::gate) tokens: &'a [Token],
}

impl<'a> TokenRow<'a> {
    /// The token as it is written.
    pub(in crate::gate) fn raw(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start..token.end])
    }

    /// How many bytes the token has.
    pub(in crate::gate) fn len(&self, at: usize) -> usize {
        self.raw(at).len()
    }

    pub(in crate::gate) fn is_word(&self, at: usize, word: &str) -> bool {
        self.raw(at).eq_ignore_ascii_case(word)
    }

    pub(in crate::gate) fn is_any_word(&self, at: usize, words: &[&str]) -> bool {
        self.shape(at) == Some(Shape::Word) && words.iter().any(|word| self.is_word(at, word))
    }

    pub(in crate::gate) fn mark(&self, at: usize) -> Option<char> {
        if let Shape::Mark(mark) = self.shape(at)? { Some(mark) } else { None }
    }

    /// Whether one of `marks` stands at `at`.
    pub(in crate::gate) fn has_mark(&self, at: usize, marks: &str) -> bool {
        self.mark(at).is_some_and(|mark| marks.chars().any(|one| one == mark))
    }

    pub(in crate::gate) fn shape(&self, at: usize) -> Option<Shape> {
        self.tokens.get(at).map(|token| token.shape)
    }

    pub(in crate::gate) fn is_digits(&self, at: usize) -> bool {
        self.shape(at) == Some(Shape::Digits)
    }

    /// The first token from `at` on that does not start before the byte `end`, which lies near.
    pub(in crate::gate) fn behind(&self, at: usize, end: usize) -> usize {
        at + self.tokens[at..].iter().take_while(|token| token.start < end).count()
    }

    /// Whether the token stands directly behind the one before it.
    pub(in crate::gate) fn is_tight(&self, at: usize) -> bool {
        at > 0 && self.tokens.get(at).is_some_and(|token| self.tokens[at - 1].end == token.start)
    }

    /// Whether one of `marks` stands directly before the token.
    pub(in crate::gate) fn follows_mark(&self, at: usize, marks: &str) -> bool {
        self.is_tight(at) && self.has_mark(at - 1, marks)
    }
}
