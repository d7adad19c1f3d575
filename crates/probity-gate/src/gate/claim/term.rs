//! A sentence as terms: figures, phrases of the word lists and single words, with the lists each stands in.
//!
//! The longest phrase at a place wins, so "not only" is one term and no negation. What always holds: terms
//! are in order and do not overlap.

use super::super::text::{Shape, Token, WordId};
use super::Value;
use super::lexicon::{Cues, Element, LexiconTable, Meaning, Pattern};

/// How many words a gap of a phrase can hold, and how many where verbs stand at the end of their clause.
const GAP_WORDS_MAX: [usize; 2] = [3, 8];

/// A value and the tokens that it was read from.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    /// The first token.
    pub(super) first: usize,
    /// The token behind the last one.
    pub(super) behind: usize,
    pub(super) value: Value,
}

/// One word, phrase, figure or mark of a sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The character of a mark.
    pub(super) mark: Option<char>,
    /// The lists it stands in.
    pub(super) cues: Cues,
    /// The remedy or deed that it names.
    pub(super) mention: Option<Meaning>,
    /// Where the phrase of the mention ends, in bytes.
    pub(super) mention_end: usize,
}

impl Term {
    pub(super) fn is(&self, cues: Cues) -> bool {
        self.cues.any(cues)
    }
}

/// The terms of `tokens`.
pub(super) fn terms(
    tokens: &[Token],
    words: &[WordId],
    figures: &[Figure],
    table: &LexiconTable,
) -> Vec<Term> {
    let mut starts = vec![None; tokens.len()];
    for figure in figures {
        starts[figure.first] = Some(figure);
    }
    let reader = PhraseMatcher { tokens, words, starts, table };
    let (mut terms, mut at, mut inert) = (Vec::new(), 0, 0..0);
    while at < tokens.len() {
        let figure = reader.figure_at(at);
        let (phrases, cues) = match figure {
            // What is done with an amount is done for the customer.
            Some(Figure { value: Value::Money { .. }, .. }) => {
                (table.figure_phrases.as_slice(), Cues::FOR_YOU)
            }
            Some(_) => (table.figure_phrases.as_slice(), Cues::NONE),
            None if inert.contains(&at) => (&[][..], Cues::NONE),
            None => (table.phrases(words[at]), table.cues(words[at])),
        };
        let next = words.get(at + 1).copied().unwrap_or_default();
        let mut phrases = phrases.iter().filter(|pattern| pattern.goes_on_with(next));
        let fit = phrases.find_map(|pattern| reader.fits(pattern, at));
        let (cues, mention) = match fit.as_ref().map(|fit| fit.meaning) {
            None => (cues, None),
            Some(Meaning::Cue(cues)) => (cues, None),
            Some(Meaning::Other | Meaning::Unit(_)) => (Cues::NONE, None),
            // One word, or what stands before a gap.
            Some(meaning) if fit.as_ref().is_some_and(|fit| fit.tail < fit.behind.max(at + 2)) => {
                (cues, Some(meaning))
            }
            // "Has arrived" begins a clause as "has" does.
            meaning => (if cues.any(Cues::AUXILIARY) { Cues::AUXILIARY } else { Cues::NONE }, meaning),
        };
        let (behind, mention_behind) = match (&fit, figure) {
            // What stands in a gap is read by itself, and what follows it is not read again.
            (Some(fit), None) if fit.tail < fit.behind => (at + 1, fit.behind),
            (Some(fit), _) => (fit.behind, fit.behind),
            (None, Some(figure)) => (figure.behind, figure.behind),
            (None, None) => (at + 1, at + 1),
        };
        inert = fit.filter(|_| figure.is_none()).map_or(inert, |fit| fit.tail..fit.behind);
        let mark = match tokens[at].shape {
            Shape::Mark(mark) if behind == at + 1 => Some(mark),
            _ => None,
        };
        let cues = if mark == Some('&') { Cues::JOINT } else { cues };
        // "L'article", "n'avons": the mark is a part of the word.
        if mark == Some('\'') && is_inside_word(tokens, at) {
            at += 1;
            continue;
        }
        let (start, end) = (tokens[at].start, tokens[behind - 1].end);
        terms.push(Term { start, end, mark, cues, mention, mention_end: tokens[mention_behind - 1].end });
        at = behind;
    }
    terms
}

/// Whether a mark has letters on both sides and no space.
fn is_inside_word(tokens: &[Token], at: usize) -> bool {
    let is_joined = |left: usize, right: usize| {
        let (left, right) = (tokens.get(left), tokens.get(right));
        left.zip(right).is_some_and(|(left, right)| left.end == right.start)
    };
    at > 0 && is_joined(at - 1, at) && is_joined(at, at + 1)
}

/// A phrase that was found.
struct Fit {
    meaning: Meaning,
    /// The token behind it.
    behind: usize,
    /// The first token behind its gap; `behind` where it has none.
    tail: usize,
}

struct PhraseMatcher<'a> {
    tokens: &'a [Token],
    words: &'a [WordId],
    /// The figure that starts at each token.
    starts: Vec<Option<&'a Figure>>,
    table: &'a LexiconTable,
}

impl<'a> PhraseMatcher<'a> {
    /// The figure that starts at a token.
    fn figure_at(&self, at: usize) -> Option<&'a Figure> {
        self.starts.get(at).copied().flatten()
    }

    fn fits(&self, pattern: &Pattern, first: usize) -> Option<Fit> {
        let (mut at, mut tail) = (first, None);
        let mut elements = pattern.elements.iter();
        while let Some(element) = elements.next() {
            if *element == Element::Gap {
                at = self.behind_gap(*elements.next()?, at)?;
                tail.get_or_insert(at - 1);
            } else {
                at = self.element(*element, at)?;
            }
        }
        Some(Fit { meaning: pattern.meaning, behind: at, tail: tail.unwrap_or(at) })
    }

    /// The token behind `element`, which stands at `at`.
    fn element(&self, element: Element, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        let figure = || self.figure_at(at).map(|figure| (&figure.value, figure.behind));
        match element {
            Element::Word(word) => (self.words[at] == word).then_some(at + 1),
            Element::Mark(mark) => (token.shape == Shape::Mark(mark)).then_some(at + 1),
            Element::Money => {
                figure().filter(|(value, _)| matches!(value, Value::Money { .. })).map(|(_, behind)| behind)
            }
            Element::Percent => {
                figure().filter(|(value, _)| matches!(value, Value::Percent(_))).map(|(_, behind)| behind)
            }
            Element::Gap => None,
        }
    }

    /// The token behind `element`, which stands at most a gap behind `at`.
    fn behind_gap(&self, element: Element, at: usize) -> Option<usize> {
        let stops = |at: usize| {
            let cues = self.table.cues(self.words[at]);
            matches!(self.tokens[at].shape, Shape::Mark(mark) if mark != '-')
                || cues.any(Cues::NEGATION | Cues::BREAK | Cues::CONDITION)
        };
        let mut next = at;
        for _ in 0..=GAP_WORDS_MAX[usize::from(self.table.verb_final)] {
            if let Some(behind) = self.element(element, next) {
                return Some(behind);
            }
            // A figure is one word, whatever marks it has.
            next = match self.figure_at(next) {
                Some(figure) => figure.behind,
                None if next >= self.tokens.len() || stops(next) => return None,
                None => next + 1,
            };
        }
        None
    }
}
