//! What is known of the hosts of models, as data: one table, read once from `config/dialects.toml`.
//!
//! Nothing here sends, waits or decides. A request is built from a row, an answer read by it, and an error looked up in
//! the rules.

mod rules;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use probity_core::exact::Exact;
use probity_core::verdict::envelope::{self, AnswerMap};
use probity_core::verdict::{Completion, EnvelopeFault};
use reqwest::Url;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

pub(crate) use rules::context_told;
pub use rules::{ErrorAct, ErrorRule, Parameter, ToldError, mentioned, rule};

/// The file that the table is read from.
const DATA: &str = include_str!("../../config/dialects.toml");

static TABLE: LazyLock<HostTable> =
    LazyLock::new(|| HostTable::read(DATA).expect("the embedded table is read by every test"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostTable {
    context_says: Vec<String>,
    shape: BTreeMap<String, toml::Table>,
    dialect: Vec<toml::Table>,
    #[serde(skip)]
    rows: Vec<DialectRow>,
    family: Vec<Family>,
    parameters: BTreeMap<Parameter, Vec<String>>,
    error: Vec<ErrorRule>,
}

impl HostTable {
    fn read(text: &str) -> Result<HostTable, toml::de::Error> {
        let mut table: HostTable = toml::from_str(text)?;
        for own in table.dialect.drain(..) {
            let shape = own.get("shape").and_then(toml::Value::as_str).and_then(|name| table.shape.get(name));
            let mut row = shape.cloned().unwrap_or_default();
            row.extend(own);
            row.retain(|_, value| value.as_str() != Some(""));
            table.rows.push(row.try_into()?);
        }
        Ok(table)
    }
}

/// A host, or a kind of server: how it is asked and how its answers are read. Fields of requests are JSON pointers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DialectRow {
    /// The name in settings.
    pub name: String,
    #[serde(rename = "shape")]
    _shape: String,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    models: Vec<String>,
    /// Where the host is.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub key_env: Option<String>,
    /// The model that is asked where the settings name none.
    pub model: Option<String>,
    reader: AnswerReader,
    answer: Option<AnswerMap>,
    /// The path of a call.
    pub path: String,
    /// The header that carries the key, and what stands before the key in it.
    pub key: (String, String),
    /// Further headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The query of a call.
    #[serde(default)]
    pub query: BTreeMap<String, String>,
    /// The body of a request.
    pub request: Value,
    /// What the host wants in every request besides.
    pub extra: Option<Value>,
    /// What asks for an answer by schema.
    pub schema: Option<Value>,
    /// What asks for a JSON object.
    pub json_object: Option<Value>,
    /// What turns thinking off.
    pub off: Option<Value>,
    /// Where the temperature goes.
    pub temperature: Option<String>,
    /// Where the seed goes.
    pub seed: Option<String>,
    /// Where the limit on output goes.
    pub limit: Option<String>,
    /// Where the effort goes.
    pub effort: Option<String>,
    /// Where it is said that token probabilities are wanted.
    pub logprobs: Option<String>,
    /// Where the context size goes.
    pub context: Option<String>,
    /// The tier that costs less and waits for room.
    pub flex: Option<FlexTier>,
    /// The cache of prompts.
    pub cache: Option<PromptCache>,
    /// What takes the place of members of the request where the beginning of the prompt is marked for the cache.
    pub marked: Option<Value>,
    /// Whether the host drops a part of long prompts without a word.
    #[serde(default)]
    pub cuts: bool,
    batch: Option<BatchRow>,
    #[serde(rename = "refuses", default)]
    _refuses: Vec<String>,
    #[serde(rename = "refusal")]
    _refusal: Option<Value>,
}

/// How a host takes many requests at once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchRow {
    /// How requests go in and results come out.
    pub form: BatchForm,
    /// The path of batches, below the base URL.
    pub path: String,
    /// The path of a call, as lines of requests name it; empty where they do not.
    #[serde(default)]
    pub endpoint: String,
    /// Requests in a batch at most.
    pub requests_max: usize,
    /// Bytes of them at most.
    pub bytes_max: usize,
}

/// How requests go in and results come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchForm {
    /// As files, from which batches are made under a tag.
    Files,
    /// Requests with the order, results as a stream. Nothing tells batches apart but what is in them.
    Inline,
}

/// A tier that is asked for with one field.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlexTier {
    /// Where the tier's name goes.
    pub field: String,
    /// What it costs.
    pub price: FlexPrice,
}

/// What the flex tier of a host costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlexPrice {
    /// What a batch costs.
    Batch,
    /// The full price, or one that is not known.
    Standard,
}

/// What is known of the cache that a host keeps of the beginnings of prompts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptCache {
    /// Tokens that a beginning must have to be kept.
    pub tokens_min: u64,
    /// How many times as much tokens cost that are written to it.
    pub write: Option<Exact>,
}

/// How answers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerReader {
    Chat,
    Messages,
    Decisions,
    Map,
}

/// Models that think before they answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    models: Vec<String>,
    /// How much they think where the settings do not say, if they take that.
    pub effort: Option<String>,
    /// Parameters that they refuse.
    #[serde(default)]
    pub omit: Vec<Parameter>,
}

/// The family of `model`, if it thinks.
pub fn family(model: &str) -> Option<&'static Family> {
    TABLE.family.iter().find(|family| family.models.iter().any(|pattern| fits(pattern, model)))
}

/// How a host is spoken to: a row of the table.
#[derive(Clone, Copy)]
pub struct Dialect(&'static DialectRow);

impl Dialect {
    /// Every dialect, in the order of the table.
    pub fn all() -> impl Iterator<Item = Dialect> {
        TABLE.rows.iter().map(Dialect)
    }

    /// The dialect of the host of `url`, where a row knows it.
    pub(crate) fn of_host(url: &Url, model: &str) -> Option<Dialect> {
        let is_there = |pattern: &String| {
            let (host, path) = pattern.find('/').map_or((pattern.as_str(), ""), |at| pattern.split_at(at));
            let has_host = match (host.strip_prefix(':'), url.host_str()) {
                (Some(port), _) => url.port().is_some_and(|own| port.parse() == Ok(own)),
                (None, Some(own)) => own
                    .strip_suffix(host)
                    .is_some_and(|before| before.is_empty() || before.ends_with(['.', '-'])),
                (None, None) => false,
            };
            has_host && url.path().starts_with(path)
        };
        let is_asked =
            |row: &Dialect| row.models.is_empty() || row.models.iter().any(|pattern| fits(pattern, model));
        Dialect::all().find(|row| row.hosts.iter().any(is_there) && is_asked(row))
    }

    /// Whether it is chat completions, which targets speak too.
    pub fn is_chat(self) -> bool {
        self.reader == AnswerReader::Chat
    }

    /// Whether answers say why. One that does not says how probable it is.
    pub fn gives_reasons(self) -> bool {
        self.reader != AnswerReader::Decisions
    }

    /// The name in settings.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// How it takes many requests at once, where it does.
    pub fn batch(self) -> Option<&'static BatchRow> {
        self.0.batch.as_ref()
    }

    /// Reads a whole answer.
    pub fn completion(self, body: &[u8]) -> Result<Completion, EnvelopeFault> {
        match (&self.0.reader, &self.0.answer) {
            (AnswerReader::Chat, _) => envelope::openai(body),
            (AnswerReader::Messages, _) => envelope::anthropic(body),
            (AnswerReader::Decisions, _) => envelope::decisions(body),
            (AnswerReader::Map, map) => {
                envelope::mapped(body, map.as_ref().expect("a map is given with its reader"))
            }
        }
    }

    /// Whether it has a use for the setting `key` of a judge.
    pub fn takes(self, key: &str) -> bool {
        match key {
            "seed" => self.seed.is_some(),
            // The host gives one by itself.
            "signal" => self.gives_reasons(),
            "output_tokens_max" => self.limit.is_some(),
            "temperature" => self.temperature.is_some(),
            "effort" => self.effort.is_some(),
            "service_tier" => self.flex.is_some(),
            _ => true,
        }
    }
}

impl std::ops::Deref for Dialect {
    type Target = DialectRow;

    fn deref(&self) -> &DialectRow {
        self.0
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Dialect {}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}

/// A name that no row has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, found {found:?}", Dialect::all().map(Dialect::name).collect::<Vec<_>>().join(", "))]
pub struct NoDialect {
    found: String,
}

impl FromStr for Dialect {
    type Err = NoDialect;

    fn from_str(name: &str) -> Result<Dialect, NoDialect> {
        Dialect::all().find(|row| row.name == name).ok_or_else(|| NoDialect { found: name.to_owned() })
    }
}

impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.name)
    }
}

impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Whether `text` is what `pattern` says, in which `*` stands for any characters.
fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|start| text.strip_prefix(start)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    for (i, piece) in pieces.iter().enumerate() {
        if i + 1 == pieces.len() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, model: &str, want: &str) {
        let url = Url::parse(url).expect("a URL");
        assert_eq!(Dialect::of_host(&url, model).map_or("none", Dialect::name), want, "{url}");
    }

    #[test]
    fn a_host_is_known_by_its_name_its_path_or_its_port() {
        check("https://api.openai.com/v1", "gpt-6-luna", "openai");
        check("https://api.openai.com/v1", "gpt-5.2-pro", "openai-responses");
        check("https://api.openai.com.example.org/v1", "gpt-6-luna", "none");
        check("https://res.openai.azure.com/openai/deployments/d", "d", "azure");
        check("https://res.openai.azure.com/openai/v1", "d", "azure-v1");
        check("https://generativelanguage.googleapis.com/v1beta/openai", "g", "gemini-openai");
        check("https://generativelanguage.googleapis.com/v1beta", "g", "gemini");
        check("https://europe-west1-aiplatform.googleapis.com/v1/projects/p", "g", "vertex");
        check("https://bedrock-mantle.eu-west-1.api.aws/v1", "m", "bedrock");
        check("https://bedrock-mantle.eu-west-1.api.aws/openai/v1", "m", "bedrock-responses");
        check("http://localhost:11434/v1", "m", "ollama");
        check("http://gpu.local:8000/v1", "m", "vllm");
        check("http://gpu.local:9000/v1", "m", "none");
    }

    #[test]
    fn patterns() {
        for (pattern, text, want) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*gpt-6*", "openai/gpt-6-luna", true),
            ("o3*", "foo3", false),
            ("*-pro", "gpt-5-pro", true),
            ("*-pro", "gpt-pro-mini", false),
        ] {
            assert_eq!(fits(pattern, text), want, "{pattern} {text}");
        }
    }

    #[test]
    fn every_row_can_be_used() {
        for dialect in Dialect::all() {
            assert_eq!(dialect.name().parse::<Dialect>(), Ok(dialect));
            assert_eq!(dialect.reader == AnswerReader::Map, dialect.answer.is_some(), "{dialect:?}");
            let is_tuned = dialect.temperature.is_some() && dialect.limit.is_some();
            assert_eq!(is_tuned, dialect.gives_reasons(), "{dialect:?}");
        }
    }
}
