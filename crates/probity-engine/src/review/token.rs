//! Secrets that open the room: shown once, kept as a hash.

use std::fmt;

/// A secret of 256 bits, as the text that goes into a link or a cookie.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

/// Hexadecimal digits of a token.
const DIGITS: usize = 64;

impl AccessToken {
    /// A fresh one, from the operating system's randomness.
    pub(super) fn fresh() -> AccessToken {
        let bytes: [u8; 32] = rand::random();
        AccessToken(blake3::Hash::from_bytes(bytes).to_hex().to_string())
    }

    /// A token as it is presented. `None` for a text that cannot be one.
    pub fn parse(text: &str) -> Option<AccessToken> {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == DIGITS && text.bytes().all(is_hex)).then(|| AccessToken(text.to_owned()))
    }

    /// The text. Show it to its owner alone.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What the store keeps of it. Hashes are compared in constant time.
    pub(super) fn hash(&self) -> blake3::Hash {
        blake3::hash(self.0.as_bytes())
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
