//! Web and e-mail addresses.
//!
//! An address without a scheme needs `www.` or a known ending in lower case, so that a missing space after
//! a full stop makes none. Marks at the end belong to the sentence.

use super::super::Value;
use super::super::lexicon::Cues;
use super::super::term::Figure;
use super::Page;

/// The longest address that is read, in bytes.
const ADDRESS_BYTES_MAX: usize = 2000;

/// Words before the colon of an address.
const SCHEMES: &[&str] = &["http", "https", "mailto"];

/// Endings that are also words; an address with one of them needs a path or a third part.
const WORD_ENDINGS: &[&str] =
    &["no", "in", "it", "me", "at", "us", "co", "is", "so", "to", "test", "help", "store", "info"];

/// The web or e-mail address that starts at `at`.
pub(super) fn web(page: &Page<'_>, at: usize) -> Option<Figure> {
    let goes_on = match page.mark(at + 1) {
        Some('.' | '@' | '-' | '_' | '+') => page.is_tight(at + 1),
        Some(':') => SCHEMES.iter().any(|scheme| page.is_word(at, scheme)),
        _ => false,
    };
    // A mark with nothing directly behind it ends a sentence and joins no parts of an address.
    if !goes_on || !page.is_tight(at + 2) {
        return None;
    }
    if at > 0 && page.is_tight(at) && matches!(page.mark(at - 1), Some('.' | '@' | '/' | '-' | '_' | '+')) {
        return None;
    }
    let start = page.tokens[at].start;
    let raw = address(&page.text[start..]);
    // Every host ends in letters, and most numbers that are joined like one have none.
    if !raw.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let value = email(raw).or_else(|| link(page, raw))?;
    let (value, len) = value;
    let mut behind = at;
    while page.tokens.get(behind).is_some_and(|token| token.start < start + len) {
        behind += 1;
    }
    Some(Page::figure(at, behind, value))
}

/// The text up to the first character that no address has.
fn address(text: &str) -> &str {
    let mut end = 0;
    while end < ADDRESS_BYTES_MAX
        && let Some(byte) = text.as_bytes().get(end)
    {
        let c = if byte.is_ascii() { Some(char::from(*byte)) } else { text[end..].chars().next() };
        let Some(c) = c.filter(|c| !ends_address(*c)) else { break };
        end += c.len_utf8();
    }
    text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\'', '…'])
}

fn ends_address(c: char) -> bool {
    let closes = matches!(c, '<' | '>' | '"' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '\\' | '^' | '`');
    closes || matches!(c, '“' | '”' | '‘' | '’' | '«' | '»') || c.is_whitespace()
}

fn email(raw: &str) -> Option<(Value, usize)> {
    let raw_mail = raw.strip_prefix("mailto:").unwrap_or(raw);
    let (local, rest) = raw_mail.split_once('@')?;
    let local_fits = !local.is_empty()
        && local.len() <= 64
        && local.bytes().all(|b| b.is_ascii_alphanumeric() || b"._%+-".contains(&b));
    let host_len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b".-".contains(b)).count();
    let host = rest[..host_len].trim_end_matches(['.', '-']);
    if !local_fits || !is_host(host) {
        return None;
    }
    let len = raw.len() - raw_mail.len() + local.len() + 1 + host.len();
    Some((Value::Email(format!("{local}@{host}").to_ascii_lowercase()), len))
}

fn is_host(host: &str) -> bool {
    let mut parts = host.split('.');
    let ending = parts.next_back().unwrap_or("");
    let all = host.split('.').all(|part| !part.is_empty() && part.len() <= 63);
    all && parts.next().is_some() && ending.len() >= 2 && ending.bytes().all(|b| b.is_ascii_alphabetic())
}

fn link(page: &Page<'_>, raw: &str) -> Option<(Value, usize)> {
    let bytes_before = |rest: &str| raw.len() - rest.len();
    let scheme = ["https://", "http://"].iter().find_map(|scheme| {
        raw.get(..scheme.len())
            .filter(|start| start.eq_ignore_ascii_case(scheme))
            .map(|_| &raw[scheme.len()..])
    });
    let rest = scheme.unwrap_or(raw);
    let bare = rest.get(..4).filter(|start| start.eq_ignore_ascii_case("www.")).map_or(rest, |_| &rest[4..]);
    let host_len = bare.bytes().take_while(|b| b.is_ascii_alphanumeric() || b".-".contains(b)).count();
    let (host, path) = bare.split_at(host_len);
    if !is_host(host) || path.starts_with('@') {
        return None;
    }
    if bytes_before(bare) == 0 && !is_known(page, host, path) {
        return None;
    }
    let path_fits = path.starts_with(['/', '?', '#', ':']);
    let path = if path_fits { path } else { "" };
    let len = bytes_before(bare) + host.len() + path.len();
    let text = format!("{}{path}", host.to_ascii_lowercase());
    Some((Value::Link(text.trim_end_matches('/').to_owned()), len))
}

/// Whether a host without a scheme is one.
fn is_known(page: &Page<'_>, host: &str, path: &str) -> bool {
    let ending = host.rsplit('.').next().unwrap_or("");
    // In upper case it is the first word of a sentence without a space before it.
    let lower = !ending.bytes().any(|byte| byte.is_ascii_uppercase());
    let known = lower && page.table.info(page.table.lookup(ending.as_bytes())).cues.any(Cues::DOMAIN);
    let certain = !WORD_ENDINGS.contains(&ending) || path.starts_with('/') || host.matches('.').count() > 1;
    known && certain && !host.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}
