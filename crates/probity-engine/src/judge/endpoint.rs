//! Where a judge is reached, and the key it is reached with.
//!
//! Both come from people and are checked here once: an [`Endpoint`] is a clean base URL without
//! credentials, an [`ApiKey`] can stand in a header. A key leaves this module only inside a header value
//! that is marked as sensitive; no error, debug text or stored response holds it.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use super::host::{self, BadHost};
use super::http::Transit;
use super::{CallOutcome, Reception, TransportFault, spelling};

/// A base URL with scheme and host, without credentials, query, fragment or trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    base: Url,
    /// The URLs of the calls that are made again and again, by path.
    calls: Vec<(&'static str, Url)>,
}

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

/// Paths of calls whose URLs are prepared.
const USUAL_CALLS: &[&str] = &["chat/completions", "messages", "v1/messages"];

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
        let calls = USUAL_CALLS.iter().map(|call| (*call, below(&base, call))).collect();
        Ok(Endpoint { base, calls })
    }

    /// The URL of a call: `path` (without a leading slash) below the base.
    pub fn call(&self, path: &str) -> Url {
        let usual = self.calls.iter().find(|(call, _)| *call == path);
        usual.map_or_else(|| below(&self.base, path), |(_, url)| url.clone())
    }

    /// Whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        is_this_machine(&self.base)
    }

    /// Whether scheme, host and port are those of `other`.
    pub fn has_origin_of(&self, other: &Endpoint) -> bool {
        self.base.origin() == other.base.origin()
    }

    /// How calls reach it.
    pub fn transit(&self) -> Transit {
        Transit::to(&self.base)
    }

    /// Whether the base path ends with this segment.
    pub fn ends_with(&self, segment: &str) -> bool {
        self.base.path().rsplit('/').next() == Some(segment)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.as_str().trim_end_matches('/'))
    }
}

fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
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

/// The key of an account.
#[derive(Clone)]
pub struct ApiKey(SecretString);

/// Why the value of an environment variable is not a key. The value is never repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {variable} {problem}")]
pub struct BadKey {
    /// The variable that was read.
    pub variable: String,
    /// What is wrong with its value.
    pub problem: KeyProblem,
}

/// What can be wrong with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// The variable is not set.
    #[error("is not set; expected the key of the account")]
    Missing,
    /// The variable is set to nothing.
    #[error("is empty; expected the key of the account")]
    Empty,
    /// A line break, a space or another invisible character stands in it.
    #[error("contains a space, a line break or another invisible character; expected the bare key")]
    Blank,
    /// Quotation marks stand in it.
    #[error("contains quotation marks; expected the bare key")]
    Quoted,
    /// A character outside ASCII stands in it.
    #[error("contains characters that no key has; expected visible ASCII characters")]
    NotAscii,
    /// It is too short to be told from ordinary words in what comes back.
    #[error(
        "has fewer than {HEADER_SECRET_CHARS_MIN} characters; expected a secret, other text stands in the header itself"
    )]
    Short,
}

/// Keys shorter than this are mostly placeholders for servers that ask for none ("ollama", "EMPTY"). Taking
/// such a word out of answers would damage them; it is taken out of refusals, which repeat keys.
const SECRET_CHARS_MIN: usize = 16;

/// A value in a header of a target that is shorter than this is refused: it could not be taken out of replies.
pub(crate) const HEADER_SECRET_CHARS_MIN: usize = 6;

impl ApiKey {
    /// The key that the environment variable `variable` holds.
    pub fn from_env_value(variable: &str, value: Option<String>) -> Result<Self, BadKey> {
        let bad = |problem| BadKey { variable: variable.to_owned(), problem };
        let value = value.ok_or_else(|| bad(KeyProblem::Missing))?;
        let problem = if value.trim().is_empty() {
            Some(KeyProblem::Empty)
        } else if value.contains(|c: char| c.is_whitespace() || c.is_control()) {
            Some(KeyProblem::Blank)
        } else if value.contains(['"', '\'', '`', '“', '”', '‘', '’']) {
            Some(KeyProblem::Quoted)
        } else if !value.bytes().all(|b| b.is_ascii_graphic()) {
            Some(KeyProblem::NotAscii)
        } else {
            None
        };
        match problem {
            Some(problem) => Err(bad(problem)),
            None => Ok(ApiKey(SecretString::from(value))),
        }
    }

    /// A short name for the account, the same in every run, from which the key cannot be found.
    pub fn fingerprint(&self) -> String {
        let digest = blake3::derive_key("probity api key fingerprint v1", self.0.expose_secret().as_bytes());
        digest[..6].iter().fold(String::new(), |name, byte| name + &format!("{byte:02x}"))
    }

    /// `prefix` and the key as a header value that nothing prints.
    pub(crate) fn header(&self, prefix: &str) -> HeaderValue {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0.expose_secret()))
            .expect("a key consists of visible ASCII characters");
        value.set_sensitive(true);
        value
    }

    /// How many characters it has.
    pub(crate) fn n_chars(&self) -> usize {
        self.0.expose_secret().len()
    }

    /// `reception` without the key, wherever the server may have repeated it, unless it is an answer and the key may
    /// be a placeholder.
    pub(crate) fn scrub(&self, reception: Reception) -> Reception {
        let is_answer =
            matches!(&reception.outcome, CallOutcome::Response(response) if response.status < 300);
        if is_answer && self.n_chars() < SECRET_CHARS_MIN { reception } else { self.scrub_all(reception) }
    }

    /// `reception` without the key, in every spelling, wherever the server may have repeated it.
    pub(crate) fn scrub_all(&self, reception: Reception) -> Reception {
        let key = self.0.expose_secret().as_bytes();
        let outcome = match reception.outcome {
            CallOutcome::Response(mut response) => {
                response.body = spelling::without(response.body, key);
                for (_, value) in &mut response.headers {
                    *value = self.text_without(std::mem::take(value));
                }
                CallOutcome::Response(response)
            }
            CallOutcome::Broken { fault, partial } => CallOutcome::Broken {
                fault: self.scrub_fault(fault),
                partial: spelling::without(partial, key),
            },
        };
        Reception { outcome, ..reception }
    }

    /// What was read from an answer, without the key, unless the key may be a placeholder. Parts of an answer that
    /// say nothing each may be the key when they are put together.
    pub(crate) fn scrub_text(&self, text: String) -> String {
        if self.n_chars() < SECRET_CHARS_MIN { text } else { self.text_without(text) }
    }

    /// `text` without the key, in every spelling.
    pub(crate) fn text_without(&self, text: String) -> String {
        spelling::text_without(text, self.0.expose_secret().as_bytes())
    }

    fn scrub_fault(&self, fault: TransportFault) -> TransportFault {
        match fault {
            TransportFault::Connect(text) => TransportFault::Connect(self.text_without(text)),
            TransportFault::Tls(text) => TransportFault::Tls(self.text_without(text)),
            TransportFault::Lost(text) => TransportFault::Lost(self.text_without(text)),
            TransportFault::Refused(text) => TransportFault::Refused(self.text_without(text)),
            TransportFault::BadBody(text) => TransportFault::BadBody(self.text_without(text)),
            other => other,
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([key])")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use expect_test::{Expect, expect};

    use super::{ApiKey, Endpoint};
    use crate::judge::http::Transit;
    use crate::judge::{CallOutcome, Reception, Response, Room, TransportFault};

    const CANARY: &str = "sk-CANARY0123456789abcdef";

    #[track_caller]
    fn check(text: &str, want: &Expect) {
        want.assert_eq(&match Endpoint::parse(text) {
            Ok(endpoint) => endpoint.call("chat/completions").to_string(),
            Err(error) => format!("{error:?}"),
        });
    }

    #[track_caller]
    fn check_key(value: Option<&str>, want: &Expect) {
        let read = ApiKey::from_env_value("OPENAI_API_KEY", value.map(str::to_owned));
        let shown = read.map_or_else(|error| error.to_string(), |key| format!("{key:?}"));
        assert!(value.is_none_or(|value| value.trim().len() < 4 || !shown.contains(value.trim())));
        want.assert_eq(&shown);
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
    fn n16_what_is_sent_in_the_clear_takes_no_proxy() {
        let transit = |url: &str| Endpoint::parse(url).unwrap().transit();
        assert_eq!(transit("https://api.example.com/v1"), Transit::Encrypted);
        assert_eq!(transit("http://127.0.0.1:8080/v1"), Transit::Direct);
        assert_eq!(transit("http://gpu.local/v1"), Transit::Direct);
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
    fn r15_keys() {
        check_key(Some(CANARY), &expect!["ApiKey([key])"]);
        check_key(
            None,
            &expect!["the environment variable OPENAI_API_KEY is not set; expected the key of the account"],
        );
        check_key(
            Some("  "),
            &expect!["the environment variable OPENAI_API_KEY is empty; expected the key of the account"],
        );
        for value in ["sk-abcdef\n", "Bearer sk-abcdef", " sk-abcdef"] {
            check_key(
                Some(value),
                &expect![
                    "the environment variable OPENAI_API_KEY contains a space, a line break or another invisible character; expected the bare key"
                ],
            );
        }
        check_key(
            Some("\"sk-abcdef\""),
            &expect![
                "the environment variable OPENAI_API_KEY contains quotation marks; expected the bare key"
            ],
        );
        check_key(
            Some("sk-äbcdef"),
            &expect![
                "the environment variable OPENAI_API_KEY contains characters that no key has; expected visible ASCII characters"
            ],
        );
    }

    #[test]
    fn f24_an_echoed_key_is_taken_out() {
        let key = ApiKey::from_env_value("K", Some(CANARY.to_owned())).unwrap();
        let echo = format!("Bearer {CANARY} and {CANARY}");
        let answered = CallOutcome::Response(Response {
            status: 401,
            headers: vec![("x-echo".into(), echo.clone())],
            body: echo.clone().into_bytes(),
        });
        let lost =
            CallOutcome::Broken { fault: TransportFault::Lost(echo.clone()), partial: echo.into_bytes() };
        for outcome in [answered, lost] {
            let scrubbed = key.scrub(Reception { outcome, elapsed: Duration::ZERO, room: Room::default() });
            let shown = match &scrubbed.outcome {
                CallOutcome::Response(response) => String::from_utf8(response.body.clone()).unwrap(),
                CallOutcome::Broken { partial, .. } => String::from_utf8(partial.clone()).unwrap(),
            };
            assert_eq!(shown, "Bearer [key] and [key]");
            assert!(!format!("{scrubbed:?}").contains("CANARY"));
        }
        assert!(key.header("Bearer ").is_sensitive());
        assert_eq!(key.fingerprint().len(), 12);
    }
}
