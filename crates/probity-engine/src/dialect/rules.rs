//! What errors mean: the rules of the table, and the words by which errors name parameters.

use serde::Deserialize;

use super::TABLE;

/// A parameter of a request that a host may refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// How freely the model draws.
    Temperature,
    /// What its draws follow from.
    Seed,
    /// How the limit on its output is called.
    LimitName,
    /// The limit on its output.
    Limit,
    /// How much it thinks.
    Effort,
    /// How the answer's shape is asked for.
    Structured,
    /// Whether token probabilities are asked for.
    Logprobs,
    /// The tier in which calls are served.
    ServiceTier,
    /// One of them; the host does not say which.
    Any,
    /// One that only a person sends.
    Other,
}

impl Parameter {
    /// The setting that decides about it.
    pub fn setting(self) -> &'static str {
        match self {
            Parameter::Temperature => "temperature",
            Parameter::Seed => "seed",
            Parameter::LimitName => "max_tokens",
            Parameter::Limit => "output_tokens_max",
            Parameter::Effort => "effort",
            Parameter::Structured => "structured",
            Parameter::Logprobs => "logprobs",
            Parameter::ServiceTier => "service_tier",
            Parameter::Any => "any",
            Parameter::Other => "extra_body",
        }
    }

    /// The parameter that a setting decides about.
    pub(crate) fn of_setting(setting: &str) -> Option<Parameter> {
        use Parameter::{Effort, Limit, LimitName, Logprobs, Seed, Structured, Temperature};
        [Temperature, Seed, LimitName, Limit, Effort, Structured, Logprobs]
            .into_iter()
            .find(|parameter| parameter.setting() == setting)
    }
}

/// What is done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorAct {
    /// The account is used up: the run stops.
    Quota,
    /// Every call waits, and calls grow slowly again.
    SlowDown,
    /// Calls wait.
    RateLimited,
    /// This call backs off.
    Overloaded,
    /// This call backs off: the server failed.
    ServerError,
    /// This call backs off: the server asks for that.
    TryAgain,
    /// The prompt does not fit: the packet has no verdict.
    ContextLength,
    /// The request does not fit: the packet has no verdict.
    RequestTooLarge,
    /// A filter refused the prompt: the packet has no verdict.
    ContentFilter,
    /// The key is not accepted: the run stops.
    Credentials,
    /// There is no such model or path: the run stops.
    Model,
    /// A parameter is refused: the run starts over without it, or stops.
    Parameter,
    /// The form of the request is refused, which may be its schema.
    Schema,
    /// The request can never work: the run stops.
    Unusable,
    /// The server sends the call elsewhere: the run stops.
    Redirect,
    /// The model's output broke the server's own check: ask once more.
    AskAgain,
    /// The packet is given up for now.
    BadRequest,
}

/// A rule of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorRule {
    /// What is done.
    pub act: ErrorAct,
    /// The parameter that is meant, where the rule says so itself.
    pub parameter: Option<Parameter>,
    #[serde(default)]
    status: Vec<u16>,
    #[serde(default)]
    from: u16,
    to: Option<u16>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    waits: bool,
    #[serde(default)]
    mentions: bool,
}

/// What a rule is compared with.
#[derive(Debug)]
pub struct ToldError<'a> {
    /// The status of the response, or the one that an error inside a success names.
    pub status: u16,
    /// Exact names of the error.
    pub names: &'a [String],
    /// The parameters that it names in fields of their own.
    pub params: &'a [String],
    /// Its sentence.
    pub message: &'a str,
    /// Whether a header says how long to wait.
    pub waits: bool,
}

/// The first rule that holds. The last rule of the table has no condition.
pub fn rule(told: &ToldError<'_>) -> &'static ErrorRule {
    let message = told.message.to_lowercase();
    let holds = |rule: &&ErrorRule| {
        (rule.status.is_empty() || rule.status.contains(&told.status))
            && (rule.from..=rule.to.unwrap_or(u16::MAX)).contains(&told.status)
            && (rule.names.is_empty() || rule.names.iter().any(|name| told.is_named(name)))
            && (rule.says.is_empty() || rule.says.iter().any(|phrase| message.contains(phrase.as_str())))
            && (!rule.waits || told.waits)
            && (!rule.mentions || mentioned(told).is_some())
    };
    TABLE.error.iter().find(holds).expect("the last rule of the table has no condition")
}

impl ToldError<'_> {
    fn is_named(&self, pattern: &str) -> bool {
        self.names.iter().any(|name| super::fits(pattern, name))
    }
}

/// The parameter that an error is about: by its fields, or the first that its message names.
pub fn mentioned(told: &ToldError<'_>) -> Option<Parameter> {
    let named = told.params.iter().find_map(|param| first_named(param));
    named.or_else(|| first_named(told.message)).map(|parameter| match parameter {
        Parameter::Limit if told.is_about_a_name() => Parameter::LimitName,
        other => other,
    })
}

impl ToldError<'_> {
    /// Whether a field is unknown, and not its value too large.
    fn is_about_a_name(&self) -> bool {
        let message = self.message.to_lowercase();
        let says = ["unsupported parameter", "extra inputs", "unknown", "unrecognized"];
        ["unsupported_parameter", "unknown_parameter", "extra_forbidden"]
            .iter()
            .any(|name| self.is_named(name))
            || says.iter().any(|phrase| message.contains(phrase))
    }
}

/// How many tokens a model reads, where the message of an error says so.
pub(crate) fn context_told(message: &str) -> Option<u32> {
    let message = message.to_lowercase();
    let told = |phrase: &String| {
        let (_, rest) = message.split_once(phrase.as_str())?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|tokens| *tokens > 0)
    };
    TABLE.context_says.iter().find_map(told)
}

/// The parameter that `text` names first, as a word of its own.
fn first_named(text: &str) -> Option<Parameter> {
    let text = text.to_lowercase().replace(['_', '-'], " ");
    let place = |word: &str| {
        let is_apart = |at: usize| {
            let around = [text[..at].chars().next_back(), text[at + word.len()..].chars().next()];
            around.iter().flatten().all(|c| !c.is_alphanumeric())
        };
        text.match_indices(word).map(|(at, _)| at).find(|at| is_apart(*at))
    };
    let places = TABLE
        .parameters
        .iter()
        .flat_map(|(parameter, words)| words.iter().filter_map(move |word| Some((place(word)?, *parameter))));
    // Of words that begin at one place the earlier parameter counts; they belong to one as a rule.
    places.min().map(|(_, parameter)| parameter)
}
