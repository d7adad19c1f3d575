//! Parameters that a judge or a target refuses: each is left out once, under the identity that this makes, and
//! remembered, so that the next run does not ask twice.

use probity_core::json::Json;

use super::asking::{Asking, NOT_IDENTITY};
use super::{RunError, Session};
use crate::config::{AnswerShape, ChatSettings, LeftOut, chat_parts};
use crate::dialect::Parameter;
use crate::ledger::{Store, StoreError};
use crate::schedule::Driven;
use crate::schedule::lane::{Parameters, Stop};
use crate::target::TargetDefinition;

/// A judge or a target, as something that may refuse a parameter of its calls.
pub(super) struct Tuned<'a> {
    /// What it is called in notices.
    who: &'static str,
    /// Its endpoint, where it has a model.
    chat: Option<&'a ChatSettings>,
    /// What its parameters are known by, all of them, whatever is asked with them.
    key: String,
}

impl<'a> Tuned<'a> {
    pub(super) fn judge(asking: &'a Asking) -> Tuned<'a> {
        Tuned::new("judge", asking.judge.chat())
    }

    pub(super) fn target(target: &'a TargetDefinition) -> Tuned<'a> {
        Tuned::new("target", target.settings.chat())
    }

    fn new(who: &'static str, chat: Option<&'a ChatSettings>) -> Tuned<'a> {
        let parts = chat.map(|chat| chat_parts(chat, &LeftOut::default())).unwrap_or_default();
        let parts = parts.into_iter().filter(|(name, _)| !NOT_IDENTITY.contains(name));
        let parts = Json::object(parts.map(|(name, value)| (name, Json::text(value)))).canonical();
        Tuned { who, chat, key: blake3::hash(parts.as_bytes()).to_hex().to_string() }
    }

    /// What it is on record as refusing.
    pub(super) fn left_out(&self, store: &Store) -> Result<LeftOut, StoreError> {
        if self.chat.is_none() {
            return Ok(LeftOut::default());
        }
        Ok(store.noted(&self.refused_note())?.map(|text| LeftOut::parse(&text)).unwrap_or_default())
    }

    /// What is known of the parameters that are left.
    pub(super) fn parameters(&self, left: &LeftOut, store: &Store) -> Result<Parameters, StoreError> {
        let Some(chat) = self.chat else { return Ok(Parameters::Settled) };
        if store.noted(&self.taken_note(left))?.is_some() {
            return Ok(Parameters::Proven);
        }
        Ok(if chat.is_open(left) { Parameters::Unproven } else { Parameters::Settled })
    }

    /// Remembers that the parameters which are left are taken.
    pub(super) fn remember_taken(&self, left: &LeftOut, store: &Store) -> Result<(), StoreError> {
        store.note(&self.taken_note(left), "1")
    }

    /// What calls leave out that start over after these, which ended without an answer because a parameter was refused.
    /// `None` where they ended otherwise, or nothing more can be left out.
    pub(super) fn started_over(
        &self,
        left: &LeftOut,
        (driven, n_answered): (Option<&Driven>, u64),
        session: &Session<'_>,
    ) -> Result<Option<LeftOut>, RunError> {
        let refused = match driven.and_then(|driven| driven.stop.as_ref()) {
            Some(Stop::ParameterRefused { parameter, .. }) if n_answered == 0 => *parameter,
            _ => return Ok(None),
        };
        let remedy = self.chat.and_then(|chat| Some((chat, chat.remedy(refused, left)?)));
        let Some((chat, parameter)) = remedy else { return Ok(None) };
        let left = left.and(parameter);
        session.store.note(&self.refused_note(), &left.text())?;
        session.observer.notice(&notice(self.who, parameter, chat.sent(&left).shape));
        Ok(Some(left))
    }

    fn refused_note(&self) -> String {
        format!("refused:{}", self.key)
    }

    fn taken_note(&self, left: &LeftOut) -> String {
        format!("taken:{}:{}", self.key, left.text())
    }
}

/// What is said when calls start over without a parameter.
fn notice(who: &str, parameter: Parameter, shape: AnswerShape) -> String {
    match (parameter, shape) {
        (Parameter::Structured, AnswerShape::Plain) => {
            format!("the {who} does not take this form of answers; asking for it in the prompt alone")
        }
        (Parameter::Structured, _) => {
            format!("the {who} does not take JSON schemas; asking for plain JSON objects instead")
        }
        (Parameter::LimitName, _) => {
            format!("the {who} calls its token limit by the other name; asking with that")
        }
        _ => format!("the {who} does not take `{}`; asking without it", parameter.setting()),
    }
}
