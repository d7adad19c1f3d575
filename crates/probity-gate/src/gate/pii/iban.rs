//! International bank account numbers: length by country and the mod-97 check (ISO 13616, ISO 7064).

use std::ops::Range;

use super::digits::Group;
use super::words::is_word_byte;

/// The length of an account number by country, as the registry of ISO 13616 has it.
const LENGTHS: &str = "\
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 \
    DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 \
    IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 \
    MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 \
    SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// The account number whose check digits `group` opens with.
pub(super) fn find(text: &str, group: &Group) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = group.start.checked_sub(2).filter(|start| bytes[start + 1].is_ascii_alphabetic())?;
    let opens = start == 0 || !is_word_byte(bytes[start - 1]);
    if !opens || !bytes[start..group.start].iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    let country = [bytes[start].to_ascii_uppercase(), bytes[start + 1].to_ascii_uppercase()];
    let length = length(country)?;
    let mut compact = [0u8; 34];
    let (mut n, mut at) = (0, start);
    while n < length {
        match *bytes.get(at)? {
            byte if byte.is_ascii_alphanumeric() => {
                compact[n] = byte.to_ascii_uppercase();
                n += 1;
            }
            b' ' | b'-' | b'.' | b'\n' | b'/' | b'_' if at > 0 && bytes[at - 1].is_ascii_alphanumeric() => {}
            _ => return None,
        }
        at += 1;
    }
    let closes = bytes.get(at).is_none_or(|byte| !is_word_byte(*byte));
    (closes && is_valid(&compact[..length])).then_some(start..at)
}

/// Whether the check digits are right: the number with its head at the end leaves 1 over 97.
fn is_valid(compact: &[u8]) -> bool {
    let rest = compact[4..].iter().chain(&compact[..4]).fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1 && compact[2..4].iter().all(u8::is_ascii_digit)
}

/// How long the account numbers of a country are.
fn length(country: [u8; 2]) -> Option<usize> {
    let entry = LENGTHS.as_bytes().chunks(5).find(|entry| entry[..2] == country)?;
    Some(usize::from(entry[2] - b'0') * 10 + usize::from(entry[3] - b'0'))
}

#[cfg(test)]
mod tests {
    use super::super::digits::read_cluster;
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let groups = read_cluster(text, text.find(|char: char| char.is_ascii_digit()).unwrap());
        assert_eq!(find(text, &groups[0]).map_or("", |span| &text[span]), want, "{text}");
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
}
