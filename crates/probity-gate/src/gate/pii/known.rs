//! Personal data that the case lists, and what the customer wrote, in whatever spelling the reply has it.
//!
//! Comparing leaves out separators and case. Of what the case lists, a name counts whole or by its family name, except
//! where a greeting uses it; a number by its digits; an e-mail address whole or by a local part that is no plain word; an
//! address by its lines. A first name by itself is never a leak. What the customer wrote counts as whole words: an order
//! number that happens to contain a code does not make the code the customer's own.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::super::text::{List, Rewritten, Text, is_whole, is_word_byte, run_before};
use super::allow::squashed;
use super::kind::{Hit, Kind};

/// How many bytes of letters and digits a value needs to be looked for at all.
const KEY_MIN: usize = 2;
/// Values with fewer bytes than this are looked for as they are written: not over spaces, and not inside a word.
const SPACED_MIN: usize = 4;
/// How many bytes a part of a value needs to be looked for by itself.
const PART_MIN: usize = 6;
/// How many values are looked for in what the customer wrote. Values beyond are not compared and stay leaks.
const VALUES_MAX: usize = 256;
/// How many digits of a phone are the same with and without its country or trunk prefix.
const OWN_DIGITS: usize = 9;
/// The most digits that a phone has with its country.
const PHONE_DIGITS_MAX: usize = 13;

/// A clean text in which values are looked for by their letters and digits.
struct Searched {
    text: String,
    squashed: Rewritten,
}

impl Searched {
    fn new(text: &str) -> Self {
        Searched { text: text.to_owned(), squashed: Rewritten::squashed(text) }
    }

    /// Where `key`, which is squashed, stands, also inside a word or a number.
    fn spans(&self, key: &str) -> impl Iterator<Item = Range<usize>> {
        self.squashed.text().match_indices(key).map(|(at, key)| self.squashed.original(&(at..at + key.len())))
    }

    /// Where the letters and digits of `value` stand as whole words or numbers.
    fn find(&self, value: &str) -> Vec<Range<usize>> {
        let squashed = Rewritten::squashed(value);
        let key = squashed.text();
        if key.len() < KEY_MIN {
            return Vec::new();
        }
        let (is_short, bytes) = (key.len() < SPACED_MIN, self.text.as_bytes());
        let joins: fn(&u8) -> bool =
            if is_number(key) && !is_short { u8::is_ascii_digit } else { |byte| is_word_byte(*byte) };
        let is_own = |span: &Range<usize>| {
            let fits = if is_short { span.len() == key.len() } else { span.len() < key.len() * 4 + 16 };
            fits && !bytes[..span.start].last().is_some_and(joins) && !bytes.get(span.end).is_some_and(joins)
        };
        self.spans(key).filter(is_own).collect()
    }

    /// Whether a number stands here that is `key` but for a country or trunk prefix, which either may have.
    fn has_phone(&self, key: &str) -> bool {
        let own = &key[key.len() - OWN_DIGITS..];
        self.spans(own).any(|span| {
            let start =
                span.start - run_before(&self.text, span.start, usize::MAX, |byte| byte.is_ascii_digit());
            let written = format!("{}{own}", &self.text[start..span.start]);
            let has_prefix = written.starts_with('0') || self.text[..start].ends_with('+');
            let [written, key] = [written.as_str(), key].map(|number| number.trim_start_matches('0'));
            let is_longer = key.len() > OWN_DIGITS + 1 && key.ends_with(written);
            !self.text[span.end..].starts_with(|char: char| char.is_ascii_digit())
                && (is_longer || (has_prefix && written.ends_with(key)))
        })
    }
}

fn is_number(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_digit())
}

/// What the customer wrote, made comparable when it is first needed.
pub(super) struct Echo<'a> {
    customer: &'a [&'a str],
    turns: OnceCell<Vec<Searched>>,
    n_compared: Cell<usize>,
}

impl<'a> Echo<'a> {
    /// Nothing has been compared yet.
    pub(super) fn new(customer: &'a [&'a str]) -> Self {
        Echo { customer, turns: OnceCell::new(), n_compared: Cell::new(0) }
    }

    /// Whether the customer wrote `value`, which is clean text.
    pub(super) fn contains(&self, value: &str) -> bool {
        self.n_compared.set(self.n_compared.get() + 1);
        if self.n_compared.get() > VALUES_MAX {
            return false;
        }
        let read = || self.customer.iter().map(|turn| Searched::new(Rewritten::clean(turn).text())).collect();
        let key = Rewritten::squashed(value);
        let is_phone = is_number(key.text()) && (OWN_DIGITS..=PHONE_DIGITS_MAX).contains(&key.text().len());
        let mut turns = self.turns.get_or_init(read).iter();
        turns.any(|turn| !turn.find(value).is_empty() || (is_phone && turn.has_phone(key.text())))
    }
}

/// Where any of the `known` values stands in `text`.
pub(super) fn find(text: &Text, known: &[String]) -> Vec<Hit> {
    if known.is_empty() {
        return Vec::new();
    }
    let searched = Searched::new(text);
    let spans = known.iter().flat_map(|value| {
        let clean = Rewritten::clean(value);
        match clean.text().trim() {
            email if email.contains('@') => email_spans(&searched, email),
            number if number.contains(|char: char| char.is_ascii_digit()) => {
                number_or_address(&searched, number)
            }
            value => name(text, &searched, value),
        }
    });
    spans.map(|span| Hit::new(Kind::Known, span)).collect()
}

/// Where an address or its local part stands.
fn email_spans(searched: &Searched, value: &str) -> Vec<Range<usize>> {
    let mut spans = searched.find(value);
    let local = value.split('@').next().unwrap_or("").to_ascii_lowercase();
    if local.len() >= PART_MIN && !local.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let lower = searched.text.to_ascii_lowercase();
        let parts = lower.match_indices(&local).map(|(at, local)| at..at + local.len());
        spans.extend(parts.filter(|span| is_whole(&searched.text, span)));
    }
    spans
}

/// Where a number, or the whole or a line of an address, stands.
fn number_or_address(searched: &Searched, value: &str) -> Vec<Range<usize>> {
    let (mut spans, whole) = (searched.find(value), squashed(value));
    if !value.contains(|char: char| char.is_ascii_alphabetic()) {
        // A phone is also known without its country. Where letters of another script stand, it is none.
        let own = whole.len().checked_sub(10).filter(|from| *from > 0).and_then(|from| whole.get(from..));
        spans.extend(own.into_iter().flat_map(|own| searched.find(own)));
        return spans;
    }
    let lines = value.split([',', '\n', ';']).filter(|line| {
        let key = squashed(line);
        let n_letters = key.chars().filter(|char| char.is_alphabetic()).count();
        let has_both = n_letters > 3 && key.contains(|char: char| char.is_ascii_digit());
        has_both && key.len() > PART_MIN && key != whole
    });
    spans.extend(lines.flat_map(|line| searched.find(line)));
    spans
}

/// Where a name stands, whole or by its last part.
fn name(text: &Text, searched: &Searched, value: &str) -> Vec<Range<usize>> {
    // One part of a name is written as a name and outside a greeting.
    let is_used = |span: &Range<usize>| {
        let mut words = text.before(span.start).take(3).peekable();
        let is_apart = words.peek().is_some() && !words.any(|word| word.is_in(List::Greetings));
        is_apart && text[span.clone()].starts_with(char::is_uppercase)
    };
    let parts: Vec<&str> = value.split_whitespace().collect();
    let mut spans = searched.find(value);
    if let [_, .., family] = &parts[..]
        && family.len() > 3
    {
        spans.extend(searched.find(family).into_iter().filter(is_used));
    } else if parts.len() == 1 && value.starts_with(|c: char| c.is_ascii_uppercase()) {
        spans.retain(is_used);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, known: &str, want: &str) {
        let got: Vec<&str> =
            find(&Text::new(text), &[known.to_owned()]).into_iter().map(|hit| &text[hit.span]).collect();
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

    #[track_caller]
    fn check_echo(ticket: &str, value: &str, want: bool) {
        assert_eq!(
            Echo::new(&[ticket]).contains(Rewritten::clean(value).text()),
            want,
            "{value:?} in {ticket:?}"
        );
    }

    #[test]
    fn n19_a_value_inside_another_is_not_the_customers() {
        check_echo("my order 10482193 is late", "482193", false);
        check_echo("my order 482193 is late", "482193", true);
        check_echo("my order 48-21-93 is late", "482193", true);
        check_echo("write to maryjane.doe@mail.example", "jane.doe@mail.example", false);
        check_echo("I am Jane Doe.", "JANE DOE", true);
        check_echo("order 98765432101234", "2345678901", false);
    }

    #[test]
    fn a_phone_is_the_same_with_and_without_its_prefix() {
        check_echo("call 415 555 2671", "+1 (415) 555-2671", true);
        check_echo("call +14155552671", "415-555-2671", true);
        check_echo("call 020 7946 0958", "+44 20 7946 0958", true);
        check_echo("call +442079460958", "020 7946 0958", true);
        check_echo("order 14155552671", "415-555-2671", false);
        check_echo("call 415 555 26711", "+1 (415) 555-2671", false);
    }
}
