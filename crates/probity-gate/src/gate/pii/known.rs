//! Personal data that the case lists, whole and in parts, in whatever spelling the reply has it.
//!
//! A name counts whole or by its family name, except where a greeting uses it; a number by its digits; an
//! e-mail address whole or by a local part that is no plain word; an address by its lines. A first name by
//! itself is never a leak.

use std::ops::Range;

use super::super::rewritten::Rewritten;
use super::fold::Folded;
use super::kind::{Hit, Kind};
use super::words::{List, before, is_word_byte};

/// How many bytes of letters and digits a value needs to be looked for at all.
const KEY_MIN: usize = 2;
/// Values with fewer bytes than this are looked for as they are written: not over spaces, and not inside a word.
const SPACED_MIN: usize = 4;
/// How many bytes a part of a value needs to be looked for by itself.
const PART_MIN: usize = 6;

/// Words before a name in a greeting.
static GREETINGS: List =
    List::of("hi hello dear hey thanks morning afternoon evening welcome sorry sir madam");

/// Text without its separators, in lower case, with the way back.
#[derive(Debug, Default)]
pub(super) struct Squashed(Rewritten);

impl Squashed {
    /// The letters and digits of `text`.
    pub(super) fn new(text: &str) -> Self {
        let mut squashed = Rewritten::with_capacity(text.len());
        for (at, char) in text.char_indices().filter(|(_, char)| char.is_alphanumeric()) {
            let origin = at..at + char.len_utf8();
            char.to_lowercase().for_each(|lower| squashed.push(lower, origin.clone()));
        }
        Squashed(squashed)
    }

    /// The letters and digits.
    pub(super) fn text(&self) -> &str {
        self.0.text()
    }

    /// Where `key` stands in the original, also inside a word or a number.
    pub(super) fn spans(&self, key: &str) -> impl Iterator<Item = Range<usize>> {
        self.text().match_indices(key).map(|(at, _)| self.0.original(&(at..at + key.len())))
    }

    /// Where `key` stands in `text`, which this was made from, as whole words or numbers.
    pub(super) fn find(&self, text: &str, key: &str) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        if key.len() < KEY_MIN {
            return Vec::new();
        }
        let is_short = key.len() < SPACED_MIN;
        let spans = self.spans(key).filter(|span| !is_short || span.len() == key.len());
        let is_number = key.bytes().all(|byte| byte.is_ascii_digit()) && !is_short;
        let joins = |byte: u8| if is_number { byte.is_ascii_digit() } else { is_word_byte(byte) };
        let is_whole = |span: &Range<usize>| {
            (span.start == 0 || !joins(bytes[span.start - 1]))
                && bytes.get(span.end).is_none_or(|byte| !joins(*byte))
        };
        spans.filter(is_whole).filter(|span| span.len() < key.len() * 4 + 16).collect()
    }
}

/// Where any of the `known` values stands in `text`, which is folded.
pub(super) fn find(text: &str, known: &[String]) -> Vec<Hit> {
    if known.is_empty() {
        return Vec::new();
    }
    let squashed = Squashed::new(text);
    let mut hits = Vec::new();
    for value in known {
        let folded = Folded::new(value);
        let value = folded.text().trim();
        let spans = if value.contains('@') {
            email(text, value, &squashed)
        } else if value.bytes().any(|byte| byte.is_ascii_digit()) {
            number_or_address(text, value, &squashed)
        } else {
            name(text, value, &squashed)
        };
        hits.extend(spans.into_iter().map(|span| Hit::new(Kind::Known, span)));
    }
    hits
}

/// Where an address or its local part stands.
fn email(text: &str, value: &str, squashed: &Squashed) -> Vec<Range<usize>> {
    let mut spans = squashed.find(text, Squashed::new(value).text());
    let local = value.split('@').next().unwrap_or("").to_ascii_lowercase();
    let is_plain_word = local.bytes().all(|byte| byte.is_ascii_alphabetic());
    if local.len() >= PART_MIN && !is_plain_word {
        let lower = text.to_ascii_lowercase();
        let bytes = text.as_bytes();
        let is_whole = |at: usize| {
            let end = at + local.len();
            (at == 0 || !is_word_byte(bytes[at - 1]))
                && bytes.get(end).is_none_or(|byte| !is_word_byte(*byte))
        };
        spans.extend(
            lower.match_indices(&local).filter(|(at, _)| is_whole(*at)).map(|(at, _)| at..at + local.len()),
        );
    }
    spans
}

/// Where a number, or the whole or a line of an address, stands.
fn number_or_address(text: &str, value: &str, squashed: &Squashed) -> Vec<Range<usize>> {
    let has_letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let whole = Squashed::new(value);
    let mut spans = squashed.find(text, whole.text());
    if !has_letters && whole.text().len() > 10 {
        // A phone is also known without its country. Where letters of another script stand, it is none.
        let own = whole.text().get(whole.text().len() - 10..);
        spans.extend(own.into_iter().flat_map(|own| squashed.find(text, own)));
    }
    for line in value.split([',', '\n', ';']).filter(|_| has_letters) {
        let line = Squashed::new(line);
        let has_digit = line.text().bytes().any(|byte| byte.is_ascii_digit());
        let n_letters = line.text().chars().filter(|char| char.is_alphabetic()).count();
        if has_digit && n_letters > 3 && line.text().len() > PART_MIN && line.text() != whole.text() {
            spans.extend(squashed.find(text, line.text()));
        }
    }
    spans
}

/// Where a name stands, whole or by its last part.
fn name(text: &str, value: &str, squashed: &Squashed) -> Vec<Range<usize>> {
    let whole = Squashed::new(value);
    let parts: Vec<&str> = value.split_whitespace().collect();
    let mut spans = squashed.find(text, whole.text());
    if let [_, .., family] = &parts[..]
        && family.len() > 3
    {
        let family = squashed.find(text, Squashed::new(family).text());
        spans.extend(family.into_iter().filter(|span| is_used_as_name(text, span)));
    } else if parts.len() == 1 && value.starts_with(|c: char| c.is_ascii_uppercase()) {
        spans.retain(|span| is_used_as_name(text, span));
    }
    spans
}

/// Whether one part of a name is written as a name and outside a greeting.
fn is_used_as_name(text: &str, span: &Range<usize>) -> bool {
    let is_capital = text[span.clone()].starts_with(char::is_uppercase);
    let is_greeting = before(text, span.start).take(3).any(|word| word.is_in(&GREETINGS));
    let opens_sentence = before(text, span.start).next().is_none();
    is_capital && !is_greeting && !opens_sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, known: &str, want: &str) {
        let got: Vec<&str> = find(text, &[known.to_owned()]).into_iter().map(|hit| &text[hit.span]).collect();
        assert_eq!(got.join(" | "), want, "{text}");
    }

    #[test]
    fn values_are_found_whole_and_in_parts() {
        check("as JANE DOE said", "Jane Doe", "JANE DOE");
        check("as we told Novak, it", "Ludmila Novak", "Novak");
        check("at 415.555.2671 now", "+1 (415) 555-2671", "415.555.2671");
        check("user jane.doe7 is", "jane.doe7@mail.net", "jane.doe7");
        check("to 12 oak street.", "12 Oak Street, Springfield, IL 62704", "12 oak street");
    }

    #[test]
    fn n19_short_values_are_found_as_whole_words() {
        check("as Li said, the list", "Li", "Li");
        check("the list is live in Lima", "Li", "");
        check("tell it to us in l i n e", "li", "");
        check("your age of 42 is", "42", "42");
        check("in 420 days, A42 or 4 2", "42", "");
        check("the code 737 on the back", "737", "737");
        check("seat B2, not B 2", "B2", "B2");
    }

    #[test]
    fn a_known_value_is_not_cut_inside_a_character() {
        check("on ж1 now", "жжжжж1", "");
    }

    #[test]
    fn greetings_and_plain_words_are_not() {
        check("Hi Jane, thanks", "Jane Doe", "");
        check("Dear Ms. Price, the Price is", "Ann Price", "Price");
        check("Price is 5", "Ann Price", "");
        check("ask support", "support@mail.net", "");
    }
}
