//! A sentence as terms: figures, phrases of the word lists and single words, with the lists each stands in.
//!
//! The longest phrase at a place wins, so "not only" is one term and no negation. What always holds: terms
//! are in order and do not overlap.

use super::Value;
use super::lexicon::{Cues, Element, Meaning, Pattern, Table};
use super::token::{Shape, Token, WordId};

/// How many words a gap of a phrase can hold.
const GAP_WORDS_MAX: usize = 3;

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
pub(super) fn terms(tokens: &[Token], figures: &[Figure], table: &Table) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut reader = Reader { tokens, figures, table, next_figure: 0 };
    let (mut at, mut inert) = (0, 0..0);
    while at < tokens.len() {
        if let Some(behind_figure) = reader.figure_at(at).map(|figure| figure.behind) {
            let pattern = table.figure_phrases().iter().find_map(|pattern| reader.fits(pattern, at));
            let (meaning, behind) = match pattern {
                Some(fit) => (Some(fit.meaning), fit.behind),
                None => (None, behind_figure),
            };
            terms.push(reader.term(at, behind, Cues::NONE, meaning));
            at = behind;
            continue;
        }
        let token = tokens[at];
        let word_cues = table.cues(token.word);
        if inert.contains(&at) || token.word == WordId(0) {
            terms.push(reader.term(at, at + 1, Cues::NONE, None));
            at += 1;
            continue;
        }
        let fit = table.phrases(token.word).iter().find_map(|pattern| reader.fits(pattern, at));
        let Some(fit) = fit else {
            terms.push(reader.term(at, at + 1, word_cues, None));
            at += 1;
            continue;
        };
        let (cues, mention) = match fit.meaning {
            Meaning::Cue(cues) => (cues, None),
            Meaning::Other | Meaning::Unit(_) => (Cues::NONE, None),
            meaning if fit.behind == at + 1 => (word_cues, Some(meaning)),
            meaning => (Cues::NONE, Some(meaning)),
        };
        let behind = if fit.tail < fit.behind { at + 1 } else { fit.behind };
        let mut term = reader.term(at, behind, cues, mention);
        term.mention_end = tokens[fit.behind - 1].end;
        terms.push(term);
        inert = fit.tail..fit.behind;
        at = behind;
    }
    terms
}

/// A phrase that was found.
struct Fit {
    meaning: Meaning,
    /// The token behind it.
    behind: usize,
    /// The first token behind its gap; `behind` where it has none.
    tail: usize,
}

struct Reader<'a> {
    tokens: &'a [Token],
    figures: &'a [Figure],
    table: &'a Table,
    /// The first figure that does not end before the current token.
    next_figure: usize,
}

impl Reader<'_> {
    fn figure_at(&mut self, at: usize) -> Option<&Figure> {
        while self.figures.get(self.next_figure).is_some_and(|figure| figure.behind <= at) {
            self.next_figure += 1;
        }
        // Those behind it start where it ends, or later.
        self.figures.get(self.next_figure).filter(|figure| figure.first == at)
    }

    /// The figure that starts at a token close behind the current one.
    fn peek_figure(&self, at: usize) -> Option<&Figure> {
        self.figures.get(self.next_figure..)?.iter().take(3).find(|figure| figure.first == at)
    }

    fn term(&self, first: usize, behind: usize, cues: Cues, mention: Option<Meaning>) -> Term {
        let (start, end) = (self.tokens[first].start, self.tokens[behind - 1].end);
        let mark = match self.tokens[first].shape {
            Shape::Mark(mark) if behind == first + 1 => Some(mark),
            _ => None,
        };
        let cues = if mark == Some('&') { Cues::JOINT } else { cues };
        Term { start, end, mark, cues, mention, mention_end: end }
    }

    fn fits(&self, pattern: &Pattern, first: usize) -> Option<Fit> {
        let (mut at, mut tail) = (first, None);
        let mut elements = pattern.elements.iter();
        while let Some(element) = elements.next() {
            if *element == Element::Gap {
                let next = elements.next()?;
                at = self.behind_gap(*next, at)?;
                tail.get_or_insert(at - 1);
            } else {
                at = self.element(*element, at)?;
            }
        }
        Some(Fit { meaning: pattern.meaning, behind: at, tail: tail.unwrap_or(at) })
    }

    /// The token behind `element`, which stands at `at`.
    fn element(&self, element: Element, at: usize) -> Option<usize> {
        let figure = || self.peek_figure(at);
        match element {
            Element::Word(word) => (self.tokens.get(at)?.word == word).then_some(at + 1),
            Element::Mark(mark) => (self.tokens.get(at)?.shape == Shape::Mark(mark)).then_some(at + 1),
            Element::Money => {
                figure().filter(|found| matches!(found.value, Value::Money { .. })).map(|found| found.behind)
            }
            Element::Percent => {
                figure().filter(|found| matches!(found.value, Value::Percent(_))).map(|found| found.behind)
            }
            Element::Gap => None,
        }
    }

    /// The token behind `element`, which stands at most a gap behind `at`.
    fn behind_gap(&self, element: Element, at: usize) -> Option<usize> {
        for skipped in 0..=GAP_WORDS_MAX {
            if let Some(behind) = self.element(element, at + skipped) {
                return Some(behind);
            }
            let token = self.tokens.get(at + skipped)?;
            let cues = self.table.cues(token.word);
            if matches!(token.shape, Shape::Mark(_))
                || cues.any(Cues::NEGATION | Cues::BREAK | Cues::CONDITION)
            {
                return None;
            }
        }
        None
    }
}
