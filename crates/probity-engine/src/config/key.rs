//! Whether a judge needs a key, and the key from the variable that the settings name.

use super::ChatSettings;
use crate::judge::endpoint::{ApiKey, BadKey};

/// Whether a call can go out without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// It cannot: the endpoint is the provider's own, or the settings name the variable.
    Required,
    /// The endpoint is another one, such as a local server: a key is sent where there is one.
    IfPresent,
}

/// Whether `value` could be a key at all: what decides which judge is used.
pub fn is_present(value: Option<&str>) -> bool {
    value.is_some_and(|value| !value.trim().is_empty())
}

/// The key for `chat`, or `None` where it goes without one.
pub fn api_key(chat: &ChatSettings, get: &dyn Fn(&str) -> Option<String>) -> Result<Option<ApiKey>, BadKey> {
    let Some(variable) = &chat.api_key_env else { return Ok(None) };
    let value = get(variable);
    if !is_present(value.as_deref()) && chat.key_use == KeyUse::IfPresent {
        return Ok(None);
    }
    ApiKey::from_env_value(variable, value).map(Some)
}

#[cfg(test)]
mod tests {
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
            Ok(Some(_)) => "a key".to_owned(),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(got, want);
    }

    #[test]
    fn r15_the_variable_is_named_and_its_value_is_not() {
        check(
            "",
            None,
            "the environment variable OPENAI_API_KEY is not set; expected the key of the account",
        );
        let quoted =
            "the environment variable OPENAI_API_KEY contains quotation marks; expected the bare key";
        check("", Some("\"sk-abc\""), quoted);
    }

    #[test]
    fn a_key_as_it_is() {
        check("", Some("sk-abc"), "a key");
    }

    #[test]
    fn a_local_server_needs_no_key() {
        let local = "[judges.openai]\nbase_url = 'http://localhost:1/v1'\n";
        check(local, None, "none");
        check(local, Some(""), "none");
        check(local, Some("sk-abc"), "a key");
        check("[judges.openai]\napi_key_env = ''\n", Some("sk-abc"), "none");
    }

    #[test]
    fn a_named_variable_is_required() {
        let named = "[judges.openai]\nbase_url = 'http://localhost:1/v1'\napi_key_env = 'LOCAL_KEY'\n";
        check(named, None, "the environment variable LOCAL_KEY is not set; expected the key of the account");
    }
}
