//! A service that is reached over HTTP: where it is, what every call carries, and the client that speaks to it.
//!
//! Judges and targets share it. The secrets that go out with a call are taken out of whatever comes back. Several servers
//! may answer for one judge; the lane says which of them is called.

use std::sync::Mutex;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde_json::Value;

use super::http::{BadHttpClient, Download, HttpClient, Pool, Transit};
use super::key::{ApiKey, BadKey, api_key};
use super::key_command::KeyCommand;
use super::{CallLimits, CallOutcome, JudgeError, Reception, TransportFault};
use crate::config::{ChatSettings, Endpoint, Http, SentPiece, SentText};

/// HTTP/2 connections per client: enough for two thousand calls at a hundred streams each.
const HTTP2_SHARDS: usize = 20;

/// A service that takes JSON. Servers on one's own machine often need no key.
#[derive(Debug)]
pub struct Service {
    servers: Vec<Server>,
    headers: HeaderMap,
    secrets: Vec<ApiKey>,
    key: Option<KeyCommand>,
}

/// A request about something else than a packet.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    /// How it is made.
    pub(crate) method: Method,
    /// Where it goes.
    pub(crate) url: Url,
    /// What it carries, with the type of that.
    pub(crate) body: Option<(&'a str, Vec<u8>)>,
}

/// One server. Each has connections of its own.
#[derive(Debug)]
struct Server {
    url: Url,
    client: HttpClient,
}

impl Service {
    /// The service that `chat`, filled in, describes, with its key. `get` gives the value of an environment variable.
    pub fn of_chat(
        chat: &ChatSettings,
        limits: CallLimits,
        get: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Service, JudgeError> {
        let row = chat.dialect();
        let pool = match chat.http {
            Http::Http1 => Pool::Http1,
            Http::Http2 => {
                Pool::Http2 { shards: HTTP2_SHARDS.try_into().expect("the number of shards is not zero") }
            }
        };
        let (own, mut secrets) = header_values(&chat.headers, get)?;
        let mut headers: HeaderMap = row
            .headers
            .iter()
            .map(|(name, value)| {
                let value = HeaderValue::from_str(value).expect("the table's headers are well formed");
                (header_name(name), value)
            })
            .collect();
        headers.extend(own);
        let (name, prefix) = &row.key;
        let command = chat.api_key_command.clone();
        let key = match &command {
            Some(_) => None,
            None => api_key(chat, get)?,
        };
        // A header of the settings by that name is the user's word on what this server gets.
        if let Some(key) = key.as_ref().filter(|_| !headers.contains_key(header_name(name))) {
            headers.insert(header_name(name), key.header(prefix));
        }
        secrets.extend(key);
        let url = |endpoint: &Endpoint| {
            let mut url = endpoint.call(&row.path.replace("$model", &chat.model));
            let query: std::collections::BTreeMap<_, _> = row.query.iter().chain(&chat.query).collect();
            if !query.is_empty() {
                url.query_pairs_mut().extend_pairs(query);
            }
            url
        };
        let mut service = Service::new(url(&chat.base_url), headers, limits, pool)?.with_secrets(secrets);
        for endpoint in &chat.base_urls {
            service.servers.push(Server::new(url(endpoint), limits, pool)?);
        }
        service.key = command.map(|(command, lifetime)| KeyCommand {
            command,
            lifetime,
            header: (header_name(name), prefix.clone()),
            turn: tokio::sync::Mutex::default(),
            keys: Mutex::default(),
        });
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
        let servers = vec![Server::new(url, limits, pool)?];
        Ok(Service { servers, headers, secrets: Vec::new(), key: None })
    }

    /// The same service, in whose calls these secrets stand.
    pub(crate) fn with_secrets(mut self, secrets: Vec<ApiKey>) -> Service {
        self.secrets.extend(secrets);
        // One secret may be a part of another: the longer one goes first, so that nothing of it is left.
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.n_chars()));
        self
    }

    /// Posts `body`, which is JSON, to the server at this place. A key of a program that is no longer accepted is
    /// replaced once.
    pub async fn post(&self, body: Vec<u8>, server: usize) -> Reception {
        let server = &self.servers[server];
        let Some(command) = &self.key else { return self.send(server, None, body).await };
        let mut key = match command.key(None).await {
            Ok(key) => key,
            Err(fault) => return Reception::broken(fault),
        };
        let reception = self.send(server, Some((command, &key)), body.clone()).await;
        if !matches!(&reception.outcome, CallOutcome::Response(response) if response.status == 401) {
            return reception;
        }
        key = match command.key(Some(&key)).await {
            Ok(key) => key,
            Err(fault) => return Reception::broken(fault),
        };
        self.send(server, Some((command, &key)), body).await
    }

    async fn send(&self, server: &Server, key: Option<(&KeyCommand, &ApiKey)>, body: Vec<u8>) -> Reception {
        let reception = server.client.post(&server.url, self.headers(key), body).await;
        self.scrubbed(key, reception)
    }

    fn headers(&self, key: Option<(&KeyCommand, &ApiKey)>) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Some((command, key)) = key {
            headers.insert(command.header.0.clone(), key.header(&command.header.1));
        }
        headers
    }

    fn scrubbed(&self, key: Option<(&KeyCommand, &ApiKey)>, reception: Reception) -> Reception {
        let secrets = self.secrets.iter().chain(key.map(|(_, key)| key));
        secrets.fold(reception, |reception, secret| secret.scrub(reception))
    }

    /// Gets what is at `path` below `base`, with the key of a call.
    pub(crate) async fn get(&self, path: &str, base: &Endpoint) -> Reception {
        self.exchange(Exchange { method: Method::GET, url: base.call(path), body: None }).await
    }

    /// Makes any request to the host, with the key of a call.
    pub(crate) async fn exchange(&self, exchange: Exchange<'_>) -> Reception {
        let Exchange { method, url, body } = exchange;
        let key = match self.key_now().await {
            Ok(key) => key,
            Err(fault) => return Reception::broken(fault),
        };
        let key = key.as_ref().map(|(command, key)| (*command, key));
        let mut headers = self.headers(key);
        let (content_type, body) = body.unwrap_or(("application/json", Vec::new()));
        let content_type = HeaderValue::from_str(content_type).expect("types of bodies are plain words");
        headers.insert(CONTENT_TYPE, content_type);
        let reception = self.servers[0].client.exchange(method, &url, headers, body).await;
        self.scrubbed(key, reception)
    }

    /// Begins to get what is at `url`, with the key of a call. What comes is as it was sent: see [`Service::clean`].
    pub(crate) async fn download(&self, url: Url) -> Result<Download, Reception> {
        let key = self.key_now().await.map_err(Reception::broken)?;
        let key = key.as_ref().map(|(command, key)| (*command, key));
        let mut headers = self.headers(key);
        headers.remove(ACCEPT);
        let begun = self.servers[0].client.download(&url, headers).await;
        begun.map_err(|reception| self.scrubbed(key, reception))
    }

    async fn key_now(&self) -> Result<Option<(&KeyCommand, ApiKey)>, TransportFault> {
        match &self.key {
            None => Ok(None),
            Some(command) => command.key(None).await.map(|key| Some((command, key))),
        }
    }

    /// What came back, without the secrets that go out with every call.
    pub(crate) fn clean(&self, reception: Reception) -> Reception {
        self.scrubbed(None, reception)
    }

    /// A few digits that tell what calls are made with apart from what others are made with. `salt` differs from store
    /// to store, so that the digits of one say nothing about another; a key that a program writes is not in them.
    pub(crate) fn fingerprint(&self, salt: &str) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("probity batch account");
        hasher.update(salt.as_bytes());
        for (name, value) in &self.headers {
            hasher.update(name.as_str().as_bytes()).update(b": ").update(value.as_bytes()).update(b"\n");
        }
        hasher.finalize().to_hex()[..8].to_owned()
    }

    /// What was read from an answer, without the secrets. Parts of an answer that say nothing each may be a secret
    /// when they are put together.
    pub(crate) fn cleaned(&self, text: String) -> String {
        let text = self.secrets.iter().fold(text, |text, secret| secret.scrub_text(text));
        match &self.key {
            Some(command) => command.cleaned(text),
            None => text,
        }
    }
}

impl Server {
    fn new(url: Url, limits: CallLimits, pool: Pool) -> Result<Server, BadHttpClient> {
        let client = HttpClient::new(limits, pool, Transit::to(&url))?;
        Ok(Server { url, client })
    }
}

fn header_name(name: &str) -> HeaderName {
    HeaderName::from_bytes(name.as_bytes()).expect("the name was checked when it was read")
}

/// The headers to send, and the secrets in them. `get` gives the value of a variable.
pub(crate) fn header_values(
    texts: &[(String, SentText)],
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<(HeaderMap, Vec<ApiKey>), BadKey> {
    let (mut headers, mut secrets) = (HeaderMap::new(), Vec::new());
    for (name, text) in texts {
        let (value, found) = header_value(text, get)?;
        headers.insert(header_name(name), value);
        secrets.extend(found);
    }
    Ok((headers, secrets))
}

/// Fills in the variables of the query and the extra body of `chat`. The secrets that then stand in them.
pub(super) fn fill(
    chat: &mut ChatSettings,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<ApiKey>, BadKey> {
    let mut secrets = Vec::new();
    for text in chat.query.values_mut() {
        secrets.extend(fill_text(text, get)?);
    }
    for value in chat.extra_body.values_mut() {
        secrets.extend(fill_value(value, get)?);
    }
    Ok(secrets)
}

fn fill_value(value: &mut Value, get: &dyn Fn(&str) -> Option<String>) -> Result<Vec<ApiKey>, BadKey> {
    let members: Vec<&mut Value> = match value {
        Value::String(text) => return fill_text(text, get),
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    let filled: Result<Vec<_>, _> = members.into_iter().map(|member| fill_value(member, get)).collect();
    Ok(filled?.concat())
}

fn fill_text(text: &mut String, get: &dyn Fn(&str) -> Option<String>) -> Result<Vec<ApiKey>, BadKey> {
    let read = SentText::read(text).expect("the text was checked when it was read");
    let (sent, secrets) = sent_value(&read, get)?;
    *text = sent;
    Ok(secrets)
}

/// The header to send, and the secrets in it. `get` gives the value of a variable.
fn header_value(
    text: &SentText,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<(HeaderValue, Vec<ApiKey>), BadKey> {
    let (sent, secrets) = sent_value(text, get)?;
    let mut value = HeaderValue::from_str(&sent).expect("a header's text was checked when it was read");
    value.set_sensitive(true);
    Ok((value, secrets))
}

/// The text to send, and the secrets in it. `get` gives the value of a variable.
fn sent_value(
    text: &SentText,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<(String, Vec<ApiKey>), BadKey> {
    let mut sent = String::new();
    let mut secrets = Vec::new();
    for piece in text.pieces() {
        match piece {
            SentPiece::Text(literal) => sent.push_str(literal),
            SentPiece::Variable(name) => {
                let key = ApiKey::in_text(name, get(name))?;
                let header = key.header("");
                sent.push_str(header.to_str().expect("a key consists of visible ASCII characters"));
                secrets.push(key);
            }
        }
    }
    Ok((sent, secrets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, want: &str) {
        let get = |name: &str| match name {
            "KEY" => Some("sk-canary".to_owned()),
            "PIN" => Some("12345".to_owned()),
            _ => None,
        };
        let got = match SentText::header(name, text) {
            Err(error) => format!("{error:?}"),
            Ok(header) => match header_value(&header, &get) {
                Err(error) => error.to_string(),
                Ok((value, secrets)) => {
                    assert!(!format!("{value:?} {}", header.fingerprint()).contains("canary"));
                    format!("{} {}", value.to_str().expect("ASCII"), secrets.len())
                }
            },
        };
        assert_eq!(got, want);
    }

    #[test]
    fn headers() {
        check("X-Version", "2", "2 0");
        check("Authorization", "Bearer ${KEY}", "Bearer sk-canary 1");
        check("x", "${KEY}:${KEY}", "sk-canary:sk-canary 2");
        check("x", "${OTHER}", "the environment variable OTHER is not set");
        check(
            "x",
            "${PIN}",
            "the environment variable PIN has fewer than 6 characters; expected a secret; write other text into the setting itself",
        );
        check("x", "${", "Variable");
        check("x", "${a b}", "Variable");
        check("x", "a\nb", "Text");
        check("a b", "x", "Name");
        check("Content-Type", "text/plain", "Own");
    }
}
