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

/// The most days of the week of a reply that are looked at, and how long abbreviations of them are.
const WEEKDAYS_MAX: usize = 64;
const SHORT_BYTES: usize = 4;

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
    let nearest = |now: Moment| {
        let years = (now.date().0 - 1..=now.date().0 + 1).filter_map(date);
        years.min_by_key(|start| (start.seconds() - now.seconds()).abs())
    };
    let mut days: Vec<Moment> =
        year.map_or_else(known, |year| vec![year]).into_iter().filter_map(date).collect();
    if days.is_empty() {
        days.extend(support.now.and_then(nearest));
    }
    let is_wrong = !days.is_empty() && days.iter().all(|day| weekday(*day) != stated);
    let message = "the reply names another day of the week than the date has";
    is_wrong.then(|| Sighting::at(UNSUPPORTED_FIGURE, start..span.end, message))
}

/// Days of the week without a date that no known day has: nothing happens on a Friday if all that is known of is on a
/// Thursday. What is said of every week stands beside another day of the week.
pub(super) fn unknown(
    reply: &[(usize, &str)],
    dates: &[Range<usize>],
    support: &Support<'_>,
) -> Vec<Sighting> {
    let (operands, lexicon) = (&support.shown().operands, support.language.lexicon);
    let Some(now) = support.now.filter(|_| support.shown().has_calls) else { return Vec::new() };
    let is_near = |start: &Moment| start.date().0.abs_diff(now.date().0) <= 1;
    let mut starts = operands.moments().map(|moment| moment.start).filter(is_near).peekable();
    if starts.peek().is_none() {
        return Vec::new();
    }
    let named = |(_, word): (usize, &str)| lexicon.weekday(word).filter(|_| word.len() > SHORT_BYTES);
    let texts = support.sources.iter().flat_map(|source| words(&source.text)).filter_map(named);
    let mut known: BTreeSet<u8> = operands.weekdays.iter().copied().chain(texts).collect();
    known.extend(starts.chain([now]).chain(Moment::from_seconds(now.seconds() + DAY)).map(weekday));
    let found = reply.iter().filter_map(|found| Some((found.0, found.0 + found.1.len(), named(*found)?)));
    let all: Vec<(usize, usize, u8)> = found.take(WEEKDAYS_MAX).collect();
    let is_apart = |end: usize, start: usize| start.saturating_sub(end) > BEFORE_BYTES;
    let open = (0..all.len()).filter(|at| {
        let (start, end, day) = all[*at];
        !known.contains(&day)
            && (*at == 0 || is_apart(all[at - 1].1, start))
            && all.get(at + 1).is_none_or(|next| is_apart(end, next.0))
            && !dates.iter().any(|date| date.end > start && !is_apart(end, date.start))
    });
    let message = "no known date is on this day of the week";
    open.map(|at| Sighting::at(UNSUPPORTED_FIGURE, all[at].0..all[at].1, message)).collect()
}

/// The day of the week directly before a place, and where it starts. Nothing where two stand there.
fn weekday_before(reply: &str, at: usize, lexicon: &Lexicon) -> Option<(u8, usize)> {
    let from = reply.floor_char_boundary(at.saturating_sub(BEFORE_BYTES));
    let before = reply[from..at].rsplit(['.', ';', ':', '\n', '(']).next()?;
    let words =
        || before.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).rev();
    let is_small = |word: &str| lexicon.has(WordList::Function, &word.to_lowercase());
    let weekday = |word: &str| lexicon.weekday(word);
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
