//! How a sentence speaks of a remedy: promised, denied, conditional, asked or merely mentioned.
//!
//! The steps, first that applies: words that are quoted; a name for something else ("refund policy"); a
//! question; what the customer wants; what is talked about and not given; a condition; a refusal by an odd
//! number of negations; something left open; a promise. A word that nothing grants is mentioned.

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
    let mut look = Look { sentence, at, form, clause: sentence.clause(at), predicate: None };
    look.predicate = look.find_predicate();
    let named = || look.name_for_something_else();
    let asked = || look.is_asked().then_some(Polarity::Asked);
    let aside = (sentence.mood == Mood::Aside).then_some(Polarity::Mentioned);
    if let Some(polarity) = aside.or_else(named).or_else(asked) {
        return Spoken { polarity, doing: Doing::NotDone, handed_over: None };
    }
    let (doing, handed_over) = look.doing();
    let theirs = (doing == Doing::Theirs).then_some(Polarity::Mentioned);
    let polarity = theirs.or_else(|| look.spoken_of()).unwrap_or_else(|| look.granted_or_not(doing));
    let doing = if polarity == Polarity::Promised { doing } else { Doing::NotDone };
    Spoken { polarity, doing, handed_over }
}

/// A mention with what is around it.
struct Look<'s, 'a> {
    sentence: &'s Sentence<'a>,
    /// The term that names the remedy.
    at: usize,
    form: Form,
    clause: Range<usize>,
    /// The auxiliary of which the mention is the subject.
    predicate: Option<usize>,
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

    /// The auxiliary behind the mention.
    fn find_predicate(&self) -> Option<usize> {
        let right = self.right();
        self.sentence.first(right.start..right.end.min(right.start + PREDICATE_DISTANCE_MAX), Cues::AUXILIARY)
    }

    /// "Refund policy", "request for a refund": a name for something else, or for a request with its outcome.
    fn name_for_something_else(&self) -> Option<Polarity> {
        let next = self.right().next().map(|at| self.term(at));
        if next.is_some_and(|next| next.is(Cues::HEAD) && !next.is(Cues::REQUEST)) {
            return Some(Polarity::Mentioned);
        }
        let before = self.sentence.last(self.left(), Cues::TOPIC | Cues::GRANT | Cues::DENIAL | Cues::MODAL);
        let requested = before.is_some_and(|at| self.term(at).is(Cues::TOPIC) && at + 4 > self.at);
        let is_request = requested || next.is_some_and(|next| next.is(Cues::REQUEST));
        if !is_request || self.sentence.mood == Mood::Question {
            return None;
        }
        let outcome = self.predicate.map(|at| at..self.clause.end)?;
        let refused = self.negations(outcome.clone()) % 2 == 1;
        let decided = self.sentence.has(outcome.clone(), Cues::GRANT | Cues::DENIAL);
        let open = self.sentence.has(outcome, Cues::MAYBE | Cues::INQUIRY);
        Some(match (decided && !open, refused) {
            (true, true) => Polarity::Denied,
            (true, false) => Polarity::Promised,
            (false, _) => Polarity::Mentioned,
        })
    }

    fn is_asked(&self) -> bool {
        if self.sentence.mood == Mood::Question {
            let last = self.sentence.terms[self.clause.end..].iter().all(|term| term.mark.is_some());
            let stated = self.sentence.first(self.left(), Cues::US | Cues::AUXILIARY);
            let stated = stated.is_some_and(|at| self.term(at).is(Cues::US));
            return last || !stated;
        }
        let earliest = self.at.saturating_sub(ASK_DISTANCE_MAX);
        self.sentence.has(earliest..self.at, Cues::ASK)
    }

    /// Whether the company has done it, by the form itself or by a verb that hands it over.
    fn doing(&self) -> (Doing, Option<usize>) {
        if self.sentence.is_condition(&self.clause) {
            return (Doing::NotDone, None);
        }
        match self.form {
            Form::Granted | Form::Denied | Form::Verb => return (Doing::NotDone, None),
            Form::Done | Form::Past => {
                return (self.sentence.doing(self.at, &self.clause, Bare::IsAdjective), None);
            }
            Form::Open => {}
        }
        let at_end =
            || self.sentence.last(self.right(), Cues::HAND_OVER).filter(|_| self.sentence.verb_final);
        let verb = match self.predicate {
            Some(predicate) => self.sentence.first(predicate..self.clause.end, Cues::HAND_OVER),
            None => at_end().or_else(|| {
                self.sentence.last(self.left(), Cues::HAND_OVER | Cues::GRANT | Cues::WISH | Cues::INQUIRY)
            }),
        };
        let verb = verb.filter(|at| self.term(*at).is(Cues::HAND_OVER));
        let is_ours = |at: &usize| self.sentence.doing(*at, &self.clause, Bare::IsAdjective) == Doing::Ours;
        let verb = verb.filter(is_ours);
        (verb.map_or(Doing::NotDone, |_| Doing::Ours), verb)
    }

    /// What a person wants, must do or talks about, as long as nothing grants it.
    fn spoken_of(&self) -> Option<Polarity> {
        // "Stornieren Sie …" tells the customer what to do.
        let is_first = self.sentence.before(self.at, &self.clause).is_none();
        let to_you = self.right().next().is_some_and(|at| self.term(at).is(Cues::YOU));
        let is_imperative = self.form == Form::Verb && is_first && to_you;
        let subject = self.sentence.last(self.left(), Cues::US | Cues::YOU | Cues::THIRD);
        let by_others = subject.is_some_and(|at| self.term(at).is(Cues::THIRD));
        if is_imperative || by_others || self.sentence.has(self.left(), Cues::REPORTED) {
            return Some(Polarity::Mentioned);
        }
        let spoken = Cues::WISH | Cues::TOPIC | Cues::INQUIRY | Cues::DUTY;
        let governing = spoken | Cues::GRANT | Cues::DENIAL | Cues::MODAL | Cues::MAYBE | Cues::INSTEAD;
        if let Some(predicate) = self.predicate {
            let said = predicate..self.clause.end;
            if self.sentence.has(said.clone(), Cues::INQUIRY) && !self.sentence.has(said, Cues::GRANT) {
                return Some(Polarity::Mentioned);
            }
        }
        let at_end = self.sentence.last(self.right(), Cues::INQUIRY | Cues::WISH | Cues::GRANT);
        let at_end = at_end.filter(|_| self.sentence.verb_final);
        let at = at_end.or_else(|| self.sentence.last(self.left(), governing))?;
        let term = self.term(at);
        if self.predicate.is_some() && !term.is(Cues::WISH | Cues::TOPIC) {
            return None;
        }
        let subject = self.sentence.last(self.clause.start..at, Cues::US | Cues::YOU);
        let ours = subject.is_some_and(|subject| self.term(subject).is(Cues::US));
        if term.is(Cues::WISH) && !ours {
            let may = self.sentence.has(self.clause.start..at, Cues::MODAL);
            let open = may || self.sentence.is_condition(&self.clause);
            return Some(if open { Polarity::Conditional } else { Polarity::Mentioned });
        }
        let is_topic = term.is(Cues::TOPIC | Cues::INQUIRY) && !term.is(Cues::GRANT);
        let is_duty = term.is(Cues::DUTY) && !ours;
        let is_missing = subject.is_some_and(|subject| {
            !ours
                && self.sentence.has(at.saturating_sub(3)..at, Cues::NEGATION)
                && self.sentence.has(subject..at, Cues::HAVE)
        });
        (is_topic || is_duty || is_missing).then_some(Polarity::Mentioned)
    }

    fn granted_or_not(&self, doing: Doing) -> Polarity {
        if self.sentence.is_condition(&self.clause) {
            return Polarity::Conditional;
        }
        if doing == Doing::Ours {
            return Polarity::Promised;
        }
        if self.is_refused() {
            return self.refusal();
        }
        let has_condition = || self.sentence.has_condition(&self.clause, Cues::CONDITION | Cues::UNLESS);
        if self.needs_something() || has_condition() || self.is_left_open() {
            return Polarity::Conditional;
        }
        if self.is_granted() { Polarity::Promised } else { Polarity::Mentioned }
    }

    fn is_refused(&self) -> bool {
        let comma = self.left().rev().find(|at| self.term(*at).mark == Some(','));
        let near = comma.unwrap_or(self.clause.start)..self.at;
        if self.sentence.has(near, Cues::INSTEAD) {
            return true;
        }
        let mut negations = self.negations(self.left());
        let right = self.right();
        negations += self.negations(match self.predicate {
            Some(predicate) => predicate..self.clause.end,
            None => match self.sentence.first(right.clone(), Cues::POSTPONED) {
                Some(not) => not..not + 1,
                None => right.start..right.end.min(right.start + 1),
            },
        });
        negations += usize::from(self.form == Form::Denied);
        negations % 2 == 1
    }

    /// How often the terms of `range` turn the meaning round. A list of "no" and "nor" does it once.
    fn negations(&self, range: Range<usize>) -> usize {
        let terms = &self.sentence.terms[range];
        let n_verbs = terms.iter().filter(|term| term.is(Cues::NEGATION | Cues::DENIAL)).count();
        let nouns = terms.iter().any(|term| term.is(Cues::NO));
        let nor = n_verbs == 0 && !nouns && terms.iter().any(|term| term.is(Cues::NOR));
        n_verbs + usize::from(nouns) + usize::from(nor)
    }

    fn refusal(&self) -> Polarity {
        if self.sentence.has_condition(&self.clause, Cues::UNLESS | Cues::UNTIL) {
            Polarity::Conditional
        } else if self.sentence.has(self.clause.clone(), Cues::YET) {
            Polarity::Mentioned
        } else {
            Polarity::Denied
        }
    }

    /// "To process your refund, we need …".
    fn needs_something(&self) -> bool {
        let purpose = self.sentence.has(self.left(), Cues::TO);
        let behind = self.clause.end..self.sentence.terms.len().min(self.clause.end + 8);
        let supply = self.sentence.first(behind.clone(), Cues::SUPPLY);
        let supply = supply.is_some_and(|at| self.term(at - 1).is(Cues::DUTY));
        let needed = supply || self.sentence.has(behind, Cues::NEED);
        purpose && needed && !self.sentence.has(self.left(), Cues::US)
    }

    fn is_left_open(&self) -> bool {
        let scope = match self.predicate {
            Some(predicate) => predicate..self.clause.end,
            None => self.left(),
        };
        // Two negations leave nothing open: "no reason why we would not refund you".
        self.sentence.has(scope.clone(), Cues::MAYBE) && !self.is_leave() && self.negations(scope) == 0
    }

    /// "You may return it" is leave to do so, "you may get a refund" is not.
    fn is_leave(&self) -> bool {
        let before = |distance: usize| self.at.checked_sub(distance).map(|at| self.term(at));
        before(1).is_some_and(|term| term.is(Cues::MAYBE)) && before(2).is_some_and(|term| term.is(Cues::YOU))
    }

    fn is_granted(&self) -> bool {
        if self.form == Form::Granted || self.form == Form::Denied {
            return true;
        }
        if let Some(predicate) = self.predicate {
            let behind = predicate..self.clause.end;
            if self.sentence.has(behind, Cues::GRANT | Cues::MODAL) {
                return true;
            }
        }
        let left = self.left();
        // "Refund approved": the verb stands directly behind.
        let next = self.right().next().is_some_and(|at| self.term(at).is(Cues::GRANT));
        let modal = self.sentence.last(left.clone(), Cues::MODAL);
        next || self.sentence.has(left.clone(), Cues::GRANT)
            || modal.is_some_and(|at| at + MODAL_DISTANCE_MAX >= self.at)
            || (self.sentence.verb_final && self.is_granted_at_end(modal))
            || self.is_plainly_said(&left)
    }

    /// "Wir können Ihnen einen Rabatt anbieten", "werden wir den Betrag in voller Höhe erstatten", "gerne erstatten wir".
    fn is_granted_at_end(&self, modal: Option<usize>) -> bool {
        let is_verb = matches!(self.form, Form::Verb | Form::Done | Form::Past);
        let by_us = self.right().next().is_some_and(|at| self.term(at).is(Cues::US));
        // "Wir ersetzen das Gerät oder zahlen den Preis zurück".
        let joint = self.at.checked_sub(1).is_some_and(|at| self.term(at).is(Cues::JOINT));
        let by_us = by_us || (joint && self.sentence.has(0..self.at, Cues::US));
        self.sentence.has(self.right(), Cues::GRANT) || (is_verb && (modal.is_some() || by_us))
    }

    /// Promises without a word for promising.
    fn is_plainly_said(&self, left: &Range<usize>) -> bool {
        let before = self.sentence.before(self.at, &self.clause).map(|at| self.term(at));
        let by_us = before.is_some_and(|term| term.is(Cues::US));
        let purpose = before.is_some_and(|term| term.is(Cues::TO));
        let no_verb = !self.sentence.has(self.clause.clone(), Cues::AUXILIARY);
        let full = no_verb && before.is_some_and(|term| term.is(Cues::FULL));
        // "Not a refund but a replacement", "will not only replace it but also extend".
        let contrast = left.start > 1 && no_verb && self.term(left.start - 1).is(Cues::CONTRAST) && {
            let given = Cues::NEGATION | Cues::GRANT | Cues::MODAL;
            self.sentence.has(left.start.saturating_sub(8)..left.start - 1, given)
        };
        // Two negations that undid each other.
        let undone = self.sentence.has(left.clone(), Cues::NEGATION | Cues::DENIAL);
        by_us || purpose || full || contrast || undone || self.is_leave()
    }
}
