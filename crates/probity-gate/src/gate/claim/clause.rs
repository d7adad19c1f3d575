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

/// How far before "is cancelled" a "done" can stand and mean it, in terms.
const DONE_DISTANCE_MAX: usize = 5;

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
    /// The company did it.
    Ours,
    /// The customer or another person did it.
    Theirs,
    /// It is not said to be done.
    NotDone,
}

/// Whether a past form without any auxiliary counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    /// As in "your parcel shipped".
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
    match term.mark {
        // "Am 12. verschoben".
        Some('.') => terms.get(at + 1).is_none_or(|next| next.mark.is_some()),
        Some(mark) if ";:—–()[]|…!?\n".contains(mark) => true,
        // "…, not …".
        Some(',') => {
            let is = |at: usize, cues: Cues| terms.get(at).is_some_and(|term| term.is(cues));
            // "Sobald das Foto da ist, erstatten wir den Betrag."
            let is_inverted =
                || terms.get(at + 1).is_some_and(|verb| verb.mark.is_none()) && is(at + 2, Cues::US);
            // "…, auch nicht für den Rest".
            starts_clause(terms, at + 1)
                || is(at + 1, Cues::NEGATION | Cues::NO | Cues::RELATIVE)
                || (is(at + 1, Cues::ADVERB) && is(at + 2, Cues::NEGATION))
                || is_inverted()
        }
        _ if term.is(Cues::BREAK | Cues::CONDITION | Cues::UNLESS) => {
            // "yet" at the end of a clause means "so far", and "das ist jedoch nicht möglich" is one clause.
            let is_first = || at.checked_sub(1).is_none_or(|before| terms[before].mark.is_some());
            !(term.is(Cues::YET) && terms.get(at + 1).is_none_or(|next| next.mark.is_some()))
                && (!term.is(Cues::ADVERB) || is_first() || starts_clause(terms, at + 1))
        }
        // "If they bother you we refund it".
        _ if term.is(Cues::YOU) && terms.get(at + 1).is_some_and(|next| next.is(Cues::US)) => true,
        _ => term.is(Cues::JOINT) && starts_clause(terms, at + 1),
    }
}

/// Whether something with a verb of its own starts at `at`.
fn starts_clause(terms: &[Term], at: usize) -> bool {
    let Some(term) = terms.get(at) else { return false };
    if term.is(Cues::US | Cues::YOU | Cues::DUTY | Cues::ASK | Cues::MODAL | Cues::AUXILIARY) {
        return true;
    }
    let rest = &terms[at..terms.len().min(at + VERB_DISTANCE_MAX)];
    rest.iter()
        .take_while(|term| !term.is(Cues::JOINT | Cues::BREAK) && !matches!(term.mark, Some(',' | ';' | ':')))
        .any(|term| term.is(Cues::AUXILIARY))
}

impl Sentence<'_> {
    /// The clause around the term at `at`, without the marks and words that separate it.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        let last = self.terms.len().min(at + REACH);
        self.clause_start(at)..(at + 1..last).find(|index| self.breaks[*index]).unwrap_or(last)
    }

    /// Where the clause that reaches to `end` starts.
    fn clause_start(&self, end: usize) -> usize {
        let earliest = end.saturating_sub(REACH);
        (earliest..end).rev().find(|index| self.breaks[*index]).map_or(earliest, |index| index + 1)
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

    /// The verb of which the company says with the "have" at `have` that it did it.
    pub(super) fn perfect(&self, have: usize) -> Option<usize> {
        let clause = self.clause(have);
        let undone = Cues::NEGATION | Cues::NO | Cues::MODAL | Cues::MAYBE | Cues::REPORTED;
        if self.mood != Mood::Statement || self.is_condition(&clause) || self.has(clause.clone(), undone) {
            return None;
        }
        let is_us = |at: usize| {
            self.terms[at].is(Cues::US) || at.checked_sub(1).is_some_and(|at| self.terms[at].is(Cues::OUR))
        };
        let subject = self.before(have, &clause).filter(|at| is_us(*at));
        // "Our fitter was there and has repaired it".
        let is_joined = have == clause.start && self.opener(&clause).is_some_and(|term| term.is(Cues::JOINT));
        let near = have.saturating_sub(REACH)..have;
        let is_shared =
            || is_joined && self.has(near.clone(), Cues::US | Cues::OUR) && !self.has(near, Cues::YOU);
        let is_behind = || self.verb_final && clause.end > have + 1 && is_us(have + 1);
        // "Hemos enviado": the verb says who did it.
        let is_ours = subject.is_some() || is_us(have) || is_behind() || is_shared();
        self.verb_of(have, &clause).filter(|at| is_ours && !self.terms[*at].is(Cues::AUXILIARY))
    }

    /// The verb behind the next "and" behind the one at `verb`: "I have found the bag and ordered a courier".
    pub(super) fn joined_verb(&self, verb: usize) -> Option<usize> {
        let end = self.clause(verb).end;
        let joint = self.first(verb..end, Cues::JOINT).filter(|_| !self.verb_final)?;
        self.verb_of(joint, &(joint..end))
    }

    /// The verb of which the words at `auxiliary` say that it was done: "the meter has been read", "das Rezept wurde
    /// ausgestellt".
    pub(super) fn passive(&self, auxiliary: usize) -> Option<usize> {
        let clause = self.clause(auxiliary);
        let undone = Cues::NEGATION | Cues::NO | Cues::MODAL | Cues::MAYBE | Cues::REPORTED | Cues::YET;
        let is_open =
            self.is_condition(&clause) || self.has(clause.clone(), undone | Cues::BY_YOU | Cues::RELATIVE);
        let is_yours =
            self.has(clause.start..auxiliary, Cues::YOUR) || self.has(clause.clone(), Cues::FOR_YOU);
        self.verb_of(auxiliary, &clause).filter(|_| self.mood == Mood::Statement && !is_open && is_yours)
    }

    /// The verb of an auxiliary, unless it only says that something was seen, asked for or refused.
    fn verb_of(&self, auxiliary: usize, clause: &Range<usize>) -> Option<usize> {
        let mut behind = auxiliary + 1..clause.end;
        let verb = if self.verb_final {
            behind.rev().find(|at| self.terms[*at].mark.is_none())
        } else {
            behind.find(|at| !self.terms[*at].is(Cues::ADVERB))
        };
        let undone = Cues::OBSERVED | Cues::INQUIRY | Cues::WISH | Cues::DENIAL;
        verb.filter(|at| self.terms[*at].mention.is_some() || !self.terms[*at].is(undone))
    }

    /// Whether the company says that it did itself what the past form at `at` names.
    pub(super) fn is_ours(&self, at: usize) -> bool {
        let clause = self.clause(at);
        let others = Cues::BEEN | Cues::PASSIVE_PAST;
        if self.verb_final {
            return self.has(clause.clone(), Cues::US) && !self.has(clause, others);
        }
        let decisive = others | Cues::US | Cues::YOU;
        let is_us = |at: usize| self.terms[at].is(Cues::US);
        let subject = self.last(clause.start..at, decisive);
        subject.is_some_and(|at| is_us(at) || (at > 0 && self.terms[at].is(Cues::YOU) && is_us(at - 1)))
    }

    /// Who did what the past form at `at` names.
    pub(super) fn doing(&self, at: usize, clause: &Range<usize>, bare: Bare) -> Doing {
        let is_reported = self.has(at.saturating_sub(REACH)..at, Cues::REPORTED);
        if is_reported || self.has(at + 1..clause.end, Cues::BY_YOU) {
            return Doing::Theirs;
        }
        // "Nothing was charged."
        if self.has(clause.start.max(at.saturating_sub(NO_DISTANCE_MAX))..at, Cues::NO) {
            return Doing::NotDone;
        }
        // "The crossing was cancelled due to high winds" says what happened.
        let around = clause.start.saturating_sub(1)..self.terms.len().min(clause.end + 1);
        let is_caused = self.has(around, Cues::CAUSE);
        if is_caused && !self.has(clause.clone(), Cues::US | Cues::YOUR) {
            return Doing::NotDone;
        }
        if self.verb_final {
            return self.doing_of_clause(at, clause);
        }
        let Some(before) = self.before(at, clause) else { return Doing::NotDone };
        let term = &self.terms[before];
        if term.is(Cues::JOINT) || term.mark == Some(',') {
            return self.joined(before, clause);
        }
        if self.last(clause.start..at, Cues::NEGATION).is_some_and(|not| not + 3 > before) {
            return Doing::NotDone;
        }
        if let Some(doing) = self.by_auxiliary(before, clause, at) {
            return doing;
        }
        let is_bare = bare == Bare::Counts && !term.is(Cues::DETERMINER) && term.mark.is_none();
        if is_bare && !self.has(clause.clone(), Cues::AUXILIARY) { Doing::Ours } else { Doing::NotDone }
    }

    /// Who did what the past form at `at` names where its auxiliary can stand anywhere in the clause: "wir haben den
    /// Betrag erstattet", "dass der Betrag erstattet wurde".
    fn doing_of_clause(&self, at: usize, clause: &Range<usize>) -> Doing {
        let auxiliaries = Cues::HAVE | Cues::PASSIVE_PAST | Cues::MODAL | Cues::MAYBE | Cues::PASSIVE_PRESENT;
        let left = self.last(clause.start..at, auxiliaries);
        let right = || self.first(at + 1..clause.end.min(at + 3), auxiliaries);
        let Some(auxiliary) = left.or_else(right) else {
            // "Wir haben den Termin verlegt und Ihnen eine Nachricht geschickt."
            let is_joined =
                self.opener(clause).is_some_and(|term| term.is(Cues::JOINT)) && at < clause.start + REACH;
            let wider = self.clause_start(clause.start.saturating_sub(1))..clause.end;
            return if is_joined { self.doing_of_clause(at, &wider) } else { Doing::NotDone };
        };
        let term = &self.terms[auxiliary];
        // "Fest gebucht ist es damit noch nicht."
        let mut rest = at..self.terms.len().min(at + REACH);
        let behind = rest.find(|at| self.terms[*at].mark.is_some()).unwrap_or(rest.end);
        let undone = Cues::NEGATION | Cues::NO | Cues::YET;
        if self.has(clause.clone(), undone | Cues::MAYBE) || (auxiliary > at && self.has(at..behind, undone))
        {
            return Doing::NotDone;
        }
        if term.is(Cues::HAVE) {
            let subject = self.last(clause.start..auxiliary, Cues::US | Cues::YOU);
            let behind = || self.first(auxiliary + 1..clause.end.min(auxiliary + 2), Cues::US | Cues::YOU);
            let subject = subject.or_else(behind);
            let theirs = subject.is_some_and(|subject| self.terms[subject].is(Cues::YOU));
            return if theirs { Doing::Theirs } else { Doing::Ours };
        }
        if term.is(Cues::PASSIVE_PAST) { Doing::Ours } else { Doing::NotDone }
    }

    /// Whether the past form at `at` says how something of the customer's is now: "your table is booked". What cannot be
    /// undone is also said of something new: "a taxi is booked".
    pub(super) fn is_state(&self, at: usize, clause: &Range<usize>, is_act: bool) -> bool {
        let subject = if is_act { Cues::YOUR } else { Cues::YOUR | Cues::ARTICLE };
        let other = Cues::HAVE | Cues::BEEN | Cues::PASSIVE_PAST | Cues::MODAL | Cues::MAYBE | Cues::NEGATION;
        let other = other | Cues::NO | Cues::YET | Cues::DUTY | Cues::US;
        let is = |at: usize| self.terms[at].is(Cues::PASSIVE_PRESENT);
        let verb = if self.verb_final {
            self.last(clause.start..at, Cues::PASSIVE_PRESENT)
        } else {
            self.before(at, clause).filter(|before| is(*before))
        };
        let is_yours = |verb: usize| self.has(clause.start..verb, subject);
        verb.is_some_and(is_yours) && !self.has(clause.clone(), other)
    }

    /// What the auxiliary or subject at `before` makes of the past form behind it.
    fn by_auxiliary(&self, before: usize, clause: &Range<usize>, at: usize) -> Option<Doing> {
        let term = &self.terms[before];
        let ours_if = |is_done: bool| Some(if is_done { Doing::Ours } else { Doing::NotDone });
        if term.is(Cues::BEEN) {
            let have = self.last(clause.start..before, Cues::HAVE)?;
            return ours_if(!self.is_modal(have, clause));
        }
        if term.is(Cues::PASSIVE_PRESENT) && !term.is(Cues::PASSIVE_PAST) {
            return ours_if(self.has(
                before.saturating_sub(DONE_DISTANCE_MAX)..self.terms.len().min(at + 2),
                Cues::DONE_NOW,
            ));
        }
        if term.is(Cues::HAVE) && !term.is(Cues::PASSIVE_PAST) {
            let subject = self.last(clause.start..before + 1, Cues::US | Cues::YOU);
            // "Je vous ai remboursé."
            let is_theirs =
                |at: usize| self.terms[at].is(Cues::YOU) && (at == 0 || !self.terms[at - 1].is(Cues::US));
            let theirs = subject.is_some_and(is_theirs);
            let is_modal = self.is_modal(before, clause);
            return if theirs && !is_modal { Some(Doing::Theirs) } else { ours_if(!is_modal) };
        }
        if term.is(Cues::PASSIVE_PAST | Cues::US) {
            return Some(Doing::Ours);
        }
        if term.is(Cues::YOU) {
            return Some(Doing::Theirs);
        }
        term.is(Cues::NOT_DONE | Cues::MODAL | Cues::MAYBE | Cues::DETERMINER).then_some(Doing::NotDone)
    }

    /// Whether "will", "should" or the like stands before the "have" at `have`.
    fn is_modal(&self, have: usize, clause: &Range<usize>) -> bool {
        let modal = Cues::MODAL | Cues::MAYBE | Cues::DUTY | Cues::NOT_DONE;
        self.before(have, clause).is_some_and(|before| self.terms[before].is(modal))
    }

    /// A past form behind "and" is done by whom the verb before it was.
    fn joined(&self, joint: usize, clause: &Range<usize>) -> Doing {
        let decisive = Cues::BEEN
            | Cues::PASSIVE_PAST
            | Cues::HAVE
            | Cues::US
            | Cues::YOU
            | Cues::NOT_DONE
            | Cues::MODAL;
        // "Charged it to your card and moved you": that "to" is of no verb.
        let mut before = (clause.start..joint).rev().filter(|at| !self.terms[*at].is(Cues::TO));
        let Some(at) = before.find(|at| self.terms[*at].is(decisive)) else {
            return Doing::NotDone;
        };
        if self.has(clause.start..joint, Cues::NEGATION) {
            return Doing::NotDone;
        }
        self.by_auxiliary(at, clause, joint).unwrap_or(Doing::NotDone)
    }
}
