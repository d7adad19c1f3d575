//! What an error response says, whichever service sent it.
//!
//! Services differ in where they put the name, the message and the parameter of an error. This reads the
//! shapes that are in use and nothing that is not JSON: a proxy's HTML page says nothing, whatever words or
//! digits stand in it.

use probity_core::json::{self, Json, Tolerance};

use crate::judge::Response;
use crate::judge::event_stream::data_lines;

/// An error as a service names it. Absent parts are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ErrorBody {
    /// Its names, from `code`, `type` and `status`: exact identifiers, never sentences.
    pub names: Vec<String>,
    /// An HTTP status given as its code.
    pub status: Option<u16>,
    /// The parameter it is about.
    pub param: Option<String>,
    /// The sentence for people. Not yet masked.
    pub message: String,
    /// Whole numbers beside the message, such as token counts.
    pub counts: Vec<(String, u64)>,
}

impl ErrorBody {
    /// Whether it carries one of `names`, exactly.
    pub(super) fn is_named(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(&name.as_str()))
    }

    /// Whether its message contains one of `phrases`, which are lower case.
    pub(super) fn says(&self, phrases: &[&str]) -> bool {
        let message = self.message.to_ascii_lowercase();
        phrases.iter().any(|phrase| message.contains(phrase))
    }
}

/// A body as far as it could be read.
pub(super) enum BodyText {
    /// One JSON value, and the clean-ups that reading it took.
    Json(Json),
    /// The JSON values of an event stream, and whether the stream came to its end.
    Events { events: Vec<Json>, ended: bool },
    /// Text that is cut off although it declares itself to be JSON.
    Cut,
    /// Not UTF-8.
    NotText,
    /// A page for people.
    Html,
    /// Any other text.
    Other,
}

/// Reads a body by what it declares itself to be.
pub(super) fn body_text(response: &Response) -> BodyText {
    let Ok(text) = std::str::from_utf8(&response.body) else { return BodyText::NotText };
    let content_type = response.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if content_type.starts_with("text/event-stream") {
        return events(text);
    }
    if content_type.starts_with("text/html") || text.trim_start().starts_with("<!") {
        return BodyText::Html;
    }
    match json::parse_with(text, Tolerance::LoneSurrogates) {
        Ok((value, _)) => BodyText::Json(value),
        Err(error) if error.problem == json::JsonProblem::UnexpectedEnd && content_type.contains("json") => {
            BodyText::Cut
        }
        Err(_) => BodyText::Other,
    }
}

fn events(text: &str) -> BodyText {
    let mut done = false;
    let mut events = Vec::new();
    for data in data_lines(text) {
        done |= data.trim() == "[DONE]";
        events.extend(json::parse_with(data, Tolerance::LoneSurrogates).ok().map(|(value, _)| value));
    }
    let ended = done || events.iter().any(is_last_event);
    BodyText::Events { events, ended }
}

fn is_last_event(event: &Json) -> bool {
    let choices = event.get("choices").and_then(Json::as_array).unwrap_or_default();
    let finished = choices.iter().any(|choice| choice.get("finish_reason").and_then(Json::as_str).is_some());
    finished || event.get("type").and_then(Json::as_str) == Some("message_stop")
}

/// The error of a response whose status already says that it is one.
pub(super) fn refusal(body: &BodyText) -> ErrorBody {
    match body {
        BodyText::Json(value) => {
            let value = first(value);
            error_member(value).unwrap_or_else(|| error_of(value))
        }
        BodyText::Events { events, .. } => events.iter().find_map(error_member).unwrap_or_default(),
        _ => ErrorBody::default(),
    }
}

/// The error inside a response whose status says that all is well.
pub(super) fn hidden_error(body: &BodyText) -> Option<ErrorBody> {
    match body {
        BodyText::Json(value) => match first(value).get("error") {
            Some(Json::String(_)) if first(value).as_object().is_some_and(|all| all.len() > 1) => None,
            _ => error_member(first(value)),
        },
        BodyText::Events { events, .. } => events.iter().find_map(error_member),
        _ => None,
    }
}

/// Some services wrap their error in an array of one.
fn first(value: &Json) -> &Json {
    value.as_array().and_then(<[Json]>::first).unwrap_or(value)
}

fn error_member(value: &Json) -> Option<ErrorBody> {
    match value.get("error")? {
        Json::String(message) if !message.is_empty() => {
            Some(ErrorBody { message: message.clone(), ..ErrorBody::default() })
        }
        error @ Json::Object(_) => Some(error_of(error)),
        _ => None,
    }
}

fn error_of(error: &Json) -> ErrorBody {
    let text = |key| error.get(key).and_then(Json::as_str).map(str::to_owned);
    let numbers = || ["code", "status"].iter().filter_map(|key| error.get(key).and_then(Json::as_u64));
    let counts = error.as_object().into_iter().flat_map(json::Object::iter).filter_map(|(key, value)| {
        let count = value.as_u64().filter(|_| !matches!(key, "code" | "status"))?;
        Some((key.to_owned(), count))
    });
    let detail = || {
        error.get("detail").map(|detail| detail.as_str().map_or_else(|| detail.canonical(), str::to_owned))
    };
    ErrorBody {
        names: ["code", "type", "status"].iter().filter_map(|key| text(key)).collect(),
        status: numbers().find_map(|number| u16::try_from(number).ok().filter(|n| (400..600).contains(n))),
        param: text("param"),
        message: text("message").or_else(detail).unwrap_or_default(),
        counts: counts.collect(),
    }
}
