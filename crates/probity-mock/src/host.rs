//! A host that the mock judge plays: the rows of `config/dialects.toml` say what it refuses and what it cuts.

use serde::Deserialize;
use serde_json::Value;

/// The table of hosts, which the engine asks them by.
const DATA: &str = include_str!("../config/dialects.toml");

/// What Ollama reads at most unless it is told otherwise.
const CONTEXT_TOKENS: u64 = 4096;

/// Tokens that a model that thinks uses for it.
const THOUGHT_TOKENS: u64 = 1500;

/// Where requests say how much may be written.
const LIMITS: &[&str] = &[
    "/max_tokens",
    "/max_completion_tokens",
    "/max_output_tokens",
    "/generationConfig/maxOutputTokens",
    "/options/num_predict",
];

#[derive(Deserialize)]
struct HostRows {
    dialect: Vec<HostRow>,
    family: Vec<ThinkingModels>,
}

#[derive(Debug, Clone, Deserialize)]
struct HostRow {
    name: String,
    #[serde(default)]
    refuses: Vec<String>,
    refusal: Option<HostRefusal>,
    #[serde(default)]
    cuts: bool,
}

#[derive(Debug, Clone, Deserialize)]
struct HostRefusal {
    status: u16,
    body: Value,
}

#[derive(Debug, Clone, Deserialize)]
struct ThinkingModels {
    models: Vec<String>,
    #[serde(default)]
    omit: Vec<String>,
}

/// A host with its refusals, and the models that think.
#[derive(Debug, Clone)]
pub struct MockHost {
    row: HostRow,
    families: Vec<ThinkingModels>,
}

/// What a host does about a request before a model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// It is refused with this status and body.
    Refused(u16, String),
    /// Thinking uses up what may be written.
    ThoughtAway,
    /// So many tokens are read, of more.
    Cut(u64),
    /// Nothing.
    Served,
}

impl MockHost {
    /// The host called `name`. The error says which there are.
    pub fn named(name: &str) -> Result<MockHost, String> {
        let table: HostRows = toml::from_str(DATA).map_err(|error| error.to_string())?;
        let names: Vec<String> = table.dialect.iter().map(|row| row.name.clone()).collect();
        let row = table.dialect.into_iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| format!("expected one of {}, found {name:?}", names.join(", ")))?;
        Ok(MockHost { row, families: table.family })
    }

    /// What it does about `body`, a request to `model` of so many bytes.
    pub(crate) fn treatment(&self, body: &Value, model: &str, n_bytes: usize) -> Treatment {
        // A name that ends in `*` is that of all that begin so; one that begins with it may stand anywhere.
        let is_one = |pattern: &String| {
            let word = pattern.trim_matches('*');
            if pattern.starts_with('*') { model.contains(word) } else { model.starts_with(word) }
        };
        let family = self.families.iter().find(|family| family.models.iter().any(is_one));
        let omitted = family.map(|family| family.omit.as_slice()).unwrap_or_default();
        let refused = self.row.refuses.iter().chain(omitted).find(|field| body.get(field.as_str()).is_some());
        if let (Some(field), Some(refusal)) = (refused, &self.row.refusal) {
            return Treatment::Refused(refusal.status, refusal.body.to_string().replace("$field", field));
        }
        let limit = LIMITS.iter().find_map(|limit| body.pointer(limit)?.as_u64());
        if family.is_some() && limit.is_some_and(|limit| limit < THOUGHT_TOKENS) {
            return Treatment::ThoughtAway;
        }
        let context = body.pointer("/options/num_ctx").and_then(Value::as_u64).unwrap_or(CONTEXT_TOKENS);
        if self.row.cuts && n_bytes as u64 / 4 > context {
            return Treatment::Cut(context / 2 + 2);
        }
        Treatment::Served
    }
}
