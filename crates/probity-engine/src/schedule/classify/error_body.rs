//! What an error response says, whichever service sent it.
//!
//! Services differ in where they put the name, the message and the parameter of an error. This reads the
//! shapes that are in use and nothing that is not JSON: a proxy's HTML page says nothing, whatever words or
//! digits stand in it.

use probity_core::json::{self, Json, Tolerance};

use crate::judge::Response;
use crate::judge::event_stream::data_lines;

/// How deep an error is nested at the most: an error in a string of another one is at the fourth level.
const DEPTH_MAX: usize = 6;

/// An error as a service names it. Absent parts are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ErrorBody {
    /// Its names, wherever services put them: exact identifiers, never sentences.
    pub names: Vec<String>,
    /// An HTTP status given as its code.
    pub status: Option<u16>,
    /// The parameters it is about, where fields of their own name them.
    pub params: Vec<String>,
    /// The sentence for people. Not yet masked.
    pub message: String,
    /// Whole numbers beside the message, such as token counts.
    pub counts: Vec<(String, u64)>,
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
        BodyText::Json(value) => error_of(value),
        BodyText::Events { events, .. } => {
            events.iter().find(|event| has_error(event)).map(error_of).unwrap_or_default()
        }
        _ => ErrorBody::default(),
    }
}

/// The error inside a response whose status says that all is well.
pub(super) fn hidden_error(body: &BodyText) -> Option<ErrorBody> {
    match body {
        BodyText::Json(value) => {
            let value = first(value);
            let is_beside = value.get("error").is_some_and(|error| error.as_str().is_some())
                && value.as_object().is_some_and(|all| all.len() > 1);
            (has_error(value) && !is_beside).then(|| error_of(value))
        }
        BodyText::Events { events, .. } => events.iter().find(|event| has_error(event)).map(error_of),
        _ => None,
    }
}

/// Some services wrap their error in an array of one.
fn first(value: &Json) -> &Json {
    value.as_array().and_then(<[Json]>::first).unwrap_or(value)
}

fn has_error(value: &Json) -> bool {
    match value.get("error") {
        Some(Json::String(message)) => !message.is_empty(),
        Some(Json::Object(_)) => true,
        _ => false,
    }
}

fn error_of(value: &Json) -> ErrorBody {
    let mut error = ErrorBody::default();
    error.gather(first(value), 0);
    error
}

impl ErrorBody {
    /// Adds what `value` says. Services nest their names and sentences in many ways; the first sentence counts, and the
    /// one of an error that another service had passed on.
    fn gather(&mut self, value: &Json, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        for item in value.as_array().unwrap_or_default() {
            self.gather(item, depth + 1);
        }
        for (key, member) in value.as_object().into_iter().flat_map(json::Object::iter) {
            match (key, member) {
                (_, Json::String(text)) => self.text(key, text, depth),
                ("loc", Json::Array(path)) => {
                    self.params.extend(path.last().and_then(Json::as_str).map(str::to_owned));
                }
                (_, Json::Object(_) | Json::Array(_)) => self.gather(member, depth + 1),
                (_, number) => self.number(key, number.as_u64()),
            }
        }
    }

    fn text(&mut self, key: &str, text: &str, depth: usize) {
        match key {
            "code" | "type" | "status" | "reason" | "quotaId" | "error_code" | "error_type" => {
                self.names.push(text.to_owned());
            }
            "param" => self.params.push(text.to_owned()),
            "message" | "msg" | "detail" | "error" if self.message.is_empty() => {
                text.clone_into(&mut self.message);
            }
            "raw" => {
                let mut passed_on = ErrorBody::default();
                if let Ok((value, _)) = json::parse_with(text, Tolerance::LoneSurrogates) {
                    passed_on.gather(first(&value), depth + 1);
                }
                self.names.extend(passed_on.names);
                self.params.extend(passed_on.params);
                self.message = format!("{}: {}", self.message, passed_on.message);
            }
            _ => {}
        }
    }

    fn number(&mut self, key: &str, number: Option<u64>) {
        let Some(number) = number else { return };
        if !matches!(key, "code" | "status") {
            self.counts.push((key.to_owned(), number));
            return;
        }
        let status = u16::try_from(number).ok().filter(|status| (400..600).contains(status));
        self.status = self.status.or(status);
    }
}
