//! Personal data that the case lists, and what the customer wrote, in whatever spelling the reply has it.
//!
//! Comparing leaves out separators and case. Of what the case lists, a name counts whole or by its family name, except
//! where a greeting uses it; a phone with and without its country; an e-mail address whole or by a local part that is no
//! plain word; an address by its lines. A first name by itself is never a leak. What the customer wrote counts as whole
//! words: an order number that happens to contain a code does not make the code the customer's own.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::super::text::{ContactKind, List, Rewritten, Text, is_whole};
use super::allow::same_phone;
use super::kind::{Hit, Kind};

/// How many bytes of letters and digits a value needs to be looked for at all.
const KEY_MIN: usize = 2;
/// Values with fewer bytes than this are looked for as they are written, and not over spaces.
const SPACED_MIN: usize = 4;
/// How many bytes a part of a value needs to be looked for by itself.
const PART_MIN: usize = 6;
/// How many values are looked for in what the customer wrote. Values beyond are not compared and stay leaks.
const VALUES_MAX: usize = 256;

/// Where the letters and digits of `value` stand in a text, which was also `squashed`, as whole words or numbers, or the
/// phone that it is.
fn places(text: &Text, squashed: &Rewritten, value: &str) -> Vec<Range<usize>> {
    let key = Rewritten::squashed(value);
    let key = key.text();
    let len_max = if key.len() < SPACED_MIN { key.len() } else { key.len() * 4 + 16 };
    let found = squashed.text().match_indices(key).map(|(at, key)| squashed.original(&(at..at + key.len())));
    let fits = |span: &Range<usize>| (KEY_MIN..=len_max).contains(&span.len()) && is_whole(text, span);
    let phones = text.contacts.iter().filter(|contact| {
        contact.kind == ContactKind::Phone && same_phone(&text[contact.core.clone()], value)
    });
    found.filter(fits).chain(phones.map(|phone| phone.core.clone())).collect()
}

/// What the customer wrote, read when it is first needed.
pub(super) struct Echo<'a> {
    customer: &'a [&'a str],
    turns: OnceCell<Vec<(Rewritten, Text)>>,
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
        let texts = || self.customer.iter().map(|turn| Text::new(turn));
        let turns =
            self.turns.get_or_init(|| texts().map(|text| (Rewritten::squashed(&text), text)).collect());
        turns.iter().any(|(squashed, text)| !places(text, squashed, value).is_empty())
    }
}

/// Where any of the `known` values stands in `text`.
pub(super) fn find(text: &Text, known: &[String]) -> Vec<Hit> {
    if known.is_empty() {
        return Vec::new();
    }
    let (mut hits, squashed) = (Vec::new(), Rewritten::squashed(text));
    for value in known {
        let clean = Rewritten::clean(value);
        let value = clean.text().trim();
        let is_name = !value.contains(|char: char| char == '@' || char.is_ascii_digit());
        for part in std::iter::once(value).chain(parts(value)) {
            let is_whole = !is_name || part.contains(' ');
            let spans = places(text, &squashed, part)
                .into_iter()
                .filter(|span| is_whole || is_used(text, part, span));
            hits.extend(spans.map(|span| Hit::new(Kind::Known, span)));
        }
    }
    hits
}

/// The parts of a value that say whose it is by themselves: a family name, a local part, the lines of an address.
fn parts(value: &str) -> Vec<&str> {
    if let Some((local, _)) = value.split_once('@') {
        let is_telling = local.len() >= PART_MIN && local.contains(|char: char| !char.is_ascii_alphabetic());
        return is_telling.then_some(local).into_iter().collect();
    }
    if value.contains(|char: char| char.is_ascii_digit()) {
        let is_telling = |line: &&str| {
            let n_letters = line.chars().filter(|char| char.is_alphabetic()).count();
            n_letters > 3 && line.len() > PART_MIN && line.contains(|char: char| char.is_ascii_digit())
        };
        return value.split([',', '\n', ';']).filter(is_telling).collect();
    }
    value.rsplit_once(' ').map(|(_, family)| family).filter(|family| family.len() > 3).into_iter().collect()
}

/// Whether one part of a name is written as a name at `span`, and outside a greeting.
fn is_used(text: &Text, part: &str, span: &Range<usize>) -> bool {
    let mut words = text.before(span.start).take(3).peekable();
    let is_apart = words.peek().is_some() && !words.any(|word| word.is_in(List::Greetings));
    !part.starts_with(char::is_uppercase) || (is_apart && text[span.clone()].starts_with(char::is_uppercase))
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
