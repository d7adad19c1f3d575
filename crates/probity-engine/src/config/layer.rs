//! Settings as a person writes them: every one is optional.
//!
//! A [`Layer`] is one source of settings (the embedded defaults, a file, the environment, the flags). Nothing here
//! decides what a missing setting means or whether settings are consistent; that happens once, when layers become a
//! [`super::Config`].
//!
//! A settings file may have come with a clone. What it says about how replies are scored is the project's own business;
//! where a key goes, what is executed and what is read or written elsewhere is the user's. So each setting has a class
//! in the table that declares it, and all classes but [`SettingClass::Plain`] need the user's word.

use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use probity_core::exact::Exact;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::names::{
    Calls, Effort, Http, JudgeKind, ModelMismatch, Parse, Reask, ServiceTier, SignalSource, StoredTexts,
    Structured, TargetKind, TestData,
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

            fn visit_u64<E: serde::de::Error>(self, whole: u64) -> Result<Decimal, E> {
                self.visit_i64(i64::try_from(whole).map_err(E::custom)?)
            }
        }
        deserializer.deserialize_any(Digits)
    }
}

/// What a setting decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingClass {
    /// How replies are scored, and how fast. Any file may decide it.
    Plain,
    /// An address that cases and keys are sent to.
    Address,
    /// A program that is executed.
    Program,
    /// A variable of the environment that is sent, or handed to a program.
    Variable,
    /// Headers of requests, and what else they have in which variables may stand.
    Header,
    /// A file that is read or written. Any file may name one inside the working folder.
    Path,
}

/// A row of the table of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub key: &'static str,
    /// What it decides.
    pub class: SettingClass,
    /// The type of its value.
    pub value_type: &'static str,
}

/// Where the settings of a section are: directly in its table, or one table deeper under names people choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    One,
    Named,
}

type One<T> = T;
type Named<T> = BTreeMap<String, T>;

/// What all sections can do, and tables of them.
pub(super) trait SettingsSection: Default {
    /// These settings with those of `over` above them, key by key.
    #[must_use]
    fn merge(self, over: Self) -> Self;

    /// Only the settings that any file may decide.
    #[must_use]
    fn plain(self) -> Self;
}

impl<T: SettingsSection> SettingsSection for BTreeMap<String, T> {
    fn merge(mut self, over: Self) -> Self {
        for (name, table) in over {
            let below = self.remove(&name).unwrap_or_default();
            self.insert(name, below.merge(table));
        }
        self
    }

    fn plain(self) -> Self {
        self.into_iter().map(|(name, table)| (name, table.plain())).collect()
    }
}

/// One section of settings, all optional. `config/default.toml` describes them.
macro_rules! section {
    ($layer:ident { $($(#[$meta:meta])* $key:ident: $type:ty => $class:ident,)* }) => {
        #[doc = concat!("Settings that may be missing: ", $("`", stringify!($key), "` ",)*)]
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "a table")]
        pub struct $layer {
            $(
                #[doc = concat!("`", stringify!($key), "`")]
                #[serde(skip_serializing_if = "Option::is_none")]
                $(#[$meta])*
                pub $key: Option<$type>,
            )*
        }

        impl $layer {
            /// The settings of this section.
            pub const SETTINGS: &'static [Setting] = &[$(Setting {
                key: stringify!($key),
                class: SettingClass::$class,
                value_type: stringify!($type),
            }),*];

            /// The keys that are set, in the order of the table.
            pub fn keys_set(&self) -> Vec<&'static str> {
                let set = [$((stringify!($key), self.$key.is_some())),*];
                set.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect()
            }

            /// The settings that differ from those of `other` and that not every file may decide.
            pub fn differing(&self, other: &Self) -> Vec<Setting> {
                let differs = [$(self.$key != other.$key),*];
                let settings = Self::SETTINGS.iter().zip(differs).filter(|(_, differs)| *differs);
                settings.map(|(setting, _)| *setting).filter(|it| it.class != SettingClass::Plain).collect()
            }
        }

        impl SettingsSection for $layer {
            fn merge(self, over: Self) -> Self {
                Self { $($key: over.$key.or(self.$key),)* }
            }

            fn plain(self) -> Self {
                Self { $($key: self.$key.filter(|_| SettingClass::$class == SettingClass::Plain),)* }
            }
        }
    };
}

/// The table of all settings: each with its type and its class. Everything that reads, merges or checks settings by name
/// comes from it, so a setting without a class does not compile.
macro_rules! settings {
    ($($section:ident: $depth:ident<$layer:ident> $rows:tt)*) => {
        $(section! { $layer $rows })*

        /// The sections: their names, where their keys are, and the settings.
        pub(super) const SECTIONS: &[(&str, Depth, &[Setting])] =
            &[$((stringify!($section), Depth::$depth, $layer::SETTINGS)),*];

        /// One source of settings.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "a table")]
        pub struct Layer {
            $(#[doc = concat!("`[", stringify!($section), "]`")] pub $section: $depth<$layer>,)*
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
                Layer { $($section: self.$section.plain(),)* ..Layer::default() }
            }

            /// These settings with those of `over` above them.
            #[must_use]
            pub fn merge(self, over: Layer) -> Layer {
                Layer {
                    $($section: self.$section.merge(over.$section),)*
                    any_model: over.any_model.or(self.any_model),
                    any_base_url: over.any_base_url.or(self.any_base_url),
                    target: self.target.merge(over.target),
                }
            }
        }
    };
}

section! {
    TargetChoice {
        name: String => Plain,
        model: String => Plain,
        base_url: String => Address,
        system_file: PathBuf => Path,
    }
}

settings! {
    run: One<RunLayer> {
        rubric: String => Path,
        store: String => Path,
        min_coverage: Decimal => Plain,
        call_plan: Calls => Plain,
        parse: Parse => Plain,
        reask: Reask => Plain,
    }
    judge: One<ChoiceLayer> {
        name: String => Plain,
    }
    judges: Named<JudgeLayer> {
        kind: JudgeKind => Plain,
        model: String => Plain,
        base_url: String => Address,
        base_urls: Vec<String> => Address,
        #[serde(skip_serializing)]
        headers: BTreeMap<String, String> => Header,
        query: BTreeMap<String, String> => Header,
        extra_body: BTreeMap<String, Value> => Header,
        dialect: Dialect => Plain,
        api_key_env: String => Variable,
        api_key_command: Vec<String> => Program,
        api_key_seconds: NonZeroU32 => Plain,
        temperature: Tunable<Decimal> => Plain,
        seed: Tunable<u32> => Plain,
        output_tokens_max: Tunable<NonZeroU32> => Plain,
        effort: Tunable<Effort> => Plain,
        thinking_tokens_max: NonZeroU32 => Plain,
        structured: Structured => Plain,
        signal: SignalSource => Plain,
        service_tier: ServiceTier => Plain,
        context_tokens: NonZeroU32 => Plain,
        template: PathBuf => Path,
        command: Vec<String> => Program,
        pass_env: Vec<String> => Variable,
        verdicts: PathBuf => Path,
        model_mismatch: ModelMismatch => Plain,
        aliases: Vec<String> => Plain,
        http: Http => Plain,
        stages: Vec<String> => Plain,
        members: Vec<String> => Plain,
        agreement: Decimal => Plain,
        confidence: Decimal => Plain,
        repeats: NonZeroU32 => Plain,
    }
    targets: Named<TargetLayer> {
        kind: TargetKind => Plain,
        model: String => Plain,
        aliases: Vec<String> => Plain,
        base_url: String => Address,
        api_key_env: String => Variable,
        system: String => Plain,
        system_file: PathBuf => Path,
        dialect: Dialect => Plain,
        temperature: Tunable<Decimal> => Plain,
        seed: Tunable<u32> => Plain,
        output_tokens_max: Tunable<NonZeroU32> => Plain,
        http: Http => Plain,
        url: String => Address,
        #[serde(skip_serializing)]
        headers: BTreeMap<String, String> => Header,
        request: String => Plain,
        reply: String => Plain,
        confidence: String => Plain,
        command: Vec<String> => Program,
        pass_env: Vec<String> => Variable,
    }
    gate: One<GateLayer> {
        policies: Vec<PathBuf> => Path,
        rules: Vec<PathBuf> => Path,
        as_of: String => Plain,
        block: Vec<String> => Plain,
        flag: Vec<String> => Plain,
        off: Vec<String> => Plain,
        competitors: Vec<String> => Plain,
        forbidden_advice: Vec<String> => Plain,
        allowed_claims: Vec<String> => Plain,
        languages: PathBuf => Path,
        language: String => Plain,
        own_emails: Vec<String> => Plain,
        own_domains: Vec<String> => Plain,
        own_phones: Vec<String> => Plain,
        own_addresses: Vec<String> => Plain,
        own_ips: Vec<String> => Plain,
        test_values: TestData => Plain,
        own_numbers: Vec<String> => Plain,
    }
    input: One<InputLayer> {
        map: BTreeMap<String, String> => Plain,
        date_format: String => Plain,
    }
    store: One<StoreLayer> {
        texts: StoredTexts => Plain,
        password_command: Vec<String> => Program,
        lease_seconds: u32 => Plain,
    }
    diff: One<DiffLayer> {
        guardrails: PathBuf => Path,
    }
    schedule: One<ScheduleLayer> {
        concurrency: u32 => Plain,
        requests_per_minute: NonZeroU32 => Plain,
        tokens_per_minute: NonZeroU32 => Plain,
        attempts_max: NonZeroU32 => Plain,
        connect_ms: NonZeroU64 => Plain,
        first_byte_ms: NonZeroU64 => Plain,
        idle_ms: NonZeroU64 => Plain,
        total_ms: NonZeroU64 => Plain,
        body_bytes_max: NonZeroU32 => Plain,
        packet_ms_max: NonZeroU64 => Plain,
        backoff_ms_first: NonZeroU64 => Plain,
        backoff_ms_max: NonZeroU64 => Plain,
        retry_after_ms_max: NonZeroU64 => Plain,
        breaker_consecutive: NonZeroU32 => Plain,
        breaker_window: NonZeroU32 => Plain,
        breaker_share: Decimal => Plain,
        pilot_ms_max: u64 => Plain,
    }
    batch: One<BatchLayer> {
        requests_max: NonZeroU32 => Plain,
        bytes_max: NonZeroU32 => Plain,
        poll_ms_first: NonZeroU64 => Plain,
        poll_ms_max: NonZeroU64 => Plain,
        search_ms: NonZeroU64 => Plain,
    }
    budget: One<BudgetLayer> {
        calls_max: u64 => Plain,
        usd_max: Decimal => Plain,
        confirm_usd: Decimal => Plain,
        confirm_calls: u64 => Plain,
    }
    prices: Named<PriceLayer> {
        input_usd_per_mtok: Decimal => Plain,
        output_usd_per_mtok: Decimal => Plain,
        cached_usd_per_mtok: Decimal => Plain,
        cache_write_usd_per_mtok: Decimal => Plain,
        flex_input_usd_per_mtok: Decimal => Plain,
        flex_output_usd_per_mtok: Decimal => Plain,
        batch_input_usd_per_mtok: Decimal => Plain,
        batch_output_usd_per_mtok: Decimal => Plain,
    }
}

impl Layer {
    /// The judge called `name` with what it takes from the built-in table of its kind.
    pub(super) fn judge_table(&self, name: &str) -> JudgeLayer {
        let own = self.judges.get(name).cloned().unwrap_or_default();
        let built_in = own.kind.and_then(|kind| self.judges.get(kind.name())).cloned().unwrap_or_default();
        // Aliases belong to a table's own model, so they are the one thing that is not passed on.
        JudgeLayer { aliases: Some(Vec::new()), ..built_in }.merge(own)
    }

    /// The target called `name` with what it takes from the built-in tables, and from the flags that choose it.
    pub(super) fn target_table(&self, name: &str) -> TargetLayer {
        let mut own = self.targets.get(name).cloned().unwrap_or_default();
        let flags = Some(self.target.clone()).filter(|flags| flags.name.as_deref() == Some(name));
        let TargetChoice { model, base_url, system_file, .. } = flags.unwrap_or_default();
        if model.is_some() && model != own.model {
            // Aliases are other names of the model that the table names.
            (own.model, own.aliases) = (model, None);
        }
        if own.kind != Some(TargetKind::Openai) {
            return own;
        }
        // Where nothing else is said, the target is where the judge of this kind is.
        let judge = self.judges.get(JudgeKind::OPENAI).cloned().unwrap_or_default();
        let JudgeLayer { base_url: judge_url, api_key_env, http, .. } = judge;
        let built_in = self.targets.get(TargetKind::Openai.name()).cloned().unwrap_or_default();
        let table = TargetLayer { base_url: judge_url, api_key_env, http, ..TargetLayer::default() }
            .merge(TargetLayer { aliases: None, ..built_in })
            .merge(own);
        let system = table.system.clone().filter(|_| system_file.is_none());
        TargetLayer { system, ..table.merge(TargetLayer { base_url, system_file, ..TargetLayer::default() }) }
    }
}
