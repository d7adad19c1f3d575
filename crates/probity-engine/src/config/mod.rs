//! Settings: what a person writes becomes what a run uses, once.
//!
//! A [`Layer`] is one source of settings with everything optional; a [`Config`] is complete, checked and
//! holds no key, only the name of the variable that has it. Flags beat the environment, the environment
//! beats `probity.toml`, that beats the user's own settings, and those beat the embedded `config/default.toml`, whose
//! text is really read: there is no second place where a default is written down. What `probity.toml` must not decide
//! stands in `untrusted`. This module reads no file and no variable itself.

mod choose;
mod endpoint;
mod environment;
mod host;
pub mod layer;
pub mod models;
pub mod names;
mod panel;
mod pointer;
mod price;
mod read;
mod resolve;
mod sent_text;
mod target;
mod tuning;
mod untrusted;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use probity_core::case::Moment;
use probity_core::exact::Exact;
use probity_core::gate::RuleSetting;
use probity_core::gate::pii::Allow;
use probity_core::packet::CallPlan;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dialect::Dialect;

pub(crate) use choose::chat_parts;
pub use choose::{Because, ChosenJudge};
pub use endpoint::{Address, Endpoint};
pub use layer::{Decimal, Layer, SettingClass};
pub use names::{
    Effort, Http, JudgeKind, ModelMismatch, Parse, Reask, ServiceTier, SignalSource, StoredTexts, Structured,
    TargetKind, TuningWord,
};
pub use panel::{PanelRule, PanelSettings};
pub use pointer::Pointer;
pub use price::{ListPrice, Money, Price, Tier, TokenPrice};
pub use read::{DecidingSetting, SettingsError, SettingsProblem};
pub use resolve::{FileTrust, Sources};
pub(crate) use sent_text::VARIABLE_CHARS_MIN;
pub use sent_text::{SentPiece, SentText};
pub use target::{ChatTarget, HttpTarget, SystemPrompt, TargetBackend, TargetSettings};
pub use tuning::{AnswerShape, LeftOut, SentParameters, Tunable};
pub use untrusted::{LocalFacts, SettingsFile};

use models::{Model, ServerModel};
use untrusted::Untrusted;

/// The embedded defaults, as text.
pub const DEFAULTS: &str = include_str!("../../config/default.toml");

/// How long a call in the flex tier may take.
const FLEX_CLOCK: Duration = Duration::from_mins(15);

/// All settings of a run, complete and consistent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// What is asked and how answers are read.
    pub run: RunSettings,
    /// What a reply must not do to be judged.
    pub gate: GateSettings,
    /// How case files are read.
    pub input: InputSettings,
    /// What the store keeps.
    pub store: StoreSettings,
    /// The file of limits that the second of two runs must keep.
    pub guardrails: Option<PathBuf>,
    /// When calls are made and when they stop.
    pub schedule: ScheduleSettings,
    /// `[batch]`
    pub batch: BatchSettings,
    /// What the run may cost.
    pub budget: Budget,
    /// What writes the replies that cases come without, where flags name it.
    pub target: Option<TargetSettings>,
    /// The settings files that were read, as they are named, the lowest first.
    pub files: Vec<String>,
    judges: BTreeMap<String, JudgeSettings>,
    prices: BTreeMap<String, ListPrice>,
    judge_named: Option<String>,
    any_model: Option<String>,
    any_base_url: Option<Endpoint>,
    untrusted: Option<Untrusted>,
    /// What files, variables and flags say, merged: what a run records as its settings.
    written: Layer,
}

impl Config {
    /// The judge called `name`, built in or from a table.
    pub fn named_judge(&self, name: &str) -> Option<&JudgeSettings> {
        self.judges.get(name)
    }

    /// The names of all judges, sorted.
    pub fn judge_names(&self) -> impl Iterator<Item = &str> {
        self.judges.keys().map(String::as_str)
    }

    /// What files, variables and flags say, without the defaults.
    pub fn written(&self) -> &Layer {
        &self.written
    }

    /// The clocks and caps of a call. One in the flex tier waits for room, so it has a quarter of an hour where nothing
    /// else is written.
    pub(crate) fn call_limits(&self, chat: Option<&ChatSettings>) -> CallLimits {
        let (limits, written) = (self.schedule.limits, &self.written.schedule);
        if chat.is_none_or(|chat| chat.service_tier != ServiceTier::Flex) {
            return limits;
        }
        let clock = |own: Duration, is_written: bool| if is_written { own } else { own.max(FLEX_CLOCK) };
        CallLimits {
            first_byte: clock(limits.first_byte, written.first_byte_ms.is_some()),
            total: clock(limits.total, written.total_ms.is_some()),
            ..limits
        }
    }

    /// What calls of `chat` cost, where that is known: as settings say, or as the list of models does. A server on
    /// this machine has no price of a host.
    pub fn price(&self, chat: &ChatSettings) -> Option<Price> {
        let listed = || if chat.base_url.is_loopback() { None } else { Model::named(&chat.model)?.price() };
        let row = chat.dialect();
        let price = self.prices.get(&chat.model).copied().or_else(listed)?;
        Some(
            price.at(
                row.flex.as_ref().map(|flex| flex.price),
                row.cache.as_ref().and_then(|cache| cache.write),
            ),
        )
    }
}

/// `[run]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSettings {
    /// A built-in rubric's name, or a path.
    pub rubric: String,
    /// Where the store is.
    pub store: String,
    /// The share of admitted replies that must have a verdict, 0 to 1.
    pub min_coverage: Exact,
    /// How many criteria one call asks about.
    pub call_plan: CallPlan,
    /// How an answer is read.
    pub parse: Parse,
    /// Whether an answer that is not a verdict is asked for again.
    pub reask: Reask,
}

/// `[input]`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputSettings {
    /// Where the fields of records come from, by field; read together with the flags.
    pub map: BTreeMap<String, String>,
    /// How dates are written, as `%d/%m/%Y`.
    pub date_format: Option<String>,
}

/// `[store]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSettings {
    /// What is kept of tickets, replies and evidence.
    pub texts: StoredTexts,
    /// The program, with its arguments, that tells the password of a server's database.
    pub password_command: Option<Vec<String>>,
    /// How long a worker's calls stay its own after it was last heard, on a server.
    pub lease: Duration,
}

/// `[gate]`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateSettings {
    /// Files of policy sources. Without one, evidence and claims are not checked.
    pub policies: Vec<PathBuf>,
    /// Files of rules of the user's own.
    pub own_rules: Vec<PathBuf>,
    /// The moment that counts for cases without a time of their own.
    pub as_of: Option<Moment>,
    /// Rules that do something else than the table says, by id.
    pub rules: BTreeMap<&'static str, RuleSetting>,
    /// Names that no reply may mention.
    pub competitors: Vec<String>,
    /// Advice that no reply may give.
    pub forbidden_advice: Vec<String>,
    /// Texts whose claims need no source.
    pub allowed_claims: Vec<String>,
    /// A folder with word lists, a folder per language in it.
    pub languages: Option<PathBuf>,
    /// The code of the language that replies are in; without it, their words tell.
    pub language: Option<String>,
    /// What is the company's own and no person's.
    pub own: Allow,
}

/// `[judges.NAME]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeSettings {
    /// The name it is chosen by. It is no part of what the judge is.
    pub name: String,
    /// A prompt template in place of the built-in one.
    pub template: Option<PathBuf>,
    /// What answers.
    pub backend: Backend,
}

impl JudgeSettings {
    /// What the judge is.
    pub fn kind(&self) -> JudgeKind {
        match &self.backend {
            Backend::Chat(chat) => JudgeKind::Chat(chat.kind),
            Backend::Baseline => JudgeKind::Baseline,
            Backend::Command(_) => JudgeKind::Command,
            Backend::Recorded { .. } => JudgeKind::Recorded,
            Backend::Panel(panel) => panel.rule.kind(),
        }
    }

    /// How its endpoint is spoken to, if it has one.
    pub fn chat(&self) -> Option<&ChatSettings> {
        match &self.backend {
            Backend::Chat(chat) => Some(chat),
            Backend::Baseline | Backend::Command(_) | Backend::Recorded { .. } | Backend::Panel(_) => None,
        }
    }

    /// The judges that it is made of, if it is made of any.
    pub fn panel(&self) -> Option<&PanelSettings> {
        match &self.backend {
            Backend::Panel(panel) => Some(panel),
            _ => None,
        }
    }

    /// The endpoints that are called for it: its own, or those of its members.
    pub fn chats(&self) -> impl Iterator<Item = &ChatSettings> {
        self.chat().into_iter().chain(self.panel().into_iter().flat_map(PanelSettings::chats))
    }
}

/// What answers for a judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "a run has few")]
pub enum Backend {
    /// A model behind an endpoint.
    Chat(ChatSettings),
    /// The embedded lexical judge.
    Baseline,
    /// A program.
    Command(CommandSettings),
    /// Verdicts that were recorded earlier.
    Recorded {
        /// Their file; without one, what the store holds.
        verdicts: Option<PathBuf>,
    },
    /// Other judges, which decide together.
    Panel(PanelSettings),
}

/// How an endpoint is spoken to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatSettings {
    /// The kind that the judge or target is of, from which it has what its own settings leave out.
    pub kind: Dialect,
    /// How it is spoken to, where the settings say so.
    pub dialect: Option<Dialect>,
    /// The model asked for.
    pub model: String,
    /// Where the endpoint is.
    pub base_url: Endpoint,
    /// Further servers that answer for it. They are no part of what the judge is.
    pub base_urls: Vec<Endpoint>,
    /// Headers of its requests, by name. A record does not have them.
    #[serde(skip)]
    pub headers: Vec<(String, SentText)>,
    /// The query of its requests, `${NAME}` for the value of a variable.
    pub query: BTreeMap<String, String>,
    /// What its requests have besides, `${NAME}` in a text for the value of a variable.
    pub extra_body: BTreeMap<String, Value>,
    /// The name of the variable that holds the key; `None` to send none.
    pub api_key_env: Option<String>,
    /// A program that writes the key, in place of the variable, and for how long such a key is used.
    pub api_key_command: Option<(CommandSettings, Duration)>,
    /// Whether calls can go out without a key.
    pub key_use: KeyUse,
    /// 0 to 2.
    pub temperature: Tunable<Decimal>,
    /// Sent with each call.
    pub seed: Tunable<u32>,
    /// Tokens an answer may have.
    pub output_tokens_max: Tunable<NonZeroU32>,
    /// How much the model is to think.
    pub effort: Tunable<Effort>,
    /// Tokens for thinking, besides those of the answer.
    pub thinking_tokens_max: NonZeroU32,
    /// How the endpoint is told the answer's shape.
    pub structured: Structured,
    /// Whether token probabilities are asked for.
    pub signal: SignalSource,
    /// The service tier that is asked for. It is no part of what the judge is.
    pub service_tier: ServiceTier,
    /// Tokens the model can read, where the settings say so.
    pub context_tokens: Option<NonZeroU32>,
    /// What happens when another model answers.
    pub model_mismatch: ModelMismatch,
    /// Model names that count as the one asked for.
    pub aliases: Vec<String>,
    /// The version of HTTP.
    pub http: Http,
    /// What its server said of the model, where that was asked for one. A record does not have it.
    #[serde(skip)]
    pub told: Option<ServerModel>,
}

/// A program that judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSettings {
    /// The program and its arguments. Empty only for the built-in judge that was not chosen.
    pub argv: Vec<String>,
    /// Names of secret-looking variables it may see.
    pub pass_env: Vec<String>,
}

/// `[schedule]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleSettings {
    /// Calls in flight, 1 to 10000.
    pub concurrency: usize,
    /// Calls in a minute at most, to all servers of a judge or a target together.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens of prompts and answers in a minute at most.
    pub tokens_per_minute: Option<NonZeroU32>,
    /// Calls for one packet before it stays unscored.
    pub attempts_max: u32,
    /// The clocks and caps of one call.
    pub limits: CallLimits,
    /// The longest that one packet is pursued, and that every call is put off without an answer to one.
    pub packet_max: Duration,
    /// The first wait before a retry.
    pub backoff_first: Duration,
    /// The longest wait before a retry.
    pub backoff_max: Duration,
    /// The longest wait a server may ask for.
    pub retry_after_max: Duration,
    /// Failures in a row that stop the run.
    pub breaker_consecutive: u32,
    /// Calls over which the share of failures is taken.
    pub breaker_window: u32,
    /// The share of failures above which the run stops, above 0 and at most 1.
    pub breaker_share: Exact,
    /// How long other calls wait for the first; zero to wait for none.
    pub pilot_max: Duration,
}

/// The clocks and caps of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// To establish a connection.
    pub connect: Duration,
    /// From sending to response headers.
    pub first_byte: Duration,
    /// Between two pieces of the body; comment lines of an event stream do not count as pieces.
    pub idle: Duration,
    /// For the whole call.
    pub total: Duration,
    /// Decoded bytes of a body.
    pub body_bytes_max: usize,
}

/// `[batch]`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSettings {
    /// Requests of a batch at most, where its host takes as many.
    pub requests_max: usize,
    /// Bytes of them at most.
    pub bytes_max: usize,
    /// The first pause between two looks at a batch.
    pub poll_first: Duration,
    /// The longest pause between two looks at a batch.
    pub poll_max: Duration,
    /// How long a batch is searched for that may have been made, before it counts as not made.
    pub search: Duration,
}

/// `[budget]`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Calls in all; `None` for as many as it takes.
    pub calls_max: Option<u64>,
    /// US dollars in all; `None` for as many as it takes.
    pub usd_max: Option<Exact>,
    /// US dollars above which a command asks before it spends them.
    pub confirm_usd: Exact,
    /// Calls above which it asks where no price is known.
    pub confirm_calls: u64,
}

/// Whether a call can go out without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyUse {
    /// It cannot: the endpoint is the provider's own, or the settings name the variable.
    Required,
    /// The endpoint is another one, such as a local server: a key is sent where there is one.
    IfPresent,
}

/// Whether `value` could be a key at all: what decides which judge is used.
pub fn is_present(value: Option<&str>) -> bool {
    value.is_some_and(|value| !value.trim().is_empty())
}
