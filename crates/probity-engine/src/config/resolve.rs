//! Merges layers of settings into one [`Config`], or lists everything that is inconsistent.
//!
//! Each rule is written once, here. All problems are reported together.

mod gate;
mod panel;
mod record;
mod target;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::LazyLock;
use std::time::Duration;

use probity_core::exact::Exact;
use probity_core::packet::CallPlan;
use probity_core::spelling::closest;
use serde_json::{Value, json};

use super::layer::{Decimal, JudgeLayer, Layer, PriceLayer, RunLayer, ScheduleLayer};
use super::names::{Calls, JudgeKind, ServiceTier, SignalSource};
use super::{
    Backend, Budget, CallLimits, ChatSettings, CommandSettings, Config, DEFAULTS, Endpoint, InputSettings,
    JudgeSettings, KeyUse, ListPrice, LocalFacts, RunSettings, ScheduleSettings, SentText, SettingsError,
    SettingsFile, SettingsProblem, Tunable, Untrusted,
};
use crate::dialect::Dialect;

/// The most calls in flight.
const CONCURRENCY_MAX: u32 = 10_000;

/// The longest name of a judge or a target, in bytes.
const NAME_BYTES_MAX: usize = 100;
/// The longest clock, one day: longer than any call, short enough that no sum of clocks overflows.
const CLOCK_MS_MAX: u64 = 86_400_000;
/// A placeholder address for a built-in judge whose host has none. It is never called.
const NO_ADDRESS: &str = "https://host.invalid";

impl Config {
    /// The settings of `layers`, the lowest first, over the embedded defaults.
    pub fn resolve(layers: impl IntoIterator<Item = Layer>) -> Result<Config, SettingsError> {
        let defaults = defaults();
        let written = layers.into_iter().fold(Layer::default(), Layer::merge);
        let layer = defaults.clone().merge(written.clone());
        let mut resolving = Resolving { defaults, written, problems: Vec::new() };
        let judges = resolving.judges(&layer);
        let target = resolving.target(&layer);
        let any_base_url =
            layer.any_base_url.as_deref().and_then(|text| resolving.base_url("base_url", text));
        let run = resolving.run(layer.run);
        let store = resolving.store(layer.store);
        let schedule = resolving.schedule(&layer.schedule);
        let batch = resolving.batch(&layer.batch);
        let gate = gate::settings(layer.gate, &mut resolving.problems);
        let usd_max = layer.budget.usd_max.map(|usd| resolving.amount("budget.usd_max", usd));
        let confirm_usd = resolving.amount("budget.confirm_usd", given(layer.budget.confirm_usd));
        let prices = resolving.prices(layer.prices);
        resolving.choice(layer.judge.name.as_deref(), &judges);
        if !resolving.problems.is_empty() {
            return Err(SettingsError::Unfit(resolving.problems));
        }
        Ok(Config {
            run,
            gate,
            input: InputSettings {
                map: layer.input.map.unwrap_or_default(),
                date_format: layer.input.date_format,
            },
            store,
            guardrails: layer.diff.guardrails,
            schedule,
            batch,
            budget: Budget {
                calls_max: layer.budget.calls_max,
                usd_max,
                confirm_usd,
                confirm_calls: given(layer.budget.confirm_calls),
            },
            target,
            judges,
            prices,
            judge_named: layer.judge.name,
            any_model: layer.any_model,
            any_base_url,
            files: Vec::new(),
            untrusted: None,
            written: resolving.written,
        })
    }

    /// The settings of `sources`, with nothing in them that a file must not decide.
    pub fn from_sources(sources: Sources, here: &LocalFacts<'_>) -> Result<Config, SettingsError> {
        let Sources { user, folder, environment, flags } = sources;
        let files =
            user.iter().chain(folder.iter().map(|(file, _)| file)).map(|file| file.shown.clone()).collect();
        let below = user.map(|file| file.layer).unwrap_or_default();
        let (layer, untrusted) = match folder {
            None => (Layer::default(), None),
            Some((file, FileTrust::Trusted)) => (file.layer, None),
            Some((file, FileTrust::Untrusted)) => {
                let (below, above) =
                    (defaults().merge(below.clone()), environment.clone().merge(flags.clone()));
                (file.layer.clone(), Some(Untrusted::new(file, &below, &above, here.is_outside)))
            }
        };
        let config = Config::resolve([below, layer, environment, flags])?;
        if let Some(untrusted) = &untrusted {
            untrusted.check_run(here)?;
        }
        Ok(Config { files, untrusted, ..config })
    }
}

/// All sources of settings but the defaults, the lowest first.
#[derive(Debug, Default)]
pub struct Sources {
    /// The user's own settings.
    pub user: Option<SettingsFile>,
    /// The file of the working folder, or the one that a flag names.
    pub folder: Option<(SettingsFile, FileTrust)>,
    /// The environment.
    pub environment: Layer,
    /// The flags.
    pub flags: Layer,
}

/// Whether the user has trusted a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileTrust {
    /// It may decide everything.
    Trusted,
    /// It may not decide where keys go, nor what is executed.
    Untrusted,
}

/// The embedded defaults, which a command needs more than once and reads once.
pub(super) fn defaults() -> Layer {
    static READ: LazyLock<Layer> = LazyLock::new(|| {
        let mut layer = Layer::read("config/default.toml", DEFAULTS)
            .expect("the embedded defaults are read by every test");
        for dialect in Dialect::all() {
            let own = built_in(dialect, &layer.judges[JudgeKind::OPENAI]);
            layer.judges.entry(dialect.name().to_owned()).or_insert(own);
        }
        layer
    });
    READ.clone()
}

/// The table of the judge that is called as `dialect` is: what the row says, over what all judges have.
fn built_in(dialect: Dialect, common: &JudgeLayer) -> JudgeLayer {
    JudgeLayer {
        kind: Some(JudgeKind::Chat(dialect)),
        model: dialect.model.clone(),
        base_url: dialect.base_url.clone(),
        api_key_env: Some(dialect.key_env.clone().unwrap_or_default()),
        ..common.clone()
    }
}

fn given<T>(value: Option<T>) -> T {
    value.expect("config/default.toml gives every setting of this section a value")
}

/// Who chose the variable that a key is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// A person, in settings.
    Written,
    /// The defaults.
    Default,
}

/// A setting that does not fit.
fn unfit(setting: impl Into<String>, message: impl Into<String>, hint: Option<String>) -> SettingsProblem {
    SettingsProblem { place: setting.into(), line: None, message: message.into(), hint }
}

/// A table under a name that a person chose.
struct TableName<'a> {
    /// `judge` or `target`.
    what: &'a str,
    name: &'a str,
    kinds: &'a [&'a str],
    /// The names that stand for kinds.
    built_in: &'a [&'a str],
}

struct Resolving {
    defaults: Layer,
    /// What people wrote, without the defaults.
    written: Layer,
    problems: Vec<SettingsProblem>,
}

impl Resolving {
    fn problem(&mut self, setting: impl Into<String>, message: impl Into<String>, hint: Option<String>) {
        self.problems.push(unfit(setting, message, hint));
    }

    fn run(&mut self, layer: RunLayer) -> RunSettings {
        let min_coverage = given(layer.min_coverage).0;
        if !is_share(min_coverage) {
            self.problem("run.min_coverage", format!("expected 0 to 1, found {min_coverage}"), None);
        }
        let (rubric, store) = (given(layer.rubric), given(layer.store));
        for (setting, text) in [("run.rubric", &rubric), ("run.store", &store)] {
            if text.trim().is_empty() {
                self.problem(setting, "expected a name or a path, found an empty text", None);
            }
        }
        let call_plan = match given(layer.call_plan) {
            Calls::PerCriterion => CallPlan::PerCriterion,
            Calls::OneCall => CallPlan::OneCall,
        };
        let (parse, reask) = (given(layer.parse), given(layer.reask));
        RunSettings { rubric, store, min_coverage, call_plan, parse, reask }
    }

    fn schedule(&mut self, layer: &ScheduleLayer) -> ScheduleSettings {
        let concurrency = given(layer.concurrency);
        if !(1..=CONCURRENCY_MAX).contains(&concurrency) {
            let message = format!("expected 1 to {CONCURRENCY_MAX}, found {concurrency}");
            self.problem("schedule.concurrency", message, None);
        }
        let breaker_share = given(layer.breaker_share).0;
        if !is_share(breaker_share) || breaker_share == Exact::ZERO {
            let message = format!("expected more than 0 and at most 1, found {breaker_share}");
            self.problem("schedule.breaker_share", message, None);
        }
        let limits = CallLimits {
            connect: self.clock("connect_ms", layer.connect_ms),
            first_byte: self.clock("first_byte_ms", layer.first_byte_ms),
            idle: self.clock("idle_ms", layer.idle_ms),
            total: self.clock("total_ms", layer.total_ms),
            body_bytes_max: given(layer.body_bytes_max).get() as usize,
        };
        let packet_max = self.clock("packet_ms_max", layer.packet_ms_max);
        let backoff_first = self.clock("backoff_ms_first", layer.backoff_ms_first);
        let backoff_max = self.clock("backoff_ms_max", layer.backoff_ms_max);
        for (part, value) in
            [("connect_ms", limits.connect), ("first_byte_ms", limits.first_byte), ("idle_ms", limits.idle)]
        {
            self.at_least(("total_ms", limits.total), (part, value));
        }
        self.at_least(("packet_ms_max", packet_max), ("total_ms", limits.total));
        self.at_least(("backoff_ms_max", backoff_max), ("backoff_ms_first", backoff_first));
        ScheduleSettings {
            concurrency: concurrency as usize,
            requests_per_minute: layer.requests_per_minute,
            tokens_per_minute: layer.tokens_per_minute,
            attempts_max: given(layer.attempts_max).get(),
            limits,
            packet_max,
            backoff_first,
            backoff_max,
            retry_after_max: self.clock("retry_after_ms_max", layer.retry_after_ms_max),
            breaker_consecutive: given(layer.breaker_consecutive).get(),
            breaker_window: given(layer.breaker_window).get(),
            breaker_share,
            pilot_max: Duration::from_millis(given(layer.pilot_ms_max).min(CLOCK_MS_MAX)),
        }
    }

    fn clock(&mut self, key: &str, value: Option<NonZeroU64>) -> Duration {
        let ms = given(value).get();
        if ms > CLOCK_MS_MAX {
            let message = format!("expected at most {CLOCK_MS_MAX} (one day), found {ms}");
            self.problem(format!("schedule.{key}"), message, None);
        }
        Duration::from_millis(ms.min(CLOCK_MS_MAX))
    }

    fn at_least(&mut self, (key, value): (&str, Duration), (other, floor): (&str, Duration)) {
        if value < floor {
            let (ms, floor_ms) = (value.as_millis(), floor.as_millis());
            let message = format!("expected at least {other}, which is {floor_ms}, found {ms}");
            self.problem(format!("schedule.{key}"), message, Some(format!("set schedule.{other} as well")));
        }
    }

    fn amount(&mut self, setting: &str, Decimal(amount): Decimal) -> Exact {
        if amount < Exact::ZERO {
            self.problem(setting, format!("expected 0 or more, found {amount}"), None);
        }
        amount
    }

    fn prices(&mut self, layers: BTreeMap<String, PriceLayer>) -> BTreeMap<String, ListPrice> {
        let mut prices = BTreeMap::new();
        for (model, layer) in layers {
            let section = format!("prices.{model:?}");
            let mut amount = |key: &str, value: Option<Decimal>| {
                value.map(|value| self.amount(&format!("{section}.{key}"), value))
            };
            let input = amount("input_usd_per_mtok", layer.input_usd_per_mtok);
            let output = amount("output_usd_per_mtok", layer.output_usd_per_mtok);
            let cached = amount("cached_usd_per_mtok", layer.cached_usd_per_mtok);
            let cache_write = amount("cache_write_usd_per_mtok", layer.cache_write_usd_per_mtok);
            let flex_input = amount("flex_input_usd_per_mtok", layer.flex_input_usd_per_mtok);
            let flex_output = amount("flex_output_usd_per_mtok", layer.flex_output_usd_per_mtok);
            let batch_input = amount("batch_input_usd_per_mtok", layer.batch_input_usd_per_mtok);
            let batch_output = amount("batch_output_usd_per_mtok", layer.batch_output_usd_per_mtok);
            let (flex, batch) = (flex_input.zip(flex_output), batch_input.zip(batch_output));
            let half = |tier: &'static str, one: Option<Exact>, other: Option<Exact>| {
                (one.is_some() != other.is_some()).then_some(tier)
            };
            let half =
                half("flex_", flex_input, flex_output).or_else(|| half("batch_", batch_input, batch_output));
            let (tier, Some((input, output))) = (half, input.zip(output)) else {
                self.problem(section, "expected input_usd_per_mtok and output_usd_per_mtok", None);
                continue;
            };
            if let Some(tier) = tier {
                let message = format!("expected {tier}input_usd_per_mtok and {tier}output_usd_per_mtok");
                self.problem(section, message, None);
            }
            prices.insert(model, ListPrice { input, output, cached, cache_write, flex, batch });
        }
        prices
    }

    fn judges(&mut self, layer: &Layer) -> BTreeMap<String, JudgeSettings> {
        let judge = |name: &String| Some((name.clone(), self.judge(name, layer)?));
        let mut judges = layer.judges.keys().filter_map(judge).collect();
        self.panels(layer, &mut judges);
        judges
    }

    /// The judge that flags, variables or files choose.
    fn chosen(&self) -> Option<&str> {
        self.written.judge.name.as_deref()
    }

    fn judge(&mut self, name: &str, layer: &Layer) -> Option<JudgeSettings> {
        let table = layer.judge_table(name);
        if matches!(table.kind, Some(JudgeKind::Cascade | JudgeKind::Jury)) {
            return None;
        }
        let kind = self.judge_table(name, &table)?;
        Some(JudgeSettings {
            name: name.to_owned(),
            template: table.template.clone(),
            backend: self.backend(name, kind, table)?,
        })
    }

    /// The kind of a judge's table that can be used.
    fn judge_table(&mut self, name: &str, table: &JudgeLayer) -> Option<JudgeKind> {
        let kinds: Vec<&str> = JudgeKind::all().map(JudgeKind::name).collect();
        let named = TableName { what: "judge", name, kinds: &kinds, built_in: &kinds };
        self.table(&named, table.kind.map(JudgeKind::name))?;
        let kind = table.kind?;
        let written = self.written.judges.get(name).map(JudgeLayer::keys_set).unwrap_or_default();
        self.idle_keys(&format!("judges.{name}"), &written, kind.name(), |key| takes(kind, key));
        Some(kind)
    }

    /// Refuses a table that cannot be used for its name or its kind.
    fn table(&mut self, table: &TableName<'_>, kind: Option<&str>) -> Option<()> {
        let TableName { what, name, kinds, built_in } = table;
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(plain) {
            let message =
                format!("expected a name of at most {NAME_BYTES_MAX} letters, digits, `-`, `_` and `.`");
            self.problem(format!("{what}s.{name:?}"), message, None);
            return None;
        }
        let (message, hint) = match kind {
            None => (format!("expected one of {}, found nothing", kinds.join(", ")), None),
            Some(kind) if built_in.contains(name) && kind != *name => (
                format!("expected {name:?}, because the {what} is built in, found {kind:?}"),
                Some("choose another name".to_owned()),
            ),
            Some(_) => return Some(()),
        };
        self.problem(format!("{what}s.{name}.kind"), message, hint);
        None
    }

    /// A setting that a table's kind has no use for is a mistake: its author believes that it does something.
    fn idle_keys(&mut self, section: &str, keys: &[&str], kind: &str, takes: impl Fn(&str) -> bool) {
        let what = section.split_once("s.").map_or(section, |(what, _)| what);
        for key in keys.iter().filter(|key| !["kind", "name"].contains(key) && !takes(key)) {
            self.problem(
                format!("{section}.{key}"),
                format!("a {what} of kind {kind:?} has no such setting"),
                None,
            );
        }
    }

    fn backend(&mut self, name: &str, kind: JudgeKind, layer: JudgeLayer) -> Option<Backend> {
        // A built-in judge need not be whole while it is not chosen.
        let is_needed = name != kind.name() || self.chosen() == Some(kind.name());
        match kind {
            JudgeKind::Cascade | JudgeKind::Jury => None,
            JudgeKind::Chat(dialect) => {
                let own = self.written.judges.get(name).is_some_and(|own| own.api_key_env.is_some());
                let named = if own { Naming::Written } else { Naming::Default };
                let layer = self.completed(name, layer, is_needed);
                self.chat(&format!("judges.{name}"), dialect, layer, named).map(Backend::Chat)
            }
            JudgeKind::Baseline => Some(Backend::Baseline),
            JudgeKind::Recorded => Some(Backend::Recorded { verdicts: layer.verdicts }),
            JudgeKind::Command => {
                let (argv, pass_env) = (layer.command, layer.pass_env);
                Some(Backend::Command(if is_needed {
                    self.program(&format!("judges.{name}"), argv, pass_env)
                } else {
                    CommandSettings { argv: argv.unwrap_or_default(), pass_env: pass_env.unwrap_or_default() }
                }))
            }
        }
    }

    /// `layer` with a model and an address, which not every host has by itself.
    fn completed(&mut self, name: &str, mut layer: JudgeLayer, is_needed: bool) -> JudgeLayer {
        let model = layer.model.as_deref().unwrap_or_default().trim().to_owned();
        if model.is_empty() && (layer.model.is_some() || is_needed && self.written.any_model.is_none()) {
            let setting = format!("judges.{name}.model");
            self.problem(setting, "expected a model, found an empty text", Some("use --model".to_owned()));
        }
        if layer.base_url.is_none() && is_needed && self.written.any_base_url.is_none() {
            let setting = format!("judges.{name}.base_url");
            self.problem(setting, "expected the address of the endpoint, found nothing", None);
        }
        layer.model = Some(model);
        layer.base_url.get_or_insert_with(|| NO_ADDRESS.to_owned());
        layer
    }

    /// The program of `section`, which must be there.
    fn program(
        &mut self,
        section: &str,
        argv: Option<Vec<String>>,
        pass_env: Option<Vec<String>>,
    ) -> CommandSettings {
        let (argv, pass_env) = (argv.unwrap_or_default(), pass_env.unwrap_or_default());
        if argv.first().is_none_or(String::is_empty) {
            let message = "expected a program and its arguments, found nothing";
            self.problem(format!("{section}.command"), message, None);
        }
        CommandSettings { argv, pass_env }
    }

    /// How the endpoint of `section` is spoken to.
    fn chat(
        &mut self,
        section: &str,
        kind: Dialect,
        layer: JudgeLayer,
        key_variable: Naming,
    ) -> Option<ChatSettings> {
        let temperature = given(layer.temperature);
        if let Tunable::Value(Decimal(value)) = temperature
            && (value < Exact::ZERO || value > Exact::from(2))
        {
            let message = format!("expected 0 to 2, found {value}");
            self.problem(format!("{section}.temperature"), message, None);
        }
        let model = given(layer.model).trim().to_owned();
        let base_url = self.base_url(&format!("{section}.base_url"), &given(layer.base_url))?;
        let own = self.defaults.judges[kind.name()].base_url.clone();
        let is_providers = own.is_some_and(|own| base_url.to_string() == own);
        let urls = layer.base_urls.unwrap_or_default();
        let urls = urls.iter().map(|text| self.base_url(&format!("{section}.base_urls"), text));
        let base_urls = urls.collect::<Option<Vec<Endpoint>>>()?;
        let key_use = if is_providers || key_variable == Naming::Written {
            KeyUse::Required
        } else {
            KeyUse::IfPresent
        };
        let lifetime = Duration::from_secs(given(layer.api_key_seconds).get().into());
        let pass_env = layer.pass_env.unwrap_or_default();
        let api_key_command = layer.api_key_command.filter(|argv| !argv.is_empty());
        let api_key_command = api_key_command.map(|argv| (CommandSettings { argv, pass_env }, lifetime));
        let (query, extra_body) = (layer.query.unwrap_or_default(), layer.extra_body.unwrap_or_default());
        self.check_sent(section, "query", &json!(query));
        self.check_sent(section, "extra_body", &json!(extra_body));
        let chat = ChatSettings {
            kind,
            dialect: layer.dialect,
            model,
            base_url,
            base_urls,
            headers: self.headers(section, layer.headers.unwrap_or_default())?,
            query,
            extra_body,
            api_key_env: self.variable(section, given(layer.api_key_env)),
            api_key_command,
            key_use,
            temperature,
            seed: given(layer.seed),
            output_tokens_max: given(layer.output_tokens_max),
            effort: given(layer.effort),
            thinking_tokens_max: given(layer.thinking_tokens_max),
            structured: given(layer.structured),
            signal: layer.signal.unwrap_or(SignalSource::Looks),
            service_tier: layer.service_tier.unwrap_or(ServiceTier::Standard),
            context_tokens: layer.context_tokens,
            model_mismatch: given(layer.model_mismatch),
            aliases: layer.aliases.unwrap_or_default(),
            http: given(layer.http),
            told: None,
        };
        if chat.signal == SignalSource::Logprobs && chat.dialect().logprobs.is_none() {
            let message = format!("no log probabilities are known of the dialect {}", chat.dialect().name());
            let hint = "\"stated\" asks the judge itself".to_owned();
            self.problem(format!("{section}.signal"), message, Some(hint));
        }
        Some(chat)
    }

    /// Checks the texts in what requests have besides.
    fn check_sent(&mut self, section: &str, name: &str, value: &Value) {
        let setting = format!("{section}.{name}");
        match value {
            Value::String(text) => {
                if let Err(error) = SentText::named(name, text) {
                    self.problem(setting, error.to_string(), None);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.check_sent(section, name, item)),
            Value::Object(members) => {
                members.iter().for_each(|(key, member)| self.check_sent(&setting, key, member));
            }
            _ => {}
        }
    }

    /// The name of a variable. What is not one may be a key in the wrong place, so it is not repeated.
    fn variable(&mut self, section: &str, text: String) -> Option<String> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if text.is_empty() {
            return None;
        }
        if !text.bytes().all(plain) {
            let setting = format!("{section}.api_key_env");
            let hint = "never write the key itself into settings".to_owned();
            self.problem(setting, "expected the name of an environment variable", Some(hint));
        }
        Some(text)
    }

    fn base_url(&mut self, setting: &str, text: &str) -> Option<Endpoint> {
        Endpoint::parse(text).map_err(|error| self.problem(setting, error.to_string(), None)).ok()
    }

    fn choice(&mut self, named: Option<&str>, judges: &BTreeMap<String, JudgeSettings>) {
        let Some(name) = named else { return };
        let known: Vec<&str> = judges.keys().map(String::as_str).collect();
        let Some(judge) = judges.get(name) else {
            if !self.written.judges.contains_key(name) {
                let hint = match closest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known: {}", known.join(", ")),
                };
                self.problem("judge.name", format!("there is no judge {name:?}"), Some(hint));
            }
            return;
        };
        let over =
            [("model", self.written.any_model.is_some()), ("base_url", self.written.any_base_url.is_some())];
        for (key, _) in over.into_iter().filter(|(_, is_set)| *is_set && judge.chat().is_none()) {
            self.problem(key, format!("the judge {name:?} has no such setting"), None);
        }
    }
}

/// The settings of a judge that is a model behind an endpoint. Not every dialect takes all of them.
const CHAT_KEYS: &[&str] = &[
    "model", "base_url", "base_urls", "headers", "query", "extra_body", "dialect", "api_key_env",
    "api_key_command", "api_key_seconds", "pass_env", "temperature", "seed", "output_tokens_max", "effort",
    "thinking_tokens_max", "structured", "signal", "service_tier", "context_tokens", "template",
    "model_mismatch", "aliases", "http",
];

fn takes(kind: JudgeKind, key: &str) -> bool {
    match kind {
        JudgeKind::Baseline => false,
        JudgeKind::Cascade | JudgeKind::Jury => panel::takes(kind, key),
        JudgeKind::Command => ["command", "pass_env", "template"].contains(&key),
        JudgeKind::Recorded => key == "verdicts",
        JudgeKind::Chat(dialect) => CHAT_KEYS.contains(&key) && dialect.takes(key),
    }
}

fn is_share(value: Exact) -> bool {
    (Exact::ZERO..=Exact::from(1)).contains(&value)
}

#[cfg(test)]
#[allow(clippy::needless_raw_string_hashes, reason = "the test library writes them")]
mod tests;
