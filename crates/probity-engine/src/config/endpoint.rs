//! Where a model is reached: a clean base URL without credentials.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::host::{self, BadHost};

/// A base URL with scheme and host, without credentials, query, fragment or trailing slash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Endpoint(Url);

/// Why a text is not a base URL. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadEndpoint {
    /// Nothing was given.
    #[error("the base URL is empty; expected one such as https://api.openai.com/v1")]
    Empty,
    /// It cannot be read as a URL with a host.
    #[error("the base URL is malformed; expected one such as https://api.openai.com/v1")]
    Malformed,
    /// The scheme is neither `http` nor `https`.
    #[error("the base URL has scheme {scheme:?}; expected http or https")]
    Scheme {
        /// What stands before `://`.
        scheme: String,
    },
    /// A user name or password stands in it.
    #[error("the base URL contains credentials; put the key into an environment variable instead")]
    Credentials,
    /// A query or a fragment stands in it.
    #[error("the base URL has a query or a fragment; expected scheme, host and path only")]
    Query,
    /// Nothing is sent to such a host.
    #[error(transparent)]
    Host(#[from] BadHost),
}

/// What a person may have copied along with the base: the paths of the calls themselves.
const CALL_PATHS: &[&[&str]] = &[&["chat", "completions"], &["messages"]];

impl Endpoint {
    /// Reads a base URL as people write it. A missing scheme is `https` (`http` on this machine); spaces
    /// around it, doubled or trailing slashes, a doubled version (`/v1/v1`) and the path of a call itself
    /// are taken off.
    pub fn parse(text: &str) -> Result<Self, BadEndpoint> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadEndpoint::Empty);
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(BadEndpoint::Malformed);
        }
        let mut base = with_scheme(text)?;
        if !base.username().is_empty() || base.password().is_some() {
            return Err(BadEndpoint::Credentials);
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(BadEndpoint::Query);
        }
        host::checked(&base)?;
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
    pub fn has_origin_of(&self, other: &Endpoint) -> bool {
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
    type Error = BadEndpoint;

    fn try_from(text: String) -> Result<Self, BadEndpoint> {
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

fn with_scheme(text: &str) -> Result<Url, BadEndpoint> {
    let Some((scheme, _)) = text.split_once("://") else {
        let secure = Url::parse(&format!("https://{text}")).map_err(|_| BadEndpoint::Malformed)?;
        let scheme = if is_this_machine(&secure) { "http" } else { "https" };
        return Url::parse(&format!("{scheme}://{text}")).map_err(|_| BadEndpoint::Malformed);
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(BadEndpoint::Scheme { scheme: scheme.chars().take(20).collect() });
    }
    Url::parse(text).map_err(|_| BadEndpoint::Malformed)
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

    use super::Endpoint;

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
}
