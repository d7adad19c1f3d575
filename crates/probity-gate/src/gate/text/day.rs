//! Days of the calendar.
//!
//! `2026-04-01` is year first. Of `01/04/2026` the first number is the month, as in the United States, unless
//! it is above 12; with points or hyphens (`01.04.2026`, `01-04-2026`) the first number is the day, unless the
//! second is above 12. Two digits of a year are of this century. Without a year, only days with the name of
//! a month are read.

use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::TokenRow;

/// Years that a text is taken to mean.
const YEARS: RangeInclusive<i32> = 1900..=2199;

/// What can stand between the parts of a day.
const LINKS: &[&str] = &["of", "the", "de", "del", "do", "di"];

/// What follows the number of a day where days are counted.
const ORDINALS: &[&str] = &["", "st", "nd", "rd", "th", "er", "e", "o"];

/// A day of the calendar in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) struct Day {
    /// The token behind it.
    pub(in crate::gate) behind: usize,
    pub(in crate::gate) year: Option<i32>,
    pub(in crate::gate) month: u8,
    pub(in crate::gate) of_month: u8,
    /// Whether the month is named.
    pub(in crate::gate) is_by_name: bool,
}

/// The day that starts at `at`; `month` gives the number of the month that a word names.
pub(in crate::gate) fn day(
    row: &TokenRow<'_>,
    at: usize,
    month: impl Fn(usize) -> Option<u8>,
) -> Option<Day> {
    match month(at) {
        Some(month) => month_first(row, at, month),
        None => numeric(row, at).or_else(|| characters(row, at)).or_else(|| day_first(row, at, &month)),
    }
}

fn numeric(row: &TokenRow<'_>, at: usize) -> Option<Day> {
    let is_joined = row.has_mark(at + 1, "-/.") && row.mark(at + 3) == row.mark(at + 1);
    // "22-11-'83" has an apostrophe for the century, "9. 12. 2014" has spaces behind its points.
    let last_at = at + 4 + usize::from(row.has_mark(at + 4, "'"));
    let is_tight = || (at + 1..=last_at).all(|index| row.is_tight(index) || row.has_mark(index - 1, "."));
    if !is_joined || !is_tight() {
        return None;
    }
    // "2026-04-01T10:00" goes on behind the day.
    let third = row.raw(last_at).split(['T', 't']).next()?;
    let (first, second, last) = (number(row.raw(at))?, number(row.raw(at + 2))?, number(third)?);
    if row.len(at) == 4 {
        return checked(last_at + 1, Some(first), second, last);
    }
    let year = match third.len() {
        4 => last,
        2 => 2000 + last,
        _ => return None,
    };
    let is_day_first = if row.has_mark(at + 1, "/") { first > 12 } else { second <= 12 };
    let (day, month) = if is_day_first { (first, second) } else { (second, first) };
    checked(last_at + 1, Some(year), month, day)
}

/// `2026年4月1日`, or the same with the year of an era.
fn characters(row: &TokenRow<'_>, at: usize) -> Option<Day> {
    let part =
        |at: usize, sign: char| row.raw(at + 1).starts_with(sign).then(|| number(row.raw(at))).flatten();
    let (year, month, day) = (part(at, '年')?, part(at + 2, '月')?, part(at + 4, '日')?);
    checked(at + 6, Some(year).filter(|year| YEARS.contains(year)), month, day)
}

/// "April 1, 2026", "Apr. 1st".
fn month_first(row: &TokenRow<'_>, at: usize, month: u8) -> Option<Day> {
    let mut next = at + 1;
    next += usize::from(row.has_mark(next, ".") && row.is_tight(next));
    next += usize::from(row.is_word(next, "the"));
    // The number may be a time of day.
    let is_other = row.has_mark(next + 1, ":%") && row.is_tight(next + 1);
    let day = day_number(row, next).filter(|_| !is_other)?;
    with_year(row, next + 1, ",", (month, day))
}

/// "1 April 2026", "1st of April", "1er avril", "1 de abril de 2026".
fn day_first(row: &TokenRow<'_>, at: usize, month: impl Fn(usize) -> Option<u8>) -> Option<Day> {
    let mut next = at + 1;
    next += usize::from(row.has_mark(next, ".-"));
    next += usize::from(row.is_any_word(next, LINKS));
    let month = month(next)?;
    with_year(row, next + 1, ",.-", (month, day_number(row, at)?))
}

/// A month and a day with the year behind them, where there is one. One of `marks` or a link may stand between.
fn with_year(row: &TokenRow<'_>, behind: usize, marks: &str, (month, day): (u8, i32)) -> Option<Day> {
    let at = behind + usize::from(row.has_mark(behind, marks) || row.is_any_word(behind, LINKS));
    let is_year = row.is_digits(at) && row.len(at) == 4;
    let year = number(row.raw(at)).filter(|year| is_year && YEARS.contains(year));
    let behind = if year.is_some() { at + 1 } else { behind };
    checked(behind, year, month.into(), day).map(|day| Day { is_by_name: true, ..day })
}

/// A day in digits, with or without "st", "nd", "rd", "th".
fn day_number(row: &TokenRow<'_>, at: usize) -> Option<i32> {
    let raw = row.raw(at);
    let digits = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_ordinal = |ending: &str| raw[digits.len()..].eq_ignore_ascii_case(ending);
    let is_plain = digits.len() <= 2 && ORDINALS.iter().any(|ending| is_ordinal(ending));
    number(digits).filter(|_| is_plain)
}

fn number(digits: &str) -> Option<i32> {
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn checked(behind: usize, year: Option<i32>, month: i32, day: i32) -> Option<Day> {
    // A leap year has every day.
    let date = Date::new(2000, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    let (month, of_month) = (date.month().unsigned_abs(), date.day().unsigned_abs());
    let is_known = year.is_none_or(|year| YEARS.contains(&year));
    is_known.then_some(Day { behind, year, month, of_month, is_by_name: false })
}
