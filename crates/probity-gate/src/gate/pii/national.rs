//! National numbers, as the table of identifiers has them: by their form and check digits, or by a label that stands near.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::super::text::label::Labels;
use super::super::text::words::{List, Word, may_end, may_start, run_after};
use super::super::text::{Shape, Text, Token};

/// How far behind a label its number can stand, in bytes.
const BEHIND_MAX: usize = 72;
/// How far before a label its number can stand, in bytes.
const BEFORE_MAX: usize = 48;
/// How many bytes can divide two characters of a labelled number.
const GAP_MAX: usize = 3;

/// One row of the table. What each field says stands in the data file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Identifier {
    #[allow(dead_code, reason = "says to the reader of the file what a row is")]
    name: String,
    #[serde(default)]
    alone: Vec<String>,
    #[serde(default)]
    labelled: Vec<String>,
    labels: Vec<String>,
    check: Option<Check>,
    #[serde(default)]
    weights: Vec<Vec<u32>>,
    #[serde(default)]
    modulus: u32,
    #[serde(default)]
    ten_is_zero: bool,
}

/// Checks that are no weighted sum.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Check {
    Belgian,
    CodiceFiscale,
    DayFirst,
    Dni,
    GermanSerial,
    Hetu,
    Kimlik,
    Korean,
    Luhn,
    Medicare,
    #[serde(rename = "mod_11_10")]
    Mod1110,
    #[serde(rename = "mod_11_2")]
    Mod112,
    Nino,
    Nir,
    Nric,
    Personnummer,
    RodneCislo,
    Rut,
    UsItin,
    UsSsn,
    Verhoeff,
}

/// The rows, and the forms that need no label by the run of digits or letters that they begin with.
struct Table {
    rows: Vec<Identifier>,
    alone: BTreeMap<(bool, usize), Vec<(usize, String)>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let file: BTreeMap<String, Vec<Identifier>> =
        toml::from_str(include_str!("../../../data/identifiers.toml"))
            .expect("the built-in table is read by every test");
    let rows = file.into_values().flatten().collect::<Vec<_>>();
    let mut alone: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (row, form) in
        rows.iter().enumerate().flat_map(|(row, of)| of.alone.iter().map(move |form| (row, form)))
    {
        let is_digit = |byte: &u8| *byte == b'#' || byte.is_ascii_digit();
        let first = is_digit(&form.as_bytes()[0]);
        let goes_on = |byte: &u8| is_digit(byte) == first && (is_digit(byte) || byte.is_ascii_alphabetic());
        let n = form.bytes().take_while(goes_on);
        alone.entry((first, n.count())).or_default().push((row, form.clone()));
    }
    Table { rows, alone }
});

/// The labels of the table, each with the rows that it announces.
pub(super) fn labels() -> BTreeMap<&'static str, Vec<usize>> {
    let mut labels: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, identifier) in TABLE.rows.iter().enumerate() {
        for label in &identifier.labels {
            labels.entry(label).or_default().push(row);
        }
    }
    labels
}

/// The numbers of a text that need no label.
pub(super) fn alone(text: &Text) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::new(), 0);
    for token in text.tokens_in(&(0..text.len())) {
        if token.start < from || matches!(token.shape, Shape::Mark(_)) {
            continue;
        }
        let span = alone_at(text, token.start);
        from = span.as_ref().map_or(from, |span| span.end);
        found.extend(span);
    }
    found
}

/// The number without a label that starts at `at`.
fn alone_at(text: &Text, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let first = bytes[at].is_ascii_digit();
    let n = run_after(text, at, 32, |byte| byte.is_ascii_digit() == first && byte.is_ascii_alphanumeric());
    let fits = |(row, form): &(usize, String)| {
        let end = at + form.len();
        let is_written = form.bytes().zip(bytes.get(at..end)?).all(|(form, byte)| match form {
            b'#' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_uppercase(),
            b'X' => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            b'-' => is_separator(*byte),
            _ => form == *byte,
        });
        let written = || text[at..end].replace(|char: char| char.is_ascii_lowercase(), "");
        let is_one = is_written && TABLE.rows[*row].is_right(&written());
        (is_one && stands_alone(text, &(at..end))).then_some(at..end)
    };
    let span = TABLE.alone.get(&(first, n))?.iter().find_map(fits)?;
    let labels = Labels::around(text, &span);
    (!labels.is_reference() && !labels.is_glued(text, &span)).then_some(span)
}

/// The numbers that the label at `label` announces, given the rows that it stands for.
pub(super) fn labelled(text: &Text, label: &Range<usize>, rows: &[usize]) -> Option<Range<usize>> {
    let number = |token: &Token| {
        if matches!(token.shape, Shape::Mark(_)) {
            return None;
        }
        rows.iter().find_map(|row| TABLE.rows[*row].labelled_at(text, token.start))
    };
    let behind = text.tokens_in(&(label.end..label.end + BEHIND_MAX)).iter().find_map(number);
    let behind = behind.filter(|span| {
        let is_other = |word: Word<'_>| {
            word.is_in(List::ReferenceLabels) && !word.is_any(&["id", "code", "account", "member"])
        };
        !text.words(label.end..span.start).any(is_other)
    });
    behind.or_else(|| {
        let near = text.tokens_in(&(label.start.saturating_sub(BEFORE_MAX)..label.start));
        near.iter()
            .find_map(number)
            .filter(|span| !Labels::around(text, span).is_reference() && span.end <= label.start)
    })
}

fn is_separator(byte: u8) -> bool {
    b" -./_".contains(&byte)
}

/// Whether a number is not part of a longer one.
fn stands_alone(text: &Text, span: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let joins = |sign: Option<&u8>, next: Option<&u8>| {
        sign.is_some_and(|sign| b"-./_".contains(sign)) && next.is_some_and(u8::is_ascii_alphanumeric)
    };
    let before = |n: usize| span.start.checked_sub(n).map(|at| &bytes[at]);
    may_start(text, span.start)
        && may_end(text, span.end)
        && !joins(before(1), before(2))
        && !joins(bytes.get(span.end), bytes.get(span.end + 1))
}

impl Identifier {
    /// The number in one of the labelled forms that starts at `at`, whatever divides its characters.
    fn labelled_at(&self, text: &Text, at: usize) -> Option<Range<usize>> {
        let mut spans = self.labelled.iter().filter_map(|form| {
            let mut end = at;
            for place in form.bytes() {
                end += if end > at { run_after(text, end, GAP_MAX, is_separator) } else { 0 };
                let byte = text.as_bytes().get(end)?;
                let fits = match place {
                    b'#' => byte.is_ascii_digit(),
                    b'A' => byte.is_ascii_alphabetic(),
                    _ => byte.is_ascii_alphanumeric(),
                };
                end += usize::from(fits);
                fits.then_some(())?;
            }
            Some(at..end)
        });
        spans
            .find(|span| may_start(text, at) && may_end(text, span.end) && self.is_right(&text[span.clone()]))
    }

    /// Whether the check digits of a number are right.
    fn is_right(&self, written: &str) -> bool {
        let upper = written.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_uppercase());
        let upper = upper.collect::<Vec<u8>>();
        let value = |byte: &u8| if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' + 10 };
        let values: Vec<u32> = upper.iter().map(|byte| value(byte).into()).collect();
        let is_varied = values.iter().any(|value| *value != values[0]);
        let has_digit = upper.iter().any(u8::is_ascii_digit);
        let is_weighed = self.weights.iter().all(|weights| {
            let sum: u32 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
            let rest = sum % self.modulus;
            rest == 0 || (self.ten_is_zero && rest == 1 && values[weights.len() - 1] == 0)
        });
        is_varied && has_digit && is_weighed && self.check.is_none_or(|check| check.is_met(&upper, &values))
    }
}

impl Check {
    /// Whether the characters of a number, whose letters count from ten, meet the check.
    fn is_met(self, text: &[u8], values: &[u32]) -> bool {
        let number = |range: Range<usize>| {
            values[range]
                .iter()
                .try_fold(0_u64, |all, value| (*value < 10).then(|| all * 10 + u64::from(*value)))
        };
        let last = values.len() - 1;
        match self {
            Check::Luhn => luhn(values),
            Check::Medicare => {
                let weighted =
                    [1, 3, 7, 9, 1, 3, 7, 9].iter().zip(values).map(|(weight, value)| weight * value);
                (2..=6).contains(&values[0]) && weighted.sum::<u32>() % 10 == values[8]
            }
            Check::UsSsn => is_social_security(values),
            Check::UsItin => values[0] == 9 && (50..=99).contains(&(values[3] * 10 + values[4])),
            Check::Nino => {
                let is_prefix = |byte: &u8| !b"DFIQUV".contains(byte) && byte.is_ascii_alphabetic();
                text[..2].iter().all(is_prefix) && text[1] != b'O' && (b'A'..=b'D').contains(&text[8])
            }
            Check::GermanSerial => {
                let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
                digits >= 2 && text.iter().all(|byte| !b"AEIOUBDQS".contains(byte))
            }
            Check::Mod1110 => mod_11_10(values),
            Check::Mod112 => {
                let rest = values[..last].iter().fold(0, |rest, value| (rest + value) * 2 % 11);
                let wanted = (12 - rest) % 11;
                (if text[last] == b'X' { 10 } else { values[last] }) == wanted && is_day(&values[8..14])
            }
            Check::Nir => {
                // The departments of Corsica, 2A and 2B, count as 19 and 18.
                let corsica =
                    [(b"2A", "19"), (b"2B", "18")].into_iter().find(|(name, _)| text[5..7] == name[..]);
                let digits: Vec<u32> = match corsica {
                    Some((_, digits)) => {
                        let instead = digits.bytes().map(|byte| u32::from(byte - b'0'));
                        values[..5]
                            .iter()
                            .copied()
                            .chain(instead)
                            .chain(values[7..].iter().copied())
                            .collect()
                    }
                    None => values.to_vec(),
                };
                let all = digits.iter().fold(0_u64, |all, digit| all * 10 + u64::from(*digit));
                let is_person = matches!(values[0], 1..=4 | 7 | 8) && digits[3] * 10 + digits[4] != 0;
                match digits.len() {
                    15 => is_person && 97 - all / 100 % 97 == all % 100,
                    _ => is_person && (1..=12).contains(&(digits[3] * 10 + digits[4])),
                }
            }
            Check::Dni => {
                let foreign = "XYZ".bytes().position(|letter| letter == text[0]);
                let from = usize::from(foreign.is_some());
                let Some(number) = number(from..last) else { return false };
                let number = number + foreign.map_or(0, |first| first as u64 * 10_000_000);
                b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize] == text[last]
            }
            Check::CodiceFiscale => codice_fiscale(text),
            Check::Belgian => number(0..9).zip(number(9..11)).is_some_and(|(birth, check)| {
                97 - birth % 97 == check || 97 - (2_000_000_000 + birth) % 97 == check
            }),
            Check::Personnummer => {
                let ten = &values[values.len() - 10..];
                luhn(ten) && is_day(&[&[1, 9], &ten[..6]].concat())
            }
            Check::DayFirst => {
                is_day(&[1, 9, values[4], values[5], values[2], values[3], values[0], values[1]])
            }
            Check::Hetu => {
                let rest = number(0..6).zip(number(6..9)).map(|(day, serial)| (day * 1000 + serial) % 31);
                rest.is_some_and(|rest| b"0123456789ABCDEFHJKLMNPRSTUVWXY"[rest as usize] == text[last])
            }
            Check::RodneCislo => number(0..10).is_some_and(|number| number.is_multiple_of(11)),
            Check::Rut => {
                let weighted = values[..last].iter().rev().zip([2, 3, 4, 5, 6, 7].iter().cycle());
                let rest = 11 - weighted.map(|(value, weight)| value * weight).sum::<u32>() % 11;
                text[last]
                    == match rest {
                        11 => b'0',
                        10 => b'K',
                        digit => b"0123456789"[digit as usize],
                    }
            }
            Check::Korean => {
                let weighted = values.iter().zip([2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
                let rest = (11 - weighted.map(|(value, weight)| value * weight).sum::<u32>() % 11) % 10;
                rest == values[last] && is_day(&[&[1, 9], &values[..6]].concat())
            }
            Check::Nric => {
                let weighted =
                    values[1..last].iter().zip([2, 7, 6, 5, 4, 3, 2]).map(|(value, weight)| value * weight);
                let shift = if matches!(text[0], b'T' | b'G') { 4 } else { 0 };
                let rest = ((weighted.sum::<u32>() + shift) % 11) as usize;
                match text[0] {
                    b'S' | b'T' => b"JZIHGFEDCBA"[rest] == text[last],
                    b'F' | b'G' => b"XWUTRQPNMLK"[rest] == text[last],
                    _ => false,
                }
            }
            Check::Kimlik => {
                let (odd, even): (u32, u32) =
                    (values[..9].iter().step_by(2).sum(), values[1..8].iter().step_by(2).sum());
                let tenth = (odd * 7 + 100 - even) % 10;
                values[0] > 0 && tenth == values[9] && values[..10].iter().sum::<u32>() % 10 == values[10]
            }
            Check::Verhoeff => values[0] > 1 && verhoeff(values),
        }
    }
}

/// Whether nine digits can be a social security number of the United States (Social Security
/// Administration: no area 000, 666 or from 900 on, no group 00, no serial 0000).
pub(super) fn is_social_security<D: Copy + Into<u32>>(digits: &[D]) -> bool {
    let digits: Vec<u32> = digits.iter().map(|digit| (*digit).into()).collect();
    let (Some(area), Some(group), Some(serial)) = (digits.get(..3), digits.get(3..5), digits.get(5..9))
    else {
        return false;
    };
    digits.len() == 9
        && area != [0; 3]
        && area != [6; 3]
        && area[0] != 9
        && group != [0; 2]
        && serial != [0; 4]
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

/// Whether eight digits are a year, a month and a day.
fn is_day(digits: &[u32]) -> bool {
    let two = |at: usize| digits[at] * 10 + digits[at + 1];
    // Swedish coordination numbers add sixty to the day.
    matches!(two(0), 19 | 20) && (1..=12).contains(&two(4)) && (1..=31).contains(&(two(6) % 60))
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
    let place = |byte: u8| usize::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' });
    let sum: u32 = text[..15]
        .iter()
        .enumerate()
        .map(|(at, byte)| if at % 2 == 0 { ODD[place(*byte)] } else { place(*byte) as u32 })
        .sum();
    b"ABCDEHLMPRST".contains(&text[8]) && b'A' + (sum % 26) as u8 == text[15]
}

/// The check that Verhoeff proposed, by the group of the pentagon's symmetries.
fn verhoeff(digits: &[u32]) -> bool {
    const TURNS: [[u32; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let product = |a: u32, b: u32| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b) % 5 + 5,
        (false, true) => (a + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let turned = digits.iter().rev().enumerate().map(|(at, digit)| TURNS[at % 8][*digit as usize]);
    turned.fold(0, product) == 0
}
