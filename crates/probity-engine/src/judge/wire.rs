//! The dialects of HTTP in which models are asked: one row each.
//!
//! A row says where a call goes, how it carries the key, what stands in it and how the answer is read. What a dialect's
//! error names and limit headers mean stands in the tables of the schedule's `classify` and `retry_after`, which know
//! them of all services at once.

use probity_core::packet::Ask;
use probity_core::verdict::{Completion, EnvelopeFault};
use serde_json::{Number, Value};

use super::params::Shape;
use super::{Prompt, anthropic, openai};
use crate::config::{ChatSettings, Dialect, Endpoint};

/// How a dialect is spoken.
pub(crate) struct Wire {
    /// The path of a call below the endpoint.
    pub(crate) path: fn(&Endpoint) -> &'static str,
    /// The header that carries the key, and what stands before the key in it.
    pub(crate) key_header: (&'static str, &'static str),
    /// Headers of every call, besides those of all dialects.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// The body of a request. It follows from its arguments alone, so what is shown is what is sent.
    pub(crate) body: fn(&ChatSettings, Shape, &Prompt, &Ask) -> Value,
    /// Reads a whole answer.
    pub(crate) completion: fn(&[u8]) -> Result<Completion, EnvelopeFault>,
}

impl Dialect {
    /// How it is spoken.
    pub(crate) fn wire(self) -> &'static Wire {
        match self {
            Dialect::Openai => &openai::WIRE,
            Dialect::Anthropic => &anthropic::WIRE,
        }
    }
}

/// The temperature as it was written.
pub(super) fn temperature(chat: &ChatSettings) -> Number {
    serde_json::from_str(&chat.temperature.to_string()).expect("a decimal is a JSON number")
}

#[cfg(test)]
pub(super) mod samples {
    use probity_core::packet::Ask;

    use super::super::verdict_schema::samples::criterion;
    use super::*;
    use crate::config::{Config, Layer};

    /// The body of a request to the judge of this kind, under these settings of its table.
    #[track_caller]
    pub(in crate::judge) fn body(dialect: Dialect, settings: &str, shape: Shape) -> String {
        let name = dialect.name();
        let layer = Layer::read("probity.toml", &format!("[judges.{name}]\n{settings}")).expect("settings");
        let config = Config::resolve([layer]).expect("config");
        let judge = config.named_judge(name).expect("built in");
        let prompt = Prompt { system: "Judge.".into(), user: "The \"reply\"\n<b>".into() };
        let ask = Ask::new(vec![criterion("tone", 1, 2)]).expect("a criterion");
        let chat = judge.chat().expect("a chat judge");
        (dialect.wire().body)(chat, shape, &prompt, &ask).to_string()
    }
}
