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
use serde::{Deserialize, Deserializer};

use super::names::{
    Calls, Http, JudgeKind, Logprobs, ModelMismatch, Parse, Reask, Structured, TargetKind, TestData,
    TokenLimitField,
};

/// A number written as a decimal, kept exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal(pub Exact);

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

/// One section of settings, all optional. The list of keys, the merge and the reader come from one table.
macro_rules! section {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "a table")]
        pub struct $name { $($(#[$field_meta])* pub $field: Option<$type>,)* }

        impl $name {
            /// The keys this section takes.
            pub const KEYS: &'static [&'static str] = &[$(stringify!($field)),*];

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
        }
    };
}

section! {
    /// `[run]`
    RunLayer {
        /// A built-in rubric's name, or a path.
        rubric: String,
        /// Where the store is.
        store: String,
        /// 0 to 1.
        min_coverage: Decimal,
        /// How many criteria one call asks about.
        call_plan: Calls,
        /// How an answer is read.
        parse: Parse,
        /// Whether an answer that is not a verdict is asked for again.
        reask: Reask,
    }
}

section! {
    /// `[judge]`
    ChoiceLayer {
        /// Which judge to use.
        name: String,
    }
}

section! {
    /// `[judges.NAME]`
    JudgeLayer {
        /// What the judge is.
        kind: JudgeKind,
        /// The model.
        model: String,
        /// The endpoint without the last part of its path.
        base_url: String,
        /// The name of the variable that holds the key; empty for no key.
        api_key_env: String,
        /// 0 to 2.
        temperature: Decimal,
        /// The seed sent with each call.
        seed: u32,
        /// Tokens an answer may have.
        output_tokens_max: NonZeroU32,
        /// How the endpoint calls that limit.
        token_limit_field: TokenLimitField,
        /// How the endpoint is told the answer's shape.
        structured: Structured,
        /// Whether token probabilities are asked for.
        logprobs: Logprobs,
        /// Tokens the model can read.
        context_tokens: NonZeroU32,
        /// A prompt template in place of the built-in one.
        template: PathBuf,
        /// The program and its arguments.
        command: Vec<String>,
        /// Names of secret-looking variables the program may see.
        pass_env: Vec<String>,
        /// A file of recorded verdicts.
        verdicts: PathBuf,
        /// What happens when another model answers.
        model_mismatch: ModelMismatch,
        /// Model names that count as the one asked for.
        aliases: Vec<String>,
        /// The version of HTTP.
        http: Http,
    }
}

section! {
    /// `[targets.NAME]`
    TargetLayer {
        /// What the target is.
        kind: TargetKind,
        /// The model, or for other kinds than `openai` the one that is known to be behind it.
        model: String,
        /// Model names that count as that one.
        aliases: Vec<String>,
        /// The endpoint without the last part of its path.
        base_url: String,
        /// The name of the variable that holds the key; empty for no key.
        api_key_env: String,
        /// The system prompt.
        system: String,
        /// A file with the system prompt.
        system_file: PathBuf,
        /// 0 to 2.
        temperature: Decimal,
        /// The seed sent with each call.
        seed: u32,
        /// Tokens a reply may have.
        output_tokens_max: NonZeroU32,
        /// How the endpoint calls that limit.
        token_limit_field: TokenLimitField,
        /// The version of HTTP.
        http: Http,
        /// Where an `http` target takes requests.
        url: String,
        /// Headers of its requests; `${NAME}` stands for a variable of the environment.
        headers: BTreeMap<String, String>,
        /// The template of its requests.
        request: String,
        /// Where the reply stands in its answers, as a JSON pointer.
        reply: String,
        /// Where its own confidence stands in them, as a JSON pointer.
        confidence: String,
        /// The program and its arguments.
        command: Vec<String>,
        /// Names of secret-looking variables the program may see.
        pass_env: Vec<String>,
    }
}

section! {
    /// The target of a run. Only flags choose one.
    TargetChoice {
        /// Which target to ask.
        name: String,
        /// Its model, over what its table says.
        model: String,
        /// Its endpoint, over what its table says.
        base_url: String,
        /// The file of its system prompt, over what its table says.
        system_file: PathBuf,
    }
}

section! {
    /// `[schedule]`
    ScheduleLayer {
        /// Calls in flight.
        concurrency: u32,
        /// Calls for one packet.
        attempts_max: NonZeroU32,
        /// Milliseconds to connect.
        connect_ms: NonZeroU64,
        /// Milliseconds to the first byte.
        first_byte_ms: NonZeroU64,
        /// Milliseconds between two pieces of a body.
        idle_ms: NonZeroU64,
        /// Milliseconds for the whole call.
        total_ms: NonZeroU64,
        /// Decoded bytes of a body.
        body_bytes_max: NonZeroU32,
        /// Milliseconds of the first wait.
        backoff_ms_first: NonZeroU64,
        /// Milliseconds of the longest wait.
        backoff_ms_max: NonZeroU64,
        /// Milliseconds a server may ask to wait.
        retry_after_ms_max: NonZeroU64,
        /// Failures in a row that stop the run.
        breaker_consecutive: NonZeroU32,
        /// Calls over which the share of failures is taken.
        breaker_window: NonZeroU32,
        /// Share of failures above which the run stops.
        breaker_share: Decimal,
        /// Milliseconds that other calls wait for the first.
        pilot_ms_max: u64,
    }
}

section! {
    /// `[gate]`
    GateLayer {
        /// Files of policy sources.
        policies: Vec<PathBuf>,
        /// The moment that counts for cases without a time of their own.
        as_of: String,
        /// Rules whose findings block.
        block: Vec<String>,
        /// Rules whose findings are shown and do no more.
        flag: Vec<String>,
        /// Rules that are not checked.
        off: Vec<String>,
        /// Names that no reply may mention.
        competitors: Vec<String>,
        /// Advice that no reply may give.
        forbidden_advice: Vec<String>,
        /// Texts whose claims need no source.
        allowed_claims: Vec<String>,
        /// Files that add to the word lists for claims.
        lexicons: Vec<PathBuf>,
        /// The company's own e-mail addresses.
        own_emails: Vec<String>,
        /// The company's own domains.
        own_domains: Vec<String>,
        /// The company's own telephone numbers.
        own_phones: Vec<String>,
        /// The company's own street addresses.
        own_addresses: Vec<String>,
        /// The company's own network addresses.
        own_ips: Vec<String>,
        /// What values that were published for tests do.
        test_values: TestData,
        /// The forms of the company's own numbers.
        own_numbers: Vec<String>,
    }
}

section! {
    /// `[budget]`
    BudgetLayer {
        /// Calls in all.
        calls_max: u64,
        /// US dollars in all.
        usd_max: Decimal,
    }
}

section! {
    /// `[prices."model"]`
    PriceLayer {
        /// US dollars for a million tokens of prompts.
        input_usd_per_mtok: Decimal,
        /// US dollars for a million tokens of answers.
        output_usd_per_mtok: Decimal,
    }
}

/// The keys whose values are decimals. A float in the file is read as its source text there.
pub(super) const DECIMAL_KEYS: &[&str] =
    &["min_coverage", "temperature", "breaker_share", "usd_max", "input_usd_per_mtok", "output_usd_per_mtok"];

/// One source of settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
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
