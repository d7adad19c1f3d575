//! What makes a target what it is: its settings, its system prompt or template, its files, and the hash of all.
//!
//! The name it is chosen by is no part of that, and no secret is: of a header, the names of its variables and a
//! hash of the rest.

use std::path::{Path, PathBuf};

use probity_core::case::{Case, Variant};
use probity_core::json::{self, Json};

use super::TargetError;
use super::request::{self, Request};
use super::template::RequestTemplate;
use crate::config::{
    ChatSettings, ChatTarget, CommandSettings, Config, HttpTarget, LeftOut, Money, SystemPrompt,
    TargetBackend, TargetSettings,
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
    /// The name under which the store knows it.
    pub id: JudgeId,
    /// What makes it answer as it does, as canonical JSON.
    pub identity: String,
    form: Form,
}

/// How a case becomes a request.
#[derive(Debug)]
enum Form {
    Chat { chat: ChatSettings, system: Option<String> },
    Http(RequestTemplate),
    Command,
}

impl TargetDefinition {
    /// Reads the files that the settings name and understands the template.
    pub fn new(settings: TargetSettings) -> Result<TargetDefinition, TargetError> {
        let name = &settings.name;
        let open = |path: &Path, source| TargetError::Open { name: name.clone(), path: path.into(), source };
        let (form, own) = match &settings.backend {
            TargetBackend::Openai(ChatTarget { chat, system }) => {
                let system = match system {
                    SystemPrompt::None => None,
                    SystemPrompt::Text(text) => Some(text.clone()),
                    SystemPrompt::File(path) => {
                        Some(std::fs::read_to_string(path).map_err(|source| open(path, source))?)
                    }
                };
                let own = chat_identity(chat, system.as_deref());
                (Form::Chat { chat: chat.clone(), system }, own)
            }
            TargetBackend::Http(target) => {
                let template = RequestTemplate::parse(&target.request)
                    .map_err(|problem| TargetError::Template { at: name.clone(), problem })?;
                let own = http_identity(target, &template);
                (Form::Http(template), own)
            }
            TargetBackend::Command(CommandSettings { argv, .. }) => {
                let files = argv.iter().map(PathBuf::from).filter(|path| path.is_file());
                let digest = |path: PathBuf| match file_digest(&path) {
                    Ok(digest) => Ok(Json::text(digest)),
                    Err(source) => Err(open(&path, source)),
                };
                let files = files.map(digest).collect::<Result<Vec<_>, _>>()?;
                let argv = Json::Array(argv.iter().map(Json::text).collect());
                (Form::Command, vec![("command", argv), ("files", Json::Array(files))])
            }
        };
        let kind = ("kind", Json::text(settings.kind().name()));
        let members = own.into_iter().chain([(ROLE.0, Json::text(ROLE.1)), kind]);
        let identity = Json::object(members).canonical();
        let id = JudgeId::of_identity(&identity);
        let variant = Variant::new(settings.name.clone()).expect("the name of a target is a plain word");
        Ok(TargetDefinition { settings, variant, id, identity, form })
    }

    /// What it is asked for a case.
    pub fn request(&self, case: &Case) -> Result<Request, TargetError> {
        match &self.form {
            Form::Chat { chat, system } => Ok(request::chat(case, chat, system.as_deref())),
            Form::Command => Ok(request::line(case)),
            Form::Http(template) => request::rendered(case, template).map_err(|problem| {
                let at = format!("{}, case {}", self.settings.name, case.id);
                TargetError::Template { at, problem }
            }),
        }
    }

    /// The most that a call with `request` can cost, where its model has a price.
    pub fn most(&self, request: &Request, config: &Config) -> Option<Money> {
        config.most(self.settings.chat()?, &LeftOut::default(), request.body().len())
    }
}

/// Whether an identity in a store is that of a target.
pub fn is_target(identity: &str) -> bool {
    let role = json::parse(identity).ok();
    role.as_ref().and_then(|identity| identity.get(ROLE.0)).and_then(Json::as_str) == Some(ROLE.1)
}

fn chat_identity(chat: &ChatSettings, system: Option<&str>) -> Vec<(&'static str, Json)> {
    let sent = chat.sent(&LeftOut::default());
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
