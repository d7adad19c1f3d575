//! The settings of targets: every table that is written is checked, and the one that flags choose is used.

use std::collections::BTreeMap;

use probity_core::spelling::closest;

use super::{Naming, Resolving, TableName};
use crate::config::layer::{JudgeLayer, Layer, SettingsSection as _, TargetLayer};
use crate::config::names::{JudgeKind, Structured, TargetKind};
use crate::config::{
    Address, ChatTarget, HttpTarget, Pointer, SentText, SystemPrompt, TargetBackend, TargetSettings,
};

/// The one target that needs no table.
const BUILT_IN: &str = "openai";

impl Resolving {
    /// The target that flags choose, if they do. All tables are checked either way.
    pub(super) fn target(&mut self, layer: &Layer) -> Option<TargetSettings> {
        let chosen = layer.target.name.as_deref();
        let mut found = None;
        for name in layer.targets.keys() {
            let is_chosen = chosen == Some(name);
            if is_chosen || self.written.targets.contains_key(name) {
                let settings = self.target_table(name, layer, is_chosen);
                found = found.or(settings.filter(|_| is_chosen));
            }
        }
        if let Some(name) = chosen.filter(|name| !layer.targets.contains_key(*name)) {
            let known: Vec<&str> = layer.targets.keys().map(String::as_str).collect();
            let message = format!("expected one of {}, found {name:?}", known.join(", "));
            let near = closest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            let hint = near.unwrap_or_else(|| format!("a target of your own is a table [targets.{name}]"));
            self.problem("target", message, Some(hint));
        }
        if let Some(key) = layer.target.keys_set().into_iter().find(|_| chosen.is_none()) {
            let flag = if key == "system_file" { "system" } else { key };
            let message = format!("--target-{} needs --target", flag.replace('_', "-"));
            self.problem("target", message, None);
        }
        found
    }

    fn target_table(&mut self, name: &str, layer: &Layer, is_chosen: bool) -> Option<TargetSettings> {
        let section = format!("targets.{name}");
        let kind = layer.targets[name].kind;
        let table = TableName { what: "target", name, kinds: TargetKind::NAMES, built_in: &[BUILT_IN] };
        self.table(&table, kind.map(TargetKind::name))?;
        let kind = kind?;
        let mut keys = self.written.targets.get(name).map(TargetLayer::keys_set).unwrap_or_default();
        keys.extend(layer.target.keys_set().into_iter().filter(|_| is_chosen));
        self.idle_keys(&section, &keys, kind.name(), |key| keys_of(kind).contains(&key));
        let own = layer.target_table(name);
        let models = own.model.iter().chain(own.aliases.iter().flatten()).cloned().collect();
        let backend = match kind {
            TargetKind::Openai => {
                let own_key = layer.targets[name].api_key_env.is_some();
                let key_variable = if own_key { Naming::Written } else { Naming::Default };
                TargetBackend::Openai(self.chat_target(&section, own, key_variable)?)
            }
            TargetKind::Http => TargetBackend::Http(self.http_target(&section, own)?),
            TargetKind::Command => TargetBackend::Command(self.program(&section, own.command, own.pass_env)),
        };
        Some(TargetSettings { name: name.to_owned(), models, backend })
    }

    fn chat_target(&mut self, section: &str, own: TargetLayer, key_variable: Naming) -> Option<ChatTarget> {
        let Some(model) = own.model.filter(|model| !model.trim().is_empty()) else {
            let hint = "set it there, or use --target-model".to_owned();
            self.problem(format!("{section}.model"), "expected a model, found nothing", Some(hint));
            return None;
        };
        let system = match (own.system, own.system_file) {
            (None, Some(path)) => SystemPrompt::File(path),
            (Some(text), None) => SystemPrompt::Text(text),
            (None, None) => SystemPrompt::None,
            (Some(_), Some(_)) => {
                let message = "expected one of system and system_file, found both";
                self.problem(format!("{section}.system"), message, None);
                return None;
            }
        };
        let defaults = self.defaults.judges[JudgeKind::OPENAI].clone();
        let chat = JudgeLayer {
            model: Some(model),
            base_url: own.base_url,
            api_key_env: own.api_key_env,
            temperature: own.temperature,
            seed: own.seed,
            output_tokens_max: own.output_tokens_max,
            dialect: own.dialect,
            aliases: Some(own.aliases.unwrap_or_default()),
            http: own.http,
            ..JudgeLayer::default()
        };
        let kind = JudgeKind::OPENAI.parse().expect("the table has this row");
        let mut chat = self.chat(section, kind, defaults.merge(chat), key_variable)?;
        // A reply is plain text.
        chat.structured = Structured::Plain;
        if !chat.dialect().is_chat() {
            chat.dialect = "compatible".parse().ok();
        }
        Some(ChatTarget { chat, system })
    }

    fn http_target(&mut self, section: &str, own: TargetLayer) -> Option<HttpTarget> {
        let pointer = |text: &str| Pointer::parse(text).map_err(|error| error.to_string());
        let url = self.needed(section, "url", own.url.as_deref(), |text| {
            Address::parse(text).map_err(|error| error.to_string())
        });
        let request = self.needed(section, "request", own.request.as_deref(), |text| Ok(text.to_owned()));
        let reply = self.needed(section, "reply", own.reply.as_deref(), pointer);
        let confidence = match own.confidence {
            None => Some(None),
            Some(text) => self.needed(section, "confidence", Some(&text), pointer).map(Some),
        };
        let headers = self.headers(section, own.headers.unwrap_or_default())?;
        Some(HttpTarget { url: url?, headers, request: request?, reply: reply?, confidence: confidence? })
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
    ) -> Option<Vec<(String, SentText)>> {
        let mut read = Vec::new();
        let n_headers = headers.len();
        for (name, text) in headers {
            // The value may hold a secret in the wrong place, so it is not repeated.
            match SentText::header(&name, &text) {
                Ok(value) => read.push((name.to_ascii_lowercase(), value)),
                Err(error) => self.problem(format!("{section}.headers.{name:?}"), error.to_string(), None),
            }
        }
        (read.len() == n_headers).then_some(read)
    }
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
