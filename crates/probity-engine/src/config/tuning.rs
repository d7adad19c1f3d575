//! Optional request parameters: what a person writes, and what is sent.

use probity_core::exact::Exact;
use probity_core::verdict::ConfidenceSource;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};

use super::ChatSettings;
use super::layer::Decimal;
use super::names::{Effort, SignalSource, Structured, TuningWord};
use crate::dialect::{Dialect, Parameter, family};

/// The seed that `auto` sends.
const SEED_AUTO: u32 = 7;
/// The tokens that `auto` allows an answer.
const OUTPUT_TOKENS_AUTO: u32 = 1024;
/// The largest output that any host allows, for calls without a limit.
const OUTPUT_TOKENS_MOST: u32 = 128_000;

/// A parameter that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Tunable<T> {
    /// A word.
    Word(TuningWord),
    /// This value, or the call fails.
    Value(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Tunable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = serde_json::Value::deserialize(deserializer)?;
        if let Ok(word) = TuningWord::deserialize(&written) {
            return Ok(Tunable::Word(word));
        }
        let value = T::deserialize(written).map(Tunable::Value);
        value.map_err(|error| D::Error::custom(format!("{error}; or \"auto\", or \"unset\"")))
    }
}

impl<T: Copy> Tunable<T> {
    /// The value to send if `auto` means this one.
    fn or_auto(self, auto: Option<T>) -> Option<T> {
        match self {
            Tunable::Word(TuningWord::Auto) => auto,
            Tunable::Word(TuningWord::Unset) => None,
            Tunable::Value(value) => Some(value),
        }
    }

    fn is_auto(self) -> bool {
        matches!(self, Tunable::Word(TuningWord::Auto))
    }
}

/// How structured output is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerShape {
    /// By a schema that the service enforces.
    Schema,
    /// By asking the service for any JSON object; the prompt describes it.
    JsonObject,
    /// By the prompt alone.
    Plain,
}

impl AnswerShape {
    /// Its name in a judge's identity.
    pub fn name(self) -> &'static str {
        match self {
            AnswerShape::Schema => "schema",
            AnswerShape::JsonObject => "json_object",
            AnswerShape::Plain => "plain",
        }
    }
}

/// The parameters that a judge has refused, in that order. A shape can be refused twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut(Vec<Parameter>);

impl LeftOut {
    /// This parameter too.
    #[must_use]
    pub fn and(&self, parameter: Parameter) -> LeftOut {
        LeftOut(self.0.iter().copied().chain([parameter]).collect())
    }

    fn has(&self, parameter: Parameter) -> bool {
        self.0.contains(&parameter)
    }

    /// As it is kept in a store.
    pub fn text(&self) -> String {
        self.0.iter().map(|parameter| parameter.setting()).collect::<Vec<_>>().join(",")
    }

    /// As it was kept.
    pub fn parse(text: &str) -> LeftOut {
        LeftOut(text.split(',').filter_map(Parameter::of_setting).collect())
    }
}

/// What a call carries besides its prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentParameters {
    /// The temperature.
    pub temperature: Option<Exact>,
    /// The seed.
    pub seed: Option<u32>,
    /// Tokens that may be written, thinking included.
    pub limit: Option<u32>,
    /// Where that limit stands in the request.
    pub limit_field: String,
    /// How much the model is to think.
    pub effort: Option<Effort>,
    /// How the answer's shape is asked for.
    pub shape: AnswerShape,
    /// What the judge is asked for besides, to say how sure it is.
    pub signal: SignalSource,
}

impl SentParameters {
    /// Tokens that may be written, thinking included, or the most that any host allows.
    pub(crate) fn limit_most(&self) -> u64 {
        u64::from(self.limit.unwrap_or(OUTPUT_TOKENS_MOST))
    }
}

impl ChatSettings {
    /// How the endpoint is spoken to: as the settings say, as its host is known to be, or as its kind is.
    pub fn dialect(&self) -> Dialect {
        let guessed = || match self.kind.name() {
            "openai" => Dialect::of_host(self.base_url.url(), &self.model)
                .unwrap_or_else(|| "compatible".parse().expect("the table has this row")),
            _ => self.kind,
        };
        self.dialect.unwrap_or_else(guessed)
    }

    /// What is sent without the parameters that were refused.
    pub fn sent(&self, left: &LeftOut) -> SentParameters {
        let (row, family) = (self.dialect(), family(&self.model));
        let is_known_refusal = |parameter| family.is_some_and(|family| family.omit.contains(&parameter));
        let takes = |parameter| !left.has(parameter) && !is_known_refusal(parameter);
        let zero = Decimal(Exact::ZERO);
        let temperature = self.temperature.or_auto(takes(Parameter::Temperature).then_some(zero));
        let seed = self.seed.or_auto(takes(Parameter::Seed).then_some(SEED_AUTO));
        let effort = family.and_then(|family| family.effort.as_deref()?.parse().ok());
        let effort = self.effort.or_auto(effort.filter(|_| takes(Parameter::Effort)));
        // A model that refuses a temperature thinks.
        let thinks = family.is_some() || left.has(Parameter::Temperature);
        let room = if thinks { self.thinking_tokens_max.get() } else { 0 };
        let limit = self.output_tokens_max.or_auto(OUTPUT_TOKENS_AUTO.try_into().ok());
        let is_left = self.output_tokens_max.is_auto() && left.has(Parameter::Limit);
        let limit = limit.filter(|_| !is_left).map(|limit| limit.get().saturating_add(room));
        // A host that writes nothing has no limit to set.
        let limit = if row.limit.is_none() { Some(0) } else { limit };
        let is_taken = match self.signal {
            SignalSource::Logprobs => row.logprobs.is_some() && !left.has(Parameter::Logprobs),
            SignalSource::Stated => row.limit.is_some(),
            SignalSource::Looks => true,
        };
        SentParameters {
            temperature: temperature.filter(|_| row.temperature.is_some()).map(|value| value.0),
            seed: seed.filter(|_| row.seed.is_some()),
            limit,
            limit_field: self.limit_field(left),
            effort: effort.filter(|_| row.effort.is_some()),
            shape: self.shape(left),
            signal: if is_taken { self.signal } else { SignalSource::Looks },
        }
    }

    /// Where the judge's confidence is read, where it is asked for any.
    pub fn confidence(&self, left: &LeftOut) -> Option<ConfidenceSource> {
        match self.sent(left).signal {
            _ if !self.dialect().gives_reasons() => Some(ConfidenceSource::Given),
            SignalSource::Looks => None,
            SignalSource::Logprobs => Some(ConfidenceSource::Tokens),
            SignalSource::Stated => Some(ConfidenceSource::Stated),
        }
    }

    /// The parameter to leave out after `refused` was refused, if there is one that the settings leave open.
    pub fn remedy(&self, refused: Parameter, left: &LeftOut) -> Option<Parameter> {
        let sent = self.sent(left);
        let is_open = |parameter| match parameter {
            Parameter::Temperature => self.temperature.is_auto() && sent.temperature.is_some(),
            Parameter::Seed => self.seed.is_auto() && sent.seed.is_some(),
            Parameter::Effort => self.effort.is_auto() && sent.effort.is_some(),
            Parameter::Limit => self.output_tokens_max.is_auto() && sent.limit.is_some(),
            Parameter::LimitName => {
                sent.limit.is_some() && self.limit_field(&left.and(parameter)) != sent.limit_field
            }
            Parameter::Structured => self.structured == Structured::Auto && sent.shape != AnswerShape::Plain,
            Parameter::Logprobs => sent.signal == SignalSource::Logprobs,
            // Never left out in silence: the price would double.
            Parameter::ServiceTier | Parameter::Any | Parameter::Other => false,
        };
        let candidates: &[Parameter] = match refused {
            Parameter::LimitName => &[Parameter::LimitName, Parameter::Limit],
            Parameter::Any => &[Parameter::Temperature, Parameter::Seed, Parameter::Effort, Parameter::Limit],
            _ => &[refused],
        };
        candidates.iter().copied().find(|parameter| is_open(*parameter))
    }

    /// Whether a refusal could make calls start over.
    pub fn is_open(&self, left: &LeftOut) -> bool {
        [Parameter::Any, Parameter::Structured]
            .iter()
            .any(|parameter| self.remedy(*parameter, left).is_some())
    }

    /// The limit's place in a request. Chat completions have two names for it.
    fn limit_field(&self, left: &LeftOut) -> String {
        let own = self.dialect().limit.clone().unwrap_or_default();
        match (own.as_str(), left.has(Parameter::LimitName)) {
            ("/max_tokens", true) => "/max_completion_tokens".to_owned(),
            ("/max_completion_tokens", true) => "/max_tokens".to_owned(),
            _ => own,
        }
    }

    /// The strongest shape that the host has, after as many as were refused.
    fn shape(&self, left: &LeftOut) -> AnswerShape {
        let n_refused = left.0.iter().filter(|parameter| **parameter == Parameter::Structured).count();
        let row = self.dialect();
        let has = |shape: &AnswerShape| match shape {
            AnswerShape::Schema => row.schema.is_some(),
            AnswerShape::JsonObject => row.json_object.is_some(),
            AnswerShape::Plain => true,
        };
        let from = match self.structured {
            Structured::Auto | Structured::Schema => 0,
            Structured::JsonObject => 1,
            Structured::Plain => 2,
        };
        let shapes = [AnswerShape::Schema, AnswerShape::JsonObject, AnswerShape::Plain];
        shapes[from..].iter().copied().filter(has).nth(n_refused).unwrap_or(AnswerShape::Plain)
    }
}
