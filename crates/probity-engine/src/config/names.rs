//! Settings that are one word out of a few: each is an enum with the names people write.
//!
//! One table per setting yields the variants, their names and the message for a word that is not among
//! them, so a file, a variable and a flag accept the same words.

use std::str::FromStr;

use probity_core::verdict::ParseMode;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::price::Tier;
use crate::dialect::Dialect;

/// A word that a setting does not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, found {found:?}", allowed.join(", "))]
pub struct NotAllowed {
    /// The word.
    pub found: String,
    /// The accepted words.
    pub allowed: Vec<&'static str>,
}

macro_rules! setting_enum {
    ($($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* #[doc = concat!("`", $text, "`")] $variant,)+ }

        impl $name {
            /// Every name, in the order of the variants.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The name used in files, variables, flags and manifests.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }

        impl FromStr for $name {
            type Err = NotAllowed;

            fn from_str(text: &str) -> Result<Self, NotAllowed> {
                match text {
                    $($text => Ok($name::$variant),)+
                    _ => Err(NotAllowed { found: text.to_owned(), allowed: Self::NAMES.to_vec() }),
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

/// What a judge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeKind {
    /// A model behind an endpoint: a row of the table of dialects.
    Chat(Dialect),
    /// The embedded lexical judge.
    Baseline,
    /// A program that speaks JSON lines.
    Command,
    /// Verdicts that were recorded earlier.
    Recorded,
    /// Judges asked in turn; the first one that is sure enough decides.
    Cascade,
    /// Judges that vote.
    Jury,
}

impl JudgeKind {
    /// The kind whose endpoint may be any: its host says how it is spoken to.
    pub const OPENAI: &'static str = "openai";

    /// Every kind.
    pub fn all() -> impl Iterator<Item = JudgeKind> {
        let others = [
            JudgeKind::Baseline,
            JudgeKind::Command,
            JudgeKind::Recorded,
            JudgeKind::Cascade,
            JudgeKind::Jury,
        ];
        Dialect::all().map(JudgeKind::Chat).chain(others)
    }

    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            JudgeKind::Chat(dialect) => dialect.name(),
            JudgeKind::Baseline => "baseline",
            JudgeKind::Command => "command",
            JudgeKind::Recorded => "recorded",
            JudgeKind::Cascade => "cascade",
            JudgeKind::Jury => "jury",
        }
    }
}

impl FromStr for JudgeKind {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let names = || JudgeKind::all().map(JudgeKind::name).collect();
        JudgeKind::all()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| NotAllowed { found: text.to_owned(), allowed: names() })
    }
}

impl Serialize for JudgeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for JudgeKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

setting_enum! {
    /// What a target is.
    TargetKind {
        /// Any OpenAI-compatible endpoint, with a system prompt.
        Openai = "openai",
        /// An HTTP endpoint that takes and gives JSON.
        Http = "http",
        /// A program that speaks JSON lines.
        Command = "command",
    }
}

// What each word means stands in `config/default.toml`.
setting_enum! {
    /// What card numbers, phones and domains do that were published for tests.
    TestData { Report = "report", Allow = "allow", }

    /// How many criteria one call asks about.
    Calls { PerCriterion = "per_criterion", OneCall = "one_call", }

    /// How an answer is read.
    Parse { Tolerant = "tolerant", Strict = "strict", }

    /// Whether an answer that is not a verdict is asked for again.
    Reask { Once = "once", Never = "never", }

    /// A word in place of a parameter's value.
    TuningWord { Auto = "auto", Unset = "unset", }

    /// How much a model is to think before it answers.
    Effort {
        None = "none",
        Minimal = "minimal",
        Low = "low",
        Medium = "medium",
        High = "high",
        Xhigh = "xhigh",
        Max = "max",
    }

    /// How an endpoint is told what shape the answer has.
    Structured { Auto = "auto", Schema = "schema", JsonObject = "json_object", Plain = "plain", }

    /// What says how sure a judge is beside its looks agreeing: the probabilities of its tokens, or its own word.
    SignalSource { Looks = "looks", Logprobs = "logprobs", Stated = "stated", }

    /// How a host is to serve calls.
    ServiceTier { Standard = "standard", Flex = "flex", }

    /// What happens when another model answers than the one asked for.
    ModelMismatch { Note = "note", Invalid = "invalid", Stop = "stop", }

    /// What the store keeps of tickets, replies and evidence.
    StoredTexts { Full = "full", Digest = "digest", }

    /// The version of HTTP that is spoken.
    Http { Http1 = "http1", Http2 = "http2", }
}

impl ServiceTier {
    /// The tier by which calls are priced.
    pub fn tier(self) -> Tier {
        match self {
            ServiceTier::Standard => Tier::Standard,
            ServiceTier::Flex => Tier::Flex,
        }
    }
}

impl Parse {
    /// The way in which answers are read.
    pub fn mode(self) -> ParseMode {
        match self {
            Parse::Tolerant => ParseMode::Tolerant,
            Parse::Strict => ParseMode::Strict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for kind in JudgeKind::all() {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        for name in Structured::NAMES {
            assert_eq!(name.parse::<Structured>().expect("a name").name(), *name);
        }
    }

    #[test]
    fn r13_unknown_provider_lists_the_known_ones() {
        let error = "gemma".parse::<JudgeKind>().expect_err("not a kind").to_string();
        assert!(
            error.starts_with("expected one of compatible, openai-responses, openai, openai-decisions, "),
            "{error}"
        );
        assert!(error.ends_with(", baseline, command, recorded, cascade, jury, found \"gemma\""), "{error}");
    }
}
