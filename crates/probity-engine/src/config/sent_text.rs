//! Text that goes out with requests, in a header, the query or the body: `${NAME}` stands for a variable of the
//! environment.
//!
//! The values of variables are secrets: they are not part of a setting and appear in no message and no record.

use reqwest::header::HeaderName;

/// Headers that the HTTP client sets itself.
const OWN: &[&str] = &[
    "accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding",
];

/// The shortest secret. Anything shorter could not be redacted from what comes back.
pub(crate) const VARIABLE_CHARS_MIN: usize = 6;

/// Suffixes of secrets' names, without separators.
const SECRET_ENDS: &[&str] = &[
    "key", "token", "secret", "password", "passwd", "signature", "credential", "credentials", "authorization",
];

/// Names of secrets that are also suffixes of other words.
const SECRET_NAMES: &[&str] = &["sig", "code", "auth", "pwd", "pass", "jwt"];

/// Names that end like secrets but are not.
const PUBLIC_NAMES: &[&str] = &["prompt_cache_key"];

/// A text that goes out with requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentText(Vec<SentPiece>);

/// A part of such a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentPiece {
    /// These characters.
    Text(String),
    /// The value of this variable.
    Variable(String),
}

/// Why a text cannot be sent. The text is not repeated: it may be a secret in the wrong place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
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
    /// By its name it is a secret, and it stands there itself.
    #[error(
        "expected \"${{NAME}}\" with the name of an environment variable: never write a secret into settings"
    )]
    Secret,
}

impl SentText {
    /// Reads the text of the header called `name`.
    pub fn header(name: &str, text: &str) -> Result<SentText, BadText> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| BadText::Name)?;
        if OWN.contains(&name.as_str()) {
            return Err(BadText::Own);
        }
        let read = SentText::named(name.as_str(), text)?;
        let is_visible = text.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
        if is_visible { Ok(read) } else { Err(BadText::Text) }
    }

    /// Reads the text of what is called `name`.
    pub fn named(name: &str, text: &str) -> Result<SentText, BadText> {
        let read = SentText::read(text)?;
        let is_literal = read.0.len() == 1;
        if is_literal && text.len() >= VARIABLE_CHARS_MIN && is_secret(name) {
            return Err(BadText::Secret);
        }
        Ok(read)
    }

    /// Reads a text.
    pub fn read(text: &str) -> Result<SentText, BadText> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, after) = rest.split_at(start);
            let (variable, tail) = after[2..].split_once('}').ok_or(BadText::Variable)?;
            let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if variable.is_empty() || !variable.bytes().all(is_name) {
                return Err(BadText::Variable);
            }
            pieces.push(SentPiece::Text(before.to_owned()));
            pieces.push(SentPiece::Variable(variable.to_owned()));
            rest = tail;
        }
        pieces.push(SentPiece::Text(rest.to_owned()));
        Ok(SentText(pieces))
    }

    /// Its parts, in order.
    pub fn pieces(&self) -> &[SentPiece] {
        &self.0
    }

    /// What about a header makes a judge or a target what it is, without repeating it: the names of variables, and a hash of
    /// the rest.
    pub fn fingerprint(&self) -> String {
        let mut shape = String::new();
        for piece in &self.0 {
            match piece {
                SentPiece::Text(literal) => {
                    let digest = blake3::derive_key("probity header v1", literal.as_bytes());
                    shape.push_str(&blake3::Hash::from_bytes(digest).to_hex());
                }
                SentPiece::Variable(name) => shape.push_str(&format!("${{{name}}}")),
            }
        }
        shape
    }
}

/// Whether what is called `name` is a secret.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends_like_one = SECRET_ENDS.iter().any(|end| name.ends_with(end));
    !PUBLIC_NAMES.contains(&&*name) && (ends_like_one || SECRET_NAMES.contains(&&*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_named_and_not_written() {
        #[track_caller]
        fn check(name: &str, text: &str, want: Result<(), BadText>) {
            assert_eq!(SentText::named(name, text).map(|_| ()), want, "{name} = {text}");
        }

        for name in
            ["key", "code", "sig", "api-key", "apikey", "X-Amz-Signature", "accessToken", "client_secret"]
        {
            check(name, "0123456789", Err(BadText::Secret));
            check(name, "${NAME}", Ok(()));
            check(name, "Bearer ${NAME}", Ok(()));
            check(name, "short", Ok(()));
        }
        for name in
            ["api-version", "service_tier", "language_code", "prompt_cache_key", "max_tokens", "design"]
        {
            check(name, "0123456789", Ok(()));
        }
        check("user", "${a b}", Err(BadText::Variable));
    }

    #[test]
    fn a_header_is_known_by_its_text_and_the_names_of_its_variables() {
        let of = |text: &str| SentText::header("x", text).expect("a header").fingerprint();
        assert_eq!(of("v2 ${KEY}"), of("v2 ${KEY}"));
        assert_ne!(of("v2 ${KEY}"), of("v3 ${KEY}"));
        assert_ne!(of("v2 ${KEY}"), of("v2 ${YEK}"));
    }
}
