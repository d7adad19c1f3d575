//! The identity of a target: the hash of its settings, its system prompt or template, and its files.
//!
//! Neither its name nor any secret is part of it: a header counts by the names of its variables and a hash of the
//! rest.

use std::path::{Path, PathBuf};

use probity_core::case::{Case, Variant};
use probity_core::json::{self, Json};

use super::TargetError;
use super::request::{self, Request};
use super::template::RequestTemplate;
use crate::config::{
    ChatSettings, ChatTarget, CommandSettings, Config, HttpTarget, LeftOut, Money, SystemPrompt,
    TargetBackend, TargetSettings, Tier,
};
use crate::judge::{JudgeId, file_digest};

/// What the identity of a target says, and that of a judge does not.
const ROLE: (&str, &str) = ("role", "target");

/// A target as a run uses it.
#[derive(Debug)]
pub struct TargetDefinition {
    /// Its settings.
    pub settings: TargetSettings,
    /// The variant of its replies: its name.
    pub variant: Variant,
    /// Its id in the store.
    pub id: JudgeId,
    /// What makes it answer as it does, as canonical JSON.
    pub identity: String,
    /// The parameters that it refused and is no longer sent.
    pub left: LeftOut,
    form: RequestForm,
}

/// How a case becomes a request: with a system prompt, by a template, or as a line for a program of these files.
#[derive(Debug, Clone)]
enum RequestForm {
    Chat(Option<String>),
    Http(Box<RequestTemplate>),
    Command(Vec<String>),
}

impl TargetDefinition {
    /// Reads the files that the settings name and understands the template. Nothing is left out.
    pub fn new(settings: TargetSettings) -> Result<TargetDefinition, TargetError> {
        let name = &settings.name;
        let open = |path: &Path, source| TargetError::Open { name: name.clone(), path: path.into(), source };
        let form = match &settings.backend {
            TargetBackend::Openai(ChatTarget { system, .. }) => RequestForm::Chat(match system {
                SystemPrompt::None => None,
                SystemPrompt::Text(text) => Some(text.clone()),
                SystemPrompt::File(path) => {
                    Some(std::fs::read_to_string(path).map_err(|source| open(path, source))?)
                }
            }),
            TargetBackend::Http(target) => {
                let template = RequestTemplate::parse(&target.request);
                RequestForm::Http(Box::new(
                    template.map_err(|problem| TargetError::Template { at: name.clone(), problem })?,
                ))
            }
            TargetBackend::Command(CommandSettings { argv, .. }) => {
                let files = argv.iter().map(PathBuf::from).filter(|path| path.is_file());
                let digest = |path: PathBuf| file_digest(&path).map_err(|source| open(&path, source));
                RequestForm::Command(files.map(digest).collect::<Result<_, _>>()?)
            }
        };
        let identity = identity(&settings, &form, &LeftOut::default());
        let id = JudgeId::of_identity(&identity);
        let variant = Variant::new(settings.name.clone()).expect("the name of a target is a plain word");
        let left = LeftOut::default();
        Ok(TargetDefinition { settings, variant, id, identity, left, form })
    }

    /// The same target without these parameters, with the identity that results.
    #[must_use]
    pub fn without(&self, left: LeftOut) -> TargetDefinition {
        let identity = identity(&self.settings, &self.form, &left);
        let id = JudgeId::of_identity(&identity);
        let (settings, variant) = (self.settings.clone(), self.variant.clone());
        TargetDefinition { settings, variant, id, identity, left, form: self.form.clone() }
    }

    /// The request for a case.
    pub fn request(&self, case: &Case) -> Result<Request, TargetError> {
        match &self.form {
            RequestForm::Chat(system) => {
                let chat = self.settings.chat().expect("a chat request goes to a model");
                Ok(request::chat(case, chat, system.as_deref(), &self.left))
            }
            RequestForm::Command(_) => Ok(request::line(case)),
            RequestForm::Http(template) => request::rendered(case, template).map_err(|problem| {
                let at = format!("{}, case {}", self.settings.name, case.id);
                TargetError::Template { at, problem }
            }),
        }
    }

    /// The most that a call with `request` can cost, where its model has a price.
    pub fn most(&self, request: &Request, config: &Config) -> Option<Money> {
        config.most(self.settings.chat()?, &self.left, request.body.len(), Tier::Standard)
    }
}

/// Whether an identity in a store is that of a target.
pub fn is_target(identity: &str) -> bool {
    let role = json::parse(identity).ok();
    role.as_ref().and_then(|identity| identity.get(ROLE.0)).and_then(Json::as_str) == Some(ROLE.1)
}

fn identity(settings: &TargetSettings, form: &RequestForm, left: &LeftOut) -> String {
    let own = match (&settings.backend, form) {
        (TargetBackend::Openai(target), RequestForm::Chat(system)) => {
            chat_identity(&target.chat, system.as_deref(), left)
        }
        (TargetBackend::Http(target), RequestForm::Http(template)) => http_identity(target, template),
        (TargetBackend::Command(command), RequestForm::Command(files)) => {
            let texts = |texts: &[String]| Json::Array(texts.iter().map(Json::text).collect());
            vec![("command", texts(&command.argv)), ("files", texts(files))]
        }
        _ => unreachable!("a target has the form of its kind"),
    };
    let kind = ("kind", Json::text(settings.kind().name()));
    Json::object(own.into_iter().chain([(ROLE.0, Json::text(ROLE.1)), kind])).canonical()
}

fn chat_identity(chat: &ChatSettings, system: Option<&str>, left: &LeftOut) -> Vec<(&'static str, Json)> {
    let sent = chat.sent(left);
    let mut own = vec![
        ("model", Json::text(&chat.model)),
        ("base_url", Json::text(chat.base_url.to_string())),
        ("system", system.map_or(Json::Null, Json::text)),
    ];
    let text = |name, value: Option<String>| value.map(|value| (name, Json::text(value)));
    own.extend(text("temperature", sent.temperature.map(|value| value.to_string())));
    own.extend(text("output_tokens_max", sent.limit.map(|value| value.to_string())));
    own.extend(text("effort", sent.effort.map(|value| value.name().to_owned())));
    own.extend(text("seed", sent.seed.map(|value| value.to_string())));
    own
}

fn http_identity(target: &HttpTarget, template: &RequestTemplate) -> Vec<(&'static str, Json)> {
    let headers = target.headers.iter().map(|(name, text)| (name.clone(), Json::text(text.fingerprint())));
    let confidence = target.confidence.as_ref().map_or(Json::Null, |pointer| Json::text(pointer.to_string()));
    vec![
        ("url", Json::text(target.url.to_string())),
        ("headers", Json::object(headers)),
        ("request", Json::text(template.hash())),
        ("reply", Json::text(target.reply.to_string())),
        ("confidence", confidence),
    ]
}
