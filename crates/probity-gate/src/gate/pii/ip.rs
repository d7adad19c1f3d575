//! Network addresses that can belong to a customer: public ones.
//!
//! Private, local and documentation ranges, well-known resolvers and version numbers are none.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::digits::{Gap, Group};
use super::label::{Label, Labels};

/// The longest written form of an address, in bytes.
const LENGTH_MAX: usize = 45;

/// The address of four numbers that starts with the group at `at`.
pub(super) fn find_v4(text: &str, groups: &[Group], at: usize) -> Option<Range<usize>> {
    let dotted = |i: usize| {
        groups.get(i).is_some_and(|group| {
            group.gap == Gap::Narrow && i > 0 && &text[groups[i - 1].end..group.start] == "."
        })
    };
    if groups[at].len() > 3
        || !dotted(at + 1)
        || dotted(at)
        || !dotted(at + 2)
        || !dotted(at + 3)
        || dotted(at + 4)
    {
        return None;
    }
    let span = groups[at].start..groups[at + 3].end;
    let address: Ipv4Addr = text[span.clone()].parse().ok()?;
    let is_glued = span.start > 0 && text.as_bytes()[span.start - 1].is_ascii_alphanumeric();
    let is_version = Labels::around(text, span.start, span.end).nearest == Some(Label::Version);
    (!is_glued && !is_version && is_public(IpAddr::V4(address))).then_some(span)
}

/// The address of hexadecimal groups that the digits `group` belong to.
pub(super) fn find_v6(text: &str, group: &Group) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let belongs = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b':';
    let start = group.start
        - bytes[..group.start].iter().rev().take(LENGTH_MAX).take_while(|byte| belongs(byte)).count();
    let end = group.end + bytes[group.end..].iter().take(LENGTH_MAX).take_while(|byte| belongs(byte)).count();
    let word = text[start..end].trim_end_matches(':');
    if word.bytes().filter(|byte| *byte == b':').count() < 2 {
        return None;
    }
    let address: Ipv6Addr = word.parse().ok()?;
    is_public(IpAddr::V6(address)).then_some(start..start + word.len())
}

/// Whether an address is routed on the internet and is not everybody's.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            let is_resolver = matches!(
                address.octets(),
                [8, 8, 8, 8] | [8, 8, 4, 4] | [1, 1, 1, 1] | [1, 0, 0, 1] | [9, 9, 9, 9]
            );
            let is_reserved = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_documentation()
                || matches!(
                    (a, b, c),
                    (0 | 224..=255, ..) | (100, 64..=127, _) | (192, 0, 0) | (198, 18..=19, _)
                );
            !is_resolver && !is_reserved
        }
        IpAddr::V6(address) => {
            let first = address.segments()[0];
            let is_documentation = first == 0x2001 && address.segments()[1] == 0xdb8;
            (0x2000..0x4000).contains(&first) && !is_documentation
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::digits::read_cluster;
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let groups = read_cluster(text, text.find(|char: char| char.is_ascii_digit()).unwrap());
        let found = find_v4(text, &groups, 0).or_else(|| find_v6(text, &groups[0]));
        assert_eq!(found.map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn public_addresses_are_found() {
        check("from 81.2.69.142.", "81.2.69.142");
        check("from 2a02:c7c:5b6::1 today", "2a02:c7c:5b6::1");
    }

    #[test]
    fn others_are_not() {
        check("192.168.0.1", "");
        check("203.0.113.7", "");
        check("version 81.2.69.142", "");
        check("8.8.8.8", "");
        check("2001:db8::1", "");
        check("at 10:30:45", "");
        check("81.2.69.142.5", "");
        check("v81.2.69.142", "");
    }
}
