//! Identifiers whose form or check digits say what they are: bank accounts, national numbers, network addresses.
//!
//! Numbers that need a label to be recognised are read by the `labelled` module.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::super::text::Text;
use super::super::text::digits::{self, Group};
use super::super::text::label::{Label, Labels};
use super::super::text::words::{may_end, may_start, run_after, run_before};

/// The length of an account number by country, as the registry of ISO 13616 has it.
const IBAN_LENGTHS: &str = "\
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 \
    DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 \
    IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 \
    MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 \
    SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// The longest written form of a network address, in bytes.
const ADDRESS_MAX: usize = 45;

/// The international bank account number whose check digits `group` opens with: length by country and the mod-97
/// check (ISO 13616, ISO 7064).
pub(super) fn iban(text: &Text, group: &Group) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = group.start.checked_sub(2)?;
    if !bytes[start..group.start].iter().all(u8::is_ascii_alphabetic) || !may_start(text, start) {
        return None;
    }
    let country = text[start..group.start].to_ascii_uppercase();
    let length = IBAN_LENGTHS.split(' ').find_map(|entry| entry.strip_prefix(&country))?.parse().ok()?;
    let (mut compact, mut at) = (Vec::new(), start);
    while compact.len() < length {
        match *bytes.get(at)? {
            byte if byte.is_ascii_alphanumeric() => compact.push(byte.to_ascii_uppercase()),
            b' ' | b'-' | b'.' | b'\n' | b'/' | b'_' if bytes[at - 1].is_ascii_alphanumeric() => {}
            _ => return None,
        }
        at += 1;
    }
    // The number with its head at the end leaves 1 over 97.
    let rest = compact[4..].iter().chain(&compact[..4]).fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    let is_valid = rest == 1 && compact[2..4].iter().all(u8::is_ascii_digit);
    (is_valid && may_end(text, at)).then_some(start..at)
}

/// The national number that opens with the group at `at`, or that the group is part of.
pub(super) fn national(text: &Text, groups: &[Group], at: usize) -> impl Iterator<Item = Range<usize>> {
    let group = &groups[at];
    let n = match group.len() {
        3 | 9 if !group.is_dated => social_security(text, groups, at).or_else(|| cpf(text, &groups[at..])),
        _ => None,
    };
    let lettered = insurance(text, group).or_else(|| identity(text, group));
    let lettered = lettered.filter(|span| !Labels::around(text, span).is_reference());
    n.map(|n| digits::span(&groups[at..at + n])).into_iter().chain(lettered)
}

/// Whether nine digits can be a social security number of the United States (Social Security
/// Administration: no area 000, 666 or from 900 on, no group 00, no serial 0000).
pub(super) fn is_social_security(digits: &[u8]) -> bool {
    let (Some(area), Some(group), Some(serial)) = (digits.get(..3), digits.get(3..5), digits.get(5..9))
    else {
        return false;
    };
    digits.len() == 9
        && area != [0; 3]
        && area != [6; 3]
        && area[0] != 9
        && group != [0; 2]
        && serial != [0; 4]
}

/// How many groups from `at` on are a social security number.
fn social_security(text: &Text, groups: &[Group], at: usize) -> Option<usize> {
    let is_bare = groups[at].len() == 9;
    let n = if is_bare { 1 } else { 3 };
    let window = groups.get(at..at + n)?;
    let has_form = is_bare || {
        let gap = digits::between(text, &window[0], &window[1]);
        digits::have_lens(window, &[3, 2, 4])
            && matches!(gap, "-" | " " | "." | "/" | "_")
            && gap == digits::between(text, &window[1], &window[2])
    };
    if !has_form || !is_social_security(&digits::values(text, window)?) {
        return None;
    }
    let (span, bytes) = (digits::span(window), text.as_bytes());
    let joins = |byte: u8| matches!(byte, b'-' | b'/' | b'.') || byte.is_ascii_alphanumeric();
    let is_longer = (at > 0 && groups[at].is_narrow() && joins(bytes[span.start - 1]))
        || groups.get(at + n).is_some_and(|next| next.is_narrow() && joins(bytes[span.end]));
    if is_longer || is_joined_to_letters(text, span.start) {
        return None;
    }
    let labels = Labels::around(text, &span);
    let is_one = labels.nearest == Some(Label::SocialSecurity) || (!is_bare && !labels.is_reference());
    is_one.then_some(n)
}

/// Whether letters stand directly before, or before a hyphen, and are no label.
fn is_joined_to_letters(text: &Text, start: usize) -> bool {
    let before = text[..start].trim_end_matches(['-', '#']);
    let ends_in = |label: &str| {
        let end = before.len().checked_sub(label.len()).and_then(|from| before.get(from..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(label))
    };
    let is_near = before.len() + 1 >= start && before.ends_with(|char: char| char.is_ascii_alphanumeric());
    is_near && !ends_in("ssn")
}

/// A Brazilian taxpayer number, `###.###.###-##` with two check digits.
fn cpf(text: &Text, groups: &[Group]) -> Option<usize> {
    let window = groups.get(..4)?;
    let gaps_fit = || {
        digits::between(text, &window[0], &window[1]) == "."
            && digits::between(text, &window[2], &window[3]) == "-"
    };
    if !digits::have_lens(window, &[3, 3, 3, 2]) || !gaps_fit() {
        return None;
    }
    let digits = digits::values(text, window)?;
    let check = |n: usize| {
        let weighted = digits[..n].iter().zip((2..=n + 1).rev());
        let sum: usize = weighted.map(|(digit, weight)| usize::from(*digit) * weight).sum();
        usize::from(digits[n]) == (sum * 10 % 11) % 10
    };
    let is_varied = digits.iter().any(|digit| *digit != digits[0]);
    (is_varied && check(9) && check(10)).then_some(4)
}

/// The Spanish identity number: eight digits and their check letter.
fn identity(text: &Text, group: &Group) -> Option<Range<usize>> {
    if group.len() != 8 || !may_start(text, group.start) {
        return None;
    }
    let number: usize = text[group.start..group.end].parse().ok()?;
    let at = group.end + run_after(text, group.end, 1, |byte| byte == b'-');
    let is_checked = text.as_bytes().get(at) == Some(&b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]);
    (is_checked && !continues(text, at + 1)).then_some(group.start..at + 1)
}

/// The British national insurance number, `QQ 12 34 56 C`.
fn insurance(text: &Text, group: &Group) -> Option<Range<usize>> {
    if !matches!(group.len(), 2 | 6) {
        return None;
    }
    let bytes = text.as_bytes();
    let start = (group.start - run_before(text, group.start, 1, |byte| byte == b' ')).checked_sub(2)?;
    let is_prefix =
        |byte: &u8| byte.is_ascii_uppercase() && !matches!(byte, b'D' | b'F' | b'I' | b'Q' | b'U' | b'V');
    let has_prefix = bytes[start..start + 2].iter().all(is_prefix) && bytes[start + 1] != b'O';
    if !has_prefix || !may_start(text, start) {
        return None;
    }
    let mut at = group.start;
    for _ in 0..3 {
        (run_after(text, at, 2, |byte| byte.is_ascii_digit()) == 2).then_some(())?;
        at += 2;
        at += run_after(text, at, 1, |byte| byte == b' ');
    }
    (matches!(bytes.get(at), Some(b'A'..=b'D')) && !continues(text, at + 1)).then_some(start..at + 1)
}

/// Whether a letter or digit of ASCII stands at `at`.
fn continues(text: &Text, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric)
}

/// The public address of four numbers that starts with the group at `at`. Version numbers are none.
pub(super) fn ip_v4(text: &Text, groups: &[Group], at: usize) -> Option<Range<usize>> {
    let is_dotted =
        |i: usize| i > 0 && i < groups.len() && digits::between(text, &groups[i - 1], &groups[i]) == ".";
    if is_dotted(at) || !(at + 1..at + 4).all(is_dotted) || is_dotted(at + 4) {
        return None;
    }
    let span = digits::span(&groups[at..at + 4]);
    let address: Ipv4Addr = text[span.clone()].parse().ok()?;
    let is_glued = span.start > 0 && text.as_bytes()[span.start - 1].is_ascii_alphanumeric();
    let is_version = Labels::around(text, &span).nearest == Some(Label::Version);
    (!is_glued && !is_version && is_public(address.into())).then_some(span)
}

/// The public address of hexadecimal groups that the digits `group` belong to.
pub(super) fn ip_v6(text: &Text, group: &Group) -> Option<Range<usize>> {
    let belongs = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
    let start = group.start - run_before(text, group.start, ADDRESS_MAX, belongs);
    let end = group.end + run_after(text, group.end, ADDRESS_MAX, belongs);
    let word = text[start..end].trim_end_matches(':');
    let address: Ipv6Addr = word.parse().ok()?;
    is_public(address.into()).then_some(start..start + word.len())
}

/// Whether an address is routed on the internet and is not everybody's.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let is_resolver = matches!(
                address.octets(),
                [8, 8, 8, 8] | [8, 8, 4, 4] | [1, 1, 1, 1] | [1, 0, 0, 1] | [9, 9, 9, 9]
            );
            let is_reserved = matches!(
                address.octets(),
                [0 | 224..=255, ..] | [100, 64..=127, ..] | [192, 0, 0, _] | [198, 18..=19, ..]
            );
            let is_local = address.is_private() || address.is_loopback() || address.is_link_local();
            !is_resolver && !is_reserved && !is_local && !address.is_documentation()
        }
        IpAddr::V6(address) => match address.segments() {
            [0x2001, 0xdb8, ..] => false,
            [first, ..] => (0x2000..0x4000).contains(&first),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let text = Text::new(text);
        let groups = text.clusters().next().unwrap();
        assert_eq!(iban(&text, &groups[0]).map_or("", |span| &text[span]), want, "{}", &*text);
    }

    #[test]
    fn accounts_in_any_spelling() {
        check("to GB82 WEST 1234 5698 7654 32, please", "GB82 WEST 1234 5698 7654 32");
        check("DE89370400440532013000", "DE89370400440532013000");
        check("no9386011117947", "no9386011117947");
    }

    #[test]
    fn wrong_digits_or_lengths_are_none() {
        check("GB83 WEST 1234 5698 7654 32", "");
        check("DE8937040044053201300", "");
        check("XX12 3456", "");
        check("aGB82WEST12345698765432", "");
    }

    #[track_caller]
    fn check_ip(text: &str, want: &str) {
        let text = Text::new(text);
        let groups = text.clusters().next().unwrap();
        let found = ip_v4(&text, groups, 0).or_else(|| ip_v6(&text, &groups[0]));
        assert_eq!(found.map_or("", |span| &text[span]), want, "{}", &*text);
    }

    #[test]
    fn public_addresses_are_found() {
        check_ip("from 81.2.69.142.", "81.2.69.142");
        check_ip("from 2a02:c7c:5b6::1 today", "2a02:c7c:5b6::1");
    }

    #[test]
    fn others_are_not() {
        check_ip("192.168.0.1", "");
        check_ip("203.0.113.7", "");
        check_ip("version 81.2.69.142", "");
        check_ip("8.8.8.8", "");
        check_ip("2001:db8::1", "");
        check_ip("at 10:30:45", "");
        check_ip("81.2.69.142.5", "");
        check_ip("v81.2.69.142", "");
    }

    #[track_caller]
    fn check_national(text: &str, want: &str) {
        let text = Text::new(text);
        let mut spans = Vec::new();
        for groups in text.clusters() {
            spans.extend((0..groups.len()).flat_map(|at| national(&text, groups, at)));
        }
        let got: Vec<&str> = spans.into_iter().map(|span| &text[span]).collect();
        assert_eq!(got.join(" | "), want, "{}", &*text);
    }

    #[test]
    fn numbers_with_a_form_of_their_own() {
        check_national("It is 219-09-9999.", "219-09-9999");
        check_national("SSN 219099999", "219099999");
        check_national("CPF 529.982.247-25", "529.982.247-25");
        check_national("DNI 12345678Z", "12345678Z");
        check_national("AB 12 34 56 C", "AB 12 34 56 C");
        check_national("AB123456C", "AB123456C");
    }

    #[test]
    fn numbers_outside_the_ranges_are_none() {
        check_national("000-12-3456 666-12-3456 901-12-3456 219-00-9999 219-09-0000", "");
        check_national("219099999", "");
        check_national("RMA-219-09-9999 and order 219-09-9999", "");
        check_national("529.982.247-26 12345678A DF123456C, ticket 12345678Z", "");
    }
}
