//! Where a model or an HTTP target is reached: URLs that were checked once and hold no secret.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::host::{self, BadHost};

/// A base URL with scheme and host, without credentials, query, fragment or trailing slash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Endpoint(Url);

/// The URL of an HTTP target, without credentials, query or fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

/// Why nothing can be sent to a URL. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// Nothing was given.
    #[error("the URL is empty; expected one such as https://api.openai.com/v1")]
    Empty,
    /// It cannot be read as a URL with a host.
    #[error("the URL is malformed; expected one such as https://bot.example/v1")]
    Malformed,
    /// The scheme is neither `http` nor `https`.
    #[error("the URL has scheme {scheme:?}; expected http or https")]
    Scheme {
        /// The part before `://`.
        scheme: String,
    },
    /// It contains a user name or a password.
    #[error("the URL contains a user name or password; expected secrets in environment variables")]
    Credentials,
    /// It contains a query or a fragment.
    #[error("the URL has a query or a fragment; expected scheme, host and path only")]
    Query,
    /// Nothing is sent to such a host.
    #[error(transparent)]
    Host(#[from] BadHost),
}

/// Paths that people copy along with the base URL.
const CALL_PATHS: &[&[&str]] = &[&["chat", "completions"], &["messages"]];

impl Endpoint {
    /// Reads a base URL as people write it. A missing scheme is `https` (`http` on this machine); spaces
    /// around it, doubled or trailing slashes, a doubled version (`/v1/v1`) and the path of a call itself
    /// are taken off.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadUrl::Empty);
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(BadUrl::Malformed);
        }
        let mut base = checked(with_scheme(text)?)?;
        let path = clean_path(base.path());
        base.set_path(&path);
        Ok(Endpoint(base))
    }

    /// The URL of a call: `path` below the base, whose last segment may be the path's first, or below the host where it
    /// begins with a slash.
    pub fn call(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        let base = self.0.path().trim_end_matches('/');
        let rest =
            path.split_once('/').filter(|(first, _)| self.ends_with(first)).map_or(path, |(_, rest)| rest);
        url.set_path(&if path.starts_with('/') { path.to_owned() } else { format!("{base}/{rest}") });
        url
    }

    /// Whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        is_this_machine(&self.0)
    }

    /// Whether scheme, host and port are those of `other`.
    pub(crate) fn has_origin_of(&self, other: &Endpoint) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// The base URL.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// Whether the base path ends with this segment.
    pub fn ends_with(&self, segment: &str) -> bool {
        self.0.path().rsplit('/').next() == Some(segment)
    }
}

impl TryFrom<String> for Endpoint {
    type Error = BadUrl;

    fn try_from(text: String) -> Result<Self, BadUrl> {
        Endpoint::parse(&text)
    }
}

impl From<Endpoint> for String {
    fn from(endpoint: Endpoint) -> String {
        endpoint.to_string()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl Address {
    /// Reads a URL.
    pub fn parse(text: &str) -> Result<Address, BadUrl> {
        let url = Url::parse(text.trim()).map_err(|_| BadUrl::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BadUrl::Scheme { scheme: url.scheme().chars().take(20).collect() });
        }
        checked(url).map(Address)
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

/// The URL again, unless it holds what could be a secret or nothing is sent to its host.
fn checked(url: Url) -> Result<Url, BadUrl> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BadUrl::Credentials);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(BadUrl::Query);
    }
    host::checked(&url)?;
    Ok(url)
}

fn with_scheme(text: &str) -> Result<Url, BadUrl> {
    let Some((scheme, _)) = text.split_once("://") else {
        let secure = Url::parse(&format!("https://{text}")).map_err(|_| BadUrl::Malformed)?;
        let scheme = if is_this_machine(&secure) { "http" } else { "https" };
        return Url::parse(&format!("{scheme}://{text}")).map_err(|_| BadUrl::Malformed);
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(BadUrl::Scheme { scheme: scheme.chars().take(20).collect() });
    }
    Url::parse(text).map_err(|_| BadUrl::Malformed)
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn clean_path(path: &str) -> String {
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    for call in CALL_PATHS {
        if segments.ends_with(call) {
            segments.truncate(segments.len() - call.len());
        }
    }
    segments.dedup_by(|later, earlier| later == earlier && is_version(later));
    segments.iter().fold(String::new(), |path, segment| path + "/" + segment)
}

fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.bytes().next().is_some_and(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{Address, Endpoint};

    #[track_caller]
    fn check(text: &str, want: &Expect) {
        want.assert_eq(&match Endpoint::parse(text) {
            Ok(endpoint) => endpoint.call("chat/completions").to_string(),
            Err(error) => format!("{error:?}"),
        });
    }

    #[test]
    fn r14_spellings_that_mean_the_same() {
        for text in [
            "https://api.example.com/v1",
            "api.example.com/v1",
            " https://api.example.com/v1/ \n",
            "https://api.example.com//v1//",
            "https://api.example.com/v1/v1",
            "HTTPS://API.example.com/v1/chat/completions",
        ] {
            check(text, &expect!["https://api.example.com/v1/chat/completions"]);
        }
    }

    #[test]
    fn r14_no_scheme_on_this_machine() {
        check("localhost:11434/v1", &expect!["http://localhost:11434/v1/chat/completions"]);
        check("127.0.0.1:8080", &expect!["http://127.0.0.1:8080/chat/completions"]);
        check("[::1]:8080/v1", &expect!["http://[::1]:8080/v1/chat/completions"]);
    }

    #[test]
    fn r14_what_is_refused() {
        check("", &expect!["Empty"]);
        check("https://", &expect!["Malformed"]);
        check("https://api.example.com/v 1", &expect!["Malformed"]);
        check("ftp://api.example.com", &expect![[r#"Scheme { scheme: "ftp" }"#]]);
        check("https://user:pw@api.example.com/v1", &expect!["Credentials"]);
        check("sk-secret@api.example.com/v1", &expect!["Credentials"]);
        check("https://api.example.com/v1?key=sk-secret", &expect!["Query"]);
        check("http://169.254.169.254/v1", &expect!["Host(LinkLocal)"]);
        check("[fe80::1]:8080/v1", &expect!["Host(LinkLocal)"]);
        check("http://api.example.com/v1", &expect!["Host(Public)"]);
    }

    #[test]
    fn addresses_of_targets() {
        #[track_caller]
        fn check(text: &str, want: &str) {
            let read = Address::parse(text).map_or_else(|error| format!("{error:?}"), |url| url.to_string());
            assert_eq!(read, want);
        }

        check("https://bot.example/v1/chat/completions", "https://bot.example/v1/chat/completions");
        check(" http://127.0.0.1:8080 ", "http://127.0.0.1:8080/");
        check("bot.example/reply", "Malformed");
        check("file:///etc/passwd", r#"Scheme { scheme: "file" }"#);
        check("https://me:secret@bot.example/", "Credentials");
        check("https://bot.example/?key=secret", "Query");
        check("https://bot.example/#top", "Query");
        check("https://169.254.169.254/latest", "Host(LinkLocal)");
        check("http://bot.example/reply", "Host(Public)");
    }
}
