//! What the mock judge says.
//!
//! Everything follows from the settings and the call: its packet, its number and what it asks for. The
//! answer always has the form that was asked for; what breaks it is a fault's business.

use std::str::FromStr;

use blake3::Hash;

use super::MockSettings;
use super::asked::JudgeRequest;
use super::confidence::sure;
use super::dialect::Dialect;
use super::draw::CallDraw;
use super::envelope::{AnswerMessage, Sender};
use super::form::{AnswerFormat, MockAnswer};
use super::host::Treatment;
use super::http::{HttpResponse, WireAct};
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
        let level = text.strip_prefix("fixed:").and_then(|level| level.parse().ok());
        match (text, level) {
            ("hash", _) => Ok(Levels::Hash),
            ("uniform", _) => Ok(Levels::Uniform),
            (_, Some(level)) => Ok(Levels::Fixed(level)),
            _ => Err(format!("expected hash, uniform or fixed:N, found {text:?}")),
        }
    }
}

/// One call: what is asked, and what the mock judge would like to say.
#[derive(Debug)]
pub(crate) struct MockCall<'a> {
    /// How the mock judge behaves.
    pub(crate) settings: &'a MockSettings,
    /// What is asked.
    pub(crate) asked: &'a JudgeRequest,
    /// The packet's key.
    pub(crate) packet: Hash,
    /// The call's number among those for its packet, from 1.
    pub(crate) attempt: u32,
    /// The call's draws.
    pub(crate) draw: CallDraw,
    /// The verdict.
    pub(crate) said: MockAnswer,
}

impl<'a> MockCall<'a> {
    /// Call `attempt` about what is asked.
    pub(crate) fn new(
        settings: &'a MockSettings,
        asked: &'a JudgeRequest,
        packet: Hash,
        attempt: u32,
    ) -> Self {
        let draw = CallDraw::of_call(settings.seed, &packet, attempt);
        let level_draw = match settings.levels {
            Levels::Uniform => draw.clone(),
            Levels::Hash | Levels::Fixed(_) => CallDraw::of_packet(settings.seed, &packet),
        };
        let judgement = Judgement { settings, asked, call: &draw, draw: &level_draw, mark: draw.mark() };
        let said = said(&asked.form, "score", &judgement);
        MockCall { settings, asked, packet, attempt, draw, said }
    }

    /// The verdict in its envelope.
    pub(crate) fn clean(&self) -> WireAct {
        self.spoken(&self.said.json())
    }

    /// `text` in the envelope of a verdict.
    pub(crate) fn spoken(&self, text: &str) -> WireAct {
        self.sent(&self.stating(text))
    }

    /// A message as a response.
    pub(crate) fn sent(&self, message: &AnswerMessage) -> WireAct {
        WireAct::from(HttpResponse::json(200, self.body(message)))
    }

    /// A message that states a verdict the way it was asked for. The Messages API takes only objects as
    /// arguments of a tool, so there a model that says anything else says it in text.
    pub(crate) fn stating(&self, text: &str) -> AnswerMessage {
        let is_object =
            || text.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        match &self.asked.tool {
            Some(tool) if self.asked.dialect == Dialect::OpenAi || is_object() => {
                AnswerMessage::calling(tool, text)
            }
            _ => AnswerMessage::text(text),
        }
    }

    /// The body of a response that carries `message`.
    pub(crate) fn body(&self, message: &AnswerMessage) -> String {
        let prints = &self.settings.fingerprints;
        let fingerprint =
            if prints.is_empty() { "fp_mock" } else { self.draw.pick("fingerprint", prints).as_str() };
        let n_tokens_read = match self.asked.treatment {
            Treatment::Cut(tokens) => usize::try_from(tokens).unwrap_or(usize::MAX),
            _ => self.asked.n_bytes.div_ceil(4),
        };
        message.body(&Sender {
            dialect: self.asked.dialect,
            model: self.model(),
            id: format!("mock{:016x}", self.draw.bits("response id")),
            mark: self.draw.mark(),
            fingerprint,
            n_tokens_read,
            n_tokens_cached: share_of(n_tokens_read, self.settings.cached),
            tier: self.asked.tier.as_deref(),
            sure: sure(self.settings, self.asked),
            logprobs: self.asked.logprobs,
            questions: &self.asked.questions,
            usage: self.settings.usage,
        })
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

/// A share of a count, from none of it to all.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a count")]
fn share_of(n: usize, share: f64) -> usize {
    (n as f64 * share) as usize
}

struct Judgement<'a> {
    settings: &'a MockSettings,
    asked: &'a JudgeRequest,
    call: &'a CallDraw,
    draw: &'a CallDraw,
    mark: String,
}

impl Judgement<'_> {
    fn scripted(&self) -> String {
        match self.settings.script {
            Some(_) => format!("Mock verdict {}: by a script that counts words.", self.mark),
            None => format!("Mock verdict {}: by script, nothing was weighed.", self.mark),
        }
    }

    /// The step just below what it is sure of, in percent.
    fn stated(&self, levels: &[i64]) -> String {
        let percent = 100.0 * sure(self.settings, self.asked);
        let step = levels.iter().filter(|level| **level as f64 <= percent).max();
        step.or(levels.first()).copied().unwrap_or_default().to_string()
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

fn said(form: &AnswerFormat, criterion: &str, judgement: &Judgement<'_>) -> MockAnswer {
    let draw = judgement.draw;
    match form {
        AnswerFormat::Object(members) => {
            let member = |(name, form): &(String, AnswerFormat)| {
                if let ("confidence", AnswerFormat::Level(levels)) = (name.as_str(), form) {
                    return (name.clone(), MockAnswer::Raw(judgement.stated(levels)));
                }
                let criterion = if matches!(form, AnswerFormat::Object(_)) { name } else { criterion };
                (name.clone(), said(form, criterion, judgement))
            };
            MockAnswer::Object(members.iter().map(member).collect())
        }
        AnswerFormat::Level(levels) => MockAnswer::deciding(judgement.level(criterion, levels), levels),
        AnswerFormat::Choice(words) => {
            let MockSettings { pairs, seed, script, .. } = judgement.settings;
            let word = match script {
                Some(script) => script.word(judgement.asked, *seed, words, judgement.call),
                None => pairs.word(judgement.asked, *seed, words),
            };
            let word = word.unwrap_or_else(|| draw.pick(&format!("choice {criterion}"), words).clone());
            MockAnswer::deciding(word, words)
        }
        AnswerFormat::Texts if judgement.settings.pairs == Pairs::Malformed => {
            MockAnswer::Text(judgement.scripted())
        }
        AnswerFormat::Texts => MockAnswer::Texts(judgement.scripted()),
        AnswerFormat::Words if judgement.settings.script.is_some() => MockAnswer::Text(judgement.scripted()),
        AnswerFormat::Words => MockAnswer::Text(format!(
            "Mock verdict {}: drawn by chance, the reply was not read.",
            judgement.mark
        )),
        AnswerFormat::Always(json) => MockAnswer::Raw((*json).to_owned()),
        AnswerFormat::Reply => MockAnswer::Raw(reply(draw)),
    }
}

/// How the mock target begins, goes on and ends. Nothing in it is a promise, a figure or a person's name.
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
fn reply(draw: &CallDraw) -> String {
    let part = |(n, texts): (usize, &&[&'static str])| *draw.pick(&format!("reply {n}"), texts);
    REPLY.iter().enumerate().map(part).collect::<Vec<_>>().join(" ")
}
