//! What the mock judge says, and the envelope it comes in.
//!
//! Everything follows from the settings and the call: its packet, its number and what it asks for. The
//! answer always has the form that was asked for; what breaks it is a fault's business.

use std::str::FromStr;

use blake3::Hash;

use super::Settings;
use super::asked::{Asked, Dialect};
use super::draw::Draw;
use super::form::{Form, Level, Said, Word, quoted};
use super::http::{Act, Response};
use super::pairs::Pairs;

/// How levels are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// By the packet: every call about it gives the same level.
    Hash,
    /// By the call: another call about the same packet may give another level.
    Uniform,
    /// This level, or the listed one nearest to it.
    Fixed(i64),
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "hash" => Ok(Levels::Hash),
            None if text == "uniform" => Ok(Levels::Uniform),
            Some(("fixed", level)) if level.parse::<i64>().is_ok() => {
                Ok(Levels::Fixed(level.parse().expect("just parsed")))
            }
            _ => Err(format!("expected hash, uniform or fixed:N, found {text:?}")),
        }
    }
}

/// Whether answers say how many tokens they took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// They do.
    On,
    /// They do not.
    Off,
}

/// One call: what is asked, and what the mock judge would like to say.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// How the mock judge behaves.
    pub(crate) settings: &'a Settings,
    /// What is asked.
    pub(crate) asked: &'a Asked,
    /// The packet's key.
    pub(crate) packet: Hash,
    /// The call's number among those for its packet, from 1.
    pub(crate) attempt: u32,
    /// The call's draws.
    pub(crate) draw: Draw,
    /// The verdict.
    pub(crate) said: Said,
}

impl<'a> Call<'a> {
    /// Call `attempt` about what is asked.
    pub(crate) fn new(settings: &'a Settings, asked: &'a Asked, packet: Hash, attempt: u32) -> Self {
        let draw = Draw::of_call(settings.seed, &packet, attempt);
        let level_draw = match settings.levels {
            Levels::Uniform => draw.clone(),
            Levels::Hash | Levels::Fixed(_) => Draw::of_packet(settings.seed, &packet),
        };
        let judgement = Judgement { settings, asked, call: &draw, draw: &level_draw, mark: draw.mark() };
        let said = said(&asked.form, "score", &judgement);
        Call { settings, asked, packet, attempt, draw, said }
    }

    /// The verdict in its envelope.
    pub(crate) fn clean(&self) -> Act {
        self.spoken(&self.said.json())
    }

    /// `text` in the envelope of a verdict.
    pub(crate) fn spoken(&self, text: &str) -> Act {
        self.sent(&Message::verdict(self.asked, text))
    }

    /// A message as a response.
    pub(crate) fn sent(&self, message: &Message) -> Act {
        Act::from(Response::json(200, message.body(self)))
    }

    /// One of the ways in which a fault shows, drawn by the call.
    pub(crate) fn variant<T: Copy>(&self, ways: &[T]) -> T {
        *self.draw.pick("variant", ways)
    }

    /// The name under which the mock judge answers.
    pub(crate) fn model(&self) -> &str {
        self.settings.model_echo.as_deref().unwrap_or(&self.asked.model)
    }
}

struct Judgement<'a> {
    settings: &'a Settings,
    asked: &'a Asked,
    call: &'a Draw,
    draw: &'a Draw,
    mark: String,
}

impl Judgement<'_> {
    fn scripted(&self) -> String {
        match self.settings.script {
            Some(_) => format!("Mock verdict {}: by a script that counts words.", self.mark),
            None => format!("Mock verdict {}: by script, nothing was weighed.", self.mark),
        }
    }

    fn level(&self, criterion: &str, levels: &[i64]) -> i64 {
        let script = self.settings.script.as_ref();
        let scripted = script.and_then(|script| script.level(self.asked, criterion, levels, self.call));
        scripted.unwrap_or_else(|| match self.settings.levels {
            Levels::Fixed(wanted) => {
                *levels.iter().min_by_key(|level| level.abs_diff(wanted)).unwrap_or(&wanted)
            }
            Levels::Hash | Levels::Uniform => *self.draw.pick(&format!("level {criterion}"), levels),
        })
    }
}

fn said(form: &Form, criterion: &str, judgement: &Judgement<'_>) -> Said {
    let draw = judgement.draw;
    match form {
        Form::Object(members) => {
            let member = |(name, form): &(String, Form)| {
                let criterion = if matches!(form, Form::Object(_)) { name } else { criterion };
                (name.clone(), said(form, criterion, judgement))
            };
            Said::Object(members.iter().map(member).collect())
        }
        Form::Level(levels) => {
            Said::Level(Level { level: judgement.level(criterion, levels), levels: levels.clone() })
        }
        Form::Choice(words) => {
            let Settings { pairs, seed, script, .. } = judgement.settings;
            let word = match script {
                Some(script) => script.word(judgement.asked, *seed, words, judgement.call),
                None => pairs.word(judgement.asked, *seed, words),
            };
            let word = word.unwrap_or_else(|| draw.pick(&format!("choice {criterion}"), words).clone());
            Said::Word(Word { word, words: words.clone() })
        }
        Form::Texts if judgement.settings.pairs == Pairs::Malformed => Said::Text(judgement.scripted()),
        Form::Texts => Said::Texts(judgement.scripted()),
        Form::Words if judgement.settings.script.is_some() => Said::Text(judgement.scripted()),
        Form::Words => {
            Said::Text(format!("Mock verdict {}: drawn by chance, the reply was not read.", judgement.mark))
        }
        Form::Always(json) => Said::Json(json),
        Form::Reply => Said::Reply(reply(draw)),
    }
}

/// How the mock target begins, goes on and ends. Nothing in it is a promise, a figure or anybody's name.
const REPLY: [&[&str]; 3] = [
    &["Thank you for writing to us.", "I am sorry about the trouble.", "Thanks for the details."],
    &[
        "I have looked at your request and passed it on to the team that handles it.",
        "Please open the settings of your account and choose the option that you described.",
        "Please try once more and tell us what you see, so that we can help you further.",
        "I cannot tell from here what went wrong, so a colleague will look into it.",
    ],
    &["Let us know if anything is unclear.", "Kind regards from the support team.", "We are happy to help."],
];

/// What a customer would read.
fn reply(draw: &Draw) -> String {
    let part = |(n, texts): (usize, &&[&'static str])| *draw.pick(&format!("reply {n}"), texts);
    REPLY.iter().enumerate().map(part).collect::<Vec<_>>().join(" ")
}

/// What stands in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// `null`.
    Null,
    /// One text.
    Text(String),
    /// A text in several parts.
    Parts(Vec<String>),
}

/// How the list of choices looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choices {
    /// As it should.
    One,
    /// A second choice follows.
    Two,
    /// An empty list.
    Empty,
    /// No list.
    Missing,
}

/// A message of the mock judge. In the Messages API reasons to finish and blocks have other names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// The text.
    pub(crate) content: Content,
    /// A tool that is called, with its arguments.
    pub(crate) tool: Option<(String, String)>,
    /// The words of a refusal.
    pub(crate) refusal: Option<&'static str>,
    /// Reasoning beside the text.
    pub(crate) reasoning: Option<String>,
    /// Why it ended, in the words of chat completions.
    pub(crate) finish: &'static str,
    /// The list it stands in.
    pub(crate) choices: Choices,
    /// The usage as JSON, in place of the true one; empty for none.
    pub(crate) usage: Option<&'static str>,
}

impl Message {
    /// A message with a text and nothing else.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Message {
            content: Content::Text(text.into()),
            tool: None,
            refusal: None,
            reasoning: None,
            finish: "stop",
            choices: Choices::One,
            usage: None,
        }
    }

    /// A message that calls `tool` with these arguments.
    pub(crate) fn calling(tool: &str, arguments: &str) -> Self {
        let tool = Some((tool.to_owned(), arguments.to_owned()));
        Message { content: Content::Null, tool, finish: "tool_calls", ..Message::text("") }
    }

    /// A message that states a verdict the way it was asked for. The Messages API takes only objects as
    /// arguments of a tool, so there a model that says anything else says it in text.
    pub(crate) fn verdict(asked: &Asked, text: &str) -> Self {
        let is_object =
            || text.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        match &asked.tool {
            Some(tool) if asked.dialect == Dialect::OpenAi || is_object() => Message::calling(tool, text),
            _ => Message::text(text),
        }
    }

    /// The body of a response that carries it.
    pub(crate) fn body(&self, call: &Call<'_>) -> String {
        match call.asked.dialect {
            Dialect::OpenAi => self.openai(call),
            Dialect::Anthropic => self.anthropic(call),
        }
    }

    fn openai(&self, call: &Call<'_>) -> String {
        let mut message = String::from("{\"role\":\"assistant\",\"content\":");
        match &self.content {
            Content::Null => message.push_str("null"),
            Content::Text(text) => message.push_str(&quoted(text)),
            Content::Parts(parts) => message.push_str(&text_blocks(parts)),
        }
        let refusal = self.refusal.map_or("null".to_owned(), quoted);
        message.push_str(&format!(",\"refusal\":{refusal}"));
        if let Some(reasoning) = &self.reasoning {
            message.push_str(&format!(",\"reasoning_content\":{}", quoted(reasoning)));
        }
        if let Some((name, arguments)) = &self.tool {
            let function = format!("{{\"name\":{},\"arguments\":{}}}", quoted(name), quoted(arguments));
            let id = call.draw.mark();
            message.push_str(&format!(
                ",\"tool_calls\":[{{\"id\":\"call_{id}\",\"type\":\"function\",\"function\":{function}}}]"
            ));
        }
        message.push('}');
        let choice = |index: u32| {
            format!("{{\"index\":{index},\"message\":{message},\"finish_reason\":\"{}\"}}", self.finish)
        };
        let choices = match self.choices {
            Choices::One => format!(",\"choices\":[{}]", choice(0)),
            Choices::Two => format!(",\"choices\":[{},{}]", choice(0), choice(1)),
            Choices::Empty => ",\"choices\":[]".to_owned(),
            Choices::Missing => String::new(),
        };
        let prints = &call.settings.fingerprints;
        let print =
            if prints.is_empty() { "fp_mock" } else { call.draw.pick("fingerprint", prints).as_str() };
        format!(
            "{{\"id\":\"chatcmpl-{}\",\"object\":\"chat.completion\",\"created\":0,\"model\":{},\"system_fingerprint\":{}{choices}{}}}",
            response_id(call),
            quoted(call.model()),
            quoted(print),
            self.usage(call, "prompt_tokens", "completion_tokens"),
        )
    }

    fn anthropic(&self, call: &Call<'_>) -> String {
        let mut blocks = Vec::new();
        if let Some(reasoning) = &self.reasoning {
            blocks.push(format!("{{\"type\":\"thinking\",\"thinking\":{}}}", quoted(reasoning)));
        }
        match &self.content {
            Content::Null => {}
            Content::Text(text) => blocks.push(text_block(text)),
            Content::Parts(parts) => blocks.extend(parts.iter().map(|part| text_block(part))),
        }
        if let Some((name, arguments)) = &self.tool {
            let (id, name) = (call.draw.mark(), quoted(name));
            blocks.push(format!(
                "{{\"type\":\"tool_use\",\"id\":\"toolu_{id}\",\"name\":{name},\"input\":{arguments}}}"
            ));
        }
        let content = match self.choices {
            Choices::One | Choices::Two => format!(",\"content\":[{}]", blocks.join(",")),
            Choices::Empty | Choices::Missing => String::new(),
        };
        let stop = match self.finish {
            "stop" => "end_turn",
            "length" => "max_tokens",
            "tool_calls" => "tool_use",
            _ => "refusal",
        };
        format!(
            "{{\"id\":\"msg_{}\",\"type\":\"message\",\"role\":\"assistant\",\"model\":{}{content},\"stop_reason\":\"{stop}\",\"stop_sequence\":null{}}}",
            response_id(call),
            quoted(call.model()),
            self.usage(call, "input_tokens", "output_tokens"),
        )
    }

    /// Tokens are estimated at four bytes each; the services count in their own ways.
    fn usage(&self, call: &Call<'_>, input: &str, output: &str) -> String {
        match (self.usage, call.settings.usage) {
            (Some(""), _) | (None, Usage::Off) => String::new(),
            (Some(usage), _) => format!(",\"usage\":{usage}"),
            (None, Usage::On) => {
                let said = match &self.content {
                    Content::Null => self.tool.as_ref().map_or(0, |(_, arguments)| arguments.len()),
                    Content::Text(text) => text.len(),
                    Content::Parts(parts) => parts.iter().map(String::len).sum(),
                };
                let (n_in, n_out) = (call.asked.n_bytes.div_ceil(4), said.div_ceil(4));
                let total = n_in + n_out;
                let total = if input == "prompt_tokens" {
                    format!(",\"total_tokens\":{total}")
                } else {
                    String::new()
                };
                format!(",\"usage\":{{\"{input}\":{n_in},\"{output}\":{n_out}{total}}}")
            }
        }
    }
}

fn response_id(call: &Call<'_>) -> String {
    format!("mock{:016x}", call.draw.bits("response id"))
}

fn text_block(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", quoted(text))
}

fn text_blocks(parts: &[String]) -> String {
    let blocks: Vec<String> = parts.iter().map(|part| text_block(part)).collect();
    format!("[{}]", blocks.join(","))
}
