//! Whether the customer wrote a value in this conversation.
//!
//! Comparing leaves out separators and case, so a number counts in whatever grouping it was written. Values
//! beyond a fixed count are not compared and stay leaks.

use super::fold::Folded;
use super::known::Squashed;

/// How many values are looked for in what the customer wrote.
const VALUES_MAX: usize = 256;

/// What the customer wrote, made comparable when it is first needed.
pub(super) struct Echo<'a> {
    customer: &'a [&'a str],
    squashed: Option<Vec<Squashed>>,
    n_compared: usize,
}

impl<'a> Echo<'a> {
    /// Nothing has been compared yet.
    pub(super) fn new(customer: &'a [&'a str]) -> Self {
        Echo { customer, squashed: None, n_compared: 0 }
    }

    /// Whether the customer wrote `value`, which is folded text.
    pub(super) fn contains(&mut self, value: &str) -> bool {
        self.n_compared += 1;
        if self.customer.is_empty() || self.n_compared > VALUES_MAX {
            return false;
        }
        let customer = self.customer;
        let turns = self.squashed.get_or_insert_with(|| {
            customer.iter().map(|turn| Squashed::new(Folded::new(turn).text())).collect()
        });
        let value = Squashed::new(value);
        let key = value.text();
        let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
        // A phone may have come without its country or trunk prefix.
        let national = if is_number && (11..=13).contains(&key.len()) { &key[key.len() - 9..] } else { key };
        !key.is_empty() && turns.iter().any(|turn| turn.text().contains(national))
    }
}
