//! Figures and references: is there anything that names them, and does the source say otherwise?
//!
//! A value that nothing names is unsupported, and contradicted where its sentence speaks of a labelled fact of
//! the same kind that has another value. A value that something names is fine, unless its clause names a
//! labelled fact in full and gives it this value where the source gives another: that a customer said
//! "60 days" does not make the return window 60 days. A figure that follows from supported ones is supported, and a
//! calculation that is written out must come out right.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::claim::{Claim, TimeUnit, Value, WordList};
use super::super::finding::Sighting;
use super::super::policy::{Extent, Fact, Label, Place, Source, within};
use super::calculation::{Calculation, Figure, calculations, total};
use super::elapsed::{self, Elapsed, elapsed, is_about};
use super::passage::{Passage, Passages};
use super::{
    CONTRADICTED, Support, UNSUPPORTED_FIGURE, UNSUPPORTED_REFERENCE, WRONG_ARITHMETIC, against_first,
    arithmetic,
};
use crate::exact::Exact;

/// The longest time for which an instruction says to do something, in seconds.
const HANDLING_SECONDS_MAX: i64 = 600;

/// How far from it the verb of an instruction can stand, in bytes.
const HANDLING_BYTES_MAX: usize = 300;

/// The most figures of a reply that are calculated.
const OPEN_MAX: usize = 200;

/// How many values of a source a message lists.
const LISTED_MAX: usize = 3;

/// Values that nothing names, and values that a source contradicts.
pub(super) fn check(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let stated = |claim| Some(Stated { claim, value: Claim::value(claim)? });
    let values: Vec<Stated<'_>> = claims.iter().filter_map(stated).collect();
    let reading = Reading {
        reply,
        claims,
        values: &values,
        passages: OnceCell::new(),
        support,
        given: RefCell::default(),
    };
    let mut seen = BTreeSet::new();
    let mut sightings = Vec::new();
    for (stated, fault) in values.iter().zip(reading.faults()) {
        let Some(fault) = fault else { continue };
        if seen.insert((stated.value, fault.rule(stated.value))) {
            sightings.push(match fault {
                Fault::Unsupported => reading.unsupported(stated),
                Fault::Contradicted(source, fact) => contradicted(stated, source, fact),
                Fault::NotElapsed => not_elapsed(stated, support),
                Fault::WrongResult(calculation) => wrong_result(stated, &calculation, support),
            });
        }
    }
    sightings
}

/// What is wrong with a value.
enum Fault<'s> {
    /// Nothing names it.
    Unsupported,
    /// A source gives this fact another value.
    Contradicted(&'s Source, &'s Fact),
    /// No moment of the case lies as long ago as the reply says.
    NotElapsed,
    /// It is not the result of the calculation that it is said to be.
    WrongResult(Calculation),
}

impl Fault<'_> {
    fn rule(&self, value: &Value) -> &'static str {
        match self {
            Fault::Contradicted(..) | Fault::NotElapsed => CONTRADICTED,
            Fault::WrongResult(_) => WRONG_ARITHMETIC,
            Fault::Unsupported => unsupported(value).0,
        }
    }
}

/// The rule of a value that nothing supports, and what the reply gives.
fn unsupported(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Money { .. } | Value::Percent(_) | Value::Span { .. } | Value::Day { .. } => {
            (UNSUPPORTED_FIGURE, "a figure that nothing supports")
        }
        Value::Code(_) => (UNSUPPORTED_REFERENCE, "a code that nothing names"),
        Value::Number(_) => (UNSUPPORTED_REFERENCE, "a number that nothing names"),
        Value::Link(_) => (UNSUPPORTED_REFERENCE, "a link that nothing names"),
        Value::Email(_) => (UNSUPPORTED_REFERENCE, "an e-mail address that nothing names"),
        Value::Phone(_) => (UNSUPPORTED_REFERENCE, "a telephone number that nothing names"),
        Value::Address(_) => (UNSUPPORTED_REFERENCE, "a street address that nothing names"),
    }
}

/// A value with its place in the reply.
struct Stated<'c> {
    claim: &'c Claim,
    value: &'c Value,
}

struct Reading<'r> {
    reply: &'r str,
    claims: &'r [Claim],
    /// By their place in the reply.
    values: &'r [Stated<'r>],
    /// Cut when the first labelled fact asks for them.
    passages: OnceCell<Passages<'r>>,
    support: &'r Support<'r>,
    /// Whether a passage, by its place, gives a fact its value. Asked once for each, however many values the
    /// passage has.
    given: RefCell<BTreeMap<(usize, usize, *const Fact), bool>>,
}

impl<'r> Reading<'r> {
    fn passages(&self) -> &Passages<'r> {
        self.passages.get_or_init(|| Passages::of(self.reply, self.claims, self.support.language.lexicon))
    }

    /// What is wrong with each value, those that follow from others taken out.
    fn faults(&self) -> Vec<Option<Fault<'r>>> {
        let mut faults: Vec<Option<Fault<'r>>> =
            self.values.iter().map(|stated| self.fault(stated)).collect();
        let may_follow =
            |stated: &Stated<'_>| matches!(stated.value, Value::Money { .. } | Value::Percent(_));
        let is_open = |fault: &Option<Fault<'_>>| matches!(fault, Some(Fault::Unsupported));
        if self.values.iter().any(may_follow) {
            self.calculate(&mut faults);
        }
        let open = (0..faults.len()).filter(|at| is_open(&faults[*at]) && may_follow(&self.values[*at]));
        let open: Vec<usize> = open.take(OPEN_MAX).collect();
        if !open.is_empty() {
            let mut operands = self.support.operands();
            for text in self.between_figures() {
                operands.add_counts(text, self.support.language.lexicon);
            }
            let supported = self.values.iter().zip(&faults).filter(|(_, fault)| fault.is_none());
            supported.for_each(|(stated, _)| operands.add_stated(stated.value));
            let figures = self.figures();
            for at in open {
                if arithmetic::follows(self.values[at].value, &operands, self.slack(&self.values[at])) {
                    faults[at] = None;
                    operands.add_stated(self.values[at].value);
                    self.clear_months(at, &mut faults);
                } else if let Some(wrong) = self.wrong_total(at, &figures, &faults) {
                    faults[at] = Some(Fault::WrongResult(wrong));
                }
            }
        }
        self.add_spans(&mut faults);
        faults
    }

    /// The reply without its amounts and percentages, whose digits count nothing.
    fn between_figures(&self) -> Vec<&'r str> {
        let (mut texts, mut from) = (Vec::new(), 0);
        for stated in self.values.iter().filter(|stated| !matches!(stated.value, Value::Span { .. })) {
            texts.extend(self.reply.get(from..stated.claim.span.start));
            from = stated.claim.span.end;
        }
        texts.extend(self.reply.get(from..));
        texts
    }

    /// "Hold the button for 30 seconds": a short time that says how long to do something.
    fn is_instruction(&self, stated: &Stated<'_>) -> bool {
        let Value::Span { most, unit: TimeUnit::Seconds, .. } = stated.value else { return false };
        if *most > Exact::from(HANDLING_SECONDS_MAX) {
            return false;
        }
        let sentence = self.passages().sentence(stated.claim.span.start).range.clone();
        let near = stated.claim.span.start.saturating_sub(HANDLING_BYTES_MAX).max(sentence.start);
        let behind = sentence.end.min(stated.claim.span.end + HANDLING_BYTES_MAX);
        let (near, behind) = (self.reply.floor_char_boundary(near), self.reply.floor_char_boundary(behind));
        let sentence = self.reply[near..behind].to_lowercase();
        let mut words = sentence.split(|c: char| !c.is_alphanumeric());
        words.any(|word| self.support.language.lexicon.words(WordList::Handling).contains(word))
    }

    /// "Over twelve months that is 96 €": the months are what the result at `at` was calculated with.
    fn clear_months(&self, at: usize, faults: &mut [Option<Fault<'r>>]) {
        let sentence = &self.passages().sentence(self.values[at].claim.span.start).range;
        for (stated, fault) in self.values.iter().zip(faults) {
            let is_months = matches!(stated.value, Value::Span { unit: TimeUnit::Months, .. });
            if is_months
                && sentence.contains(&stated.claim.span.start)
                && matches!(fault, Some(Fault::Unsupported))
            {
                *fault = None;
            }
        }
    }

    /// How far from what is known a figure may be: to the cent, or to two in a hundred where the reply says "about".
    fn slack(&self, stated: &Stated<'_>) -> Exact {
        match stated.value {
            Value::Money { amount, .. }
                if is_about(self.reply, stated.claim, self.support.language.lexicon) =>
            {
                amount.over(50).unwrap_or(Exact::ZERO).max(Exact::ratio(1, 2).unwrap_or(Exact::ZERO))
            }
            _ => arithmetic::cent(),
        }
    }

    /// Calculations that are written out: a wrong one is a fault, and the result of a right one is supported by its operands.
    fn calculate(&self, faults: &mut [Option<Fault<'r>>]) {
        let figures = self.figures();
        for calculation in calculations(self.reply, &figures, self.support.language.lexicon) {
            let result = calculation.result;
            if !calculation.is_right() {
                faults[result] = Some(Fault::WrongResult(calculation));
            } else if faults[calculation.operands.clone()].iter().all(Option::is_none) {
                faults[result] = None;
            }
        }
    }

    /// The sum that the value at `at` is said to be and is not.
    fn wrong_total(
        &self,
        at: usize,
        figures: &[Figure<'r>],
        faults: &[Option<Fault<'r>>],
    ) -> Option<Calculation> {
        let sentence = self.passages().sentence(self.values[at].claim.span.start).range.clone();
        let total = total(self.reply, &sentence, figures, self.support.language.lexicon)?;
        let is_known = faults[total.operands.clone()].iter().all(Option::is_none);
        (total.result == at && is_known && !total.is_right()).then_some(total)
    }

    fn figures(&self) -> Vec<Figure<'r>> {
        let figure = |stated: &Stated<'r>| {
            let Range { start, end } = stated.claim.span;
            Figure { value: stated.value, start, end }
        };
        self.values.iter().map(figure).collect()
    }

    /// "2 hours and 15 minutes" is one length of time.
    fn add_spans(&self, faults: &mut [Option<Fault<'r>>]) {
        for at in 1..faults.len() {
            let (one, other) = (&self.values[at - 1], &self.values[at]);
            let is_near = other.claim.span.start.saturating_sub(one.claim.span.end) <= " and ".len();
            let (
                Value::Span { least, unit: TimeUnit::Seconds, .. },
                Value::Span { least: more, unit: TimeUnit::Seconds, .. },
            ) = (one.value, other.value)
            else {
                continue;
            };
            let Some(sum) = least.checked_add(*more).filter(|_| is_near && more < least) else { continue };
            let whole = Value::Span { least: sum, most: sum, unit: TimeUnit::Seconds };
            if self.support.shown().values.has(&whole) || elapsed::is_difference(&whole, self.support) {
                (faults[at - 1], faults[at]) = (None, None);
            }
        }
    }

    fn fault(&self, stated: &Stated<'_>) -> Option<Fault<'r>> {
        let support = self.support;
        if support.allowed.values.has(stated.value) || self.is_instruction(stated) {
            return None;
        }
        match elapsed(self.reply, stated.claim, support) {
            Elapsed::Right => return None,
            Elapsed::Wrong => return Some(Fault::NotElapsed),
            Elapsed::Unknown => {}
        }
        let mut naming = support.sources.iter().filter(|source| source.values.has(stated.value));
        let (naming, others) = (naming.next(), naming.next());
        if naming.is_none() && !support.shown().values.has(stated.value) {
            let other = support.sources.iter().find_map(|source| {
                self.other_fact(stated, source).map(|fact| Fault::Contradicted(source, fact))
            });
            return Some(other.unwrap_or(Fault::Unsupported));
        }
        // What one source says is not contradicted by what another calls otherwise.
        let candidates = match (naming, others) {
            (None, _) => support.sources,
            (Some(one), None) => std::slice::from_ref(one),
            (Some(_), Some(_)) => &[],
        };
        candidates.iter().find_map(|source| {
            self.misnamed_fact(stated, source).map(|fact| Fault::Contradicted(source, fact))
        })
    }

    /// The labelled fact that the sentence of an unsupported value speaks of.
    fn other_fact<'s>(&self, stated: &Stated<'_>, source: &'s Source) -> Option<&'s Fact> {
        let mut facts = labelled(source, stated.value).map(|(_, fact)| fact).peekable();
        facts.peek()?;
        let sentence = self.passages().sentence(stated.claim.span.start);
        facts.find(|fact| {
            let is_touched = |label: &Label| label.is_touched_by(|word| sentence.has(word));
            fact.label.as_ref().is_some_and(is_touched) && !self.is_given(fact, sentence)
        })
    }

    /// The labelled fact that the clause of a supported value names, where the value is that of something else.
    fn misnamed_fact<'s>(&self, stated: &Stated<'_>, source: &'s Source) -> Option<&'s Fact> {
        let facts = labelled(source, stated.value);
        let mut facts = facts.filter(|(_, fact)| same_unit(stated.value, fact)).peekable();
        facts.peek()?;
        let clause = self.passages().clause(stated.claim.span.start);
        let (number, fact) = facts.find(|(_, fact)| {
            let is_named = |label: &Label| label.is_named_by(|word| clause.has(word));
            fact.label.as_ref().is_some_and(is_named) && !self.is_given(fact, clause)
        })?;
        let touched = |number: &usize| {
            let label = source.facts.stated[*number].label.as_ref();
            label.is_none_or(|label| label.is_touched_by(|word| clause.has(word)))
        };
        let mut places = source.values.notes(stated.value);
        let meant = places.any(|place| match place {
            Place::Fact(number) => touched(number),
            Place::Text(numbers) => numbers.contains(&number) || numbers.iter().any(touched),
        });
        (!meant && !clause.sets_against()).then_some(fact)
    }

    /// Whether a passage gives a fact the value it has.
    fn is_given(&self, fact: &Fact, passage: &Passage<'_>) -> bool {
        let Range { start, end } = passage.range;
        *self.given.borrow_mut().entry((start, end, std::ptr::from_ref(fact))).or_insert_with(|| {
            let first = self.values.partition_point(|other| other.claim.span.start < start);
            let mut inside = self.values[first..].iter().take_while(|other| other.claim.span.start < end);
            inside.any(|other| has(fact, other.value))
        })
    }

    fn unsupported(&self, stated: &Stated<'_>) -> Sighting {
        let (rule, what) = unsupported(stated.value);
        let sighting = Sighting::at(rule, stated.claim.span.clone(), format!("the reply gives {what}"));
        let stated_facts = self.support.sources.iter().flat_map(|source| &source.facts.stated);
        let alike = stated_facts.filter(|fact| is_alike(stated.value, fact));
        let listed: Vec<String> = alike.take(LISTED_MAX).map(shown).collect();
        let sighting = if listed.is_empty() { sighting } else { sighting.expecting(listed.join("; ")) };
        against_first(sighting, self.support)
    }
}

fn contradicted(stated: &Stated<'_>, source: &Source, fact: &Fact) -> Sighting {
    let label = fact.label.as_ref().map_or("", |label| label.text.as_str());
    let message = format!("the reply gives another value for `{label}` than the source");
    Sighting::at(CONTRADICTED, stated.claim.span.clone(), message)
        .expecting(&fact.text)
        .against(Some(source.name()))
}

fn not_elapsed(stated: &Stated<'_>, support: &Support<'_>) -> Sighting {
    let message = "the reply says how long ago something was, and the times of the case say otherwise";
    let now =
        support.now.map_or_else(String::new, |now| format!("the times of the case, counted back from {now}"));
    Sighting::at(CONTRADICTED, stated.claim.span.clone(), message).expecting(now)
}

fn wrong_result(stated: &Stated<'_>, calculation: &Calculation, support: &Support<'_>) -> Sighting {
    let message = format!("the reply calculates {} and the result is wrong", calculation.text);
    let sighting = Sighting::at(WRONG_ARITHMETIC, stated.claim.span.clone(), message);
    against_first(sighting.expecting(calculation.right.to_string()), support)
}

/// The labelled facts of a source, with their numbers, that a value could be meant for and is not the value of.
fn labelled<'s>(source: &'s Source, value: &Value) -> impl Iterator<Item = (usize, &'s Fact)> {
    let facts = source.facts.stated.iter().enumerate().filter(|(_, fact)| fact.label.is_some());
    facts.filter(|(_, fact)| is_alike(value, fact) && !has(fact, value))
}

fn has(fact: &Fact, value: &Value) -> bool {
    fact.extents.iter().any(|extent| within(value, extent))
}

/// Whether a fact has values of the kind of `value`.
fn is_alike(value: &Value, fact: &Fact) -> bool {
    fact.extents.iter().any(|extent| {
        let known = match extent {
            Extent::One(known) => Some(known),
            Extent::Range { least, most } => least.as_ref().or(most.as_ref()),
        };
        known.is_some_and(|known| std::mem::discriminant(value) == std::mem::discriminant(known))
    })
}

/// Whether lengths of time are counted in the same unit. Other values have none.
fn same_unit(value: &Value, fact: &Fact) -> bool {
    let Value::Span { unit, .. } = value else { return true };
    let counted =
        |extent: &Extent| matches!(extent, Extent::One(Value::Span { unit: other, .. }) if other == unit);
    fact.extents.iter().any(counted)
}

/// A fact as its source states it.
fn shown(fact: &Fact) -> String {
    match &fact.label {
        Some(label) => format!("{} ({})", fact.text, label.text),
        None => fact.text.clone(),
    }
}
