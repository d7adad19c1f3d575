//! A sentence cut into clauses, and what can be said of a clause by its words alone: whether it is a condition, and who
//! did what a past form names.
//!
//! Syntax is not parsed. A clause ends where a conjunction, a condition or a mark begins another
//! one; a comma or an "and" does only if something with a verb of its own follows. All looks to either side
//! are bounded, so the work for a sentence grows with its length and no faster.

use std::ops::Range;

use super::lexicon::Cues;
use super::term::Term;

/// How far a clause reaches to either side of a mention, in terms.
const REACH: usize = 40;

/// How far before a past form "nothing" can stand and mean it, in terms.
const NO_DISTANCE_MAX: usize = 5;

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

/// What a past form says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// The company says that it did it.
    Ours,
    /// It was done, and not by the customer.
    Done,
    /// The customer or another person did it.
    Theirs,
    /// It is not said to be done.
    NotDone,
}

impl Doing {
    /// Whether it is done for the customer.
    pub(super) fn is_done(self) -> bool {
        matches!(self, Doing::Ours | Doing::Done)
    }
}

/// Whether a past form without any auxiliary counts, and one behind "is" of what is not the customer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    /// As in "your parcel shipped" and "a taxi is booked".
    Counts,
    /// As in "orders cancelled before noon".
    IsAdjective,
}

/// A sentence with its clauses.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    pub(super) terms: &'a [Term],
    /// For each term whether a clause ends before it: it is a mark or word between two.
    pub(super) breaks: &'a [bool],
    pub(super) mood: Mood,
    /// Whether verbs stand at the end of their clause.
    pub(super) verb_final: bool,
}

/// For each term, whether it separates two clauses.
pub(super) fn breaks(terms: &[Term]) -> Vec<bool> {
    (0..terms.len()).map(|at| is_break(terms, at)).collect()
}

fn is_break(terms: &[Term], at: usize) -> bool {
    let term = &terms[at];
    let is = |at: usize, cues: Cues| terms.get(at).is_some_and(|term| term.is(cues));
    let is_last = || terms.get(at + 1).is_none_or(|next| next.mark.is_some());
    match term.mark {
        // "Am 12. verschoben".
        Some('.') => is_last(),
        Some(mark) if ";:—–()[]|…!?\n".contains(mark) => true,
        Some(',') => {
            // "…, auch nicht für den Rest", "sobald das Foto da ist, erstatten wir den Betrag."
            let is_negated = is(at + 1, Cues::ADVERB) && is(at + 2, Cues::NEGATION);
            let is_inverted = !is_last() && is(at + 2, Cues::US);
            starts_clause(terms, at + 1) || is_negated || is_inverted
        }
        _ if term.is(Cues::BREAK | Cues::CONDITION | Cues::UNLESS) => {
            // "yet" at the end of a clause means "so far", and "das ist jedoch nicht möglich" is one clause.
            let is_first = || at.checked_sub(1).is_none_or(|before| terms[before].mark.is_some());
            !(term.is(Cues::YET) && is_last())
                && (!term.is(Cues::ADVERB) || is_first() || starts_clause(terms, at + 1))
        }
        _ => term.is(Cues::JOINT) && starts_clause(terms, at + 1),
    }
}

/// Whether something with a verb of its own starts at `at`.
fn starts_clause(terms: &[Term], at: usize) -> bool {
    let rest = terms.iter().skip(at).take(VERB_DISTANCE_MAX);
    let ends = |term: &Term| term.is(Cues::JOINT | Cues::BREAK) || matches!(term.mark, Some(',' | ';' | ':'));
    terms.get(at).is_some_and(|term| term.is(Cues::US | Cues::YOU | Cues::DUTY | Cues::ASK | Cues::MODAL))
        || rest.take_while(|term| !ends(term)).any(|term| term.is(Cues::AUXILIARY))
}

impl Sentence<'_> {
    /// The clause around the term at `at`, without the marks and words that separate it.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        let (earliest, last) = (at.saturating_sub(REACH), self.terms.len().min(at + REACH));
        let start =
            (earliest..at).rev().find(|index| self.breaks[*index]).map_or(earliest, |index| index + 1);
        start..(at + 1..last).find(|index| self.breaks[*index]).unwrap_or(last)
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
        let opener = clause.start.checked_sub(1).map(|at| &self.terms[at]);
        opener.is_some_and(|term| term.is(Cues::CONDITION | Cues::UNLESS))
    }

    /// Who did what the past form at `at` names that no list has, if the company says that it has done it ("I have asked the
    /// driver") or that it has been done to what is the customer's.
    pub(super) fn act(&self, at: usize, clause: &Range<usize>, passive: Cues) -> Option<Doing> {
        let before = clause.start..if self.verb_final { clause.end } else { at };
        let is_last =
            !self.verb_final || self.terms[at + 1..clause.end].iter().all(|term| term.mark.is_some());
        let open = Cues::NEGATION | Cues::NO | Cues::MODAL | Cues::MAYBE;
        let doing = self.doing(at, clause, Bare::IsAdjective);
        let is_said = match doing {
            Doing::Ours => self.has(before, Cues::HAVE),
            Doing::Done => self.first(before, passive).is_some_and(|auxiliary| {
                let is_yours = self.has(clause.start..auxiliary, Cues::YOUR);
                (is_yours || self.has(clause.clone(), Cues::FOR_YOU))
                    && !self.has(clause.clone(), Cues::RELATIVE)
            }),
            Doing::Theirs | Doing::NotDone => false,
        };
        (is_said && is_last && !self.has(clause.clone(), open)).then_some(doing)
    }

    /// Who did what the past form at `at` names.
    pub(super) fn doing(&self, at: usize, clause: &Range<usize>, bare: Bare) -> Doing {
        let is_reported = self.has(at.saturating_sub(REACH)..at, Cues::REPORTED);
        if is_reported || self.has(at + 1..clause.end, Cues::BY_YOU) {
            return Doing::Theirs;
        }
        // "The crossing was cancelled due to high winds" says what happened.
        let around = clause.start.saturating_sub(1)..self.terms.len().min(clause.end + 1);
        let is_caused = self.has(around, Cues::CAUSE) && !self.has(clause.clone(), Cues::US | Cues::YOUR);
        let near = clause.start.max(at.saturating_sub(NO_DISTANCE_MAX))..at;
        // "Nothing was charged", "which has not been paid yet".
        if is_caused || self.has(near, Cues::NO) || self.has(at + 1..clause.end, Cues::YET) {
            return Doing::NotDone;
        }
        // "Has arrived" has its own verb.
        match self.terms[at].is(Cues::AUXILIARY) && self.terms[at].mention.is_some() {
            true if self.has(clause.clone(), Cues::NEGATION | Cues::MODAL | Cues::MAYBE) => Doing::NotDone,
            true => Doing::Done,
            false if self.verb_final => self.doing_of_clause(at, clause),
            false => self.doing_of_verb(at, clause, bare),
        }
    }

    /// Who did what the past form at `at` names, by the auxiliary or subject before it.
    fn doing_of_verb(&self, at: usize, clause: &Range<usize>, bare: Bare) -> Doing {
        let before = self.before(at, clause).unwrap_or(at);
        let decisive = Cues::BEEN | Cues::PASSIVE_PAST | Cues::HAVE | Cues::US | Cues::YOU | Cues::MODAL;
        // Behind "and" it was done by whom the verb before it was.
        let is_joined = self.terms[before].is(Cues::JOINT) || self.terms[before].mark == Some(',');
        let governing = if is_joined { self.last(clause.start..before, decisive) } else { Some(before) };
        let Some(verb) = governing.filter(|verb| *verb < at) else { return Doing::NotDone };
        let term = &self.terms[verb];
        let near = clause.start.max(verb.saturating_sub(2));
        let open = Cues::MODAL | Cues::MAYBE | Cues::DUTY | Cues::NOT_DONE;
        let is_open = term.is(Cues::BEEN | Cues::HAVE) && self.has(near..verb, open);
        if is_open || self.has(near..at, Cues::NEGATION) {
            return Doing::NotDone;
        }
        if term.is(Cues::BEEN) && self.has(clause.start..verb, Cues::HAVE) || term.is(Cues::PASSIVE_PAST) {
            return Doing::Done;
        }
        if term.is(Cues::HAVE) {
            return self.doing_of_have(verb, clause);
        }
        if term.is(Cues::PASSIVE_PRESENT) {
            let is_now = self.has(clause.start..self.terms.len().min(at + 2), Cues::DONE_NOW);
            let yours = if bare == Bare::Counts { Cues::YOUR | Cues::ARTICLE } else { Cues::YOUR };
            let bound = clause.end..self.terms.len().min(clause.end + 1);
            let is_bound = self.has(bound, Cues::CAUSE | Cues::CONDITION);
            let is_state = is_now || self.has(clause.start..verb, yours) && !is_bound;
            return if is_state { Doing::Done } else { Doing::NotDone };
        }
        let is_bare = bare == Bare::Counts
            && !term.is(Cues::DETERMINER | Cues::NOT_DONE)
            && !self.has(clause.clone(), Cues::AUXILIARY);
        match term {
            // "I found your order, delivered on 20 April."
            _ if term.is(Cues::US) && self.terms[before].mark == Some(',') => Doing::Done,
            _ if term.is(Cues::US) => Doing::Ours,
            _ if term.is(Cues::YOU) => Doing::Theirs,
            _ if is_bare => Doing::Done,
            _ => Doing::NotDone,
        }
    }

    /// Who did what "have" at `have` says, by the subject beside it: "je vous ai remboursé", "den Platz habe ich gebucht".
    fn doing_of_have(&self, have: usize, clause: &Range<usize>) -> Doing {
        let is = |at: &usize, cues: Cues| self.terms[*at].is(cues);
        let behind = Some(have + 1).filter(|at| self.verb_final && *at < clause.end);
        let mut beside = [Some(have), self.before(have, clause), behind].into_iter().flatten();
        let beside = beside.find(|at| is(at, Cues::US | Cues::YOU));
        let subject = beside.or_else(|| self.last(clause.start..have, Cues::US | Cues::YOU));
        let is_us = |at: usize| is(&at, Cues::US) || at > clause.start && is(&(at - 1), Cues::US);
        match subject {
            Some(at) if is_us(at) && (beside.is_some() || self.verb_final) => Doing::Ours,
            Some(at) if !is_us(at) => Doing::Theirs,
            _ => Doing::Done,
        }
    }

    /// Who did what the past form at `at` names where its auxiliary can stand anywhere in the clause: "wir haben den
    /// Betrag erstattet", "dass der Betrag erstattet wurde".
    fn doing_of_clause(&self, at: usize, clause: &Range<usize>) -> Doing {
        let auxiliaries = Cues::HAVE | Cues::PASSIVE_PAST | Cues::MODAL | Cues::MAYBE | Cues::PASSIVE_PRESENT;
        let left = self.last(clause.start..at, auxiliaries);
        let right = || self.first(at + 1..clause.end.min(at + 3), auxiliaries);
        let Some(auxiliary) = left.or_else(right) else { return Doing::NotDone };
        // "Fest gebucht ist es damit noch nicht."
        let mut rest = at..self.terms.len().min(at + REACH);
        let end = rest.find(|at| self.terms[*at].mark.is_some()).unwrap_or(rest.end);
        let undone = Cues::NEGATION | Cues::NO | Cues::YET | Cues::MAYBE;
        if self.has(clause.clone(), undone) || auxiliary > at && self.has(at..end, undone) {
            return Doing::NotDone;
        }
        match &self.terms[auxiliary] {
            verb if verb.is(Cues::HAVE) => self.doing_of_have(auxiliary, clause),
            verb if verb.is(Cues::PASSIVE_PAST) => Doing::Done,
            _ => Doing::NotDone,
        }
    }
}
