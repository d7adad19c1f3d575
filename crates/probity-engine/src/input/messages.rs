//! Tables with a row for each message: rows of one conversation come together, in the order of their times.
//!
//! The reply is the last message of an agent or a bot; what comes after it is not judged. Messages that the customer
//! does not see are left out and counted. The rows of a file are held in memory, up to a bound, because those of one
//! conversation may stand anywhere.

use std::collections::HashMap;

use probity_core::case::{Moment, Role};
use probity_core::json::Json;

use super::csv::CsvTable;
use super::dates::moment;
use super::entry::{Content, Refused, entry};
use super::field::{Field, FileNames, Reason, RecordFields};
use super::names::{MessageColumn, fold, role};
use super::record::RecordReading;
use super::{LoadError, LoadOptions};

/// The messages of one file may have so many bytes.
const BYTES_MAX: usize = 1 << 30;

/// Words for yes in a column that says whether a message is public, folded.
const YES: &[&str] = &[
    "true", "1", "yes", "y", "ja", "oui", "si", "sim", "x", "public", "wahr", "vrai", "verdadero", "vero",
    "verdadeiro", "waar", "offentlich", "publique", "publico", "openbaar", "external", "extern",
];

/// Words for no in a column that says whether a message is private, folded. Whatever else stands there, the message is
/// not shown.
const NO: &[&str] = &[
    "", "false", "0", "no", "n", "nein", "non", "nao", "nee", "falsch", "faux", "falso", "onwaar", "public",
];

/// One message.
pub(super) struct Message {
    conversation: String,
    author: String,
    is_private: bool,
    text: String,
    /// When it was written, where that can be read.
    time: Option<Moment>,
    /// What it says about the whole conversation.
    about: Vec<(Field, Json)>,
}

/// Fields of a conversation, which the first message that has them gives.
const ABOUT: [Field; 3] = [Field::Slice, Field::Csat, Field::Rating];

impl Message {
    /// The message of a row.
    pub(super) fn read(table: &CsvTable, row: &str, options: &LoadOptions) -> Result<Message, Reason> {
        let reading = RecordReading { map: &options.map, number: 0 };
        let mut found = table.fields(row, &reading)?;
        let mut text = |field| match found.given(field).map(|value| value.json) {
            Some(Json::String(text) | Json::Number(text)) => text,
            _ => String::new(),
        };
        let (conversation, message, time) = (text(Field::Id), text(Field::Ticket), text(Field::Time));
        if conversation.is_empty() {
            return Err("the message names no conversation".to_owned().into());
        }
        let cells = |column| table.message_cells(row, column);
        // Whatever one of them says, the others cannot take back.
        let is_other =
            |words: &[&str], column| cells(column).iter().any(|text| !words.contains(&&*fold(text)));
        let is_private = is_other(NO, MessageColumn::Private) || is_other(YES, MessageColumn::Public);
        Ok(Message {
            conversation,
            author: cells(MessageColumn::Author).first().map_or(String::new(), |author| (*author).to_owned()),
            is_private,
            text: message,
            time: moment(&time, options.date_format.as_deref()).ok(),
            about: ABOUT.into_iter().filter_map(|field| Some((field, found.given(field)?.json))).collect(),
        })
    }
}

/// Conversations in the order of their first messages, each with the line of that.
#[derive(Default)]
pub(super) struct Conversations {
    places: HashMap<String, usize>,
    all: Vec<(usize, Vec<Message>)>,
    n_bytes: usize,
    pub(super) n_private: usize,
}

impl Conversations {
    /// Adds the message that begins at `line`.
    pub(super) fn add(&mut self, line: usize, message: Message) -> Result<(), LoadError> {
        self.n_bytes += message.text.len() + message.conversation.len();
        if self.n_bytes > BYTES_MAX {
            let message =
                format!("the messages have more than {BYTES_MAX} bytes, expected fewer in one file");
            return Err(LoadError::new(&"messages".into(), message).hint("split the file by conversations"));
        }
        let place = *self.places.entry(message.conversation.clone()).or_insert_with(|| {
            self.all.push((line, Vec::new()));
            self.all.len() - 1
        });
        if message.is_private {
            self.n_private += 1;
        } else {
            self.all[place].1.push(message);
        }
        Ok(())
    }

    /// Each conversation as a case with its reply, or the reason why it is none.
    pub(super) fn contents(self, options: &LoadOptions) -> Vec<(usize, Result<Content, Refused>)> {
        self.all.into_iter().map(|(line, messages)| (line, content(messages, options))).collect()
    }
}

fn content(mut messages: Vec<Message>, options: &LoadOptions) -> Result<Content, Refused> {
    if messages.iter().all(|message| message.time.is_some()) {
        messages.sort_by_key(|message| message.time);
    }
    let Some(first) = messages.first() else {
        return Err(Reason::from("all messages of the conversation are private".to_owned()).into());
    };
    let id = first.conversation.clone();
    let refused = |reason: String| Refused { id: Some(id.clone()), reason: reason.into() };
    let mut turns = Vec::new();
    for message in messages.iter().filter(|message| !message.text.trim().is_empty()) {
        let role = role(&message.author).ok_or_else(|| {
            refused(format!("the author '{}' is neither a customer nor an agent", message.author))
        })?;
        if role != Role::System {
            turns.push((role, &message.text));
        }
    }
    let mut found = RecordFields::default();
    found.put(Field::Id, Field::Id.native(), Json::text(&id))?;
    if let Some(last) = turns.iter().rposition(|(role, _)| *role == Role::Agent) {
        found.put(Field::Reply, Field::Reply.native(), Json::text(turns[last].1))?;
        turns.truncate(last);
    }
    let turn = |(role, text): (Role, &String)| {
        Json::object([("role", Json::text(role.name())), ("text", Json::text(text))])
    };
    found.put(Field::Turns, Field::Turns.native(), Json::Array(turns.into_iter().map(turn).collect()))?;
    for (field, json) in messages.iter().flat_map(|message| &message.about) {
        if !found.has(*field) {
            found.put(*field, field.native(), json.clone())?;
        }
    }
    if let Some(time) = messages.first().and_then(|message| message.time) {
        found.put(Field::Time, Field::Time.native(), Json::int(time.seconds()))?;
    }
    entry(&mut found, FileNames::NATIVE, options)
}
