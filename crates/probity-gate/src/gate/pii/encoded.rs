//! Text that a program would read differently: HTML entities, percent signs and Base64, one level deep.

use std::ops::Range;

use super::fold::{Folded, Folding};

/// How short a word may be to be read as Base64, in bytes.
const BASE64_MIN: usize = 16;

/// Which bytes Base64 is written with.
const BASE64: [bool; 256] = {
    let (mut belongs, mut byte) = ([false; 256], 0_u8);
    while byte < 0x80 {
        belongs[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        byte += 1;
    }
    belongs
};

/// `text` with its entities and percent signs resolved, or nothing when there are none.
pub(super) fn resolved(text: &str) -> Option<Folded<'static>> {
    let bytes = text.as_bytes();
    // Most texts have none, and looking at all bytes alike is fast.
    if !bytes.iter().fold(false, |has, byte| has | matches!(byte, b'%' | b'&')) {
        return None;
    }
    let mut folding = Folding::new();
    let (mut from, mut at, mut n_resolved) = (0, 0, 0);
    while at < bytes.len() {
        let found = match bytes[at] {
            b'&' => entity(&bytes[at..]),
            b'%' => percent(&bytes[at..]),
            _ => None,
        };
        if let Some((char, n)) = found {
            folding.copy(from, &text[from..at]);
            folding.replace(at, n, char);
            n_resolved += 1;
            at += n;
            from = at;
        } else {
            at += 1;
        }
    }
    folding.copy(from, &text[from..]);
    (n_resolved > 0).then(|| folding.finish())
}

/// The words of `text` that are Base64 for readable text, with that text.
pub(super) fn base64_words(text: &str) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let belongs = |byte: &u8| BASE64[usize::from(*byte)];
    let mut words = Vec::new();
    let mut at = 0;
    // A word that is long enough has a byte at every such distance, so most bytes are never looked at.
    while let Some(window) = bytes.get(at..at + BASE64_MIN) {
        if let Some(gap) = window.iter().rposition(|byte| !belongs(byte)) {
            at += gap + 1;
            continue;
        }
        let n = BASE64_MIN + bytes[at + BASE64_MIN..].iter().take_while(|byte| belongs(byte)).count();
        words.extend(base64(&bytes[at..at + n]).map(|plain| (at..at + n, plain)));
        at += n;
    }
    words
}

/// The character that an entity at the start of `bytes` stands for, and how long it is.
fn entity(bytes: &[u8]) -> Option<(char, usize)> {
    let end = bytes.iter().take(12).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&bytes[1..end]).ok()?;
    let char = match name {
        "commat" => '@',
        "period" => '.',
        "nbsp" => ' ',
        "hyphen" | "dash" => '-',
        "amp" => '&',
        "lowbar" => '_',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((char, end + 1))
}

/// The character that a percent sign with two hexadecimal digits stands for, and how long it is.
fn percent(bytes: &[u8]) -> Option<(char, usize)> {
    let hex = std::str::from_utf8(bytes.get(1..3)?).ok()?;
    let byte = u8::from_str_radix(hex, 16).ok()?;
    (byte.is_ascii() && !hex.starts_with('+')).then_some((char::from(byte), 3))
}

/// What a word is Base64 for, if that is text that can be read.
fn base64(word: &[u8]) -> Option<String> {
    let mut plain = Vec::with_capacity(word.len() * 3 / 4);
    let (mut bits, mut n_bits) = (0u32, 0);
    for byte in word {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = (bits << 6) | u32::from(value);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            let byte = u8::try_from((bits >> n_bits) & 0xff).ok()?;
            if !(byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
                return None;
            }
            plain.push(byte);
        }
    }
    String::from_utf8(plain).ok()
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
        let words = base64_words("x NDExMSAxMTExIDExMTEgMTExMQ== internationalization");
        assert_eq!(words, [(2..28, "4111 1111 1111 1111".to_owned())]);
    }
}
