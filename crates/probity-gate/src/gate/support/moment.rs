//! Lengths of time and days that follow from known moments: what lies between two, and where a length of time leads from
//! one.

use super::super::claim::TimeUnit;
use super::step::{DAY, KnownTime, MINUTE, MINUTES_PER_DAY, Manner, NOW, Operands, belong};
use super::weekday::weekday;
use crate::case::Moment;
use crate::exact::Exact;

/// A quarter of an hour, in seconds.
const QUARTER: i64 = 900;

/// To what lengths of time are rounded, in seconds: "about 27 minutes" is to the minute.
const ROUNDED: [i64; 6] = [WEEK * DAY, DAY, 3600, 1800, 600, 300];

/// The days of a week.
const WEEK: i64 = 7;

impl Operands {
    /// The lengths of time in seconds.
    pub(super) fn seconds(&self) -> impl Iterator<Item = i64> {
        let seconds = self.lengths.iter().chain(&self.windows).filter(|(unit, _)| *unit == TimeUnit::Seconds);
        seconds.filter_map(|(_, length)| i64::try_from(length.floor()).ok())
    }

    /// Whether a length of time is a sum, a difference or so many times one, lies between one and a limit, or is what two
    /// counts of the reply differ by: "9 months sooner: 38 instalments instead of 47".
    pub(super) fn is_made(&self, length: Exact, unit: TimeUnit) -> bool {
        let day = Exact::from(if unit == TimeUnit::Seconds { DAY } else { 1 });
        let of = |(of, length): &(TimeUnit, Exact)| (*of == unit).then_some(*length);
        let alike = || self.lengths.iter().filter_map(of);
        let counts = || self.stated_counts.iter();
        alike().any(|one| {
            let apart = [one.checked_sub(length), one.checked_add(length)];
            alike().any(|other| other != one && one.checked_add(other) == Some(length))
                || alike().chain(self.windows.iter().filter_map(of)).any(|other| apart.contains(&Some(other)))
                || counts().any(|factor| one.checked_mul(*factor) == Some(length))
        }) || counts().filter_map(|one| one.checked_mul(day)).any(|one| {
            let mut others = counts().filter_map(|other| other.checked_mul(day));
            others.any(|other| one.checked_sub(length) == Some(other))
        })
    }

    /// Whether two moments or two times of day lie that far apart.
    pub(super) fn lies_between(
        &self,
        length: i64,
        unit: TimeUnit,
        Manner { is_about, is_signalled, .. }: Manner,
    ) -> bool {
        let moments = || self.moments.iter();
        // A length that is no round one is hardly hit by chance.
        let is_odd = length < DAY && length % QUARTER != 0;
        let belong = |one: u32, other: u32| is_signalled || is_odd || belong(one, other);
        let by_clock = || {
            let apart = |one: &(u32, i64), other: &(u32, i64)| {
                let gap = (one.1 - other.1).rem_euclid(MINUTES_PER_DAY) * MINUTE;
                belong(one.0, other.0) && (gap - length).abs() <= length_slack(length, is_about)
            };
            self.clocks.iter().any(|one| self.clocks.iter().any(|other| apart(one, other)))
        };
        let is_between = |one: &KnownTime, other: &KnownTime| {
            let is_about = is_about || (is_signalled && unit == TimeUnit::Months);
            one < other && belong(one.place, other.place) && is_apart(one, other, length, unit, is_about)
        };
        moments().any(|one| moments().any(|other| is_between(one, other)))
            || (unit == TimeUnit::Seconds && length < DAY && by_clock())
    }

    /// Whether a day lies a known length of time before or behind a known one, or ends its month or begins the next.
    pub(super) fn lead_to_day(&self, (year, month, day): (Option<i32>, u8, u8), is_signalled: bool) -> bool {
        let is_it = |moment: Moment| {
            let date = moment.date();
            (date.1, date.2) == (month, day) && year.is_none_or(|year| year == date.0)
        };
        let shifted = |start: Moment, days: i64| Moment::from_seconds(start.seconds() + days * DAY);
        let is_named = |now: Moment| {
            let is_near = |days: i64| {
                let weekday = shifted(now, days).map(weekday);
                days == 0 || weekday.is_some_and(|weekday| self.weekdays.contains(&weekday))
            };
            (-WEEK..=2 * WEEK).any(|days| is_near(days) && shifted(now, days).is_some_and(is_it))
        };
        // `"day": 15` is the 15th of a month.
        let is_now = |moment: &KnownTime| moment.place == NOW && is_named(moment.start);
        if self.month_days.contains(&day) || self.moments.iter().any(is_now) {
            return true;
        }
        let counts = |moment: &&KnownTime| is_signalled || moment.place == NOW;
        let mut starts = self.moments.iter().filter(counts).map(|moment| moment.start);
        starts.any(|start| {
            let ends_month = (1..=31).filter_map(|days| shifted(start, days)).find(|day| day.date().2 == 1);
            let is_edge = |next: Moment| is_it(next) || shifted(next, -1).is_some_and(is_it);
            let windows = self.windows.iter().filter(|_| is_signalled);
            is_it(start)
                || (is_signalled && ends_month.is_some_and(is_edge))
                || self.lengths.iter().chain(windows).any(|(unit, length)| {
                    let Ok(n) = i64::try_from(length.floor()) else { return false };
                    let both = |days: i64| {
                        [shifted(start, days), shifted(start, -days)].into_iter().flatten().any(is_it)
                    };
                    match unit {
                        TimeUnit::Seconds => n % DAY == 0 && both(n / DAY),
                        TimeUnit::WorkingDays => after_working_days(start, n).is_some_and(is_it),
                        TimeUnit::Months => [n, -n].iter().any(|n| start.months_later(*n).is_some_and(is_it)),
                    }
                })
        })
    }
}

/// Whether `length` lies between two moments, the earlier one first.
fn is_apart(one: &KnownTime, other: &KnownTime, length: i64, unit: TimeUnit, is_about: bool) -> bool {
    let seconds = other.start.seconds() - one.start.seconds();
    let days = day_of(other.start) - day_of(one.start);
    match unit {
        TimeUnit::Seconds => {
            let is_timed = one.has_time && other.has_time;
            (is_timed && (seconds - length).abs() <= length_slack(length, is_about))
                || (length % DAY == 0
                    && (days - length / DAY).abs() <= i64::from(is_about) * day_slack(length))
        }
        // A month has 30 or 31 days, and people count the first or the last one or neither.
        // Who rounds counts the whole ones.
        TimeUnit::Months => {
            let left = days * 12 - length * 365;
            left.abs() <= 12 * 3 || (is_about && (0..365).contains(&left))
        }
        TimeUnit::WorkingDays => {
            after_working_days(one.start, length).is_some_and(|end| day_of(end) == day_of(other.start))
        }
    }
}

/// How far from what is known a number of days may be that is rounded.
fn day_slack(length: i64) -> i64 {
    (length / DAY / 6).max(1)
}

/// How far from what is known a length of time may be, in seconds.
fn length_slack(length: i64, is_about: bool) -> i64 {
    let last = ROUNDED.into_iter().find(|unit| length % unit == 0).unwrap_or(MINUTE);
    if is_about { (length / 8).clamp(MINUTE, last) } else { MINUTE - 1 }
}

fn day_of(moment: Moment) -> i64 {
    moment.seconds().div_euclid(DAY)
}

/// The day that lies `n` working days behind another. `None` where that is more than a quarter of a year.
fn after_working_days(start: Moment, n: i64) -> Option<Moment> {
    const WORKING_DAYS_MAX: i64 = 60;
    // The first day of 1970 was a Thursday.
    let is_working = |day: &i64| (day + 3).rem_euclid(7) < 5;
    let first = day_of(start);
    let last = (first + 1..first + 2 * WORKING_DAYS_MAX).filter(is_working).nth(usize::try_from(n - 1).ok()?);
    Moment::from_seconds(last.filter(|_| n <= WORKING_DAYS_MAX)? * DAY)
}
