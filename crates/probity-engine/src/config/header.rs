//! A header of an HTTP target: text in which `${NAME}` stands for a variable of the environment.
//!
//! The values of variables are secrets: they are no part of a setting and stand in no message and no record.

use reqwest::header::HeaderName;

/// Headers that the client itself decides about.
const OWN: &[&str] = &[
    "accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding",
];

/// The text of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderText(Vec<HeaderPiece>);

/// A part of a header's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderPiece {
    /// These characters.
    Text(String),
    /// The value of this variable.
    Variable(String),
}

/// Why a header cannot be sent. Its text is not repeated: it may be a secret in the wrong place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadHeader {
    /// The name is not one.
    #[error("expected the name of a header")]
    Name,
    /// The client sets this header.
    #[error("this header cannot be set: it follows from the request")]
    Own,
    /// The text has characters that no header has.
    #[error("expected visible ASCII characters and spaces")]
    Text,
    /// A `${` without a name and `}`.
    #[error("expected the name of an environment variable in ${{ }}")]
    Variable,
}

impl HeaderText {
    /// Reads the text of the header called `name`.
    pub fn parse(name: &str, text: &str) -> Result<HeaderText, BadHeader> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| BadHeader::Name)?;
        if OWN.contains(&name.as_str()) {
            return Err(BadHeader::Own);
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, after) = rest.split_at(start);
            let (variable, tail) = after[2..].split_once('}').ok_or(BadHeader::Variable)?;
            let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if variable.is_empty() || !variable.bytes().all(is_name) {
                return Err(BadHeader::Variable);
            }
            pieces.push(HeaderPiece::Text(before.to_owned()));
            pieces.push(HeaderPiece::Variable(variable.to_owned()));
            rest = tail;
        }
        pieces.push(HeaderPiece::Text(rest.to_owned()));
        if !text.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
            return Err(BadHeader::Text);
        }
        Ok(HeaderText(pieces))
    }

    /// Its parts, in order.
    pub fn pieces(&self) -> &[HeaderPiece] {
        &self.0
    }

    /// What about the text makes the target what it is, without repeating it: the names of variables, and a hash of
    /// the rest.
    pub fn fingerprint(&self) -> String {
        let mut shape = String::new();
        for piece in &self.0 {
            match piece {
                HeaderPiece::Text(literal) => {
                    let digest = blake3::derive_key("probity header v1", literal.as_bytes());
                    shape.push_str(&blake3::Hash::from_bytes(digest).to_hex());
                }
                HeaderPiece::Variable(name) => shape.push_str(&format!("${{{name}}}")),
            }
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_known_by_its_text_and_the_names_of_its_variables() {
        let of = |text: &str| HeaderText::parse("x", text).expect("a header").fingerprint();
        assert_eq!(of("v2 ${KEY}"), of("v2 ${KEY}"));
        assert_ne!(of("v2 ${KEY}"), of("v3 ${KEY}"));
        assert_ne!(of("v2 ${KEY}"), of("v2 ${YEK}"));
    }
}
