//! From the fields of one record to a case and its reply.
//!
//! No text is converted: a ticket and a reply must be strings. Names given as numbers (ids, slices, variants, versions
//! of evidence) are taken by their source text, digit for digit; dates and shares are read in their usual forms. Which
//! turn of a conversation is the reply is decided here too.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use probity_core::case::{
    BadField, Case, CaseId, Circumstances, Confidence, Entry, Moment, Reply, Role, Situation, Slice,
    TextTrait, Turn, Variant, text_trait,
};
use probity_core::json::Json;

use super::dates::{self, UnreadDate};
use super::evidence::{evidence, inadmissible};
use super::field::{Field, FieldValue, FileNames, OUTCOMES, Reason, RecordFields};
use super::{LoadOptions, Unanswered};

/// How many bytes of letters and digits the gate needs to look for a value.
const KNOWN_BYTES_MIN: usize = 2;

/// What a good record holds.
#[derive(Debug)]
pub(super) enum Content {
    Entry(Box<Entry>),
    /// A case without a reply, and what is said about it where none can be had.
    Unanswered {
        case: Box<Case>,
        reason: Reason,
    },
}

impl Content {
    pub(super) fn case(&self) -> &Case {
        match self {
            Content::Entry(entry) => &entry.case,
            Content::Unanswered { case, .. } => case,
        }
    }

    pub(super) fn variant(&self) -> Option<&Variant> {
        match self {
            Content::Entry(entry) => entry.reply.variant.as_ref(),
            Content::Unanswered { .. } => None,
        }
    }
}

/// A record that holds neither.
pub(super) struct Refused {
    /// The id, where that much could be read.
    pub(super) id: Option<String>,
    pub(super) reason: Reason,
}

impl From<Reason> for Refused {
    fn from(reason: Reason) -> Self {
        Self { id: None, reason }
    }
}

/// Makes content of the fields, or says why not, by the names of the file.
pub(super) fn entry(
    found: &mut RecordFields<'_>,
    names: FileNames,
    options: &LoadOptions,
) -> Result<Content, Refused> {
    let id = case_id(found.take(Field::Id))?;
    let content = content(found, &id, names, options);
    content.map_err(|reason| Refused { id: Some(id.as_str().to_owned()), reason })
}

fn content(
    found: &mut RecordFields<'_>,
    id: &CaseId,
    names: FileNames,
    options: &LoadOptions,
) -> Result<Content, Reason> {
    let (situation, given) = situation_and_reply(found, names)?;
    let dates = options.date_format.as_deref();
    let text = match (given, options.unanswered) {
        (Given::Text(text), _) => text,
        (Given::Nothing(reason), Unanswered::Refuse) => return Err(reason),
        (Given::Nothing(reason), Unanswered::Take) => {
            let case = Box::new(case(found, id, situation, dates)?);
            return Ok(Content::Unanswered { case, reason });
        }
    };
    let case = case(found, id, situation, dates)?;
    let variant = found.given(Field::Variant).map(|value| name_text(&value.name, value.json)).transpose()?;
    let variant = variant.filter(|variant| !variant.is_empty());
    let reply = Reply {
        text,
        variant: variant.map(Variant::new).transpose().map_err(bad_field)?,
        confidence: unless_bad(found, Field::Confidence, |value| confidence(&value))?,
    };
    Ok(Content::Entry(Box::new(Entry { case, reply })))
}

fn case(
    found: &mut RecordFields<'_>,
    id: &CaseId,
    situation: Situation,
    dates: Option<&str>,
) -> Result<Case, Reason> {
    let name = |value: FieldValue<'_>| {
        name_text(&value.name, value.json).map(|text| Some(text).filter(|text| !text.is_empty()))
    };
    let slice = |value: FieldValue<'_>| name(value)?.map(Slice::new).transpose().map_err(bad_field);
    Ok(Case {
        id: id.clone(),
        slice: unless_bad(found, Field::Slice, slice)?,
        situation,
        circumstances: Circumstances {
            time: unless_bad(found, Field::Time, |value| time(&value, dates))?,
            audience: unless_bad(found, Field::Audience, name)?,
            region: unless_bad(found, Field::Region, name)?,
            language: unless_bad(found, Field::Language, name)?,
        },
        evidence: evidence(found)?.into(),
        inadmissible: inadmissible(found)?,
        reference: optional_text(found.given(Field::Reference))?,
        known_pii: known_pii(found.given(Field::KnownPii))?,
        outcomes: outcomes(found)?,
        metadata: metadata(found)?,
    })
}

/// What customers said, each by the name of its field.
fn outcomes(found: &mut RecordFields<'_>) -> Result<BTreeMap<String, String>, Reason> {
    let said = |value: FieldValue<'_>| match value.json {
        Json::Bool(said) => Ok(Some(said.to_string())),
        json => name_text(&value.name, json)
            .map(|text| Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
    };
    let mut outcomes = BTreeMap::new();
    for field in OUTCOMES {
        let said = unless_bad(found, field, said)?;
        outcomes.extend(said.map(|said| (field.native().to_owned(), said)));
    }
    Ok(outcomes)
}

/// What `read` makes of a field that a record can do without. A value that cannot be read is left out, with a doubt,
/// unless a person mapped it.
fn unless_bad<T>(
    found: &mut RecordFields<'_>,
    field: Field,
    read: impl Fn(FieldValue<'_>) -> Result<Option<T>, Reason>,
) -> Result<Option<T>, Reason> {
    let Some(value) = found.given(field) else { return Ok(None) };
    let is_asked = value.is_asked;
    match read(value) {
        Err(reason) if !is_asked => {
            found.doubts.push(format!("{}; it is left out", reason.text));
            Ok(None)
        }
        other => other,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "maps an error")]
fn bad_field(error: BadField) -> Reason {
    error.to_string().into()
}

/// The name of something inside a list, written only where a message needs it.
#[derive(Clone, Copy)]
pub(super) struct Inside {
    pub(super) list: Field,
    pub(super) at: usize,
    /// What follows the brackets.
    pub(super) part: &'static str,
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]{}", self.list.native(), self.at, self.part)
    }
}

pub(super) fn missing(name: impl fmt::Display) -> Reason {
    format!("Missing '{name}' field").into()
}

pub(super) fn must_be(name: impl fmt::Display, expected: &str, found: &Json) -> Reason {
    format!("'{name}' must be {expected}, found {}", found.kind()).into()
}

pub(super) fn without_nul(name: impl fmt::Display, text: String) -> Result<String, Reason> {
    if text.contains('\0') {
        return Err(format!("'{name}' contains a NUL character").into());
    }
    Ok(text)
}

fn case_id(value: Option<FieldValue<'_>>) -> Result<CaseId, Reason> {
    let value = value.ok_or_else(|| missing(Field::Id.native()))?;
    CaseId::new(name_text(&value.name, value.json)?).map_err(bad_field)
}

/// A name: a string, or a number by its source text.
pub(super) fn name_text(name: impl fmt::Display, json: Json) -> Result<String, Reason> {
    match json {
        Json::String(text) | Json::Number(text) => without_nul(name, text),
        other => Err(must_be(name, "a string", &other)),
    }
}

pub(super) fn text(name: impl fmt::Display, json: Json) -> Result<String, Reason> {
    match json {
        Json::String(text) => without_nul(name, text),
        other => Err(must_be(name, "a string", &other)),
    }
}

/// A text that may be left out; the empty string says as much.
fn optional_text(value: Option<FieldValue<'_>>) -> Result<Option<String>, Reason> {
    let text = value.map(|FieldValue { name, json, .. }| text(&name, json)).transpose()?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// A moment: a date in one of the usual forms, with a time or without, or a time since 1970.
fn time(value: &FieldValue<'_>, format: Option<&str>) -> Result<Option<Moment>, Reason> {
    let name = &value.name;
    match &value.json {
        Json::String(text) if text.trim().is_empty() => Ok(None),
        // A CSV cell holds seconds as text.
        Json::String(text) | Json::Number(text) => match dates::moment(text, format) {
            Ok(moment) => Ok(Some(moment)),
            Err(UnreadDate::Unknown) => Err(format!(
                "'{name}' is no date in a usual form, such as 2026-04-01 or 2026-04-01T09:30:00Z"
            )
            .into()),
            Err(UnreadDate::DayOrMonth) => Err(format!(
                "'{name}' may have the day or the month first; say which, as --date-format %d/%m/%Y"
            )
            .into()),
        },
        other => Err(must_be(name, "a string", other)),
    }
}

/// A share: a number, or a text with one, also with a decimal comma or in percent.
fn confidence(value: &FieldValue<'_>) -> Result<Option<Confidence>, Reason> {
    let number = match &value.json {
        Json::Number(text) => text.parse().ok(),
        Json::String(text) if text.trim().is_empty() => return Ok(None),
        Json::String(text) => share(text),
        _ => None,
    };
    let Some(number) = number else {
        return Err(format!("'{}' must be a number from 0 to 1", value.name).into());
    };
    Confidence::new(number)
        .map(Some)
        .map_err(|_| format!("'{}' must be a number from 0 to 1", value.name).into())
}

fn share(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, divisor) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits.trim_end(), 100.0));
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    let number: f64 = Some(digits).filter(|_| is_number)?.replacen(',', ".", 1).parse().ok()?;
    Some(number / divisor)
}

fn metadata(found: &mut RecordFields<'_>) -> Result<Option<String>, Reason> {
    let Some(value) = found.given(Field::Metadata) else { return Ok(None) };
    if has_nul(&value.json) {
        return Err(format!("'{}' contains a NUL character", value.name).into());
    }
    Ok(found.metadata_text.take().map(Cow::into_owned))
}

pub(super) fn has_nul(json: &Json) -> bool {
    match json {
        Json::String(text) => text.contains('\0'),
        Json::Array(items) => items.iter().any(has_nul),
        Json::Object(object) => object.iter().any(|(key, value)| key.contains('\0') || has_nul(value)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

/// The items of an optional array; an absent field has none.
pub(super) fn items(value: Option<FieldValue<'_>>) -> Result<Vec<Json>, Reason> {
    match value {
        None => Ok(Vec::new()),
        Some(FieldValue { json: Json::Array(items), .. }) => Ok(items),
        Some(FieldValue { name, json, .. }) => Err(must_be(name, "an array", &json)),
    }
}

pub(super) fn filled(name: impl fmt::Display, text: String) -> Result<String, Reason> {
    if text.is_empty() { Err(format!("Empty '{name}' field").into()) } else { Ok(text) }
}

fn known_pii(value: Option<FieldValue<'_>>) -> Result<Vec<String>, Reason> {
    let one = |(at, item): (usize, Json)| {
        let name = Inside { list: Field::KnownPii, at, part: "" };
        // An empty string would be found in every reply.
        let text = filled(name, text(name, item)?)?;
        let n_bytes: usize = text.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
        if n_bytes < KNOWN_BYTES_MIN {
            let reason =
                format!("'{name}' is too short to be looked for, expected at least two letters or digits");
            return Err(reason.into());
        }
        Ok(text)
    };
    items(value)?.into_iter().enumerate().map(one).collect()
}

/// The reply of a record.
enum Given {
    Text(Arc<str>),
    /// There is none, and what to say about it where one is needed.
    Nothing(Reason),
}

/// Reads what the reply answers, and the reply.
fn situation_and_reply(found: &mut RecordFields<'_>, names: FileNames) -> Result<(Situation, Given), Reason> {
    let has_turns = found.has(Field::Turns);
    let ticket = match found.take(Field::Ticket) {
        // A null beside the other form of the situation only says that it is not used.
        Some(ticket) if has_turns && ticket.json == Json::Null => None,
        other => other,
    };
    let turns = found.take(Field::Turns).filter(|_| has_turns);
    match (ticket, turns) {
        (Some(ticket), None) => {
            let FieldValue { name, json, .. } = ticket;
            let ticket = text(&name, json)?;
            if ticket.trim().is_empty() {
                return Err(format!("Empty '{name}' field").into());
            }
            let given = given_reply(found)?.unwrap_or_else(|| Given::Nothing(missing(names.reply)));
            Ok((Situation::Ticket(ticket.into()), given))
        }
        (None, Some(turns)) => conversation(turns, given_reply(found)?, names),
        (Some(ticket), Some(turns)) => {
            let message =
                format!("'{}' and '{}' are both given, expected one of them", ticket.name, turns.name);
            Err(message.into())
        }
        (None, None) => Err(missing(names.ticket)),
    }
}

/// The record's own reply; `None` where it has no such field. A null is no reply, and neither is a text in which nothing
/// can be seen: no judge is paid to read it.
fn given_reply(found: &mut RecordFields<'_>) -> Result<Option<Given>, Reason> {
    match found.take(Field::Reply) {
        None => Ok(found.no_reply.take().map(|reason| Given::Nothing(reason.into()))),
        Some(FieldValue { name, json: Json::Null, .. }) => {
            Ok(Some(Given::Nothing(must_be(&name, "a string", &Json::Null))))
        }
        Some(FieldValue { name, json, .. }) => Ok(Some(written(&name, text(&name, json)?.into()))),
    }
}

/// A text as a reply, unless nothing in it can be seen.
fn written(name: impl fmt::Display, text: Arc<str>) -> Given {
    match text_trait(&text) {
        Some(TextTrait::Empty) => Given::Nothing(format!("Empty '{name}' field").into()),
        Some(TextTrait::InvisibleOnly) => Given::Nothing(format!("'{name}' has no visible character").into()),
        Some(TextTrait::HiddenCharacters) | None => Given::Text(text),
    }
}

/// Splits turns into context and reply: a given reply leaves the turns as they are; without one, the last
/// turn is the reply if it is an agent's.
fn conversation(
    value: FieldValue<'_>,
    given: Option<Given>,
    names: FileNames,
) -> Result<(Situation, Given), Reason> {
    let turns = items(Some(value))?.into_iter().enumerate().map(|(at, item)| turn(at, item));
    let mut turns = turns.collect::<Result<Vec<Turn>, Reason>>()?;
    if turns.is_empty() {
        return Err("Empty 'turns' field".to_owned().into());
    }
    let last_agent = |turns: &mut Vec<Turn>| turns.pop_if(|last| last.role == Role::Agent);
    let given = given.or_else(|| {
        let last = last_agent(&mut turns)?;
        Some(written(Inside { list: Field::Turns, at: turns.len(), part: ".text" }, last.text))
    });
    let given = given.unwrap_or_else(|| {
        let message = format!("Missing '{}' field, and the last of 'turns' is not an agent's", names.reply);
        Given::Nothing(message.into())
    });
    if !turns.iter().any(|turn| turn.role == Role::Customer) {
        return match given {
            Given::Text(_) => Err("'turns' has no customer turn before the reply".to_owned().into()),
            Given::Nothing(reason) => Err(reason),
        };
    }
    Ok((Situation::Conversation(turns), given))
}

fn turn(at: usize, item: Json) -> Result<Turn, Reason> {
    let name = Inside { list: Field::Turns, at, part: "" };
    let (role_name, text_name) = (Inside { part: ".role", ..name }, Inside { part: ".text", ..name });
    let Json::Object(mut object) = item else { return Err(must_be(name, "an object", &item)) };
    let role = object.get("role").ok_or_else(|| missing(role_name))?;
    let role = role.as_str().ok_or_else(|| must_be(role_name, "a string", role))?;
    let role = Role::parse(role).ok_or_else(|| {
        Reason::from(format!("'{role_name}' is '{role}', expected customer, agent or system"))
    })?;
    let (text_name, given) = match (object.take("text"), object.take("content")) {
        (Some(_), Some(_)) => {
            return Err(format!("'text' and 'content' both give the '{text_name}' field").into());
        }
        (Some(given), None) => (text_name, given),
        (None, Some(given)) => (Inside { part: ".content", ..name }, given),
        (None, None) => return Err(missing(text_name)),
    };
    Ok(Turn { role, text: text(text_name, given)?.into() })
}
