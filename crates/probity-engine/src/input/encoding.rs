//! Text that is not UTF-8, as Excel writes it: UTF-16 in either order, and Windows-1252.
//!
//! UTF-16 is told by its first bytes. A table that is not UTF-8 is Windows-1252 where nothing in it is UTF-8 beyond
//! ASCII: a file of which only some bytes are wrong was cut or mixed, and is refused. Each character is decoded as it
//! stands; nothing is replaced.

use std::io::{self, Read};

/// How text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// The code page of Western Europe.
    Windows1252,
}

impl Encoding {
    /// The encodings with their names.
    pub const ALL: &[(&str, Encoding)] = &[
        ("utf-8", Encoding::Utf8),
        ("utf-16le", Encoding::Utf16Le),
        ("utf-16be", Encoding::Utf16Be),
        ("windows-1252", Encoding::Windows1252),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Encoding::ALL.iter().find(|(_, encoding)| *encoding == self).map_or("", |(name, _)| name)
    }
}

/// The encoding that the first bytes of a text say it has.
pub(super) fn marked(head: &[u8]) -> Encoding {
    match head {
        [0xff, 0xfe, 0, 0, ..] => Encoding::Utf8,
        [0xff, 0xfe, ..] => Encoding::Utf16Le,
        [0xfe, 0xff, ..] => Encoding::Utf16Be,
        // The first characters of JSON or of a header row are ASCII.
        [a, 0, b, 0, ..] if a.is_ascii() && b.is_ascii() && *a != 0 && *b != 0 => Encoding::Utf16Le,
        [0, a, 0, b, ..] if a.is_ascii() && b.is_ascii() && *a != 0 && *b != 0 => Encoding::Utf16Be,
        _ => Encoding::Utf8,
    }
}

/// What the characters from 0x80 to 0x9f are; the five that are none stay control characters.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A reader of text in another encoding that gives UTF-8.
pub(super) struct Decoded<R> {
    inner: R,
    encoding: Encoding,
    /// Bytes that do not make a character yet, at most three.
    rest: Vec<u8>,
    /// UTF-8 that was not given out.
    ready: Vec<u8>,
    given: usize,
}

/// Text that is not what its encoding says.
#[derive(Debug, thiserror::Error)]
#[error("not valid {0}: the file may be cut or of another encoding")]
pub(super) struct NotEncoded(&'static str);

impl<R: Read> Decoded<R> {
    pub(super) fn new(inner: R, encoding: Encoding) -> Self {
        Self { inner, encoding, rest: Vec::new(), ready: Vec::new(), given: 0 }
    }

    /// Decodes the next bytes; none are ready at the end.
    fn fill(&mut self) -> io::Result<()> {
        let mut bytes = [0; 16 << 10];
        (self.given, self.ready) = (0, std::mem::take(&mut self.ready));
        self.ready.clear();
        while self.ready.is_empty() {
            let n = self.inner.read(&mut bytes)?;
            if n == 0 && self.rest.is_empty() {
                return Ok(());
            }
            let wrong = || io::Error::other(NotEncoded(self.encoding.name()));
            if n == 0 {
                return Err(wrong());
            }
            self.rest.extend_from_slice(&bytes[..n]);
            let rest = std::mem::take(&mut self.rest);
            let used = decode(&rest, self.encoding, &mut self.ready).ok_or_else(wrong)?;
            self.rest = rest[used..].to_vec();
        }
        Ok(())
    }
}

/// Decodes whole characters into `out` and says how many bytes they took; `None` where bytes are no text.
fn decode(bytes: &[u8], encoding: Encoding, out: &mut Vec<u8>) -> Option<usize> {
    let mut put = |c: char| out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    match encoding {
        Encoding::Utf8 => out.extend_from_slice(bytes),
        Encoding::Windows1252 => bytes.iter().for_each(|byte| match byte {
            0x80..=0x9f => put(WINDOWS_1252[usize::from(byte - 0x80)]),
            _ => put(char::from(*byte)),
        }),
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let unit = |pair: &[u8]| match encoding {
                Encoding::Utf16Le => u16::from_le_bytes([pair[0], pair[1]]),
                _ => u16::from_be_bytes([pair[0], pair[1]]),
            };
            let mut units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
            units.pop_if(|last| (0xd800..0xdc00).contains(last));
            for c in char::decode_utf16(units.iter().copied()) {
                put(c.ok()?);
            }
            return Some(units.len() * 2);
        }
    }
    Some(bytes.len())
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.fill()?;
        }
        let n = buffer.len().min(self.ready.len() - self.given);
        buffer[..n].copy_from_slice(&self.ready[self.given..self.given + n]);
        self.given += n;
        Ok(n)
    }
}

/// What the bytes of a text are, looked at piece by piece.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// Where the first byte stands that is no UTF-8.
    pub(super) first_invalid: Option<u64>,
    has_multibyte: bool,
    has_undefined: bool,
    n_bytes: u64,
    rest: Vec<u8>,
}

impl Census {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let rest = std::mem::take(&mut self.rest);
        let mut chunks = rest.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.has_multibyte |= !chunk.valid().is_ascii();
            self.n_bytes += chunk.valid().len() as u64;
            let invalid = chunk.invalid();
            // The last bytes may be the beginning of a character.
            if chunks.peek().is_none() && !invalid.is_empty() && invalid.len() < 4 && bytes.len() > 3 {
                self.rest = invalid.to_vec();
            } else {
                self.refuse(invalid);
            }
        }
    }

    fn refuse(&mut self, invalid: &[u8]) {
        if !invalid.is_empty() {
            self.first_invalid.get_or_insert(self.n_bytes);
            self.has_undefined |= invalid.iter().any(|byte| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d));
            self.n_bytes += invalid.len() as u64;
        }
    }

    /// The encoding of the whole, where it is one of the two that need all of it to be told apart.
    pub(super) fn encoding(mut self) -> (Encoding, Option<u64>) {
        let rest = std::mem::take(&mut self.rest);
        self.refuse(&rest);
        let is_windows = self.first_invalid.is_some() && !self.has_multibyte && !self.has_undefined;
        (if is_windows { Encoding::Windows1252 } else { Encoding::Utf8 }, self.first_invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], encoding: Encoding) -> io::Result<String> {
        let mut text = String::new();
        Decoded::new(bytes, encoding).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn d03_every_character_is_decoded() {
        let text = "a \u{e4} \u{20ac} \u{1f600}\r\n".repeat(5_000);
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&little, Encoding::Utf16Le).expect("text"), text);
        assert_eq!(read(&big, Encoding::Utf16Be).expect("text"), text);
        assert_eq!(read(b"\x80 \xe4 \x93", Encoding::Windows1252).expect("text"), "\u{20ac} \u{e4} \u{201c}");
        for cut in [&little[..little.len() - 1], b"\x00\xd8a\x00"] {
            assert!(read(cut, Encoding::Utf16Le).is_err());
        }
    }

    #[test]
    fn d05_a_text_is_windows_1252_only_where_nothing_is_utf_8() {
        let told = |pieces: &[&[u8]]| {
            let mut census = Census::default();
            pieces.iter().for_each(|piece| census.add(piece));
            census.encoding()
        };
        assert_eq!(told(&[b"id;f\xfcr\n"]), (Encoding::Windows1252, Some(4)));
        assert_eq!(told(&["id;für ä\n".as_bytes()]), (Encoding::Utf8, None));
        assert_eq!(told(&[b"abcdef\xc3", b"\xa4abcdef"]), (Encoding::Utf8, None));
        assert_eq!(told(&["ä".as_bytes(), b"abcdef\xff"]), (Encoding::Utf8, Some(8)));
        assert_eq!(told(&[b"abc\x81"]), (Encoding::Utf8, Some(3)));
    }
}
