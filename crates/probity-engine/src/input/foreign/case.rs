//! One case of a foreign file, in Probity's own fields, and its way through the same checks as a native record.

use std::borrow::Cow;
use std::sync::Arc;

use probity_core::case::{Role, Turn};
use probity_core::json::{Json, Object};

use super::beside::{Beside, ForeignLabel};
use super::conversation::{Conversation, turn};
use super::messages::messages;
use super::path::{as_text, at, first_at, text_at};
use super::pieces::Pieces;
use crate::input::entry::{Content, Refused, entry};
use crate::input::field::{Field, FileNames, Reason, RecordFields};
use crate::input::mapping::RecordMembers;
use crate::input::names::KnownName;
use crate::input::{AgentTurns, Instructions, LoadOptions};

/// What a record is read with.
pub(in crate::input) struct FileContext<'a> {
    /// What stands around the records of the file.
    pub(in crate::input) frame: &'a Json,
    /// What other records say about this one.
    pub(in crate::input) pieces: &'a Pieces,
    pub(in crate::input) options: &'a LoadOptions,
    /// Which record of the file it is, 0-based: its name where it has none.
    pub(in crate::input) index: usize,
}

/// Where a format keeps what cases have, the first path that leads somewhere.
pub(super) struct Paths {
    pub(super) id: &'static [&'static str],
    pub(super) slice: &'static [&'static str],
    pub(super) variant: &'static [&'static str],
    pub(super) reference: &'static [&'static str],
    pub(super) context: &'static [&'static str],
}

/// A case of a foreign file.
#[derive(Debug, Default)]
pub(in crate::input) struct ForeignCase {
    pub(in crate::input) id: String,
    pub(in crate::input) slice: Option<String>,
    pub(in crate::input) variant: Option<String>,
    pub(in crate::input) reference: Option<String>,
    /// Texts that the reply may rest on.
    pub(in crate::input) context: Vec<String>,
    pub(in crate::input) conversation: Conversation,
    /// Why the reply is missing, where the format knows better than the conversation.
    pub(in crate::input) no_reply: Option<String>,
    /// Why the record is of no use.
    pub(in crate::input) skip: Option<String>,
    /// Native fields beyond these, as the record has them.
    pub(in crate::input) fields: Vec<(Field, Json)>,
    pub(in crate::input) beside: Beside,
    /// Which turns a bot wrote, where a help desk says.
    pub(in crate::input) bots: Vec<bool>,
}

/// What one foreign case comes to: a case with its reply or the reason why not, and what is said beside it.
pub(in crate::input) struct ReadCase {
    pub(in crate::input) outcome: Result<Content, Refused>,
    pub(in crate::input) beside: Box<Beside>,
    /// What was left out because it could not be read.
    pub(in crate::input) warnings: Vec<String>,
}

impl ForeignCase {
    /// The case that a record describes, without what was said.
    pub(super) fn of(record: &Json, paths: &Paths, context: &FileContext<'_>) -> Self {
        let texts = first_at(record, paths.context).map(|found| match found {
            Json::Array(items) => items.iter().map(as_text).collect(),
            one => vec![as_text(one)],
        });
        ForeignCase {
            id: text_at(record, paths.id).unwrap_or_else(|| context.index.to_string()),
            slice: text_at(record, paths.slice),
            variant: text_at(record, paths.variant),
            reference: paths.reference.iter().find_map(|path| reference(at(record, path)?)),
            context: texts.unwrap_or_default(),
            beside: Beside { kept: Some(record.clone()), ..Beside::default() },
            ..ForeignCase::default()
        }
    }

    /// Takes what a person mapped from the record in place of what the format says.
    pub(super) fn map(&mut self, record: &Json, context: &FileContext<'_>) {
        if context.options.map.is_empty() {
            return;
        }
        let members = record.as_object().into_iter().flat_map(Object::iter);
        let values: Vec<(Cow<'_, str>, Json)> =
            members.map(|(name, json)| (Cow::Borrowed(name), json.clone())).collect();
        let known: Vec<Arc<KnownName>> =
            values.iter().map(|(name, _)| Arc::new(KnownName::new(name))).collect();
        let members = RecordMembers { values: &values, known: &known, number: context.index + 1 };
        let mut annotator = None;
        for (field, source) in context.options.map.sources() {
            match (*field, source.value(members, *field)) {
                (Field::Label, label) => self
                    .beside
                    .labels
                    .extend(label.map(|label| ForeignLabel::mapped(source.criterion.clone(), label, None))),
                (Field::Annotator, value) => annotator = value.as_ref().map(as_text),
                (field, value) => self.set(field, value),
            }
        }
        for label in &mut self.beside.labels {
            label.annotator = label.annotator.take().or_else(|| annotator.clone());
        }
    }

    fn set(&mut self, field: Field, value: Option<Json>) {
        let text = value.as_ref().map(as_text);
        match field {
            Field::Id => self.id = text.unwrap_or_default(),
            Field::Slice => self.slice = text,
            Field::Variant => self.variant = text,
            Field::Reference => self.reference = text,
            Field::Ticket => {
                let ticket = text.map(|text| turn(Role::Customer, text)).into_iter().collect();
                let reply = self.conversation.reply_text().map(str::to_owned);
                self.conversation.say(ticket, reply);
            }
            Field::Reply => {
                self.no_reply = text.is_none().then(|| "there is nothing at the mapped place".to_owned());
                self.conversation.say(self.conversation.before().to_vec(), text);
            }
            Field::Turns => {
                self.conversation = Conversation::of(&value.as_ref().map(messages).unwrap_or_default());
            }
            other => {
                match other {
                    Field::Context => self.context.clear(),
                    Field::Tools => self.conversation.calls.clear(),
                    _ => {}
                }
                self.fields.retain(|(field, _)| *field != other);
                self.fields.extend(value.map(|value| (other, value)));
            }
        }
    }

    /// Puts the conversation in.
    pub(super) fn with(mut self, conversation: Conversation) -> Self {
        self.conversation = conversation;
        self
    }

    /// Takes the reply away, for `reason`.
    pub(super) fn failed(&mut self, reason: String) {
        self.conversation.without_reply("");
        self.no_reply = Some(reason);
    }

    /// Why there is no reply.
    pub(in crate::input) fn no_reply(&self) -> Option<String> {
        self.no_reply.clone().or_else(|| self.conversation.no_reply.map(str::to_owned))
    }

    /// Why the record is of no use: the format says so, or nothing was asked before the reply.
    pub(in crate::input) fn skip(&self) -> Option<String> {
        let asks = self.conversation.before().iter().any(|turn| turn.role == Role::Customer);
        let unasked = self.conversation.reply.is_some() && !asks;
        self.skip.clone().or_else(|| unasked.then(|| "no customer turn before the reply".to_owned()))
    }

    /// Whether a bot wrote the turn that is the reply, where that is known.
    pub(in crate::input) fn by_bot(&self, reply: Option<usize>) -> Option<bool> {
        self.bots.get(reply?).copied()
    }

    /// The case judged at its reply, or at each answer of an agent where that was asked for.
    pub(in crate::input) fn read(self, options: &LoadOptions) -> Vec<ReadCase> {
        if options.turns == AgentTurns::Last || self.conversation.reply.is_none() || self.skip().is_some() {
            return vec![self.content(&self.id, &self.conversation, options)];
        }
        let answers: Vec<usize> = self.conversation.answers().collect();
        let each = answers.iter().enumerate().map(|(n, at)| {
            let mut conversation = self.conversation.clone();
            conversation.reply = Some(*at);
            self.content(&format!("{}#{}", self.id, n + 1), &conversation, options)
        });
        each.collect()
    }

    fn content(&self, id: &str, conversation: &Conversation, options: &LoadOptions) -> ReadCase {
        // What was said about the reply is said about no other turn.
        let mut beside = if conversation.reply == self.conversation.reply {
            self.beside.clone()
        } else {
            Beside::default()
        };
        beside.instructions.clone_from(&conversation.instructions);
        beside.by_bot = self.by_bot(conversation.reply);
        beside.turns_after =
            conversation.reply.map_or(Vec::new(), |at| conversation.turns[at + 1..].to_vec());
        let refused = |reason: String| Err(Refused { id: Some(id.to_owned()), reason: Reason::from(reason) });
        let mut warnings = Vec::new();
        let outcome = match (self.skip(), self.no_reply()) {
            (Some(reason), _) => refused(reason),
            (None, Some(reason)) if conversation.turns.is_empty() => refused(reason),
            (None, no_reply) => self
                .fields(id, conversation, no_reply, options)
                .map_err(Refused::from)
                .and_then(|mut found| {
                    let content = entry(&mut found, FileNames::NATIVE, options);
                    warnings.append(&mut found.doubts);
                    content
                }),
        };
        ReadCase { outcome, beside: Box::new(beside), warnings }
    }

    fn fields(
        &self,
        id: &str,
        conversation: &Conversation,
        no_reply: Option<String>,
        options: &LoadOptions,
    ) -> Result<RecordFields<'static>, Reason> {
        let shown = match options.instructions {
            Instructions::Apart => &[][..],
            Instructions::Shown => &conversation.instructions,
        };
        let prompts = shown.iter().map(|text| turn_json(Role::System.name(), text));
        let said = conversation.before().iter().map(|Turn { role, text }| turn_json(role.name(), text));
        let context = || Json::Array(self.context.iter().map(Json::text).collect());
        let text = |text: &Option<String>| text.clone().map(Json::String);
        let own = [
            (Field::Id, Some(Json::text(id))),
            (Field::Slice, text(&self.slice)),
            (Field::Variant, text(&self.variant)),
            (Field::Reference, text(&self.reference)),
            (Field::Context, (!self.context.is_empty()).then(context)),
            (Field::Turns, Some(Json::Array(prompts.chain(said).collect()))),
            (Field::Reply, conversation.reply_text().map(Json::text)),
            (Field::Tools, conversation.tools()),
        ];
        let own = own.into_iter().filter_map(|(field, json)| Some((field, json?)));
        let metadata = self.fields.iter().find(|(field, _)| *field == Field::Metadata);
        let metadata_text = metadata.map(|(_, json)| json.canonical());
        let mut found = RecordFields::default();
        (found.metadata_text, found.no_reply) = (metadata_text.map(Cow::Owned), no_reply);
        for (field, json) in own.chain(self.fields.iter().cloned()) {
            found.put(field, field.native(), json)?;
        }
        Ok(found)
    }
}

fn turn_json(role: &str, text: &str) -> Json {
    Json::object([("role", Json::text(role)), ("text", Json::text(text))])
}

/// A reference is a text; several targets are joined.
fn reference(json: &Json) -> Option<String> {
    let text = match json {
        Json::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(" "),
        one => as_text(one),
    };
    (!text.is_empty()).then_some(text)
}
