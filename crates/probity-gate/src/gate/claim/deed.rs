//! Whether a past form says that the company has done something, and who did it otherwise.
//!
//! Decided by the words before the form: "we have cancelled", "has been cancelled" and "cancelled by us" are
//! done; "will be cancelled", "you cancelled" and "a cancelled order" are not.

use std::ops::Range;

use super::clause::Sentence;
use super::lexicon::Cues;

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

/// Who did what the past form at `at` names.
pub(super) fn doing(sentence: &Sentence<'_>, at: usize, clause: &Range<usize>, bare: Bare) -> Doing {
    let terms = sentence.terms;
    if sentence.has(at + 1..clause.end, Cues::BY_YOU) {
        return Doing::Theirs;
    }
    let Some(before) = sentence.before(at, clause) else { return Doing::NotDone };
    let term = &terms[before];
    if term.is(Cues::JOINT) || term.mark == Some(',') {
        return joined(sentence, before, clause);
    }
    if sentence.last(clause.start..at, Cues::NEGATION).is_some_and(|not| not + 3 > before) {
        return Doing::NotDone;
    }
    if let Some(doing) = by_auxiliary(sentence, before, clause, at) {
        return doing;
    }
    let no_verb = !sentence.has(clause.clone(), Cues::AUXILIARY);
    if bare == Bare::Counts && no_verb && !term.is(Cues::DETERMINER) && term.mark.is_none() {
        return Doing::Ours;
    }
    Doing::NotDone
}

/// What the auxiliary or subject at `before` makes of the past form behind it.
fn by_auxiliary(sentence: &Sentence<'_>, before: usize, clause: &Range<usize>, at: usize) -> Option<Doing> {
    let terms = sentence.terms;
    let term = &terms[before];
    if term.is(Cues::BEEN) {
        let have = sentence.last(clause.start..before, Cues::HAVE)?;
        return Some(if is_modal(sentence, have, clause) { Doing::NotDone } else { Doing::Ours });
    }
    if term.is(Cues::PASSIVE_PAST) {
        return Some(Doing::Ours);
    }
    if term.is(Cues::PASSIVE_PRESENT) {
        let now = sentence.has(before..terms.len().min(at + 2), Cues::DONE_NOW);
        return Some(if now { Doing::Ours } else { Doing::NotDone });
    }
    if term.is(Cues::HAVE) {
        if is_modal(sentence, before, clause) {
            return Some(Doing::NotDone);
        }
        let subject = sentence.last(clause.start..before + 1, Cues::US | Cues::YOU);
        let theirs = subject.is_some_and(|subject| terms[subject].is(Cues::YOU));
        return Some(if theirs { Doing::Theirs } else { Doing::Ours });
    }
    if term.is(Cues::US) {
        return Some(Doing::Ours);
    }
    if term.is(Cues::YOU) {
        return Some(Doing::Theirs);
    }
    term.is(Cues::NOT_DONE | Cues::MODAL | Cues::MAYBE | Cues::DETERMINER).then_some(Doing::NotDone)
}

/// Whether "will", "should" or the like stands before the "have" at `have`.
fn is_modal(sentence: &Sentence<'_>, have: usize, clause: &Range<usize>) -> bool {
    let before = sentence.before(have, clause);
    before.is_some_and(|before| {
        sentence.terms[before].is(Cues::MODAL | Cues::MAYBE | Cues::DUTY | Cues::NOT_DONE)
    })
}

/// A past form behind "and" is done by whom the verb before it was.
fn joined(sentence: &Sentence<'_>, joint: usize, clause: &Range<usize>) -> Doing {
    let decisive =
        Cues::BEEN | Cues::PASSIVE_PAST | Cues::HAVE | Cues::US | Cues::YOU | Cues::NOT_DONE | Cues::MODAL;
    let Some(at) = sentence.last(clause.start..joint, decisive) else { return Doing::NotDone };
    if sentence.has(clause.start..joint, Cues::NEGATION) {
        return Doing::NotDone;
    }
    let terms = sentence.terms;
    // The customer as an object, as in "I have sent you a label and cancelled the order".
    if terms[at].is(Cues::YOU) && sentence.has(clause.start..at, Cues::US) {
        let have = sentence.last(clause.start..at, Cues::US | Cues::HAVE).unwrap_or(at);
        return by_auxiliary(sentence, have, clause, joint).unwrap_or(Doing::NotDone);
    }
    by_auxiliary(sentence, at, clause, joint).unwrap_or(Doing::NotDone)
}
