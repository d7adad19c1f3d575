//! Values that only the words before them make personal: a date of birth, a passport, a password.
//!
//! A label reaches over a few words such as "number is" and no further, so that "your passport must be
//! valid for 6 months" gives nothing away.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use regex::Regex;

use super::super::text::{Day, List, Text, TokenRow, Word, day, is_spaceless, is_whole, month, run_after};
use super::kind::{Hit, Kind};
use super::linked::is_name_part;
use super::secret;

/// How many words may stand between a label and its value.
const WORDS_MAX: usize = 16;
/// The longest value that is read, in bytes.
const VALUE_MAX: usize = 128;
/// How many signs, or characters of a script without spaces, can stand before a value.
const GAP_MAX: usize = 8;
/// How long a label is that may have an ending, and how long the ending, in bytes.
const INFLECTED_MIN: usize = 8;
const ENDING_MAX: usize = 2;
/// How far behind or before its label a date can reach, in bytes.
const DATE_REACH: usize = 64;

crate::named! {
    /// What a label announces, by its key in the data files, which say more about each.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Announced {
        Birth = "birth", NationalId = "national_id", Document = "document", BankAccount = "bank_account",
        Password = "password", Code = "code", Key = "key", Login = "login", LastFour = "last_four",
        Answer = "answer", PrivateKey = "private_key",
    }
}

/// The value that the label at `label` announces.
pub(super) fn find(text: &Text, announced: Announced, label: &Range<usize>) -> Option<Hit> {
    // "PIN codes" are no one's.
    if !is_label(text, label) || (announced == Announced::Code && text[label.end..].starts_with(['s', 'S'])) {
        return None;
    }
    match announced {
        Announced::Birth => birth_date(text, label),
        Announced::Login => login(text, label),
        Announced::Code | Announced::Password => value_before(text, label.start)
            .and_then(|span| announced.value(text, span, Link::Said))
            .or_else(|| announced.behind(text, label.end)),
        _ => announced.behind(text, label.end),
    }
}

/// Whether a label stands at `range`. A long one may have an ending: "passwords", "fødselsnummeret".
pub(super) fn is_label(text: &Text, range: &Range<usize>) -> bool {
    let n_more = run_after(text, range.end, ENDING_MAX + 1, |byte| byte.is_ascii_alphabetic());
    let end = range.end + if range.len() >= INFLECTED_MIN && n_more <= ENDING_MAX { n_more } else { 0 };
    is_whole(text, &(range.start..end))
}

/// Whether a label of identifiers announces any number, also one without any of their forms: a digit may be mistyped, or
/// the number an older one. An abbreviation does so in capitals alone, and "id number" is one of anything.
pub(super) fn is_telling(text: &Text, label: &Range<usize>) -> bool {
    let written = &text[label.clone()];
    let is_word = written.len() >= INFLECTED_MIN || !written.contains(|char: char| char.is_ascii_lowercase());
    is_word && !text.words(label.clone()).any(|word| word.is_in(List::ReferenceLabels))
}

/// How a value is tied to its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// It follows directly.
    Direct,
    /// A sign, a verb or a word for "number" stands between them.
    Said,
}

impl Announced {
    /// The value behind a label that ends at `at`: directly, or where something ties it some words later, as in "the code
    /// for your login is".
    fn behind(self, text: &Text, mut at: usize) -> Option<Hit> {
        let mut link = Some(Link::Direct);
        for _ in 0..WORDS_MAX {
            let divides = |char: &char| *char >= '\u{3000}' || " \t\n:=#.,-_\"'`*()[".contains(*char);
            let gap = text[at..].chars().take(GAP_MAX).take_while(divides).map(char::len_utf8).sum::<usize>();
            let between = &text[at..at + gap];
            link = match link {
                Some(_) if between.contains([':', '=', '"', '`', '\'']) => Some(Link::Said),
                None if between.starts_with(": ") => Some(Link::Said),
                None if between.contains(['.', ':', '\n']) => return None,
                link => link,
            };
            let span = value_span(text, at + gap)?;
            let hit = link.and_then(|link| self.value(text, span.clone(), link));
            if hit.is_some() {
                return hit;
            }
            let word = &text[span.clone()];
            link = match link {
                _ if List::Connectors.has(word) || List::Numbering.has(word) => Some(Link::Said),
                _ => link.filter(|_| List::ValueLeads.has(word)),
            };
            at = span.end;
        }
        None
    }

    /// The value at `span`, if it is one of this kind.
    fn value(self, text: &Text, span: Range<usize>, link: Link) -> Option<Hit> {
        let word = &text[span.clone()];
        let (fits, kind) = match self {
            Announced::Document => (is_number(word, 4, 5..=16), Kind::IdentityDocument),
            Announced::NationalId => {
                // Those with more letters have forms.
                (is_number(word, 5, 6..=16) && n_digits(word) * 3 >= word.len() * 2, Kind::NationalId)
            }
            Announced::BankAccount => (is_number(word, 6, 6..=26), Kind::BankAccount),
            Announced::Password => (is_password(word, link), Kind::Secret),
            Announced::Code => (is_code(word), Kind::Secret),
            Announced::Key => (word.len() >= 16 && secret::looks_random(word), Kind::Secret),
            Announced::Answer => (is_name_part(&Word::at(text, span.clone())), Kind::Secret),
            _ => return None,
        };
        fits.then(|| Hit::new(kind, span))
    }
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
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -./".contains(&byte));
    is_plain && digits >= digits_min && length.contains(&(digits + letters))
}

/// Whether a word is a password rather than part of a sentence about passwords, a link to where one is set, or hidden.
fn is_password(word: &str, link: Link) -> bool {
    let has = |is: fn(char) -> bool| word.trim_matches('-').contains(is);
    let (has_digit, has_letter) = (n_digits(word) > 0, has(|char| char.is_ascii_alphabetic()));
    let has_sign = has(|char| char.is_ascii_punctuation() && !"-'/.,()".contains(char));
    let is_link = word.contains('/') && word.contains('.');
    let is_hidden = word.chars().all(|char| "*xX_.".contains(char));
    let is_mixed = has_digit && has_letter;
    let fits = is_mixed || (link == Link::Said && (has_sign || (has_digit && word.len() > 4)));
    fits && word.len() >= 4 && !is_link && !is_hidden
}

/// Whether a word is a short code.
fn is_code(word: &str) -> bool {
    let (digits, letters) = (n_digits(word), word.bytes().filter(u8::is_ascii_uppercase).count());
    (3..=10).contains(&digits)
        && letters <= digits
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b' '))
}

/// What stands before its label: `482913 is your code`, `482 913 as code`, `use Blue-Horse7 as your password`.
fn value_before(text: &Text, label: usize) -> Option<Range<usize>> {
    static LAST_WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|\s)((?:[0-9]+ )*\S+)$").expect("the expression is fixed"));
    let mut words =
        text.before(label).skip_while(|word| word.is_in(List::ValueLeads) && !word.is_in(List::Connectors));
    let connector = words.next().filter(|word| word.is_in(List::Connectors))?;
    let before = text[..connector.start].trim_end();
    let from = before.ceil_char_boundary(before.len().saturating_sub(VALUE_MAX));
    let word = LAST_WORD.captures(&before[from..])?.get(1)?;
    Some(from + word.start()..from + word.end())
}

/// A password that stands behind a name: `Login: jane / Passw0rd123`.
fn login(text: &Text, label: &Range<usize>) -> Option<Hit> {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^ ?[:=] ?[^\s/|,;:]{1,64} ?[/|,;:\n] ?([^\s<]{6,64})").expect("the expression is fixed")
    });
    let word = PAIR.captures(&text[label.end..])?.get(1)?;
    let end = label.end + word.start() + word.as_str().trim_end_matches(['.', ',', ')']).len();
    is_password(word.as_str(), Link::Direct).then(|| Hit::new(Kind::Secret, label.start..end))
}

/// A day as Japanese has it, in characters or by the letter of an era: 昭和五十二年七月三日, S52.7.3.
static JAPANESE_DAY: LazyLock<Regex> = LazyLock::new(|| {
    let number = "[元〇一二三四五六七八九十百千0-9]{1,5}";
    let by_era = r"[MTSHR][0-9]{1,2}[./][0-9]{1,2}[./][0-9]{1,2}";
    Regex::new(&format!("{number}年{number}月{number}日|{by_era}")).expect("the expression is fixed")
});

/// The date of birth behind a label, or before it: "am 3. Mai 1979 geboren", "3 May 1979 is your birthday".
fn birth_date(text: &Text, label: &Range<usize>) -> Option<Hit> {
    let from = text.floor_char_boundary(label.start.saturating_sub(DATE_REACH));
    let to = text.floor_char_boundary((label.end + DATE_REACH).min(text.len()));
    let near = [label.end..to, from..label.start];
    let japanese = near.iter().find_map(|range| {
        let found = JAPANESE_DAY.find(&text[range.clone()])?;
        Some(range.start + found.start()..range.start + found.end())
    });
    let is_lead = |row: &TokenRow<'_>, at: usize| row.mark(at).is_some() || List::DateLeads.has(row.raw(at));
    let [behind, before] = near.map(|range| TokenRow { text, tokens: text.tokens_in(&range) });
    let first_behind = || {
        let n_leads = (0..behind.tokens.len()).take_while(|at| is_lead(&behind, *at)).count();
        (0..=n_leads).find_map(|at| day_at(&behind, at))
    };
    let last_before = || {
        let days = (0..before.tokens.len()).filter_map(|at| day_at(&before, at));
        days.into_iter()
            .find(|day| (before.behind(0, day.end)..before.tokens.len()).all(|at| is_lead(&before, at)))
    };
    let span = japanese.or_else(first_behind).or_else(last_before)?;
    Some(Hit::new(Kind::BirthDate, span))
}

/// The day that starts at a token.
fn day_at(row: &TokenRow<'_>, at: usize) -> Option<Range<usize>> {
    let Day { behind, .. } = day(row, at, |at| month(row.raw(at)))?;
    Some(row.tokens[at].start..row.tokens[behind - 1].end)
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
        assert_eq!(birth_date(&Text::new(text), &(0..0)).map_or("", |hit| &text[hit.span]), want, "{text}");
    }

    #[test]
    fn dates_are_read_in_many_forms() {
        check_date(" is 1990-03-05.", "1990-03-05");
        check_date(": 03/05/1990", "03/05/1990");
        check_date(" on March 5th, 1990 in", "March 5th, 1990");
        check_date(" 05 of march 1990", "05 of march 1990");
    }

    #[test]
    fn other_words_are_no_date() {
        check_date(" is needed for orders over 50 dollars", "");
        check_date(" in 1990", "");
        check_date(" coupon is valid until 2024-12-01", "");
    }
}
