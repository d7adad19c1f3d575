//! E-mail addresses: plain, spaced, spelled out with "at" and "dot", and masked.
//!
//! Addresses of roles ("support@…") are the company's. A domain with letters outside ASCII never is.

use std::ops::Range;

use super::contact::{Contact, ContactKind};
use super::label::Owner;
use super::words::{DATA, List, Word, is_whole, run_after, run_before};
use super::{Text, is_word_byte};

/// The longest local part, in bytes (RFC 5321).
const LOCAL_MAX: usize = 64;
/// The longest domain that is read, in bytes.
const DOMAIN_MAX: usize = 128;
/// The longest label of a domain, in bytes.
const LABEL_MAX: usize = 63;
/// Dots in brackets.
const BRACKETED_DOTS: &[&str] = &["[dot]", "(dot)", "{dot}", "<dot>", "[.]", "(.)"];
/// The most labels of a domain that is spelled out.
const LABELS_MAX: usize = 5;

/// The address around the `@` at `at`.
pub(super) fn find(text: &Text, at: usize) -> Option<Contact> {
    let (Some(local), Some(domain)) = (local_before(text, at), domain_after(text, at + 1)) else {
        return find_handle(text, at).or_else(|| find_spelled(text, at..at + 1));
    };
    Some(mail(text, &local, &domain))
}

/// The address of an Indian payment, whose host is a bank's: `jane@okaxis`.
fn find_handle(text: &Text, at: usize) -> Option<Contact> {
    let (local, end) = (local_before(text, at)?, label_end(text, at + 1)?);
    List::PaymentHandles.has(&text[at + 1..end]).then(|| mail(text, &local, &(at + 1..end)))
}

/// The address around a word that stands for `@`, or around one with spaces.
pub(super) fn find_spelled(text: &Text, at: Range<usize>) -> Option<Contact> {
    let is_at = text[at.clone()].eq_ignore_ascii_case("at");
    let before = text[..at.start].trim_end_matches(' ').len();
    let from = text.len() - text[at.end..].trim_start_matches(' ').len();
    if at.start - before > 3 || from > at.end + 3 {
        return None;
    }
    let local = join_back(text, local_before(text, before)?);
    let mut end = label_end(text, from)?;
    let mut labels = vec![&text[from..end]];
    while labels.len() < LABELS_MAX
        && let Some(next) = dot_after(text, end)
        && let Some(label) = label_end(text, next)
    {
        labels.push(&text[next..label]);
        end = label;
    }
    let is_top = labels.len() > 1 && List::TopLevelDomains.has(labels[labels.len() - 1]);
    let has_sign = text[local.clone()].contains(|char: char| char.is_ascii_digit() || "._- ".contains(char));
    let is_host = List::MailHosts.has(labels[0]);
    let is_sure = !is_at || is_host || has_sign || &text[at] == "AT";
    ((is_top && is_sure) || (is_host && has_sign)).then(|| mail(text, &local, &(from..end)))
}

/// The address that a spelled dot at `at` belongs to.
pub(super) fn find_at_dot(text: &Text, at: usize) -> Option<Contact> {
    let before = text[..at].strip_suffix(' ')?.len();
    let word = text.before(before).take(6).find(|word| word.is_any(&["at"]))?;
    find_spelled(text, word.start..word.end)
}

/// The address around a word for `@`. Of "at gmail", only the first word is the sign.
pub(super) fn find_at_word(text: &Text, range: Range<usize>) -> Option<Contact> {
    let is_at = text.get(range.start..range.start + 3).is_some_and(|start| start.eq_ignore_ascii_case("at "));
    let at = if is_at { range.start..range.start + 2 } else { range };
    let is_word = text.as_bytes()[at.start].is_ascii_alphabetic();
    if is_word && !is_whole(text, &at) { None } else { find_spelled(text, at) }
}

/// The address of a local part at a domain.
fn mail(text: &Text, local: &Range<usize>, domain: &Range<usize>) -> Contact {
    let span = local.start..domain.end;
    let mut mail = Contact::new(text, ContactKind::Mail, span.clone(), span);
    if List::Roles.has(&text[local.clone()]) {
        mail.owner = Some(Owner::Company);
    }
    mail.owner = mail.owner.filter(|_| text[domain.clone()].is_ascii());
    mail
}

/// The local part that ends at `end`.
fn local_before(text: &Text, end: usize) -> Option<Range<usize>> {
    let belongs = |byte: u8| is_word_byte(byte) || b"._%+-'*".contains(&byte);
    let start = text.ceil_char_boundary(end - run_before(text, end, LOCAL_MAX, belongs));
    let local = text[start..end].trim_start_matches(['.', '\'', '-', '+', '%']);
    let bare = local.trim_start_matches('*');
    // Asterisks before the address may be closed behind it.
    let n_behind = run_after(text, end, DOMAIN_MAX, |byte| !byte.is_ascii_whitespace());
    let is_bold = !bare.contains('*') && text.as_bytes()[end..end + n_behind].contains(&b'*');
    let local = if is_bold { bare } else { local };
    let has_name = local.contains(char::is_alphanumeric);
    (has_name && !local.ends_with('.')).then_some(end - local.len()..end)
}

/// The domain that starts at `from`.
fn domain_after(text: &Text, from: usize) -> Option<Range<usize>> {
    let mut end = label_end(text, from)?;
    let mut starts = vec![from];
    while text.as_bytes().get(end) == Some(&b'.')
        && end < from + DOMAIN_MAX
        && let Some(next) = label_end(text, end + 1)
    {
        starts.push(end + 1);
        end = next;
    }
    if starts.last().is_some_and(|top| List::FileEndings.has(&text[*top..end])) {
        end = starts.pop()? - 1;
    }
    let top = &text[*starts.last()?..end];
    let is_top = starts.len() > 1
        && top.chars().count() > 1
        && top.chars().all(|char| char.is_alphabetic() || char == '-');
    (is_top || top.starts_with("xn--")).then_some(from..end)
}

/// Where the domain label that starts at `from` ends.
fn label_end(text: &Text, from: usize) -> Option<usize> {
    let n = run_after(text, from, LABEL_MAX, |byte| is_word_byte(byte) || byte == b'-');
    (n > 0 && text.as_bytes()[from] != b'-').then(|| text.floor_char_boundary(from + n))
}

/// What follows a dot that is written as a sign or as a word, in brackets or with spaces.
fn dot_after(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches(' ');
    let spaces = text.len() - at - rest.len();
    let ends =
        |dot: &str| rest.get(..dot.len()).filter(|start| start.eq_ignore_ascii_case(dot)).map(str::len);
    let bracketed = BRACKETED_DOTS.iter().find_map(|dot| ends(dot));
    let word = || {
        DATA["contact"]["dot"]
            .iter()
            .find_map(|dot| ends(dot))
            .filter(|len| spaces > 0 && rest[*len..].starts_with(' '))
    };
    let sign = || rest.starts_with('.').then_some(1);
    let len = bracketed.or_else(word).or_else(sign)?;
    let tail = rest[len..].trim_start_matches(' ');
    let after = rest.len() - len - tail.len();
    // A full stop with a space on one side only ends a sentence.
    let is_end = len == 1 && (spaces == 0) != (after == 0);
    (!is_end && spaces < 3 && after < 3).then_some(text.len() - tail.len())
}

/// A local part with what stands before it when dots in it are spaced or spelled out.
fn join_back(text: &Text, local: Range<usize>) -> Range<usize> {
    let mut start = local.start;
    for _ in 0..LABELS_MAX {
        let before = text[..start].trim_end_matches(' ');
        let word = text.before(start).next().filter(|word| word.end == before.len() && before.len() < start);
        let is_dot =
            |word: &Word<'_>| DATA["contact"]["dot"].iter().any(|dot| word.text.eq_ignore_ascii_case(dot));
        let end = match word.filter(is_dot) {
            Some(word) => text[..word.start].strip_suffix(' ').map(str::len),
            None => BRACKETED_DOTS.iter().chain(&[" ."]).find_map(|dot| {
                before
                    .strip_suffix(dot)
                    .filter(|_| *dot != " ." || before.len() < start)
                    .map(|rest| rest.trim_end().len())
            }),
        };
        let Some(part) = end.and_then(|end| local_before(text, end)) else { break };
        start = part.start;
    }
    start..local.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let hit = find(&Text::new(text), text.find('@').unwrap());
        let got = hit.map_or(String::new(), |hit| format!("{:?} {}", hit.owner, &text[hit.span]));
        assert_eq!(got, want, "{text}");
    }

    #[track_caller]
    fn check_spelled(text: &str, at: &str, want: &str) {
        let start = text.find(at).unwrap();
        let hit = find_spelled(&Text::new(text), start..start + at.len());
        assert_eq!(hit.map_or("", |hit| &text[hit.span]), want, "{text}");
    }

    #[test]
    fn plain_addresses() {
        check("Write to jane.doe@mail.net.", "None jane.doe@mail.net");
        check("**jane@mail.net**", "None jane@mail.net");
        check("jane@gm\u{430}il.com", "None jane@gm\u{430}il.com");
        check("https://x.net/jane@mail.net.pdf", "None jane@mail.net");
        check("jane @ mail . net", "None jane @ mail . net");
        check("write us: support@shop.com", "Some(Company) support@shop.com");
    }

    #[test]
    fn other_uses_of_the_sign() {
        check("meet @ noon. Then", "");
        check("3 @ 4.99", "");
        check("logo@2x.png", "");
        check("@shop", "");
        check("jane.d**@mail.net", "None jane.d**@mail.net");
    }

    #[test]
    fn spelled_addresses() {
        check_spelled("jane [at] mail [dot] net now", "[at]", "jane [at] mail [dot] net");
        check_spelled("jane (at) mail.net", "(at)", "jane (at) mail.net");
        check_spelled("jane.doe AT mail DOT net", "AT", "jane.doe AT mail DOT net");
        check_spelled("jane at gmail dot com", "at", "jane at gmail dot com");
        check_spelled("found at amazon dot com", "at", "");
    }
}
