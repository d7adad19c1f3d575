//! Targets behind one interface: build one from its definition, ask it, and read the dialect it answers in.

use probity_core::json;
use probity_core::packet::PacketHash;
use probity_core::verdict::{Completion, EnvelopeFault, Finish};

use super::request::Request;
use super::{ReplyRecord, TargetError, reply};
use crate::config::{ChatTarget, HttpTarget, Pointer, TargetBackend, TargetSettings};
use crate::dialect::Dialect;
use crate::judge::command::{LineProgram, NamedBy};
use crate::judge::http::Pool;
use crate::judge::respondent::{Respondent, Unusable};
use crate::judge::service::{Service, header_values};
use crate::judge::{CallLimits, JudgeError, Reception};

/// A target that can be asked.
#[derive(Debug)]
pub struct Target {
    channel: Channel,
    answers: ReplyForm,
}

/// How requests reach a target.
#[derive(Debug)]
enum Channel {
    Http(Box<Service>),
    Program(LineProgram),
}

/// What its answers are.
#[derive(Debug)]
enum ReplyForm {
    /// Those of a model that speaks this dialect.
    Chat(Dialect),
    /// Documents, read by pointers.
    Document { reply: Pointer, confidence: Option<Pointer> },
}

impl Target {
    /// Builds the target that `settings` describe. `key` gives the value of an environment variable. Must be called
    /// inside a runtime.
    pub fn build(
        settings: &TargetSettings,
        limits: CallLimits,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Target, TargetError> {
        let unusable = |source: JudgeError| TargetError::Unusable { name: settings.name.clone(), source };
        let (channel, answers) = match &settings.backend {
            TargetBackend::Openai(ChatTarget { chat, .. }) => {
                let service = Service::of_chat(chat, limits, key).map_err(unusable)?;
                (Channel::Http(Box::new(service)), ReplyForm::Chat(chat.dialect()))
            }
            TargetBackend::Http(target) => {
                let service = http_service(target, limits, key).map_err(unusable)?;
                let (reply, confidence) = (target.reply.clone(), target.confidence.clone());
                (Channel::Http(Box::new(service)), ReplyForm::Document { reply, confidence })
            }
            TargetBackend::Command(command) => {
                let program = LineProgram::start(command, limits, NamedBy::CaseId);
                let program = program.map_err(|error| unusable(error.into()))?;
                let pointer = |text| Pointer::parse(text).expect("the pointer is well formed");
                let (reply, confidence) = (pointer("/reply"), Some(pointer("/confidence")));
                (Channel::Program(program), ReplyForm::Document { reply, confidence })
            }
        };
        Ok(Target { channel, answers })
    }

    /// What was read from an answer, without the secrets that went out with the request.
    fn cleaned(&self, text: String) -> String {
        match &self.channel {
            Channel::Http(service) => service.cleaned(text),
            Channel::Program(_) => text,
        }
    }
}

/// The endpoint with the secrets that its headers name.
fn http_service(
    target: &HttpTarget,
    limits: CallLimits,
    key: &dyn Fn(&str) -> Option<String>,
) -> Result<Service, JudgeError> {
    let (headers, secrets) = header_values(&target.headers, key)?;
    let service = Service::new(target.url.url().clone(), headers, limits, Pool::Http1)?;
    Ok(service.with_secrets(secrets))
}

impl Respondent for Target {
    type Question = Request;

    fn packet(request: &Request) -> (PacketHash, &str) {
        (request.hash, &request.packet)
    }

    fn request(&self, request: &Request) -> Vec<u8> {
        request.body.clone().into_bytes()
    }

    async fn ask(&self, request: &Request, body: Vec<u8>, server: usize) -> Reception {
        match &self.channel {
            Channel::Http(service) => service.post(body, server).await,
            Channel::Program(program) => {
                program.exchange(request.case_id.clone(), format!("{}\n", request.body)).await
            }
        }
    }

    fn completion(&self, body: &[u8]) -> Result<Completion, EnvelopeFault> {
        match &self.answers {
            ReplyForm::Chat(dialect) => dialect.completion(body),
            ReplyForm::Document { .. } => document(body),
        }
    }

    fn settled(&self, completion: &Completion, _: &Request) -> Result<String, Unusable> {
        let read = match &self.answers {
            ReplyForm::Chat(_) => reply::of_chat(completion),
            ReplyForm::Document { reply, confidence } => {
                reply::of_document(completion, reply, confidence.as_ref())
            }
        };
        let record = read.map_err(|why| Unusable { detail: self.cleaned(why.detail), ..why })?;
        let confidence_fault = record.confidence_fault.map(|fault| self.cleaned(fault));
        let record = ReplyRecord { reply: self.cleaned(record.reply), confidence_fault, ..record };
        Ok(serde_json::to_string(&record).expect("a reply is plain data"))
    }

    /// A reply to a truncated prompt is still the target's own.
    fn learn_context(&self, _: u32) {}

    fn may_answer_differently(&self) -> bool {
        true
    }
}

/// A whole body that must be JSON and is read by pointers.
fn document(body: &[u8]) -> Result<Completion, EnvelopeFault> {
    let not_json = |detail: String| EnvelopeFault::NotJson { detail };
    let text = std::str::from_utf8(body).map_err(|error| not_json(error.to_string()))?;
    json::parse(text).map_err(|error| not_json(error.to_string()))?;
    Ok(Completion { text: Some(text.to_owned()), finish: Finish::Stop, ..Completion::default() })
}
