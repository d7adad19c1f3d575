//! A moment in time, to the second, as a number that two machines agree on.
//!
//! Reads the one form that dates are exchanged in: `2026-04-01`, or with a time and its offset
//! `2026-04-01T09:30:00Z`. A text without an offset is in UTC. No clock is ever read.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::{SignedDuration, Span};

const SECONDS_PER_DAY: i64 = 86_400;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Seconds since the start of 1970 in UTC, of a year from 0 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i64);

/// A text that names no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no moment, expected a date such as 2026-04-01 or 2026-04-01T09:30:00Z")]
pub struct NotAMoment(pub String);

impl Moment {
    /// The start of a day in UTC. `None` where the calendar has no such day.
    pub fn start_of(year: i16, month: i8, day: i8) -> Option<Moment> {
        Moment::at(Date::new(year, month, day).ok()?.to_datetime(Time::midnight()))
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

    /// The same day so many months later, or the last of that month.
    pub fn months_later(self, months: i64) -> Option<Moment> {
        Moment::at(self.civil().checked_add(Span::new().try_months(months).ok()?).ok()?)
    }

    /// Whole days from `earlier` to this moment; negative where it comes before.
    pub fn days_after(self, earlier: Moment) -> i64 {
        (self.0 - earlier.0).div_euclid(SECONDS_PER_DAY)
    }

    /// The moment `seconds` after the start of 1970 in UTC, where it can be written with a year of four digits.
    pub fn from_seconds(seconds: i64) -> Option<Moment> {
        let civil = EPOCH.checked_add(SignedDuration::from_secs(seconds)).ok()?;
        (civil.year() >= 0).then_some(Moment(seconds))
    }

    /// The year, the month from 1 and the day from 1 in UTC.
    pub fn date(self) -> (i32, u8, u8) {
        let date = self.civil().date();
        (i32::from(date.year()), date.month().unsigned_abs(), date.day().unsigned_abs())
    }

    /// The week in UTC as ISO 8601 numbers it, such as `2026-W46`. A week belongs to the year that has its Thursday.
    pub fn iso_week(self) -> String {
        let week = self.civil().date().iso_week_date();
        format!("{:04}-W{:02}", week.year(), week.week())
    }

    /// The moment of a date and a time in UTC, without what is less than a second.
    fn at(civil: DateTime) -> Option<Moment> {
        let civil = civil.with().subsec_nanosecond(0).build().ok()?;
        Moment::from_seconds(civil.duration_since(EPOCH).as_secs())
    }

    fn civil(self) -> DateTime {
        EPOCH.saturating_add(SignedDuration::from_secs(self.0))
    }
}

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        read(text.trim()).ok_or_else(|| NotAMoment(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Moment> {
    // The library also reads dates without hyphens, which are numbers here, and names of time zones, which need a
    // database.
    if text.as_bytes().get(4) != Some(&b'-') || text.contains('[') {
        return None;
    }
    let pieces = Pieces::parse(text).ok()?;
    let local = Moment::at(pieces.date().to_datetime(pieces.time().unwrap_or(Time::midnight())))?;
    let offset = pieces.to_numeric_offset().map_or(0, jiff::tz::Offset::seconds);
    Moment::from_seconds(local.0 - i64::from(offset))
}

impl fmt::Display for Moment {
    /// The day, and the time of day unless it is the day's start.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = self.civil();
        if civil.time() == Time::midnight() { write!(f, "{}", civil.date()) } else { write!(f, "{civil}Z") }
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

    #[track_caller]
    fn check_week(day: &str, want: &str) {
        assert_eq!(day.parse().map(Moment::iso_week), Ok(want.to_owned()), "{day}");
    }

    #[test]
    fn weeks_at_the_ends_of_years() {
        check_week("2026-11-15", "2026-W46");
        check_week("2026-11-16", "2026-W47");
        check_week("2026-01-01", "2026-W01");
        check_week("2027-01-01", "2026-W53");
        check_week("2027-01-04", "2027-W01");
        check_week("2024-12-30", "2025-W01");
        check_week("2023-01-01T23:59:59Z", "2022-W52");
        check_week("1969-12-31", "1970-W01");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(seconds in -62_135_596_800i64..253_402_300_800) {
            let moment = Moment::from_seconds(seconds).expect("four digits of year");
            prop_assert_eq!(moment.to_string().parse::<Moment>(), Ok(moment));
        }
    }
}
