//! Values that something names, and whether a value of a reply is among them.
//!
//! Equal meaning counts, not equal spelling: see [`same`]. Looking a value up does not grow with the number of
//! values, but for the few amounts that are written as a range.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::claim::{TimeUnit, Value};
use crate::exact::Exact;

/// A value, or a range of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gate) enum Extent {
    /// This one. A span that is a range stands for every length in it.
    One(Value),
    /// Every amount or share from `least` to `most`, both included; open where one is absent.
    Range {
        /// The smallest.
        least: Option<Value>,
        /// The largest.
        most: Option<Value>,
    },
}

/// Values, each with a note on where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::gate) struct Known<T> {
    /// By the key that equal values share.
    singles: BTreeMap<u64, Vec<(Value, T)>>,
    ranges: Vec<(Extent, T)>,
}

/// The most values of one key that are looked through: lengths of time in one unit, and addresses.
const ALIKE_MAX: usize = 200;

impl<T: Clone + PartialEq> Known<T> {
    /// The values of `entries`.
    pub(in crate::gate) fn of(entries: impl IntoIterator<Item = (Extent, T)>) -> Self {
        let mut known = Known { singles: BTreeMap::<u64, Vec<(Value, T)>>::new(), ranges: Vec::new() };
        for (extent, note) in entries {
            match extent {
                Extent::One(value) => known.singles.entry(key(&value)).or_default().push((value, note)),
                range @ Extent::Range { .. } => known.ranges.push((range, note)),
            }
        }
        for values in known.singles.values_mut() {
            values.sort_by(|a, b| a.0.cmp(&b.0));
            values.dedup();
            values.truncate(ALIKE_MAX);
        }
        known
    }

    /// The notes of what `value` is equal to or lies within.
    pub(in crate::gate) fn notes<'k>(&'k self, value: &'k Value) -> impl Iterator<Item = &'k T> {
        let alike = self.singles.get(&key(value)).into_iter().flatten();
        let equal = alike.filter(|(known, _)| same(value, known)).map(|(_, note)| note);
        let ranges = self.ranges.iter().filter(|(range, _)| within(value, range)).map(|(_, note)| note);
        equal.chain(ranges)
    }

    /// Whether there is such a value.
    pub(in crate::gate) fn has(&self, value: &Value) -> bool {
        self.notes(value).next().is_some()
    }

    /// The values that are no ranges of amounts, in an order that does not depend on that of the text.
    pub(in crate::gate) fn all(&self) -> impl Iterator<Item = Value> {
        self.singles.values().flatten().map(|(value, _)| value.clone())
    }
}

/// Whether a reply's value says the same as a known one: an amount without a currency equals one in any, a day
/// without a year that day of any year; a span lies within a longer range of the same unit; codes and
/// numbers are compared by their letters and digits; a link equals another or stands for its host alone, and a
/// known link that ends with `/*` covers what is below it; a part of a known address is that address.
pub(in crate::gate) fn same(value: &Value, known: &Value) -> bool {
    match (value, known) {
        (Value::Money { amount, currency }, Value::Money { amount: other, currency: named }) => {
            amount == other && same_currency(currency.as_ref(), named.as_ref())
        }
        (Value::Span { least, most, unit }, Value::Span { least: from, most: to, unit: counted }) => {
            // People say "two months" for 60 days.
            let length = |of: &Exact, unit: &TimeUnit| {
                of.checked_mul(Exact::from(if *unit == TimeUnit::Months { 30 * 86_400 } else { 1 }))
            };
            (*unit == TimeUnit::WorkingDays) == (*counted == TimeUnit::WorkingDays)
                && length(from, counted) <= length(least, unit)
                && length(most, unit) <= length(to, counted)
        }
        (Value::Day { year, month, day }, Value::Day { year: named, month: m, day: d }) => {
            (month, day) == (m, d) && agree(year.as_ref(), named.as_ref())
        }
        (
            Value::Time { minutes: a, is_of_day: by_day },
            Value::Time { minutes: b, is_of_day: other_by_day },
        ) => a == b || (a % HALF_DAY == b % HALF_DAY && !(*by_day && *other_by_day)),
        (Value::Code(a) | Value::Number(a), Value::Code(b) | Value::Number(b)) => {
            // "RMA 2210" names `RMA-2210` by its number.
            let is_number = a.len() >= BARE_NUMBER_MIN && a.bytes().all(|byte| byte.is_ascii_digit());
            let letters = b.strip_suffix(a.as_str()).filter(|_| is_number);
            plain(a).eq(plain(b)) || letters.is_some_and(|letters| !has_digits(letters))
        }
        (Value::Link(link), Value::Link(known)) => same_link(link, known),
        (Value::Phone(a), Value::Phone(b)) => same_phone(a, b),
        (Value::Address(part), Value::Address(whole)) => format!(" {whole} ").contains(&format!(" {part} ")),
        _ => value == known,
    }
}

/// Minutes of half a day, behind which a clock shows the same time again.
const HALF_DAY: u16 = 720;

/// Whether nothing that both name differs.
fn agree<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one == other)
}

/// Whether no other currency is named. `$` stands for every dollar.
pub(in crate::gate) fn same_currency(one: Option<&String>, other: Option<&String>) -> bool {
    agree(one, other) || [one, other].into_iter().flatten().all(|code| code.ends_with('D'))
}

/// Whether a value lies within a range or equals a single value.
pub(in crate::gate) fn within(value: &Value, extent: &Extent) -> bool {
    let (least, most) = match extent {
        Extent::One(known) => return same(value, known),
        Extent::Range { least, most } => (least.as_ref(), most.as_ref()),
    };
    let bounded = |bound: Option<&Value>, holds: fn(Exact, Exact) -> bool| {
        bound.is_none_or(|bound| match (value, bound) {
            (Value::Money { amount, currency }, Value::Money { amount: limit, currency: named }) => {
                holds(*amount, *limit) && same_currency(currency.as_ref(), named.as_ref())
            }
            (Value::Percent(share), Value::Percent(limit)) => holds(*share, *limit),
            _ => false,
        })
    };
    bounded(least, |value, least| least <= value) && bounded(most, |value, most| value <= most)
}

/// A number that values which are the [`same`] have in common. Others may share it too.
fn key(value: &Value) -> u64 {
    let mut key = DefaultHasher::new();
    match value {
        Value::Money { amount: number, .. } | Value::Percent(number) => number.hash(&mut key),
        Value::Day { month, day, .. } => (month, day).hash(&mut key),
        Value::Time { minutes, .. } => (minutes % HALF_DAY).hash(&mut key),
        // By its digits, so that a code is found by its number; by its letters where it has none.
        Value::Code(name) | Value::Number(name) => {
            let has_digits = has_digits(name);
            plain(name).filter(|c| !has_digits || c.is_ascii_digit()).for_each(|c| c.hash(&mut key));
        }
        Value::Link(link) => host(link).hash(&mut key),
        Value::Email(email) => email.hash(&mut key),
        Value::Phone(phone) => phone.bytes().rev().take(LAST_DIGITS).for_each(|digit| digit.hash(&mut key)),
        // A length lies within others, and addresses are few.
        Value::Span { unit, .. } => (*unit == TimeUnit::WorkingDays).hash(&mut key),
        Value::Address(_) => {}
    }
    key.finish()
}

fn plain(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| c.is_alphanumeric())
}

fn has_digits(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_digit())
}

/// The fewest digits that name a code without its letters.
const BARE_NUMBER_MIN: usize = 4;

fn host(link: &str) -> &str {
    link.split(['/', '?', '#']).next().unwrap_or(link)
}

fn same_link(link: &str, known: &str) -> bool {
    match known.strip_suffix("/*") {
        Some(root) => {
            link.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
        }
        None => link == known || link == host(known),
    }
}

/// The same digits, or one with its country and the other with the 0 that stands for it at home.
fn same_phone(a: &str, b: &str) -> bool {
    let from_home = |abroad: &str, home: &str| {
        let own = home.strip_prefix('0').filter(|own| own.len() >= LAST_DIGITS);
        abroad.starts_with('+') && own.is_some_and(|own| abroad.ends_with(own))
    };
    a == b || from_home(a, b) || from_home(b, a)
}

/// How many digits at its end tell one telephone number from another.
const LAST_DIGITS: usize = 5;

#[cfg(test)]
mod tests;
