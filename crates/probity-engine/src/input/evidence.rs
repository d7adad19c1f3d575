//! From the fields of one record to what its reply may rest on, and to the answer of a gate upstream.
//!
//! Texts are taken as they are. What a tool was called with and what it gave may be any JSON; it is kept as its
//! canonical text, so that equal values make equal packets.

use probity_core::case::{ContextText, Evidence, EvidenceSource, ToolCall};
use probity_core::json::{Json, Object};

use super::entry::{Inside, filled, has_nul, items, missing, must_be, name_text, text, without_nul};
use super::field::{Field, FieldValue, Reason, RecordFields};

/// What the reply of a record may rest on.
pub(super) fn evidence(found: &mut RecordFields<'_>) -> Result<Evidence, Reason> {
    Ok(Evidence {
        sources: each(found.given(Field::Evidence), Field::Evidence, source)?,
        context: texts(found.given(Field::Context), Field::Context)?,
        tools: each(found.given(Field::Tools), Field::Tools, tool)?,
        n_omitted: 0,
    })
}

/// Why a gate upstream did not admit the reply, where one did not.
pub(super) fn inadmissible(found: &mut RecordFields<'_>) -> Result<Option<String>, Reason> {
    let reason = found.given(Field::AdmissibleReason);
    match found.given(Field::Admissible) {
        None | Some(FieldValue { json: Json::Bool(true), .. }) => Ok(None),
        Some(FieldValue { json: Json::Bool(false), .. }) => {
            let reason = reason.map_or(String::new(), |reason| match reason.json {
                Json::Array(several) => several.into_iter().map(any_text).collect::<Vec<_>>().join("; "),
                other => any_text(other),
            });
            Ok(Some(reason.replace('\0', "")))
        }
        Some(other) => Err(must_be(&other.name, "true or false", &other.json)),
    }
}

/// A text as it is, anything else as canonical JSON.
fn any_text(json: Json) -> String {
    match json {
        Json::String(text) => text,
        other => other.canonical(),
    }
}

fn each<T>(
    value: Option<FieldValue<'_>>,
    list: Field,
    one: fn(Inside, Json) -> Result<T, Reason>,
) -> Result<Vec<T>, Reason> {
    let items = items(value)?.into_iter().enumerate();
    items.map(|(at, item)| one(Inside { list, at, part: "" }, item)).collect()
}

fn source(name: Inside, item: Json) -> Result<EvidenceSource, Reason> {
    let (id, version, text) = match item {
        Json::String(id) => (without_nul(name, id)?, None, None),
        Json::Object(mut object) => {
            let source_name = Inside { part: ".source", ..name };
            let id = object.take("source").ok_or_else(|| missing(source_name))?;
            let version = match object.take("version") {
                None | Some(Json::Null) => None,
                Some(version) => Some(name_text(Inside { part: ".version", ..name }, version)?),
            };
            let text = optional(&mut object, "text", Inside { part: ".text", ..name })?;
            (name_text(source_name, id)?, version, text)
        }
        other => return Err(must_be(name, "an object or a string", &other)),
    };
    Ok(EvidenceSource { id: filled(name, id)?, version, text, facts: Vec::new() })
}

/// One text, or a list of them; those without a visible character say nothing.
fn texts(value: Option<FieldValue<'_>>, list: Field) -> Result<Vec<ContextText>, Reason> {
    let all = match value {
        Some(FieldValue { json: text @ (Json::String(_) | Json::Object(_)), .. }) => {
            vec![context(Inside { list, at: 0, part: "" }, text)?]
        }
        other => each(other, list, context)?,
    };
    Ok(all.into_iter().filter(|each| !each.text.trim().is_empty()).collect())
}

/// What the text of a retrieved document is called, and where it is from.
const CONTEXT_TEXT: &[&str] = &["text", "content", "page_content", "body", "snippet", "chunk"];
const CONTEXT_SOURCE: &[&str] = &["source", "title", "url", "id", "name"];

/// A text, or a document with one; a document of another form is kept as canonical JSON.
#[expect(clippy::needless_pass_by_value, reason = "one of the functions that read an item of a list")]
fn context(name: Inside, item: Json) -> Result<ContextText, Reason> {
    let text = |text: &str| without_nul(name, text.to_owned());
    match &item {
        Json::String(own) => Ok(ContextText { text: text(own)?, source: None }),
        Json::Object(object) => {
            let first = |names: &[&str]| names.iter().find_map(|name| object.get(name)?.as_str());
            let source = first(CONTEXT_SOURCE).map(text).transpose()?;
            match first(CONTEXT_TEXT) {
                Some(own) => Ok(ContextText { text: text(own)?, source }),
                None => Ok(ContextText { text: text(&item.canonical())?, source: None }),
            }
        }
        other => Err(must_be(name, "an object or a string", other)),
    }
}

fn tool(name: Inside, item: Json) -> Result<ToolCall, Reason> {
    let Json::Object(mut object) = item else { return Err(must_be(name, "an object", &item)) };
    // OpenAI has the name and the arguments of a call in its function.
    if let Some(Json::Object(function)) = object.take("function") {
        for (member, json) in function {
            let _ = object.insert(member, json);
        }
    }
    let name_name = Inside { part: ".name", ..name };
    let called = optional(&mut object, "name", name_name)?.ok_or_else(|| missing(name_name))?;
    let mut given = |key: &str, part: &'static str| match object.take(key) {
        None | Some(Json::Null) => Ok(None),
        Some(json) if has_nul(&json) => without_nul(Inside { part, ..name }, "\0".to_owned()).map(Some),
        Some(json) => Ok(Some(any_text(json))),
    };
    let (arguments, result) = (given("arguments", ".arguments")?, given("result", ".result")?);
    Ok(ToolCall { name: filled(name_name, called)?, arguments, result })
}

/// A member that is a text, or not there.
fn optional(object: &mut Object, key: &str, name: Inside) -> Result<Option<String>, Reason> {
    match object.take(key) {
        None | Some(Json::Null) => Ok(None),
        Some(json) => text(name, json).map(Some),
    }
}
