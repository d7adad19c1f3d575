//! The judges behind one interface: build one from its settings, ask it, and read the dialect it answers in.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use probity_core::packet::Ask;
use probity_core::verdict::{Completion, Confidence, ConfidenceSource, EnvelopeFault, Finish, confidence};
use serde_json::{Value, json};

use super::Prompt;
use super::command::{self, LineProgram, NamedBy, StartError};
use super::http::BadHttpClient;
use super::key::BadKey;
use super::panel::PanelAnswers;
use super::prompt_cut::prompt_cut;
use super::recorded::{Recorded, RecordedError};
use super::request::{self, Frames};
use super::service::{Service, fill};
use super::verdict_schema::{questions, stated, verdict_schema};
use super::{AnswerRoom, CallLimits, CallOutcome, Question, Reception, Response, TransportFault, baseline};
use crate::config::{AnswerShape, Backend, ChatSettings, JudgeSettings, LeftOut};

/// A judge that can be asked.
#[derive(Debug)]
pub enum Judge {
    /// A model behind an endpoint.
    Chat(Box<ChatJudge>),
    /// The embedded lexical judge.
    Baseline,
    /// A program.
    Command(LineProgram),
    /// Verdicts from a file.
    Recorded(Recorded),
    /// What the members of a panel decided.
    Panel(Arc<PanelAnswers>),
}

/// A model behind an endpoint.
#[derive(Debug)]
pub struct ChatJudge {
    service: Service,
    chat: ChatSettings,
    left: LeftOut,
    /// Where its confidence is read, where it is asked for any.
    confidence: Option<ConfidenceSource>,
    frames: Frames,
    /// How many tokens the server says that it reads; 0 where it has not said.
    context: Arc<AtomicU32>,
}

impl ChatJudge {
    fn request(&self, question: &Question) -> Vec<u8> {
        let body = |prompt: &Prompt| request::body(&self.chat, &self.left, prompt, question.packet.ask());
        self.frames.filled(question.packet.shared_ask(), &question.prompt, &body)
    }
}

/// Why a judge cannot be used as configured. Nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The key is missing or is none.
    #[error(transparent)]
    Key(#[from] BadKey),
    /// The HTTP client could not be made.
    #[error(transparent)]
    Client(#[from] BadHttpClient),
    /// The program could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A file that the judge consists of cannot be opened.
    #[error("the judge's file {path}: cannot be read")]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file of recorded verdicts is not one.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// The store holds verdicts of several judges, or of none.
    #[error("the judge `recorded` without a file needs a store with one judge, this one has {n}")]
    WhichRecord {
        /// How many judges the store has.
        n: usize,
    },
}

impl Judge {
    /// Builds the judge that `settings` describe, without what it refused. `key` gives the value of an environment variable.
    pub fn build(
        settings: &JudgeSettings,
        left: &LeftOut,
        limits: CallLimits,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Judge, JudgeError> {
        Ok(match &settings.backend {
            Backend::Chat(chat) => {
                let (mut chat, left) = (chat.clone(), left.clone());
                let secrets = fill(&mut chat, key)?;
                // Looked up once: the table would be searched several times for each call.
                chat.dialect = Some(chat.dialect());
                let service = Service::of_chat(&chat, limits, key)?.with_secrets(secrets);
                let (confidence, frames, context) =
                    (chat.confidence(&left), Frames::default(), Arc::default());
                Judge::Chat(Box::new(ChatJudge { service, chat, left, confidence, frames, context }))
            }
            Backend::Baseline => Judge::Baseline,
            Backend::Command(command) => {
                Judge::Command(LineProgram::start(command, limits, NamedBy::Packet)?)
            }
            Backend::Recorded { verdicts } => {
                let path = verdicts.clone().ok_or(JudgeError::WhichRecord { n: 0 })?;
                let file = File::open(&path);
                let file = file.map_err(|source| JudgeError::Open { path: path.clone(), source })?;
                Judge::Recorded(Recorded::read(&path.display().to_string(), file)?)
            }
            // What its members decided is handed in by the run that asked them.
            Backend::Panel(_) => Judge::Panel(Arc::default()),
        })
    }

    /// The bytes that are sent about a question; none where the judge is no service.
    pub fn request(&self, question: &Question) -> Vec<u8> {
        match self {
            Judge::Chat(judge) => judge.request(question),
            _ => Vec::new(),
        }
    }

    /// Asks once by its request, the server at this place where there are several, and reports what happened.
    pub async fn ask(&self, question: &Question, request: Vec<u8>, server: usize) -> Reception {
        match self {
            Judge::Chat(judge) => judge.service.post(request, server).await,
            Judge::Command(program) => command::ask(program, question).await,
            Judge::Baseline => {
                let started = Instant::now();
                answered(Some(baseline::answer(&question.packet)), started.elapsed())
            }
            Judge::Recorded(judge) => {
                let started = Instant::now();
                answered(judge.answer(question), started.elapsed())
            }
            Judge::Panel(answers) => {
                let started = Instant::now();
                answered(answers.text(question.packet.hash()), started.elapsed())
            }
        }
    }

    /// Reads a whole body in the judge's dialect.
    pub fn completion(&self, body: &[u8]) -> Result<Completion, EnvelopeFault> {
        match self {
            Judge::Chat(judge) => judge.chat.dialect().completion(body),
            _ => match std::str::from_utf8(body) {
                Ok(text) => {
                    let text = Some(text.to_owned());
                    Ok(Completion { text, finish: Finish::Stop, ..Completion::default() })
                }
                Err(error) => Err(EnvelopeFault::NotJson { detail: error.to_string() }),
            },
        }
    }

    /// The same judge, whose server says that it reads so many tokens; 0 where it has not said.
    #[must_use]
    pub fn knowing(mut self, context: &Arc<AtomicU32>) -> Judge {
        if let Judge::Chat(judge) = &mut self {
            judge.context = Arc::clone(context);
        }
        self
    }

    /// Takes in how many tokens the judge's server says that it reads.
    pub(crate) fn learn_context(&self, tokens: u32) {
        if let Judge::Chat(judge) = self {
            judge.context.store(tokens, Ordering::Relaxed);
        }
    }

    /// Why the judge cannot have read the whole prompt, if it cannot.
    pub(super) fn prompt_cut(&self, completion: &Completion, question: &Question) -> Option<String> {
        match self {
            Judge::Chat(judge) => {
                let told = Some(judge.context.load(Ordering::Relaxed)).filter(|tokens| *tokens > 0);
                prompt_cut(&judge.chat, told, completion.usage?, &question.prompt)
            }
            _ => None,
        }
    }

    /// How sure an answer is of its verdict, where the judge is asked for that.
    pub(super) fn confidence(&self, completion: &Completion, question: &Question) -> Option<Confidence> {
        let Judge::Chat(judge) = self else { return None };
        confidence(completion, judge.confidence?, question.packet.ask())
    }

    /// What was read from an answer, without the key that went out with the question.
    pub(crate) fn cleaned(&self, text: String) -> String {
        match self {
            Judge::Chat(judge) => judge.service.cleaned(text),
            _ => text,
        }
    }

    /// Whether there is any use in asking: a record that says nothing about a question never will.
    pub(crate) fn has_answer(&self, question: &Question) -> bool {
        match self {
            Judge::Recorded(judge) => judge.answer(question).is_some(),
            Judge::Panel(answers) => answers.text(question.packet.hash()).is_some(),
            _ => true,
        }
    }

    /// Whether the same question can bring another answer. Asking again makes sense only then.
    pub(crate) fn may_answer_differently(&self) -> bool {
        !matches!(self, Judge::Baseline | Judge::Recorded(_) | Judge::Panel(_))
    }
}

/// What would be sent to the judge for `question`: the body of a request, or what a local judge reads.
pub fn request_body(settings: &JudgeSettings, left: &LeftOut, question: &Question) -> Value {
    match &settings.backend {
        Backend::Chat(chat) => request_of(chat, left, question),
        Backend::Command(_) => command::request_body(question),
        Backend::Baseline | Backend::Recorded { .. } | Backend::Panel(_) => {
            serde_json::from_str(question.packet.canonical()).unwrap_or_else(|_| json!(null))
        }
    }
}

/// The bytes that go with a question about `ask` beside its prompt: the schema, and what the judge is asked for to say how
/// sure it is.
pub(crate) fn n_more_bytes(settings: &JudgeSettings, ask: &Ask) -> usize {
    let bytes = |chat: &ChatSettings| {
        let sent = chat.sent(&LeftOut::default());
        let schema = match sent.shape {
            _ if !chat.dialect().gives_reasons() => questions(ask).to_string().len(),
            AnswerShape::Schema => verdict_schema(ask, sent.signal).to_string().len(),
            AnswerShape::JsonObject | AnswerShape::Plain => 0,
        };
        schema + stated(sent.signal).len()
    };
    settings.chat().map_or(0, bytes)
}

/// The body of a request about `question`.
pub(super) fn request_of(chat: &ChatSettings, left: &LeftOut, question: &Question) -> Value {
    request::body(chat, left, &question.prompt, question.packet.ask())
}

fn answered(body: Option<String>, elapsed: Duration) -> Reception {
    let outcome = match body {
        Some(body) => {
            CallOutcome::Response(Response { status: 200, headers: Vec::new(), body: body.into_bytes() })
        }
        None => CallOutcome::Broken { fault: TransportFault::NotRecorded, partial: Vec::new() },
    };
    Reception { outcome, elapsed, room: AnswerRoom::default() }
}
