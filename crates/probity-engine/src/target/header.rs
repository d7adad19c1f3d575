//! A header of an HTTP target: text in which `${NAME}` stands for a variable of the environment.
//!
//! The values of variables are secrets: they are read when the target is built, stand in no message and no record,
//! and are taken out of whatever comes back.

use reqwest::header::{HeaderName, HeaderValue};

use crate::judge::endpoint::{ApiKey, BadKey, HEADER_SECRET_CHARS_MIN, KeyProblem};

/// Headers that the client itself decides about.
const OWN: &[&str] = &[
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
];

/// The text of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderText(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
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
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(Piece::Variable(variable.to_owned()));
            rest = tail;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        if !text.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
            return Err(BadHeader::Text);
        }
        Ok(HeaderText(pieces))
    }

    /// The value to send, and the secrets in it. `get` gives the value of a variable.
    pub(super) fn value(
        &self,
        get: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(HeaderValue, Vec<ApiKey>), BadKey> {
        let mut text = String::new();
        let mut secrets = Vec::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(literal) => text.push_str(literal),
                Piece::Variable(name) => {
                    let key = ApiKey::from_env_value(name, get(name))?;
                    if key.n_chars() < HEADER_SECRET_CHARS_MIN {
                        return Err(BadKey { variable: name.clone(), problem: KeyProblem::Short });
                    }
                    let header = key.header("");
                    text.push_str(header.to_str().expect("a key consists of visible ASCII characters"));
                    secrets.push(key);
                }
            }
        }
        let mut value = HeaderValue::from_str(&text).expect("a header's text was checked when it was read");
        value.set_sensitive(true);
        Ok((value, secrets))
    }

    /// What about the text makes the target what it is, without repeating it: the names of variables, and a hash of
    /// the rest.
    pub(super) fn fingerprint(&self) -> String {
        let mut shape = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(literal) => {
                    shape.push_str(
                        &blake3::derive_key("probity header v1", literal.as_bytes()).map(hex).concat(),
                    );
                }
                Piece::Variable(name) => shape.push_str(&format!("${{{name}}}")),
            }
        }
        shape
    }
}

fn hex(byte: u8) -> String {
    format!("{byte:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, want: &str) {
        let get = |name: &str| match name {
            "KEY" => Some("sk-canary".to_owned()),
            "PIN" => Some("12345".to_owned()),
            _ => None,
        };
        let got = match HeaderText::parse(name, text) {
            Err(error) => format!("{error:?}"),
            Ok(header) => match header.value(&get) {
                Err(error) => error.to_string(),
                Ok((value, secrets)) => {
                    assert!(!format!("{value:?} {}", header.fingerprint()).contains("canary"));
                    format!("{} {}", value.to_str().expect("ASCII"), secrets.len())
                }
            },
        };
        assert_eq!(got, want);
    }

    #[test]
    fn headers() {
        check("X-Version", "2", "2 0");
        check("Authorization", "Bearer ${KEY}", "Bearer sk-canary 1");
        check("x", "${KEY}:${KEY}", "sk-canary:sk-canary 2");
        check("x", "${OTHER}", "the environment variable OTHER is not set; expected the key of the account");
        check(
            "x",
            "${PIN}",
            "the environment variable PIN has fewer than 6 characters; expected a secret, other text stands in the \
             header itself",
        );
        check("x", "${", "Variable");
        check("x", "${a b}", "Variable");
        check("x", "a\nb", "Text");
        check("a b", "x", "Name");
        check("Content-Type", "text/plain", "Own");
    }

    #[test]
    fn a_header_is_known_by_its_text_and_the_names_of_its_variables() {
        let of = |text: &str| HeaderText::parse("x", text).expect("a header").fingerprint();
        assert_eq!(of("v2 ${KEY}"), of("v2 ${KEY}"));
        assert_ne!(of("v2 ${KEY}"), of("v3 ${KEY}"));
        assert_ne!(of("v2 ${KEY}"), of("v2 ${YEK}"));
    }
}
