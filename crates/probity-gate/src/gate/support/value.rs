//! Figures and references: is there anything that names them, and does the source say otherwise?
//!
//! A value that nothing names is unsupported, and contradicted where its sentence speaks of a labelled fact of
//! the same kind that has another value. A value that something names is fine, unless its clause names a
//! labelled fact in full and gives it this value where the source gives another: that a customer said
//! "60 days" does not make the return window 60 days, and that 60 days are too long for it says no such thing. A figure that follows from supported ones is supported, and a
//! calculation that is written out must come out right.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::claim::{Claim, Lexicon, TimeUnit, Value, WordList};
use super::super::finding::Sighting;
use super::super::policy::{Extent, Fact, Label, Place, Source, within};
use super::calculation::{Calculation, Figure};
use super::count::{Count, counts, words};
use super::passage::{Passage, Passages};
use super::{
    CONTRADICTED, Support, UNSUPPORTED_FIGURE, UNSUPPORTED_REFERENCE, WRONG_ARITHMETIC, against_first,
    weekday,
};
use crate::exact::Exact;

/// The longest time that may only say how long something takes to do, in seconds: where tools say how long things are,
/// where nothing does, and where the sentence says what to do: "hold the button for 30 seconds".
const HANDLING_SECONDS_MAX: [i64; 3] = [60, 600, 900];

/// The most figures of a reply that are calculated.
pub(super) const OPEN_MAX: usize = 200;

/// How many bytes before and behind a figure say how it is meant.
const AROUND_BYTES: usize = 24;

/// How many numbers before and behind a figure are looked at.
pub(super) const NEAR: usize = 8;

/// How many values of a source a message lists.
const LISTED_MAX: usize = 3;

/// Values that nothing names, and values that a source contradicts.
pub(super) fn check(
    reply: &str,
    claims: &[Claim],
    passages: &Passages<'_>,
    support: &Support<'_>,
) -> Vec<Sighting> {
    let stated = |claim| Some(Stated { claim, value: Claim::value(claim)? });
    let values: Vec<Stated<'_>> = claims.iter().filter_map(stated).collect();
    let reading = FigureCheck {
        reply,
        values: &values,
        passages,
        words: words(reply).collect(),
        counts: OnceCell::new(),
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
    let days = values.iter().filter(|stated| matches!(stated.value, Value::Day { .. }));
    let dates: Vec<_> = days.clone().map(|stated| stated.claim.span.clone()).take(OPEN_MAX).collect();
    let days = days.filter(|day| !reading.is_no_statement(day));
    sightings.extend(days.filter_map(|day| weekday::check(reply, day.value, &day.claim.span, support)));
    let mut unknown = weekday::unknown(&reading.words, &dates, support);
    unknown.retain(|day| !passages.clause(day.start).asks() && !passages.sentence(day.start).is_example());
    sightings.extend(unknown);
    let counts = reading.wrong_counts();
    let is_counted = |number: &Sighting| counts.iter().any(|count| count.start == number.start);
    sightings.extend(reading.wrong_numbers().into_iter().filter(|number| !is_counted(number)));
    sightings.extend(counts);
    sightings.extend(reading.wrong_names());
    sightings
}

/// What is wrong with a value.
pub(super) enum Fault<'s> {
    /// Nothing names it.
    Unsupported,
    /// A source gives this fact another value.
    Contradicted(&'s Source, &'s Fact),
    /// No moment of the case lies as long ago as the reply says.
    NotElapsed,
    /// It is not the result of the calculation that it is said to be.
    WrongResult(Box<Calculation>),
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
        Value::Money { .. }
        | Value::Percent(_)
        | Value::Span { .. }
        | Value::Day { .. }
        | Value::Time { .. } => (UNSUPPORTED_FIGURE, "a figure that nothing supports"),
        Value::Code(_) => (UNSUPPORTED_REFERENCE, "a code that nothing names"),
        Value::Number(_) => (UNSUPPORTED_REFERENCE, "a number that nothing names"),
        Value::Link(_) => (UNSUPPORTED_REFERENCE, "a link that nothing names"),
        Value::Email(_) => (UNSUPPORTED_REFERENCE, "an e-mail address that nothing names"),
        Value::Phone(_) => (UNSUPPORTED_REFERENCE, "a telephone number that nothing names"),
        Value::Address(_) => (UNSUPPORTED_REFERENCE, "a street address that nothing names"),
    }
}

/// A value with its place in the reply.
pub(super) struct Stated<'c> {
    pub(super) claim: &'c Claim,
    pub(super) value: &'c Value,
}

pub(super) struct FigureCheck<'r, 'p> {
    pub(super) reply: &'r str,
    /// By their place in the reply.
    pub(super) values: &'r [Stated<'r>],
    pub(super) passages: &'r Passages<'p>,
    /// All words of the reply, with their places.
    pub(super) words: Vec<(usize, &'r str)>,
    /// The numbers of the reply that are no part of a figure or a reference; what a length of time counts is one.
    counts: OnceCell<Vec<Count<'r>>>,
    pub(super) support: &'r Support<'r>,
    /// Whether a passage, by its place, gives a fact its value. Asked once for each, however many values the
    /// passage has.
    given: RefCell<BTreeMap<(usize, usize, *const Fact), bool>>,
}

impl<'r> FigureCheck<'r, '_> {
    /// What is wrong with each value, those that follow from others taken out.
    fn faults(&self) -> Vec<Option<Fault<'r>>> {
        let mut faults: Vec<Option<Fault<'r>>> =
            self.values.iter().map(|stated| self.fault(stated)).collect();
        let figure = |stated: &Stated<'r>| {
            let Range { start, end } = stated.claim.span;
            Figure { value: stated.value, start, end }
        };
        let figures: Vec<Figure<'r>> = self.values.iter().map(figure).collect();
        self.calculate(&figures, &mut faults);
        self.derive(&figures, &mut faults);
        if !faults.iter().any(|fault| matches!(fault, Some(Fault::Unsupported))) {
            return faults;
        }
        // What is right once is right wherever the reply says it.
        let is_right = |(_, fault): &(&Stated<'_>, &Option<Fault<'_>>)| fault.is_none();
        let right: BTreeSet<&Value> =
            self.values.iter().zip(&faults).filter(is_right).map(|(stated, _)| stated.value).collect();
        for (stated, fault) in self.values.iter().zip(&mut faults) {
            if matches!(fault, Some(Fault::Unsupported)) && right.contains(stated.value) {
                *fault = None;
            }
            if matches!(fault, Some(Fault::Unsupported)) {
                let mut sources = self.support.sources.iter();
                let other = sources
                    .find_map(|source| Some(Fault::Contradicted(source, self.other_fact(stated, source)?)));
                *fault = other.or(fault.take());
            }
        }
        faults
    }

    pub(super) fn counts(&self) -> &[Count<'r>] {
        let is_inside = |count: &Count<'_>| {
            let behind = self.values.partition_point(|stated| stated.claim.span.end <= count.span.start);
            let inside = self.values.get(behind).filter(|stated| stated.claim.span.start < count.span.end);
            inside.is_some_and(|stated| !matches!(stated.value, Value::Span { .. }))
        };
        self.counts.get_or_init(|| {
            let all = counts(self.reply, &self.words, self.support.language.lexicon);
            all.into_iter().filter(|count| !is_inside(count)).collect()
        })
    }

    /// The word of a list directly before a place: what stands before that word.
    pub(super) fn has_before(&self, at: usize, list: WordList) -> Option<String> {
        let from = self.reply.floor_char_boundary(at.saturating_sub(AROUND_BYTES));
        let before = self.reply[from..at].to_lowercase();
        ending(&before, list, self.support.language.lexicon)
    }

    /// Whether a length of time is counted back from now: "three days ago", "vor drei Tagen". `before` is what stands before
    /// it and a comparison.
    pub(super) fn is_ago(&self, stated: &Stated<'_>, before: &str) -> bool {
        let lexicon = self.support.language.lexicon;
        let to = self.reply.floor_char_boundary(stated.claim.span.end + AROUND_BYTES);
        let behind = self.reply[stated.claim.span.end..to].trim_start().to_lowercase();
        let mut words = lexicon.words(WordList::Ago);
        words.any(|word| behind.starts_with(word))
            || self.has_before(stated.claim.span.start, WordList::Ago).is_some()
            || ending(before, WordList::Ago, lexicon).is_some()
    }

    /// Whether a figure stands in what the reply asks or makes up as an example.
    fn is_no_statement(&self, stated: &Stated<'_>) -> bool {
        let start = stated.claim.span.start;
        self.passages.clause(start).asks() || self.passages.sentence(start).is_example()
    }

    /// Whether the moments of the case bear out that something was more or less than this long ago. `None` where the reply
    /// does not compare, or the case has no moment.
    fn is_elapsed(&self, stated: &Stated<'_>) -> Option<bool> {
        let Value::Span { most, unit: TimeUnit::Seconds, .. } = stated.value else { return None };
        let (more, less) = (
            self.has_before(stated.claim.span.start, WordList::MoreThan),
            self.has_before(stated.claim.span.start, WordList::LessThan),
        );
        let before = more.as_ref().or(less.as_ref())?;
        let now = self.support.now.filter(|_| self.is_ago(stated, before))?;
        let moments = self.support.shown().operands.moments().filter(|moment| moment.start <= now);
        let mut moments = moments.peekable();
        moments.peek()?;
        Some(moments.any(|moment| {
            let age = now.seconds() - moment.start.seconds();
            // A day without a time can have been up to a day later.
            let least = age - if moment.has_time { 0 } else { 86_400 };
            let (age, least) = (Exact::from(age), Exact::from(least));
            if more.is_some() { age > *most } else { least < *most }
        }))
    }

    /// What is wrong with a value by itself. A figure that is asked for or made up is fine.
    fn fault(&self, stated: &Stated<'_>) -> Option<Fault<'r>> {
        let fault = self.fault_of_statement(stated)?;
        (!(is_figure(stated.value) && self.is_no_statement(stated))).then_some(fault)
    }

    fn fault_of_statement(&self, stated: &Stated<'_>) -> Option<Fault<'r>> {
        let support = self.support;
        let sentence = || self.passages.sentence(stated.claim.span.start);
        let handling_max = || match (sentence().tells_what_to_do(), support.shown().has_calls) {
            (true, _) => HANDLING_SECONDS_MAX[2],
            (false, has_calls) => HANDLING_SECONDS_MAX[usize::from(!has_calls)],
        };
        let is_handling =
            || matches!(stated.value, Value::Span { .. }) && is_shorter(stated.value, handling_max());
        if support.allowed.values.has(stated.value) || is_handling() || self.is_known_hour(stated) {
            return None;
        }
        if let Some(is_elapsed) = self.is_elapsed(stated) {
            return (!is_elapsed).then_some(Fault::NotElapsed);
        }
        let mut naming = support.sources.iter().filter(|source| source.values.has(stated.value));
        let (naming, others) = (naming.next(), naming.next());
        let is_written = || match stated.value {
            Value::Code(text) | Value::Number(text) => support.written().contains(text),
            // Its parts may stand in fields of their own.
            Value::Address(text) => {
                let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                words.all(|word| support.written().contains(&word.to_uppercase()))
            }
            _ => false,
        };
        if naming.is_none() && !support.shown().values.has(stated.value) && !is_written() {
            return Some(Fault::Unsupported);
        }
        // What one source says is not contradicted by what another calls otherwise.
        let candidates = match (naming, others) {
            // "45 days is inside the return window" repeats the customer, "the return window is 45 days" does not.
            (None, _) if self.has_before(stated.claim.span.start, WordList::Equals).is_none() => &[],
            (None, _) => support.sources,
            (Some(one), None) => std::slice::from_ref(one),
            (Some(_), Some(_)) => &[],
        };
        candidates.iter().find_map(|source| {
            self.misnamed_fact(stated, source).map(|fact| Fault::Contradicted(source, fact))
        })
    }

    /// Whether what looks like a length of time is an hour of the day that the case names: "la réception ferme à 22h".
    fn is_known_hour(&self, stated: &Stated<'_>) -> bool {
        let Value::Span { most, unit: TimeUnit::Seconds, .. } = stated.value else { return false };
        let minutes = u16::try_from(most.floor() / 60).unwrap_or(u16::MAX);
        let time = Value::Time { minutes, is_of_day: true };
        let is_hour = self.reply[stated.claim.span.clone()].ends_with('h') && minutes < 24 * 60;
        is_hour && self.support.shown().values.has(&time)
    }

    /// The labelled fact that the sentence of an unsupported value speaks of.
    fn other_fact<'s>(&self, stated: &Stated<'_>, source: &'s Source) -> Option<&'s Fact> {
        let facts: Vec<&Fact> = labelled(source, stated.value).map(|(_, fact)| fact).collect();
        let sentence = self.passages.sentence(stated.claim.span.start);
        let open = || facts.iter().copied().filter(|fact| !self.is_given(fact, sentence));
        let is_touched = |label: &Label| label.is_touched_by(|word| sentence.has(word));
        // "Cover starts 30 days after you sign up", where the source says after how many it does.
        let clause = self.passages.clause(stated.claim.span.start);
        let shared = |fact: &&Fact| fact.label.as_ref().map_or(0, |it| it.n_shared(|word| clause.has(word)));
        let alike = || open().filter(|fact| is_figure(stated.value) && shared(fact) > 0).max_by_key(shared);
        open().find(|fact| fact.label.as_ref().is_some_and(is_touched)).or_else(alike)
    }

    /// The labelled fact that the passage of a supported value names, where the value is that of something else.
    fn misnamed_fact<'s>(&self, stated: &Stated<'_>, source: &'s Source) -> Option<&'s Fact> {
        let facts = labelled(source, stated.value);
        let mut facts = facts.filter(|(_, fact)| same_unit(stated.value, fact)).peekable();
        facts.peek()?;
        // A figure that stands alone is what its whole sentence speaks of.
        let start = stated.claim.span.start;
        let sentence = self.passages.sentence(start);
        let first = self.values.partition_point(|other| other.claim.span.start < sentence.range.start);
        let next = self.values.get(first + 1).filter(|next| next.claim.span.start < sentence.range.end);
        let passage = if next.is_some() { self.passages.clause(start) } else { sentence };
        let (number, fact) = facts.find(|(_, fact)| {
            let is_named = |label: &Label| label.is_named_by(|word| passage.has(word));
            fact.label.as_ref().is_some_and(is_named) && !self.is_given(fact, passage)
        })?;
        let touched = |number: &usize| {
            let label = source.facts.stated[*number].label.as_ref();
            label.is_none_or(|label| label.is_touched_by(|word| passage.has(word)))
        };
        let mut places = source.values.notes(stated.value);
        let meant = places.any(|place| match place {
            Place::Fact(number) => touched(number),
            Place::Text(numbers) => numbers.contains(&number) || numbers.iter().any(touched),
        });
        (!meant && !passage.sets_against()).then_some(fact)
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
    let sighting = match calculation.right {
        Some(right) => sighting.expecting(right.to_string()),
        None => sighting,
    };
    against_first(sighting, support)
}

/// What stands before the word of a list that a text ends with.
fn ending(text: &str, list: WordList, lexicon: &Lexicon) -> Option<String> {
    let text = text.trim_end();
    let words = lexicon.words(list).filter_map(|word| text.strip_suffix(word));
    let words = words.filter(|rest| !rest.ends_with(char::is_alphanumeric));
    words.min_by_key(|rest| rest.len()).map(str::to_owned)
}

/// Whether a value can be calculated.
pub(super) fn is_figure(value: &Value) -> bool {
    unsupported(value).0 == UNSUPPORTED_FIGURE
}

fn is_shorter(value: &Value, seconds: i64) -> bool {
    matches!(value, Value::Span { most, unit: TimeUnit::Seconds, .. } if *most <= Exact::from(seconds))
}

/// The labelled facts of a source, with their numbers, that a value could be meant for and is not the value of.
pub(super) fn labelled<'s>(source: &'s Source, value: &Value) -> impl Iterator<Item = (usize, &'s Fact)> {
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
