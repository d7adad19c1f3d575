//! A service that is reached over HTTP: where it is, what every call carries, and the client that speaks to it.
//!
//! Judges and targets share it. The secrets that go out with a call are taken out of whatever comes back.

use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use super::http::{BadHttpClient, HttpClient, Pool, Transit};
use super::key::{ApiKey, api_key};
use super::{CallLimits, JudgeError, Reception};
use crate::config::{ChatSettings, Endpoint, Http};

/// HTTP/2 connections per client: enough for two thousand calls at a hundred streams each.
const HTTP2_SHARDS: usize = 20;

/// A service that takes JSON. Servers on one's own machine often need no key.
#[derive(Debug, Clone)]
pub struct Service {
    url: Url,
    client: HttpClient,
    headers: HeaderMap,
    secrets: Vec<ApiKey>,
}

impl Service {
    /// The service that `chat` describes, with its key. `get` gives the value of an environment variable.
    pub fn of_chat(
        chat: &ChatSettings,
        limits: CallLimits,
        get: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Service, JudgeError> {
        let wire = chat.dialect.wire();
        let pool = match chat.http {
            Http::Http1 => Pool::Http1,
            Http::Http2 => {
                Pool::Http2 { shards: HTTP2_SHARDS.try_into().expect("the number of shards is not zero") }
            }
        };
        let own = wire
            .headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let url = chat.base_url.call((wire.path)(&chat.base_url));
        let key = api_key(chat, get)?;
        let mut service = Service::new(url, own.collect(), limits, pool)?;
        let (name, prefix) = wire.key_header;
        service.headers.extend(key.as_ref().map(|key| (HeaderName::from_static(name), key.header(prefix))));
        service.secrets.extend(key);
        Ok(service)
    }

    /// The service at `url`, whose calls carry `headers`.
    pub(crate) fn new(
        url: Url,
        mut headers: HeaderMap,
        limits: CallLimits,
        pool: Pool,
    ) -> Result<Service, BadHttpClient> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let client = HttpClient::new(limits, pool, Transit::to(&url))?;
        Ok(Service { url, client, headers, secrets: Vec::new() })
    }

    /// The same service, in whose headers these secrets stand.
    pub(crate) fn with_secrets(mut self, secrets: Vec<ApiKey>) -> Service {
        self.secrets = secrets;
        // One secret may be a part of another: the longer one goes first, so that nothing of it is left.
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.n_chars()));
        self
    }

    /// Posts `body`, which is JSON.
    pub async fn post(&self, body: Vec<u8>) -> Reception {
        let reception = self.client.post(&self.url, self.headers.clone(), body).await;
        self.secrets.iter().fold(reception, |reception, secret| secret.scrub(reception))
    }

    /// Gets what is at `path` below `base`, with the key of a call.
    pub(crate) async fn get(&self, path: &str, base: &Endpoint) -> Reception {
        let reception = self.client.get(&base.call(path), self.headers.clone()).await;
        self.secrets.iter().fold(reception, |reception, secret| secret.scrub(reception))
    }

    /// What was read from an answer, without the secrets. Parts of an answer that say nothing each may be a secret
    /// when they are put together.
    pub(crate) fn cleaned(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| secret.scrub_text(text))
    }
}
