//! A moment in time, to the second, as a number that two machines agree on.
//!
//! Reads the one form that dates are exchanged in: `2026-04-01`, or with a time and its offset
//! `2026-04-01T09:30:00Z`. A text without an offset is in UTC. No clock is ever read.

use std::fmt;
use std::str::FromStr;

const SECONDS_PER_DAY: i64 = 86_400;

/// Seconds since the start of 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i64);

/// A text that names no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no moment, expected a date such as 2026-04-01 or 2026-04-01T09:30:00Z")]
pub struct NotAMoment(pub String);

impl Moment {
    /// The start of a day in UTC. `None` where the calendar has no such day.
    pub fn start_of(year: i32, month: u8, day: u8) -> Option<Moment> {
        if !(1..=12).contains(&month) || day == 0 || day > days_in(year, month) {
            return None;
        }
        Some(Moment(days_since_1970(year, month, day) * SECONDS_PER_DAY))
    }

    /// Seconds since the start of 1970 in UTC.
    pub fn seconds(self) -> i64 {
        self.0
    }

    /// The moment one day later.
    #[must_use]
    pub fn next_day(self) -> Moment {
        Moment(self.0 + SECONDS_PER_DAY)
    }

    /// The moment `seconds` after the start of 1970 in UTC, where it can be written with a year of four digits.
    pub fn from_seconds(seconds: i64) -> Option<Moment> {
        let first = Moment::start_of(0, 1, 1)?.0;
        let last = Moment::start_of(9999, 12, 31)?.0 + SECONDS_PER_DAY;
        (first..last).contains(&seconds).then_some(Moment(seconds))
    }
}

/// Days from 1970-01-01 by the algorithm of Hinnant's `days_from_civil`: years start in March, so that the
/// leap day is the last of its year.
fn days_since_1970(year: i32, month: u8, day: u8) -> i64 {
    let month = i64::from(month);
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + i64::from(day) - 1;
    let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + days - 719_468
}

fn days_in(year: i32, month: u8) -> u8 {
    let leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leaps => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        read(text.trim()).ok_or_else(|| NotAMoment(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Moment> {
    let date = text.get(..10)?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let start = Moment::start_of(year.cast_signed(), u8::try_from(month).ok()?, u8::try_from(day).ok()?)?;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(start);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = split_offset(rest)?;
    let clock = clock.split_once(['.', ',']).map_or(Some(clock), |(whole, fraction)| {
        let digits = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
        digits.then_some(whole)
    })?;
    let seconds = seconds_of_day(clock)?;
    Some(Moment(start.0 + seconds - offset))
}

/// The clock's part of a time and its offset from UTC in seconds.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let sign = if text.as_bytes()[at] == b'+' { 1 } else { -1 };
    let offset = &text[at + 1..];
    let [hours, minutes] = match offset.len() {
        5 => numbers(offset, ':', [2, 2])?,
        4 => [offset.get(..2)?.parse().ok()?, offset.get(2..)?.parse().ok()?],
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then(|| (&text[..at], sign * i64::from(hours * 3600 + minutes * 60)))
}

fn seconds_of_day(clock: &str) -> Option<i64> {
    let [hours, minutes, seconds] = match clock.len() {
        8 => numbers(clock, ':', [2, 2, 2])?,
        5 => {
            let [hours, minutes] = numbers(clock, ':', [2, 2])?;
            [hours, minutes, 0]
        }
        _ => return None,
    };
    // 60 is a leap second; it is taken as the second before it.
    (hours <= 23 && minutes <= 59 && seconds <= 60)
        .then(|| i64::from(hours * 3600 + minutes * 60 + seconds.min(59)))
}

/// The numbers between `mark`s, each with exactly the digits that its place has.
fn numbers<const N: usize>(text: &str, mark: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(mark);
    let mut read = [0; N];
    for (value, digits) in read.iter_mut().zip(digits) {
        let part = parts.next()?;
        let right = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
        *value = right.then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(read)
}

impl fmt::Display for Moment {
    /// The day, and the time of day unless it is the day's start.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.div_euclid(SECONDS_PER_DAY) + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        let second = self.0.rem_euclid(SECONDS_PER_DAY);
        if second != 0 {
            write!(f, "T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, seconds: i64) {
        assert_eq!(text.parse::<Moment>().map(Moment::seconds), Ok(seconds), "{text}");
    }

    #[test]
    fn dates_and_times_are_read() {
        check("1970-01-01", 0);
        check("2026-04-01", 1_775_001_600);
        check("2026-04-01T00:00:01Z", 1_775_001_601);
        check("2026-04-01 09:30", 1_775_035_800);
        check("2026-04-01T09:30:00.250+02:00", 1_775_028_600);
        check("2026-04-01T09:30:00-0530", 1_775_055_600);
        check("2024-02-29", 1_709_164_800);
        check("0001-01-01", -62_135_596_800);
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let bad =
            ["", "2026", "2026-4-1", "2026-02-29", "2026-13-01", "2026-04-31", "2026-04-01T", "01/04/2026"];
        let times = ["2026-04-01T25:00:00Z", "2026-04-01T09:61:00Z", "2026-04-01T09:30:00.Z", "2026-04-01x"];
        for text in bad.into_iter().chain(times).chain(["２026-04-01", "2026-04-01T09:30:00+2"]) {
            assert_eq!(text.parse::<Moment>(), Err(NotAMoment(text.to_owned())), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(seconds in -62_135_596_800i64..253_402_300_800) {
            let moment = Moment::from_seconds(seconds).expect("four digits of year");
            prop_assert_eq!(moment.to_string().parse::<Moment>(), Ok(moment));
        }
    }
}
