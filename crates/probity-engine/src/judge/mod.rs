//! Judges: what is asked about a packet, and what came back, byte for byte.
//!
//! An adapter sends one call and reports what happened. It does not retry, wait, parse verdicts or decide
//! what a failure means: the schedule does that.

mod backend;
pub mod baseline;
pub mod batch;
pub mod bounded_template;
pub mod command;
pub mod event_stream;
mod fault;
pub mod http;
mod identity;
pub mod key;
mod key_command;
pub mod mask;
pub mod models;
mod panel;
pub mod prompt;
mod prompt_cut;
pub mod recorded;
mod request;
pub mod respondent;
mod room;
pub mod service;
mod spelling;
mod verdict_schema;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use probity_core::packet::Packet;

pub(crate) use backend::n_more_bytes;
pub use backend::{ChatJudge, Judge, JudgeError, request_body};
pub use identity::{JudgeId, NotAJudgeId};
pub use panel::{PanelAnswer, PanelAnswers};
pub use room::AnswerRoom;

pub use crate::config::CallLimits;

/// BLAKE3 of a file's bytes, hexadecimal. The content of a file makes a judge or a target, wherever it lies.
pub fn file_digest(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// What one call is about.
#[derive(Debug, Clone)]
pub struct Question {
    /// The packet, for judges that read data.
    pub packet: Arc<Packet>,
    /// The packet rendered by the judge's template, for judges that read text.
    pub prompt: Prompt,
    /// The id of the case, for judges that look up what was recorded. It is never sent.
    pub case_id: String,
    /// What wrote the reply, for the same purpose. It is never sent.
    pub variant: Option<String>,
}

/// A packet as text: what a chat model is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The system message.
    pub system: String,
    /// The user message.
    pub user: String,
    /// The bytes at the beginning of the user message that are the same for every packet of its ask.
    pub n_stable: usize,
}

/// What one call came to.
#[derive(Debug, Clone)]
pub struct Reception {
    /// What happened.
    pub outcome: CallOutcome,
    /// Wall time from sending to the last byte or to the failure.
    pub elapsed: Duration,
    /// The memory that a large body takes up. The holder of the body keeps this for as long.
    pub room: AnswerRoom,
}

impl Reception {
    /// A response that came in another way than by a call of its own.
    pub(crate) fn of_response(response: Response) -> Reception {
        let outcome = CallOutcome::Response(response);
        Reception { outcome, elapsed: Duration::ZERO, room: AnswerRoom::default() }
    }

    /// Nothing came, and nothing was sent.
    pub(crate) fn broken(fault: TransportFault) -> Reception {
        let outcome = CallOutcome::Broken { fault, partial: Vec::new() };
        Reception { outcome, elapsed: Duration::ZERO, room: AnswerRoom::default() }
    }
}

/// What happened to one call.
#[derive(Debug, Clone)]
pub enum CallOutcome {
    /// A response with its whole body, or with an error status and what came of its body.
    Response(Response),
    /// No whole response.
    Broken {
        /// How it broke.
        fault: TransportFault,
        /// The bytes that had arrived. Never parsed into a verdict.
        partial: Vec<u8>,
    },
}

/// An HTTP response, whole or with an error status, or what a local judge answered in its place (status 200, no
/// headers).
#[derive(Debug, Clone)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Header names in lower case with their values, in order of arrival.
    pub headers: Vec<(String, String)>,
    /// The decoded body. That of an error status may be a part of what the server sent.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header called `name` (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// How a call broke before a whole response was there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportFault {
    /// The name did not resolve or the connection was refused. Nothing was sent.
    #[error("could not connect: {0}")]
    Connect(String),
    /// The certificate was not accepted. Nothing was sent.
    #[error("the server's certificate was not accepted: {0}")]
    Tls(String),
    /// No connection within the connect clock. Nothing was sent.
    #[error("no connection within {0:?}")]
    ConnectTimeout(Duration),
    /// No response headers within the first-byte clock. The call may be billed.
    #[error("no response within {0:?}")]
    FirstByteTimeout(Duration),
    /// The body stalled for longer than the idle clock. The call may be billed.
    #[error("the response stalled for {0:?}")]
    IdleTimeout(Duration),
    /// The call took longer than the total clock. The call may be billed.
    #[error("the call took longer than {0:?}")]
    TotalTimeout(Duration),
    /// The connection was lost. The call may be billed.
    #[error("the connection was lost: {0}")]
    Lost(String),
    /// The server closed or refused the stream and says it did no work (GOAWAY, `REFUSED_STREAM`).
    #[error("the server refused the stream: {0}")]
    Refused(String),
    /// The body broke the rules of HTTP (length, chunking, compression).
    #[error("the response body is damaged: {0}")]
    BadBody(String),
    /// The decoded body is larger than the cap.
    #[error("the response is larger than {0} bytes")]
    TooLarge(usize),
    /// Nothing is on record for the packet, and this judge never calls.
    #[error("no verdict is on record for this packet")]
    NotRecorded,
    /// A local program ended or could not be started.
    #[error("the program ended: {0}")]
    ProgramGone(String),
}
