//! How a sentence speaks of a remedy: promised, denied, asked about or merely mentioned.
//!
//! The steps, first that applies: words that are quoted; a name for something else ("refund policy"); a question; a
//! condition; what a person wants, must do or talks about; a refusal by an odd number of negations; something left open; a
//! promise, with or without a condition behind it. A word that nothing grants is mentioned.

use std::ops::Range;

use super::Polarity;
use super::clause::{Bare, Doing, Mood, Sentence};
use super::lexicon::{Cues, Form};
use super::term::Term;

/// How far before a mention a request to the customer can stand, in terms.
const ASK_DISTANCE_MAX: usize = 16;

/// How far behind a subject its verb can stand, in terms.
const PREDICATE_DISTANCE_MAX: usize = 7;

/// How far before a noun a bare "will" or "can" still promises it, in terms.
const MODAL_DISTANCE_MAX: usize = 4;

/// What a sentence says of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spoken {
    pub(super) polarity: Polarity,
    /// Whether the company says that it has done it.
    pub(super) doing: Doing,
    /// The verb that hands it over, where that is another term.
    pub(super) handed_over: Option<usize>,
}

/// How the sentence speaks of the remedy that the term at `at` names in this form.
pub(super) fn spoken(sentence: &Sentence<'_>, at: usize, form: Form) -> Spoken {
    let clause = sentence.clause(at);
    let near = at + 1..clause.end.min(at + 1 + PREDICATE_DISTANCE_MAX);
    let is_verb = matches!(form, Form::Granted | Form::Denied);
    let predicate = sentence.first(near, Cues::AUXILIARY).filter(|_| !is_verb);
    let predicate = predicate.unwrap_or(clause.end)..clause.end;
    let look = Look { sentence, at, form, clause, predicate };
    let not_done = |polarity| Spoken { polarity, doing: Doing::NotDone, handed_over: None };
    if look.is_aside() {
        return not_done(Polarity::Mentioned);
    }
    if look.is_asked() {
        return not_done(Polarity::Asked);
    }
    if sentence.is_condition(&look.clause) {
        return not_done(Polarity::Mentioned);
    }
    let (doing, handed_over) = look.doing();
    if doing == Doing::Theirs || look.is_spoken_of() {
        return not_done(Polarity::Mentioned);
    }
    if doing.is_done() {
        return Spoken { polarity: Polarity::Promised, doing, handed_over };
    }
    not_done(match () {
        // "Not yet" refuses nothing.
        () if look.is_refused() && sentence.has(look.clause.clone(), Cues::YET) => Polarity::Mentioned,
        () if look.is_refused() => Polarity::Denied,
        () if form != Form::Loose && !look.is_left_open() && look.is_granted() => Polarity::Promised,
        () => Polarity::Mentioned,
    })
}

/// A mention with what is around it.
struct Look<'s, 'a> {
    sentence: &'s Sentence<'a>,
    /// The term that names the remedy.
    at: usize,
    form: Form,
    clause: Range<usize>,
    /// What is said of it, from the auxiliary of which it is the subject on. Empty where it is none.
    predicate: Range<usize>,
}

impl Look<'_, '_> {
    fn term(&self, at: usize) -> &Term {
        &self.sentence.terms[at]
    }

    fn left(&self) -> Range<usize> {
        self.clause.start..self.at
    }

    fn right(&self) -> Range<usize> {
        self.at + 1..self.clause.end
    }

    /// Quoted words, or a name for something else: "refund policy".
    fn is_aside(&self) -> bool {
        let next = self.right().next().map(|at| self.term(at));
        let is_name = |next: &Term| next.is(Cues::HEAD) || next.is(Cues::REQUEST) && !self.is_decided();
        self.sentence.mood == Mood::Aside || next.is_some_and(is_name)
    }

    /// "Your refund request was approved", "your request for a refund was declined".
    fn is_decided(&self) -> bool {
        self.sentence.has(self.predicate.clone(), Cues::GRANT | Cues::DENIAL)
    }

    fn is_asked(&self) -> bool {
        if self.sentence.mood == Mood::Question {
            // "We've refunded the order; is there anything else?"
            let stated = self.sentence.first(self.left(), Cues::US | Cues::AUXILIARY);
            return !stated.is_some_and(|at| self.term(at).is(Cues::US));
        }
        let earliest = self.at.saturating_sub(ASK_DISTANCE_MAX);
        self.sentence.has(earliest..self.at, Cues::ASK)
    }

    /// Whether the company has done it, by the form itself or by a verb that hands it over.
    fn doing(&self) -> (Doing, Option<usize>) {
        let doing = |at: usize| self.sentence.doing(at, &self.clause, Bare::IsAdjective);
        match self.form {
            Form::Done | Form::Past => return (doing(self.at), None),
            // "Wir haben die Gebühr erlassen": the past form is the infinitive.
            Form::Verb if self.sentence.has(self.clause.clone(), Cues::HAVE) => {
                return (doing(self.at), None);
            }
            Form::Open => {}
            Form::Granted | Form::Denied | Form::Loose | Form::Verb => return (Doing::NotDone, None),
        }
        let at_end =
            || self.sentence.last(self.right(), Cues::HAND_OVER).filter(|_| self.sentence.verb_final);
        let governing = Cues::HAND_OVER | Cues::GRANT | Cues::WISH | Cues::INQUIRY | Cues::DENIAL;
        let verb = if self.predicate.is_empty() {
            at_end().or_else(|| self.sentence.last(self.left(), governing))
        } else {
            self.sentence.first(self.predicate.clone(), Cues::HAND_OVER)
        };
        let verb = verb.filter(|at| self.term(*at).is(Cues::HAND_OVER) && doing(*at).is_done());
        (verb.map_or(Doing::NotDone, doing), verb)
    }

    /// What a person wants, must do or talks about, as long as nothing grants it.
    fn is_spoken_of(&self) -> bool {
        // "Für die nächtliche Rückgabe gibt es eine Schlüsselbox".
        let lead = self.clause.start;
        let is_purpose = self.term(lead).is(Cues::PURPOSE) && (lead + 1..lead + 3).contains(&self.at);
        if is_purpose && self.form == Form::Open {
            return true;
        }
        let talk = Cues::WISH | Cues::TOPIC | Cues::INQUIRY | Cues::DUTY;
        let governing = talk | Cues::GRANT | Cues::DENIAL | Cues::MODAL | Cues::MAYBE | Cues::INSTEAD;
        // "The voucher can't be combined with it".
        let says = |cues| self.sentence.has(self.predicate.clone(), cues);
        if says(Cues::INQUIRY) && !says(Cues::GRANT) {
            return true;
        }
        let Some(at) = self.sentence.last(self.left(), governing) else { return false };
        let term = self.term(at);
        let subject = self.sentence.last(self.clause.start..at, Cues::US | Cues::YOU);
        let ours = subject.is_some_and(|subject| self.term(subject).is(Cues::US));
        !self.is_decided()
            && (term.is(Cues::TOPIC | Cues::INQUIRY) || term.is(Cues::WISH | Cues::DUTY) && !ours)
    }

    fn is_left_open(&self) -> bool {
        // Two negations leave nothing open: "no reason why we would not refund you".
        let said = if self.predicate.is_empty() { self.left() } else { self.predicate.clone() };
        self.sentence.has(said.clone(), Cues::MAYBE) && !self.is_leave() && self.negations(said) == 0
    }

    fn is_refused(&self) -> bool {
        // "Instead of a refund we can give you a voucher" refuses what stands directly behind.
        let instead = self.sentence.last(self.left(), Cues::INSTEAD);
        let is_direct =
            |from: usize| !self.sentence.has(from + 1..self.at, Cues::US | Cues::YOU | Cues::AUXILIARY);
        if instead.is_some_and(is_direct) {
            return true;
        }
        let not = self.sentence.first(self.right(), Cues::POSTPONED).map_or(0..0, |not| not..not + 1);
        let behind = if self.predicate.is_empty() { not } else { self.predicate.clone() };
        let negations = self.negations(self.left()) + self.negations(behind);
        (negations + usize::from(self.form == Form::Denied)) % 2 == 1
    }

    /// How often the terms of `range` turn the meaning round. A list of "no" and "nor" does it once.
    fn negations(&self, range: Range<usize>) -> usize {
        let is_not = |term: &&Term| term.is(Cues::NEGATION | Cues::DENIAL);
        let n_verbs = self.sentence.terms[range.clone()].iter().filter(is_not).count();
        n_verbs + usize::from(self.sentence.has(range, Cues::NO))
    }

    /// "You may return it" is leave to do so, "you may get a refund" is not.
    fn is_leave(&self) -> bool {
        let before = |distance: usize| self.at.checked_sub(distance).map(|at| self.term(at));
        before(1).is_some_and(|term| term.is(Cues::MAYBE)) && before(2).is_some_and(|term| term.is(Cues::YOU))
    }

    fn is_granted(&self) -> bool {
        let left = self.left();
        let before = self.sentence.before(self.at, &self.clause).map(|at| self.term(at));
        // "Refund approved": the verb stands directly behind.
        let next = self.right().next().is_some_and(|at| self.term(at).is(Cues::GRANT));
        let given = Cues::GRANT | Cues::MODAL;
        let modal = self.sentence.last(left.clone(), Cues::MODAL);
        let is_named =
            |from: usize| self.sentence.terms[from..self.at].iter().any(|term| term.mention.is_some());
        let is_joint = |modal: usize| before.is_some_and(|term| term.is(Cues::JOINT)) && is_named(modal);
        // "We are upgrading you".
        let is_under_way = before.is_some_and(|term| term.is(Cues::PASSIVE_PRESENT));
        matches!(self.form, Form::Granted | Form::Denied)
            || (is_under_way && self.sentence.has(left.clone(), Cues::US))
            || self.sentence.has(self.predicate.clone(), given)
            || next
            || self.sentence.has(left.clone(), Cues::GRANT)
            // "We will replace it, or refund you".
            || modal.is_some_and(|at| at + MODAL_DISTANCE_MAX >= self.at || is_joint(at))
            || before.is_some_and(|term| term.is(Cues::US | Cues::TO | Cues::FULL))
            // Two negations that undid each other.
            || self.sentence.has(left, Cues::NEGATION | Cues::DENIAL)
            || self.is_leave()
            || (self.sentence.verb_final && self.is_granted_at_end(modal))
    }

    /// "Wir können Ihnen einen Rabatt anbieten", "werden wir den Betrag erstatten", "gerne erstatten wir".
    fn is_granted_at_end(&self, modal: Option<usize>) -> bool {
        let is_verb = matches!(self.form, Form::Verb | Form::Done | Form::Past);
        let by_us = self.right().next().is_some_and(|at| self.term(at).is(Cues::US));
        // "Wir ersetzen das Gerät oder zahlen den Preis zurück".
        let joint = self.at.checked_sub(1).is_some_and(|at| self.term(at).is(Cues::JOINT));
        let by_us = by_us || (joint && self.sentence.has(0..self.at, Cues::US));
        self.sentence.has(self.right(), Cues::GRANT) || (is_verb && (modal.is_some() || by_us))
    }
}
