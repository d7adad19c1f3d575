//! Whether the customer wrote a value in this conversation.
//!
//! Comparing leaves out separators and case, so a number counts in whatever grouping it was written. A value counts
//! as whole words: an order number that happens to contain a code does not make the code the customer's own. Values
//! beyond a fixed count are not compared and stay leaks.

use super::fold::Folded;
use super::known::Squashed;

/// How many values are looked for in what the customer wrote.
const VALUES_MAX: usize = 256;
/// How many digits of a phone are the same with and without its country or trunk prefix.
const OWN_DIGITS: usize = 9;
/// The most digits that a phone has with its country.
const PHONE_DIGITS_MAX: usize = 13;

/// What the customer wrote, made comparable when it is first needed.
pub(super) struct Echo<'a> {
    customer: &'a [&'a str],
    turns: Option<Vec<Turn>>,
    n_compared: usize,
}

/// One turn of the customer.
struct Turn {
    text: String,
    squashed: Squashed,
}

impl<'a> Echo<'a> {
    /// Nothing has been compared yet.
    pub(super) fn new(customer: &'a [&'a str]) -> Self {
        Echo { customer, turns: None, n_compared: 0 }
    }

    /// Whether the customer wrote `value`, which is folded text.
    pub(super) fn contains(&mut self, value: &str) -> bool {
        self.n_compared += 1;
        if self.customer.is_empty() || self.n_compared > VALUES_MAX {
            return false;
        }
        let customer = self.customer;
        let turns = self.turns.get_or_insert_with(|| customer.iter().map(|turn| Turn::new(turn)).collect());
        let value = Squashed::new(value);
        turns.iter().any(|turn| turn.has(value.text()))
    }
}

impl Turn {
    fn new(text: &str) -> Turn {
        let text = Folded::new(text).text().to_owned();
        Turn { squashed: Squashed::new(&text), text }
    }

    /// Whether `key`, which is squashed, stands here as whole words or as a whole number.
    fn has(&self, key: &str) -> bool {
        let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
        let is_phone = is_number && (OWN_DIGITS..=PHONE_DIGITS_MAX).contains(&key.len());
        !self.squashed.find(&self.text, key).is_empty() || (is_phone && self.has_phone(key))
    }

    /// Whether a number stands here that is `key` but for a country or trunk prefix, which either may have.
    fn has_phone(&self, key: &str) -> bool {
        let own = &key[key.len() - OWN_DIGITS..];
        let bytes = self.text.as_bytes();
        self.squashed.spans(own).any(|span| {
            let is_digit = |byte: &u8| byte.is_ascii_digit();
            let n_before = bytes[..span.start].iter().rev().take_while(|byte| is_digit(byte)).count();
            let start = span.start - n_before;
            let written = format!("{}{own}", &self.text[start..span.start]);
            let has_prefix = written.starts_with('0') || self.text[..start].ends_with('+');
            let [written, key] = [written.as_str(), key].map(|number| number.trim_start_matches('0'));
            let is_longer = key.len() > OWN_DIGITS + 1 && key.ends_with(written);
            bytes.get(span.end).is_none_or(|byte| !is_digit(byte))
                && (is_longer || (has_prefix && written.ends_with(key)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ticket: &str, value: &str, want: bool) {
        assert_eq!(Echo::new(&[ticket]).contains(Folded::new(value).text()), want, "{value:?} in {ticket:?}");
    }

    #[test]
    fn n19_a_value_inside_another_is_not_the_customers() {
        check("my order 10482193 is late", "482193", false);
        check("my order 482193 is late", "482193", true);
        check("my order 48-21-93 is late", "482193", true);
        check("write to maryjane.doe@mail.example", "jane.doe@mail.example", false);
        check("I am Jane Doe.", "JANE DOE", true);
        check("order 98765432101234", "2345678901", false);
    }

    #[test]
    fn a_phone_is_the_same_with_and_without_its_prefix() {
        check("call 415 555 2671", "+1 (415) 555-2671", true);
        check("call +14155552671", "415-555-2671", true);
        check("call 020 7946 0958", "+44 20 7946 0958", true);
        check("call +442079460958", "020 7946 0958", true);
        check("order 14155552671", "415-555-2671", false);
        check("call 415 555 26711", "+1 (415) 555-2671", false);
    }
}
