//! Coming in and leaving.
//!
//! A link is `/enter#TOKEN`. What stands behind the `#` is never sent by a browser, so the token is in no log and in
//! no referrer; the page's script takes it out of the address and posts it. Opening the page changes nothing, so
//! a preview of a link does not use it up. Without scripts the token is pasted into the form.

use axum::extract::{Query, State};
use axum::http::header::{RETRY_AFTER, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form};
use minijinja::context;
use probity_engine::review::{AccessToken, DoorAct, DoorEntry};
use serde::Deserialize;

use super::app::{App, Visit, now};
use super::door::ClientAddress;
use super::guard;
use super::pages::go;
use super::refusal::{PageResult, Refusal};

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Entrance {
    token: String,
    #[serde(default)]
    run: String,
}

/// What the address says beside the token: the run that is looked at first.
#[derive(Debug, Deserialize)]
pub(super) struct EntranceQuery {
    run: Option<i64>,
}

/// `GET /enter`
pub(super) async fn page(State(app): State<App>, Query(said): Query<EntranceQuery>) -> PageResult {
    app.pages.page(None, "enter", "Come in", context! { message => "", run => said.run })
}

/// `POST /enter`: a token for a session, once.
pub(super) async fn redeem(
    State(app): State<App>,
    Extension(ClientAddress(client)): Extension<ClientAddress>,
    headers: HeaderMap,
    Form(entrance): Form<Entrance>,
) -> PageResult {
    let (now, client) = (now(), client.to_string());
    // People paste the whole link as often as the token.
    let text = entrance.token.trim().rsplit('#').next().unwrap_or_default().to_owned();
    let redeemed = match AccessToken::parse(&text) {
        Some(token) => app.room.redeem(&token, &client, now).await?,
        None => None,
    };
    let Some((person, session)) = redeemed else {
        // A good link opens the door however many wrong ones others have tried: 256 bits cannot be guessed.
        if !app.wrong_tokens.is_open(now) {
            let refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong links; wait a minute");
            return Ok(([(RETRY_AFTER, "60")], refusal).into_response());
        }
        app.wrong_tokens.count(now);
        return Err(Refusal::new(StatusCode::UNAUTHORIZED, "this link was already used or has expired"));
    };
    let entry = DoorEntry { person: person.id, act: DoorAct::Enter, about: String::new(), client };
    app.room.log(entry, now).await?;
    if let Some(before) = guard::session(&app.address, &headers) {
        app.room.end_session(&before, now).await?;
    }
    let place = entrance.run.parse::<i64>().map_or_else(|_| "/".to_owned(), |run| format!("/runs/{run}"));
    Ok(with_cookie(go(&place), &app, Some(&session)))
}

/// `POST /leave`: the session ends here and in the store.
pub(super) async fn leave(visit: Visit, headers: HeaderMap) -> PageResult {
    visit.log(DoorAct::Leave, "").await?;
    let app = visit.app;
    if let Some(session) = guard::session(&app.address, &headers) {
        app.room.end_session(&session, now()).await?;
    }
    Ok(with_cookie(go("/enter"), &app, None))
}

fn with_cookie(mut response: Response, app: &App, session: Option<&AccessToken>) -> Response {
    response.headers_mut().insert(SET_COOKIE, guard::cookie(&app.address, session));
    response
}
