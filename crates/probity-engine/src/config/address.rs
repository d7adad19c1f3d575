//! Where an HTTP target takes requests.
//!
//! An address is checked once: it has a scheme, a host and a path, and nothing that could hold a secret.

use std::fmt;

use reqwest::Url;

use super::host::{self, BadHost};

/// The URL of an HTTP target, without credentials, query or fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

/// Why a text is not the URL of a target. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It cannot be read as a URL.
    #[error("the URL is malformed; expected one such as https://bot.example/reply")]
    Malformed,
    /// The scheme is neither `http` nor `https`.
    #[error("the URL has another scheme; expected http or https")]
    Scheme,
    /// A user name or a password stands in it.
    #[error("the URL contains a user name or password; expected secrets in headers, as ${{NAME}}")]
    Credentials,
    /// A query or a fragment stands in it.
    #[error("the URL has a query or a fragment; expected parameters in the request, and secrets in headers")]
    Query,
    /// Nothing is sent to such a host.
    #[error(transparent)]
    Host(#[from] BadHost),
}

impl Address {
    /// Reads a URL.
    pub fn parse(text: &str) -> Result<Address, BadAddress> {
        let url = Url::parse(text.trim()).map_err(|_| BadAddress::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BadAddress::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadAddress::Credentials);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(BadAddress::Query);
        }
        host::checked(&url)?;
        Ok(Address(url))
    }

    /// The URL.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let read = Address::parse(text).map_or_else(|error| format!("{error:?}"), |url| url.to_string());
        assert_eq!(read, want);
    }

    #[test]
    fn addresses() {
        check("https://bot.example/v1/chat/completions", "https://bot.example/v1/chat/completions");
        check(" http://127.0.0.1:8080 ", "http://127.0.0.1:8080/");
        check("bot.example/reply", "Malformed");
        check("file:///etc/passwd", "Scheme");
        check("https://me:secret@bot.example/", "Credentials");
        check("https://bot.example/?key=secret", "Query");
        check("https://bot.example/#top", "Query");
        check("https://169.254.169.254/latest", "Host(LinkLocal)");
        check("http://bot.example/reply", "Host(Public)");
    }
}
