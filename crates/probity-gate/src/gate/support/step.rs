//! Whether a figure is one step of arithmetic away from supported ones.
//!
//! An amount is a sum or a difference of two others, so many times one, a part of one, or one with a share taken off.
//! What the amounts of the reply itself come to, two by two or so many times, are amounts as well. A percentage is what
//! one amount is of another. Two moments make a length of time, and a moment with a length of time another moment. The
//! search is bounded, and amounts are compared to the cent, because people round.

use std::collections::BTreeSet;

use super::super::claim::{TimeUnit, Value};
use crate::case::Moment;
use crate::exact::Exact;

/// The most figures of a kind that are calculated with.
const OPERANDS_MAX: usize = 64;

/// The largest number of things that an amount is multiplied with or divided by.
const FACTOR_MAX: i64 = 100;

/// The most amounts of a case of which any two make a percentage that the reply may give.
const FEW_AMOUNTS: usize = 3;

/// The most amounts of a reply that are calculated with two by two.
const FEW_STATED: usize = 6;

/// The months of a year.
const MONTHS: i64 = 12;

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;
const MINUTES_PER_DAY: i64 = 1440;

/// What figures can be calculated from.
#[derive(Default, Clone)]
pub(super) struct Operands {
    /// Amounts with their currencies where these are known.
    amounts: Vec<(Exact, Option<String>)>,
    /// Those of them that only policies name: what two fees differ by is no figure of a case.
    of_policies: BTreeSet<Exact>,
    /// Amounts that the reply itself gives, and how many there are of something.
    stated: Vec<Exact>,
    stated_counts: BTreeSet<Exact>,
    shares: BTreeSet<Exact>,
    /// How many there are of something, and what one currency costs in another.
    factors: BTreeSet<Exact>,
    moments: BTreeSet<KnownTime>,
    /// Times of day in minutes, each with the number of the text or call that names it.
    clocks: BTreeSet<(u32, i64)>,
    /// The number of the text or call that is read.
    place: u32,
    lengths: BTreeSet<(TimeUnit, Exact)>,
    /// Lengths of time of policies and ranges of them, which are counted from a moment and not added up.
    windows: BTreeSet<(TimeUnit, Exact)>,
}

/// A moment, to the second or to the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownTime {
    pub(super) start: Moment,
    /// Whether the time of day is known.
    pub(super) has_time: bool,
    /// The number of the text or call that names it.
    place: u32,
}

/// The place of the moment that counts for the case.
const NOW: u32 = u32::MAX;

/// Whether what lies between times of two places says something: those of one text or call, or one and now.
fn belong(one: u32, other: u32) -> bool {
    one == other || one == NOW || other == NOW
}

/// How a reply gives a figure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// It says that it is rounded.
    pub(super) is_about: bool,
    /// Its sentence has other numbers or a word for what comes out of a calculation.
    pub(super) is_signalled: bool,
}

/// Where a figure stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Case,
    Policy,
    Reply,
}

fn insert<T: Ord>(set: &mut BTreeSet<T>, item: T) {
    if set.len() < OPERANDS_MAX {
        set.insert(item);
    }
}

impl Operands {
    pub(super) fn add(&mut self, value: &Value, origin: Origin) {
        match value {
            Value::Money { amount, currency } => {
                let entry = (*amount, currency.clone());
                let has_room = self.amounts.len() < OPERANDS_MAX || origin == Origin::Reply;
                if has_room && !self.amounts.contains(&entry) {
                    self.amounts.push(entry);
                }
                if origin == Origin::Policy {
                    self.of_policies.insert(*amount);
                } else {
                    self.of_policies.remove(amount);
                }
                if origin == Origin::Reply && self.stated.len() < OPERANDS_MAX {
                    self.stated.push(*amount);
                }
            }
            Value::Percent(share) => insert(&mut self.shares, *share),
            Value::Span { least, most, unit } => {
                let is_window = origin == Origin::Policy || least != most;
                let lengths = if is_window { &mut self.windows } else { &mut self.lengths };
                insert(lengths, (*unit, *least));
                insert(lengths, (*unit, *most));
            }
            Value::Time { minutes, .. } => insert(&mut self.clocks, (self.place, i64::from(*minutes))),
            Value::Day { year: Some(year), month, day } => {
                let date = (i16::try_from(*year), i8::try_from(*month), i8::try_from(*day));
                if let (Ok(year), Ok(month), Ok(day)) = date
                    && let Some(start) = Moment::start_of(year, month, day)
                {
                    self.add_moment(start, false);
                }
            }
            _ => {}
        }
    }

    pub(super) fn add_moment(&mut self, start: Moment, has_time: bool) {
        self.add_time(KnownTime { start, has_time, place: self.place });
    }

    /// Adds the moment that counts for the case.
    pub(super) fn add_now(&mut self, start: Moment) {
        self.add_time(KnownTime { start, has_time: true, place: NOW });
    }

    fn add_time(&mut self, time: KnownTime) {
        insert(&mut self.moments, time);
        if time.has_time {
            insert(&mut self.clocks, (time.place, time.start.seconds().rem_euclid(DAY) / MINUTE));
        }
    }

    /// What follows is of another text or call.
    pub(super) fn next_place(&mut self) {
        self.place += 1;
    }

    /// Whether a length of time is known that is shorter than a day.
    pub(super) fn has_minutes(&self) -> bool {
        self.seconds().any(|seconds| seconds < DAY)
    }

    /// Adds how many of something the reply says there are.
    pub(super) fn add_stated(&mut self, number: u64) {
        let number = Exact::from(i64::try_from(number).unwrap_or(0));
        self.add_count(number);
        if self.factors.contains(&number) {
            insert(&mut self.stated_counts, number);
        }
        if self.stated.len() < OPERANDS_MAX && number > Exact::from(FACTOR_MAX) {
            self.stated.push(number);
        }
    }

    /// Adds how many there are of something.
    pub(super) fn add_count(&mut self, number: Exact) {
        let is_count = Exact::from(1) < number && number <= Exact::from(FACTOR_MAX);
        if is_count && is_whole(number) {
            self.add_rate(number);
        }
    }

    /// Adds what one currency costs in another.
    pub(super) fn add_rate(&mut self, rate: Exact) {
        insert(&mut self.factors, rate);
    }

    pub(super) fn moments(&self) -> impl Iterator<Item = &KnownTime> {
        self.moments.iter()
    }

    /// Whether `value` is one step away from these.
    pub(super) fn lead_to(&self, value: &Value, Manner { is_about, is_signalled }: Manner) -> bool {
        match value {
            Value::Money { amount, currency } => {
                let search = self.amounts(*amount, currency.as_ref(), is_about);
                if !is_signalled {
                    return self.amounts.len() <= FEW_AMOUNTS && search.adds_up();
                }
                // What one currency costs in another is of no currency that the amounts are in.
                let rates = || self.factors.iter().filter(|rate| !is_whole(**rate));
                let is_exchanged = |(amount, _): &(Exact, _)| {
                    let mut exchanged = rates().filter_map(|rate| rate.checked_mul(*amount));
                    exchanged.any(|amount| search.is_target(amount))
                };
                search.is_sum()
                    || search.is_multiple(&self.factors)
                    || search.is_share(&self.shares)
                    || self.amounts.iter().any(is_exchanged)
            }
            Value::Percent(share) => self.lead_to_share(*share),
            Value::Span { least, most, unit } => [least, most].into_iter().all(|length| {
                (is_signalled && self.is_made(*length, *unit))
                    || i64::try_from(length.floor()).is_ok_and(|length| {
                        self.lies_between(length, *unit, Manner { is_about, is_signalled })
                    })
            }),
            Value::Day { year, month, day } => is_signalled && self.lead_to_day((*year, *month, *day)),
            Value::Time { minutes, is_of_day } => {
                let period = if *is_of_day { MINUTES_PER_DAY } else { MINUTES_PER_DAY / 2 };
                let is_it = |minute: i64| (minute - i64::from(*minutes)).rem_euclid(period) == 0;
                self.clocks.iter().any(|(_, clock)| {
                    is_it(*clock)
                        || self.seconds().any(|s| is_it(clock + s / MINUTE) || is_it(clock - s / MINUTE))
                })
            }
            _ => false,
        }
    }

    fn amounts(&self, target: Exact, currency: Option<&String>, is_about: bool) -> Search {
        let agrees =
            |named: &Option<String>| named.is_none() || currency.is_none() || named.as_ref() == currency;
        let known = self.amounts.iter().filter(|(_, named)| agrees(named)).map(|(amount, _)| *amount);
        let all: BTreeSet<Exact> =
            known.chain(self.combined()).filter(|amount| *amount > Exact::ZERO).collect();
        let own = all.difference(&self.of_policies).copied().collect();
        Search { target, own, amounts: all.into_iter().collect(), slack: slack(target, is_about) }
    }

    /// What the amounts of the reply come to, where they are few: two together, what they differ by, and so many times
    /// each. "$86 instead of $80" is $72 a year, and two tickets at $72 with a fee of $4.50 each are $153.
    fn combined(&self) -> Vec<Exact> {
        let few = if self.stated.len() <= FEW_STATED { self.stated.as_slice() } else { &[] };
        let pairs = few
            .iter()
            .flat_map(|one| few.iter().flat_map(|other| [one.checked_sub(*other), one.checked_add(*other)]));
        let known =
            self.amounts.iter().filter(|_| self.amounts.len() <= FEW_STATED).map(|(amount, _)| amount);
        let times =
            known.chain(few).flat_map(|one| self.stated_counts.iter().map(|count| one.checked_mul(*count)));
        pairs.chain(times).flatten().collect()
    }

    /// Whether a known moment before `now` lies that long ago.
    pub(super) fn lead_back(&self, length: Exact, unit: TimeUnit, now: Moment) -> bool {
        let now = KnownTime { start: now, has_time: true, place: NOW };
        let length = i64::try_from(length.floor()).unwrap_or_default();
        let mut past = self.moments.iter().filter(|moment| moment.start < now.start);
        past.any(|moment| is_apart(moment, &now, length, unit, true))
    }

    /// Whether a percentage is what one amount is of another, or is less or more than it.
    fn lead_to_share(&self, share: Exact) -> bool {
        let one = Exact::from(1);
        let factors =
            share.over(100).and_then(|part| Some([part, one.checked_sub(part)?, one.checked_add(part)?]));
        let Some(factors) = factors else { return false };
        // Whole percentages are rounded to the whole, others to the tenth.
        let parts = if is_whole(share) { 200 } else { 2000 };
        let is_it = |whole: Exact, part: Exact| {
            let slack = whole.over(parts).unwrap_or(Exact::ZERO);
            let mut products = factors.iter().filter_map(|factor| whole.checked_mul(*factor));
            products.any(|product| near(product, part, slack))
        };
        let all = || self.amounts.iter().map(|(amount, _)| *amount);
        let few: Vec<Exact> = all().filter(|_| self.amounts.len() <= FEW_AMOUNTS).collect();
        let is_left = Exact::from(100).checked_sub(share).is_some_and(|rest| self.shares.contains(&rest));
        is_left
            || self.stated.iter().chain(&few).any(|one| {
                all().any(|other| {
                    *one != other && other > Exact::ZERO && (is_it(*one, other) || is_it(other, *one))
                })
            })
    }

    /// The lengths of time in seconds.
    fn seconds(&self) -> impl Iterator<Item = i64> {
        let seconds = self.lengths.iter().chain(&self.windows).filter(|(unit, _)| *unit == TimeUnit::Seconds);
        seconds.filter_map(|(_, length)| i64::try_from(length.floor()).ok())
    }

    /// Whether a length of time is a sum, a difference or so many times one.
    fn is_made(&self, length: Exact, unit: TimeUnit) -> bool {
        let alike = || self.lengths.iter().filter(|(of, _)| *of == unit).map(|(_, length)| *length);
        alike().any(|one| {
            let rest = length.checked_sub(one).or_else(|| one.checked_sub(length));
            let is_product = |factor: &Exact| one.checked_mul(*factor) == Some(length);
            alike().any(|other| rest == Some(other) || one.checked_sub(length) == Some(other))
                || self.factors.iter().any(is_product)
        })
    }

    /// Whether two moments or two times of day lie that far apart.
    fn lies_between(&self, length: i64, unit: TimeUnit, Manner { is_about, is_signalled }: Manner) -> bool {
        let moments = || self.moments.iter();
        let belong = |one: u32, other: u32| is_signalled || belong(one, other);
        let by_clock = || {
            let apart = |one: &(u32, i64), other: &(u32, i64)| {
                let gap = (one.1 - other.1).rem_euclid(MINUTES_PER_DAY) * MINUTE;
                belong(one.0, other.0) && (gap - length).abs() <= length_slack(length, is_about)
            };
            self.clocks.iter().any(|one| self.clocks.iter().any(|other| apart(one, other)))
        };
        let is_between = |one: &KnownTime, other: &KnownTime| {
            one < other && belong(one.place, other.place) && is_apart(one, other, length, unit, is_about)
        };
        moments().any(|one| moments().any(|other| is_between(one, other)))
            || (unit == TimeUnit::Seconds && length < DAY && by_clock())
    }

    /// Whether a day lies a known length of time before or behind a known one, or ends its month or begins the next.
    fn lead_to_day(&self, (year, month, day): (Option<i32>, u8, u8)) -> bool {
        let is_it = |moment: Moment| {
            let date = moment.date();
            (date.1, date.2) == (month, day) && year.is_none_or(|year| year == date.0)
        };
        let shifted = |start: Moment, days: i64| Moment::from_seconds(start.seconds() + days * DAY);
        self.moments.iter().map(|moment| moment.start).any(|start| {
            let ends_month = (1..=31).filter_map(|days| shifted(start, days)).find(|day| day.date().2 == 1);
            let is_edge = |next: Moment| is_it(next) || shifted(next, -1).is_some_and(is_it);
            is_it(start)
                || ends_month.is_some_and(is_edge)
                || self.lengths.iter().chain(&self.windows).any(|(unit, length)| {
                    let Ok(n) = i64::try_from(length.floor()) else { return false };
                    let both = |days: i64| {
                        [shifted(start, days), shifted(start, -days)].into_iter().flatten().any(is_it)
                    };
                    match unit {
                        TimeUnit::Seconds => n % DAY == 0 && both(n / DAY),
                        TimeUnit::WorkingDays => after_working_days(start, n).is_some_and(is_it),
                        TimeUnit::Months => {
                            let (its_year, its_month, its_day) = start.date();
                            let months = i64::from(its_year) * 12 + i64::from(its_month) - 1;
                            let fits = |months: i64| {
                                months.rem_euclid(12) == i64::from(month) - 1
                                    && year.is_none_or(|year| months.div_euclid(12) == i64::from(year))
                            };
                            its_day == day && (fits(months + n) || fits(months - n))
                        }
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
                || (length % DAY == 0 && days == length / DAY)
        }
        // A month has 30 or 31 days, and people count the first or the last one or neither.
        TimeUnit::Months => (days * 12 - length * 365).abs() <= 12 * 3,
        TimeUnit::WorkingDays => {
            after_working_days(one.start, length).is_some_and(|end| day_of(end) == day_of(other.start))
        }
    }
}

/// How far from what is known a length of time may be, in seconds.
fn length_slack(length: i64, is_about: bool) -> i64 {
    if is_about { (length / 10).max(MINUTE) } else { MINUTE - 1 }
}

/// The amounts among which a target is looked for, sorted.
struct Search {
    target: Exact,
    own: Vec<Exact>,
    amounts: Vec<Exact>,
    slack: Exact,
}

impl Search {
    /// Whether `wanted` is among the amounts.
    fn has(&self, wanted: Option<Exact>, slack: Exact) -> bool {
        let Some(wanted) = wanted.filter(|wanted| *wanted > slack) else { return false };
        let from = self.amounts.partition_point(|amount| *amount < wanted && !near(*amount, wanted, slack));
        self.amounts.get(from).is_some_and(|amount| near(*amount, wanted, slack))
    }

    fn is_target(&self, amount: Exact) -> bool {
        near(amount, self.target, self.slack)
    }

    fn adds_up(&self) -> bool {
        self.amounts.iter().any(|one| self.has(self.target.checked_sub(*one), self.slack))
    }

    fn is_sum(&self) -> bool {
        let differs = |one: &Exact| {
            let rests = [self.target.checked_add(*one), one.checked_sub(self.target)];
            rests.into_iter().any(|rest| self.has(rest, self.slack))
        };
        self.adds_up() || self.own.iter().any(differs)
    }

    /// So many times an amount, or an amount in so many parts.
    fn is_multiple(&self, factors: &BTreeSet<Exact>) -> bool {
        let months = Exact::from(MONTHS);
        factors.iter().filter(|factor| is_whole(**factor)).chain([&months]).any(|factor| {
            let times = i64::try_from(factor.floor()).unwrap_or(1);
            let slack = self.slack.checked_mul(*factor).unwrap_or(self.slack);
            self.has(self.target.over(times), self.slack.over(times).unwrap_or(self.slack))
                || self.has(self.target.checked_mul(*factor), slack)
        })
    }

    /// A share of an amount, or what is left without it.
    fn is_share(&self, shares: &BTreeSet<Exact>) -> bool {
        shares.iter().filter_map(|share| share.over(100)).any(|share| {
            self.amounts.iter().any(|amount| {
                let Some(part) = amount.checked_mul(share) else { return false };
                self.is_target(part) || amount.checked_sub(part).is_some_and(|rest| self.is_target(rest))
            })
        })
    }
}

/// How far from what is known an amount may be: to the cent, or to two in a hundred where it is rounded.
fn slack(amount: Exact, is_about: bool) -> Exact {
    let half = |parts| Exact::ratio(1, parts).unwrap_or(Exact::ZERO);
    if is_about { amount.over(50).unwrap_or(Exact::ZERO).max(half(2)) } else { half(200) }
}

/// Whether two amounts are the same to the cent.
pub(super) fn is_same_amount(one: Exact, other: Exact) -> bool {
    near(one, other, slack(one, false))
}

fn near(one: Exact, other: Exact, slack: Exact) -> bool {
    let gap = if one > other { one.checked_sub(other) } else { other.checked_sub(one) };
    gap.is_some_and(|gap| gap <= slack)
}

fn is_whole(number: Exact) -> bool {
    Exact::ratio(number.floor(), 1) == Some(number)
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
