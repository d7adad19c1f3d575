//! Days of the calendar.
//!
//! `2026-04-01` is year first. Of `01/04/2026` the first number is the month, as in the United States, unless
//! it is above 12; with points or hyphens (`01.04.2026`, `01-04-2026`) the first number is the day, unless the
//! second is above 12. Two digits of a year are of this century. Without a year, only days with the name of
//! a month are read. "May" and "march" are months only with a capital.

use super::super::Value;
use super::super::term::Figure;
use super::super::token::Shape;
use super::Page;

/// Years that a text is taken to mean.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2199;

/// The day that starts at `at`.
pub(super) fn day(page: &Page<'_>, at: usize) -> Option<Figure> {
    match page.shape(at)? {
        Shape::Word => month_first(page, at),
        Shape::Digits => numeric(page, at).or_else(|| day_first(page, at)),
        Shape::Mixed => day_first(page, at),
        Shape::Mark(_) => None,
    }
}

fn numeric(page: &Page<'_>, at: usize) -> Option<Figure> {
    let mark = page.mark(at + 1).filter(|mark| matches!(mark, '-' | '/' | '.'))?;
    let tight = (at + 1..=at + 4).all(|index| page.is_tight(index));
    if !tight || page.mark(at + 3) != Some(mark) || page.shape(at + 2) != Some(Shape::Digits) {
        return None;
    }
    // "2026-04-01T10:00" goes on behind the day.
    let third = page.raw(at + 4).split(['T', 't']).next()?;
    let parts = [page.raw(at), page.raw(at + 2), third];
    if parts.iter().any(|part| !part.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let number = |part: &str| part.parse::<u8>().ok();
    let (year, month, day) = if parts[0].len() == 4 {
        (parts[0], number(parts[1])?, number(parts[2])?)
    } else {
        let (first, second) = (number(parts[0])?, number(parts[1])?);
        let day_first = if mark == '/' { first > 12 } else { second <= 12 };
        let (day, month) = if day_first { (first, second) } else { (second, first) };
        (parts[2], month, day)
    };
    let year: i32 = match year.len() {
        4 => year.parse().ok()?,
        2 => 2000 + year.parse::<i32>().ok()?,
        _ => return None,
    };
    figure(at, at + 5, Some(year), month, day)
}

/// "April 1, 2026", "Apr. 1st".
fn month_first(page: &Page<'_>, at: usize) -> Option<Figure> {
    let month = month(page, at)?;
    let mut next = at + 1;
    if page.mark(next) == Some('.') && page.is_tight(next) {
        next += 1;
    }
    if page.is_word(next, "the") {
        next += 1;
    }
    let day = day_number(page, next)?;
    if is_other(page, next + 1) {
        return None;
    }
    let comma = usize::from(page.mark(next + 1) == Some(','));
    match year(page, next + 1 + comma) {
        Some(year) => figure(at, next + 2 + comma, Some(year), month, day),
        None => figure(at, next + 1, None, month, day),
    }
}

/// "1 April 2026", "1st of April".
fn day_first(page: &Page<'_>, at: usize) -> Option<Figure> {
    let mut next = at + 1;
    if matches!(page.mark(next), Some('.' | '-')) {
        next += 1;
    }
    if page.is_word(next, "of") {
        next += 1;
    }
    let month = month(page, next)?;
    let day = day_number(page, at)?;
    let comma = usize::from(matches!(page.mark(next + 1), Some(',' | '.' | '-')));
    match year(page, next + 1 + comma) {
        Some(year) => figure(at, next + 2 + comma, Some(year), month, day),
        None => figure(at, next + 1, None, month, day),
    }
}

fn month(page: &Page<'_>, at: usize) -> Option<u8> {
    let month = page.info(at).month?;
    let common = page.is_word(at, "may") || page.is_word(at, "march") || page.is_word(at, "mar");
    let capital = page.raw(at).starts_with(|c: char| c.is_ascii_uppercase());
    (capital || !common).then_some(month)
}

/// A day in digits, with or without "st", "nd", "rd", "th".
fn day_number(page: &Page<'_>, at: usize) -> Option<u8> {
    let raw = page.raw(at);
    let n_digits = raw.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let (number, ending) = raw.split_at(n_digits);
    let plain =
        ending.is_empty() || ["st", "nd", "rd", "th"].iter().any(|end| ending.eq_ignore_ascii_case(end));
    if n_digits == 0 || n_digits > 2 || !plain {
        return None;
    }
    number.parse().ok()
}

fn year(page: &Page<'_>, at: usize) -> Option<i32> {
    let raw = page.raw(at);
    let four = raw.len() == 4 && page.shape(at) == Some(Shape::Digits);
    raw.parse().ok().filter(|year| four && YEARS.contains(year) && page.info(at + 1).unit.is_none())
}

/// Whether the number before `at` counts something else, or is a time of day.
fn is_other(page: &Page<'_>, at: usize) -> bool {
    let info = page.info(at);
    let tight_mark = matches!(page.mark(at), Some(':' | '%')) && page.is_tight(at);
    info.unit.is_some() || info.currency.is_some() || tight_mark
}

fn figure(first: usize, behind: usize, year: Option<i32>, month: u8, day: u8) -> Option<Figure> {
    let days = match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let known = (1..=days).contains(&day) && year.is_none_or(|year| YEARS.contains(&year));
    known.then(|| Page::figure(first, behind, Value::Day { year, month, day }))
}
