//! What the calls of tools show: figures and references in their results, and what they did.
//!
//! A result is JSON or a text. A call that succeeded shows what its name says (`cancel_reservation`). A call without a
//! result shows nothing, and neither does one that failed.

use super::super::claim::{Lexicon, WordList};
use super::result::{Around, Origin, deeds_of, json_value, parts_value};
use super::says;
use super::shown::Collector;
use super::written;
use crate::case::ToolCall;
use crate::json::{Json, Object, parse};

/// The most words of a string that is a state and no sentence.
pub(super) const STATE_WORDS_MAX: usize = 4;

/// What every call does that neither failed nor is done.
const HANDED_IN: &str = "opening";

/// Adds what a call shows.
pub(super) fn add(call: &ToolCall, collector: &mut Collector<'_>) {
    collector.call();
    let name = words_of(&call.name);
    let Some(result) = &call.result else { return };
    let json = written::json(result);
    let lexicons = collector.lexicons();
    let is_failed = |text: &str| is_said(text, WordList::Failed, &lexicons);
    // `cancel_order` with `"cancelled": false`.
    let denies = |(key, value): (&str, &Json)| {
        let is_its = |lexicon: &&Lexicon| {
            let asked = lexicon.deeds_of_call(&name);
            lexicon.deeds_done(&words_of(key)).iter().any(|deed| asked.contains(deed))
        };
        *value == Json::Bool(false) && lexicons.iter().any(is_its)
    };
    let failed = match &json {
        Some(Json::Null) => true,
        Some(Json::Object(object)) => is_failure(object, &lexicons) || object.iter().any(denies),
        Some(json) => *json == Json::Bool(false) || json.as_str().is_some_and(is_failed),
        None => is_failed(result),
    };
    if !failed {
        collector.words(|read| &mut read.shown.words, &name);
    }
    // `request_refund` asks for it, `cancel_pending_order` does something.
    let asks = name.first().is_some_and(|word| is_said(word, WordList::Pending, &lexicons));
    let object = json.as_ref().and_then(Json::as_object);
    // The order of `modify_pending_order_address` stays pending.
    let stays = name.iter().any(|word| word == "pending");
    let is_open = asks || !stays && object.is_some_and(|object| is_pending(object, &lexicons));
    // `lager` looks up a stock, `sperre` may do something.
    let is_of_thing = lexicons.iter().all(|lexicon| lexicon.deeds_of_call(&name).is_empty());
    let says_outcome = json.as_ref().is_none_or(|json| says_outcome(json, &lexicons));
    let reads = lexicons.iter().any(|lexicon| lexicon.is_reading_call(&name));
    let given = call.arguments.as_ref().and_then(|text| parse(text).ok());
    let (origin, of_given) = match () {
        () if failed || reads || is_of_thing && !says_outcome => (Origin::Looked, Origin::Looked),
        () if is_open => (Origin::Took, Origin::Given),
        () => (Origin::Did, Origin::Given),
    };
    collector.came_to(&name, origin);
    match &json {
        Some(json) => json_value(json, &Around::of(origin), collector),
        None => text_value(result, collector),
    }
    // What is still to come was handed in.
    if origin == Origin::Took {
        collector.deed(HANDED_IN);
    }
    // What was tried has these figures too.
    match &given {
        Some(given) => json_value(given, &Around::of(of_given), collector),
        None => call.arguments.iter().for_each(|arguments| collector.text(arguments)),
    }
    if origin == Origin::Did {
        collector.act.n_things = longest_list(given.as_ref()).max(longest_list(json.as_ref()));
    }
    if failed {
        collector.failed(0);
    }
}

/// Whether a result says what came of a call, and not only what there is.
fn says_outcome(json: &Json, lexicons: &[&Lexicon; 2]) -> bool {
    let is_done = |text: &str| lexicons.iter().any(|lexicon| !lexicon.deeds_done(&words_of(text)).is_empty());
    let is_state = |text: &str| is_said(text, WordList::Pending, lexicons) || is_done(text);
    let says = |(key, value): (&str, &Json)| {
        *value == Json::Bool(true)
            || value.as_str().is_some_and(is_state)
            || lexicons[0].has(WordList::OutcomeKeys, &key.to_lowercase())
    };
    match json {
        Json::Object(object) => object.iter().any(says),
        Json::Array(_) => false,
        _ => true,
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

/// A result that is no JSON: a text, or lines of states such as `reported 04:52 | crew on site`.
pub(super) fn text_value(text: &str, collector: &mut Collector<'_>) {
    parts_value(text, &Around::default(), collector);
    for part in text.split(['|', '\n', ';', ',', '<', '>']).flat_map(|part| part.split(". ")) {
        let words = words_of(part);
        if words.len() <= STATE_WORDS_MAX + 1 {
            deeds_of(&words, false, collector);
        }
    }
    collector.company_text(text);
}

/// Whether an object says that what it is about failed.
pub(super) fn is_failure(object: &Object, lexicons: &[&Lexicon; 2]) -> bool {
    let is_there = |value: &Json| match value {
        Json::Null | Json::Bool(false) => false,
        Json::Number(number) => number.parse() != Ok(0),
        Json::String(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Bool(true) | Json::Object(_) => true,
    };
    let is_error = |(key, value): (&str, &Json)| {
        is_there(value) && lexicons[0].has_any(WordList::ErrorKeys, &words_of(key))
    };
    // `"refund": {"status": "rejected"}`.
    let is_whole = named(object, WordList::OutcomeKeys, lexicons).next().is_none();
    let mut parts = object.iter().filter_map(|(_, value)| value.as_object().filter(|_| is_whole));
    object.iter().any(is_error)
        || parts.any(|part| is_failure(part, lexicons))
        || named(object, WordList::SuccessKeys, lexicons).any(|value| !is_there(value))
        || is_said_of(object, WordList::Failed, lexicons)
}

/// The members whose keys stand in a list, whatever their case: `"Success": false`.
fn named<'j>(object: &'j Object, list: WordList, lexicons: &[&Lexicon; 2]) -> impl Iterator<Item = &'j Json> {
    let english = lexicons[0];
    object.iter().filter(move |(key, _)| english.has(list, &key.to_lowercase())).map(|(_, value)| value)
}

/// How many items the longest list in JSON has, at least one.
fn longest_list(json: Option<&Json>) -> usize {
    match json {
        Some(Json::Array(items)) => items.len().max(1),
        Some(Json::Object(object)) => {
            object.iter().map(|(_, value)| longest_list(Some(value))).max().unwrap_or(1)
        }
        _ => 1,
    }
}

/// Whether what a call was made for is still to come.
fn is_pending(object: &Object, lexicons: &[&Lexicon; 2]) -> bool {
    // `"requires_approval": true`.
    let is_open =
        |(key, value): (&str, &Json)| *value == Json::Bool(true) && is_said(key, WordList::Pending, lexicons);
    object.iter().any(is_open) || is_said_of(object, WordList::Pending, lexicons)
}

/// Whether the state of an object stands in a list.
pub(super) fn is_said_of(object: &Object, list: WordList, lexicons: &[&Lexicon; 2]) -> bool {
    let mut states = named(object, WordList::OutcomeKeys, lexicons).filter_map(Json::as_str);
    states.any(|state| is_said(state, list, lexicons))
}

/// Whether a text has a phrase of a list in one of the languages.
pub(super) fn is_said(text: &str, list: WordList, lexicons: &[&Lexicon; 2]) -> bool {
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
