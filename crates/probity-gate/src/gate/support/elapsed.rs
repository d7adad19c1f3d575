//! Lengths of time and days held against the moments that the case knows: "was booked more than 24 hours ago" against the
//! booking's time and the case's own, "until 30 May" against a day and a window.

use super::super::claim::{Claim, Lexicon, TimeUnit, Value, WordList};
use super::Support;
use super::shown::KnownTime;
use crate::case::Moment;
use crate::exact::Exact;

const SECONDS_PER_DAY: i64 = 86_400;

/// How many bytes before and behind a length of time say how it is meant.
const AROUND_BYTES: usize = 24;

/// What the moments of a case say about a length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elapsed {
    /// They say it too.
    Right,
    /// The reply compares it with what has passed, and none of them bears that out.
    Wrong,
    /// They say nothing about it.
    Unknown,
}

/// How a reply compares a length of time with what has passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    More,
    Less,
    Equal,
}

/// What the moments of a case say about the length of time or the day of a claim.
pub(super) fn elapsed(reply: &str, claim: &Claim, support: &Support<'_>) -> Elapsed {
    match claim.value() {
        Some(Value::Span { least, most, unit }) if least == most => {
            let Some(seconds) = seconds(*most, *unit) else { return Elapsed::Unknown };
            match ago(reply, claim, support.language.lexicon) {
                Some(comparison) => compared(seconds, comparison, support),
                None if lie_apart(seconds, slack(reply, claim, support, seconds), support) => Elapsed::Right,
                None => Elapsed::Unknown,
            }
        }
        Some(Value::Day { year, month, day }) if is_known_day((*year, *month, *day), support) => {
            Elapsed::Right
        }
        _ => Elapsed::Unknown,
    }
}

fn seconds(length: Exact, unit: TimeUnit) -> Option<i64> {
    let times = match unit {
        TimeUnit::Seconds => 1,
        TimeUnit::Months => 30 * SECONDS_PER_DAY,
        TimeUnit::WorkingDays => return None,
    };
    i64::try_from(length.checked_mul(Exact::from(times))?.floor()).ok()
}

/// Whether a length of time is said to have passed, and how it is compared.
fn ago(reply: &str, claim: &Claim, lexicon: &Lexicon) -> Option<Comparison> {
    let from = reply.floor_char_boundary(claim.span.start.saturating_sub(AROUND_BYTES));
    let before = reply[from..claim.span.start].trim_end().to_lowercase();
    let to = reply.floor_char_boundary(claim.span.end + AROUND_BYTES);
    let behind = reply[claim.span.end..to].trim_start().to_lowercase();
    let ending = |text: &str, list| {
        let words = lexicon.words(list).iter().filter(|word| text.ends_with(word.as_str()));
        words.map(String::len).max().map(|len| text[..text.len() - len].trim_end().to_owned())
    };
    let (more, less) = (ending(&before, WordList::MoreThan), ending(&before, WordList::LessThan));
    let rest = more.as_ref().or(less.as_ref()).unwrap_or(&before);
    let is_behind = lexicon.words(WordList::Ago).iter().any(|word| behind.starts_with(word.as_str()));
    let is_before = ending(rest, WordList::Ago).is_some();
    let comparison = match (more, less) {
        (Some(_), _) => Comparison::More,
        (None, Some(_)) => Comparison::Less,
        (None, None) => Comparison::Equal,
    };
    (is_behind || is_before).then_some(comparison)
}

/// Whether something of the case happened more, less or just as long ago.
fn compared(length: i64, comparison: Comparison, support: &Support<'_>) -> Elapsed {
    let Some(now) = support.now else { return Elapsed::Unknown };
    let past = support.shown().moments.iter().filter(|instant| instant.start <= now);
    let mut ages = past.map(|instant| {
        let age = now.seconds() - instant.start.seconds();
        // A day without a time can have been up to a day later.
        (age - if instant.has_time { 0 } else { SECONDS_PER_DAY }, age)
    });
    let unit = if length % SECONDS_PER_DAY == 0 { SECONDS_PER_DAY } else { 3600 };
    let mut any = false;
    let holds = ages.any(|(least, most)| {
        any = true;
        match comparison {
            Comparison::More => most > length,
            Comparison::Less => least < length,
            Comparison::Equal => least - unit < length && length < most + unit,
        }
    });
    match (holds, any, comparison) {
        (true, ..) => Elapsed::Right,
        (false, true, Comparison::More | Comparison::Less) => Elapsed::Wrong,
        (false, ..) => Elapsed::Unknown,
    }
}

/// Whether a length of time is that between two moments of the case.
pub(super) fn is_difference(span: &Value, support: &Support<'_>) -> bool {
    let Value::Span { most, unit, .. } = span else { return false };
    seconds(*most, *unit).is_some_and(|seconds| lie_apart(seconds, MINUTE, support))
}

/// How far from the truth a length of time may be: a minute, or a tenth where the reply says "about".
fn slack(reply: &str, claim: &Claim, support: &Support<'_>, seconds: i64) -> i64 {
    if is_about(reply, claim, support.language.lexicon) { (seconds / 10).max(MINUTE) } else { MINUTE }
}

const MINUTE: i64 = 60;

/// Whether a figure is said to be rounded.
pub(super) fn is_about(reply: &str, claim: &Claim, lexicon: &Lexicon) -> bool {
    let from = reply.floor_char_boundary(claim.span.start.saturating_sub(AROUND_BYTES));
    let before = reply[from..claim.span.start].trim_end().to_lowercase();
    lexicon.words(WordList::About).iter().any(|word| {
        let rest = before.strip_suffix(word.as_str());
        rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    })
}

/// Whether two moments of the case lie that far apart, to the day or, where both have a time, to the minute.
fn lie_apart(length: i64, slack: i64, support: &Support<'_>) -> bool {
    let now = support.now.map(|start| KnownTime { start, has_time: true });
    let moments: Vec<KnownTime> = support.shown().moments.iter().copied().chain(now).collect();
    let in_days = |moment: Moment| moment.seconds().div_euclid(SECONDS_PER_DAY);
    moments.iter().enumerate().any(|(at, one)| {
        moments[..at].iter().any(|other| {
            let gap = (one.start.seconds() - other.start.seconds()).abs();
            let exact = one.has_time && other.has_time && (gap - length).abs() < slack;
            let by_days = length % SECONDS_PER_DAY == 0
                && (in_days(one.start) - in_days(other.start)).abs() == length / SECONDS_PER_DAY;
            exact || by_days
        })
    })
}

/// Whether a day is the case's own, lies a known number of days before or behind a known one, or begins the month behind it.
fn is_known_day((year, month, day): (Option<i32>, u8, u8), support: &Support<'_>) -> bool {
    let shown = support.shown();
    let starts = shown.moments.iter().map(|instant| instant.start).chain(support.now);
    let spans = std::iter::once(0).chain(shown.days.iter().copied()).chain(support.days_of_sources());
    let spans: Vec<i64> = spans.collect();
    starts.into_iter().any(|start| {
        spans.iter().flat_map(|days| [*days, -*days]).any(|days| {
            let moment = Moment::from_seconds(start.seconds() + days * SECONDS_PER_DAY);
            let is_it = |(its_year, its_month, its_day): (i32, u8, u8)| {
                (its_month, its_day) == (month, day) && year.is_none_or(|year| year == its_year)
            };
            moment.is_some_and(|moment| is_it(moment.date())) || (days == 0 && is_it(next_month(start)))
        })
    })
}

/// The first day of the month behind a moment's.
fn next_month(moment: Moment) -> (i32, u8, u8) {
    match moment.date() {
        (year, 12, _) => (year + 1, 1, 1),
        (year, month, _) => (year, month + 1, 1),
    }
}
