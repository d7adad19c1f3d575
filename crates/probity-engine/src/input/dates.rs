//! Dates in the forms that exports and spreadsheets have.
//!
//! A date with dots has its day first, one with a year in front has it last. With slashes it may be either: where only
//! one of the two is a day of the calendar it is that one, else nothing is guessed. No form needs a time zone by name;
//! without an offset a time is in UTC.

use jiff::civil::{DateTime, Time};
use jiff::fmt::strtime::BrokenDownTime;
use probity_core::case::Moment;

/// Why a text is no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnreadDate {
    /// It is in no form that is known.
    Unknown,
    /// Its day and its month could be exchanged.
    DayOrMonth,
}

/// Forms of days that can be read in one way only.
const DAYS: &[&str] = &[
    "%d.%m.%Y", "%Y/%m/%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d/%b/%y",
    "%d.%m.%y",
];

/// Forms with slashes, or hyphens and the year last: day first, and month first.
const EITHER: &[(&str, &str)] =
    &[("%d/%m/%Y", "%m/%d/%Y"), ("%d-%m-%Y", "%m-%d-%Y"), ("%d/%m/%y", "%m/%d/%y")];

/// What may follow a day.
const TIMES: &[&str] =
    &["", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", ", %I:%M %p", ", %H:%M:%S"];

/// The moment that a text names, in the form `format` where that is said.
pub(super) fn moment(text: &str, format: Option<&str>) -> Result<Moment, UnreadDate> {
    let text = text.trim();
    if let Some(format) = format {
        return parsed(text, format).ok_or(UnreadDate::Unknown);
    }
    if let Some(moment) = text.parse().ok().and_then(since_1970).or_else(|| text.parse().ok()) {
        return Ok(moment);
    }
    if let Ok(zoned) = jiff::fmt::rfc2822::parse(text) {
        return Moment::from_seconds(zoned.timestamp().as_second()).ok_or(UnreadDate::Unknown);
    }
    let in_form = |day: &str| TIMES.iter().find_map(|time| parsed(text, &format!("{day}{time}")));
    if let Some(moment) = DAYS.iter().find_map(|day| in_form(day)) {
        return Ok(moment);
    }
    let mut found = Err(UnreadDate::Unknown);
    for (day_first, month_first) in EITHER {
        match (in_form(day_first), in_form(month_first)) {
            (Some(one), Some(other)) if one != other => return Err(UnreadDate::DayOrMonth),
            (Some(one), _) | (None, Some(one)) => found = found.or(Ok(one)),
            (None, None) => {}
        }
    }
    found
}

/// A moment from a number that may count seconds, milliseconds, microseconds or nanoseconds: the ranges of dates from
/// 1973 to 5138 do not meet.
pub(super) fn since_1970(number: i64) -> Option<Moment> {
    let divisor = match number.unsigned_abs() {
        100_000_000_000_000_000.. => 1_000_000_000,
        100_000_000_000_000.. => 1_000_000,
        100_000_000_000.. => 1_000,
        _ => 1,
    };
    Moment::from_seconds(number / divisor)
}

fn parsed(text: &str, format: &str) -> Option<Moment> {
    let parts = BrokenDownTime::parse(format, text).ok()?;
    // A year of two digits is none of four.
    let date = parts.to_date().ok().filter(|date| date.year() >= 1000)?;
    let civil = date.to_datetime(parts.to_time().unwrap_or(Time::midnight()));
    let offset = parts.offset().map_or(0, jiff::tz::Offset::seconds);
    let epoch = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    Moment::from_seconds(civil.duration_since(epoch).as_secs() - i64::from(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Result<&str, UnreadDate>) {
        assert_eq!(moment(text, None).map(|moment| moment.to_string()), want.map(str::to_owned), "{text}");
    }

    #[test]
    fn d31_dates_that_can_be_read_in_one_way_are_read() {
        for text in [
            "2026-03-25 08:15",
            "25.03.2026 08:15",
            "25.03.2026 08:15:00",
            "2026/03/25 08:15:00",
            "25 Mar 2026 08:15 AM",
            "Mar 25, 2026 8:15 AM",
            "March 25, 2026, 08:15",
            "25/Mar/26 8:15 AM",
            "3/25/2026 8:15 AM",
            "25/03/2026 08:15",
            "25-03-2026 08:15",
            "Wed, 25 Mar 2026 09:15:00 +0100",
            "1774426500",
            "1774426500000",
        ] {
            check(text, Ok("2026-03-25T08:15:00Z"));
        }
        check("25.03.26", Ok("2026-03-25"));
        check("03/03/2026", Ok("2026-03-03"));
    }

    #[test]
    fn d31_dates_that_cannot_are_not() {
        check("02/03/2026", Err(UnreadDate::DayOrMonth));
        check("02/03/24", Err(UnreadDate::DayOrMonth));
        check("yesterday", Err(UnreadDate::Unknown));
        check("31/31/2026", Err(UnreadDate::Unknown));
        assert_eq!(
            moment("02/03/24", Some("%d/%m/%y")).map(|moment| moment.to_string()),
            Ok("2024-03-02".to_owned())
        );
    }
}
