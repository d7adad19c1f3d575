//! Settings that are one word out of a few: each is an enum with the names people write.
//!
//! One table per setting yields the variants, their names and the message for a word that is not among
//! them, so a file, a variable and a flag accept the same words.

use std::str::FromStr;

use probity_core::verdict::ParseMode;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A word that is not among those a setting takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, found {found:?}", allowed.join(", "))]
pub struct NotAllowed {
    /// The word.
    pub found: String,
    /// What would have been taken.
    pub allowed: &'static [&'static str],
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
                    _ => Err(NotAllowed { found: text.to_owned(), allowed: Self::NAMES }),
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

setting_enum! {
    /// How the endpoint of a model is spoken to. Each is a kind of judge, too, of the same name.
    Dialect {
        /// Chat completions, at any OpenAI-compatible endpoint.
        Openai = "openai",
        /// The Messages API.
        Anthropic = "anthropic",
    }
}

impl Dialect {
    /// The kind of a judge that is asked in it.
    pub fn kind(self) -> JudgeKind {
        self.name().parse().expect("every dialect is a kind of judge")
    }

    /// Whether it has a use for the setting `key` of a chat judge.
    pub fn takes(self, key: &str) -> bool {
        match self {
            Dialect::Openai => true,
            Dialect::Anthropic => !["seed", "token_limit_field", "logprobs"].contains(&key),
        }
    }
}

impl JudgeKind {
    /// How a judge of this kind is asked, if it is a model behind an endpoint.
    pub fn dialect(self) -> Option<Dialect> {
        self.name().parse().ok()
    }
}

setting_enum! {
    /// What a judge is.
    JudgeKind {
        /// Any OpenAI-compatible endpoint.
        Openai = "openai",
        /// The Messages API.
        Anthropic = "anthropic",
        /// The embedded lexical judge.
        Baseline = "baseline",
        /// A program that speaks JSON lines.
        Command = "command",
        /// Verdicts that are already there.
        Recorded = "recorded",
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

    /// How the endpoint calls the limit on an answer's tokens.
    TokenLimitField { MaxTokens = "max_tokens", MaxCompletionTokens = "max_completion_tokens", }

    /// How an endpoint is told what shape the answer has.
    Structured { Auto = "auto", Schema = "schema", JsonObject = "json_object", Plain = "plain", }

    /// Whether token probabilities are asked for.
    Logprobs { Off = "off", On = "on", }

    /// What happens when another model answers than the one asked for.
    ModelMismatch { Note = "note", Invalid = "invalid", Stop = "stop", }

    /// What the store keeps of tickets, replies and evidence.
    StoredTexts { Full = "full", Digest = "digest", }

    /// The version of HTTP that is spoken.
    Http { Http1 = "http1", Http2 = "http2", }
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
        for name in JudgeKind::NAMES {
            assert_eq!(name.parse::<JudgeKind>().expect("a name").name(), *name);
        }
        for name in Dialect::NAMES {
            let dialect: Dialect = name.parse().expect("a name");
            assert_eq!((dialect.kind().name(), dialect.kind().dialect()), (*name, Some(dialect)));
        }
        for name in Structured::NAMES {
            assert_eq!(name.parse::<Structured>().expect("a name").name(), *name);
        }
    }

    #[test]
    fn r13_unknown_provider_lists_the_known_ones() {
        let error = "gemini".parse::<JudgeKind>().expect_err("not a kind");
        assert_eq!(
            error.to_string(),
            "expected one of openai, anthropic, baseline, command, recorded, found \"gemini\""
        );
    }
}
