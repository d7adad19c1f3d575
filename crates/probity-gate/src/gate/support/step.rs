//! Whether a figure is one step of arithmetic away from supported ones.
//!
//! An amount is a sum or a difference of two others, so many times one, a part of one, or one with a share taken off.
//! What the amounts of the reply itself come to, two by two or so many times, are amounts as well. A percentage is what
//! one amount is of another. Two moments make a length of time, and a moment with a length of time another moment. The
//! search is bounded, and amounts are compared to the cent, because people round.

use std::collections::BTreeSet;

use super::super::claim::{TimeUnit, Value};
use super::super::policy::same_currency;
use super::amount::{Reach, Search, is_whole, near, slack};
use crate::case::Moment;
use crate::exact::Exact;

/// The most figures of a kind that are calculated with.
const OPERANDS_MAX: usize = 64;

/// The largest number of things that an amount is multiplied with or divided by.
const FACTOR_MAX: i64 = 100;

/// The most amounts of a case of which any two make a percentage that the reply may give.
const FEW_AMOUNTS: usize = 3;

/// The most amounts of a reply that are calculated with two by two.
pub(super) const FEW_STATED: usize = 6;

pub(super) const MINUTE: i64 = 60;
pub(super) const DAY: i64 = 86_400;
pub(super) const MINUTES_PER_DAY: i64 = 1440;

/// What figures can be calculated from.
#[derive(Default, Clone)]
pub(super) struct Operands {
    /// Amounts with their currencies where these are known.
    amounts: Vec<(Exact, Option<String>)>,
    /// Amounts that the reply itself gives, and how many there are of something.
    stated: Vec<Exact>,
    pub(super) stated_counts: BTreeSet<Exact>,
    shares: BTreeSet<Exact>,
    /// How many there are of something.
    pub(super) factors: BTreeSet<Exact>,
    pub(super) moments: BTreeSet<KnownTime>,
    /// Times of day in minutes, each with the number of the text or call that names it.
    pub(super) clocks: BTreeSet<(u32, i64)>,
    /// What two numbers that belong together are to each other.
    ratios: BTreeSet<Exact>,
    /// Days without a year, each of the year that is nearest to the case's.
    days: BTreeSet<(i8, i8)>,
    /// Days of every month that the case names.
    pub(super) month_days: BTreeSet<u8>,
    /// Days of the week that the case names, from Monday on.
    pub(super) weekdays: BTreeSet<u8>,
    /// The number of the text or call that is read.
    place: u32,
    pub(super) lengths: BTreeSet<(TimeUnit, Exact)>,
    /// Lengths of time of policies and ranges of them, which are counted from a moment and not added up.
    pub(super) windows: BTreeSet<(TimeUnit, Exact)>,
}

/// A moment, to the second or to the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownTime {
    pub(super) start: Moment,
    /// Whether the time of day is known.
    pub(super) has_time: bool,
    /// The number of the text or call that names it.
    pub(super) place: u32,
}

/// How far from what is known a time of day may be that is rounded, in minutes.
const ABOUT_MINUTES: i64 = 15;

/// The most numbers that are kept of what others are to each other.
const RATIOS_MAX: usize = 512;

/// To how much of itself a share of any two amounts is exact.
const EXACT_PARTS: i64 = 1000;

/// The place of the moment that counts for the case.
pub(super) const NOW: u32 = u32::MAX;

/// Whether what lies between times of two places says something: those of one text or call, or one and now.
pub(super) fn belong(one: u32, other: u32) -> bool {
    one == other || one == NOW || other == NOW
}

/// How a reply gives a figure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// It says that it is rounded.
    pub(super) is_about: bool,
    /// Its sentence has other numbers or a word for what comes out of a calculation.
    pub(super) is_signalled: bool,
    /// It has such a word.
    pub(super) is_derived: bool,
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
            Value::Day { year: None, month, day } => {
                if let (Ok(month), Ok(day)) = (i8::try_from(*month), i8::try_from(*day)) {
                    insert(&mut self.days, (month, day));
                }
            }
            _ => {}
        }
    }

    pub(super) fn add_moment(&mut self, start: Moment, has_time: bool) {
        self.add_time(KnownTime { start, has_time, place: self.place });
    }

    /// Adds the moment that counts for the case. Without one, its days are of some year of 365 days.
    pub(super) fn add_now(&mut self, now: Option<Moment>) {
        let Some(middle) = now.or_else(|| Moment::start_of(2025, 7, 1)) else { return };
        for (month, day) in std::mem::take(&mut self.days) {
            let year = i16::try_from(middle.date().0).unwrap_or(0);
            let near = (year - 1..=year + 1).filter_map(|year| Moment::start_of(year, month, day));
            if let Some(day) = near.min_by_key(|day| (day.seconds() - middle.seconds()).abs()) {
                self.add_moment(day, false);
            }
        }
        if let Some(start) = now {
            self.add_time(KnownTime { start, has_time: true, place: NOW });
        }
    }

    fn add_time(&mut self, time: KnownTime) {
        insert(&mut self.moments, time);
        if time.has_time {
            insert(&mut self.clocks, (time.place, time.start.seconds().rem_euclid(DAY) / MINUTE));
        }
    }

    pub(super) fn add_ratio(&mut self, ratio: Exact) {
        if self.ratios.len() < RATIOS_MAX {
            self.ratios.insert(ratio);
        }
    }

    /// What numbers of one object are to each other, and nothing else.
    pub(super) fn ratios_alone(&self) -> Operands {
        Operands { ratios: self.ratios.clone(), ..Operands::default() }
    }

    pub(super) fn add_weekday(&mut self, weekday: u8) {
        self.weekdays.insert(weekday);
    }

    /// What follows is of another text or call.
    pub(super) fn next_place(&mut self) {
        self.place += 1;
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
            // "2,000 kWh" at the price of one.
            insert(&mut self.factors, number);
        }
    }

    /// Adds how many there are of something.
    pub(super) fn add_count(&mut self, number: Exact) {
        let is_count = Exact::from(1) < number && number <= Exact::from(FACTOR_MAX);
        if is_count && is_whole(number) {
            insert(&mut self.factors, number);
        }
    }

    pub(super) fn moments(&self) -> impl Iterator<Item = &KnownTime> {
        self.moments.iter()
    }

    /// Whether `value` is one step away from these.
    pub(super) fn lead_to(&self, value: &Value, manner: Manner) -> bool {
        let Manner { is_about, is_signalled, is_derived } = manner;
        match value {
            Value::Money { amount, currency } => {
                let search = self.amounts(*amount, currency.as_ref(), is_about);
                self.has_ratio(*amount, search.slack)
                    || search.is_sum()
                    || search.is_multiple(&self.factors)
                    || search.is_share(&search.amounts, &self.shares)
            }
            Value::Percent(share) => self.lead_to_share(*share, is_signalled || is_about),
            Value::Span { least, most, unit } => [least, most].into_iter().all(|length| {
                (is_derived && self.is_made(*length, *unit))
                    || i64::try_from(length.floor())
                        .is_ok_and(|length| self.lies_between(length, *unit, manner))
            }),
            Value::Day { year, month, day } => self.lead_to_day((*year, *month, *day), is_signalled),
            Value::Time { minutes, is_of_day } => {
                let period = if *is_of_day { MINUTES_PER_DAY } else { MINUTES_PER_DAY / 2 };
                let slack = if is_about { ABOUT_MINUTES } else { 0 };
                let is_it =
                    |minute: i64| (minute - i64::from(*minutes) + slack).rem_euclid(period) <= 2 * slack;
                // "1 h 34" is a length of time too.
                let is_length = || {
                    !is_of_day && self.lies_between(i64::from(*minutes) * MINUTE, TimeUnit::Seconds, manner)
                };
                self.clocks.iter().any(|(_, clock)| {
                    is_it(*clock)
                        || self.seconds().any(|s| is_it(clock + s / MINUTE) || is_it(clock - s / MINUTE))
                }) || is_length()
            }
            _ => false,
        }
    }

    /// What one step leads to from what the reply itself gives, where that is little.
    pub(super) fn stated_reach(&self) -> Reach {
        let few = if self.stated.len() <= FEW_STATED { self.stated.as_slice() } else { &[] };
        Reach::of(few, &self.stated_counts, &self.shares)
    }

    /// What one step leads to, for calculations of two. Amounts in several currencies lead to nothing together.
    pub(super) fn reach(&self) -> Reach {
        let currencies: BTreeSet<&String> =
            self.amounts.iter().filter_map(|amount| amount.1.as_ref()).collect();
        let amounts: BTreeSet<Exact> =
            self.amounts.iter().map(|(amount, _)| *amount).filter(|amount| *amount > Exact::ZERO).collect();
        let amounts: Vec<Exact> = amounts.into_iter().collect();
        if currencies.len() > 1 { Reach::default() } else { Reach::of(&amounts, &self.factors, &self.shares) }
    }

    fn amounts(&self, target: Exact, currency: Option<&String>, is_about: bool) -> Search {
        let agrees = |named: &Option<String>| same_currency(named.as_ref(), currency);
        let known = self.amounts.iter().filter(|(_, named)| agrees(named)).map(|(amount, _)| *amount);
        let all: BTreeSet<Exact> =
            known.chain(self.combined()).filter(|amount| *amount > Exact::ZERO).collect();
        Search { target, amounts: all.into_iter().collect(), slack: slack(target, is_about) }
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

    fn has_ratio(&self, wanted: Exact, slack: Exact) -> bool {
        let from = wanted.checked_sub(slack).unwrap_or(wanted);
        self.ratios.range(from..).next().is_some_and(|ratio| near(*ratio, wanted, slack))
    }

    /// Whether a percentage is what one amount is of another, or is less or more than it.
    fn lead_to_share(&self, share: Exact, is_signalled: bool) -> bool {
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
        // A pair of other amounts has to come out at the share more exactly, for there are many pairs.
        let is_exact = |whole: Exact, part: Exact| {
            let slack = part.over(EXACT_PARTS).unwrap_or(Exact::ZERO);
            whole.checked_mul(factors[0]).is_some_and(|product| near(product, part, slack))
        };
        let half = Exact::from(1).over(parts).unwrap_or(Exact::ZERO);
        (is_signalled && factors.iter().any(|factor| self.has_ratio(*factor, half)))
            || all().any(|one| all().any(|other| one != other && other > Exact::ZERO && is_exact(one, other)))
            || self.stated.iter().chain(&few).any(|one| {
                all().any(|other| {
                    *one != other && other > Exact::ZERO && (is_it(*one, other) || is_it(other, *one))
                })
            })
    }
}
