//! Keys: read from the variable that the settings name, checked, and never shown.
//!
//! A [`KeyProblem`] names the variable and not a character of its value.

use secrecy::SecretString;

use super::ChatSettings;

/// Whether a call can go out without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// It cannot: the endpoint is the provider's own, or the settings name the variable.
    Required,
    /// The endpoint is another one, such as a local server: a key is sent where there is one.
    IfPresent,
}

/// A variable that does not hold a usable key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// It is not set.
    #[error("the variable {variable} is not set, expected the judge's API key in it")]
    Missing {
        /// The variable.
        variable: String,
    },
    /// It is set to nothing.
    #[error("the variable {variable} is empty, expected the judge's API key in it")]
    Empty {
        /// The variable.
        variable: String,
    },
    /// It stands in quotes, as a file that was not read by a shell leaves it.
    #[error("the value of the variable {variable} stands in quotes, expected the key alone")]
    Quoted {
        /// The variable.
        variable: String,
    },
    /// It has white space or a line break at an end or inside, or a character no header takes.
    #[error("the value of the variable {variable} has a space, a line break or a character that no key has")]
    NotAKey {
        /// The variable.
        variable: String,
    },
}

/// Whether `value` could be a key at all: what decides which judge is used.
pub fn is_present(value: Option<&str>) -> bool {
    value.is_some_and(|value| !value.trim().is_empty())
}

/// The key for `chat`, or `None` where it goes without one.
pub fn api_key(
    chat: &ChatSettings,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<SecretString>, KeyProblem> {
    let Some(variable) = &chat.api_key_env else { return Ok(None) };
    let value = get(variable);
    if !is_present(value.as_deref()) && chat.key_use == KeyUse::IfPresent {
        return Ok(None);
    }
    let variable = variable.clone();
    let Some(value) = value else { return Err(KeyProblem::Missing { variable }) };
    if value.trim().is_empty() {
        return Err(KeyProblem::Empty { variable });
    }
    if value.contains(['"', '\'', '\u{201c}', '\u{201d}']) {
        return Err(KeyProblem::Quoted { variable });
    }
    if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(KeyProblem::NotAKey { variable });
    }
    Ok(Some(SecretString::from(value)))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::super::{Config, Layer};
    use super::*;

    #[track_caller]
    fn check(settings: &str, value: Option<&str>, want: &str) {
        let layer = Layer::read("probity.toml", settings).expect("settings");
        let config = Config::resolve([layer]).expect("config");
        let judge = config.named_judge("openai").expect("built in");
        let chat = judge.chat().expect("a chat judge").clone();
        let got = match api_key(&chat, &|_| value.map(str::to_owned)) {
            Ok(None) => "none".to_owned(),
            Ok(Some(key)) => format!("key {}", key.expose_secret()),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(got, want);
    }

    #[test]
    fn r15_key_missing_or_empty() {
        check("", None, "the variable OPENAI_API_KEY is not set, expected the judge's API key in it");
        check("", Some(" "), "the variable OPENAI_API_KEY is empty, expected the judge's API key in it");
    }

    #[test]
    fn r15_key_with_newline_or_quotes() {
        let quoted = "the value of the variable OPENAI_API_KEY stands in quotes, expected the key alone";
        check("", Some("\"sk-abc\""), quoted);
        check("", Some("'sk-abc'"), quoted);
        let unlike = "the value of the variable OPENAI_API_KEY has a space, a line break or a character that no key has";
        for value in ["sk-abc\n", "sk abc", "sk-\u{e9}", "\u{200b}sk"] {
            check("", Some(value), unlike);
        }
    }

    #[test]
    fn a_key_as_it_is() {
        check("", Some("sk-abc"), "key sk-abc");
    }

    #[test]
    fn a_local_server_needs_no_key() {
        let local = "[judges.openai]\nbase_url = 'http://localhost:1/v1'\n";
        check(local, None, "none");
        check(local, Some(""), "none");
        check(local, Some("sk-abc"), "key sk-abc");
        check("[judges.openai]\napi_key_env = ''\n", Some("sk-abc"), "none");
    }

    #[test]
    fn a_named_variable_is_required() {
        let named = "[judges.openai]\nbase_url = 'http://localhost:1/v1'\napi_key_env = 'LOCAL_KEY'\n";
        check(named, None, "the variable LOCAL_KEY is not set, expected the judge's API key in it");
    }
}
