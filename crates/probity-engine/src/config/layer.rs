//! Settings as a person writes them: every one may be missing.
//!
//! A [`Layer`] is one source of settings (the embedded defaults, a file, the environment, the flags).
//! Nothing here decides what a missing setting means or whether settings fit together; that happens once,
//! when layers become a [`super::Config`].

use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use probity_core::exact::Exact;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::class::SettingClass;
use super::names::{
    Calls, Effort, Http, JudgeKind, Logprobs, ModelMismatch, Parse, Reask, StoredTexts, Structured,
    TargetKind, TestData,
};
use super::tuning::Tunable;
use crate::dialect::Dialect;

/// A number written as a decimal, kept exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal(pub Exact);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    /// Takes the digits as a string, or a whole number. A TOML float reaches this as its source text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl serde::de::Visitor<'_> for Digits {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a decimal number")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Decimal, E> {
                text.parse().map(Decimal).map_err(E::custom)
            }

            fn visit_i64<E: serde::de::Error>(self, whole: i64) -> Result<Decimal, E> {
                Ok(Decimal(Exact::from(whole)))
            }
        }
        deserializer.deserialize_any(Digits)
    }
}

/// One section of settings, all optional. The list of keys with their classes, the merge and the reader come from one
/// table, so a setting without a class does not compile.
macro_rules! section {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty => $class:ident,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "a table")]
        pub struct $name {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
        }

        impl $name {
            /// The keys this section takes, each with its class.
            pub const SETTINGS: &'static [(&'static str, SettingClass)] =
                &[$((stringify!($field), SettingClass::$class)),*];

            /// These settings with those of `over` above them.
            #[must_use]
            pub fn merge(self, over: Self) -> Self {
                Self { $($field: over.$field.or(self.$field),)* }
            }

            /// The keys that are set, in the order of the table.
            pub fn keys_set(&self) -> Vec<&'static str> {
                let set = [$((stringify!($field), self.$field.is_some())),*];
                set.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect()
            }

            /// Only the settings that any file may decide.
            #[must_use]
            pub fn plain(self) -> Self {
                Self { $($field: self.$field.filter(|_| SettingClass::$class == SettingClass::Plain),)* }
            }

            /// The settings that differ from those of `other` and that not every file may decide.
            pub fn differing(&self, other: &Self) -> Vec<(&'static str, SettingClass)> {
                let differs = [$(self.$field != other.$field),*];
                let settings = Self::SETTINGS.iter().zip(differs);
                let deciding = |class| class != SettingClass::Plain;
                settings.filter(|((_, class), differs)| *differs && deciding(*class)).map(|(s, _)| *s).collect()
            }
        }
    };
}

section! {
    /// `[run]`
    RunLayer {
        /// A built-in rubric's name, or a path.
        rubric: String => Path,
        /// Where the store is.
        store: String => Path,
        /// 0 to 1.
        min_coverage: Decimal => Plain,
        /// How many criteria one call asks about.
        call_plan: Calls => Plain,
        /// How an answer is read.
        parse: Parse => Plain,
        /// Whether an answer that is not a verdict is asked for again.
        reask: Reask => Plain,
    }
}

section! {
    /// `[judge]`
    ChoiceLayer {
        /// Which judge to use.
        name: String => Plain,
    }
}

section! {
    /// `[judges.NAME]`
    JudgeLayer {
        /// What the judge is.
        kind: JudgeKind => Plain,
        /// The model.
        model: String => Plain,
        /// The endpoint without the last part of its path.
        base_url: String => Address,
        /// Further servers that answer for it.
        base_urls: Vec<String> => Address,
        /// Headers of its requests; `${NAME}` stands for a variable of the environment.
        #[serde(skip_serializing)]
        headers: BTreeMap<String, String> => Header,
        /// The query of its requests.
        query: BTreeMap<String, String> => Plain,
        /// What its requests have besides.
        extra_body: BTreeMap<String, Value> => Plain,
        /// How the endpoint is spoken to, where its host does not say.
        dialect: Dialect => Plain,
        /// The name of the variable that holds the key; empty for no key.
        api_key_env: String => Variable,
        /// A program that writes the key, and its arguments.
        api_key_command: Vec<String> => Program,
        /// Seconds for which such a key is used.
        api_key_seconds: NonZeroU32 => Plain,
        /// 0 to 2.
        temperature: Tunable<Decimal> => Plain,
        /// The seed sent with each call.
        seed: Tunable<u32> => Plain,
        /// Tokens an answer may have.
        output_tokens_max: Tunable<NonZeroU32> => Plain,
        /// How much the model is to think.
        effort: Tunable<Effort> => Plain,
        /// Tokens for thinking, besides those of the answer.
        thinking_tokens_max: NonZeroU32 => Plain,
        /// How the endpoint is told the answer's shape.
        structured: Structured => Plain,
        /// Whether token probabilities are asked for.
        logprobs: Logprobs => Plain,
        /// Tokens the model can read.
        context_tokens: NonZeroU32 => Plain,
        /// A prompt template in place of the built-in one.
        template: PathBuf => Path,
        /// The program and its arguments.
        command: Vec<String> => Program,
        /// Names of secret-looking variables the program may see.
        pass_env: Vec<String> => Variable,
        /// A file of recorded verdicts.
        verdicts: PathBuf => Path,
        /// What happens when another model answers.
        model_mismatch: ModelMismatch => Plain,
        /// Model names that count as the one asked for.
        aliases: Vec<String> => Plain,
        /// The version of HTTP.
        http: Http => Plain,
    }
}

section! {
    /// `[targets.NAME]`
    TargetLayer {
        /// What the target is.
        kind: TargetKind => Plain,
        /// The model, or for other kinds than `openai` the one that is known to be behind it.
        model: String => Plain,
        /// Model names that count as that one.
        aliases: Vec<String> => Plain,
        /// The endpoint without the last part of its path.
        base_url: String => Address,
        /// The name of the variable that holds the key; empty for no key.
        api_key_env: String => Variable,
        /// The system prompt.
        system: String => Plain,
        /// A file with the system prompt.
        system_file: PathBuf => Path,
        /// How the endpoint is spoken to, where its host does not say.
        dialect: Dialect => Plain,
        /// 0 to 2.
        temperature: Tunable<Decimal> => Plain,
        /// The seed sent with each call.
        seed: Tunable<u32> => Plain,
        /// Tokens a reply may have.
        output_tokens_max: Tunable<NonZeroU32> => Plain,
        /// The version of HTTP.
        http: Http => Plain,
        /// Where an `http` target takes requests.
        url: String => Address,
        /// Headers of its requests; `${NAME}` stands for a variable of the environment.
        #[serde(skip_serializing)]
        headers: BTreeMap<String, String> => Header,
        /// The template of its requests.
        request: String => Plain,
        /// Where the reply stands in its answers, as a JSON pointer.
        reply: String => Plain,
        /// Where its own confidence stands in them, as a JSON pointer.
        confidence: String => Plain,
        /// The program and its arguments.
        command: Vec<String> => Program,
        /// Names of secret-looking variables the program may see.
        pass_env: Vec<String> => Variable,
    }
}

section! {
    /// The target of a run. Only flags choose one.
    TargetChoice {
        /// Which target to ask.
        name: String => Plain,
        /// Its model, over what its table says.
        model: String => Plain,
        /// Its endpoint, over what its table says.
        base_url: String => Address,
        /// The file of its system prompt, over what its table says.
        system_file: PathBuf => Path,
    }
}

section! {
    /// `[schedule]`
    ScheduleLayer {
        /// Calls in flight.
        concurrency: u32 => Plain,
        /// Calls for one packet.
        attempts_max: NonZeroU32 => Plain,
        /// Milliseconds to connect.
        connect_ms: NonZeroU64 => Plain,
        /// Milliseconds to the first byte.
        first_byte_ms: NonZeroU64 => Plain,
        /// Milliseconds between two pieces of a body.
        idle_ms: NonZeroU64 => Plain,
        /// Milliseconds for the whole call.
        total_ms: NonZeroU64 => Plain,
        /// Decoded bytes of a body.
        body_bytes_max: NonZeroU32 => Plain,
        /// Milliseconds for one packet, and without an answer to any call.
        packet_ms_max: NonZeroU64 => Plain,
        /// Milliseconds of the first wait.
        backoff_ms_first: NonZeroU64 => Plain,
        /// Milliseconds of the longest wait.
        backoff_ms_max: NonZeroU64 => Plain,
        /// Milliseconds a server may ask to wait.
        retry_after_ms_max: NonZeroU64 => Plain,
        /// Failures in a row that stop the run.
        breaker_consecutive: NonZeroU32 => Plain,
        /// Calls over which the share of failures is taken.
        breaker_window: NonZeroU32 => Plain,
        /// Share of failures above which the run stops.
        breaker_share: Decimal => Plain,
        /// Milliseconds that other calls wait for the first.
        pilot_ms_max: u64 => Plain,
    }
}

section! {
    /// `[gate]`
    GateLayer {
        /// Files of policy sources.
        policies: Vec<PathBuf> => Path,
        /// The moment that counts for cases without a time of their own.
        as_of: String => Plain,
        /// Rules whose findings block.
        block: Vec<String> => Plain,
        /// Rules whose findings are shown and do no more.
        flag: Vec<String> => Plain,
        /// Rules that are not checked.
        off: Vec<String> => Plain,
        /// Names that no reply may mention.
        competitors: Vec<String> => Plain,
        /// Advice that no reply may give.
        forbidden_advice: Vec<String> => Plain,
        /// Texts whose claims need no source.
        allowed_claims: Vec<String> => Plain,
        /// Files that add to the word lists for claims.
        lexicons: Vec<PathBuf> => Path,
        /// The company's own e-mail addresses.
        own_emails: Vec<String> => Plain,
        /// The company's own domains.
        own_domains: Vec<String> => Plain,
        /// The company's own telephone numbers.
        own_phones: Vec<String> => Plain,
        /// The company's own street addresses.
        own_addresses: Vec<String> => Plain,
        /// The company's own network addresses.
        own_ips: Vec<String> => Plain,
        /// What values that were published for tests do.
        test_values: TestData => Plain,
        /// The forms of the company's own numbers.
        own_numbers: Vec<String> => Plain,
    }
}

section! {
    /// `[store]`
    StoreLayer {
        /// What is kept of tickets, replies and evidence.
        texts: StoredTexts => Plain,
    }
}

section! {
    /// `[diff]`
    DiffLayer {
        /// The file of limits that a second run must keep.
        guardrails: PathBuf => Path,
    }
}

section! {
    /// `[budget]`
    BudgetLayer {
        /// Calls in all.
        calls_max: u64 => Plain,
        /// US dollars in all.
        usd_max: Decimal => Plain,
    }
}

section! {
    /// `[prices."model"]`
    PriceLayer {
        /// US dollars for a million tokens of prompts.
        input_usd_per_mtok: Decimal => Plain,
        /// US dollars for a million tokens of answers.
        output_usd_per_mtok: Decimal => Plain,
    }
}

/// The keys whose values are decimals. A float in the file is read as its source text there.
pub(super) const DECIMAL_KEYS: &[&str] =
    &["min_coverage", "temperature", "breaker_share", "usd_max", "input_usd_per_mtok", "output_usd_per_mtok"];

/// One source of settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Layer {
    /// `[run]`
    pub run: RunLayer,
    /// `[judge]`
    pub judge: ChoiceLayer,
    /// `[judges.NAME]`
    pub judges: BTreeMap<String, JudgeLayer>,
    /// `[targets.NAME]`
    pub targets: BTreeMap<String, TargetLayer>,
    /// `[schedule]`
    pub schedule: ScheduleLayer,
    /// `[gate]`
    pub gate: GateLayer,
    /// `[store]`
    pub store: StoreLayer,
    /// `[diff]`
    pub diff: DiffLayer,
    /// `[budget]`
    pub budget: BudgetLayer,
    /// `[prices."model"]`
    pub prices: BTreeMap<String, PriceLayer>,
    /// The model of whichever judge is used. Only flags and variables set it: a file names a model in the
    /// judge's own table.
    #[serde(skip)]
    pub any_model: Option<String>,
    /// The endpoint of whichever judge is used. Only flags set it.
    #[serde(skip)]
    pub any_base_url: Option<String>,
    /// The target of a run. Only flags choose one.
    #[serde(skip)]
    pub target: TargetChoice,
}

impl Layer {
    /// Only the settings that any file may decide.
    #[must_use]
    pub fn plain(self) -> Layer {
        Layer {
            run: self.run.plain(),
            judge: self.judge.plain(),
            judges: self.judges.into_iter().map(|(name, table)| (name, table.plain())).collect(),
            targets: self.targets.into_iter().map(|(name, table)| (name, table.plain())).collect(),
            schedule: self.schedule.plain(),
            gate: self.gate.plain(),
            store: self.store.plain(),
            diff: self.diff.plain(),
            budget: self.budget.plain(),
            prices: self.prices.into_iter().map(|(model, table)| (model, table.plain())).collect(),
            any_model: None,
            any_base_url: None,
            target: TargetChoice::default(),
        }
    }

    /// These settings with those of `over` above them. Tables of judges and prices are merged key by key.
    #[must_use]
    pub fn merge(self, over: Layer) -> Layer {
        Layer {
            run: self.run.merge(over.run),
            judge: self.judge.merge(over.judge),
            judges: merge_tables(self.judges, over.judges, JudgeLayer::merge),
            targets: merge_tables(self.targets, over.targets, TargetLayer::merge),
            schedule: self.schedule.merge(over.schedule),
            gate: self.gate.merge(over.gate),
            store: self.store.merge(over.store),
            diff: self.diff.merge(over.diff),
            budget: self.budget.merge(over.budget),
            prices: merge_tables(self.prices, over.prices, PriceLayer::merge),
            any_model: over.any_model.or(self.any_model),
            any_base_url: over.any_base_url.or(self.any_base_url),
            target: self.target.merge(over.target),
        }
    }
}

fn merge_tables<T: Default>(
    mut under: BTreeMap<String, T>,
    over: BTreeMap<String, T>,
    merge: fn(T, T) -> T,
) -> BTreeMap<String, T> {
    for (name, table) in over {
        let below = under.remove(&name).unwrap_or_default();
        under.insert(name, merge(below, table));
    }
    under
}
