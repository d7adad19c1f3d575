//! Days of the calendar.
//!
//! `2026-04-01` is year first. Of `01/04/2026` the first number is the month, as in the United States, unless
//! it is above 12; with points or hyphens (`01.04.2026`, `01-04-2026`) the first number is the day, unless the
//! second is above 12. Two digits of a year are of this century. Without a year, only days with the name of
//! a month are read. "May" and "march" are months only with a capital.

use std::ops::{Range, RangeInclusive};

use super::super::Value;
use super::super::term::Figure;
use super::Page;

/// Years that a text is taken to mean.
const YEARS: RangeInclusive<i32> = 1900..=2199;

/// The day that starts at `at`.
pub(super) fn day(page: &Page<'_>, at: usize) -> Option<Figure> {
    match month(page, at) {
        Some(month) => month_first(page, at, month),
        None => numeric(page, at).or_else(|| day_first(page, at)),
    }
}

fn numeric(page: &Page<'_>, at: usize) -> Option<Figure> {
    let tight = (at + 1..=at + 4).all(|index| page.is_tight(index));
    let is_joined = page.has_mark(at + 1, "-/.") && page.mark(at + 3) == page.mark(at + 1);
    if !tight || !is_joined || !page.is_digits(at) || !page.is_digits(at + 2) {
        return None;
    }
    // "2026-04-01T10:00" goes on behind the day.
    let third = page.raw(at + 4).split(['T', 't']).next()?;
    let number = |part: &str| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i32>().ok().filter(|_| is_number)
    };
    let (first, second, last) = (number(page.raw(at))?, number(page.raw(at + 2))?, number(third)?);
    if page.len(at) == 4 {
        return figure(at..at + 5, Some(first), second, last);
    }
    let year = match third.len() {
        4 => last,
        2 => 2000 + last,
        _ => return None,
    };
    let is_day_first = if page.has_mark(at + 1, "/") { first > 12 } else { second <= 12 };
    let (day, month) = if is_day_first { (first, second) } else { (second, first) };
    figure(at..at + 5, Some(year), month, day)
}

/// "April 1, 2026", "Apr. 1st".
fn month_first(page: &Page<'_>, at: usize, month: i32) -> Option<Figure> {
    let mut next = at + 1;
    next += usize::from(page.has_mark(next, ".") && page.is_tight(next));
    next += usize::from(page.is_word(next, "the"));
    let day = day_number(page, next)?;
    // The number may count something else, or be a time of day.
    let is_other = page.is_unit(next + 1) || (page.has_mark(next + 1, ":%") && page.is_tight(next + 1));
    if is_other { None } else { with_year(page, at..next + 1, ",", month, day) }
}

/// "1 April 2026", "1st of April".
fn day_first(page: &Page<'_>, at: usize) -> Option<Figure> {
    let mut next = at + 1;
    next += usize::from(page.has_mark(next, ".-"));
    next += usize::from(page.is_word(next, "of"));
    with_year(page, at..next + 1, ",.-", month(page, next)?, day_number(page, at)?)
}

/// The day with the year behind it, where there is one. One of `marks` may stand between.
fn with_year(page: &Page<'_>, tokens: Range<usize>, marks: &str, month: i32, day: i32) -> Option<Figure> {
    let at = tokens.end + usize::from(page.has_mark(tokens.end, marks));
    let is_year = page.is_digits(at) && page.len(at) == 4 && page.info(at + 1).unit.is_none();
    let year = page.raw(at).parse().ok().filter(|year| is_year && YEARS.contains(year));
    let behind = if year.is_some() { at + 1 } else { tokens.end };
    figure(tokens.start..behind, year, month, day)
}

fn month(page: &Page<'_>, at: usize) -> Option<i32> {
    let month = page.info(at).month?;
    let common = page.is_any_word(at, &["may", "march", "mar"]);
    let capital = page.raw(at).starts_with(|c: char| c.is_ascii_uppercase());
    (capital || !common).then_some(month.into())
}

/// A day in digits, with or without "st", "nd", "rd", "th".
fn day_number(page: &Page<'_>, at: usize) -> Option<i32> {
    let raw = page.raw(at);
    let number = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = raw[number.len()..].to_ascii_lowercase();
    let plain = number.len() <= 2 && ["", "st", "nd", "rd", "th"].contains(&ending.as_str());
    number.parse().ok().filter(|_| plain)
}

fn figure(tokens: Range<usize>, year: Option<i32>, month: i32, day: i32) -> Option<Figure> {
    let days = match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let known = (1..=days).contains(&day) && year.is_none_or(|year| YEARS.contains(&year));
    let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
    known.then(|| Page::figure(tokens.start, tokens.end, Value::Day { year, month, day }))
}
