//! What the calls of tools show: figures and references in their results, and what they did.
//!
//! A result is JSON or a text. A number in JSON is an amount of money in any currency unless the JSON names one, a
//! share, and a length of time where its key or a `unit` beside it says so. A state (`"status": "cancelled"`), a key
//! (`"refunded": true`) or a call that succeeded (`cancel_reservation`) shows a deed. A call without a result shows
//! nothing, and neither does one that failed.

use super::super::claim::{Lexicon, TimeUnit, Value, WordList};
use super::says;
use super::shown::{Collector, loose_numbers};
use crate::case::{Moment, ToolCall};
use crate::exact::Exact;
use crate::json::{Json, Object, parse};

/// How many bytes a date has, and where the minutes of a moment end: `2026-04-01T09:30`.
const DATE_BYTES: usize = 10;
const TIME_END: usize = 16;

/// The most words of a string that is a state and no sentence.
const STATE_WORDS_MAX: usize = 4;

/// Keys whose strings say how a call ended.
const OUTCOME_KEYS: &[&str] =
    &["status", "state", "result", "outcome", "message", "detail", "zustand", "ergebnis", "statut", "estado"];

/// The most members of objects in a list whose numbers are added up.
const MEMBERS_MAX: usize = 64;

/// Keys that say by being there that a call failed.
const ERROR_KEYS: &[&str] =
    &["error", "errors", "exception", "error_message", "error_code", "fehler", "erreur"];

/// Words of keys whose numbers are shares.
const SHARE_KEYS: &[&str] = &["discount", "share", "vat", "tax", "apr", "rate", "interest", "commission"];

/// Words of keys whose numbers are amounts, however small.
const PRICE_KEYS: &[&str] = &[
    "price", "fee", "cost", "amount", "charge", "total", "balance", "preis", "betrag", "kosten", "gebuehr",
    "gebühr",
];

/// Keys that say how many of something a list has.
const COUNT_KEYS: &[&str] = &["qty", "quantity", "count", "units", "nights", "menge", "anzahl"];

/// The most columns of a list whose numbers are added up.
const COLUMNS_MAX: usize = 8;

/// Words of keys whose numbers name something and count nothing.
const NAME_KEYS: &[&str] =
    &["id", "ids", "number", "no", "zip", "postcode", "phone", "code", "year", "ref", "reference"];

/// What every call does that did not fail and does not only look something up.
const HANDED_IN: &str = "opening";

/// Adds what a call shows.
pub(super) fn add(call: &ToolCall, collector: &mut Collector<'_>) {
    collector.call();
    let Some(result) = &call.result else { return };
    let json = parse(result).ok();
    let lexicons = collector.lexicons();
    let failed = match &json {
        Some(json) => is_failure(json, &lexicons),
        None => is_said(result, WordList::Failed, &lexicons),
    };
    let name = words_of(&call.name);
    // `request_refund` asks for it, `cancel_pending_order` does something.
    let asks = name.first().is_some_and(|word| is_said(word, WordList::Pending, &lexicons));
    let is_done = !failed && !asks && !json.as_ref().is_some_and(|json| is_pending(json, &lexicons));
    let reads = lexicons.iter().any(|lexicon| lexicon.is_reading_call(&name));
    let acts = is_done && !reads;
    match &json {
        Some(json) => {
            json_value(json, &Around { acts, took: !failed && !reads, ..Around::default() }, collector);
        }
        None => collector.company_text(result),
    }
    // What is still to come was handed in.
    if !failed && !reads {
        collector.deed(HANDED_IN);
        collector.requested(&name);
    }
    if acts {
        let texts = call.arguments.iter().chain(&call.result);
        collector.act(&name, !texts.into_iter().any(|text| text.contains('[')));
    }
    if let Some(arguments) = call.arguments.as_ref().filter(|_| !failed) {
        match parse(arguments) {
            Ok(arguments) => json_value(&arguments, &Around::default(), collector),
            Err(_) => collector.text(arguments),
        }
    }
}

/// The call that a message of the system tells of: JSON that a tool gave, or `name: result`.
pub(super) fn call_in(text: &str) -> Option<ToolCall> {
    let text = text.trim();
    let is_json = text.starts_with(['{', '[']) && parse(text).is_ok();
    let (name, result) = if is_json { ("", text) } else { named_result(text)? };
    Some(ToolCall { name: name.to_owned(), arguments: None, result: Some(result.to_owned()) })
}

fn named_result(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')?;
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let result = ["->", "=>", "\u{2192}", ":", "="].iter().find_map(|mark| rest.strip_prefix(mark))?;
    let is_name = name.contains('_') || name.contains(|c: char| c.is_ascii_uppercase()) && name.len() > 8;
    (is_name && !result.trim().is_empty()).then_some((name, result.trim()))
}

/// What an object says about the numbers in it.
#[derive(Default, Clone)]
struct Around {
    /// The currency that it or one around it names.
    currency: Option<String>,
    /// The words of the key.
    key: Vec<String>,
    /// What it says its numbers count.
    unit: Option<String>,
    /// Whether the call did something and did not only look it up.
    acts: bool,
    /// Whether it did or took in what it was called for.
    took: bool,
}

fn json_value(json: &Json, around: &Around, collector: &mut Collector<'_>) {
    match json {
        Json::Object(object) => {
            object_value(object, around, collector);
            sums(std::slice::from_ref(json), around, collector);
        }
        Json::Array(items) => {
            collector.list(items.len());
            for item in items {
                json_value(item, around, collector);
            }
            sums(items, around, collector);
        }
        Json::Number(_) => {
            if let Some(number) = number(json) {
                number_value(number, around, collector);
            }
        }
        Json::String(text) => string_value(text, around, collector),
        Json::Bool(true) => deeds_of(&around.key, around.acts, collector),
        Json::Bool(false) | Json::Null => {}
    }
}

fn object_value(object: &Object, around: &Around, collector: &mut Collector<'_>) {
    let named = |keys: &[&str]| keys.iter().find_map(|key| object.get(key).and_then(Json::as_str));
    let is_currency = |key: &str| key.to_ascii_lowercase().contains("currency");
    let codes = object.iter().filter(|(key, _)| is_currency(key)).filter_map(|(_, value)| value.as_str());
    let mut codes = codes.map(str::to_ascii_uppercase);
    // Two currencies do not say which number is in which.
    let currency = match (codes.next(), codes.next()) {
        (None, _) => around.currency.clone(),
        (one, None) => one,
        (Some(_), Some(_)) => None,
    };
    let unit = named(&["unit", "units", "time_unit"]).map(str::to_ascii_lowercase);
    for (key, value) in object.iter() {
        let (key, unit) = (words_of(key), unit.clone());
        if !matches!(value, Json::Bool(false) | Json::Null) {
            collector.words(&key);
        }
        if matches!(value, Json::Number(_)) {
            collector.counted(key.last());
        }
        let mut around = Around { currency: currency.clone(), key, unit, ..*around };
        let [english, _] = collector.lexicons();
        let of_key = around.key.iter().find_map(|word| english.currency(word));
        if let Some((currency, 1)) = of_key {
            around.currency = Some(currency.to_owned());
        }
        let is_something = match value {
            Json::Number(_) => number(value).is_some_and(|number| number != Exact::ZERO),
            Json::String(text) => !text.is_empty(),
            _ => false,
        };
        if is_something {
            deeds_of(&around.key, around.acts, collector);
        }
        json_value(value, &around, collector);
    }
}

/// What the numbers of a list come to: those of each key that its objects share, so many times each where another key
/// says how many.
fn sums(items: &[Json], around: &Around, collector: &mut Collector<'_>) {
    let Some(Json::Object(first)) = items.first() else { return list_sum(items, around, collector) };
    // A member is found by looking at those before it.
    let is_small = |item: &Json| item.as_object().is_some_and(|object| object.len() <= MEMBERS_MAX);
    let first = if items.iter().all(is_small) { first.iter() } else { return };
    let column = |key: &str| items.iter().map(|item| number(item.get(key)?)).collect::<Option<Vec<Exact>>>();
    let is_name = |key: &str| words_of(key).iter().any(|word| NAME_KEYS.contains(&word.as_str()));
    let columns: Vec<Vec<Exact>> =
        first.filter(|(key, _)| !is_name(key)).filter_map(|(key, _)| column(key)).take(COLUMNS_MAX).collect();
    let counts = COUNT_KEYS.iter().filter_map(|key| column(key)).collect::<Vec<_>>();
    let sum = |numbers: Vec<Option<Exact>>| {
        numbers.into_iter().try_fold(Exact::ZERO, |sum, number| sum.checked_add(number?))
    };
    for one in &columns {
        let alone = sum(one.iter().copied().map(Some).collect()).filter(|_| items.len() > 1);
        let times = |other: &Vec<Exact>| {
            sum(one.iter().zip(other).map(|(one, other)| one.checked_mul(*other)).collect())
        };
        for sum in counts.iter().map(times).chain([alone]).flatten() {
            collector.amount(sum, around.currency.clone());
        }
    }
}

/// What numbers come to, where a list has nothing else.
fn list_sum(items: &[Json], around: &Around, collector: &mut Collector<'_>) {
    let numbers: Option<Vec<Exact>> = items.iter().map(number).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1) else { return };
    if let Some(sum) = numbers.into_iter().try_fold(Exact::ZERO, Exact::checked_add) {
        collector.amount(sum, around.currency.clone());
    }
}

fn number(json: &Json) -> Option<Exact> {
    match json {
        Json::Number(number) => number.parse().ok(),
        _ => None,
    }
}

fn number_value(number: Exact, around: &Around, collector: &mut Collector<'_>) {
    let number =
        if number < Exact::ZERO { Exact::ZERO.checked_sub(number).unwrap_or(number) } else { number };
    let is_name = around.key.last().is_some_and(|word| NAME_KEYS.contains(&word.as_str()));
    let written = number.to_string();
    collector.value(Value::Number(written));
    if is_name {
        return;
    }
    let [english, _] = collector.lexicons();
    let cents = around.key.iter().any(|word| english.currency(word).is_some_and(|(_, parts)| parts > 1));
    if let Some(part) = number.over(100).filter(|_| cents) {
        collector.amount(part, around.currency.clone());
    }
    let is_price = around.key.iter().any(|word| PRICE_KEYS.contains(&word.as_str()));
    if is_price {
        collector.price(number, around.currency.clone());
    }
    collector.amount(number, around.currency.clone());
    collector.share(number, is_share(&around.key, english));
    if around.key.iter().any(|word| word == "rate") {
        collector.rate(number);
    }
    span_value([number; 2], around, collector);
    collector.number(number);
}

/// Whether a key says that its number is a share.
fn is_share(key: &[String], english: &Lexicon) -> bool {
    key.iter().any(|word| english.is_percent(word) || SHARE_KEYS.contains(&word.as_str()))
}

/// A length of time, where the key or a `unit` beside it says what is counted.
fn span_value(ends: [Exact; 2], around: &Around, collector: &mut Collector<'_>) {
    let lexicons = collector.lexicons();
    let unit = |word: &String| lexicons.iter().find_map(|lexicon| lexicon.unit(word));
    let is_working = around.key.iter().any(|word| word == "business" || word == "working");
    if let Some(unit) = around.key.iter().chain(&around.unit).find_map(unit) {
        collector.span(ends, if is_working { (TimeUnit::WorkingDays, 1) } else { unit });
    }
}

fn string_value(text: &str, around: &Around, collector: &mut Collector<'_>) {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Moment>() {
        collector.moment(moment, text.len() > DATE_BYTES);
        // The day, and the time of day as it is written, in its own time zone.
        collector.figures(text);
        return collector.figures(text.get(DATE_BYTES + 1..TIME_END).unwrap_or_default());
    }
    for number in loose_numbers(text) {
        number_value(number, around, collector);
    }
    if let Some((least, most)) = text.split_once(['-', '\u{2013}'])
        && let (Ok(least), Ok(most)) = (least.trim().parse(), most.trim().parse())
    {
        span_value([least, most], around, collector);
    }
    let words = words_of(text);
    let is_code = text.contains(|c: char| c.is_ascii_digit()) && words.len() <= STATE_WORDS_MAX + 2;
    if is_code || !text.contains(char::is_whitespace) && text.contains(char::is_alphanumeric) {
        collector.value(Value::Code(text.to_uppercase().replace(char::is_whitespace, "")));
    }
    if words.len() <= STATE_WORDS_MAX && !text.contains('@') {
        collector.words(&words);
        if around.took {
            collector.called(&words);
        }
        deeds_of(&words, around.acts, collector);
    }
    collector.company_text(text);
}

/// `"cancelled": true`, `"refunded_at": "…"` and `"status": "cancelled"` say what was done, and so do `"refund": 20` and
/// `"type": "refund"` where the call did something.
fn deeds_of(words: &[String], acts: bool, collector: &mut Collector<'_>) {
    for lexicon in collector.lexicons() {
        let deeds = if acts { lexicon.deeds_named(words) } else { lexicon.deeds_done(words) };
        for deed in deeds {
            collector.deed(deed);
        }
    }
}

fn is_failure(json: &Json, lexicons: &[&Lexicon; 2]) -> bool {
    let Json::Object(object) = json else {
        let is_failed = |text: &str| is_said(text, WordList::Failed, lexicons);
        return json.as_str().is_some_and(is_failed) || *json == Json::Bool(false);
    };
    let is_there =
        |value: &Json| !matches!(value, Json::Null | Json::Bool(false)) && value.as_str() != Some("");
    let has_error = ERROR_KEYS.iter().any(|key| object.get(key).is_some_and(is_there));
    let denies = ["success", "ok", "succeeded"].iter().any(|key| object.get(key) == Some(&Json::Bool(false)));
    let is_bad = |value: &Json| match value {
        Json::String(text) => is_said(text, WordList::Failed, lexicons),
        Json::Number(code) => code.parse::<u32>().is_ok_and(|code| (400..600).contains(&code)),
        _ => false,
    };
    has_error || denies || OUTCOME_KEYS.iter().filter_map(|key| object.get(key)).any(is_bad)
}

/// Whether what a call was made for is still to come.
fn is_pending(json: &Json, lexicons: &[&Lexicon; 2]) -> bool {
    let states = OUTCOME_KEYS.iter().filter_map(|key| json.get(key).and_then(Json::as_str));
    let is_list =
        |state: &str| words_of(state).len() <= STATE_WORDS_MAX && is_said(state, WordList::Pending, lexicons);
    states.into_iter().any(is_list)
}

/// Whether a text has a phrase of a list in one of the languages.
fn is_said(text: &str, list: WordList, lexicons: &[&Lexicon; 2]) -> bool {
    lexicons.iter().any(|lexicon| says(text, list, lexicon))
}

/// The words of a name or a state, in lower case: `cancelOrder`, `cancel_order` and `Cancel order` have the same.
pub(super) fn words_of(name: &str) -> Vec<String> {
    spaced(name).split_whitespace().map(str::to_owned).collect()
}

/// The same words in one text, with a space before and behind each.
pub(super) fn spaced(name: &str) -> String {
    let (mut words, mut was_lower) = (String::with_capacity(name.len() + 2), false);
    words.push(' ');
    for c in name.chars().chain([' ']) {
        let is_part = c.is_alphanumeric();
        if (!is_part || (c.is_uppercase() && was_lower)) && !words.ends_with(' ') {
            words.push(' ');
        }
        match c {
            _ if !is_part => {}
            c if c.is_ascii() => words.push(c.to_ascii_lowercase()),
            c => words.extend(c.to_lowercase()),
        }
        was_lower = c.is_lowercase();
    }
    words
}
