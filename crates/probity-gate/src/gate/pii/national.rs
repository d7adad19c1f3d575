//! The table of numbers that people, cards, accounts and services have, and those of people in a text: by their form and
//! check digits, or by a label that stands near.

use core::net::IpAddr;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::super::text::{Labels, List, Shape, Text, is_whole, run_after};
use super::kind::{Hit, Kind};
use super::labelled::Announced;

/// How far behind a label its number can stand, in bytes.
const BEHIND_MAX: usize = 72;
/// How far before a label its number can stand, in bytes.
const BEFORE_MAX: usize = 48;
/// How many bytes can divide two characters of a labelled number.
const GAP_MAX: usize = 3;

/// The table. What each part says stands in the data file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Numbers {
    /// A country with the length of its bank account numbers: `DE22`.
    pub(super) iban_lengths: Vec<String>,
    #[serde(rename = "service_numbers")]
    services: Vec<String>,
    pub(super) public_addresses: Vec<IpAddr>,
    pub(super) test_cards: Vec<String>,
    pub(super) test_domains: Vec<String>,
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
    pub(super) lengths: Vec<usize>,
}

pub(super) static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../data/identifiers.toml"))
        .expect("the built-in table is read by every test")
});

/// Whether a telephone number is free of charge or of a service, so that no person has it.
pub(super) fn is_service(number: &str) -> bool {
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).collect();
    NUMBERS.services.iter().any(|form| form.len() == digits.len() && begins(form, &digits))
}

/// One row of the table. What each field says stands in the data file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table")]
pub(super) struct Identifier {
    #[allow(dead_code, reason = "says to the reader of the file what a row is")]
    name: String,
    alone: Vec<String>,
    labelled: Vec<String>,
    labels: Vec<String>,
    check: Option<Check>,
    letters: String,
    never: Vec<String>,
    weights: Vec<Vec<u32>>,
    modulus: u32,
    ten_is_zero: bool,
    capitals: bool,
    unmistakable: bool,
    of_a_firm: bool,
    of_a_document: bool,
}

/// Checks that are no weighted sum.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Check {
    CodiceFiscale,
    Luhn,
    #[serde(rename = "mod_11_10")]
    Mod1110,
    #[serde(rename = "mod_97")]
    Mod97,
    Personnummer,
    Verhoeff,
}

/// Where a number can start that needs no label: one of the forms is written there.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    let class = |place: char| match place {
        '#' => "[0-9]".to_owned(),
        'A' => "[A-Z]".to_owned(),
        'X' => "[A-Z0-9]".to_owned(),
        '-' => "[-. /_]".to_owned(),
        place => regex::escape(&place.to_string()),
    };
    let forms = NUMBERS.identifiers.iter().flat_map(|row| &row.alone);
    let forms: Vec<String> = forms.map(|form| form.chars().map(class).collect()).collect();
    Regex::new(&format!(r"(?-u:\b)(?:{})", forms.join("|"))).expect("the forms of the table are short")
});

/// The labels of the table, each with the rows that it announces.
pub(super) fn labels() -> BTreeMap<&'static str, Vec<&'static Identifier>> {
    let mut labels = BTreeMap::<_, Vec<_>>::new();
    for row in &NUMBERS.identifiers {
        row.labels.iter().for_each(|label| labels.entry(label.as_str()).or_default().push(row));
    }
    labels
}

/// The numbers of a text that need no label.
pub(super) fn alone(text: &Text) -> Vec<Hit> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(written) = ALONE.find_at(text, from) {
        let hit = alone_at(text, written.start());
        from = hit.as_ref().map_or(written.start() + 1, |hit: &Hit| hit.span.end);
        found.extend(hit);
    }
    found
}

/// The number without a label that starts at `at`.
fn alone_at(text: &Text, at: usize) -> Option<Hit> {
    let span = |row: &Identifier, form: &String| {
        let span = at..end_of(form, text, at, 0)?;
        let written = text[span.clone()].replace(|char: char| char.is_ascii_lowercase(), "");
        (row.is_right(&written) && is_whole(text, &span)).then_some(span)
    };
    let in_row = |row: &'static Identifier| Some((row, row.alone.iter().find_map(|form| span(row, form))?));
    let (row, span) = NUMBERS.identifiers.iter().find_map(in_row)?;
    let is_other = Labels::around(text, &span).is_reference() && !row.unmistakable;
    (!is_other).then(|| row.hit(text, span))
}

/// Where a number in a form ends that starts at `at`, given how many bytes can divide two of its characters.
fn end_of(form: &str, text: &Text, at: usize, gap_max: usize) -> Option<usize> {
    form.bytes().try_fold(at, |end, place| {
        let end = if end > at { end + run_after(text, end, gap_max, is_separator) } else { end };
        may_be(place, *text.as_bytes().get(end)?).then_some(end + 1)
    })
}

/// The numbers that the label at `label` announces, given the rows that it stands for.
pub(super) fn labelled(text: &Text, label: &Range<usize>, rows: &[&Identifier]) -> Option<Hit> {
    let first_in = |range: Range<usize>| {
        let words = text.tokens_in(&range).iter().filter(|token| !matches!(token.shape, Shape::Mark(_)));
        let at = |at: usize| rows.iter().find_map(|row| Some(row.hit(text, row.labelled_at(text, at)?)));
        words.map(|token| token.start).find_map(at)
    };
    let is_other =
        |hit: &Hit| text.words(label.end..hit.span.start).any(|word| word.is_in(List::ReferenceLabels));
    first_in(label.end..label.end + BEHIND_MAX).filter(|hit| !is_other(hit)).or_else(|| {
        let before = first_in(label.start.saturating_sub(BEFORE_MAX)..label.start);
        before.filter(|hit| hit.span.end <= label.start)
    })
}

/// Whether a byte can stand at a place of a form.
fn may_be(place: u8, byte: u8) -> bool {
    match place {
        b'#' => byte.is_ascii_digit(),
        b'A' => byte.is_ascii_alphabetic(),
        b'X' => byte.is_ascii_alphanumeric(),
        b'-' => is_separator(byte),
        _ => place == byte,
    }
}

/// Whether the first bytes of a number have a form.
fn begins(form: &str, number: &[u8]) -> bool {
    form.bytes().zip(number).all(|(place, byte)| may_be(place, *byte))
}

fn is_separator(byte: u8) -> bool {
    b" -./_".contains(&byte)
}

impl Identifier {
    /// The number at `span`. A firm may show its own.
    fn hit(&self, text: &Text, span: Range<usize>) -> Hit {
        let kind = if self.of_a_document { Kind::IdentityDocument } else { Kind::NationalId };
        if self.of_a_firm { Hit::owned(text, kind, span) } else { Hit::new(kind, span) }
    }

    /// What its labels announce, where they say that the number is a person's.
    pub(super) fn announced(&self) -> Option<Announced> {
        let of_a_person = if self.of_a_document { Announced::Document } else { Announced::NationalId };
        (!self.of_a_firm).then_some(of_a_person)
    }

    /// The number in one of the labelled forms that starts at `at`, whatever divides its characters.
    fn labelled_at(&self, text: &Text, at: usize) -> Option<Range<usize>> {
        let mut spans = self.labelled.iter().filter_map(|form| Some(at..end_of(form, text, at, GAP_MAX)?));
        spans.find(|span| is_whole(text, span) && self.is_right(&text[span.clone()]))
    }

    /// Whether the check digits of a number are right.
    fn is_right(&self, written: &str) -> bool {
        let upper = written.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_uppercase());
        let upper = upper.collect::<Vec<u8>>();
        let value = |byte: &u8| if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' + 10 };
        let values: Vec<u32> = upper.iter().map(|byte| value(byte).into()).collect();
        let has_digit = upper.iter().any(u8::is_ascii_digit);
        let is_cased = !self.capitals || !written.contains(|char: char| char.is_ascii_lowercase());
        let is_weighed = self.weights.iter().all(|weights| {
            let sum: u32 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
            let rest = sum % self.modulus;
            rest == 0 || (self.ten_is_zero && rest == 1 && values[weights.len() - 1] == 0)
        });
        has_digit
            && is_cased
            && is_weighed
            && has_letter(&self.letters, &upper, &values)
            && !self.never.iter().any(|form| begins(form, &upper))
            && self.check.is_none_or(|check| check.is_met(&upper, &values))
    }
}

impl Check {
    /// Whether the characters of a number, whose letters count from ten, meet the check.
    fn is_met(self, text: &[u8], values: &[u32]) -> bool {
        let number =
            |range: Range<usize>| values[range].iter().fold(0, |all, value| all * 10 + u64::from(*value));
        let last = values.len() - 1;
        match self {
            Check::Luhn => luhn(values),
            Check::Verhoeff => verhoeff(values),
            Check::Mod1110 => mod_11_10(values),
            Check::CodiceFiscale => codice_fiscale(text),
            // Who was born since 2000 has the number with a 2 in front in Belgium.
            Check::Mod97 => {
                let (body, key) = (number(0..last - 1), number(last - 1..last + 1));
                97 - body % 97 == key || (last == 10 && 97 - (2_000_000_000 + body) % 97 == key)
            }
            Check::Personnummer => {
                let ten = &values[last - 9..];
                let two = |at: usize| ten[at] * 10 + ten[at + 1];
                // Numbers for people without a residence add sixty to the day.
                luhn(ten) && (1..=12).contains(&two(2)) && (1..=31).contains(&(two(4) % 60))
            }
        }
    }
}

/// Whether the last character is the one of `letters` that the number before it comes to. Of foreigners in Spain, X, Y
/// and Z count as 0, 1 and 2.
fn has_letter(letters: &str, text: &[u8], values: &[u32]) -> bool {
    let first = values[0].checked_sub(u32::from(b'X' - b'A') + 10).unwrap_or(values[0]);
    let rest = |rest: usize, value: &u32| (rest * 10 + *value as usize) % letters.len();
    letters.is_empty()
        || letters.as_bytes()[values[1..text.len() - 1].iter().fold(first as usize, rest)]
            == text[text.len() - 1]
}

/// The check that Luhn proposed (ISO/IEC 7812-1, annex B).
pub(super) fn luhn<D: Copy + Into<u32>>(digits: &[D]) -> bool {
    let counted = digits.iter().rev().enumerate().map(|(i, digit)| match (i % 2, (*digit).into()) {
        (0, digit) => digit,
        (_, digit) if digit > 4 => digit * 2 - 9,
        (_, digit) => digit * 2,
    });
    counted.sum::<u32>().is_multiple_of(10)
}

/// ISO 7064, mod 11,10, as German tax numbers have it: some digit of the first ten stands twice or three times.
fn mod_11_10(digits: &[u32]) -> bool {
    let (last, body) = (digits[digits.len() - 1], &digits[..digits.len() - 1]);
    let product = body.iter().fold(10, |product, digit| match (digit + product) % 10 {
        0 => 20 % 11,
        sum => sum * 2 % 11,
    });
    let repeated = (0..10).filter(|digit| body.iter().filter(|one| *one == digit).count() > 1).count();
    body[0] > 0 && (11 - product) % 10 == last && repeated == 1
}

/// The check character of Italian tax codes. Digits that had to be told apart are written as letters.
fn codice_fiscale(text: &[u8]) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let place = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' });
    let count =
        |(at, byte): (usize, &u8)| if at % 2 == 0 { ODD[place(*byte) as usize] } else { place(*byte) };
    let sum: u32 = text[..15].iter().enumerate().map(count).sum();
    b"ABCDEHLMPRST".contains(&text[8]) && sum % 26 == place(text[15])
}

/// The check that Verhoeff proposed, by the group of the pentagon's symmetries.
fn verhoeff(digits: &[u32]) -> bool {
    const TURN: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let product = |a: u32, b: u32| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b) % 5 + 5,
        (false, true) => (a + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let turn = |digit: u32, _| TURN[digit as usize];
    let turned = digits.iter().rev().enumerate().map(|(at, digit)| (0..at % 8).fold(*digit, turn));
    turned.fold(0, product) == 0
}
