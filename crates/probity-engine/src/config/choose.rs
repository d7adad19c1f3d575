//! Which judge a run uses and why, and what about the settings makes it the same run.

use probity_core::exact::Exact;
use probity_core::json::Json;

use super::is_present;
use super::resolve::defaults;
use super::{
    Backend, ChatSettings, Config, JudgeKind, JudgeSettings, KeyUse, LeftOut, ServiceTier, SettingsError,
    SettingsProblem, SignalSource,
};
use crate::dialect::Dialect;

/// The judge of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenJudge {
    /// Its settings, with the model and endpoint that flags and variables put over them.
    pub settings: JudgeSettings,
    /// Why this judge was chosen.
    pub because: Because,
    /// Warnings: allowed, but worth knowing.
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
    /// A model was asked for, so an endpoint is meant although no key is set. The run stops because the key is
    /// missing; the baseline never answers in a model's place.
    Model,
    /// Nothing points to another judge: no key, no endpoint, no model.
    NoKey,
}

impl Config {
    /// The judge to use, unless an untrusted file decided it. `variable` looks up an environment variable.
    pub fn judge(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<ChosenJudge, SettingsError> {
        let is_ready = |name: &&str| {
            let chat = self.judges[*name].chat().filter(|chat| !chat.model.is_empty());
            let key = chat.and_then(|chat| chat.api_key_env.as_deref());
            key.is_some_and(|key| is_present(variable(key).as_deref()))
        };
        let with_key = || Dialect::all().map(Dialect::name).find(is_ready);
        let (name, because) = match &self.judge_named {
            Some(name) => (name.as_str(), Because::Named),
            None if self.openai_is_elsewhere() => ("openai", Because::Endpoint),
            None => match with_key() {
                Some(name) => (name, Because::Key),
                None if self.any_model.is_some() => ("openai", Because::Model),
                None => ("baseline", Because::NoKey),
            },
        };
        if let Some(untrusted) = &self.untrusted {
            let members = self.judges[name].panel().map(|panel| &panel.members[..]).unwrap_or_default();
            for name in [name].into_iter().chain(members.iter().map(|member| member.name.as_str())) {
                untrusted.check_judge(name, variable)?;
            }
        }
        let mut settings = self.judges[name].clone();
        if let Backend::Chat(chat) = &mut settings.backend {
            self.put_over(chat);
        }
        if let Some(chat) = settings.chat().filter(|chat| chat.service_tier == ServiceTier::Flex)
            && chat.dialect().flex.is_none()
        {
            let row = chat.dialect().name();
            return Err(SettingsError::Unfit(vec![SettingsProblem {
                place: format!("judges.{name}.service_tier"),
                line: None,
                message: format!("{} has no known flex tier (dialect {row})", chat.base_url),
                hint: Some("leave it out, or name the dialect of the host".to_owned()),
            }]));
        }
        let warnings = self.warnings(&settings);
        Ok(ChosenJudge { settings, because, warnings })
    }

    fn warnings(&self, judge: &JudgeSettings) -> Vec<String> {
        // One draw from a distribution is reported as if it were the judge's opinion.
        let sent = judge.chat().and_then(|chat| chat.sent(&LeftOut::default()).temperature);
        let draw = sent.filter(|temperature| *temperature > Exact::ZERO).map(|temperature| {
            format!(
                "judges.{}.temperature is {temperature} and each packet is asked once: a verdict is one draw",
                judge.name
            )
        });
        let is_kind = |name: &str| name.parse::<JudgeKind>().is_ok();
        let own = self.judge_names().filter(|name| self.judge_named.is_none() && !is_kind(name));
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
            chat.base_urls.clear();
            chat.key_use = KeyUse::IfPresent;
        }
    }

    /// The settings that change what `judge` is asked or how its answers are read, for the manifest of a
    /// run, without what it refused. How fast calls go out, what they may cost and where things are stored is
    /// not among them; nor are rubric and template, whose contents have hashes of their own.
    pub fn digest_parts(&self, judge: &JudgeSettings, left: &LeftOut) -> Vec<(String, String)> {
        let mut parts = vec![
            ("run.call_plan", self.run.call_plan.name().to_owned()),
            ("run.parse", self.run.parse.name().to_owned()),
            ("run.reask", self.run.reask.name().to_owned()),
            ("judge.kind", judge.kind().name().to_owned()),
        ];
        match &judge.backend {
            Backend::Chat(chat) => parts.extend(chat_parts(chat, left)),
            Backend::Baseline => {}
            Backend::Panel(panel) => parts.extend(panel.parts()),
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
    Some(chat.base_url.to_string()) != defaults().judges[chat.kind.name()].base_url
}

/// What is said of an endpoint in digests, without the parameters that were refused.
pub(crate) fn chat_parts(chat: &ChatSettings, left: &LeftOut) -> Vec<(&'static str, String)> {
    let sent = chat.sent(left);
    let mut parts = vec![
        ("judge.model", chat.model.clone()),
        ("judge.base_url", chat.base_url.to_string()),
        ("judge.structured", sent.shape.name().to_owned()),
        ("judge.model_mismatch", chat.model_mismatch.name().to_owned()),
        ("judge.aliases", list(&chat.aliases)),
    ];
    if !chat.headers.is_empty() {
        let prints = chat.headers.iter().map(|(name, text)| (name.clone(), Json::text(text.fingerprint())));
        parts.push(("judge.headers", Json::object(prints).canonical()));
    }
    let json = |value: serde_json::Value| value.to_string();
    parts.extend((!chat.query.is_empty()).then(|| ("judge.query", json(serde_json::json!(chat.query)))));
    let extra = || ("judge.extra_body", json(serde_json::json!(chat.extra_body)));
    parts.extend((!chat.extra_body.is_empty()).then(extra));
    parts.extend(chat.dialect.map(|dialect| ("judge.dialect", dialect.name().to_owned())));
    parts.extend(sent.temperature.map(|temperature| ("judge.temperature", temperature.to_string())));
    parts.extend(sent.limit.map(|limit| ("judge.output_tokens_max", limit.to_string())));
    parts.extend(sent.effort.map(|effort| ("judge.effort", effort.name().to_owned())));
    let is_asked = sent.signal != SignalSource::Looks;
    parts.extend(is_asked.then(|| ("judge.signal", sent.signal.name().to_owned())));
    parts.extend(sent.seed.map(|seed| ("judge.seed", seed.to_string())));
    parts.extend(chat.context_tokens.map(|tokens| ("judge.context_tokens", tokens.to_string())));
    parts
}

fn list(items: &[String]) -> String {
    Json::Array(items.iter().map(Json::text).collect()).canonical()
}
