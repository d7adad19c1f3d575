//! Web addresses.
//!
//! One without a scheme needs `www.` or a known ending in lower case, so that a missing space after a full stop makes none;
//! marks at the end belong to the sentence.

use super::super::Value;
use super::super::lexicon::Cues;
use super::super::term::Figure;
use super::Page;

/// The longest web address that is read, in bytes.
const ADDRESS_BYTES_MAX: usize = 2000;

/// Endings that are also words; an address with one of them needs a path or a third part.
const WORD_ENDINGS: &[&str] =
    &["no", "in", "it", "me", "at", "us", "co", "is", "so", "to", "test", "help", "store", "info"];

/// The web address that starts at `at`.
pub(super) fn link(page: &Page<'_>, at: usize) -> Option<Figure> {
    let is_scheme = page.has_mark(at + 1, ":") && page.is_any_word(at, &["http", "https"]);
    let is_joined = page.has_mark(at + 1, ".-_") && page.is_tight(at + 1);
    // A mark with nothing directly behind it ends a sentence and joins no parts of an address.
    if !(is_scheme || is_joined) || !page.is_tight(at + 2) || page.follows_mark(at, ".@/-_+") {
        return None;
    }
    let start = page.tokens[at].start;
    let raw = address(&page.text[start..]);
    // Every host ends in letters, and most numbers that are joined like one have none.
    let may_be = raw.bytes().any(|byte| byte.is_ascii_alphabetic());
    let (value, len) = may_be.then(|| read(page, raw)).flatten()?;
    Some(Page::figure(at, page.behind(at, start + len), value))
}

/// The text up to the first character that no address has.
fn address(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(ADDRESS_BYTES_MAX)];
    let end = text.find(|c: char| {
        let closes =
            matches!(c, '<' | '>' | '"' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '\\' | '^' | '`');
        closes || c.is_whitespace()
    });
    text[..end.unwrap_or(text.len())].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\''])
}

fn is_host(host: &str) -> bool {
    let Some((_, ending)) = host.rsplit_once('.') else { return false };
    let all = host.split('.').all(|part| (1..=63).contains(&part.len()));
    all && ending.len() >= 2 && ending.bytes().all(|b| b.is_ascii_alphabetic())
}

fn read(page: &Page<'_>, raw: &str) -> Option<(Value, usize)> {
    let lower = raw.to_ascii_lowercase();
    let prefixes = ["https://", "http://", "www."].iter();
    let bare = prefixes.fold(&*lower, |rest, prefix| rest.strip_prefix(prefix).unwrap_or(rest));
    let bare = &raw[raw.len() - bare.len()..];
    let is_of_host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let (host, path) = bare.split_at(bare.bytes().take_while(is_of_host).count());
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
    lower && certain && page.table.cues_of(ending).any(Cues::DOMAIN)
}
