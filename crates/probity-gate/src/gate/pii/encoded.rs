//! Text that a program would read differently: HTML entities, percent signs and Base64, one level deep.

use std::ops::Range;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::super::text::Rewritten;

/// How short a word may be to be read as Base64, in bytes.
const BASE64_MIN: usize = 16;

/// `text` with its entities and percent signs resolved, or nothing when there are none.
pub(super) fn resolved(text: &str) -> Option<Rewritten> {
    text.bytes().position(|byte| matches!(byte, b'%' | b'&'))?;
    let mut resolved = Rewritten::default();
    let (mut at, mut is_changed) = (0, false);
    while let Some(char) = text[at..].chars().next() {
        let found = entity(&text[at..]).or_else(|| percent(&text.as_bytes()[at..]));
        is_changed |= found.is_some();
        let (char, n) = found.unwrap_or((char, char.len_utf8()));
        resolved.push(char, at..at + n);
        at += n;
    }
    is_changed.then_some(resolved)
}

/// The words of `text` that are Base64 for readable text, with that text.
pub(super) fn base64_words(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let words = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric() && !b"+/-_".contains(byte));
    let long = words.filter(|word| word.len() >= BASE64_MIN);
    long.filter_map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        base64(word).map(|plain| (start..start + word.len(), plain))
    })
}

/// The character that an entity at the start of a text stands for, and how long it is.
fn entity(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('&')?;
    let name = &rest[..rest.bytes().take(11).position(|byte| byte == b';')?];
    let char = match name {
        "commat" => '@',
        "period" => '.',
        "nbsp" => ' ',
        "hyphen" | "dash" => '-',
        "amp" => '&',
        "lowbar" => '_',
        name => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']).map(|hex| u32::from_str_radix(hex, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)?
        }
    };
    Some((char, name.len() + 2))
}

/// The character that a percent sign with two hexadecimal digits stands for, and how long it is.
fn percent(bytes: &[u8]) -> Option<(char, usize)> {
    let [b'%', hex @ ..] = bytes.get(..3)? else { return None };
    let byte = u8::from_str_radix(str::from_utf8(hex).ok()?, 16).ok()?;
    (byte.is_ascii() && !hex.starts_with(b"+")).then_some((char::from(byte), 3))
}

/// Base64 as people paste it: its padding and the bits behind the last byte do not matter.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What a word is Base64 for, if that is text that can be read.
fn base64(word: &[u8]) -> Option<String> {
    let word = str::from_utf8(word).ok()?.replace('-', "+").replace('_', "/");
    let plain = String::from_utf8(BASE64.decode(word).ok()?).ok()?;
    plain.chars().all(|char| char.is_ascii_graphic() || char.is_ascii_whitespace()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_percent_signs_are_resolved_in_place() {
        let text = "a &#52;&#x31; %40 100% &amp";
        let folded = resolved(text).unwrap();
        assert_eq!(folded.text(), "a 41 @ 100% &amp");
        assert_eq!(&text[folded.original(&(2..4))], "&#52;&#x31;");
        assert!(resolved("100 % of it").is_none());
    }

    #[test]
    fn readable_base64_is_read() {
        let words: Vec<_> = base64_words("x NDExMSAxMTExIDExMTEgMTExMQ== internationalization").collect();
        assert_eq!(words, [(2..28, "4111 1111 1111 1111".to_owned())]);
    }
}
