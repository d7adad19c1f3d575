//! The settings of a target: the system whose replies are judged.
//!
//! Values of variables are not here, only their names.

use std::path::PathBuf;

use super::{Address, ChatSettings, CommandSettings, Pointer, SentText, TargetKind};

/// `[targets.NAME]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetSettings {
    /// The name that selects it and becomes the variant of its replies. It is not part of the target's identity.
    pub name: String,
    /// The model that writes the replies, as far as it is known, and other names of it.
    pub models: Vec<String>,
    /// What writes the replies.
    pub backend: TargetBackend,
}

/// What writes the replies of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a run has one")]
pub enum TargetBackend {
    /// An OpenAI-compatible model with a system prompt.
    Openai(ChatTarget),
    /// An HTTP endpoint.
    Http(HttpTarget),
    /// A program.
    Command(CommandSettings),
}

/// A model and its system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatTarget {
    /// The dialect of its endpoint.
    pub chat: ChatSettings,
    /// Its system prompt.
    pub system: SystemPrompt,
}

/// The system prompt of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemPrompt {
    /// None.
    None,
    /// This text.
    Text(String),
    /// What stands in this file.
    File(PathBuf),
}

/// An endpoint that takes a request and gives an answer with a reply in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpTarget {
    /// Where requests go.
    pub url: Address,
    /// Their headers, by name.
    pub headers: Vec<(String, SentText)>,
    /// The template of their bodies.
    pub request: String,
    /// Where the reply stands in an answer.
    pub reply: Pointer,
    /// Where the bot's own confidence stands in it.
    pub confidence: Option<Pointer>,
}

impl TargetSettings {
    /// What the target is.
    pub fn kind(&self) -> TargetKind {
        match &self.backend {
            TargetBackend::Openai(_) => TargetKind::Openai,
            TargetBackend::Http(_) => TargetKind::Http,
            TargetBackend::Command(_) => TargetKind::Command,
        }
    }

    /// How its endpoint is spoken to, if it is a model's.
    pub fn chat(&self) -> Option<&ChatSettings> {
        if let TargetBackend::Openai(target) = &self.backend { Some(&target.chat) } else { None }
    }
}
