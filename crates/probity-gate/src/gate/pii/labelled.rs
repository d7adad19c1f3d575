//! Values that only the words before them make personal: a date of birth, a passport, a password.
//!
//! A label reaches over a few words such as "number is" and no further, so that "your passport must be
//! valid for 6 months" gives nothing away.

use std::ops::{Range, RangeInclusive};

use super::super::text::words::{List, Word, is_whole, month, run_after};
use super::super::text::{Row, Shape, Text, day, is_spaceless};
use super::kind::{Hit, Kind};
use super::secret;

/// How many words may stand between a label and its value.
const LEADS_MAX: usize = 5;
/// The longest value that is read, in bytes.
const VALUE_MAX: usize = 128;
/// How many signs, or characters of a script without spaces, can stand before a value.
const GAP_MAX: usize = 8;
/// How long a label is that may have an ending, and how long the ending, in bytes.
const INFLECTED_MIN: usize = 8;
const ENDING_MAX: usize = 2;
/// How many words behind a label a verb can stand that ties it to its value.
const CONNECTOR_WORDS_MAX: usize = 8;
/// How many such words are tried.
const CONNECTORS_MAX: usize = 2;
/// How far behind its label a date can end, in bytes.
const DATE_REACH: usize = 64;

crate::named! {
    /// What a label announces, by its key in the data files, which say more about each.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Announced {
        Birth = "birth", Document = "document", NationalId = "national_id", BankAccount = "bank_account",
        Password = "password", Code = "code", Key = "key", Login = "login",
    }
}

/// The value that the label at `label` announces.
pub(super) fn find(text: &Text, announced: Announced, label: &Range<usize>) -> Option<Hit> {
    if !is_label(text, label) {
        return None;
    }
    if announced == Announced::Birth {
        return date_after(text, label.end).map(|span| Hit::new(Kind::BirthDate, span));
    }
    // "PIN codes" are no one's.
    if announced == Announced::Code && !is_whole(text, label) {
        return None;
    }
    if let Announced::Code | Announced::Password = announced
        && let Some(hit) =
            value_before(text, label.start).and_then(|span| announced.value(text, span, Link::Said))
    {
        return Some(hit);
    }
    if announced == Announced::Login {
        let (name, link) = value_after(text, label.end)?;
        return login(text, label, &name, link);
    }
    let value =
        |from: usize| value_after(text, from).and_then(|(span, link)| announced.value(text, span, link));
    value(label.end).or_else(|| connectors_after(text, label.end).find_map(value))
}

/// Whether a label stands at `range`. A long one may have an ending: "passwords", "fødselsnummeret".
pub(super) fn is_label(text: &Text, range: &Range<usize>) -> bool {
    let n_more = run_after(text, range.end, ENDING_MAX + 1, |byte| byte.is_ascii_alphabetic());
    let end = range.end + if range.len() >= INFLECTED_MIN && n_more <= ENDING_MAX { n_more } else { 0 };
    is_whole(text, &(range.start..end))
}

/// Where a word stands that can tie a label to its value, within a few words: "the code for your login is".
fn connectors_after(text: &Text, label: usize) -> impl Iterator<Item = usize> {
    let is_apart = move |word: &Word<'_>| text[label..word.start].contains(['.', '!', '?', ';', ':', '\n']);
    let words = text.after(label).take(CONNECTOR_WORDS_MAX).take_while(move |word| !is_apart(word));
    words.filter(|word| word.is_in(List::Connectors)).take(CONNECTORS_MAX).map(|word| word.start)
}

impl Announced {
    /// The value at `span`, if it is one of this kind.
    fn value(self, text: &Text, span: Range<usize>, link: Link) -> Option<Hit> {
        let word = &text[span.clone()];
        let (fits, kind) = match self {
            Announced::Birth | Announced::Login => return None,
            Announced::Document => (is_number(word, 4, 5..=16), Kind::IdentityDocument),
            Announced::NationalId => (is_number(word, 5, 6..=18), Kind::NationalId),
            Announced::BankAccount => (is_number(word, 6, 6..=20), Kind::BankAccount),
            Announced::Password => (is_password(word, link), Kind::Secret),
            Announced::Code => (is_code(word, link), Kind::Secret),
            Announced::Key => (word.len() >= 16 && secret::looks_random(word), Kind::Secret),
        };
        fits.then(|| Hit::new(kind, span))
    }
}

/// How a value is tied to its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// It follows directly.
    Direct,
    /// A colon, an equals sign, or a verb stands between them.
    Said,
    /// It is quoted.
    Quoted,
    /// Other words stand between them.
    Loose,
}

/// The value after `at`, behind words that may stand between.
fn value_after(text: &Text, mut at: usize) -> Option<(Range<usize>, Link)> {
    let mut link = Link::Direct;
    for _ in 0..=LEADS_MAX {
        let from = at;
        at += run_after(text, at, GAP_MAX, |byte| b" \t\n:=#.,-_\"'`*()[".contains(&byte));
        at += text[at..]
            .chars()
            .take_while(|char| *char >= '\u{3000}')
            .take(GAP_MAX)
            .map(char::len_utf8)
            .sum::<usize>();
        let between = &text[from..at];
        if between.contains(['"', '`', '\'']) {
            link = Link::Quoted;
        } else if between.contains([':', '=']) {
            link = Link::Said;
        }
        let span = value_span(text, at)?;
        let word = &text[span.clone()];
        if !List::ValueLeads.has(word) || link == Link::Quoted {
            return Some((span, link));
        }
        let is_said = List::Connectors.has(word) || link == Link::Said;
        link = if is_said { Link::Said } else { Link::Loose };
        at = span.end;
    }
    None
}

/// The word that starts at `at`, with the groups of digits that continue it.
fn value_span(text: &Text, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let ends = |end: &usize| {
        let continues = bytes[*end] == b' ' && *end > at && is_digit(end - 1) && is_digit(end + 1);
        (bytes[*end].is_ascii_whitespace() && !continues)
            || b"\"`<>&".contains(&bytes[*end])
            || is_spaceless(bytes[*end])
    };
    let limit = bytes.len().min(at + VALUE_MAX);
    let end = text.floor_char_boundary((at..limit).find(ends).unwrap_or(limit));
    let word = text[at..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '*']);
    (!word.is_empty()).then_some(at..at + word.len())
}

/// How many bytes of a word are digits.
fn n_digits(word: &str) -> usize {
    word.bytes().filter(u8::is_ascii_digit).count()
}

/// Whether a word is written the way documents are numbered, with at least `digits_min` digits.
fn is_number(word: &str, digits_min: usize, length: RangeInclusive<usize>) -> bool {
    let (digits, letters) = (n_digits(word), word.bytes().filter(u8::is_ascii_alphabetic).count());
    let others = word.len() - digits - letters;
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -./".contains(&byte));
    is_plain && digits >= digits_min && letters <= 9 && length.contains(&(digits + letters)) && others <= 6
}

/// Whether a word is a password rather than part of a sentence about passwords.
fn is_password(word: &str, link: Link) -> bool {
    let has_digit = n_digits(word) > 0;
    let has_letter = word.contains(|char: char| char.is_ascii_alphabetic());
    let has_sign = word
        .trim_matches('-')
        .contains(|char: char| char.is_ascii_punctuation() && !"-'/.,()".contains(char));
    let has_inner_capital =
        word.chars().skip(1).any(char::is_uppercase) && word.contains(|char: char| char.is_ascii_lowercase());
    let is_mixed = (has_digit && has_letter) || has_sign || has_inner_capital;
    let is_shown = word.contains("://") || word.chars().all(|char| "*xX_.".contains(char));
    if word.len() < 4 || is_shown || word.starts_with(['<', '[', '{', '$', '%']) {
        return false;
    }
    match link {
        Link::Quoted => is_mixed || has_digit,
        Link::Said => is_mixed || (n_digits(word) == word.len() && word.len() > 4),
        Link::Direct => has_digit && has_letter,
        Link::Loose => false,
    }
}

/// Whether a word is a short code.
fn is_code(word: &str, link: Link) -> bool {
    let (digits, letters) = (n_digits(word), word.bytes().filter(u8::is_ascii_uppercase).count());
    link != Link::Loose
        && (3..=10).contains(&digits)
        && letters <= digits
        && word.len() - digits - letters < digits
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b' '))
}

/// What stands before its label: `482913 is your code`, `482 913 as code`, `use Blue-Horse7 as your password`.
fn value_before(text: &Text, label: usize) -> Option<Range<usize>> {
    let mut words =
        text.before(label).skip_while(|word| word.is_in(List::ValueLeads) && !word.is_in(List::Connectors));
    let connector = words.next().filter(|word| word.is_in(List::Connectors))?;
    let before = text[..connector.start].trim_end();
    let bytes = before.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let ends =
        |at: &usize| bytes[*at].is_ascii_whitespace() && !(is_digit(at.wrapping_sub(1)) && is_digit(at + 1));
    let from = before.len().saturating_sub(VALUE_MAX);
    let start = (from..before.len()).rev().find(ends).map_or(from, |at| at + 1);
    (start < before.len()).then_some(start..before.len())
}

/// A password that stands behind a name: `Login: jane / Passw0rd123`.
fn login(text: &Text, label: &Range<usize>, name: &Range<usize>, link: Link) -> Option<Hit> {
    let gap = run_after(text, name.end, 4, |byte| b" /|,;:\n".contains(&byte));
    let between = &text[name.end..name.end + gap];
    let span = value_span(text, name.end + gap).filter(|_| between.contains(['/', '|', ':', ',', ';']))?;
    let is_one = link == Link::Said && span.len() >= 6 && is_password(&text[span.clone()], Link::Direct);
    is_one.then(|| Hit::new(Kind::Secret, label.start..span.end))
}

/// The date that starts within a few words after `at`.
fn date_after(text: &Text, at: usize) -> Option<Range<usize>> {
    let row = Row { text, tokens: text.tokens_in(&(at..at + DATE_REACH)) };
    for start in 0..row.tokens.len() {
        let token = &row.tokens[start];
        let word = Word::at(text, token.start..token.end);
        let named = |at: usize| month(row.raw(at));
        if let Some(day) = day(&row, start, named) {
            // A year of two digits: "5. Mar 90", "9 de mayo del 71".
            let at = day.behind
                + usize::from(
                    row.is_any_word(day.behind, &["de", "del", "of"]) || row.has_mark(day.behind, "',."),
                );
            let is_year = day.year.is_none() && row.is_digits(at) && row.len(at) == 2;
            return Some(token.start..row.tokens[if is_year { at } else { day.behind - 1 }].end);
        }
        if month(word.text).is_some() && row.is_digits(start + 1) && row.len(start + 1) == 4 {
            return Some(token.start..row.tokens[start + 1].end);
        }
        let is_lead =
            matches!(token.shape, Shape::Mark(_)) || word.is_in(List::DateLeads) || !word.text.is_ascii();
        if !is_lead {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, announced: Announced, label: &str, want: &str) {
        let start = text.find(label).unwrap();
        let hit = find(&Text::new(text), announced, &(start..start + label.len()));
        assert_eq!(hit.map_or("", |hit| &text[hit.span]), want, "{text}");
    }

    #[test]
    fn values_follow_their_labels() {
        check("Your passport number is X1234567.", Announced::Document, "passport", "X1234567");
        check("password: Hunter2!", Announced::Password, "password", "Hunter2");
        check("Your password has been reset to blue-Horse7", Announced::Password, "password", "blue-Horse7");
        check("verification code is 493021", Announced::Code, "verification code", "493021");
        check("OTP 493021", Announced::Code, "OTP", "493021");
        check("Aadhaar no. 2345 6789 0124", Announced::NationalId, "Aadhaar", "2345 6789 0124");
        check("DOB: 1990-03-05", Announced::Birth, "DOB", "1990-03-05");
    }

    #[test]
    fn sentences_about_them_have_none() {
        check("Your password must have 8 characters", Announced::Password, "password", "");
        check("password is incorrect", Announced::Password, "password", "");
        check("password is case-sensitive", Announced::Password, "password", "");
        check("Forgot password: click here", Announced::Password, "password", "");
        check("The OTP expires in 15 minutes", Announced::Code, "OTP", "");
        check("your passport must be valid for 6 months", Announced::Document, "passport", "");
        check("shipping 493021", Announced::Code, "pin", "");
    }

    #[track_caller]
    fn check_date(text: &str, want: &str) {
        assert_eq!(date_after(&Text::new(text), 0).map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn dates_are_read_in_many_forms() {
        check_date(" is 1990-03-05.", "1990-03-05");
        check_date(": 03/05/1990", "03/05/1990");
        check_date(" on March 5th, 1990 in", "March 5th, 1990");
        check_date(" 5. Mar 90", "5. Mar 90");
        check_date(" 05 of march 1990", "05 of march 1990");
    }

    #[test]
    fn other_words_are_no_date() {
        check_date(" is needed for orders over 50 dollars", "");
        check_date(" in 1990", "");
        check_date(" coupon is valid until 2024-12-01", "");
    }
}
