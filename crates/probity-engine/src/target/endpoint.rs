//! Targets behind one interface: build one from its definition, ask it, and read the dialect it answers in.

use probity_core::json;
use probity_core::packet::PacketHash;
use probity_core::verdict::{Completion, EnvelopeFault, Finish};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::request::Request;
use super::{ReplyRecord, TargetError, reply};
use crate::config::{
    ChatTarget, Dialect, HeaderPiece, HeaderText, HttpTarget, Pointer, TargetBackend, TargetSettings,
};
use crate::judge::command::{LineProgram, NamedBy};
use crate::judge::http::Pool;
use crate::judge::key::{ApiKey, BadKey};
use crate::judge::respondent::{Respondent, Unusable};
use crate::judge::service::Service;
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
                (Channel::Http(Box::new(service)), ReplyForm::Chat(chat.dialect))
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
    let mut headers = HeaderMap::new();
    let mut secrets = Vec::new();
    for (name, text) in &target.headers {
        let (value, found) = header_value(text, key)?;
        let name = HeaderName::from_bytes(name.as_bytes()).expect("the name was checked when it was read");
        headers.insert(name, value);
        secrets.extend(found);
    }
    let service = Service::new(target.url.url().clone(), headers, limits, Pool::Http1)?;
    Ok(service.with_secrets(secrets))
}

/// The value to send, and the secrets in it. `get` gives the value of a variable.
fn header_value(
    text: &HeaderText,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<(HeaderValue, Vec<ApiKey>), BadKey> {
    let mut sent = String::new();
    let mut secrets = Vec::new();
    for piece in text.pieces() {
        match piece {
            HeaderPiece::Text(literal) => sent.push_str(literal),
            HeaderPiece::Variable(name) => {
                let key = ApiKey::of_header(name, get(name))?;
                let header = key.header("");
                sent.push_str(header.to_str().expect("a key consists of visible ASCII characters"));
                secrets.push(key);
            }
        }
    }
    let mut value = HeaderValue::from_str(&sent).expect("a header's text was checked when it was read");
    value.set_sensitive(true);
    Ok((value, secrets))
}

impl Respondent for Target {
    type Question = Request;

    fn packet(request: &Request) -> (PacketHash, &str) {
        (request.hash(), request.canonical())
    }

    async fn ask(&self, request: &Request) -> Reception {
        match &self.channel {
            Channel::Http(service) => service.post(request.body().as_bytes().to_vec()).await,
            Channel::Program(program) => {
                program.exchange(request.case_id().to_owned(), format!("{}\n", request.body())).await
            }
        }
    }

    fn completion(&self, body: &[u8]) -> Result<Completion, EnvelopeFault> {
        match &self.answers {
            ReplyForm::Chat(dialect) => (dialect.wire().completion)(body),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, want: &str) {
        let get = |name: &str| match name {
            "KEY" => Some("sk-canary".to_owned()),
            "PIN" => Some("12345".to_owned()),
            _ => None,
        };
        let got = match HeaderText::parse(name, text) {
            Err(error) => format!("{error:?}"),
            Ok(header) => match header_value(&header, &get) {
                Err(error) => error.to_string(),
                Ok((value, secrets)) => {
                    assert!(!format!("{value:?} {}", header.fingerprint()).contains("canary"));
                    format!("{} {}", value.to_str().expect("ASCII"), secrets.len())
                }
            },
        };
        assert_eq!(got, want);
    }

    #[test]
    fn headers() {
        check("X-Version", "2", "2 0");
        check("Authorization", "Bearer ${KEY}", "Bearer sk-canary 1");
        check("x", "${KEY}:${KEY}", "sk-canary:sk-canary 2");
        check("x", "${OTHER}", "the environment variable OTHER is not set; expected the key of the account");
        check(
            "x",
            "${PIN}",
            "the environment variable PIN has fewer than 6 characters; expected a secret, other text stands in the \
             header itself",
        );
        check("x", "${", "Variable");
        check("x", "${a b}", "Variable");
        check("x", "a\nb", "Text");
        check("a b", "x", "Name");
        check("Content-Type", "text/plain", "Own");
    }
}
