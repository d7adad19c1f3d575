//! An account at a service: where it is, the key it is reached with, and the client that speaks to it.

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use serde::Serialize;

use super::Reception;
use super::http::HttpClient;
use super::key::ApiKey;
use crate::config::Endpoint;

/// Where calls go and on whose bill. Servers on one's own machine often need no key.
#[derive(Debug, Clone)]
pub struct Account {
    /// Where it is reached.
    pub endpoint: Endpoint,
    /// The key, where there is one.
    pub key: Option<ApiKey>,
    /// The client.
    pub client: HttpClient,
}

/// The most bytes that a request has besides its prompt, usually.
const AROUND_PROMPT_BYTES: usize = 1024;

/// `body` as JSON, about `prompt_bytes` of it text.
pub(super) fn written(body: &impl Serialize, prompt_bytes: usize) -> Vec<u8> {
    // An eighth is room for escapes.
    let mut bytes = Vec::with_capacity(prompt_bytes + prompt_bytes / 8 + AROUND_PROMPT_BYTES);
    serde_json::to_writer(&mut bytes, body).expect("a request is plain data");
    bytes
}

impl Account {
    /// Posts `body`, which is JSON, to `path` below the endpoint, with the key under `name` behind `prefix`. The key is
    /// taken out of whatever comes back.
    pub(crate) async fn post(
        &self,
        path: &str,
        (name, prefix): (HeaderName, &str),
        mut headers: HeaderMap,
        body: Vec<u8>,
    ) -> Reception {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.extend(self.key.as_ref().map(|key| (name, key.header(prefix))));
        let url = self.endpoint.call(path);
        let reception = self.client.post(&url, headers, body).await;
        match &self.key {
            Some(key) => key.scrub(reception),
            None => reception,
        }
    }

    /// What was read from an answer, without the key.
    pub(crate) fn cleaned(&self, text: String) -> String {
        match &self.key {
            Some(key) => key.scrub_text(text),
            None => text,
        }
    }
}
