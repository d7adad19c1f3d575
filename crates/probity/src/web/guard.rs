//! Who is asking, and whether this route is for them.
//!
//! A session is a cookie that scripts cannot read and that other sites cannot send. That no other program gets it is
//! the business of [`ServerAddress`]. What always holds: a handler of a route that is not for every client finds the person in
//! the request, and no other request gets there.

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use probity_engine::review::{AccessToken, Person, PersonRole, SESSION_SECONDS_MAX};

use super::address::ServerAddress;
use super::app::{App, now};
use super::refusal::Refusal;
use super::routes::RouteAccess;

/// Lets those in whom the route is for.
pub(super) async fn check(
    State((app, access)): State<(App, RouteAccess)>,
    mut request: Request,
    next: Next,
) -> Response {
    if access == RouteAccess::Anyone {
        return next.run(request).await;
    }
    if access == RouteAccess::Metrics {
        match bearer(&app, request.headers()).await {
            Err(refusal) => return refusal.into_response(),
            Ok(true) => return next.run(request).await,
            Ok(false) => {}
        }
    }
    let person = match person(&app, request.headers()).await {
        Err(refusal) => return refusal.into_response(),
        Ok(None) => {
            return Refusal::new(StatusCode::UNAUTHORIZED, "open your link to enter").into_response();
        }
        Ok(Some(person)) => person,
    };
    if access != RouteAccess::Reviewer && person.role != PersonRole::Lead {
        return Refusal::new(StatusCode::FORBIDDEN, "this page is for leads").into_response();
    }
    request.extensions_mut().insert(person);
    next.run(request).await
}

/// Whether the request has a token that reads figures.
async fn bearer(app: &App, headers: &HeaderMap) -> Result<bool, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Ok(false) };
    let token = value.to_str().ok().and_then(|value| value.strip_prefix("Bearer "));
    let Some(token) = token.and_then(AccessToken::parse) else { return Ok(false) };
    app.read(move |room| room.reads_metrics(&token)).await
}

/// The person whose session it is.
async fn person(app: &App, headers: &HeaderMap) -> Result<Option<Person>, Refusal> {
    let Some(token) = session(&app.address, headers) else { return Ok(None) };
    app.read(move |room| room.session(&token, now())).await
}

/// The session that the request names. Two of them name none: one was not set by us.
pub(super) fn session(address: &ServerAddress, headers: &HeaderMap) -> Option<AccessToken> {
    let name = address.cookie_name();
    let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut values = pairs
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    match (values.next(), values.next()) {
        (Some(value), None) => AccessToken::parse(value),
        _ => None,
    }
}

/// The header that gives the browser its session, or with `None` takes it away.
pub(super) fn cookie(address: &ServerAddress, token: Option<&AccessToken>) -> HeaderValue {
    let name = address.cookie_name();
    let text = match token {
        // As long as the store keeps the session.
        Some(token) => format!("{name}={}; Max-Age={SESSION_SECONDS_MAX}", token.expose()),
        None => format!("{name}=; Max-Age=0"),
    };
    let text = format!("{text}; {}", address.cookie_bounds());
    HeaderValue::from_str(&text).expect("a token is hexadecimal")
}
