//! The key that an endpoint is reached with.
//!
//! A key leaves this module only inside a header value that is marked as sensitive; no error, debug text or stored
//! response holds it.

use std::fmt;

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use super::{CallOutcome, Reception, TransportFault, spelling};
use crate::config::{ChatSettings, KeyUse, VARIABLE_CHARS_MIN, is_present};

/// The key for `chat`, or `None` where it goes without one.
pub fn api_key(chat: &ChatSettings, get: &dyn Fn(&str) -> Option<String>) -> Result<Option<ApiKey>, BadKey> {
    let Some(variable) = &chat.api_key_env else { return Ok(None) };
    let value = get(variable);
    if !is_present(value.as_deref()) && chat.key_use == KeyUse::IfPresent {
        return Ok(None);
    }
    ApiKey::from_env_value(variable, value).map(Some)
}

/// The key of an account.
#[derive(Clone)]
pub struct ApiKey {
    secret: SecretString,
    likeness: Likeness,
}

/// Whether a key can be told from ordinary words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// It is a secret, and taken out of everything that comes back.
    Secret,
    /// It may be a placeholder for a server that asks for none ("ollama", "EMPTY"). Taking such a word out of answers
    /// would damage them; it is taken out of refusals, which repeat keys.
    Placeholder,
}

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
    #[error("is not set")]
    Missing,
    /// The variable is set to nothing.
    #[error("is empty")]
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
        "has fewer than {VARIABLE_CHARS_MIN} characters; expected a secret; write other text into the setting itself"
    )]
    Short,
}

/// Keys shorter than this are mostly placeholders.
const SECRET_CHARS_MIN: usize = 16;

impl ApiKey {
    /// The key that the environment variable `variable` holds.
    pub(crate) fn from_env_value(variable: &str, value: Option<String>) -> Result<Self, BadKey> {
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
        if let Some(problem) = problem {
            return Err(bad(problem));
        }
        let is_short = value.len() < SECRET_CHARS_MIN;
        let likeness = if is_short { Likeness::Placeholder } else { Likeness::Secret };
        Ok(ApiKey { secret: SecretString::from(value), likeness })
    }

    /// The secret in a text to be sent that the environment variable `variable` holds.
    pub(crate) fn in_text(variable: &str, value: Option<String>) -> Result<Self, BadKey> {
        let key = ApiKey::from_env_value(variable, value)?;
        if key.n_chars() < VARIABLE_CHARS_MIN {
            return Err(BadKey { variable: variable.to_owned(), problem: KeyProblem::Short });
        }
        Ok(ApiKey { likeness: Likeness::Secret, ..key })
    }

    fn text(&self) -> &str {
        self.secret.expose_secret()
    }

    /// `prefix` and the key as a header value that nothing prints.
    pub(crate) fn header(&self, prefix: &str) -> HeaderValue {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.text()))
            .expect("a key consists of visible ASCII characters");
        value.set_sensitive(true);
        value
    }

    /// Whether it is the same key.
    pub(super) fn is(&self, other: &ApiKey) -> bool {
        self.text() == other.text()
    }

    /// How many characters it has.
    pub(crate) fn n_chars(&self) -> usize {
        self.text().len()
    }

    /// `reception` without the key, wherever the server may have repeated it, unless it is an answer and the key may
    /// be a placeholder.
    pub(crate) fn scrub(&self, reception: Reception) -> Reception {
        let is_answer =
            matches!(&reception.outcome, CallOutcome::Response(response) if response.status < 300);
        if is_answer && self.likeness == Likeness::Placeholder {
            return reception;
        }
        let key = self.text().as_bytes();
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

    /// What was read from an answer, without the key, unless the key may be a placeholder.
    pub(crate) fn scrub_text(&self, text: String) -> String {
        if self.likeness == Likeness::Placeholder { text } else { self.text_without(text) }
    }

    fn text_without(&self, text: String) -> String {
        spelling::text_without(text, self.text().as_bytes())
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

    use super::super::http::Transit;
    use super::super::{AnswerRoom, CallOutcome, Reception, Response, TransportFault};
    use super::{ApiKey, api_key};
    use crate::config::{Config, Endpoint, Layer};

    const CANARY: &str = "sk-CANARY0123456789abcdef";

    #[track_caller]
    fn check_key(value: Option<&str>, want: &Expect) {
        let read = ApiKey::from_env_value("OPENAI_API_KEY", value.map(str::to_owned));
        let shown = read.map_or_else(|error| error.to_string(), |key| format!("{key:?}"));
        assert!(value.is_none_or(|value| value.trim().len() < 4 || !shown.contains(value.trim())));
        want.assert_eq(&shown);
    }

    #[test]
    fn r15_keys() {
        check_key(Some(CANARY), &expect!["ApiKey([key])"]);
        check_key(None, &expect!["the environment variable OPENAI_API_KEY is not set"]);
        check_key(Some("  "), &expect!["the environment variable OPENAI_API_KEY is empty"]);
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
            let scrubbed =
                key.scrub(Reception { outcome, elapsed: Duration::ZERO, room: AnswerRoom::default() });
            let shown = match &scrubbed.outcome {
                CallOutcome::Response(response) => String::from_utf8(response.body.clone()).unwrap(),
                CallOutcome::Broken { partial, .. } => String::from_utf8(partial.clone()).unwrap(),
            };
            assert_eq!(shown, "Bearer [key] and [key]");
            assert!(!format!("{scrubbed:?}").contains("CANARY"));
        }
        assert!(key.header("Bearer ").is_sensitive());
    }

    #[test]
    fn n16_what_is_sent_in_the_clear_takes_no_proxy() {
        let transit = |url: &str| Transit::to(Endpoint::parse(url).unwrap().url());
        assert_eq!(transit("https://api.example.com/v1"), Transit::Encrypted);
        assert_eq!(transit("http://127.0.0.1:8080/v1"), Transit::Direct);
        assert_eq!(transit("http://gpu.local/v1"), Transit::Direct);
    }

    #[track_caller]
    fn check_settings(settings: &str, value: Option<&str>, want: &str) {
        let layer = Layer::read("probity.toml", settings).expect("settings");
        let config = Config::resolve([layer]).expect("config");
        let judge = config.named_judge("openai").expect("built in");
        let chat = judge.chat().expect("a chat judge").clone();
        let got = match api_key(&chat, &|_| value.map(str::to_owned)) {
            Ok(None) => "none".to_owned(),
            Ok(Some(_)) => "a key".to_owned(),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(got, want);
    }

    #[test]
    fn r15_the_variable_is_named_and_its_value_is_not() {
        check_settings("", None, "the environment variable OPENAI_API_KEY is not set");
        let quoted =
            "the environment variable OPENAI_API_KEY contains quotation marks; expected the bare key";
        check_settings("", Some("\"sk-abc\""), quoted);
    }

    #[test]
    fn a_key_as_it_is() {
        check_settings("", Some("sk-abc"), "a key");
    }

    #[test]
    fn a_local_server_needs_no_key() {
        let local = "[judges.openai]\nbase_url = 'http://localhost:1/v1'\n";
        check_settings(local, None, "none");
        check_settings(local, Some(""), "none");
        check_settings(local, Some("sk-abc"), "a key");
        check_settings("[judges.openai]\napi_key_env = ''\n", Some("sk-abc"), "none");
    }

    #[test]
    fn a_named_variable_is_required() {
        let named = "[judges.openai]\nbase_url = 'http://localhost:1/v1'\napi_key_env = 'LOCAL_KEY'\n";
        check_settings(named, None, "the environment variable LOCAL_KEY is not set");
    }
}
