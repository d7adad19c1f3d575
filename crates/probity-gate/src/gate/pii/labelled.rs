//! Values that only the words before them make personal: a date of birth, a passport, a password.
//!
//! A label reaches over a few words such as "number is" and no further, so that "your passport must be
//! valid for 6 months" gives nothing away.

use std::ops::Range;

use super::date;
use super::kind::{Hit, Kind};
use super::secret;
use super::words::{List, is_word_byte};

/// How many words may stand between a label and its value.
const FILLERS_MAX: usize = 5;
/// The longest value that is read, in bytes.
const VALUE_MAX: usize = 128;
/// Words that may stand between a label and its value.
static FILLERS: List = List::of(
    "\
    number no num nr is was id your the on file card as follows for you now temporary new our account login \
    has been set to reset today code",
);
/// Words that make a value of what follows a password.
static CONNECTORS: List = List::of("is was to are code");

/// What a label announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Announced {
    /// A date of birth.
    Birth,
    /// A passport or a driving licence.
    Document,
    /// A national number without a form of its own.
    NationalId,
    /// A bank account, a sort code or a routing number.
    BankAccount,
    /// A password.
    Password,
    /// A short code that opens something.
    Code,
    /// A key to a programming interface.
    Key,
}

/// The value that the label at `label` announces.
pub(super) fn find(text: &str, announced: Announced, label: &Range<usize>) -> Option<Hit> {
    let bytes = text.as_bytes();
    let is_inner = |at: usize| bytes.get(at).is_some_and(|byte| is_word_byte(*byte));
    if (label.start > 0 && is_inner(label.start - 1)) || is_inner(label.end) {
        return None;
    }
    if announced == Announced::Birth {
        return date::after(text, label.end).map(|span| Hit::new(Kind::BirthDate, span));
    }
    let value = value_after(text, label.end)?;
    let (word, link) = (&text[value.span.clone()], value.link);
    let (fits, kind) = match announced {
        Announced::Document => (is_number(word, 4, 5..=16), Kind::IdentityDocument),
        Announced::NationalId => (is_number(word, 5, 6..=18), Kind::NationalId),
        Announced::BankAccount => (is_number(word, 6, 6..=20), Kind::BankAccount),
        Announced::Password => (is_password(word, link), Kind::Secret),
        Announced::Code => (is_code(word, link), Kind::Secret),
        Announced::Key => (word.len() >= 16 && secret::looks_random(word), Kind::Secret),
        Announced::Birth => (false, Kind::BirthDate),
    };
    fits.then(|| Hit::new(kind, value.span))
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

/// A value after a label.
struct Value {
    span: Range<usize>,
    link: Link,
}

/// The value after `at`, behind words that may stand between.
fn value_after(text: &str, at: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let mut link = Link::Direct;
    let mut at = at;
    for _ in 0..=FILLERS_MAX {
        let from = at;
        while at < from + 8 && bytes.get(at).is_some_and(|byte| b" \t\n:=#.,-_\"'`*()[".contains(byte)) {
            at += 1;
        }
        let between = &text[from..at];
        link = match link {
            _ if between.contains(['"', '`', '\'']) => Link::Quoted,
            _ if between.contains([':', '=']) => Link::Said,
            link => link,
        };
        let span = value_span(text, at)?;
        let word = &text[span.clone()];
        if !FILLERS.has(word) || link == Link::Quoted {
            return Some(Value { span, link });
        }
        let is_said = CONNECTORS.has(word);
        link = if is_said || link == Link::Said { Link::Said } else { Link::Loose };
        at = span.end;
    }
    None
}

/// The word that starts at `at`, with the groups of digits that continue it.
fn value_span(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = at;
    while end < bytes.len() && end < at + VALUE_MAX {
        let byte = bytes[end];
        let next_is_digit = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        let continues = byte == b' ' && next_is_digit && end > at && bytes[end - 1].is_ascii_digit();
        if (byte.is_ascii_whitespace() && !continues) || matches!(byte, b'"' | b'`' | b'<' | b'>' | b'&') {
            break;
        }
        end += 1;
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let word = text[at..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '*']);
    (!word.is_empty()).then_some(at..at + word.len())
}

/// Whether a word is written the way documents are numbered, with at least `n_digits` digits.
fn is_number(word: &str, n_digits: usize, length: std::ops::RangeInclusive<usize>) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = word.len() - digits - letters;
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -./".contains(&byte));
    is_plain && digits >= n_digits && letters <= 9 && length.contains(&(digits + letters)) && others <= 6
}

/// Whether a word is a password rather than part of a sentence about passwords.
fn is_password(word: &str, link: Link) -> bool {
    let has = |test: fn(&char) -> bool| word.chars().any(|char| test(&char));
    let has_digit = has(char::is_ascii_digit);
    let has_letter = has(char::is_ascii_alphabetic);
    let has_sign =
        word.trim_matches('-').chars().any(|char| char.is_ascii_punctuation() && !"-'/.,()".contains(char));
    let has_inner_capital = word.chars().skip(1).any(char::is_uppercase) && has(char::is_ascii_lowercase);
    let is_mixed = (has_digit && has_letter) || has_sign || has_inner_capital;
    let is_shown =
        word.contains("://") || word.chars().all(|char| matches!(char, '*' | 'x' | 'X' | '_' | '.'));
    if word.len() < 4 || is_shown || word.starts_with(['<', '[', '{', '$', '%']) {
        return false;
    }
    match link {
        Link::Quoted => is_mixed || has_digit,
        Link::Said => is_mixed || (has_digit && word.len() > 5),
        Link::Direct => has_digit && has_letter,
        Link::Loose => false,
    }
}

/// Whether a word is a short code.
fn is_code(word: &str, link: Link) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_uppercase).count();
    let others = word.len() - digits - letters;
    link != Link::Loose
        && (3..=10).contains(&digits)
        && letters <= digits
        && others <= 1
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, announced: Announced, label: &str, want: &str) {
        let start = text.find(label).unwrap();
        let hit = find(text, announced, &(start..start + label.len()));
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
}
