//! E-mail addresses: plain, spaced, spelled out with "at" and "dot", and masked.
//!
//! Addresses of roles ("support@…") and those that the reply calls the company's own are no person's. A
//! domain with letters outside ASCII is never taken for the company's.

use std::ops::Range;

use super::kind::{Hit, Kind};
use super::label::{Labels, Owner};
use super::words::{self, List, is_word_byte};

/// The longest local part, in bytes (RFC 5321).
const LOCAL_MAX: usize = 64;
/// The longest domain that is read, in bytes.
const DOMAIN_MAX: usize = 128;
/// Local parts that name a role in a company.
static ROLES: List = List::of(
    "\
    support help info noreply no-reply sales billing returns privacy contact hello service services \
    customerservice customercare care team orders admin office feedback press security legal accounts \
    helpdesk shipping refunds donotreply git",
);
/// Top-level domains of addresses that are spelled out.
static TOP_LEVELS: List = List::of(
    "\
    com net org edu gov info biz io co me us uk de fr es it nl eu ca au in jp br ch at be se no dk fi pl pt \
    ie nz za mx ru cn app dev ai tv example test",
);
/// Endings of files that follow an address in the name of a file, or that follow a picture's scale.
static FILE_ENDINGS: List = List::of("png jpg jpeg gif webp svg pdf heic txt csv zip doc docx html");
/// Hosts of mail for people, whose name makes an address of a plain "at".
static MAIL_HOSTS: List = List::of(
    "\
    gmail googlemail yahoo hotmail outlook icloud aol proton protonmail gmx live",
);

/// The address around the `@` at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Hit> {
    let local = local_before(text, at);
    let domain = domain_after(text, at + 1);
    let (Some(local), Some(domain)) = (local, domain) else { return find_spelled(text, at..at + 1) };
    if text[local.clone()].contains('*') {
        return masked(text, local, &domain);
    }
    let kind = kind(text, &local, &domain);
    Some(Hit::new(kind, local.start..domain.end))
}

/// The address around a word that stands for `@`, or around one with spaces.
pub(super) fn find_spelled(text: &str, at: Range<usize>) -> Option<Hit> {
    let is_word = !text[at.clone()].contains(['@', '[', '(', '{', '<']);
    let before = text[..at.start].trim_end_matches(' ');
    if at.start - before.len() > 3 {
        return None;
    }
    let local = local_before(text, before.len())?;
    let local = join_back(text, local);
    let rest = text[at.end..].trim_start_matches(' ');
    let from = text.len() - rest.len();
    if from > at.end + 3 {
        return None;
    }
    let mut labels = Vec::new();
    let mut end = label_end(text, from)?;
    labels.push(&text[from..end]);
    while let Some(next) = dot_after(text, end) {
        let Some(label) = label_end(text, next) else { break };
        labels.push(&text[next..label]);
        end = label;
        if labels.len() == 5 {
            break;
        }
    }
    let is_top = labels.len() > 1 && labels.last().is_some_and(|top| TOP_LEVELS.has(top));
    let is_mail = MAIL_HOSTS.has(labels[0]);
    let is_sure = !is_word
        || is_mail
        || &text[at] == "AT"
        || text[local.clone()].contains(|char: char| char.is_ascii_digit() || "._-".contains(char));
    (is_top && is_sure).then(|| Hit::new(kind(text, &local, &(from..end)), local.start..end))
}

/// The address that a spelled dot at `at` belongs to.
pub(super) fn find_at_dot(text: &str, at: usize) -> Option<Hit> {
    let word = words::before(text, at).take(6).find(|word| word.is_any(&["at"]))?;
    find_spelled(text, word.start..word.end)
}

/// Whether an address is a person's or the company's.
fn kind(text: &str, local: &Range<usize>, domain: &Range<usize>) -> Kind {
    let is_role = ROLES.has(&text[local.clone()]);
    let is_ours = || Labels::around(text, local.start, domain.end).owner == Some(Owner::Company);
    let is_plain = text[domain.clone()].is_ascii();
    if is_plain && (is_role || is_ours()) { Kind::UnlistedContact } else { Kind::Email }
}

/// The local part that ends at `end`.
fn local_before(text: &str, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let belongs =
        |byte: &u8| is_word_byte(*byte) || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-' | b'\'' | b'*');
    let n = bytes[..end].iter().rev().take(LOCAL_MAX).take_while(|byte| belongs(byte)).count();
    let mut start = end - n;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let local = text[start..end].trim_start_matches(['.', '\'', '-', '+', '%']);
    let is_bold = local.starts_with('*') && !local.trim_start_matches('*').contains('*');
    let local = if is_bold && bold_closes(text, end) { local.trim_start_matches('*') } else { local };
    let has_name = local.contains(|char: char| char.is_alphanumeric());
    (has_name && !local.ends_with('.')).then_some(end - local.len()..end)
}

/// Whether asterisks close what asterisks opened before the address at `at`.
fn bold_closes(text: &str, at: usize) -> bool {
    let word = text.as_bytes()[at..].iter().take(DOMAIN_MAX).take_while(|byte| !byte.is_ascii_whitespace());
    word.clone().any(|byte| *byte == b'*')
}

/// The domain that starts at `from`.
fn domain_after(text: &str, from: usize) -> Option<Range<usize>> {
    let mut end = label_end(text, from)?;
    let mut starts = vec![from];
    while text.as_bytes().get(end) == Some(&b'.') && end < from + DOMAIN_MAX {
        let Some(next) = label_end(text, end + 1) else { break };
        starts.push(end + 1);
        end = next;
    }
    if starts.last().is_some_and(|top| FILE_ENDINGS.has(&text[*top..end])) {
        end = starts.pop()? - 1;
    }
    let top = &text[*starts.last()?..end];
    let is_top = starts.len() > 1
        && top.chars().count() > 1
        && top.chars().all(|char| char.is_alphabetic() || char == '-');
    (is_top || top.starts_with("xn--")).then_some(from..end)
}

/// Where the domain label that starts at `from` ends.
fn label_end(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let n =
        bytes.get(from..)?.iter().take(63).take_while(|byte| is_word_byte(**byte) || **byte == b'-').count();
    let mut end = from + n;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (n > 0 && bytes[from] != b'-').then_some(end)
}

/// What follows a dot that is written as a sign or as a word, in brackets or with spaces.
fn dot_after(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches(' ');
    let spaces = text.len() - at - rest.len();
    ["[dot]", "(dot)", "{dot}", "<dot>", "[.]", "(.)", "dot ", "."].iter().find_map(|dot| {
        let is_dot = rest.get(..dot.len())?.eq_ignore_ascii_case(dot);
        let tail = rest[dot.len()..].trim_start_matches(' ');
        let after = rest.len() - dot.len() - tail.len();
        // A full stop with a space on one side only ends a sentence.
        let is_end = *dot == "." && (spaces == 0) != (after == 0);
        let needs_space = *dot == "dot " && spaces == 0;
        (is_dot && !is_end && !needs_space && spaces < 3 && after < 3).then_some(text.len() - tail.len())
    })
}

/// A local part with what stands before it when dots in it are spaced or spelled out.
fn join_back(text: &str, local: Range<usize>) -> Range<usize> {
    for dot in [" . ", " dot ", " DOT ", "[dot]", " [dot] ", "(dot)", " (dot) "] {
        if let Some(before) = text[..local.start].strip_suffix(dot)
            && let Some(first) = local_before(text, before.len())
        {
            return first.start..local.end;
        }
    }
    local
}

/// A masked address, when it shows more than two characters of its local part.
fn masked(text: &str, local: Range<usize>, domain: &Range<usize>) -> Option<Hit> {
    let n_seen = text[local.clone()].chars().filter(|char| *char != '*').count();
    (n_seen > 2).then(|| Hit::new(Kind::PartMasked, local.start..domain.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let hit = find(text, text.find('@').unwrap());
        let got = hit.map_or(String::new(), |hit| format!("{:?} {}", hit.kind, &text[hit.span]));
        assert_eq!(got, want, "{text}");
    }

    #[track_caller]
    fn check_spelled(text: &str, at: &str, want: &str) {
        let start = text.find(at).unwrap();
        let hit = find_spelled(text, start..start + at.len());
        assert_eq!(hit.map_or("", |hit| &text[hit.span]), want, "{text}");
    }

    #[test]
    fn plain_addresses() {
        check("Write to jane.doe@mail.net.", "Email jane.doe@mail.net");
        check("**jane@mail.net**", "Email jane@mail.net");
        check("jane@gm\u{430}il.com", "Email jane@gm\u{430}il.com");
        check("https://x.net/jane@mail.net.pdf", "Email jane@mail.net");
        check("jane @ mail . net", "Email jane @ mail . net");
        check("write us: support@shop.com", "UnlistedContact support@shop.com");
    }

    #[test]
    fn other_uses_of_the_sign() {
        check("meet @ noon. Then", "");
        check("3 @ 4.99", "");
        check("logo@2x.png", "");
        check("@shop", "");
        check("j***@mail.net", "");
        check("jane.d**@mail.net", "PartMasked jane.d**@mail.net");
    }

    #[test]
    fn spelled_addresses() {
        check_spelled("jane [at] mail [dot] net now", "[at]", "jane [at] mail [dot] net");
        check_spelled("jane (at) mail.net", "(at)", "jane (at) mail.net");
        check_spelled("jane.doe AT mail DOT net", "AT", "jane.doe AT mail DOT net");
        check_spelled("jane at gmail dot com", "at", "jane at gmail dot com");
        check_spelled("available at amazon dot com", "at ", "");
    }
}
