//! What the results of tools say: figures and references in JSON, and states.
//!
//! A number in JSON is an amount of money in any currency unless the JSON names one, and a share; where its key or a `unit`
//! beside it says so it is a length of time, a percentage or a number of cents and no amount. A state (`"status":
//! "cancelled"`) or a key (`"refunded": true`) shows a deed.

use super::super::claim::{Lexicon, TimeUnit, Value, WordList};
use super::amount::is_whole;
use super::count::words;
use super::shown::{Collector, loose_numbers};
use super::tool::{STATE_WORDS_MAX, is_failure, is_said_of, words_of};
use crate::case::Moment;
use crate::exact::Exact;
use crate::json::{Json, Object};

/// How many bytes a date has, and where the minutes of a moment end: `2026-04-01T09:30`.
const DATE_BYTES: usize = 10;
const TIME_END: usize = 16;

/// The most members of objects in a list whose numbers are added up.
const MEMBERS_MAX: usize = 64;

/// The seconds since 1970 that are read as a moment: from 2001 to 2049.
const SECONDS: std::ops::Range<i128> = 1_000_000_000..2_500_000_000;

/// The most numbers of an object that are set in relation to each other.
const RELATED_MAX: usize = 8;

/// The most columns of a list whose numbers are added up.
const COLUMNS_MAX: usize = 8;

/// The word in keys of hundredths of a percent.
const BASIS_POINTS: &str = "bps";

/// How keys write lengths of time behind digits: `waivers_12m`.
const KEY_UNITS: [(char, &str); 4] = [('h', "hours"), ('d', "days"), ('m', "months"), ('y', "years")];

/// How many times its start the end of a range is at most: `55-1209` is a number of something.
const RANGE_TIMES_MAX: i64 = 10;

/// The units that a range without one may be in: `"band": "30-59"`.
const RANGE_UNITS: [&str; 3] = ["minutes", "hours", "days"];

/// Units that say behind a key for how long its number holds.
const RATE_UNITS: [&str; 4] = ["day", "week", "month", "year"];

/// The fewest digits of a telephone number.
const PHONE_DIGITS_MIN: usize = 6;

/// What JSON belongs to.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The result of a call that looked something up, as far as is known, or failed, or what such a call was given.
    #[default]
    Looked,
    /// The result of a call that took in what it was called for.
    Took,
    /// That of one that did it.
    Did,
    /// What a call that did something was given.
    Given,
}

/// What an object says about the numbers in it.
#[derive(Default, Clone)]
pub(super) struct Around {
    /// The currency that it or one around it names.
    currency: Option<String>,
    /// The words of the key.
    key: Vec<String>,
    /// What it says its numbers count.
    unit: Option<String>,
    /// Whose figures they are.
    origin: Origin,
}

impl Around {
    /// What is known of JSON before it is read.
    pub(super) fn of(origin: Origin) -> Around {
        Around { origin, ..Around::default() }
    }

    fn acts(&self) -> bool {
        self.origin == Origin::Did
    }
}

pub(super) fn json_value(json: &Json, around: &Around, collector: &mut Collector<'_>) {
    match json {
        Json::Object(object) => {
            object_value(object, around, collector);
            sums(std::slice::from_ref(json), around, collector);
        }
        Json::Array(items) => {
            collector.list(items.len());
            if let [Some(least), Some(most)] = items.iter().map(number).collect::<Vec<_>>()[..] {
                span_value([least, most], around, collector);
                range_value([least, most], collector);
            }
            for item in items {
                json_value(item, around, collector);
            }
            let all = items.iter().take(MEMBERS_MAX + 1).map(number).collect::<Option<Vec<Exact>>>();
            let sum = all.filter(|all| (2..=MEMBERS_MAX).contains(&all.len()));
            let sum = sum.and_then(|all| all.into_iter().try_fold(Exact::ZERO, Exact::checked_add));
            if let Some(sum) = sum {
                number_value(sum, around, collector);
            }
            sums(items, around, collector);
        }
        Json::Number(_) => {
            if let Some(number) = number(json) {
                number_value(number, around, collector);
            }
        }
        Json::String(text) => string_value(text, around, collector),
        Json::Bool(true) => deeds_of(&around.key, around.acts(), collector),
        Json::Bool(false) | Json::Null => {}
    }
}

fn object_value(object: &Object, around: &Around, collector: &mut Collector<'_>) {
    let n_values = collector.n_values();
    let failed = around.acts() && is_failure(object, &collector.lexicons());
    let [english, _] = collector.lexicons();
    let around = &inside(object, around, english);
    for (key, value) in object.iter() {
        // `last_30_days`, `drops24h`.
        if let Some(at) = key.find(|c: char| c.is_ascii_digit()) {
            digits_of_key(&key[at..], collector);
        }
        // `"eta_min": 25, "eta_max": 35`.
        let least = key.strip_suffix("max").filter(|_| object.len() <= MEMBERS_MAX);
        let least = least.and_then(|start| number(object.get(&format!("{start}min"))?));
        if let (Some(least), Some(most)) = (least, number(value)) {
            range_value([least, most], collector);
        }
        // A lone `min` is no number of minutes.
        let key = words_of(if key == "min" { "minimum" } else { key });
        let currency = key.iter().find_map(|word| english.currency(word)).filter(|(_, parts)| *parts == 1);
        let currency = currency.map(|(code, _)| code.to_owned()).or_else(|| around.currency.clone());
        let around = Around { currency, key, ..around.clone() };
        words_of_key(&around, value, collector);
        state(&around, value, collector);
        json_value(value, &around, collector);
    }
    relate(object, collector);
    if failed {
        collector.failed(n_values);
    }
}

/// What is known inside an object: its currency and its unit, where it names them.
fn inside(object: &Object, around: &Around, english: &Lexicon) -> Around {
    let named = |keys: &[&str]| keys.iter().find_map(|key| object.get(key).and_then(Json::as_str));
    let is_code = |text: &str| text.len() == 3 && english.currency(&text.to_ascii_lowercase()).is_some();
    let is_currency = |key: &str| key.to_ascii_lowercase().contains("currency");
    let texts = object.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
    let codes = texts.filter(|(key, text)| is_currency(key) || is_code(text)).map(|(_, text)| text);
    let mut codes = codes.map(str::to_ascii_uppercase);
    // Two currencies do not say which number is in which.
    let currency = match (codes.next(), codes.next()) {
        (None, _) => around.currency.clone(),
        (one, None) => one,
        (Some(_), Some(_)) => None,
    };
    let unit = named(&["unit", "units", "time_unit"]).map(str::to_ascii_lowercase);
    Around { currency, unit, ..around.clone() }
}

/// The figures in a key, from its first digit on.
fn digits_of_key(of_digits: &str, collector: &mut Collector<'_>) {
    let [english, _] = collector.lexicons();
    collector.figures(&of_digits.replace('_', " "));
    for (letter, unit) in KEY_UNITS {
        let number = of_digits.strip_suffix(letter).and_then(|digits| digits.parse().ok());
        if let (Some(number), Some(unit)) = (number, english.unit(unit)) {
            collector.span([number; 2], unit);
        }
    }
}

/// What the words of a key are for, by its value.
fn words_of_key(around: &Around, value: &Json, collector: &mut Collector<'_>) {
    collector.words(|read| &mut read.shown.words, &around.key);
    if around.origin == Origin::Given {
        collector.words(|read| &mut read.act.objects, &around.key);
    }
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if matches!(value, Json::Number(_) | Json::Array(_)) || value.as_str().is_some_and(is_digits) {
        collector.words(|read| &mut read.shown.counted, &around.key);
    }
}

/// What a key with its value says was done.
fn state(around: &Around, value: &Json, collector: &mut Collector<'_>) {
    let lexicons = &collector.lexicons();
    let is_something = match value {
        Json::Number(_) => number(value).is_some_and(|number| number != Exact::ZERO),
        Json::String(text) => !text.is_empty(),
        Json::Object(object) => !is_said_of(object, WordList::Pending, lexicons),
        Json::Array(items) => !around.acts() && !items.is_empty(),
        _ => false,
    };
    // `"refund_amount": 20` says how much it would be.
    let is_amount =
        matches!(value, Json::Number(_)) && lexicons[0].has_any(WordList::AmountKeys, &around.key);
    if is_something && !is_amount {
        deeds_of(&around.key, around.acts(), collector);
    }
}

/// What the numbers of an object are to each other: a price per unit, a part of a whole.
fn relate(object: &Object, collector: &mut Collector<'_>) {
    let [english, _] = collector.lexicons();
    let is_name = |key: &str| english.has_any(WordList::NameKeys, &words_of(key));
    let numbers: Vec<Exact> = object
        .iter()
        .filter(|(key, _)| !is_name(key))
        .filter_map(|(_, value)| number(value).filter(|number| *number > Exact::ZERO))
        .take(RELATED_MAX)
        .collect();
    for (at, one) in numbers.iter().enumerate() {
        for other in numbers.iter().skip(at + 1) {
            let gap = one.checked_sub(*other).max(other.checked_sub(*one));
            let all = [one.checked_div(*other), other.checked_div(*one), one.checked_mul(*other), gap];
            all.into_iter().flatten().for_each(|ratio| collector.shown.operands.add_ratio(ratio));
        }
    }
}

/// What the numbers of a list come to: those of each key that its objects share, so many times each where another key
/// says how many.
fn sums(items: &[Json], around: &Around, collector: &mut Collector<'_>) {
    let Some(Json::Object(first)) = items.first() else { return };
    // A member is found by looking at those before it.
    let is_small = |item: &Json| item.as_object().is_some_and(|object| object.len() <= MEMBERS_MAX);
    let first = if items.iter().all(is_small) { first.iter() } else { return };
    let column = |key: &str| items.iter().map(|item| number(item.get(key)?)).collect::<Option<Vec<Exact>>>();
    let [english, _] = collector.lexicons();
    let is_name = |key: &str| english.has_any(WordList::NameKeys, &words_of(key));
    let columns: Vec<Vec<Exact>> =
        first.filter(|(key, _)| !is_name(key)).filter_map(|(key, _)| column(key)).take(COLUMNS_MAX).collect();
    let counts = english.words(WordList::CountKeys).filter_map(column).collect::<Vec<_>>();
    let sum = |numbers: Vec<Option<Exact>>| {
        numbers.into_iter().try_fold(Exact::ZERO, |sum, number| sum.checked_add(number?))
    };
    for one in &columns {
        let alone = sum(one.iter().copied().map(Some).collect()).filter(|_| items.len() > 1);
        let times = |other: &Vec<Exact>| {
            sum(one.iter().zip(other).map(|(one, other)| one.checked_mul(*other)).collect())
        };
        if let Some(sum) = alone {
            collector.number(sum);
        }
        for sum in counts.iter().map(times).chain([alone]).flatten() {
            collector.amount(sum, around.currency.clone());
        }
    }
}

fn number(json: &Json) -> Option<Exact> {
    match json {
        Json::Number(number) => number.parse().ok(),
        // An amount as many programs write it: `"270.00"`.
        Json::String(text) if text.contains(['.', ',']) => match loose_numbers(text)[..] {
            [number] => Some(number),
            _ => None,
        },
        _ => None,
    }
}

fn number_value(number: Exact, around: &Around, collector: &mut Collector<'_>) {
    if around.origin == Origin::Given {
        collector.words(|read| &mut read.act.objects, &[number.to_string()]);
    }
    // `"amount": -36` among the payments of a call that changed something is money that went back.
    if number < Exact::ZERO && around.acts() {
        collector.deed("refund");
    }
    let number =
        if number < Exact::ZERO { Exact::ZERO.checked_sub(number).unwrap_or(number) } else { number };
    let [english, _] = collector.lexicons();
    let column = collector.columns.entry(around.key.join(" ")).or_default();
    if column.len() < RELATED_MAX && !column.contains(&number) {
        column.push(number);
    }
    let is_name = around.key.last().is_some_and(|word| english.has(WordList::NameKeys, word));
    let written = number.to_string();
    collector.value(Value::Number(written));
    let seconds = if number.floor() > SECONDS.end { number.floor() / 1000 } else { number.floor() };
    if let Some(moment) = i64::try_from(seconds).ok().and_then(Moment::from_seconds)
        && SECONDS.contains(&seconds)
    {
        return moment_value(moment, &moment.to_string(), collector);
    }
    if is_name {
        return;
    }
    let is_minor = |word: &String| {
        english.currency(word).is_some_and(|(_, parts)| parts > 1) || english.has(WordList::MinorKeys, word)
    };
    if let Some(part) = number.over(100).filter(|_| around.key.iter().chain(&around.unit).any(is_minor)) {
        return collector.value(Value::Money { amount: part, currency: around.currency.clone() });
    }
    if around.key.last().is_some_and(|word| english.has(WordList::DayKeys, word)) {
        collector.shown.operands.month_days.extend(u8::try_from(number.floor()));
    }
    span_value([number; 2], around, collector);
    collector.number(number);
    // `limit_day` is a limit of a day.
    let is_rate = |word: &str| around.key.len() > 1 && RATE_UNITS.contains(&word);
    let counts = |word: &String| {
        (english.unit(word).is_some() && !is_rate(word)) || english.has(WordList::CountKeys, word)
    };
    let is_price = english.has_any(WordList::PriceKeys, &around.key);
    if let Some(share) = number.over(100).filter(|_| around.key.iter().any(|word| word == BASIS_POINTS)) {
        return collector.share(share, true);
    }
    let is_percent = around.key.iter().any(|word| english.is_percent(word));
    collector.share(number, is_percent || english.has_any(WordList::ShareKeys, &around.key));
    // A number of days is no amount, and a percentage is none either.
    let is_count = is_whole(number) && !is_price && around.key.last().is_some_and(counts);
    if is_percent || is_count {
        return;
    }
    if is_price {
        collector.value(Value::Money { amount: number, currency: around.currency.clone() });
    }
    // Programs count money in cents, and often do not say it.
    if let Some(part) = number.over(100).filter(|part| is_whole(number) && *part >= Exact::from(1)) {
        let value = Value::Money { amount: part, currency: around.currency.clone() };
        if is_price && number >= Exact::from(999) {
            collector.value(value);
        } else {
            collector.named_only(value);
        }
    }
    collector.amount(number, around.currency.clone());
}

/// A length of time, where the key or a `unit` beside it says what is counted.
fn span_value(ends: [Exact; 2], around: &Around, collector: &mut Collector<'_>) {
    let lexicons = collector.lexicons();
    let unit = |word: &String| lexicons.iter().find_map(|lexicon| lexicon.unit(word));
    let is_working = lexicons[0].has_any(WordList::WorkingKeys, &around.key);
    // The last word says it: `min_term_months` is no number of minutes.
    if let Some(unit) = around.key.iter().rev().chain(&around.unit).find_map(unit) {
        collector.span(ends, if is_working { (TimeUnit::WorkingDays, 1) } else { unit });
    } else if lexicons[0].has_any(WordList::SpanKeys, &around.key) {
        range_value(ends, collector);
    }
}

/// A range that does not say of what.
fn range_value(ends: [Exact; 2], collector: &mut Collector<'_>) {
    let [english, _] = collector.lexicons();
    let units = RANGE_UNITS.iter().filter_map(|unit| english.unit(unit));
    units.for_each(|unit| collector.span(ends, unit));
}

/// The day of a moment, and its time of day as it is written, in its own time zone.
fn moment_value(moment: Moment, text: &str, collector: &mut Collector<'_>) {
    collector.shown.operands.add_moment(moment, text.len() > DATE_BYTES);
    collector.figures(text);
    collector.figures(text.get(DATE_BYTES + 1..TIME_END).unwrap_or_default());
}

fn string_value(text: &str, around: &Around, collector: &mut Collector<'_>) {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Moment>() {
        return moment_value(moment, text, collector);
    }
    let is_blank = |c: char| c.is_whitespace();
    let joined = text.replace(is_blank, "");
    for number in loose_numbers(if words(text).count() == 1 { &joined } else { text }) {
        number_value(number, around, collector);
    }
    if let Some((least, most)) = text.split_once(['-', '\u{2013}'])
        && let (Ok(least), Ok(most)) = (least.trim().parse::<Exact>(), most.trim().parse())
        && least < most
        && most.over(RANGE_TIMES_MAX).is_none_or(|most| most <= least)
    {
        span_value([least, most], around, collector);
        range_value([least, most], collector);
        // A window such as `13-17`.
        for hour in [least, most].into_iter().filter(|hour| is_whole(*hour) && *hour <= Exact::from(24)) {
            let minutes = u16::try_from(hour.floor() * 60).unwrap_or(0);
            collector.value(Value::Time { minutes: minutes % 1440, is_of_day: true });
        }
    }
    parts_value(text, around, collector);
    let words = words_of(text);
    if around.origin == Origin::Given {
        collector.words(|read| &mut read.act.objects, &words);
    }
    let is_code = text.contains(|c: char| c.is_ascii_digit()) && words.len() <= STATE_WORDS_MAX + 2;
    if is_code || !text.contains(char::is_whitespace) && text.contains(char::is_alphanumeric) {
        collector.value(Value::Code(text.to_uppercase().replace(char::is_whitespace, "")));
    }
    if words.len() <= STATE_WORDS_MAX + 2 {
        collector.words(|read| &mut read.shown.words, &words);
    }
    if words.len() <= STATE_WORDS_MAX {
        collector.words(|read| &mut read.shown.states, &words);
    }
    if words.len() <= STATE_WORDS_MAX && !text.contains('@') {
        if matches!(around.origin, Origin::Took | Origin::Did) {
            collector.words(|read| &mut read.act.states, &words);
        }
        deeds_of(&words, around.acts(), collector);
    }
    collector.company_text(text);
}

/// What stands between marks in a text: `2026-04-01T10:00/2026-04-01T13:00`, `<fee cur="EUR">40.00</fee>`, `gems_1200`. A
/// word before a number is its key, and one of digits alone may be a telephone number.
pub(super) fn parts_value(text: &str, around: &Around, collector: &mut Collector<'_>) {
    let is_mark = |c: char| c.is_whitespace() || "<>=\"'|;/{}[]()_:".contains(c);
    let mut around = around.clone();
    // A time of day is no part of its own.
    let is_time = |part: &str| part.contains(|c: char| c.is_ascii_digit()) && part.contains('T');
    for part in text.split(|c: char| is_mark(c) && c != ':').filter(|part| !part.is_empty()) {
        if let Ok(moment) = part.parse::<Moment>() {
            moment_value(moment, part, collector);
            continue;
        }
        for word in part.split(is_mark).filter(|_| !is_time(part)) {
            let digits: String = word.chars().filter(char::is_ascii_digit).collect();
            if digits.is_empty() {
                around.key = if word.is_empty() { around.key } else { words_of(word) };
            } else if part.len() < text.len() {
                for number in loose_numbers(word) {
                    number_value(number, &around, collector);
                }
                collector.value(Value::Code(word.to_uppercase()));
            }
            if digits.len() >= PHONE_DIGITS_MIN && !word.contains(char::is_alphabetic) {
                collector.value(Value::Phone(digits));
            }
        }
    }
}

/// `"cancelled": true`, `"refunded_at": "…"` and `"status": "cancelled"` say what was done, and so do `"refund": 20` and
/// `"type": "refund"` where the call did something.
pub(super) fn deeds_of(words: &[String], acts: bool, collector: &mut Collector<'_>) {
    for lexicon in collector.lexicons() {
        let named = lexicon.deeds_named(words);
        collector.act.events.extend(named.iter().map(|deed| (*deed).to_owned()));
        let deeds = if acts { named } else { lexicon.deeds_done(words) };
        for deed in deeds {
            collector.deed(deed);
        }
    }
    // `"sent_to": "…"`.
    let [english, _] = collector.lexicons();
    if english.has_any(WordList::SentKeys, words) {
        collector.deed("notice");
    }
}
