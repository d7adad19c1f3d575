//! The table of routes: every path with its method, whom it is for, how much may be sent to it, and who answers.
//!
//! The router is made from this table and from nothing else, and so is the test that walks over it. What always
//! holds: a path that is not in the table does not exist, and one that is in it names whom it is for.

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, LOCATION};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use minijinja::context;
use serde_json::json;

use super::app::App;
use super::refusal::Refusal;
use super::{
    after, agreement, assets, door, enter, export, guard, home, label, log, metrics, people, queues, runs,
    settle, sides,
};

/// Whom a route is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteAccess {
    /// Every client on this machine.
    Anyone,
    /// Reviewers and leads.
    Reviewer,
    /// Leads.
    Lead,
    /// Leads, and programs that one of them gave a token for figures.
    Metrics,
}

/// One row of the table.
pub(super) struct PageRoute {
    /// `GET` answers `HEAD` too, and changes nothing.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test that walks over the table reads it"))]
    pub(super) method: Method,
    /// The path, with names in braces for what varies.
    pub(super) path: &'static str,
    /// Whom it is for.
    pub(super) access: RouteAccess,
    /// Bytes that may be sent to it.
    pub(super) body_max: usize,
    handler: MethodRouter<App>,
}

/// A form with a few short fields.
const FORM: usize = 4 * 1024;
/// A form with a note.
const NOTED: usize = 64 * 1024;

fn read(path: &'static str, access: RouteAccess, handler: MethodRouter<App>) -> PageRoute {
    PageRoute { method: Method::GET, path, access, body_max: 0, handler }
}

fn write(path: &'static str, access: RouteAccess, body_max: usize, handler: MethodRouter<App>) -> PageRoute {
    PageRoute { method: Method::POST, path, access, body_max, handler }
}

/// The table.
pub(super) fn routes() -> Vec<PageRoute> {
    use RouteAccess::{Anyone, Lead, Metrics, Reviewer};
    vec![
        read("/assets/{name}", Anyone, get(assets::asset)),
        read("/enter", Anyone, get(enter::page)),
        write("/enter", Anyone, FORM, post(enter::redeem)),
        write("/leave", Reviewer, FORM, post(enter::leave)),
        read("/", Reviewer, get(home::page)),
        read("/queues", Reviewer, get(queues::list)),
        read("/queues/{queue}", Reviewer, get(queues::page)),
        read("/queues/{queue}/guidelines", Reviewer, get(queues::guidelines)),
        write("/queues/{queue}/next", Reviewer, FORM, post(queues::next)),
        // The label page's own form may be sent here, its note included.
        write("/queues/{queue}/undo", Reviewer, NOTED, post(queues::undo)),
        read("/items/{item}", Reviewer, get(label::page)),
        write("/items/{item}/label", Reviewer, NOTED, post(label::submit)),
        write("/items/{item}/skip", Reviewer, NOTED, post(label::skip)),
        write("/items/{item}/reveal", Reviewer, FORM, post(after::reveal)),
        write("/items/{item}/cause", Reviewer, FORM, post(after::cause)),
        read("/queues/{queue}/disagreements", Lead, get(settle::list)),
        read("/queues/{queue}/agreement", Lead, get(agreement::page)),
        read("/items/{item}/settle", Lead, get(settle::page)),
        write("/items/{item}/settle", Lead, NOTED, post(settle::submit)),
        read("/runs", Lead, get(runs::list)),
        read("/runs/compare", Lead, get(sides::page)),
        read("/runs/{run}", Lead, get(runs::run)),
        read("/runs/{run}/blocks/{number}", Lead, get(runs::block)),
        read("/runs/{run}/raw/{place}", Lead, get(runs::raw)),
        read("/labels.csv", Lead, get(export::csv)),
        read("/labels.jsonl", Lead, get(export::jsonl)),
        read("/people", Lead, get(people::page)),
        write("/people", Lead, FORM, post(people::invite)),
        write("/people/{person}/remove", Lead, FORM, post(people::remove)),
        write("/people/metrics", Lead, FORM, post(people::metrics_token)),
        write("/sessions/{session}/end", Lead, FORM, post(people::end_session)),
        read("/log", Lead, get(log::page)),
        read("/metrics", Metrics, get(metrics::text)),
    ]
}

/// The router: the table, with the checks that every request passes around it.
pub(super) fn router(app: &App) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let checked = route
            .handler
            .layer(DefaultBodyLimit::max(route.body_max))
            .layer(from_fn_with_state((App::clone(app), route.access), guard::check));
        router = router.route(route.path, checked);
    }
    let nowhere = from_fn_with_state((App::clone(app), RouteAccess::Reviewer), guard::check);
    let nothing = axum::routing::any(async || Refusal::not_found()).layer(nowhere);
    router
        .fallback_service(nothing.with_state(App::clone(app)))
        .layer(from_fn_with_state(App::clone(app), explain))
        .layer(from_fn_with_state(App::clone(app), door::keep))
        .with_state(App::clone(app))
}

/// Gives every refusal a page, or for the script an object. One that did not come from a handler says what its
/// status means.
async fn explain(State(app): State<App>, request: Request, next: Next) -> Response {
    let for_script = wants_json(request.headers());
    let response = next.run(request).await;
    if for_script && response.status() == StatusCode::SEE_OTHER {
        return followed(response);
    }
    if !response.status().is_client_error() && !response.status().is_server_error() {
        return response;
    }
    let unnamed = || Refusal::new(response.status(), meaning(response.status()));
    let refusal = response.extensions().get::<Refusal>().cloned().unwrap_or_else(unnamed);
    if for_script {
        return (refusal.status, Json(json!({ "error": refusal.message }))).into_response();
    }
    let (status, message) = (refusal.status.as_u16(), &refusal.message);
    let page = match refusal.status {
        StatusCode::UNAUTHORIZED => app.pages.page(None, "enter", "Come in", context! { message, run => () }),
        _ => app.pages.page(None, "refusal", "Not done", context! { status, message }),
    };
    match page {
        Ok(page) => (refusal.status, page).into_response(),
        Err(_) => refusal.plain(),
    }
}

/// A redirect as the script takes it: an object with the place to go to.
fn followed(response: Response) -> Response {
    let mut headers = response.into_parts().0.headers;
    let go = headers.remove(LOCATION).and_then(|place| place.to_str().map(str::to_owned).ok());
    headers.remove(CONTENT_LENGTH);
    (headers, Json(json!({ "go": go }))).into_response()
}

/// Whether the page's script asks, which wants to stay where it is.
fn wants_json(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).is_some_and(|accept| accept == "application/json")
}

fn meaning(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "not found, or not visible to you",
        StatusCode::METHOD_NOT_ALLOWED => "this address takes no such request",
        StatusCode::PAYLOAD_TOO_LARGE => "the request is too large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "expected a form",
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST => {
            "a field of the form is missing or wrong"
        }
        _ => "the request failed",
    }
}
