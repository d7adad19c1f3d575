//! Which judge a run uses and why, and what about the settings makes it the same run.

use probity_core::exact::Exact;
use probity_core::json::Json;

use super::is_present;
use super::resolve::defaults;
use super::{Backend, ChatSettings, Config, Dialect, JudgeKind, JudgeSettings, KeyUse, SettingsError};

/// The judge of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenJudge {
    /// Its settings, with the model and endpoint that flags and variables put over them.
    pub settings: JudgeSettings,
    /// Why it and no other.
    pub because: Because,
    /// What is allowed but should be known.
    pub warnings: Vec<String>,
}

/// Why a judge is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// A flag, a variable or a file names it.
    Named,
    /// An endpoint is configured.
    Endpoint,
    /// The variable of its key is set.
    Key,
    /// A model was asked for, so an endpoint is meant, although no key is set. The run stops for want of
    /// the key rather than let the baseline answer in the model's place.
    Model,
    /// Nothing points to another judge: no key, no endpoint, no model.
    NoKey,
}

impl Config {
    /// The judge to use, unless a file decides about it that must not. `variable` gives the value of an environment
    /// variable.
    pub fn judge(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<ChosenJudge, SettingsError> {
        let has_key = |name: &str| {
            let key = self.judges[name].chat().and_then(|chat| chat.api_key_env.as_deref());
            key.is_some_and(|key| is_present(variable(key).as_deref()))
        };
        let with_key = || Dialect::NAMES.iter().find(|name| has_key(name));
        let (name, because) = match &self.judge_named {
            Some(name) => (name.as_str(), Because::Named),
            None if self.openai_is_elsewhere() => ("openai", Because::Endpoint),
            None => match with_key() {
                Some(name) => (*name, Because::Key),
                None if self.any_model.is_some() => ("openai", Because::Model),
                None => ("baseline", Because::NoKey),
            },
        };
        if let Some(untrusted) = &self.untrusted {
            untrusted.check_judge(name, variable)?;
        }
        let mut settings = self.judges[name].clone();
        if let Backend::Chat(chat) = &mut settings.backend {
            self.put_over(chat);
        }
        let warnings = self.warnings(&settings);
        Ok(ChosenJudge { settings, because, warnings })
    }

    fn warnings(&self, judge: &JudgeSettings) -> Vec<String> {
        // One draw from a distribution is reported as if it were the judge's opinion.
        let draw = judge.chat().map(|chat| chat.temperature).filter(|temperature| *temperature > Exact::ZERO);
        let draw = draw.map(|temperature| {
            format!(
                "judges.{}.temperature is {temperature} and each packet is asked once: a verdict is one draw",
                judge.name
            )
        });
        let own =
            self.judge_names().filter(|name| self.judge_named.is_none() && !JudgeKind::NAMES.contains(name));
        let unused =
            own.map(|name| format!("[judges.{name}] is not used, because judge.name does not name a judge"));
        draw.into_iter().chain(unused).collect()
    }

    /// Whether only its server knows the model of `judge`: the endpoint is not the provider's own, and no flag,
    /// variable or file names a model.
    pub fn lacks_model(&self, judge: &JudgeSettings) -> bool {
        let is_named = self.any_model.is_some() || self.written.judge_table(&judge.name).model.is_some();
        !is_named && judge.chat().is_some_and(is_elsewhere)
    }

    fn openai_is_elsewhere(&self) -> bool {
        self.any_base_url.is_some() || self.judges["openai"].chat().is_some_and(is_elsewhere)
    }

    fn put_over(&self, chat: &mut ChatSettings) {
        if let Some(model) = &self.any_model
            && *model != chat.model
        {
            chat.model.clone_from(model);
            // Aliases are other names of the model that the table asked for.
            chat.aliases.clear();
        }
        if let Some(base_url) = &self.any_base_url
            && *base_url != chat.base_url
        {
            chat.base_url = base_url.clone();
            chat.key_use = KeyUse::IfPresent;
        }
    }

    /// The settings that change what `judge` is asked or how its answers are read, for the manifest of a
    /// run. How fast calls go out, what they may cost and where things are stored is not among them; nor
    /// are rubric and template, whose contents have hashes of their own.
    pub fn digest_parts(&self, judge: &JudgeSettings) -> Vec<(String, String)> {
        let mut parts = vec![
            ("run.call_plan", self.run.call_plan.name().to_owned()),
            ("run.parse", self.run.parse.name().to_owned()),
            ("run.reask", self.run.reask.name().to_owned()),
            ("judge.kind", judge.kind().name().to_owned()),
        ];
        match &judge.backend {
            Backend::Chat(chat) => parts.extend(chat_parts(chat)),
            Backend::Baseline => {}
            Backend::Command(command) => parts.push(("judge.command", list(&command.argv))),
            Backend::Recorded { verdicts } => {
                parts.extend(verdicts.iter().map(|path| ("judge.verdicts", path.display().to_string())));
            }
        }
        parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Whether the endpoint is another than the provider's own.
fn is_elsewhere(chat: &ChatSettings) -> bool {
    Some(chat.base_url.to_string()) != defaults().judges[chat.dialect.name()].base_url
}

fn chat_parts(chat: &ChatSettings) -> Vec<(&'static str, String)> {
    let mut parts = vec![
        ("judge.model", chat.model.clone()),
        ("judge.base_url", chat.base_url.to_string()),
        ("judge.temperature", chat.temperature.to_string()),
        ("judge.output_tokens_max", chat.output_tokens_max.to_string()),
        ("judge.token_limit_field", chat.token_limit_field.name().to_owned()),
        ("judge.structured", chat.structured.name().to_owned()),
        ("judge.logprobs", chat.logprobs.name().to_owned()),
        ("judge.model_mismatch", chat.model_mismatch.name().to_owned()),
        ("judge.aliases", list(&chat.aliases)),
    ];
    parts.extend(chat.seed.map(|seed| ("judge.seed", seed.to_string())));
    parts.extend(chat.context_tokens.map(|tokens| ("judge.context_tokens", tokens.to_string())));
    parts
}

fn list(items: &[String]) -> String {
    Json::Array(items.iter().map(Json::text).collect()).canonical()
}
