//! E-mail addresses: plain, spaced, spelled out with "at" and "dot", and masked.
//!
//! Addresses of roles ("support@…") are the company's. A domain with letters outside ASCII never is.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::words::words_under;
use super::{Contact, ContactKind, List, Text, is_word_byte, run_after, run_before};

/// The longest local part and label of a domain that is read, in bytes (RFC 5321).
const PART_MAX: usize = 64;

/// A local part, a sign or a word for `@`, and a domain, whose dots are signs or words, in brackets or with spaces.
static SPELLED: LazyLock<Regex> = LazyLock::new(|| {
    // By bytes: what is no ASCII is all letters, and an expression over all of Unicode takes long to make.
    let words = |key: &'static str| format!("(?i:{})", words_under("contact", key).join("|"));
    let bracketed = |words: &str| format!(r" ?[\[({{<] ?(?:{words}) ?[\])}}>] ?");
    let dot = format!(
        r"(?:\.| \. | (?:{dots}) |{})",
        bracketed(&format!(r"\.|{}", words("dot"))),
        dots = words("dot")
    );
    let at = format!(
        r"(?:{} {{0,2}}| {{0,3}}@ {{0,3}}| {{1,3}}({}) {{1,3}})",
        bracketed(&words("at")),
        words("at")
    );
    let (part, label) = (r"[0-9A-Za-z_%+'*\x80-\xff-]+", r"[0-9A-Za-z\x80-\xff-]+");
    Regex::new(&format!("(?-u)({part}(?:{dot}{part}){{0,4}}){at}({label}(?:{dot}{label}){{0,4}})"))
        .expect("the words of the lists are letters")
});

/// The address around the `@` at `at`.
pub(super) fn find(text: &Text, at: usize) -> Option<Contact> {
    let local = local_before(text, at)?;
    Some(mail(text, &local, &domain_after(text, at + 1)?))
}

/// The addresses that are spelled out or spaced.
pub(super) fn find_spelled(text: &Text) -> impl Iterator<Item = Contact> {
    SPELLED.captures_iter(text.as_bytes()).filter_map(|found| {
        let (local, domain) = (found.get(1)?.range(), found.get(3)?.range());
        let mut labels = text[domain.clone()].split(|char: char| !char.is_alphanumeric() && char != '-');
        let first = labels.next()?;
        let last = labels.next_back().unwrap_or(first);
        let (is_host, n_letters) = (List::MailHosts.has(first), first.len() + last.len());
        let is_top = first.len() < domain.len() && List::TopLevelDomains.has(last);
        let has_sign =
            text[local.clone()].contains(|char: char| char.is_ascii_digit() || "._- ".contains(char));
        // "At" is a word of sentences: "now at shop.com", "2.5 at shop.com".
        let is_sure = match found.get(2).map(|word| word.as_bytes()) {
            Some(b"at" | b"At") => is_host || (has_sign && domain.len() > n_letters + 1),
            Some(_) => true,
            None => text[local.end..domain.start] != *"@" || find(text, local.end).is_none(),
        };
        let is_one = (is_top && is_sure) || (is_host && has_sign);
        is_one.then(|| mail(text, &local, &domain))
    })
}

/// The address of a local part at a domain.
fn mail(text: &Text, local: &Range<usize>, domain: &Range<usize>) -> Contact {
    let span = local.start..domain.end;
    let mail = Contact::new(text, ContactKind::Mail, span.clone(), span);
    let is_own = mail.is_own || List::Roles.has(&text[local.clone()]);
    Contact { is_own: is_own && text[domain.clone()].is_ascii(), ..mail }
}

/// The local part that ends at `end`.
fn local_before(text: &Text, end: usize) -> Option<Range<usize>> {
    let belongs = |byte: u8| is_word_byte(byte) || b"._%+-'*".contains(&byte);
    let start = text.ceil_char_boundary(end - run_before(text, end, PART_MAX, belongs));
    let local = text[start..end].trim_start_matches(['.', '\'', '-', '+', '%']);
    let bare = local.trim_start_matches('*');
    // Asterisks before the address may be closed behind it.
    let is_closed = || {
        let n_behind = run_after(text, end, 2 * PART_MAX, |byte| !byte.is_ascii_whitespace());
        text.as_bytes()[end..end + n_behind].contains(&b'*')
    };
    let is_bold = bare.len() < local.len() && !bare.contains('*') && is_closed();
    let local = if is_bold { bare } else { local };
    let has_name = local.contains(char::is_alphanumeric);
    (has_name && !local.ends_with('.')).then_some(end - local.len()..end)
}

/// The domain that starts at `from`.
fn domain_after(text: &Text, from: usize) -> Option<Range<usize>> {
    let mut end = label_end(text, from)?;
    while text.as_bytes().get(end) == Some(&b'.')
        && let Some(next) = label_end(text, end + 1)
    {
        end = next;
    }
    let whole = &text[from..end];
    let file = whole.rsplit_once('.').filter(|(_, ending)| List::FileEndings.has(ending));
    let domain = file.map_or(whole, |(domain, _)| domain);
    let top = domain.rsplit('.').next()?;
    let is_name = top.chars().count() > 1 && top.chars().all(|char| char.is_alphabetic() || char == '-');
    // The host of an Indian payment is a bank's: `jane@okaxis`.
    let is_host = (domain.contains('.') && is_name) || List::PaymentHandles.has(domain);
    (is_host || top.starts_with("xn--")).then_some(from..from + domain.len())
}

/// Where the domain label that starts at `from` ends.
fn label_end(text: &Text, from: usize) -> Option<usize> {
    let n = run_after(text, from, PART_MAX, |byte| is_word_byte(byte) || byte == b'-');
    (n > 0 && text.as_bytes()[from] != b'-').then(|| text.floor_char_boundary(from + n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let hit = Text::new(text).contacts.first().cloned();
        let got = hit.map_or(String::new(), |hit| format!("{} {}", hit.is_own, &text[hit.span]));
        assert_eq!(got, want, "{text}");
    }

    #[track_caller]
    fn check_spelled(text: &str, want: &str) {
        let hit = find_spelled(&Text::new(text)).next();
        assert_eq!(hit.map_or("", |hit| &text[hit.span]), want, "{text}");
    }

    #[test]
    fn plain_addresses() {
        check("Write to jane.doe@mail.net.", "false jane.doe@mail.net");
        check("**jane@mail.net**", "false jane@mail.net");
        check("jane@gm\u{430}il.com", "false jane@gm\u{430}il.com");
        check("https://x.net/jane@mail.net.pdf", "false jane@mail.net");
        check("jane @ mail . net", "false jane @ mail . net");
        check("write us: support@shop.com", "true support@shop.com");
    }

    #[test]
    fn other_uses_of_the_sign() {
        check("meet @ noon. Then", "");
        check("3 @ 4.99", "");
        check("logo@2x.png", "");
        check("@shop", "");
        check("jane.d**@mail.net", "false jane.d**@mail.net");
    }

    #[test]
    fn spelled_addresses() {
        check_spelled("jane [at] mail [dot] net now", "jane [at] mail [dot] net");
        check_spelled("jane (at) mail.net", "jane (at) mail.net");
        check_spelled("jane.doe AT mail DOT net", "jane.doe AT mail DOT net");
        check_spelled("jane at gmail dot com", "jane at gmail dot com");
        check_spelled("found at amazon dot com", "");
    }
}
