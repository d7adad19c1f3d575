//! Values that only the words before them make personal: a date of birth, a passport, a password.
//!
//! A label reaches over a few words such as "number is" and no further, so that "your passport must be
//! valid for 6 months" gives nothing away.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use regex::Regex;

use super::super::text::{Day, List, Row, Text, Word, day, is_spaceless, is_whole, month, run_after};
use super::kind::{Hit, Kind};
use super::linked::is_name_part;
use super::{masked, secret};

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
const CONNECTOR_WORDS_MAX: usize = 12;
/// How far behind its label a date can end, in bytes.
const DATE_REACH: usize = 64;

crate::named! {
    /// What a label announces, by its key in the data files, which say more about each.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Announced {
        Birth = "birth", Document = "document", NationalId = "national_id", BankAccount = "bank_account",
        Password = "password", Code = "code", Key = "key", Login = "login", LastFour = "last_four",
        Answer = "answer", Token = "token", PrivateKey = "private_key",
    }
}

/// The value that the label at `label` announces.
pub(super) fn find(text: &Text, announced: Announced, label: &Range<usize>) -> Option<Hit> {
    // "PIN codes" are no one's.
    if !is_label(text, label) || (announced == Announced::Code && text[label.end..].starts_with(['s', 'S'])) {
        return None;
    }
    let value =
        |from: usize| value_after(text, from).and_then(|(span, link)| announced.value(text, span, link));
    let behind = || value(label.end).or_else(|| connectors_after(text, label.end, announced).find_map(value));
    match announced {
        Announced::Birth => date_after(text, label.end)
            .or_else(|| date_before(text, label))
            .map(|span| Hit::new(Kind::BirthDate, span)),
        Announced::Login => login(text, label),
        Announced::Code | Announced::Password => value_before(text, label.start)
            .and_then(|span| announced.value(text, span, Link::Said))
            .or_else(behind)
            .or_else(|| entered(text, label.start).filter(|_| announced == Announced::Code)),
        _ => behind(),
    }
}

/// Whether a label stands at `range`. A long one may have an ending: "passwords", "fødselsnummeret".
pub(super) fn is_label(text: &Text, range: &Range<usize>) -> bool {
    let n_more = run_after(text, range.end, ENDING_MAX + 1, |byte| byte.is_ascii_alphabetic());
    let end = range.end + if range.len() >= INFLECTED_MIN && n_more <= ENDING_MAX { n_more } else { 0 };
    is_whole(text, &(range.start..end))
}

/// The number that stands directly behind the label of identifiers and has none of their forms: a digit may be mistyped, or
/// the number an older one. An abbreviation is a label in capitals alone, and "id number" is one of anything.
pub(super) fn any_number(text: &Text, kind: Kind, label: &Range<usize>) -> Option<Hit> {
    let written = &text[label.clone()];
    let is_other = || text.words(label.clone()).any(|word| word.is_in(List::ReferenceLabels));
    if (written.len() < INFLECTED_MIN && written.contains(|char: char| char.is_ascii_lowercase()))
        || is_other()
    {
        return None;
    }
    let (span, _) = value_after(text, label.end)?;
    let row = Row { text, tokens: text.tokens_in(&span) };
    let is_number = is_number(&text[span.clone()], 5, 6..=18) && masked::read_alike(text, &span).is_none();
    (is_number && date_at(&row, 0).is_none()).then(|| Hit::new(kind, span))
}

/// Where a word stands that can tie a label to its value, within a few words: "the code for your login is". A
/// colon can as well, and of a document a word for "number", unless something else is named before them.
fn connectors_after(text: &Text, label: usize, announced: Announced) -> impl Iterator<Item = usize> {
    let is_apart = move |word: &Word<'_>| text[label..word.start].contains(['.', '!', '?', ';', ':', '\n']);
    let is_numbered = !matches!(announced, Announced::Code | Announced::Password | Announced::Key);
    let is_other = |word: &Word<'_>| {
        let lists = [List::ReferenceLabels, List::PhoneLabels, List::CardLabels];
        !word.is_in(List::OfAPerson) && lists.into_iter().any(|list| word.is_in(list))
    };
    let words = text.after(label).take(CONNECTOR_WORDS_MAX).take_while(move |word| !is_apart(word));
    let ties = words.scan(false, move |has_other, word| {
        let numbers = is_numbered && !*has_other && word.is_in(List::Numbering);
        *has_other |= is_other(&word) && !numbers;
        let verb = word.is_in(List::Connectors).then_some(word.start);
        let is_told = !*has_other && text[word.end..].starts_with(": ");
        Some(verb.or((numbers || is_told).then_some(word.end)))
    });
    ties.flatten()
}

impl Announced {
    /// The value at `span`, if it is one of this kind.
    fn value(self, text: &Text, span: Range<usize>, link: Link) -> Option<Hit> {
        let word = &text[span.clone()];
        let (fits, kind) = match self {
            Announced::Document => (is_number(word, 4, 5..=16), Kind::IdentityDocument),
            Announced::NationalId => (is_number(word, 5, 6..=18), Kind::NationalId),
            Announced::BankAccount => (is_number(word, 6, 6..=26), Kind::BankAccount),
            Announced::Password => (is_password(word, link), Kind::Secret),
            Announced::Code => (is_code(word, link), Kind::Secret),
            Announced::Key => (word.len() >= 16 && secret::looks_random(word), Kind::Secret),
            Announced::Answer => {
                (link != Link::Loose && is_name_part(&Word::at(text, span.clone())), Kind::Secret)
            }
            _ => return None,
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
        let divides = |char: &char| *char >= '\u{3000}' || " \t\n:=#.,-_\"'`*()[".contains(*char);
        at += text[at..].chars().take(GAP_MAX).take_while(divides).map(char::len_utf8).sum::<usize>();
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
        // Digits go on over a space, and so do the capitals of a series: "U 4718 293".
        let is_series = |end: usize| end - at < 4 && bytes[at..end].iter().all(u8::is_ascii_uppercase);
        let goes_on = |end: usize| is_digit(end + 1) && (is_digit(end - 1) || is_series(end));
        let continues = bytes[*end] == b' ' && *end > at && goes_on(*end);
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
    let is_link = word.contains('/') && word.contains('.');
    let is_hidden = word.chars().all(|char| "*xX_.".contains(char));
    if word.len() < 4 || is_link || is_hidden || word.starts_with(['<', '[', '{', '$', '%']) {
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

/// The code that is to be entered before the words that ask for it: "type 814 402 when it asks for the code".
fn entered(text: &Text, label: usize) -> Option<Hit> {
    let verb = text.before(label).take(2 * CONNECTOR_WORDS_MAX).find(|word| word.is_in(List::Entering))?;
    let number = text.after(verb.end).take(2).find(Word::starts_with_digit)?;
    let span = value_span(text, number.start)
        .filter(|span| span.end <= label && n_digits(&text[span.clone()]) > 4)?;
    let is_asked = text.after(span.end).next().is_some_and(|word| word.is_in(List::Asking));
    Announced::Code.value(text, span, Link::Said).filter(|_| is_asked)
}

/// A password that stands behind a name: `Login: jane / Passw0rd123`.
fn login(text: &Text, label: &Range<usize>) -> Option<Hit> {
    let (name, link) = value_after(text, label.end)?;
    let gap = run_after(text, name.end, 4, |byte| b" /|,;:\n".contains(&byte));
    let is_apart = text[name.end..name.end + gap].contains(['/', '|', ':', ',', ';']);
    let span = value_span(text, name.end + gap)?;
    let is_one = link == Link::Said && span.len() >= 6 && is_password(&text[span.clone()], Link::Direct);
    (is_apart && is_one).then(|| Hit::new(Kind::Secret, label.start..span.end))
}

/// A day as Japanese has it, in digits, in characters or by the letter of an era: 昭和五十二年七月三日, S52.7.3.
static JAPANESE_DAY: LazyLock<Regex> = LazyLock::new(|| {
    let number = "[元〇一二三四五六七八九十百千0-9]";
    let by_era = r"[MTSHR][0-9]{1,2}[./][0-9]{1,2}[./][0-9]{1,2}";
    Regex::new(&format!("{number}{{1,5}}年{number}{{1,3}}月{number}{{1,3}}日|{by_era}"))
        .expect("the expression is fixed")
});

/// The date that starts within a few words after `at`.
fn date_after(text: &Text, at: usize) -> Option<Range<usize>> {
    let near = &text[at..text.floor_char_boundary((at + DATE_REACH).min(text.len()))];
    if let Some(found) = JAPANESE_DAY.find(near).filter(|found| !near[..found.start()].contains(['.', '\n']))
    {
        return Some(at + found.start()..at + found.end());
    }
    let row = Row { text, tokens: text.tokens_in(&(at..at + DATE_REACH)) };
    for (start, token) in row.tokens.iter().enumerate() {
        if let Some(behind) = date_at(&row, start) {
            return Some(token.start..row.tokens[behind - 1].end);
        }
        let word = row.raw(start);
        let is_number = month(row.raw(start + 1)).is_some();
        if row.mark(start).is_none() && !List::DateLeads.has(word) && word.is_ascii() && !is_number {
            return None;
        }
    }
    None
}

/// The date with a year before a label: "am 3. Mai 1979 geboren", or with a verb between: "3 May 1979 is your birthday".
fn date_before(text: &Text, label: &Range<usize>) -> Option<Range<usize>> {
    let at = label.start;
    let from = text.floor_char_boundary(at.saturating_sub(DATE_REACH));
    let near = &text[from..at];
    if let Some(found) = JAPANESE_DAY.find(near).filter(|found| found.end() == near.len()) {
        return Some(from + found.start()..at);
    }
    let is_born = text[label.clone()].split(' ').any(|word| List::Born.has(word));
    let row = Row { text, tokens: text.tokens_in(&(from..at)) };
    (0..row.tokens.len()).find_map(|start| {
        let behind = date_at(&row, start)?;
        let last = row.raw(behind - 1);
        let has_year = last.len() == 4 || row.len(start) == 4 || List::YearWords.starts(last);
        let between = || behind..row.tokens.len();
        let leads = |at: usize| row.has_mark(at, "(,") || List::DateLeads.has(row.raw(at));
        let is_tied = is_born || between().any(|at| List::Connectors.has(row.raw(at)));
        let is_near = is_tied && between().len() < LEADS_MAX && between().all(leads);
        (has_year && is_near).then(|| row.tokens[start].start..row.tokens[behind - 1].end)
    })
}

/// Where the date that starts at a token ends: a day, a month with a year, or a month with a year in words.
fn date_at(row: &Row<'_>, start: usize) -> Option<usize> {
    let named = |at: usize| month(row.raw(at));
    let is_year = |at: usize, n_digits: usize| row.is_digits(at) && row.len(at) == n_digits;
    let is_tie = |at: usize| usize::from(row.is_any_word(at, &["de", "del", "of", "do", "di"]));
    if let Some(Day { behind, year, .. }) = day(row, start, named) {
        // A year of two digits: "5. Mar 90", "9 de mayo del 71".
        let at = behind + is_tie(behind).max(usize::from(row.has_mark(behind, "',.")));
        return Some(if year.is_none() && is_year(at, 2) { at + 1 } else { behind });
    }
    named(start)?;
    let at = start + 1 + is_tie(start + 1);
    (is_year(at, 4) || List::YearWords.starts(row.raw(at))).then_some(at + 1)
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
