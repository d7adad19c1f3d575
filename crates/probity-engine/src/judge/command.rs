//! A program that answers in JSON lines: a judge that reads packets and writes verdicts, or a target that reads
//! cases and writes replies.
//!
//! The program is started once and lives as long as the run. Questions are pipelined, and answers may come
//! in any order, because each names what it answers. A line that cannot be matched is never given to a question
//! by guessing. Nothing is retried here, and the answer is not read beyond that name.
//!
//! What always holds: each question ends within the total clock, a line is at most the body cap, and the
//! program does not see variables whose names look like secrets unless the settings pass them on.

mod program;

pub(super) use program::prepared;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use probity_core::json::{Json, Tolerance, parse, parse_with};
use tokio::sync::{mpsc, oneshot};

use super::{AnswerRoom, CallLimits, CallOutcome, Question, Reception, Response, TransportFault};
use crate::config::CommandSettings;

/// Questions that wait to be written before a further one has to wait itself.
const QUEUE_MAX: usize = 64;

/// A running program that answers lines with lines.
#[derive(Debug)]
pub struct LineProgram {
    waiting: Arc<Waiting>,
    lines: mpsc::Sender<String>,
    limits: CallLimits,
}

/// How an answer names the question it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NamedBy {
    /// By the packet's hash, which is not written by chance: a damaged line that holds one is an answer to it.
    #[default]
    Packet,
    /// By the case's id, which may be any text: a damaged line belongs to no case, and one that names no case that
    /// waits fails all that do.
    CaseId,
}

impl NamedBy {
    fn member(self) -> &'static str {
        match self {
            NamedBy::Packet => "packet",
            NamedBy::CaseId => "id",
        }
    }
}

/// The program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings name no program.
    #[error("expected a program to start, found an empty command")]
    NoProgram,
    /// The system did not start it.
    #[error("could not start the program {program:?}")]
    Spawn {
        /// The program.
        program: String,
        /// Why not.
        source: std::io::Error,
    },
}

/// Asks a program that judges one question and waits for its answer, at most for the total clock.
pub(super) async fn ask(program: &LineProgram, question: &Question) -> Reception {
    let packet = question.packet.hash().to_string();
    let line = question_line(&packet, question);
    program.exchange(packet, line).await
}

impl LineProgram {
    /// Starts a program whose answers name what they answer by `named_by`. It sees no variable that looks like a
    /// secret but those that the settings pass on. Must be called inside a runtime.
    pub(crate) fn start(
        command: &CommandSettings,
        limits: CallLimits,
        named_by: NamedBy,
    ) -> Result<LineProgram, StartError> {
        let waiting = Arc::new(Waiting { named_by, ..Waiting::default() });
        let (lines, queue) = mpsc::channel(QUEUE_MAX);
        program::start(command, queue, program::Sink { waiting: Arc::clone(&waiting), limits })?;
        Ok(LineProgram { waiting, lines, limits })
    }

    /// Writes `line`, which ends in a line break, and waits for the answer that has this name, at most for the
    /// total clock.
    pub(crate) async fn exchange(&self, name: String, line: String) -> Reception {
        let started = Instant::now();
        let answer = async {
            let ticket = self.waiting.register(&name)?;
            if self.lines.send(line).await.is_err() {
                return Err(self.waiting.gone().unwrap_or_else(|| "it no longer reads its input".to_owned()));
            }
            // The sender is dropped unused only when the program's end was noted while registering.
            ticket.await.map_err(|_| "it ended".to_owned())
        };
        let outcome = match tokio::time::timeout(self.limits.total, answer).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(reason)) => broken(TransportFault::ProgramGone(reason)),
            Err(_) => {
                self.waiting.forget(&name);
                broken(TransportFault::TotalTimeout(self.limits.total))
            }
        };
        Reception { outcome, elapsed: started.elapsed(), room: AnswerRoom::default() }
    }
}

/// The line that asks about `question`, as JSON.
pub(super) fn request_body(question: &Question) -> serde_json::Value {
    let line = question_line(&question.packet.hash().to_string(), question);
    serde_json::from_str(&line).expect("the line is JSON")
}

fn question_line(packet: &str, question: &Question) -> String {
    let prompt = Json::object([
        ("system", Json::text(&question.prompt.system)),
        ("user", Json::text(&question.prompt.user)),
    ]);
    let body = parse(question.packet.canonical()).expect("a packet's canonical text is JSON");
    let mut line =
        Json::object([("packet", Json::text(packet)), ("body", body), ("prompt", prompt)]).canonical();
    line.push('\n');
    line
}

fn broken(fault: TransportFault) -> CallOutcome {
    CallOutcome::Broken { fault, partial: Vec::new() }
}

/// The questions that wait for an answer, or the reason why none will come.
#[derive(Debug, Default)]
struct Waiting {
    state: Mutex<State>,
    named_by: NamedBy,
}

#[derive(Debug, Default)]
struct State {
    /// By name, the oldest question first: equal packets have one name and any answer fits each.
    pending: HashMap<String, VecDeque<oneshot::Sender<CallOutcome>>>,
    gone: Option<String>,
}

impl Waiting {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register(&self, packet: &str) -> Result<oneshot::Receiver<CallOutcome>, String> {
        let (answer, ticket) = oneshot::channel();
        let mut state = self.state();
        if let Some(reason) = &state.gone {
            return Err(reason.clone());
        }
        state.pending.entry(packet.to_owned()).or_default().push_back(answer);
        Ok(ticket)
    }

    /// Lets go of the questions about `packet` that no longer listen.
    fn forget(&self, packet: &str) {
        let mut state = self.state();
        if let Some(questions) = state.pending.get_mut(packet) {
            questions.retain(|question| !question.is_closed());
        }
        if state.pending.get(packet).is_some_and(VecDeque::is_empty) {
            state.pending.remove(packet);
        }
    }

    /// Whether a question with this name waits for its answer.
    fn is_awaited(&self, name: &str) -> bool {
        self.state()
            .pending
            .get(name)
            .is_some_and(|waiting| waiting.iter().any(|question| !question.is_closed()))
    }

    fn gone(&self) -> Option<String> {
        self.state().gone.clone()
    }

    /// Gives `outcome` to the oldest question about `packet` that still listens.
    fn settle(&self, packet: &str, outcome: CallOutcome) {
        self.forget(packet);
        let oldest = self.state().pending.get_mut(packet).and_then(VecDeque::pop_front);
        self.forget(packet);
        if let Some(question) = oldest {
            // A question whose clock ran out has its outcome already.
            let _ = question.send(outcome);
        }
    }

    /// Fails every question that waits, because what happened cannot be laid to one of them.
    fn settle_all(&self, fault: &TransportFault) {
        let pending = std::mem::take(&mut self.state().pending);
        for question in pending.into_values().flatten() {
            // A question whose clock ran out has its outcome already.
            let _ = question.send(broken(fault.clone()));
        }
    }

    /// Notes that no further answer will come.
    fn end(&self, reason: &str) {
        self.state().gone = Some(reason.to_owned());
        self.settle_all(&TransportFault::ProgramGone(reason.to_owned()));
    }

    /// The packet that waits and stands somewhere in `text`, if it is the only one.
    fn only_one_named_in(&self, text: &[u8]) -> Option<String> {
        if self.named_by == NamedBy::CaseId {
            return None;
        }
        let text = String::from_utf8_lossy(text);
        let state = self.state();
        let mut named = state.pending.keys().filter(|packet| text.contains(packet.as_str()));
        let only = named.next()?;
        named.next().is_none().then(|| only.clone())
    }

    /// One line of the program's output.
    fn take_line(&self, line: Vec<u8>) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        // The reader of the answer decides about such escapes; here only the name is looked for.
        let text = std::str::from_utf8(&line).ok();
        let json = text.and_then(|text| parse_with(text, Tolerance::LoneSurrogates).ok());
        let member = self.named_by.member();
        // An id that stands in a case file as a number is known by its digits.
        let named = json.as_ref().and_then(|(json, _)| match json.get(member)? {
            Json::String(text) | Json::Number(text) => Some(text.as_str()),
            _ => None,
        });
        let Some(packet) = named.map(str::to_owned).or_else(|| self.only_one_named_in(&line)) else {
            let start: String = String::from_utf8_lossy(&line).chars().take(80).collect();
            let message = format!("expected a JSON line with the {member} it answers, found {start:?}");
            self.settle_all(&TransportFault::BadBody(message));
            return;
        };
        if self.named_by == NamedBy::CaseId && !self.is_awaited(&packet) {
            // The case that the line was for waits in vain: an id that was changed on the way does not say which.
            let start: String = packet.chars().take(80).collect();
            let message = format!("expected the {member} of a case that waits, found {start:?}");
            self.settle_all(&TransportFault::BadBody(message));
            return;
        }
        self.settle(
            &packet,
            CallOutcome::Response(Response { status: 200, headers: Vec::new(), body: line }),
        );
    }

    /// A line longer than the cap, of which `start` was kept.
    fn take_long_line(&self, start: Vec<u8>, bytes_max: usize) {
        let fault = TransportFault::TooLarge(bytes_max);
        match self.only_one_named_in(&start) {
            Some(packet) => self.settle(&packet, CallOutcome::Broken { fault, partial: start }),
            None => self.settle_all(&fault),
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
