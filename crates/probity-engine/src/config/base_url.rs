//! The address of an endpoint, checked and in one form.
//!
//! A [`BaseUrl`] has a scheme, a host and no credentials, query, fragment or final slash. Messages about a
//! text that might hold credentials never repeat it.

use std::fmt;

/// Where an endpoint is, up to and without the last part of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Takes `text` as a base URL: spaces around it and slashes at its end go, a doubled version such as
    /// `/v1/v1` is written once.
    pub fn new(text: &str) -> Result<BaseUrl, BadBaseUrl> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").ok_or(BadBaseUrl::NoScheme)?;
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(BadBaseUrl::NoScheme);
        }
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if host.contains('@') {
            return Err(BadBaseUrl::Credentials);
        }
        if path.contains(['?', '#']) {
            return Err(BadBaseUrl::Query);
        }
        let plain = |c: char| c.is_ascii_graphic() && !"\"'<>\\^`{|}".contains(c);
        if !has_host(host) || !rest.chars().all(plain) {
            return Err(BadBaseUrl::NoHost);
        }
        let path = path.trim_end_matches('/');
        if let Some(call) = ["/chat/completions", "/messages"].iter().find(|call| path.ends_with(**call)) {
            return Err(BadBaseUrl::WholePath { call });
        }
        Ok(BaseUrl(format!("{scheme}://{}{}", host.to_ascii_lowercase(), once(path))))
    }

    /// The URL as text, without a final slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn has_host(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => {
            if port.parse::<u16>().is_err() {
                return false;
            }
            name
        }
        _ => host,
    };
    !name.is_empty()
}

/// A path whose last part stands twice has it once.
fn once(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((before, last)) if !last.is_empty() && before.ends_with(&format!("/{last}")) => before,
        _ => path,
    }
}

/// Why a text is not a base URL. The text itself is not repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadBaseUrl {
    /// No `http://` or `https://`.
    #[error("expected a URL that starts with https:// or http://")]
    NoScheme,
    /// No host, a port that is none, or characters that no URL has.
    #[error("expected a URL with a host, such as https://host/v1")]
    NoHost,
    /// A name or password before the host.
    #[error("expected a URL without credentials; a key belongs in the variable that api_key_env names")]
    Credentials,
    /// A query or a fragment.
    #[error("expected a URL without ? and #")]
    Query,
    /// The whole path of a call.
    #[error("expected the URL without {call}, which is added to it")]
    WholePath {
        /// What is too much.
        call: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let got = BaseUrl::new(text).map_or_else(|error| error.to_string(), |url| url.to_string());
        assert_eq!(got, want, "{text:?}");
    }

    #[test]
    fn r14_one_form() {
        check("https://api.openai.com/v1", "https://api.openai.com/v1");
        check("  HTTPS://API.openai.com/v1// \n", "https://api.openai.com/v1");
        check("https://host/v1/v1", "https://host/v1");
        check("https://host/v1/v1/", "https://host/v1");
        check("http://localhost:11434/v1", "http://localhost:11434/v1");
        check("http://[::1]:8000/v1", "http://[::1]:8000/v1");
        check("http://[::1]", "http://[::1]");
        check("https://host/Team/v1", "https://host/Team/v1");
    }

    #[test]
    fn r14_no_scheme() {
        for text in ["", "localhost:8000/v1", "api.openai.com/v1", "ftp://host", "//host"] {
            check(text, "expected a URL that starts with https:// or http://");
        }
    }

    #[test]
    fn r14_no_host() {
        for text in [
            "https://",
            "https:///v1",
            "https://:80/v1",
            "http://host:port/v1",
            "http://ho st",
            "http://h/\u{e9}",
        ] {
            check(text, "expected a URL with a host, such as https://host/v1");
        }
    }

    #[test]
    fn r14_credentials_are_refused_and_not_repeated() {
        for text in ["https://me:hunter2@host/v1", "https://sk-abc@host", "https://hunter2@host?x"] {
            let message = BaseUrl::new(text).expect_err("credentials").to_string();
            assert!(message.starts_with("expected a URL without credentials"), "{message}");
            assert!(!message.contains("hunter2") && !message.contains("sk-abc"), "{message}");
        }
    }

    #[test]
    fn r14_more_than_a_base() {
        check("https://host/v1?key=1", "expected a URL without ? and #");
        check(
            "https://host/v1/chat/completions",
            "expected the URL without /chat/completions, which is added to it",
        );
    }
}
