//! Why a request gets no page: a status, and a sentence that names nothing of the store.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use probity_engine::ledger::StoreError;

/// Why a request gets no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The status.
    pub(super) status: StatusCode,
    /// A sentence without capital and period.
    pub(super) message: String,
}

/// What a handler gives.
pub(super) type PageResult = Result<Response, Refusal>;

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// Nothing is here, or nothing that this person may see: the two look alike.
    pub(super) fn not_found() -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, "not found, or not visible to you")
    }

    /// What was sent does not fit the form.
    pub(super) fn unusable(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// What was asked for does not fit what is there by now.
    pub(super) fn conflict(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, message)
    }

    /// Something of ours failed, and the terminal of the server says what.
    pub(super) fn broken() -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "something failed here; nothing was kept")
    }

    /// A page could not be made; the terminal of the server says why.
    pub(super) fn failed(error: &std::io::Error) -> Refusal {
        crate::terminal::note(&format!("error: {error}"));
        Refusal::broken()
    }

    /// The refusal as text, for requests that no page of ours sent.
    pub(super) fn plain(&self) -> Response {
        let mut response = (self.status, format!("{}\n", self.message)).into_response();
        let text = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, text);
        response
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        // The error may hold a path, so it is for the terminal of the server only.
        crate::terminal::note(&format!(
            "error: {}",
            crate::exit::Failure::new(crate::exit::Exit::Store, &error).message
        ));
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the store failed; nothing was kept")
    }
}

impl IntoResponse for Refusal {
    /// The refusal rides on the response, so that the page around it can be drawn where the person is known.
    fn into_response(self) -> Response {
        let mut response = self.plain();
        response.extensions_mut().insert(self);
        response
    }
}
