//! The week of a moment, as calendars of ISO 8601 number it.

use crate::case::Moment;

const SECONDS_PER_DAY: i64 = 86_400;

/// The week in UTC, such as `2026-W46`. A week belongs to the year that has its Thursday.
pub fn iso_week(moment: Moment) -> String {
    let days = moment.seconds().div_euclid(SECONDS_PER_DAY);
    // 1970 began on a Thursday, the fourth day of its week.
    let since_monday = (days + 3).rem_euclid(7);
    let thursday = (days - since_monday + 3) * SECONDS_PER_DAY;
    let of_thursday = Moment::from_seconds(thursday).unwrap_or(moment).to_string();
    let year = of_thursday.get(..4).and_then(|year| year.parse().ok()).unwrap_or(0);
    let january = Moment::start_of(year, 1, 1).map_or(0, Moment::seconds);
    format!("{year:04}-W{:02}", (thursday - january) / SECONDS_PER_DAY / 7 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(day: &str, want: &str) {
        assert_eq!(iso_week(day.parse().expect("a day")), want, "{day}");
    }

    #[test]
    fn weeks_at_the_ends_of_years() {
        check("2026-11-15", "2026-W46");
        check("2026-11-16", "2026-W47");
        check("2026-01-01", "2026-W01");
        check("2027-01-01", "2026-W53");
        check("2027-01-04", "2027-W01");
        check("2024-12-30", "2025-W01");
        check("2023-01-01T23:59:59Z", "2022-W52");
        check("1969-12-31", "1970-W01");
    }
}
