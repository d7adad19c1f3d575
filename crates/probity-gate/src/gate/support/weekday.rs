//! Days of the week beside days of the calendar: "Wednesday, September 8" is one of the two, or a mistake.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::claim::{Lexicon, Value, WordList};
use super::super::finding::Sighting;
use super::count::words;
use super::{Support, UNSUPPORTED_FIGURE};
use crate::case::Moment;

/// How many bytes before a day the day of the week stands in.
const BEFORE_BYTES: usize = 24;

/// The most days of the week of a reply that are looked at, those that are abbreviations, and how far apart two must be to
/// be no range.
const WEEKDAYS_MAX: usize = 64;
const SHORT_BYTES: usize = 4;
const APART_BYTES: usize = 16;

/// How far from now a moment may lie to be a day that the reply speaks of, in days.
const KNOWN_DAYS: i64 = 400;

/// The seconds of a day.
const DAY: i64 = 86_400;

/// What is wrong with a day and the day of the week before it. Without a year, that of the case's times counts.
pub(super) fn check(
    reply: &str,
    value: &Value,
    span: &Range<usize>,
    support: &Support<'_>,
) -> Option<Sighting> {
    let Value::Day { year, month, day } = value else { return None };
    let (stated, start) = weekday_before(reply, span.start, support.language.lexicon)?;
    let date = |year: i32| {
        let date = (i16::try_from(year).ok()?, i8::try_from(*month).ok()?, i8::try_from(*day).ok()?);
        Moment::start_of(date.0, date.1, date.2)
    };
    let known = || {
        let moments = support.shown().operands.moments().map(|moment| moment.start.date());
        moments.filter(|date| (date.1, date.2) == (*month, *day)).map(|date| date.0).collect::<Vec<_>>()
    };
    let mut days: Vec<Moment> =
        year.map_or_else(known, |year| vec![year]).into_iter().filter_map(date).collect();
    if days.is_empty() {
        days.extend(nearest_day(value, Some(support.now?)));
    }
    let is_wrong = !days.is_empty() && days.iter().all(|day| weekday(*day) != stated);
    let message = "the reply names another day of the week than the date has";
    is_wrong.then(|| Sighting::at(UNSUPPORTED_FIGURE, start..span.end, message))
}

/// Days of the week without a date that no known day has: nothing happens on a Friday if all that is known of is on a
/// Thursday. What is said of every week stands beside another day of the week.
pub(super) fn unknown(reply: &str, stated: &[&Value], support: &Support<'_>) -> Vec<Range<usize>> {
    let (operands, lexicon) = (&support.shown().operands, support.language.lexicon);
    let of_reply = || stated.iter().filter_map(|value| nearest_day(value, support.now));
    let is_near = |moment: &Moment| {
        support.now.is_none_or(|now| (moment.seconds() - now.seconds()).abs() <= KNOWN_DAYS * DAY)
    };
    let moments = operands.moments().map(|moment| moment.start);
    let mut known: BTreeSet<u8> = moments.filter(is_near).map(weekday).collect();
    let near = |now: Moment| {
        (0..=1).filter_map(move |days| Moment::from_seconds(now.seconds() + days * DAY)).map(weekday)
    };
    if known.is_empty() || !support.shown().has_calls {
        return Vec::new();
    }
    known.extend(support.now.into_iter().flat_map(near));
    known.extend(of_reply().map(weekday));
    let texts = support.sources.iter().flat_map(|source| words(&source.text));
    known.extend(operands.weekdays.iter().copied().chain(texts.filter_map(|(_, word)| named(word, lexicon))));
    let all: Vec<(Range<usize>, u8)> = words(reply)
        .filter_map(|(start, word)| Some((start..start + word.len(), named(word, lexicon)?)))
        .take(WEEKDAYS_MAX)
        .collect();
    let is_alone = |at: usize| {
        let is_apart = |one: &Range<usize>, other: &Range<usize>| other.start - one.end > APART_BYTES;
        (at == 0 || is_apart(&all[at - 1].0, &all[at].0))
            && all.get(at + 1).is_none_or(|next| is_apart(&all[at].0, &next.0))
    };
    let open = (0..all.len()).filter(|at| !known.contains(&all[*at].1) && is_alone(*at));
    open.map(|at| all[at].0.clone()).collect()
}

fn named(word: &str, lexicon: &Lexicon) -> Option<u8> {
    lexicon.weekday(&word.to_lowercase()).filter(|_| word.len() > SHORT_BYTES)
}

/// The day that a value names, without a year the one that is nearest to the moment that counts.
fn nearest_day(value: &Value, now: Option<Moment>) -> Option<Moment> {
    let Value::Day { year, month, day } = value else { return None };
    let date = |year: i32| {
        let date = (i16::try_from(year).ok()?, i8::try_from(*month).ok()?, i8::try_from(*day).ok()?);
        Moment::start_of(date.0, date.1, date.2)
    };
    let this = now.map(|now| now.date().0);
    let years = year.map_or_else(|| this.map_or(0..=0, |year| year - 1..=year + 1), |year| year..=year);
    let gap = |start: &Moment| now.map_or(0, |now| (start.seconds() - now.seconds()).abs());
    years.filter_map(date).min_by_key(gap)
}

/// The day of the week directly before a place, and where it starts. Nothing where two stand there.
fn weekday_before(reply: &str, at: usize, lexicon: &Lexicon) -> Option<(u8, usize)> {
    let from = reply.floor_char_boundary(at.saturating_sub(BEFORE_BYTES));
    let before = reply[from..at].rsplit(['.', ';', ':', '\n', '(']).next()?;
    let words =
        || before.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).rev();
    let is_small = |word: &str| lexicon.has(WordList::Function, &word.to_lowercase());
    let weekday = |word: &str| lexicon.weekday(&word.to_lowercase());
    let mut near = words().skip_while(|word| is_small(word));
    let word = near.next()?;
    let is_alone = !near.any(|word| weekday(word).is_some());
    let start = at - before.len() + before.rfind(word)?;
    weekday(word).filter(|_| is_alone).map(|weekday| (weekday, start))
}

/// The day of the week, from Monday on: the first day of 1970 was a Thursday.
pub(super) fn weekday(moment: Moment) -> u8 {
    u8::try_from((moment.seconds().div_euclid(DAY) + 3).rem_euclid(7) + 1).unwrap_or(0)
}
