//! The table of numbers that people, cards, accounts and services have.

use std::sync::LazyLock;

use serde::Deserialize;

use super::national::Identifier;

/// The table. What each part says stands in the data file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Numbers {
    /// A country with the length of its bank account numbers: `DE22`.
    pub(super) iban_lengths: Vec<String>,
    #[serde(rename = "service_numbers")]
    services: Vec<String>,
    pub(super) test_cards: Vec<String>,
    pub(super) card_groupings: Vec<Vec<usize>>,
    pub(super) cards: Vec<Issuer>,
    #[serde(rename = "identifier")]
    pub(super) identifiers: Vec<Identifier>,
}

/// An issuer of cards, by the first four digits and the lengths of its numbers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Issuer {
    pub(super) from: u32,
    pub(super) to: u32,
    #[serde(default)]
    pub(super) sure: Vec<usize>,
    #[serde(default)]
    pub(super) shared: Vec<usize>,
}

pub(super) static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../data/identifiers.toml"))
        .expect("the built-in table is read by every test")
});

/// Whether a telephone number is free of charge or of a service, so that no person has it.
pub(super) fn is_service(number: &str) -> bool {
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).collect();
    let fits = |form: &String| {
        let places = form.bytes().zip(&digits);
        form.len() == digits.len() && places.into_iter().all(|(form, digit)| form == b'#' || form == *digit)
    };
    NUMBERS.services.iter().any(fits)
}
