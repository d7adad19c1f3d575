//! A sentence cut into clauses, and what can be said of a clause by its words alone.
//!
//! English syntax is not parsed. A clause ends where a conjunction, a condition or a mark begins another
//! one; a comma or an "and" does only if something with a verb of its own follows. All looks to either side
//! are bounded, so the work for a sentence grows with its length and no faster.

use std::ops::Range;

use super::lexicon::Cues;
use super::term::Term;

/// How far a clause reaches to either side of a mention, in terms.
const REACH: usize = 40;

/// How many terms after a determiner are searched for the verb of a clause.
const VERB_DISTANCE_MAX: usize = 6;

/// How a sentence as a whole is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// It says something.
    Statement,
    /// It ends with a question mark.
    Question,
    /// It quotes other words, or is a heading.
    Aside,
}

/// A sentence with its clauses.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    pub(super) terms: &'a [Term],
    /// For each term whether a clause ends before it: it is a mark or word between two.
    pub(super) breaks: &'a [bool],
    pub(super) mood: Mood,
}

/// For each term, whether it separates two clauses.
pub(super) fn breaks(terms: &[Term]) -> Vec<bool> {
    (0..terms.len()).map(|at| is_break(terms, at)).collect()
}

fn is_break(terms: &[Term], at: usize) -> bool {
    let term = &terms[at];
    match term.mark {
        Some(';' | ':' | '—' | '–' | '(' | ')' | '[' | ']' | '|' | '…' | '.' | '!' | '?' | '\n') => {
            true
        }
        Some('-') => {
            let spaced = |left: usize, right: usize| {
                let (left, right) = (terms.get(left), terms.get(right));
                left.zip(right).is_none_or(|(left, right)| left.end < right.start)
            };
            at == 0 || (spaced(at - 1, at) && spaced(at, at + 1))
        }
        Some(',') => starts_clause(terms, at + 1) || is_contrast(terms, at + 1),
        _ if term.is(Cues::BREAK | Cues::CONDITION | Cues::UNLESS | Cues::UNTIL) => {
            // "yet" at the end of a clause means "so far".
            !(term.is(Cues::YET) && terms.get(at + 1).is_none_or(|next| next.mark.is_some()))
        }
        _ => term.is(Cues::JOINT) && starts_clause(terms, at + 1),
    }
}

/// Whether "not …" follows a comma.
fn is_contrast(terms: &[Term], at: usize) -> bool {
    terms.get(at).is_some_and(|term| term.is(Cues::NEGATION))
}

/// Whether something with a verb of its own starts at `at`.
fn starts_clause(terms: &[Term], at: usize) -> bool {
    let mut first = at;
    while first < at + 3
        && terms.get(first).is_some_and(|term| {
            term.is(Cues::ADVERB | Cues::JOINT) && !term.is(Cues::DUTY) && term.mark != Some(',')
        })
    {
        first += 1;
    }
    let Some(term) = terms.get(first) else { return false };
    if term.is(Cues::US | Cues::YOU | Cues::DUTY | Cues::ASK | Cues::MODAL | Cues::AUXILIARY) {
        return true;
    }
    let rest = &terms[first..terms.len().min(first + VERB_DISTANCE_MAX)];
    rest.iter()
        .take_while(|term| !term.is(Cues::JOINT | Cues::BREAK) && !matches!(term.mark, Some(',' | ';' | ':')))
        .any(|term| term.is(Cues::AUXILIARY))
}

impl Sentence<'_> {
    /// The clause around the term at `at`, without the marks and words that separate it.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        let (earliest, last) = (at.saturating_sub(REACH), self.terms.len().min(at + REACH));
        let start =
            (earliest..at).rev().find(|index| self.breaks[*index]).map_or(earliest, |index| index + 1);
        let end = (at + 1..last).find(|index| self.breaks[*index]).unwrap_or(last);
        start..end
    }

    /// The term that separates `clause` from what is before it.
    pub(super) fn opener(&self, clause: &Range<usize>) -> Option<&Term> {
        self.terms.get(clause.start.checked_sub(1)?).filter(|_| self.breaks[clause.start - 1])
    }

    pub(super) fn has(&self, range: Range<usize>, cues: Cues) -> bool {
        self.terms[range].iter().any(|term| term.is(cues))
    }

    /// The last term of `range` that stands in one of the lists.
    pub(super) fn last(&self, range: Range<usize>, cues: Cues) -> Option<usize> {
        range.rev().find(|index| self.terms[*index].is(cues))
    }

    /// The first term of `range` that stands in one of the lists.
    pub(super) fn first(&self, mut range: Range<usize>, cues: Cues) -> Option<usize> {
        range.find(|index| self.terms[*index].is(cues))
    }

    /// The nearest term before `at` in `clause` that is no adverb.
    pub(super) fn before(&self, at: usize, clause: &Range<usize>) -> Option<usize> {
        (clause.start..at).rev().find(|index| !self.terms[*index].is(Cues::ADVERB))
    }

    /// Whether the clause is itself a condition, such as what follows "if".
    pub(super) fn is_condition(&self, clause: &Range<usize>) -> bool {
        self.opener(clause).is_some_and(|term| term.is(Cues::CONDITION | Cues::UNLESS))
    }

    /// Whether a condition belongs to the clause: directly behind it, or before it and reached over commas.
    pub(super) fn has_condition(&self, clause: &Range<usize>, cues: Cues) -> bool {
        let behind = self.terms.get(clause.end).is_some_and(|term| {
            let comma = term.mark == Some(',');
            let next = self.terms.get(clause.end + usize::from(comma));
            next.is_some_and(|next| next.is(cues))
        });
        behind || self.follows_condition(clause, cues)
    }

    fn follows_condition(&self, clause: &Range<usize>, cues: Cues) -> bool {
        let mut at = clause.start;
        for _ in 0..4 {
            let Some(opener) = at.checked_sub(1) else { return false };
            let term = &self.terms[opener];
            let joins = term.mark == Some(',') || term.is(Cues::JOINT | Cues::ADVERB);
            if at != clause.start && term.is(cues) {
                return true;
            }
            if !joins || opener == 0 {
                return false;
            }
            let before = if opener > 0 && self.breaks[opener - 1] { opener - 1 } else { opener };
            at = self.clause_before(before);
        }
        false
    }

    /// Where the clause that ends before `end` starts.
    fn clause_before(&self, end: usize) -> usize {
        let earliest = end.saturating_sub(REACH);
        (earliest..end).rev().find(|index| self.breaks[*index]).map_or(earliest, |index| index + 1)
    }
}
