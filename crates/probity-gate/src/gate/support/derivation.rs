//! Figures that follow from supported ones: calculations that the reply spells out, and those that it leaves to its reader.

use std::cell::LazyCell;
use std::ops::Range;

use super::super::claim::{TimeUnit, Value, WordList};
use super::amount::{Reach, is_hit, is_round, is_specific};
use super::calculation::{Calculation, Figure, Numbers, calculations};
use super::step::{Manner, Operands, Origin};
use super::value::{Fault, FigureCheck, NEAR, OPEN_MAX, Stated, is_figure};
use crate::exact::Exact;

/// The seconds of a day.
const DAY: i64 = 86_400;

/// How often figures are calculated: one may follow from another.
const PASSES_MAX: usize = 4;

impl<'r> FigureCheck<'r, '_> {
    /// Calculations that are written out: a wrong one is a fault, and the result of a right one is supported by its operands.
    pub(super) fn calculate(&self, figures: &[Figure<'r>], faults: &mut [Option<Fault<'r>>]) {
        for calculation in calculations(self.reply, figures, self.support.language.lexicon) {
            let result = calculation.result;
            if !calculation.is_right() {
                faults[result] = Some(Fault::WrongResult(Box::new(calculation)));
            } else if faults[calculation.operands.clone()].iter().all(Option::is_none) {
                faults[result] = None;
            }
        }
    }

    /// Takes out the faults of figures that are one step away from supported ones. What is left is a wrong result where the
    /// reply calls it one, or another value for a labelled fact.
    pub(super) fn derive(&self, figures: &[Figure<'r>], faults: &mut [Option<Fault<'r>>]) {
        let is_open = |fault: &Option<Fault<'_>>| matches!(fault, Some(Fault::Unsupported));
        let open = (0..faults.len()).filter(|at| is_open(&faults[*at]) && is_figure(self.values[*at].value));
        let mut open: Vec<usize> = open.take(OPEN_MAX).collect();
        if open.is_empty() {
            return;
        }
        let counts = self.counts();
        let mut operands = self.support.operands();
        for count in counts {
            operands.add_stated(count.number);
        }
        // "For two weeks", at a price per day.
        for stated in self.values {
            if let Value::Span { most, unit, .. } = stated.value {
                let length = if *unit == TimeUnit::Seconds { most.over(DAY) } else { Some(*most) };
                if let Some(days) = length {
                    operands.add_count(days);
                }
            }
        }
        let supported = self.values.iter().zip(faults.iter()).filter(|(_, fault)| fault.is_none());
        supported.for_each(|(stated, _)| operands.add(stated.value, Origin::Reply));
        operands.add_now(self.support.now);
        let lexicon = self.support.language.lexicon;
        let numbers = Numbers { reply: self.reply, figures, counts, lexicon };
        let implied_at =
            |at: usize| numbers.implied(self.passages.sentence(self.values[at].claim.span.start), at);
        let mut derived = Vec::new();
        for _ in 0..PASSES_MAX {
            let reach = LazyCell::new(|| [operands.stated_reach(), operands.reach()]);
            let (follow, rest): (Vec<usize>, Vec<usize>) = open.iter().partition(|at| {
                let stated = &self.values[**at];
                let is_wrong = |implied: &Calculation| implied.is_certain && !implied.is_right();
                self.follows(stated, &operands, &reach) && !implied_at(**at).as_ref().is_some_and(is_wrong)
            });
            drop(reach);
            if follow.is_empty() {
                break;
            }
            for at in follow {
                faults[at] = None;
                operands.add(self.values[at].value, Origin::Reply);
                derived.push(self.values[at].claim.span.start);
            }
            open = rest;
        }
        for at in open {
            // "Over twelve months that is 96 €": the time is what the amount was calculated with.
            let sentence = &self.passages.sentence(self.values[at].claim.span.start).range;
            let is_period = match self.values[at].value {
                Value::Span { most, unit: TimeUnit::Seconds, .. } => most.floor() % i128::from(DAY) == 0,
                value => matches!(value, Value::Span { .. }),
            };
            if is_period && derived.iter().any(|start| sentence.contains(start)) {
                faults[at] = None;
            } else if let Some(wrong) = implied_at(at) {
                faults[at] = Some(Fault::WrongResult(Box::new(wrong)));
            }
        }
    }

    /// Whether a figure is one step away from what is known, or two where it has many digits.
    fn follows(
        &self,
        stated: &Stated<'_>,
        operands: &Operands,
        reach: &LazyCell<[Reach; 2], impl FnOnce() -> [Reach; 2]>,
    ) -> bool {
        let is_about = self.has_before(stated.claim.span.start, WordList::About).is_some();
        let is_day = matches!(stated.value, Value::Day { .. });
        let sentence = self.passages.sentence(stated.claim.span.start);
        let is_derived = sentence.is_derived();
        // Where no tool gives days, few are known.
        let is_signalled = (is_day && !self.support.shown().has_calls)
            || is_derived
            || self.is_signalled(&stated.claim.span, is_day);
        let in_two_steps = |amount: Exact| {
            (!is_round(amount) && reach[0].leads_to(amount, is_about))
                || (is_specific(amount) && reach[1].leads_to(amount, is_about))
        };
        let Value::Money { amount, currency } = stated.value else {
            return operands.lead_to(stated.value, Manner { is_about, is_signalled, is_derived });
        };
        let leads_to = |amount: Exact, is_derived: bool| {
            let value = Value::Money { amount, currency: currency.clone() };
            operands.lead_to(&value, Manner { is_about, is_signalled, is_derived })
                || (is_derived && in_two_steps(amount))
        };
        // Where the reply does not say that it calculates, nothing near may come out as well.
        if is_signalled {
            leads_to(*amount, is_derived)
        } else {
            self.support.shown().has_calls && is_hit(*amount, |amount| leads_to(amount, true))
        }
    }

    /// Whether the sentence of a number has another one, or says that something is calculated. A day is not calculated from
    /// amounts.
    pub(super) fn is_signalled(&self, own: &Range<usize>, is_day: bool) -> bool {
        let sentence = self.passages.sentence(own.start);
        let is_other =
            |span: &Range<usize>| sentence.range.contains(&span.start) && !own.contains(&span.start);
        let near = |at: usize, len: usize| at.saturating_sub(NEAR)..len.min(at + NEAR);
        let is_time = |value: &Value| matches!(value, Value::Span { .. } | Value::Day { .. });
        let counts_for = |value: &Value| is_figure(value) && (is_time(value) || !is_day);
        let at = self.values.partition_point(|other| other.claim.span.start < own.start);
        let mut figures = self.values[near(at, self.values.len())].iter();
        let counts = self.counts();
        let at = counts.partition_point(|count| count.span.start < own.start);
        let mut counts = counts[near(at, counts.len())].iter();
        figures.any(|other| counts_for(other.value) && is_other(&other.claim.span))
            || (!is_day && counts.any(|count| is_other(&count.span)))
            || sentence.is_derived()
    }
}
