//! Web and e-mail addresses, telephone numbers and street addresses.
//!
//! A web address without a scheme needs `www.` or a known ending in lower case, so that a missing space after
//! a full stop makes none; marks at the end belong to the sentence. A telephone number has a `+`, a label such as
//! "call", or one of the usual groupings; a plain run of digits is none. A street address is a house number,
//! capitalised words and a word for a street.

use super::super::super::text::Shape;
use super::super::Value;
use super::super::lexicon::Cues;
use super::super::term::Figure;
use super::Page;

/// The longest web address that is read, in bytes.
const ADDRESS_BYTES_MAX: usize = 2000;

/// Endings that are also words; an address with one of them needs a path or a third part.
const WORD_ENDINGS: &[&str] =
    &["no", "in", "it", "me", "at", "us", "co", "is", "so", "to", "test", "help", "store", "info"];

/// The most groups of digits in a telephone number.
const GROUPS_MAX: usize = 8;

/// The most digits in a telephone number.
const DIGITS_MAX: usize = 15;

/// How many words before a number can be its label.
const LABEL_DISTANCE_MAX: usize = 4;

/// The most words between a house number and the word for a street.
const STREET_WORDS_MAX: usize = 4;

/// The web or e-mail address that starts at `at`.
pub(super) fn web(page: &Page<'_>, at: usize) -> Option<Figure> {
    let is_scheme = page.has_mark(at + 1, ":") && page.is_any_word(at, &["http", "https", "mailto"]);
    let is_joined = page.has_mark(at + 1, ".@-_+") && page.is_tight(at + 1);
    // A mark with nothing directly behind it ends a sentence and joins no parts of an address.
    if !(is_scheme || is_joined) || !page.is_tight(at + 2) || page.follows_mark(at, ".@/-_+") {
        return None;
    }
    let start = page.tokens[at].start;
    let raw = address(&page.text[start..]);
    // Every host ends in letters, and most numbers that are joined like one have none.
    let may_be = raw.bytes().any(|byte| byte.is_ascii_alphabetic());
    let (value, len) = may_be.then(|| email(raw).or_else(|| link(page, raw))).flatten()?;
    let behind = page.tokens.partition_point(|token| token.start < start + len);
    Some(Page::figure(at, behind, value))
}

/// The text up to the first character that no address has.
fn address(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(ADDRESS_BYTES_MAX)];
    let end = text.find(|c: char| {
        let closes =
            matches!(c, '<' | '>' | '"' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '\\' | '^' | '`');
        closes || matches!(c, '“' | '”' | '‘' | '’' | '«' | '»') || c.is_whitespace()
    });
    text[..end.unwrap_or(text.len())].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\'', '…'])
}

fn email(raw: &str) -> Option<(Value, usize)> {
    let raw_mail = raw.strip_prefix("mailto:").unwrap_or(raw);
    let (local, rest) = raw_mail.split_once('@')?;
    let local_fits = (1..=64).contains(&local.len())
        && local.bytes().all(|b| b.is_ascii_alphanumeric() || b"._%+-".contains(&b));
    let host = split_host(rest).0.trim_end_matches(['.', '-']);
    if !local_fits || !is_host(host) {
        return None;
    }
    let len = raw.len() - raw_mail.len() + local.len() + 1 + host.len();
    Some((Value::Email(format!("{local}@{host}").to_ascii_lowercase()), len))
}

/// The letters, digits, dots and hyphens that a text starts with, and the rest.
fn split_host(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(|b| b.is_ascii_alphanumeric() || b".-".contains(b)).count())
}

fn is_host(host: &str) -> bool {
    let Some((_, ending)) = host.rsplit_once('.') else { return false };
    let all = host.split('.').all(|part| (1..=63).contains(&part.len()));
    all && ending.len() >= 2 && ending.bytes().all(|b| b.is_ascii_alphabetic())
}

fn link(page: &Page<'_>, raw: &str) -> Option<(Value, usize)> {
    let bare = ["https://", "http://", "www."].iter().fold(raw, |rest, prefix| {
        let is_there = rest.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        if is_there { &rest[prefix.len()..] } else { rest }
    });
    let (host, path) = split_host(bare);
    let is_named = bare.len() < raw.len() || is_known(page, host, path);
    if !is_host(host) || path.starts_with('@') || !is_named {
        return None;
    }
    let path = if path.starts_with(['/', '?', '#', ':']) { path } else { "" };
    let text = format!("{}{path}", host.to_ascii_lowercase());
    let len = raw.len() - bare.len() + text.len();
    Some((Value::Link(text.trim_end_matches('/').to_owned()), len))
}

/// Whether a host without a scheme is one.
fn is_known(page: &Page<'_>, host: &str, path: &str) -> bool {
    let ending = host.rsplit('.').next().unwrap_or("");
    // In upper case it is the first word of a sentence without a space before it.
    let lower = !ending.bytes().any(|byte| byte.is_ascii_uppercase());
    let certain = !WORD_ENDINGS.contains(&ending) || path.starts_with('/') || host.matches('.').count() > 1;
    lower && certain && page.table.info_of(ending).cues.any(Cues::DOMAIN)
}

/// The telephone number that starts at `at`.
pub(super) fn phone(page: &Page<'_>, at: usize) -> Option<Figure> {
    let goes_on = at > 0 && page.is_digits(at - 1) && is_near(page, at);
    // Most numbers stand alone and are short.
    let alone = page.mark(at).is_none()
        && page.len(at) < 7
        && !matches!(page.shape(at + 1), Some(Shape::Digits | Shape::Mark(_)));
    if goes_on || alone || page.follows_mark(at, "-./$#+") {
        return None;
    }
    let plus = page.has_mark(at, "+");
    let (groups, behind) = groups(page, at + usize::from(plus));
    let is_labelled = || (at.saturating_sub(LABEL_DISTANCE_MAX)..at).any(|at| page.is(at, Cues::PHONE_LABEL));
    let fits = match groups.iter().map(|group| page.len(*group)).sum() {
        8..=DIGITS_MAX if plus => true,
        _ if plus => false,
        10 | 11 if is_grouped(page, &groups) => true,
        7..=DIGITS_MAX => is_labelled(),
        _ => false,
    };
    fits.then(|| {
        let digits = groups.iter().map(|group| page.raw(*group));
        Page::figure(at, behind, Value::Phone(plus.then_some("+").into_iter().chain(digits).collect()))
    })
}

/// Whether ten or eleven digits are grouped as telephone numbers are.
fn is_grouped(page: &Page<'_>, groups: &[usize]) -> bool {
    let has_lens = |lens: &[usize]| groups.iter().map(|group| page.len(*group)).eq(lens.iter().copied());
    let first = page.raw(groups[0]);
    has_lens(&[3, 3, 4])
        || (first == "1" && has_lens(&[1, 3, 3, 4]))
        || (first.starts_with('0') && groups.len() > 1)
}

/// The groups of digits from `at` that may be a telephone number, without a "(0)" that is only dialled at home, and the
/// token behind them.
fn groups(page: &Page<'_>, at: usize) -> (Vec<usize>, usize) {
    let (mut groups, mut n_digits, mut behind, mut next) = (Vec::new(), 0, at, at);
    while groups.len() < GROUPS_MAX && (next == at || is_near(page, next)) {
        if page.is_digits(next) {
            let home = page.raw(next) == "0" && next > 0 && page.has_mark(next - 1, "(");
            if !home || groups.is_empty() {
                groups.push(next);
                n_digits += page.len(next);
            }
            behind = next + 1;
        } else if !page.has_mark(next, "-.()/") {
            break;
        }
        next += 1;
        // "(555) 123" closes a bracket that belongs to the number.
        if next > behind + 2 || n_digits > DIGITS_MAX {
            break;
        }
    }
    (groups, behind)
}

fn is_near(page: &Page<'_>, at: usize) -> bool {
    at > 0 && page.tokens.get(at).is_some_and(|token| token.start - page.tokens[at - 1].end <= 1)
}

/// The street address that starts at `at`.
pub(super) fn street(page: &Page<'_>, at: usize) -> Option<Figure> {
    let house = page.raw(at);
    let n_digits = house.bytes().take_while(u8::is_ascii_digit).count();
    if page.shape(at + 1)? != Shape::Word || !(1..=5).contains(&n_digits) || house.len() > n_digits + 1 {
        return None;
    }
    for next in at + 1..=at + 1 + STREET_WORDS_MAX {
        let raw = page.raw(next);
        let capital = raw.starts_with(char::is_uppercase);
        let name = capital || (next > at + 1 && raw.len() <= 3);
        if !name || page.shape(next)? != Shape::Word {
            return None;
        }
        if next > at + 1 && capital && page.is(next, Cues::STREET) {
            let words: Vec<String> = (at..=next).map(|word| page.raw(word).to_lowercase()).collect();
            return Some(Page::figure(at, next + 1, Value::Address(words.join(" "))));
        }
    }
    None
}
