//! Who may talk to the server at all: the names it answers to, the pages that may change something, and the headers
//! that every response has.
//!
//! Applied to each request before it is routed, whatever it asks for. What always holds: nothing here looks at the
//! path, and nothing later looks at the name that a request was sent to.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::address::ServerAddress;
use super::app::App;
use super::listen::Peer;
use super::refusal::Refusal;

/// What a page may load and do: its own styles, its own script, its own forms.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// The headers of every response, beside `Cache-Control`.
///
/// The referrer goes to this origin alone: with none at all, browsers send plain forms with `Origin: null`, which
/// is refused here. A token is only ever in a fragment, which no referrer has.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// The address that a request comes from, as far as that is believed.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClientAddress(pub(super) IpAddr);

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Lets a request in, or answers it here; either way the response gets the headers.
pub(super) async fn keep(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0);
    let is_plain = app.proxies.says_plain(peer, request.headers());
    let client = ClientAddress(app.proxies.client(peer, request.headers()));
    request.extensions_mut().insert(client);
    let let_in = if is_plain {
        Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "use https:// for this server"))
    } else {
        admitted(&app.address, request.method(), request.uri(), request.headers())
    };
    let mut response = match let_in {
        Err(refusal) => refusal.plain(),
        Ok(()) => match tokio::time::timeout(app.patience.request, next.run(request)).await {
            Ok(response) => response,
            Err(_) => Refusal::new(StatusCode::REQUEST_TIMEOUT, "this took too long").plain(),
        },
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    app.traffic.count(response.status(), started.elapsed());
    response.into_response()
}

fn admitted(address: &ServerAddress, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().unwrap_or_default(),
        _ => return Err(Refusal::new(StatusCode::BAD_REQUEST, "expected one Host header")),
    };
    let elsewhere = uri.authority().is_some_and(|authority| !address.is_host(authority.as_str()));
    if !address.is_host(host) || elsewhere {
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "this server has another name"));
    }
    match method {
        &Method::GET | &Method::HEAD => Ok(()),
        &Method::POST => own_page(address, headers),
        _ => Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "expected GET, HEAD or POST")),
    }
}

/// A change has to come from a page of this server. A request that does not say where it comes from is no exception.
fn own_page(address: &ServerAddress, headers: &HeaderMap) -> Result<(), Refusal> {
    let foreign =
        || Err(Refusal::new(StatusCode::FORBIDDEN, "only a page of this server can change something"));
    let origins: Vec<&HeaderValue> = headers.get_all(ORIGIN).iter().collect();
    let sites: Vec<&HeaderValue> = headers.get_all(FETCH_SITE).iter().collect();
    let own_origin = |origin: &&HeaderValue| origin.to_str().is_ok_and(|origin| address.is_origin(origin));
    if !origins.iter().all(own_origin) || !sites.iter().all(|site| *site == "same-origin") {
        return foreign();
    }
    if origins.is_empty() && sites.is_empty() { foreign() } else { Ok(()) }
}
