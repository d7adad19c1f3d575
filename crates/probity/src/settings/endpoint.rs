//! What every run says before it begins: which settings files were read, and who is asked at which address.

use probity_engine::config::{
    Backend, ChatSettings, Config, JudgeKind, JudgeSettings, TargetBackend, TargetSettings, is_present,
};

use super::variable;
use crate::plain::plain;

/// One line about the settings files and the judge.
pub(super) fn notice(config: &Config, judge: &JudgeSettings) -> String {
    let files = if config.files.is_empty() { "the defaults".to_owned() } else { config.files.join(", ") };
    let who = match &judge.backend {
        Backend::Chat(chat) => at(chat),
        Backend::Baseline => "inside this program".to_owned(),
        Backend::Panel(panel) => {
            let names: Vec<&str> = panel.members.iter().map(|member| member.name.as_str()).collect();
            names.join(if judge.kind() == JudgeKind::Cascade { ", then " } else { ", " })
        }
        Backend::Command(command) => format!("the program `{}`", command.argv.join(" ")),
        Backend::Recorded { verdicts: Some(file) } => file.display().to_string(),
        Backend::Recorded { verdicts: None } => "what the store holds".to_owned(),
    };
    plain(&format!("settings: {files}; judge {}: {who}", judge.name))
}

/// One line about the target.
pub(super) fn target_notice(target: &TargetSettings) -> String {
    let who = match &target.backend {
        TargetBackend::Openai(target) => at(&target.chat),
        TargetBackend::Http(target) => target.url.to_string(),
        TargetBackend::Command(command) => format!("the program `{}`", command.argv.join(" ")),
    };
    plain(&format!("target {}: {who}", target.name))
}

fn at(chat: &ChatSettings) -> String {
    let key = chat.api_key_env.as_deref().filter(|name| is_present(variable(name).as_deref()));
    let key = match (&chat.api_key_command, key) {
        (Some((command, _)), _) => format!("key from `{}`", command.argv.join(" ")),
        (None, Some(name)) => format!("key from {name}"),
        (None, None) => "no key".to_owned(),
    };
    format!("{} at {}, {key}", chat.model, chat.base_url)
}
