//! Identifiers whose form or check digits say what they are: bank accounts and network addresses.

use core::net::IpAddr;
use std::ops::Range;

use super::super::text::{Group, Labels, List, Text, may_end, may_start};
use super::masked;
use super::national::NUMBERS;

/// The international bank account number whose check digits `group` opens with: length by country and the mod-97
/// check (ISO 13616, ISO 7064).
pub(super) fn iban(text: &Text, group: &Group) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = group.start.checked_sub(2)?;
    if !bytes[start..group.start].iter().all(u8::is_ascii_alphabetic) || !may_start(text, start) {
        return None;
    }
    let country = text[start..group.start].to_ascii_uppercase();
    let length = NUMBERS.iban_lengths.iter().find_map(|entry| entry.strip_prefix(&country))?.parse().ok()?;
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
    // "MK73 is already on your" goes on in other letters than it begins with.
    let has = |is_such: fn(&u8) -> bool| bytes[start..at].iter().any(is_such);
    let is_one_case = !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase));
    (is_valid && is_one_case && may_end(text, at)).then_some(start..at)
}

/// The public addresses that runs of hexadecimal digits, points and colons are. Version numbers are none.
pub(super) fn addresses(text: &Text) -> impl Iterator<Item = Range<usize>> {
    let runs = masked::runs(text, |byte| byte.is_ascii_hexdigit() || b":.".contains(&byte), b"");
    runs.filter_map(|run| {
        let word = text[run.clone()].trim_matches('.').trim_end_matches(':');
        // Most runs are numbers, which are no addresses without being read.
        word.bytes().filter(|byte| b":.".contains(byte)).nth(1)?;
        let address: IpAddr = word.parse().ok()?;
        let start = run.start + text[run].find(word)?;
        let span = start..start + word.len();
        let is_version = || Labels::around(text, &span).nearest == Some(List::VersionLabels);
        (is_public(address) && may_start(text, start) && !is_version()).then_some(span)
    })
}

/// Whether an address is routed on the internet and is not everybody's.
fn is_public(address: IpAddr) -> bool {
    let is_routed = match address {
        IpAddr::V4(v4) => {
            let is_local = v4.is_private() || v4.is_loopback() || v4.is_link_local();
            let is_special = v4.is_documentation() || v4.octets()[0] == 0 || v4.octets()[0] >= 224;
            !is_local && !is_special
        }
        IpAddr::V6(v6) => {
            (0x2000..0x4000).contains(&v6.segments()[0]) && v6.segments()[..2] != [0x2001, 0xdb8]
        }
    };
    is_routed && !NUMBERS.public_addresses.contains(&address)
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
        let found = addresses(&text).next();
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
}
