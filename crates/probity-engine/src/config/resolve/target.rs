//! The settings of targets: every table that is written is checked, and the one that flags choose is used.

use std::collections::BTreeMap;

use probity_core::spelling::closest;

use super::{Naming, Resolving};
use crate::config::layer::{JudgeLayer, Layer, TargetChoice, TargetLayer};
use crate::config::names::{JudgeKind, TargetKind};
use crate::config::{
    Address, ChatTarget, CommandSettings, HeaderText, HttpTarget, Pointer, ProgramTarget, SystemPrompt,
    TargetBackend, TargetSettings,
};

/// The one target that needs no table.
const BUILT_IN: &str = "openai";

impl Resolving {
    /// The target that flags choose, if they do. All tables are checked either way.
    pub(super) fn target(&mut self, layer: &Layer) -> Option<TargetSettings> {
        let chosen = layer.target.name.as_deref();
        let mut found = None;
        for name in layer.targets.keys() {
            let is_written = self.written.targets.contains_key(name);
            if !is_written && chosen != Some(name) {
                continue;
            }
            let flags = if chosen == Some(name) { layer.target.clone() } else { TargetChoice::default() };
            let settings = self.target_table(name, layer, flags);
            if chosen == Some(name) {
                found = settings;
            }
        }
        if let Some(name) = chosen.filter(|name| !layer.targets.contains_key(*name)) {
            let known: Vec<&str> = layer.targets.keys().map(String::as_str).collect();
            let message = format!("expected one of {}, found {name:?}", known.join(", "));
            let near = closest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            let hint = near.unwrap_or_else(|| format!("a target of your own is a table [targets.{name}]"));
            self.problem("target", message, Some(hint));
        }
        let idle = |flags: &TargetChoice| flags.keys_set().into_iter().find(|_| flags.name.is_none());
        if let Some(key) = idle(&layer.target) {
            let flag = if key == "system_file" { "system" } else { key };
            let message = format!("--target-{} means nothing without --target", flag.replace('_', "-"));
            self.problem("target", message, None);
        }
        found
    }

    fn target_table(&mut self, name: &str, layer: &Layer, flags: TargetChoice) -> Option<TargetSettings> {
        let section = format!("targets.{name}");
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if name.is_empty() || name.len() > 100 || !name.chars().all(plain) {
            let message = "expected a name of at most 100 letters, digits, `-`, `_` and `.`";
            self.problem(format!("targets.{name:?}"), message, None);
            return None;
        }
        let Some(kind) = layer.targets[name].kind else {
            let message = format!("expected one of {}, found nothing", TargetKind::NAMES.join(", "));
            self.problem(format!("{section}.kind"), message, None);
            return None;
        };
        if name == BUILT_IN && kind != TargetKind::Openai {
            let message =
                format!("expected {name:?}, because the target is built in, found {:?}", kind.name());
            self.problem(format!("{section}.kind"), message, Some("choose another name".to_owned()));
            return None;
        }
        self.target_keys(name, kind, &flags);
        let mut own = layer.targets[name].clone();
        if let Some(model) = flags.model.as_ref().filter(|model| own.model.as_ref() != Some(model)) {
            // Aliases are other names of the model that the table names.
            (own.model, own.aliases) = (Some(model.clone()), None);
        }
        let backend = match kind {
            TargetKind::Openai => TargetBackend::Openai(self.chat_target(&section, own, layer, flags)?),
            TargetKind::Http => TargetBackend::Http(self.http_target(&section, own)?),
            TargetKind::Command => TargetBackend::Command(self.program_target(&section, own)),
        };
        Some(TargetSettings { name: name.to_owned(), backend })
    }

    /// A setting or a flag that the target's kind has no use for is a mistake: its author believes that it does something.
    fn target_keys(&mut self, name: &str, kind: TargetKind, flags: &TargetChoice) {
        let written = self.written.targets.get(name).map(TargetLayer::keys_set).unwrap_or_default();
        let flags = flags.keys_set().into_iter().filter(|key| *key != "name");
        for key in written.into_iter().chain(flags) {
            if key != "kind" && !keys_of(kind).contains(&key) {
                let message = format!("a target of kind {:?} has no such setting", kind.name());
                self.problem(format!("targets.{name}.{key}"), message, None);
            }
        }
    }

    fn chat_target(
        &mut self,
        section: &str,
        own: TargetLayer,
        layer: &Layer,
        flags: TargetChoice,
    ) -> Option<ChatTarget> {
        let built_in = TargetLayer { aliases: None, ..layer.targets[BUILT_IN].clone() };
        let named = if own.api_key_env.is_some() { Naming::Written } else { Naming::Default };
        let own = built_in.merge(own);
        let Some(model) = own.model.filter(|model| !model.trim().is_empty()) else {
            let hint = "set it there, or use --target-model".to_owned();
            self.problem(format!("{section}.model"), "expected a model, found nothing", Some(hint));
            return None;
        };
        let system = match (flags.system_file, own.system, own.system_file) {
            (Some(path), _, _) | (None, None, Some(path)) => SystemPrompt::File(path),
            (None, Some(text), None) => SystemPrompt::Text(text),
            (None, None, None) => SystemPrompt::None,
            (None, Some(_), Some(_)) => {
                let message = "expected one of system and system_file, found both";
                self.problem(format!("{section}.system"), message, None);
                return None;
            }
        };
        // Where nothing else is said, the target is where the judge of this kind is.
        let beside = &layer.judges[JudgeKind::OPENAI];
        let defaults = self.defaults.judges[JudgeKind::OPENAI].clone();
        let chat = JudgeLayer {
            model: Some(model),
            base_url: flags.base_url.or(own.base_url).or(beside.base_url.clone()),
            api_key_env: own.api_key_env.or(beside.api_key_env.clone()),
            temperature: own.temperature,
            seed: own.seed,
            output_tokens_max: own.output_tokens_max,
            dialect: own.dialect,
            aliases: Some(own.aliases.unwrap_or_default()),
            http: own.http.or(beside.http),
            ..JudgeLayer::default()
        };
        let kind = JudgeKind::OPENAI.parse().expect("the table has this row");
        let mut chat = self.chat(section, kind, defaults.merge(chat), named)?;
        if !chat.dialect().is_chat() {
            chat.dialect = "compatible".parse().ok();
        }
        Some(ChatTarget { chat, system })
    }

    fn http_target(&mut self, section: &str, own: TargetLayer) -> Option<HttpTarget> {
        let models = models(&own);
        let url = self.needed(section, "url", own.url.as_deref(), |text| {
            Address::parse(text).map_err(|e| e.to_string())
        });
        let request = self.needed(section, "request", own.request.as_deref(), |text| Ok(text.to_owned()));
        let pointer = |text: &str| Pointer::parse(text).map_err(|error| error.to_string());
        let reply = self.needed(section, "reply", own.reply.as_deref(), pointer);
        let confidence = own.confidence.map(|text| self.needed(section, "confidence", Some(&text), pointer));
        let headers = self.headers(section, own.headers.unwrap_or_default());
        let (url, request, reply) = (url?, request?, reply?);
        let confidence = match confidence {
            None => None,
            Some(pointer) => Some(pointer?),
        };
        Some(HttpTarget { url, headers: headers?, request, reply, confidence, models })
    }

    /// A setting that must be there and must read as what it is.
    fn needed<T>(
        &mut self,
        section: &str,
        key: &str,
        text: Option<&str>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let read = text.map_or_else(|| Err("expected a text, found nothing".to_owned()), read);
        read.map_err(|message| self.problem(format!("{section}.{key}"), message, None)).ok()
    }

    pub(super) fn headers(
        &mut self,
        section: &str,
        headers: BTreeMap<String, String>,
    ) -> Option<Vec<(String, HeaderText)>> {
        let mut read = Vec::new();
        let n_headers = headers.len();
        for (name, text) in headers {
            // The value may hold a secret in the wrong place, so it is not repeated.
            match HeaderText::parse(&name, &text) {
                Ok(value) => read.push((name.to_ascii_lowercase(), value)),
                Err(error) => self.problem(format!("{section}.headers.{name:?}"), error.to_string(), None),
            }
        }
        (read.len() == n_headers).then_some(read)
    }

    fn program_target(&mut self, section: &str, own: TargetLayer) -> ProgramTarget {
        let models = models(&own);
        let argv = own.command.unwrap_or_default();
        if argv.first().is_none_or(String::is_empty) {
            let message = "expected a program and its arguments, found nothing";
            self.problem(format!("{section}.command"), message, None);
        }
        let command = CommandSettings { argv, pass_env: own.pass_env.unwrap_or_default() };
        ProgramTarget { command, models }
    }
}

fn models(own: &TargetLayer) -> Vec<String> {
    own.model.iter().chain(own.aliases.iter().flatten()).cloned().collect()
}

fn keys_of(kind: TargetKind) -> &'static [&'static str] {
    match kind {
        TargetKind::Openai => &[
            "model", "aliases", "base_url", "api_key_env", "system", "system_file", "temperature", "seed",
            "output_tokens_max", "dialect", "http",
        ],
        TargetKind::Http => &["model", "aliases", "url", "headers", "request", "reply", "confidence"],
        TargetKind::Command => &["model", "aliases", "command", "pass_env"],
    }
}

#[cfg(test)]
mod tests;
